"""What the runtime of a staged function hears, and what staging refuses."""

# ruff: noqa: B007, F821, F841, PLR0133

from __future__ import annotations

import ast
import math
import sys

import numpy as np
import pytest

from frontend.programs import WEIGHT, Box
from frontend.recording import Recorder, outcome, recorded, written
from gradsmith.errors import UnsupportedError
from gradsmith.frontend.stage import stage
from gradsmith.frontend.stage_rules.rewriter import RULES

pytestmark = pytest.mark.smoke


def test_names_from_outside():
    offset = 5

    def f(x, k=1):
        y = math.sin(offset) + WEIGHT
        z = [len(v) for v in ([x], [y])]

        def inner(q):
            return q + x + offset + undefined if q else Box

        return inner(0), z

    _, recorder = recorded(f, 1)
    names = [name for name, function in recorder.of("read") if function == "f"]
    assert names == ["math", "offset", "WEIGHT", "len", "len", "Box"]


SCOPES = """
def f(): [g]
    global g
    g = 1
    return g

def f(): [x]
    x = 1
    def h():
        global x
        return x
    return h()

def f(): []
    x = 1
    def h():
        nonlocal x
        x = 2
        return x
    return h()

def f(): []
    return [y for x in [1] if (y := x)], y

def f(): [x]
    [x for x in [1]]
    return x

def f(): [OSError, OSError, str]
    try:
        raise OSError
    except OSError as e:
        return str(e)

def f(): []
    import a.b as c, os.path
    return c, os

def f(): [y]
    class x: y = 1
    return x.y, y

def f(): []
    match 3:
        case x: return x

def f(): [g]
    with g as (x, y): return x

def f(): [w]
    return (lambda x, *y, **z: (x, y, z, w))(1)

def f(x=1): []
    if x: return x
    del y
"""


@pytest.mark.parametrize("text", SCOPES.strip().split("\n\n"))
def test_scopes(text, monkeypatch):
    """Which names come from outside: those in the comment's place."""
    signature, _, rest = text.partition("[")
    names, _, body = rest.partition("]")
    text = signature + body

    class Module:
        b = None

    monkeypatch.setitem(sys.modules, "a", Module)
    monkeypatch.setitem(sys.modules, "a.b", Module)
    context = type("G", (), {"__enter__": lambda s: (1, 2), "__exit__": lambda *a: None})()
    f = written(text, x=1, y=2, w=3, g=context)
    expected = outcome(f)
    recorder = Recorder()
    assert repr(outcome(stage(f, recorder))) == repr(expected)
    assert [name for name, _ in recorder.of("read")] == [n for n in names.split(", ") if n]


def test_bindings():
    def f(x):
        a = x
        b, (c, *d) = 1, (2, 3)
        e = g = a
        a += 1
        h: int = 4
        for i, _ in [(5, 6)]:
            pass
        if (j := 7) and x:
            return j
        return b, c, d, e, g, h, i

    _, recorder = recorded(f, 1)
    names = {"a": 1, "b": 1, "c": 2, "d": [3], "e": 1, "g": 1, "h": 4, "i": 5, "_": 6, "j": 7}
    assert recorder.of("bind") == [*list(names.items())[:6], ("a", 2), *list(names.items())[6:]]


def test_writes():
    def f(x, box):
        x[0] = 1
        x[1:] += [2]
        box.value = x[0]
        del x[0]

    _, recorder = recorded(f, [0, 1], Box(1))
    assert recorder.of("target") == [(None,), (None,), ("value",), (None,)]
    assert recorder.of("item") == [(0,)]


def test_effects():
    f = written("""
        def outer():
            n = m = 0
            def f():
                global g
                nonlocal n
                g = 1
                n += 1
                for g in [2]: pass
                if (g := 3): del g
                own = 0
                def inner():
                    nonlocal own, m
                    own = m = 1
                inner()
                return own
            return f
        f = outer()
        """)
    result, recorder = recorded(f)
    assert result == 1
    effects = [
        ("global", "g"),
        ("nonlocal", "n"),
        ("global", "g"),
        ("global", "g"),
        ("global", "g"),
    ]
    assert recorder.of("effect") == [*effects, ("nonlocal", "m")]
    assert [name for name, _ in recorder.of("bind")] == ["own", "own"]


def test_conditions():
    def f(x):
        if x:
            y = 1
        while not x:
            pass
        y = x or 0
        z = x and y and 1
        return [x if x else y, 0 < x < 9, not (x and z), (x or z) if x == 1 else z]

    result, recorder = recorded(f, 1)
    assert result == [1, True, False, 1]
    asked = recorder.of("branching", "test", "either", "negate", "choose", "chain")
    assert asked == [
        (("y",), 1),
        (1,),
        (False,),
        ("or", 1),
        ("and", 1),
        ("and", 1),
        (1,),
        (0, "Lt"),
        (1, "Lt"),
        ("and", True),
        (1,),
        (True,),
        ("or", 1),
    ]


