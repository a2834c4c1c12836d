"""Graphs of ops, of their adjoints and of their tangents, and the functions emitted for them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradsmith.autodiff.forward import jvp
from gradsmith.autodiff.reverse import vjp
from gradsmith.codegen.load import load
from gradsmith.codegen.module import module
from gradsmith.codegen.program import Argument, Program
from gradsmith.driver.gradients import differentiate, zero_like
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.dims import Symbol
from gradsmith.ir.evaluate import bind, evaluate
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import type_of
from gradsmith.ir.types import ArrayType
from gradsmith.ir.verify import verify
from gradsmith.tree import LEAF, Tree

Nodes = Sequence[Node]


@dataclass(frozen=True)
class Traced:
    """A function of nodes and the types of its parameters; ``symbols`` of those that are sizes."""

    function: Callable[..., Nodes]
    types: tuple[ArrayType, ...]
    symbols: tuple[Symbol | None, ...] = ()

    @functools.cached_property
    def graph(self) -> Graph:
        """Traced once: graphs do not change."""
        builder = Builder()
        symbols = self.symbols or (None,) * len(self.types)
        with building(builder), dims.recording_guards() as guards:
            params = [
                builder.parameter(f"p{i}", type_, symbol)
                for i, (type_, symbol) in enumerate(zip(self.types, symbols, strict=True))
            ]
            results = [builder.lift(r) for r in self.function(*params)]
            return verify(builder.graph(results, tuple(guards)))

    def followed_by(self, function: Callable[..., Nodes], types: Sequence[ArrayType]) -> Traced:
        """``function`` of the same parameters and of further ones."""
        symbols = (*self.symbols, *[None] * len(types)) if self.symbols else ()
        return Traced(function, (*self.types, *(t.strong() for t in types)), symbols)


def symbolic(value: Any, name: str) -> ArrayType:
    """The type of ``value`` with a symbol for each size but 0 and 1."""
    exact = type_of(value)
    shape = tuple(
        size if size in (0, 1) else dims.symbol(f"{name}_{axis}", size)
        for axis, size in enumerate(np.shape(value))
    )
    return replace(exact, shape=shape)


def traced(function: Callable[..., Nodes], args: Sequence[Any]) -> Traced:
    """``function`` for parameters like ``args``, of symbolic sizes."""
    return Traced(function, tuple(symbolic(a, f"n{i}") for i, a in enumerate(args)))


# -- derivatives ---------------------------------------------------------------------------------


def _floating(nodes: Nodes) -> list[Node]:
    return [n for n in nodes if n.array_type.inexact]


def _floating_types(types: Sequence[ArrayType]) -> list[ArrayType]:
    return [t for t in types if t.inexact]


def _or_zeros(found: Node | None, model: Node) -> Node:
    return zero_like(model) if found is None else found


def adjoint(primal: Traced) -> Traced:
    """From the inputs and a seed for each floating result to the gradients in floating inputs."""
    count = len(primal.types)

    def gradients(*nodes: Node) -> list[Node]:
        inputs = _floating(nodes[:count])
        found = vjp(_floating(primal.function(*nodes[:count])), nodes[count:], inputs)
        return [_or_zeros(g, x) for g, x in zip(found, inputs, strict=True)]

    return primal.followed_by(gradients, _seed_types(primal))


def finished_adjoint(primal: Traced) -> Traced:
    """The same by way of the driver, with the rewrites before and while differentiating."""
    count = len(primal.types)

    def gradients(*nodes: Node) -> list[Node]:
        inputs = _floating(nodes[:count])
        _, found = differentiate(_floating(primal.function(*nodes[:count])), nodes[count:], inputs)
        return [
            _or_zeros(g if isinstance(g, Node) else None, x)
            for g, x in zip(found, inputs, strict=True)
        ]

    return primal.followed_by(gradients, _seed_types(primal))


def _seed_types(primal: Traced) -> list[ArrayType]:
    return _floating_types([r.array_type for r in primal.graph.results])


def tangent(primal: Traced) -> Traced:
    """From the inputs and a tangent for each floating one to that of each floating result."""
    count = len(primal.types)

    def tangents(*nodes: Node) -> list[Node]:
        outputs = _floating(primal.function(*nodes[:count]))
        found = jvp(outputs, _floating(nodes[:count]), nodes[count:])
        return [_or_zeros(t, o) for t, o in zip(found, outputs, strict=True)]

    return primal.followed_by(tangents, _floating_types(primal.types))


# -- running them --------------------------------------------------------------------------------


def run(graph: Graph, values: Sequence[Any]) -> tuple[Any, ...]:
    """By the interpreter, silently."""
    with np.errstate(all="ignore"):
        return evaluate(graph, values)


def bindings(graph: Graph, values: Sequence[Any]) -> dict[Symbol, int]:
    """The sizes that the arguments show."""
    found: dict[Symbol, int] = {}
    for param, value in zip(graph.params, values, strict=True):
        bind(param.array_type, value, found)
        if param.attrs["symbol"] is not None:
            found[param.attrs["symbol"]] = int(value)
    return found


def fits(graph: Graph, values: Sequence[Any]) -> bool:
    """Whether code for the graph may be used for arguments of these sizes."""
    found = bindings(graph, values)
    return all(guard.holds(found) for guard in graph.guards)


def program(graph: Graph) -> Program:
    """``graph`` as a function of its parameters that returns a tuple."""
    names = [param.attrs["name"] for param in graph.params]
    count = len(graph.results)
    return Program(
        name="function",
        graph=graph,
        arguments=tuple(map(Argument, names)),
        reads=tuple((name, ()) for name in names),
        result=Tree("tuple", tuple(range(count)), (LEAF,) * count),
        title="Under test.",
    )


def emitted(graph: Graph) -> Callable[..., tuple[Any, ...]]:
    """The function that the code generator writes for ``graph``."""
    text = module(program(graph)).text
    assert text == module(program(graph)).text, "the same graph gives another text"
    function = load(text, "function")

    def call(*values: Any) -> tuple[Any, ...]:
        with np.errstate(all="ignore"):
            return function(*values)

    return call
