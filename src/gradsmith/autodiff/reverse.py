"""Reverse mode: appends the adjoint of a graph to the builder at work."""

from __future__ import annotations

from collections.abc import Sequence

from gradsmith.autodiff.activity import between
from gradsmith.autodiff.branches import pull_branch
from gradsmith.autodiff.loops import pull_loop
from gradsmith.autodiff.reruns import pull_rerun
from gradsmith.autodiff.sweep import PULLBACKS, Sweep, fit
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.nesting import nesting_limited
from gradsmith.ops.control import distinct
from gradsmith.ops.regions import branch, loop, rerun
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
    if gradient.dtype != node.dtype or gradient.array_type.weak:
        uncast = gradient
        with builder.at(uncast.span):
            gradient = astype(uncast, dtype=node.dtype)
        if name is not None and builder.names.get(uncast) == name:
            del builder.names[uncast]  # the name is that of the result
    if name is not None:
        if builder.names.get(gradient, name) != name:
            gradient = distinct(gradient, token=builder.token())  # the same value, another name
        builder.name(gradient, name)
    return gradient
