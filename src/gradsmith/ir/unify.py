"""One loop for loops that do the same: differentiating makes longer copies of the user's.

The adjoint of a loop needs what the trips were, the tangent runs along with the values: either
makes a copy of the loop with more results, and leaves the first one to those that read it. When
a graph is finished, loops (and branches) that compute the same values become one with the
results of all.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from gradsmith.errors import InternalError
from gradsmith.ir.dims import Symbol
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import item, parameter
from gradsmith.ir.mentions import has_effect, live, mentioned, said_by
from gradsmith.ir.numbering import Numbers, is_regional, numbered
from gradsmith.ir.parts import LoopView
from gradsmith.ir.types import TupleType, ValueType

Swaps: TypeAlias = Mapping[Node, tuple[Node, Sequence[int]]]
"""What loops and branches become, and where their results are then."""


@dataclass(frozen=True, slots=True, eq=False)
class Finished:
    """The nodes and results of a graph, and what other nodes have become."""

    nodes: tuple[Node, ...]
    results: tuple[Node, ...]
    made: Mapping[Node, Node]

    def names(self, names: Mapping[Node, str]) -> dict[Node, str]:
        """The names of what is left."""
        return {self.made.get(node, node): name for node, name in names.items()}


def finished(nodes: Sequence[Node], results: Sequence[Node]) -> Finished:
    """What the results need, with every loop in it run once."""
    found = Finished(live(nodes, results), tuple(results), {})
    while have_twins(found.nodes):
        pairs = _merges(found.nodes)
        if not pairs:
            break
        together = {node: swap for swaps in pairs for node, swap in swaps.items()}
        step = _rebuilt(found, together) or _rebuilt(found, pairs[0])
        if step is None and any(map(has_effect, found.nodes)):
            break  # effects stay in their order
        if step is None:
            raise InternalError("two loops that are one need each other")
        made = {old: step.made.get(new, new) for old, new in found.made.items()}
        kept = live(step.nodes, step.results)
        found = Finished(kept, step.results, {**step.made, **made})
    return found


def have_twins(nodes: Iterable[Node]) -> bool:
    """Whether any two might be the same, at a glance: most graphs have none."""
    glances = [_glance(node) for node in nodes if is_regional(node)]
    return len(set(glances)) < len(glances)


def _glance(node: Node) -> object:
    if "body" in node.attrs:
        return LoopView(node).index.attrs["symbol"]
    return _likeness(node.inputs[0], 2)


def _likeness(node: Node, depth: int) -> object:
    """What is the same of two values that have one number."""
    if node.op is parameter:
        return node
    if node.op is item and is_regional(node.inputs[0]):
        return "part"
    below = tuple([_likeness(i, depth - 1) for i in node.inputs]) if depth else ()
    return (node.op, *(pair for pair in node.attrs.items() if pair[0] != "silent"), below)


def _merges(nodes: Sequence[Node]) -> list[Swaps]:
    """Pairs of nodes that can be one, no node in two of them.

    Of two with effects each is the user's own: these are not even compared, as there may be many.
    """
    numbers = numbered(nodes)
    alone: dict[object, list[Node]] = {}
    pairs: list[Swaps] = []
    for later in filter(is_regional, nodes):
        family, effectful = _family(later, numbers), has_effect(later)
        pure = alone.setdefault((family, False), [])
        others_effectful = alone.setdefault((family, True), [])
        others = pure if effectful else [*pure, *others_effectful]
        for earlier in others:
            swaps = merge(earlier, later, numbers) or merge(later, earlier, numbers)
            if swaps is not None:
                pairs.append(swaps)
                alone[family, has_effect(earlier)].remove(earlier)
                break
        else:
            alone[family, effectful].append(later)
    return pairs


def _family(node: Node, numbers: Numbers) -> object:
    """What nodes that can be one have in common."""
    return _glance(node) if "body" in node.attrs else numbers.parts[node][:1]


def merge(base: Node, extra: Node, numbers: Numbers) -> Swaps | None:
    """``base`` with the results of ``extra``, where it makes the same trips, or choice."""
    if has_effect(extra):  # each is one of the user's, or a copy that is silent
        return None
    have, wanted = numbers.parts[base], numbers.parts[extra]
    if "body" in extra.attrs:
        alike = set(wanted[: LoopView(extra).count + 1]) <= set(have)
    else:  # copies have the results of the original first; other branches stay as they are
        alike = wanted[:1] == have[:1]
    if not alike or extra in _before_all(base, numbers) or base in _before_all(extra, numbers):
        return None
    missing = [k for k, number in enumerate(wanted) if number not in have]
    if missing and not _tapes(extra, numbers) <= _tapes(base, numbers):
        return None  # a longer copy takes more captured values, but reads no more tapes
    whole = _Longer(base, extra, numbers).with_results(missing) if missing else base
    order = [*have, *(wanted[k] for k in missing)]
    return {
        extra: (whole, [order.index(number) for number in wanted]),
        base: (whole, range(len(have))),
    }


def _tapes(node: Node, numbers: Numbers) -> set[int]:
    """The numbers of what the trips of a loop read from tapes."""
    if "body" not in node.attrs:
        return set()
    view = LoopView(node)
    return {numbers.inside[node]["body"].of[view.params[place]] for place in view.tapes}


def _before_all(node: Node, numbers: Numbers) -> set[Node]:
    """What has to be computed before ``node``; sizes need what says them."""
    said = said_by(numbers.parts)
    seen: set[Node] = set()
    stack = _before(node, {}, said)
    while stack:
        other = stack.pop()
        if other not in seen:
            seen.add(other)
            stack += _before(other, {}, said)
    return seen


class _Longer:
    """``base`` with results of ``extra``, what they are computed from in ``extra`` included."""

    def __init__(self, base: Node, extra: Node, numbers: Numbers) -> None:
        self.base, self.extra, self.numbers = base, extra, numbers
        known = {numbers.of[i] for i in _captured(base)}
        self.more = {numbers.of[i]: i for i in _captured(extra) if numbers.of[i] not in known}

    def with_results(self, places: Sequence[int]) -> Node:
        """With the results of ``extra`` at these places."""
        attrs = dict(self.base.attrs)
        for name, region in self.base.attrs.items():
            if isinstance(region, Region):
                attrs[name] = self._region(name, region, [] if name == "test" else places)
        attrs["symbols"] = (*attrs["symbols"], *(self.extra.attrs["symbols"][k] for k in places))
        operands = (*self.base.inputs, *self.more.values())
        type_ = self.base.op.infer(*[i.type for i in operands], **attrs)
        return Node(self.base.op, operands, attrs, type_, self.base.span)

    def _region(self, name: str, region: Region, places: Sequence[int]) -> Region:
        """Further captured values for parameters, further results."""
        attrs = {"name": "captured", "symbol": None}
        params = {n: Node(parameter, (), attrs, i.type) for n, i in self.more.items()}
        longer = replace(region, params=(*region.params, *params.values()))
        if not places:
            return longer
        source: Region = self.extra.attrs[name]
        skipped = LoopView(self.extra).leaves - 1 if name == "body" else 0
        wanted = [source.results[k + skipped] for k in places]
        theirs = self.numbers.inside[self.extra][name].of
        ours = reversed(self.numbers.inside[self.base][name].of.items())
        made = {n: node for node, n in ours} | params
        nodes = list(region.nodes)
        for node in live(source.nodes, wanted):
            if theirs[node] not in made:
                operands = tuple(made[theirs[i]] for i in node.inputs)
                fresh = Node(node.op, operands, node.attrs, node.type, node.span)
                made[theirs[node]] = fresh
                nodes.append(fresh)
        results = [*region.results, *(made[theirs[w]] for w in wanted)]
        return tidy(replace(longer, nodes=tuple(nodes), results=tuple(results)))


def tidy(region: Region) -> Region:
    """A region without waste, every loop in it run once."""
    done = finished(region.nodes, region.results)
    kept = {*region.params, *done.nodes}
    names = {n: name for n, name in done.names(region.names).items() if n in kept}
    return Region(region.params, done.nodes, done.results, names)


def interned(region: Region) -> Region:
    """A region with one node for equal ones: what the user wrote twice is recorded once."""
    table: dict[object, Node] = {}
    made: dict[Node, Node] = {}
    for node in region.nodes:
        inputs = tuple(made.get(i, i) for i in node.inputs)
        same = all(new is old for new, old in zip(inputs, node.inputs, strict=True))
        new = node if same else Node(node.op, inputs, node.attrs, node.type, node.span)
        alone = has_effect(node) or bool(node.regions)
        key = node if alone else (node.op, inputs, tuple(node.attrs.items()))
        made[node] = table.setdefault(key, new)
    results = tuple(made.get(r, r) for r in region.results)
    names: dict[Node, str] = {}
    for node, name in region.names.items():
        names.setdefault(made.get(node, node), name)
    return Region(region.params, tuple(dict.fromkeys(made.values())), results, names)


def _captured(node: Node) -> tuple[Node, ...]:
    return node.inputs[LoopView(node).tapes.stop if "body" in node.attrs else 1 :]


# -- putting it in place -------------------------------------------------------------------------


def _rebuilt(found: Finished, swaps: Swaps) -> Finished | None:
    """The same with one node for two; what reads it is made anew, in an order that fits.

    None where there is no such order.
    """
    maker = _Maker(swaps)
    said, earlier = said_by(found.nodes), _effects_before(found.nodes, swaps)
    known = set(found.nodes)
    entered: set[Node] = set()
    for start in found.nodes:
        stack = [start]
        while stack:
            node = stack[-1]
            before = [] if node in maker.made else _before(node, swaps, said)
            before += earlier.get(node, ())
            waiting = [n for n in before if n in known and n not in maker.made]
            if entered.intersection(waiting):
                return None
            if waiting:
                entered.add(node)
                stack += waiting
            else:
                maker.make(stack.pop())
    made = maker.made
    results = tuple(made.get(r, r) for r in found.results)
    return Finished(tuple(dict.fromkeys(made.values())), results, made)


def _effects_before(nodes: Sequence[Node], swaps: Swaps) -> dict[Node, list[Node]]:
    """For what has an effect, and its copy: what has the effect before."""
    effects = list(filter(has_effect, nodes))
    found: dict[Node, list[Node]] = {b: [a] for a, b in itertools.pairwise(effects)}
    before = {swaps[node][0]: found[node] for node in swaps if node in found}
    found.update({node: before[whole] for node, (whole, _) in swaps.items() if whole in before})
    return found


class _Maker:
    """Makes nodes anew, each after its operands."""

    def __init__(self, swaps: Swaps) -> None:
        self._swaps = swaps
        self._wholes: dict[Node, Node] = {}
        self._items: dict[tuple[Node, int], Node] = {}
        self.made: dict[Node, Node] = {}

    def make(self, node: Node) -> None:
        """Once."""
        if node in self.made:
            return
        if node in self._swaps:
            whole = self._swaps[node][0]
            known = self._wholes.get(whole)
            self.made[node] = self._on(whole) if known is None else known
            self._wholes[whole] = self.made[node]
        elif node.op is item and node.inputs[0] in self._swaps:
            whole = self.made[node.inputs[0]]
            place = self._swaps[node.inputs[0]][1][node.attrs["index"]]
            fresh = Node(item, (whole,), {"index": place}, _part(whole, place), node.span)
            self.made[node] = self._items.setdefault((whole, place), fresh)
        else:
            self.made[node] = self._on(node)

    def _on(self, node: Node) -> Node:
        """``node`` on what its operands have become."""
        operands = tuple(self.made.get(i, i) for i in node.inputs)
        if all(new is old for new, old in zip(operands, node.inputs, strict=True)):
            return node
        return Node(node.op, operands, node.attrs, node.type, node.span)


def _before(node: Node, swaps: Swaps, said: Mapping[Symbol, Node]) -> list[Node]:
    """What has to be made before ``node``."""
    whole = swaps[node][0] if node in swaps else node
    sizes = [said[s] for s in mentioned([whole]) if s in said] if said else []
    return [*whole.inputs, *(n for n in sizes if n is not node and n not in swaps)]


def _part(whole: Node, place: int) -> ValueType:
    if not isinstance(whole.type, TupleType):
        raise InternalError(f"item of {whole!r}")
    return whole.type.items[place]
