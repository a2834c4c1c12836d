"""Global and nonlocal variables that a function deletes."""

from __future__ import annotations

import pytest

import gradsmith as gs
from helpers import each

# Programs as users write them.
# ruff: noqa: PLW0603, F841

NAMES = ("NEW", "OLD")


def put_back():
    globals().pop("NEW", None)
    globals()["OLD"] = 2.0


def made_and_deleted(x):
    global NEW
    NEW = x
    doubled = NEW * 2
    del NEW
    return doubled, "NEW" in globals()


def made_and_deleted_on_one_path(x):
    global NEW
    NEW = x
    if x > 1:
        del NEW
    try:
        return NEW
    except NameError as error:
        return str(error)


def deleted(x):
    global OLD
    del OLD
    return x


def deleted_on_one_path(x):
    global OLD
    if x > 1:
        del OLD
    return x


def written_and_deleted_on_one_path(x):
    global OLD
    OLD = OLD * x
    if x > 1:
        del OLD
    return x


def deleted_and_made_again(x):
    global OLD
    product = OLD * x
    del OLD
    OLD = product
    return product


def deleted_twice(x):
    global OLD
    del OLD
    try:
        del OLD
    except NameError as error:
        return str(error), x
    return x


def deleted_in_a_loop(x):
    global NEW
    for k in range(3):
        NEW = x * k
        if k == 2:
            del NEW
    return "NEW" in globals()


def deleted_at_last(x):
    global NEW
    NEW = x
    try:
        return globals()["NEW"] * globals().get("NEW", 3.0)
    finally:
        del NEW


def of_a_function_around(x):
    def delete():
        nonlocal value
        del value

    value = x
    delete()
    try:
        return value
    except NameError:
        return 5.0 * x


CASES = [
    *(made_and_deleted, made_and_deleted_on_one_path, deleted, deleted_on_one_path),
    *(written_and_deleted_on_one_path, deleted_and_made_again, deleted_twice),
    *(deleted_in_a_loop, deleted_at_last, of_a_function_around),
]


def outcome(function, x):
    put_back()
    return repr(function(x)), {name: globals().get(name) for name in NAMES}


@each("function", CASES)
def test_they_are_gone_where_python_deletes_them(function):
    compiled = gs.compile(function)
    for x in (0.5, 2.0, 0.5):
        assert outcome(compiled, x) == outcome(function, x)


@pytest.mark.filterwarnings("ignore::gradsmith.GradsmithWarning")
@pytest.mark.parametrize("function", [deleted, written_and_deleted_on_one_path])
def test_derivatives_delete_nothing(function):
    put_back()
    assert gs.grad(function)(2.0) == 1.0
    assert globals()["OLD"] == 2.0


def test_variables_of_a_function_outside():
    def counting():
        value = 1.0

        def function(x):
            nonlocal value
            product = value * x
            del value
            try:
                return value
            except NameError:
                value = product
                return product

        return function, lambda: value

    (function, held), (other, held_by_other) = counting(), counting()
    compiled = gs.compile(other)
    for x in (0.5, 2.0, 3.0):
        assert compiled(x) == function(x)
        assert held_by_other() == held()
