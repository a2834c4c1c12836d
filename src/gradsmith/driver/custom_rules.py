"""Functions with derivative rules of the user's own, within a trace.

The function is traced as any other, and its results get the rule instead of the derivatives of
what it does. Where a derivative is taken, the rule is traced: a ``custom_vjp`` runs ``fwd`` on the
arguments again, whose values are shared with those of the function where they are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.autodiff.activity import is_inexact
from gradsmith.autodiff.reverse import vjp
from gradsmith.driver.gradients import zero_like
from gradsmith.driver.transforms import is_leaf, wrap
from gradsmith.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    GradientError,
    ShapeError,
    UnsupportedError,
)
from gradsmith.frontend.dispatch import traced
from gradsmith.frontend.failures import name_of
from gradsmith.frontend.results import returned
from gradsmith.frontend.runtime import call
from gradsmith.frontend.showing import silently
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import constant, item, parameter, size
from gradsmith.ir.types import describe_shape, same_shape
from gradsmith.ops.control import distinct, stop_gradient
from gradsmith.ops.custom import UsersRule, custom_derivative


@dataclass(frozen=True, slots=True)
class Signature:
    """The arguments and results of one call: their structure, and which leaves are traced."""

    arguments: tuple[tree.Tree, ...]
    plain: tuple[Any, ...]
    """The leaves of the arguments, None in the place of those that are traced."""
    results: tree.Tree
    moving: tuple[bool, ...]
    """Of the leaves of the results those that have a derivative."""
    fixed: frozenset[int] = frozenset()
    """The positions of arguments that are not differentiated by."""

    def given(self, nodes: Sequence[Node]) -> list[Any]:
        """The arguments, with these for the traced leaves."""
        rest = iter(nodes)
        return self._structured([_value(next(rest)) if v is None else v for v in self.plain])

    def tangents(self, nodes: Sequence[Node | None], *, zeros: bool) -> list[Any]:
        """The tangents of the arguments, with these for the traced leaves.

        Leaves that are not traced, and those without a tangent, have zero, or None without
        ``zeros``.
        """
        rest = iter(nodes)
        found: list[Any] = []
        for leaf in self.plain:
            node = next(rest) if leaf is None else None
            if node is not None:
                found.append(_value(node))
            else:
                found.append(_zero(leaf) if zeros else None)
        return self._structured(found)

    def _structured(self, leaves: Sequence[Any]) -> list[Any]:
        rest = iter(leaves)
        return [
            tree.unflatten(shape, [next(rest) for _ in range(shape.leaf_count)])
            for shape in self.arguments
        ]

    def positions(self) -> Iterator[tuple[int, bool]]:
        """For each leaf of the arguments: which argument it is in, and whether it is traced."""
        leaves = iter(self.plain)
        for position, shape in enumerate(self.arguments):
            for _ in range(shape.leaf_count):
                yield position, next(leaves) is None


def _zero(leaf: Any) -> Any:
    """The tangent of a number or array that is no traced value."""
    return np.zeros_like(leaf) if isinstance(leaf, np.ndarray) else type(leaf)(0)


def _value(node: Node) -> Any:
    """A node as the user's code sees it."""
    if node.op is size:
        return TracedInt(node.attrs["value"])
    if node.op is constant and node.array_type.weak:
        return node.attrs["value"].value
    return wrap(node)


