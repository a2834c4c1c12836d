"""Casting rules that calls name, with and without a ``try``: NumPy's errors, and its results."""

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

ARRAYS = [
    (np.array([1, 4]),),
    (np.array([1.3, 4.0]),),
    (np.array([1, 4, 9], np.int8),),
    (np.array([1.5, 4.0], np.float32),),
    (np.array([1 + 2j, 3.0]),),
]

CALLS = {
    "unary, unsafe": "np.sqrt(a, out=a, casting='unsafe')",
    "binary, unsafe": "np.add(a, 0.5, out=a, casting='unsafe')",
    "into integers": "np.multiply(a, 1.5, out=np.zeros(len(a), int), casting='unsafe')",
    "unary": "np.sqrt(a, out=a)",
    "into new integers": "np.exp(a, out=np.zeros(len(a), int))",
    "safe": "a.astype(int, casting='safe')",
    "of one kind": "a.astype(np.float32, casting='same_kind')",
    "to equivalents": "a.astype(float, casting='equiv')",
    "to a wider one": "a.astype(complex, casting='safe')",
    "an imaginary part": "setattr(a, 'imag', 1.0)",
}


@each("call", CALLS.values(), ids=CALLS)
def test_handled(call):
    body = f"""
        try:
            found = {call}
        except TypeError as error:
            return type(error).__name__, str(error), a
        return found, a
    """
    check_calls(function_of(body, "a"), *ARRAYS)


@each("call", CALLS.values(), ids=CALLS)
def test_not_handled(call):
    check_calls(function_of(f"found = {call}\nreturn found, a", "a"), *ARRAYS, messages=False)
