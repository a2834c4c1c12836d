"""Dicts whose items are read, set and deleted as attributes."""

from __future__ import annotations

import types
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import UnsupportedError
from helpers import each


class Methods(dict):
    """Methods of dicts under other names."""

    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class Items(dict):
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class Functions(dict):
    def __getattr__(self, name):
        if name in self:
            return self[name]
        raise AttributeError(name)

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        del self[name]


class Bases(dict):
    """Functions that call those of the base class."""

    def __getattr__(self, name):
        return dict.__getitem__(self, name)

    def __setattr__(self, name, value):
        dict.__setitem__(self, name, value)

    def __delattr__(self, name):
        super().__delitem__(name)


class OwnDict(dict):
    """The items are the attributes."""

    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        self.__dict__ = self


CLASSES = [Methods, Items, Functions, Bases, OwnDict]


def attributes_and_items(cls, x):
    p = cls(a=x)
    p.a = p.a * 2
    p.b = x
    p["b"] = p["b"] + 1
    p.a += p.b
    p["a"] *= 3
    return p.a, p["a"], p.b, p["b"], len(p), list(p), dict(p), dict(vars(p))


def deleted(cls, x):
    p = cls(a=x, b=1.0)
    del p.b
    p.c = x
    del p["a"]
    return list(p), "b" in p, p.c


def nested(cls, x):
    p = cls(a=x, q=cls(w=2 * x))
    p.q.w = p.q.w * p.a
    p.q.r = cls(z=p.q.w)
    p.q.r.z += 1.0
    return p["q"]["w"], p.q.r["z"]


def in_a_branch(cls, x):
    p = cls(a=x)
    if x > 2.0:
        p.a = p.a * 2
        p.b = 1.0
    else:
        p.b = x
    return p["a"] * p.b, list(p)


def in_loops(cls, x):
    p = cls(a=x, q=cls(w=x))
    for i in range(3):
        p.a = p.a * 2 + i
        p.q.w += p.a
    while p.a < 100:
        p.a *= 3
    return p["a"], p["q"]["w"]


def in_a_loop_over_an_array(cls, x):
    p = cls(a=x)
    for v in np.array([1.0, 2.0, 3.0]) * x:
        p.a = p["a"] + v * v
    return p.a


def chosen(cls, x):
    p, q = cls(a=x), cls(a=2 * x)
    r = p if x > 2.0 else q
    r.a = r.a * 3
    return p["a"], q.a, r.a


def as_an_argument_of_a_helper(cls, x):
    def scale(p):
        p.a = p.a * x
        return p

    return scale(cls(a=x)).a, scale(cls(a=1.0))["a"]


FUNCTIONS = [
    *(attributes_and_items, deleted, nested, in_a_branch, in_loops, in_a_loop_over_an_array),
    *(chosen, as_an_argument_of_a_helper),
]


@each("cls", CLASSES)
@each("function", FUNCTIONS)
def test_made_in_the_function(function, cls):
    def bound(x):
        return function(cls, x)

    compiled = gs.compile(bound)
    for x in (1.5, 3.0):
        assert repr(compiled(x)) == repr(bound(x))


@each("cls", CLASSES)
def test_derivatives(cls):
    def function(x):
        p = cls(a=x)
        for _ in range(3):
            p.a = p.a * p["a"]
        if x > 1.0:
            p.b = 2 * p.a
        else:
            p.b = p.a
        return p["b"]

    assert gs.grad(function)(1.5) == pytest.approx(16 * 1.5**7)
    assert gs.grad(function)(0.5) == pytest.approx(8 * 0.5**7)


def changed_argument(p, x):
    p.a = p.a * x
    p["b"] = p.a + 1
    for i in range(2):
        p.b = p.b * p["a"] + i
    if x > 2.0:
        p.c = x
        del p.d
    return p.b


@each("cls", CLASSES)
def test_arguments_are_changed(cls):
    compiled = gs.compile(changed_argument)
    for x in (1.5, 3.0, 1.5):
        given, expected = cls(a=2.0, d=1.0), cls(a=2.0, d=1.0)
        assert compiled(given, x) == changed_argument(expected, x)
        assert (dict(given), vars(given)) == (dict(expected), vars(expected))


@each("cls", CLASSES)
def test_gradients_beside_such_an_argument(cls):
    def loss(w, p):
        scale = p.b * p["b"]
        q = cls(w=w)
        q.w = q.w * scale
        return np.sum(q.w * q["w"])

    made = gs.grad(loss)(np.array([1.0, 2.0]), cls(b=2.0))
    np.testing.assert_array_equal(made, [32.0, 64.0])


@each("cls", CLASSES)
def test_captured_dicts_are_changed(cls):
    state = cls(a=2.0, q=cls(n=0))

    def function(x):
        state.a = state.a * x
        state.q.n += 1
        if x > 2.0:
            state.b = state["a"]
        for _ in range(2):
            state["a"] = state.a + x
        return state.a

    def outcome(called, x):
        before = dict(state) | {"q": cls(state["q"])}
        value = called(x)
        found = repr((value, dict(state), vars(state), vars(state["q"])))
        after = dict(state)
        state.clear()
        state.update(before)
        return found, after

    compiled = gs.compile(function)
    for x in (1.5, 3.0, 1.5):
        found, _ = outcome(compiled, x)
        expected, after = outcome(function, x)
        assert found == expected
        state.clear()
        state.update(after)


