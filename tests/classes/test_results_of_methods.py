"""What special methods of the user's may give: Python refuses other results, and asks numbers of
the user's classes as their bases are asked.
"""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls


class Iterated:
    def __init__(self, held):
        self.held = held

    def __iter__(self):
        return self.held


class Returning:
    def __init__(self, v):
        self.v = v
        if v > 1:
            return v  # noqa: PLE0101
        return None


class Yielding:
    def __init__(self, v):
        self.v = v
        yield v  # noqa: PLE0100


class Shown:
    def __init__(self, v):
        self.v = v

    def __repr__(self):
        return self.v


class Formatted(Shown):
    def __format__(self, spec):
        return self.v


class Hinting(Shown):
    def __length_hint__(self):
        return self.v


class Key(Shown):
    def __hash__(self):
        return self.v

    def __eq__(self, other):
        return self.v == other.v


class Index(Shown):
    def __index__(self):
        return self.v


def error_of(made):
    try:
        return made()
    except TypeError as error:
        return type(error).__name__, str(error)


def iterating(v):
    def first():
        for item in Iterated([v, 1]):
            return item
        return None

    def taken_apart():
        a, _ = Iterated((v, 1))
        return a

    made = [
        lambda: [k + 1 for k in Iterated([v])],
        lambda: list(Iterated((v,))),
        lambda: iter(Iterated(v)),
        lambda: list(Iterated(np.array([v]))),
        lambda: list(Iterated(iter([v]))),
    ]
    return [error_of(f) for f in (first, taken_apart, *made)]


def initialising(v):
    return error_of(lambda: Returning(v).v), error_of(lambda: Yielding(v).v)


def writing(v):
    texts = [lambda: str(Shown(v)), lambda: repr(Shown(v)), lambda: f"{Shown(v)}"]
    texts += [lambda: f"{Shown(v)}", lambda: str([Shown(v)]), lambda: f"{Formatted(v):>5}"]
    return [error_of(text) for text in texts]


def hinting(v):
    return error_of(lambda: operator.length_hint(Hinting(v)))


def keys(v):
    return (
        error_of(lambda: {Key(v): 1}[Key(v)]),
        error_of(lambda: len({Key(v), Key(v), Key(0)})),
        error_of(lambda: hash(Key(v))),
    )


@pytest.mark.parametrize("function", [iterating, initialising, writing, hinting, keys])
def test_results_that_python_refuses(function):
    check_calls(function, (1,), (2,), (1.5,), (True,), (2.5,), exact=True, messages=True)


def test_indices_of_arrays_that_are_no_integers():
    def f(a, v):
        try:
            return a[Index(v)]
        except IndexError:
            return -1.0

    def with_others(a, v):
        try:
            return a[None, Index(v)]
        except IndexError as error:
            return str(error)

    def bound(a, v):
        try:
            return a[Index(v) :]
        except TypeError as error:
            return str(error)

    a = np.array([1.0, 2.0, 3.0])
    for function in (f, with_others, bound):
        check_calls(function, (a, 1), (a, 1.0), (a, 2), messages=True)


class Zero(int):
    def __index__(self):
        return 0


class Seven(int):
    def __int__(self):
        return 7

    def __float__(self):
        return 7.5


class Half(float):
    def __float__(self):
        return 0.5

    def __int__(self):
        return 42


def test_numbers_of_the_users_are_asked_as_python_asks_them():
    def integers(n, a):
        m = Zero(int(n))
        taken = [7, 8, 9, 10][m], a[m], len(range(m)), chr(Zero(65)), [1] * m
        return int(m), operator.index(m), *taken, float(m), math.factorial(m)

    def converted(n, a):
        m = Seven(int(n))
        return int(m), float(m), math.sqrt(m), math.floor(m), complex(m), [7, 8, 9, 10][m]

    def floats(n, a):
        x = Half(int(n))
        return float(x), int(x), math.sqrt(x), math.floor(x), complex(x), round(x), x * n

    a = np.array([1.0, 2.0, 3.0, 4.0])
    for function in (integers, converted, floats):
        check_calls(function, (1, a), (2.5, a), (True, a), exact=True)


def test_fields_in_slots_that_init_does_not_take():
    from dataclasses import asdict, dataclass, field

    @dataclass(slots=True)
    class Model:
        a: float
        order: int = field(init=False, default=3)
        terms: list = field(init=False, default_factory=list)

    def f(x):
        model = Model(x)
        model.order += 1
        return model.order * x, asdict(Model(x)), Model(x) == Model(1.0)

    check_calls(f, (1.0,), (2.0,))
    assert gs.grad(lambda x: Model(x).a * Model(x).order)(2.0) == 3.0


def test_truths_of_texts():
    class Written(Shown):
        def __bool__(self):
            return str(self.v) == "1.0"

    def f(x):
        same = str(x) == "1.0"
        truths = bool(Written(x)), not Written(x), any([Written(x)]), same is True
        return *truths, "y" if Written(x) else "n", len(list(filter(None, [Written(x)])))

    check_calls(f, (1.0,), (1.5,), (2,))


def test_docstrings_that_are_added_to():
    def f(x):
        def made():
            "doc"
            return x

        class Model:
            "model"

        made.__doc__ += "!"
        Model.__doc__ += "?"
        model = Model()
        model.__doc__ = "i"
        model.__doc__ += "j"
        return made.__doc__, Model.__doc__, model.__doc__, made()

    check_calls(f, (1.5,), (2,))
