"""Derivative rules of the user's own: `custom_vjp`, `custom_jvp`, `elementwise`, `check_rule`."""

from __future__ import annotations

import dataclasses
import types

import numpy as np
import pytest
import sympy

import gradsmith as gs
from helpers import each

X = np.array([0.5, 1.25, -2.0])
Y = np.array([1.5, 0.75, 0.3])
S = types.SimpleNamespace(scale=np.array([2.0, 3.0, 4.0]))
pytestmark = pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")


@dataclasses.dataclass
class State:
    position: object
    velocity: object


@gs.custom_vjp
def sine(x):
    return np.sin(x)


sine.defvjp(lambda x: (np.sin(x), np.cos(x)), lambda cos, g: (g * cos,))


@gs.custom_vjp
def product(x, y):
    return x * y


product.defvjp(lambda x, y: (x * y, (x, y)), lambda kept, g: (g * kept[1], g * kept[0]))


@gs.custom_vjp
def in_trees(p, pair):
    return {"sum": p["a"] + pair[0], "parts": (p["b"] * pair[1], 3)}


def in_trees_fwd(p, pair):
    return in_trees(p, pair), {"b": p["b"], "s": pair[1]}


def in_trees_bwd(kept, g):
    first = g["parts"][0]
    by_pair = np.sum(g["sum"]), np.sum(first * kept["b"])
    return {"a": g["sum"], "b": first * kept["s"]}, by_pair


in_trees.defvjp(in_trees_fwd, in_trees_bwd)


@gs.custom_vjp
def of_an_object(state):
    return State(state.position * 2, np.exp(state.velocity))


of_an_object.defvjp(
    lambda s: (State(s.position * 2, np.exp(s.velocity)), np.exp(s.velocity)),
    lambda e, g: (State(g.position * 2, g.velocity * e),),
)


def power_fwd(n, x):
    return x**n, x


def power_bwd(n, x, g):
    return (g * n * x ** (n - 1),)


def power_of(n, x):
    return x**n


power = gs.custom_vjp(power_of, nondiff_argnums=0)
power.defvjp(power_fwd, power_bwd)


@gs.custom_vjp
def uses_another(x):
    return np.sin(x) * x


# the rule is made of another one
uses_another.defvjp(lambda x: (sine(x) * x, x), lambda x, g: (g * (np.cos(x) * x) + g * sine(x),))


@gs.custom_vjp
def with_a_loop(x):
    total = x * 0.0
    for k in range(4):
        total = total + x**k
    return total


def with_a_loop_bwd(x, g):
    slope = x * 0.0
    for k in range(1, 4):
        slope = slope + k * x ** (k - 1)
    return (g * slope,)


with_a_loop.defvjp(lambda x: (with_a_loop(x), x), with_a_loop_bwd)


@gs.custom_vjp
def with_a_branch(x):
    return np.exp(x) if np.sum(x) > 0 else x * 2


def with_a_branch_bwd(x, g):
    if np.sum(x) > 0:
        return (g * np.exp(x),)
    return (g * 2,)


with_a_branch.defvjp(lambda x: (with_a_branch(x), x), with_a_branch_bwd)


@gs.custom_vjp
def by_a_captured(x):
    return x * S.scale


by_a_captured.defvjp(lambda x: (x * S.scale, None), lambda _, g: (g * S.scale,))


@gs.custom_vjp
def with_a_none(x, y):
    return x * 3


with_a_none.defvjp(lambda x, y: (x * 3, None), lambda _, g: (g * 3, None))


@gs.custom_jvp
def tangent_product(x, y):
    return x * y


@tangent_product.defjvp
def tangent_product_rule(primals, tangents):
    (x, y), (tx, ty) = primals, tangents
    return x * y, tx * y + x * ty


@gs.custom_jvp
def tangents_of_trees(p):
    return {"r": np.hypot(p["x"], p["y"]), "n": (p["x"] * 2,)}


@tangents_of_trees.defjvp
def tangents_of_trees_rule(primals, tangents):
    (p,), (t,) = primals, tangents
    r = np.hypot(p["x"], p["y"])
    return tangents_of_trees(p), {
        "r": (p["x"] * t["x"] + p["y"] * t["y"]) / r,
        "n": (t["x"] * 2,),
    }


@gs.custom_jvp
def iterated(x):
    for _ in range(3):
        x = np.cos(x)
    return x


