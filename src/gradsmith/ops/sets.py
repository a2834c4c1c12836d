"""NumPy's set routines: the different values of an array."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item
from gradsmith.ir.op import Custom, Emitter, Op
from gradsmith.ir.types import ArrayType, TupleType
from gradsmith.ops import syntax
from gradsmith.ops.arguments import normalize_axis, refuse, require_default
from gradsmith.ops.create import zeros
from gradsmith.ops.data_sizes import Count, unique_count
from gradsmith.ops.declare import as_node, implements, primitive
from gradsmith.ops.index import read, write_added
from gradsmith.ops.manipulate import ravel, reshaped

PARTS = ("values", "index", "inverse", "counts")
"""What `numpy.unique` finds: the first three words of its options, after the values."""


def _unique_infer(
    x: ArrayType, *, parts: tuple[str, ...], equal_nan: bool, count: Count
) -> TupleType:
    position = np.dtype(np.intp)
    types = {
        "values": ArrayType(x.dtype, (count.size,)),
        "index": ArrayType(position, (count.size,)),
        "inverse": ArrayType(position, x.shape),
        "counts": ArrayType(position, (count.size,)),
    }
    return TupleType(tuple(types[part] for part in parts))


def _options(parts: tuple[str, ...]) -> dict[str, bool]:
    """What NumPy is asked for besides the values, which it gives anyway."""
    return {f"return_{part}": True for part in parts if part != "values"}


def _evaluate_unique(x: Any, *, parts: tuple[str, ...], equal_nan: bool, count: Count) -> Any:
    options = _options(parts)
    found = np.unique(x, equal_nan=equal_nan, **options)  # type: ignore[call-overload]
    found = found if options else (found,)
    return found if parts[0] == "values" else found[1:]


def _emit_unique(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    parts = node.attrs["parts"]
    equal_nan = None if node.attrs["equal_nan"] else False
    found = syntax.call("np.unique", x, **_options(parts), equal_nan=equal_nan)
    return found if parts[0] == "values" else syntax.subscript(found, syntax.expression(1))


def _first(out: Node) -> Node:
    """Where each value stands first."""
    return item(out, index=PARTS.index("index"))


def _gradient_of_unique(g: list[Node | None], out: Node, x: Node, **_: Any) -> Node | None:
    """That of each value goes to its first occurrence."""
    (values, *_others) = g
    if values is None:
        return None
    flat = write_added(zeros(shape=(x.array_type.size,), dtype=values.dtype), _first(out), values)
    return reshaped(flat, x.shape)


def _tangent_of_unique(out: Node, inputs: Any, tangents: Any, **_: Any) -> dict[int, Node]:
    return {0: read(ravel(tangents[0]), _first(out))}


unique: Op = primitive(
    "unique",
    infer=_unique_infer,
    evaluate=_evaluate_unique,
    derivative=Custom((_gradient_of_unique,), jvp=_tangent_of_unique),
    emit=_emit_unique,
)
"""All parts, as long as it is not known which of them are read (`passes.parts`)."""


@implements(np.unique)
def _unique(
    ar: Any,
    return_index: Any = False,
    return_inverse: Any = False,
    return_counts: Any = False,
    axis: Any = None,
    *,
    equal_nan: Any = True,
    sorted: Any = True,
) -> Any:
    x = as_node(ar)
    require_default("np.unique", sorted=(sorted, (True,)))
    wanted = [True, *map(bool, (return_index, return_inverse, return_counts))]
    parts = tuple(part for part, given in zip(PARTS, wanted, strict=True) if given)
    if x.op.name == "constant":
        value: Any = x.attrs["value"].value
        options: Any = (*wanted[1:], axis)
        known = np.unique(value, *options, equal_nan=bool(equal_nan))
        found = list(map(current_builder().lift, known if len(parts) > 1 else (known,)))
    elif axis is not None and (x.ndim != 1 or normalize_axis(axis, 1)):
        hint = "compare the rows with each other, as in np.all(x[:, None] == x, axis=-1)"
        refuse("np.unique", "axis", axis, hint)
    else:
        count = Count(unique_count(x), nonzero=False)
        whole = unique(x, parts=PARTS, equal_nan=bool(equal_nan), count=count)
        found = [item(whole, index=PARTS.index(part)) for part in parts]
    return found[0] if len(found) == 1 else tuple(found)
