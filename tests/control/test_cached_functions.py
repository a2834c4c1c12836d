"""Functions that the traced one puts under ``functools.cache``: which call is the first, the path
decides, and it matters where the function counts its calls or reads what changes.
"""

from __future__ import annotations

import contextlib
import functools

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

NUMBERS = [(7.5,), (-1.5,), (-0.5,), (2.5,), (0.5,), (3.25,)]
HITS = [0]


def _counting(cache):
    return f"n = 0\n@functools.{cache}\ndef g(i):\n    nonlocal n\n    n += 1\n    return i\n"


COUNTED = _counting("cache")
COUNTED_IN_A_LIST = "n = [0]\n@functools.cache\ndef g(i):\n    n[0] += 1\n    return i * x\n"
BY_AN_ELEMENT = "k = [1.0]\n@functools.cache\ndef g(i):\n    return i * k[0]\n"
BY_A_VARIABLE = "k = 1.0\n@functools.cache\ndef g(i):\n    return i * k\n"
PURE = "@functools.cache\ndef g(i):\n    return i * x\n"

BODIES = {
    "a branch": BY_AN_ELEMENT + "if x > 1:\n    g(1)\nk[0] = 5.0\nreturn g(1)",
    "a while": COUNTED + "while x > 1:\n    g(1)\n    x = x / 2\nreturn n",
    "a while and after it": COUNTED + "while x > 1:\n    g(1)\n    x = x / 2\ng(1)\nreturn n",
    "a for": COUNTED + "for _ in range(40):\n    g(1)\nreturn n * x",
    "a for with keys": COUNTED + "for i in range(40):\n    g(i % 3)\nreturn n * x",
    "nested loops": COUNTED_IN_A_LIST
    + "s = 0.0\nfor i in range(6):\n    for j in range(6):\n        s = s + g(i + j)\n"
    "return s * n[0]",
    "three paths": COUNTED_IN_A_LIST
    + "if x > 0:\n    s = g(1)\nelif x > -1:\n    s = g(2)\nelse:\n    s = g(3)\n"
    "s = s + g(1) + g(2)\nreturn s * n[0]",
    "a pure loop": PURE + "s = 0.0\nfor _ in range(40):\n    s = s + g(3)\nreturn s + g(3)",
    "a pure branch": PURE + "s = 0.0\nif x > 1:\n    s = g(2)\nreturn s + g(2)",
    "a variable set on one path": BY_A_VARIABLE + "if x > 1:\n    g(1)\nk = 5.0\nreturn g(1)",
    "a variable set in a loop": BY_A_VARIABLE
    + "s = 0.0\nfor _ in range(30):\n    k = k + 1\n    s = s + g(1)\nreturn s * x",
    "an element set in a loop": BY_AN_ELEMENT
    + "s = 0.0\nfor _ in range(30):\n    s = s + g(1)\n    k[0] = k[0] * x\n"
    "return s + g(1)",
    "traced arguments": COUNTED + "g(x)\ng(x)\ng(x + 1)\ng(x * 1)\nreturn n",
    "a traced argument that may be equal": BY_AN_ELEMENT
    + "a = g(x)\nk[0] = 7.0\nreturn a + g(abs(x))",
    "cleared": BY_AN_ELEMENT + "a = g(1)\nk[0] = 5.0\nb = g(1)\ng.cache_clear()\nif x > 1:\n"
    "    g.cache_clear()\nreturn a + 10 * b + 100 * g(1)",
    "cleared on one path": BY_AN_ELEMENT
    + "a = g(1)\nk[0] = 5.0\nif x > 1:\n    g.cache_clear()\nreturn a + 100 * g(1)",
    "traced and plain arguments": BY_AN_ELEMENT + "a = g(8.0)\nk[0] = 5.0\nreturn a + g(x)",
    "a while before a change": BY_AN_ELEMENT
    + "while x > 1:\n    g(1)\n    x = x / 2\nk[0] = 5.0\nreturn g(1)",
    "a small cache": _counting("lru_cache(maxsize=2)")
    + "for i in range(5):\n    g(i % 2)\n    if x > i:\n        g(1)\nreturn n",
    "no cache": _counting("lru_cache(maxsize=0)") + "if x > 0:\n    g(1)\ng(1)\nreturn n",
    "typed": _counting("lru_cache(typed=True)") + "if x > 1:\n    g(1.0)\ng(1)\ng(True)\nreturn n",
    "two functions": COUNTED
    + "@functools.cache\ndef h(i):\n    nonlocal n\n    n += 10\n    return g(i) + 1\n"
    "if x > 0:\n    h(1)\nif x > 1:\n    g(2)\nh(2)\ng(1)\nreturn n",
    "a while with break": COUNTED
    + "i = 0\nwhile i < 20:\n    g(i % 4)\n    i += 1\n    if i > x:\n        break\n"
    "return n",
}


@each("body", BODIES.values(), ids=BODIES)
def test_bodies(body):
    check_calls(function_of(body, functools=functools), *NUMBERS)


class Counted:
    def __init__(self):
        self.n = 0


def _pure_while(x):
    @functools.cache
    def g(i):
        return i * 2.0

    s = 0.0
    while x > 1:
        s = s + g(3)
        x = x / 2
    return s + g(3)


def _fib(x):
    @functools.cache
    def g(i):
        return x if i < 2 else g(i - 1) + g(i - 2)

    return g(20)


