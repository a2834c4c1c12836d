"""Arrays of as many elements as the data say, in some calls one: NumPy broadcasts these."""

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

ONE = np.array([0.5, -1.2, 2.3, 0.7, -0.4])
ALL = np.array([1.6, 2.2, 2.3, 1.7, 3.4])
NONE = np.array([0.5, -1.2, 0.3, 0.7, -0.4])
OTHER = np.array([1.9, 0.6, 0.2])
CALLS = [(ONE,), (ALL,), (OTHER,), (NONE,)]
ROWS = [(np.outer(x, [1.0, 0.8, 0.3]),) for x in (ONE, ALL)]

CHOSEN = "p = x[x > 1.5]\n"
EXPRESSIONS = (
    *("np.sum(p + x)", "(p * x).sum()", "np.mean(x - p)", "(p / (x**2 + 1)).sum()"),
    *("np.where(x > 0, p, x).sum()", "np.maximum(p, x).sum()", "np.hypot(p, x).sum()"),
    *("np.linalg.norm(x - p)", "((x - p)[1:3]).sum()", "np.sum((p > x) * p)"),
    *("np.broadcast_to(p, x.shape).sum()", "np.stack(np.broadcast_arrays(p, x)).sum()"),
    *("(p + np.ones((3, len(x)))).sum()", "(p * np.arange(len(x)) * 1.0).sum()"),
    *("(p.reshape(-1, 1) + np.ones((len(x), 2))).sum()", "(p[None] * np.outer(x, x)).sum()"),
    *("(np.sort(p) + x).sum()", "(np.cumsum(p) * x).sum()", "(np.unique(p) / (x**2 + 1)).sum()"),
    *("np.einsum('i,i->', p, x)", "np.einsum('i,i->i', x, p).sum()", "np.cumsum(p * x)[-1]"),
    *("(np.repeat(p, 2)[:p.size] * x).sum()", "(np.concatenate([p, p[:0]]) * x).sum()"),
    *("np.sum(p + p * x)", "np.sum(np.exp(p) - x**2)", "np.sum(np.clip(x, None, p))"),
    *("len(p * x) * np.sum(p)", "(np.zeros((p * x).shape) + x[0]).sum()"),
    *("np.add.reduce(x * p)", "sum(a for a in p * x)", "np.prod(x + p)"),
)
OF_TWO = (
    *("np.sum(p + q)", "np.sum(np.exp(p) - q**2)", "(p * q * p).sum()", "np.mean(p * q)"),
    *(
        "len(p + q) * np.sum(q)",
        "(np.zeros(len(p * q)) + x[0]).sum()",
        "np.where(q > 0, q, p).sum()",
    ),
    *("(p + q + x).sum()", "np.einsum('i,i->', p, q)", "(np.ones((p + q).shape) * q).sum()"),
)
STORES = (
    *("y += p", "y[:] = p", "y[1:] *= p[:4]", "y[x > 0] = p", "y[x > 0] += p", "y[x > -1.3] *= p"),
    *("y[:len(x) - 1][:] -= p", "np.add(y, p, out=y)", "y[::2] = p", "np.copyto(y, p)"),
    "for i in range(len(x)):\n    y[:i] -= p",
    "for i in range(3):\n    if x[i] > 0:\n        y[i:] += p * x[i]",
    "for i in range(3):\n    y = y * p",
    "q = p * 1.0\nfor i in range(3):\n    q = q * 0.5\ny = q - y",
    "if p.size == 1:\n    y = y * p",
)
SELECTED = (
    *("n = int((x > 1.5).sum())\np = x[:n]", "k = int(np.argmax(x))\np = x[k:k + 1]"),
    *("p = np.array([v for v in x if v > 1.5])", "p = x[np.flatnonzero(x > 1.5)]"),
    "n = int((x > 1.5).sum())\np = np.zeros(n)\nfor i in range(n):\n    p[i] = x[i] * 2",
    "p = x\nfor t in (0.0, 0.6, 1.5):\n    p = p[p > t]",
    "p = []\nfor v in x:\n    if v > 1.5:\n        p.append(v * v)\np = np.array(p)",
    "n = 0\nwhile n < len(x) and x[n] > 1.5:\n    n += 1\np = x[:n] if n else x[2:3]",
)


