"""Bound methods of containers, arrays and objects outside, kept under a name of their own."""

from __future__ import annotations

import collections
import contextlib
import copy
import dataclasses
import functools

import numpy as np
import pytest

import gradsmith as gs
from helpers import each


class Counted(list):
    def put(self, value):
        self.append(value)
        return len(self)


@dataclasses.dataclass
class Sum:
    value: float
    log: list

    def add(self, value):
        self.value = self.value + value
        self.log.append(value)


class Events:
    def __init__(self):
        self.callbacks = []

    def fire(self, *args):
        for callback in self.callbacks:
            callback(*args)


LOG, SET, DICT, COUNTED, SUM, EVENTS = [], set(), {}, Counted(), Sum(0.0, []), Events()
DEQUE, ARRAY = collections.deque([1.0]), np.zeros(3)
WORLD = (LOG, SET, DICT, COUNTED, SUM, DEQUE, ARRAY)

append, extend, add, store, get = LOG.append, LOG.extend, SET.add, DICT.__setitem__, DICT.get
put, accumulate, push, pop, fill = COUNTED.put, SUM.add, DEQUE.append, DEQUE.popleft, ARRAY.fill
applied = functools.partial(LOG.append)
stored = functools.partial(DICT.__setitem__, "b")
CALLBACKS = [LOG.append, SUM.add]
NAMED = {"log": LOG.append, "sum": (SUM.add, 2.0)}
EVENTS.callbacks.append(LOG.append)


def reset():
    for container in (LOG, SET, DICT, COUNTED, SUM.log, DEQUE):
        container.clear()
    DEQUE.append(1.0)
    ARRAY[:], SUM.value = 0.0, 0.0


def of_a_global(x):
    append(x)
    LOG.append(2 * x)
    extend([x, x])
    return LOG[1] * len(LOG)


def of_a_default(x, callback=LOG.append):
    callback(x)
    return x


def closing():
    callback = LOG.append

    def of_a_closure(x):
        callback(x)
        return x

    return of_a_closure


def of_a_dict(x):
    store("a", x)
    return get("a", 1.0) * get("z", 3.0)


def of_a_set(x):
    add(1)
    return x


def of_a_deque(x):
    push(x)
    return pop() * x


def of_an_array(x):
    fill(x)
    return ARRAY.sum()


def of_a_list_of_a_class(x):
    return put(x) * x


def of_a_dataclass(x):
    accumulate(x)
    return x * SUM.value


def in_a_partial(x):
    applied(x)
    stored(2 * x)
    return x


def in_a_list(x):
    for callback in CALLBACKS:
        callback(x)
    return x


def in_a_dict(x):
    NAMED["log"](x)
    NAMED["sum"][0](x * NAMED["sum"][1])
    return x


def in_an_object(x):
    EVENTS.fire(x)
    return x


def on_one_path(x):
    if x > 2.5:
        append(x)
    return x


def chosen(x):
    (append if x > 2.5 else accumulate)(x)
    return x


def in_a_loop(x):
    while x > 1.0:
        x = x / 2
        append(x)
    return x


def mapped(x):
    return list(map(put, [x, 2 * x]))[1] * x


def by_a_library(x):
    with contextlib.ExitStack() as stack:
        stack.callback(append, x)
    return x


def written_outside(x):
    DICT["own"], DICT["other"] = LOG.append, append
    DICT["other"](x)
    return x


CASES = [
    *(of_a_global, of_a_default, closing(), of_a_dict, of_a_set, of_a_deque, of_an_array),
    *(of_a_list_of_a_class, of_a_dataclass, in_a_partial, in_a_list, in_a_dict, in_an_object),
    *(on_one_path, chosen, in_a_loop, mapped, by_a_library, written_outside),
]


def outcome(function, x):
    reset()
    return repr(function(x)), repr(WORLD)


@each("function", CASES)
def test_calls_do_what_those_by_attribute_do(function):
    compiled = gs.compile(function)
    for x in (2.0, 30.0, 2.0):
        assert outcome(compiled, x) == outcome(function, x)


@each("function", CASES)
def test_derivatives_write_nothing_and_say_so(function):
    reset()
    before = copy.deepcopy(WORLD)
    with pytest.warns(gs.GradsmithWarning, match="is not done by a derivative"):
        gs.grad(function)(3.0)
    assert repr(WORLD) == repr(before)


def test_arguments_may_be_such_methods():
    def called(x, callback):
        callback(x)
        return x

    compiled = gs.compile(called)
    for callback in (LOG.append, SUM.add, functools.partial(store, "a"), COUNTED.put):
        given = functools.partial(called, callback=callback)
        made = functools.partial(compiled, callback=callback)
        assert outcome(made, 2.0) == outcome(given, 2.0)


def test_iterators_give_their_next_elements_at_each_call():
    rows = iter([2.0, 3.0, 4.0, 5.0])
    following = rows.__next__
    compiled = gs.compile(lambda x: x * following())
    assert [compiled(1.0), compiled(10.0), next(rows)] == [2.0, 30.0, 4.0]
