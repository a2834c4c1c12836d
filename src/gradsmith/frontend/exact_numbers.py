"""Numbers of `fractions` and `decimal` beside traced numbers, which Python compares exactly."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from gradsmith.ir.dims import RELATIONS

EXACT_NUMBERS = (Fraction, Decimal)
"""Python compares them with integers and floats by what both stand for."""


def comparable(relation: str, number: Fraction | Decimal, *, whole: bool) -> float:
    """A float to compare with in place of ``number``: ``x < comparable("<", number)`` is
    ``x < number`` for each float ``x``, for each integer if ``whole``. NaN equals nothing.
    """
    if isinstance(number, Decimal) and not number.is_finite():
        # which raises Python's error of what has no order
        RELATIONS[relation](0, number)  # type: ignore[arg-type]
        return float(number)
    exact = Fraction(number)
    upward = relation in ("<", ">=")
    if whole:
        nearest: float = math.ceil(exact) if upward else math.floor(exact)
    else:
        nearest = _nearest_float(exact)
        if upward and nearest < exact:
            nearest = math.nextafter(nearest, math.inf)
        elif not upward and nearest > exact:
            nearest = math.nextafter(nearest, -math.inf)
    return math.nan if relation in ("==", "!=") and nearest != exact else nearest


def _nearest_float(exact: Fraction) -> float:
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
