"""Sizes that only running tells (how many elements a mask takes, where a loop ends), used as
numbers: derivatives of every order know them.
"""

from __future__ import annotations

import functools

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

X = np.array([0.55, -1.27, 2.02, 0.33, -0.71, 1.13])
V, W = np.linspace(-1, 1, 6), np.cos(np.arange(6.0))
SIZED = {}


def sized(function):
    SIZED[function.__name__] = function
    return function


@sized
def divided_by_len(x):
    y = x[x > 0]
    return np.sum(y**2 * np.exp(y)) / len(y)


@sized
def divided_by_size(x):
    y = x[x > 0]
    return np.sum(np.sin(y) ** 2) / y.size + np.mean(y**3) * y.shape[0]


@sized
def power_of_len(x):
    y = x[x > 0]
    return np.sum(y**2) ** len(y)


@sized
def statistics(x):
    y = x[x > 0]
    z = y - np.mean(y)
    return (z @ z) / (len(y) - 1) + np.var(y) + np.std(y)


@sized
def range_of_len(x):
    y = x[x > 0]
    s = 0.0
    for i in range(len(y)):
        s = s + y[i] ** 3 * s * i / len(y) + y[i] ** 2
    return s


@sized
def over_elements(x):
    y = x[x > 0]
    s = 0.0
    for v in y:
        s = np.sin(s) + v**2
    return s / len(y)


@sized
def stores(x):
    y = x[x > 0]
    a = np.zeros((len(y), 2))
    a[:, 0] = y**2
    for i in range(len(y)):
        a[i, 1] = y[i] ** 3 / len(y)
    return np.sum(a * a) / a.size


@sized
def weights(x):
    y = x[x > 0]
    return np.sum(np.arange(len(y)) / len(y) * y**3) + np.sum(np.linspace(0, 1, len(y)) * y)


@sized
def halves(x):
    y = x[x > 0]
    h = len(y) // 2
    return np.sum(y[:h] ** 3) / h + np.sum(y[h:] ** 2) / (len(y) - h)


@sized
def mask_in_a_loop(x):
    t = 0.0
    for k in range(5):
        y = x[x > 0.1 * k]
        t = t + np.sum(y**3) / len(y) * t + np.sum(y**2) / y.size
    return t


@sized
def mask_in_loops(x):
    t = 0.0
    for i in range(len(x)):
        y = x[x > x[i]]
        for j in range(len(y)):
            t = t + y[j] ** 3 / len(y) * np.sin(t) + y[j] * x[i]
    return t


@sized
def mask_in_a_while(x):
    s = np.sum(x**2)
    while s < 1000:
        y = x[x > 0]
        s = s * 1.5 + np.sum(y**3) / len(y) * s
    return s


@sized
def mask_in_an_arm(x):
    s = np.sum(x)
    if s > 0:
        y = x[x > 0]
        r = np.sum(y**3) / len(y)
    else:
        y = x[x < 0]
        r = np.sum(y**2) * y.size
    return r * s


@sized
def counted_down(x):
    y = x[x > 0]
    n, s = len(y), 0.0
    while n > 0:
        s = s + y[n - 1] ** 3 / n
        n = n - 1
    return s


@sized
def checkpointed(x):
    def inner(v):
        y = v[v > 0]
        return np.sum(y**3) / len(y)

    return gs.checkpoint(inner)(x) * np.sum(x)


@sized
def binomial(x):
    s = np.sum(x)
    for i in gs.loop(range(8), checkpoint="binomial", slots=3):
        y = x[x > 0.03 * i]
        s = s + 0.1 * np.sin(s) * np.sum(y**2) / len(y)
    return s


@sized
def written_before_it_is_divided(x):
    a = x * 2
    n = len(a[a > 0])
    a -= 3.0
    return np.sum(a**3) / n


@sized
def rows(x):
    a = np.outer(x, x)
    r, e = a[x > 0], a[a > 0.1]
    return np.sum(r**2) / r.shape[0] + np.sum(r.T @ r) / r.size + np.sum(e**3) / len(e)


@sized
def mask_of_a_mask(x):
    y = x[x > 0]
    z = y[y > 0.4]
    return np.sum(z**3) / len(z) + np.sum(y**2) / len(y)


@sized
def set_by_mask(x):
    a = x.copy()
    m = a > 0
    a[m] = a[m] ** 2 / len(a[m])
    a[~m] *= 3
    return np.sum(a**2)


@sized
def part_of_a_whole_number(x):
    k = (np.abs(x[0]) * 4).astype(int)
    y = x[:k]
    return np.sum(y**3) / len(y)


