"""Variables of enclosing functions that methods set, and functions that libraries have wrapped."""

# ruff: noqa: B023

from __future__ import annotations

import functools
from textwrap import indent

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

NUMBERS = [(7.5,), (-1.0,), (2.5,), (0.5,), (3.25,)]

METHOD = "class D:\n    {}\n        nonlocal m\n        m = m + 2 * x\n        {}\n"


def _method(head, last="return True", before="", after=""):
    return before + METHOD.format(head, last) + after


MANAGER = (
    "@contextlib.contextmanager\ndef g():\n    nonlocal m\n    m = m + x\n"
    "    try:\n        yield\n    finally:\n        m = m * 3\n"
)
FACTORY = "def make():\n    class D:\n        def hit(s):\n{}\n    return D\n"

HITS = {
    "a method": (_method("def hit(s):"), "D().hit()"),
    "of an instance": (_method("def hit(s):", after="d = D()\n"), "d.hit()"),
    "bound": (_method("def hit(s):", after="h = D().hit\ndel D\n"), "h()"),
    "with slots": (
        _method("__slots__ = ('a',)\n    def hit(s):", after="ds = [D()]\ndel D\n"),
        "ds[0].hit()",
    ),
    "a static method": (_method("@staticmethod\n    def hit():"), "D.hit()"),
    "a class method": (_method("@classmethod\n    def hit(c):"), "D.hit()"),
    "__init__": (_method("def __init__(s):", "pass"), "D()"),
    "__new__": (_method("def __new__(c):", "return object.__new__(c)"), "D()"),
    "__call__": (_method("def __call__(s):"), "D()()"),
    "__enter__": (
        _method("def __exit__(s, *a): pass\n    def __enter__(s):"),
        "\nwith D(): pass",
    ),
    "__exit__": (
        _method("def __enter__(s): pass\n    def __exit__(s, *a):", "return False"),
        "\nwith D(): pass",
    ),
    "a property": (_method("@property\n    def p(s):", after="d = D()\n"), "d.p"),
    "a setter": (
        _method("p = property()\n    @p.setter\n    def p(s, v):", after="d = D()\n"),
        "\nd.p = 1",
    ),
    "a cached property": (_method("@functools.cached_property\n    def p(s):"), "D().p"),
    "a descriptor": (
        _method("def __get__(s, o, c):", after="class O:\n    p = D()\n"),
        "O().p",
    ),
    "a descriptor from outside": (_method("@Reading\n    def p(s):"), "D().p"),
    "__getattr__": (_method("def __getattr__(s, n):"), "D().p"),
    "__setattr__": (_method("def __setattr__(s, n, v):"), "\nD().p = 1"),
    "__getitem__": (_method("def __getitem__(s, k):"), "D()[0]"),
    "__setitem__": (_method("def __setitem__(s, k, v):"), "\nD()[0] = 1"),
    "__iter__": (_method("def __iter__(s):", "return iter([1])"), "list(D())"),
    "__eq__": (_method("__hash__ = None\n    def __eq__(s, o):"), "D() == 1"),
    "__add__": (_method("def __add__(s, o):"), "D() + 1"),
    "__len__": (_method("def __len__(s):", "return 1"), "len(D())"),
    "__bool__": (_method("def __bool__(s):"), "bool(D())"),
    "a generator": (_method("def hit(s):", "yield 1"), "list(D().hit())"),
    "decorated": (_method("@passing_on\n    def hit(s):"), "D().hit()"),
    "partialmethod": (
        _method("def hit(s, v): ", after="D.once = functools.partialmethod(D.hit, 1)\n"),
        "D().once()",
    ),
    "singledispatchmethod": (
        _method("@functools.singledispatchmethod\n    def hit(s, v):"),
        "D().hit('a')",
    ),
    "__post_init__": (
        _method("a: int\n    def __post_init__(s):", before="@dataclasses.dataclass\n"),
        "D(1)",
    ),
    "__init_subclass__": (_method("def __init_subclass__(c):", "pass"), "type('E', (D,), {})"),
    "of a base": (_method("def hit(s):", after="class E(D): pass\nd = E()\n"), "d.hit()"),
    "of super()": (
        _method("def hit(s):", after="class E(D):\n    def other(s): super().hit()\n"),
        "E().other()",
    ),
    "of a class in a class": (
        "class A:\n" + indent(METHOD.format("def hit(s):", "return True"), "    "),
        "A.D().hit()",
    ),
    "of a metaclass": (
        METHOD.format("def hit(s):", "return True").replace("class D", "class D(type)")
        + "class A(metaclass=D): pass\n",
        "A.hit()",
    ),
    "in a list": (_method("def hit():", after="hs = [D.hit]\ndel D\n"), "hs[0]()"),
    "in a list of the class": (
        _method("def hit():", after="") + "    hs = [hit]\n    del hit\n",
        "D.hs[0]()",
    ),
    "of a class that a function makes": (
        FACTORY.format(indent("nonlocal m\nm = m + 1", " " * 12)) + "D = make()\n",
        "D().hit()",
    ),
    "an error": (
        _method("def __init__(s, *a):", "pass").replace("class D", "class D(Exception)"),
        "D()",
    ),
    "a weak reference": (
        _method("def hit(s):", after="d = D()\nh = [weakref.ref(d)]\ndel D\n"),
        "h[0]().hit()",
    ),
    "a context manager": (MANAGER, "\nwith g(): pass"),
    "a decorator by it": (MANAGER + "@g()\ndef h(): pass\ndel g\n", "h()"),
    "singledispatch": (
        "@functools.singledispatch\ndef h(v):\n    nonlocal m\n    m = m + 1\n",
        "h(1)",
    ),
    "a function in a method": (
        "class D:\n    def hit(s):\n        def go():\n            nonlocal m\n"
        "            m = m + 1\n        go()\nd = D()\n",
        "d.hit()",
    ),
}


