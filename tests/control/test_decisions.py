"""Whatever a trace decides by a size, an integer or a value from outside holds for that call only.

One compiled object is called with several of them, in both orders.
"""

# ruff: noqa: E501

from __future__ import annotations

import decimal
import json
import os
from collections import deque

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of, outcome
from helpers import each


def row(n):
    return np.random.default_rng(n).normal(size=n)


LENGTHS = [(row(n),) for n in (5, 7, 3, 2, 1, 0, 12)]
OTHERS = [(row(n),) for n in (3, 9, 4, 5, 2)]
NUMBERS = [
    (row(n), k) for n, k in ((5, 3), (5, 2), (7, 0), (5, 5), (5, -2), (3, 7), (6, 1), (6, -1))
]
TABLES = [(np.random.default_rng(0).normal(size=s),) for s in ((3, 4), (4, 3), (4, 4), (1, 3))]

OF_A_LENGTH = {
    "truth": "x.sum() if len(x) else 1.0",
    "comparison": "x.sum() if len(x) > 4 else x.sum() * 2",
    "comparison with a float": "x.sum() if len(x) > 3.5 else x.sum() * 2",
    "equality with a float": "x.sum() * (len(x) == 5.0)",
    "equality with no integer": "x.sum() * (len(x) != 4.5)",
    "infinity": "x.sum() * (len(x) < float('inf'))",
    "chain": "x.sum() * (2 < len(x) <= 7)",
    "parity": "x.sum() * (len(x) % 2)",
    "shape": "x.sum() * (x.shape == (5,))",
    "shape in a list": "x.sum() * (x.shape in [(5,), (3,)])",
    "key of a dict": "x.sum() * {5: 1.5, 7: 2.5}.get(len(x), 0.5)",
    "missing key of a dict": "x.sum() * {5: 1.5, 7: 2.5}[len(x)]",
    "key that is made": "x.sum() * len({len(x): 1, 5: 2})",
    "element of a set": "x.sum() * (len(x) in {5, 3})",
    "element of a tuple": "x.sum() * (len(x) in (5, 3))",
    "hash": "x.sum() * hash(len(x))",
    "sorted": "x.sum() * sorted([len(x), 4])[0]",
    "max and min": "x.sum() * max(len(x), 4) * min(len(x), 6, 4)",
    "text": "x.sum() * len(f'{len(x):03d}') * (str(len(x)) == '5')",
    "text of a shape": "x.sum() * len(str(x.shape))",
    "repeated list": "x.sum() * sum([0.5] * len(x))",
    "repeated text": "x.sum() * ('abc' * len(x)).count('a')",
    "item of a list": "x.sum() * [1.0, 2.0, 3.0, 4.0][len(x)]",
    "slice of a list": "x.sum() * sum([1.0, 2.0, 3.0, 4.0][: len(x)])",
    "index of an element": "x.sum() * [5, 7, 3].index(len(x))",
    "count of an element": "x.sum() * [5, 7, 3].count(len(x))",
    "item of a range": "x.sum() * range(len(x))[1] * range(len(x))[-1]",
    "slice of a range": "x.sum() * sum(range(len(x))[1:3])",
    "length of a range": "x.sum() * len(range(1, len(x), 2))",
    "list of a range": "x.sum() * sum(list(range(len(x))))",
    "element of a range": "x.sum() * (3 in range(len(x)))",
    "all": "x.sum() * all(i < 6 for i in range(len(x)))",
    "any": "x.sum() * any(i > 1 for i in range(len(x)))",
    "number of elements": "x.sum() * len([i for i in range(len(x)) if i % 2])",
    "power": "x.sum() * len(x) ** 2 * (-1) ** len(x)",
    "divmod": "x.sum() * divmod(len(x), 3)[1]",
    "absolute value": "x.sum() * abs(len(x) - 4)",
    "shift": "x.sum() * (1 << len(x)) * (len(x) & 1)",
    "negative length of an array": "x.sum() * np.zeros(len(x) - 3).size",
    "range of an array": "np.arange(len(x) - 4).sum() + x.sum()",
    "index by a range": "x[np.arange(len(x) - 4)].sum()",
    "extremum of a slice": "x[2:].max()",
    "norm of a slice": "np.linalg.norm(x[3:], 1)",
    "item": "x[3]",
    "item from the end": "x[-3]",
    "part of a half": "x[len(x) // 2]",
    "slices": "x[-len(x) // 2 :].sum() + x[:3].sum() + x[::2].sum()",
    "reshape": "x.reshape(len(x) // 2, 2).sum()",
    "padding": "np.pad(x, len(x) // 2).sum()",
    "repetition": "np.repeat(x, len(x)).sum()",
    "differences": "np.diff(x, len(x) // 2).sum()",
    "unpacking": "a, b, *c = x\nreturn a * b * len(c)",
}


