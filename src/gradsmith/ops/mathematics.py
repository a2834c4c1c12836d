"""Python's math module: functions of one number or a few, which give Python floats.

A call of `math` stays one: it raises where NumPy warns, and is many times as quick on a number.
That a derivative raises where the function itself does is as it should be; where the function is
finite and its derivative is not (``math.sqrt(0.0)``), the derivative is NumPy's infinity.
"""

from __future__ import annotations

import ast
import functools
import importlib
import math
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

from gradsmith.errors import ArgumentTypeError, UnsupportedError
from gradsmith.ir.dims import Dim
from gradsmith.ir.graph import Node
from gradsmith.ir.op import (
    NON_DIFF,
    NOT_IMPLEMENTED,
    ArgumentRule,
    Custom,
    Derivative,
    Each,
    Emitter,
    Linear,
    Masked,
    Op,
    Partials,
    Pole,
)
from gradsmith.ir.types import ArrayType, python_number
from gradsmith.ops import syntax
from gradsmith.ops.arithmetic import inverse
from gradsmith.ops.compare import not_equal
from gradsmith.ops.conditional import sign_of
from gradsmith.ops.control import at_least_zero
from gradsmith.ops.declare import as_node, formula, implements, implements_python, primitive
from gradsmith.ops.elementwise import is_least
from gradsmith.ops.powers import log_of_base, real_power
from gradsmith.ops.rounding import rint
from gradsmith.ops.scalars import check_real
from gradsmith.ops.select import denominator
from gradsmith.ops.shape import broadcast_to

LN2 = math.log(2)
LN10 = math.log(10)


def _math(
    name: str,
    derivative: Derivative | tuple[ArgumentRule, ...],
    *,
    sympy: str | Callable[..., Any] | None = None,
    kind: type = float,
) -> Op:
    """Declare ``math.name``."""
    function = getattr(math, name)

    def infer(*types: ArrayType, **_: Any) -> ArrayType:
        for type_ in types:
            check_real(type_, f"math.{name}")
        return python_number(kind)

    def evaluate(*operands: Any, keywords: tuple[str, ...] = (), **attrs: Any) -> Any:
        positional, named = _by_keyword(operands, keywords)
        return function(*positional, **named, **attrs)

    def emit(emitter: Emitter, node: Node, *operands: ast.expr) -> ast.expr:
        attrs = dict(node.attrs)
        positional, named = _by_keyword(operands, attrs.pop("keywords", ()))
        dotted = syntax.attribute(emitter.module("math"), name)
        return syntax.call(dotted, *positional, **named, **attrs)

    op = primitive(
        f"math_{name}",
        infer=infer,
        evaluate=evaluate,
        derivative=Partials(derivative) if isinstance(derivative, tuple) else derivative,
        emit=emit,
        sympy=sympy,
    )
    implements_python(function)(_on_numbers(op))
    return op


def _by_keyword(
    operands: Sequence[Any], keywords: Sequence[str]
) -> tuple[Sequence[Any], dict[str, Any]]:
    """The positional ones of the operands, and the last ones by their keywords."""
    count = len(operands) - len(keywords)
    return operands[:count], dict(zip(keywords, operands[count:], strict=True))


def _on_numbers(op: Op) -> Callable[..., Node]:
    """``op`` of numbers; traced ones among the keyword arguments are operands, too."""

    def function(*values: Any, **attrs: Any) -> Node:
        named = {name: value for name, value in attrs.items() if isinstance(value, (Node, Dim))}
        plain = {name: value for name, value in attrs.items() if name not in named}
        if named:
            plain["keywords"] = tuple(named)
        return op(*map(as_node, (*values, *named.values())), **plain)

    return function


# -- exponentials, logarithms, roots -------------------------------------------------------------

exp = _math("exp", (lambda out, x: out,), sympy="exp")
expm1 = _math("expm1", (lambda out, x: exp(x),), sympy=formula("exp(x) - 1"))


def _log_partial(out: Node, x: Node, base: Node | None = None) -> Node:
    return 1 / (x if base is None else x * log(base))


log: Op = _math(
    "log",
    (_log_partial, lambda out, x, base: -out / (base * log(base))),
    sympy=lambda x, *base: importlib.import_module("sympy").log(x, *base),
)
log2 = _math("log2", (lambda out, x: 1 / (LN2 * x),), sympy=formula("log(x)/log(2)"))
log10 = _math("log10", (lambda out, x: 1 / (LN10 * x),), sympy=formula("log(x)/log(10)"))
log1p = _math("log1p", (lambda out, x: 1 / (1 + x),), sympy=formula("log(1 + x)"))


