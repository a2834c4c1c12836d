"""``np.emath``: functions whose results are complex where their arguments ask for it.

Whether they do is specialised on: the dtype of what follows depends on it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.frontend.builtins_table import builtin
from gradsmith.frontend.dispatch import apply
from gradsmith.frontend.value_guards import decide

_TO_SINGLE = (np.single, np.byte, np.short, np.ubyte, np.ushort, np.csingle)


def _complex_where(value: Any, outside: Callable[[Any], Any]) -> Any:
    """The array, complex if some real element of it is ``outside`` of the function's domain."""
    array = apply(np.asarray, value)
    if array.dtype.kind == "c":
        return array
    if not decide(apply(np.any, outside(array))):
        return array
    single = issubclass(array.dtype.type, _TO_SINGLE)
    return array.astype(np.csingle if single else np.cdouble)


def _from_zero(value: Any) -> Any:
    return _complex_where(value, lambda array: array < 0)


def _up_to_one(value: Any) -> Any:
    return _complex_where(value, lambda array: abs(array) > 1)


def _of(ufunc: np.ufunc, domain: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: apply(ufunc, domain(x))


for _name in ("sqrt", "log", "log2", "log10"):
    builtin(getattr(np.emath, _name))(_of(getattr(np, _name), _from_zero))
for _name in ("arcsin", "arccos", "arctanh"):
    builtin(getattr(np.emath, _name))(_of(getattr(np, _name), _up_to_one))


@builtin(np.emath.logn)
def _logn(n: Any, x: Any) -> Any:
    return apply(np.log, _from_zero(x)) / apply(np.log, _from_zero(n))


@builtin(np.emath.power)
def _power(x: Any, p: Any) -> Any:
    power = apply(np.asarray, p)
    if power.dtype.kind in "iu" and decide(apply(np.any, power < 0)):
        power = power * 1.0
    return apply(np.power, _from_zero(x), power)
