"""grad, value_and_grad, vjp, compile and differentiable: results, nesting, confusion."""

# The functions under test are lambdas in rows.
# ruff: noqa: PLW0108

from __future__ import annotations

import logging
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import optimize

import gradsmith as gs
from gradsmith.frontend.trace import current_trace
from helpers import each
from semantics.numbers import same

X = np.array([0.5, -1.25, 2.0])
W = np.array([3.0, 4.0, 5.0])


def product(x, w, v):
    return np.sum(x * w**2 * v**3)


V = np.array([0.1, 0.2, 0.3])
PARTIALS = (W**2 * V**3, 2 * X * W * V**3, 3 * X * W**2 * V**2)


# --- grad


@each("argnums", [0, 1, 2, -1])
def test_grad_by_an_int_is_one_gradient(argnums):
    g = gs.grad(product, argnums=argnums)(X, W, V)
    assert isinstance(g, np.ndarray)
    same(g, PARTIALS[argnums])


@each("argnums", [(0,), (0, 1), (2, 0), (0, 1, 2), (1, 1), (-1, 0), [0, 2]])
def test_grad_by_a_tuple_is_a_tuple(argnums):
    g = gs.grad(product, argnums=argnums)(X, W, V)
    assert type(g) is tuple
    assert len(g) == len(argnums)
    for one, position in zip(g, argnums, strict=True):
        same(one, PARTIALS[position])


def test_grad_takes_argnums_by_position_as_jax():
    same(gs.grad(product, 1)(X, W, V), PARTIALS[1])


def test_grad_is_by_the_first_argument_unless_told():
    same(gs.grad(product)(X, W, V), PARTIALS[0])


@each("argnums", [3, (0, 3), -4, "x", 0.5])
def test_grad_by_an_argument_that_is_not_there_is_refused(argnums):
    with pytest.raises(gs.GradsmithError):
        gs.grad(product, argnums=argnums)(X, W, V)


def test_grad_of_scalars_is_a_scalar():
    g = gs.grad(lambda x: x**3)(2.0)
    assert np.shape(g) == ()
    assert g == 12.0
    assert isinstance(g, float)


def test_grad_with_grad_outputs():
    g = gs.grad(lambda x: x**2)(X, grad_outputs=W)
    same(g, 2 * X * W)


def test_grad_with_grad_outputs_for_several_outputs():
    g = gs.grad(lambda x: (x**2, np.sum(x)))(X, grad_outputs=(W, 2.0))
    same(g, 2 * X * W + 2)


def test_grad_without_grad_outputs_wants_a_scalar():
    with pytest.raises(RuntimeError, match="grad_outputs") as caught:
        gs.grad(lambda x: x**2)(X)
    assert isinstance(caught.value, gs.GradsmithError)
    assert "(3,)" in str(caught.value)


def test_grad_with_aux():
    def f(x):
        y = np.tanh(x)
        return np.sum(y * y), {"y": y, "name": "tanh", "n": 3}

    g, aux = gs.grad(f, has_aux=True)(X)
    same(g, 2 * np.tanh(X) / np.cosh(X) ** 2)
    same(aux["y"], np.tanh(X))
    assert (aux["name"], aux["n"]) == ("tanh", 3)


def test_value_and_grad_with_aux():
    def f(x, w):
        y = x * w
        return np.sum(y * y), (y, np.argmax(y))

    (value, (y, best)), (by_x, by_w) = gs.value_and_grad(f, argnums=(0, 1), has_aux=True)(X, W)
    same(value, np.sum((X * W) ** 2))
    same(y, X * W)
    assert best == 2
    same(by_x, 2 * X * W**2)
    same(by_w, 2 * X**2 * W)


def test_aux_does_not_enter_the_gradient():
    g, aux = gs.grad(lambda x: (np.sum(x), np.sum(x**2)), has_aux=True)(X)
    same(g, np.ones(3))
    same(aux, np.sum(X**2))


