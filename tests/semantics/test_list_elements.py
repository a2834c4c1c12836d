"""Elements of lists are objects: what writes to one is seen by all who hold it, and by no others.

The compiler may keep such a list as arrays with the elements as rows only where nobody can tell.
"""

from __future__ import annotations

import linecache
import sys
import types
import warnings

import numpy as np
import pytest

import gradsmith as gs
from semantics.list_elements import pieces, program

PIECES = pieces()
STEP = 1e-6
CALLS = ((1.25, 5), (1.75, 7), (0.5, 5))
"""Through one compiled object."""


def loaded(text, name):
    """The function ``f`` of a module with this text."""
    file = f"<list elements {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    module = types.ModuleType(f"list_elements_{name}")
    sys.modules[module.__name__] = module  # dataclasses look there
    exec(compile(text, file, "exec"), module.__dict__)
    return module.f


def check(function):
    """The value to the bit, and the gradient against differences."""
    compiled = gs.value_and_grad(function)
    for x, n in CALLS:
        value, gradient = compiled(x, n)
        slope = (function(x + STEP, n) - function(x - STEP, n)) / (2 * STEP)
        assert float(value) == float(function(x, n)), (x, n)
        assert np.isclose(gradient, slope, rtol=1e-5, atol=1e-6), (x, n, gradient, slope)


@pytest.mark.parametrize("place", ["straight", "loop", "helper"])
@pytest.mark.parametrize("name", list(PIECES))
def test_elements_are_objects(name, place):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.GradsmithWarning)
        check(loaded(program(PIECES[name], place), f"{name}_{place}"))