def apply(
    function: Callable[..., Any],
    args: Sequence[Any],
    make: Callable[[Signature], UsersRule],
    fixed: frozenset[int] = frozenset(),
) -> Any:
    """``function(*args)``, whose results have the derivative that the rule gives.

    Parameters
    ----------
    function : callable
        Of the user's.
    args : sequence
        Its arguments, all by position.
    make : callable
        Gives the rule for a call with this signature.
    fixed : frozenset of int
        The positions of arguments that are not differentiated by.
    """
    trace, builder = current_trace(), current_builder()
    if trace is None:
        return function(*args)
    flat = [tree.flatten(arg, is_leaf) for arg in args]
    leaves = [leaf for found, _ in flat for leaf in found]
    own = [_own(leaf) if isinstance(leaf, Tracer) else leaf for leaf in leaves]
    rest = iter(own)
    seen = [tree.unflatten(shape, [next(rest) for _ in found]) for found, shape in flat]
    before = len(builder.nodes)
    result = call(function, *seen)
    _check_unwritten(function, own)
    results, shape = tree.flatten(result, is_leaf)
    moving = [isinstance(leaf, Tracer) and leaf.type.inexact for leaf in results]
    nodes = [leaf.node for leaf, moves in zip(results, moving, strict=True) if moves]
    inputs = [traced(leaf).node for leaf in own if isinstance(leaf, (Tracer, TracedInt))]
    if not nodes or not any(node.array_type.inexact for node in inputs):
        return result
    _check_closed(trace, function, nodes, [i for i in inputs if i.op is distinct], before)
    plain = [None if isinstance(leaf, (Tracer, TracedInt)) else leaf for leaf in own]
    shapes = tuple(shape for _, shape in flat)
    rule = make(Signature(shapes, tuple(plain), shape, tuple(moving), fixed))
    held = [stop_gradient(node) for node in nodes]
    whole = custom_derivative(*held, *inputs, count=len(nodes), rule=rule)
    made = iter([item(whole, index=k) for k in range(len(nodes))])
    pairs = zip(results, moving, strict=True)
    shown = [_shown(leaf, next(made)) if moves else leaf for leaf, moves in pairs]
    return tree.unflatten(shape, shown)


def _own(leaf: Tracer) -> Tracer:
    """The argument under an identity of its own."""
    builder = current_builder()
    value = leaf.node
    node = distinct(value, token=builder.token())
    if value in builder.names:
        builder.name(node, builder.names[value])
    own = wrap(node)
    own.view.storage.name, own.view.storage.label = None, leaf.view.storage.label
    own.view.storage.order = leaf.view.storage.order if not leaf.view.path else None
    return own


def _shown(leaf: Tracer, node: Node) -> Tracer:
    """A result: what shares memory with an array that the function knows is not told after a
    write to either.
    """
    builder = current_builder()
    if leaf.node in builder.names:
        builder.name(node, builder.names[leaf.node])
    made = wrap(node)
    if leaf.type.form == "array":
        made.view.storage.doubt(leaf.view.storage)
    return made


def _check_unwritten(function: Any, own: Sequence[Any]) -> None:
    if any(isinstance(leaf, Tracer) and leaf.view.storage.version for leaf in own):
        raise UnsupportedError(
            f"{name_of(function)} has a derivative rule of its own, and writes to its argument",
            current_span(),
            "copy the argument in the function, and return what it makes of it",
        )


def _check_closed(
    trace: Trace, function: Any, results: Sequence[Node], inputs: Sequence[Node], before: int
) -> None:
    """Refuse results that depend on traced values which are no arguments of the function."""
    made = set(current_builder().nodes[before:])
    captured = {capture.node for capture in trace.inputs}
    stack, seen = list(results), {*inputs, *captured}
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        stack += node.inputs
        if node.op is not parameter or node in made or not is_inexact(node.type):
            continue
        source = _source(trace, node)
        if source is not None:
            stack.append(source)
            continue
        raise UnsupportedError(
            f"{name_of(function)} has a derivative rule of its own, and uses a traced value "
            "that is not among its arguments: the rule cannot know it",
            current_span(),
            "pass it as an argument",
        )


def _source(trace: Trace, node: Node) -> Node | None:
    """The value from around a region that its parameter stands for, if it does for one."""
    builder: Builder | None = trace.builder
    while builder is not None:
        for outer, own in builder.captured.items():
            if own is node:
                return outer
        builder = builder.parent
    return None


@contextmanager
def _tracing_here() -> Iterator[None]:
    """What is traced inside goes to the builder at work, which may be that of an adjoint."""
    trace = current_trace()
    if trace is None:
        raise GradientError(
            "a derivative rule of the user's was asked for outside of a trace", current_span()
        )
    outer, trace.builder = trace.builder, current_builder()
    try:
        with silently():  # the function itself has printed
            yield
    finally:
        trace.builder = outer


