"""Changes of Python's objects on one path of a branch, or in a loop, that no journal holds."""

import array
import collections
import contextvars
import ctypes
import functools
import graphlib
import hashlib
import queue
import re
import struct
import threading
import types

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls
from gradsmith.errors import UnsupportedError
from helpers import each

CALLS = [(np.array(x),) for x in ([1.0, 2.0], [-1.0, 2.0], [3.0, 0.5])]


class Fl(float):
    pass


class Tu(tuple):
    pass


class By(bytearray):
    pass


class NotedError(Exception):
    pass


class Cs(ctypes.Structure):
    _fields_ = (("a", ctypes.c_double),)


class DD(collections.defaultdict):
    pass


class Th(threading.Thread):
    pass


def attribute_of_a_number(x):
    o = Fl(1.0)
    if x[0] > 0:
        o.t = x[1]
    return (hasattr(o, "t"), getattr(o, "t", 0.0))


def attribute_of_a_tuple(x):
    o = Tu((1, 2))
    if x[0] > 0:
        o.t = x[1]
    return (hasattr(o, "t"), getattr(o, "t", 0.0))


def object_of_a_class_of_bytes(x):
    o = By(2)
    if x[0] > 0:
        o.t = x[1]
        o[0] = 1
        o.append(3)
    return (getattr(o, "t", 0.0), list(o))


def note_of_an_error(x):
    o = NotedError("a")
    if x[0] > 0:
        o.t = x[1]
        o.add_note("n")
    return (getattr(o, "t", 0.0), getattr(o, "__notes__", None))


def field_of_a_structure(x):
    o = Cs(1.0)
    if x[0] > 0:
        o.a = 2.0
    return o.a * x[1]


def factory_of_a_dict(x):
    o = DD(int)
    if x[0] > 0:
        o.default_factory = float
    return (type(o["a"]).__name__, x[1])


def keyword_of_a_partial(x):
    p = functools.partial(dict, a=1)
    for v in x:
        if v > 1:
            p.keywords["b"] = 2
    return p()


def text_that_is_hashed(x):
    h = hashlib.sha1()
    for v in x:
        if v > 1:
            h.update(b"a")
    return h.hexdigest()[:4]


def bytes_through_a_view(x):
    b = bytearray(3)
    m = memoryview(b)

    def g(k):
        m[k] = 7

    if x[0] > 0:
        g(1)
    return list(b)


def bytes_added_in_place(x):
    b = bytearray(b"a")
    if x[0] > 0:
        b += b"b"
    return bytes(b).decode()


def bytes_by_a_method_that_is_held(x):
    b = bytearray(b"abc")
    push = b.append
    if x[0] > 0:
        push(65)
    return len(b) * x[1]


def bytes_by_a_method_that_is_passed_on(x):
    b = bytearray(b"abc")
    if x[0] > 0:
        list(map(b.append, [1, 2]))
    return len(b) * x[1]


def bytes_in_a_comprehension(x):
    b = bytearray(b"abc")
    [b.append(1) for v in x if v > 0]
    return len(b) * x[1]


def bytes_in_a_while_loop(x):
    b = bytearray(2)
    s = x[0]
    while s < 4:
        s = s * 2 + 3
        b[0] += 1
    return (b[0], s)


def value_of_a_context_variable(x):
    c = contextvars.ContextVar("c", default=1.0)
    if x[0] > 0:
        c.set(2.0)
    return c.get() * x[1]


def queue_filled(x):
    q = queue.Queue()
    if x[0] > 0:
        q.put(1)
    return q.qsize()


def graph_of_a_library(x):
    g = graphlib.TopologicalSorter()
    g.add("a")
    if x[0] > 0:
        g.add("b", "a")
    return list(g.static_order())


def attribute_of_a_module(x):
    m = types.ModuleType("m")
    m.n = 0
    for v in x:
        if v > 0:
            m.n += 1
    return m.n


