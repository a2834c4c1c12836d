"""What random structured programs have found, each in its smallest form."""

from __future__ import annotations

import time
import warnings

import numpy as np
import pytest

import gradsmith as gs
from control.harness import along, direction_for, is_differentiable, near, only, slope
from helpers import each
from programs.harness import copied, same_bits, seeds_for

X = np.array([0.4, -0.3, 0.7, 0.2])
Y = np.array([0.5, 0.1, -0.6, 0.3])
A = np.random.default_rng(0).normal(size=(4, 5))
WIDE = np.random.default_rng(1).normal(size=(9, 20))


def check(function, *arguments):
    """The value to the bit, and the gradient against differences."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.UnusedInputWarning)
        left, written, before = (copied(arguments) for _ in range(3))
        value = function(*left)
        same_bits(gs.compile(function)(*written), value)
        same_bits(written, left)
        seed = seeds_for(value, np.random.default_rng(0))
        gradients = gs.vjp(function, *arguments)[1](seed)
        random = np.random.default_rng(1)
        for position, argument in enumerate(arguments):
            if is_differentiable(argument):
                direction = direction_for(argument, random)
                moves = only(position, direction, arguments)
                expected = slope(function, arguments, moves, seed, 1e-3)
                actual = along(direction, gradients[position])
                assert near([actual, 1.0], [expected, 1.0], 1e-6), (position, actual, expected)
        same_bits(arguments, before)


# -- the order of elements in memory, by which sums add them --------------------------------------


def _written_through_a_transpose(x, m):
    m.T[0] = x[0]
    return np.mean(m)


def _written_through_a_transpose_in_an_arm(x, m):
    turned = m.T
    if x[0] > 0:
        turned[1] *= x[1]
    return np.mean(m)


def _written_through_a_transpose_in_a_loop(x, m):
    for i in range(len(x)):
        m.T[i] *= x[i]
    return np.sum(m)


@pytest.mark.parametrize(
    "function",
    [
        _written_through_a_transpose,
        _written_through_a_transpose_in_an_arm,
        _written_through_a_transpose_in_a_loop,
    ],
)
def test_a_copy_that_is_written_through_a_transpose_keeps_its_order(function):
    check(function, X, WIDE)


# -- adjoints of loops ----------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.0, 2.0])
def test_a_captured_value_is_what_a_loop_carries_on(level):
    def program(x, a, level):
        s, k = 0.0, 0
        while x[len(x) // 2] > level and k < 2:
            s = a
            k += 1
        return s, x * 1.0

    check(program, X, 0.7, level)


# -- no trip at all -------------------------------------------------------------------------------


def _other_kind_of_number(x, a, level):
    s, k = a * a, 0
    while k < 3 and x[0] > level:
        k += 1
        s = np.sin(x[1])
    return s, x * 1.0


def _an_integer_before(x, a, level):
    s = 2
    for v in x:
        if x[0] <= level:
            break
        s = np.sin(v * a)
    return s * 1.0, x * 1.0


@each("function", [_other_kind_of_number, _an_integer_before])
@each("level", [0.0, 1.0])
def test_what_every_trip_sets_anew_is_as_before_where_there_is_none(function, level):
    check(function, X, 0.7, level)


# -- arrays that may or may not share memory with one that is written -----------------------------


def _made_anew_in_every_trip(x, a):
    part = x[:-1]
    for i in range(3):
        part = x[:-1] if a > i else x[1:]
        if part[0] > 100:
            break
        x[i] += 0.1 * part[0]
    return x * 1.0


def _not_read_after_the_loop(x, a):
    for i in range(2):
        k = 0
        while k < 3:
            if x[k] * a > 0.9:
                break
            k += 1
            x[i] += 0.1
            part = x[:-1]
            part[0] *= a
    return x * 1.0


@each("function", [_made_anew_in_every_trip, _not_read_after_the_loop])
@each("a", [0.5, 1.5, -1.0])
def test_what_cannot_be_told_and_is_not_read_is_no_error(function, a):
    check(function, X, a)


def test_what_cannot_be_told_in_one_branch_is_decided_after_it():
    def program(x, a):
        part = x[:-1] if a > 0 else x[1:]
        x[0] = 5.0
        if a > 0.5:
            part = np.zeros(3)
        return part * 1.0

    compiled = gs.compile(program)
    for a in (0.2, 0.7, -0.1):
        np.testing.assert_array_equal(compiled(X.copy(), a), program(X.copy(), a))


# -- time -----------------------------------------------------------------------------------------


def _nested(x, a):
    for _ in range(2):
        if x[0] > a:
            x[1] += 0.1
            for _ in range(2):
                if x[1] > a:
                    x[0] *= 0.9
                    y = x * 0.5
                    for i in range(2):
                        if y[i] > a:
                            x[i] = y[i]
                            y[0] += np.sin(x[2])
                            if y[0] > 2 * a:
                                x[2] += 0.1 * y[0]
                                if x[2] > 3 * a:
                                    x[3] = x[0] + x[2]
                                    y[1] = a * x[3]
                        else:
                            y[i] -= x[3]
                    x[2] += y[0] * y[1]
                else:
                    x[2] -= 0.1
    return x * 1.0


def test_compilation_is_not_exponential_in_the_depth_of_blocks():
    start = time.process_time()
    check(_nested, X, 0.1)
    assert time.process_time() - start < 10


# -- lists that are made anew in every trip -------------------------------------------------------


def _list_before_the_branch_is_gone(x, y, a):
    s = a
    for value, i in zip(y, range(len(x)), strict=True):
        if s:
            if -(value**2):
                break
        elif 0.75 * value + np.mean(x) > 0.57:
            pass
        found = []
        found.append(0.9 * x[i - 1] + np.mean(y))
        s = np.sum(np.tanh(found))
    return s


def _list_in_the_rest_of_a_trip(x, y, a):
    while True:
        if x[0] > 1.05:
            break
        x[0] += 0.3
        if x[1] > a:
            for i in range(0, len(x), 2):
                if y[i] > 0.43:
                    return x * 1.0
                y[i] += 0.1
        rows = []
        for i in range(len(x)):
            y[i] *= 0.9
            rows.append(x[i] * a + y[i])
        x[1] = np.sum(np.array(rows))
    return x * y


@pytest.mark.parametrize(
    "function", [_list_before_the_branch_is_gone, _list_in_the_rest_of_a_trip]
)
def test_a_list_of_one_trip_is_not_that_of_another(function):
    check(function, X, Y, 0.7)
    check(function, X, Y, 0.1)


# -- a loop that cannot be written as one is written out ------------------------------------------


def _blocks_of_a_captured_length(x, y, a):
    length, count = len(x) // 2, 6
    z = np.concatenate([x, x, x, y, y, y])
    sums = np.zeros(count)
    for k in range(count):
        sums[k] = np.sum(z[k * length : (k + 1) * length] ** 2) * a
    return sums


def test_slices_of_a_captured_length():
    check(_blocks_of_a_captured_length, X, Y, 0.7)


def _doubled_until_large(x):
    return x if x > 100 else _doubled_until_large(2 * x)


def test_recursion_that_a_traced_value_ends_is_specialised_on_it():
    compiled = gs.compile(_doubled_until_large)
    for x in (1.5, 80.0, 0.01, 1.5):
        assert compiled(x) == _doubled_until_large(x)


# -- loops that read tapes are no longer copies of those that write them --------------------------


def _weighted_by_the_index(x):
    total = 0.0
    for i in range(len(x)):
        total = total + i * np.exp(x[i])
    return total


def test_second_derivative_of_a_weighted_sum():
    gs.check_grads(_weighted_by_the_index, (WIDE[0],), order=2)


# -- lists that functions called in a loop change -------------------------------------------------


def _list_of_the_function_around(x):
    total = [0.0]

    def add(v):
        total[0] = total[0] + v * v
        return total[0]

    def run():
        for v in x:
            add(v)

    run()
    return total[0] + np.sum(np.array([add(v) for v in x]))


def test_a_list_of_the_function_around_is_carried():
    check(_list_of_the_function_around, WIDE[0])


# -- rules make a NumPy number a Python number, and regions have parameters for either ------------


def _number_of_an_arm_in_an_arm(x, y):
    s, i = 0.1, 0
    while True:
        if y[i % len(y)] > 0.2:
            best = None
            for j in range(3):
                if best is None or x[j] > best:
                    best = x[j]
            s = s + 0.1 * best
        i += 1
        if i == 3:
            break
    return s + np.sum(x**2)


def test_constants_in_arms_keep_their_type():
    check(_number_of_an_arm_in_an_arm, X, Y)


def _early_return_before_a_sum(x):
    a = x[0] * 1.0
    if x[1] > 0:
        return a
    if x[1] > -0.5:
        a += x[3]
    return a + 0.0 * a


def _sum_in_an_arm_of_an_arm(x):
    a = x[0] * 1.0
    if x[3] > 0.5:
        d = x[0]
        if d > 0.1:
            a += x[2]
    return a + 0.0 * a


@each("function", [_early_return_before_a_sum, _sum_in_an_arm_of_an_arm])
@each("ahead", [0.7, -0.2, -0.9])
def test_arms_of_adjoints_give_numbers_of_one_type(function, ahead):
    x = np.array([0.6, ahead, 0.3, 0.8])
    gradient = gs.grad(function)(x)  # without a seed: of the number 1
    for k, along_one in enumerate(np.eye(4) * 1e-6):
        difference = (function(x + along_one) - function(x - along_one)) / 2e-6
        assert gradient[k] == pytest.approx(difference, abs=1e-8)


# -- integers that attempts and branches define ---------------------------------------------------


def _nonlocal_count_of_a_generator(x):
    n = 0

    def rows():
        nonlocal n
        try:
            for v in x:
                yield v * 1.0
        finally:
            n += 100

    def find():
        nonlocal n
        for v in rows():
            for w in x:
                n += 1
                if v * w > 5:
                    return v
        return 0.0

    return find() * n


def _nonlocal_sum_of_loops(x):
    n, s = 0, 0.0

    def step(v):
        nonlocal n, s
        for w in x:
            n += 1
            s += v * w
            if s > 5.5:
                return True
        return False

    for v in [1.0, 2.0, 3.0]:
        if step(v):
            break
    return s * n


@pytest.mark.parametrize("function", [_nonlocal_count_of_a_generator, _nonlocal_sum_of_loops])
@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0], [4.0, 1.0], [1.0, 1.0]])
def test_loops_written_out_around_loops_that_set_variables_outside(function, values):
    check(function, np.array(values))


def _rows_at_integers_of_branches(x, m):
    if x[0] > 1:
        row = m[int(x[1])]
        row[0] = 5.0 * x[0]
    if x[1] > 1:
        row = m[int(x[0])]
        row[0] = 3.0 * x[1]
    return np.sum(m * m)


def _row_of_an_earlier_iteration(x, m):
    for i, s in [(0, x[0]), (1, x[1])]:
        t = s * 2
        if x[i] > 1:
            continue
        row = m[int(x[i])]
        row[0] = 5.0 * t
    return np.sum(m * m)


@pytest.mark.parametrize("function", [_rows_at_integers_of_branches, _row_of_an_earlier_iteration])
@pytest.mark.parametrize("values", [[1.5, 2.2], [0.5, 2.2], [2.5, 0.7], [0.5, 0.7]])
def test_views_at_integers_that_branches_define(function, values):
    check(function, np.array(values), A)
