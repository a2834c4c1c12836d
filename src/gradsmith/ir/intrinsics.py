"""The ops that every graph is made of: inputs, constants, sizes, and results of tuple nodes."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gradsmith.errors import InternalError
from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, Linear, Op
from gradsmith.ir.types import ArrayType, TupleType, ValueType, python_number


class Literal:
    """A constant's value, hashed by type and bytes so that ``-0.0``, ``nan`` and 1 stay apart."""

    __slots__ = ("_key", "value")

    def __init__(self, value: bool | complex | np.generic | np.ndarray[Any, Any]) -> None:
        if isinstance(value, np.ndarray):
            value = value.copy()
            value.setflags(write=False)
        self.value = value
        self._key: tuple[object, ...]
        if isinstance(value, (np.ndarray, np.generic)):
            self._key = (type(value), value.dtype.str, value.shape, value.tobytes())
        else:
            self._key = (type(value), repr(value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Literal) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return repr(self.value)


def type_of(value: object) -> ArrayType:
    """The type of a concrete Python number, NumPy scalar or array; all its sizes static."""
    if isinstance(value, np.ndarray):
        return ArrayType(value.dtype, value.shape, "array")
    if isinstance(value, np.generic):
        return ArrayType(value.dtype, (), "scalar")
    return python_number(type(value))


def _unemitted(*_: Any) -> ast.expr:
    raise InternalError("the code generator emits intrinsics by itself")


def _unevaluated(*_: Any, **__: Any) -> Any:
    raise InternalError("a parameter has no value of its own")


parameter = Op(
    "parameter",
    infer=_unevaluated,  # the builder gives the type
    evaluate=_unevaluated,
    derivative=NON_DIFF,
    emit=_unemitted,
    traits=frozenset({"joined"}),
)

constant = Op(
    "constant",
    infer=lambda *, value: type_of(value.value),
    evaluate=lambda *, value: value.value,
    derivative=NON_DIFF,
    emit=_unemitted,
)

size = Op(
    "size",
    infer=lambda *, value: python_number(int),
    evaluate=lambda *, value: value,
    derivative=NON_DIFF,
    emit=_unemitted,
)


def _item_infer(whole: TupleType, *, index: int) -> ValueType:
    return whole.items[index]


def _item_transpose(*_: Any, **__: Any) -> Any:
    raise InternalError("reverse mode collects the adjoints of items by itself")


item = Op(
    "item",
    infer=_item_infer,
    evaluate=lambda whole, *, index: whole[index],
    derivative=Linear((_item_transpose,)),
    emit=_unemitted,
    traits=frozenset({"joined"}),
)


def number(node: Node) -> Any:
    """The value of a constant number, else None."""
    if node.op is constant and not node.shape:
        return node.attrs["value"].value
    return None


def is_number(node: Node, value: complex) -> bool:
    """Whether ``node`` is this very number as a constant (of any dtype); -0.0 is not 0."""
    found = number(node)
    if found is None or found != value:
        return False
    return bool(value != 0 or np.iscomplexobj(found) or not np.signbit(found))


evaluation = Op(
    "evaluation",
    infer=lambda *_, **__: TupleType(()),
    evaluate=lambda *_, **__: (),
    derivative=NON_DIFF,
    emit=lambda emitter, node, value: value,
    traits=frozenset({"effect", "barrier"}),
)
"""Its operand is computed for the errors that this raises, as a statement.

While the function is traced it is *silent*: `evaluated` decides whether anything else reads the
operand.
"""
