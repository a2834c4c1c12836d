"""Arguments and results that are dicts, lists, tuples, named tuples and dataclasses."""

# ruff: noqa: PLW0108

from __future__ import annotations

import collections
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.numbers import same

X = np.array([0.5, -1.25, 2.0])
W = np.array([3.0, 4.0, 5.0])


class Layer(NamedTuple):
    w: object
    b: object


@dataclass
class Params:
    w: object
    b: object


@dataclass(frozen=True)
class Frozen:
    w: object
    b: object


@dataclass
class Slotted:
    __slots__ = ("b", "w")
    w: object
    b: object


@dataclass
class Derived(Params):
    """With a field that `__init__` does not take and a class attribute."""

    scale = 2.0
    total: object = field(init=False, default=None)


@dataclass
class Checked:
    """Whose `__post_init__` refuses what is no array of numbers."""

    w: object
    b: object

    def __post_init__(self):
        if np.shape(self.w) != np.shape(self.b):
            raise ValueError("w and b differ in shape")


Plain = collections.namedtuple("Plain", "w b")


def by_key(p):
    return np.sum(p["w"] * p["b"] ** 2)


def by_position(p):
    w, b = p
    return np.sum(w * b**2)


def by_attribute(p):
    return np.sum(p.w * p.b**2)


def key(p, name):
    return p[name]


def attribute(p, name):
    return getattr(p, name)


def position(p, name):
    return p["wb".index(name)]


KINDS = {
    "dict": (lambda w, b: {"w": w, "b": b}, by_key, key),
    "list": (lambda w, b: [w, b], by_position, position),
    "tuple": (lambda w, b: (w, b), by_position, position),
    "NamedTuple": (lambda w, b: Layer(w, b), by_attribute, attribute),
    "namedtuple": (lambda w, b: Plain(w=w, b=b), by_attribute, attribute),
    "dataclass": (lambda w, b: Params(w, b), by_attribute, attribute),
    "frozen dataclass": (lambda w, b: Frozen(w, b), by_attribute, attribute),
    "slotted dataclass": (lambda w, b: Slotted(w, b), by_attribute, attribute),
    "derived dataclass": (lambda w, b: Derived(w, b), by_attribute, attribute),
    "checking dataclass": (lambda w, b: Checked(w, b), by_attribute, attribute),
}


@each("kind", KINDS)
def test_gradient_has_the_shape_of_the_argument(kind):
    make, fun, get = KINDS[kind]
    g = gs.grad(fun)(make(W, X))
    assert type(g) is type(make(W, X))
    same(get(g, "w"), X**2)
    same(get(g, "b"), 2 * W * X)


@each("kind", KINDS)
def test_f_grad_has_the_shape_of_each_argument(kind):
    make, fun, get = KINDS[kind]
    by_p, by_x = gs.differentiable(lambda p, x: fun(p) * np.sum(x)).grad(make(W, X), X)
    assert type(by_p) is type(make(W, X))
    same(get(by_p, "w"), X**2 * np.sum(X))
    same(by_x, np.full(3, np.sum(W * X**2)))


@each("kind", KINDS)
def test_value_and_grad_and_vjp_of_trees(kind):
    make, fun, get = KINDS[kind]
    value, g = gs.value_and_grad(fun)(make(W, X))
    same(value, np.sum(W * X**2))
    same(get(g, "w"), X**2)
    out, pullback = gs.vjp(fun, make(W, X))
    same(out, np.sum(W * X**2))
    same(get(pullback(2.0)[0], "b"), 4 * W * X)


# A `Checked` cannot hold leaves of different shapes, which is what it is for.
@each("kind", [kind for kind in KINDS if kind != "checking dataclass"])
def test_results_are_trees(kind):
    make, _, get = KINDS[kind]

    def f(x):
        return make(x * 2, np.sum(x))

    result = gs.compile(f)(X)
    assert type(result) is type(make(0, 0))
    same(get(result, "w"), 2 * X)
    same(get(result, "b"), np.sum(X))


@each("kind", KINDS)
def test_the_caller_s_tree_is_left_alone(kind):
    make, fun, get = KINDS[kind]
    w, b = W.copy(), X.copy()
    tree = make(w, b)
    gs.grad(fun)(tree)
    assert get(tree, "w") is w
    assert get(tree, "b") is b
    same(w, W)
    same(b, X)


def deep(p):
    hidden = np.tanh(p["layers"][0].w * p["x"] + p["layers"][0].b)
    return np.sum(hidden * p["layers"][1].w) + p["rest"][0][0] * p["rest"][1].b


def test_nested_trees():
    tree = {
        "layers": [Layer(W, X), Layer(X, None)],
        "x": X,
        "rest": ((2.0,), Params(None, np.float64(3.0))),
    }
    g = gs.grad(deep)(tree)
    hidden = np.tanh(W * X + X)
    assert list(g) == ["layers", "x", "rest"]
    assert type(g["layers"]) is list
    assert type(g["layers"][0]) is Layer
    assert type(g["rest"]) is type(g["rest"][0]) is tuple
    same(g["layers"][1].w, hidden)
    same(g["layers"][0].b, (1 - hidden**2) * X)
    same(g["x"], (1 - hidden**2) * X * W)
    assert g["layers"][1].b is None
    assert g["rest"][1].w is None
    assert (g["rest"][0][0], g["rest"][1].b) == (3.0, 2.0)


