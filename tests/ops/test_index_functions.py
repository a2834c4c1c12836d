"""Reading and writing by every kind of key, and NumPy's indexing functions, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gradsmith.errors import ArgumentTypeError, IndexRangeError, ShapeError, UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.evaluate import evaluate
from gradsmith.ops.data_sizes import counted_masks
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.index import read, write, write_added
from gradsmith.ops.index_key import Index, Slice
from gradsmith.ops.repeats import may_repeat
from gradsmith.ops.shape import astype
from gradsmith.ops.writers import WRITERS
from helpers import each
from ops.harness import agrees, run, same, traced

V = np.arange(5.0)
M = np.arange(12.0).reshape(3, 4)
A = np.arange(24.0).reshape(2, 3, 4)
SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


def arange(shape):
    return np.arange(float(np.prod(shape))).reshape(shape)


def check_read(x, key):
    (actual,) = run(lambda node: read(node, key), x)
    same(actual, x[key])


def check_write(x, key, value):
    expected = x.copy()
    expected[key] = value
    (actual,) = run(lambda node, v: write(node, key, v), x, value)
    same(actual, expected)


def check_add(x, key, value):
    """Against a loop: np.add.at itself has a defect, see `ops.index_writing`."""
    expected = x.copy()
    places = np.arange(x.size).reshape(x.shape)[key]
    terms = np.broadcast_arrays(value, places)[0].reshape(-1)
    for place, term in zip(places.flat, terms, strict=True):
        expected.flat[place] += term
    (actual,) = run(lambda node, v: write_added(node, key, v), x, value)
    same(actual, expected)


# -- keys that hypothesis finds -------------------------------------------------------------------


@st.composite
def basic(draw):
    shape = draw(SHAPES)
    key = draw(hnp.basic_indices(shape, allow_newaxis=True, max_dims=6))
    return arange(shape), key


@st.composite
def advanced(draw):
    """A basic key, some of its parts replaced by index arrays that broadcast, or by a mask."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4))
    x = arange(shape)
    if draw(st.integers(0, 3)) == 0:
        start = draw(st.integers(0, len(shape) - 1))
        stop = draw(st.integers(start + 1, len(shape)))
        mask = draw(hnp.arrays(bool, shape[start:stop]))
        return x, (*[slice(None)] * start, mask)
    blocks = [(3,), (2, 1), (1, 3), (2, 3), (), (1,)]
    parts: list = []
    for size in shape:
        kind = draw(st.sampled_from(["array", "array", "slice", "int"]))
        if kind == "array":
            block = draw(st.sampled_from(blocks))
            parts.append(draw(hnp.arrays(np.intp, block, elements=st.integers(-size, size - 1))))
        elif kind == "slice":
            parts.append(draw(st.slices(size)))
        else:
            parts.append(draw(st.integers(-size, size - 1)))
    parts = parts[: draw(st.integers(1, len(parts)))]
    place = draw(st.integers(0, len(parts)))
    between = draw(st.sampled_from([(), (None,), (Ellipsis,)]))
    if between == (Ellipsis,) and len(parts) < len(shape):
        place = len(parts)  # elsewhere the parts would stand at other axes
    return x, (*parts[:place], *between, *parts[place:])


def draw_value(data, x, key):
    """Something that broadcasts to ``x[key]``."""
    shape = np.shape(x[key])
    keep = data.draw(st.integers(0, len(shape)))
    inner = tuple(1 if data.draw(st.booleans()) else size for size in shape[keep:])
    return -1.0 - arange(inner)


@settings(max_examples=300, deadline=None)
@given(basic())
def test_reading_by_basic_keys(pair):
    check_read(*pair)


@settings(max_examples=400, deadline=None)
@given(advanced())
def test_reading_by_advanced_keys(pair):
    check_read(*pair)


@settings(max_examples=200, deadline=None)
@given(basic(), st.data())
def test_writing_by_basic_keys(pair, data):
    check_write(*pair, draw_value(data, *pair))


@settings(max_examples=300, deadline=None)
@given(advanced(), st.data())
def test_writing_by_advanced_keys(pair, data):
    check_write(*pair, draw_value(data, *pair))


def test_a_slice_after_an_ellipsis_without_width_keeps_its_axis():
    key = (0, Ellipsis, np.array([0, 0]), slice(None))
    check_read(arange((2, 3, 4)), key)
    check_write(arange((2, 3, 4)), key, -1.0)