@pytest.mark.parametrize("name", OF_A_LENGTH)
def test_lengths(name):
    function = function_of(OF_A_LENGTH[name], TABLE={})
    check_calls(function, *LENGTHS, messages=False)
    check_calls(function, *OTHERS, messages=False)


OF_A_NUMBER = {
    "truth": "x.sum() if n else 1.0",
    "comparison": "x.sum() if n > 2 else 2 * x.sum()",
    "index": "x[n]",
    "slices": "x[:n].sum() + x[n:].sum() + x[-n:].sum()",
    "step": "x[::n].sum()",
    "item of a list": "[1.0, 2.0, 3.0, 4.0][n] * x.sum()",
    "length": "np.ones(n).sum() * x.sum()",
    "two lengths": "np.zeros((n, 2)).size * x.sum()",
    "range": "x.sum() * sum(range(n)) * len([0] * n)",
    "floor division": "x.sum() * (7 // n)",
    "inferred axis": "x.reshape(n, -1).sum()",
    "length of an axis that may be inferred": "x.reshape(n, len(x)).shape[0] * x.sum()",
    "length of one of two such axes": "x.reshape((n, -1)).shape[0] * x[0]",
    "power": "np.sum(x**n)",
    "roll": "np.roll(x, n)[0]",
    "axis": "np.outer(x, x[:2]).sum(axis=n)[0]",
    "moved axis": "np.moveaxis(np.outer(x, x[:2]), n, 0)[0, 1]",
    "diagonal": "np.diag(x, n).sum() + np.trace(np.outer(x, x), n)",
    "elements of an argument": "np.sum(np.array([x[i] for i in range(n)]))",
    "take": "np.take(x, n)",
    "set": "x.sum() * (n in {1, 2, 3})",
    "text": "x.sum() * int(str(n)[-1])",
    "deleted": "np.delete(x, n).sum()",
    "deleted positions": "np.delete(x, [n, 0]).sum() + np.delete(np.outer(x, x), (n, -1), 1).sum()",
    "deleted slice": "np.delete(x, slice(0, n)).sum()",
    "inserted": "np.insert(x, n, 1.0).sum()",
    "split": "np.split(x, [n])[0].sum()",
    "samples": "np.linspace(0, 1, n).sum() * x.sum()",
}


@pytest.mark.parametrize("name", OF_A_NUMBER)
def test_numbers(name):
    check_calls(function_of(OF_A_NUMBER[name], "x, n"), *NUMBERS, messages=False)


REALS = [(x, k + 0.25) for x, k in NUMBERS]


@pytest.mark.parametrize("name", [name for name in OF_A_NUMBER if name != "two lengths"])
def test_integers_that_are_made_of_numbers(name):
    """What no op can keep symbolic is specialised on where the integer is made."""
    function = function_of(f"n = int(np.floor(v))\nreturn {OF_A_NUMBER[name]}", "x, v")
    check_calls(function, *REALS, messages=False)


OF_WINDOWS = {
    "inferred axis": "np.dot(A.reshape(-1), np.ones((A.size, 2 * h * w))).reshape(h, w, -1)[0].sum()",
    "windows": "sum(A[i:i + 2, j:j + 2].max() for i in range(h) for j in range(w))",
    "repeated": "np.repeat(np.arange(h), float(w)).reshape(h, w).T.ravel() @ np.ones(h * w) * A[0, 0]",
    "transposed": "np.zeros((h, w)).transpose(1, 0).reshape(w * h, -1).shape[1] * A.sum()",
    "an array of arrays": "np.array([[A[i:i + 2, j:j + 2].sum() for j in range(w)] for i in range(h)]).reshape(-1, h * w)[0] @ np.arange(h * w)",
}  # fmt: skip


@pytest.mark.parametrize("name", OF_WINDOWS)
def test_lengths_of_windows(name):
    sizes = "h = int((A.shape[0] - 2) / 1 + 1)\nw = (A.shape[1] - 2) / 1 + 1\n"
    sizes += "if not w.is_integer(): raise ValueError('no width')\nw = int(w)\n"
    tables = [(np.random.default_rng(0).normal(size=s),) for s in ((3, 4), (4, 3), (5, 5), (3, 4))]
    check_calls(function_of(f"{sizes}return {OF_WINDOWS[name]}", "A"), *tables, messages=False)


