"""Results of a user's function that has a derivative rule of the user's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from gradsmith.errors import InternalError
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Custom, Each, Op
from gradsmith.ir.types import TupleType, Type


class UsersRule(Protocol):
    """A derivative rule, which is traced where it is needed."""

    def pull(
        self, arguments: Sequence[Node], cotangents: Sequence[Node | None]
    ) -> Sequence[Node | None]:
        """The gradients of all arguments; None where zero."""

    def push(
        self, arguments: Sequence[Node], tangents: Sequence[Node | None]
    ) -> Sequence[Node | None]:
        """The tangents of all results; None where zero."""


def _infer(*types: Type, count: int, rule: UsersRule) -> TupleType:
    return TupleType(types[:count])  # type: ignore[arg-type]


def _evaluate(*values: Any, count: int, rule: UsersRule) -> Any:
    return values[:count]


def _pull(
    position: int,
    cotangents: list[Node | None],
    out: Node,
    *operands: Node,
    count: int,
    rule: UsersRule,
) -> Node | None:
    return rule.pull(operands[count:], cotangents)[position - count]


def _push(
    out: Node,
    operands: Sequence[Node],
    tangents: Sequence[Node | None],
    *,
    count: int,
    rule: UsersRule,
) -> dict[int, Node]:
    moved = rule.push(operands[count:], tangents[count:])
    return {k: tangent for k, tangent in enumerate(moved) if tangent is not None}


def _unemitted(*_: Any) -> Any:
    raise InternalError("rules of the user's are gone before anything is written")


custom_derivative = Op(
    "custom_derivative",
    infer=_infer,
    evaluate=_evaluate,
    derivative=Custom(Each(_pull), jvp=_push),
    emit=_unemitted,
    traits=frozenset({"barrier"}),
)
"""``custom_derivative(*results, *arguments; count, rule)``: the results, of which there are
``count``, each without a derivative of its own, with the derivative in the arguments that the rule
gives."""
