"""What messages call traced values, and errors that several modules raise."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gradsmith.errors import (
    AttributeMissingError,
    AttributeUnsupportedError,
    ConcretizationError,
)
from gradsmith.frontend.spans import current_span as here
from gradsmith.identity import has_dict
from gradsmith.ir.context import builder_at_work
from gradsmith.ir.types import ArrayType, describe

TRACED = "<traced "
"""How the `repr` of a traced value begins: it is for debuggers, and must not be written."""
KEEP = "leave it out: NumPy functions take the value as it is"
STAYS_INSIDE = "is not done by a derivative: what is outside the function is left as it was"


def shown(value: Any) -> str:
    """What messages call a traced value: ``x (a traced float64 array of shape (3,))``."""
    if not hasattr(value, "view"):
        return "a traced Python int"
    builder = builder_at_work()
    name = None if builder is None else builder.names.get(value.latest)
    if name is None and not value.view.path:
        name = value.view.storage.label or value.view.storage.name
    what = f"a traced {describe(value.type)}"
    return f"{name} ({what})" if name else what


def no_attribute(owner: Any, name: str, behind: Any = None) -> AttributeMissingError:
    """The error that a traced value has no such attribute; ``behind`` it is this argument."""
    exists = hasattr(instance_of(_plain_class(owner)), name) or hasattr(behind, name)
    kind = AttributeUnsupportedError if exists else AttributeMissingError
    error = kind(
        f"{shown(owner)} has no attribute {name!r} that gradsmith supports",
        here(),
        "use a NumPy function of the same meaning, or compute it outside the function",
    )
    if kind is AttributeMissingError:
        text = f"{class_name(owner)!r} object has no attribute {name!r}"
        error.own = AttributeError(text, name=name, obj=owner)
    return error


@functools.cache
def instance_of(cls: type) -> Any:
    """An object of the class of a traced value: it has no attributes of its metaclass. An array is
    a matrix, which has all attributes of arrays (``mT``).
    """
    return np.empty((1, 1)) if cls is np.ndarray else cls()


def _plain_class(value: Any) -> type:
    if not hasattr(value, "view"):
        return int
    if value.type.form == "array":
        return np.ndarray
    kind = value.type.dtype.type
    return type(kind(0).item()) if value.type.weak else kind


def class_name(value: Any) -> str:
    """What Python calls the class of a traced value."""
    if not hasattr(value, "view"):
        return "int"
    type_: ArrayType = value.type
    if type_.form == "array":
        return "numpy.ndarray"
    kind = type_.dtype.type
    return type(kind(0).item()).__name__ if type_.weak else f"numpy.{kind.__name__}"


def no_text(value: Any) -> ConcretizationError:
    """The error that the text of a traced value is asked for where it cannot be made."""
    what = shown(value) if hasattr(value, "view") else f"a {type(value).__name__} of traced values"
    return ConcretizationError(
        f"the text of {what} is asked for by code that gradsmith cannot rewrite: a function "
        "without source, or a library",
        here(),
        "write it in the function itself, for print, warnings.warn and errors: f'{x}'",
    )


def cannot_assign(owner: Any, name: str, behind: Any = None) -> AttributeMissingError:
    """The error that an attribute of a traced value cannot be written; ``behind`` it is this
    argument.
    """
    hints = {"shape": "write x = x.reshape(...)", "dtype": "write x = x.astype(...)"}
    kind = AttributeUnsupportedError if has_dict(behind) else AttributeMissingError
    error = kind(
        f"the attribute {name!r} of {shown(owner)} cannot be assigned",
        here(),
        hints.get(name, "keep it in a variable of its own"),
    )
    if not hasattr(np.ndarray, name) and not has_dict(behind):
        error.own = AttributeError(f"{class_name(owner)!r} object has no attribute {name!r}")
    return error
