"""Mathematical functions of each element: exponentials, trigonometry and their inverses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, Masked, Op, Pole
from gradsmith.ops.arithmetic import inverse, sign
from gradsmith.ops.compare import equal, isinf
from gradsmith.ops.control import at_least_zero
from gradsmith.ops.declare import elementwise, formula
from gradsmith.ops.select import denominator, minimum, where

LN2 = math.log(2)
LN10 = math.log(10)


# -- exponentials and logarithms -----------------------------------------------------------------

exp = elementwise("exp", numpy=np.exp, partials=(lambda out, x: out,), sympy="exp")
exp2 = elementwise(
    "exp2", numpy=np.exp2, partials=(lambda out, x: LN2 * out,), sympy=lambda x: 2**x
)
expm1 = elementwise(
    "expm1",
    numpy=np.expm1,
    partials=(lambda out, x: exp(x),),  # out + 1 would be 0 from x = -37 on
    sympy=formula("exp(x) - 1"),
)


def _inverse(x: Node) -> Pole:
    """The partial ``1 / x``."""
    return Pole(inverse(x), x)


log = elementwise("log", numpy=np.log, partials=(lambda out, x: _inverse(x),), sympy="log")
log2 = elementwise(
    "log2",
    numpy=np.log2,
    partials=(lambda out, x: _inverse(LN2 * x),),
    sympy=formula("log(x)/log(2)"),
)
log10 = elementwise(
    "log10",
    numpy=np.log10,
    partials=(lambda out, x: _inverse(LN10 * x),),
    sympy=formula("log(x)/log(10)"),
)
log1p = elementwise(
    "log1p",
    numpy=np.log1p,
    partials=(lambda out, x: _inverse(1 + x),),
    sympy=formula("log(1 + x)"),
)


def _weight(out: Node, x: Node) -> Node:
    """The exponent of x's share of a sum of exponentials, ``x - out``, which is at most 0.

    Infinities are set right: 0 for x = inf, -inf for x = -inf (also where both are -inf).
    """
    return minimum(x - where(isinf(x), 0, out), 0)


logaddexp = elementwise(
    "logaddexp",
    numpy=np.logaddexp,
    partials=(
        lambda out, x, y: exp(_weight(out, x)),
        lambda out, x, y: exp(_weight(out, y)),
    ),
    sympy=formula("log(exp(x) + exp(y))"),
    commutative=True,
)
logaddexp2 = elementwise(
    "logaddexp2",
    numpy=np.logaddexp2,
    partials=(
        lambda out, x, y: exp2(_weight(out, x)),
        lambda out, x, y: exp2(_weight(out, y)),
    ),
    sympy=formula("log(2**x + 2**y)/log(2)"),
    commutative=True,
)


# -- roots ---------------------------------------------------------------------------------------


def is_least(x: Node) -> bool:
    """Whether ``x``, where it is 0, has its least value: a root of it is a distance."""
    return x.op is at_least_zero and not x.attrs["positive"]


def _root_partial(out: Node, x: Node) -> Any:
    if x.op is at_least_zero and x.attrs["positive"]:
        return 0.5 / out
    return Pole(0.5 / out, out, 0.5, vanishes=is_least(x), bounded=True)


sqrt = elementwise("sqrt", numpy=np.sqrt, partials=(_root_partial,), sympy="sqrt")


def _cube_root_partial(out: Node, x: Node) -> Pole:
    return Pole(1 / (3 * out**2), out**2, 1 / 3, vanishes=is_least(x), bounded=True)


cbrt = elementwise(
    "cbrt",
    numpy=np.cbrt,
    partials=(_cube_root_partial,),
    sympy=formula("sign(x)*Abs(x)**Rational(1, 3)"),
)
# np.hypot where x**2 + 1 would overflow; the division is by 1 at the origin, where x is 0.
hypot = elementwise(
    "hypot",
    numpy=np.hypot,
    partials=(
        lambda out, x, y: x / denominator(out),
        lambda out, x, y: y / denominator(out),
    ),
    sympy=formula("sqrt(x**2 + y**2)"),
    commutative=True,
)


# -- trigonometric functions ---------------------------------------------------------------------

sin = elementwise("sin", numpy=np.sin, partials=(lambda out, x: cos(x),), sympy="sin")
cos: Op = elementwise("cos", numpy=np.cos, partials=(lambda out, x: -sin(x),), sympy="cos")
tan = elementwise("tan", numpy=np.tan, partials=(lambda out, x: 1 + out**2,), sympy="tan")


def _over_cosine(x: Node, factor: int) -> Pole:
    """``factor / sqrt(1 - x**2)``; 1 - x**2 loses digits near ±1, (1 - x) * (1 + x) does not."""
    cosine = sqrt((1 - x) * (1 + x))
    return Pole(factor / cosine, cosine, factor, bounded=True)


arcsin = elementwise(
    "arcsin",
    numpy=np.arcsin,
    partials=(lambda out, x: _over_cosine(x, 1),),
    sympy="asin",
)
arccos = elementwise(
    "arccos",
    numpy=np.arccos,
    partials=(lambda out, x: _over_cosine(x, -1),),
    sympy="acos",
)
# x * x: of a Python number x**2 raises where it overflows.
arctan = elementwise(
    "arctan", numpy=np.arctan, partials=(lambda out, x: 1 / (1 + x * x),), sympy="atan"
)


def _over_square(x: Node, radius: Node) -> Node:
    """``x / radius**2`` where the square may overflow, 0 at the origin."""
    length = denominator(radius)
    return x / length / length


arctan2 = elementwise(
    "arctan2",
    numpy=np.arctan2,
    partials=(
        lambda out, y, x: _over_square(x, hypot(y, x)),
        lambda out, y, x: -_over_square(y, hypot(y, x)),
    ),
    sympy="atan2",
)
deg2rad = elementwise(
    "deg2rad",
    numpy=np.deg2rad,
    also=(np.radians,),
    partials=(lambda out, x: math.pi / 180,),
    sympy=formula("pi*x/180"),
)
rad2deg = elementwise(
    "rad2deg",
    numpy=np.rad2deg,
    also=(np.degrees,),
    partials=(lambda out, x: 180 / math.pi,),
    sympy=formula("180*x/pi"),
)


# -- hyperbolic functions ------------------------------------------------------------------------

sinh = elementwise("sinh", numpy=np.sinh, partials=(lambda out, x: cosh(x),), sympy="sinh")
cosh: Op = elementwise("cosh", numpy=np.cosh, partials=(lambda out, x: sinh(x),), sympy="cosh")
tanh = elementwise("tanh", numpy=np.tanh, partials=(lambda out, x: 1 - out**2,), sympy="tanh")


def _arcsinh_partial(out: Node, x: Node) -> Node:
    # np.hypot does not overflow as x**2 does, and knows no complex numbers.
    return 1 / (sqrt(1 + x * x) if x.array_type.complex else hypot(x, 1))


arcsinh = elementwise("arcsinh", numpy=np.arcsinh, partials=(_arcsinh_partial,), sympy="asinh")


def _arccosh_partial(out: Node, x: Node) -> Pole:
    sine = sqrt(x - 1) * sqrt(x + 1)
    return Pole(1 / sine, sine, bounded=True)


arccosh = elementwise(
    "arccosh",
    numpy=np.arccosh,
    partials=(_arccosh_partial,),
    sympy="acosh",
)
arctanh = elementwise(
    "arctanh",
    numpy=np.arctanh,
    partials=(lambda out, x: _inverse((1 - x) * (1 + x)),),
    sympy="atanh",
)


# -- floating point ------------------------------------------------------------------------------

copysign: Op = elementwise(
    "copysign",
    numpy=np.copysign,
    partials=(lambda out, x, y: sign(x) * copysign(1, y), NON_DIFF),
    sympy=formula("Abs(x)*sign(y)"),
)
nextafter = elementwise("nextafter", numpy=np.nextafter, partials=(lambda *_: 1, NON_DIFF))
spacing = elementwise("spacing", numpy=np.spacing, partials=(NON_DIFF,))
ldexp: Op = elementwise(
    "ldexp",
    numpy=np.ldexp,
    partials=(lambda out, x, exponent: ldexp(1.0, exponent), NON_DIFF),
    sympy=lambda x, y: x * 2**y,
)
heaviside = elementwise(
    "heaviside",
    numpy=np.heaviside,
    partials=(NON_DIFF, lambda out, x, y: Masked(equal(x, 0), 1)),
    sympy="Heaviside",
)