OF_A_CHOICE = {
    "inferred length": "x.reshape(2 if x[0] > 0 else -1, 3).shape[0] * x[1]",
    "inferred shape": "x.reshape((2, -1) if x[0] > 0 else (-1, 1)).sum(axis=0)[0] * x[1]",
    "length from an integer": "x.reshape(int(x[0]) * 3 - 1, 6).shape[0] * x[1]",
    "joined text": "len('-'.join('a' if v > 0 else 'bb' for v in x)) * x[0]",
    "joined list": "len(str.join('', ['a' if v > 0 else 'bb' for v in x])) * x[0]",
    "joined bytes": "len(b''.join([b'a' if v > 0 else b'bb' for v in x])) * x[0]",
    "base": "int(''.join('1' if v > 0 else '0' for v in x), 2) * x[0]",
    "prefixes": "'abc'.startswith(tuple('a' if v > 0 else 'q' for v in x)) * x[0]",
    "replaced": "'abc'.replace('a', 'b' if x[0] > 0 else 'cc').count('b') * x[0]",
    "name of an attribute": "hasattr(np, 'sin' if x[0] > 0 else 'sinq') * x[0]",
    "name of a function": "getattr(np, 'sin' if x[0] > 0 else 'cos')(x[1])",
    "name of a method": "getattr(x, 'sum' if x[0] > 0 else 'mean')()",
    "character": "ord('a' if x[0] > 0 else 'b') * x[0]",
    "digits": "float(decimal.Decimal('1.5' if x[0] > 0 else '2')) * x[0]",
    "dtype": "x.astype('f8' if x[0] > 0 else 'f4').dtype.itemsize * x[0]",
    "argument of a library": "len(json.dumps({'k': 'abc' if x[0] > 0 else 'd'})) * x[0]",
}
SIGNS = [(x,) for x in (row(6) * s for s in (np.ones(6), -np.ones(6), np.tile([1, -1], 3)))]


@pytest.mark.parametrize("name", OF_A_CHOICE)
def test_choices(name):
    function = function_of(OF_A_CHOICE[name], decimal=decimal, json=json)
    check_calls(function, *SIGNS)


@each(
    "body",
    [
        "A.sum() * (A.shape == (3, 4))",
        "A[0].sum() if A.shape[0] > A.shape[1] else A[:, 0].sum()",
        "A.sum() * (A.shape[0] == A.shape[1])",
        "A.sum() * len(set(A.shape)) * max(A.shape)",
        "(A @ A).sum()",
        "A[min(A.shape) - 1, 0]",
        "(A * A[0]).sum() + (A + A[:, :1]).sum()",
        "sum(r[0] * c[0] for r, c in zip(A, A.T))",
        "np.trace(A)",
    ],
)
def test_shapes(body):
    check_calls(function_of(body, "A"), *TABLES, messages=False)


class Own:
    """An object from outside."""


OUTSIDE = {
    "membership in a dict": "x * 2 if 'k' in table else x",
    "get": "x * table.get('k', 1.0)",
    "length of a list": "x * len(items)",
    "truth of a list": "x * 2 if items else x",
    "sum of a list": "x * sum(items)",
    "membership in a list": "x * 2 if 5 in items else x",
    "values of a dict": "x * sum(table.values())",
    "keys of a dict": "x * sum(table[k] for k in table)",
    "membership in a set": "x * 2 if 5 in members else x",
    "length of a deque": "x * len(queue)",
    "hasattr": "x * 2 if hasattr(own, 'k') else x",
    "getattr": "x * getattr(own, 'k', 1.0)",
    "attribute": "x * own.always",
    "environment": "x * 2 if 'GRADSMITH_TEST' in os.environ else x",
    "variable of the environment": "x * float(os.environ.get('GRADSMITH_TEST', '1'))",
    "getenv": "x * float(os.getenv('GRADSMITH_TEST', '1'))",
    "error": "try:\n    y = x * table['k']\nexcept KeyError:\n    y = x\nreturn y",
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_values_from_outside(name, monkeypatch):
    table, items, members, queue, own = {}, [], set(), deque(), Own()
    own.always = 1.0
    names = {"table": table, "items": items, "members": members, "queue": queue, "own": own}
    function = function_of(OUTSIDE[name], os=os, **names)
    compiled = gs.compile(function)

    def check():
        assert outcome(compiled, (1.5,)) == outcome(function, (1.5,))

    check()
    table["k"] = own.k = own.always = 3.0
    for add in (items.append, members.add, queue.append):
        add(5)
    monkeypatch.setenv("GRADSMITH_TEST", "3")
    check()
    own.k = own.always = 4.0
    table["j"] = 0.5
    items.append(6)
    members.discard(5)
    queue.append(6)
    monkeypatch.setenv("GRADSMITH_TEST", "4")
    check()
    del table["k"], own.k
    items.clear()
    monkeypatch.delenv("GRADSMITH_TEST")
    check()


def test_a_comparison_with_a_float_needs_no_more_than_it_says():
    """One code serves all lengths on one side of the number."""
    compiled = gs.compile(function_of("x.sum() if len(x) > 2.5 else 0 * x.sum()"))
    source = compiled.source(row(3))
    assert compiled.source(row(9)) == source
    assert compiled.source(row(2)) != source
