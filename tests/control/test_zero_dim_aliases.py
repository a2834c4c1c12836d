"""Arrays without axes are arrays: what is written by one name is seen by the others."""

from types import FunctionType

import numpy as np

from control.one_object import check_calls
from helpers import each

CALLS = [(np.array(x),) for x in ([0.75, -2.0, 4.0], [3.0, 0.75], [-1.0, 2.0, 2.0, -3.0, 5.0])]


def copied_on_a_path(x):
    a = np.array(0.0)
    b = a
    for v in x:
        a += v
        if v < 0:
            b = b.copy()
    return float(b)


def made_anew_on_a_path(x):
    a = np.array(0.0)
    b = a
    for v in x:
        a += v
        if v < 0:
            b = np.array(7.0)
    return float(b), float(a)


def exchanged(x):
    a = np.array(0.0)
    b = np.array(1.0)
    for v in x:
        a[()] += v
        if v < 0:
            a, b = b, a
    return float(b), float(a), a is b


def one_of_two(x):
    a = np.array(0.0)
    b = a
    for v in x:
        a += v
        b = a if v > 1 else np.array(3.0)
    a += 1
    return float(b), float(a)


def another_from_then_on(x):
    a = np.array(0.0)
    b = np.array(5.0)
    c = a
    for v in x:
        if v > 1:
            c = b
        c += v
    return float(b), float(a), float(c)


def view_of_one_element(x):
    a = np.zeros(2)
    c = a[0:1].reshape(())
    for v in x:
        c += v
        if v < 0:
            c = a[1:2].reshape(())
    return a.sum() + c, a


def one_on_a_path(x):
    a = np.array(0.0)
    b = a if x[0] > 1 else a.copy()
    b += x[1]
    return float(a), float(b)


def elements_of_a_list(x):
    a = np.array(0.0)
    held = [a]
    for v in x:
        a += v
        if v < 0:
            held.append(a)
    a = a.copy()
    return [float(u) for u in held], len(held)


def exchanged_in_a_list(x):
    a = np.array(0.0)
    held = [a, np.array(2.0)]
    for v in x:
        held[0] += v
        if v < 0:
            held[0] = held[1]
    return float(a), [float(u) for u in held]


class Holder:
    pass


def attribute(x):
    o = Holder()
    o.s = np.array(0.0)
    k = o.s
    for v in x:
        o.s += v
        if v < 0:
            o.s = o.s * 2
    return float(k), float(o.s)


def while_loop(x):
    a = np.array(0.0)
    b = a
    i = 0
    while i < len(x):
        b += x[i]
        if x[i] < 0:
            b = np.array(b)
        i += 1
    return float(a), float(b)


def written_by_a_function(x):
    a = np.array(0.0)

    def add(v, t):
        t += v
        return t

    b = a
    for v in x:
        b = add(v, b)
        if v > 3:
            b = b + 1
    return float(a), float(b), type(b).__name__


def number_on_a_path(x):
    a = np.array(0.0)
    b = a
    for v in x:
        a += v
        if v < 0:
            b = b * 1
    return b * 1


def same_number_on_a_path(x):
    a = np.array(0.0)
    b = a
    for v in x:
        a += v
        if v < 0:
            b = +b
    return a * 1 + b * 2


def number_after_a_branch(x):
    a = np.array(0.0)
    b = a
    if x[0] > 0:
        b = b * 1
    a += 5
    return b * 1


def number_or_array_written(x):
    a = np.array(0.0)
    b = a
    if x[0] > 0:
        b = b * 1
    b += 5
    return b * 1, a * 1


def number_in_an_iteration(x):
    a = np.array(0.0)
    b = a
    for v in x:
        if v < 0:
            b = b + 0
        b += v
    return a * 1 + b * 2


def array_in_an_iteration(x):
    a = np.array(0.0)
    b = x[0]
    for v in x:
        if v < 0:
            b = a
        b += v
    a += 1
    return a * 1 + b * 2


def pythons_number(x):
    a = np.array(0.0)
    b = a
    for v in x:
        if v > 1:
            b = float(b)
        a += v
    return a * 1 + b * 2


PROGRAMS = [
    f for f in list(globals().values()) if isinstance(f, FunctionType) and f.__module__ == __name__
]


@each("function", PROGRAMS)
def test_writes_are_seen(function):
    check_calls(function, *CALLS)
