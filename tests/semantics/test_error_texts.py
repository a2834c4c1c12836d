"""Texts of errors that a ``try`` handles: Python's and NumPy's own, of the present values."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

N = np.int64


def texts(expression):
    """Statements that return the value, or the text of the error."""
    return f"try:\n    return {expression}\nexcept Exception as e:\n    return str(e)"


# -- values that texts say


VALUES = {
    "np.zeros(n)": [(2.5,), (3.5,), (np.float64(5),), (np.float64(7),), (1j,), (3,), (-2,)],
    "np.ones((n, 2))": [(2.5,), (np.float64(5),), (2,)],
    "np.full(n, 1.0)": [(2.5,), (np.float64(5),), (2,)],
    "np.reshape(np.ones(4), n)": [(2.5,), (np.float64(4),), (4,), (3,)],
    "np.zeros(x[0])": [(np.array([2.5]),), (np.array([3.5]),), (np.array([2]),)],
    "np.ones((2, 2)).sum(axis=n)": [(1,), (3,), (-3,)],
}


@each("expression", VALUES)
def test_texts_say_the_present_values(expression):
    """Another call with another value gets another text."""
    parameter = "x" if "x[" in expression else "n"
    check_calls(function_of(texts(expression), parameter), *VALUES[expression])


MASKED = [np.array([1.0, -1.0, 2.0]), np.array([1.0, -1.0, -2.0]), np.array([1.0, 1.0, 2.0])]


@each(
    "expression",
    [
        "x[x > 0][2]",
        "x[x > 0][-3]",
        "np.flatnonzero(x > 0)[2]",
        "np.unique(x)[2]",
        "x[x > 0][len(x)]",
    ],
)
def test_texts_say_sizes_that_data_decide(expression):
    """The size is that of the present call, not of the mask."""
    check_calls(function_of(texts(expression), "x"), *[(x,) for x in MASKED])


# -- arguments of calls


@dataclass
class Plain:
    a: float
    b: float


@dataclass
class Defaulted:
    a: float
    b: float = 1.0
    c: list = field(default_factory=list, kw_only=True)


@dataclass(frozen=True)
class Frozen:
    a: float


@dataclass
class Derived(Plain):
    c: float = 2.0


class Written:
    def __init__(self, a, b, *, c=1):
        self.a = a


class Empty:
    pass


Pair = namedtuple("Pair", "a b")
CLASSES = (Plain, Defaulted, Frozen, Derived, Written, Empty, Pair)
GIVEN = ["x", "", "x, 1, 2", "x, b=1, d=2", "x, 1, b=2", "b=x", "x, x, x, x", "*[x], **{'z': 1}"]


@each("cls", CLASSES)
def test_arguments_that_a_class_does_not_take(cls):
    """Missing, too many, unexpected and duplicate ones, where it is made for sure and in a branch
    that may not be taken.
    """
    for given in GIVEN:
        made = f"{cls.__name__}({given}).a"
        names = {cls.__name__: cls}
        check_calls(function_of(texts(made), "x", **names), (1.5,), (2,), (0.5,))
        branch = f"if x > 1:\n    return {made} * 1.0\nreturn 1.0"
        check_calls(function_of(branch, "x", **names), (0.5,), (1.5,), (0.75,))


def outer():
    def called(x):
        h = lambda a, b: a  # noqa: E731

        def k(a, b):
            return a

        found = []
        for f in (
            lambda: h(x),
            lambda: k(x),
            lambda: (lambda q: q)(),  # noqa: PLW0108, PLC3002
            lambda: [lambda q: q][0](x, x),
            lambda: (h if x > 1 else (lambda: x))(),  # noqa: PLW0108
        ):
            try:
                found.append(f())
            except TypeError as e:
                found.append(str(e))
        return found, h.__qualname__, k.__qualname__

    return called


class Holder:
    def method(self, x):
        h = lambda a, b: a  # noqa: E731
        try:
            return h(x)
        except TypeError as e:
            return str(e)


def test_qualified_names_of_functions_inside():
    """Lambdas are named after the functions and classes around them, as `def` is."""
    check_calls(outer(), (1.5,), (0.5,))
    check_calls(Holder().method, (1.5,), (2,))


# -- operands


NUMBERS = [2.5, 3, True, 1j, np.float64(2.5), N(3), np.float32(1.5), np.bool_(True)]
NUMBERS += [np.complex128(1j), np.array([1.0, 2.0]), np.array(1.5), np.array([1, 2])]


@each(
    "expression",
    [
        *("'v' + x", "x + 'v'", "'v' - x", "x ** 'v'", "x @ 'v'", "x < 'v'", "x | 'v'"),
        *("None + x", "x + None", "{} + x", "x + b'q'", "'v' / x", "x // 'v'", "not ('v' + x)"),
        *("x % 1j", "x @ 1.0", "'v' % x", "~x", "round(x, 'v')"),
    ],
)
def test_operands_of_other_classes(expression):
    """The operands are named in their order, and by the classes of the present call."""
    check_calls(function_of(texts(expression), "x"), *[(x,) for x in NUMBERS])


def test_elements_beside_texts():
    """An element is NumPy's, that of a list is Python's."""
    for expression in ("'v' + x[0]", "x[0] + 'v'", "x[0] < 'v'", "x[0] * 1.0 - 'v'"):
        function = function_of(texts(expression), "x")
        check_calls(function, (np.array([1.5, 2.0]),), (np.array([1, 2]),), ([1.5],), ([1],))


def test_a_mapping_may_have_more_than_a_text_takes():
    """Lists and arrays count as mappings, numbers of Python's and tuples do not."""
    function = function_of(texts("'v' % x"), "x")
    check_calls(function, ([1.5],), ((1.5,),), (1.5,), (np.array([1.5]),), ({"a": 1.5},))


def test_arguments_that_are_given_twice():
    def text_of(call):
        try:
            return call()
        except TypeError as error:
            return str(error)

    class Model:
        def value(self, scale=1, **options):
            return scale, sorted(options)

    def joined(*parts, sep="-", **options):
        return sep, parts, sorted(options)

    def f(x, options):
        more = {"sep": 2}
        return (
            text_of(lambda: joined(x, sep=1, **more)),
            text_of(lambda: joined(**options, **options)),
            text_of(lambda: Model().value(sep=x, **more)),
            text_of(lambda: dict(sep=1, **more)),
            text_of(lambda: np.sum(*3)),
            joined(*[x, 1], **options),
        )

    check_calls(f, (1.5, {"a": 2.0}), (0.5, {"b": 1}))
