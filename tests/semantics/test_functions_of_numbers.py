"""NumPy's functions and methods of numbers: an array without axes, or a scalar."""

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each


@each(
    "expression",
    [
        *("np.squeeze(v)", "np.transpose(v)", "np.flip(v)", "np.reshape(v, ())", "np.ravel(v)"),
        *("np.block(v)", "np.float64(v).view()", "'ab' * np.array(2)", "np.float64(v).dot"),
    ],
)
def test_functions_of_numbers(expression):
    handler = "except Exception as error:\n    return type(error).__name__"
    calls = [(2.5,), (np.float64(0.5),), (np.array(2.5),), (3,), (True,)]
    check_calls(function_of(f"try:\n    return {expression}\n{handler}", "v"), *calls)
