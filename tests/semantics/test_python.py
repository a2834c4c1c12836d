"""Python around traced values.

Rows of the table "Mutation and Python around it" in docs/semantics.md.
"""

# Functions are written here as users write them, not as a linter would have them.
# ruff: noqa: C417

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.numbers import check, same

X = np.array([0.5, -1.25, 2.0])
A = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.6], [0.9, -0.2, 1.7]])


# --- Python around it


@dataclass
class Pair:
    left: np.ndarray
    right: np.ndarray

    def product(self):
        return self.left * self.right


def with_a_dataclass(x):
    pair = Pair(x * x, right=np.sin(x))
    return np.sum(pair.product())


def with_errstate(x):
    with np.errstate(divide="ignore"):
        y = 1 / x
    return np.sum(y * y)


def with_asserts(x):
    assert x.ndim == 1, "a vector"
    assert x.shape == (3,)
    assert isinstance(x, np.ndarray)
    assert x.dtype == np.float64
    assert x.size == len(x) == 3
    return np.sum(x * x)


def with_annotations(x: np.ndarray) -> float:
    y: np.ndarray = x * 2
    return np.sum(y**2)


def with_a_walrus(x):
    return np.sum((y := x * x) * y)


def with_stars(x):
    first, *rest = [x, x * 2, x * 3]
    return np.sum(sum([*rest, first]) * x)


def with_comprehensions(x):
    squares = [x[i] ** 2 for i in range(3) if i != 1]
    named = {str(i): x[i] for i in range(3)}
    return sum(s for s in squares) + sum(k * named[str(k)] for k in range(3))


def with_map_and_reduce(x):
    matrices = map(lambda k: np.outer(x, x) + k, range(3))
    return np.sum(functools.reduce(lambda a, b: a @ b, matrices))


def with_zip_and_enumerate(x):
    total = 0.0
    for i, (a, b) in enumerate(zip([x, x * 2], reversed([x * 3, x * 4]), strict=True)):
        total += np.sum(a * b) * (i + 1)
    return total


def with_a_match(x):
    match x.ndim:
        case 1:
            return np.sum(x**2)
        case _:
            return np.sum(x)


def with_a_while(x):
    n = 3
    while n > 0:
        x = np.sin(x)
        n -= 1
        if n == 1:
            break
    else:
        x = x * 0
    return x


def with_itertools(x):
    return sum(x[i] * x[j] for i, j in itertools.combinations(range(3), 2))


def with_a_table_of_functions(x):
    return np.sum(functools.reduce(lambda y, f: f(y), [np.sin, np.exp, lambda y: y * x], x))


def with_del(x):
    y = x * x
    z = y + 1
    del y
    return z


def with_builtins(x):
    return abs(x) + pow(x, 2) + divmod(7, 2)[1] * x + round(2.5) * x


def with_matmul_chain(x):
    M = np.eye(3)
    M[0, 1] = x[0]
    M[2, 0] = x[1] * x[2]
    return M @ M @ x


def with_elements(x):
    return np.array([[x[0], x[1] * x[2]], [1.0, x[2]]]) @ np.array([x[0], 2.0])


def with_negative_zero_size(x):
    return np.concatenate([x[:0], x]) * np.sum(x[3:] + 1.0) + x


def with_attributes(x):
    return x.T.reshape(x.size) * x.ndim + x.astype(x.dtype) * np.zeros(x.shape).size


def with_early_return(x):
    if x.ndim == 1:
        return np.sum(x * x)
    return np.sum(x)


PYTHON = [
    with_a_dataclass,
    with_errstate,
    with_asserts,
    with_annotations,
    with_a_walrus,
    with_stars,
    with_comprehensions,
    with_map_and_reduce,
    with_zip_and_enumerate,
    with_a_match,
    with_a_while,
    with_itertools,
    with_a_table_of_functions,
    with_del,
    with_builtins,
    with_matmul_chain,
    with_elements,
    with_negative_zero_size,
    with_attributes,
    with_early_return,
]


@each("fun", PYTHON)
def test_python_around_traced_values(fun):
    check(fun, X)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_python_int_argument_decides_loops_slices_and_branches(n):
    def f(x, n):
        y = x.copy()
        for i in range(n):
            y = y * x + i
        y[:n] *= 2
        return y * x[n - 1] if n > 1 else y / (n + 1)

    check(f, X, n)


def test_python_int_argument_changed_later():
    g = gs.grad(lambda x, n: np.sum(x[:n] ** n))
    for n in (2, 3, 1, 2):
        same(g(X, n), np.where(np.arange(3) < n, n * X ** (n - 1.0), 0))


def test_sizes_decide_branches_and_loops():
    def f(x):
        if len(x) > 3:
            return np.sum(x**3)
        return sum(x[i] * (i + 1) for i in range(x.shape[0]))

    g = gs.grad(f)
    same(g(np.ones(3)), [1, 2, 3])
    same(g(np.ones(5)), np.full(5, 3.0))
    same(g(np.ones(2)), [1, 2])
    same(g(np.ones(1)), [1])