def _paths(hit):
    inner, deeper = indent(hit.lstrip("\n"), "    "), indent(hit.lstrip("\n"), "        ")
    yield f"if x > 0:\n{inner}\nif x > 2.7:\n{inner}\n"
    yield f"y = x\nwhile y > 1:\n{inner}\n    y = y / 2\n"
    yield f"for i in range(12):\n    if i > x: break\n{inner}\n"
    yield f"for i in range(3):\n    if i < x:\n{deeper}\n"
    if not hit.startswith("\n"):
        yield f"x > 2 and {hit}\n"


def _programs():
    for name, (made, hit) in HITS.items():
        for place, path in enumerate(_paths(hit)):
            yield f"{name} {place}", f"m = 0.0\n{made}{path}return m"


PROGRAMS = dict(_programs())


@each("body", PROGRAMS.values(), ids=PROGRAMS)
def test_paths(body):
    check_calls(function_of(IMPORTS + body), *NUMBERS)


IMPORTS = (
    "import contextlib, dataclasses, functools, weakref\n"
    "from classes.test_enclosing_variables import Reading, passing_on\n"
)


class Reading:
    def __init__(self, read):
        self.read = read

    def __get__(self, owner, cls):
        return self.read(owner)


def passing_on(function):
    @functools.wraps(function)
    def passed_on(*arguments):
        return function(*arguments)

    return passed_on


def _the_best(x):
    best = -1.0

    class D:
        def see(self, v):
            nonlocal best
            if v > best:  # noqa: PLR1730
                best = v

    d = D()
    for i in range(5):
        d.see(x * i - i * i)
    return best


def _set_by_the_function_too(x):
    m = 0

    class D:
        def hit(self):
            nonlocal m
            m += 1

    d = D()
    if x > 0:
        d.hit()
    if x > 1:
        m += 5
    if x > 2:
        m = 7
        d.hit()
    while x > 1:
        m *= 10
        d.hit()
        x = x / 2
    return m


def _each_has_its_own(x):
    def make():
        m = 0

        class D:
            def hit(self):
                nonlocal m
                m += 1
                return m

        return D()

    one, other = make(), make()
    if x > 0:
        other.hit()
    return one.hit() * 10 + other.hit()


def _one_of_two_classes(x):
    m = 0

    class A:
        def hit(self):
            nonlocal m
            m += 1

    class B:
        def hit(self):
            nonlocal m
            m *= 3

    for i in range(3):
        o = A() if x > i else B()
        o.hit()
    return m


def _manager_made_before(x):
    m = 0

    class D:
        def hit(self, v):
            nonlocal m
            m += v
            return v

    numbers = map(D().hit, [1, 2, 3])
    if x > 0:
        next(numbers)
    return m


FUNCTIONS = (
    _the_best,
    _set_by_the_function_too,
    _each_has_its_own,
    _one_of_two_classes,
    _manager_made_before,
)


@each("function", FUNCTIONS)
def test_functions(function):
    check_calls(function, *NUMBERS)


STATEMENTS = {
    "deleted": "del m",
    "bound": "[(m := m + i) for i in range(3)]\nfor m in range(m, m + 2):\n    pass",
}


@each("statements", STATEMENTS.values(), ids=STATEMENTS)
def test_statements(statements):
    hit = f"nonlocal m\n{statements}"
    body = f"class D:\n    def hit(self):\n{indent(hit, ' ' * 8)}\nd = D()\nif x > 0:\n    d.hit()"
    check_calls(function_of(f"m = 0\n{body}\nreturn m"), *NUMBERS)


