"""Values changed after compilation.

Rows of the table "Mutation and Python around it" in docs/semantics.md.
"""

# Functions are written here as users write them, not as a linter would have them.
# ruff: noqa: PLW0108

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.numbers import same

X = np.array([0.5, -1.25, 2.0])
A = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.6], [0.9, -0.2, 1.7]])


# --- row: closure variables, globals and attributes changed after compilation

SCALE = 2.0
TABLE = np.array([1.0, 2.0, 3.0])
SETTINGS = {"rate": 2.0, "table": np.array([1.0, 2.0, 3.0])}
LAYERS = [np.array([1.0, 2.0, 3.0])]
MODE = "sum"
DEGREE = 2
namespace = types.SimpleNamespace(rate=2.0)


def uses_a_global_number(x):
    return np.sum(SCALE * x)


def uses_a_global_array(x):
    return np.sum(TABLE * x)


def uses_a_global_dict(x):
    return np.sum(SETTINGS["rate"] * SETTINGS["table"] * x)


def uses_a_global_list(x):
    return np.sum(LAYERS[0] * x)


def uses_a_global_string(x):
    return np.sum(x) if MODE == "sum" else np.sum(x * x)


def uses_a_global_int(x):
    total = 0.0
    for k in range(DEGREE):
        total = total + x**k
    return np.sum(total)


def uses_a_global_object(x):
    return np.sum(namespace.rate * x)


def slope(x):
    return x * x


def uses_a_global_function(x):
    return np.sum(slope(x))


def uses_a_global_through_a_helper(x):
    return uses_a_global_number(x) * 3.0


def test_global_number_changed_later(monkeypatch):
    g = gs.grad(uses_a_global_number)
    same(g(X), np.full(3, 2.0))
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    same(g(X), np.full(3, 5.0))
    monkeypatch.setitem(globals(), "SCALE", 7)
    same(g(X), np.full(3, 7.0))
    monkeypatch.setitem(globals(), "SCALE", np.array([1.0, 2.0, 3.0]))
    same(g(X), [1, 2, 3])


def test_global_number_of_a_helper_changed_later(monkeypatch):
    g = gs.grad(uses_a_global_through_a_helper)
    same(g(X), np.full(3, 6.0))
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    same(g(X), np.full(3, 15.0))


def test_global_array_replaced_later(monkeypatch):
    g = gs.grad(uses_a_global_array)
    same(g(X), [1, 2, 3])
    monkeypatch.setitem(globals(), "TABLE", np.array([4.0, 5.0, 6.0]))
    same(g(X), [4, 5, 6])
    monkeypatch.setitem(globals(), "TABLE", np.array([7.0]))
    same(g(X), [7, 7, 7])


def test_global_array_written_later(monkeypatch):
    monkeypatch.setitem(globals(), "TABLE", TABLE.copy())
    g = gs.grad(uses_a_global_array)
    same(g(X), [1, 2, 3])
    TABLE[1] = 9.0
    same(g(X), [1, 9, 3])


def test_entries_of_a_global_dict_changed_later(monkeypatch):
    g = gs.grad(uses_a_global_dict)
    same(g(X), [2, 4, 6])
    monkeypatch.setitem(SETTINGS, "rate", 10.0)
    same(g(X), [10, 20, 30])
    monkeypatch.setitem(SETTINGS, "table", np.ones(3))
    same(g(X), [10, 10, 10])


def test_entries_of_a_global_list_changed_later(monkeypatch):
    monkeypatch.setitem(globals(), "LAYERS", LAYERS.copy())
    g = gs.grad(uses_a_global_list)
    same(g(X), [1, 2, 3])
    LAYERS[0] = np.array([4.0, 5.0, 6.0])
    same(g(X), [4, 5, 6])


def test_global_string_changed_later(monkeypatch):
    g = gs.grad(uses_a_global_string)
    same(g(X), np.ones(3))
    monkeypatch.setitem(globals(), "MODE", "squares")
    same(g(X), 2 * X)


def test_global_int_changed_later(monkeypatch):
    g = gs.grad(uses_a_global_int)
    same(g(X), np.ones(3))
    monkeypatch.setitem(globals(), "DEGREE", 4)
    same(g(X), 1 + 2 * X + 3 * X**2)


def test_attribute_of_a_global_object_changed_later(monkeypatch):
    g = gs.grad(uses_a_global_object)
    same(g(X), np.full(3, 2.0))
    monkeypatch.setattr(namespace, "rate", 5.0)
    same(g(X), np.full(3, 5.0))


def test_global_function_replaced_later(monkeypatch):
    g = gs.grad(uses_a_global_function)
    same(g(X), 2 * X)
    monkeypatch.setitem(globals(), "slope", np.sin)
    same(g(X), np.cos(X))
    monkeypatch.setitem(globals(), "slope", lambda x: x**3)
    same(g(X), 3 * X**2)


