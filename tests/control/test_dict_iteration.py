"""Dicts that branches and loops change while they are iterated over."""

import collections

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

NUMBERS = [(0.5,), (2.0,), (4.0,)]
DICTS = (
    *("{'a': x, 'b': 2 * x, 'c': x / 2}", "collections.OrderedDict(a=x, b=2 * x, c=x / 2)"),
    *("collections.Counter(a=x, b=2 * x)", "collections.UserDict(a=x, b=2 * x)"),
    "collections.defaultdict(float, {'a': x, 'b': 2 * x})",
)
LOOPS = (
    "for k, v in d.items():\n    if v > 3: d.pop(k); break",
    "for k in d:\n    if d[k] > 3:\n        del d[k]\n        break",
    "for k in d.keys():\n    if d[k] > 3: return k, d.pop(k)",
    "for i, (k, v) in enumerate(d.items()):\n    if v > 3: del d[k]; break\n    s += v * i",
    "for k, v in zip(d, d.values()):\n    if v > 3: d.clear(); break\n    s += v",
    "it = iter(d.items())\nwhile (kv := next(it, None)):\n    if kv[1] > 3: d.pop(kv[0]); break",
    "while True:\n    for k in d:\n        if d[k] > 1: del d[k]; break\n    else:\n        break",
    "s = any(d.pop(k) > 3 for k in list(d) if d[k] > 1)",
    "for v in d.values():\n    if v > 3: d['n'] = v; break",
    "for k in map(str, d):\n    if d[k] > 3: d.pop(k); break",
)
CHANGED = (
    "for k, v in d.items():\n    if v > 3: d.pop(k)",
    "for k in d:\n    if d[k] > 3: d['n'] = 1.0",
    "s = [k for k in d if d[k] < 3 or d.pop(k)]",
    "for k in d:\n    if d[k] > 3:\n        v = d.pop('a')\n        d['a'] = v",
)


@each("made", DICTS)
def test_a_branch_that_deletes_a_key(made):
    for loop in LOOPS:
        body = f"d = {made}\ns = 0.0\n{loop}\nreturn dict(d), s"
        check_calls(function_of(body, collections=collections), *NUMBERS)


@each("loop", CHANGED)
def test_changes_that_python_refuses(loop):
    for made in DICTS[:2]:
        body = f"d = {made}\ns = 0.0\n{loop}\nreturn dict(d), s"
        check_calls(function_of(body, collections=collections), *NUMBERS, messages=False)


def test_an_argument_that_is_a_dict():
    def function(limit, d):
        for k, v in d.items():
            if v > limit:
                del d[k]
                return k
        return None

    compiled = gs.compile(function)
    for limit in (0.5, 2.0, 9.0, 1.5):
        given, expected = ({"a": 1.0, "b": 3.0} for _ in range(2))
        assert compiled(limit, given) == function(limit, expected)
        assert given == expected


OPERATORS = (
    *("operator.add(a, b)", "operator.mul(a, 2)", "operator.mul(a, b)", "operator.lt(a, [b])"),
    *(
        "operator.eq([b], b)",
        "operator.ne((b,), b)",
        "operator.sub([1.0], b)",
        "operator.mul('ab', 2)",
    ),
    *("operator.concat(a, [b])", "operator.concat(a, b)", "operator.truediv((1.0,), b)"),
    *(
        "operator.eq(None, b)",
        "operator.iadd(a, [b])",
        "operator.imul(a, 2)",
        "operator.add(b, b)",
    ),
    *("list(map(operator.mul, [a], [2]))", "{'+': operator.add}['+'](a, [b])"),
)


@each("expression", OPERATORS)
def test_operators_by_name_beside_lists(expression):
    body = f"try:\n    return {expression}\nexcept TypeError as e:\n    return str(e)"
    function = function_of(body, "b, a", operator=__import__("operator"))
    for a in ([1.0, 2.0], (1.0,)):
        check_calls(function, (2.0, a), (3.5, a))


def test_concatenation_of_arrays():
    function = function_of("return operator.concat(a, b)", "a, b", operator=__import__("operator"))
    with pytest.raises(TypeError, match="Concatenation operation"):
        gs.compile(function)(np.array([1.0, 2.0]), np.array([1, 0]))
