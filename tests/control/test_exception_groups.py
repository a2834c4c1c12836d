"""``except*`` (new in Python 3.11), where traced values decide which error is raised."""

import sys

import numpy as np
import pytest

import gradsmith as gs
from semantics.test_list_elements import loaded

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="except* is new in Python 3.11")

PROGRAMS = {
    "several": """
        if x[0] > 0:
            raise ExceptionGroup("g", [ValueError(1), TypeError(2)])
        raise ExceptionGroup("g", [ValueError(3)])
    """,
    "one or none": """
        if x[0] > 0:
            raise TypeError
    """,
    "of Python's numbers": """
        found.append(1 / float(x[0] - 1))
    """,
    "in a loop": """
        for v in x:
            if v > 1:
                raise ValueError("large")
            found.append(v)
    """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_handlers(name):
    text = "def f(x):\n    found = []\n    try:" + PROGRAMS[name] + "\n"
    for error in ("ValueError", "TypeError", "ZeroDivisionError"):
        text += f"    except* {error}:\n        found.append({error[0]!r})\n"
    function = loaded(text + "    return found\n", f"except star {name}")
    compiled = gs.compile(function)
    for values in ([1.0, 2.0], [-1.0, 0.5], [0.5, 0.2, 3.0]):
        assert repr(compiled(np.array(values))) == repr(function(np.array(values)))
