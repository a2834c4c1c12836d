"""Which symbols the sizes of nodes mention, and which nodes say what these are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import NoneType
from typing import Any

from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Size, Symbol
from gradsmith.ir.graph import Node, Region, RegionFacts, ancestors, facts_of
from gradsmith.ir.intrinsics import item, parameter, size
from gradsmith.ir.types import ArrayType, TapeType, TupleType, Type

# Regions do not change, and are asked often.
_known_free: RegionFacts[dict[Symbol, None]] = RegionFacts()
_known_effect: RegionFacts[bool] = RegionFacts()
_known_call: RegionFacts[bool] = RegionFacts()
_known_silent: RegionFacts[Region] = RegionFacts()


def mentioned(nodes: Iterable[Node]) -> dict[Symbol, None]:
    """The symbols in the sizes that these nodes have or work with, in order."""
    found: dict[Symbol, None] = {}
    for node in nodes:
        facts = node.facts or facts_of(node)
        own = facts.mentioned
        if own is None:
            own = facts.mentioned = _mentioned_by(node)
        if own:
            found.update(own)
    return found


def _mentioned_by(node: Node) -> dict[Symbol, None]:
    found: dict[Symbol, None] = {}
    _see_type(node.type, found)
    for attr in node.attrs.values():
        _see_attr(attr, found)
    return found or _NONE


_NONE: dict[Symbol, None] = {}


def _see(size: Size, found: dict[Symbol, None]) -> Size:
    for symbol in dims.symbols(size):
        if symbol.total is None:
            found[symbol] = None
        else:  # what is written is the length at the end
            _see(symbol.total, found)
    return size


def _see_type(type_: Type, found: dict[Symbol, None]) -> None:
    """The sizes of a value; those of what a tape holds are not known outside of its loop."""
    if isinstance(type_, ArrayType):
        for extent in type_.shape:
            # an open axis is not known before the loop ends
            if type(extent) is not int and dims.total_of(extent) is None:
                _see(extent, found)
    elif isinstance(type_, TapeType):
        _see(type_.length, found)


def _see_attr(value: Any, found: dict[Symbol, None]) -> None:
    if isinstance(value, _NO_SIZES):  # most attributes, and this is asked of every node
        return
    if isinstance(value, Dim):
        _see(value, found)
    elif isinstance(value, tuple):
        for part in value:
            _see_attr(part, found)
    elif isinstance(value, Region):
        found.update(_free(value))
    elif hasattr(value, "map_sizes"):
        value.map_sizes(lambda size: _see(size, found))


_NO_SIZES = (int, str, NoneType)


def _free(region: Region) -> dict[Symbol, None]:
    """The symbols that a region takes from around it."""
    if region not in _known_free:
        bound = {p.attrs["symbol"] for p in region.params}
        bound.update(said_by(region.nodes))
        inside = mentioned([*region.params, *region.nodes])
        _known_free[region] = {s: None for s in inside if s not in bound}
    return _known_free[region]


def said_by(nodes: Iterable[Node]) -> dict[Symbol, Node]:
    """For the symbols of integer results: the first node that gives the result; for those of how
    many elements a mask, a search or an opaque slice finds: the first that has so many.
    """
    return {symbol: found[0] for symbol, found in _all_said_by(nodes).items()}


def _all_said_by(nodes: Iterable[Node]) -> dict[Symbol, list[Node]]:
    """The same with all such nodes, in order."""
    found: dict[Symbol, list[Node]] = {}
    for node in nodes:
        facts = node.facts or facts_of(node)
        own = facts.defined
        if own is None:
            own = facts.defined = _defined_by(node)
        for symbol in own:
            found.setdefault(symbol, []).append(node)
    return found


def _defined_by(node: Node) -> tuple[Symbol, ...]:
    attrs = node.attrs
    symbols = (attrs.get("symbol"), *attrs.get("symbols", ()), *sizes_found(node))
    return tuple([symbol for symbol in symbols if symbol is not None])


def sizes_found(node: Node) -> list[Symbol]:
    """The sizes that ``node`` shows: it has found (or is what was found of) so many elements."""
    attrs = node.inputs[0].attrs if node.op is item else node.attrs
    if "index" not in attrs and "count" not in attrs:
        return []
    counts = [s for key in ("index", "count") for s in getattr(attrs.get(key), "counts", ())]
    if not counts:
        return counts
    shape = node.type.shape if isinstance(node.type, ArrayType) else ()
    return [symbol for symbol in counts if dims.of_atom(symbol) in shape]


def shown(nodes: Iterable[Node]) -> set[Symbol]:
    """The sizes that arrays show, being there."""
    shapes = (n.type.shape for n in nodes if isinstance(n.type, ArrayType))
    symbols = (dims.as_symbol(size) for shape in shapes for size in shape)
    return {symbol for symbol in symbols if symbol is not None and symbol.total is None}


def has_effect(node: Node) -> bool:
    """Whether evaluating it may do more than give a value: raise the user's error, print."""
    facts = node.facts or facts_of(node)
    effect = facts.effect
    if effect is None:
        if "effect" in node.op.traits:
            effect = not node.attrs.get("silent", False)
        else:
            effect = any(map(_has_effect, facts.regions))
        facts.effect = effect
    return effect


