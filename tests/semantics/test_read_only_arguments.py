"""Writes to read-only arguments, whose error a ``try`` handles."""

import warnings

import numpy as np

import gradsmith as gs
from control.one_object import function_of
from helpers import each
from programs.harness import same_bits


def argument(*, writable):
    made = np.array([1.0, 7.0, 3.0])
    made.flags.writeable = writable
    return made


HANDLER = "except ValueError:\n    return -1.0\n"


@each(
    "body",
    [
        "try:\n    x[0] += 1\nexcept ValueError as error:\n    return str(error)\nreturn x",
        "try:\n    x += 1\nexcept ValueError as error:\n    return str(error)\nreturn x",
        "try:\n    x.sort()\nexcept ValueError:\n    return 'read-only'\nreturn x",
        "try:\n    np.add(x, 1, out=x)\nexcept ValueError:\n    return 'read-only'\nreturn x",
        f"try:\n    if x[1] > 5:\n        x[1:][0] = 2\n{HANDLER}return x",
        "x[0] = 5.0\nreturn x",
    ],
)
def test_read_only_arguments(body):
    function = function_of(body)
    for order in ((True, False, True), (False, True, False)):
        compiled = gs.compile(function)
        for writable in order:
            mine, theirs = argument(writable=writable), argument(writable=writable)
            expected, actual = call(function, theirs), call(compiled, mine)
            assert actual[:2] == expected[:2] if expected[0] == "error" else actual[0] == "value"
            if expected[0] == "value":
                same_bits(actual[1], expected[1])
            np.testing.assert_array_equal(mine, theirs)


def call(function, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return "value", function(x)
        except Exception as error:
            kinds = [kind for kind in type(error).__mro__ if kind.__module__ == "builtins"]
            return "error", kinds[0]
