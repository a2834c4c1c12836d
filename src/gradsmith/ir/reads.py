"""Which of some sources values are computed from, through loops and branches result by result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gradsmith.ir.graph import Node, Region
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
        arms: Sequence[Region] = [node.attrs["then"], node.attrs["orelse"]]
        inside = [
            Reads(dict(zip(arm.params, captured, strict=True))).add(arm.nodes) for arm in arms
        ]
        pairs = zip(arms[0].results, arms[1].results, strict=True)
        return [condition | inside[0].of(a) | inside[1].of(b) for a, b in pairs]

    def _loop(self, view: LoopView) -> list[Sources]:
        outer = [self.of(i) for i in view.node.inputs]
        while True:
            body = Reads(dict(zip(view.params, outer, strict=True))).add(view.body.nodes)
            stay = NONE.union(*map(body.of, view.body.results[view.count :][: view.leaves]))
            if view.test is not None:
                known = [*outer[: view.count], *outer[view.tapes.stop :]]
                test = Reads(dict(zip(view.test.params[1:], known, strict=True)))
                stay = stay.union(*map(test.add(view.test.nodes).of, view.test.results))
            after = [
                before | body.of(result) | stay
                for before, result in zip(outer, view.results, strict=False)
            ]
            if after == outer[: view.count]:
                return [*after, stay, *(body.of(r) | stay for r in view.recorded)]
            outer[: view.count] = after
