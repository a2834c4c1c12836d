"""Running NumPy's functions on nodes through the builder and the reference interpreter."""

from __future__ import annotations

import ast
import importlib
import math
import pkgutil
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gradsmith.ops
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.dims import Shape, Size, Symbol
from gradsmith.ir.evaluate import bind, evaluate
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import constant, size, type_of
from gradsmith.ir.types import ArrayType
from gradsmith.ir.verify import verify
from gradsmith.ops import syntax
from gradsmith.ops.declare import FUNCTIONS

for _module in pkgutil.iter_modules(gradsmith.ops.__path__):
    importlib.import_module(f"gradsmith.ops.{_module.name}")  # each declares its ops


def symbolic(name: str, value: Any) -> ArrayType:
    """The type of a parameter with symbolic sizes, 1 being known."""
    exact = type_of(value)
    shape = tuple(
        1 if size == 1 else dims.symbol(f"{name}{axis}", size)
        for axis, size in enumerate(np.shape(value))
    )
    return ArrayType(exact.dtype, shape, exact.form)


def flatten(result: Any) -> list[Any]:
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in flatten(part)]
    return [result]


def traced(function: Callable[..., Any], arrays: Sequence[Any]) -> tuple[Any, list[Any]]:
    """The graph of ``function`` and its results as nodes, for parameters like ``arrays``."""
    builder = Builder()
    with building(builder), dims.recording_guards() as guards:
        params = [builder.parameter(f"p{i}", symbolic(f"n{i}_", a)) for i, a in enumerate(arrays)]
        results = [builder.lift(r) for r in flatten(function(*params))]
        return verify(builder.graph(results, tuple(guards))), results


def run(function: Callable[..., Any], *arrays: Any) -> list[Any]:
    """The values of ``function`` on ``arrays``, their types checked against the inferred ones,
    and what the emitted statements compute against the interpreter."""
    graph, results = traced(function, arrays)
    values = evaluate(graph, arrays)
    for node, value, again in zip(results, values, emitted(graph, arrays), strict=True):
        check_type(node, value)
        np.testing.assert_array_equal(again, value)
        check_type(node, again)
    return list(values)


class Sizes:
    """The emitter of `emitted`: sizes are numbers."""

    def __init__(self) -> None:
        self.bindings: dict[Symbol, int] = {}

    def size(self, size: Size) -> ast.expr:
        return syntax.expression(dims.evaluate(size, self.bindings))

    def shape(self, shape: Shape) -> ast.expr:
        sizes = [self.size(s) for s in shape]
        return sizes[0] if len(sizes) == 1 else syntax.tuple_(sizes)

    def same(self, shape: Shape, other: Shape) -> bool:
        return shape == other

    def module(self, name: str) -> ast.expr:
        return syntax.name(name)

    def shown(self, *_: Any) -> None:
        """No variable shows a part: each node has one of its own."""


def emitted(graph: Graph, arrays: Sequence[Any]) -> list[Any]:
    """The results of the statements that the emission rules give, one per node."""
    emitter = Sizes()
    scope: dict[str, Any] = {"np": np, "math": math}
    names: dict[Node, str] = {}
    for node, array in zip(graph.params, arrays, strict=True):
        names[node] = f"v{len(names)}"
        scope[names[node]] = array
        bind(node.array_type, array, emitter.bindings)
    for node in graph.nodes:
        names[node] = f"v{len(names)}"
        if node.op in (constant, size):
            value = node.attrs["value"]
            scope[names[node]] = (
                value.value if node.op is constant else dims.evaluate(value, emitter.bindings)
            )
            continue
        module = ast.Module(_statements(node, names, emitter), [])
        exec(ast.unparse(ast.fix_missing_locations(module)), scope)
        bind(node.array_type, scope[names[node]], emitter.bindings)
    return [scope[names[result]] for result in graph.results]


def _statements(node: Node, names: dict[Node, str], emitter: Sizes) -> list[ast.stmt]:
    target, operands = syntax.name(names[node]), [syntax.name(names[i]) for i in node.inputs]
    if node.op.update is None:
        return [syntax.assign(target, node.op.emit(emitter, node, *operands))]
    copied = syntax.assign(target, syntax.method(operands[0], "copy"))
    return [copied, *node.op.update(emitter, node, target, *operands[1:])]


def check_type(node: Node, value: Any) -> None:
    shape = tuple(
        np.shape(value)[axis] if dims.is_unbacked(size) else dims.hint(size)
        for axis, size in enumerate(node.shape)
    )
    assert np.shape(value) == shape
    if not node.array_type.weak:
        assert np.asarray(value).dtype == node.dtype


def same(actual: Any, expected: Any) -> None:
    expected = np.asarray(expected)
    actual = np.asarray(actual)
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    np.testing.assert_allclose(
        actual, expected, rtol=1e-6 if expected.dtype.itemsize < 8 else 1e-12
    )


def agrees(function: Callable[..., Any], *arrays: Any, **options: Any) -> None:
    """What the function means on nodes equals what NumPy does."""
    with np.errstate(all="ignore"):
        expected = flatten(function(*arrays, **options))
        actual = run(lambda *nodes: FUNCTIONS[function](*nodes, **options), *arrays)
    assert len(actual) == len(expected)
    for a, e in zip(actual, expected, strict=True):
        same(a, e)
