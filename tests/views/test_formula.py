"""f.formula: the adjoint as SymPy writes it, against sympy.diff of formulas written by hand."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from numpy.testing import assert_allclose

import gradsmith as gs
from helpers import each


def formula(function, *args, wrt=0, **kwargs):
    return gs.differentiable(function).formula(*args, wrt=wrt, **kwargs)


def number(expression, **values):
    """The value of an expression with its symbols by name."""
    named = {symbol: values[symbol.name] for symbol in expression.free_symbols}
    return float(expression.subs(named))


# --- scalars, against sympy.diff

x, y, a, b, c, m = sp.symbols("x y a b c m", real=True)


def square(u):
    return u * u


def gaussian(x, a, b):
    return np.exp(-(((x - a) / b) ** 2) / 2) / b


def helped(x, y):
    return square(np.sin(x) + y) - square(y)


def loops(x, y):
    total = 0.0
    for k in range(1, 4):
        total = total + k * x**k * y
    return total


def huber(x, a):
    return np.where(np.abs(x) <= a, 0.5 * x**2, a * (np.abs(x) - 0.5 * a))


def three_ways(x):
    return np.where(x > 1, np.where(x > 2, x**2, 3 * x), np.sin(x))


def two_conditions(x, y):
    return np.where((x > 0) & (y > 0) | ~(x < 1), x * y, x + y)


EXPRESSIONS = {
    "polynomial": (lambda a, b, c: 3 * a + 2 * b * b + np.log(c), 3 * a + 2 * b**2 + sp.log(c)),
    "powers": (
        lambda x, y: x**3 - x**-2 + y**0.5 * np.sqrt(x) + 2.0**y,
        x**3 - x**-2 + sp.sqrt(y * x) + 2**y,
    ),
    "x**y": (lambda x, y: x**y, x**y),
    "quotients": (lambda x, y: (x - y) / (1 + x * y) - 1 / y, (x - y) / (1 + x * y) - 1 / y),
    "circular": (
        lambda x, y: np.sin(x) * np.cos(y) + np.tan(x * y),
        sp.sin(x) * sp.cos(y) + sp.tan(x * y),
    ),
    "inverse circular": (
        lambda x, y: np.arcsin(x / 4) + np.arccos(y / 4) + np.arctan2(y, x) + np.arctan(x),
        sp.asin(x / 4) + sp.acos(y / 4) + sp.atan2(y, x) + sp.atan(x),
    ),
    "hyperbolic": (
        lambda x, y: np.tanh(x) * np.cosh(y) + np.sinh(x * y) + np.arcsinh(x),
        sp.tanh(x) * sp.cosh(y) + sp.sinh(x * y) + sp.asinh(x),
    ),
    "exponentials": (
        lambda x, y: np.exp2(x) + np.expm1(y) * np.log1p(x) + np.log2(y) + np.log10(x),
        2**x + (sp.exp(y) - 1) * sp.log(1 + x) + sp.log(y, 2) + sp.log(x, 10),
    ),
    "logaddexp": (lambda x, y: np.logaddexp(x, 2 * y), sp.log(sp.exp(x) + sp.exp(2 * y))),
    "logistic": (lambda m: np.log1p(np.exp(-m)), sp.log(1 + sp.exp(-m))),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 1 / (1 + sp.exp(-x))),
    "roots": (lambda x, y: np.hypot(x, y) + np.cbrt(x), sp.sqrt(x**2 + y**2) + sp.cbrt(x)),
    "gaussian": (gaussian, sp.exp(-(((x - a) / b) ** 2) / 2) / b),
    "helper": (helped, (sp.sin(x) + y) ** 2 - y**2),
    "unrolled loop": (loops, (x + 2 * x**2 + 3 * x**3) * y),
    "remainder": (lambda x, y: x % y + x // y, x - y * sp.floor(x / y) + sp.floor(x / y)),
    "maximum": (lambda x, y: np.maximum(x, y) * np.minimum(x, 2), sp.Max(x, y) * sp.Min(x, 2)),
    "clip": (lambda x, y: np.clip(x * y, 1, 3), sp.Min(sp.Max(x * y, 1), 3)),
    "where": (
        lambda x, y: np.where(x > y, x**2, -x * y),
        sp.Piecewise((x**2, x > y), (-x * y, True)),
    ),
    "huber": (huber, sp.Piecewise((x**2 / 2, abs(x) <= a), (a * (abs(x) - a / 2), True))),
    "three ways": (
        three_ways,
        sp.Piecewise((x**2, x > 2), (3 * x, x > 1), (sp.sin(x), True)),
    ),
    "two conditions": (
        two_conditions,
        sp.Piecewise((x * y, ((x > 0) & (y > 0)) | (x >= 1)), (x + y, True)),
    ),
}
POINTS = [
    dict(zip("xyabcm", values, strict=True))
    for values in ([1.3, 0.6, 0.9, 1.7, 2.2, 0.4], [2.25, 3.1, 2.6, 0.8, 0.3, 5.0])
]


@pytest.mark.parametrize("name", EXPRESSIONS)
@each("point", POINTS)
def test_is_the_derivative(name, point):
    function, expression = EXPRESSIONS[name]
    names = list(function.__code__.co_varnames[: function.__code__.co_argcount])
    formulas = formula(function, wrt=names)
    assert isinstance(formulas, tuple)
    for parameter, found in zip(names, formulas, strict=True):
        symbol = sp.Symbol(parameter, real=True)
        assert found.free_symbols <= {sp.Symbol(n, real=True) for n in names}
        exact = sp.diff(expression, symbol)
        # SymPy leaves derivatives of steps as Derivative(floor(...)): 0 between the steps.
        exact = exact.replace(sp.Derivative, lambda *_: sp.S.Zero)
        exact = exact.replace(sp.Subs, lambda *_: sp.S.Zero)
        assert_allclose(number(found, **point), number(exact, **point), rtol=1e-12)


def test_is_the_very_formula():
    cubic = lambda a, b, c: 3 * a + 2 * b * b + np.log(c)  # noqa: E731
    assert formula(cubic, wrt="b") == 4 * b
    assert formula(cubic, wrt=("a", "c")) == (3, 1 / c)
    assert formula(cubic, wrt=["b"]) == (4 * b,)
    assert formula(cubic, wrt=-1) == 1 / c


def test_shared_argument():
    def network(x1, x2, w1, w2, w3):
        return 1 - (w2 * (w1 * x1) + w3 * (w1 * x2))

    x1, x2, w2, w3 = sp.symbols("x1 x2 w2 w3", real=True)
    assert sp.simplify(formula(network, wrt="w1") + w2 * x1 + w3 * x2) == 0


def test_logistic():
    found = formula(EXPRESSIONS["logistic"][0], wrt="m")
    assert sp.simplify(found + 1 / (1 + sp.exp(m))) == 0


# --- how it reads


@each(
    ("function", "text"),
    [
        (lambda x: 0.5 * x**2, "x"),
        (lambda x: 0.1 * x**2, "0.2*x"),
        (lambda x: x**1.5 / 4, "3*sqrt(x)/8"),
        (lambda x: np.pi * x, "3.14159265358979"),
        (lambda x: 1e300 * x, "1.00000000000000e+300"),
        (lambda x: np.where(x > 0, x**2, -x), "Piecewise((-1, x <= 0), (2*x, True))"),
        (lambda x: np.maximum(x, 0), "Piecewise((1/2, Eq(x, 0)), (1, x >= 0), (0, True))"),
        (three_ways, "Piecewise((cos(x), x <= 1), (3, x <= 2), (2*x, True))"),
        (lambda x: 2 * np.abs(x), "2*sign(x)"),
        (lambda x: x * (x > 1), "Piecewise((1, x > 1), (0, True))"),
    ],
)
def test_reads(function, text):
    assert str(formula(function, wrt="x")) == text


def test_ties_are_shared():
    found = formula(lambda x, y: np.maximum(x, y) + y, wrt="x")
    assert [number(found, x=v, y=1) for v in (0, 1, 2)] == [0, 0.5, 1]


# --- parameters


def test_defaults():
    def scaled(x, factor=2, *, exponent=3.0, twice=True, mode="plain", nothing=None):
        assert mode == "plain"
        assert nothing is None
        return (2 if twice else 1) * factor * x**exponent

    found = formula(scaled, wrt="factor")
    assert found == 2 * x ** sp.Symbol("exponent", real=True)
    assert formula(scaled, 1.0, 2.0, twice=False, wrt="factor") == found / 2


def test_annotated_parameters_are_what_they_say():
    def total(x, w):
        return np.sum(x @ w)

    total.__annotations__ = {"x": 'Float[np.ndarray, "n d"]', "w": 'Float[np.ndarray, "d"]'}
    assert {symbol.name for symbol in formula(total, wrt="x").free_symbols} >= {"w"}
    assert formula(total, wrt="w").has(sp.Function("matmul"), sp.Function("sum"))


def test_integer_arguments_are_symbols():
    found = formula(lambda x, n: x**2 / n, 1.0, 3, wrt="x")
    assert found == 2 * x / sp.Symbol("n", real=True)


def test_sizes_are_symbols():
    found = formula(lambda x: np.sum(x**2) / len(x), np.ones(3), wrt="x")
    size = next(s for s in found.free_symbols if s.name == "x.shape[0]")
    assert found == 2 * x / size
    assert size.is_integer


FACTOR = 2.5
ROW = np.array([1.0, 2.0, 4.0])


def test_captured_values_are_symbols():
    assert formula(lambda x: FACTOR * x**2) == 2 * x * sp.Symbol("FACTOR", real=True)
    assert formula(lambda x: np.sum(ROW * x), np.ones(3)) == sp.Symbol("ROW", real=True)


def test_trees():
    def model(params, x):
        return params["w"] * x**2 + params["b"][0] * x

    params = {"w": 1.0, "b": [2.0]}
    assert formula(model, params, 3.0, wrt="params") == {"w": x**2, "b": [x]}
    names = {s.name for s in formula(model, params, 3.0, wrt="x").free_symbols}
    assert names == {"w", "params_b_0", "x"}


def test_symbols_are_told_apart():
    def clash(p, q, w):
        return p["w"] * q["w"] * w**2

    found = formula(clash, {"w": 1.0}, {"w": 1.0}, 1.0, wrt="w")
    assert {s.name for s in found.free_symbols} == {"w", "p['w']", "q['w']"}


def test_booleans():
    found = formula(lambda m, x: m * x**2 + np.where(m, x, 0.0), np.bool_(True), 2.0, wrt="x")
    flag = next(s for s in found.free_symbols if s.name == "m")
    assert found.subs(flag, True).subs(x, 3) == 7
    assert found.subs(flag, False) == 0


def test_complex_parameters():
    z = sp.Symbol("z")
    assert formula(lambda z: np.real(z * z), 1j, wrt="z") == 2 * sp.conjugate(z)
    seed = sp.Symbol("g")
    assert sp.simplify(formula(lambda z: z * z, 1j) - 2 * seed * sp.conjugate(z)) == 0


# --- what is refused


def test_unused_parameter():
    with pytest.raises(RuntimeError, match="not used") as caught:
        formula(lambda x, y: x**2, wrt="y")
    assert "would be 0" in str(caught.value)


def test_unknown_parameter():
    with pytest.raises(ValueError, match="no parameter 'z'"):
        formula(lambda x: x**2, wrt="z")


def test_too_deep():
    def deep(x):
        for _ in [None] * 1500:
            x = np.tanh(x)
        return x

    with pytest.raises(gs.GradsmithError, match="too deeply"):
        formula(deep)


def test_arguments_without_signature():
    with pytest.raises(TypeError, match="example arguments"):
        formula(type("", (), {"__call__": print, "__signature__": None})(), wrt=0)
