"""What the bodies of classes that functions make read from outside: at each call, as in Python."""

# ruff: noqa: N805, RUF012

import dataclasses
import enum
from typing import NamedTuple

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls
from frontend.recording import written
from gradsmith.errors import UnsupportedError
from helpers import each

LOOP = "r = []\nfor i in range(n):\n"
DECORATED = "@dataclass\nclass C"
BODIES = {
    "number": "class C: k = K\nreturn x[0] * C.k",
    "items": "class C: k = CFG[0]; r = R\nreturn x[0] * C.k + len(C.r) + C.r[-1]",
    "array": "class C: v = V * 2; w = sum(R)\nreturn C.v @ x[:2] + C.w",
    "dataclass": f"{DECORATED}: a: float = K; b: int = len(R)\nreturn C().a * x[0], C(x[0]).b",
    "default": "class C:\n    def f(s, a=K): return a * x[0]\nreturn C().f()",
    "branch": "class C:\n    if x[0] > 1: k = K\n    else: k = x[1]\nreturn C.k",
    "list": "class C: reg = R\nC.reg.append(n)\nreturn x[0]",
    "appended": "class C: R.append(n)\nreturn x[0]",
    "variable": f"{LOOP}    class C: r.append(i); k = i\n    r.append(C.k * x[0])\nreturn r",
    "call": "class C: k = up()\nreturn C.k * x[0]",
    "call in a default": "class C:\n    def f(s, a=up()): return a * x[0]\nreturn C().f()",
    "call in a class inside": "class B:\n    class C: k = up()\nreturn B.C.k * x[0]",
    "print": "class C: print('made', n)\nreturn x[0]",
    "attribute": "class C:\n    T.n += 1\n    T.k = n\nreturn x[0] * T.n",
    "item": "d = {}\nclass C:\n    d['a'] = x[0]; D['a'] += 1; d['b'] = d['a'] * 2\nreturn d['b']",
    "deleted": "d = {1: x[0], 2: x[1]}\nclass C:\n    del d[1]\nreturn d[2], len(d)",
    "iterator": "it = iter([1, 2, 3])\nclass C: a = next(it); b = next(it)\nreturn C.b, next(it)",
    "loop": "class C:\n    for i in range(3): R.append(i)\nreturn x[0]",
    "decorator": "class C:\n    @noted\n    def f(s, v): return v\nreturn C().f(x[0])",
    "property": "class C:\n    @property\n    @noted\n    def f(s): return x[1]\nreturn C().f",
    "written before": "P.n = x[0]\nclass C: v = P.n * 2\nreturn C.v",
    "class attribute written before": "class A: k = 1\nA.k = x[0]\nclass B: v = A.k\nreturn B.v",
    "added to the base": "class A: pass\nA.v = x[0]\nclass B(A): w = A.v\nreturn B.w + B.v",
    "method added": "class A: pass\nA.m = lambda s: x[0]\nclass B(A): k = A().m()\nreturn B.k",
    "default written before": "class A: k = 1\nA.k = x[0]\n"
    "class B:\n    def f(s, q=A.k): return q\nreturn B().f()",
    "asked": "class A: k = 1\nA.z = x[0]\ndel A.k\n"
    "class B: h = hasattr(A, 'k'); g = getattr(A, 'z')\nreturn B.h, B.g",
    "changed by a function": "D['a'] += 1\ndef get(): return D['a']\n"
    "class C: v = get()\nreturn C.v",
    "one of two": "if x[0] > 2:\n    class C: v = up()\nelse:\n    class C: v = -up()\nreturn C.v",
    "within a try": "try:\n    class C: a = up(); b = 1 / (a % 2)\n"
    "except ZeroDivisionError as e:\n    return str(e)\nreturn C.b",
    "named tuple": "class P(NamedTuple):\n    a: float\n    b: int = up()\n"
    "return P(x[0])[1] * x[0]",
    "field": f"{DECORATED}:\n    a: float\n    b: int = up()\nreturn C(x[0]).b * x[0]",
    "enumeration": "class E(Enum): A = up(); B = up()\nreturn E.B.value * x[0]",
    "comprehension": "class C: k = [up() for _ in range(2)]\nreturn C.k[1] * x[0]",
    "annotation": "def g(v: up()) -> up(): return v\nreturn g(x[0])",
    "own names": "class C:\n    k = 2; j = k if x[0] > 2 else 5; m = k and x[0]\n"
    "    q = [v * 2 for v in R]\nreturn C.j, C.m, C.q",
    "tuples": "class C: t = (1, 2); a, b = t; c = d = x[0]\nreturn C.a + C.b + C.c * C.d",
    "conditions": "class C:\n    s = 0\n    if x[0] > 2: s = 1\n    while s < 3: s += x[0]\n"
    "return C.s",
    "private": "class C:\n    __x = x[0]\n    y = __x * 2\n    def get(s): return s.__x\n"
    "return C().get() + C.y",
    "outside of the same name": "class C: K = K * 2\nreturn C.K * x[0]",
    "array made in it": "class C:\n    a = np.array([1.0, 2.0]) * x[0]\n"
    "    def f(s): return s.a @ s.a\nreturn C().f()",
    "property and setter": "class A:\n    @property\n    def p(s): return x[0]\n    @p.setter\n"
    "    def p(s, v): s.q = v\na = A()\na.p = x[1]\nreturn a.p, a.q",
    "dict": "class C: d = D\nC.d['a'] = n\nC().d['b'] = x[0]\nreturn x[0]",
}


