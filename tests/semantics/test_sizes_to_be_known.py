"""Functions that have to know sizes which the data decide: code is made for those of the call."""

import numpy as np

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

RANDOM = np.random.default_rng(1)
CALLS = [(RANDOM.normal(size=shape),) for shape in ((4, 3), (5, 3), (3, 3), (5, 2), (4, 3))]

EXPRESSIONS = (
    *("len(np.diag(p)) * 1.0", "np.sum(np.diag(p) * np.arange(len(np.diag(p))))"),
    *("np.trace(p) * 2.0", "np.trace(p, 1) - np.trace(p, -1)", "np.sum(np.diag(p, 1))"),
    *("np.diagonal(p, -1).sum()", "np.tril(p).sum() + np.triu(p, 1).sum()"),
    *("np.pad(q, 1).sum()", "np.pad(q, 2, mode='edge') @ np.arange(len(q) + 4.0)"),
    *("np.insert(q, 1, 2.0) @ np.arange(len(q) + 1.0)", "np.delete(q, 0).sum()"),
    *("np.delete(q, [0]).sum()", "np.roll(q, 1) @ np.arange(1.0 * len(q))"),
    *("np.array_split(q, 2)[0].sum()", "np.split(q, 1)[0].sum()", "np.kron(q, m[0]).sum()"),
    *("np.linalg.multi_dot([p, m.T, m]).sum()", "np.max(p, axis=0, initial=0.1).sum()"),
    *("p.reshape(len(m[0]), -1).sum()", "np.mean(p, axis=0) @ m[0]"),
)


@each("expression", EXPRESSIONS)
def test_values_and_gradients(expression):
    body = f"p = m[m[:, 0] > 0]\nq = m[:, 0][m[:, 0] > -0.5]\nreturn {expression}"
    check_calls(function_of(body, "m"), *CALLS, messages=False)


@each("expression", ("np.diag(p).sum()", "np.trace(p) * a"))
def test_in_loops_and_branches(expression):
    body = (
        "s = 0.0\nfor a in m[:, 0]:\n    p = m[m[:, 0] >= a]\n    if a > -0.2:\n"
        f"        s += {expression}\nreturn s"
    )
    check_calls(function_of(body, "m"), *CALLS, messages=False)


def _products(a, b, c, d):
    return np.linalg.multi_dot([a, b, c, d])


def test_the_order_of_products_is_that_of_the_sizes_at_hand():
    compiled = gs.compile(_products)
    for sizes in ((2, 30, 4, 25, 3), (30, 4, 25, 3, 40), (5, 5, 5, 5, 5), (40, 2, 30, 3, 50)):
        arrays = [RANDOM.normal(size=sizes[i : i + 2]) for i in range(4)]
        np.testing.assert_array_equal(compiled(*arrays), _products(*arrays))
