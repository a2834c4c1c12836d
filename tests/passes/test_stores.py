"""Parts that are cleared, added to and read again: one store, and the same numbers."""

from __future__ import annotations

import numpy as np

import gradsmith as gs
from helpers import each
from passes.test_views import check_gradient
from programs.harness import copied, same_bits


def reduced_and_divided(A):
    """The inner loop of a factorisation."""
    for i in range(1, len(A)):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[j, :j]
            A[i, j] /= A[j, j]
    return A


def scaled_twice(A):
    for i in range(1, len(A)):
        A[i, 0] *= A[i - 1, 0]
        A[i, 0] += np.sin(A[i, 0])
    return A


def perhaps_the_same(A):
    """The two parts are one where i + j is n - 1."""
    n = len(A)
    for i in range(n):
        for j in range(n):
            A[i, j] *= A[n - 1 - j, i]
            A[i, j] += A[j, n - 1 - i] ** 2
    return A


def the_same_row(A):
    for i in range(len(A)):
        A[i] *= A[i, 0]
        A[i, 1:] += A[i, :-1]
        A[i, 1] = A[i, 0] * A[i, 1]
    return A


def diagonal_beside_rows(A):
    n = len(A)
    for i in range(n):
        A[i, i] += A[i, : i + 1] @ A[: i + 1, i]
        A[i, i:] *= 1.5
        A[i, i] /= 2.0 + A[i, i] ** 2
    return A


def repeated_positions(A):
    idx = np.array([0, 1, 1])
    for i in range(len(A)):
        A[i, idx] += A[i, 0]
        A[i, idx] = A[i, [2, 0, 1]] * A[i, 1]
    return A


def read_by_a_branch(A):
    for i in range(1, len(A)):
        A[i, 0] *= A[i - 1, 1]
        if A[i, 0] > 0:
            A[i, 0] += A[i - 1, 0] ** 2
        A[i, 0] *= 2.0
    return A


FUNCTIONS = [
    reduced_and_divided,
    scaled_twice,
    perhaps_the_same,
    the_same_row,
    diagonal_beside_rows,
    repeated_positions,
    read_by_a_branch,
]


@each("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_value_and_gradient(function):
    random = np.random.default_rng(3)
    compiled, gradient = gs.compile(function), gs.grad(function, (0,))
    for n in (4, 5):
        A = random.normal(size=(n, n)) + 2 * np.eye(n)
        left, written = copied((A,)), copied((A,))
        same_bits(compiled(*written), function(*left))
        same_bits(written, left)
        check_gradient(function, gradient, (A,))


def test_the_adjoint_of_a_factorisation():
    A = np.eye(4)
    source = gs.differentiable(reduced_and_divided).grad.source(A, grad_outputs=A)
    backward = source.partition("# adjoint of line")[2].partition("g_A = ")[2]
    stores = [line.strip() for line in backward.splitlines() if "g_A[i, j]" in line]
    assert len(stores) == 2, source
    assert stores[0].endswith("= g_A[i, j]")
    assert stores[1].startswith("g_A[i, j] = ")