CALLS = [(np.array(x), n) for x, n in (([1.25, -2.0], 1), ([3.0, 4.0], 2), ([0.5, 4.0], 0))]


OUTSIDE = """
class T: n = 0
class Q: n = 1.0
P = Q()
def up():
    T.n += 1
    return T.n
def noted(function):
    R.append(function.__name__)
    return function
"""


def made(body):
    function = written(
        f"{OUTSIDE}def f(x, n):\n" + "".join(f"    {line}\n" for line in body.split("\n")),
        np=np,
        dataclass=dataclasses.dataclass,
        NamedTuple=NamedTuple,
        Enum=enum.Enum,
        K=1.5,
        CFG=[2.0],
        R=[1.0, 3.0],
        V=np.array([1.0, 2.0]),
        D={"a": 0},
    )
    return function, function.__globals__


def change(variables):
    variables["K"] += 1.0
    variables["CFG"][0] += 1.0
    variables["R"].append(variables["K"])
    variables["V"][:] *= 2


@each("body", BODIES.values())
def test_outside_state(body, capsys):
    (plain, theirs), (function, mine) = made(body), made(body)
    compiled = gs.compile(function)
    for x, n in (
        (np.array([1.25, -2.0]), 1),
        (np.array([3.0, 4.0]), 2),
        (np.array([0.5, 4.0]), 0),
    ):
        expected, printed = repr(plain(x, n)), capsys.readouterr().out
        assert repr(compiled(x, n)) == expected
        assert capsys.readouterr().out == printed
        assert vars(mine["T"])["n"] == vars(theirs["T"])["n"]
        for name in ("K", "CFG", "R", "V", "D"):
            assert repr(mine[name]) == repr(theirs[name])
        change(theirs)
        change(mine)


def test_variables_that_a_class_body_sets_outside_are_refused():
    function, _ = made("class C:\n    global K\n    K = K + n\nreturn x[0]")
    with pytest.raises(UnsupportedError):
        gs.compile(function)(np.ones(2), 1)


def test_defaults_of_functions_in_the_body():
    def appended(x):
        class Registry:
            held = []

            def add(value, held=held):
                held.append(value)
                return value

            first = add(x)

            def later(self, value, held=held):
                held.append(value)
                return len(held)

        return Registry.held, Registry.first, Registry().later(x), Registry.held

    def registered(x):
        class Registry:
            handlers = {}

            def on(name, handlers=handlers):
                def decorate(function):
                    handlers.setdefault(name, []).append(function)
                    return function

                return decorate

            @on("a")
            def plus(v):
                return v + 1

            @on("a")
            def twice(v):
                return v * 2

            del on

        return [handler(x) for handler in Registry.handlers["a"]]

    def by_lambda(x):
        class Registry:
            held = [0]
            add = lambda v, held=held: held.append(v)  # noqa: E731
            add(x)
            add(2)

        return Registry.held

    for function in (appended, registered, by_lambda):
        check_calls(function, (1.5,), (2,), (0.5,))


def test_names_of_the_body():
    def written(x):
        class Model:
            for name in "ab":
                locals()[name] = lambda self, name=name: (name, x)
            vars()["rate"] = x
            locals().update(order=2)
            total = order + rate  # noqa: F821

        return Model().a(), Model.rate, Model.total

    def read(x):
        class Model:
            a = x * 2
            held = dict(locals())
            names = sorted(name for name in vars() if not name.startswith("_"))

        return Model.held["a"], Model.names

    for function in (written, read):
        check_calls(function, (1.5,), (2,))


class _Noting(dict):
    """A namespace that notes what is stored in it."""

    def __init__(self):
        super().__init__()
        self.stored = []

    def __setitem__(self, name, value):
        self.stored.append(name)
        super().__setitem__(name, value)


class _Noted(type):
    @classmethod
    def __prepare__(cls, name, bases):
        return _Noting()

    def __new__(cls, name, bases, namespace):
        made = super().__new__(cls, name, bases, dict(namespace))
        made.stored = [name for name in namespace.stored if not name.startswith("__")]
        return made


def _stored_names(x):
    class Body(metaclass=_Noted):
        a = b = x
        a += 1
        c: int = 2
        d, e = 1, 2
        for i in range(2):
            f = i
        (g, *h), k = (1, 2, 3), 4
        items = [v for v in (1, 2)]  # noqa: C416
        if (m := 3) > 2:
            n = m

        def method(self):
            pass

        from math import sin as sine

        del f

    return Body.stored


def _members(x):
    class Level(enum.Enum):
        LOW, HIGH = 1, 2
        LEAST = LAZY = 0

    return Level.HIGH.value * x, Level.LAZY is Level.LEAST, [level.name for level in Level]


@pytest.mark.parametrize("function", [_stored_names, _members])
def test_names_are_stored_once(function):
    check_calls(function, (2.5,), (1,))
