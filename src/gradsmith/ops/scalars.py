"""Numbers of Python's own: ``float(x)``, ``complex(x)``, ``bool(x)``, ``int(x)``, ``round(x, n)``.

A Python float is weak: times a float32 array it is float32, where a NumPy float64 is not. What is
converted keeps its gradient, but integers and truth values have none.
"""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ArgumentValueError, InternalError
from gradsmith.ir.dims import Dim, Size, is_unbacked
from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, Emitter, Linear, Op
from gradsmith.ir.types import ArrayType, DType, describe, python_number
from gradsmith.ops import syntax
from gradsmith.ops.complex import imag, real
from gradsmith.ops.declare import as_node, implements_python, primitive
from gradsmith.ops.regions import as_whole


def check_real(x: ArrayType, function: str) -> None:
    """Refuse what a function of one real number does not take.

    Raises
    ------
    ArgumentTypeError
        Python raises TypeError there.
    """
    if x.shape:
        hint = "the NumPy function of that name works element by element"
        if not function.startswith("math."):
            hint = "take an element of it: x[0]"
        raise ArgumentTypeError(f"{function} takes numbers, not a {describe(x)}", hint=hint)
    if x.complex:
        raise ArgumentTypeError(f"{function} takes a real number, not {x!r}")


# -- float, complex, bool ------------------------------------------------------------------------


def _float_infer(x: ArrayType) -> ArrayType:
    check_real(x, "float()")
    return python_number(float)


def _emit_float(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    return syntax.call("float", x)


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
    return x if weak and is_of_known_class(x) else python_float(x)


def is_of_known_class(x: Node, depth: int = 20) -> bool:
    """Whether a number is of the class that its type says, for certain: where branches or loops
    have made it, it may be an integer of Python's, too (`widened`).
    """
    name = x.op.name
    if x.array_type.form == "array" or name in ("constant", "divide"):
        return True
    if "joined" in x.op.traits or not depth:
        return False
    as_it_is = "alias" in x.op.traits and "barrier" not in x.op.traits
    by_python = "operator" in x.op.traits or name in ("absolute", "conj", "real")
    return not (as_it_is or by_python) or all(is_of_known_class(i, depth - 1) for i in x.inputs)


def _complex_infer(re: ArrayType, im: ArrayType | None = None) -> ArrayType:
    if re.shape:
        raise ArgumentTypeError(f"complex() takes a number, not {re!r}")
    if im is not None:
        check_real(re, "complex() of two parts")
        check_real(im, "complex() of two parts")
    return python_number(complex)


python_complex = primitive(
    "python_complex",
    infer=_complex_infer,
    evaluate=complex,
    derivative=Linear((lambda g, x: g,)),  # reverse mode takes the real part of real operands
    emit=lambda emitter, node, x: syntax.call("complex", x),
    sympy=lambda x: x,
)
complex_of_parts: Op = primitive(
    "complex_of_parts",
    infer=_complex_infer,
    evaluate=complex,
    derivative=Linear((lambda g, re, im: real(g), lambda g, re, im: imag(g)), joint=True),
    emit=lambda emitter, node, re, im: syntax.call("complex", re, im),
)


def as_complex(x: Node, im: Node | None = None) -> Node:
    """``complex(x)`` or ``complex(x, im)``."""
    if im is not None:
        return complex_of_parts(x, im)
    weak = x.array_type.weak and x.dtype == np.complex128
    return x if weak else python_complex(x)


def _truth_infer(x: ArrayType) -> ArrayType:
    if x.shape and not is_unbacked(x.size):  # Python's own raises where the data decide otherwise
        raise ArgumentValueError(
            f"the truth value of {describe(x)} is ambiguous", hint="use np.any(...) or np.all(...)"
        )
    return python_number(bool)


python_bool = primitive(
    "python_bool",
    infer=_truth_infer,
    evaluate=bool,
    derivative=NON_DIFF,
    emit=lambda emitter, node, x: syntax.call("bool", x),
)


def as_python(x: Node) -> Node | Size:
    """A number of NumPy's as the one of Python's that it equals."""
    if x.array_type.weak:
        return x
    if x.dtype.kind in "iu":
        return as_whole(x)
    if x.dtype.kind == "b":
        return python_bool(x)
    return as_complex(x) if x.array_type.complex else as_float(x)


def _widened_infer(x: ArrayType, *, dtype: DType, scalar: bool) -> ArrayType:
    return ArrayType(dtype, x.shape, "scalar" if scalar else "python")


widened = primitive(
    "widened",
    infer=_widened_infer,
    evaluate=lambda x, **_: x,
    derivative=Linear((lambda g, x, **_: g,)),
    emit=lambda emitter, node, x: x,
    traits=("alias", "joined"),
)
"""A number where one of a wider class may come from elsewhere: as it is, for ``1 if x > 0 else
2.5`` is the integer 1 in Python.
"""


of_dtype = primitive(
    "of_dtype",
    infer=lambda x, *, dtype: ArrayType(dtype, (), "scalar"),
    evaluate=lambda x, *, dtype: dtype.type(x),
    derivative=Linear((lambda g, x, *, dtype: g,)),
    emit=lambda emitter, node, x: syntax.call(f"np.{node.dtype.type.__name__}", x),
)
"""``np.float64(x)`` of a number that may be of another class than its type (`widened`)."""


def joins_narrower(x: Node) -> bool:
    """Whether it is a number that joins one of a narrower floating-point dtype."""
    if x.op is not widened:
        return False
    (narrow,) = x.inputs
    return narrow.array_type.inexact and narrow.dtype.itemsize < x.dtype.itemsize


def joins_pythons(x: Node) -> bool:
    """Whether it is a number of NumPy's that joins one of Python's."""
    return x.op is widened and x.inputs[0].array_type.weak and not x.array_type.weak


has_class = primitive(
    "has_class",
    infer=lambda x, *, cls: python_number(bool),
    evaluate=lambda x, *, cls: type(x) is cls,
    derivative=NON_DIFF,
    emit=lambda emitter, node, x: ast.Compare(
        syntax.call("type", x), [ast.Is()], [syntax.name(_class_name(node.attrs["cls"]))]
    ),
    traits=("barrier", "forms"),
)
"""Whether a number that branches or loops have joined (`widened`) is of just this class."""


def _class_name(cls: type) -> str:
    name = syntax.class_name(cls)
    if name is None:
        raise InternalError(f"a number of the class {cls!r}")
    return name


# -- rounding ------------------------------------------------------------------------------------


def _rounding(function: str) -> Any:
    def rounded(x: Any, /, **digits: int) -> Size:
        if isinstance(x, (int, Dim)):
            return x
        node = as_node(x)
        check_real(node.array_type, f"{function}()")
        return as_whole(node, function, **digits)

    return rounded


for _function in (math.floor, math.ceil, math.trunc):
    implements_python(_function)(_rounding(f"math.{_function.__name__}"))
whole_of = _rounding("int")
rounded_of = _rounding("round")


def _round_infer(x: ArrayType, *, digits: int) -> ArrayType:
    check_real(x, "round()")
    return x


rounded_to = primitive(
    "python_round",
    infer=_round_infer,
    evaluate=lambda x, *, digits: round(x, digits),
    derivative=NON_DIFF,
    emit=lambda emitter, node, x: syntax.call("round", x, node.attrs["digits"]),
)


is_integer = primitive(
    "is_integer",
    infer=_truth_infer,
    evaluate=lambda x: float(x).is_integer(),
    derivative=NON_DIFF,
    emit=lambda emitter, node, x: syntax.method(x, "is_integer"),
)
