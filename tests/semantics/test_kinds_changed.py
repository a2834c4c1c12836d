"""Values from outside that become something else between calls of one compiled function.

A list that becomes None, a tuple an int, an attribute that is deleted, a name that appears: the
next call finds out, and gives what Python gives then.
"""

# Functions are written here as users write them, not as a linter would have them.
# ruff: noqa: B009

from __future__ import annotations

import builtins
import enum
import functools
import math
import operator
import types

import numpy as np
import pytest

import gradsmith as gs

X = np.array([0.5, 1.25, 2.0])
S = types.SimpleNamespace()
TABLE = {}
ITEMS = []
W = None


class Scale(enum.IntEnum):
    ONE = 1
    TWO = 2


class Model:
    w = 2.0

    def __init__(self):
        self.v = 1.0

    @property
    def doubled(self):
        return None if self.v is None else 2 * self.v

    def __call__(self, x):
        return x * self.w if self.doubled is None else x * self.doubled

    def total(self, x):
        w = self.v
        return np.sum(x) * (w[0] if isinstance(w, (list, tuple)) else 1.5 if w is None else w)


MODEL = Model()


def attributes(*kinds):
    """States of S: each with these attributes alone."""

    def to(values):
        def change():
            S.__dict__.clear()
            S.__dict__.update(values)

        return change

    return [to(values) for values in kinds]


def named(*values):
    """States of S: attribute v."""
    return attributes(*({"v": value} for value in values))


def contents(container, *kinds):
    def to(values):
        def change():
            container.clear()
            container.update(values) if isinstance(container, dict) else container.extend(values)

        return change

    return [to(values) for values in kinds]


def model(name, *values, of=MODEL):
    return [functools.partial(setattr, of, name, value) for value in values]


def global_(*values):
    return [functools.partial(globals().__setitem__, "W", value) for value in values]


def bare_global(*values):
    def to(value):
        def change():
            globals().pop("LATER", None)
            if value is not None:
                globals()["LATER"] = value

        return change

    return [to(value) for value in values]


def closure():
    c = 1.0

    def f(x):
        return np.sum(x) * (2.5 if c is None else c)

    def change(value):
        nonlocal c
        c = value

    return f, [functools.partial(change, v) for v in (1.0, None, 3, True, np.float32(2))]


def first_of(v):
    return v[0] if isinstance(v, (list, tuple)) else v


def tries_an_attribute(x):
    try:
        w = S.v
    except AttributeError:
        w = 7.0
    return np.sum(x) * w


def tries_a_name(x):
    try:
        w = LATER
    except NameError:
        w = 7.0
    return np.sum(x) * w


def loops_over_a_dict(x):
    total = 0.0
    for key in TABLE:  # noqa: PLC0206
        total = total + np.sum(x) * TABLE[key]
    return total


def of_a_class_in_a_list(x):
    return sum((np.sum(x) * v for v in ITEMS), 0.0)


def nested_dict(x):
    a = TABLE["a"]
    return np.sum(x) * (a["b"] if isinstance(a, dict) else a)


def truth_of_an_item(x):
    return np.sum(x) * (1.5 if TABLE["a"] else 2.5)


TRUTHS = [None, True, 1.0, 0.0, 0, "s", [], [1], {}, ()]
CLOSURE, CLOSURE_STATES = closure()

