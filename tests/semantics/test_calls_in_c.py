"""Traced integers, floats and texts that C code is given: it takes them for what they are, with
and without a handler around, or fails as it does in Python.
"""

import collections
import dataclasses
import enum
import functools
import itertools
import json
import math
import operator
import os
import re
import struct
import sys
import textwrap
import types

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

CALLS = [(1.5, 2), (2.5, 3), (1.5, 5), (1.5, 2)]
MODULES = (
    *(collections, dataclasses, enum, functools, itertools, json, math, operator, os, re),
    *(struct, sys, textwrap, types),
)


def total(**named):
    return sum(named.values()) + len("".join(named))


class Plain:
    def method(self, a, b=2):
        return a * b


NAMES = {module.__name__: module for module in MODULES} | {"total": total, "Plain": Plain}


def tried(expression):
    handler = "except Exception as error:\n    return type(error).__name__"
    return f"try:\n    return {expression}\n{handler}"


def check_as_in_python(expression):
    """Under a handler, too: it sees Python's errors, and no others."""
    for body in (f"return {expression}", tried(expression)):
        check_calls(function_of(body, "x, n", **NAMES), *CALLS, messages=False)


@each(
    "expression",
    [
        'total(**{f"k{n}": x})',
        'total(**{f"k{n}": x, f"k{n + 1}": n})',
        'total(**{"k" + str(n): x}, a=n)',
        'total(**collections.OrderedDict([(f"k{n}", x)]))',
        'total(**collections.ChainMap({f"k{n}": x}))',
        'total(**collections.UserDict({f"k{n}": x}))',
        'total(**types.MappingProxyType({f"k{n}": x}))',
        'sum(total(**{f"k{i}": x * i}) for i in range(n))',
        "functools.partial(total, **{f'k{n}': x})(a=n)",
        "Plain().method(x, **{'ab'[n - 1 :] or 'b': n})",
        'dict(**{f"k{n}": x})[f"k{n}"]',
        'types.SimpleNamespace(**{f"k{n}": x}).__dict__',
        "total(**{n: 1})",
    ],
)
def test_names_of_arguments(expression):
    check_as_in_python(expression)


@each(
    "expression",
    [
        "eval(str(n))",
        'eval(f"x * {n}")',
        'eval(f"{n} + k", {"k": n})',
        'eval(compile(f"{n} + 1", "a", "eval"))',
        "eval(n)",
        'eval(f"{n} +")',
        "sum(eval(text) for text in [str(n), str(n + 1)])",
    ],
)
def test_sources(expression):
    check_as_in_python(expression)


def test_statements_given_as_source():
    def f(x, n):
        held = {"x": x}
        try:
            exec(f"y = x * {n} + 1", held)
        except TypeError:
            return -1.0
        return held["y"]

    check_calls(f, *CALLS)


def test_sources_that_say_floats():
    """They are evaluated by the emitted code, and have no derivative."""

    def f(x, n):
        return eval(f"{x} * 2") + eval(str(n)) * x

    compiled = gs.compile(f)
    assert [compiled(*call) for call in CALLS] == [f(*call) for call in CALLS]
    with pytest.raises(gs.errors.GradientError, match="eval"):
        gs.grad(f)(1.5, 2)


@each("statement", ['return eval(f"x * {x}")', 'exec(f"y = {x}", {})'])
def test_sources_that_say_floats_beside_names(statement):
    with pytest.raises(gs.errors.UnsupportedError, match="says a traced number"):
        gs.compile(function_of(f"{statement}\n", "x, n"))(1.5, 2)


@each("source", ["isinstance(n, int)", "type(x).__name__", "[k.__class__ for k in [n]]"])
def test_source_that_asks_for_classes(source):
    with pytest.raises(gs.errors.UnsupportedError, match="source given to eval"):
        gs.compile(function_of(tried(f"eval({source!r})"), "x, n"))(1.5, 2)


@each(
    "expression",
    [
        'json.dumps({n: 1, "a": {n: [x]}})',
        'json.dumps({f"{n}": f"{x}"})',
        "json.dumps({n: 1, 10: x}, sort_keys=True)",
        "json.dumps({(n,): 1})",
        'str.maketrans({n: "a"})',
        'str.maketrans({f"{chr(96 + n)}": "z"})',
        'str.maketrans({f"{n}": "z"})',
        '"ABC".translate({65: n + 95})',
        '"ABC".translate({65 + n: "z"})',
        'operator.itemgetter(f"{n}")({"2": x, "3": x, "5": 1.0})',
        "list(itertools.combinations([1, 2, 3], n))",
        "list(itertools.islice([x, 2 * x, 3 * x], n))",
        "list(itertools.repeat(x, times=n))",
        "list(itertools.repeat(x, str(n)))",
        'struct.unpack("i", struct.pack("i", n))[0]',
        'textwrap.shorten(f"hello {n} world", width=n + 10)',
        're.sub(str(n), f"{x}", "b2n3n5")',
        'os.path.join("a", f"{x}.txt")',
        'os.path.exists(f"/nowhere/{n}")',
        "sys.intern(str(n))",
        '"%*.*f" % (n + 5, n, x)',
        '"%c" % str(n)',
        '"%d" % str(n)',
        'f"{str(n):d}"',
        '"a" * str(n)',
        "[1] * str(n)",
        "str.join(n, ['a'])",
        "math.comb(n)",
        "math.factorial(str(n))",
    ],
)
def test_what_libraries_are_given(expression):
    check_as_in_python(expression)


