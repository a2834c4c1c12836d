"""Special methods of metaclasses, and ``__class_getitem__``, see what a function sets on classes;
attributes of objects that it keeps outside have Python's order.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import function_of
from helpers import each


class Meta(type):
    def __getitem__(cls, key):
        return cls.factor + key

    def __len__(cls):
        return int(cls.count)

    def __iter__(cls):
        return iter([cls.factor, cls.count])

    def __contains__(cls, value):
        return value == cls.count

    def __bool__(cls):
        return cls.count > 4

    def __add__(cls, other):
        return cls.factor + other

    def __rmul__(cls, other):
        return cls.factor * other

    def __neg__(cls):
        return -cls.factor

    def __getattr__(cls, name):
        return name, cls.factor

    def __eq__(cls, other):
        return cls.count == other

    def __lt__(cls, other):
        return cls.count < other

    __hash__ = type.__hash__

    def __instancecheck__(cls, value):
        return cls.count > 4

    def __subclasscheck__(cls, other):
        return cls.count > 4


class Counted(metaclass=Meta):
    factor, count = 1.0, 3


class Hooks(type):
    def __getattribute__(cls, name):
        if name == "tenfold":
            return type.__getattribute__(cls, "factor") * 10
        return super().__getattribute__(name)

    def __setattr__(cls, name, value):
        super().__setattr__(name, value + 1)


class Hooked(metaclass=Hooks):
    factor = 1.0


class Scaled:
    factor = 1.0

    def __class_getitem__(cls, key):
        return cls.factor * key


READ = [
    *("Counted[2]", "len(Counted)", "list(Counted)", "[v for v in Counted]", "bool(Counted)"),
    *("5 in Counted", "5 not in Counted", "1 if Counted else 2", "not Counted", "Counted + 1"),
    *("2 * Counted", "-Counted", "Counted.other", "Counted == 5", "Counted != 5", "Counted < 6"),
    *("isinstance(x, Counted)", "isinstance(3, (str, Counted))", "issubclass(int, Counted)"),
    *("tuple(Counted)", "sum(Counted)", "dict(zip('ab', Counted))", "Hooked.tenfold"),
    *("Hooked.factor", "Scaled[2]", "Scaled[x[1]]", "max(Counted)", "[*Counted]"),
]


@each("expression", READ)
def test_what_is_set_is_seen(expression):
    text = f"""
Counted.factor, Counted.count = x[0] * 2, 5
Hooked.factor = Scaled.factor = x[0]
return {expression}, Counted.count
"""
    function = function_of(text, Counted=Counted, Hooked=Hooked, Scaled=Scaled)
    x = np.array([1.5, 2.0])

    def outcome(call):
        Counted.factor, Counted.count, Scaled.factor = 1.0, 3, 1.0
        type.__setattr__(Hooked, "factor", 1.0)
        return repr(call(x)), Counted.count, Scaled.factor, type.__getattribute__(Hooked, "factor")

    assert outcome(gs.compile(function)) == outcome(function)


class Above:
    def __init__(self, least):
        self.least = least

    def __instancecheck__(self, value):
        return value.sum() > self.least


@each("classes", ["above", "(int, above)", "(int, (above, str))"])
def test_objects_may_answer_in_place_of_classes(classes):
    text = f"x * 2 if isinstance(x, {classes}) else x * 3"
    function = function_of(text, above=Above(2.0))
    compiled = gs.compile(function)
    for x in (np.array([1.5, 2.0]), np.array([0.5, 1.0])):
        np.testing.assert_array_equal(compiled(x), function(x), strict=True)


class Plain:
    pass


KEPT = {}
MADE = {
    "of numbers": "o.z, o.b, o.a = x[0], x[1], 2.0",
    "of other objects": "o.s, o.n, o.b = 's', None, [x[0]]",
    "deleted": "o.z, o.b = x[0], 1.0\ndel o.z\no.z = x[1]",
    "on one path": "o.z = 1.0\nif x[0] > 1:\n    o.b = x[1]\no.a = x[0]",
    "by name": "for name in 'zba':\n    setattr(o, name, x[0])",
}


@pytest.mark.parametrize("name", MADE)
def test_objects_made_and_kept_outside_hold_attributes_in_pythons_order(name):
    text = f"o = Plain()\n{MADE[name]}\nKEPT['o'] = [o]\nreturn x[0]"
    function = function_of(text, Plain=Plain, KEPT=KEPT)
    compiled = gs.compile(function)
    for x in (np.array([1.5, 2.0]), np.array([0.5, 2.0])):
        found = []
        for call in (function, compiled):
            KEPT.clear()
            call(x)
            found.append(repr(vars(KEPT["o"][0])))
        assert found[0] == found[1]


class Bare(type):
    """A metaclass."""


class Named(metaclass=Bare):
    pass


@each(
    "expression",
    [
        "type(Named).__name__ == 'Bare', str(type(Named).__name__)",
        "Bare.__bases__[0].__name__, len(Bare.__mro__), Bare.__qualname__, Bare.__doc__",
        "[c.__name__ for c in type(Named()).__mro__], type(type(Named())).__name__",
    ],
)
def test_names_of_metaclasses_are_those_of_classes(expression):
    function = function_of(f"({expression}), x", Bare=Bare, Named=Named)
    assert gs.compile(function)(1.0) == function(1.0)
