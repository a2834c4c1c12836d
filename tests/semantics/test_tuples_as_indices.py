"""Tuples whose elements are computed, as the index of an array: one element for each axis."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import function_of
from helpers import each

READS = [
    "A[tuple(int(v) for v in q)]",
    "A[tuple(np.round(q).astype(int))]",
    "A[tuple([i % 2 for i in range(len(q))])]",
    "A[(*[int(v) for v in q],)]",
    "A[tuple(map(int, q))[:1]], A[(0,) + tuple(map(int, q))[1:]]",
    "A[tuple(q.astype(int))], A[tuple(q.astype(int).tolist())]",
    "[A[p] for p in [tuple(int(v) for v in q), (0, 0)]]",
    "A[tuple(slice(0, int(v) + 1) for v in q)]",
    "A[tuple(slice(None) if v > 0.7 else 0 for v in q)]",
    "A[tuple(int(v) for v in q[:0])].shape",
    "A[..., tuple(int(v) for v in q)]",
    "np.transpose(A, tuple(int(v) for v in np.argsort(q)))",
    "np.sum(A, axis=tuple(int(v) for v in np.argsort(q)))",
    "np.zeros(tuple(int(v) + 1 for v in q))",
    "np.ravel_multi_index(tuple(int(v) for v in q), A.shape)",
    "np.unravel_index(int(q[0]) + 2, A.shape)",
]
WRITES = [
    "i = tuple(int(v) for v in q)\nA[i] = 9.0\nreturn A",
    "A[tuple(map(int, q))] += q[0]\nreturn A",
    "for r in np.stack([q, q * 0]).astype(int):\n    A[tuple(r)] += 1.0\nreturn A",
    "B = np.ones((4, 4))\nfor p in q, q / 2:\n    B[tuple(int(2 * c) for c in p)] += 1\nreturn B",
]
PLACES = [np.array(v) for v in ([0.5, 1.0], [1.0, 1.7], [0.0, 0.0], [1.2, 0.3])]


@each("body", [*READS, *WRITES])
def test_values(body):
    function = function_of(body, "A, q")
    for places in (PLACES, PLACES[::-1]):
        compiled = gs.compile(function)
        for q in places:
            left, given = (np.arange(6.0).reshape(2, 3) for _ in range(2))
            assert repr(compiled(given, q)) == repr(function(left, q))
            np.testing.assert_array_equal(given, left)


def test_gradients():
    gradient = gs.grad(lambda A, q: A[tuple(int(v) for v in q)] ** 2)
    A = np.arange(6.0).reshape(2, 3)
    for q in PLACES:
        expected = np.zeros((2, 3))
        expected[tuple(map(int, q))] = 2 * A[tuple(map(int, q))]
        np.testing.assert_array_equal(gradient(A, q), expected)


MIXED = [
    "np.array([x if i else 0 for i in range(n)]) * 2",
    "np.array([x if i else 300 for i in range(n)])",
    "l = []\nfor i in range(n):\n    l.append(x if i % 2 else 16777217)\nreturn np.array(l)",
]


@pytest.mark.parametrize("body", MIXED)
def test_arrays_of_integers_beside_narrow_numbers(body):
    function = function_of(body, "x, n")
    for x in (np.int8(100), np.float32(0.5), np.uint8(3), 0.5, np.float64(2.0), 2):
        compiled = gs.compile(function)
        for n in (3, 2):
            assert repr(compiled(x, n)) == repr(function(x, n))
