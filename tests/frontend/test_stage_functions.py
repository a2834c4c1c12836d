"""The staged function object: what it shares with the user's own, and how long it lives."""

# ruff: noqa: B008, F821, UP008

from __future__ import annotations

import copy
import gc
import sys
import threading
import weakref
from types import CodeType

import pytest

from frontend.programs import WEIGHT
from frontend.recording import Recorder, recorded, written
from gradsmith.frontend import stage as stage_module
from gradsmith.frontend.stage import is_staged, stage

pytestmark = pytest.mark.smoke


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
