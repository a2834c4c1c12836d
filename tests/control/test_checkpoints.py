"""`gs.unroll`, `gs.checkpoint` and `gs.loop`: the same numbers, and what is kept for them.

The referee is the same program without them. How often a step is evaluated is counted in the
emitted source: each evaluation is one call of ``np.tanh``.
"""

from __future__ import annotations

import functools
import tracemalloc
from math import comb

import numpy as np
import pytest

import gradsmith as gs
from control.checkpointed import PLANNED, PROGRAMS, plain
from gradsmith.ops.revolve import revolve
from helpers import each, spread

N = 5


def arguments(dtype=float):
    random = np.random.default_rng(7)
    return random.normal(size=N).astype(dtype), random.normal(size=(N, N)).astype(dtype)


def binomial(slots):
    return lambda iterable: gs.loop(iterable, checkpoint="binomial", slots=slots)


def same_bits(left, right):
    left, right = np.asarray(left), np.asarray(right)
    return left.dtype == right.dtype and left.tobytes() == right.tobytes()


def both_gradients(function, *args):
    value, gradients = gs.value_and_grad(function, (0, 1))(*args)
    return value, *gradients


def second_order(function):
    def energy(x, w):
        return sum(np.sum(np.sin(g)) for g in gs.grad(function, (0, 1))(x, w))

    return gs.grad(energy, (0, 1))


class Derivatives:
    """The value of a function by itself and compiled, and all its derivatives."""

    def __init__(self, function):
        args = arguments()
        self.plain = function(*args)
        self.compiled = gs.compile(function)(*args)
        self.gradients = both_gradients(function, *args)
        self.tangent = gs.jvp(function, args, tuple(np.cos(a) for a in args))[1]
        self.second = second_order(function)(*args)


@functools.cache
def without_plan(make):
    """Those of the program without plans: once for all plans."""
    return Derivatives(make(plain))


def check(make, plan):
    """Values and gradients to the bit, tangents and second derivatives but for rounding."""
    planned, reference = Derivatives(make(plan)), without_plan(make)
    assert same_bits(planned.plain, reference.plain)
    assert same_bits(planned.compiled, reference.compiled)
    for made, expected in zip(planned.gradients, reference.gradients, strict=True):
        assert same_bits(made, expected)
    np.testing.assert_allclose(planned.tangent, reference.tangent, rtol=1e-12)
    for made, expected in zip(planned.second, reference.second, strict=True):
        scale = 1e-11 * (1 + np.abs(expected).max())
        np.testing.assert_allclose(made, expected, rtol=1e-9, atol=scale)


# --- values and derivatives


@pytest.mark.parametrize("name", PROGRAMS)
def test_checkpoint_changes_no_derivative(name):
    check(PROGRAMS[name], gs.checkpoint)


@pytest.mark.parametrize(("name", "slots"), spread(3, PLANNED, [1, 3, 50]))
def test_binomial_loops_change_no_derivative(name, slots):
    check(PLANNED[name], binomial(slots))


