"""NumPy's "other special functions": the Bessel function i0, and sinc, a spherical one."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev as cheb

from gradsmith.errors import ArgumentTypeError
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Emitter, Partials
from gradsmith.ir.types import ArrayType, DType
from gradsmith.ops import syntax
from gradsmith.ops.arithmetic import sign
from gradsmith.ops.compare import less, less_equal
from gradsmith.ops.complex import absolute
from gradsmith.ops.declare import as_node, elementwise_infer, formula, implements, primitive
from gradsmith.ops.elementwise import cos, exp, sqrt
from gradsmith.ops.emission import emit_call
from gradsmith.ops.select import where


def _float_dtype(x: ArrayType) -> DType:
    return x.dtype if x.inexact else np.dtype(np.float64)


# -- sinc ----------------------------------------------------------------------------------------

# sin(y)/y has the derivative -j1(y). Where y = pi*x is small its terms cancel, and the power
# series is taken (Abramowitz and Stegun 10.1.2): y/3 times a polynomial of y**2, whose first term
# left out is below 1e-17 for |y| < 1/2.
_SERIES = (1.0, -1 / 10, 1 / 280, -1 / 15120, 1 / 1330560, -1 / 172972800, 1 / 31135104000)
_SLOPE = tuple(-(math.pi ** (2 * k + 2)) / 3 * c for k, c in enumerate(_SERIES))


def _sinc_partial(out: Node, x: Node) -> Node:
    square = x * x
    size = absolute(square) if x.array_type.complex else square
    near = less(size, 0.25 / math.pi**2)
    far = (cos(math.pi * x) - out) / where(near, 1, x)
    return where(near, x * _polynomial(square, _SLOPE), far)


def _polynomial(x: Node, coefficients: Sequence[float]) -> Any:
    """The polynomial with these coefficients, lowest first, by Horner's rule."""
    *rest, total = coefficients
    result: Any = total
    for coefficient in reversed(rest):
        result = coefficient + x * result
    return result


sinc = primitive(
    "sinc",
    infer=elementwise_infer(_float_dtype),
    evaluate=np.sinc,
    derivative=Partials((_sinc_partial,)),
    emit=emit_call("np.sinc"),
    sympy=formula("sinc(pi*x)"),
    traits=("elementwise",),
)


# -- i0 ------------------------------------------------------------------------------------------

# Chebyshev coefficients, computed with 40 digits (mpmath): of exp(-x)*I1(x)/x on [0, 8] in
# x/4 - 1, and of exp(-x)*sqrt(x)*I1(x) on [8, ∞) in 16/x - 1: the split that np.i0 makes for I0.
_SMALL = (
    0.12629359322181682,
    -0.17641651835783406,
    0.1026436586898471,
    -0.05294598120809499,
    0.024726449030626516,
    -0.010564084894626197,
    0.004156422944312888,
    -0.0015135724506312532,
    0.0005122859561685758,
    -0.00016176081582589674,
    4.781565107550054e-05,
    -1.3273163656039436e-05,
    3.4702513081376785e-06,
    -8.568720264695455e-07,
    2.0032947535521353e-07,
    -4.445059128796328e-08,
    9.381537386495773e-09,
    -1.8872497517228294e-09,
    3.625590281552117e-10,
    -6.663489723502027e-11,
    1.1736186298890901e-11,
    -1.9839743977649436e-12,
    3.223793365945575e-13,
    -5.042185504727912e-14,
    7.600684294735408e-15,
    -1.1055969477353862e-15,
    1.5536319577362005e-16,
    -2.111421214358166e-17,
    2.7779141127610464e-18,
    -3.541581772542136e-19,
)
_LARGE = (
    0.38928811750914005,
    -0.009761097491361469,
    -0.00011058893876262371,
    -3.882564808877691e-06,
    -2.512236237870209e-07,
    -2.6314688468895196e-08,
    -3.835380385964237e-09,
    -5.589743462196584e-10,
    -1.8974958123505413e-11,
    3.2526035830154884e-11,
    1.4125807436613782e-11,
    2.0356285441470896e-12,
    -7.198551776245908e-13,
    -4.0835511110921974e-13,
    -2.1015418427726643e-14,
    4.272440016711951e-14,
    1.0420276984128802e-14,
    -3.8144030724370075e-15,
    -1.8803547755107825e-15,
    3.3082023109209285e-16,
    2.96262899764595e-16,
    -3.209525921993424e-17,
    -4.6503053684893586e-17,
    4.414348323071708e-18,
    7.517296310842105e-18,
    -9.314178867326884e-19,
    -1.242193275194891e-18,
)


def _emit_chebyshev(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    return syntax.call("np.polynomial.chebyshev.chebval", x, node.attrs["coefficients"])


def _chebyshev_partial(out: Node, x: Node, *, coefficients: tuple[float, ...]) -> Node:
    return chebyshev(x, coefficients=tuple(cheb.chebder(coefficients).tolist()))


chebyshev = primitive(
    "chebyshev",
    infer=elementwise_infer(lambda x: np.promote_types(x.dtype, np.float64)),
    evaluate=lambda x, *, coefficients: cheb.chebval(x, coefficients),
    derivative=Partials((_chebyshev_partial,)),
    emit=_emit_chebyshev,
    traits=("elementwise",),
)


def i1(x: Node) -> Node:
    """The modified Bessel function of order one, which NumPy lacks: the derivative of i0."""
    size = absolute(x)
    near = less_equal(size, 8)
    small = x * chebyshev(where(near, size, 8) / 4 - 1, coefficients=_SMALL)
    far = where(near, 8, size)
    large = sign(x) * chebyshev(16 / far - 1, coefficients=_LARGE) / sqrt(far)
    return exp(size) * where(near, small, large)


def _i0_infer(x: ArrayType) -> ArrayType:
    if x.complex:
        raise ArgumentTypeError("i0 not supported for complex values")
    return ArrayType(_float_dtype(x), x.shape)  # without axes np.i0 makes an array, too


i0 = primitive(
    "i0",
    infer=_i0_infer,
    evaluate=np.i0,
    derivative=Partials((lambda out, x: i1(x),)),
    emit=emit_call("np.i0"),
    sympy=formula("besseli(0, x)"),
    traits=("elementwise",),
)


@implements(np.sinc)
def _sinc(x: Any) -> Node:
    return sinc(as_node(x))


@implements(np.i0)
def _i0(x: Any) -> Node:
    return i0(as_node(x))
