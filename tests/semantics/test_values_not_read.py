"""Values computed ahead of a choice, and read only where they are numbers.

An exponential overflows, a logarithm leaves its domain, a quotient has a pole. Where the program
does not read such a value, it has no part in any derivative.
"""

from __future__ import annotations

import functools
import linecache

import numpy as np
import pytest
import sympy

import gradsmith as gs
from helpers import each, spread

VALUES = {
    "exp": ("np.exp({x})", "{x} < 10", [-1.0, 0.5, 3.0], [1000.0, 800.0]),
    "exp(exp)": ("np.exp(np.exp({x}))", "{x} < 5", [-1.0, 0.5, 1.0], [10.0, 1000.0]),
    "expm1": ("np.expm1({x})", "{x} < 10", [-1.0, 0.5, 3.0], [1000.0, 800.0]),
    "cosh": ("np.cosh({x})", "{x} < 10", [-1.0, 0.5, 3.0], [1000.0, 800.0]),
    "reciprocal": ("1/{x}", "{x} > 0", [1.0, 0.5, 3.0], [0.0, -0.0]),
    "quotient": ("np.sin({x})/{x}", "{x} > 0", [1.1, 1.5, 3.0], [0.0, -0.0]),
    "log": ("np.log({x})", "{x} > 0", [1.0, 0.5, 3.0], [0.0, -2.0]),
    "log(exp)": ("np.log(np.exp({x}) + {x})", "{x} < 5", [1.1, 1.5, 3.0], [800.0, 1000.0]),
    "sqrt": ("np.sqrt({x})", "{x} > 0", [1.0, 0.5, 3.0], [0.0, -2.0]),
    "root cubed": ("{x}**1.5", "{x} > 0", [1.0, 0.5, 3.0], [0.0, -2.0]),
    "large power": ("{x}**400.5", "{x} < 2", [1.0, 0.5, 0.9], [1000.0, 800.0]),
    "own power": ("{x}**{x}", "{x} > 0", [1.0, 0.5, 3.0], [0.0, -2.5]),
    "arccos": ("np.arccos({x})", "np.abs({x}) < 1", [0.1, 0.5, -0.3], [1.0, 2.0]),
    "arctanh": ("np.arctanh({x})", "np.abs({x}) < 1", [0.1, 0.5, -0.3], [1.0, 2.0]),
}
"""The value, where it is read, points where it is, and points where it is not."""

USES = {
    "itself": "{u}",
    "product": "{u}*{x}",
    "square": "{u}*{u}",
    "divisor": "{x}/(2 + {u})",
    "quotient": "{u}/(1 + {u}*{u})",
    "function": "np.sin({u})",
}

PROGRAMS = {
    "where": """
def f(x):
    u = {u:x}
    return np.sum(W[:len(x)] * np.where({c:x}, {v:x}, x*x))
""",
    "branch": """
def f(x):
    s = 0.0
    for i in range(len(x)):
        a = x[i]
        u = {u:a}
        if {c:a}:
            s += W[i] * ({v:a})
        else:
            s += W[i] * a*a
    return s
""",
    "element": """
def f(x):
    u = {u:x}
    s = 0.0
    for i in range(len(x)):
        if {c:x[i]}:
            s = s + W[i] * ({v:x[i]|u[i]})
        else:
            s = s + W[i] * x[i]*x[i]
    return s
""",
    "masked store": """
def f(x):
    u = {u:x}
    y = {v:x}
    m = {c:x}
    y[~m] = (x*x)[~m]
    return np.sum(y*W[:len(x)])
""",
    "store replaced": """
def f(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        a = x[i]
        u = {u:a}
        y[i] = {v:a}
        if not ({c:a}):
            y[i] = a*a
    return np.sum(y*W[:len(x)])
""",
    "helper": """
def h(a):
    u = {u:a}
    v = {v:a}
    if {c:a}:
        return v
    return a*a

def f(x):
    t = 0.0
    for i in range(len(x)):
        t += W[i]*h(x[i])
    return t
""",
    "list": """
def f(x):
    us = [{u:a} for a in x]
    t = 0.0
    for a, w, u in zip(x, W, us):
        if {c:a}:
            t += w*({v:a})
        else:
            t += w*a*a
    return t
""",
    "carried": """
def f(x):
    y = x*x
    for i in range(len(x)):
        u = {u:x[i]}
        v = {v:x[i]}
        y = np.where(np.arange(len(x)) == i, np.where({c:x[i]}, v, y), y)
    return np.sum(y*W[:len(x)])
""",
}

