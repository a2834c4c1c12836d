"""Norms of matrices that take the greatest or least sum: numbers of NumPy's, not arrays."""

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

GENERATOR = np.random.default_rng(0)
CALLS = [(GENERATOR.normal(size=shape),) for shape in ((3, 4), (2, 2))]


@each("order", ["1", "-1", "np.inf", "-np.inf"])
def test_types_and_shapes(order):
    stacked = "np.stack([x, x * 2])"
    norms = [
        f"np.linalg.norm(x, {order})",
        f"np.linalg.norm(x, {order}, keepdims=True)",
        f"np.linalg.norm({stacked}, {order}, axis=(2, 0))",
        f"np.linalg.norm({stacked}, {order}, axis=(0, 1), keepdims=True)",
        f"np.linalg.matrix_norm(x, ord={order})",
    ]
    for norm in norms:
        function = function_of(f"return {norm}")
        check_calls(function, *CALLS)


def test_orders_as_arguments():
    (stack,), (square,) = CALLS
    function = function_of(
        "return np.linalg.norm(x, order) + np.linalg.norm(x[0], ord=order)", "x, order"
    )
    check_calls(function, (stack, 1), (square, np.inf), (stack, -np.inf), (square, 1))
