"""What a function reads outside of itself is what is there by now, by whichever way it finds it.

Each function is called, the world is changed, and it is called again: by one compiled object.
"""

# Functions are written here as users write them.
# ruff: noqa: PLW0603

from __future__ import annotations

import array
import collections
import contextvars
import ctypes
import decimal
import enum
import hashlib
import queue
import string
import sys
import textwrap
import threading
import types
import warnings
import weakref

import numpy as np
import pytest

import gradsmith as gs

HERE = sys.modules[__name__]
COUNT = 0
settings = types.ModuleType("gradsmith_test_settings")


class Cell:
    def __init__(self, v):
        self.v = v


class Params(collections.UserDict):
    def total(self):
        return sum(self.values())


class Access(enum.IntFlag):
    READ, WRITE, RUN = 1, 2, 4


def views_of_dicts():
    d = {"a": 1.0}
    keys, values, items, proxy = d.keys(), d.values(), d.items(), types.MappingProxyType(d)

    def f(x):
        shown = [v * x for v in values], [(k, v * x) for k, v in items], len(keys), "b" in keys
        return shown, sum(proxy.values()) * x, proxy.get("b", 2.0), len(proxy), proxy["a"]

    return f, lambda: d.update(a=d["a"] + 1, b=3.0)


def views_of_a_dict_that_is_written():
    d = {"a": 1.0}
    values, proxy = d.values(), types.MappingProxyType(d)

    def f(x):
        d["a"] += x
        return sum(values) * x + proxy["a"]

    return f, lambda: d.update(a=2.0)


def imported_names():
    settings.rate, settings.scale = 0.5, lambda v: v * 2

    def f(x):
        from gradsmith_test_settings import rate
        from gradsmith_test_settings import scale as g

        return g(x * rate)

    def change():
        settings.rate += 1.0
        settings.scale = lambda v: v * 3

    return f, change


def names_that_are_missing_at_first():
    vars(settings).pop("extra", None)

    def f(x):
        try:
            from gradsmith_test_settings import extra
        except ImportError:
            return -x
        return extra * x

    return f, lambda: setattr(settings, "extra", 4.0)


def imported_lists():
    settings.history = []

    def f(x):
        from gradsmith_test_settings import history

        history.append(x)
        return sum(history)

    return f, lambda: settings.history.append(1.0)


def variables_of_a_module():
    global COUNT
    COUNT = 0

    def f(x):
        HERE.COUNT += 1
        globals()["COUNT"] = COUNT + 1
        return x * COUNT, HERE.COUNT

    def change():
        global COUNT
        COUNT = COUNT + 10

    return f, change


def new_variables_of_a_module():
    vars(HERE).pop("LATEST", None)

    def f(x):
        HERE.LATEST = x
        return LATEST * 2  # noqa: F821

    return f, lambda: None


def context_variables():
    variable = contextvars.ContextVar("v", default=1.0)

    def f(x):
        before = variable.get()
        variable.set(before * x)
        return before, variable.get()

    return f, lambda: variable.set(variable.get() + 1.0)


def lists_and_dicts_of_the_library():
    u, d, p, chain = collections.UserList([1.0]), collections.UserDict(a=1.0), Params(a=1.0), {}
    c = collections.ChainMap({"b": 1.0}, chain)

    def f(x):
        return (
            sum(u) * x,
            len(d) * x,
            d["a"],
            p.total() * x,
            sum(c.values()) * x,
            [v * x for v in u],
        )

    def change():
        u.append(2.0)
        d[len(d)] = 1.0
        p["a"] = p["a"] + 1.0
        chain["c"] = chain.get("c", 0.0) + 1.0

    return f, change


def weak_containers():
    cells = [Cell(1.0), Cell(2.0), Cell(3.0), Cell(4.0)]
    by_name, known = weakref.WeakValueDictionary(k=cells[0]), weakref.WeakSet(cells[:1])

    def f(x):
        return by_name["k"].v * x, len(known) * x

    def change():
        by_name["k"] = cells[len(known)]
        known.add(cells[len(known)])

    return f, change


def arrays_of_the_library():
    a, b, mask = array.array("d", [1.0, 2.0]), (ctypes.c_double * 2)(1.0, 2.0), bytearray(b"ab")
    view = memoryview(a)

    def f(x):
        return len(mask) * x, sum(b) * x, b[0], view[0] * x, a[1], mask.find(b"c")

    def change():
        a[0] += 1.0
        b[0] += 1.0
        mask.extend(b"c")

    return f, change


