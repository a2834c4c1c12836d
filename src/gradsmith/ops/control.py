"""Identities with a meaning for differentiation: what stops it, and what tells values apart."""

from __future__ import annotations

import ast
from typing import Any

from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, Emitter, Linear
from gradsmith.ir.types import ArrayType
from gradsmith.ops.declare import primitive


def _same(x: ArrayType, **_: Any) -> ArrayType:
    return x


def _identity(x: Any, **_: Any) -> Any:
    return x


def _emit(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    return x


stop_gradient = primitive(
    "stop_gradient",
    infer=_same,
    evaluate=_identity,
    derivative=NON_DIFF,
    emit=_emit,
    traits=("alias",),
)

# A gradient taken without create_graph: a constant for further differentiation, as in torch.
# Where an input reaches the outputs only through one, the error names create_graph.
finished_gradient = primitive(
    "finished_gradient",
    infer=_same,
    evaluate=_identity,
    derivative=NON_DIFF,
    emit=_emit,
    traits=("alias",),
)

# The same value under an identity of its own (``token``): the derivative with respect to a
# function's argument is not that with respect to other uses of the value passed for it.
distinct = primitive(
    "distinct",
    infer=_same,
    evaluate=_identity,
    derivative=Linear((lambda g, x, *, token: g,)),
    emit=_emit,
    traits=("alias",),
)

# An array that a call has returned as it is, for what is to be written to it after the code.
itself = primitive(
    "itself",
    infer=_same,
    evaluate=_identity,
    derivative=NON_DIFF,
    emit=_emit,
    traits=("barrier",),
)

# A value that cannot be negative by the way it is computed (``ops.signs``), such as a sum of
# squares; ``positive``: nor 0. Where it is 0 it has its least value, so that the derivative of its
# root is that of a distance there, 0, and not infinite.
at_least_zero = primitive(
    "at_least_zero",
    infer=_same,
    evaluate=_identity,
    derivative=Linear((lambda g, x, *, positive: g,)),
    emit=_emit,
    traits=("alias",),
)