class _Rule:
    """What both kinds of rules have."""

    def __init__(self, name: str, signature: Signature) -> None:
        self.name = name
        self.signature = signature
        self._latest: tuple[Any, Sequence[Node | None]] | None = None

    def _traced_positions(self) -> list[int]:
        return [p for p, is_traced in self.signature.positions() if is_traced]

    def pull(
        self, arguments: Sequence[Node], cotangents: Sequence[Node | None]
    ) -> Sequence[Node | None]:
        """The gradients of all arguments, made once for all of them."""
        key = (current_builder(), tuple(arguments), tuple(cotangents))
        if self._latest is None or self._latest[0] != key:
            with _tracing_here():
                self._latest = key, self._pulled(arguments, cotangents)
        return self._latest[1]

    def _pulled(
        self, arguments: Sequence[Node], cotangents: Sequence[Node | None]
    ) -> Sequence[Node | None]:
        raise NotImplementedError

    def _results(self, value: Any, what: str) -> list[Any]:
        """The leaves of what the rule returns in the structure of the results."""
        try:
            return tree.leaves_like(self.signature.results, value, what)
        except tree.StructureError as error:
            raise ArgumentValueError(
                f"the rule of {self.name}: {error}",
                returned(),
                f"return {what} in the structure of the results of {self.name}",
            ) from None


class VjpRule(_Rule):
    """That of a `custom_vjp`."""

    def __init__(
        self, name: str, fwd: Callable[..., Any], bwd: Callable[..., Any], signature: Signature
    ) -> None:
        super().__init__(name, signature)
        self.fwd = fwd
        self.bwd = bwd

    def _pulled(
        self, arguments: Sequence[Node], cotangents: Sequence[Node | None]
    ) -> Sequence[Node | None]:
        signature = self.signature
        args = signature.given(arguments)
        outputs, residuals = self._forward(args)
        seeds = iter(cotangents)
        given = [
            self._seed(leaf, next(seeds)) if moves else None
            for leaf, moves in zip(outputs, signature.moving, strict=True)
        ]
        fixed = [args[p] for p in sorted(signature.fixed)]
        found = call(self.bwd, *fixed, residuals, tree.unflatten(signature.results, given))
        return self._checked(found, arguments)

    def _forward(self, args: Sequence[Any]) -> tuple[list[Any], Any]:
        output, residuals = _pair(
            call(self.fwd, *args),
            f"the rule of {self.name}: fwd returns",
            "(output, residuals)",
            "return out, residuals",
        )
        return self._results(output, "the output of fwd"), residuals

    def _seed(self, output: Any, cotangent: Node | None) -> Tracer:
        return wrap(zero_like(traced(output).node) if cotangent is None else cotangent)

    def _checked(self, found: Any, arguments: Sequence[Node]) -> list[Node | None]:
        """The gradients of the traced leaves."""
        signature = self.signature
        moving = [p for p in range(len(signature.arguments)) if p not in signature.fixed]
        if not isinstance(found, (tuple, list)) or len(found) != len(moving):
            count = f" of {len(found)}" if isinstance(found, (tuple, list)) else ""
            raise ArgumentTypeError(
                f"the rule of {self.name}: bwd returns a {type(found).__name__}{count}, and not a "
                f"tuple of {len(moving)}, a gradient for each argument",
                returned(),
                "return a tuple; None stands for a gradient of zero",
            )
        by_argument = dict(zip(moving, found, strict=True))
        leaves: list[Any] = []
        for position, shape in enumerate(signature.arguments):
            what = f"the gradient of argument {position}"
            try:
                leaves += tree.leaves_like(shape, by_argument.get(position), what)
            except tree.StructureError as error:
                raise ArgumentValueError(
                    f"the rule of {self.name}: {error}",
                    returned(),
                    "return gradients in the structure of the arguments",
                ) from None
        rest = iter(arguments)
        gradients: list[Node | None] = []
        for (position, is_traced), leaf in zip(signature.positions(), leaves, strict=True):
            if is_traced:
                gradients.append(self._gradient(position, next(rest), leaf))
        return gradients

    def _gradient(self, position: int, argument: Node, leaf: Any) -> Node | None:
        if not argument.array_type.inexact:
            return None
        if position in self.signature.fixed:
            raise GradientError(
                f"the argument {position} of {self.name} is in nondiff_argnums, and a derivative "
                "is taken with respect to it",
                returned(),
                "take it out of nondiff_argnums, or pass gs.stop_gradient(...)",
            )
        if leaf is None:
            return None
        return _fitting(self.name, f"the gradient of argument {position}", leaf, argument)

    def push(
        self, arguments: Sequence[Node], tangents: Sequence[Node | None]
    ) -> Sequence[Node | None]:
        """Not available: a backward rule says nothing of forward mode."""
        raise GradientError(
            f"{self.name} has a rule for reverse mode only (gs.custom_vjp): forward mode needs "
            "another one",
            current_span(),
            "use gs.grad or gs.vjp, or declare the rule with gs.custom_jvp, which serves both",
        )


