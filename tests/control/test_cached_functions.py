"""Functions that the traced one puts under ``functools.cache``: which call is the first, the path
decides, and it matters where the function counts its calls or reads what changes.
"""

from __future__ import annotations

import contextlib
import functools

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls
from helpers import each

NUMBERS = [(7.5,), (-1.5,), (-0.5,), (2.5,), (0.5,), (3.25,)]
HITS = [0]


class Counted:
    def __init__(self):
        self.n = 0


def _branch(x):
    k = [1.0]

    @functools.cache
    def g(i):
        return i * k[0]

    if x > 1:
        g(1)
    k[0] = 5.0
    return g(1)


def _while(x):
    n = 0

    @functools.cache
    def g(i):
        nonlocal n
        n += 1
        return i

    while x > 1:
        g(1)
        x = x / 2
    return n


def _while_and_after(x):
    n = 0

    @functools.cache
    def g(i):
        nonlocal n
        n += 1
        return i

    while x > 1:
        g(1)
        x = x / 2
    g(1)
    return n


def _for(x):
    n = 0

    @functools.cache
    def g(i):
        nonlocal n
        n += 1
        return i

    for _ in range(40):
        g(1)
    return n * x


def _for_with_keys(x):
    n = 0

    @functools.cache
    def g(i):
        nonlocal n
        n += 1
        return i

    for i in range(40):
        g(i % 3)
    return n * x


def _nested_loops(x):
    n = [0]

    @functools.cache
    def g(i):
        n[0] += 1
        return i * x

    s = 0.0
    for i in range(6):
        for j in range(6):
            s = s + g(i + j)
    return s * n[0]


def _three_paths(x):
    n = [0]

    @functools.cache
    def g(i):
        n[0] += 1
        return i * x

    if x > 0:
        s = g(1)
    elif x > -1:
        s = g(2)
    else:
        s = g(3)
    s = s + g(1) + g(2)
    return s * n[0]


def _pure_loop(x):
    @functools.cache
    def g(i):
        return i * x

    s = 0.0
    for _ in range(40):
        s = s + g(3)
    return s + g(3)


def _pure_while(x):
    @functools.cache
    def g(i):
        return i * 2.0

    s = 0.0
    while x > 1:
        s = s + g(3)
        x = x / 2
    return s + g(3)


def _pure_if(x):
    @functools.cache
    def g(i):
        return i * x

    s = 0.0
    if x > 1:
        s = g(2)
    return s + g(2)


def _rebind(x):
    k = 1.0

    @functools.cache
    def g(i):
        return i * k

    if x > 1:
        g(1)
    k = 5.0
    return g(1)


def _rebind_loop(x):
    k = 1.0

    @functools.cache
    def g(i):
        return i * k

    s = 0.0
    for _ in range(30):
        k = k + 1
        s = s + g(1)
    return s * x


def _rebind_loop2(x):
    k = [1.0]

    @functools.cache
    def g(i):
        return i * k[0]

    s = 0.0
    for _ in range(30):
        s = s + g(1)
        k[0] = k[0] * x
    return s + g(1)


def _traced_arg(x):
    n = 0

    @functools.cache
    def g(i):
        nonlocal n
        n += 1
        return i

    g(x)
    g(x)
    g(x + 1)
    g(x * 1)
    return n


def _traced_arg2(x):
    k = [1.0]

    @functools.cache
    def g(i):
        return i * k[0]

    a = g(x)
    k[0] = 7.0
    return a + g(abs(x))


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


def _cleared(x):
    k = [1.0]

    @functools.cache
    def g(i):
        return i * k[0]

    a = g(1)
    k[0] = 5.0
    b = g(1)
    g.cache_clear()
    if x > 1:
        g.cache_clear()
    return a + 10 * b + 100 * g(1)


def _cleared_on_one_path(x):
    k = [1.0]

    @functools.cache
    def g(i):
        return i * k[0]

    a = g(1)
    k[0] = 5.0
    if x > 1:
        g.cache_clear()
    return a + 100 * g(1)


def _traced_and_plain_arguments(x):
    k = [1.0]

    @functools.cache
    def g(i):
        return i * k[0]

    a = g(8.0)
    k[0] = 5.0
    return a + g(x)


def _while_before_a_change(x):
    k = [1.0]

    @functools.cache
    def g(i):
        return i * k[0]

    while x > 1:
        g(1)
        x = x / 2
    k[0] = 5.0
    return g(1)


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


def _small_cache(x):
    n = 0

    @functools.lru_cache(maxsize=2)
    def g(i):
        nonlocal n
        n += 1
        return i

    for i in range(5):
        g(i % 2)
        if x > i:
            g(1)
    return n


def _lru0(x):
    n = 0

    @functools.lru_cache(maxsize=0)
    def g(i):
        nonlocal n
        n += 1
        return i

    if x > 0:
        g(1)
    g(1)
    return n


def _typed(x):
    n = 0

    @functools.lru_cache(typed=True)
    def g(i):
        nonlocal n
        n += 1
        return i

    if x > 1:
        g(1.0)
    g(1)
    g(True)
    return n


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


def _two_functions(x):
    n = 0

    @functools.cache
    def g(i):
        nonlocal n
        n += 1
        return i

    @functools.cache
    def h(i):
        nonlocal n
        n += 10
        return g(i) + 1

    if x > 0:
        h(1)
    if x > 1:
        g(2)
    h(2)
    g(1)
    return n


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


def _while_with_break(x):
    n = 0

    @functools.cache
    def g(i):
        nonlocal n
        n += 1
        return i

    i = 0
    while i < 20:
        g(i % 4)
        i += 1
        if i > x:
            break
    return n


FUNCTIONS = (
    _branch,
    _while,
    _while_and_after,
    _for,
    _for_with_keys,
    _nested_loops,
    _three_paths,
    _pure_loop,
    _pure_while,
    _pure_if,
    _rebind,
    _rebind_loop,
    _rebind_loop2,
    _traced_arg,
    _traced_arg2,
    _fib,
    _dynamic_programming,
    _dynamic_programming_in_a_loop,
    _lists,
    _method,
    _cleared,
    _cleared_on_one_path,
    _traced_and_plain_arguments,
    _while_before_a_change,
    _array_in_branch,
    _array_in_loop,
    _array_not_written,
    _small_cache,
    _lru0,
    _typed,
    _untyped,
    _made_in_arm,
    _made_in_loop,
    _two_functions,
    _attributes,
    _objects,
    _keywords,
    _errors,
    _errors_on_one_path,
    _cached_property,
    _outside_state,
    _state_that_goes_on,
    _while_with_break,
)


@each("function", FUNCTIONS)
def test_values(function):
    check_calls(function, *NUMBERS)


def test_a_full_cache_is_refused_where_it_matters():
    def function(x):
        n = 0

        @functools.lru_cache(maxsize=1)
        def g(i):
            nonlocal n
            n += 1
            return i

        g(1)
        g(2)
        return n * x + g(1)

    with pytest.raises(gs.GradsmithError, match="may be full"):
        gs.compile(function)(2.0)


def test_loops_of_functions_without_state_stay_loops():
    for function in (_pure_loop, _array_not_written):
        assert "for " in gs.compile(function).source(2.0)
    assert "while " in gs.compile(_pure_while).source(2.0)
