"""Reverse mode: appends the adjoint of a graph to the builder at work."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gradsmith.autodiff.activity import between
from gradsmith.autodiff.branches import pull_branch
from gradsmith.autodiff.loops import pull_loop
from gradsmith.autodiff.reruns import pull_rerun
from gradsmith.autodiff.sweep import PULLBACKS, Sweep, fit
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.nesting import nesting_limited
from gradsmith.ops.control import distinct
from gradsmith.ops.index import getitem
from gradsmith.ops.index_key import Index
from gradsmith.ops.regions import branch, loop, rerun
from gradsmith.ops.scalars import (
    is_of_known_class,
    joins_narrower,
    joins_pythons,
    of_dtype,
)
from gradsmith.ops.shape import astype

__all__ = ["fit", "vjp"]

PULLBACKS.update({loop: pull_loop, branch: pull_branch, rerun: pull_rerun})


def vjp(
    outputs: Sequence[Node], seeds: Sequence[Node | None], inputs: Sequence[Node]
) -> list[Node | None]:
    """The gradients of ``sum(seed * output)`` in each input; None where there is none.

    ``inputs`` may be intermediate values, and may depend on one another.
    """
    nodes = tuple(current_builder().nodes)
    with nesting_limited(lambda: nodes):
        sweep = Sweep(between(inputs, outputs))
        for output, seed in zip(outputs, seeds, strict=True):
            sweep.add(output, seed)
        sweep.run()
        return [_finish(node, sweep.adjoint(node)) for node in inputs]


def _finish(node: Node, gradient: Node | None) -> Node | None:
    """A gradient has the dtype of its input; that of a number, or of an array without axes, is a
    NumPy scalar.
    """
    if gradient is None:
        return None
    builder = current_builder()
    name = f"g_{builder.names[node]}" if node in builder.names else None
    with builder.at(gradient.span):
        cast = _cast(gradient, node)
    if cast is not gradient and name is not None and builder.names.get(gradient) == name:
        del builder.names[gradient]  # the name is that of the result
    gradient = cast
    if name is not None:
        if builder.names.get(gradient, name) != name:
            gradient = distinct(gradient, token=builder.token())  # the same value, another name
        builder.name(gradient, name)
    return gradient


def _cast(gradient: Node, source: Node) -> Node:
    """A gradient in the dtype of its input; a NumPy scalar if that has no axes."""
    type_ = source.array_type
    if not (type_.shape or gradient.shape) and gradient.array_type.form == "array":
        gradient = getitem(gradient, index=Index(()))
    if gradient.dtype != type_.dtype or gradient.array_type.weak:
        return astype(gradient, dtype=type_.dtype)
    if not type_.shape and _may_be_of_another_class(gradient, source):
        return of_dtype(gradient, dtype=type_.dtype)
    return gradient


def _may_be_of_another_class(gradient: Node, source: Node) -> bool:
    """Whether a number may be of a narrower dtype than its type where the code runs, or one of
    Python's: numbers of several classes meet after a branch or in a loop.
    """
    builder = current_builder()
    if _joins(builder, joins_narrower):
        return True
    if source in builder.root().params or is_of_known_class(gradient):
        return False
    return _is_joined(source) or _joins(builder, joins_pythons)


def _is_joined(source: Node) -> bool:
    while source.op is distinct:
        (source,) = source.inputs
    return source not in current_builder().root().params and not is_of_known_class(source)


def _joins(builder: Builder | None, kind: Callable[[Node], bool]) -> bool:
    """Whether a node of this kind is at work here."""
    if builder is None:
        return False
    return _any_is(kind, builder.nodes) or _joins(builder.parent, kind)


def _any_is(kind: Callable[[Node], bool], nodes: Iterable[Node]) -> bool:
    return any(
        kind(node) or any(_any_is(kind, region.nodes) for region in node.regions) for node in nodes
    )
