"""What generators do at their end, in a ``try`` or ``with`` that they stand in, is done once."""

import numpy as np

import gradsmith as gs
from control.one_object import check_calls
from helpers import each

CALLS = [(np.array(x),) for x in ([2.0, 0.5, 1.5], [0.5, 0.5, 0.5], [3.0, 2.0, 2.0, 4.0])]


def noted(value, log, tag):
    try:
        yield value
        yield value * 2
    finally:
        log.append(tag)


def closed_on_one_path(x):
    log = []
    it = noted(x[0], log, "end")
    a = next(it)
    if x[0] > 1:
        it.close()
    return a, list(log)


def advanced_on_one_path(x):
    log = []
    it = noted(x[0], log, "end")
    a = next(it)
    if x[0] > 1:
        a += next(it)
    print(len(log))
    return a


def made_in_each_iteration(x):
    log, s = [], 0.0
    for v in x:
        it = noted(v, log, "end")
        s += next(it)
        if v > 1:
            s += next(it)
    return s, len(log)


def left_in_each_iteration(x):
    log, s = [], 0.0
    for k, v in enumerate(x):
        it = noted(v, log, k)
        s += next(it)
    return s, log[:-1]


def made_on_one_path(x):
    log, s = [], x[0]
    if x[0] > 1:
        it = noted(x[1], log, "path")
        s += next(it)
    log.append("after")
    return s, list(log)


def ended_by_break(x):
    log, s = [], 0.0
    for k in range(3):
        for u in noted(x[k], log, k):
            if u > 1:
                break
            s += u
    return s, log


def recursive(x):
    log = []

    def walk(n):
        try:
            yield x[n]
            if n:
                yield from walk(n - 1)
        finally:
            log.append(n)

    s = 0.0
    for v in walk(2):
        s += v
        if s > 2:
            break
    return s, log


def thrown_into(x):
    log = []
    it = noted(x[0], log, "thrown")
    next(it)
    try:
        it.throw(ValueError("high" if x[0] > 1 else "low"))
    except ValueError as error:
        log.append(str(error))
    return x[0], log


@each(
    "function",
    [
        closed_on_one_path,
        advanced_on_one_path,
        made_in_each_iteration,
        left_in_each_iteration,
        made_on_one_path,
        ended_by_break,
        recursive,
        thrown_into,
    ],
)
def test_ends_happen_once(function):
    check_calls(function, *CALLS)


def test_what_runs_that_are_undone_print(capsys):
    def function(x):
        def steps():
            try:
                yield x
            finally:
                print("closed")

        it = steps()
        a = next(it)
        if x > 1:
            it.close()
        return a

    compiled = gs.compile(function)
    for value in (2.0, 0.5, 3.0, 0.1):
        assert compiled(value) == value
        assert capsys.readouterr().out == "closed\n"
