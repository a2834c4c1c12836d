"""What a user sees of an error: their own lines and calls, and not the compiler's frames."""

from __future__ import annotations

import traceback
from pathlib import Path

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

PACKAGE = str(Path(gs.__file__).parent)
X = np.array([1.0, 2.0, 3.0])


def refused(x):
    return np.sum(np.busday_count(x, x))


def through_a_helper(x):
    def inner(y):
        return refused(y)

    return inner(x) * 2


def raises(x):
    if x.shape[0] == 3:
        raise KeyError("of the user's")
    return np.sum(x)


def raises_while_running(x):
    if x[0] > 0:
        raise ValueError("of the user's")
    return np.sum(x**3)


def wrong_shapes(x):
    return np.sum(x @ np.ones((2, 2)))


def needs_a_seed(x):
    return x * 2


FUNCTIONS = [
    refused,
    through_a_helper,
    raises,
    raises_while_running,
    wrong_shapes,
    needs_a_seed,
]
CALLS = {
    "gs.grad": lambda f: gs.grad(f)(X),
    "f.grad": lambda f: gs.differentiable(f).grad(X),
    "f.grad, inputs": lambda f: gs.differentiable(f).grad(X, inputs="x"),
    "gs.value_and_grad": lambda f: gs.value_and_grad(f)(X),
    "gs.grad twice": lambda f: gs.grad(lambda x: np.sum(gs.grad(f)(x)))(X),
}


def caught(call, function):
    try:
        call(function)
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def own_frames(error):
    entries = traceback.extract_tb(error.__traceback__)
    return [entry for entry in entries if entry.filename.startswith(PACKAGE)]


@each("call", CALLS)
@each("function", FUNCTIONS)
def test_the_compilers_frames_are_hidden(call, function):
    error = caught(CALLS[call], function)
    assert len(own_frames(error)) <= 2  # the public functions that were called
    assert all(entry.name == "__call__" for entry in own_frames(error))
    files = [entry.filename for entry in traceback.extract_tb(error.__traceback__)]
    assert function is needs_a_seed or any(
        file == __file__ or file.startswith("<gradsmith") for file in files[2:]
    )


def test_a_switch_shows_them(monkeypatch):
    monkeypatch.setenv("GRADSMITH_TRACEBACK", "full")
    assert len(own_frames(caught(CALLS["gs.grad"], refused))) > 5


def test_the_users_error_stays_what_it_is():
    error = caught(CALLS["gs.grad"], raises)
    assert type(error) is KeyError
    assert error.args == ("of the user's",)
    *_, last = traceback.extract_tb(error.__traceback__)
    assert last.line == 'raise KeyError("of the user\'s")'


# --- names as users write them

integrate = pytest.importorskip("scipy.integrate")
optimize = pytest.importorskip("scipy.optimize")
special = pytest.importorskip("scipy.special")


def by_integration(x):
    solved = integrate.solve_ivp(lambda t, y: -y * x[0], (0, 1), np.ones(2), method="LSODA")
    return np.sum(solved.y)


def by_minimisation(x):
    return np.sum(optimize.minimize(lambda y: np.sum((y - x) ** 2), x, method="COBYLA").x)


def by_a_ufunc(x):
    return np.sum(special.pdtrik(x, 2.0))


def by_a_method_of_a_ufunc(x):
    return np.sum(special.pdtrik.outer(x, X))


NAMES = {
    by_integration: "scipy.integrate.solve_ivp",
    by_minimisation: "scipy.optimize.minimize",
    by_a_ufunc: "scipy.special.pdtrik",
    by_a_method_of_a_ufunc: "scipy.special.pdtrik.outer",
}


@each("function", NAMES)
def test_a_library_is_named_by_the_users_call(function):
    error = caught(CALLS["gs.grad"], function)
    assert isinstance(error, gs.GradsmithError)
    assert NAMES[function] in error.message
    assert error.span.file == __file__
    assert error.span.function == function.__name__
