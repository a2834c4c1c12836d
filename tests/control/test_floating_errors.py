"""``np.errstate``, ``np.seterr`` and filters of warnings that make NumPy's errors exceptions.

Each function through one compiled object, with arguments that raise and such that do not.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from gradsmith.errors import UnsupportedError
from programs.harness import same_bits

CALLS = [
    np.array(values)
    for values in ([0.5, 1.2], [0.0, 1.0], [1e3, 2.0], [-1.0, 2.0], [0.3, 0.0, 2.2], [0.5, 1.2])
]


@np.errstate(divide="raise")
def inverse(a):
    return 1.0 / a


HANDLED = {
    "divide": """
        with np.errstate(divide='raise', invalid='raise'):
            try:
                return np.sum(1.0 / x)
            except FloatingPointError:
                return np.float64(0.0)""",
    "overflow": """
        with np.errstate(over='raise'):
            try:
                return np.exp(x) * 2
            except FloatingPointError:
                return x""",
    "not handled": """
        with np.errstate(all='raise'):
            return np.log(x)""",
    "seterr": """
        old = np.seterr(all='raise')
        try:
            return np.sqrt(x) / x
        except FloatingPointError as error:
            print(error)
            return x
        finally:
            np.seterr(**old)""",
    "not restored": """
        np.seterr(divide='raise')
        try:
            return 1.0 / x
        except FloatingPointError:
            return x""",
    "warnings": """
        with warnings.catch_warnings():
            warnings.simplefilter('error')
            try:
                y = np.log(x)
            except RuntimeWarning:
                y = np.zeros(len(x))
        return y""",
    "some warnings": """
        with warnings.catch_warnings():
            warnings.filterwarnings('error', category=RuntimeWarning)
            try:
                y = np.sqrt(x)
            except (RuntimeWarning, ValueError) as error:
                print(type(error).__name__, error)
                y = -x
        return y""",
    "in a loop": """
        t = 0.0
        with np.errstate(all='raise'):
            for v in x:
                try:
                    t += 1.0 / v
                except FloatingPointError as error:
                    print(error)
                    t -= 1.0
        return t""",
    "a decorator": """
        try:
            return inverse(x)
        except FloatingPointError:
            return x * 0""",
    "one in another": """
        with np.errstate(all='raise'):
            with np.errstate(divide='ignore', invalid='ignore'):
                y = np.log(x)
            try:
                z = np.log(x)
            except ArithmeticError:
                z = y * 0
        return np.nan_to_num(y, neginf=0.0) + z""",
    "in a branch": """
        with np.errstate(all='raise'):
            try:
                if x[0] > 0:
                    y = np.log(x)
                else:
                    y = np.sqrt(np.abs(x))
            except FloatingPointError:
                y = x * 3
        return y""",
    "Python's numbers in a branch": """
        a, b = float(x[0]), float(x[1])
        try:
            y = 1 / a if b > 0.5 else 1 / b
        except ZeroDivisionError:
            y = 7.0
        return y""",
}


def outcome(function, x):
    before = np.geterr()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(x.copy())
        except (ArithmeticError, RuntimeWarning) as error:
            return f"{type(error).__name__}: {error}"
        finally:
            np.seterr(**before)


@pytest.mark.parametrize("name", HANDLED)
def test_errors_are_raised_where_numpy_raises_them(name, capsys):
    body = "\n".join(line.removeprefix("        ") for line in HANDLED[name].split("\n"))
    f = function_of(body, warnings=warnings, inverse=inverse)
    compiled = gs.compile(f)
    for x in (*CALLS, *CALLS[::-1]):
        expected = outcome(f, x)
        told = capsys.readouterr().out
        actual = outcome(compiled, x)
        assert capsys.readouterr().out == told
        if isinstance(expected, str):
            assert actual == expected
        else:
            same_bits(actual, expected)


def test_warnings_of_the_compiler_go_by_the_filters_outside():
    def f(x):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            total = 0.0
            for k in range(60):
                try:
                    total += np.log(x[k % 2])
                except RuntimeWarning:
                    total -= 1.0
        return total

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert gs.compile(f)(np.array([1.0, -2.0])) == -30.0
    kinds = {warning.category for warning in found} - {RuntimeWarning}
    assert kinds == {gs.UnrolledLoopWarning}


def test_recorded_warnings_are_refused():
    def f(x):
        with warnings.catch_warnings(record=True) as found:
            y = np.sqrt(x)
        return y * len(found)

    with pytest.raises(UnsupportedError, match="given only while the code runs"):
        gs.compile(f)(np.ones(2))


def test_functions_that_numpy_calls_are_refused():
    def f(x):
        with np.errstate(all="call"):
            return np.sqrt(x)

    with pytest.raises(UnsupportedError, match="call a function"):
        gs.compile(f)(np.ones(2))


def test_numpys_functions_of_pythons_numbers_raise_as_numpys():
    def f(x):
        with np.errstate(invalid="raise", divide="raise"):
            try:
                return np.sqrt(x) + np.log(x)
            except FloatingPointError:
                return x * 0.0

    compiled, gradient = gs.compile(f), gs.grad(f)
    for x in (0.7, -3.0, 0.0, 2.0, np.float64(-2.0), np.float64(1.5)):
        assert repr(compiled(x)) == repr(f(x))
        assert gradient(x) == pytest.approx(0.5 / np.sqrt(x) + 1 / x if x > 0 else 0.0)


@pytest.mark.parametrize("operation", ["1 / x", "x // (x - 1)", "7 % x", "np.log(x)", "x / 0"])
def test_arrays_of_integers(operation):
    handler = "except FloatingPointError as error:\n        return str(error)"
    body = f"with np.errstate(all='raise'):\n    try:\n        return {operation}\n    {handler}"
    calls = [(np.array(x),) for x in ([2, 3], [0, 1], [3, 3], [1, 0])]
    check_calls(function_of(body), *calls)
