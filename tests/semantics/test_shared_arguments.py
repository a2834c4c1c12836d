"""Arguments that share memory: one array passed twice, views of one array, captured arguments."""

# Functions are written here as users write them, not as a linter would have them.

from __future__ import annotations

import copy
import functools
import warnings

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

pytestmark = pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")

CAPTURED = np.arange(1.0, 7.0)


def fresh():
    return np.arange(1.0, 7.0)


def apart():
    return fresh(), fresh()


def one_array():
    a = fresh()
    return a, a


def equal_views():
    a = fresh()
    return a[1:], a[1:]


def shifted():
    a = fresh()
    return a[:-1], a[1:]


def reversed_():
    a = fresh()
    return a, a[::-1]


def strided():
    a = fresh()
    return a[::3], a[:2]


def interleaved():
    a = fresh()
    return a[::2], a[1::2]


def transposed():
    a = fresh()[:4].reshape(2, 2)
    return a, a.T


def captured():
    CAPTURED[:] = fresh()
    return CAPTURED, fresh()


def view_of_captured():
    CAPTURED[:] = fresh()
    return CAPTURED[::-1], fresh()


CALLS = [
    apart,
    one_array,
    equal_views,
    shifted,
    reversed_,
    strided,
    interleaved,
    transposed,
    captured,
    view_of_captured,
]
KNOWN = {apart, one_array, equal_views, interleaved}
"""Calls that are never refused; the others where what was overwritten is read afterwards."""


def store(x, y):
    x[0] = 10.0
    return np.sum(x * y)


def in_a_loop(x, y):
    for i in range(x.shape[0]):
        x[i] = y[i] * 2 + y[0]
    return x + y


def in_a_branch(x, y):
    if np.sum(y) > 0:
        x[1] = 5.0
    return x * y


def in_a_loop_with_a_branch(x, y):
    row = x[1:]
    t = 0.0
    for v in y:
        if np.sum(v) > 1.5:
            row += y[1:] * 0.5
        t = t + np.sum(y[0])
    return t, x


def in_a_while(x, y):
    z = x
    while np.sum(z[0]) < 20.0:
        z *= 2.0
        y[1] += np.sum(z[0])
    return x + y


def through_a_view(x, y):
    row = x[1:]
    row += y[:-1]
    return np.sum(y), x


def both(x, y):
    x *= 2.0
    y += 1.0
    x[0] = y[1]
    return x, y


def in_a_helper(x, y):
    def move(u, v):
        u[0] = v[1] * 3
        return u

    return move(x, y) + move(y, x)


def out_keyword(x, y):
    return np.add(x, y, out=x) + y


def read_before(x, y):
    s = np.sum(y)
    x[0] = 3.0
    return s + x


def copied_before(x, y):
    y = y.copy()
    x[0] = 3.0
    return x * y


def of_a_captured(x, y):
    x[0] = 3.0
    return x * np.sum(CAPTURED) + y


def of_a_captured_in_a_loop(x, y):
    t = 0.0
    for v in y:
        t = t + CAPTURED[0] * v
        x[0] = x[0] * 2
    return t, x


def of_a_captured_after_a_write_in_a_loop(x, y):
    t = 0.0
    for v in y:
        x[0] = x[0] * 2 + v
        t = t + np.sum(CAPTURED)
    return t, x


def of_a_captured_in_a_branch(x, y):
    if np.sum(y) > 0:
        x[0] = 30.0
        y = y * np.sum(CAPTURED)
    return x, y + CAPTURED[-1]


def to_a_captured(x, y):
    CAPTURED[1] = 30.0
    return x + y


STORES = [
    store,
    in_a_loop,
    in_a_branch,
    in_a_loop_with_a_branch,
    in_a_while,
    through_a_view,
    both,
    in_a_helper,
    out_keyword,
    read_before,
    copied_before,
    of_a_captured,
    of_a_captured_in_a_loop,
    of_a_captured_after_a_write_in_a_loop,
    of_a_captured_in_a_branch,
    to_a_captured,
]


def same(got, expected):
    pairs = zip(got, expected, strict=True) if isinstance(expected, tuple) else [(got, expected)]
    for left, right in pairs:
        np.testing.assert_array_equal(left, right)


