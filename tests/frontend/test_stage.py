"""Staged functions do what the user's functions do."""

# ruff: noqa: B008, F821, UP008

from __future__ import annotations

import copy
import gc
import sys
import threading
import weakref
from types import CodeType

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from frontend.programs import PROGRAMS, WEIGHT
from frontend.recording import Recorder, outcome, recorded, written
from gradsmith.frontend import stage as stage_module
from gradsmith.frontend.stage import is_staged, stage

pytestmark = pytest.mark.smoke


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("x", [0, 4, 5])
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


@pytest.mark.parametrize("statement", statements(RAISING))
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


# --- The function around the code.


def make_counter(step):
    count = 0

    def count_up(x=[], *, by=step):  # noqa: B006
        nonlocal count
        count += by
        x.append(count)
        return x

    return count_up, lambda: count


def test_defaults_and_variables_of_outer_functions_are_shared():
    count_up, count = make_counter(2)
    staged = stage(count_up, Recorder())
    assert staged() == [2]
    assert count_up() == [2, 4]
    assert count() == 4
    assert staged.__defaults__ is count_up.__defaults__
    assert staged.__kwdefaults__ is count_up.__kwdefaults__
    assert staged.__name__ == "count_up"
    assert staged.__qualname__ == "make_counter.<locals>.count_up"
    assert staged.__module__ == __name__


def test_globals_are_shared_and_stay_clean(monkeypatch):
    before = set(globals())
    staged = stage(reads_a_global, Recorder())
    assert staged.__globals__ is globals()
    assert staged(1) == 1 + WEIGHT
    monkeypatch.setitem(globals(), "WEIGHT", 10)
    assert staged(1) == 11
    assert set(globals()) == before
    assert reads_a_global.__code__.co_freevars == ()


def reads_a_global(x):
    return x + WEIGHT


def test_what_the_definition_evaluates_is_not_evaluated_again():
    calls = []

    def once(value):
        calls.append(value)
        return value

    @once
    def f(x: once("annotation"), y=once(2)) -> once("result"):
        return x + y

    calls.clear()
    assert stage(f, Recorder())(1) == 3
    assert calls == []


class Base:
    def value(self):
        return 1


class Derived(Base):
    __secret = 5
    __slots__ = ("_Derived__w",)

    def value(self):
        return 10 + super().value()

    def explicit(self):
        return super(Derived, self).value(), __class__.__name__

    def private(self, __x=3):
        self.__w = __x
        self.__w += 1
        return [self.__w, self.__secret, __x] + [self.__hidden() for _ in range(2)]

    def __hidden(self):
        return __private_global


_Derived__private_global = 7


def test_methods_super_and_private_names():
    d = Derived()
    assert recorded(Derived.value, d)[0] == 11
    assert recorded(Derived.explicit, d)[0] == (1, "Derived")
    result, recorder = recorded(Derived.private, d)
    assert result == [4, 5, 3, 7, 7]
    names = {name for (name,) in recorder.of("attribute", "target")}
    assert names == {"_Derived__w", "_Derived__secret", "_Derived__hidden"}
    assert ("_Derived__private_global", "__hidden") in recorder.of("read")


def test_flags_of_the_future_stay():
    def f():
        def g(x: int):
            return x

        return g.__annotations__

    assert recorded(f)[0] == {"x": "int"}
    plain = written("def f():\n    def g(x: int): return x\n    return g.__annotations__\n")
    assert recorded(plain)[0] == {"x": int}


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is new in Python 3.12")
def test_generic_functions():
    f = written("""
        def f[T](x: T):
            def g[U](y: U):
                return [x, y, T.__name__, U.__name__]
            return g(2)
        """)
    result, recorder = recorded(f, 1)
    assert result == [1, 2, "T", "U"]
    assert recorder.of("read") == []


def test_functions_inside_are_staged_and_their_classes_methods_when_called():
    seen = []

    def f(x):
        def inner(y):
            return y

        class Local:
            def method(self):
                return x

        seen.extend([inner, lambda: x, Local.method])
        return Local().method()

    _, recorder = recorded(f, 1)
    assert [is_staged(g) for g in seen] == [True, True, False]
    assert not is_staged(f)
    assert not is_staged(len)
    assert "method" in [name for (name,) in recorder.of("call")]
    assert recorder.of("result")[0] == (1,)
    assert stage(seen[0], recorder) is seen[0]


def test_without_source_the_function_itself():
    namespace = {}
    exec("def f(x): return x", namespace)
    assert stage(namespace["f"], Recorder()) is namespace["f"]


def test_the_rewriting_is_done_once_and_forgotten_with_the_code():
    f = written("def f(x):\n    return x + 1\n")
    first, second = stage(f, Recorder()), stage(f, Recorder())
    assert first.__code__ is second.__code__
    code = weakref.ref(first.__code__)
    original = id(f.__code__)
    assert original in stage_module._cache.entries
    del f, first, second
    gc.collect()
    assert original not in stage_module._cache.entries
    assert code() is None


def test_threads():
    functions = [
        written(f"def f(x):\n    return x * {k} if x and 0 < x < 99 else x\n") for k in range(20)
    ]
    results = []

    def work():
        results.append([stage(f, Recorder())(3) for f in functions])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[3 * k for k in range(20)]] * 8


def test_a_sum_of_many_terms():
    f = written(f"def f(x):\n    return {' + '.join(['x'] * 900)}\n")
    assert recorded(f, 2)[0] == 1800


def test_the_users_function_is_untouched():
    def f(x):
        return [x and WEIGHT, x]

    before = copy.copy(vars(f)), f.__code__
    recorded(f, 1)
    assert (vars(f), f.__code__) == before
    assert isinstance(f.__code__, CodeType)
