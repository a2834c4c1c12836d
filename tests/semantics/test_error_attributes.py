"""What Python notes in errors besides their text: names, objects, axes. Handlers read it."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of

SETS = [(np.array(v),) for v in ([1.0, 2.5, -3.25], [0.5, 12.5], [1.5, 0.25, 33.25])]


class Plain:
    """An object without attributes."""


class Number(float):
    """A number that may have attributes."""


@pytest.mark.parametrize(
    ("statement", "read"),
    [
        ("x.foo", "error.name, error.obj, error.args, str(error)"),
        ("x[0].foo()", "error.name, error.obj, str(error)"),
        ("x[:2].T.foo", "error.name, error.obj * 2, str(error)"),
        ("getattr(x, 'foo')", "error.name, str(error)"),
        ("len(x).foo", "error.name, error.obj, str(error)"),
        ("float(x[0]).foo", "error.name, error.obj, str(error)"),
        ("x.tolist().foo", "error.name, error.obj, str(error)"),
        ("Plain().foo", "error.name, type(error.obj).__name__, str(error)"),
        ("undefined", "error.name, error.args"),
        ("np.sum(x, axis=3)", "error.axis, error.ndim, str(error)"),
        ("x.sum(axis=3)", "error.axis, error.ndim, type(error).__name__"),
        ("{'a': 1}[f'{x[0]:.1f}']", "error.args, str(error)"),
    ],
)
def test_of_errors(statement, read):
    body = f"""
try:
    {statement}
except Exception as error:
    return {read}
"""
    check_calls(function_of(body, Plain=Plain), *SETS)


def unhandled(x):
    return x.foo


def test_no_stand_in_leaves_the_trace():
    x = np.array([1.0, 2.0])
    with pytest.raises(AttributeError, match="foo"):
        gs.compile(unhandled)(x)


def test_attributes_of_numbers_from_outside_are_refused():
    def f(x, number):
        try:
            number.tag = x[0]
        except AttributeError:
            return 0.0
        return number.tag

    with pytest.raises(gs.GradsmithError, match="the attribute 'tag' of number"):
        gs.compile(f)(np.array([1.0]), Number(2.0))


def test_numbers_of_a_class_of_their_own_are_operands():
    def f(x):
        number = Number(3.0)
        number.tag = x[0]
        return number.tag * number + np.sum(x * number)

    check_calls(f, *SETS)


def test_comparisons_with_strings():
    expressions = [
        "x[0] == 'a', 'a' == x[0], x[0] != b'a', x[0] == None, x[0] == {}",
        "(x[0] == 'a') is np.False_, (x[0] > 1) == 'a', x.argmax() == 'a'",
        "float(x[0]) == 'a', len(x) == 'a', [v != 'a' for v in x], x == 'a', x != 'a'",
        "x.max() == f'{x[0]:.1f}', f'{x[0]:.1f}' == x[0], x[0] != f'{x[0]}', x == str(x)",
        "x.reshape(-1)[:1].reshape(()) == 'a', x[:1].reshape(()) != None",
    ]
    for expression in expressions:
        check_calls(function_of(expression), *SETS)


def none_on_one_path(x):
    o = Plain()
    if x[0] > 1.2:
        o.b = None
    else:
        o.d = None
    return hasattr(o, "b"), getattr(o, "d", 3), hasattr(o, "d")


def none_in_a_loop(x):
    o = Plain()
    o.a = None
    for v in x:
        if v > 3:
            o.b = o.a
    return hasattr(o, "b"), getattr(o, "b", 7)


def none_or_an_error(x):
    o = Plain()
    if x[0] > 1.2:
        o.b = None
    try:
        return o.b
    except AttributeError as error:
        return error.name


@pytest.mark.parametrize("function", [none_on_one_path, none_in_a_loop, none_or_an_error])
def test_attributes_that_are_none(function):
    check_calls(function, *SETS)
