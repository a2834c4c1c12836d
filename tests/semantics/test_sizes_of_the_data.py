"""Sizes that the data decide where they are negative, one or zero, and what class they are of."""

from __future__ import annotations

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

NUMBERS = [(-2.5,), (2.5,), (0.5,), (5.5,)]
ARRAYS = [
    (np.array(x),)
    for x in (
        [1.0, -1.0, -2.0],
        [1.5, 2.25, 3.25, 4.0],
        [2.5, 1.0, 0.0],
        [1.0],
        [0.25, -1.0, 0.5],
    )
]


@each(
    "expression",
    [
        "len(np.arange(int(v))), np.arange(2, int(v)).size, np.arange(int(v), 2).shape",
        "np.concatenate([np.arange(int(v)), [1.0]]).shape, np.arange(int(v)).nbytes",
        "'some' if len(np.arange(int(v))) else 'none'",
        "np.zeros(np.arange(int(v)).size), np.arange(int(v)) * 2.0",
        "np.arange(3, int(v), -1), np.arange(3, int(v), -1).size, np.arange(0, int(v), 2).size",
        "np.outer(np.arange(int(v)), [1, 2]).shape, np.meshgrid(np.arange(int(v)), [1, 2.0])[0]",
        "[k for k in np.arange(int(v))], np.diag_indices(int(v))[0].shape",
        "np.tri(int(v)), np.tri(2, int(v)).shape, np.tri(int(v), 3, 1)",
    ],
)
def test_ranges(expression):
    check_calls(function_of(expression, "v"), *NUMBERS)


@each(
    "expression",
    [
        "[np.arange(i - 2).size for i in range(len(x))]",
        "[np.arange(i, 3).size for i in range(len(x))]",
        "[np.arange(i, i * i - 4).size for i in range(len(x))]",
        "[np.tri(i - 2).shape for i in range(len(x))]",
        "[np.diag_indices(i - 1)[0].shape for i in range(len(x))]",
        "len(np.arange((x > 0).sum() - 2)), np.arange(2, np.argmax(x)).size",
    ],
)
def test_ranges_in_loops(expression):
    check_calls(function_of(expression), *ARRAYS)


OF_COUNTS = (
    *("np.linspace(0, 1, k)", "np.geomspace(1, 2, k)", "np.logspace(0, 1, num=k)"),
    *(
        "np.indices((k,))",
        "np.pad(np.arange(5.0), k)",
        "np.pad(np.ones((2, 2)), ((k, 0), (1, k)))",
    ),
    *("np.broadcast_to(1.0, (k,))", "np.tile([1.0, 2.0], k)", "np.ones_like([1.0], shape=k)"),
    *("np.repeat([1.0], k)", "np.zeros(k).size", "np.left_shift(1, k)", "np.right_shift(8, k)"),
)


@each("expression", OF_COUNTS)
def test_negative_counts(expression):
    handled = f"try:\n    return {expression}\nexcept ValueError as error:\n    return str(error)"
    check_calls(function_of(f"k = int(v)\n{handled}", "v"), *NUMBERS)
    plain = function_of(f"k = int(v)\nreturn {expression}", "v")
    check_calls(plain, *NUMBERS[1:], NUMBERS[0], messages=False)


@each("expression", OF_COUNTS[4:11])
def test_negative_counts_in_loops(expression):
    lines = f"        out.append(np.shape({expression}))\n    except ValueError as error:\n"
    body = f"for k in range(-1, len(x)):\n    try:\n{lines}        out.append(str(error))"
    check_calls(function_of(f"out = []\n{body}\nreturn out"), *ARRAYS)


@each(
    "expression",
    [
        "np.modf(x[x > 0])[0].size, np.frexp(x[x > 0])[1].shape",
        "np.zeros(np.modf(x[x > 0])[0].size), np.divmod(x[x > 0], 2.0)[0].size",
        "[len(p) for p in np.histogram(x, int(abs(x[0])) + 1)]",
        "np.linalg.svd(np.outer(x, x)[: int(abs(x[0])) + 1])[1].size",
        "np.unique(x[x > 0], return_counts=True)[1].size",
        "np.intersect1d(x[x > 0], x, return_indices=True)[1].size",
        "[np.linalg.qr(np.outer(x[: i + 1], x))[0].shape for i in range(len(x))]",
        "[np.polynomial.legendre.leggauss(i + 1)[0].size for i in range(len(x))]",
        "[np.hanning(i).size for i in range(len(x))]",
        "[np.histogram(x, i + 1)[0] for i in range(len(x))]",
        "[np.linalg.pinv(np.outer(x, x)[: i + 1]).shape for i in range(len(x))]",
        "[np.isin(x[:i], x).all() for i in range(len(x))]",
    ],
)
def test_results_of_calls(expression):
    """A size of one is a size of its own: it broadcasts."""
    check_calls(function_of(expression), *ARRAYS)


@each(
    "expression",
    [
        "x[np.flatnonzero(x > 0)].size, x[np.where(x > 0)[0]].shape, len(x[np.nonzero(x > 0)])",
        "np.searchsorted([0.5, 2], x[x > 0]).shape, x.take(np.flatnonzero(x > 0)).size",
        "np.einsum('i,j->ij', x[x > 0], x).shape, np.tensordot(x[x > 0], x, 0).shape",
        "np.concatenate([x[x > 0], x[x < 0]]).size, np.pad(x[x > 0], 1).size",
        "np.triu(np.outer(x[x > 0], x)).shape, np.outer(x[x > 0], x).shape[0] / 2",
        "np.vectorize(lambda v: v + 1)(x[x > 0])",
        "np.apply_along_axis(np.sum, 1, np.outer(x[x > 0], x)).shape",
    ],
)
def test_classes_of_sizes(expression):
    check_calls(function_of(expression), *ARRAYS)