WEIGHTS = np.array([1.0, 2.0, 3.0, 4.0, 5.0])


class Part:
    """Writes ``{u:x}`` as the value at x, ``{v:x|u}`` as its use."""

    def __init__(self, text):
        self.text = text

    def __format__(self, spec):
        x, _, u = spec.partition("|")
        return self.text.format(x=x, u=u or "u")


def program(name, value, use):
    text, condition, *_ = VALUES[value]
    parts = {"u": Part(text), "c": Part(condition), "v": Part(USES[use])}
    source = PROGRAMS[name].format(**parts)
    file = f"<{name} of {use} of {value}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope = {"np": np, "W": WEIGHTS}
    exec(compile(source, file, "exec"), scope)
    return scope["f"]


@functools.cache
def exact(value, use):
    """The points, and the first and second derivative there."""
    text, _, read, unread = VALUES[value]
    x, u = sympy.symbols("x u")
    names = {"exp": sympy.exp, "arccos": sympy.acos, "arctanh": sympy.atanh}
    names |= {"expm1": lambda x: sympy.exp(x) - 1}
    numpy = type("np", (), {n: staticmethod(names.get(n) or getattr(sympy, n)) for n in NAMES})
    inner = eval(text.format(x="x"), {"np": numpy, "x": x})
    whole = eval(USES[use].format(x="x", u="u"), {"np": numpy, "x": x, "u": u}).subs(u, inner)
    slopes = [sympy.lambdify(x, sympy.diff(whole, x, n), "mpmath") for n in (1, 2)]
    points = np.array([read[0], unread[0], read[1], unread[1], read[2]])
    first, second = ([float(slope(p).real) for p in read] for slope in slopes)
    at = {p: (2 * p, 2) for p in unread} | dict(
        zip(read, zip(first, second, strict=True), strict=True)
    )
    return points, *(np.array([at[p][n] for p in points]) * WEIGHTS for n in (0, 1))


NAMES = ("exp", "expm1", "cosh", "sin", "log", "sqrt", "arccos", "arctanh")


@pytest.fixture(autouse=True)
def _quiet():
    with np.errstate(all="ignore"):
        yield


@pytest.mark.parametrize(("name", "use", "value"), spread(13, PROGRAMS, USES, VALUES))
def test_what_is_not_read_has_no_part_in_derivatives(name, value, use):
    f = program(name, value, use)
    x, first, second = exact(value, use)
    np.testing.assert_allclose(gs.grad(f)(x), first, rtol=1e-7, atol=1e-7)
    unit = np.eye(len(x))
    tangents = [gs.jvp(f, (x,), (direction,))[1] for direction in unit]
    np.testing.assert_allclose(tangents, first, rtol=1e-7, atol=1e-7)
    slopes = gs.grad(lambda x: np.sum(gs.grad(f)(x)))(x)
    np.testing.assert_allclose(slopes, second, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("value", VALUES)
@each("name", ["branch", "masked store", "helper"])
def test_under_checkpoints_and_in_single_precision(name, value):
    f = program(name, value, "product")
    x, first, _ = exact(value, "product")
    np.testing.assert_allclose(gs.grad(gs.checkpoint(f))(x), first, rtol=1e-7, atol=1e-7)
    single = gs.grad(f)(x.astype(np.float32))
    np.testing.assert_allclose(single, first, rtol=2e-3, atol=2e-3)