@pytest.mark.filterwarnings("ignore::gradsmith.TraceTimeEffectWarning")
@pytest.mark.parametrize("fun", STORES)
def test_stores_are_seen_through_the_other_argument_or_refused(fun):
    compiled = gs.compile(fun)
    refused = set()
    for call in CALLS + CALLS[::-1]:
        if fun is to_a_captured and call is not apart:
            continue
        CAPTURED[:] = fresh()
        plain = call()
        expected = copy.deepcopy((fun(*plain), plain))
        CAPTURED[:] = fresh()
        args = call()
        try:
            got = compiled(*args)
        except gs.GradsmithError as error:
            assert "shares memory" in str(error)  # noqa: PT017
            refused.add(call)
        else:
            same(got, expected[0])
            same(args, expected[1])
    assert not refused & KNOWN
    if fun in (read_before, copied_before):
        assert not refused


def plain(x, y):
    return np.sum(x * x * y)


def test_without_stores_arguments_are_values_of_their_own():
    a = fresh()
    by_x, by_y = gs.grad(plain, argnums=(0, 1))(a, a)
    np.testing.assert_array_equal(by_x, 2 * a * a)
    np.testing.assert_array_equal(by_y, a * a)
    compiled = gs.compile(plain)
    for call in (apart, one_array, equal_views, interleaved):
        assert compiled(*call()) == plain(*call())
        assert compiled.source(*call()) is compiled.source(*apart())


@each("argnums", [0, 1, (0, 1)])
@each("transform", [gs.grad, gs.value_and_grad])
def test_gradients_of_stores_into_shared_arguments_are_refused(argnums, transform):
    slope = transform(store, argnums=argnums)
    expected = slope(*apart())
    a, b = one_array()
    with pytest.raises(gs.GradsmithError, match="shares memory"):
        slope(a, b)
    with pytest.raises(gs.GradsmithError, match="shares memory"):
        slope(*shifted())
    np.testing.assert_equal(slope(*apart()), expected)
    np.testing.assert_array_equal(a, fresh())
    slope = transform(read_before, argnums=argnums)
    seed = {"grad_outputs": np.ones(6)}
    np.testing.assert_equal(slope(*one_array(), **seed), slope(*apart(), **seed))


def test_a_jvp_of_a_store_into_shared_arguments_is_refused():
    a = fresh()
    assert gs.jvp(store, apart(), apart())[0] == store(*apart())
    with pytest.raises(gs.GradsmithError, match="shares memory"):
        gs.jvp(store, (a, a), (a, a))


def through_a_view_of_a_captured(x, y):
    part = CAPTURED[1:]
    part *= 2.0
    return x + y


def reads_a_captured_after_a_store(x, y):
    x[1] = 30.0
    return y * CAPTURED


@pytest.mark.filterwarnings("ignore::gradsmith.GradsmithWarning")
@pytest.mark.parametrize(
    "fun", [*STORES, through_a_view_of_a_captured, reads_a_captured_after_a_store]
)
def test_derivatives_where_an_argument_is_an_array_from_outside(fun):
    def total(x, y):
        found = fun(x, y)
        return sum(np.sum(v) for v in (found if isinstance(found, tuple) else (found,)))

    both = gs.value_and_grad(total)
    refused = []
    for call in (apart, captured, view_of_captured, apart, captured):
        CAPTURED[:] = fresh()
        expected = total(*call())
        CAPTURED[:] = fresh()
        args = call()
        forward = functools.partial(gs.jvp, total, args, apart())
        for value in (lambda: both(*args)[0], lambda: forward()[0]):  # noqa: B023
            try:
                assert value() == pytest.approx(expected, rel=1e-14)
            except gs.GradsmithError as error:
                assert "shares memory" in str(error)  # noqa: PT017
                refused.append(call)
        np.testing.assert_array_equal(CAPTURED, fresh())
        np.testing.assert_array_equal(args[0], call()[0])
    assert apart not in refused


@each(
    "fun",
    [
        lambda x, y: 1.0 if x is y else 2.0,
        lambda x, y: x * 1 if x is not y else y * 2,
        lambda x, y: 1.0 if None is not x is y else 2.0,
        lambda x, y: 1.0 if any(v is y for v in (x,)) else 2.0,
        lambda x, y: np.sum(x) if x is None else np.sum(y),
    ],
)
def test_is(fun):
    compiled = gs.compile(fun)
    for call in (apart, one_array, equal_views, apart):
        np.testing.assert_array_equal(compiled(*call()), fun(*call()))
    slopes = gs.grad(lambda x, y: np.sum(fun(x, y) * x), argnums=(0, 1))
    for call in (one_array, apart):
        expected = 2 * np.sum(slopes(*call())[0] * 0 + 1)
        assert expected == 12


# --- trees


def in_a_dict(p):
    p["a"][0] = 7.0
    return p["b"] * p["a"]


def variadic(*xs):
    xs[0][0] = 7.0
    return xs[1] * xs[2]


