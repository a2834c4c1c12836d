"""Python's ``max`` and ``min`` of numbers or of a vector: the first that no other is better than.

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
from gradsmith.ops.reduce import EXTREMUM_DERIVATIVE


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
        traits=("joined",),
    )


python_max = _extreme(max, greater, "Max")
python_min = _extreme(min, less, "Min")


def _vector_infer(x: ArrayType, **_: Any) -> ArrayType:
    return ArrayType(x.dtype, (), "scalar")


def _vector_extreme(plain: Callable[..., Any]) -> Op:
    return primitive(
        f"python_{plain.__name__}_element",
        infer=_vector_infer,
        evaluate=lambda x, **_: plain(x),
        derivative=EXTREMUM_DERIVATIVE,
        emit=lambda emitter, node, x: syntax.call(plain.__name__, x),
    )


python_max_element = _vector_extreme(max)
python_min_element = _vector_extreme(min)


def extreme_element(plain: Callable[..., Any], x: Any) -> Node:
    """``plain(x)`` of a vector, where ``plain`` is `max` or `min`.

    NumPy's own reductions give nan wherever there is one, and either of two zeros.
    """
    op = python_max_element if plain is max else python_min_element
    return op(as_node(x), axis=(0,), keepdims=False)


def extreme_of(plain: Callable[..., Any], *values: Any) -> Node:
    """``plain(*values)`` of numbers, where ``plain`` is `max` or `min`."""
    best, *others = map(as_node, values)
    for value in others:
        best = (python_max if plain is max else python_min)(best, value)
    return best
