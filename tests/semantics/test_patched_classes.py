"""Classes and functions outside that are changed between two calls of one compiled object."""

import pytest

import gradsmith as gs
from frontend.recording import written

CLASS = """
class A:
    def __init__(self):
        self.v = 1

    def __repr__(self):
        return "r1"

a = A()

class E(Exception):
    pass

e = E("m")

def g():
    "d"
"""
TEXTS = [
    *("str(a)", "repr(a)", "f'{a}'", "f'{a!r}'", "'%r %s' % (a, a)", "'{}'.format(a)"),
    *("str([a])", "repr({'k': a})", "f'{a:>5}'", "'-'.join([str(a)])", "str((a, 1))", "'%s' % a"),
]
PATCHES = [
    "A.__str__ = lambda s: 's2'",
    "A.__repr__ = lambda s: 'r2'",
    "A.__format__ = lambda s, k: 'f2' + k",
]
CASES = [
    *((text, patch) for text in TEXTS for patch in PATCHES),
    ("callable(a)", "A.__call__ = lambda s: 1"),
    ("(A.__name__, type(a).__name__)", "A.__name__ = 'B'"),
    ("str(e), f'{e}'", "E.__str__ = lambda s: 'x'"),
    ("g.__name__, g.__doc__", "g.__name__ = g.__doc__ = 'h'"),
    ("getattr(A(), 'zz', 0)", "A.zz = 3"),
    ("hasattr(A(), 'zz'), hasattr(a, 'zz')", "A.zz = 3"),
    ("A.__doc__, A.__qualname__", "A.__doc__ = A.__qualname__ = 'h'"),
]


def results(text, patch, *, compiled):
    names = {"__name__": "patched"}
    exec(CLASS, names)
    function = written(f"def f(x):\n    return {text}, x\n", **names)
    names = function.__globals__
    call, found = gs.compile(function) if compiled else function, []
    for step in ("", patch, ""):
        exec(step, names)
        try:
            found.append(call(1.0))
        except TypeError as error:
            found.append(getattr(error, "message", str(error)))
    return found


@pytest.mark.parametrize("patches", [PATCHES, None], ids=["texts", "others"])
def test_the_next_call_sees_it(patches):
    for text, patch in CASES:
        if (patch in PATCHES) is (patches is not None):
            expected = results(text, patch, compiled=False)
            assert results(text, patch, compiled=True) == expected, (text, patch)
