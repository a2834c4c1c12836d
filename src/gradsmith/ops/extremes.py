"""Python's ``max`` and ``min`` of numbers: the first that no other is better than.

They give one of their operands as it is, nan and -0.0 as Python compares them: ``max(1.0, nan)``
is 1.0, ``max(nan, 1.0)`` is nan. Equal operands share the derivative, as in np.maximum.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gradsmith.ir.graph import Node
from gradsmith.ir.op import Emitter, Masked, Op, Partials
from gradsmith.ir.types import ArrayType, result_dtype
from gradsmith.ops import syntax
from gradsmith.ops.compare import equal, greater, greater_equal, less, less_equal, negation
from gradsmith.ops.conditional import conditional
from gradsmith.ops.declare import as_node, primitive


def _infer(*types: ArrayType) -> ArrayType:
    weak = all(type_.weak for type_ in types)
    return ArrayType(result_dtype(*types), (), "python" if weak else "scalar")


def _emit(emitter: Emitter, node: Node, x: ast.expr, y: ast.expr) -> ast.expr:
    """``max(x, y, z)`` for ``max(max(x, y), z)``, which is the same."""
    name = node.op.name.removeprefix("python_")
    if node.inputs[0].op is node.op and isinstance(x, ast.Call):
        return syntax.call(name, *x.args, y)
    return syntax.call(name, x, y)


def _extreme(plain: Callable[..., Any], better: Op, sympy: str) -> Op:
    def share(out: Node, x: Node, y: Node) -> Node:
        return conditional(equal(x, y), 0.5, 1.0)

    def first(out: Node, x: Node, y: Node) -> Masked:
        return Masked(negation(better(y, x)), share(out, x, y))

    def second(out: Node, x: Node, y: Node) -> Masked:
        return Masked(or_equal[better](y, x), share(out, x, y))

    or_equal = {greater: greater_equal, less: less_equal}
    return primitive(
        f"python_{plain.__name__}",
        infer=_infer,
        evaluate=plain,
        derivative=Partials((first, second)),
        emit=_emit,
        sympy=sympy,
    )


python_max = _extreme(max, greater, "Max")
python_min = _extreme(min, less, "Min")


def extreme_of(plain: Callable[..., Any], *values: Any) -> Node:
    """``plain(*values)`` of numbers, where ``plain`` is `max` or `min`."""
    best, *others = map(as_node, values)
    for value in others:
        best = (python_max if plain is max else python_min)(best, value)
    return best
