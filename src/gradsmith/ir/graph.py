"""Nodes, regions and graphs: frozen, typed, in static single assignment form.

A node is its own value. An op with several results has a `TupleType`; ``item`` nodes read them.
Python's operators on nodes build nodes, so that derivative rules read like formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from gradsmith.errors import InternalError
from gradsmith.ir.types import ArrayType, TupleType, describe

if TYPE_CHECKING:
    from gradsmith.errors import Span
    from gradsmith.ir.dims import Atom, Guard, Shape, Symbol
    from gradsmith.ir.op import Op
    from gradsmith.ir.types import DType, Type

Fact = TypeVar("Fact")

OPERATORS: dict[str, Callable[..., Node]] = {}
"""What Python's operators on nodes build; ``ops.arithmetic`` fills it."""


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Node:
    """One operation and its result. Identity is equality; the builder interns."""

    op: Op
    inputs: tuple[Node, ...]
    attrs: Mapping[str, Any]
    type: Type
    span: Span | None = None
    facts: NodeFacts | None = field(default=None, init=False, repr=False)

    __array_ufunc__: ClassVar[None] = None  # np.float64(2) * node leaves the product to the node

    def __init__(
        self,
        op: Op,
        inputs: tuple[Node, ...],
        attrs: Mapping[str, Any],
        type: Type,
        span: Span | None = None,
    ) -> None:
        _put_op(self, op)
        _put_inputs(self, inputs)
        _put_attrs(self, attrs)
        _put_type(self, type)
        _put_span(self, span)
        _put_facts(self, None)

    @property
    def array_type(self) -> ArrayType:
        """Its type, for nodes with one result."""
        if isinstance(self.type, ArrayType):
            return self.type
        what = (
            "several results; read one with item()"
            if isinstance(self.type, TupleType)
            else ("a record of several trips")
        )
        raise InternalError(f"{self.op.name} has {what}")

    @property
    def shape(self) -> Shape:
        """Its symbolic shape."""
        return self.array_type.shape

    @property
    def dtype(self) -> DType:
        """Its dtype."""
        return self.array_type.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.array_type.ndim

    @property
    def regions(self) -> tuple[Region, ...]:
        """The sub-graphs that it runs (branches, loop bodies)."""
        return (self.facts or facts_of(self)).regions

    def __repr__(self) -> str:
        return f"<{self.op.name}: {self.type}>"

    def __bool__(self) -> bool:
        """Refused: options of functions (``keepdims``, ``copy``) must be known when tracing."""
        raise TypeError(f"an option is a traced {describe(self.type)}")

    def __add__(self, other: Any) -> Node:
        return OPERATORS["+"](self, other)

    def __radd__(self, other: Any) -> Node:
        return OPERATORS["+"](other, self)

    def __sub__(self, other: Any) -> Node:
        return OPERATORS["-"](self, other)

    def __rsub__(self, other: Any) -> Node:
        return OPERATORS["-"](other, self)

    def __mul__(self, other: Any) -> Node:
        return OPERATORS["*"](self, other)

    def __rmul__(self, other: Any) -> Node:
        return OPERATORS["*"](other, self)

    def __truediv__(self, other: Any) -> Node:
        return OPERATORS["/"](self, other)

    def __rtruediv__(self, other: Any) -> Node:
        return OPERATORS["/"](other, self)

    def __pow__(self, exponent: Any) -> Node:
        return OPERATORS["**"](self, exponent)

    def __rpow__(self, base: Any) -> Node:
        return OPERATORS["**"](base, self)

    def __matmul__(self, other: Any) -> Node:
        return OPERATORS["@"](self, other)

    def __neg__(self) -> Node:
        return OPERATORS["neg"](self)


# Half the time of what `dataclass` writes for frozen classes; each pass makes thousands of nodes.
_put_op, _put_inputs, _put_attrs, _put_type, _put_span, _put_facts = (
    vars(Node)[name].__set__ for name in ("op", "inputs", "attrs", "type", "span", "facts")
)


@dataclass(slots=True)
class NodeFacts:
    """What analyses have found of a node, which does not change and is asked in every pass.

    All but ``regions`` is None until an analysis asks: those of ``ir.mentions`` for symbols and
    effects, that of ``ops.raising`` for errors.
    """

    regions: tuple[Region, ...]
    mentioned: dict[Symbol, None] | None = None
    defined: tuple[Symbol, ...] | None = None
    effect: bool | None = None
    raising: tuple[bool, tuple[Guard, ...]] | None = None
    """Whether it may raise an error, and the guards that the answer needs."""


def facts_of(node: Node) -> NodeFacts:
    """What is known of a node, to be added to."""
    if node.facts is None:
        regions = [a for a in node.attrs.values() if isinstance(a, Region)]
        object.__setattr__(node, "facts", NodeFacts(tuple(regions)))
        assert node.facts is not None
    return node.facts


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A list of nodes with parameters and results: a graph's body, an arm, a loop's body.

    It is closed: its nodes read its own parameters and nodes only; sizes may mention those of
    the regions around it. ``names`` are what the user calls its values.
    """

    params: tuple[Node, ...]
    nodes: tuple[Node, ...]
    results: tuple[Node, ...]
    names: Mapping[Node, str] = field(default_factory=dict)
    facts: dict[object, Any] = field(default_factory=dict, init=False, repr=False)
    """Results of analyses, by the `RegionFacts` of the analysis."""


class RegionFacts(Generic[Fact]):
    """What one analysis has found of regions: these do not change, and are asked again and again.

    It is kept in the region. A dictionary of weak references took a thirtieth of a compilation,
    most of it when regions ended.
    """

    def __contains__(self, region: Region) -> bool:
        return self in region.facts

    def __getitem__(self, region: Region) -> Fact:
        found: Fact = region.facts[self]
        return found

    def __setitem__(self, region: Region, fact: Fact) -> None:
        region.facts[self] = fact

    def setdefault(self, region: Region, fact: Fact) -> Fact:
        """What is known of the region, or else ``fact`` from now on."""
        found: Fact = region.facts.setdefault(self, fact)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A whole function: its body, the user's names for values and sizes, and what was taken for
    granted.
    """

    body: Region
    names: Mapping[Node, str] = field(default_factory=dict)
    guards: tuple[Guard, ...] = ()
    size_names: Mapping[Atom, str] = field(default_factory=dict)

    @property
    def params(self) -> tuple[Node, ...]:
        """The inputs."""
        return self.body.params

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Every node but the parameters, each after its inputs."""
        return self.body.nodes

    @property
    def results(self) -> tuple[Node, ...]:
        """The outputs."""
        return self.body.results


def ancestors(results: Iterable[Node]) -> set[Node]:
    """Every node that ``results`` are computed from, themselves included (no recursion)."""
    seen: set[Node] = set()
    stack = list(results)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(node.inputs)
    return seen


def is_users(node: Node) -> bool:
    """Whether it is a computation of the user's, and not of a derivative."""
    return node.span is None or not node.span.adjoint


def users(nodes: Iterable[Node]) -> dict[Node, list[Node]]:
    """For each node the nodes that read it, once per reading."""
    readers: dict[Node, list[Node]] = {}
    for node in nodes:
        for operand in node.inputs:
            readers.setdefault(operand, []).append(node)
    return readers
