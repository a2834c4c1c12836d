"""Functions that the traced function defines, given to calls that are not traced."""

from __future__ import annotations

import functools
import math

import pytest
import scipy.integrate
import scipy.optimize

import gradsmith as gs
from control.one_object import check_calls, function_of
from gradsmith.errors import UnsupportedError

GAIN = {"value": 2.0}


def cube(t):
    return t**3


class Decay:
    def __init__(self, rate):
        self.rate = rate

    def slope(self, t):
        return self.rate * t

    def area(self, end):
        return scipy.integrate.quad(self.slope, 0, end)[0]

    def square_area(self, end):
        return scipy.integrate.quad(lambda t: self.rate * t**2, 0, end)[0]


DECAY = Decay(3.0)
NAMES = {
    "Decay": Decay,
    "DECAY": DECAY,
    "GAIN": GAIN,
    "cube": cube,
    "functools": functools,
    "math": math,
    "optimize": scipy.optimize,
    "quad": scipy.integrate.quad,
    "solve_ivp": scipy.integrate.solve_ivp,
}
NUMBERS = [(0.7, 3), (1.3, 5), (2.0, 2), (0.7, 3)]

CALLED = {
    "a lambda": "quad(lambda t: t**2, 0, 1)[0] * x",
    "with a variable": "k = 3.0\ndef g(t):\n    return k * t\nreturn quad(g, 0, 1)[0] * x",
    "with an argument": "quad(lambda t: t**n, 0, 1)[0] * x",
    "from outside": "quad(cube, 0, 1)[0] * x",
    "one that calls another": """
        def g(t):
            return GAIN['value'] * t
        return quad(lambda t: g(t) + 1, 0, 1)[0] * x""",
    "defaults": "quad(lambda t, k=n: k * t, 0, 1)[0] * x",
    "imports": "import math\nreturn quad(lambda t: math.exp(t), 0, 1)[0] * x",
    "methods": "DECAY.area(1) * x + DECAY.square_area(1)",
    "a bound method": "quad(DECAY.slope, 0, n)[0] * x",
    "in a loop": "return sum(quad(lambda t: t**i, 0, 1)[0] * x for i in range(n))",
    "an array": """
        w = np.array([1.0, 2.0])
        return optimize.fsolve(lambda p: p - w * n, [0.0, 0.0])[1] * x""",
    "brentq": "optimize.brentq(lambda t: t**2 - n, 0, n) * x",
    "minimize": "optimize.minimize(lambda p: np.sum((p - n)**2), np.zeros(2)).x[0] * x",
    "solve_ivp": """
        def slope(t, y):
            return [y[1], -n * y[0]]
        return solve_ivp(slope, (0, 1), [1.0, 0.0]).y[0, -1] * x""",
}


def body_of(text):
    return "\n".join(line.removeprefix("        ") for line in text.split("\n"))


@pytest.mark.parametrize("name", CALLED)
def test_functions_are_called_as_the_user_wrote_them(name):
    check_calls(function_of(body_of(CALLED[name]), parameters="x, n", **NAMES), *NUMBERS)


def test_what_they_read_outside_is_read_in_each_call(monkeypatch):
    compiled = gs.compile(function_of(body_of(CALLED["one that calls another"]), "x, n", **NAMES))
    assert compiled(1.0, 1) == 2.0
    monkeypatch.setitem(GAIN, "value", 4.0)
    assert compiled(1.0, 1) == 3.0
    methods = gs.compile(function_of(CALLED["methods"], "x, n", **NAMES))
    assert methods(1.0, 1) == 2.5
    monkeypatch.setattr(DECAY, "rate", 6.0)
    assert methods(1.0, 1) == 5.0


def test_their_derivatives_are_refused_where_they_are_needed():
    f = function_of("quad(lambda t: x * t, 0, 1)[0]", **NAMES)
    assert gs.compile(f)(2.0) == f(2.0)
    with pytest.raises(gs.GradsmithError, match=r"scipy\.integrate\.quad"):
        gs.grad(f)(2.0)


WRITING = [
    "seen = []\nreturn quad(lambda t: seen.append(t) or t, 0, 1)[0] * x + len(seen)",
    "n = 0\ndef g(t):\n    nonlocal n\n    n += 1\n    return t\nreturn quad(g, 0, 1)[0] * x + n",
    "c = [0]\ndef g(t):\n    c[0] += 1\n    return t\nreturn quad(g, 0, 1)[0] * x + c[0]",
]


@pytest.mark.parametrize("body", WRITING)
def test_what_writes_to_variables_around_it_is_refused(body):
    with pytest.raises(UnsupportedError, match="may write to"):
        gs.compile(function_of(body, **NAMES))(1.0)


def test_objects_that_were_written_to_before_are_refused():
    f = function_of("DECAY.rate = x\ny = DECAY.area(1.0)\nDECAY.rate = 3.0\nreturn y", **NAMES)
    with pytest.raises(UnsupportedError, match="after the function has written"):
        gs.compile(f)(2.0)
    assert DECAY.rate == 3.0


def test_objects_that_the_function_makes_are_refused():
    with pytest.raises(UnsupportedError, match="a Decay that is made in the function"):
        gs.compile(function_of("Decay(2.0).area(1.0) * x", **NAMES))(2.0)
