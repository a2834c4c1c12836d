"""Derivatives that a compiled function takes: what is outside the functions stays as it was."""

# Small functions on purpose, as users write them.
# ruff: noqa: PERF401

import itertools

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import UnsupportedError
from helpers import each

COUNT = [0]


class Model:
    def __init__(self, w):
        self.w, self.calls = w, 0

    def loss(self, x):
        self.calls += 1
        self.w = self.w * x
        return self.w * x


class Slotted:
    __slots__ = ("w",)


def _gradient(h, x):
    return gs.grad(h)(x)


def _pullback(h, x):
    value, pullback = gs.vjp(h, x)
    return value, pullback(np.ones_like(value))


def _pushforward(h, x):
    return gs.jvp(h, (x,), (np.ones_like(x),))


def _value_and_grad(h, x):
    return gs.value_and_grad(h)(x)


def _by_name(h, x):
    return gs.differentiable(h).grad(x)


def a_list(take, x):
    calls = []

    def h(y):
        calls.append(y)
        return y**3

    return take(h, x), len(calls)


def a_dict(take, x):
    state = {"n": 1.0}

    def h(y):
        state["n"] *= y
        state["m"] = y
        return y * state["n"]

    return take(h, x), take(h, x), state["n"], "m" in state


def a_set_and_a_nested_list(take, x):
    seen, rows = set(), [[x], [2.0]]

    def h(y):
        seen.add(1)
        rows[0].append(y)
        rows[1][0] = y
        return rows[0][0] * rows[1][0] * y

    return take(h, x), len(seen), rows


def a_nonlocal_variable(take, x):
    n, total = 0, x

    def h(y):
        nonlocal n, total
        n += 1
        total = total * y
        return total * y

    return take(h, x), n, total, take(h, x), n


def an_array(take, x):
    b = np.ones(2)
    view = b[:1]

    def h(y):
        b[:1][0] = 5 * y
        return np.sum(y * b)

    return take(h, x), b.copy(), view[0], b


def an_array_made_inside(take, x):
    b = np.ones(2)

    def h(y):
        c = b * 2
        c[0] = y
        d = [c]
        d.append(b)
        b[1] = 3 * y
        return np.sum(d[0] * d[1])

    return take(h, x), b


def an_object(take, x):
    model = Model(x)
    return take(model.loss, x), model.calls, model.w, take(model.loss, x)


def slots(take, x):
    held = Slotted()
    held.w = x

    def h(y):
        held.w = held.w * y
        return held.w

    return take(h, x), held.w


def a_global_variable(take, x):
    def h(y):
        COUNT[0] += 1
        return y**3

    return take(h, x), COUNT[0]


def by_a_helper(take, x):
    log = []

    def note(v):
        log.append(v)
        return v * 2

    def h(y):
        return note(y) * note(y)

    first = note(x)
    return take(h, x), len(log), first, log


def in_a_branch_and_a_loop(take, x):
    log = [0.0]
    results = []

    def h(y):
        log[0] = log[0] + y
        return y * (log[0] + 1)

    for k in range(3):
        results.append(take(h, x + k))
    if x > 0:
        results.append(take(h, 2 * x))
    return results, log


def a_write_in_a_branch_inside(take, x):
    b = np.zeros(2)

    def h(y):
        if y > 1:
            b[0] = y
        for k in range(2):
            b[k] += y
        return np.sum(b) * y

    return take(h, x), b


def a_written_result(take, x):
    b = np.ones(1)

    def h(y):
        b[0] = y**2
        return b[0]

    return take(h, x), b


CASES = [
    a_list, a_dict, a_set_and_a_nested_list, a_nonlocal_variable, an_array, an_array_made_inside,
    an_object, slots, a_global_variable, by_a_helper, in_a_branch_and_a_loop,
    a_write_in_a_branch_inside, a_written_result,
]  # fmt: skip
TAKEN = [_gradient, _pullback, _pushforward, _value_and_grad, _by_name]


def assert_same(made, wanted):
    assert type(made) is type(wanted) or np.isscalar(made)
    if isinstance(wanted, (list, tuple)):
        assert len(made) == len(wanted)
        for one, other in zip(made, wanted, strict=True):
            assert_same(one, other)
    else:
        np.testing.assert_allclose(made, wanted, rtol=1e-13)


@pytest.mark.filterwarnings("ignore::gradsmith.errors.GradsmithWarning")
@pytest.mark.parametrize("take", TAKEN)
@each("case", CASES)
def test_a_derivative_leaves_local_state_as_it_was(case, take):
    COUNT[0] = 0
    compiled = gs.compile(lambda x: case(take, x))
    for x in (1.5, 0.5):
        assert_same(compiled(x), case(take, x))


@pytest.mark.filterwarnings("ignore::gradsmith.errors.GradsmithWarning")
def test_results_and_aux_keep_their_values_at_the_end():
    def f(x):
        b, log = np.ones(2), []

        def h(y):
            b[0] = y[0] ** 2
            log.append(y[1])
            return b, log

        def pair(y):
            return np.sum(h(y)[0]), h(y)

        return gs.jvp(h, (x,), (x,)), gs.grad(pair, has_aux=True)(x), b, log

    (made, moved), (gradient, (array, noted)), b, log = gs.compile(f)(np.array([3.0, 5.0]))
    np.testing.assert_array_equal(made[0], [9.0, 1.0])
    np.testing.assert_array_equal(made[1], [5.0])
    np.testing.assert_array_equal(moved[0], [18.0, 0.0])
    np.testing.assert_array_equal(gradient, [6.0, 0.0])
    np.testing.assert_array_equal(array, [9.0, 1.0])
    np.testing.assert_array_equal(noted, [5.0, 5.0])
    np.testing.assert_array_equal(b, [1.0, 1.0])
    assert log == []


def test_an_error_leaves_local_state_as_it_was():
    def f(x):
        log = []

        def h(y):
            log.append(y)
            raise ValueError

        try:
            gs.grad(h)(x)
        except ValueError:
            return log

    assert gs.compile(f)(1.5) == []


def test_elements_of_an_iterator_are_not_taken():
    def f(x):
        numbers = iter([1.0, 2.0])
        return gs.grad(lambda y: y * next(numbers))(x)

    with pytest.raises(UnsupportedError, match="takes elements of an iterator"):
        gs.compile(f)(1.5)


@pytest.mark.filterwarnings("ignore::gradsmith.errors.GradsmithWarning")
def test_elements_of_an_iterator_from_outside_are_not_taken():
    counter = itertools.count(2)

    def f(x):
        return gs.grad(lambda y: y * next(counter))(x)

    assert gs.compile(f)(1.5) == 2.0
    assert next(counter) == 2
