"""Operators of classes that derive from Python's numbers and texts, beside traced values: which
operand Python asks first, and what its own classes take.
"""

from __future__ import annotations

import enum

import numpy as np
import pytest

from control.one_object import check_calls, function_of

ARITHMETIC = {"mul": "*", "add": "+", "truediv": "/", "pow": "**", "mod": "%"}
COMPARING = {"lt": "<", "ge": ">=", "eq": "==", "ne": "!="}
REFLECTED = {"lt": "__gt__", "ge": "__le__", "eq": "__eq__", "ne": "__ne__"}
NUMBERS = [(1.25,), (2,), (True,), (1j,), (np.float64(2.0),), (np.int64(2),)]


def subclass(base, *names):
    def by_name(name):
        def method(self, other):
            return name, base(self), other

        return method

    held = {name: by_name(name) for name in names}
    return type("Own", (base,), {**held, "__hash__": base.__hash__})


def answered(function, call):
    try:
        return function(*call)
    except TypeError:
        return None


@pytest.mark.parametrize("base", [float, int, complex])
@pytest.mark.parametrize("name", [*ARITHMETIC, *COMPARING])
def test_who_is_asked(base, name):
    symbol = {**ARITHMETIC, **COMPARING}[name]
    ordered_complex = base is complex and name in ("lt", "ge")  # beside scalars: refused
    given = NUMBERS[:-2] if ordered_complex else NUMBERS
    reflected = REFLECTED.get(name, f"__r{name}__")
    for methods in [(f"__{name}__",), (reflected,), (f"__{name}__", reflected)]:
        own = subclass(base, *methods)
        for expression in (f"own(3) {symbol} x", f"x {symbol} own(3)"):
            f = function_of(f"    return {expression}\n", "x", own=own)
            calls = [call for call in given if answered(f, call) is not None]
            if calls:
                check_calls(f, *calls, exact=True)


def test_divmod():
    own = subclass(float, "__divmod__", "__rdivmod__")

    def f(x):
        return divmod(own(3), x), divmod(x, own(3))

    check_calls(f, (1.5,), (2,), exact=True)


def test_a_class_that_the_function_makes():
    def f(x):
        class Metres(float):
            def __radd__(self, other):
                return "metres", other + float(self)

            def __lt__(self, other):
                return float(self) * 2 < other

        return x + Metres(1.5), Metres(1.5) < x, Metres(2.0) * x

    check_calls(f, (2.0,), (3.5,), (4,))


class Template(str):
    def __mod__(self, other):
        return "mod", other


class Suffix(str):
    def __radd__(self, other):
        return "radd", other

    def __rmod__(self, other):
        return "rmod", other


class Folded(str):
    def __eq__(self, other):
        return "eq"

    def __gt__(self, other):
        return "gt"

    __hash__ = str.__hash__


def test_texts():
    def f(x):
        text = f"{x}"
        added = text + Suffix("q"), text % Suffix("q"), Template("a%d") % x, Template("b") + text
        return added, Folded("a") == text, text == Folded("a"), text < Folded("a")

    check_calls(f, (1.5,), (2,), ("ab",), (2.5,))


class Permission(enum.IntFlag):
    READ = 4
    WRITE = 2
    RUN = 1


def test_flags_beside_integers():
    def combined(n):
        kept = (Permission.READ | Permission.RUN) & n
        added = n | Permission.WRITE
        added ^= n
        return kept.value, repr(kept), added.name, Permission.WRITE in Permission(n)

    def of_bits(n):
        flags = Permission(0)
        for bit in range(n):
            flags |= 1 << bit
        return flags.value, Permission.WRITE in flags, flags == 3, Permission.READ + n

    for function in (combined, of_bits):
        check_calls(function, (1,), (2,), (3,))
