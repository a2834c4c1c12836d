"""Values that nothing reads, but whose computation may raise an error."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from gradsmith.ir import dims
from gradsmith.ir.dims import Compound, Size
from gradsmith.ir.graph import Node, ancestors
from gradsmith.ir.intrinsics import evaluation, size
from gradsmith.ir.mentions import live
from gradsmith.ir.types import TupleType


def evaluation_of(value: Node, *, silent: bool) -> Node:
    """The statement that computes the value."""
    attrs = {"silent": True} if silent else {}
    return Node(evaluation, (value,), attrs, TupleType(()), value.span)


def is_pending(node: Node) -> bool:
    """Whether it computes a value if nothing else does."""
    return node.op is evaluation and "silent" in node.attrs


def evaluated(nodes: Sequence[Node], results: Iterable[Node]) -> Sequence[Node]:
    """The nodes with those evaluations whose operands the results, and effects, do not need."""
    pending = [place for place, node in enumerate(nodes) if is_pending(node)]
    if not pending:
        return nodes
    needed = ancestors([*results, *live(nodes, results)])
    divided = divisions_computed(needed)
    made = list(nodes)
    for place in reversed(pending):
        (value,) = nodes[place].inputs
        if value not in needed and not is_computed(value, divided):
            made[place] = evaluation_of(value, silent=False)
            needed |= ancestors([value])
            divided |= divisions_computed([value])
    return made


def divisions(value: Size) -> list[Compound]:
    """The quotients and remainders in a size by what only running tells, which may be 0."""
    found = []
    for monomial, _ in value.terms if isinstance(value, dims.Dim) else ():
        for atom in monomial:
            if isinstance(atom, Compound):
                found += [*divisions(atom.left), *divisions(atom.right)]
                found += [atom] if _may_divide_by_zero(atom) else []
    return found


def _may_divide_by_zero(atom: Compound) -> bool:
    if atom.name not in ("//", "%") or not dims.is_unbacked(atom.right):
        return False  # of others, a guard has been recorded
    with dims.recording_guards():  # it is a question, upon which nothing depends
        return dims.settled("!=", atom.right, 0) is not True


def divisions_computed(nodes: Iterable[Node]) -> set[Compound]:
    """Those that these nodes compute: integers, and the ends and steps of loops."""
    attrs = (node.attrs.get(key) for node in nodes for key in _COMPUTED)
    return {atom for value in attrs if value is not None for atom in divisions(value)}


_COMPUTED = ("value", "start", "stop", "step")


def is_computed(value: Node, divided: Container[Compound]) -> bool:
    """Whether it is an integer whose divisions are computed elsewhere."""
    return value.op is size and all(atom in divided for atom in divisions(value.attrs["value"]))
