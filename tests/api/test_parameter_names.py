"""Parameters of any name: builtins, modules, other parameters, names that emitted code uses."""

# Names are bad on purpose.
# ruff: noqa: PLC2401

from __future__ import annotations

import builtins
import keyword
import types

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

X = np.array([0.5, 1.25, 2.0])
OUT = types.SimpleNamespace(np=2.0, len=3.0, x=4.0, f_grad=5.0)
TABLE = {"x": 2.0, "x_": 3.0, "class": 4.0, "np": 5.0, "p": 6.0, "range": 7.0}
p = 3.0
pytestmark = pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")


def lists_of_lists(*args):
    return sum(np.sum(a[0] * a[1]) for a in args)


def next_to_args(*args, args_1=2.0):
    return args[0] * args[1] * args_1


def taken_twice(args_0, *args, args_1=2.0):
    return args_0 * args[0] * args[1] * args_1


def options(x, **options):
    return x * sum(options.values())


def any_option(a, **kwargs):
    return a * kwargs["args_0"] * kwargs["np"] * kwargs["a_"]


def positional_only(a, b=2.0, /, **kw):
    return a * b * kw["a"] * kw["b"]


def self_and_args(self, args, kwargs, function, key, path, what, bound, seed):
    return self * args * kwargs * function * key * path * what * bound * seed


def of_numpy(np_, sum, math, exp, sqrt, g_value, value, pi):
    return np_ * sum * math * np.exp(exp) * sqrt * g_value * value * pi


def np_itself(np, np_):
    return globals()["np"].sum(np * np_)


def of_python(float, int, abs, max, min, bool, complex, print, x):
    if x[0] < 0:
        raise builtins.ValueError("negative")
    builtins.print("x", x[0])
    return np.sum(np.abs(x)) * float * int * abs * max * min * bool * complex * print


def in_a_loop(range, len, enumerate, zip, reversed, x):
    total = 0.0
    for i in builtins.range(x.shape[0]):
        if x[i] > 0.75:
            total = total + x[i] * range * len * enumerate * zip * reversed
    return total


def of_errors(ValueError, IndexError, AssertionError, x):
    assert x[0] > 0, "not positive"
    for v in x:
        if v > 100:
            raise builtins.ValueError("large")
    return np.sum(x) * ValueError * IndexError * AssertionError


def of_modules(sys, warnings, math, x):
    return np.sum(x) * builtins.float(sys * warnings * math)


def own_name(own_name, own_name_grad):
    return own_name * own_name_grad


def unicode(λ, ñ, x):
    return np.sum(λ * ñ * x)


def underscore(_, __, x):
    return np.sum(_ * x) * __


def leaves(a, b):
    return a["w"] * b["w"] * a["np"] * a["len"] * a["class"] * a["x-y"] * a[0] * a[1, 2]


def captured(x, w_, len):
    return x * w_ * len * OUT.np * OUT.len * OUT.x * OUT.f_grad


def captured_items(x, x_, p):
    named = TABLE["x"] * TABLE["x_"] * TABLE["class"] * TABLE["np"] * TABLE["p"] * TABLE["range"]
    return x * x_ * p["a"] * globals()["p"] * named


