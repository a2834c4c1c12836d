"""Effects are done once and in their order, however often a call runs the function."""

from __future__ import annotations

import random

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import UnsupportedError
from gradsmith.ir.effect_log import EffectLog

GENERATOR = np.random.default_rng(11)
X = np.array([0.3, 1.3, 2.3, 3.3])


def draws_behind_a_check_in_a_loop_with_break(x):
    n = 0
    for j in range(6):
        print("j", j)
        v = GENERATOR.integers(0, 4)
        if v * x[0] > 0.5:
            k = [x[0] * GENERATOR.random()]
            while len(k) < 3 and k[-1] < 1.2:
                k.append(k[-1] * 0.5 + 0.6 + GENERATOR.random())
                n += int(k[-1] * 3)
            break
    return x * n + GENERATOR.random() + v


def draws_before_an_error_in_a_loop(x):
    try:
        for j in range(4):
            if GENERATOR.integers(0, int(x[j] * 10)) > 2:
                break
    except ValueError as error:
        print(error)
        return GENERATOR.random() * x
    return x * GENERATOR.random() * j


PROGRAMS = (draws_behind_a_check_in_a_loop_with_break, draws_before_an_error_in_a_loop)


def seeded(function, x, capsys):
    GENERATOR.bit_generator.state = np.random.default_rng(11).bit_generator.state
    result = function(x)
    return np.asarray(result).tolist(), GENERATOR.bit_generator.state, capsys.readouterr().out


@pytest.mark.parametrize("function", PROGRAMS)
def test_runs_of_a_call_draw_the_same(function, capsys):
    compiled = gs.compile(function)
    for x in (X, X + 0.6, X * 0.01):
        assert seeded(compiled, x, capsys) == seeded(function, x, capsys)


def test_draws_of_a_loop_whose_derivative_decides(capsys):
    def loss(w):
        total = 0.0
        for e in w:
            total = total + e * e * random.random()
        return total

    @gs.compile
    def step(x):
        count = int(gs.grad(loss)(x)[0] * 10)
        print(count)
        return x * count * GENERATOR.integers(0, 100)

    random.seed(3)
    factors = [random.random() for _ in X]
    after = random.random()
    count = int(2 * X[0] * factors[0] * 10)
    random.seed(3)
    found = seeded(step, X, capsys)
    assert random.random() == after
    assert found == seeded(
        lambda x: print(count) or x * count * GENERATOR.integers(0, 100), X, capsys
    )


@pytest.mark.parametrize("arguments", [(abs, -2), (max, -1), (abs, -1.5)])
def test_no_run_takes_the_result_of_another_call(arguments):
    log = EffectLog()
    with log.run():
        log.perform(abs, -1)
    with log.run(), pytest.raises(UnsupportedError, match=r"where an earlier run .* called abs"):
        log.perform(*arguments)