@each(
    "expression",
    [
        'collections.namedtuple("P", f"a{n} b")(1, x)._fields',
        'dataclasses.make_dataclass("D", [f"a{n}"])(x).__dict__',
        'enum.Enum("E", {f"a{n}": n})[f"a{n}"].value',
        'enum.Enum(f"E{n}", "a b").__name__',
        'type(f"K{n}", (Plain,), {f"a{n}": n}).__name__',
        'getattr(type("K", (Plain,), {f"a{n}": x})(), f"a{n}")',
    ],
)
def test_names_of_classes_and_attributes(expression):
    check_as_in_python(expression)


@each(
    "expression",
    [
        "complex(imag=x)",
        "complex(imag=n, real=x)",
        "complex(real=n)",
        "complex(imagg=x)",
        "str(object=n)",
        "str(object=x)",
        "str(obj=n)",
        'str(n, "utf8")',
        "round(number=2.55, ndigits=n)",
        "pow(base=x, exp=n)",
        "sum([x, n], start=n)",
        "list(enumerate(iterable=[x], start=n))",
        "len(obj=n)",
    ],
)
def test_names_of_parameters(expression):
    check_as_in_python(expression)


def test_meanings_of_builtins_have_pythons_names():
    def f(x, n):
        return complex(real=x, imag=n * x).imag

    assert gs.grad(f)(1.5, 3) == 3.0


@each(
    "expression",
    [
        *(f"operator.attrgetter({name!r})(n)" for name in ("real", "real.imag", "__class__", "a")),
        'operator.attrgetter("real", "imag")(x)',
        'operator.attrgetter("__class__.__name__")(x)',
        'operator.methodcaller("bit_length")(n)',
        'operator.methodcaller("conjugate")(x)',
        'operator.methodcaller("is_integer")(x)',
        'operator.methodcaller("zfill", 5)(str(n))',
        'operator.methodcaller("split", "a", maxsplit=1)(f"{n}a{x}a")',
        'operator.methodcaller("foo")(n)',
        'max([n, 1], key=operator.methodcaller("bit_length"))',
        'list(map(operator.attrgetter("real"), [x, n]))',
    ],
)
def test_getters(expression):
    check_as_in_python(expression)


OBJECTS = {"n": "int", "x": "float", "str(n)": "str", "str(x)": "str"}


ASKED = ("__dict__", "mro", "dim", "view", "values")


@each("value, name", OBJECTS.items())
def test_attributes_that_all_objects_have(value, name):
    for expression in (
        *(f"{value}.__class__ is {name}", f"{value}.__class__.__name__"),
        *(f"{value}.__doc__ == {name}.__doc__", f"dir({value}) == dir({name})"),
        *(f"{value}.__repr__()", f"{value}.__str__()", f"{value}.__format__('>9')"),
        *(f"{value}.__init__()", f"{value}.__module__", f"{value}.__dict__", f"{value}.foo"),
        *(f"{value}.__getattribute__('__doc__') is {name}.__doc__", f"{value}.parts"),
        *(f"hasattr({value}, {asked!r})" for asked in ASKED),
        f"getattr({value}, 'parts', n)",
        f"type({value}).__name__",
    ):
        check_as_in_python(expression)


@each(
    "expression",
    [
        *(f"{{}}.{name}" for name in ("__class__ is list", "__class__.__name__", "__repr__()")),
        *(f"{{}}.{name}" for name in ("__doc__ == list.__doc__", "__len__()", "node")),
        *(
            '"append" in dir({})',
            'hasattr({}, "node")',
            "isinstance({}, list)",
            "type({}).__name__",
        ),
    ],
)
def test_attributes_of_what_calls_return(expression):
    check_as_in_python(expression.format('f"{x}".split(".")'))


def test_arrays_have_these_attributes_too():
    check_calls(function_of("(x.__doc__, dir(x) == dir(np.ndarray))"), (np.ones(2),))


def test_in_loops_and_branches():
    def f(x, n):
        s = 0.0
        for k in range(n):
            s = s + total(**{f"k{k}": x})
            if x > 2.0:
                s = s + operator.attrgetter("real")(k) * eval(f"{k} + 1")
        return s

    check_calls(f, *CALLS)