@pytest.mark.parametrize("name", PLANNED)
@each("plan", [gs.loop, gs.unroll])
def test_plans_change_no_derivative(name, plan):
    make = PLANNED[name]
    made = both_gradients(make(plan), *arguments())
    expected = without_plan(make).gradients
    for left, right in zip(made, expected, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("name", PROGRAMS)
def test_checkpoint_agrees_with_differences(name):
    gs.check_grads(PROGRAMS[name](gs.checkpoint), arguments(), order=1)


@pytest.mark.parametrize("name", PLANNED)
def test_binomial_loops_agree_with_differences(name):
    gs.check_grads(PLANNED[name](binomial(2)), arguments(), order=1)


@pytest.mark.parametrize("dtype", [np.float32, np.complex128])
def test_other_dtypes_stay(dtype):
    def loss(wrap, x, w):
        for _ in wrap(range(9)):
            x = np.tanh(w @ x) * x
        return np.sum(np.abs(x) ** 2)

    args = arguments(dtype)
    made = both_gradients(functools.partial(loss, binomial(3)), *args)
    expected = both_gradients(functools.partial(loss, plain), *args)
    assert all(map(same_bits, made, expected))
    assert made[1].dtype == dtype


def test_one_code_for_every_number_of_trips():
    def loss(x, w, xs):
        for row in gs.loop(xs, checkpoint="binomial", slots=3):
            x = np.tanh(w @ x + row)
        return np.sum(x)

    gradient, random = gs.grad(loss, (0, 2)), np.random.default_rng(1)
    x, w = arguments()
    sources = set()
    for steps in (2, 7, 40):
        xs = random.normal(size=(steps, N))
        sources.add(gradient.source(x, w, xs))
        reference = gs.grad(_without, (0, 2))(x, w, xs)
        assert all(map(same_bits, gradient(x, w, xs), reference))
    assert len(sources) == 1


def _without(x, w, xs):
    for row in xs:
        x = np.tanh(w @ x + row)
    return np.sum(x)


def test_shapes_known_only_when_running():
    def chosen(x, w):
        y = x[x > 0]
        return np.sin(y), len(y)

    def loss(keep, x, w):
        y, count = keep(chosen)(x, w)
        return np.sum(y) * count + np.sum(w)

    for x in (arguments()[0], -arguments()[0]):
        made = both_gradients(functools.partial(loss, gs.checkpoint), x, arguments()[1])
        expected = both_gradients(functools.partial(loss, plain), x, arguments()[1])
        assert all(map(same_bits, made, expected))


def test_writes_of_a_checkpointed_function_are_seen():
    @gs.checkpoint
    def double(a, log):
        a *= 2.0
        log.append(a[0])
        return a

    def loss(x):
        a, log = x.copy(), []
        b = double(a, log)
        return np.sum(a * b) + log[0]

    x = arguments()[0]
    assert loss(x) == gs.compile(loss)(x)
    np.testing.assert_allclose(gs.grad(loss)(x), 8 * x + 2 * (np.arange(N) == 0))


# --- outside of a trace


def test_plain_values_pass_through():
    def double(x, factor=2):
        """Doubles."""
        return {"a": x * factor}

    made = gs.checkpoint(double)
    assert made(3, factor=5) == {"a": 15}
    assert made.__name__ == "double"
    assert made.__doc__ == "Doubles."
    trips = range(3)
    assert gs.unroll(trips) is trips
    assert gs.loop(trips, checkpoint="binomial", slots=2) is trips


def test_methods_can_be_checkpointed():
    class Layer:
        @gs.checkpoint
        def apply(self, x, w):
            return np.tanh(w @ x)

    x, w = arguments()
    layer = Layer()
    assert same_bits(layer.apply(x, w), np.tanh(w @ x))
    made = gs.grad(lambda x, w: np.sum(layer.apply(x, w)))(x, w)
    assert same_bits(made, gs.grad(lambda x, w: np.sum(np.tanh(w @ x)))(x, w))


# --- how often, and how much


class Counting:
    """NumPy, with the calls of ``np.tanh`` counted."""

    def __init__(self):
        self.calls = 0

    def tanh(self, *args, **kwargs):
        self.calls += 1
        return np.tanh(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(np, name)


def evaluations(transformed, *args):
    source = transformed.source(*args)
    counting = Counting()
    space = {"np": counting}
    exec(compile(source.replace("import numpy as np", ""), "emitted", "exec"), space)
    (name,) = [n for n in space if n.endswith("_grad")]
    space[name](*args)
    return counting.calls


@functools.cache
def fewest(steps, slots):
    """The least number of steps made again, by dynamic programming over where to keep a state."""
    if steps <= 1:
        return 0
    if slots == 1:
        return steps * (steps - 1) // 2
    return min(m + fewest(steps - m, slots - 1) + fewest(m, slots) for m in range(1, steps))


def formula(steps, slots):
    again = 0
    while comb(slots + again, slots) < steps:
        again += 1
    return again * steps - comb(slots + again, slots + 1)


def scheduled(steps, slots):
    """The steps that the schedule makes again, and the states that it keeps at once."""
    kept, made, most = [0], 0, 1
    for i in reversed(range(steps)):
        place = kept.pop()
        while place < i:
            kept.append(place)
            most = max(most, len(kept))
            ahead = revolve(i + 1 - place, slots - len(kept) + 1)
            assert 1 <= ahead <= i - place
            place, made = place + ahead, made + ahead
    return made, most


def test_schedule_is_optimal():
    for steps in range(1, 50):
        for slots in range(1, 10):
            made, most = scheduled(steps, slots)
            assert made == fewest(steps, slots) == formula(steps, slots)
            assert most <= slots
    assert scheduled(10_000, 20) == (formula(10_000, 20), 20)


@each("slots", [1, 2, 3, 7])
def test_binomial_loops_evaluate_as_often_as_the_formula_says(slots):
    """Besides once in the forward sweep, and once in the adjoint of each trip."""

    def loss(x, xs):
        for row in gs.loop(xs, checkpoint="binomial", slots=slots):
            x = np.tanh(x + row)
        return np.sum(x * x)

    for steps in (2, 6, 31):
        xs = np.ones((steps, N))
        assert evaluations(gs.grad(loss), xs[0], xs) == 2 * steps + fewest(steps, slots)


def test_checkpoint_evaluates_twice():
    @gs.checkpoint
    def layer(x):
        return np.tanh(np.tanh(x) * 2) * 3

    def loss(x):
        return np.sum(layer(layer(x)) ** 2)

    assert evaluations(gs.grad(loss), np.ones(N)) == 8


def peak(function, *args):
    function(*args)
    tracemalloc.start()
    function(*args)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_binomial_loops_keep_slots_only():
    def loss(x):
        for _ in gs.loop(range(400), checkpoint="binomial", slots=10):
            x = np.tanh(x)
        return np.sum(x * x)

    x = np.ones(10_000)
    assert peak(gs.grad(loss), x) < 20 * x.nbytes


def test_checkpoint_keeps_nothing_from_inside():
    @gs.checkpoint
    def block(x):
        for _ in gs.unroll(range(12)):
            x = np.tanh(np.sin(x) * x)
        return x

    def loss(x):
        for _ in gs.unroll(range(6)):
            x = block(x)
        return np.sum(x * x)

    x = np.ones(10_000)
    assert peak(gs.grad(loss), x) < 60 * x.nbytes < 3 * 6 * 12 * x.nbytes