@settings(max_examples=300, deadline=None)
@given(advanced(), st.data())
def test_adding_by_advanced_keys(pair, data):
    check_add(*pair, draw_value(data, *pair))


@settings(max_examples=300, deadline=None)
@given(advanced())
def test_what_is_said_not_to_repeat_does_not(pair):
    x, key = pair

    def function(node):
        part = read(node, key)
        places.append(may_repeat(part.attrs["index"], part.inputs[1:]) if part.inputs else False)
        return part

    places: list = []
    traced(function, [x])
    read_places = np.arange(x.size).reshape(x.shape)[key].ravel()
    if not places[0]:
        assert len(set(read_places.tolist())) == read_places.size


# -- keys that depend on the data -----------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1])
def test_traced_index_arrays(axis):
    order = np.array([2, 0, 0, -1])
    key = (slice(None),) * axis
    (actual,) = run(lambda x, i: read(x, (*key, i)), M, order)
    same(actual, M[(*key, order)])


def test_a_traced_integer_reads_a_view():
    graph, (node,) = traced(lambda x, i: read(x, (i, slice(1, None))), [M, np.int64(2)])
    assert node.op.name == "getitem"
    same(evaluate(graph, [M, np.int64(2)])[0], M[2, 1:])


def test_a_traced_mask_has_one_count():
    def function(x, y):
        mask = y > 3 if isinstance(y, np.ndarray) else FUNCTIONS[np.astype](y, bool)
        first, second = read(x, mask), read(y, mask)
        assert first.shape == second.shape
        assert dims.is_unbacked(first.shape[0])
        return first, second

    y = M % 3
    graph, _ = traced(function, [M, y])
    first, second = evaluate(graph, [M, y])
    same(first, M[y.astype(bool)])
    same(second, y[y.astype(bool)])
    assert len(counted_masks(graph.nodes)) == 1


def test_two_masks_have_two_counts():
    def function(x):
        first = read(x, FUNCTIONS[np.astype](x, bool))
        second = read(x, FUNCTIONS[np.astype](FUNCTIONS[np.flip](x), bool))
        assert first.shape != second.shape
        return first, second

    traced(function, [M])


def test_a_mask_with_an_index_beside_it():
    mask = np.array([True, False, True])
    (actual,) = run(lambda x, m: read(x, (slice(None), m, 0)), A, mask)
    same(actual, A[:, mask, 0])
    (actual,) = run(lambda x, m: write(x, (slice(None), m), 9.0), A, mask)
    expected = A.copy()
    expected[:, mask] = 9
    same(actual, expected)


def test_lists_and_empty_lists():
    check_read(M, [0, 2])
    check_read(M, [])
    check_read(M, ([0, 1], [2, 3]))
    check_read(M, [[0, 1], [1, 2]])
    check_read(M, [True, False, True])


# -- sizes ----------------------------------------------------------------------------------------


@each(
    ("key", "length", "guards"),
    [
        (slice(1, None), "n0_0 - 1", 1),
        (slice(None, -1), "n0_0 - 1", 1),
        (slice(1, -1), "n0_0 - 2", 1),
        (slice(None, None, 2), "((n0_0 + 1) // 2)", 0),
        (slice(None, None, -1), "n0_0", 0),
        (slice(None, 3), "3", 1),
        (slice(-2, None), "2", 1),
        (slice(None, 99), "n0_0", 1),
        (slice(3, 1), "0", 1),
    ],
)
def test_the_length_of_a_slice(key, length, guards):
    graph, (node,) = traced(lambda x: read(x, key), [V])
    assert dims.render(node.shape[0]) == length
    assert len(graph.guards) <= guards + 1