CASES = {
    "list, None": (
        lambda x: np.sum(x) * (1.5 if W is None else W[0]),
        global_([2.0, 3.0], None, [4.0], (5,)),
    ),
    "list, number": (
        lambda x: np.sum(x) * first_of(W),
        global_([2.0], 3.0, np.float64(2), 2, np.array(5.0), [1.0, 2.0], (4,)),
    ),
    "axis": (
        lambda x: np.sum(np.sum(x[:, None] * X, axis=S.v)),
        named((0, 1), 0, None, 1, (0,), -1),
    ),
    "shape": (lambda x: np.sum(np.zeros(S.v) + x[0]), named((2, 3), 4, [2, 2], (), (1, 4), 1)),
    "index": (
        lambda x: np.sum(x[S.v]),
        named(0, [0, 1], (0,), slice(1, 3), None, ..., np.array([0, 2]), X > 1, -1),
    ),
    "slice": (lambda x: np.sum(x[S.v]), named(slice(0, 1), slice(1, 3), slice(None))),
    "dtype": (lambda x: np.sum(x.astype(S.v)), named(float, "float32", np.float32)),
    "array, number": (
        lambda x: np.sum(x * S.v),
        named(np.ones(3), 2.0, np.ones((2, 3)), np.array(2), [1.0, 2.0, 3.0], (3, 2, 1), True),
    ),
    "dict": (loops_over_a_dict, contents(TABLE, {"a": 1.0}, {"a": 1, "b": 2.0}, {}, {"b": 3.0})),
    "dict in a dict": (nested_dict, contents(TABLE, {"a": 2.0}, {"a": {"b": 3.0}}, {"a": 2})),
    "get": (lambda x: np.sum(x) * TABLE.get("a", 7.0), contents(TABLE, {}, {"a": 2.0}, {"a": 3})),
    "in": (lambda x: np.sum(x) * (3.0 if "a" in TABLE else 2.0), contents(TABLE, {}, {"a": 2.0})),
    "len": (lambda x: np.sum(x) * len(TABLE), contents(TABLE, {}, {"a": 2.0}, {"a": 1, "b": 2})),
    "truth": (truth_of_an_item, contents(TABLE, *({"a": v} for v in TRUTHS))),
    "list of numbers": (of_a_class_in_a_list, contents(ITEMS, [], [1], [1, 2.0], [3.0])),
    "sum of a list": (lambda x: np.sum(x) * sum(ITEMS), contents(ITEMS, [], [1], [1, 2.0])),
    "function": (
        lambda x: np.sum(S.v(x)),
        named(np.sin, lambda x: 3 * x, np.cos, functools.partial(np.power, 2.0), Model()),
    ),
    "function in a list": (
        lambda x: np.sum(ITEMS[0](x)),
        contents(ITEMS, [np.sin], [np.cos], [lambda x: x * 3]),
    ),
    "methods": (
        lambda x: np.sum(S.v(x)),
        named(Model().total, Model().__call__, MODEL.total),
    ),
    "partial": (
        lambda x: np.sum(S.v(x)),
        named(*(functools.partial(lambda x, k: x * k, k=k) for k in (2.0, 3.0, 2))),
    ),
    "math or numpy": (
        lambda x: np.sum(x) * S.v(2.0),
        named(math.sin, np.sin, math.cos, abs),
    ),
    "cell": (CLOSURE, CLOSURE_STATES),
    "self": (MODEL.total, model("v", [1.0, 2.0], 3.0, (1.0,), None, 2)),
    "class attribute": (
        lambda x: np.sum(x) * MODEL.w,
        model("w", 3.0, 4, of=Model),
    ),
    "property": (lambda x: np.sum(MODEL(x)), model("v", 1.0, None, 2, np.float64(3.0))),
    "int, bool": (lambda x: np.sum(x) * (1.5 if S.v is True else 2.5), named(1, True, 1.0)),
    "int, float": (
        lambda x: np.sum(x) * (1.5 if isinstance(S.v, int) else 2.5),
        named(1, 1.0, True),
    ),
    "enum": (lambda x: np.sum(x) * S.v, named(1, Scale.ONE, Scale.TWO, 2)),
    "class of an enum": (
        lambda x: np.sum(x) * (1.5 if isinstance(S.v, Scale) else 2.5),
        named(1, Scale.ONE, 2, Scale.TWO),
    ),
    "deleted": (tries_an_attribute, attributes({"v": 2.0}, {}, {"v": 3.0}, {"v": 4})),
    "added": (tries_an_attribute, attributes({}, {"v": 2.0}, {"v": 3.0}, {})),
    "hasattr": (
        lambda x: np.sum(x) * (S.v if hasattr(S, "v") else 7.0),
        attributes({"v": 2.0}, {}, {"v": 3.0}, {"u": 1.0}),
    ),
    "getattr": (lambda x: np.sum(x) * getattr(S, "v"), named(2.0, 3.0, np.float64(4.0), 5)),
    "getattr with a default": (
        lambda x: np.sum(x) * getattr(S, "v", 7.0),
        attributes({}, {"v": 2.0}, {"v": 3.0}, {"v": 4}, {"u": 1.0}),
    ),
    "vars": (lambda x: np.sum(x) * vars(S)["v"], named(2.0, 3.0, 4)),
    "__dict__": (lambda x: np.sum(x) * S.__dict__["v"], named(2.0, 3.0, 4)),
    "attrgetter": (lambda x: np.sum(x) * operator.attrgetter("v")(S), named(2.0, 3.0, 4)),
    "globals": (lambda x: np.sum(x) * globals()["W"], global_(2.0, 3.0, 4)),
    "a name": (tries_a_name, bare_global(None, 2.0, 3.0, None, 4)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
def test_each_call_finds_out(name):
    fun, states = CASES[name]
    compiled, gradient = gs.compile(fun), gs.value_and_grad(fun)
    for change in states + states[::-1]:
        change()
        expected = fun(X)
        np.testing.assert_array_equal(compiled(X), expected)
        value, slope = gradient(X)
        np.testing.assert_allclose(value, expected, rtol=1e-13)
        if slope.dtype == np.float32 or isinstance(value, np.float32):
            np.testing.assert_array_equal(slope, gs.grad(fun)(X))
            continue
        ahead, behind = fun(X + 1e-6 * X), fun(X - 1e-6 * X)
        np.testing.assert_allclose(slope @ X, (ahead - behind) / 2e-6, rtol=1e-3, atol=1e-6)


def test_an_error_of_reading_is_the_users():
    def f(x):
        return np.sum(x) * S.v[0]

    (to_list,), (to_none,) = named([2.0]), named(None)
    to_list()
    compiled = gs.compile(f)
    assert compiled(X) == 2 * np.sum(X)
    to_none()
    with pytest.raises(TypeError, match="not subscriptable"):
        compiled(X)
    to_list()
    assert compiled(X) == 2 * np.sum(X)


@pytest.mark.parametrize("kind", [np.matrix, np.ma.masked_array])
@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_arrays_that_become_those_with_an_arithmetic_of_their_own(kind):
    a = np.ones((2, 2))
    compiled = gs.compile(lambda a: a * a)
    outside = gs.compile(lambda: S.v * S.v)
    (change,) = named(a)
    change()
    np.testing.assert_array_equal(compiled(a), a)
    np.testing.assert_array_equal(outside(), a)
    S.v = kind(a)
    for call in (lambda: compiled(kind(a)), outside):
        with pytest.raises(TypeError, match="arithmetic is not that of arrays"):
            call()


class Family:
    @classmethod
    def scaled(cls, x):
        return x * 2

    @staticmethod
    def shifted(x):
        return x + 1

    def total(self, x):
        return np.sum(self.scaled(self.shifted(x)))


def test_methods_of_classes_need_no_other_code():
    family = Family()
    compiled = gs.compile(lambda x: family.total(x) + np.sum(Family.scaled(x)))
    for x in (X, 2 * X, X[:2]):
        assert compiled(x) == family.total(x) + np.sum(Family.scaled(x))
    assert compiled.source(X) is compiled.source(X[:2])


def test_a_builtin_that_gets_another_meaning():
    def f(x):
        return np.sum(x) * later(2.0)  # noqa: F821

    compiled = gs.compile(f)
    builtins.later = lambda v: v * 3
    try:
        assert compiled(X) == f(X)
    finally:
        del builtins.later
    with pytest.raises(NameError):
        compiled(X)