def test_variables_from_outside():
    """A method reads and sets a variable that the compiled function itself closes over."""

    def stateful():
        held = 1.0

        def run(x):
            class D:
                def read(self):
                    return held * x

                def hit(self):
                    nonlocal held
                    held = held + x

            if x > 0:
                D().hit()
            return D().read()

        def put(value):
            nonlocal held
            held = value

        return run, put, lambda: held

    (run, put, read), (plain, set_plain, expected) = stateful(), stateful()
    compiled = gs.compile(run)
    for number, value in ((2.0, None), (-1.0, None), (3.0, 7.0), (0.5, -2.0), (-3.0, 5.0)):
        if value is not None:
            put(value)
            set_plain(value)
        assert compiled(number) == plain(number)
        assert read() == expected()


NESTED = {
    "accumulated": (
        "    total = x\n    for i in range(n):\n        def add(v):\n            nonlocal total\n"
        "            total += v * i\n        add(1)\n    return total\n"
    ),
    "in a branch": (
        "    total = x\n    for i in range(n):\n        def double():\n"
        "            nonlocal total\n            total *= 2\n"
        "        if total > 1.2:\n            double()\n"
        "    return total\n"
    ),
    "beside a branch": (
        "    total = x\n    for i in range(n):\n        def add(v):\n"
        "            nonlocal total\n            total += v * i\n            return total\n"
        "        if add(1) > 3.1:\n"
        "            i = 10\n            add(2)\n    return total\n"
    ),
    "kept": (
        "    total, functions = x, []\n    for i in range(n):\n        def add(v):\n"
        "            nonlocal total\n            total += v * i\n            return total\n"
        "        functions.append(add)\n        add(1)\n"
        "    return [f(1) for f in functions], total\n"
    ),
    "beside another branch": (
        "    k, flag, text, seen = 0, False, 'a', []\n    for i in range(n):\n"
        "        def count():\n            nonlocal k, flag, text, seen\n            k += 1\n"
        "            flag, text, seen = not flag, text + 'b', seen + [i]\n        count()\n"
        "        if x > 6:\n            x = x + 1\n    return k, flag, text, seen, x\n"
    ),
    "in one branch only": (
        "    k = 0\n    for i in range(n):\n        def count():\n            nonlocal k\n"
        "            k += 1\n        if x > 2:\n            count()\n"
        "        if i + x > 6:\n            break\n    return k\n"
    ),
    "a condition": (
        "    y = x\n    while n:\n        n -= 1\n        def step(d):\n"
        "            nonlocal y, n\n            y += d * n\n            if y > 6.1:\n"
        "                n = 0\n        step(1)\n    return y\n"
    ),
}


@pytest.mark.parametrize("body", NESTED.values(), ids=NESTED)
def test_functions_that_iterations_make(body):
    f = function_of(body, "x, n")
    check_calls(f, (1.0, 2), (2.5, 3), (5.0, 4), (0.5, 0))


def test_errors_about_variables_without_values_say_their_names():
    def f(x):
        k = x

        def read():
            return k

        if x > 1:
            del k
        try:
            return read()
        except NameError as error:
            return str(error), error.name

    check_calls(f, (1.5,), (0.5,), (2.0,))


def test_methods_and_arrays_of_such_functions():
    def of_a_class(x, n):
        total, hits = x, []
        for i in range(n):

            class Bump:
                step = i

                def __call__(self):
                    nonlocal total
                    total += self.step
                    return total

            if Bump()() > 2:
                hits.append(i)
        return total, hits

    def of_an_array(x, n):
        s = np.zeros(2)
        for i in range(n):

            def add(r):
                nonlocal s
                s = s + r * x

            add(i)
            if s[0] > 1:
                s = s * 2
        return float(s.sum())

    def bisected(x, n):
        low, high = 0.0, x + 2
        while True:
            middle = (low + high) / 2

            def shrink(up):
                nonlocal low, high
                if up:
                    low = middle
                else:
                    high = middle
                return high - low

            if shrink(middle * middle < 2) < 0.2:
                break
        return low, high

    for function in (of_a_class, of_an_array, bisected):
        check_calls(function, (1.25, 2), (2.5, 3), (5.0, 4), (0.5, 0))


def test_functions_of_two_loops():
    def of_two_loops(x, n):
        total = 0.0
        for _ in range(n):
            made = []
            for j in range(2):

                def add():
                    nonlocal total
                    total += x * j

                made.append(add)
            for add in made:
                add()
        return total

    check_calls(of_two_loops, (1.25, 2), (2.5, 3), (5.0, 4), (0.5, 0))