@pytest.mark.parametrize("order", [["w", "b"], ["b", "w"]])
def test_dict_keeps_its_order(order):
    values = {"w": W, "b": X}
    g = gs.grad(by_key)({name: values[name] for name in order})
    assert list(g) == order
    same(g["w"], X**2)
    same(g["b"], 2 * W * X)


def test_dicts_of_either_order_after_each_other():
    g = gs.grad(by_key)
    for tree in ({"w": W, "b": X}, {"b": X, "w": W}, {"w": W, "b": X}):
        result = g(tree)
        assert list(result) == list(tree)
        same(result["w"], X**2)


def test_dict_with_keys_that_are_no_strings():
    g = gs.grad(lambda p: np.sum(p[0] * p[(1, "a")]))({0: W, (1, "a"): X})
    same(g[0], X)
    same(g[(1, "a")], W)


def test_iteration_over_a_dict():
    def f(p):
        total = 0.0
        for name, value in p.items():
            total = total + len(name) * np.sum(value**2)
        return total + sum(np.sum(v) for v in p.values()) * len(p)

    g = gs.grad(f)({"a": X, "bb": W})
    same(g["a"], 2 * X + 2)
    same(g["bb"], 4 * W + 2)


def test_structure_decides_the_specialisation():
    def total(parts):
        return sum(np.sum(part**2) for part in parts)

    g = gs.grad(total)
    assert len(g([X])) == 1
    assert len(g([X, W])) == 2
    same(g([X, W, X])[1], 2 * W)
    same(g([X])[0], 2 * X)
    assert type(g((X, W))) is tuple


def test_one_array_at_two_places_of_a_tree():
    g = gs.grad(lambda p: np.sum(p[0] * p[1] ** 2))([X, X])
    same(g[0], X**2)
    same(g[1], 2 * X * X)
    assert not np.shares_memory(g[0], g[1])


@each("empty", [{}, [], (), None], ids=str)
def test_empty_trees_beside_others(empty):
    by_x = gs.grad(lambda x, rest: np.sum(x * x))(X, empty)
    same(by_x, 2 * X)


def test_an_unused_leaf_of_a_tree_is_named():
    f = gs.differentiable(lambda p: np.sum(p["w"] ** 2))
    with pytest.raises(RuntimeError, match="spare"):
        f.grad({"w": W, "spare": X})


def test_an_unused_leaf_of_a_tree_is_zero_in_a_transform():
    with pytest.warns(gs.UnusedInputWarning, match="spare"):
        g = gs.grad(lambda p: np.sum(p["w"] ** 2))({"w": W, "spare": X})
    same(g["w"], 2 * W)
    assert g["spare"].tolist() == [0, 0, 0]


def test_an_unused_leaf_of_a_tree_is_none_where_allowed():
    f = gs.differentiable(lambda p: np.sum(p["w"] ** 2))
    (g,) = f.grad({"w": W, "spare": X}, allow_unused=True)
    same(g["w"], 2 * W)
    assert g["spare"] is None


def test_an_integer_leaf_is_refused_by_name():
    with pytest.raises(TypeError, match="count"):
        gs.grad(lambda p: np.sum(p["w"] * p["count"]))({"w": W, "count": 3})


def test_seeds_of_a_tree_of_outputs():
    def f(x):
        return {"square": x**2, "pair": (np.sum(x), x * W)}

    seeds = {"square": W, "pair": (2.0, X)}
    (g,) = gs.differentiable(f).grad(X, grad_outputs=seeds)
    same(g, 2 * X * W + 2 + X * W)


def test_second_derivative_through_trees():
    def penalty(p):
        g = gs.grad(by_key)(p)
        return np.sum(g["w"] ** 2) + np.sum(g["b"] ** 2)

    g = gs.grad(penalty)({"w": W, "b": X})
    same(g["w"], 8 * W * X**2)
    same(g["b"], 4 * X**3 + 8 * W**2 * X)


def test_autograd_grad_inside_with_a_dict_of_parameters():
    def step(params, rate):
        loss = by_key(params)
        grads = gs.autograd.grad(loss, params)
        return {name: params[name] - rate * grads[name] for name in params}

    result = gs.compile(step)({"w": W, "b": X}, 0.1)
    same(result["w"], W - 0.1 * X**2)
    same(result["b"], X - 0.2 * W * X)


def test_compiled_identity_of_trees():
    tree = {"a": [X, (W, None)], "b": Layer(X, {"c": 2.0})}
    result = gs.compile(lambda p: p)(tree)
    assert type(result["b"]) is Layer
    assert result["a"][1][1] is None
    assert result["b"].b == {"c": 2.0}
    same(result["a"][1][0], W)
