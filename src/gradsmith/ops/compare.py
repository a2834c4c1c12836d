"""Comparisons and logic: NumPy's "logic functions" and bitwise operations, all without slope."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError
from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, EmitRule, Emitter, Op
from gradsmith.ir.types import ArrayType, DType, broadcast, python_number
from gradsmith.ops import syntax
from gradsmith.ops.arguments import refuse
from gradsmith.ops.declare import (
    as_node,
    elementwise,
    elementwise_infer,
    implements,
    implements_python,
    primitive,
)
from gradsmith.ops.emission import emit_call

BOOL: DType = np.dtype(bool)


# -- comparisons ---------------------------------------------------------------------------------


def _comparison(
    ufunc: np.ufunc, symbol: str, python: Callable[..., Any], sympy: str, *, commutative: bool
) -> Op:
    def emit(emitter: Emitter, node: Node, x: ast.expr, y: ast.expr) -> ast.expr:
        return syntax.compare(symbol, x, y)

    return elementwise(
        ufunc.__name__,
        numpy=ufunc,
        derivative=NON_DIFF,
        sympy=sympy,
        commutative=commutative,
        emit=emit,
        python=python,
    )


less = _comparison(np.less, "<", operator.lt, "Lt", commutative=False)
less_equal = _comparison(np.less_equal, "<=", operator.le, "Le", commutative=False)
greater = _comparison(np.greater, ">", operator.gt, "Gt", commutative=False)
greater_equal = _comparison(np.greater_equal, ">=", operator.ge, "Ge", commutative=False)
equal = _comparison(np.equal, "==", operator.eq, "Eq", commutative=True)
not_equal = _comparison(np.not_equal, "!=", operator.ne, "Ne", commutative=True)


def as_bool(x: Node) -> Node:
    """The truth of each element, as ``np.where`` and ``and`` see it."""
    return x if x.dtype.kind == "b" else not_equal(x, 0)


# -- logic ---------------------------------------------------------------------------------------


def _emit_logic(dotted: str, symbol: str) -> EmitRule:
    """``m & k`` for booleans; ``~m`` only for arrays, since Python's ``~True`` is -2."""

    def emit(emitter: Emitter, node: Node, *operands: ast.expr) -> ast.expr:
        if any(x.dtype.kind != "b" for x in node.inputs):
            made = syntax.call(dotted, *operands)
            return syntax.call("bool", made) if node.array_type.weak else made
        if len(operands) == 2:
            return syntax.binary(symbol, *operands)
        return syntax.unary(symbol, *operands) if node.ndim else syntax.call(dotted, *operands)

    return emit


def _logic(
    ufunc: np.ufunc, symbol: str, sympy: str, python: Callable[..., Any] | None = None
) -> Op:
    """A logical op; ``python`` is what Python's operator gives for its own truth values."""
    return elementwise(
        ufunc.__name__,
        numpy=ufunc,
        derivative=NON_DIFF,
        sympy=sympy,
        commutative=ufunc.nin == 2,
        emit=_emit_logic(f"np.{ufunc.__name__}", symbol),
        python=python,
    )


logical_and = _logic(np.logical_and, "&", "And", lambda a, b: bool(a and b))
logical_or = _logic(np.logical_or, "|", "Or", lambda a, b: bool(a or b))
logical_xor = _logic(np.logical_xor, "^", "Xor", lambda a, b: bool(a) != bool(b))
logical_not = _logic(np.logical_not, "~", "Not")


def _negation_infer(x: ArrayType) -> ArrayType:
    if x.shape:
        raise ArgumentTypeError("the truth value of an array is ambiguous")
    return python_number(bool)


negation = primitive(
    "not",
    infer=_negation_infer,
    evaluate=operator.not_,
    derivative=NON_DIFF,
    emit=lambda emitter, node, x: ast.UnaryOp(ast.Not(), x),
    sympy="Not",
)
"""Python's ``not``, whose result is a bool of Python's."""

NEGATIONS = (logical_not, negation)


