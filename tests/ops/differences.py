"""Both modes and the second order against differences of values, on nodes and on arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradsmith.autodiff.forward import jvp
from gradsmith.autodiff.reverse import vjp
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.evaluate import evaluate
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.verify import verify
from gradsmith.ops.create import zeros
from gradsmith.ops.declare import FUNCTIONS
from ops.harness import flatten, symbolic

Function = Callable[..., Any]


def gradient_graph(function: Function, arrays: Sequence[Any], seeds: Sequence[Any]) -> Graph:
    """From the arrays and a seed for each result to the gradient in each array."""
    builder = Builder()
    with building(builder), dims.recording_guards():
        params = [builder.parameter(f"p{i}", symbolic(f"n{i}_", a)) for i, a in enumerate(arrays)]
        outputs = flatten(function(*params))
        given = [builder.parameter(f"g{i}", o.array_type) for i, o in enumerate(outputs)]
        assert len(given) == len(seeds)
        gradients = vjp(outputs, given, params)
        results = [_or_zeros(g, p) for g, p in zip(gradients, params, strict=True)]
        return verify(builder.graph(results))


def _or_zeros(found: Node | None, node: Node) -> Node:
    return zeros(shape=node.shape, dtype=node.dtype) if found is None else found


def gradients(function: Function, arrays: Sequence[Any], seeds: Sequence[Any]) -> list[Any]:
    """The gradients of the sum of seed times result."""
    return list(evaluate(gradient_graph(function, arrays, seeds), [*arrays, *seeds]))


def tangents(function: Function, arrays: Sequence[Any], moved: Sequence[Any]) -> list[Any]:
    """The directional derivatives of the results."""
    builder = Builder()
    with building(builder), dims.recording_guards():
        params = [builder.parameter(f"p{i}", symbolic(f"n{i}_", a)) for i, a in enumerate(arrays)]
        along = [builder.parameter(f"t{i}", p.array_type) for i, p in enumerate(params)]
        outputs = flatten(function(*params))
        found = jvp(outputs, params, along)
        results = [_or_zeros(t, o) for t, o in zip(found, outputs, strict=True)]
        return list(evaluate(verify(builder.graph(results)), [*arrays, *moved]))


def values(function: Function, arrays: Sequence[Any]) -> list[Any]:
    builder = Builder()
    with building(builder), dims.recording_guards():
        params = [builder.parameter(f"p{i}", symbolic(f"n{i}_", a)) for i, a in enumerate(arrays)]
        results = [builder.lift(r) for r in flatten(function(*params))]
        return list(evaluate(verify(builder.graph(results)), arrays))


def inner(left: Sequence[Any], right: Sequence[Any]) -> float:
    """The real inner product, in which reverse mode is the adjoint of forward mode."""
    pairs = zip(left, right, strict=True)
    return float(sum(np.sum(np.real(np.conj(a) * b)) for a, b in pairs))


def like(random: np.random.Generator, array: Any) -> Any:
    noise = random.normal(size=np.shape(array))
    if np.iscomplexobj(array):
        noise = noise + 1j * random.normal(size=np.shape(array))
    return np.asarray(noise, np.asarray(array).dtype)[()]


def difference(run: Function, arrays: Sequence[Any], moved: Sequence[Any], step: float) -> list:
    """The central difference of fourth order along ``moved``."""

    def at(factor: float) -> list[Any]:
        return run([a + factor * step * t for a, t in zip(arrays, moved, strict=True)])

    near, far = zip(at(1), at(-1), strict=True), zip(at(2), at(-2), strict=True)
    return [
        (8 * (a - b) - (c - d)) / (12 * step) for (a, b), (c, d) in zip(near, far, strict=True)
    ]


def check(
    function: Function, *arrays: Any, second: bool = True, rtol: float = 1e-6, step: float = 1e-3
) -> None:
    """Both modes against differences; the gradient of the gradient against differences of it."""
    random = np.random.default_rng(len(arrays))
    moved = [like(random, a) for a in arrays]
    expected = difference(lambda xs: values(function, xs), arrays, moved, step)
    scale = 1 + max((np.abs(e).max() for e in expected if np.size(e)), default=0)
    for actual, wanted in zip(tangents(function, arrays, moved), expected, strict=True):
        np.testing.assert_allclose(actual, wanted, rtol=rtol, atol=rtol * scale)
    seeds = [like(random, v) for v in values(function, arrays)]
    found = gradients(function, arrays, seeds)
    for gradient, array in zip(found, arrays, strict=True):
        assert np.shape(gradient) == np.shape(array)
        assert np.asarray(gradient).dtype == np.asarray(array).dtype
    np.testing.assert_allclose(
        inner(found, moved), inner(seeds, expected), rtol=rtol, atol=rtol * scale
    )
    if second:
        check(_gradient_of(function, len(arrays)), *arrays, *seeds, second=False, rtol=10 * rtol)


def _gradient_of(function: Function, count: int) -> Function:
    def gradient(*nodes: Node) -> list[Node]:
        inputs = nodes[:count]
        found = vjp(flatten(function(*inputs)), nodes[count:], inputs)
        return [g for g in found if g is not None]

    return gradient


class Calls:
    """``np.f`` on nodes."""

    def __init__(self, module: Any = np) -> None:
        self.module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.module, name)
        return FUNCTIONS[found] if found in FUNCTIONS else Calls(found)


gnp: Any = Calls()