@sized
def trips(x):
    s, n = np.sum(x**2), 0
    while s < 100:
        s = s * 3.5 + x[0] ** 2
        n += 1
    a = np.ones(n) * s
    return np.sum(a**2) / len(a) + np.sum(x[:n] ** 3)


@sized
def broken_off(x):
    y = x[x > 0]
    t = 0.0
    for i in range(len(y)):
        t = t + y[i] ** 3 / len(y)
        if t > 2.0:
            break
    return t * len(y)


@sized
def windows(x):
    s = 0.0
    for i in range(len(x)):
        lo, hi = max(0, i - 2), min(len(x), i + 2)
        s = 0.3 * s + np.mean(x[lo:hi]) ** 2 * np.cos(s) / min(i + 1, 3)
    return s


@sized
def at_least_one(x):
    y = x[x > 0]
    idx = np.flatnonzero(x < 0)
    return (
        np.sum(y**3) / max(len(y), 1) + np.sum(y[: min(2, len(y))] ** 2) * x[: min(idx.size, 3)][0]
    )


@sized
def another_length_after_each_trip(x):
    """Written out."""
    y, s = x[x > 0], 0.0
    for i in range(len(x)):
        s = s + np.sum(y**2) * (i + 1) / max(len(y), 1)
        y = x[np.flatnonzero(x > x[i])]
    return s + np.sum(y**3)


@sized
def positions_in_loops(x):
    t = 0.0
    for k in range(5):
        idx = np.flatnonzero(x > 0.1 * k)
        for i in idx:
            t = t + x[i] ** 2 / len(idx) * np.cos(t)
        t = t + np.sum(x[idx] ** 2) / idx.size
    return t


@sized
def levels_in_loops(x):
    t = 0.0
    for k in range(5):
        levels, counts = np.unique(np.clip(x, -0.5, 0.12 * k), return_counts=True)
        t = 0.2 * t + np.sum(levels**2 * counts) / len(levels) * np.cos(t)
    return t


@sized
def sizes_of_constants_in_a_loop(x):
    s = x[1]
    for k in range(5):
        kinds = np.unique((np.abs(x[k:]) * 3).astype(int))
        s = s + 0.1 * np.sum((np.ones(len(kinds)) * s * x[k]) ** 2)
    return s


@sized
def checkpointed_levels(x):
    def inner(v):
        levels, counts = np.unique(np.maximum(v, 0.1), return_counts=True)
        idx = np.flatnonzero(v > 0)
        return np.sum(levels**2 * counts) * np.sum(v[idx] ** 3) / len(levels)

    return gs.checkpoint(inner)(x) * np.sum(x)


@sized
def until_few_are_found(x):
    y = x * 3
    while True:
        rows, cols = np.nonzero(np.outer(y, y) > 1.1)
        if len(rows) < 4:
            break
        y = y * 0.93 - 0.0001 * np.sum(y[rows] ** 2 * y[cols])
    return np.sum(y**3)


@sized
def lengths_decide(x):
    s = 0.0
    for i in range(len(x)):
        if np.flatnonzero(x > x[i]).size > 3:
            s = s * 0.5 + x[i] ** 3
        elif len(np.unique(np.rint(x * i))) == 2:
            s = s * x[0] - x[i] ** 3
        else:
            s = s * x[i] + np.sort(x)[i] ** 2
    return s


@sized
def binomial_positions(x):
    s = np.sum(x)
    for i in gs.loop(range(8), checkpoint="binomial", slots=3):
        idx = np.flatnonzero(x > 0.05 * i)
        s = s + 0.1 * np.sin(s) * np.sum(x[idx] ** 2) / len(idx)
    return s


def difference(function, direction, step=1e-5):
    return (function(X + step * direction) - function(X - step * direction)) / (2 * step)


def near(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=2e-5, atol=2e-6)


@functools.cache
def gradient_of(name):
    """Compiled once for all tests."""
    return gs.grad(SIZED[name])


def slope(name):
    """The derivative along `V`, as a function."""
    first = gradient_of(name)
    return lambda x: np.sum(first(x) * V)


@functools.cache
def second_of(name):
    """The gradient of that, compiled once for all tests."""
    return gs.grad(slope(name))


@pytest.mark.parametrize("name", SIZED)
def test_first_order(name):
    function = SIZED[name]
    np.testing.assert_allclose(gs.compile(function)(X), function(X), rtol=1e-14)
    expected = difference(function, V)
    near(gradient_of(name)(X) @ V, expected)
    near(gs.jvp(function, (X,), (V,))[1], expected)


