"""What branches and loops write to, what is read of them, and what their tapes are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gradsmith.codegen.forms import TapeKind, is_buffer
from gradsmith.ir import dims
from gradsmith.ir.alias import shares_operand
from gradsmith.ir.dims import Symbol
from gradsmith.ir.graph import Node, Region, users
from gradsmith.ir.intrinsics import item
from gradsmith.ir.types import ArrayType, TapeType, TupleType
from gradsmith.ops.emission import commutes
from gradsmith.ops.regions import REGIONAL, branch, loop, rerun


def wants(node: Node) -> frozenset[int]:
    """The inputs of a branch or a loop that it writes to."""
    if node.op is branch:
        arms = (node.attrs["then"], node.attrs["orelse"])
        places = {1 + p for arm in arms for p in _written(arm)}
    elif node.op is rerun:
        places = _written(node.attrs["block"])
    elif node.op is loop:
        body, carried = node.attrs["body"], node.attrs["carried"]
        written = _written(body) | _augmented(body, carried)
        places = {p - 1 for p in written if 1 <= p <= carried}
    else:
        return frozenset()
    return frozenset(p for p in places if is_buffer(node.inputs[p].type))


def _written(region: Region) -> set[int]:
    """The parameters that are written to."""
    place = {param: i for i, param in enumerate(region.params)}
    return {place[t] for node in region.nodes for t in _targets(node) if t in place}


def _targets(node: Node) -> list[Node]:
    if node.op.update is not None:
        return [node.inputs[0]]
    return [node.inputs[place] for place in wants(node)]


def _augmented(body: Region, carried: int) -> set[int]:
    """The carried values that become ``total + x``, and are read for nothing else."""
    readers = users(body.nodes)
    found = set()
    for place, result in enumerate(body.results[:carried]):
        param = body.params[1 + place]
        if "operator" not in result.op.traits or len(result.inputs) != 2:
            continue
        first = result.inputs[0] is param or (result.inputs[1] is param and commutes(result))
        alone = len(readers.get(param, ())) == 1 and param not in body.results
        if first and alone and result.type == param.type:
            found.add(1 + place)
    return found


def read_items(region: Region) -> dict[Node, list[int]]:
    """For every branch and loop the results that are read, in order."""
    found: dict[Node, set[int]] = {}
    for node in region.nodes:
        if node.op is item and node.inputs[0].op in REGIONAL:
            found.setdefault(node.inputs[0], set()).add(node.attrs["index"])
        elif node.op in (branch, rerun):  # sizes may mention its integers
            numbers = [k for k, symbol in enumerate(node.attrs["symbols"]) if symbol is not None]
            found.setdefault(node, set()).update(numbers)
    return {node: sorted(indices) for node, indices in found.items()}


def to_be_private(region: Region, forced: Iterable[int]) -> dict[Node, frozenset[int]]:
    """The results of branches and loops that are written to later, or given back."""
    found: dict[Node, set[int]] = {}
    wanted = [region.results[place] for place in forced]
    for node in region.nodes:
        wanted += _targets(node)
    for node in wanted:
        base = _viewed(node)
        if base.op is item and base.inputs[0].op in REGIONAL:
            found.setdefault(base.inputs[0], set()).add(base.attrs["index"])
    return {node: frozenset(indices) for node, indices in found.items()}


def _viewed(node: Node) -> Node:
    while node.op is not item and shares_operand(node):
        node = node.inputs[0]
    return node


# -- tapes ---------------------------------------------------------------------------------------


def tape_kinds(node: Node, used: Sequence[int]) -> tuple[TapeKind, ...]:
    """What each tape of a loop is; those that nothing reads are not kept."""
    attrs = node.attrs
    first = attrs["carried"] + 1
    types = node.type.items[first:] if isinstance(node.type, TupleType) else ()
    known = attrs["test"] is None and not attrs["leaves"] and attrs["stop"] is not None
    bound = set(_bound(attrs["body"]))
    kinds: list[TapeKind] = []
    for place, type_ in enumerate(types):
        if first + place not in used or not isinstance(type_, TapeType):
            kinds.append("unused")
        elif known and _fits_array(type_, bound):
            kinds.append("array")
        else:
            kinds.append("places" if known and attrs["reverse"] else "list")
    return tuple(kinds)


def _bound(region: Region) -> Iterator[Symbol]:
    """The sizes that are known within a region only."""
    for param in region.params:
        if param.attrs["symbol"] is not None:
            yield param.attrs["symbol"]
    for node in region.nodes:
        yield from (symbol for symbol in node.attrs.get("symbols", ()) if symbol is not None)
        for inner in node.regions:
            yield from _bound(inner)


def _fits_array(tape: TapeType, bound: set[Symbol]) -> bool:
    """Whether one array can hold it all: items of one shape, which read alike."""
    held = tape.item
    if not isinstance(held, ArrayType) or held.weak or (held.form == "array" and not held.ndim):
        return False
    symbols = [s for size in held.shape for s in dims.symbols(size)]
    return not any(symbol.unbacked or symbol in bound for symbol in symbols)
