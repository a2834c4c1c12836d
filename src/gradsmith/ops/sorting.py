"""Sorting and searching: orders and positions, which are constants of the run."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentValueError, ShapeError
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item
from gradsmith.ir.op import NON_DIFF, Custom, Emitter, Op
from gradsmith.ir.types import ArrayType, TupleType, scalar
from gradsmith.ops import syntax
from gradsmith.ops.arguments import normalize_axis, require_default
from gradsmith.ops.create import zeros
from gradsmith.ops.data_sizes import Count, mask_count
from gradsmith.ops.declare import as_node, implements, primitive
from gradsmith.ops.index import read, write_added
from gradsmith.ops.manipulate import ravel
from gradsmith.ops.pick import grid_around

INDEX = np.dtype(np.intp)

# -- sorting -------------------------------------------------------------------------------------


def _emit_along(dotted: str) -> Callable[..., ast.expr]:
    """``np.sort(x)``; the last axis and the usual kind go without saying."""

    def emit(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
        how = dict(node.attrs)
        if how["axis"] == node.ndim - 1:
            how["axis"] = None
        return syntax.call(dotted, x, **how)

    return emit


argsort: Op = primitive(
    "argsort",
    infer=lambda x, **_: ArrayType(INDEX, x.shape),
    evaluate=np.argsort,
    derivative=NON_DIFF,
    emit=_emit_along("np.argsort"),
)


PLACES_IN_ORDER = '''
def places_in_order(values):
    """The places of numbers in the order in which Python sorts them: NumPy puts nan last."""
    if not np.isnan(values).any():
        return np.argsort(values, kind="stable")
    return np.array(sorted(range(len(values)), key=values.tolist().__getitem__))
'''


def _evaluate_pythons_order(x: Any) -> Any:
    return np.array(sorted(range(len(x)), key=x.tolist().__getitem__), INDEX)


pythons_order: Op = primitive(
    "pythons_order",
    infer=lambda x: ArrayType(INDEX, x.shape),
    evaluate=_evaluate_pythons_order,
    derivative=NON_DIFF,
    emit=lambda emitter, node, x: syntax.call(emitter.helper(PLACES_IN_ORDER), x),
)
"""The places of floating-point numbers in the order in which `sorted` puts them."""


def _order(x: Node, **how: Any) -> Any:
    """The key that sorts ``x``, equal elements by their positions."""
    stable = {"stable": True} if "descending" in how else {"kind": "stable"}
    order = argsort(x, **{**how, **stable})
    return order if x.ndim == 1 else grid_around(order, how["axis"], x)


sort: Op = primitive(
    "sort",
    infer=lambda x, **_: ArrayType(x.dtype, x.shape),
    evaluate=np.sort,
    derivative=Custom(
        (
            lambda g, out, x, **how: write_added(
                zeros(shape=x.shape, dtype=g.dtype), _order(x, **how), g
            ),
        ),
        jvp=lambda out, inputs, tangents, **how: read(tangents[0], _order(inputs[0], **how)),
    ),
    emit=_emit_along("np.sort"),
)


def _ordering(op: Op) -> Callable[..., Node]:
    def ordered(
        a: Any,
        axis: Any = -1,
        kind: Any = None,
        order: Any = None,
        *,
        stable: Any = None,
        descending: Any = None,
    ) -> Node:
        require_default(f"np.{op.name}", order=(order, (None,)))
        if kind is not None and not (stable is None and descending is None):
            raise ArgumentValueError(
                "`kind` and keyword parameters can't be provided at the same time"
            )
        x = as_node(a)
        x = x if axis is not None else ravel(x)
        place = normalize_axis(-1 if axis is None else axis, x.ndim)
        if descending:  # from NumPy 2.5 on
            return op(x, axis=place, kind=None, stable=bool(stable) or None, descending=True)
        return op(x, axis=place, kind="stable" if stable else kind)

    return ordered


implements(np.argsort)(_ordering(argsort))
implements(np.sort)(_ordering(sort))


# -- searching -----------------------------------------------------------------------------------


def _searchsorted_infer(a: ArrayType, v: ArrayType, *_: ArrayType, side: str) -> ArrayType:
    return scalar(INDEX) if v.ndim == 0 else ArrayType(INDEX, v.shape)


def _emit_searchsorted(emitter: Emitter, node: Node, *operands: ast.expr) -> ast.expr:
    side = None if node.attrs["side"] == "left" else node.attrs["side"]
    a, v, *sorter = operands
    return syntax.call("np.searchsorted", a, v, side=side, sorter=sorter[0] if sorter else None)


searchsorted: Op = primitive(
    "searchsorted",
    infer=_searchsorted_infer,
    evaluate=lambda a, v, *sorter, side: np.searchsorted(a, v, side, *sorter),
    derivative=NON_DIFF,
    emit=_emit_searchsorted,
)


@implements(np.searchsorted)
def _searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Node:
    if side not in ("left", "right"):
        raise ArgumentValueError(f"search side must be 'left' or 'right' (got {side!r})")
    x = as_node(a)
    if x.ndim != 1:
        raise ShapeError("np.searchsorted: `a` must be a 1-d array")
    orders = [] if sorter is None else [as_node(sorter)]
    return searchsorted(x, as_node(v), *orders, side=side)


# -- positions of what is not zero ---------------------------------------------------------------


def _find(name: str, function: Callable[..., Any], infer: Callable[..., Any]) -> Op:
    """An op whose results are as long as its operand has elements that are not zero."""
    dotted = f"np.{function.__name__}"
    return primitive(
        name,
        infer=infer,
        evaluate=lambda x, **_: function(x),
        derivative=NON_DIFF,
        emit=lambda emitter, node, x: syntax.call(dotted, x),
    )


def _vector(count: Count) -> ArrayType:
    return ArrayType(INDEX, (count.size,))


flatnonzero = _find("flatnonzero", np.flatnonzero, lambda x, *, count: _vector(count))
nonzero = _find("nonzero", np.nonzero, lambda x, *, count: TupleType((_vector(count),) * x.ndim))
argwhere = _find(
    "argwhere", np.argwhere, lambda x, *, count: ArrayType(INDEX, (count.size, x.ndim))
)


def _found(op: Op, function: Callable[..., Any], a: Any) -> Any:
    """``op`` of a traced array; what is known while tracing has its positions known."""
    x = as_node(a)
    if x.op.name != "constant":
        return op(x, count=Count(mask_count(x), nonzero=True))
    positions = function(x.attrs["value"].value)
    lift = current_builder().lift
    return tuple(map(lift, positions)) if isinstance(positions, tuple) else lift(positions)


@implements(np.flatnonzero)
def _flatnonzero(a: Any) -> Node:
    found: Node = _found(flatnonzero, np.flatnonzero, a)
    return found


@implements(np.argwhere)
def _argwhere(a: Any) -> Node:
    found: Node = _found(argwhere, np.argwhere, a)
    return found


@implements(np.nonzero)
def _nonzero(a: Any) -> tuple[Node, ...]:
    x = as_node(a)
    if x.ndim == 0:
        raise ShapeError(
            "Calling nonzero on 0d arrays is not allowed", hint="use np.atleast_1d(x).nonzero()"
        )
    if x.ndim == 1:
        return (_flatnonzero(x),)
    whole = _found(nonzero, np.nonzero, x)
    if isinstance(whole, tuple):
        return whole
    return tuple(item(whole, index=axis) for axis in range(x.ndim))
