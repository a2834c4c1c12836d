"""Objects that decorate functions, methods and classes of a traced function, and what is called in
class bodies and makes members of
enumerations: each call of the function makes them anew.
"""

from __future__ import annotations

import enum
import functools

import numpy as np

from control.one_object import check_calls
from helpers import each

REGISTERED = []
CALLS = [(1.5,), (-2.0,), (4.0,)]


class Counting:
    def __init__(self, function):
        self.function, self.calls, self.given, self.sums = function, 0, [], np.zeros(2)

    def __call__(self, *arguments):
        self.calls += 1
        self.given.append(arguments[-1])
        self.sums[0] += arguments[-1]
        return self.function(*arguments)


class CountingMethod(Counting):
    def __get__(self, owner, cls=None):
        return self if owner is None else functools.partial(self, owner)


class Counted:
    total = 0

    def __init__(self, function):
        self.function = function
        functools.update_wrapper(self, function)

    def __call__(self, *arguments):
        Counted.total += 1
        return self.function(*arguments)


class Stored:
    def __init__(self, default):
        self.default, self.sets = default, 0

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, cls=None):
        return self if owner is None else getattr(owner, self.name, self.default)

    def __set__(self, owner, value):
        self.sets += 1
        setattr(owner, self.name, value)


def registered(function):
    REGISTERED.append(function.__name__)
    return function


def decorated_function(x):
    @Counting
    def doubled(v):
        return v * 2

    doubled(x)
    doubled(x + 1)
    return doubled.calls, doubled.given, doubled.sums, doubled(x)


def of_a_class_made_here(x):
    class Inner(Counting):
        pass

    @Inner
    def doubled(v):
        return v * 2

    return doubled(x), doubled.calls, doubled.sums


def in_a_class_body(x):
    class Model:
        doubled = Counting(lambda v: v * 2)

    Model.doubled(x)
    Model().doubled(x)
    return Model.doubled.calls, Model.doubled.sums, Model.doubled.given


def decorated_method(x):
    class Model:
        @CountingMethod
        def doubled(self, v):
            return v * 2

    y = Model().doubled(x)
    return y, Model.doubled.calls, Model.doubled.sums


def recursive(x):
    @Counting
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    return factorial(5) * x, factorial.calls * x


def decorated_class(x):
    @Counting
    class Point:
        def __init__(self, v):
            self.v = v

    return Point(x).v, Point.calls


def registered_methods(x):
    REGISTERED.clear()

    class Model:
        @registered
        def first(self, v):
            return v + 1

        @registered
        def second(self, v):
            return v * 2

    return Model().second(x), list(REGISTERED)


def state_in_a_class_body(x):
    class Counter:
        def __init__(self):
            self.n = 0.0

    class Model:
        counter = Counter()

        def add(self, v):
            self.counter.n += v
            return self.counter.n

    model = Model()
    model.add(x)
    return model.add(1), Model.counter.n


def descriptors(x):
    class Model:
        a, b = Stored(1.0), Stored(x)

    model = Model()
    model.a = x
    model.a += 1
    return model.a, model.b, Model.a.sets, Model.b.sets


def memoized(x):
    class Memo:
        def __init__(self, function):
            self.function, self.known, self.misses = function, {}, 0

        def __call__(self, n):
            if n not in self.known:
                self.misses += 1
                self.known[n] = self.function(n)
            return self.known[n]

    @Memo
    def fibonacci(n):
        return x if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    return fibonacci(10), fibonacci.misses


def counted_outside(x):
    Counted.total = 0

    @Counted
    def tripled(v):
        "Three times it."
        return v * 3

    return tripled(x) + tripled(1), Counted.total, tripled.__name__, tripled.__doc__


def members_of_an_enumeration(x):
    class Kind(enum.Enum):
        A = 1
        B = 2

        def __init__(self, value):
            self.hits = 0

        def hit(self):
            self.hits += 1
            return self.hits

    Kind.A.hit()
    (Kind.B if x > 0 else Kind.A).hit()
    return Kind.A.hits, Kind.B.hits


@each(
    "function",
    [
        members_of_an_enumeration,
        decorated_function,
        of_a_class_made_here,
        in_a_class_body,
        decorated_method,
        recursive,
        decorated_class,
        registered_methods,
        state_in_a_class_body,
        descriptors,
        memoized,
        counted_outside,
    ],
)
def test_each_call_decorates_anew(function):
    check_calls(function, *CALLS)