def _bitwise(
    ufunc: np.ufunc, symbol: str, python: Callable[..., Any], boolean: Op | None = None
) -> Op:
    """A bitwise op; on booleans it is the logical one, which is made instead."""
    op = elementwise(
        ufunc.__name__,
        numpy=ufunc,
        derivative=NON_DIFF,
        operator=symbol,
        commutative=boolean is not None and ufunc.nin == 2,
        python=python,
    )
    if boolean is None:
        return op
    logical = boolean

    def choose(*operands: Any) -> Node:
        nodes = [as_node(x) for x in operands]
        return (logical if all(n.dtype.kind == "b" for n in nodes) else op)(*nodes)

    implements(ufunc)(choose)
    implements_python(python)(choose)
    return op


bitwise_and = _bitwise(np.bitwise_and, "&", operator.and_, logical_and)
bitwise_or = _bitwise(np.bitwise_or, "|", operator.or_, logical_or)
bitwise_xor = _bitwise(np.bitwise_xor, "^", operator.xor, logical_xor)
invert = _bitwise(np.invert, "~", operator.invert, logical_not)
left_shift = _bitwise(np.left_shift, "<<", operator.lshift)
right_shift = _bitwise(np.right_shift, ">>", operator.rshift)


# -- kinds of numbers ----------------------------------------------------------------------------

isnan = elementwise("isnan", numpy=np.isnan, derivative=NON_DIFF)
isinf = elementwise("isinf", numpy=np.isinf, derivative=NON_DIFF)
isfinite = elementwise("isfinite", numpy=np.isfinite, derivative=NON_DIFF)
signbit = elementwise("signbit", numpy=np.signbit, derivative=NON_DIFF)


def _test(function: Callable[..., Any], *, ordered: bool = False) -> Op:
    """A test of each element that is no ufunc; some make sense for ordered numbers only."""

    def dtype(x: ArrayType) -> DType:
        if ordered and x.complex:
            raise ArgumentTypeError(f"np.{function.__name__} is not defined for dtype {x.dtype}")
        return BOOL

    op = primitive(
        function.__name__,
        infer=elementwise_infer(dtype),
        evaluate=function,
        derivative=NON_DIFF,
        emit=emit_call(f"np.{function.__name__}"),
        traits=("elementwise",),
    )
    implements(function)(lambda x: op(as_node(x)))
    return op


isneginf = _test(np.isneginf, ordered=True)
isposinf = _test(np.isposinf, ordered=True)
isreal = _test(np.isreal)
iscomplex = _test(np.iscomplex)


# -- closeness -----------------------------------------------------------------------------------


def _truth(*_: ArrayType, **__: Any) -> ArrayType:
    return python_number(bool)


isclose = primitive(
    "isclose",
    infer=elementwise_infer(lambda *_: BOOL),
    evaluate=np.isclose,
    derivative=NON_DIFF,
    emit=emit_call("np.isclose"),
    traits=("elementwise",),
)
allclose = primitive(
    "allclose",
    infer=_truth,
    evaluate=np.allclose,
    derivative=NON_DIFF,
    emit=emit_call("np.allclose"),
)
array_equal = primitive(
    "array_equal",
    infer=_truth,
    evaluate=np.array_equal,
    derivative=NON_DIFF,
    emit=emit_call("np.array_equal"),
)


def _tolerances(rtol: Any, atol: Any, equal_nan: Any) -> dict[str, Any]:
    given = {"rtol": (rtol, 1e-05), "atol": (atol, 1e-08), "equal_nan": (equal_nan, False)}
    for name, (value, _) in given.items():
        if isinstance(value, (Node, np.ndarray)):
            refuse("np.isclose", name, value, hint="tolerances are plain numbers here")
    return {name: value for name, (value, default) in given.items() if value != default}


@implements(np.isclose)
def _isclose(
    a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> Node:
    return isclose(as_node(a), as_node(b), **_tolerances(rtol, atol, equal_nan))


@implements(np.allclose)
def _allclose(
    a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False
) -> Node:
    x, y = as_node(a), as_node(b)
    broadcast(x.shape, y.shape)  # raises where they do not fit
    return allclose(x, y, **_tolerances(rtol, atol, equal_nan))


@implements(np.array_equal)
def _array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Node:
    attrs = {"equal_nan": True} if equal_nan else {}
    return array_equal(as_node(a1), as_node(a2), **attrs)


@implements(np.iscomplexobj)
def _iscomplexobj(x: Any) -> bool:
    return as_node(x).array_type.complex


@implements(np.isrealobj)
def _isrealobj(x: Any) -> bool:
    return not as_node(x).array_type.complex