@iterated.defjvp
def iterated_rule(primals, tangents):
    (x,), (t,) = primals, tangents
    for _ in range(3):
        t = -np.sin(x) * t
        x = np.cos(x)
    return x, t


scaled = gs.custom_jvp(lambda n, x: x * n, nondiff_argnums=(0,))
scaled.defjvp(lambda n, primals, tangents: (primals[0] * n, tangents[0] * n))

waves = gs.elementwise(lambda x, y: np.sin(x) * y**2, sympy="sin(x)*y**2")
bump = gs.elementwise(
    lambda x: np.exp(-(x**2)), sympy=sympy.exp(-(sympy.Symbol("x", real=True) ** 2))
)

TREE = ({"a": X, "b": Y}, (0.5, 2.0))
RULES = [
    (sine, (X,)),
    (sine, (0.7,)),
    (product, (X, Y)),
    (in_trees, TREE),
    (of_an_object, (State(X, Y),)),
    (power, (3, X)),
    (uses_another, (X,)),
    (with_a_loop, (X,)),
    (with_a_branch, (Y,)),
    (with_a_branch, (-Y,)),
    (by_a_captured, (X,)),
    (tangent_product, (X, Y)),
    (tangents_of_trees, ({"x": X, "y": Y},)),
    (iterated, (X,)),
    (scaled, (3, X)),
    (waves, (X, Y)),
    (bump, (X,)),
]


@pytest.mark.parametrize(("fun", "args"), RULES)
def test_rules_in_every_place(fun, args):
    gs.testing.check_rule(fun, args)


@each(
    ("fun", "args"), [r for r in RULES if r[0] in (sine, product, uses_another, waves, iterated)]
)
def test_rules_are_differentiated_again(fun, args):
    modes = ("rev",) if isinstance(fun, type(sine)) else ("rev", "fwd")
    gs.check_grads(lambda *xs: fun(*xs) * fun(*xs), args, order=2, modes=modes)


@gs.custom_jvp
def affine(x, p):
    return x * p["a"] + p["b"]


@affine.defjvp
def affine_rule(primals, tangents):
    (x, p), (t, s) = primals, tangents
    return affine(x, p), t * p["a"] + x * s["a"] + s["b"]


power_of_two = gs.elementwise(lambda x, n: x**n, sympy="x**n")
CONSTANTS = [
    (lambda x: affine(x, {"a": 3.0, "b": Y}), 3.0 + 0 * X),
    (lambda x: affine(2.0, {"a": x, "b": 5}), 2.0 + 0 * X),
    (lambda x: tangent_product(x, Y), Y),
    (lambda x: tangent_product(np.float32(2.0), x), 2.0 + 0 * X),
    (lambda x: waves(x, 0.5), None),
    (lambda x: waves(Y, x), None),
    (lambda x: power_of_two(x, 2), 2 * X),
    (lambda x: power_of_two(x, 2.0), 2 * X),
    (lambda x: power_of_two(x, gs.stop_gradient(np.abs(x) * 0 + 2)), 2 * X),
]


@each(("fun", "slope"), CONSTANTS)
def test_constant_arguments_have_no_tangent(fun, slope):
    direction = np.array([1.0, -0.5, 2.0])
    value, tangent = gs.jvp(fun, (X,), (direction,))
    np.testing.assert_array_equal(value, fun(X))
    if slope is None:
        slope = gs.grad(lambda x: np.sum(fun(x)))(X)
    np.testing.assert_allclose(tangent, slope * direction, rtol=1e-13)
    np.testing.assert_allclose(gs.vjp(fun, X)[1](direction)[0], slope * direction, rtol=1e-13)


def wrong(x):
    return np.sin(x)


def threefold(fun):
    """The rule of the function says three times the derivative: that it is used shows."""
    ruled = gs.custom_vjp(fun)
    ruled.defvjp(lambda *xs: (fun(*xs), xs), lambda xs, g: tuple(3 * g * x for x in xs))
    return ruled


square_rule = threefold(lambda x: x * x / 2)  # its own derivative is x


def in_a_loop(x):
    total = 0.0
    for v in x:
        if v > 0:  # noqa: SIM108
            total = total + square_rule(v) * 2
        else:
            total = total - square_rule(v)
    return total


def in_a_while(x):
    total, k = 0.0, 0
    while k < x.shape[0] and total < 100.0:
        total = total + square_rule(x[k])
        k += 1
    return total


