"""Variables that some ways through a function do not set: Python's error where they are used.

The referee is the function itself, run by Python: what it raises, and its finite differences.
"""

# Functions are written here as users write them, not as a linter would have them.
# ruff: noqa: F821, F841, RET503, RET504, SIM108

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each
from semantics.numbers import check, differences

X = np.array([0.5, -1.25, 2.0, 0.7, 1.1])
EMPTY = X[:0]


def if_without_else(x):
    if x[0] > 0:
        y = x * 2
    return np.sum(y * y)


def nested_ifs(x):
    if x[0] > 0:
        if x[1] > 0:
            y = x * x
    else:
        y = -x
    return np.sum(y * x)


def chain(x):
    if x[0] > 1:
        y = x * x
    elif x[0] > 0.3:
        y = np.sin(x)
    elif x[0] > 0:
        z = x
    return np.sum(y)


def used_on_one_way(x):
    if x[0] > 0:
        y = x * x
    if x[1] > 0:
        return np.sum(y)
    return x[0] * x[0]


def early_return(x):
    if x[0] < 0:
        return x[1] * x[1]
    if x[1] > 0:
        y = x[0]
    return y


def loop_variable(x):
    for i, v in enumerate(x):
        s = v * i
    return s * s + i


def while_of_no_trips(x):
    while np.max(x) > 0.8:
        y = x * x
        x = x / 2
    return np.sum(y)


def break_before_it_is_set(x):
    for i in range(len(x)):
        if x[i] < 0:
            break
        y = x[i] * x[i]
    return y * x[0]


def continue_before_it_is_set(x):
    for i in range(len(x)):
        if x[i] < 1:
            continue
        y = x[i] * x[i]
    return y * x[0]


def set_in_the_first_trip(x):
    for i in range(len(x)):
        if i == 0:
            s = x[0]
        else:
            s = s * 0.5 + x[i]
    return s * s


def set_by_a_flag(x):
    first = True
    for v in x:
        if first:
            s = v
            first = False
        else:
            s = s * 0.5 + v * v
    return s


def set_too_late(x):
    for i in range(len(x)):
        if i == 1:
            s = x[0]
        else:
            s = s * x[i]
    return s * s


def set_where_a_value_says_so(x):
    for i in range(len(x)):
        if x[i] > 0.4:
            s = x[0]
        else:
            s = s * x[i]
    return s * s


def inner_loop_of_no_trips(x):
    s = 0.0
    for i in range(len(x)):
        for j in range(i):
            t = x[i] * x[j]
        if x[i] > 0.6 or i > 0:
            s = s + t
    return s


def returns_before_it_is_set(x):
    for i in range(len(x)):
        if x[i] > 1.5:
            return y * x[i]
        if x[i] > 0:
            y = x[i] * x[0]
    return y


def helper(x):
    if x[0] > 0:
        h = x[1] * x[0]
    return h


def in_a_helper(x):
    y = x[1] * x[1]
    if x[2] > 0:
        y = helper(x)
    return y


def deleted(x):
    y = x * x
    if x[0] < 0:
        del y
    return np.sum(y)


def deleted_in_a_loop(x):
    y = x[0]
    for i in range(len(x)):
        if x[i] < -1:
            del y
        else:
            y = y * x[i]
    return y


def unpacked(x):
    if x[0] > 0:
        a, (b, *c) = x[0], (x[1] * x[1], x[2])
    return a * b * c[0]


def containers(x):
    if x[0] > 0:
        d = {"a": x[0] * x[0], "b": [x[1], x[2]]}
    return d["a"] * d["b"][0]


def text(x):
    if x[0] > 0:
        mode = "square"
    return x[1] ** 2 if mode == "square" else x[1]


def size(x):
    if x[0] > 0:
        k = 3
    return np.sum(x[:k] ** 2)


def augmented(x):
    if x[0] > 0:
        y = x[1]
    y += x[2]
    return y * y


def in_an_expression(x):
    if x[0] > 0:
        y = x[1]
    return x[0] * x[0] if x[1] < 0 else y


def written_to(x):
    if x[0] > 0:
        y = x
    y[0] = x[1] * x[1]
    return np.sum(x * y)


def in_a_function_inside(x):
    if x[0] > 0:
        y = x[1]

    def scaled(z):
        return z * y

    return scaled(x[2])


def in_a_checkpoint(x):
    if x[0] > 0:
        y = x * x

    def block(v):
        return np.sum(y * v)

    return gs.checkpoint(block)(x)


