"""Branches and loops as the code generator takes them: with the buffers that they have as theirs.

`ownership` makes these of the nodes of a graph; here is what they say. In a region a parameter
whose buffer belongs to it is an ``owned`` node, and a result whose buffer belongs to what comes
after is a ``taken`` one: fresh, as far as writes in place are concerned. Recording is a statement
with a place of its own, before what is recorded is written to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from gradsmith.errors import InternalError
from gradsmith.ir.alias import may_be_held
from gradsmith.ir.dims import Size, Symbol
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import constant, item, parameter, size
from gradsmith.ir.op import NON_DIFF, Op
from gradsmith.ir.types import ArrayType, ObjectType, TupleType, Type

TapeKind: TypeAlias = Literal["array", "list", "places", "unused"]
"""A tape is an array, or a list of an item for each trip; ``places`` is one made in advance."""


@dataclass(frozen=True, slots=True, eq=False)
class BranchForm:
    """Both arms, with those results alone that are read; ``used`` says which these are.

    ``owned`` are the inputs whose buffers the arms may write to, ``leaks`` those that a result
    may share memory with.
    """

    then: Graph
    orelse: Graph
    symbols: tuple[Symbol | None, ...]
    used: tuple[int, ...]
    owned: frozenset[int]
    leaks: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class BlockForm:
    """A region that is run once more in the adjoint: as a branch with one arm and no condition."""

    block: Graph
    symbols: tuple[Symbol | None, ...]
    used: tuple[int, ...]
    owned: frozenset[int]
    leaks: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class LoopForm:
    """A loop; the results of its body are what it carries and, with ``leaves``, the flag."""

    body: Graph
    test: Graph | None
    start: Size
    stop: Size | None
    step: Size
    reverse: bool
    leaves: bool
    carried: int
    tapes: int
    symbols: tuple[Symbol | None, ...]
    recorded: tuple[TapeKind, ...]
    values: tuple[Node, ...]
    used: tuple[int, ...]
    owned: frozenset[int]
    leaks: frozenset[int]


Form: TypeAlias = BranchForm | BlockForm | LoopForm


def _by_itself(*_: Any, **__: Any) -> Any:
    raise InternalError("the code generator makes these nodes and emits them by itself")


_JOINED = frozenset({"joined"})


def _op(name: str) -> Op:
    by_itself = {"infer": _by_itself, "evaluate": _by_itself, "emit": _by_itself}
    return Op(name, derivative=NON_DIFF, traits=_JOINED, **by_itself)


owned = _op("owned")
"""A parameter of a region whose buffer may be written to."""

taken = _op("taken")
"""A result of a branch or a loop whose buffer nothing else can see."""

record = _op("record")
"""The statement that puts a value on the tape ``tape``, ``copied`` or as it is."""

LEAVES = frozenset({parameter, constant, size, owned, taken})
"""What has a variable, or is a number, without a statement of its own."""


def form_of(node: Node) -> Form | None:
    """How a branch or a loop is emitted; None for anything else."""
    found: Form | None = node.attrs.get("form")
    return found


def arms_of(form: BranchForm | BlockForm) -> tuple[Graph, ...]:
    """The regions of which one is run."""
    return (form.block,) if isinstance(form, BlockForm) else (form.then, form.orelse)


def is_given(node: Node) -> bool:
    """Whether it is a result of a branch or a loop, to be read from a variable."""
    return node.op is taken or (node.op is item and form_of(node.inputs[0]) is not None)


def known_by(node: Node) -> list[Symbol]:
    """The sizes that are known once ``node`` is evaluated."""
    form = form_of(node)
    given = (node.attrs.get("symbol"), *(() if form is None else form.symbols))
    return [symbol for symbol in given if symbol is not None]


def is_item(node: Node, whole: Node, index: int) -> bool:
    """Whether it is this very result of a branch or a loop."""
    return is_given(node) and node.inputs[0] is whole and bool(node.attrs["index"] == index)


def is_buffer(type_: Type) -> bool:
    """Whether values of the type have memory that can be written to."""
    return isinstance(type_, ArrayType) and type_.ndim > 0


def kept_alive(node: Node) -> Iterator[Node]:
    """The inputs of a branch, a loop or a call that its results may share memory with."""
    form = form_of(node)
    if form is not None:
        yield from (node.inputs[place] for place in sorted(form.leaks))
    elif may_be_held(node):
        yield from (i for i in node.inputs if isinstance(i.type, ObjectType) or is_buffer(i.type))


def _inner_graphs(node: Node) -> Iterator[Graph]:
    """The regions of a branch or a loop that has its form."""
    form = form_of(node)
    if isinstance(form, BranchForm):
        yield from (form.then, form.orelse)
    elif isinstance(form, BlockForm):
        yield form.block
    elif form is not None:
        yield form.body
        if form.test is not None:
            yield form.test


def all_nodes(nodes: Iterable[Node]) -> Iterator[Node]:
    """``nodes``, with everything in the regions that they run."""
    for node in nodes:
        yield node
        for region in node.regions:
            yield from all_nodes((*region.params, *region.nodes))
        for graph in _inner_graphs(node):
            yield from all_nodes((*graph.params, *graph.nodes))


def given_symbols(whole: Node) -> Sequence[Symbol | None]:
    """By which sizes know the results of a branch or a loop."""
    form = form_of(whole)
    given: Sequence[Symbol | None] = () if form is None else form.symbols
    return [*given, *[None] * (len(tuple_type(whole).items) - len(given))]


def tuple_type(node: Node) -> TupleType:
    """The type of what has several results."""
    if not isinstance(node.type, TupleType):
        raise InternalError(f"{node!r} has one result")
    return node.type