def gives_value(node: Node) -> bool:
    """Whether a node with an effect has a result: a copy of it in a derivative has the same.

    Such a copy is *silent*: it has to become one with the user's own, as it is not called again.
    """
    return node.type != TupleType(())


def makes_call(node: Node) -> bool:
    """Whether it is a call that gives a value, or a silent copy of one; or has one inside."""
    if "effect" in node.op.traits:
        return gives_value(node)
    return any(map(_makes_call, node.regions))


def _makes_call(region: Region) -> bool:
    if region not in _known_call:
        _known_call[region] = any(map(makes_call, region.nodes))
    return _known_call[region]


def _has_effect(region: Region) -> bool:
    if region not in _known_effect:
        _known_effect[region] = any(map(has_effect, region.nodes))
    return _known_effect[region]


def silent(region: Region) -> Region:
    """The region without its effects: what a derivative runs once more is no second run to the
    user.
    """
    if not _has_effect(region):
        return region
    if region not in _known_silent:
        _known_silent[region] = _quiet(region, ())
    return _known_silent[region]


def silent_but(region: Region, loud: slice) -> Region:
    """The region with the effects of these of its nodes alone."""
    whole = range(len(region.nodes))
    if whole[loud] == whole or not _has_effect(region):
        return region
    return _quiet(region, region.nodes[loud])


def _quiet(region: Region, loud: Collection[Node]) -> Region:
    made: dict[Node, Node] = {}
    kept = set(loud)
    for node in region.nodes:
        if node in kept:
            made[node] = _over(node, made, node.attrs)
        elif "effect" not in node.op.traits:
            made[node] = _over(node, made, silent_attrs(node.attrs))
        elif gives_value(node):
            made[node] = _over(node, made, {**node.attrs, "silent": True})
    results = tuple(made.get(r, r) for r in region.results)
    nodes = live(tuple(made.values()), results)
    known = {*region.params, *nodes}
    names = {made.get(node, node): name for node, name in region.names.items()}
    return Region(region.params, nodes, results, {n: x for n, x in names.items() if n in known})


def _over(node: Node, made: Mapping[Node, Node], attrs: Mapping[str, Any]) -> Node:
    inputs = tuple(made.get(i, i) for i in node.inputs)
    same = attrs is node.attrs and all(n is o for n, o in zip(inputs, node.inputs, strict=True))
    return node if same else Node(node.op, inputs, attrs, node.type, node.span)


def silent_attrs(attrs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attributes with regions that have no effects."""
    regions = {key: silent(value) for key, value in attrs.items() if isinstance(value, Region)}
    same = all(region is attrs[key] for key, region in regions.items())
    return attrs if same else {**attrs, **regions}


def silenced(node: Node) -> Node:
    """The node without the effects of its regions."""
    return _over(node, {}, silent_attrs(node.attrs))


def live(
    nodes: Sequence[Node], results: Iterable[Node], *, sparing: bool = False
) -> tuple[Node, ...]:
    """``nodes`` without those that the results do not need, in the same order.

    A size needs the loop that it is known by, the first one if there are several; ``sparing``
    says that another one will do which is needed anyway. What may raise an error is needed by
    itself.
    """
    needed = ancestors([*results, *filter(has_effect, nodes)])
    said = _all_said_by(nodes)
    fresh = needed if said else set()
    while fresh:
        sizes = mentioned(fresh).keys() - shown(n for n in fresh if n.op is parameter)
        unknown = {s for s in sizes if s in said}
        if sparing and any(len(said[s]) > 1 for s in unknown):
            unknown -= _known(unknown, said, nodes, needed)
        fresh = ancestors(said[s][0] for s in unknown) - needed
        needed |= fresh
    return tuple(node for node in nodes if node in needed)


def _known(
    symbols: Iterable[Symbol],
    said: Mapping[Symbol, Sequence[Node]],
    nodes: Sequence[Node],
    needed: Collection[Node],
) -> set[Symbol]:
    """The symbols that a needed node says before any other mentions them.

    A size by itself is read where it is used.
    """
    place = {node: i for i, node in enumerate(nodes)}
    first: dict[Symbol, int] = {}
    for node in nodes:
        if node in needed:
            others = (x for x in node.inputs if x.op is size)
            for symbol in mentioned([*others] if node.op is size else [node, *others]):
                first.setdefault(symbol, place[node])
    end = len(nodes)
    return {
        symbol
        for symbol in symbols
        if any(n in needed and place[n] <= first.get(symbol, end) for n in said[symbol])
    }
