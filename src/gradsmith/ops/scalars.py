"""Python's math module: the same functions on one number; what they return is a Python float."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, UnsupportedError
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Emitter, Linear, Op
from gradsmith.ir.types import ArrayType, python_number
from gradsmith.ops import arithmetic, compare, elementwise, syntax
from gradsmith.ops.complex import absolute
from gradsmith.ops.declare import FUNCTIONS, as_node, implements_python, primitive


def _float_infer(x: ArrayType) -> ArrayType:
    if x.shape or x.complex:
        raise ArgumentTypeError(f"float() takes a real number, not {x!r}")
    return python_number(float)


def _emit_float(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    return syntax.call("float", x)


# A Python float is weak: times a float32 array it is float32, where a NumPy float64 is not.
python_float = primitive(
    "python_float",
    infer=_float_infer,
    evaluate=float,
    derivative=Linear((lambda g, x: g,)),
    emit=_emit_float,
    sympy=lambda x: x,
)


def as_float(x: Node) -> Node:
    """``float(x)``, still a node."""
    weak = x.array_type.weak and x.dtype == np.float64
    return x if weak else python_float(x)


def _number(value: Any, function: str) -> Node:
    node = as_node(value)
    if node.ndim:
        numpy = "the NumPy function of that name works element by element"
        raise ArgumentTypeError(
            f"math.{function} takes numbers, not an array of {node.ndim} axes", hint=numpy
        )
    short = node.dtype in (np.float16, np.float32)  # Python computes in double precision
    return as_float(node) if short else node


def _same_as(op: Callable[..., Node], name: str) -> Callable[..., Node]:
    def function(*values: Any) -> Node:
        result = op(*[_number(v, name) for v in values])
        return result if result.dtype.kind == "b" else as_float(result)

    function.__module__, function.__qualname__ = "math", name
    return function


_SAME: dict[str, Op] = {
    "acos": elementwise.arccos,
    "acosh": elementwise.arccosh,
    "asin": elementwise.arcsin,
    "asinh": elementwise.arcsinh,
    "atan": elementwise.arctan,
    "atan2": elementwise.arctan2,
    "atanh": elementwise.arctanh,
    "cbrt": elementwise.cbrt,
    "copysign": elementwise.copysign,
    "cos": elementwise.cos,
    "cosh": elementwise.cosh,
    "degrees": elementwise.rad2deg,
    "exp": elementwise.exp,
    "exp2": elementwise.exp2,
    "expm1": elementwise.expm1,
    "fabs": arithmetic.fabs,
    "fmod": arithmetic.fmod,
    "isfinite": compare.isfinite,
    "isinf": compare.isinf,
    "isnan": compare.isnan,
    "ldexp": elementwise.ldexp,
    "log10": elementwise.log10,
    "log1p": elementwise.log1p,
    "log2": elementwise.log2,
    "radians": elementwise.deg2rad,
    "sin": elementwise.sin,
    "sinh": elementwise.sinh,
    "sqrt": elementwise.sqrt,
    "tan": elementwise.tan,
    "tanh": elementwise.tanh,
}
for _name, _op in _SAME.items():
    if hasattr(math, _name):  # math.exp2 and math.cbrt are there from Python 3.11 on
        implements_python(getattr(math, _name))(_same_as(_op, _name))


@implements_python(math.pow)
def _pow(x: Any, y: Any, /) -> Node:
    return as_float(FUNCTIONS[np.power](_number(x, "pow"), _number(y, "pow")))


@implements_python(math.log)
def _log(x: Any, base: Any = None, /) -> Node:
    result = elementwise.log(_number(x, "log"))
    if base is not None:
        result = result / elementwise.log(_number(base, "log"))
    return as_float(result)


@implements_python(math.hypot)
def _hypot(*coordinates: Any) -> Node:
    if len(coordinates) == 1:
        return as_float(absolute(_number(coordinates[0], "hypot")))
    numbers = [_number(c, "hypot") for c in coordinates]
    return as_float(reduce(elementwise.hypot, numbers))


def _refuse(name: str, hint: str | None) -> None:
    def refused(*_: Any, **__: Any) -> Node:
        raise UnsupportedError(f"math.{name} is not supported on traced values", hint=hint)

    implements_python(getattr(math, name))(refused)


for _name in ("floor", "ceil", "trunc"):
    _refuse(_name, f"math.{_name} makes a Python int; use np.{_name}, which makes a float")
for _name in ("erf", "erfc", "gamma", "lgamma"):
    _refuse(_name, None)
