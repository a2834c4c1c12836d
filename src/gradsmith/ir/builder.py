"""The builder: appends nodes, infers their types, interns equal ones, keeps the user's names."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, GradsmithError, Span
from gradsmith.ir import intrinsics
from gradsmith.ir.dims import Atom, Dim
from gradsmith.ir.evaluations import evaluated, evaluation_of, is_pending
from gradsmith.ir.graph import Graph, Node, Region
from gradsmith.ir.intrinsics import Literal
from gradsmith.ir.mentions import has_effect, live, silent_but
from gradsmith.ir.unify import interned, tidy

if TYPE_CHECKING:
    from gradsmith.ir.dims import Guard, Symbol
    from gradsmith.ir.op import Op
    from gradsmith.ir.types import Type


class Builder:
    """Collects the nodes of one graph in the order of their making.

    Parameters
    ----------
    intern : bool
        Whether an equal node is reused. Off while the user's code is traced: there ``a * b``
        written twice is two values, and the gradient with respect to one is not the other's.
    parent : Builder, optional
        The builder around a region: what is read of its values becomes parameters.

    Attributes
    ----------
    partly_zero : set of nodes
        Parameters of the adjoint of a region that are 0 where nothing reads an element.
    exponentials : set of nodes
        Parameters of a region that stand for exponentials, which may overflow.
    depth : int
        How many regions are around what it holds.
    extents : dict
        What is known of the nodes that may be infinite or no numbers, parameters to begin with.
    found : dict
        What analyses have found of the nodes, for the next time that they are asked.
    """

    def __init__(self, *, intern: bool = True, parent: Builder | None = None) -> None:
        self.intern = intern
        self.parent = parent
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.captured: dict[Node, Node] = {}
        self._stands_for: dict[Node, tuple[Node, Builder]] = (
            {} if parent is None else parent._stands_for
        )
        self._homes: dict[Node, Builder] = {} if parent is None else parent._homes
        """For the nodes of all regions of a graph: the region that they are part of."""
        self.nodes: list[Node] = []
        self._sure: dict[int, tuple[object, int]] = {}
        self.params: list[Node] = []
        self.names: dict[Node, str] = {}
        self.partly_zero: set[Node] = set()
        self.exponentials: set[Node] = set()
        self.extents: dict[Node, int] = {}
        self.found: dict[object, Any] = {}
        self.size_names: dict[Atom, str] = {}
        self.span: Span | None = None
        self._rewrite: Rewrite | None = None
        self._depth = 0
        self._table: dict[tuple[object, ...], Node] = {}
        self._leaves: dict[tuple[object, ...], Node] = {}
        self._tokens = itertools.count()

    def parameter(self, name: str, type_: Type, symbol: Symbol | None = None) -> Node:
        """A new input; ``symbol`` is the size that a Python integer stands for."""
        attrs = {"name": name, "symbol": symbol}
        node = Node(intrinsics.parameter, (), attrs, type_, self.span)
        self.params.append(node)
        self._homes[node] = self
        self.names[node] = name
        return node

    def outer(self, node: Node) -> Node | None:
        """What a node of this region, or of one around it, stands for in the region around that;
        None for values that are made where they are known.
        """
        found = self._stands_for.get(node)
        return found[0] if found is not None and self.is_inside(found[1]) else None

    def drop_parameter(self, node: Node) -> None:
        """``node`` is no input after all: nothing reads it."""
        self.params.remove(node)
        self._homes.pop(node, None)
        self.names.pop(node, None)

    def inner(self, node: Node) -> Node:
        """``node`` as it is known in this region: itself, or the parameter that stands for it."""
        if self.parent is None or self._homes.get(node) is self:
            return node
        if node not in self.captured:
            self.parent.inner(node)  # the region around this one needs it, too
            leaf = node.op in _LEAVES
            own = self.apply(node.op, (), node.attrs) if leaf else self._stand_in(node)
            self.captured[node] = own
            self._stands_for[own] = node, self
            self._homes[own] = self
        return self.captured[node]

    def apply(
        self,
        op: Op,
        inputs: Sequence[Any],
        attrs: Mapping[str, Any],
        type_: Type | None = None,
        known: Node | None = None,
    ) -> Node:
        """The node ``op(*inputs, **attrs)``, or what it is rewritten to, or an equal earlier one.

        ``type_`` is its type where that is known, ``known`` a node of another graph that is taken
        if it is just that. Constants and sizes are interned always.
        """
        operands = tuple([x if type(x) is Node else self.lift(x) for x in inputs])
        if self.parent is not None:
            operands = tuple(map(self.inner, operands))
        key = (op, operands, tuple(attrs.items()))
        table = self._leaves if op in _LEAVES else self._table
        found = table.get(key) if self.intern or op in _LEAVES else None
        if found is not None:
            return found
        if type_ is None:
            type_ = self._infer(op, operands, attrs)
        same = known is not None and operands == known.inputs and attrs is known.attrs
        made = known if known is not None and same else None
        if made is None:
            made = Node(op, operands, dict(attrs), type_, self.span)
        better = self._rewritten(made)
        if better is None:
            self.nodes.append(made)
            self._homes[made] = self
            better = made
        table[key] = better
        return better

    def again(
        self,
        node: Node,
        operands: Sequence[Node],
        attrs: Mapping[str, Any] | None = None,
        *,
        keep: bool = False,
    ) -> Node:
        """``node`` made on other operands, as part of the same stretch of the user's source.

        With ``keep``, the node itself where nothing about it changes: it is of another graph.
        """
        attrs = node.attrs if attrs is None else attrs
        same = all(new.type is old.type for new, old in zip(operands, node.inputs, strict=True))
        type_ = node.type if same and attrs is node.attrs else None
        with self.at(node.span):
            return self.apply(node.op, operands, attrs, type_, node if keep else None)

    @property
    def rewriting(self) -> Rewrite | None:
        """How nodes are rewritten in this phase."""
        return self._rewrite

    def find(self, op: Op, *inputs: Node, **attrs: Any) -> Node | None:
        """The node ``op(*inputs, **attrs)``, if it was made in this phase."""
        if not self._table:
            return None
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
            return self.inner(value)
        if isinstance(value, Dim):
            return self.apply(intrinsics.size, (), {"value": value})
        if isinstance(value, (np.generic, np.ndarray)) and value.dtype.kind not in "biufc":
            raise ArgumentTypeError(
                f"a constant of dtype {value.dtype} has no derivatives or arithmetic",
                self.span,
                "use a boolean, integer, floating or complex dtype",
            )
        if isinstance(value, enum.Enum) and isinstance(value, int):
            value = int(value)
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
        nodes = evaluated(self.nodes, results)
        body = tidy(Region(tuple(self.params), tuple(nodes), tuple(results), self.names))
        return Graph(replace(body, names={}), body.names, tuple(guards), dict(self.size_names))

    def region(
        self,
        results: Sequence[Node],
        captured: Sequence[Node] = (),
        *,
        after: int = 0,
        until: int | None = None,
    ) -> Region:
        """Everything that ``results`` need, as a region of the builder around this one.

        Its parameters are this builder's and then those that stand for ``captured``, values of
        the builder around. It has the effects of the nodes ``after`` so many, ``until`` so many.
        """
        results = [self.inner(r) for r in results]
        known = self.captured
        stand_ins = [known[n] if n in known else self._stand_in(n) for n in captured]
        params = (*self.params, *stand_ins)
        nodes = evaluated(self.nodes, results)
        whole = Region(params, tuple(nodes), tuple(results), self.names)
        return tidy(interned(silent_but(whole, slice(after, until))))

    def adopt(self, node: Node) -> None:
        """Take a node that was made otherwise, on operands that are known here."""
        self.nodes.append(node)
        self._homes[node] = self

    def forget_effects(self, begin: int) -> None:
        """Leave out what has an effect among the nodes from ``begin`` on: they were a trial."""
        made = self.nodes[begin:]
        self.nodes[begin:] = [n for n in made if not (has_effect(n) or is_pending(n))]
        self._sure = {key: known for key, known in self._sure.items() if known[1] <= begin}

    def make_sure(self, fact: object) -> None:
        """From here on this is so: the nodes made last raise an error where it is not."""
        self._sure.setdefault(id(fact), (fact, len(self.nodes)))

    def is_sure(self, fact: object) -> bool:
        """Whether this is so here, by what has been made in this region or around it."""
        builder: Builder | None = self
        while builder is not None and id(fact) not in builder._sure:
            builder = builder.parent
        return builder is not None

    def root(self) -> Builder:
        """The builder around all regions."""
        return self if self.parent is None else self.parent.root()

    def note_error(self, node: Node) -> None:
        """Computing ``node`` may raise an error, which is raised if nothing reads it, too."""
        self.nodes.append(evaluation_of(node, silent=True))

    def owns(self, node: Node) -> bool:
        """Whether ``node`` is part of this region, or of one in it."""
        home = self._homes.get(node)
        return home is not None and home.is_inside(self)

    def knows(self, node: Node) -> bool:
        """Whether ``node`` is part of this region, or of one around it."""
        home = self._homes.get(node)
        return home is not None and self.is_inside(home)

    def is_inside(self, home: Builder) -> bool:
        """Whether it is the builder ``home``, or that of a region in it."""
        builder: Builder | None = self
        while builder is not None and builder is not home:
            builder = builder.parent
        return builder is home

    def _stand_in(self, node: Node) -> Node:
        attrs = {"name": f"captured_{len(self.captured)}", "symbol": None}
        return Node(intrinsics.parameter, (), attrs, node.type, self.span)

    def needed(self, results: Sequence[Node]) -> list[Node]:
        """The values of the builder around that ``results`` are computed from."""
        own = [self.inner(r) for r in results]
        own += [node.inputs[0] for node in self.nodes if is_pending(node)]
        read = {operand for node in live(self.nodes, own) for operand in node.inputs}
        read.update(own)
        taken = self.captured.items()
        return [outer for outer, node in taken if node in read and node.op not in _LEAVES]

    @contextmanager
    def phase(self, rewrite: Rewrite | None) -> Iterator[None]:
        """Inside, nodes are interned among themselves and rewritten as they are made."""
        outer = self.intern, self._rewrite, self._table
        self.intern, self._rewrite, self._table = True, rewrite, {}
        try:
            yield
        finally:
            self.intern, self._rewrite, self._table = outer

    def at(self, span: Span | None) -> _Within:
        """Inside, nodes that are made belong to this stretch of the user's source."""
        return _Within(self, self.span if span is None else span)


class _Within:
    """What `Builder.at` gives: entered for every node of every pass, so no generator."""

    __slots__ = ("builder", "outer", "span")

    def __init__(self, builder: Builder, span: Span | None) -> None:
        self.builder, self.span, self.outer = builder, span, builder.span

    def __enter__(self) -> None:
        self.builder.span = self.span

    def __exit__(self, *_: object) -> None:
        self.builder.span = self.outer


Rewrite = Callable[[Node], "Node | None"]
"""A better node of the same type and value, or None."""

DEEPEST = 60
"""Rewrites within rewrites: what a sensible table needs is below ten."""

_LEAVES = frozenset({intrinsics.constant, intrinsics.size})
