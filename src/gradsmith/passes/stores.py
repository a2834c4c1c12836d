"""Parts of an adjoint that one trip clears, adds to and reads again: one store is enough.

The adjoint of ``x[i, j] -= …; x[i, j] /= x[j, j]`` takes the part, clears it, adds to it, takes
and clears it once more. Where what is touched in between is surely another part (`extents`), the
value is known all the time::

    g = g_x[i, j]                      g = g_x[i, j] / x[j, j]
    g_x[i, j] = 0                      g_x[j, j] -= x[i, j] * g
    g_x[j, j] -= …                     g_x[j, :j] -= x[i, :j] * g
    g_x[i, j] += g / x[j, j]           g_x[i, j] = g
    g = g_x[i, j]
    g_x[i, j] = 0
    g_x[j, :j] -= x[i, :j] * g
    g_x[i, j] += g
"""

from __future__ import annotations

from typing import TypeAlias

from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import is_number
from gradsmith.ops.index import getitem, index_add, index_set
from gradsmith.ops.index_key import Index
from gradsmith.ops.repeats import may_repeat
from gradsmith.passes.extents import Part, disjoint, part_of
from gradsmith.passes.replay import Replay
from gradsmith.passes.touched import is_adjoint

WRITES = (index_set, index_add)


def known_parts(graph: Graph) -> Graph:
    """The graph with parts read and stored no more often than needed."""
    if not any(node.op is index_set and is_adjoint(node) for node in graph.nodes):
        return graph
    return _Overwritten(_Known(graph).run()).run()


Key: TypeAlias = tuple[Index, tuple[Node, ...]]
"""A part: its index, with the operands of that."""


class _Known(Replay):
    """What parts are known to hold, version by version."""

    ops = frozenset({getitem, *WRITES})

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.content: dict[Node, dict[Key, tuple[Part, Node]]] = {}
        """For a version of an array: of which parts the values are known."""

    def better(self, node: Node) -> Node | None:
        """The value that is known, a store for an addition to 0, or nothing."""
        content = self.content.get(node.inputs[0], {})
        first = 1 if node.op is getitem else 2
        key = node.attrs["index"], tuple(self.made[x] for x in node.inputs[first:])
        _, value = content.get(key, (None, None))
        if node.op is getitem:
            alike = value is not None and value.type == node.type and not node.ndim
            return value if alike and is_adjoint(node) else None
        part, update = part_of(node), self.made[node.inputs[1]]
        kept = {k: held for k, held in content.items() if disjoint(part, held[0])}
        self.content[node] = kept
        if not is_adjoint(node) or may_repeat(*key):
            return None
        cleared = value is not None and is_number(value, 0)
        if node.op is index_set or cleared:
            kept[key] = part, update
        return index_set(*self._operands(node), **node.attrs) if cleared else None

    def _operands(self, node: Node) -> list[Node]:
        return [self.made[x] for x in node.inputs]


class _Overwritten(Replay):
    """Stores that another one follows before anything reads the part."""

    ops = frozenset({index_set})

    def better(self, node: Node) -> Node | None:
        """The array as it was before the store."""
        dead = is_adjoint(node) and not may_repeat(node.attrs["index"], node.inputs[2:])
        return self.made[node.inputs[0]] if dead and self._is_overwritten(node) else None

    def _is_overwritten(self, store: Node) -> bool:
        part, version = part_of(store), store
        while version not in self.results:
            writes = [r for r in self.readers.get(version, ()) if _is_next(r, version)]
            others = [r for r in self.readers.get(version, ()) if r not in writes]
            apart = all(r.op is getitem and disjoint(part, part_of(r)) for r in others)
            if len(writes) != 1 or not apart:
                return False
            (following,) = writes
            same = following.attrs == store.attrs and following.inputs[2:] == store.inputs[2:]
            if same and following.op is index_set:
                return True
            if not disjoint(part, part_of(following)):
                return False
            version = following
        return False


def _is_next(reader: Node, version: Node) -> bool:
    """Whether ``reader`` makes the next version, and does not read this one besides."""
    once = reader.inputs.count(version) == 1
    return reader.op in WRITES and reader.inputs[0] is version and once
