"""Python's conditional expression on numbers: ``x if condition else y``.

Both operands have the type of the result. Unlike `np.where` it gives no array, and takes a tenth
of the time.
"""

from __future__ import annotations

import ast
from typing import Any

from gradsmith.errors import InternalError
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import number
from gradsmith.ir.op import NON_DIFF, Emitter, Masked, Partials
from gradsmith.ir.types import ArrayType, all_weak, result_dtype
from gradsmith.ops.compare import greater, less, negation
from gradsmith.ops.declare import as_node, formula, primitive


def _infer(condition: ArrayType, x: ArrayType, y: ArrayType) -> ArrayType:
    if condition.shape or x != y or not is_number_type(x):
        raise InternalError(f"a conditional expression of {condition!r}, {x!r} and {y!r}")
    return x


def _emit(emitter: Emitter, node: Node, *operands: ast.expr) -> ast.expr:
    condition, x, y = operands
    return ast.IfExp(condition, x, y)


conditional_op = primitive(
    "conditional",
    infer=_infer,
    evaluate=lambda condition, x, y: x if condition else y,
    derivative=Partials(
        (
            NON_DIFF,
            lambda out, condition, x, y: Masked(condition, 1),
            lambda out, condition, x, y: Masked(negation(condition), 1),
        )
    ),
    emit=_emit,
    sympy=formula("Piecewise((y, x), (z, True))"),
    traits=("forms", "joined"),
)


def is_number_type(type_: ArrayType) -> bool:
    """Whether values of the type are numbers, of NumPy or of Python, and no arrays."""
    return type_.form != "array"


def conditional(condition: Node, x: Any, y: Any) -> Node:
    """``x if condition else y``; of a node and a number the number gets the type of the node."""
    left, right = as_node(x), as_node(y)
    type_ = _joint_type(left, right)
    return conditional_op(condition, _of_type(left, type_), _of_type(right, type_))


def _joint_type(left: Node, right: Node) -> ArrayType:
    if number(left) is None:
        return left.array_type
    if number(right) is None:
        return right.array_type
    types = left.array_type, right.array_type
    return ArrayType(result_dtype(*types), (), "python" if all_weak(*types) else "scalar")


def _of_type(node: Node, type_: ArrayType) -> Node:
    """A constant as one of the type; anything else as it is."""
    if node.type == type_ or number(node) is None:
        return node
    typed = type_.dtype.type(number(node))
    return as_node(typed.item() if type_.weak else typed)


def sign_of(x: Node) -> Node:
    """-1.0, 0.0 or 1.0; nan is taken for 0."""
    return conditional(greater(x, 0), 1.0, conditional(less(x, 0), -1.0, 0.0))
