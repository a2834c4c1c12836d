"""Lists to which the paths of a loop append elements of several kinds, until it breaks."""

# Loops as users write them.

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import gradsmith as gs


class Log:
    def __init__(self):
        self.items = []
        self.pairs = deque()


def _texts(x):
    found = []
    for v in x:
        if v > 2:
            found.append("x")
            break
        found.append("a")
    return found, found[-1]


def _lists_of_two_lengths(x):
    rows = []
    for v in x:
        if v > 2:
            rows.append([v])
            break
        rows.append([v, v * 2])
    return sum(row[-1] for row in rows)


def _none_at_the_end(x):
    found = []
    for v in x:
        if v > 2:
            found.append(None)
            break
        found.append(v * v)
    total = 0.0
    for q in found:
        if q is not None:
            total = total + q
    return total


def _in_a_while(x):
    found, i = [], 0
    while True:
        if x[i] > 2:
            found.append("x")
            break
        found.append("a")
        i += 1
        if i >= len(x):
            break
    return found, i


def _left_after_the_branch(x):
    found = []
    for v in x:
        if v < 1:
            found.append("n")
        else:
            found.append("a")
        if v > 2:
            break
    return found


def _of_an_object(x):
    log = Log()
    for v in x:
        if v > 2:
            log.items.append("x")
            log.pairs.append((v,))
            break
        log.items.append("a")
        log.pairs.append((v, v))
    return log.items, list(log.pairs)


def _in_an_inner_loop(x):
    found = []
    for v in x:
        for w in x:
            if w > v:
                found.append("in")
                break
            found.append(w)
        if v > 2:
            found.append("x")
            break
        found.append("a")
    return found


def _taken_and_added(x):
    found = ["z"]
    for v in x:
        if v > 2:
            found.pop()
            found.insert(0, "q")
            found.extend(["u", "w"])
            break
        found.extend(["a"])
    return found


def _arrays_of_two_lengths(x):
    found = []
    for v in x:
        if v > 2:
            found.append(np.ones(2) * v)
            break
        found.append(np.ones(3) * v)
    return [q.sum() for q in found]


@pytest.mark.parametrize(
    "function",
    [
        *(_texts, _lists_of_two_lengths, _none_at_the_end, _in_a_while, _left_after_the_branch),
        *(_of_an_object, _in_an_inner_loop, _taken_and_added, _arrays_of_two_lengths),
    ],
)
def test_elements(function):
    compiled = gs.compile(function)
    for values in ([1.0, 5.0], [1.0, 1.5, 5.0, 7.0], [3.0], [0.5, 0.2]):
        x = np.array(values)
        assert repr(compiled(x)) == repr(function(x))


def test_the_list_of_the_caller():
    def function(x, found):
        for v in x:
            if v > 2:
                found.append("x")
                break
            found.append("a")
        return len(found)

    compiled = gs.compile(function)
    for values in ([1.0, 5.0], [1.0, 1.5], [3.0]):
        left, written = [], []
        x = np.array(values)
        assert compiled(x, written) == function(x, left)
        assert written == left


@pytest.mark.parametrize("function", [_lists_of_two_lengths, _none_at_the_end])
def test_gradient(function):
    x = np.array([1.0, 1.5, 5.0])
    slopes = [(function(x + h) - function(x - h)) / 2e-6 for h in 1e-6 * np.eye(3)]
    np.testing.assert_allclose(gs.grad(function)(x), slopes, rtol=1e-7, atol=1e-9)