@pytest.mark.parametrize("fun", [lambda x: np.sum(x), lambda x: (1.0, 2.0, np.sum(x))])
def test_aux_wants_a_pair(fun):
    with pytest.raises((gs.GradsmithError, TypeError), match=r"aux|pair|tuple"):
        gs.grad(fun, has_aux=True)(X)


def test_value_and_grad():
    value, g = gs.value_and_grad(product)(X, W, V)
    same(value, product(X, W, V))
    same(g, PARTIALS[0])
    value, gradients = gs.value_and_grad(product, argnums=(1, 2))(X, W, V)
    same(value, product(X, W, V))
    same(gradients[0], PARTIALS[1])
    same(gradients[1], PARTIALS[2])


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


@each("method", ["BFGS", "L-BFGS-B", "CG", "SLSQP"])
def test_value_and_grad_fits_scipy_minimize(method):
    start = np.array([1.3, 0.7, 0.8, 1.9])
    found = optimize.minimize(gs.value_and_grad(rosenbrock), start, jac=True, method=method)
    np.testing.assert_allclose(found.x, np.ones(4), atol=2e-2)
    same(gs.grad(rosenbrock)(start), optimize.rosen_der(start))


def test_value_and_grad_fits_scipy_minimize_with_args():
    def loss(x, target, weight):
        return weight * np.sum((x - target) ** 2)

    found = optimize.minimize(gs.value_and_grad(loss), np.zeros(3), args=(W, 2.0), jac=True)
    np.testing.assert_allclose(found.x, W, atol=1e-6)


def test_differentiable_value_and_grad():
    value, gradients = gs.differentiable(product).value_and_grad(X, W, V)
    same(value, product(X, W, V))
    assert type(gradients) is tuple
    for one, expected in zip(gradients, PARTIALS, strict=True):
        same(one, expected)


def test_differentiable_takes_options_or_none():
    @gs.differentiable
    def bare(x):
        return np.sum(x * x)

    @gs.differentiable()
    def called(x):
        return np.sum(x * x)

    same(bare.grad(X)[0], 2 * X)
    same(called.grad(X)[0], 2 * X)


@pytest.mark.parametrize("transform", [gs.grad, gs.value_and_grad, gs.compile])
def test_transforms_accept_what_differentiable_returns(transform):
    def f(x):
        return np.sum(x**3)

    plain, decorated = transform(f)(X), transform(gs.differentiable(f))(X)
    assert type(plain) is type(decorated)
    pairs = (
        zip(plain, decorated, strict=True) if isinstance(plain, tuple) else [(plain, decorated)]
    )
    for a, b in pairs:
        np.testing.assert_array_equal(a, b)


# --- vjp


def test_vjp():
    out, pullback = gs.vjp(lambda x, w: x**2 * w, X, W)
    same(out, X**2 * W)
    gradients = pullback(V)
    assert type(gradients) is tuple
    same(gradients[0], 2 * X * W * V)
    same(gradients[1], X**2 * V)


def test_vjp_pullback_can_be_called_again():
    _, pullback = gs.vjp(lambda x: np.sin(x), X)
    for seed in (V, W, V):
        same(pullback(seed)[0], seed * np.cos(X))


def test_vjp_of_several_outputs():
    out, pullback = gs.vjp(lambda x: {"square": x**2, "total": np.sum(x)}, X)
    same(out["square"], X**2)
    (g,) = pullback({"square": V, "total": 2.0})
    same(g, 2 * X * V + 2)


def test_vjp_of_a_tree():
    _, pullback = gs.vjp(lambda p: np.sum(p["w"] * p["x"] ** 2), {"w": W, "x": X})
    (g,) = pullback(3.0)
    same(g["w"], 3 * X**2)
    same(g["x"], 6 * W * X)


@pytest.mark.parametrize("cotangent", [None, 7, np.array(7)], ids=str)
def test_vjp_ignores_the_cotangent_of_an_integer_output(cotangent):
    (values, best), pullback = gs.vjp(lambda x: (x**2, np.argmax(x)), X)
    same(values, X**2)
    assert best == 2
    same(pullback((V, cotangent))[0], 2 * X * V)


