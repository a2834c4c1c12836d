"""The builder: appends nodes, infers their types, interns equal ones, keeps the user's names."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, GradsmithError, Span
from gradsmith.ir import intrinsics
from gradsmith.ir.dims import Dim
from gradsmith.ir.graph import Graph, Node, Region, live
from gradsmith.ir.intrinsics import Literal

if TYPE_CHECKING:
    from gradsmith.ir.dims import Guard, Symbol
    from gradsmith.ir.op import Op
    from gradsmith.ir.types import ArrayType


class Builder:
    """Collects the nodes of one graph in the order of their making.

    Parameters
    ----------
    intern : bool
        Whether an equal node is reused. Off while the user's code is traced: there ``a * b``
        written twice is two values, and the gradient with respect to one is not the other's.
    """

    def __init__(self, *, intern: bool = True) -> None:
        self.intern = intern
        self.nodes: list[Node] = []
        self.params: list[Node] = []
        self.names: dict[Node, str] = {}
        self.size_names: dict[Symbol, str] = {}
        self.span: Span | None = None
        self._rewrite: Rewrite | None = None
        self._depth = 0
        self._table: dict[tuple[object, ...], Node] = {}
        self._leaves: dict[tuple[object, ...], Node] = {}
        self._tokens = itertools.count()

    def parameter(self, name: str, type_: ArrayType, symbol: Symbol | None = None) -> Node:
        """A new input; ``symbol`` is the size that a Python integer stands for."""
        attrs = {"name": name, "symbol": symbol}
        node = Node(intrinsics.parameter, (), attrs, type_, self.span)
        self.params.append(node)
        self.names[node] = name
        return node

    def apply(self, op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any]) -> Node:
        """The node ``op(*inputs, **attrs)``, or what it is rewritten to, or an equal earlier one.

        Constants and sizes are interned always.
        """
        operands = tuple(x if type(x) is Node else self.lift(x) for x in inputs)
        key = (op, operands, tuple(attrs.items()))
        table = self._leaves if op in _LEAVES else self._table
        found = table.get(key) if self.intern or op in _LEAVES else None
        if found is not None:
            return found
        made = Node(op, operands, dict(attrs), self._infer(op, operands, attrs), self.span)
        better = self._rewritten(made)
        if better is None:
            self.nodes.append(made)
        table[key] = made if better is None else better
        return table[key]

    def find(self, op: Op, *inputs: Node, **attrs: Any) -> Node | None:
        """The node ``op(*inputs, **attrs)``, if it was made in this phase."""
        return self._table.get((op, inputs, tuple(attrs.items())))

    def _rewritten(self, node: Node) -> Node | None:
        """A better node, by the rules of this phase; rules that undo each other come to rest."""
        if self._rewrite is None or self._depth > DEEPEST:
            return None
        self._depth += 1
        try:
            return self._rewrite(node)
        finally:
            self._depth -= 1

    def _infer(self, op: Op, operands: tuple[Node, ...], attrs: Mapping[str, Any]) -> Any:
        try:
            return op.infer(*[o.type for o in operands], **attrs)
        except GradsmithError as error:
            if error.span is None:
                error.span = self.span
            raise

    def lift(self, value: Any) -> Node:
        """``value`` as a node: numbers and arrays become constants, sizes ``size`` nodes."""
        if isinstance(value, Node):
            return value
        if isinstance(value, Dim):
            return self.apply(intrinsics.size, (), {"value": value})
        if isinstance(value, (np.generic, np.ndarray)) and value.dtype.kind not in "biufc":
            raise ArgumentTypeError(
                f"a constant of dtype {value.dtype} has no derivatives or arithmetic",
                self.span,
                "use a boolean, integer, floating or complex dtype",
            )
        if isinstance(value, (bool, int, float, complex, np.generic, np.ndarray)):
            return self.apply(intrinsics.constant, (), {"value": Literal(value)})
        raise ArgumentTypeError(
            f"expected a number or an array, got {value!r:.60} of type {type(value).__name__}",
            self.span,
            "convert it to a number or an array first",
        )

    def token(self) -> int:
        """A number that no other call gives: keeps a node from being interned."""
        return next(self._tokens)

    def name(self, node: Node, name: str) -> None:
        """Remember that the user (or a rule) calls ``node`` so; the first name stays."""
        self.names.setdefault(node, name)

    def graph(self, results: Sequence[Node], guards: Sequence[Guard] = ()) -> Graph:
        """Everything that ``results`` need, as a graph."""
        nodes = live(self.nodes, results)
        kept = set(nodes) | set(self.params)
        names = {node: name for node, name in self.names.items() if node in kept}
        body = Region(tuple(self.params), nodes, tuple(results))
        return Graph(body, names, tuple(guards), dict(self.size_names))

    @contextmanager
    def phase(self, rewrite: Rewrite | None) -> Iterator[None]:
        """Inside, nodes are interned among themselves and rewritten as they are made."""
        outer = self.intern, self._rewrite, self._table
        self.intern, self._rewrite, self._table = True, rewrite, {}
        try:
            yield
        finally:
            self.intern, self._rewrite, self._table = outer

    @contextmanager
    def at(self, span: Span | None) -> Iterator[None]:
        """Nodes made inside belong to this stretch of the user's source."""
        outer, self.span = self.span, span if span is not None else self.span
        try:
            yield
        finally:
            self.span = outer


Rewrite = Callable[[Node], "Node | None"]
"""A better node of the same type and value, or None."""

DEEPEST = 60
"""Rewrites within rewrites: what a sensible table needs is below ten."""

_LEAVES = frozenset({intrinsics.constant, intrinsics.size})