def _dynamic_programming(x):
    w = np.arange(5.0) * x

    @functools.cache
    def g(i):
        return 0.0 if i < 0 else max(g(i - 1), g(i - 2) + w[i])

    return g(4)


def _dynamic_programming_in_a_loop(x):
    w = np.arange(5.0) * x

    @functools.cache
    def g(i):
        return 0.0 if i < 0 else g(i - 1) + w[i]

    s = 0.0
    for i in range(5):
        s += g(i)
    if x > 1:
        s += g(2)
    return s


def _lists(x):
    @functools.cache
    def g(i):
        return [i * x]

    a = g(1)
    if x > 0:
        g(1).append(3.0)
    if x > 1:
        g(2).append(4.0)
    return sum(g(1)) + sum(g(2)) + len(a)


def _method(x):
    n = 0

    class D:
        @functools.cache  # noqa: B019
        def g(self, i):
            nonlocal n
            n += 1
            return i

    d = D()
    if x > 1:
        d.g(1)
    while x > 2:
        d.g(2)
        x = x / 2
    d.g(1)
    return n


def _array_in_branch(x):
    @functools.cache
    def g(i):
        return np.zeros(i)

    if x > 1:
        g(3)[0] = x
    return g(3)[0]


def _array_in_loop(x):
    @functools.cache
    def g(i):
        return np.zeros(i)

    for _ in range(10):
        g(3)[1] += x
    return g(3)[1]


def _array_not_written(x):
    @functools.cache
    def g(i):
        return np.linspace(0, 1, i)

    s = 0.0
    for _ in range(100):
        s = s + g(3)[1] * x
    if x > 0:
        s = s + g(4).sum()
    return s + g(4)[1]


def _untyped(x):
    n = 0

    @functools.lru_cache
    def g(i, j=0):
        nonlocal n
        n += 1
        return i

    if x > 1:
        g(1.0)
    g(1)
    g(True)
    g(1, 0)
    g(1.0, 0)
    g(1, j=0)
    return n


def _made_in_arm(x):
    s = 0.0
    if x > 0:
        n = [0]

        @functools.cache
        def g(i):
            n[0] += 1
            return i * x

        for i in range(10):
            s = s + g(i % 2)
        s = s * n[0]
    return s


def _made_in_loop(x):
    s = 0.0
    for _ in range(10):
        n = [0]

        @functools.cache
        def g(i):
            n[0] += 1  # noqa: B023
            return i * x

        s = s + g(1) + g(1) + n[0]
    return s


def _attributes(x):
    o = Counted()

    @functools.cache
    def g(i):
        o.n += 1
        return i

    if x > 0:
        g(1)
    g(1)
    return o.n


def _objects(x):
    @functools.cache
    def g(i):
        return Counted()

    if x > 0:
        g(1).n += 5
    return g(1).n


def _keywords(x):
    k = 1.0

    @functools.cache
    def g(*, i):
        return i * k

    if x > 0:
        g(i=2)
    k = 3.0
    return g(i=2)


def _errors(x):
    n = 0

    @functools.cache
    def g(i):
        nonlocal n
        n += 1
        if n < 2:
            raise ValueError
        return i

    for _ in range(4):
        with contextlib.suppress(ValueError):
            g(1)
    return n * x


def _errors_on_one_path(x):
    n = 0

    @functools.cache
    def g(i):
        nonlocal n
        n += 1
        if x > 1:
            raise ValueError
        return i

    for _ in range(4):
        with contextlib.suppress(ValueError):
            g(1)
    return n


def _cached_property(x):
    n = 0

    class D:
        @functools.cached_property
        def p(self):
            nonlocal n
            n += 1
            return x

    d = D()
    if x > 0:
        d.p  # noqa: B018
    d.p  # noqa: B018
    while x > 1:
        d.p  # noqa: B018
        x = x / 2
    return n


def _outside_state(x):
    HITS[0] = 0

    @functools.cache
    def g(i):
        HITS[0] += 1
        return i

    if x > 0:
        g(1)
    g(1)
    return HITS[0]


def _state_that_goes_on(x):
    s = [0.0]

    @functools.cache
    def g(i):
        s[0] = s[0] * 0.5 + x
        return s[0]

    t = 0.0
    for i in range(6):
        t = t + g(i % 3)
    return t


FUNCTIONS = (
    _pure_while,
    _fib,
    _dynamic_programming,
    _dynamic_programming_in_a_loop,
    _lists,
    _method,
    _array_in_branch,
    _array_in_loop,
    _array_not_written,
    _untyped,
    _made_in_arm,
    _made_in_loop,
    _attributes,
    _objects,
    _keywords,
    _errors,
    _errors_on_one_path,
    _cached_property,
    _outside_state,
    _state_that_goes_on,
)


@each("function", FUNCTIONS)
def test_functions(function):
    check_calls(function, *NUMBERS)


def test_a_full_cache_is_refused_where_it_matters():
    body = _counting("lru_cache(maxsize=1)") + "g(1)\ng(2)\nreturn n * x + g(1)"
    with pytest.raises(gs.GradsmithError, match="may be full"):
        gs.compile(function_of(body, functools=functools))(2.0)


def test_loops_of_functions_without_state_stay_loops():
    for function in (
        function_of(BODIES["a pure loop"], functools=functools),
        _array_not_written,
    ):
        assert "for " in gs.compile(function).source(2.0)
    assert "while " in gs.compile(_pure_while).source(2.0)
