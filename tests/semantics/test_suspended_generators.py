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


def steps(x, log, n):
    try:
        for i in range(n):
            yield i * x[i % len(x)]
    finally:
        log.append(n)


def left_by_an_error(x):
    log = []
    for kind in (ValueError, OSError, NameError, KeyError):
        try:
            for v in steps(x, log, 3):
                if v > 0:
                    raise kind(v)
        except kind as error:
            log.append((kind.__name__, error.args[0]))
    try:
        for _ in steps(x, log, 2):
            next(iter(()))
    except StopIteration:
        log.append("stop")
    return log


def left_by_an_error_in_a_function(x):
    log = []

    def first_above(bound):
        for v in steps(x, log, 3):
            if v > bound:
                raise ValueError(bound)
        return bound

    for bound in (0.0, 2.5, 100.0):
        try:
            log.append(first_above(bound))
        except ValueError as error:
            log.append(str(error))
    return log


def left_by_errors_within_a_loop(x):
    log, total = [], 0.0
    for k in range(3):
        try:
            for v in steps(x, log, 3):
                total += v
                if v * k > 1:
                    raise ValueError(k)
        except ValueError as error:
            log.append(error.args)
    return total, log


def left_before_its_end_by_others(x):
    log = []
    for v, w in zip(steps(x, log, 3), steps(x, log, 2), strict=False):
        log.append(v + w)
    log.append("after zip")
    for v in map(abs, steps(x, log, 4)):
        if v >= 0:
            break
    log.append("after map")
    it = steps(x, log, 5)
    log.append(next(it))
    it = None
    log.append("after the name")
    return log, it


def left_within_another(x):
    log = []
    for v in steps(x, log, 3):
        try:
            for w in steps(x, log, 2):
                raise KeyError(w + v)
        except KeyError as error:
            log.append(error.args[0])
    return log


def beside_a_branch(x):
    log = []

    def within():
        it = noted(x[0], log, "end")
        next(it)
        if x[0] > 1:
            log.append("high")

    within()
    log.append("after")
    return log


def deleted_on_one_path(x):
    log = []
    it = noted(x[0], log, "end")
    next(it)
    if x[0] > 1:
        del it
        log.append("deleted")
    log.append("after")
    return log


def replaced_on_one_path(x):
    log = []
    it = noted(x[0], log, "first")
    next(it)
    if x[0] > 1:
        it = noted(x[1], log, "second")
    log.append("after")
    return log, next(it)


def popped_on_one_path(x):
    log = []
    held = {"a": noted(x[0], log, "end")}
    next(held["a"])
    if x[0] > 1:
        held.pop("a")
    log.append("after")
    held.clear()
    return log


def in_a_list_that_is_replaced(x):
    log = []
    held = [noted(x[0], log, "end")]
    next(held[0])
    if x[0] > 1:
        held = []
    log.append("after")
    held = None
    return log, held


def beside_a_loop(x):
    log, s = [], 0.0

    def within():
        total = 0.0
        it = noted(x[0], log, "end")
        next(it)
        for v in x:
            total = total + v if v > 1 else total
        return total

    s = within()
    log.append("after")
    return s, log


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
        left_by_an_error,
        left_by_an_error_in_a_function,
        left_by_errors_within_a_loop,
        left_before_its_end_by_others,
        left_within_another,
        beside_a_branch,
        deleted_on_one_path,
        replaced_on_one_path,
        popped_on_one_path,
        in_a_list_that_is_replaced,
        beside_a_loop,
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
