"""Python's integers that a dtype of NumPy's cannot hold: OverflowError, which a handler sees."""

import numpy as np
import pytest

import gradsmith as gs
from helpers import each


def store(a, v):
    try:
        a[0] = v
    except OverflowError as error:
        return str(error), a
    return a


def store_of_a_constant(a, v):
    try:
        a[:1] = -1
    except OverflowError as error:
        return str(error), a, v
    return a, v


def in_place(a, v):
    try:
        a += v
    except OverflowError as error:
        return str(error), a
    return a


def arithmetic(a, v):
    made = []
    for compute in (
        lambda: a + v,
        lambda: a * v,
        lambda: v - a,
        lambda: np.maximum(a, v),
        lambda: a | v,
        lambda: a & v,
        lambda: a % v,
        lambda: a // v,
        lambda: np.minimum(v, a),
        lambda: np.where(a > 1, a, v),
    ):
        try:
            made.append(compute())
        except OverflowError as error:
            made.append(str(error))
    return made


def scalars(a, v):
    try:
        return np.uint8(v), a
    except Exception as error:
        return type(error).__name__, str(error)


def arrays(a, v):
    try:
        return np.array([v, 1], dtype=np.uint8), a
    except OverflowError as error:
        return str(error)


def filled(a, v):
    try:
        return np.full(2, v, dtype=np.uint8), np.full_like(a, v)
    except OverflowError as error:
        return str(error)


def assert_same(made, wanted):
    if isinstance(wanted, (list, tuple)):
        assert len(made) == len(wanted)
        for one, other in zip(made, wanted, strict=True):
            assert_same(one, other)
    elif isinstance(wanted, str):
        assert made == wanted
    else:
        np.testing.assert_array_equal(made, wanted)
        assert np.asarray(made).dtype == np.asarray(wanted).dtype


@each("f", [store, store_of_a_constant, in_place, arithmetic, scalars, arrays, filled])
@each("dtype", [np.uint8, np.int8, np.int64])
def test_handlers_see_the_error(f, dtype):
    compiled = gs.compile(f)
    for v in (3, 300, 4, -1, 100):
        wanted = f(np.array([1, 2], dtype), v)
        assert_same(compiled(np.array([1, 2], dtype), v), wanted)


def test_without_a_handler_the_error_is_raised():
    compiled = gs.compile(lambda a, v: a + v)
    np.testing.assert_array_equal(compiled(np.uint8([1, 2]), 3), [4, 5])
    with pytest.raises(OverflowError, match="out of bounds for uint8"):
        compiled(np.uint8([1, 2]), 300)


def each_call(a, v):
    """What functions that store an integer leave, or their error."""
    made = []
    for compute in (
        lambda b: b.__setitem__([0, 1], [v, 1]),
        lambda b: b.__setitem__(slice(2), [v, 300]),
        lambda b: np.put(b, [0, 1], [v, 2]),
        lambda b: np.putmask(b, b > 1, v),
        lambda b: np.copyto(b, v),
        lambda b: np.add.at(b, [0, 1], v),
        lambda b: np.subtract.at(b, [0, 1], v),
        lambda b: np.insert(b, 1, v),
        lambda b: np.pad(b, 1, constant_values=v),
        lambda b: np.pad(b, 1, constant_values=(1, -2)),
        lambda b: b.fill(v),
        lambda b: np.max(b, initial=v),
    ):
        b = a.copy()
        try:
            made.append((compute(b), b))
        except OverflowError:
            made.append("error")
    return made


def test_stores_convert_as_numpy_does():
    compiled = gs.compile(each_call)
    for v in (3, 300, -1):
        found, wanted = (f(np.uint8([1, 2]), v) for f in (compiled, each_call))
        assert repr(found) == repr(wanted)


def test_subtracting_unsigned_numbers_at_indices():
    def f(x, b):
        np.subtract.at(x, [0, 0, 1], b)
        return x

    compiled = gs.compile(f)
    for b in (np.uint8([1, 2, 3]), np.array([True, False, True])):
        assert compiled(np.arange(4.0), b).tolist() == f(np.arange(4.0), b).tolist()


def test_floating_point_numbers_added_to_integers_at_indices():
    def f(x):
        np.subtract.at(x, [0, 0], 0.5)
        np.add.at(x, [1, 1, 2], 0.75)
        return x

    compiled = gs.compile(f)
    for kind in (int, np.uint8, np.int8, np.float32):
        x = np.array([3, 5, 7], kind)
        assert repr(compiled(x.copy())) == repr(f(x.copy()))


QUOTIENTS = {
    "unsigned": (lambda x: np.sum(np.array([1, 2, 3], np.uint8) / x), (1, 2, 3)),
    "scalar": (lambda x: -np.sum(np.uint8(3) / x), (-3, -3, -3)),
    "truth": (lambda x: np.sum((x > 0) / x), (1, 1, 0)),
}


@pytest.mark.parametrize("name", QUOTIENTS)
def test_quotients_of_integers_that_wrap_around(name):
    function, numerators = QUOTIENTS[name]
    x = np.array([0.5, 1.5, -2.0])
    value, gradient = gs.value_and_grad(function)(x)
    assert value == function(x)
    np.testing.assert_allclose(gradient, -np.array(numerators) / x**2)