TRANSFORMS = {
    "grad": lambda fun: gs.grad(fun),
    "value_and_grad": lambda fun: lambda x: gs.value_and_grad(fun)(x)[1],
    "f.grad": lambda fun: lambda x: gs.differentiable(fun).grad(x)[0],
    "f.grad kept": lambda fun: kept_f_grad(fun),
    "compiled autograd.grad": lambda fun: gs.compile(
        lambda x: gs.autograd.grad(fun(x), x)[0],
    ),
}


def kept_f_grad(fun):
    f = gs.differentiable(fun)
    return lambda x: f.grad(x)[0]


@each("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_closure_number_changed_later(transform):
    scale = 2.0

    def f(x):
        return np.sum(scale * x)

    g = transform(f)
    same(g(X), np.full(3, 2.0))
    scale = 5.0
    same(g(X), np.full(3, 5.0))


@each("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_closure_array_changed_later(transform):
    table = np.ones(3)

    def f(x):
        return np.sum(table * x)

    g = transform(f)
    same(g(X), np.ones(3))
    table[:] = 3.0
    same(g(X), np.full(3, 3.0))
    table = np.array([1.0, 2.0, 3.0])
    same(g(X), table)
    table = np.array([[1.0, 2.0, 3.0]] * 2)
    same(g(X), [2, 4, 6])


def test_closure_of_a_closure_changed_later():
    scale = 2.0

    def outer(x):
        def inner(y):
            return scale * y

        return np.sum(inner(x) ** 2)

    g = gs.grad(outer)
    same(g(X), 8 * X)
    scale = 3.0
    same(g(X), 18 * X)


def test_closures_of_one_code_object_do_not_share_values():
    def make(scale, table):
        def f(x):
            return np.sum(scale * table * x)

        return gs.grad(f)

    first, second = make(2.0, np.ones(3)), make(5.0, np.array([1.0, 2.0, 3.0]))
    same(first(X), [2, 2, 2])
    same(second(X), [5, 10, 15])
    same(first(X), [2, 2, 2])


def test_closure_that_is_a_dtype_changed_later():
    kind = np.float32

    def f(x):
        return np.sum(x.astype(kind) * 2)

    h = gs.compile(f)
    assert h(X).dtype == np.float32
    kind = np.float64
    assert h(X).dtype == np.float64


def test_a_captured_array_is_differentiated_as_a_constant():
    w = X.copy()

    def f(x):
        return np.sum(x * w)

    g = gs.grad(f)(w)
    same(g, X)
    assert not np.shares_memory(g, w)


class Model:
    factor = 1.0

    def __init__(self, w, scale=1.0):
        self.w = w
        self.scale = scale
        self.inner = types.SimpleNamespace(b=np.zeros(3))
        self.layers = [np.ones(3)]

    @property
    def weight(self):
        return self.w * self.scale

    def loss(self, x):
        return np.sum(self.factor * self.scale * self.w * x)

    def predict(self, x):
        return np.tanh(self.weight * x + self.inner.b) * self.layers[0]

    def total(self, x):
        return np.sum(self.predict(x))

    def __call__(self, x):
        return self.total(x)

    @staticmethod
    def static(x):
        return np.sum(x * x)

    @classmethod
    def of_class(cls, x):
        return np.sum(cls.factor * x * x)


def test_attribute_changed_later():
    model = Model(np.ones(3))
    g = gs.grad(model.loss)
    same(g(X), np.ones(3))
    model.w = np.array([1.0, 2.0, 3.0])
    same(g(X), [1, 2, 3])
    model.w *= 2
    same(g(X), [2, 4, 6])
    model.scale = 10.0
    same(g(X), [20, 40, 60])
    model.factor = 0.5
    same(g(X), [10, 20, 30])


@pytest.mark.parametrize("how", ["method", "instance"])
def test_nested_attributes_and_properties_changed_later(how):
    model = Model(np.ones(3))
    g = gs.grad(model.total if how == "method" else model)
    same(g(X), 1 / np.cosh(X) ** 2)
    model.inner.b = np.full(3, 0.5)
    same(g(X), 1 / np.cosh(X + 0.5) ** 2)
    model.scale = 2.0
    same(g(X), 2 / np.cosh(2 * X + 0.5) ** 2)
    model.layers[0] = np.full(3, 3.0)
    same(g(X), 6 / np.cosh(2 * X + 0.5) ** 2)


def test_two_instances_do_not_share_values():
    first, second = gs.grad(Model(np.ones(3)).loss), gs.grad(Model(np.full(3, 7.0)).loss)
    same(first(X), np.ones(3))
    same(second(X), np.full(3, 7.0))
    same(first(X), np.ones(3))


def test_static_and_class_methods():
    same(gs.grad(Model.static)(X), 2 * X)
    same(gs.grad(Model(X).static)(X), 2 * X)
    same(gs.grad(Model.of_class)(X), 2 * X)


def test_differentiable_decorates_a_method():
    class Scaled:
        def __init__(self, w):
            self.w = w

        @gs.differentiable
        def loss(self, x):
            return np.sum(self.w * x * x)

    scaled = Scaled(3.0)
    same(scaled.loss(X), 3 * np.sum(X * X))
    same(scaled.loss.grad(X)[0], 6 * X)
    scaled.w = 5.0
    same(scaled.loss.grad(X)[0], 10 * X)


# -- names asked for by globals() ----------------------------------------------------------------


def by_membership(x):
    return x * 2 if "ADDED" in globals() else x * 3


def by_item(x):
    return x * globals()["ADDED"] if "ADDED" in globals().keys() else x * 3  # noqa: SIM118


def by_default(x):
    return x * globals().get("ADDED", 3.0)


def by_all_names(x):
    return x * len([name for name in globals() if name.startswith("ADDED")])


@pytest.mark.parametrize("f", [by_membership, by_item, by_default, by_all_names])
def test_names_of_the_module(f, monkeypatch):
    compiled, gradient = gs.compile(f), gs.grad(f)
    for value in (None, 5.0, 7.0, None, 5):
        with monkeypatch.context() as patch:
            if value is not None:
                patch.setitem(globals(), "ADDED", value)
            assert compiled(2.0) == f(2.0)
            assert gradient(2.0) == f(1.0)


def counts(x):
    globals()["CALLS"] = globals()["CALLS"] + 1
    return x * CALLS


CALLS = 0


def test_names_of_the_module_are_written(monkeypatch):
    monkeypatch.setitem(globals(), "CALLS", 0)
    compiled = gs.compile(counts)
    assert [compiled(2.0) for _ in range(3)] == [2.0, 4.0, 6.0]
    assert CALLS == 3
    with pytest.warns(gs.TraceTimeEffectWarning, match="the global 'CALLS'"):
        assert gs.grad(counts)(2.0) == 4.0
    assert CALLS == 3


# -- what a call costs ---------------------------------------------------------------------------


class Entry:
    def __init__(self, count):
        self.table = {f"k{i}": float(i) for i in range(count)}
        self.items = [float(i) for i in range(count)]
        for i in range(count):
            setattr(self, f"p{i}", float(i))

    def of_dict(self, x):
        return x * self.table["k3"] + self.table["k4"]

    def of_list(self, x):
        return x * self.items[3]

    def of_attributes(self, x):
        return x * self.p3


def steps_of(call):
    """How many functions a call runs."""
    found = []
    sys.setprofile(lambda frame, event, argument: found.append(event))
    try:
        call()
    finally:
        sys.setprofile(None)
    return len(found)


@each("name", ["of_dict", "of_list", "of_attributes"])
@each("transform", [gs.compile, gs.grad])
def test_a_call_costs_nothing_for_numbers_that_are_not_read(name, transform):
    steps = []
    for count in (10, 500):
        made = transform(getattr(Entry(count), name))
        made(2.0)
        steps.append(steps_of(lambda made=made: made(2.0)))
    assert steps[0] == steps[1] < 200


def test_keyword_arguments_find_their_places():
    def f(x, a=1.5, *, b=2.0, c=None):
        return x * a * b if c is None else x * c

    compiled = gs.compile(f)
    for _ in range(2):
        for given in ({}, {"a": 4.0}, {"b": 4.0, "a": 5.0}, {"a": 5.0, "b": 4.0}, {"c": 3.0}):
            assert compiled(2.0, **given) == f(2.0, **given)
            assert compiled(x=2.0, **given) == f(2.0, **given)
    assert steps_of(lambda: compiled(2.0, a=4.0)) < 100


def test_containers_outside_are_compared_to_their_last_part():
    shared = [1.0, 2.0]
    table = {"a": 1.0, "inner": {"b": 2.0, "mode": "x"}, "p": shared, "q": shared}

    def f(x):
        table["p"][0] = 5.0
        found = x * table["a"] + table["inner"]["b"] * table["q"][0]
        return found * 2 if table["inner"]["mode"] == "x" else found * len(table["p"])

    changes = [
        lambda: table.update(a=3),
        lambda: table.update(a=np.float32(2)),
        lambda: table["inner"].update(mode="y"),
        lambda: table["p"].append(3.0),
        lambda: table.update(q=[1.0, 2.0]),
        lambda: table.update(q=table["p"]),
        lambda: table.update(inner={"mode": "x", "b": 3.0}),
        lambda: table.update(new=1.0),
    ]
    compiled = gs.compile(f)
    for change in changes:
        assert compiled(2.0) == f(2.0)
        assert compiled(3.0) == f(3.0)
        change()
        assert compiled(2.0) == f(2.0)