def twice(a):
    return {"a": a, "b": a}


@pytest.mark.parametrize(
    ("fun", "calls"),
    [
        (in_a_dict, [lambda: (twice(fresh()),), lambda: ({"a": fresh(), "b": fresh()},)]),
        (variadic, [lambda: (fresh(),) * 3, lambda: (fresh(), fresh(), fresh())]),
        (variadic, [lambda: (*one_array(), fresh()), lambda: (fresh(), *one_array())]),
    ],
)
def test_arrays_in_trees(fun, calls):
    compiled = gs.compile(fun)
    for call in calls + calls[::-1]:
        np.testing.assert_array_equal(compiled(*call()), fun(*call()))


def sets_an_item(p, q):
    p[0] = 5.0
    return p[0] * q[0]


def appends(p, q):
    p.append(5.0)
    return sum(q)


def in_rows(p, q):
    for row in (p, q):
        row[0] = row[0] * 2.0
    return p[0] + q[0]


def tells_apart(p, q):
    return p[0] * (1.0 if p is q else 2.0)


def only_reads(p, q):
    return p[0] * q[1]


def lists():
    return [1.0, 2.0], [1.0, 2.0]


def one_list():
    p = [1.0, 2.0]
    return p, p


@each("fun", [sets_an_item, appends, in_rows, tells_apart, only_reads])
def test_containers_that_are_passed_twice(fun):
    compiled = gs.compile(fun)
    slope = gs.grad(fun)
    for call in (lists, one_list, lists, one_list):
        expected = fun(*call())
        if call is one_list and fun not in (tells_apart, only_reads):
            for function in (compiled, slope):
                with pytest.raises(gs.GradsmithError, match="p and q are one object"):
                    function(*call())
            continue
        assert compiled(*call()) == expected
        assert len(slope(*call())) == 2


FOUND, INNER = [1.0], [0.5]
HOLDER = {"inner": INNER}


def writes_by_both_names(x, acc=FOUND):
    FOUND.append(x)
    acc[0] = 3.0 * x
    return FOUND[0] + len(acc), acc is FOUND


def writes_in_branch_and_loop(x, acc=FOUND):
    if x > 1:
        acc.append(x)
    for _ in range(2):
        FOUND[0] += x * acc[-1]
    return sum(FOUND), len(acc)


def writes_what_another_container_holds(x, acc=INNER):
    HOLDER["inner"].append(x)
    return sum(acc), HOLDER["inner"] is acc


def reads_its_own_default(x, acc=[]):  # noqa: B006
    acc.append(x)
    return sum(reads_its_own_default.__defaults__[0])


OUTSIDE = [FOUND, INNER, reads_its_own_default.__defaults__[0]]
FIRST = copy.deepcopy(OUTSIDE)


def reset_outside():
    for container, first in zip(OUTSIDE, FIRST, strict=True):
        container[:] = first


@each(
    "fun",
    [
        writes_by_both_names,
        writes_in_branch_and_loop,
        writes_what_another_container_holds,
        reads_its_own_default,
    ],
)
def test_arguments_that_the_function_finds_outside_as_well(fun):
    compiled = gs.compile(fun)
    default = fun.__defaults__[0]
    for given in ((), ([7.0],), (default,), ()):
        found = []
        for function in (fun, compiled):
            reset_outside()
            own = copy.deepcopy(given) if given and given[0] is not default else given
            found.append((function(2.0, *own), own, copy.deepcopy(OUTSIDE)))
        assert found[0] == found[1]
    reset_outside()


MEMBERS = {1}


def test_a_set_that_the_function_finds_outside_as_well():
    def fun(x, members=MEMBERS):
        MEMBERS.add(2)
        return len(members) * x, members is MEMBERS

    compiled = gs.compile(fun)
    for given in ((), ({1, 3},), (MEMBERS,)):
        found = []
        for function in (fun, compiled):
            MEMBERS.discard(2)
            found.append((function(2.0, *given), set(MEMBERS)))
        assert found[0] == found[1]


@pytest.mark.parametrize("fun", [writes_by_both_names, writes_in_branch_and_loop])
def test_derivatives_refuse_to_change_arguments_that_are_found_outside(fun):
    with pytest.raises(gs.GradsmithError, match="finds outside as well, and changes"):
        gs.grad(lambda x, acc: fun(x, acc)[0])(2.0, FOUND)


def test_nothing_is_checked_where_nothing_is_written():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = gs.compile(lambda x, y: x * y)
        compiled(*one_array())
    assert compiled.compiled[0].specialisation(*apart()).memory is None
