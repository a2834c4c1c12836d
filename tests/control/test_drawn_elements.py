"""Random draws of elements of lists and arrays: the draws are Python's, derivatives go through."""

from __future__ import annotations

import random

import numpy as np
import pytest

import gradsmith as gs

CASES = {}
OWN = random.Random(1)
GENERATOR = np.random.default_rng(0)
ARRAYS = [[1.5, 2.0, 3.0], [-1.0, 0.5, 2.0, 4.0], [0.25], [1.5, 2.0, 3.0]]


def case(function):
    CASES[function.__name__] = function
    return function


def seeded():
    random.seed(3)
    OWN.seed(7)
    np.random.seed(4)
    GENERATOR.bit_generator.state = np.random.default_rng(5).bit_generator.state


@case
def shuffled_list(x):
    xs = list(x)
    random.shuffle(xs)
    return [v * k for k, v in enumerate(xs)]


@case
def shuffled_places(x):
    places = list(range(len(x)))
    random.shuffle(places)
    return x[places] * np.arange(len(x)), places


@case
def shuffled_numbers_of_python(x):
    xs = x.tolist()
    ys = xs
    OWN.shuffle(xs)
    return ys


@case
def shuffled_mixture(x):
    xs = [1, 2.5, x[0], (3, x[-1]), "text"]
    random.shuffle(xs)
    return xs


@case
def shuffled_again_and_again(x):
    pairs = [(float(k), v) for k, v in enumerate(x)]
    total = 0.0
    for _ in range(3):
        random.shuffle(pairs)
        place, value = pairs[0]
        total = total * 0.5 + place * value
    return total


@case
def chosen(x):
    return random.choice(list(x)) * 2 + random.choice([1.0, 2.0, 3.0]) * OWN.choice(tuple(x))


@case
def sampled(x):
    xs = random.sample(list(x), k=len(x))
    return xs[0] - 0.5 * xs[-1] + random.gauss(0, 1)


@case
def with_weights(x):
    return random.choices(list(x), weights=np.abs(x).tolist(), k=3)


@case
def arrays(x):
    p = np.abs(x) / np.sum(np.abs(x))
    return GENERATOR.permutation(x) * np.arange(len(x)), GENERATOR.choice(x, size=4, p=p)


@case
def arrays_of_the_global_generator(x):
    return np.random.permutation(x) + np.random.choice(x)


def _number(function, x):
    seeded()
    made = function(x)
    parts = made if isinstance(made, (tuple, list)) else [made]
    flat = [v for part in parts for v in (part if isinstance(part, tuple) else (part,))]
    numbers = [np.sum(v) for v in flat if not isinstance(v, (str, list))]
    return sum(k * v for k, v in enumerate(numbers, 1))


@pytest.mark.parametrize("name", CASES)
def test_what_python_draws(name):
    function = CASES[name]
    compiled = gs.compile(function)
    for numbers in ARRAYS:
        seeded()
        expected, after = function(np.array(numbers)), (random.random(), OWN.random())
        seeded()
        value = compiled(np.array(numbers))
        assert repr(value) == repr(expected)
        assert (random.random(), OWN.random()) == after


@pytest.mark.parametrize("name", CASES)
def test_derivatives(name):
    function = CASES[name]

    def loss(x):
        made = function(x)
        parts = made if isinstance(made, (tuple, list)) else [made]
        flat = [v for part in parts for v in (part if isinstance(part, tuple) else (part,))]
        numbers = [np.sum(v) for v in flat if not isinstance(v, (str, list))]
        return sum(k * v for k, v in enumerate(numbers, 1))

    gradient = gs.grad(loss)
    for numbers in ARRAYS:
        x = np.array(numbers)
        seeded()
        found = gradient(x)
        steps = np.eye(len(x)) * 1e-6
        expected = [(_number(function, x + e) - _number(function, x - e)) / 2e-6 for e in steps]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


def test_a_draw_is_no_reason_to_compile_anew():
    compiled = gs.compile(shuffled_list)
    x = np.array(ARRAYS[0])
    before = compiled.source(x)
    for _ in range(5):
        compiled(x)
    assert compiled.source(x) == before
