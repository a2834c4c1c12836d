"""Exit stacks in loops and branches, and context managers that methods make."""

# Programs as users write them.
# ruff: noqa: RET504

from __future__ import annotations

import contextlib

import numpy as np

import gradsmith as gs
from control.one_object import check_calls
from helpers import each

LOG = []
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def log_positive(value):
    if value > 0:
        LOG.append(value)


@contextlib.contextmanager
def noted(log, value):
    log.append(value)
    yield value * 2
    log.append(-value)


class Resource:
    def __init__(self, log, value):
        self.log = log
        self.value = value

    def __enter__(self):
        self.log.append(self.value)
        return self

    def __exit__(self, *error):
        self.log.append(-self.value)


class Collecting(contextlib.ExitStack):
    def later(self, log, value):
        self.callback(log.append, value)


class Pool:
    def __init__(self):
        self.log = []

    @contextlib.contextmanager
    def noting(self, value):
        self.log.append(value)
        try:
            yield value * 2
        finally:
            self.log.append(-value)

    @staticmethod
    @contextlib.contextmanager
    def tripled(value):
        yield value * 3

    @classmethod
    @contextlib.contextmanager
    def squared(cls, value):
        yield value * value

    def both(self, value):
        @self.noting(value)
        def inner():
            return value * 5

        with self.noting(value) as doubled:
            return doubled * inner()


POOL = Pool()


@case
def callbacks_of_a_loop(x):
    log = []
    with contextlib.ExitStack() as stack:
        for i in range(len(x)):
            stack.callback(log.append, x[i] * i)
        log.append(1.0)
    return log


@case
def managers_of_a_loop(x):
    log, total = [], 0.0
    with contextlib.ExitStack() as stack:
        for v in x:
            total += stack.enter_context(Resource(log, v)).value
            total *= stack.enter_context(noted(log, v))
    return log, total


@case
def pushed_in_a_loop(x):
    log, stack = [], contextlib.ExitStack()
    for v in x:
        stack.push(lambda *error, v=v: log.append(v))
        stack.push(Resource(log, 2 * v))
    stack.close()
    return log


@case
def in_a_branch(x):
    log = []
    with contextlib.ExitStack() as stack:
        if x[0] > 0:
            stack.callback(log.append, x[0])
        stack.callback(log.append, x[1])
    return log


@case
def closed_in_a_branch(x):
    log, stack = [], contextlib.ExitStack()
    stack.callback(log.append, x[0])
    if x[0] > 0:
        stack.close()
    return log


@case
def callbacks_with_conditions(x):
    with contextlib.ExitStack() as stack:
        stack.callback(log_positive, x[0])
    return x[1]


@case
def suppressed_by_what_is_pushed(x):
    total = 1.0
    with contextlib.ExitStack() as stack:
        stack.push(lambda kind, error, traceback: kind is ValueError)
        if x[0] < 0:
            raise ValueError("negative")
        total = x[0]
    return total


@case
def suppressed_by_a_manager(x):
    log = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(ValueError))
        stack.callback(log.append, x[1])
        if x[0] < 0:
            raise ValueError("negative")
        log.append(x[0])
    return log


@case
def handed_on(x):
    log = []
    with Collecting() as stack:
        stack.later(log, x[0])
        rest = stack.pop_all()
    log.append(x[1])
    rest.close()
    return log


@case
def made_by_methods(x):
    with Pool().noting(x[0]) as a, Pool.tripled(x[0]) as b, POOL.squared(x[1]) as c:
        return a + b * c + Pool().both(x[1])


@case
def made_by_a_method_of_an_object_outside(x):
    with POOL.noting(x[0]) as doubled:
        if doubled > 3:
            return doubled
    return x[1]


def outcome(function, x):
    LOG.clear()
    POOL.log.clear()
    return repr(function(np.array(x))), repr(LOG), repr(POOL.log)


@each("name", CASES)
def test_what_a_stack_calls_is_called_as_often_and_in_this_order(name):
    function = CASES[name]
    compiled = gs.compile(function)
    for x in ([1.5, -2.0], [-1.5, 2.0], [2.5, 1.0, 3.0], [1.5, -2.0]):
        assert outcome(compiled, x) == outcome(function, x)


def test_errors_of_python_are_for_the_callbacks_of_a_stack():
    def function(x):
        result = 1.0
        with contextlib.ExitStack() as stack:
            stack.push(lambda kind, error, traceback: kind is ZeroDivisionError)
            result = 1 / x
        return result

    compiled = gs.compile(function)
    for x in (2.0, 0.0, 4.0):
        assert compiled(x) == function(x)


def test_derivatives():
    def function(x):
        return sum(callbacks_of_a_loop(x)) + managers_of_a_loop(x)[1]

    gs.check_grads(function, (np.array([0.5, -1.5, 2.0]),))


class Section:
    """An object whose call is a context manager."""

    def __init__(self):
        self.log = []

    @contextlib.contextmanager
    def __call__(self, name):
        self.log.append("in")
        try:
            yield name
        except ValueError:
            self.log.append(name)
        finally:
            self.log.append("out")


def test_calls_that_are_context_managers():
    def once(x):
        section = Section()
        with section("b") as name:
            if x > 1:
                raise ValueError("large")
        return section.log, name

    def repeated(x):
        section, total = Section(), 0
        for k in range(3):
            with section(k):
                if k * x > 1.2:
                    raise ValueError
                total += x
        return section.log, total

    for function in (once, repeated):
        check_calls(function, (1.5,), (0.5,), (2,))