def check(body, *calls, parameters="x", exact=True):
    check_calls(function_of(body, parameters), *calls, exact=exact, messages=False)


@each("expression", EXPRESSIONS)
def test_beside_an_array_of_an_argument(expression):
    check(f"{CHOSEN}return {expression}", *CALLS, exact=False)


@each("expression", OF_TWO)
def test_beside_another_that_the_data_decide(expression):
    body = f"{CHOSEN}q = x[x > 0.4]\nreturn {expression}"
    check(body, *CALLS, exact=False)
    body = f"{CHOSEN}q = x[x > 2.0]\nreturn {expression}"
    check(body, *CALLS, exact=False)


@each("store", STORES)
def test_written_into_an_array(store):
    check(f"{CHOSEN}y = x * 2\n{store}\nreturn (y * y).sum()", *CALLS)


@each("selected", SELECTED)
def test_made_in_other_ways(selected):
    check(f"{selected}\nreturn (p * x).sum()", *CALLS)


@each(
    "expression",
    (
        *("np.sum(r + m)", "(r * m).sum()", "np.sum(m - r.sum(axis=1, keepdims=True))"),
        *("((m - r) ** 2).sum(axis=1).sum()", "(m[:, None] * r[None]).sum()"),
        "np.matmul(r[:, None], m[:, :, None]).sum()",
    ),
)
def test_rows_and_columns(expression):
    for rows in ("m[m[:, 0] > 1.5]", "m[:, m[0] > 0.45]"):
        check(f"r = {rows}\nreturn {expression}", *ROWS, parameters="m")


@each("store", ("y[:] = r", "y[1:] += r[:4]", "y *= r", "y[m[:, 1] > -9] -= r"))
def test_rows_written_into_an_array(store):
    body = f"r = m[m[:, 0] > 1.5]\ny = m * 0.5\n{store}\nreturn (y * y).sum()"
    check(body, *ROWS, parameters="m")


def _cubed(x):
    p = x[x > 1.5]
    return np.sum(p**2 * x**3)


def test_derivatives_of_derivatives():
    x, v = ONE, np.linspace(-1.0, 1.0, 5)

    def along(t):
        return gs.grad(_cubed)(x + t * v)

    expected = (along(1e-6) - along(-1e-6)) / 2e-6
    np.testing.assert_allclose(gs.jvp(gs.grad(_cubed), (x,), (v,))[1], expected, atol=1e-6)


def test_directional_derivatives_and_dtypes():
    v = np.linspace(-1.0, 1.0, 5)
    for x in (ONE, ALL):
        slope = gs.jvp(_cubed, (x,), (v,))[1]
        np.testing.assert_allclose(slope, gs.grad(_cubed)(x) @ v, rtol=1e-12)
        short = gs.grad(_cubed)(x.astype(np.float32))
        assert short.dtype == np.float32
        np.testing.assert_allclose(short, gs.grad(_cubed)(x), rtol=1e-5)


def test_the_gradient_by_one_element_is_finite_beside_infinite_ones():
    gradient = gs.grad(function_of("p = x[x > 1.5]\nreturn np.sum(np.where(x > 0, p, x))"))
    np.testing.assert_array_equal(gradient(np.array([-np.inf, 2.0, 1.0])), [1.0, 2.0, 0.0])


def test_lengths_are_compared_only_where_the_data_may_decide_otherwise():
    source = gs.grad(function_of("p = x[x > 1.5]\nreturn np.sum(p * np.sin(p) + p * x[0])"))
    assert "sum_to" not in source.source(ONE)


@each("call", ("np.put(y, [0, 2], p)", "np.putmask(y, x > 0, p)"))
def test_values_that_numpy_would_repeat_are_refused(call):
    function = function_of(f"{CHOSEN}y = x * 2\n{call}\nreturn y.sum()")
    with pytest.raises(gs.GradsmithError, match="the data decide how many values"):
        gs.compile(function)(ONE)


def test_weights_have_to_be_as_many():
    function = function_of(f"{CHOSEN}return np.average(x, weights=p)")
    compiled = gs.compile(function)
    assert compiled(ALL) == function(ALL)
    with pytest.raises(ValueError, match="reshape"):
        compiled(ONE)