def bytes_made_in_the_branch(x):

    def h(y):
        b = bytearray(2)
        b[0] = 3
        b.append(1)
        return y * len(b)

    return h(x[0]) if x[0] > 0 else h(x[1])


def keyword_defaults(x):

    def f(*, k=1.0):
        return k

    for v in x:
        if v > 1:
            f.__kwdefaults__["k"] = v
    return f()


def variable_of_a_closure(x):

    def mk():
        k = 1.0
        return lambda: k

    f = mk()
    if x[0] > 0:
        f.__closure__[0].cell_contents = x[1]
    return (f(), len(f.__closure__))


def object_of_a_class_derived_from_a_librarys(x):
    t = Th()
    if x[0] > 0:
        t.name = "q"
        t.zz = 1
    return (t.name == "q", hasattr(t, "zz"))


def bytes_packed(x):
    s = struct.Struct("b")
    b = bytearray(2)
    if x[0] > 0:
        s.pack_into(b, 0, 5)
    return b[0]


def array_that_a_loop_appends_to(x):
    b = array.array("d", [1.0])
    r = []
    for v in x:
        if v > 0:
            b.append(float(len(b)))
        r.append(len(b))
    return (r, list(b))


PROGRAMS = [
    attribute_of_a_number,
    attribute_of_a_tuple,
    object_of_a_class_of_bytes,
    note_of_an_error,
    field_of_a_structure,
    factory_of_a_dict,
    keyword_of_a_partial,
    text_that_is_hashed,
    bytes_through_a_view,
    bytes_added_in_place,
    bytes_by_a_method_that_is_held,
    bytes_by_a_method_that_is_passed_on,
    bytes_in_a_comprehension,
    bytes_in_a_while_loop,
    value_of_a_context_variable,
    queue_filled,
    graph_of_a_library,
    attribute_of_a_module,
    bytes_made_in_the_branch,
    keyword_defaults,
    variable_of_a_closure,
    object_of_a_class_derived_from_a_librarys,
    bytes_packed,
    array_that_a_loop_appends_to,
]


@pytest.mark.parametrize("function", PROGRAMS)
def test_objects_changed_on_one_path(function):
    check_calls(function, *CALLS)
    check_calls(function, *CALLS[1::-1])


BUFFER = array.array("d", [1.0])
EVENT, ITEMS = threading.Event(), collections.UserDict(a=1.0)
FACTORY = collections.defaultdict(int)


def by_a_method(x):
    BUFFER.append(2.0)


def by_a_method_of_a_library(x):
    EVENT.set()


def by_an_item(x):
    ITEMS["a"] = x[0]


def by_a_member(x):
    FACTORY.default_factory = float


@each("function", [by_a_method, by_a_method_of_a_library, by_an_item, by_a_member])
def test_objects_from_outside_are_not_changed(function):
    with pytest.raises(UnsupportedError, match=re.escape("from outside the function is changed")):
        gs.compile(function)(np.ones(2))
    assert (len(BUFFER), EVENT.is_set()) == (1, False)
    assert ITEMS["a"] == 1.0
    assert FACTORY.default_factory is int


def test_attributes_of_a_namespace_from_outside():
    held = types.SimpleNamespace(a=1.0)

    def function(x):
        if x[0] > 0:
            held.b = held.a
            del held.a
        return sorted(vars(held))

    compiled = gs.compile(function)
    assert compiled(-np.ones(2)) == ["a"]
    assert compiled(np.ones(2)) == ["b"]
    assert vars(held) == {"b": 1.0}


class Slotted:
    __slots__ = ("a", "b")


def test_hasattr_is_pythons_truth():
    def function(x):
        held = Slotted()
        if x[0] > 0:
            held.b = x[1]
        return hasattr(held, "b")

    compiled = gs.compile(function)
    assert [compiled(np.array(x)) for x in ([1.0, 2.0], [-1.0, 2.0])] == [True, False]
    assert type(compiled(np.ones(2))) is bool
