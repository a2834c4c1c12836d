"""Loops that will be one: a gradient of a gradient meets the user's loop and the copy that keeps
what its trips were. One backward loop serves both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.mentions import silenced
from gradsmith.ir.numbering import Numbers, is_regional, numbered
from gradsmith.ir.unify import have_twins, merge


@dataclass
class Group:
    """``members`` and where their results are in ``whole``; ``first`` is the first of them."""

    first: Node
    whole: Node
    members: dict[Node, Sequence[int]]

    def take(self, node: Node, numbers: Numbers) -> bool:
        """Whether ``node`` belongs to the group; now it does."""
        swaps = merge(self.whole, node, numbers) or merge(node, self.whole, numbers)
        if swaps is None:
            return False
        whole, places = swaps[self.whole]
        self.members = {m: [places[k] for k in old] for m, old in self.members.items()}
        self.whole, self.members[node] = swaps[node]
        numbers.add([] if whole in numbers.parts else [whole])
        return True


def groups_of(active: Iterable[Node]) -> dict[Node, Group]:
    """The groups among the nodes of a sweep, for each of their members."""
    nodes = list(active)
    if not have_twins(nodes):
        return {}
    builder = current_builder()
    places = {node: place for place, node in enumerate(builder.nodes)}
    numbers = numbered(builder.nodes)
    groups: list[Group] = []
    for node in nodes:
        if not is_regional(node):
            continue
        ready = [
            g for g in groups if all(places.get(i, -1) < places[g.first] for i in node.inputs)
        ]
        if not any(g.take(node, numbers) for g in ready if g.first.op is node.op):
            types = range(len(numbers.parts[node]))
            groups.append(Group(node, node, {node: types}))
    for g in groups:
        if g.whole not in places:
            g.whole = silenced(g.whole)
            builder.adopt(g.whole)
    return {m: g for g in groups if len(g.members) > 1 for m in g.members}
