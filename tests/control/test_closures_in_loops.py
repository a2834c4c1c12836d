"""Variables that a loop sets, and functions read that the traced function has made."""

# ruff: noqa: B007, B023, C417, E731, RET504  what these warn of is what is tested

import functools
import itertools

import numpy as np

from control.one_object import check_calls
from helpers import each

CALLS = [(np.array(x),) for x in ([1.3, -2.0, 3.0, 4.0], [2.1, 0.5], [3.1, 2.5, 2.0])]


def function(x):
    s = 0.0

    def add(q):
        return q + s

    for v in x:
        s = add(v)
    return s


def named_lambda(x):
    s = 0.0
    add = lambda q: q + s
    for v in x:
        s = add(v)
    return s


def array_by_another_name(x):
    s = np.zeros(2)

    def add(q):
        return q + s

    for v in x:
        t = add(v)
        s = t
    return s


def through_a_second_function(x):
    s = 0.0

    def g():
        return s * 2

    def add(q):
        return q + g()

    for v in x:
        s = add(v)
    return s


def two_at_once(x):
    a, b = 1.0, 2.0

    def g():
        return a + b

    for v in x:
        a, b = b, g() * v
    return a, b


def method(x):
    s = 0.0

    class C:
        def m(self, q):
            return q + s

    c = C()
    for v in x:
        s = c.m(v)
    return s


def partial(x):
    s = 0.0
    add = functools.partial(lambda k, q: q * k + s, 2.0)
    for v in x:
        s = add(v)
    return s


def key_of_a_map(x):
    s = 0.0
    for i in range(2):
        s = sum(map(lambda q: q + s, x))
    return s


def while_loop(x):
    s = 0.0
    i = 0

    def f():
        return s + x[i]

    while i < len(x):
        s = f()
        i += 1
    return s


def previous_element(x):
    prev = 0.0
    tot = 0.0

    def diff(v):
        return v - prev

    for v in x:
        tot += diff(v) ** 2
        prev = v
    return tot


def read_after_a_step(x):
    w = x[0]

    def loss():
        return w * w

    def step(v):
        return w - 0.1 * v

    h = []
    for v in x:
        w = step(v)
        h.append(loss())
    return h


def new_dict(x):
    d = {"s": 0.0}

    def f(v):
        return d["s"] + v

    for v in x:
        d = {"s": f(v)}
    return d["s"]


def condition(x):
    s = 0.0

    def f():
        return s

    while f() < 3.7:
        s = s + x[0]
    return s


def lambdas_in_a_list(x):
    s = 0.0
    fs = []
    for v in x:
        if fs:
            s += fs[-1]()
        t = v * 2
        fs.append(lambda: t)
    return s, [f() for f in fs]


def made_by_a_function(x):
    s = 0.0

    def mk():
        def inner(q):
            return q + s

        return inner

    g = mk()
    for v in x:
        s = g(v)
    return s


def held_in_a_dict(x):
    s = 0.0
    fs = {"a": lambda q: q + s}
    for v in x:
        s = fs["a"](v)
    return s


def read_after_the_loop(x):
    t = 0.0

    def get():
        return t

    for v in x:
        t = v
    r = get()
    t = 100.0
    return r, get()


def generator(x):
    s = 0.0

    def gen():
        for v in x:
            yield v + s

    for r in gen():
        s = r
    return s


def decorated(x):
    s = 1.0

    def deco(f):
        def w(*a):
            return f(*a) * s

        return w

    @deco
    def h(v):
        return v + 1

    for v in x:
        s = h(v)
    return s


def set_inside(x):
    s = 0.0

    def add(q):
        nonlocal s
        s = s + q
        return s

    t = 0.0
    for v in x:
        t = t + add(v)
    return s, t


def nested_loops(x):
    acc = 0.0

    def upd(v):
        r = acc * 0.5 + v
        return r

    for i in range(2):
        for v in x:
            acc = upd(v)
    return acc


def set_on_a_path(x):
    best = x[0]

    def better(v):
        return v > best

    for v in x:
        if better(v):
            best = v
    return best


def recursive(x):
    k = 1

    def f(n):
        return 1 if n <= 0 else n * f(n - 1) * k

    s = 0
    for v in x:
        s += f(3) * v
        k = 2
    return s


def generator_expression(x):
    s = 0.0
    it = (v + s for v in x)
    for r in it:
        s = r
    return s


def bisection(x):
    lo, hi = 0.0, 4.0

    def mid():
        return 0.5 * (lo + hi)

    for _ in range(5):
        m = mid()
        if m * m > x[0] ** 2:
            hi = m
        else:
            lo = m
    return mid()


def set_after_the_call(x):
    y = 0.0
    f = lambda t, z: -z + t
    h = 0.1
    for i in range(4):
        y = y + h * f(i * h, y)
        h = h * 0.5
    return y * x[0]


def map_(x):
    s = 0.0
    for r in map(lambda q: q + s, x):
        s = r
    return s


def enumerated_map(x):
    s = 0.0
    for i, r in enumerate(map(lambda q: q + s, x)):
        s = r * i
    return s


def zipped_map(x):
    s = 0.0
    for a, r in zip(x, map(lambda q: q + s, x), strict=False):
        s = r * a
    return s


def filter_(x):
    s = -5.0
    for r in filter(lambda q: q > s, x):
        s = r
    return s


def starmap(x):
    s, pairs = 0.0, [(v, 2 * v) for v in x]
    for r in itertools.starmap(lambda q, w: q * w + s, pairs):
        s = r
    return s


def accumulate(x):
    s = 0.0
    for r in itertools.accumulate(x, lambda a, b: a + b * s):
        s = r
    return s


def map_of_a_function(x):
    s = 0.0

    def g(q):
        return q + s

    for r in map(g, x):
        s = r
    return s


def takewhile(x):
    s = 0.0
    for r in itertools.takewhile(lambda q: q + s < 5, x):
        s = s + r
    return s


def item_read(x):
    s = [0.0]
    for r in map(lambda q: q + s[0], x):
        s[0] = r
    return s[0]


def array_element_read(x):
    s = np.zeros(1)
    for r in map(lambda q: q + s[0], x):
        s[0] = r
    return s[0]


def array_read(x):
    s = np.zeros(1)
    for i, r in enumerate(map(lambda q: q + s[0], x)):
        s += r
    return s[0]


def method_mapped(x):
    class C:
        v = 0.0

        def f(self, q):
            return q + self.v

    c = C()
    for r in map(c.f, x):
        c.v = r
    return c.v


PROGRAMS = [
    *(function, named_lambda, array_by_another_name, through_a_second_function),
    *(two_at_once, method, partial, key_of_a_map),
    *(while_loop, previous_element, read_after_a_step, new_dict),
    *(condition, lambdas_in_a_list, made_by_a_function, held_in_a_dict),
    *(read_after_the_loop, generator, decorated, set_inside),
    *(nested_loops, set_on_a_path, recursive, generator_expression),
    *(bisection, set_after_the_call, map_, enumerated_map),
    *(zipped_map, filter_, starmap, accumulate),
    *(map_of_a_function, takewhile, item_read, array_element_read),
    *(array_read, method_mapped),
]


@each("function", PROGRAMS)
def test_the_value_is_that_of_the_time(function):
    check_calls(function, *CALLS)
