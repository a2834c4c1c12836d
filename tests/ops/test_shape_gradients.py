"""Both modes against differences of NumPy's own results: these functions are linear."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.autodiff.forward import jvp
from gradsmith.autodiff.reverse import vjp
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.evaluate import evaluate
from gradsmith.ir.graph import Node
from gradsmith.ir.verify import verify
from gradsmith.ops.create import zeros
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.index import read, write, write_added
from helpers import each
from ops.harness import flatten, symbolic

random = np.random.default_rng(7)
V = random.normal(size=5)
M = random.normal(size=(3, 4))
A = random.normal(size=(2, 3, 4))
COLUMN = random.normal(size=(3, 1))
S = np.float64(1.5)
Z = M + 1j * random.normal(size=(3, 4))
MASK = np.array([True, False, True])
REPEATED = np.array([2, 0, 2])


class Calls:
    """``np.f`` in both worlds: NumPy's own function, or what it means on nodes."""

    def __init__(self, nodes: bool) -> None:
        self.nodes = nodes

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(np, name)
        return FUNCTIONS[function] if self.nodes else function

    def read(self, x: Any, key: Any) -> Any:
        return read(x, key) if self.nodes else x[key]

    def write(self, x: Any, key: Any, value: Any) -> Any:
        if self.nodes:
            return write(x, key, value)
        result = x.copy()
        result[key] = value
        return result

    def added(self, x: Any, key: Any, value: Any) -> Any:
        if self.nodes:
            return write_added(x, key, value)
        result = x.copy()
        np.add.at(result, key, value)
        return result


def inner(left: Any, right: Any) -> float:
    """The real inner product, in which reverse mode is the adjoint of forward mode."""
    return float(np.sum(np.real(np.conj(left) * right)))


def like(array: Any) -> Any:
    noise = random.normal(size=np.shape(array))
    if np.iscomplexobj(array):
        noise = noise + 1j * random.normal(size=np.shape(array))
    return np.asarray(noise, np.asarray(array).dtype)[()]


def derivatives(function: Any, arrays: Any, seeds: Any, tangents: Any) -> tuple[list, list]:
    """Gradients and tangents by both modes."""
    builder = Builder()
    with building(builder), dims.recording_guards():
        params = [builder.parameter(f"p{i}", symbolic(f"n{i}_", a)) for i, a in enumerate(arrays)]
        outputs = flatten(function(Calls(nodes=True), *params))
        grads = vjp(outputs, [builder.lift(s) for s in seeds], params)
        moved = jvp(outputs, params, [builder.lift(t) for t in tangents])
        results = [_or_zeros(g, p) for g, p in zip(grads, params, strict=True)]
        results += [_or_zeros(m, o) for m, o in zip(moved, outputs, strict=True)]
        for result, model in zip(results, params + outputs, strict=True):
            assert result.dtype == model.dtype
            assert [*map(dims.hint, result.shape)] == [*map(dims.hint, model.shape)]
        values = evaluate(verify(builder.graph(results)), arrays)
    return list(values[: len(arrays)]), list(values[len(arrays) :])


def _or_zeros(found: Node | None, model: Node) -> Node:
    return zeros(shape=model.shape, dtype=model.dtype) if found is None else found


def check(function: Any, *arrays: Any) -> None:
    """``function`` is linear: its difference along a tangent is its derivative."""
    plain = Calls(nodes=False)
    before = flatten(function(plain, *arrays))
    tangents = [like(a) for a in arrays]
    after = flatten(function(plain, *[a + t for a, t in zip(arrays, tangents, strict=True)]))
    seeds = [like(b) for b in before]
    gradients, moved = derivatives(function, arrays, seeds, tangents)
    for a, b, m in zip(after, before, moved, strict=True):
        np.testing.assert_allclose(m, a - b, rtol=1e-5, atol=1e-6)
    expected = sum(inner(s, a - b) for s, a, b in zip(seeds, after, before, strict=True))
    actual = sum(inner(g, t) for g, t in zip(gradients, tangents, strict=True))
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