def _root_partial(out: Node, x: Node) -> Any:
    if x.op is at_least_zero and x.attrs["positive"]:
        return 0.5 / out
    return Pole(0.5 * inverse(out), out, 0.5, vanishes=is_least(x), bounded=True)


sqrt: Op = _math("sqrt", (_root_partial,), sympy="sqrt")
if sys.version_info >= (3, 11):
    exp2 = _math("exp2", (lambda out, x: LN2 * out,), sympy=lambda x: 2**x)
    cbrt = _math(
        "cbrt",
        (lambda out, x: Pole(inverse(3 * out * out), out * out, 1 / 3, bounded=True),),
        sympy=formula("sign(x)*Abs(x)**Rational(1, 3)"),
    )


def _positive_power_partial(out: Node, x: Node, y: Node) -> Masked:
    return Masked(not_equal(y, 0), y * real_power(x, y - 1))


pow_ = _math(
    "pow",
    (_positive_power_partial, lambda out, x, y: out * log_of_base(x)),
    sympy=lambda x, y: x**y,
)


# -- trigonometric and hyperbolic functions ------------------------------------------------------

sin: Op = _math("sin", (lambda out, x: cos(x),), sympy="sin")
cos: Op = _math("cos", (lambda out, x: -sin(x),), sympy="cos")
tan = _math("tan", (lambda out, x: 1 + out * out,), sympy="tan")


# (1 - x) * (1 + x) is exact where 1 - x**2 loses digits: near 1 and -1.
def _over_cosine(x: Node, factor: int) -> Pole:
    cosine = sqrt((1 - x) * (1 + x))
    return Pole(factor * inverse(cosine), cosine, factor, bounded=True)


asin = _math("asin", (lambda out, x: _over_cosine(x, 1),), sympy="asin")
acos = _math("acos", (lambda out, x: _over_cosine(x, -1),), sympy="acos")
atan = _math("atan", (lambda out, x: 1 / (1 + x * x),), sympy="atan")
sinh: Op = _math("sinh", (lambda out, x: cosh(x),), sympy="sinh")
cosh: Op = _math("cosh", (lambda out, x: sinh(x),), sympy="cosh")
tanh = _math("tanh", (lambda out, x: 1 - out * out,), sympy="tanh")
asinh = _math("asinh", (lambda out, x: 1 / hypot(x, 1),), sympy="asinh")


def _acosh_partial(out: Node, x: Node) -> Pole:
    sine = sqrt(x - 1) * sqrt(x + 1)
    return Pole(inverse(sine), sine, bounded=True)


acosh = _math("acosh", (_acosh_partial,), sympy="acosh")
atanh = _math("atanh", (lambda out, x: 1 / ((1 - x) * (1 + x)),), sympy="atanh")
degrees = _math("degrees", (lambda out, x: 180 / math.pi,), sympy=formula("180*x/pi"))
radians = _math("radians", (lambda out, x: math.pi / 180,), sympy=formula("pi*x/180"))


def _over_square(x: Node, radius: Node) -> Node:
    """``x / radius**2`` where the square may overflow, 0 at the origin."""
    length = denominator(radius)
    return x / length / length


atan2 = _math(
    "atan2",
    (
        lambda out, y, x: _over_square(x, hypot(y, x)),
        lambda out, y, x: -_over_square(y, hypot(y, x)),
    ),
    sympy="atan2",
)


# -- distances -----------------------------------------------------------------------------------


def _share_of_distance(position: int, g: Node, out: Node, *coordinates: Node) -> Node:
    return g * (coordinates[position] / denominator(out))


def _distance_tangent(out: Node, coordinates: Any, tangents: Any) -> Node:
    pairs = zip(coordinates, tangents, strict=True)
    shares = [x / denominator(out) * t for x, t in pairs if t is not None]
    total: Node = functools.reduce(operator.add, shares)
    return total


hypot: Op = _math("hypot", Custom(Each(_share_of_distance), _distance_tangent))


@implements(math.dist)
def _dist(p: Any, q: Any, /) -> Any:
    if not _holds_nodes(p, q):
        return math.dist(p, q)
    if not all(isinstance(point, (list, tuple)) for point in (p, q)):
        raise UnsupportedError(
            "math.dist of traced arrays", hint="use np.linalg.norm(p - q), or lists of numbers"
        )
    if len(p) != len(q):
        raise ArgumentTypeError("both points must have the same number of dimensions")
    return hypot(*[as_node(a) - as_node(b) for a, b in zip(p, q, strict=True)])


# -- parts, signs, remainders --------------------------------------------------------------------