def chained(x):
    y = square_rule(x)
    return np.sum(square_rule(y) + y)


PLACES = [
    (lambda x: np.sum(square_rule(x)), lambda x: 3 * x),
    (lambda x: np.sum(square_rule(x=x)), lambda x: 3 * x),
    (in_a_loop, lambda x: np.where(x > 0, 6 * x, -3 * x)),
    (in_a_while, lambda x: 3 * x),
    (chained, lambda x: (1 + 3 * x * x / 2) * 3 * x),
    (gs.checkpoint(lambda x: np.sum(square_rule(x))), lambda x: 3 * x),
    (lambda x: sum([square_rule(v) for v in x]), lambda x: 3 * x),
    (lambda x: np.sum(gs.stop_gradient(square_rule(x)) * x), lambda x: x * x / 2),
]


@each(("fun", "expected"), PLACES)
def test_the_rule_is_what_counts(fun, expected):
    slope = gs.grad(fun)
    for x in (X, 2 * X, Y[:2]):
        np.testing.assert_allclose(slope(x), expected(x), rtol=1e-13)
        assert gs.compile(fun)(x) == pytest.approx(fun(x))
        np.testing.assert_allclose(gs.vjp(fun, x)[1](2.0)[0], 2 * expected(x), rtol=1e-13)
    single = X.astype(np.float32)
    assert slope(single).dtype == np.float32


def test_second_derivatives_go_through_the_rule():
    slope = gs.grad(lambda x: np.sum(gs.grad(lambda x: np.sum(square_rule(x)))(x) * x))
    np.testing.assert_allclose(slope(X), 6 * X)


def test_the_rule_of_a_method():
    class Model:
        def __init__(self, w):
            self.w = w

        @gs.custom_vjp
        def energy(self, x):
            return self.w * x

    Model.energy.defvjp(lambda self, x: (self.w * x, self.w), lambda w, g: (None, 5 * g * w))
    model = Model(2.0)
    np.testing.assert_allclose(gs.grad(lambda x: np.sum(model.energy(x)))(X), np.full(3, 10.0))
    model.w = 3.0
    np.testing.assert_allclose(gs.grad(lambda x: np.sum(model.energy(x)))(X), np.full(3, 15.0))


def test_the_source_needs_only_numpy():
    text = gs.grad(lambda x: np.sum(sine(x) * x)).source(X)
    namespace = {}
    exec(text, namespace)
    assert [line for line in text.splitlines() if "import" in line] == ["import numpy as np"]
    code = [line for line in text.splitlines() if not line.strip().startswith("#")]
    assert "\n".join(code).count("np.cos(x)") == 1
    assert "\n".join(code).count("np.sin(x)") == 1


def test_prints_happen_once(capsys):
    def function(x):
        print("value", x[0])
        return x * 2

    loud = gs.custom_vjp(function)
    loud.defvjp(lambda x: (function(x), None), lambda _, g: (g * 2,))
    slope = gs.grad(lambda x: np.sum(loud(x)))
    for _ in range(2):
        slope(X)
        assert capsys.readouterr().out == "value 0.5\n"


def test_calls_outside_are_the_function_itself():
    assert sine(0.5) == np.sin(0.5)
    assert power(3, 2.0) == 8.0
    np.testing.assert_array_equal(waves(X, Y), np.sin(X) * Y**2)
    assert sine.__name__ == "sine"


# --- ufuncs of SciPy are called as they are

special = pytest.importorskip("scipy.special")
erf = gs.custom_vjp(special.erf)
erf.defvjp(
    lambda x: (special.erf(x), x),
    lambda x, g: (g * 2 / np.sqrt(np.pi) * np.exp(-x * x),),
)
erf_by_sympy = gs.elementwise(special.erf, sympy="erf(x)")


@each("fun", [erf, erf_by_sympy])
@each("x", [X, 0.7, X.astype(np.float32)[None]])
def test_rules_of_functions_that_have_none(fun, x):
    gs.testing.check_rule(fun, (x,))
    text = gs.grad(lambda x: np.sum(fun(x) * x)).source(x)
    namespace = {}
    exec(text, namespace)
    assert "import scipy.special\n" in text
    assert "scipy.special.erf(x)" in text


def of_a_constant(x):
    return np.sum(x * special.erf(0.3))


def beside(x):
    return np.sum(x * special.gammaln(gs.stop_gradient(x) ** 2 + 1.0))