@each("array", [A, A.astype(np.float32), A + 1j * A[::-1]])
@each(
    "function",
    [
        lambda f, x: f.reshape(x, (4, -1)),
        lambda f, x: f.reshape(x, (4, -1), order="F"),
        lambda f, x: f.ravel(x),
        lambda f, x: f.expand_dims(x, (0, 2)),
        lambda f, x: f.squeeze(f.expand_dims(x, 1), 1),
        lambda f, x: f.broadcast_to(x, (5, 2, 3, 4)),
        lambda f, x: f.transpose(x, (2, 0, 1)),
        lambda f, x: f.swapaxes(x, 0, 1),
        lambda f, x: f.flip(x, (0, 2)),
        lambda f, x: f.rot90(x, 3, (0, 2)),
        lambda f, x: f.roll(x, (1, -2), (0, 2)),
        lambda f, x: f.roll(x, 5),
        lambda f, x: f.tile(x, (2, 1, 3)),
        lambda f, x: f.tile(x, (2, 1, 1, 1)),
        lambda f, x: f.repeat(x, 3, 1),
        lambda f, x: f.repeat(x, [2, 0, 1], 1),
        lambda f, x: f.copy(x),
        lambda f, x: f.tril(x, 1),
        lambda f, x: f.triu(x, -1),
        lambda f, x: f.pad(x, ((1, 0), (2, 1), (0, 3))),
        lambda f, x: f.pad(x, 1, mode="edge"),
        lambda f, x: f.pad(x, 1, mode="reflect"),
        lambda f, x: f.pad(x, 1, mode="wrap"),
        lambda f, x: f.pad(x, 1, mode="symmetric"),
        lambda f, x: f.split(x, [1, 2], 2),
        lambda f, x: f.array_split(x, 3, 2),
        lambda f, x: f.unstack(x),
        lambda f, x: f.stack([x, x], 2),
        lambda f, x: f.concatenate([x, x, x], 1),
        lambda f, x: f.vstack(x),
        lambda f, x: f.diagonal(x, 1, 1, 2),
        lambda f, x: f.diagonal(x, 0, 2, 0),
        lambda f, x: f.take(x, [1, 1, 0], 2),
        lambda f, x: f.take(x, [3, 3, 20]),
        lambda f, x: f.take_along_axis(x, np.array([[[0], [3], [3]]]), 2),
        lambda f, x: f.compress([True, False, True], x, 1),
        lambda f, x: f.extract(np.arange(24).reshape(2, 3, 4) % 3 == 0, x),
        lambda f, x: f.meshgrid(f.read(x, (0, 0)), f.read(x, (1, slice(None), 2))),
        lambda f, x: f.array([[f.read(x, (0, 0, 0)), 1.0], [0.5, f.read(x, (1, 2, 3))]]),
        lambda f, x: f.array([f.read(x, (0, 0)), f.read(x, (1, -1))]),
    ],
)
def test_functions_of_one_array(function, array):
    check(function, array)


@each("array", [M, M.astype(np.float32), Z])
@each(
    "key",
    [
        0,
        (slice(None), -1),
        (slice(1, None), slice(None, -1)),
        (slice(None, None, -1), None, slice(None, None, 2)),
        (..., 0, 1),
        (1, 2),
        REPEATED,
        (slice(None), REPEATED),
        (REPEATED, REPEATED),
        (np.arange(3), REPEATED),
        (REPEATED[:, None], REPEATED),
        np.array([[0, -1], [-1, 2]]),
        MASK,
        (MASK, slice(1, 3)),
        (slice(None), np.array([True, False, True, True])),
        np.arange(12).reshape(3, 4) % 2 == 0,
        ([0, 0], None, [1, 1]),
    ],
)
def test_keys(key, array):
    check(lambda f, x: f.read(x, key), array)
    part = array[key]
    check(lambda f, x, v: f.write(x, key, v), array, like(part))
    check(lambda f, x, v: f.added(x, key, v), array, like(part))
    check(lambda f, x, v: f.write(x, key, v), array, like(array[0, 0]))
    check(lambda f, x, v: f.added(x, key, v), array, like(array[0, 0]))