W = {"w": 2.0, "np": 3.0, "len": 4.0, "class": 5.0, "x-y": 6.0, 0: 7.0, (1, 2): 8.0}
CASES = [
    (lists_of_lists, ([1.0, 2.0], [X, 3.0]), {}),
    (next_to_args, (2.0, 3.0), {}),
    (next_to_args, (2.0, 3.0), {"args_1": 5.0}),
    (taken_twice, (2.0, 3.0, 4.0), {"args_1": 5.0}),
    (options, (2.0,), {"options": 3.0, "x_0": 4.0}),
    (any_option, (2.0,), {"args_0": 3.0, "np": 4.0, "a_": 5.0}),
    (positional_only, (2.0, 5.0), {"a": 3.0, "b": 4.0}),
    (self_and_args, tuple(np.arange(2.0, 11.0)), {}),
    (of_numpy, (1.5, 2.0, 3.0, 0.5, 2.0, 3.0, 4.0, 5.0), {}),
    (np_itself, (X, 2 * X), {}),
    (of_python, (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, X), {}),
    (in_a_loop, (2.0, 3.0, 4.0, 5.0, 6.0, X), {}),
    (of_errors, (2.0, 3.0, 4.0, X), {}),
    (of_modules, (2.0, 3.0, 4.0, X), {}),
    (own_name, (2.0, 3.0), {}),
    (unicode, (2.0, 3.0, X), {}),
    (underscore, (2.0, 3.0, X), {}),
    (leaves, (W, {"w": 3.0}), {}),
    (captured, (2.0, 3.0, 4.0), {}),
    (captured_items, (2.0, 3.0, {"a": 4.0}), {}),
]


def emitted(text, name):
    namespace = {}
    exec(compile(text, "<emitted>", "exec"), namespace)
    return namespace[name]


@pytest.mark.parametrize(("fun", "args", "kwargs"), CASES)
def test_any_name_of_a_parameter(fun, args, kwargs, capsys):
    compiled, slope = gs.compile(fun), gs.value_and_grad(fun)
    expected = fun(*args, **kwargs)
    for _ in range(2):
        np.testing.assert_allclose(compiled(*args, **kwargs), expected, rtol=1e-14)
        value, g = slope(*args, **kwargs)
        np.testing.assert_allclose(value, expected, rtol=1e-14)
    (g,) = gs.differentiable(fun).grad(*args, inputs=0, **kwargs)
    flat = g if isinstance(g, (float, np.ndarray)) else None
    if flat is not None and np.ndim(flat) == 0 and np.ndim(args[0]) == 0:
        step = 1e-6 * args[0]
        ahead = fun(args[0] + step, *args[1:], **kwargs)
        behind = fun(args[0] - step, *args[1:], **kwargs)
        np.testing.assert_allclose(g, (ahead - behind) / (2 * step), rtol=1e-6)
    text = compiled.source(*args, **kwargs)
    emitted(text, fun.__name__)
    capsys.readouterr()


def test_a_parameter_keeps_its_name_where_the_code_does_not_need_it():
    def f(input, id, len, x):
        return np.sum(x) * input * id * len

    text = gs.compile(f).source(2.0, 3.0, 4.0, X)
    assert "def f(input, id, len, x):" in text

    def g(input, len, x):
        total = 0.0
        for v in x:
            total = total + v * input * len
        return total

    first = gs.compile(g).source(2.0, 3.0, X).split("def g(")[1].split(")")[0].split(", ")
    assert first[0] == "input"


@each("name", ["sum", "len", "np", "range", "print", "float"])
def test_any_name_of_a_function(name):
    text = f"def {name}(x):\n    total = 0.0\n    for i in _range(x.shape[0]):\n"
    text += "        total = total + x[i] ** 2\n    return total\n"
    namespace = {"_range": range, "_np": np}
    exec(text, namespace)
    fun = namespace[name]
    assert gs.compile(fun)(X) == fun(X)
    np.testing.assert_allclose(gs.grad(fun)(X), 2 * X)


def test_a_parameter_called_grad_outputs():
    def f(grad_outputs, x):
        return grad_outputs * x

    assert gs.grad(f)(2.0, 3.0) == 3.0
    assert gs.compile(f)(2.0, 3.0) == 6.0
    assert gs.compile(f)(x=3.0, grad_outputs=2.0) == 6.0


@each("key", ["a-b", "class", "1a", ""])
def test_options_that_are_no_names_are_refused(key):
    assert keyword.iskeyword(key) or not key.isidentifier()
    with pytest.raises(TypeError, match="is no name"):
        gs.grad(options)(2.0, **{key: 3.0})