@each("cls", [Methods, Functions, OwnDict])
@each(
    "function",
    [
        lambda p, x: getattr(p, "b", None) or x,
        lambda p, x: (p.b or x) if "b" in p else 2 * x,
        lambda p, x: p.b * x if hasattr(p, "b") and p.b else x,
        lambda p, x: len(vars(p)) * x + len(p),
    ],
)
def test_items_that_come_and_go_between_calls(function, cls):
    state = cls(a=2.0)
    compiled, checked = gs.compile(lambda x: function(state, x)), partial(function, state)
    assert compiled(3.0) == checked(3.0)
    state["b"] = 5.0
    assert compiled(3.0) == checked(3.0)
    state.b = 7.0
    assert compiled(3.0) == checked(3.0)
    del state.b
    assert compiled(3.0) == checked(3.0)


def test_the_dict_of_an_object_that_is_its_own_is_changed():
    state = OwnDict(a=2.0)

    def function(x):
        vars(state)["a"] = x * state.a
        state.__dict__["b"] = x
        state.update(c=state.b)
        return state.a + state["c"]

    compiled = gs.compile(function)
    assert [compiled(3.0), compiled(3.0)] == [9.0, 21.0]
    assert state == {"a": 18.0, "b": 3.0, "c": 3.0}


# -- the dict of an object outside under another name


class Open:
    pass


@dataclass
class Pair:
    a: float
    b: float


def held_dict(form):
    """An object or module, and its dict as the functions find it."""
    b = types.ModuleType("settings") if form == "module" else Open()
    b.v = 0.0
    return b, [vars(b)] if form == "in a list" else vars(b)


def item(d, form):
    return d[0]["v"] if form == "in a list" else d["v"]


FORMS = ("variable", "in a list", "module")


@each("form", FORMS)
@each("written", [True, False])
def test_a_dict_outside_shows_the_attributes_of_its_object(form, written):
    def run(compiled):
        b, d = held_dict(form)

        def function(x):
            if written:
                b.v = x
            return b.v + 2 * item(d, form)

        c = compiled(function)
        found = [c(1.0), c(2.0)]
        b.v = 5.0
        found.append(c(3.0))
        b.w = 1.0
        return [*found, c(4.0), b.v]

    assert run(gs.compile) == run(lambda f: f)


@each("form", FORMS)
def test_attributes_are_not_written_once_their_dict_is_read(form):
    b, d = held_dict(form)

    def function(x):
        before = item(d, form)
        b.v = x
        return before + item(d, form)

    with pytest.raises(UnsupportedError, match="under another name"):
        gs.compile(function)(1.0)
    assert b.v == 0.0


@each("form", FORMS)
@each("first", ["dict", "attribute"])
def test_a_dict_is_not_written_where_attributes_are_read(form, first):
    b, d = held_dict(form)

    def function(x):
        before = b.v if first == "attribute" else 0.0
        (d[0] if form == "in a list" else d)["v"] = x
        return before + b.v

    with pytest.raises(UnsupportedError):
        gs.compile(function)(1.0)
    assert b.v == 0.0


def test_a_dict_among_the_arguments_is_that_of_an_object():
    def function(x, b, d):
        b.v = x
        return d["v"]

    b, d = held_dict("variable")
    with pytest.raises(UnsupportedError, match="under another name"):
        gs.compile(function)(1.0, b, d)


def test_the_dict_of_a_dataclass_under_another_name():
    b = Pair(1.0, 2.0)
    d = vars(b)

    def function(x):
        b.a = x
        return d["a"]

    with pytest.raises(UnsupportedError, match="under another name"):
        gs.compile(function)(1.0)


def test_the_dict_of_a_class_under_another_name():
    class C:
        v = 0.0

    d = vars(C)

    def function(x):
        C.v = x
        return d["v"]

    with pytest.raises(UnsupportedError, match="under another name"):
        gs.compile(function)(1.0)


class Doubled:
    """A descriptor that keeps what is set in the object's dict, under its own name."""

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, owner, cls):
        return self if owner is None else 2 * owner.__dict__[self.name]

    def __set__(self, owner, value):
        owner.__dict__[self.name] = value


class Described:
    v = Doubled()

    def __init__(self, v):
        self.v = v


class Behind:
    def __init__(self, v):
        self.__dict__["v"] = v

    @property
    def v(self):
        return 3 * vars(self)["v"]


@each("cls", [Described, Behind])
def test_what_the_dict_holds_behind_a_descriptor_of_the_same_name(cls):
    held = cls(1.0)
    compiled = gs.compile(lambda x: x * held.v)
    assert compiled(1.0) == held.v
    vars(held)["v"] = 5.0
    assert compiled(1.0) == held.v