def test_values_that_broadcast():
    check(lambda f, x, v: f.write(x, slice(1, None), v), M, V[:4])
    check(lambda f, x, v: f.write(x, REPEATED, v), M, V[:4])
    check(lambda f, x, v: f.write(x, REPEATED, v), M, COLUMN)
    check(lambda f, x, v: f.added(x, REPEATED, v), M, COLUMN)
    check(lambda f, x, v: f.write(x, ..., v), M, V[:4])
    check(lambda f, x, v: f.write(x, slice(0, 2), v), M, V[None, None, :4])


def test_mixed_dtypes():
    check(lambda f, x, v: f.write(x, 0, v), Z, V[:4])
    check(lambda f, x, v: f.write(x, 0, v), M, V[:4].astype(np.float32))
    check(lambda f, x, y: f.concatenate([x, y]), M, Z)
    check(lambda f, x, y: f.stack([x, y]), M.astype(np.float32), M)
    check(lambda f, x: f.astype(x, np.complex128), M)
    check(lambda f, x: f.astype(x, np.float64), M.astype(np.float32))


def test_joined_arrays():
    check(lambda f, x, y: f.concatenate([x, y], 1), M, COLUMN)
    check(lambda f, x, y: f.concatenate([x, y], None), M, V)
    check(lambda f, x, y: f.column_stack([x, y]), M, COLUMN[:, 0])
    check(lambda f, x, y: f.hstack([x, y]), V, S)
    check(lambda f, x, y: f.block([[x, x], [y, y]]), M, A[0])
    check(lambda f, x, y: f.append(x, y), M, V)
    check(lambda f, x, y: f.broadcast_arrays(x, y), COLUMN, V[:4])


def test_diagonals():
    check(lambda f, x: f.diag(x, 1), V)
    check(lambda f, x: f.diag(x), M)
    check(lambda f, x: f.diag(x, -1), M[:, :3])
    check(lambda f, x: f.diagflat(x, -2), M)


def test_creation():
    check(lambda f, x: f.full((2, 3), x), S)
    check(lambda f, x: f.full((2, 5), x), V)
    check(lambda f, x: f.full_like(M, x), S)
    check(lambda f, x, y: f.linspace(x, y, 5), S, S)
    check(lambda f, x, y: f.linspace(x, y, 4, endpoint=False, axis=1), V, S)
    check(lambda f, x, y: f.linspace(x, y, 3), np.float32(1), np.float32(2))


def test_a_mask_from_the_data():
    def function(f, x):
        return f.read(x, f.greater(x, 0.0))

    arrays = [np.array([1.0, -2.0, 3.0])]
    gradients, moved = derivatives(function, arrays, [np.float64(2.0)], [np.ones(3)])
    np.testing.assert_array_equal(gradients[0], [2.0, 0.0, 2.0])
    np.testing.assert_array_equal(moved[0], [1.0, 1.0])


def test_the_last_write_to_a_place_gets_the_gradient():
    def function(f, x, v):
        return f.write(x, np.array([1, 0, 1]), v)

    gradients, _ = derivatives(
        function, [V, np.arange(3.0)], [np.arange(5.0) + 1], [np.zeros(5), np.zeros(3)]
    )
    np.testing.assert_array_equal(gradients[0], [0, 0, 3, 4, 5])
    np.testing.assert_array_equal(gradients[1], [0, 1, 2])


def test_views_of_sizes_that_are_expressions():
    check(lambda f, x: f.concatenate([f.read(x, slice(1, None)), f.read(x, slice(None, -1))]), V)
    check(lambda f, x: f.split(f.concatenate([x, x]), 2), V)
    check(lambda f, x: f.read(f.tile(x, 2), slice(None, None, 2)), V)
