"""What a process has once: functions set it in each call, what a library holds is left alone."""

import decimal
import gc
import math
import os
import sys
import warnings

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

X = np.array([1.0, 2.0])


def set_print_options(x):
    np.set_printoptions(precision=3)
    return x * 2


def set_recursion_limit(x):
    sys.setrecursionlimit(sys.getrecursionlimit() + int(x[0]))
    return x * 2


def disable_collection(x):
    gc.disable()
    return x * 2


def filter_warnings(x):
    warnings.simplefilter("ignore")
    return x * 2


SETTINGS = [
    (
        set_print_options,
        lambda: np.get_printoptions()["precision"],
        lambda old: np.set_printoptions(precision=old),
    ),
    (set_recursion_limit, sys.getrecursionlimit, sys.setrecursionlimit),
    (disable_collection, gc.isenabled, lambda old: gc.enable() if old else gc.disable()),
    (
        filter_warnings,
        lambda: list(warnings.filters),
        lambda old: warnings.filters.__setitem__(slice(None), old),
    ),
]


@pytest.mark.parametrize(
    ("function", "ask", "restore"), SETTINGS, ids=[s[0].__name__ for s in SETTINGS]
)
def test_functions_set_it_in_each_call(function, ask, restore):
    with warnings.catch_warnings():
        before, compiled = ask(), gs.compile(function)
        try:
            function(X)
            expected = ask()
            for _ in range(3):
                restore(before)
                compiled(X)
                assert ask() == expected != before
        finally:
            restore(before)


def change_context(x):
    decimal.getcontext().prec = 10
    return x * 2


def append_to_path(x):
    sys.path.append("nowhere")
    return x * 2


def set_variable_of_environment(x):
    os.environ["GRADSMITH_TEST"] = "1"
    return x * 2


def set_attribute_of_module(x):
    math.nothing = 5
    return x * 2


def update_environment(x):
    os.environ.update({"GRADSMITH_TEST": "1"})
    return x * 2


@each(
    "function",
    [
        change_context,
        append_to_path,
        set_variable_of_environment,
        update_environment,
        set_attribute_of_module,
    ],
)
def test_changes_of_what_a_library_holds_are_refused(function):
    before = decimal.getcontext().prec, list(sys.path), dict(os.environ), vars(math).copy()
    with pytest.raises(gs.GradsmithError, match="belongs to a library: the whole process has one"):
        gs.compile(function)(X)
    assert before == (decimal.getcontext().prec, sys.path, os.environ, vars(math))


def test_contexts_of_the_functions_own():
    def third(x):
        with decimal.localcontext() as context:
            context.prec = 5
            return x * float(decimal.Decimal(1) / decimal.Decimal(3))

    assert np.array_equal(gs.compile(third)(X), third(X))
