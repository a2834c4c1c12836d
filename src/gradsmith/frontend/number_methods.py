"""Methods that make Python's numbers: ``x.item()``, ``x.tolist()``, ``x.is_integer()``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ArgumentValueError
from gradsmith.frontend.dispatch import apply, raise_own, run
from gradsmith.frontend.elements import Elements, listed
from gradsmith.frontend.messages import no_attribute, shown
from gradsmith.frontend.opaque import record
from gradsmith.frontend.shape_errors import is_same
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.tracer import METHODS, Tracer
from gradsmith.ops.calls import Callee
from gradsmith.ops.scalars import as_python, is_integer


def number_of(owner: Tracer) -> Any:
    """A traced value without axes as the number of Python's that it is."""
    return run(as_python, owner)


def _item(owner: Tracer, *args: Any) -> Any:
    """``x.item()``, ``x.item(3)``, ``x.item(1, 2)``."""
    if not args:
        if owner.ndim and not is_same(owner.type.size, 1):
            error = ArgumentValueError(
                f"{shown(owner)} has more than one element",
                current_span(),
                "can only convert an array of size 1 to a Python scalar: pass x.item(0)",
            )
            error.own = ValueError("can only convert an array of size 1 to a Python scalar")
            raise_own(error)
            raise error
        return number_of(apply(np.reshape, owner, ()) if owner.ndim else owner)
    place = args[0] if len(args) == 1 else args
    if not isinstance(place, tuple):
        return number_of(apply(np.ravel, owner)[place] if owner.ndim != 1 else owner[place])
    if len(place) != owner.ndim:
        raise ArgumentTypeError(
            f"item() of {shown(owner)} with {len(place)} indices", current_span(), None
        )
    return number_of(owner[place])


def _tolist(owner: Tracer) -> Any:
    """``x.tolist()``: numbers of Python's in lists."""
    if not owner.ndim:
        return number_of(owner)
    return listed(Elements(_tolist, [(owner, "element", ())]))


def _hex(owner: Tracer) -> Any:
    """``x.hex()`` of a float: a string, which the emitted code makes."""
    return record(Callee("method", "hex", "float.hex"), [owner], {})


def _is_integer(owner: Tracer) -> Any:
    if owner.type.form == "array":
        raise no_attribute(owner, "is_integer")
    return run(is_integer, owner)


NUMBER_METHODS: dict[str, Callable[..., Any]] = {
    "item": _item,
    "hex": _hex,
    "tolist": _tolist,
    "is_integer": _is_integer,
}
METHODS.update(NUMBER_METHODS)
