"""``def``, ``class`` and ``import`` of a global or nonlocal name: as an assignment of it."""

# Functions are written here as users write them.
# ruff: noqa: PLW0603

from __future__ import annotations

import math
import sys

import pytest

import gradsmith as gs

module = math


def helper(v):
    return v * 2


class Kind:
    v = 1


HELPER, KIND = helper, Kind


def a_function(x):
    global helper
    old = helper
    if x > 1:

        def helper(v):
            return v * 100

    result = helper(x)
    helper = old
    return result


def a_class(x):
    global Kind
    old = Kind
    if x > 1:

        class Kind:
            v = x * 5

    result = Kind.v + Kind().v
    Kind = old
    return result


def a_module(x):
    global module
    old = module
    if x > 1:
        import cmath as module
    result = module.__name__, module.sqrt(4.0)
    module = old
    return result, x


def part_of_a_module(x):
    global module
    if x > 1:
        from cmath import sqrt as module
    result = x * 2
    module = math
    return result


def in_a_loop(x):
    global helper
    old = helper
    while x > 3:

        def helper(v):
            return v * 7

        x -= 1
    result = helper(x)
    helper = old
    return result


def not_put_back(x):
    global helper
    if x > 100:

        def helper(v):
            return v * 100

    return helper(x)


def put_back_after_an_error(x):
    global helper
    old = helper

    def helper(v):
        return v * x

    try:
        return helper(3.0) + math.sqrt(x)
    finally:
        helper = old


def of_an_enclosing_function(x):
    def inner(v):
        return v + 1

    def change():
        nonlocal inner
        if x > 1:

            def inner(v):
                return v * 50

    change()
    return inner(x)


FUNCTIONS = [
    *(a_function, a_class, a_module, part_of_a_module, in_a_loop, not_put_back),
    *(put_back_after_an_error, of_an_enclosing_function),
]


def _outcome(function, x):
    try:
        return repr(function(x))
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_as_assignments(function):
    compiled, here = gs.compile(function), sys.modules[__name__]
    for x in (1, 2.5, 0.5, 4.5, -1.0, 3):
        assert _outcome(compiled, x) == _outcome(function, x)
        assert (here.helper, here.Kind, here.module) == (HELPER, KIND, math)


def test_texts_are_not_callable():
    def f(x):
        text = str(x)
        return callable(text), callable(f"{x}"), callable(text.upper()), callable(x), callable(f)

    assert gs.compile(f)(1.5) == f(1.5)