def _pair(found: Any, returns: str, parts: str, hint: str) -> tuple[Any, Any]:
    """What a rule returns, which has to be a pair."""
    if not (isinstance(found, tuple) and len(found) == 2):
        raise ArgumentTypeError(
            f"{returns} a {type(found).__name__}, and not a pair {parts}", returned(), hint
        )
    return found


def _fitting(name: str, what: str, leaf: Any, model: Node) -> Node:
    """What a rule returns for an array, of the shape that it must have."""
    if not is_leaf(leaf):
        raise ArgumentTypeError(
            f"the rule of {name}: {what} is a {type(leaf).__name__}",
            returned(),
            "return an array or a number",
        )
    node = traced(leaf).node
    if not same_shape(node.shape, model.shape):
        raise ShapeError(
            f"the rule of {name}: {what} has shape {describe_shape(node.shape)}, and must have "
            f"shape {describe_shape(model.shape)}",
            returned(),
            "return it in that shape: sum over the axes that were broadcast",
        )
    return node


class JvpRule(_Rule):
    """That of a `custom_jvp`: reverse mode transposes it, as it is linear in the tangents."""

    def __init__(
        self, name: str, rule: Callable[..., Any], signature: Signature, *, zeros: bool = True
    ) -> None:
        super().__init__(name, signature)
        self.rule = rule
        self.zeros = zeros
        """Whether the rule is given zeros for what does not move, and not None."""

    def push(
        self, arguments: Sequence[Node], tangents: Sequence[Node | None]
    ) -> Sequence[Node | None]:
        """The tangents of the results."""
        with _tracing_here():
            return self._pushed(arguments, tangents)

    def _pushed(
        self, arguments: Sequence[Node], tangents: Sequence[Node | None]
    ) -> list[Node | None]:
        signature = self.signature
        primals = signature.given(arguments)
        known: Sequence[Node | None] = tangents
        if self.zeros:
            pairs = zip(arguments, tangents, strict=True)
            known = [zero_like(a) if t is None else t for a, t in pairs]
        given = signature.tangents(known, zeros=self.zeros)
        moving = [p for p in range(len(primals)) if p not in signature.fixed]
        fixed = [primals[p] for p in sorted(signature.fixed)]
        found = call(
            self.rule,
            *fixed,
            tuple(primals[p] for p in moving),
            tuple(given[p] for p in moving),
        )
        output, tangent = _pair(
            found,
            f"the rule of {self.name} returns",
            "(output, tangent)",
            "return out, tangent_out",
        )
        outputs = self._results(output, "the output")
        moved = self._results(tangent, "the tangent")
        return [
            None if t is None else _fitting(self.name, "the tangent", t, traced(out).node)
            for out, t, moves in zip(outputs, moved, signature.moving, strict=True)
            if moves
        ]

    def _pulled(
        self, arguments: Sequence[Node], cotangents: Sequence[Node | None]
    ) -> Sequence[Node | None]:
        builder = current_builder()
        positions = self._traced_positions()
        directions = [
            distinct(zero_like(argument), token=builder.token())
            if argument.array_type.inexact and position not in self.signature.fixed
            else None
            for position, argument in zip(positions, arguments, strict=True)
        ]
        moved = self._pushed(arguments, directions)
        pairs = [
            (t, g)
            for t, g in zip(moved, cotangents, strict=True)
            if t is not None and g is not None
        ]
        sources = [d for d in directions if d is not None]
        found = iter(vjp([t for t, _ in pairs], [g for _, g in pairs], sources))
        return [None if d is None else next(found) for d in directions]