@pytest.mark.parametrize("name", SIZED)
def test_second_order(name):
    function = SIZED[name]
    expected = difference(slope(name), W)
    near(second_of(name)(X) @ W, expected)
    near(gs.jvp(gradient_of(name), (X,), (W,))[1] @ V, expected)
    near(gs.grad(lambda x: gs.jvp(function, (x,), (V,))[1])(X) @ W, expected)


@pytest.mark.parametrize("name", SIZED)
def test_third_order(name):
    second = second_of(name)
    expected = difference(lambda x: second(x) @ W, V)
    near(gs.grad(lambda x: np.sum(second(x) * W))(X) @ V, expected)


def test_the_size_is_read_where_the_user_reads_it():
    lines = gs.grad(SIZED["written_before_it_is_divided"]).source(X).splitlines()
    code = [line.strip() for line in lines if not line.strip().startswith("#")]
    (taken,) = [line for line in code if "a[a > 0]" in line]
    name = taken.split(" = ")[0]
    assert code.index(taken) < code.index("a -= 3.0")
    assert any(f"len({name})" in line for line in code[code.index("a -= 3.0") :])


def test_nothing_taken_is_not_divided_by():
    gradient = gs.grad(SIZED["divided_by_len"])
    gradient(X)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(gradient(-np.abs(X)), np.zeros(6))


def test_windows_keep_the_loop():
    gradient = gs.grad(SIZED["windows"])
    assert gradient.source(X) == gradient.source(np.concatenate([X, X]))
    assert "x[max(0, i - 2):min(len(x), i + 2)]" in gradient.source(X)


def test_at_least_one():
    gradient = gs.grad(lambda x: np.sum(x[x > 0] ** 2) / max(len(x[x > 0]), 1))
    near(gradient(X), np.where(X > 0, 2 * X / 4, 0))
    np.testing.assert_array_equal(gradient(-np.abs(X)), np.zeros(6))


# -- sizes that a loop body defines and its adjoint needs ----------------------------------------


def a_count_and_no_elements(x):
    s = 1.0
    for a in x:
        s = s * 0.5 + len(x[x > 0]) * a
    return s


def a_count_that_varies(x):
    s = 1.0
    for a in x:
        s = s * 0.1 * len(x[x >= a]) + a**2
    return s


def a_count_of_the_carried_value(x):
    y, s = x, 0.0
    for i in range(3):
        y = y * 0.7 + 0.1 * len(y[y > 0.3]) * x[i]
        s = s + np.sum(np.sin(y)) / (1 + np.flatnonzero(y > 0.2).size)
    return s


def only_a_shape(x):
    s = x[1]
    for k in range(3):
        kinds = np.unique((np.abs(x[k:]) * 3).astype(int))
        s = s + 0.1 * np.sum((np.ones(len(kinds)) * s * x[k]) ** 2)
    return s


def a_shape_and_a_count(x):
    s = x[1]
    for k in range(3):
        kinds = np.unique(np.rint(np.abs(x[k:]) * 3))
        s = np.sin(s) * len(kinds) + np.sum(np.full(kinds.shape, s * x[k]))
    return s


def in_a_branch_of_a_loop(x):
    s = 1.0
    for a in x:
        if a > 0:
            s = s * 0.3 * x[x > a * 0.5].size + a
        else:
            kinds = np.unique(np.rint(x * 2))
            s = s * a / len(kinds)
    return s


def in_a_loop_of_a_loop(x):
    s = 1.0
    for a in x:
        for i in range(2):
            s = s * 0.2 * len(x[x > a + 0.1 * i - 1.0]) + a * i
    return s


def in_a_while(x):
    s = np.sum(x**2) + 1.0
    while s < 100:
        s = s * (1.1 + 0.1 * len(x[x < s])) + x[0]
    return s


def a_size_of_two_axes(x):
    s = 1.0
    for a in x:
        rows = np.outer(x, x)[x > a - 0.5]
        s = s * 0.05 * rows.size + a * rows.shape[0]
    return s


NEEDED = (
    a_count_and_no_elements,
    a_count_that_varies,
    a_count_of_the_carried_value,
    only_a_shape,
    a_shape_and_a_count,
    in_a_branch_of_a_loop,
    in_a_loop_of_a_loop,
    in_a_while,
    a_size_of_two_axes,
)
OTHERS = (X, 1.37 * X[::-1].copy(), np.append(X, [0.41, -0.93]))


def gradient_by_differences(function, x, step=1e-6):
    rows = step * np.eye(len(x))
    return np.array([(function(x + row) - function(x - row)) / (2 * step) for row in rows])