def test_vjp_of_only_an_integer_output_is_zero():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.UnusedInputWarning)
        out, pullback = gs.vjp(lambda x: x > 0, X)
        (g,) = pullback(np.array([True, False, True]))
    assert out.tolist() == [True, False, True]
    assert g.tolist() == [0, 0, 0]


def test_vjp_refuses_a_cotangent_of_another_shape():
    _, pullback = gs.vjp(lambda x: x**2, X)
    with pytest.raises(gs.GradsmithError, match=r"\(2,\)"):
        pullback(np.ones(2))


def test_vjp_pullback_keeps_what_it_was_given():
    x = X.copy()
    _, pullback = gs.vjp(lambda x: x**2, x)
    x[:] = 100.0
    same(pullback(V)[0], 2 * X * V)


def test_vjp_inside_a_function_that_is_differentiated():
    def f(x):
        out, pullback = gs.vjp(lambda y: np.sin(y) * y, x)
        (g,) = pullback(np.ones(3))
        return np.sum(out * g)

    f0, f1 = np.sin(X) * X, np.sin(X) + X * np.cos(X)
    f2 = 2 * np.cos(X) - X * np.sin(X)
    same(gs.grad(f)(X), f1 * f1 + f0 * f2)


def test_vjp_by_its_cotangent_inside_a_function_that_is_differentiated():
    def forward_mode(x, tangent):
        def pulled(v):
            return gs.vjp(lambda y: y**3, x)[1](v)[0]

        return gs.vjp(pulled, np.zeros(3))[1](tangent)[0]

    same(gs.compile(forward_mode)(X, V), 3 * X**2 * V)


# --- compile


def test_compile_gives_the_value():
    same(gs.compile(product)(X, W, V), product(X, W, V))


def test_compile_with_a_gradient_inside():
    def newton(x, w):
        y = np.sum(w * x**4)
        (g,) = gs.autograd.grad(y, x, create_graph=True)
        (h,) = gs.autograd.grad(np.sum(g), x)
        return x - g / h

    step = gs.compile(newton)
    same(step(X, W), X - X / 3)
    same(step(X[:2], W[:2]), (X - X / 3)[:2])


def counting(fun):
    """The function and a way to learn how often Python has run it.

    Emitted code logs as well: only what is logged while the function is traced counts.
    """
    runs = []
    logger = logging.Logger("runs")
    logger.addHandler(logging.NullHandler())
    logger.addFilter(lambda record: current_trace() is None or runs.append(record) is None)

    def counted(*args):
        logger.info("once more")
        return fun(*args)

    return counted, lambda: len(runs)


@pytest.mark.parametrize("transform", [gs.compile, gs.grad, gs.value_and_grad])
def test_the_python_function_runs_once_per_specialisation(transform):
    counted, runs = counting(lambda x, w: np.sum(np.sin(x) * w))
    call = transform(counted)
    call(X, W)
    after_one = runs()
    assert after_one >= 1
    for scale in (2.0, 3.0):
        call(scale * X, W)
    call(np.arange(7.0), np.arange(7.0))
    assert runs() == after_one
    call(X.astype(np.float32), W)
    assert runs() > after_one
    after_two = runs()
    call(X, W)
    call(X.astype(np.float32), W)
    assert runs() == after_two


def test_the_python_function_of_f_grad_runs_once_per_specialisation():
    counted, runs = counting(lambda x: np.sum(np.sin(x)))
    f = gs.differentiable(counted)
    f.grad(X)
    once = runs()
    for _ in range(3):
        same(f.grad(X * 2)[0], np.cos(X * 2))
    assert runs() == once


def test_compile_returns_what_the_function_returns():
    def f(x):
        return {"a": x * 2, "b": [np.sum(x), (x, None)], "c": "text", "d": 3, "e": True}

    result = gs.compile(f)(X)
    assert list(result) == ["a", "b", "c", "d", "e"]
    assert (result["c"], result["d"], result["e"]) == ("text", 3, True)
    assert result["b"][1][1] is None
    same(result["a"], 2 * X)


