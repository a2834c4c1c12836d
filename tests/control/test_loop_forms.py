"""Loops in other forms than the statement: what they do at their edges, as Python does it."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each
from programs.harness import same_bits

# ruff: noqa: B905, C419

X = np.array([0.5, -1.25, 2.0, 0.75, -0.5, 1.5, 3.0])


def check(function, *arguments):
    """The value to the bit, and derivatives of first and second order."""
    same_bits(gs.compile(function)(*arguments), function(*arguments))
    gs.check_grads(function, arguments, order=2)


def lines(function, *arguments):
    """How long the sources of the value and of the gradient are."""
    sources = gs.compile(function).source(*arguments), gs.grad(function).source(*arguments)
    return [source.count("\n") for source in sources]


# --- sums, and the greatest and least


@each("function", [max, min])
@each(
    "values", [[1.0, np.nan, 3.0, 2.0, 0.0], [np.nan, 1.0, 2.0, 0.0, 3.0], [0.0, -0.0, 0.0, -0.0]]
)
def test_extremes_compare_as_python_does(function, values):
    x = np.array(values)
    for f in (
        lambda x: function(v for v in x),
        lambda x: function([v for v in x if v != 7.0]),
        lambda x: function(v for u in x[:1] for v in x),
    ):
        same_bits(gs.compile(f)(x), f(x))


@pytest.mark.parametrize("function", [max, min])
def test_of_equal_ones_the_first_has_the_gradient(function):
    x = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    expected = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert gs.grad(lambda x: function(v * 1 for v in x))(x).tolist() == expected
    assert gs.grad(lambda x: function(v for v in x if v > 0))(x).tolist() == expected


@pytest.mark.parametrize("function", [max, min])
def test_none_to_choose_from_is_pythons_error(function):
    def found(x):
        return function(v for v in x if v > 100)

    with pytest.raises(ValueError, match="empty") as expected:
        found(X)
    with pytest.raises(ValueError, match="empty") as caught:
        gs.compile(found)(X)
    assert str(caught.value) == str(expected.value)
    assert gs.compile(found)(X + 200) == found(X + 200)
    for empty in (X[:0], X):
        f = gs.compile(lambda x: function((v for v in x if v > 100), default=2.5))
        assert f(empty) == 2.5


def test_sums_begin_with_zero():
    x = np.full(6, -0.0)
    for f in (
        lambda x: sum(v for v in x),
        lambda x: sum([v * 1 for v in x]),
        lambda x: sum(x * 1),
    ):
        assert not np.signbit(gs.compile(f)(x))
    assert gs.compile(lambda x: sum(v for v in x))(X[:0]) == 0


def test_sums_of_arrays_keep_their_shape():
    matrix = np.random.default_rng(0).normal(size=(5, 3))
    check(lambda A: np.sum(sum(row**2 for row in A) ** 2), matrix)
    check(lambda A: np.sum(sum([row**2 for row in A], A[0]) ** 2), matrix)
    same_bits(*(f(matrix) for f in (sum_of_columns, gs.compile(sum_of_columns))))


def sum_of_columns(A):
    """Elements of one number each, which NumPy would add in pairs."""
    columns = [row[:1] for row in A]
    return sum(columns), sum(row[:1] for row in A)


def test_lists_are_evaluated_before_the_arguments_behind_them():
    def f(x):
        numbers = iter(range(1, 100))
        return sum([v**2 * next(numbers) for v in x], next(numbers))

    check(f, X)


# --- any and all


def positive(v):
    if v < -10:
        raise ValueError("too small")
    return v > 1.0


def test_any_and_all_end_as_early_as_python():
    x = np.array([0.0, 2.0, -20.0, 5.0, 1.0, 1.0])
    any_of = gs.compile(lambda x: any(positive(v) for v in x))
    all_of = gs.compile(lambda x: all(positive(v) for v in x))
    assert any_of(x)
    assert not all_of(x)
    for f, given in ((any_of, x - 1.5), (all_of, x[1:])):
        with pytest.raises(ValueError, match="too small"):
            f(given)
    with pytest.raises(ValueError, match="too small"):  # a list has all its elements first
        gs.compile(lambda x: any([positive(v) for v in x]))(x)


def test_any_of_loops_within_loops_ends_both():
    def f(x, y):
        return x * any(positive(a * b) for a in x for b in y) + 0 * y

    x, y = np.array([0.1, 2.0, -20.0]), np.array([0.1, 1.0, 5.0])
    same_bits(gs.compile(f)(x, y), f(x, y))


# --- iterators, which nothing can turn back


def test_elements_of_an_iterator_are_taken_once():
    def counted(x):
        numbers, i = iter(range(1, 100)), 0
        while i < 6:
            x = x * next(numbers)
            i += 1
        return np.sum(x**2)

    def repeated(x):
        numbers = iter(range(1, 100))
        for _ in range(6):
            x = x * next(numbers)
        return np.sum(x**2)

    def generated(x):
        numbers = iter(range(1, 100))
        return sum(v**2 * next(numbers) for v in x)

    def mapped(x):
        numbers = map(float, range(1, 100))
        return sum([v**2 * sum(n for n, _ in zip(numbers, "ab")) for v in x])

    for f in (counted, repeated, generated, mapped):
        check(f, X)


def test_an_iterator_in_an_arm_is_taken_from_as_the_arm_is():
    def f(x):
        numbers = iter([1.0, 2.0, 3.0])
        first = x[0] * next(numbers) if x[0] > 0 else x[1] * next(numbers) * next(numbers)
        return first * next(numbers)

    compiled = gs.compile(f)
    for x in (X, -X, X):
        same_bits(compiled(x), f(x))
        gs.check_grads(f, (x,))


# --- what is said of a loop


def enumerated(x):
    total = 0.0
    for i, j in enumerate(gs.loop(range(len(x)), checkpoint="binomial", slots=2)):
        total = np.sin(total) * x[j] + i
    return total


def paired(x):
    total = 0.0
    for i, v in zip(gs.loop(range(3)), x):
        total = np.sin(total) + v * i
    return total


def backwards(x):
    total = 0.0
    for v in reversed(gs.loop(x)):
        total = np.sin(total) * v + v
    return total


def added(x):
    return sum(i * np.exp(v) for i, v in enumerate(gs.loop(x)))


@pytest.mark.parametrize("function", [enumerated, paired, backwards, added])
def test_parts_of_a_loop_may_say_how_it_is_run(function):
    check(function, X)
    assert "for" in gs.compile(function).source(X)
    assert lines(function, X) == lines(function, np.tile(X, 3))


def test_unroll_in_enumerate():
    def f(x):
        return sum(i * v**2 for i, v in enumerate(gs.unroll(x)))

    check(f, X)
    assert "in range(" not in gs.compile(f).source(X)


def test_what_cannot_be_said_of_a_part():
    def both(x):
        for i, v in zip(gs.loop(range(7), checkpoint="binomial", slots=2), gs.loop(x)):
            x = x + i * v
        return x

    def with_a_list(x):
        for i, v in zip(gs.loop(range(3)), [x[0], 2.0, x[1]]):
            x = x + i * v
        return x

    with pytest.raises(gs.GradsmithError, match="run in different ways"):
        gs.compile(both)(X)
    with pytest.raises(gs.GradsmithError, match="only loops over ranges and arrays"):
        gs.compile(with_a_list)(X)


# --- source that does not grow


def counted_to(x, n):
    i = 0
    while i < n:
        x = np.sin(x) * i
        i += 1
    return np.sum(x)


def series_to(x, n):
    return np.sum(sum(x * np.cos(k * x) for k in range(n))) + max(x[0] * k for k in range(n))


def pairs_to(x, n):
    pairs = [(k * x[0], [x[1] ** 2, k]) for k in range(n)]
    return sum(a * b * k for a, (b, k) in pairs)


@pytest.mark.parametrize("function", [counted_to, series_to, pairs_to])
def test_source_of_thousands_of_trips(function):
    assert lines(function, X, 6) == lines(function, X, 5_000)


# --- lists that loops have made


def test_what_changes_such_a_list_has_it_written_out():
    def replaced(x):
        squares = [v * v for v in x]
        squares[2] = x[0]
        return np.sum(np.array(squares) * x)

    def reversed_in_place(x):
        squares = [v * v for v in x]
        squares.reverse()
        return np.sum(np.array(squares) * x)

    def returned(x):
        return [v * v for v in x]

    check(replaced, X)
    check(reversed_in_place, X)
    same_bits(gs.compile(returned)(X), returned(X))


def test_elements_keep_the_type_that_python_gives_them():
    def f(x, a):
        steps = [a * k for k in range(8)]
        pairs = [(k, a) for k in range(8)]
        indices = [(k, x[k]) for k in range(6)]
        return x * steps[3], x[pairs[2][0]], x * pairs[5][1], x * indices[1][0]

    x = X.astype(np.float32)
    same_bits(gs.compile(f)(x, 0.7), f(x, 0.7))


def test_rows_are_the_arrays_that_were_appended():
    def one_array(x):
        row, rows = np.zeros(2), []
        for v in x:
            row[0] += v
            rows.append(row)
        return np.sum(np.array(rows) ** 2)

    def written_later(A):
        rows = [A[i] for i in range(len(A))]
        A[1, 0] = 5.0 * A[0, 0]
        return np.sum(np.array(rows) ** 2)

    def element_written(A):
        rows = [A[i] for i in range(len(A))]
        rows[1][0] = 5.0 * A[0, 0]
        return np.sum(A**2)

    check(one_array, X)
    for f in (written_later, element_written):
        check(f, np.random.default_rng(0).normal(size=(6, 2)))


@pytest.mark.parametrize(
    "body",
    [
        "    b, i = np.zeros(3), 0\n    for b[i] in x:\n        i = i + 1\n    return b\n",
        "    b, i = [0, 0, 0], 0\n    for b[i] in x:\n        i = (i + 2) % 3\n    return b, i\n",
        "    b, i, t = [0.0, 0.0], 0, 0.0\n    for v, b[i] in zip(x, x[::-1]):\n"
        "        i = 1 - i\n        t += v * b[0]\n    return float(t)\n",
        "    b, i = np.zeros(3), 0\n    for b[i] in x:\n        if b[i] > 0:\n            i = 2\n"
        "    return b\n",
        "    b = np.zeros(4)\n    for b[0] in x:\n        b[1] += b[0] ** 2\n"
        "    return float(b.sum())\n",
    ],
)
def test_targets_that_are_elements(body):
    f = function_of(body, "x")
    check_calls(f, (np.array([1.0, 2.0, 3.0]),), (np.array([3.0, -1.0, 0.5]),))