def test_symbolic_bounds():
    def function(x):
        n = x.shape[0]
        return read(x, slice(None, n // 2)), read(x, slice(n // 2, n)), read(x, n - 1)

    first, second, last = run(function, V)
    same(first, V[:2])
    same(second, V[2:])
    same(last, V[4])


def test_a_slice_that_takes_everything_is_the_array_itself():
    def function(x):
        assert read(x, slice(None)) is x
        assert read(x, ...) is x
        assert read(x, (slice(0, None), slice(None, x.shape[1]))) is x
        return x

    traced(function, [M])


def test_an_ellipsis_keeps_a_single_element_an_array():
    _, (scalar, array) = traced(lambda x: [read(x, (0, 0)), read(x, (0, 0, ...))], [M])
    assert scalar.array_type.form == "scalar"
    assert array.array_type.form == "array"


def test_sizes_inside_an_index_are_mapped():
    n = dims.symbol("n", 7)
    index = Index((n - 1, Slice(None, n, None, n), None))
    assert index.map_sizes(lambda size: dims.evaluate(size, {dims.as_symbol(n): 3})) == Index(
        (2, Slice(None, 3), None)
    )


# -- errors ---------------------------------------------------------------------------------------


@each(
    "key",
    [5, -6, (0, 0), 1.5, "a", (..., ...), [7], ([0], [0]), np.zeros(3, bool), np.array([0.5])],
)
def test_keys_that_numpy_refuses(key):
    with pytest.raises(IndexError) as numpy_error:
        V[key]
    with pytest.raises(IndexRangeError) as error:
        traced(lambda x: read(x, key), [V])
    if isinstance(key, int):
        assert error.value.message == str(numpy_error.value)


def test_writing_what_does_not_fit():
    with pytest.raises(ShapeError, match="could not broadcast"):
        traced(lambda x: write(x, slice(1, 3), np.zeros(3)), [V])
    with pytest.raises(UnsupportedError):
        traced(read, [V, np.bool_(True)])


# -- NumPy's functions ----------------------------------------------------------------------------


@each(
    ("function", "array", "options"),
    [
        (np.take, M, {"indices": [5, 0]}),
        (np.take, M, {"indices": np.array([[0, 1], [1, 2]]), "axis": 0}),
        (np.take, M, {"indices": 1, "axis": -1}),
        (np.take_along_axis, M, {"indices": np.array([[0, 3], [1, 1], [2, 0]]), "axis": 1}),
        (np.take_along_axis, M, {"indices": np.array([[0, 1, 2, 0]]), "axis": 0}),
        (np.take_along_axis, M, {"indices": np.array([7, 3]), "axis": None}),
        (np.diag, V, {}),
        (np.diag, V, {"k": -2}),
        (np.diag, M, {}),
        (np.diag, M, {"k": 1}),
        (np.diag, M, {"k": -1}),
        (np.diag, M, {"k": 9}),
        (np.diagflat, M, {"k": 1}),
        (np.diagonal, A, {}),
        (np.diagonal, A, {"offset": 1, "axis1": 1, "axis2": 2}),
        (np.diagonal, A, {"offset": -1, "axis1": 2, "axis2": 0}),
    ],
)
def test_picking(function, array, options):
    agrees(function, array, **options)


def test_compress_and_extract():
    mask = np.array([True, False, True])
    (actual,) = run(lambda x, m: FUNCTIONS[np.compress](m, x, 0), M, mask)
    same(actual, np.compress(mask, M, 0))
    (actual,) = run(lambda x: FUNCTIONS[np.compress]([0, 1], x, 1), M)
    same(actual, np.compress([0, 1], M, 1))
    (actual,) = run(lambda x, m: FUNCTIONS[np.extract](m, x), M, M > 4)
    same(actual, np.extract(M > 4, M))


def test_ix_and_triangle_indices():
    for make in (
        lambda f: f(np.ix_)([0, 2], [1, 3]),
        lambda f: f(np.ix_)([True, False, True], np.array([1])),
        lambda f: f(np.diag_indices)(3),
        lambda f: f(np.tril_indices)(3, -1),
        lambda f: f(np.triu_indices)(3, 0, 4),
    ):
        (actual,) = run(lambda x, make=make: read(x, make(FUNCTIONS.__getitem__)), M)
        same(actual, M[make(lambda function: function)])
    (actual,) = run(lambda x: read(x, FUNCTIONS[np.triu_indices_from](x, 1)), M)
    same(actual, M[np.triu_indices_from(M, 1)])
    (actual,) = run(lambda x: read(x, FUNCTIONS[np.diag_indices_from](x)), M[:, :3].copy())
    same(actual, np.diag(M))


def test_positions_as_one_number_and_back():
    agrees(np.unravel_index, np.array([0, 5, 11]), shape=(3, 4))
    agrees(np.unravel_index, np.int64(7), shape=(2, 2, 3))
    (actual,) = run(
        lambda i, j: FUNCTIONS[np.ravel_multi_index]((i, j), (3, 4)), np.array([0, 2]), np.int64(3)
    )
    same(actual, np.ravel_multi_index((np.array([0, 2]), 3), (3, 4)))


def test_functions_that_write():
    def check(function, *rest):
        expected = M.copy()
        function(expected, *rest)
        (actual,) = run(lambda x: WRITERS[function](x, *rest), M)
        same(actual, expected)

    check(np.put, [1, 5], [7.0, 8.0])
    check(np.put, [1, 5], -1.0)
    check(np.put_along_axis, np.array([[1], [0], [3]]), 5.0, 1)
    check(np.fill_diagonal, -1.0)
    check(np.fill_diagonal, [1.0, 2.0, 3.0])
    check(np.copyto, np.ones(4))
    check(np.add.at, [0, 0, 1], 1.0)
    check(np.subtract.at, ([0, 0], slice(None)), 1.0)


# -- what cannot be written twice -----------------------------------------------------------------


@each(
    ("make", "expected"),
    [
        (lambda x, i: (FUNCTIONS[np.arange](x.shape[0]), i), False),
        (lambda x, i: (FUNCTIONS[np.arange](x.shape[0]), 0), False),
        (lambda x, i: (i,), True),
        (lambda x, i: (i, FUNCTIONS[np.arange](3) + 1), False),
        (lambda x, i: (i, FUNCTIONS[np.arange](3) - 1), True),
        (lambda x, i: FUNCTIONS[np.ix_](FUNCTIONS[np.arange](3), [0, 2]), False),
        (lambda x, i: FUNCTIONS[np.ix_](i, [0, 2]), True),
        (lambda x, i: ([0, 1, 0], slice(None)), True),
        (lambda x, i: ([0, 1, -1], slice(None)), True),
        (lambda x, i: ([0, 2, 1], slice(None)), False),
        (lambda x, i: (FUNCTIONS[np.astype](i, bool),), False),
        (lambda x, i: (FUNCTIONS[np.astype](FUNCTIONS[np.astype](i, bool), int),), True),
        (lambda x, i: (FUNCTIONS[np.astype](i, bool) + 1,), True),
        (lambda x, i: (FUNCTIONS[np.astype](FUNCTIONS[np.arange](3), np.int32),), False),
        (lambda x, i: (FUNCTIONS[np.astype](FUNCTIONS[np.arange](3), np.uint8),), True),
        (lambda x, i: (FUNCTIONS[np.astype](FUNCTIONS[np.arange](0, 2, 0.5), int),), True),
        (lambda x, i: (slice(None), 0), False),
    ],
)
def test_may_repeat(make, expected):
    def function(x, i):
        part = read(x, make(x, i))
        assert may_repeat(part.attrs["index"], part.inputs[1:]) is expected
        return part

    traced(function, [M, np.array([0, 1, 1])])


# -- augmented assignment -------------------------------------------------------------------------


def augmented(x, key, term):
    """The steps of ``x[key] += term``, as the frontend takes them."""
    part = read(x, key)
    total = astype(FUNCTIONS[np.add](part, term), dtype=x.dtype)
    stored = part.op.view(x, total, *part.inputs[1:], **part.attrs) if part.op.view else x
    return write(stored, key, read(stored, key) if part.op.view else total)


@each(
    ("key", "op"),
    [
        (slice(1, None), "index_add"),
        ((0, slice(None)), "index_add"),
        ([0, 2], "index_add"),
        (np.array([True, False, True]), "index_add"),
        ([0, 0], "index_set"),
    ],
)
def test_an_augmented_assignment_is_one_addition(key, op):
    def function(x):
        result = augmented(x, key, 2.0)
        assert result.op.name == op
        return result

    expected = M.copy()
    expected[key] += 2.0
    same(run(function, M)[0], expected)


def test_a_sum_that_the_user_stores_stays_a_value():
    def function(x):
        total = FUNCTIONS[np.add](read(x, 0), 1.0)
        result = write(x, 0, total)
        assert result.inputs[1] is total
        return result

    traced(function, [M])


def test_a_scalar_cannot_be_written_to():
    with pytest.raises(ArgumentTypeError):
        traced(lambda x: write(x, ..., 1.0), [np.float64(1.0)])
