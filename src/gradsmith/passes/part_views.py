"""Parts of parts in one step: ``x[i, j]`` for ``x[i][j]``, in reads and in writes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from gradsmith.ir.graph import Graph, Node
from gradsmith.ops.index import getitem, index_add, index_set
from gradsmith.ops.index_key import Index, composed
from gradsmith.ops.through import Step, taken, through, written_by
from gradsmith.passes.replay import Replay

WRITES = frozenset({index_set, index_add})


def join_parts(graph: Graph) -> Graph:
    """The graph without parts that only parts are taken of; those with names stay."""
    parts = _Joining(graph)
    return parts.run() if parts.idle or any(n.op is through for n in graph.nodes) else graph


class _Joining(Replay):
    ops = frozenset({getitem, through})

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        parts = [node for node in graph.nodes if node.op is getitem]
        self.idle = {part for part in parts if self._is_idle(part)}
        self.kept = {_part(p, p.attrs["index"], p.inputs[1:]) for p in parts if p not in self.idle}
        """The parts that may have variables, to write to them there."""

    def _is_idle(self, part: Node) -> bool:
        """Whether all that reads a part can read the array instead."""
        readers = self.readers.get(part, ())
        if part in self.graph.names or part in self.results or not readers:
            return False
        return all(
            reader.op is getitem and self._of(part, reader) is not None for reader in readers
        )

    def _of(self, part: Node, reader: Node) -> Index | None:
        """The index of what is read of a part."""
        indices = part.attrs["index"], reader.attrs["index"]
        return _joined(*indices, part.inputs[1:], reader.inputs[1:])

    def better(self, node: Node) -> Node | None:
        """The same in one step."""
        if node.op is through:
            return self._written(node)
        if node.inputs[0] not in self.idle:
            return None
        part = self.made[node.inputs[0]]
        index = self._of(part, node) if part.op is getitem else None
        operands = [*part.inputs[1:], *(self.made[x] for x in node.inputs[1:])]
        return None if index is None else getitem(part.inputs[0], *operands, index=index)

    def _written(self, node: Node) -> Node:
        steps: list[tuple[Step, Sequence[Node]]] = []
        for step, operands in taken(node.attrs["steps"], node.inputs[1:]):
            known = len(steps) == 1 and self._is_kept(node, *steps[0])
            joined = _one(*steps[-1], step, operands) if steps and not known else None
            if joined is not None:
                steps.pop()
            steps.append(joined or (step, operands))
        operands = [self.made[x] for _, given in steps for x in given]
        return written_by([step for step, _ in steps], self.made[node.inputs[0]], operands)

    def _is_kept(self, node: Node, view: Step, given: Sequence[Node]) -> bool:
        index = dict(view.attrs).get("index")
        return _part(node, index, tuple(given)) in self.kept


def _part(node: Node, index: Index | None, operands: tuple[Node, ...]) -> Hashable:
    """What tells parts apart: which part it is, of an array of which shape."""
    return node.inputs[0].shape, index, operands


def _one(
    view: Step, given: Sequence[Node], step: Step, operands: Sequence[Node]
) -> tuple[Step, Sequence[Node]] | None:
    """Two steps as one."""
    if view.op is not getitem or step.op not in {getitem, *WRITES}:
        return None
    outer, inner = dict(view.attrs)["index"], dict(step.attrs)["index"]
    arrays = operands[1:] if step.op in WRITES else operands
    index = _joined(outer, inner, given, arrays)
    if index is None:
        return None
    every = (*operands[: len(operands) - len(arrays)], *given, *arrays)
    return Step(step.op, (("index", index),), len(every)), every


def _joined(
    outer: Index, inner: Index, given: Sequence[Node], arrays: Sequence[Node]
) -> Index | None:
    """The index of a part of a part: of slices and of single integers."""
    single = all(x.ndim == 0 and x.dtype.kind != "b" for x in (*given, *arrays))
    return composed(outer, inner, len(given)) if single and not outer.counts else None