def appended_arrays_of_the_library():
    a = array.array("d", [1.0, 2.0])
    return lambda x: (len(a) * x, sum(a) * x), lambda: a.append(3.0)


def queues_and_events():
    q, event = queue.Queue(), threading.Event()

    def f(x):
        return q.qsize() * x, q.empty(), x if event.is_set() else -x

    def change():
        q.put(1.0)
        event.set()

    return f, change


def hashes_templates_wrappers():
    h, template, wrapper = hashlib.sha256(), string.Template("a$b"), textwrap.TextWrapper(width=10)

    def f(x):
        text = template.substitute(b="c")
        return h.digest()[0] * x, len(text) * x, len(wrapper.wrap("aa bb cc dd ee ff")) * x

    def change():
        h.update(b"more")
        template.template = "abc$b"
        wrapper.width = 4

    return f, change


def the_process():
    kept = sys.getrecursionlimit(), threading.current_thread().name
    numbers = decimal.Context(prec=5)
    decimal.setcontext(numbers)
    np.seterr(over="ignore")

    def f(x):
        limit, name = sys.getrecursionlimit() - kept[0], threading.current_thread().name
        digits = np.get_printoptions()["precision"], decimal.getcontext().prec
        third = float(decimal.Decimal(1) / decimal.Decimal(3))
        return limit * x, len(name) * x, digits, np.geterr()["over"] == "raise", third * x

    def change():
        numbers.prec += 1
        np.seterr(over="raise")

    return f, change


def errors_that_numpy_raises():
    np.seterr(all="ignore")

    def f(x):
        try:
            return np.log(np.float64(x) - 2.0)
        except FloatingPointError:
            return -x

    return f, lambda: np.seterr(all="raise")


def warnings_that_are_errors():
    def f(x):
        try:
            warnings.warn("now", stacklevel=1)
        except UserWarning:
            return -x
        return x

    warnings.simplefilter("ignore")
    return f, lambda: warnings.simplefilter("error")


def integers_that_c_code_keeps():
    def f(x):
        n = ctypes.c_int(1)
        n.value = int(x) + 1
        with decimal.localcontext() as context:
            context.prec = int(x) + 1
            return n.value * x, float(decimal.Decimal(1) / decimal.Decimal(3))

    return f, lambda: None


WORLDS = [
    views_of_dicts,
    views_of_a_dict_that_is_written,
    imported_names,
    names_that_are_missing_at_first,
    imported_lists,
    variables_of_a_module,
    new_variables_of_a_module,
    context_variables,
    lists_and_dicts_of_the_library,
    weak_containers,
    arrays_of_the_library,
    appended_arrays_of_the_library,
    queues_and_events,
    hashes_templates_wrappers,
    the_process,
    errors_that_numpy_raises,
    warnings_that_are_errors,
    integers_that_c_code_keeps,
]


def history(make, run, monkeypatch):
    monkeypatch.setitem(sys.modules, "gradsmith_test_settings", settings)
    f, change = make()
    called, found = run(f), []
    for x in (2.0, 3.0, 2.0):
        found.append(repr(called(x)))
        change()
    return found


@pytest.fixture(autouse=True)
def _as_before():
    with warnings.catch_warnings(), np.errstate(), decimal.localcontext():
        warnings.simplefilter("ignore", gs.GradsmithWarning)
        yield


@pytest.mark.parametrize("make", WORLDS)
def test_the_present_state_is_read(make, monkeypatch):
    expected = history(make, lambda f: f, monkeypatch)
    assert history(make, gs.compile, monkeypatch) == expected


def test_a_library_object_whose_parts_the_function_has_changed_is_refused():
    p = Params(a=1.0)

    def f(x):
        p.data["z"] = x
        return p["z"]

    with pytest.raises(gs.GradsmithError, match="from outside the function is changed"):
        gs.compile(f)(1.0)
    assert dict(p) == {"a": 1.0}


def test_flags_are_combined_as_in_python():
    def f(n, x):
        access = Access(n)
        return int(access), x * 2 if Access.WRITE in access else x, Access.RUN | access

    compiled = gs.compile(f)
    for n in (3, 5, 0, 7, 3):
        assert compiled(n, 1.5) == f(n, 1.5)


def test_what_is_asked_for_by_an_enumeration_is_the_present_value():
    compiled = gs.compile(lambda x: Access(int(x[0])).name)
    for value in (1.5, 2.5, 4.0):
        assert compiled([value]) == Access(int(value)).name
    with pytest.raises(ValueError, match="9"):
        gs.compile(lambda x: enum.Enum("Level", {"LOW": 1})(int(x)))(9.0)
