"""Staged functions do what the user's functions do."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from frontend.programs import PROGRAMS
from frontend.recording import Recorder, outcome, recorded, written
from gradsmith.frontend.stage import stage
from helpers import each

pytestmark = pytest.mark.smoke


@each("program", PROGRAMS, ids=lambda program: program.__name__)
@each("x", [0, 4, 5])
def test_programs(program, x):
    result, recorder = recorded(program, x)
    assert repr(result) == repr(program(x))
    assert recorder.events or program(x) is None


RAISING = """
    [x, 1 / zero]
    f = (
        np.add(
            x,
            1 / zero,
        )
    )
    (x
        .real
        .missing)
    (str(x)
        .upper()
        .index("?"))
    np.linalg.norm(
        x
    ) + {}[
        x
    ]
    x[1:2]
    x.missing = 1
    x[0] += 1
    del x[0]
    a, b = [1, 2, 3]
    a, b = x
    missing_name + 1
    assert x == zero, str(x)
    raise ValueError(
        str(x)
    )
    [i for i in range(3) if 1 / (i - 1)]
    for i in x: pass
    (lambda: 1 / zero)()
    x and 1 / zero
    0 < x < 1 / zero
    x if 1 / zero else 2
    with x: pass
    if x > "": pass
    return 1 / zero
"""


def statements(text):
    """Top-level statements of the indented text: what is deeper belongs to the line above."""
    found = []
    for line in text.strip("\n").splitlines():
        if line[4] in " )]":
            found[-1] += "\n" + line
        else:
            found.append(line)
    return found


@each("statement", statements(RAISING))
def test_errors_come_from_the_same_lines(statement):
    text = f"def f(x, zero):\n    def g():\n        return x\n    y = 1\n{statement}\n"
    f = written(text, np=np)
    expected = outcome(f, 5, 0)
    assert expected[0] == "error"
    assert outcome(stage(f, Recorder()), 5, 0) == expected


def expressions():
    """Random expressions, each of whose leaves `t(number)` says that it is evaluated."""
    leaf = st.integers(0, 4).map(lambda n: f"t({n})")

    def larger(inner):
        def form(template, count):
            return st.tuples(*[inner] * count).map(lambda parts: template.format(*parts))

        return st.one_of(
            form("({} and {})", 2),
            form("({} or {} or {})", 3),
            form("(not {})", 1),
            form("({} < {} <= {})", 3),
            form("({} == {} != {} < {})", 4),
            form("({} if {} else {})", 3),
            form("[{}, {}]", 2),
            form("[i for i in t(range(3 if {} else 2)) if i or {}]", 2),
            form("[({} and i) for i in [{}] if 0 <= i < {}]", 3),
            form("(w := {})", 1),
            form("(lambda a, b=({} or 2): a and b)({})", 2),
            form("t({}, b={})", 2),
            form("t(*[{}, 3], **{{'b': {}}})", 2),
            form("({} + t(1))", 1),
            form("{{0: {}, 1: 5}}[not {}]", 2),
            form("f'{{{}}} {{{} or 1:>4}}'", 2),
            form("box[{}].real", 1),
        )

    return st.recursive(leaf, larger, max_leaves=12)


@given(expressions(), st.booleans())
@settings(max_examples=300, deadline=None, derandomize=True)
def test_random_expressions_evaluate_the_same_things_in_the_same_order(expression, condition):
    body = (
        f"if {expression}:\n        return 1\n    return 2"
        if condition
        else f"return {expression}"
    )
    log = []

    def t(*values, **more):
        log.append((values, more))
        return values[0]

    try:
        f = written(f"def f(box):\n    {body}\n", t=t)
    except SyntaxError:  # Python has no `:=` in the iterables of comprehensions
        assume(False)
    outcomes = []
    for function in (f, stage(f, Recorder())):
        log.clear()
        outcomes.append((repr(outcome(function, {0: 0, 1: 2})), list(map(repr, log))))
    assert outcomes[0] == outcomes[1]


def test_truth_is_asked_as_often_as_python_asks():
    class Asked:
        count = 0

        def __bool__(self):
            self.count += 1
            return False

    def f(a):
        if not (a and a):
            return a or 1
        return None

    a, b = Asked(), Asked()
    assert f(a) == stage(f, Recorder())(b) == 1
    assert a.count == b.count == 2
