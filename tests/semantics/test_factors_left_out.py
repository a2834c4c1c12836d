"""Factors of 1 and -1, and powers: what may be left out of real numbers counts in complex ones
(signs of zeros, infinities times 0) and in integers that have no opposite.
"""

from __future__ import annotations

import itertools
import warnings

import numpy as np

import gradsmith as gs
from helpers import each

PARTS = (0.0, -0.0, 1.5, -3.0, np.inf)
COMPLEX = np.array([complex(*parts) for parts in itertools.product(PARTS, PARTS)])
SMALL = np.array([-128, 127, 0, -1], np.int8)

COMPLEX_EXPRESSIONS = {
    "product with 1": lambda z: z * 1,
    "1 first": lambda z: 1 * z,
    "1 as a float": lambda z: z * 1.0,
    "1 as a complex number": lambda z: z * (1 + 0j),
    "twice": lambda z: z * 1 * 1,
    "quotient by 1": lambda z: z / 1,
    "minus 0": lambda z: z - 0,
    "product with -1": lambda z: z * -1,
    "opposite of the opposite": lambda z: np.negative(-z),
    "power of 1": lambda z: z**1,
    "power of -1": lambda z: z**-1,
    "power of 2": lambda z: z**2,
    "power of 3": lambda z: z**3,
    "branch of a root": lambda z: np.sqrt(z * -1),
}
INTEGER_EXPRESSIONS = {
    "plus a product with -1": lambda x, u: x + u * -1,
    "plus a product with -2": lambda x, u: x + u * -2,
    "plus the opposite": lambda x, u: x + -u,
    "minus the opposite": lambda x, u: x - -u,
    "opposite of a difference": lambda x, u: -(x - u),
}


def same_bytes(a, b):
    # NumPy itself gives NaNs of either sign
    a, b = (np.where(np.isnan(part), np.nan, part) for part in (a, b))
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


@each("name", COMPLEX_EXPRESSIONS)
def test_complex(name):
    function = COMPLEX_EXPRESSIONS[name]
    compiled = gs.compile(function)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in (np.complex128, np.complex64):
            z = COMPLEX.astype(dtype)
            found, expected = compiled(z), function(z)
            assert found.dtype == expected.dtype
            for part in (np.real, np.imag):
                assert same_bytes(part(found), part(expected))


@each("name", INTEGER_EXPRESSIONS)
def test_integers(name):
    function = INTEGER_EXPRESSIONS[name]
    compiled = gs.compile(function)
    for dtype in (np.int16, np.int64, np.int8, np.float64):
        x = np.array([1, 2, 3, 4], dtype)
        assert same_bytes(compiled(x, SMALL), function(x, SMALL))
