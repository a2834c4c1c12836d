"""Writing through a view: ``x.T[i] = y`` as an op of its own.

The graph is pure: that an array is written to through a view of it means that the view is taken, a
part of it is replaced, and the whole is turned back: ``transpose(index_set(transpose(x), y, i))``.
As code that would be two copies of the array; `through` is the same as one write into it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, Emitter, Op
from gradsmith.ir.types import ArrayType
from gradsmith.ops.declare import register
from gradsmith.ops.shape import private

Operand = TypeVar("Operand")


@dataclass(frozen=True, slots=True)
class Step:
    """A view, or at last the write, on what stands before: an op with its attributes, and how
    many further operands it has.
    """

    op: Op
    attrs: tuple[tuple[str, Any], ...]
    operands: int

    def map_sizes(self, fn: Callable[[Size], Size]) -> Step:
        """The same with ``fn`` applied to every size."""
        attrs = tuple((key, _mapped(value, fn)) for key, value in self.attrs)
        return Step(self.op, attrs, self.operands)

    def of(self, before: Node, operands: Sequence[Node]) -> Node:
        """The step as a node, which belongs to no graph."""
        attrs, inputs = dict(self.attrs), (before, *operands)
        type_ = self.op.infer(*(i.type for i in inputs), **attrs)
        return Node(self.op, inputs, attrs, type_, before.span)


def _mapped(value: Any, fn: Callable[[Size], Size]) -> Any:
    return value.map_sizes(fn) if hasattr(value, "map_sizes") else value


def _step_of(node: Node) -> Step:
    """What ``node`` does to its first operand."""
    return Step(node.op, tuple(node.attrs.items()), len(node.inputs) - 1)


def write_through(
    base: Node, views: Sequence[Node], write: Node, operands: Sequence[Node]
) -> Node:
    """``base`` after ``write`` into what the views, one of the other, show of it.

    ``operands`` are all further operands, of the views first.
    """
    steps = tuple(_step_of(node) for node in (*views, write))
    return through(base, *operands, steps=steps)


def written_by(steps: Sequence[Step], base: Node, operands: Sequence[Node]) -> Node:
    """``base`` after these steps, the last of which writes."""
    if len(steps) == 1:
        written: Node = steps[0].op(base, *operands, **dict(steps[0].attrs))
        return written
    return through(base, *operands, steps=tuple(steps))


def _infer(base: ArrayType, *_: ArrayType, steps: tuple[Step, ...]) -> ArrayType:
    return ArrayType(base.dtype, base.shape)


def taken(
    steps: Sequence[Step], operands: Sequence[Operand]
) -> list[tuple[Step, Sequence[Operand]]]:
    """Each step with its operands."""
    found: list[tuple[Step, Sequence[Operand]]] = []
    first = 0
    for step in steps:
        found.append((step, operands[first : first + step.operands]))
        first += step.operands
    return found


def _evaluate(base: Any, *operands: Any, steps: tuple[Step, ...]) -> Any:
    result = np.array(base)
    view = result
    for step, given in taken(steps, operands):
        made = step.op.evaluate(view, *given, **dict(step.attrs))
        if step is steps[-1]:
            view[...] = made
        view = made
    return result


def _update(emitter: Emitter, node: Node, target: ast.expr, *operands: ast.expr) -> list[ast.stmt]:
    steps, views = node.attrs["steps"], [node.inputs[0]]
    nodes, texts = taken(steps, node.inputs[1:]), taken(steps, operands)
    for (step, given), (_, written) in zip(nodes[:-1], texts[:-1], strict=True):
        views.append(step.of(views[-1], given))
        known = emitter.shown(node, views[1:])
        target = known[0] if known else step.op.emit(emitter, views[-1], target, *written)
    (write, given), (_, written) = nodes[-1], texts[-1]
    assert write.op.update is not None
    return write.op.update(emitter, write.of(views[-1], given), target, *written)


through: Op = register(
    Op(
        "through",
        infer=_infer,
        evaluate=_evaluate,
        derivative=NON_DIFF,  # made when all is differentiated
        emit=lambda emitter, node, x, *_: private(node.inputs[0], x),
        update=_update,
    )
)
