"""Attributes that are set or deleted on a class: what its metaclass says comes first."""

from __future__ import annotations

import enum

import pytest

from control.one_object import check_calls

LOG = []


class Meta(type):
    @property
    def size(cls):
        return cls.stored * 1

    @size.setter
    def size(cls, value):
        cls.stored = value * 2
        LOG.append(value)

    @property
    def fixed(cls):
        return 7


class Sized(metaclass=Meta):
    stored = 0


class Level(enum.Enum):
    LOW = 1


def _tried(*acts):
    found = []
    for act in acts:
        try:
            act()
        except (AttributeError, TypeError) as error:
            found.append(str(error))
        else:
            found.append("done")
    return found


def members(x):
    class Kind(enum.Enum):
        X = "x"

    found = _tried(lambda: setattr(Kind, "X", 1), lambda: delattr(Kind, "X"))
    try:
        Kind.X = 2
    except AttributeError:
        found.append("fixed")
    try:
        del Kind.X
    except AttributeError:
        found.append("kept")
    Kind.note = x
    return found, Kind.X.value, Kind.note


def properties(x):
    class Own(type):
        @property
        def p(cls):
            return cls.held * 2

        @p.setter
        def p(cls, value):
            cls.held = value + 1

        @p.deleter
        def p(cls):
            cls.held = -1

        @property
        def fixed(cls):
            return 7

    class Made(metaclass=Own):
        held = 0

    Made.p = x
    first = Made.p
    Made.p += 1
    second = Made.p, Made.held, "p" in vars(Made)
    found = _tried(lambda: setattr(Made, "fixed", 1), lambda: delattr(Made, "fixed"))
    del Made.p
    return first, second, found, Made.fixed, Made.held


def properties_of_outside(x):
    del LOG[:]
    Sized.size = x
    first = Sized.size
    Sized.size += 1
    return first, Sized.size, list(LOG), _tried(lambda: setattr(Sized, "fixed", 1))


def refused_by_python(x):
    found = _tried(
        lambda: setattr(Level, "LOW", 2),
        lambda: setattr(int, "foo", x),
        lambda: delattr(dict, "get"),
    )
    try:
        Level.LOW = x
    except AttributeError:
        found.append("fixed")
    return found, x


def parts_of_numbers(x):
    found = []
    for name in ("real", "imag", "shape", "missing"):
        try:
            setattr(x, name, 3)
        except AttributeError:
            found.append(name)
    try:
        x.real = 3
    except AttributeError as error:
        return found, type(error).__name__
    return found, x


@pytest.mark.parametrize(
    "function",
    [members, properties, properties_of_outside, refused_by_python, parts_of_numbers],
)
def test_attributes_of_classes(function):
    check_calls(function, (2.5,), (1,), (0.5,))


def operators(x):
    class Own(type):
        def __eq__(cls, other):
            return other == 2.5

        def __hash__(cls):
            return 5

        def __getitem__(cls, key):
            return key * 2

        def __setitem__(cls, key, value):
            cls.log = key, value

        def __len__(cls):
            return 4

        def __iter__(cls):
            return iter([1, 2])

        def __contains__(cls, value):
            return value == 1

        def __add__(cls, other):
            return other + 1

        def __lt__(cls, other):
            return True

        def __bool__(cls):
            return False

        def __neg__(cls):
            return "neg"

    class Made(metaclass=Own):
        pass

    Made["w"] = x
    taken = Made == x, Made != x, Made[x], len(Made), list(Made), x in Made, Made + x
    return taken, Made < x, bool(Made), -Made, Made.log, [v * x for v in Made]


def without_a_hash(x):
    class Own(type):  # noqa: PLW1641
        def __eq__(cls, other):
            return other == 2.5

    class Made(metaclass=Own):
        v = x

    return Made == x, x == Made, Made.v, Made().v


@pytest.mark.parametrize("function", [operators, without_a_hash])
def test_operators_of_classes(function):
    check_calls(function, (2.5,), (1,), (0.5,))
