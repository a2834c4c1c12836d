"""Rounding: NumPy's functions to whole numbers; flat wherever they have a derivative."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError
from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, Emitter, Partials
from gradsmith.ir.types import ArrayType
from gradsmith.ops import syntax
from gradsmith.ops.arguments import as_static_int
from gradsmith.ops.declare import (
    as_node,
    elementwise,
    implements,
    primitive,
    result_form,
)

floor = elementwise("floor", numpy=np.floor, partials=(NON_DIFF,), sympy="floor")
ceil = elementwise("ceil", numpy=np.ceil, partials=(NON_DIFF,), sympy="ceiling")
trunc = elementwise("trunc", numpy=np.trunc, partials=(NON_DIFF,))
rint = elementwise("rint", numpy=np.rint, partials=(NON_DIFF,))


def _round_infer(x: ArrayType, *, decimals: int) -> ArrayType:
    boolean = x.dtype.kind == "b"
    if boolean and decimals:
        raise ArgumentTypeError(f"np.round does not round booleans to {decimals} decimals")
    dtype = np.dtype(np.float16) if boolean else x.dtype
    return ArrayType(dtype, x.shape, result_form(x.shape))


def _emit_round(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    decimals = node.attrs["decimals"] or None
    if node.ndim:
        return syntax.method(x, "round", *([] if decimals is None else [decimals]))
    return syntax.call("np.round", x, decimals=decimals)


round_ = primitive(
    "round",
    infer=_round_infer,
    evaluate=lambda x, *, decimals: np.round(x, decimals),
    derivative=Partials((NON_DIFF,)),
    emit=_emit_round,
    traits=("elementwise",),
)


@implements(np.round, np.around)
def _round(a: Any, decimals: Any = 0) -> Node:
    x, digits = as_node(a), as_static_int(decimals, "decimals")
    return rint(x) if digits == 0 and x.array_type.inexact else round_(x, decimals=digits)


@implements(np.fix)
def _fix(x: Any) -> Node:
    return trunc(as_node(x))