fabs = _math("fabs", (lambda out, x: sign_of(x),), sympy="Abs")
copysign: Op = _math("copysign", (lambda out, x, y: sign_of(x) * copysign(1.0, y), NON_DIFF))
# x - out is a multiple of y: its quotient by y is rounded to that number exactly.
fmod = _math("fmod", (lambda out, x, y: 1, lambda out, x, y: -rint((x - out) / y)))
remainder = _math("remainder", (lambda out, x, y: 1, lambda out, x, y: -rint((x - out) / y)))
ldexp: Op = _math("ldexp", (lambda out, x, exponent: ldexp(1.0, exponent), NON_DIFF))
nextafter = _math("nextafter", (lambda *_: 1, NON_DIFF, NON_DIFF))
ulp = _math("ulp", (NON_DIFF,))
if sys.version_info >= (3, 13):
    fma = _math("fma", (lambda out, x, y, z: y, lambda out, x, y, z: x, lambda *_: 1))


def _part_of_number(place: int, slope: ArgumentRule) -> Op:
    """``math.modf(x)[place]``."""

    def emit(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
        whole = syntax.call(syntax.attribute(emitter.module("math"), "modf"), x)
        return syntax.subscript(whole, syntax.expression(place))

    def infer(x: ArrayType) -> ArrayType:
        check_real(x, "math.modf")
        return python_number(float)

    return primitive(
        f"math_modf_{place}",
        infer=infer,
        evaluate=lambda x: math.modf(x)[place],
        derivative=Partials((slope,)),
        emit=emit,
    )


_PARTS = _part_of_number(0, lambda out, x: 1), _part_of_number(1, NON_DIFF)


@implements_python(math.modf)
def _modf(x: Any, /) -> tuple[Node, ...]:
    return tuple(part(as_node(x)) for part in _PARTS)


# -- special functions ---------------------------------------------------------------------------

_ERF = 2 / math.sqrt(math.pi)
erf = _math("erf", (lambda out, x: _ERF * exp(-x * x),), sympy="erf")
erfc = _math("erfc", (lambda out, x: -_ERF * exp(-x * x),), sympy="erfc")
_DIGAMMA = "its derivative is the digamma function, which neither Python nor NumPy has"
gamma = _math("gamma", (NOT_IMPLEMENTED(_DIGAMMA),))
lgamma = _math("lgamma", (NOT_IMPLEMENTED(_DIGAMMA),))


# -- questions -----------------------------------------------------------------------------------

isnan = _math("isnan", NON_DIFF, kind=bool)
isinf = _math("isinf", NON_DIFF, kind=bool)
isfinite = _math("isfinite", NON_DIFF, kind=bool)
isclose = _math("isclose", NON_DIFF, kind=bool)


# -- sums ----------------------------------------------------------------------------------------


def _emit_fsum(emitter: Emitter, node: Node, *numbers: ast.expr) -> ast.expr:
    return syntax.call(syntax.attribute(emitter.module("math"), "fsum"), list(numbers))


def _holds_nodes(*sequences: Any) -> bool:
    """Whether the numbers of these sequences, or they themselves, are traced."""
    return any(
        isinstance(value, (Node, Dim))
        for sequence in sequences
        for value in (sequence if isinstance(sequence, (list, tuple)) else [sequence])
    )


fsum = primitive(
    "math_fsum",
    infer=lambda *_: python_number(float),
    evaluate=lambda *numbers: math.fsum(numbers),
    derivative=Linear(Each(lambda position, g, *numbers: g), joint=True),
    emit=_emit_fsum,
)


def _emit_fsum_of_array(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    return syntax.call(syntax.attribute(emitter.module("math"), "fsum"), x)


fsum_of_array = primitive(
    "math_fsum_of_array",
    infer=lambda x: python_number(float),
    evaluate=math.fsum,
    derivative=Linear((lambda g, x: broadcast_to(g, shape=x.shape),)),
    emit=_emit_fsum_of_array,
)


@implements(math.fsum)
def _fsum(seq: Any, /) -> Any:
    if not _holds_nodes(seq):
        return math.fsum(seq)
    if isinstance(seq, Node):
        if seq.ndim != 1:
            raise ArgumentTypeError("math.fsum takes a sequence of numbers")
        return fsum_of_array(seq)
    numbers = [as_node(number) for number in seq]
    for number in numbers:
        check_real(number.array_type, "math.fsum")
    return fsum(*numbers)


def _refuse(name: str, hint: str | None) -> None:
    def refused(*_: Any, **__: Any) -> Node:
        raise UnsupportedError(f"math.{name} is not supported on traced values", hint=hint)

    implements_python(getattr(math, name))(refused)


_refuse("frexp", "use np.frexp, or math.log2 and math.floor")
