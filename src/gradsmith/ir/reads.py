"""Which of some sources values are computed from, through loops and branches result by result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gradsmith.ir.graph import Node, Region, RegionFacts
from gradsmith.ir.intrinsics import item
from gradsmith.ir.parts import LoopView

Sources = frozenset[int]
NONE: Sources = frozenset()


class Reads:
    """The sources of the values of a region; ``given`` are those of its parameters."""

    def __init__(self, given: Mapping[Node, Sources]) -> None:
        self._of = dict(given)
        self._parts: dict[Node, list[Sources]] = {}

    def of(self, node: Node) -> Sources:
        """Those of one value."""
        return self._of.get(node, NONE)

    def add(self, nodes: Iterable[Node]) -> Reads:
        """Itself, with these nodes, which are in order."""
        for node in nodes:
            if node.op is item and node.inputs[0] in self._parts:
                self._of[node] = self._parts[node.inputs[0]][node.attrs["index"]]
                continue
            if "body" in node.attrs:
                self._parts[node] = self._loop(LoopView(node))
            elif "then" in node.attrs:
                self._parts[node] = self._branch(node)
            self._of[node] = NONE.union(*map(self.of, node.inputs))
        return self

    def _branch(self, node: Node) -> list[Sources]:
        condition, *captured = map(self.of, node.inputs)
        then, orelse = (
            [_passed_on(read, captured) for read in _reads(node.attrs[name])]
            for name in ("then", "orelse")
        )
        return [condition | a | b for a, b in zip(then, orelse, strict=True)]

    def _loop(self, view: LoopView) -> list[Sources]:
        outer = [self.of(i) for i in view.node.inputs]
        test = [] if view.test is None else _reads(view.test)
        while True:
            ends = [_passed_on(read, [NONE, *outer]) for read in _reads(view.body)]
            stay = NONE.union(*ends[view.count :][: view.leaves])
            asked = [NONE, *outer[: view.count], *outer[view.tapes.stop :]]
            stay = stay.union(*(_passed_on(read, asked) for read in test))
            after = [
                before | end | stay for before, end in zip(outer[: view.count], ends, strict=False)
            ]
            if after == outer[: view.count]:
                return [*after, stay, *(end | stay for end in ends[view.count + view.leaves :])]
            outer[: view.count] = after


# Regions do not change, and are asked often: once for each loop around them.
_known: RegionFacts[list[Sources]] = RegionFacts()


def _reads(region: Region) -> list[Sources]:
    """The positions of the parameters that each result of a region reads."""
    if region not in _known:
        given = {param: frozenset({k}) for k, param in enumerate(region.params)}
        inside = Reads(given).add(region.nodes)
        _known[region] = [inside.of(result) for result in region.results]
    return _known[region]


def _passed_on(read: Sources, given: Sequence[Sources]) -> Sources:
    """What a result reads that reads these parameters, which have been given such sources."""
    return NONE.union(*(given[k] for k in read))
