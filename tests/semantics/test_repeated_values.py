"""np.put, np.putmask, np.place and np.fill_diagonal repeat values where they are too few."""

import numpy as np

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

X = np.array([0.5, -1.2, 2.3, 0.7, -0.4])
CALLS = [(X,), (-X,), (X[:3].copy(),)]

WRITES = (
    *("np.place(y, y > 0, [1.0, x[0]])", "np.place(y, y > 0, x)", "np.place(y, y > 0, x[0])"),
    *("np.place(y, y > 0, 7)", "np.place(y, np.outer(y, [1]) > 0, [3.0, 4.0, x[1]])"),
    *("np.put(y, [0, 2, -1], [1.0, x[1]])", "np.put(y, [1, 1, 1], [3.0, x[0]])"),
    *(
        "np.put(y, [0, 1], x)",
        "np.put(y, 2, [7.0, 8.0])",
        "np.put(y, [], x)",
        "np.put(y, [0], [])",
    ),
    *(
        "np.putmask(y, y > 0, [1.0, x[1]])",
        "np.putmask(y, y > 0, x[:0])",
        "np.putmask(y, y < 0.9, x)",
    ),
)
MATRICES = (
    *("np.fill_diagonal(m, [1.0, x[0]])", "np.fill_diagonal(m, x * 3)", "np.place(m, m > 0, x)"),
    *("np.putmask(m, m > 0, x)", "np.put(m, [[0, 3], [7, 8]], x[:3])", "np.fill_diagonal(m, 0.5)"),
)


@each("write", WRITES)
def test_vectors(write):
    check_calls(function_of(f"y = x * 2\n{write}\nreturn (y * y).sum()"), *CALLS)


@each("write", MATRICES)
def test_matrices(write):
    body = (
        f"m = np.outer(x, x) + 0.1\n{write}\nreturn (m * np.arange(m.size).reshape(m.shape)).sum()"
    )
    check_calls(function_of(body), *CALLS)


def test_integers():
    def function(x):
        y = x * 2
        np.place(y, y > 2, [7, 8])
        np.put(y, [0, 1, 2], [5, 6])
        return y

    x = np.arange(5)
    np.testing.assert_array_equal(gs.compile(function)(x), function(x))
