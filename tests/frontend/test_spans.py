"""`current_span`: the user's expression, from wherever it is asked."""

from __future__ import annotations

import sys

import pytest

from frontend.recording import BoundRecorder, Recorder, written
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stage import stage

pytestmark = pytest.mark.smoke

columns = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 keeps no columns")


class Spotter(Recorder):
    """Notes where each call is."""

    def for_function(self, function, /):
        return BoundSpotter(self, function)


class BoundSpotter(BoundRecorder):
    def note(self, kind, *rest):
        self.recorder.events.append((kind, current_span()))


class Operand:
    """An operator asks, too: that is where nodes are made, by gradsmith and not by the user."""

    __module__ = "gradsmith"

    def __init__(self, spans):
        self.spans = spans

    def __add__(self, other):
        self.spans.append(current_span())
        return self

    __radd__ = __mul__ = __matmul__ = __add__


def spotted(text, *args):
    spotter = Spotter()
    stage(written(text), spotter)(*args)
    return [(kind, span.line, span.expression) for kind, span in spotter.events]


@columns
def test_the_users_expressions():
    found = spotted(
        "def f(x):\n"
        "    y = abs(x + 1)\n"
        "    for i in [y]:\n"
        "        z = [y][0:1]\n"
        "    if y and z: y = x.real\n"
        "    return y * 2\n",
        1,
    )
    assert found == [
        ("read", 2, "abs"),
        ("call", 2, "abs(x + 1)"),
        ("bind", 2, "abs(x + 1)"),
        ("loop", 3, "for i in [y]"),
        ("bind", 3, "i"),
        ("item", 4, "[y][0:1]"),
        ("bind", 4, "[y][0:1]"),
        ("either", 5, "y and z"),
        ("bound", 5, "z"),
        ("branching", 5, "y and z"),
        ("attribute", 5, "x.real"),
        ("bind", 5, "x.real"),
        ("result", 6, "y * 2"),
    ]


def test_lines_on_every_python():
    found = spotted(
        "def f(x):\n    y = abs(\n        x\n    )\n    return (\n        y\n    )\n", 1
    )
    assert [(kind, line) for kind, line, _ in found][:2] == [("read", 2), ("call", 2)]
    assert found[-1][:2] == ("result", 6)


def operators(text):
    spans = []
    f = stage(written(text), Recorder())
    f(Operand(spans))
    return spans


def test_operators_in_staged_code():
    (span,) = operators("def f(é):\n    y = 'ü', é + 1\n    return y\n")
    assert (span.line, span.function) == (2, "f")
    assert span.expression == ("é + 1" if sys.version_info >= (3, 11) else "y = 'ü', é + 1")
    assert span.text == "y = 'ü', é + 1"


def test_operators_in_functions_inside():
    spans = operators(
        "def f(x):\n    def g(y): return y + 1\n    g(x)\n    return [x + 1 for _ in '1']\n"
    )
    assert [(span.line, span.function) for span in spans] == [(2, "g"), (4, "f")]


@columns
def test_a_chain_of_methods_is_at_the_method():
    found = spotted("def f(x):\n    return (x\n        .conjugate()\n        .real)\n", 1)
    assert [(kind, line) for kind, line, _ in found] == [
        ("attribute", 3),
        ("call", 3),
        ("attribute", 4),
        ("result", 2),
    ]


def test_code_that_was_not_staged():
    """Without any staged caller it is the nearest frame that is the user's."""
    spans = []
    Operand(spans) + 1
    (span,) = spans
    assert span.file == __file__
    assert span.text == "self.spans.append(current_span())"  # the class here is user code as well


def test_the_nearest_staged_caller_is_meant():
    spans = []
    f = written("def f(x):\n    return g(x)\n", g=lambda x: x + 1)
    stage(f, Recorder())(Operand(spans))
    assert spans[0].line == 2
    assert spans[0].text == "return g(x)"