def in_a_loop_of_values(scipy):
    total = 0.0
    for v in scipy:
        total = total + gs.stop_gradient(special.jv(1.0, v)) * v
    return total


@pytest.mark.parametrize("fun", [of_a_constant, beside, in_a_loop_of_values])
def test_library_ufuncs_that_are_not_differentiated(fun):
    compiled, slope = gs.compile(fun), gs.grad(fun)
    for x in (X, Y[:2], 2 * Y):
        np.testing.assert_array_equal(compiled(x), fun(x))
        np.testing.assert_allclose(np.sum(slope(x) * x), fun(x), rtol=1e-13)
        np.testing.assert_allclose(gs.jvp(fun, (x,), (x,))[1], fun(x), rtol=1e-13)


def test_library_ufuncs_whose_derivative_is_needed():
    for transform in (gs.grad, lambda f: lambda x: gs.jvp(f, (x,), (x,))):
        with pytest.raises(gs.GradsmithError, match="erf, which has no derivative") as caught:
            transform(lambda x: np.sum(special.erf(x)))(X)
        assert "gs.custom_vjp" in str(caught.value)


# --- refusals

no_rule = gs.custom_vjp(wrong)
three = gs.custom_vjp(lambda x, y: x * y)
three.defvjp(lambda x, y: (x * y, None), lambda _, g: (g, g, g))
shapeless = gs.custom_vjp(lambda x: x * 2)
shapeless.defvjp(lambda x: (x * 2, None), lambda _, g: (np.sum(g),))
no_pair = gs.custom_vjp(lambda x: x * 2)
no_pair.defvjp(lambda x: x * 2, lambda _, g: (g,))
structure = gs.custom_vjp(lambda p: p["a"] * 2)
structure.defvjp(lambda p: (p["a"] * 2, None), lambda _, g: ({"b": g},))
other_value = gs.custom_vjp(lambda x: x * 2)
other_value.defvjp(lambda x: (x * 3, None), lambda _, g: (g * 2,))
writes = gs.custom_vjp(lambda x: np.multiply(x, 2, out=x))
writes.defvjp(lambda x: (x * 2, None), lambda _, g: (g * 2,))
not_linear = gs.custom_jvp(lambda x: x * 2)
not_linear.defjvp(lambda primals, tangents: (primals[0] * 2, tangents[0] ** 2))


def closes_over(x):
    inner = gs.custom_vjp(lambda y: y * x)
    inner.defvjp(lambda y: (y * x, None), lambda _, g: (g * x,))
    return np.sum(inner(x))


REFUSED = [
    (lambda x: np.sum(no_rule(x)), "no derivative rule"),
    (lambda x: np.sum(three(x, x)), "a tuple of 2"),
    (lambda x: np.sum(shapeless(x)), "has shape"),
    (lambda x: np.sum(no_pair(x)), "not a pair"),
    (lambda x: np.sum(structure({"a": x})), "keys"),
    (lambda x: np.sum(writes(x)), "writes to its argument"),
    (closes_over, "not among its arguments"),
    (lambda x: np.sum(power(x[0], x)), "nondiff_argnums"),
]


@each(("fun", "message"), REFUSED)
def test_what_a_rule_cannot_be(fun, message):
    with pytest.raises(gs.GradsmithError, match=message):
        gs.grad(fun)(X)


def test_forward_mode_needs_a_rule_of_its_own():
    with pytest.raises(gs.GradsmithError, match="custom_jvp"):
        gs.jvp(sine, (X,), (X,))


@pytest.mark.parametrize(
    ("fun", "args"), [(square_rule, (X,)), (other_value, (X,)), (not_linear, (X,))]
)
def test_the_test_kit_finds_wrong_rules(fun, args):
    with pytest.raises(gs.GradsmithError) as caught:
        gs.testing.check_rule(fun, args)
    assert isinstance(caught.value, AssertionError)


def test_the_test_kit_wants_a_rule():
    for fun in (np.sin, no_rule):
        with pytest.raises(TypeError, match="no derivative rule"):
            gs.testing.check_rule(fun, (X,))


def test_expressions_that_do_not_fit():
    with pytest.raises(ValueError, match="symbols z"):
        gs.elementwise(lambda x: x, sympy="x*z")
    with pytest.raises(ValueError, match="does not know the derivative"):
        gs.elementwise(lambda x: x, sympy=sympy.Function("f")(sympy.Symbol("x")))
