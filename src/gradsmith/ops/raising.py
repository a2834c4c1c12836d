"""Whether Python raises where it computes with numbers: asked where a ``try`` handles it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

from gradsmith.ir import intrinsics
from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, Emitter
from gradsmith.ir.types import ArrayType, python_number
from gradsmith.ops import syntax
from gradsmith.ops.declare import OPS, primitive

SUMS_AND_PRODUCTS = ("add", "subtract", "multiply")
"""Operations that raise where an integer is too large for a floating-point number."""
ARITHMETIC = ("divide", "floor_divide", "remainder", "power", "integer_power", "whole")
"""Operations that raise on Python's numbers, and on no others."""


def may_raise(node: Node) -> bool:
    """Whether it is a computation with Python's numbers that raises for some of them."""
    types = [i.type for i in node.inputs]
    numbers = bool(types) and all(isinstance(t, ArrayType) and t.weak for t in types)
    large = node.op.name in SUMS_AND_PRODUCTS and any(map(_is_too_large, node.inputs))
    return node.op.name.startswith("math_") or (numbers and (large or node.op.name in ARITHMETIC))


def _is_too_large(node: Node) -> bool:
    """Whether it is an integer that no floating-point number is as large as."""
    value = intrinsics.number(node)
    return type(value) is int and abs(value) > sys.float_info.max


RAISES = '''
def raises(compute, error=None):
    """Whether Python raises an error where it computes this: the one of this text, or any."""
    try:
        compute()
    except Exception as raised:
        return error is None or f"{type(raised).__name__}: {raised}" == error
    return False
'''


def said(error: BaseException) -> str:
    """The text by which the emitted code knows an error."""
    return f"{type(error).__name__}: {error}"


def error_of(compute: Callable[[], Any]) -> Exception | None:
    """What Python raises where it computes this."""
    try:
        compute()
    except Exception as error:
        return error
    return None


def _evaluate(
    *operands: Any, computing: str, attrs: tuple[tuple[str, Any], ...], error: str | None
) -> bool:
    raised = error_of(lambda: OPS[computing].evaluate(*operands, **dict(attrs)))
    return raised is not None and error in (None, said(raised))


def _emit(emitter: Emitter, node: Node, *operands: ast.expr) -> ast.expr:
    op = OPS[node.attrs["computing"]]
    asked = Node(op, node.inputs, dict(node.attrs["attrs"]), node.type, node.span)
    return asking(emitter, op.emit(emitter, asked, *operands), node.attrs["error"])


def asking(emitter: Emitter, computed: ast.expr, error: str | None) -> ast.expr:
    """``raises(lambda: computed, error)``."""
    given = [later(computed), *([] if error is None else [syntax.expression(error)])]
    return syntax.call(emitter.helper(RAISES), *given)


def later(computed: ast.expr) -> ast.expr:
    """``lambda: computed``."""
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), computed)


raises = primitive(
    "raises",
    infer=lambda *_, **__: python_number(bool),
    evaluate=_evaluate,
    derivative=NON_DIFF,
    emit=_emit,
    traits=("barrier",),
)
"""``raises(*operands; computing, attrs, error)``: whether the op raises on these operands."""


def raises_of(node: Node, error: str | None) -> Node:
    """Whether ``node`` raises this error, as `said` has it; with None, any."""
    attrs = tuple(node.attrs.items())
    return raises(*node.inputs, computing=node.op.name, attrs=attrs, error=error)
