"""Example arguments from shape annotations in the style of jaxtyping.

``Float[np.ndarray, "n d"]`` says dtype and sizes; the same name is the same size. Understood as
an object (with ``dtypes`` and ``dim_str``) and as text, so that no library is needed to read it.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np

DTYPES = {
    "Float": "float64",
    "Float16": "float16",
    "Float32": "float32",
    "Float64": "float64",
    "Inexact": "float64",
    "Num": "float64",
    "Real": "float64",
    "Complex": "complex128",
    "Complex64": "complex64",
    "Complex128": "complex128",
    "Int": "int64",
    "Integer": "int64",
    "Int32": "int32",
    "Int64": "int64",
    "UInt8": "uint8",
    "Bool": "bool",
}
TEXT = re.compile(r"""(?:\w+\.)*(\w+)\[[\w.\s]+,\s*["']([^"']*)["']\s*\]""")
FIRST_SIZE = 5
"""Example sizes count up from here: no two names agree, none is 0 or 1."""


def example_arguments(signature: inspect.Signature) -> dict[str, Any] | None:
    """An example for every parameter without default, or None where an annotation is missing."""
    sizes: dict[str, int] = {}
    examples: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        example = _example(parameter.annotation, sizes)
        if example is None and parameter.default is parameter.empty:
            return None
        if example is not None:
            examples[name] = example
    return examples


def _example(annotation: Any, sizes: dict[str, int]) -> Any:
    if annotation in (float, "float"):
        return 0.5
    if annotation in (complex, "complex"):
        return 0.5j
    found = _dtype_and_dims(annotation)
    if found is None:
        return None
    dtype, axes = found
    shape = [_size(axis, sizes) for axis in axes.split()]
    return None if None in shape else np.full(shape, 0.5).astype(dtype)  # type: ignore[arg-type]


def _dtype_and_dims(annotation: Any) -> tuple[str, str] | None:
    dims = getattr(annotation, "dim_str", None)
    if dims is not None:
        name = type(annotation).__name__ if not isinstance(annotation, type) else ""
        dtypes = getattr(annotation, "dtypes", None) or [DTYPES.get(name, "float64")]
        wide = [d for d in ("float64", "complex128", "int64", "bool") if d in dtypes]
        return (wide or list(dtypes))[0], dims
    text = TEXT.fullmatch(annotation) if isinstance(annotation, str) else None
    if text is None or text[1] not in DTYPES:
        return None
    return DTYPES[text[1]], text[2]


def _size(axis: str, sizes: dict[str, int]) -> int | None:
    if axis.isdigit():
        return int(axis)
    name = axis.rsplit("=", maxsplit=1)[-1].lstrip("#?")
    if name.isdigit():
        return int(name)
    if not name.isidentifier():
        return None  # ``...`` and ``*batch`` leave the rank open
    return sizes.setdefault(name, FIRST_SIZE + len(sizes))
