"""One compiled object that is called with arguments of several kinds, next to plain Python."""

from __future__ import annotations

import warnings

import numpy as np

import gradsmith as gs
from control.harness import along, direction_for, is_differentiable, near, only, slope
from frontend.recording import written
from programs.harness import copied, same_bits


def function_of(body, parameters="x", **variables):
    """A function of a body, or of the expression that it returns."""
    text = body if "\n" in body or "return " in body else f"return {body}"
    lines = "".join(f"    {line}\n" for line in text.strip("\n").split("\n"))
    return written(f"def f({parameters}):\n{lines}", np=np, **variables)


def outcome(function, arguments):
    """What a call gives: a value, or the class and the first line of an error."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return "value", function(*copied(arguments))
        except Exception as error:
            kinds = [kind for kind in type(error).__mro__ if kind.__module__ == "builtins"]
            return "error", kinds[0], getattr(error, "message", str(error))


def check_calls(function, *calls, exact=True, messages=True):
    """Values to the bit, errors by class and message, gradients by differences: at each call.

    The calls go through one object in this order; another one begins with the last call.
    """
    for sets in (calls, (calls[-1], calls[0])):
        compiled, gradient = gs.compile(function), gs.grad(function)
        for arguments in sets:
            expected, actual = outcome(function, arguments), outcome(compiled, arguments)
            assert actual[0] == expected[0], (arguments, actual, expected)
            if expected[0] == "error":
                assert actual[1] is expected[1], (arguments, actual, expected)
                assert not messages or actual[2] == expected[2]
                continue
            if exact:
                same_bits(actual[1], expected[1])
            else:
                np.testing.assert_allclose(actual[1], expected[1], rtol=1e-14)
            if sets is calls and is_differentiable(arguments[0]):
                check_gradient(function, gradient, arguments, expected[1])


def check_gradient(function, gradient, arguments, value):
    """The gradient by the first argument, where the result is one number."""
    if not (isinstance(value, (float, np.floating)) and np.isfinite(value)):
        return
    given, (kind, found, *_) = copied(arguments), outcome(gradient, arguments)
    assert kind == "value", (arguments, found)
    direction = direction_for(arguments[0], np.random.default_rng(1))
    moves = only(0, direction, arguments)
    expected = slope(function, arguments, moves, 1.0, 1e-4)
    assert near([along(direction, found), 1.0], [expected, 1.0], 1e-6), (arguments, found)
    same_bits(arguments, given)
