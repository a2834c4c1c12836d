"""NumPy's shape, joining and rearranging functions on nodes against NumPy itself."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import ArgumentValueError, IndexRangeError, ShapeError, UnsupportedError
from gradsmith.ops.declare import FUNCTIONS
from helpers import each
from ops.harness import agrees, run, same, traced

A = np.arange(24.0).reshape(2, 3, 4)
M = np.arange(12, dtype=np.float32).reshape(3, 4)
V = np.arange(5.0)
S = np.array(2.5)
COLUMN = np.arange(4.0).reshape(4, 1)


@each(
    ("function", "array", "options"),
    [
        (np.reshape, A, {"shape": (4, 6)}),
        (np.reshape, A, {"shape": -1}),
        (np.reshape, A, {"shape": (3, -1)}),
        (np.reshape, A, {"shape": (2, -1)}),
        (np.reshape, A, {"shape": (6, -1, 2)}),
        (np.reshape, A, {"shape": (3, -1), "order": "F"}),
        (np.reshape, S, {"shape": (1, 1)}),
        (np.reshape, COLUMN, {"shape": (2, 2)}),
        (np.reshape, np.zeros((0, 3)), {"shape": (3, 0)}),
        (np.ravel, A, {}),
        (np.ravel, M, {"order": "F"}),
        (np.ravel, S, {}),
        (np.squeeze, COLUMN, {}),
        (np.squeeze, COLUMN, {"axis": 1}),
        (np.squeeze, COLUMN, {"axis": (-1,)}),
        (np.squeeze, np.ones((1, 1)), {}),
        (np.squeeze, V, {}),
        (np.expand_dims, V, {"axis": 0}),
        (np.expand_dims, M, {"axis": -1}),
        (np.expand_dims, M, {"axis": (0, 2)}),
        (np.expand_dims, M, {"axis": ()}),
        (np.broadcast_to, V, {"shape": (3, 5)}),
        (np.broadcast_to, COLUMN, {"shape": (2, 4, 3)}),
        (np.broadcast_to, S, {"shape": 4}),
        (np.transpose, A, {}),
        (np.transpose, A, {"axes": (1, 0, 2)}),
        (np.transpose, A, {"axes": (-1, 0, 1)}),
        (np.transpose, V, {}),
        (np.transpose, S, {}),
        (np.matrix_transpose, A, {}),
        (np.swapaxes, A, {"axis1": 0, "axis2": -1}),
        (np.moveaxis, A, {"source": 0, "destination": -1}),
        (np.moveaxis, A, {"source": (0, 1), "destination": (-1, -2)}),
        (np.rollaxis, A, {"axis": 2}),
        (np.rollaxis, A, {"axis": 0, "start": 3}),
        (np.rollaxis, A, {"axis": -1, "start": 1}),
        (np.flip, A, {}),
        (np.flip, A, {"axis": 1}),
        (np.flip, A, {"axis": (0, -1)}),
        (np.flipud, V, {}),
        (np.fliplr, M, {}),
        (np.roll, V, {"shift": 2}),
        (np.roll, M, {"shift": -1}),
        (np.roll, M, {"shift": 1, "axis": 1}),
        (np.roll, M, {"shift": (1, -2), "axis": (0, 1)}),
        (np.roll, M, {"shift": 1, "axis": (0, 1)}),
        (np.tile, V, {"reps": 3}),
        (np.tile, M, {"reps": (2, 3)}),
        (np.tile, V, {"reps": (2, 2)}),
        (np.tile, A, {"reps": (2,)}),
        (np.tile, S, {"reps": (2, 3)}),
        (np.repeat, V, {"repeats": 2}),
        (np.repeat, M, {"repeats": 3}),
        (np.repeat, M, {"repeats": 2, "axis": -1}),
        (np.repeat, M, {"repeats": [1, 0, 2], "axis": 0}),
        (np.repeat, V, {"repeats": [2], "axis": 0}),
        (np.repeat, V, {"repeats": np.array([2, 0, 1, 1, 3])}),
        (np.atleast_1d, S, {}),
        (np.atleast_2d, S, {}),
        (np.atleast_2d, V, {}),
        (np.atleast_3d, V, {}),
        (np.atleast_3d, M, {}),
        (np.atleast_3d, A, {}),
        (np.copy, A, {}),
        (np.tril, M, {}),
        (np.tril, A, {"k": 1}),
        (np.tril, V, {}),
        (np.triu, M, {"k": -1}),
        (np.unstack, M, {"axis": 1}),
        (np.split, np.arange(6.0), {"indices_or_sections": 3}),
        (np.split, A, {"indices_or_sections": [1, 3], "axis": -1}),
        (np.split, V, {"indices_or_sections": [1, 9]}),
        (np.array_split, V, {"indices_or_sections": 3}),
        (np.array_split, M, {"indices_or_sections": 5}),
        (np.vsplit, A, {"indices_or_sections": 2}),
        (np.hsplit, V, {"indices_or_sections": [2]}),
        (np.hsplit, M, {"indices_or_sections": 2}),
        (np.dsplit, A, {"indices_or_sections": 4}),
        (np.astype, M, {"dtype": np.float64}),
        (np.astype, M, {"dtype": int}),
        (np.astype, V, {"dtype": bool}),
        (np.shape, A, {}),
        (np.size, A, {}),
        (np.size, A, {"axis": 1}),
        (np.ndim, A, {}),
    ],
)
def test_unary(function, array, options):
    if function in (np.astype,):
        dtype = options["dtype"]
        same(run(lambda x: FUNCTIONS[function](x, dtype), array)[0], array.astype(dtype))
    elif function in (np.shape, np.size, np.ndim):
        expected = np.ravel(function(array, **options)).tolist()
        assert run(lambda x: FUNCTIONS[function](x, **options), array) == expected
    else:
        agrees(function, array, **options)


@each("k", range(-1, 5))
@each("axes", [(0, 1), (1, 2), (2, 0)])
def test_rot90(k, axes):
    agrees(np.rot90, A, k=k, axes=axes)


@each("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
@each("width", [0, 2, (1, 0), ((1, 2), (0, 2)), ((2, 1),), {1: (0, 1)}])
def test_pad(mode, width):
    agrees(np.pad, M, pad_width=width, mode=mode)


def test_pad_with_values():
    agrees(np.pad, M, pad_width=1, constant_values=3)
    agrees(np.pad, M, pad_width=((1, 2), (2, 0)), constant_values=((1, 2), (3, 4)))
    agrees(np.pad, V, pad_width=(2, 1), constant_values=(7, 8))
    with pytest.raises(UnsupportedError, match="mode"):
        agrees(np.pad, M, pad_width=1, mode="mean")
    with pytest.raises(UnsupportedError, match="more than once"):
        run(lambda x: FUNCTIONS[np.pad](x, 9, "reflect"), V)


@each(
    ("function", "arrays", "options"),
    [
        (np.concatenate, [V, V], {}),
        (np.concatenate, [M, A[0]], {}),
        (np.concatenate, [M, A[0], A[1]], {"axis": -1}),
        (np.concatenate, [M, V], {"axis": None}),
        (np.concatenate, [V], {}),
        (np.concatenate, [V, V], {"dtype": np.complex64, "casting": "unsafe"}),
        (np.stack, [M, M + 1], {}),
        (np.stack, [M, M + 1], {"axis": 1}),
        (np.stack, [S, S], {"axis": -1}),
        (np.vstack, [V, V], {}),
        (np.vstack, [M, V[:4]], {}),
        (np.hstack, [V, S], {}),
        (np.hstack, [M, M[:, :2]], {}),
        (np.dstack, [V, V], {}),
        (np.dstack, [M, M], {}),
        (np.column_stack, [V, V], {}),
        (np.column_stack, [M, V[:3]], {}),
    ],
)
def test_joining(function, arrays, options):
    expected = function(arrays, **options)
    (actual,) = run(lambda *nodes: FUNCTIONS[function](list(nodes), **options), *arrays)
    same(actual, expected)


def test_joining_rows_of_one_array():
    for function in (np.concatenate, np.stack, np.vstack, np.hstack):
        agrees(function, A)


def test_append_and_block():
    agrees(np.append, M, V)
    agrees(np.append, M, M[:1], axis=0)
    (actual,) = run(lambda a, b: FUNCTIONS[np.block]([[a, b], [b, a]]), M, 2 * M)
    same(actual, np.block([[M, 2 * M], [2 * M, M]]))
    (actual,) = run(lambda v: FUNCTIONS[np.block]([v, v, 1.0]), V)
    same(actual, np.block([V, V, 1.0]))


@each("obj", [0, -1, 2, [0, 2], slice(0, 3, 2), [True, False, True]])
@each("axis", [None, 0])
def test_delete(obj, axis):
    if obj == [True, False, True] and axis is None:
        return
    agrees(np.delete, M, obj=obj, axis=axis)


def test_insert():
    for options in ({"obj": 1, "values": 5.0}, {"obj": -1, "values": [1.0, 2.0]}):
        agrees(np.insert, V, **options)
    agrees(np.insert, M, obj=3, values=7.0, axis=0)
    agrees(np.insert, M, obj=1, values=np.arange(3.0), axis=1)
    agrees(np.insert, M, obj=4, values=np.ones((2, 3)), axis=1)
    with pytest.raises(IndexRangeError):
        run(lambda x: FUNCTIONS[np.insert](x, 9, 0.0), V)
    with pytest.raises(IndexRangeError):
        run(lambda x: FUNCTIONS[np.delete](x, 5), V)


def test_broadcast_arrays():
    agrees(np.broadcast_arrays, COLUMN, V, S)


@each("indexing", ["xy", "ij"])
@each("sparse", [True, False])
def test_meshgrid(indexing, sparse):
    agrees(np.meshgrid, V, M[0], A[:, 0, 0], indexing=indexing, sparse=sparse)
    agrees(np.meshgrid, V, indexing=indexing, sparse=sparse)


@each(
    "call",
    [
        lambda x: FUNCTIONS[np.reshape](x, (5, -1)),
        lambda x: FUNCTIONS[np.reshape](x, (-1, -1)),
        lambda x: FUNCTIONS[np.transpose](x, (0, 0, 1)),
        lambda x: FUNCTIONS[np.transpose](x, (0, 1)),
        lambda x: FUNCTIONS[np.squeeze](x, 0),
        lambda x: FUNCTIONS[np.flip](x, 3),
        lambda x: FUNCTIONS[np.expand_dims](x, 5),
        lambda x: FUNCTIONS[np.broadcast_to](x, (3, 4)),
        lambda x: FUNCTIONS[np.concatenate]([x, V]),
        lambda x: FUNCTIONS[np.concatenate]([x, M[None, :2]]),
        lambda x: FUNCTIONS[np.stack]([x, M]),
        lambda x: FUNCTIONS[np.split](x, 3, 0),
    ],
)
def test_what_numpy_refuses(call):
    with pytest.raises(ShapeError):
        traced(call, [A])


@pytest.mark.parametrize(
    "call",
    [
        lambda x: FUNCTIONS[np.reshape](x, -1, order="A"),
        lambda x: FUNCTIONS[np.resize](x, (3, 3)),
        lambda x: FUNCTIONS[np.repeat](x, FUNCTIONS[np.astype](x, int)),
    ],
)
def test_what_is_refused(call):
    with pytest.raises(UnsupportedError):
        traced(call, [V])


def test_the_target_of_broadcast_to_is_read_only():
    def write_to_view(x):
        view = FUNCTIONS[np.broadcast_to](x, (2, 5))
        return view.op.view(x, view, **view.attrs)

    with pytest.raises(ArgumentValueError, match="read-only"):
        traced(write_to_view, [V])


def test_views_put_their_update_back():
    def replaced(make):
        def function(x, u):
            view = make(x)
            return view.op.view(x, FUNCTIONS[np.broadcast_to](u, view.shape), **view.attrs)

        return function

    def expected(make):
        x = A.copy()
        make(x)[...] = -1.0
        return x

    pairs = [
        (lambda x: FUNCTIONS[np.transpose](x, (1, 2, 0)), lambda x: np.transpose(x, (1, 2, 0))),
        (lambda x: FUNCTIONS[np.reshape](x, (6, 4)), lambda x: np.reshape(x, (6, 4))),
        (lambda x: FUNCTIONS[np.flip](x, 1), lambda x: np.flip(x, 1)),
        (lambda x: FUNCTIONS[np.expand_dims](x, 1), lambda x: np.expand_dims(x, 1)),
    ]
    for on_nodes, on_arrays in pairs:
        (actual,) = run(replaced(on_nodes), A, np.array(-1.0))
        same(actual, expected(on_arrays))


def test_a_reshape_needs_one_guard_only_where_it_must():
    graph, _ = traced(lambda x: FUNCTIONS[np.reshape](x, (x.shape[0], -1)), [A])
    assert graph.guards == ()
    graph, _ = traced(lambda x: FUNCTIONS[np.reshape](x, (-1, 2)), [A])
    assert len(graph.guards) == 1


def test_a_size_that_the_data_decide_has_to_fit():
    compiled = gs.compile(lambda x: np.ones(3).reshape(2 if x > 1 else 3) * x)
    assert compiled(0.5).shape == (3,)
    with pytest.raises(ValueError, match="cannot reshape array of size 3"):
        compiled(2.0)
