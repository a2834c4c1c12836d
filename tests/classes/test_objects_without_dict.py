"""Objects with ``__slots__`` and named tuples have no ``__dict__``, and code asks for it."""

import collections

from control.one_object import check_calls
from helpers import each

Pair = collections.namedtuple("Pair", "a b")


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a


class Derived(Slotted):
    pass


class Plain:
    def __init__(self, v):
        self.v = v


OUTSIDE = (Pair(1.0, 2), Slotted(3.0), Derived(1.0), Plain(2.0))


def dump(value):
    if hasattr(value, "__dict__"):
        return dict(vars(value))
    if hasattr(value, "_asdict"):
        return value._asdict()
    if hasattr(value, "__slots__"):
        return {name: getattr(value, name) for name in value.__slots__}
    return value


def dumped(x):
    return dump(Pair(x, 2)), dump(Slotted(x)), dump(Derived(x)), dump(Plain(x)), dump(x)


def dumped_from_outside(x):
    return [dump(value) for value in OUTSIDE], x


def asked(x):
    values = (Pair(x, 1), Slotted(x), Derived(x), Plain(x), x, [x], {}, dump, Plain, Pair)
    weak = [hasattr(value, "__weakref__") for value in (*values[:4], *OUTSIDE)]
    return [hasattr(value, "__dict__") for value in values], weak


def errors(x):
    found = []
    for value in (Pair(x, 1), Slotted(x), 1.0, [1], OUTSIDE[0], OUTSIDE[1]):
        try:
            found.append(vars(value))
        except TypeError as error:
            found.append(str(error))
        for name in ("__dict__", "missing"):
            try:
                found.append(getattr(value, name))
            except AttributeError as error:
                found.append(str(error))
    return found


def new_attribute(x):
    value = Slotted(x)
    try:
        value.b = 1
    except AttributeError as error:
        return str(error), getattr(value, "__dict__", "none")


def attributes_of_the_compiler(x):
    names = ("__getattr__", "__dict__", "_owner", "__getattribute__")
    return [hasattr(Plain(x), name) for name in names]


@each(
    "function",
    [dumped, dumped_from_outside, asked, errors, new_attribute, attributes_of_the_compiler],
)
def test_answers(function):
    check_calls(function, (1.5,), (2.0,))
