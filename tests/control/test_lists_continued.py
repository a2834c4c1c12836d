"""Lists that one loop has filled and a second one goes on with, reading what is there."""

import collections
import itertools

import numpy as np
import pytest

import gradsmith as gs
from programs.harness import same_bits


def _halves(x, k):
    found = list(x)
    for _ in range(k):
        found.append(found[-1] * 0.5)
    return sum(found)


def _halves_of_filtered(x, k):
    found = [v for v in x if v > 0]
    for _ in range(k):
        found.append(found[-1] * 0.5 if found else 1.0)
    return sum(found)


def _pairs(x, k):
    found = [(v, v * 2) for v in x]
    for _ in range(k):
        found.append((found[-1][1], found[-1][0] * 0.5))
    return found[-1][0] + found[-1][1] * 2


def _lists(x, k):
    found = [[v, v * 2] for v in x]
    for _ in range(k):
        found.append([found[-1][1], found[-1][0] * 0.5])
    return sum(a + b for a, b in found)


def _dicts(x, k):
    found = [{"a": v} for v in x]
    for _ in range(k):
        found.append({"a": found[-1]["a"] * 0.5})
    return sum(d["a"] for d in found)


def _rows(x, k):
    found = [x * v for v in x]
    for _ in range(k):
        found.append(found[-1] * 0.5)
    return sum(found)[0]


def _while_small(x, k):
    found, n = list(x), 0
    while n < k and found[-1] < 50:
        found.append(found[-1] * 1.5 + 9)
        n += 1
    return sum(found)


def _extended(values, k):
    for _ in range(k):
        values.append(values[-1] * 0.9)
    return values


def _by_a_helper(x, k):
    return sum(_extended(_extended(list(x), k), k + 1))


def _in_nested_loops(x, k):
    found = list(x)
    for _ in range(k):
        found.append(found[-1] * 0.5)
        for _ in range(2):
            found.append(found[-1] + 1.0)
    return found[-1] * sum(found)


def _three_times(x, k):
    found = [2.0]
    for v in x:
        found.append(found[-1] * v)
    for _ in range(k):
        found.append(found[-1] + 1)
    while len(found) < k + 8:
        found.append(found[-1] * 0.5 + found[-2])
    return sum(found) * found[-1]


def _under_a_try(x, k):
    found = [v for v in x if v > 5]
    try:
        for _ in range(k):
            found.append(found[-1] * 0.5)
    except IndexError:
        return -x[0]
    return x[0]


def _last_of_none(x, k):
    chosen = x[x > 5]
    try:
        last = chosen[-1] * 0.5
    except IndexError:
        return -x[0]
    return x[0] + 0 * last


CALLS = [([0.4, -1.2, 0.7], 3), ([0.3, 0.2, 2.0, -0.1, 1.5], 4), ([1.5, -0.5], 0), ([0.5], 2)]


@pytest.mark.parametrize(
    "function",
    [
        *(_halves, _halves_of_filtered, _pairs, _lists, _dicts, _rows, _while_small),
        *(_by_a_helper, _in_nested_loops, _three_times, _under_a_try, _last_of_none),
    ],
)
def test_values_and_gradients(function):
    compiled, gradient = gs.compile(function), gs.value_and_grad(function)
    for values, k in CALLS:
        x = np.array(values)
        expected = function(x.copy(), k)
        same_bits(compiled(x.copy(), k), expected)
        value, found = gradient(x.copy(), k)
        same_bits(value, expected)
        steps = 1e-6 * np.eye(len(x))
        slopes = [(function(x + h, k) - function(x - h, k)) / 2e-6 for h in steps]
        np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-7)


def _replaced_in_a_branch(x):
    state, found = [0.0], []
    for v in x:
        state[0] += v
        found.append(state[0])
        if state[0] > 3:
            state = [v]
    return sum(found) + state[0]


def test_a_list_beside_that_a_branch_replaces():
    compiled = gs.compile(_replaced_in_a_branch)
    for values in ([1.0, 2.0, 3.0, 4.0], [1.0, 1.0], [4.0, 1.0, 1.0]):
        same_bits(compiled(np.array(values)), _replaced_in_a_branch(np.array(values)))


def _copies_of_one_list(x, k):
    state = list(x)
    found = [state]
    for _ in range(k):
        for i in range(len(state)):
            state[i] += 0.5
        found.append(state[:])
    return [sum(row) for row in found]


def _after_the_first_list(x, k):
    state = [0.0, 1.0]
    found = [state]
    for _ in range(k):
        found.append([found[-1][0] * 2 + 1, x[0]])
        state[0] += 0.5
    return sum(row[0] for row in found)


def _after_the_first_dict(x, k):
    state = {"v": x[0]}
    found = [state]
    for _ in range(k):
        state["v"] = state["v"] * 1.5
        found.append({"v": found[-1]["v"] + 1})
    return [row["v"] for row in found]


def _after_the_first_array(x, k):
    state = x.copy()
    found = [state]
    for _ in range(k):
        state *= 1.5
        found.append(found[-1] + 1)
    return sum(found)


def _after_the_first_view(x, k):
    state = x.copy()
    found = [(state[1:], 1.0)]
    for _ in range(k):
        state[-1] += 1.5
        found.append((found[-1][0] * 0.5, found[-1][1]))
    return sum(row.sum() for row, _ in found)