@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")  # second derivatives of 0
@pytest.mark.parametrize("function", NEEDED)
def test_the_adjoint_of_a_loop_knows_the_sizes_of_its_iterations(function):
    """At several arguments of several lengths through the same compiled functions."""
    compiled, gradient = gs.compile(function), gs.grad(function)
    second = gs.grad(lambda x: np.sum(gradient(x) * np.cos(np.arange(len(x)))))
    for x in OTHERS:
        given = x.copy()
        np.testing.assert_allclose(compiled(x), function(x), rtol=1e-14)
        near(gradient(x), gradient_by_differences(function, x))
        w = np.cos(np.arange(len(x)))
        near(second(x), gradient_by_differences(lambda x, w=w: gradient(x) @ w, x))
        near(gs.jvp(function, (x,), (w,))[1], gradient(x) @ w)
        np.testing.assert_array_equal(x, given)
    assert gradient.source(OTHERS[0]) == gradient.source(OTHERS[2])


# -- nothing found, in a branch ------------------------------------------------------------------


def divided_in_an_expression(x, c):
    return x.sum() if c > 0 else x.sum() / len(x[:0])


def divided_on_return(x, c):
    if c > 0:
        return x.sum()
    return x.sum() / len(x[x > 1e9])


def divided_in_branches(x, c):
    s = 0.0 * x[0]
    for i in range(3):
        if c * x[i] < 0:
            s = s + x.sum() / x[x > 1e9].size
    return s


@pytest.mark.parametrize(
    "function", [divided_in_an_expression, divided_on_return, divided_in_branches]
)
def test_an_adjoint_divides_as_numpy_does(function):
    """NumPy's numbers divided by 0 are inf, and so are the adjoints; Python's would raise."""
    gradient = gs.grad(function)
    with np.errstate(all="ignore"):
        for x, c in ((X, 1.0), (X, -1.0), (np.abs(X), 1.0), (X[:4], -2.0)):
            finite = np.isfinite(function(x, c))
            expected = (c > 0) * (function is not divided_in_branches) if finite else np.inf
            np.testing.assert_array_equal(gradient(x, c), np.full(len(x), float(expected)))


# -- lengths that the code is specialised on -----------------------------------------------------


def a_length_that_changes_in_each_iteration(x):
    y = x[x > 0]
    while np.sum(y) > 0.5:
        y = 0.5 * y[np.flatnonzero(y > 0.2)]
    return np.sum(y**2)


def a_length_that_one_path_defines(x):
    if x[0] > 0:
        y = x[np.flatnonzero(x > 0)]
    return np.sum(y**2)


@each("scale", [1.0, 3.0, -1.0])
@each("function", [a_length_that_changes_in_each_iteration, a_length_that_one_path_defines])
def test_lengths_that_need_a_specialisation(function, scale):
    """Python's value or error whichever call comes first, and those of later calls."""
    compiled, gradient = gs.compile(function), gs.grad(function)
    for factor in (scale, 0.4, 1.0, -1.0, 2.2, scale):
        x = factor * X
        try:
            expected = function(x)
        except UnboundLocalError as error:
            for made in (compiled, gradient):
                with pytest.raises(UnboundLocalError, match=str(error)):
                    made(x)
            continue
        assert compiled(x) == expected
        near(gradient(x), gradient_by_differences(function, x))


def counted(x):
    values, counts = np.unique(x, return_counts=True)
    return {int(k): int(v) for k, v in zip(values, counts, strict=False)}


def products(x):
    values, counts = np.unique(x, return_counts=True)
    return [int(k) * int(v) for k, v in zip(values, counts, strict=True)]


def places(x):
    return {place: value for place, value in enumerate(x[x > 1])}  # noqa: C416


def of_dict(x):
    u = x[x > 1]
    return dict(zip(u, u * 2, strict=True)), dict(enumerate(u.tolist()))


def with_the_whole(x):
    u = x[x > 1]
    one = {float(a): b for a, b in zip(u, x, strict=False)}
    return one, {float(a): b for a, b in zip(x, u, strict=False)}


def listed(x):
    u = x[x > 1]
    return [float(a) for a in reversed(u)], list(zip(u, u, strict=True)), sorted(u)


def one_by_one(x):
    values = iter(zip(x[x > 1], x, strict=False))
    first = next(values, None)
    return first, list(values)


@each("function", [counted, products, places, of_dict, with_the_whole, listed, one_by_one])
@pytest.mark.parametrize("first", range(2))
def test_containers_of_as_many_elements_as_the_data_say(function, first):
    compiled = gs.compile(function)
    for numbers in ([1, 2, 2], [1, 2, 3], [1, 1, 1], [3, 2, 3, 4, 4], [5, 4, 3])[first:]:
        x = np.array(numbers, dtype=float)
        assert repr(compiled(x)) == repr(function(x))