def test_compile_of_a_function_that_ignores_its_arguments():
    assert gs.compile(lambda x: 3.0)(X) == 3.0
    same(gs.compile(lambda x: np.ones(2))(X), [1, 1])


def test_compile_of_a_function_without_arguments():
    same(gs.compile(lambda: np.sin(W) * 2)(), np.sin(W) * 2)


def test_compile_inside_a_function_that_is_differentiated():
    inner = gs.compile(lambda x: np.sin(x) * x)
    same(gs.grad(lambda x: np.sum(inner(x) * x))(X), 2 * X * np.sin(X) + X**2 * np.cos(X))


def test_compile_of_a_gradient():
    same(gs.compile(gs.grad(lambda x: np.sum(x**3)))(X), 3 * X**2)


# --- one function, many callers


def test_concurrent_calls_give_the_same_numbers():
    f = gs.differentiable(lambda x, w: np.sum(np.tanh(x * w) ** 2))
    expected = gs.differentiable(lambda x, w: np.sum(np.tanh(x * w) ** 2)).grad(X, W)
    barrier = threading.Barrier(8)

    def work(_):
        barrier.wait()
        return [f.grad(X, W) for _ in range(20)]

    with ThreadPoolExecutor(8) as pool:
        for results in pool.map(work, range(8)):
            for result in results:
                np.testing.assert_array_equal(result, expected)


def test_concurrent_calls_of_different_specialisations():
    g = gs.grad(lambda x: np.sum(np.sin(x) * x))
    arguments = [np.linspace(0, 1, n).astype(t) for n in (1, 2, 5) for t in (np.float32, float)]
    barrier = threading.Barrier(len(arguments))

    def work(x):
        barrier.wait()
        return [g(x) for _ in range(10)]

    with ThreadPoolExecutor(len(arguments)) as pool:
        for x, results in zip(arguments, pool.map(work, arguments), strict=True):
            for result in results:
                assert result.dtype == x.dtype
                np.testing.assert_allclose(result, np.sin(x) + x * np.cos(x), rtol=1e-5)


def test_every_transform_carries_source_and_emit(tmp_path):
    def f(x):
        return np.sum(np.sin(x))

    decorated = gs.differentiable(f)
    for number, call in enumerate(
        (gs.grad(f), gs.value_and_grad(f), gs.compile(f), decorated.grad)
    ):
        assert "np.sin" in call.source(X) or "np.cos" in call.source(X)
        path = tmp_path / f"emitted_{number}.py"
        call.emit(path, X)
        assert "np." in path.read_text(encoding="utf-8")
        call.emit(str(path), X)


class Held:
    def __init__(self):
        self.factor = np.array([1.0, np.nan, 3.0])
        self.others = [2.0, 5.0]
        self.count = 2
        self.unread = 1.0

    @property
    def fresh(self):
        return list(self.others)


def with_factor(held, x):
    return x * held.factor


def with_items(held, x):
    return sum(x * other for other in held.others)


def with_count(held, x):
    return x[: held.count] * np.sum(held.fresh)


def in_place(held):
    held.factor[0] = 7.0


def rebound(held):
    held.factor = held.factor * 2


def grown(held):
    held.others.append(1.0)


def counted(held):
    held.count = 3


@each(
    ("function", "change"),
    [
        (with_factor, in_place),
        (with_factor, rebound),
        (with_items, grown),
        (with_count, counted),
        (with_count, grown),
    ],
)
def test_a_pullback_is_refused_once_what_the_function_reads_has_changed(function, change):
    held, x = Held(), np.array([0.5, -1.0, 2.0])
    value, pullback = gs.vjp(lambda x: function(held, x), x)
    before = pullback(np.ones_like(value))[0]
    held.unread, held.factor = 2.0, held.factor.copy()  # neither is a change to what is read
    np.testing.assert_array_equal(pullback(np.ones_like(value))[0], before)
    change(held)
    with pytest.raises(gs.GradsmithError, match=r"has changed since gs\.vjp was called"):
        pullback(np.ones_like(value))
    value, pullback = gs.vjp(lambda x: function(held, x), x)
    assert pullback(np.ones_like(value))[0].shape == x.shape