def test_conditions_that_must_be_known():
    """Where a part is no function of its own, and where a jump leaves a ``try``."""

    def f(x):
        a = [i for i in [0] if x]
        b = (c := x) if x else 0
        d = x and (e := 1)
        g = 0 < (h := x) < 9 and 0 < 1 < (k := 2)
        m = len(locals()) if x else 0
        for i in [1, 2]:
            try:
                if x:
                    continue
            finally:
                a.append(i)
        while x:
            try:
                break
            finally:
                a.append(i)
        match x:
            case 1 if x:
                return a, b, c, d, e, g, h, k, m > 5
        return None

    result, recorder = recorded(f, 1)
    assert result == f(1)
    kinds = [kind for kind, _ in recorder.of("truth")]
    ways = "comprehension ifexp and and ifexp if if while case"
    assert kinds == ways.split()


def test_what_loops_are_told():
    def f(x):
        total = count = 0
        for i, v in enumerate(x):
            w = v * 2
            total = total + w
            if v > 1:
                last = v
            count += 1
            for _ in range(2):
                if v > w:
                    break
                total += last if v > 1 else 0
        while (k := count) > 1:
            count = k - 1
            u, *rest = [k]
            with memoryview(b"") as m:
                n = m
                del u
        return total

    _, recorder = recorded(f, [1.0, 2.0])
    outer, inner = recorder.of("loop")[:2]
    assert outer[1] == {
        "targets": ("i", "v"),
        "stored": ("_", "__gs_broken_1", "count", "last", "total", "w"),
        "read": ("count", "last", "total"),
    }
    assert inner[1:] == (
        {
            "targets": ("_",),
            "stored": ("__gs_broken_1", "total"),
            "read": ("total",),
        },
        True,
    )
    ((_, names, leaves),) = recorder.of("while")
    assert names["stored"] == ("count", "k", "m", "n", "rest", "u", "__gs_ended_9")
    assert names["read"] == ("count", "__gs_ended_9")
    assert leaves is False


def test_the_flags_of_jumps_are_not_carried():
    """What tells an inner loop that it was left is set anew in each trip that has one."""

    def f(x):
        total = 0
        for v in x:
            if v < 0:
                continue
            for w in x:
                if w > v:
                    break
                total += w
            else:
                total += 1
        for i in range(3):
            if x[i] > 1:
                return i
        return total

    _, recorder = recorded(f, [1.0, 2.0, -1.0])
    (_, outer, _), (_, inner, _), *_, (_, last, _) = recorder.of("loop")
    assert outer["stored"] == ("__gs_broken_1", "total", "w")
    assert outer["read"] == inner["read"] == ("total",)
    assert last["read"] == ("__gs_result_2", "__gs_returned_2")


def test_keys():
    def f(x):
        return x[0], x[1:], x[..., None], x[(0,)], x[:2, ::-1], x[x]

    class Any:
        def __getitem__(self, key):
            return key

    x = Any()
    _, recorder = recorded(f, x)
    keys = [key for (key,) in recorder.of("item")]
    assert keys == [0, np.s_[1:], np.s_[..., None], (0,), np.s_[:2, ::-1], x]


def test_results_and_iterables():
    def f(xs):
        for _ in xs:
            pass
        return {-x for x in xs}

    _, recorder = recorded(f, [1])
    assert [iterable for iterable, _, _ in recorder.of("loop")] == [[1]]
    assert recorder.of("iterate") == [([1],)]
    assert recorder.of("result") == [({-1},)]


@pytest.mark.parametrize(
    ("text", "expression", "what"),
    [
        ("async def f(x):\n    return x", "async def f(x):", "`async` and `await`"),
        ("async def f(x):\n    return await x", "async def f(x):", "`async` and `await`"),
        ("def f(x):\n    async def g(): await x", "async def g(): await x", "`async` and `await`"),
    ],
)
def test_refused_syntax(text, expression, what):
    with pytest.raises(UnsupportedError) as caught:
        stage(written(text), Recorder())
    error = caught.value
    assert what in error.message
    assert error.span.expression == expression
    line = text[: text.index(expression)].count("\n") + 1
    assert f"line {line}" in str(error)
    assert "^" * len(expression) in str(error)
    assert "To fix it" in str(error)


def test_what_has_no_rule_is_refused(monkeypatch):
    monkeypatch.delitem(RULES, ast.With)
    f = written("def f(x):\n    y = 1\n    with x: y = 2\n")
    with pytest.raises(UnsupportedError, match="With") as caught:
        stage(f, Recorder())
    assert caught.value.span.line == 3


def test_handlers_do_not_hide_what_gradsmith_refuses():
    def refuse():
        raise UnsupportedError("no")

    def f():
        try:
            refuse()
        except TypeError:
            return "hidden"
        except:  # noqa: E722
            return "hidden, too"

    assert f() == "hidden"
    with pytest.raises(UnsupportedError, match="no"):
        stage(f, Recorder())()
