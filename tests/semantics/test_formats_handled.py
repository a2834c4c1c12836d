"""Errors of formats are raised where the text is made, so that handlers there see them."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls
from helpers import each


def of_arrays(x):
    found = []
    for write in (
        lambda: f"{x:.2f}",
        lambda: format(x, "d"),
        lambda: "{:>9}".format(x),  # noqa: UP032
        lambda: "%d" % x,  # noqa: UP031
        lambda: f"{x.sum():.1f}",
    ):
        try:
            found.append(write())
        except TypeError as error:
            found.append(str(error))
    return found


def of_numbers(x):
    found = []
    for spec in ("zz", "d", ".3f", "q"):
        for value in (x[0], len(x)):
            try:
                found.append(format(value, spec))
            except ValueError as error:
                found.append(str(error))
    return found


def in_a_loop(x):
    found = ""
    for e in x:
        try:
            found = f"{e:d}"
        except ValueError:
            found = f"{e:.2f}"
    return found


def by_the_class_that_a_branch_gives(x):
    v = 3 if x[0] > 1 else x[1]
    try:
        return f"{v:d}"
    except ValueError as error:
        return str(error)


FUNCTIONS = (of_arrays, of_numbers, in_a_loop, by_the_class_that_a_branch_gives)


@each("function", FUNCTIONS)
def test_handlers_see_what_python_raises(function):
    compiled = gs.compile(function)
    for x in (np.array([0.5, 1.5]), np.array([1.5, 2.5, 3.0])):
        assert repr(compiled(x)) == repr(function(x))


def test_a_path_that_is_taken_raises():
    compiled = gs.compile(lambda x: f"{x[0]:q}" if x[0] > 1 else "none")
    assert compiled(np.array([0.5])) == "none"
    with pytest.raises(ValueError, match="Unknown format code 'q' for object of type 'float'"):
        compiled(np.array([1.5]))


def test_precisions_below_zero():
    def f(x):
        digits = int(x) - 3
        return "%.*f" % (digits, 2.5), "%.*e|%.*s" % (digits, x, -2, "abc"), "%*d" % (digits, 3)  # noqa: UP031

    check_calls(f, (1.5,), (4.5,), (3.0,))