def state_in_a_dict(x):
    for i in range(len(x)):
        if i == 0:
            s = {"m": x[0]}
        else:
            s["m"] = s["m"] * x[i]
    return s["m"]


def with_a_default(x):
    with np.errstate(all="ignore"):
        if x[0] > 0:
            y = x[1] * x[0]

    def scaled(z, by=y):
        return z * by

    return scaled(x[2])


UNSET = [
    *(if_without_else, nested_ifs, chain, used_on_one_way, early_return, loop_variable),
    *(while_of_no_trips, break_before_it_is_set, continue_before_it_is_set),
    *(set_in_the_first_trip, set_by_a_flag, set_too_late, set_where_a_value_says_so),
    *(inner_loop_of_no_trips, returns_before_it_is_set, in_a_helper, deleted),
    *(deleted_in_a_loop, unpacked, containers, text, size, augmented, in_an_expression),
    *(written_to, in_a_function_inside, in_a_checkpoint, state_in_a_dict, with_a_default),
]
POINTS = [X, -X, 0.2 * X, X[::-1].copy(), 3.1 * X, np.array([-0.5, 1.25, 2.0, 0.7, -1.1])]


def raised(function, x):
    """What the function raises, in the words of this version of Python."""
    try:
        function(x.copy())
    except NameError as error:
        return type(error), str(error)
    return None


@pytest.mark.parametrize("function", UNSET, ids=lambda f: f.__name__)
@each("order", [1, -1])
def test_python_decides(function, order):
    compiled, gradient = gs.compile(function), gs.grad(function)
    second = gs.grad(lambda x: np.sum(gs.grad(function)(x) ** 2))
    for x in POINTS[::order]:
        expected = raised(function, x)
        if expected is None:
            assert compiled(x.copy()) == function(x.copy())
            np.testing.assert_allclose(gradient(x), differences(function, x), atol=1e-6)
            square = differences(lambda v: np.sum(gradient(v) ** 2), x)
            np.testing.assert_allclose(second(x), square, atol=1e-4)
        else:
            for run in (compiled, gradient, second):
                assert raised(run, x.copy()) == expected


def test_every_function_here_raises_somewhere_or_is_always_set():
    set_always = {set_in_the_first_trip, set_by_a_flag, state_in_a_dict, loop_variable}
    for function in UNSET:
        raises = any(raised(function, x) for x in POINTS)
        assert raises is (function not in set_always), function.__name__


@pytest.mark.parametrize("function", [loop_variable, set_in_the_first_trip, set_by_a_flag])
def test_arrays_without_elements(function):
    compiled = gs.compile(function)
    assert compiled(X) == function(X)
    assert raised(compiled, EMPTY) == raised(function, EMPTY) is not None
    assert compiled(X[:1]) == function(X[:1])


@each("n", [5, 0, 1, 3])
def test_a_number_of_trips(n):
    def last(x, n):
        for i in range(n):
            found = x[i] * x[i]
        return found

    compiled = gs.compile(last)
    assert compiled(X, 4) == last(X, 4)
    assert raised(lambda x: compiled(x, n), X) == raised(lambda x: last(x, n), X)
    if n:
        check(last, X, n)


@pytest.mark.parametrize("function", [set_in_the_first_trip, set_by_a_flag, state_in_a_dict])
def test_no_check_where_it_is_always_set(function):
    assert "Unbound" not in gs.grad(function).source(X)
    assert "Unbound" not in gs.compile(function).source(X)


def test_no_check_where_the_condition_is_the_same():
    def f(x):
        if x[0] > 0:
            b = x[1] * 2
        z = x[2] * x[2]
        if x[0] > 0:
            z = z + b * b
        return z

    def g(x):
        for v in x:
            if v > 1:
                found = v
                break
        else:
            found = x[0]
        return found * found

    for function in (f, g):
        check(function, X)
        check(function, -X)
        source = gs.grad(function).source(X)
        assert "Unbound" not in source
        assert "has_" not in source


def test_one_check_is_enough():
    def f(x):
        if x[0] > 0:
            y = x * x
        s = np.sum(y)
        for i in range(len(x)):
            s = s + y[i] * x[i]
        return s + y[0]

    check(f, X)
    assert gs.compile(f).source(X).count("Unbound") == 1


