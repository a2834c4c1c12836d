"""Arguments that only their library knows what to do with: each call passes its own.

The referee is the function itself, on an equal object. Each function is compiled once; the
compiled code is of the class of the object, not of the object.
"""

from __future__ import annotations

import dataclasses
import datetime
import enum
import io
import pathlib
import random
from typing import Any

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

X = np.array([0.5, -1.2, 2.3])
generator = np.random.default_rng


@dataclasses.dataclass
class Setting:
    rng: Any
    scale: float


class Way(enum.Enum):
    DOWN = 1


class Chain:
    def __init__(self, rng, width):
        self.rng, self.width, self.accepted = rng, width, 0

    def run(self, x, count):
        state = x[0] * 1.0
        for _ in range(count):
            proposed = state + self.width * self.rng.normal() * x[1]
            if np.log(self.rng.uniform()) < (state**2 - proposed**2) / 2:
                state = proposed
                self.accepted += 1
        return state


def draws(x, rng):
    return np.sum(x * rng.normal(size=len(x)))


def draws_by_default(x, rng=None):
    if rng is None:
        rng = np.random.default_rng(5)
    if isinstance(rng, int):
        rng = np.random.default_rng(rng)
    return np.sum(x * rng.normal(size=3))


def draws_in_a_loop(x, rng, count):
    total = 0.0
    for i in range(count):
        total += x[i % 3] * rng.normal()
    return total


def draws_until(x, rng):
    total = x[0]
    while True:
        total = total + rng.uniform()
        if total > 3:
            break
    return total


def draws_positions(x, rng):
    return x[rng.integers(len(x))] * x[rng.permutation(len(x))[0]]


def draws_for_a_branch(x, rng):
    position = rng.randrange(3)
    if x[0] > 0.4:
        return x[position] ** 2
    return x[position]


def draws_for_a_loop(x, rng):
    position, total = rng.choice([0, -1]), 0.0
    for value in x:
        total += x[position] * value if value > 0 else value
    return total


def draws_of_parts(x, setting, options):
    noise = setting.rng.normal(size=len(x)) * options["rng"].uniform()
    return np.sum(x * noise) * setting.scale


def chain(x, rng, count):
    made = Chain(rng, 0.5)
    return made.run(x, count) + made.accepted


def pythons_generator(x, rng):
    return x[0] * rng.random() + x[1] * rng.gauss(0, 1) + x[rng.randrange(3)]


def lines(x, file):
    return sum(float(line) * x[0] for line in file)


def time(x, when):
    days = (when - datetime.datetime(2020, 1, 1)).days
    return x[0] * when.year + x[1] * (1.0 if when.month > 6 else 2.0) + x[2] * days


def path(x, given):
    return x[0] * len(str(given)) + x[1] * len(given.name)


CASES = {
    draws: [lambda: (generator(1),), lambda: (generator(2),), lambda: (np.random.RandomState(3),)],
    draws_by_default: [lambda: (), lambda: (generator(2),), lambda: (3,), lambda: (generator(7),)],
    draws_in_a_loop: [lambda: (generator(1), 4), lambda: (generator(2), 7)],
    draws_until: [lambda: (generator(1),), lambda: (generator(2),)],
    draws_positions: [lambda: (generator(1),), lambda: (generator(4),)],
    draws_for_a_branch: [lambda: (random.Random(1),), lambda: (random.Random(4),)],
    draws_for_a_loop: [lambda: (random.Random(1),), lambda: (random.Random(2),)],
    draws_of_parts: [
        lambda: (Setting(generator(1), 2.0), {"rng": generator(2)}),
        lambda: (Setting(generator(2), 3.0), {"rng": generator(3)}),
    ],
    chain: [lambda: (generator(1), 5), lambda: (generator(2), 9)],
    pythons_generator: [lambda: (random.Random(3),), lambda: (random.Random(4),)],
    lines: [lambda: (io.StringIO("1\n2\n3"),), lambda: (io.StringIO("4\n5"),)],
    time: [lambda: (datetime.datetime(2024, 3, 1),), lambda: (datetime.datetime(2023, 9, 1),)],
    path: [lambda: (pathlib.Path("/tmp/a"),), lambda: (pathlib.Path("/tmp/abc"),)],
}


@each("function", CASES, ids=lambda f: f.__name__)
def test_value_and_gradient(function):
    compiled, derivative = gs.compile(function), gs.value_and_grad(function)
    for make in CASES[function]:
        expected = function(X.copy(), *make())
        found = compiled(X.copy(), *make())
        assert (type(found), found) == (type(expected), expected)
        value, gradient = derivative(X.copy(), *make())
        assert value == expected
        slopes = [_slope(function, make, step) for step in 1e-6 * np.eye(3)]
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-6)


def _slope(function, make, step):
    return (function(X + step, *make()) - function(X - step, *make())) / (2 * step.sum())


def test_another_object_of_the_class_uses_the_same_code():
    compiled = gs.compile(draws)
    sources = {compiled.source(X, generator(seed)) for seed in range(3)}
    assert len(sources) == 1
    (source,) = sources
    assert "rng: Generator" in source
    assert "rng is None" not in gs.compile(draws_by_default).source(X, generator(1))


def test_objects_have_no_gradient():
    with pytest.raises(gs.GradsmithError, match="rng is a Generator"):
        gs.grad(draws, argnums=1)(X, generator(1))


@each("function", [draws, draws_in_a_loop, draws_until, chain])
def test_a_pullback_goes_on_from_what_the_value_has_drawn(function):
    for make in CASES[function]:
        value, pullback = gs.vjp(function, X, *make())
        assert value == function(X.copy(), *make())
        slopes = [_slope(function, make, step) for step in 1e-6 * np.eye(3)]
        for factor in (1.0, 2.0):
            gradient, *others = pullback(np.float64(factor))
            np.testing.assert_allclose(gradient, factor * np.array(slopes), rtol=1e-6, atol=1e-6)
            assert others[0] is None


@pytest.mark.filterwarnings("ignore::gradsmith.TraceTimeEffectWarning")
def test_vjp_writes_nothing_outside(capsys):
    log = []

    def f(x, rng):
        log.append(x[0])
        print("drawing")
        return [np.sum(x * rng.normal(size=3)), len(log) * x[1]]

    for count in range(2):
        value, pullback = gs.vjp(f, X, generator(count))
        noise = generator(count).normal(size=3)
        assert value == [np.sum(X * noise), X[1]]
        np.testing.assert_array_equal(pullback([1.0, 0.0])[0], noise)
        assert log == []
        assert capsys.readouterr().out == "drawing\n"


@each("static", ["ab", True, len, None, Way.DOWN])
def test_statics_have_no_cotangent(static):
    pullback = gs.vjp(lambda x, _: np.sum(x**2), X, static)[1]
    gradient, nothing = pullback(1.0)
    np.testing.assert_array_equal(gradient, 2 * X)
    assert nothing is None