LENGTHS = {
    "the first two": lambda x, u: (len(u[:2]), u[:2] * 2 + len(u[:2])),
    "without the first two": lambda x, u: (len(u[2:]), u[2:].tolist()),
    "without both ends": lambda x, u: (len(u[1:-1]), u[1:-1] + len(u[1:-1])),
    "the last two": lambda x, u: (len(u[-2:]), u[-2:].sum() / (1 + len(u[-2:]))),
    "without the last two": lambda x, u: (len(u[:-2]), np.zeros(len(u[:-2]))),
    "between": lambda x, u: (len(u[1:3]), u[1:3].shape, len(u[-3:-1]), len(u[-2:2])),
    "every other": lambda x, u: (len(u[::2]), len(u[1::2]), len(u[:3:2])),
    "backwards": lambda x, u: (len(u[2::-1]), len(u[:0:-1]), len(u[::-1][:2]), u[2::-1] * 1.0),
    "none": lambda x, u: (len(u[5:]), len(u[:0]), u[5:]),
    "of a slice": lambda x, u: (len(u[2:][:2]), u[2:][:2], u[:, None][1:].shape),
    "so many": lambda x, u: (len(x[: len(u)]), len(x[len(u) :]), x[len(u) :] * 2),
    "so many from the end": lambda x, u: (len(x[-len(u) :]), x[-len(u) :] * 2),
    "but so many": lambda x, u: (len(x[: -len(u)]), len(x[len(u) - 2 :]), x[len(u) - 2 :].sum()),
    "one less": lambda x, u: (len(u[: len(u) - 1]), u[len(u) - 1 :] * 2),
    "joined again": lambda x, u: np.concatenate([x[: len(u)], x[len(u) :]]) + x,
    "differences": lambda x, u: (np.sum((u[1:] - u[:-1]) ** 2), len(u[1:])),
    "lists": lambda x, u: ([float(v) for v in u[2:]], list(u[:2]), sum(u[2:])),
    "one left out": lambda x, u: np.delete(x, len(u) - 1),
    "largest at least": lambda x, u: (np.max(u, initial=0.5), np.min(u, initial=9.0)),
}


@pytest.mark.parametrize("name", LENGTHS)
@each("backwards", [False, True])
def test_slices_of_what_the_data_size(name, backwards):
    function = lambda x: LENGTHS[name](x, x[x > 1])  # noqa: E731
    compiled = gs.compile(function)
    data = [[1, 2, 2, 3], [2, 3, 4, 5], [1, 1, 1, 1], [2, 0, 0, 0], [0, 0, 3, 2]]
    for numbers in data[:: -1 if backwards else 1]:
        x = np.array(numbers, dtype=float)
        np.testing.assert_equal(compiled(x), function(x))


def test_what_needs_such_a_size_as_a_number_is_refused():
    with pytest.raises(gs.GradsmithError):
        gs.compile(lambda x: np.triu_indices(len(x[x > 1]))[0])(np.array([1.0, 2, 2, 3]))


# -- slices of lists that a loop makes, and in loops ----------------------------------------------


def _doubled(x):
    values, v = [], x[0]
    while v < 5:
        values.append(v)
        v = v * 2
    return values


def _windows(x):
    total = 0.0
    for i in range(len(x)):
        total += len(x[:i][-2:]) + np.sum(x[:i][-2:]) + np.sum(x[: i + 1][-3:-1]) + len(x[i:][:2])
    return total


def _moving_means(x):
    found = []
    for v in x:
        found.append(v)
        last = found[-3:]
        found[-1] = sum(last) / len(last)
    return found


def _second_of_two(x):
    last = _doubled(x)[-2:]
    return last[1] if len(last) == 2 else 0.0


SLICED = {
    "ends": lambda x: [_doubled(x)[-2:], _doubled(x)[:-2], _doubled(x)[1:]],
    "lengths": lambda x: [len(_doubled(x)[-3:]), len(_doubled(x)[-3:-1]), sum(_doubled(x)[-2:])],
    "second of two": _second_of_two,
    "windows": _windows,
    "moving means": _moving_means,
}


@each("function", SLICED.values(), ids=SLICED)
def test_slices_that_are_cut_at_the_front(function):
    compiled = gs.compile(function)
    for x in ([4.0, 1.0, 2.5], [1.5, 0.5], [9.0], [0.1, 0.2, 0.3, 0.4, 0.5]):
        assert repr(compiled(np.array(x))) == repr(function(np.array(x)))