@pytest.mark.parametrize(
    "function",
    [
        *(_copies_of_one_list, _after_the_first_list, _after_the_first_dict),
        *(_after_the_first_array, _after_the_first_view),
    ],
)
def test_the_first_element_changes(function):
    """The list holds an object from before the loop, which the loop changes."""
    compiled = gs.compile(function)
    for values, k in (([1.0, 2.0, 3.0], 6), ([1.0, 5.0], 2), ([2.0], 0)):
        same_bits(compiled(np.array(values), k), function(np.array(values), k))


def _and_a_number(x):
    return [k for k in [*list(x), 1]]  # noqa: C416  the comprehension is what is tested


def _sum_of_mixed(x):
    return [*list(x), 1], [v for v in [2, *x]], [v * 2 for v in [*x.tolist(), True]]  # noqa: C416


def _keys(x):
    found = {}
    for v in [*list(x), 1]:
        found[v] = 5
    return found


def _element(x):
    found = [*list(x), 2**60 + 1]
    return found[len(x)]


@pytest.mark.parametrize("function", [_and_a_number, _sum_of_mixed, _keys, _element])
def test_elements_keep_their_classes(function):
    """What leaves the function is of Python's class, whatever array stands for the list."""
    compiled = gs.compile(function)
    for values in ([2.0, 2.0], [1.0, 7.0, 3.0], [1.0]):
        x = np.array(values)
        assert repr(compiled(x)) == repr(function(x))


def _rows_of_two_lengths(x, n):
    found = [[v] * n for v in x]
    for _ in range(3):
        found.append([found[-1][0] * 0.5] * len(x))
    return sum(found[len(x) - 1]) + found[-1][0], len(found[-1])


def test_rows_of_two_lengths():
    compiled = gs.compile(_rows_of_two_lengths)
    for values, n in (([1.0, 2.0], 2), ([1.0, 5.0, 3.0], 2), ([2.0], 4)):
        x = np.array(values)
        assert repr(compiled(x, n)) == repr(_rows_of_two_lengths(x, n))


def _prefixes(x, k):
    found = [x[: i + 1] for i in range(len(x))]
    for _ in range(k):
        found.append(found[-1] + 1)
    return sum(row.sum() for row in found)


def _lengthening(x, k):
    found = [x]
    for _ in range(k):
        found.append(np.append(found[-1], found[0][-1]))
    return sum(row.sum() for row in found)


def _pairs_with_prefixes(x, k):
    found = [(i, x[: i + 1]) for i in range(len(x))]
    for i in range(k):
        found.append((i, found[-1][1] * 0.5))
    return sum(i * row.sum() for i, row in found)


@pytest.mark.parametrize("function", [_prefixes, _lengthening, _pairs_with_prefixes])
def test_rows_of_several_lengths(function):
    """They are no rows of one array, and Python does not ask for that."""
    compiled, gradient = gs.compile(function), gs.grad(function)
    for values, k in (([1.0, 2.0, 3.0], 2), ([1.0, 5.0], 0), ([2.0, 0.5], 3)):
        x = np.array(values)
        same_bits(compiled(x, k), function(x, k))
        moves = np.eye(len(x)) * 1e-6
        slopes = [(function(x + m, k) - function(x - m, k)) / 2e-6 for m in moves]
        np.testing.assert_allclose(gradient(x, k), slopes, rtol=1e-8)


def _since_the_last_one(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(v)
        else:
            kept = []
    return kept


def _longest_run(x):
    best, run = [], []
    for v in x:
        if v > 0:
            run.append(v)
        else:
            if len(run) > len(best):
                best = run
            run = []
    return best if len(best) > len(run) else run


def _runs(x):
    runs, run = [], [x[0]]
    for a, b in itertools.pairwise(x):
        if b > a:
            run.append(b)
        else:
            runs.append(run)
            run = [b]
    return [*runs, run]


class _Track:
    def __init__(self, x):
        self.x = x
        self.seen = [x]

    def move(self, step):
        self.x += step
        self.seen.append(self.x)


def _leader(x):
    leader = None
    for v in x:
        track = _Track(v)
        if leader is None or v > leader.x:
            leader = track
        else:
            leader.move(0.1)
    return leader.x, leader.seen


@pytest.mark.parametrize("function", [_since_the_last_one, _longest_run, _runs, _leader])
def test_lists_that_one_path_replaces(function):
    """The first iteration makes the list anew, and the next ones append to it."""
    compiled = gs.compile(function)
    for values in ([-0.4, 1.1, 0.6, -2.0, 0.3], [1.0, 2.0, 3.0], [0.4, -1.1, -0.6], [-1.0]):
        x = np.array(values)
        assert repr(compiled(x)) == repr(function(x))


def _drained(x):
    queue, total = collections.deque([x[0], 2.0, x[-1]], maxlen=3), 0.0
    for _ in np.flatnonzero(x > -5):
        if x[0] > 9:
            break
        while len(queue) > 1:
            total = 0.5 * queue.pop()
    return total, list(queue)


def _filled_at_both_ends(x):
    queue = collections.deque([x[0], 2.0], maxlen=4)
    for v in x:
        if v > 0:
            queue.append(v * queue[-1])
        else:
            queue.appendleft(v)
    return sum(queue), len(queue)


@pytest.mark.parametrize("function", [_drained, _filled_at_both_ends])
def test_deques(function):
    compiled = gs.compile(function)
    for values in ([1.0, -2.0, 3.0], [1.5, 0.5, 2.0, 1.0, 0.1], [-1.0]):
        x = np.array(values)
        assert repr(compiled(x)) == repr(function(x))