def test_a_way_that_raises_another_error():
    def f(x):
        if x[0] > 0:
            y = x * x
        else:
            raise ValueError("no")
        return np.sum(y)

    check(f, X)
    assert "Unbound" not in gs.compile(f).source(X)
    with pytest.raises(ValueError, match="no"):
        gs.grad(f)(-X)


def test_what_is_never_used_is_nobodys_concern():
    def f(x):
        total = 0.0
        for v in x:
            if v > 0:
                w = v * v
                total = total + w
        return total

    assert "has_" not in gs.compile(f).source(X)
    assert gs.compile(f)(X) == f(X)


def test_a_try_may_handle_it():
    def f(x):
        if x[0] > 0:
            y = x[1]
        try:
            return y
        except NameError:
            return x[0]

    compiled = gs.compile(f)
    for x in (X, -X, X):
        assert compiled(x) == f(x)


def test_shapes_that_differ_on_two_paths():
    def f(x):
        if x[0] > 0:
            y = x * x
        elif x[1] > 0:
            y = x[1:]
        return np.sum(y)

    compiled = gs.compile(f)
    for x in (X, np.abs(X), -np.abs(X)):
        assert outcome(compiled, x) == outcome(f, x)


def outcome(f, x):
    try:
        return f(x)
    except NameError as error:
        return str(error)


def test_a_class_inside_is_refused():
    def f(x):
        if x[0] > 0:
            y = x[1]

        class C:
            z = y * 2

        return C.z

    with pytest.raises(gs.GradsmithError, match="'y'"):
        gs.compile(f)(X)


def test_errors_of_a_body_come_after_the_test_of_the_loop():
    def f(x):
        m = x[0] * x[0]
        while m < 2:
            m = m * 2 + 0.3
            if x[1] > 0:
                raise ValueError("in the trip")
        return m

    def g(x):
        m = x[0] * x[0]
        while m < 2:
            m = m * 2 + 0.3
            if x[1] > 0:
                m = m + late
        late = m
        return late

    check(f, X)
    for function in (f, g):
        x = np.array([2.0, 1.0])
        assert gs.compile(function)(x) == function(x)
    with pytest.raises(ValueError, match="in the trip"):
        gs.grad(f)(-X)
    assert raised(gs.compile(g), -X) == raised(g, -X) is not None


def test_which_of_two_errors_comes_first():
    def f(x):
        if x[1] > 0.5:
            d = a
        return d
        a = 1

    compiled = gs.compile(f)
    for x in (X, -X):
        with pytest.raises((UnboundLocalError, gs.GradsmithError)) as found:
            compiled(x)
        if isinstance(found.value, UnboundLocalError):
            assert raised(f, x) == (UnboundLocalError, str(found.value))


def deleted_by_a_function(x):
    z = x[0] * 2

    def clear():
        nonlocal z
        del z

    if x[1] > 0:
        clear()
    return z


def deleted_and_read_by_functions(x):
    z = x[0] * 2

    def clear():
        nonlocal z
        del z

    def read():
        try:
            return z * x[2]
        except NameError as error:
            return str(error)

    if x[1] > 0:
        clear()
    return read()


@pytest.mark.parametrize("function", [deleted_by_a_function, deleted_and_read_by_functions])
def test_functions_delete_variables_around_them(function):
    compiled = gs.compile(function)
    for x in (X, -X, X):
        assert _result_or_error(compiled, x) == _result_or_error(function, x)


def _result_or_error(function, x):
    try:
        return function(x)
    except NameError as error:
        return type(error), str(error)


SHOWN = {
    "one path": "if x[0] > 1:\n    u = 1.0\nreturn 'u' in dir(), sorted(locals())",
    "range": "for i in range(n):\n    u = x[0]\nreturn dir(), locals().get('u', -1.0)",
    "while": "i = 0\nwhile x[i] < 2:\n    u = i\n    i += 1\nreturn dir(), locals().get('u', -5)",
    "branch of a loop": "for v in x:\n    if v > 1:\n        u = v\nreturn len(dir()), x[0]",
    "counted": "u = 0\nif x[0] > 1:\n    del u\nreturn [k for k in dir() if k == 'u'], x[0]",
}


@pytest.mark.parametrize("name", SHOWN)
def test_dir_and_locals_show_variables_that_are_set(name):
    calls = [([1.0, 2.0, 3.0], 2), ([0.0, 0.1, 2.0], 0), ([3.0, 0.1, 2.0], 1), ([0.5, 2.0], 0)]
    check_calls(function_of(SHOWN[name], "x, n"), *((np.array(x), n) for x, n in calls))
