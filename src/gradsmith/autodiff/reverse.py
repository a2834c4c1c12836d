"""Reverse mode: appends the adjoint of a graph to the builder at work."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gradsmith.autodiff.activity import between
from gradsmith.autodiff.branches import pull_branch
from gradsmith.autodiff.loops import pull_loop
from gradsmith.autodiff.reruns import pull_rerun
from gradsmith.autodiff.sweep import PULLBACKS, Sweep, fit
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.nesting import nesting_limited
from gradsmith.ir.types import ArrayType
from gradsmith.ops.control import distinct
from gradsmith.ops.index import getitem
from gradsmith.ops.index_key import Index
from gradsmith.ops.regions import branch, loop, rerun
from gradsmith.ops.scalars import may_be_narrower, of_dtype
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
    """A gradient has the dtype of its input; that of a Python number is a NumPy scalar."""
    if gradient is None:
        return None
    builder = current_builder()
    name = f"g_{builder.names[node]}" if node in builder.names else None
    with builder.at(gradient.span):
        cast = _cast(gradient, node.array_type)
    if cast is not gradient and name is not None and builder.names.get(gradient) == name:
        del builder.names[gradient]  # the name is that of the result
    gradient = cast
    if name is not None:
        if builder.names.get(gradient, name) != name:
            gradient = distinct(gradient, token=builder.token())  # the same value, another name
        builder.name(gradient, name)
    return gradient


def _cast(gradient: Node, type_: ArrayType) -> Node:
    """A gradient in the dtype of its input; a number if that is one."""
    if type_.form != "array" and gradient.array_type.form == "array":
        gradient = getitem(gradient, index=Index(()))
    if gradient.dtype != type_.dtype or gradient.array_type.weak:
        return astype(gradient, dtype=type_.dtype)
    if type_.form != "array" and _joins_narrower_numbers(current_builder()):
        return of_dtype(gradient, dtype=type_.dtype)
    return gradient


def _joins_narrower_numbers(builder: Builder | None) -> bool:
    """Whether numbers of several floating-point dtypes meet after a branch or in a loop: what is
    computed of such a number may be of a narrower dtype than its type.
    """
    if builder is None:
        return False
    return _any_is_narrower(builder.nodes) or _joins_narrower_numbers(builder.parent)


def _any_is_narrower(nodes: Iterable[Node]) -> bool:
    return any(
        may_be_narrower(node) or any(_any_is_narrower(region.nodes) for region in node.regions)
        for node in nodes
    )
