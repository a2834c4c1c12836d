"""Graphs of programs and of their derivatives, and differences to compare them with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gradsmith.autodiff.forward import jvp
from gradsmith.autodiff.reverse import vjp
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building, current_builder
from gradsmith.ir.evaluate import evaluate
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import type_of
from gradsmith.ir.types import ArrayType, TapeType, TupleType
from gradsmith.ir.verify import verify
from gradsmith.ops.create import zeros
from gradsmith.passes.pipeline import ADJOINT

Function = Callable[..., Sequence[Any]]


def symbolic(value: Any, name: str) -> ArrayType:
    """The type of a value, of symbolic sizes."""
    exact = type_of(value)
    shape = [dims.symbol(f"{name}_{axis}", n, axis=True) for axis, n in enumerate(exact.shape)]
    return ArrayType(exact.dtype, tuple(shape), exact.form)


def graph_of(function: Function, args: Sequence[Any], *, sizes: bool = False) -> Graph:
    """Of a function of nodes, for arguments like these."""
    builder = Builder(intern=False)
    with building(builder), dims.recording_guards():
        types = [symbolic(a, f"n{k}") if sizes else type_of(a) for k, a in enumerate(args)]
        params = [builder.parameter(f"p{k}", type_) for k, type_ in enumerate(types)]
        results = [builder.lift(r) for r in function(*params)]
        return verify(builder.graph(results))


def values(function: Function, args: Sequence[Any], *, sizes: bool = False) -> list[Any]:
    """What the interpreter makes of it."""
    return list(evaluate(graph_of(function, args, sizes=sizes), args))


def gradient(function: Function, count: int, *, keep: bool = False) -> Function:
    """From the arguments and a seed for each result to the gradients (and the values)."""

    def run(*nodes: Node) -> list[Node]:
        inputs = nodes[:count]
        outputs = function(*inputs)
        with current_builder().phase(ADJOINT):
            found = vjp(outputs, nodes[count:], inputs)
        gradients = [_or_zeros(g, x) for g, x in zip(found, inputs, strict=True)]
        return [*outputs, *gradients] if keep else gradients

    return run


def tangent(function: Function, count: int, *, keep: bool = False) -> Function:
    """From the arguments and a tangent for each to those of the results (and the values)."""

    def run(*nodes: Node) -> list[Node]:
        outputs = function(*nodes[:count])
        with current_builder().phase(ADJOINT):
            found = jvp(outputs, nodes[:count], nodes[count:])
        tangents = [_or_zeros(t, y) for t, y in zip(found, outputs, strict=True)]
        return [*outputs, *tangents] if keep else tangents

    return run


def _or_zeros(found: Node | None, node: Node) -> Node:
    return zeros(shape=node.shape, dtype=node.dtype) if found is None else found


# -- differences ---------------------------------------------------------------------------------


def like(random: np.random.Generator, value: Any) -> Any:
    """Noise of the shape and dtype of a value."""
    noise = random.normal(size=np.shape(value))
    if np.iscomplexobj(value):
        noise = noise + 1j * random.normal(size=np.shape(value))
    return np.asarray(noise, np.asarray(value).dtype)[()]


def difference(
    function: Function, args: Sequence[Any], along: Sequence[Any], step: float
) -> list[Any]:
    """The central difference of fourth order."""

    def at(factor: float) -> list[Any]:
        moved = [a + factor * step * t for a, t in zip(args, along, strict=True)]
        kept = [type(a)(m) if np.ndim(a) == 0 else m for a, m in zip(args, moved, strict=True)]
        return values(function, kept)

    pairs = zip(at(1), at(-1), at(2), at(-2), strict=True)
    return [(8 * (a - b) - (c - d)) / (12 * step) for a, b, c, d in pairs]


def inner(left: Sequence[Any], right: Sequence[Any]) -> float:
    """The real inner product, in which reverse mode is the adjoint of forward mode."""
    pairs = zip(left, right, strict=True)
    return float(sum(np.sum(np.real(np.conj(a) * b)) for a, b in pairs))


# -- what graphs consist of ----------------------------------------------------------------------


def everything(nodes: Iterable[Node]) -> list[Node]:
    """With the nodes of all regions."""
    return [n for node in nodes for n in (node, *_inside(node))]


def _inside(node: Node) -> list[Node]:
    return [n for region in node.regions for n in everything(region.nodes)]


def loop_count(graph: Graph) -> int:
    """How many loops there are, in regions, too."""
    return sum(node.op.name == "loop" for node in everything(graph.nodes))


def tapes(graph: Graph) -> list[TapeType]:
    """The types of what loops record, those of inner loops included."""
    types = [n.type for n in everything(graph.nodes) if isinstance(n.type, TupleType)]
    return [t for whole in types for t in whole.items if isinstance(t, TapeType)]
