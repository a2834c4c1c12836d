"""What functions do not take: a ``try`` handles the error that Python or NumPy raises."""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

from control.one_object import check_calls, function_of

ROWS = np.array([[1.0, 2.0], [3.0, 4.0]])
VECTOR = np.array([1.5, -2.0, 3.0])
KINDS = {
    "axes in a list": ("np.sum(x, axis=k), np.max(x, k), x.mean(k)", (ROWS, 0), (ROWS, [0, 1])),
    "no axis": ("np.expand_dims(x, k), np.moveaxis(x, k, 0)", (ROWS, 1), (ROWS, None)),
    "order of sorting": ("np.sort(x, 0, k), np.argsort(x, 0, k)", (ROWS, None), (ROWS, 1)),
    "lists without a shape": ("np.hsplit(x, k), np.unstack(x)", (ROWS, 2), ([1.5, 2.0], 2)),
    "blocks in a tuple": ("np.block(x)", ([VECTOR, VECTOR], 0), ((3, 1), 0)),
    "types of lists": ("np.result_type(x, k)", (VECTOR, 2.0), ([1, 2], 2.0)),
    "axis of a number": ("np.average(x, k)", (VECTOR, 0), (2, -1), (ROWS, 1)),
    "order of complex numbers": (
        "operator.ge(x, k), max(x, k), x < k",
        *((2.5, 2), (2 + 1j, 2.0), (1, 3.5)),
    ),
    "concatenation": ("operator.iconcat(x, k)", ([1.5], [2]), (2.5, 3), (VECTOR, VECTOR)),
    "product of matrices": ("operator.matmul(x, k)", (VECTOR, VECTOR), (2.5, 3)),
    "truncation": ("math.trunc(x) + k", (2.5, 1), (np.int64(5), 1), (7, 2)),
    "remainder of a list": ("divmod(x, k)", (7.5, 2), ([1, 2], 2)),
    "base of a number": ("int(x, k)", ("12", 8), (2.5, 1), (2.5, 10)),
    "no imaginary part": ("complex(x, k)", (2.5, 1.0), (2.5, None)),
    "smallest of one row": ("min(x[:k]), max(x[:k])", (ROWS, 1), (ROWS, 2)),
    "range of a position": (
        "np.unravel_index(x, k)[0] * 1.0",
        *((np.int64(3), (2, 2)), (np.array([1, 2]), (2, 2)), (3, 4)),
    ),
    "position out of range": (
        "np.unravel_index(np.argmax(x) + k, (1, 3))[1]",
        *((VECTOR, 0), (VECTOR, -2)),
    ),
    "steps of a range": ("np.arange(0, 1, x) * k", (0.25, 1), (np.float64(0.0), 1), (0.0, 1)),
    "ends of a range": (
        "np.arange(x, k)",
        *((0.5, 4.0), (0.0, np.inf), (5.0, 1.0), (0.0, 1e20), (0.0, np.nan)),
    ),
    "geometric samples": ("np.geomspace(x, k, 4)", (1.0, 8.0), (0.0, 8.0), (2.0, 0)),
    "repetitions": ("x.repeat(k)", (VECTOR, 2), (VECTOR, -2)),
    "whole numbers": ("x.is_integer() + k", (2.5, 1), (np.array(2.5), 1), (np.float64(2), 1)),
    "positions along an axis": (
        "np.take_along_axis(x, k, 0)",
        *((VECTOR, np.array([0, 2])), (VECTOR, np.array([True, False, True]))),
    ),
    "diagonal": ("np.diag_indices_from(x[:k])", (ROWS, 2), (ROWS, 1)),
}


def _program(expression):
    body = f"try:\n    r = {expression}\nexcept Exception as error:\n"
    body += "    return [k.__name__ for k in type(error).__mro__ if k.__module__ == 'builtins']\n"
    return function_of(f"{body}return r", "x, k", operator=operator, math=math)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", KINDS)
def test_errors_are_handled(name):
    expression, *calls = KINDS[name]
    check_calls(_program(expression), *calls)


def test_results_keep_their_kind():
    def f(x, y):
        return np.cross(x[:2], y[:2]), np.cross(x, y), np.reciprocal(x * 1j + y)

    check_calls(f, (VECTOR, VECTOR[::-1].copy()), (np.array([3.0, 0.0, 1.0]), VECTOR))


def test_values_keep_their_types_beside_sizes():
    def f(n, v):
        return np.full(n, v), np.full((n, 2), fill_value=v), np.full(shape=n, fill_value=v)

    def g(x, n):
        return np.power(x, 2), x**2, np.power(x, 3), np.power(x > 1, n)

    def h(a, b):
        samples = np.geomspace(a, b, 4), np.geomspace(a, b, 4, dtype=np.float32)
        return samples, np.logspace(a, b, 3), np.linspace(a, b, 3)

    ends = [(np.float32(1.5), 2.5), (VECTOR[::2].astype(np.float32), np.float32(4.0)), (2, 9)]
    check_calls(h, *ends)
    sizes = [(np.int8(3), np.int16(3)), (np.int64(2), np.uint8(7)), (3, np.float32(2.5)), (2, 5)]
    check_calls(f, *sizes)
    check_calls(g, (np.array([True, False]), 2), (np.array([2, 1], np.int8), 3))


def test_a_text_of_a_branch_within_a_text():
    def f(x):
        word = "neg" if x < 0 else "pos"
        return word in "negative", "e" in word, x

    check_calls(f, (1.0,), (-1.0,))
