"""Arithmetic: NumPy's mathematical operations that Python has operators for, and their kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradsmith.ir.graph import OPERATORS, Node
from gradsmith.ir.op import NON_DIFF
from gradsmith.ops.declare import elementwise, primitive

add = elementwise(
    "add",
    numpy=np.add,
    operator="+",
    partials=(lambda out, x, y: 1, lambda out, x, y: 1),
    sympy=lambda x, y: x + y,
    commutative=True,
    python=True,
)
subtract = elementwise(
    "subtract",
    numpy=np.subtract,
    operator="-",
    partials=(lambda out, x, y: 1, lambda out, x, y: -1),
    sympy=lambda x, y: x - y,
    python=True,
)
multiply = elementwise(
    "multiply",
    numpy=np.multiply,
    operator="*",
    partials=(lambda out, x, y: y, lambda out, x, y: x),
    sympy=lambda x, y: x * y,
    commutative=True,
    python=True,
)
divide = elementwise(
    "divide",
    numpy=np.divide,
    operator="/",
    partials=(lambda out, x, y: 1 / y, lambda out, x, y: -(out / y)),
    sympy=lambda x, y: x / y,
    python=True,
)
negative = elementwise(
    "negative",
    numpy=np.negative,
    operator="-",
    partials=(lambda out, x: -1,),
    sympy=lambda x: -x,
    python=True,
)
