"""Binomial checkpointing: after how many steps the next state is kept."""

from __future__ import annotations

import ast
import inspect

from gradsmith.ir import dims
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, Emitter
from gradsmith.ir.types import python_number
from gradsmith.ops import syntax
from gradsmith.ops.declare import primitive


def revolve(steps: int, slots: int) -> int:
    """How far to go from a kept state to the next one, if ``steps`` steps are to be undone.

    With ``slots`` states kept at most, the first included, the fewest steps are made again:
    ``r * steps - C(slots + r, slots + 1)`` for the least r with ``C(slots + r, slots) >= steps``.
    A. Griewank and A. Walther, Algorithm 799: revolve, ACM TOMS 26 (2000), pp. 19-45.
    """
    again, reach, nearer = 1, slots + 1, 1
    while reach < steps:
        again += 1
        nearer, reach = reach, reach * (slots + again) // again
    least = nearer * (again - 1) // (slots + again - 1)
    return max(1, least, steps - reach * slots // (slots + again))


def _emit_ahead(emitter: Emitter, node: Node) -> ast.expr:
    helper = emitter.helper(inspect.getsource(revolve))
    steps, slots = (emitter.size(node.attrs[key]) for key in ("steps", "slots"))
    return syntax.call(helper, steps, slots)


ahead = primitive(
    "ahead",
    infer=lambda *, steps, slots, symbol: python_number(int),
    evaluate=lambda *, steps, slots, symbol: revolve(steps, slots),
    derivative=NON_DIFF,
    emit=_emit_ahead,
    traits=("barrier",),
)


def steps_ahead(steps: Size, slots: Size) -> tuple[Node, Size]:
    """`revolve` of sizes: the node, and the size that it is."""
    name = f"ahead.{current_builder().root().token()}"
    size = dims.changing(name, 1, 1, None)
    return ahead(steps=steps, slots=slots, symbol=dims.as_symbol(size)), size
