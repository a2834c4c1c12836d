"""Numbers of lists that loops have made, where arrays of integers are to hold them.

NumPy takes the elements of a list one by one, and raises an error for one that the dtype does not
have; as a list they are an array here, which would be converted as arrays are: without an error.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from gradsmith.frontend.calling import call
from gradsmith.frontend.dispatch import apply
from gradsmith.frontend.failing import raise_if
from gradsmith.frontend.grown import columns_of, is_grown, kinds_within, whole_of
from gradsmith.frontend.text import joined
from gradsmith.frontend.traced_int import wrap_size
from gradsmith.frontend.writing import formatted
from gradsmith.ir.types import DType
from gradsmith.ops.regions import as_whole


def check_held(values: Any, dtype: DType) -> None:
    """Raise NumPy's error where the array has no room for a number of the list."""
    if dtype.kind not in "iu" or not is_grown(values):
        return
    kinds = kinds_within(columns_of(values).form)
    if dtype.kind == "u" and not all(kind in _PYTHONS for kind in kinds):
        return  # numbers of NumPy's wrap around
    numbers = apply(np.ravel, whole_of(values))
    if numbers.dtype.kind not in "iuf" or np.can_cast(numbers.dtype, dtype):
        return
    if numbers.dtype.kind == "f":
        for test, what, error in _NO_INTEGERS:
            none = partial(error, f"cannot convert float {what} to integer")
            raise_if(apply(np.any, apply(test, numbers)), none)
        numbers = apply(np.trunc, numbers)
    limits: Any = np.iinfo(dtype)
    unfit = (numbers < limits.min) | (numbers > limits.max)
    raise_if(apply(np.any, unfit), lambda: _out_of_bounds(numbers, unfit, dtype))


_NO_INTEGERS = ((np.isnan, "NaN", ValueError), (np.isinf, "infinity", OverflowError))


_PYTHONS = ("int", "float")


def _out_of_bounds(numbers: Any, unfit: Any, dtype: DType) -> OverflowError:
    first = wrap_size(as_whole(numbers[apply(np.argmax, unfit)].node))
    text = joined(
        ["Python integer ", formatted(call, first, "", ""), f" out of bounds for {dtype}"]
    )
    return OverflowError(text)
