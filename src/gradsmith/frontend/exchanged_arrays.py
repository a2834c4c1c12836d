"""Arrays that the iterations of a loop exchange, as ``A, B = B, A`` does in each.

Such variables make a cycle: after one iteration each of them is the array that the next one was
before it. The array that was ``A`` before the loop is ``A`` again after an even number of
iterations, and ``B`` after an odd one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradsmith.frontend.joint import make_branch
from gradsmith.frontend.slots import Slot
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Dim, Size
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item
from gradsmith.ops.compare import equal


@dataclass(frozen=True, slots=True)
class Cycle:
    """Loop-carried variables; after an iteration each is the array that the next one was."""

    slots: tuple[Slot, ...]

    def storages(self) -> list[Storage]:
        """The arrays that they are before the loop."""
        return [slot.initial.view.storage for slot in self.slots]

    def replace(self, trace: Trace, finals: Mapping[int, tuple[Node, Any]], count: Size) -> None:
        """After ``count`` iterations: what the arrays hold that the variables were before."""
        nodes = [finals[id(slot)][0] for slot in self.slots]
        length = len(nodes)
        held = [
            _chosen(trace, count, [nodes[(place - k) % length] for k in range(length)])
            for place in range(length)
        ]
        for storage, node in zip(self.storages(), held, strict=True):
            storage.replace(node)


def _chosen(trace: Trace, count: Size, nodes: Sequence[Node]) -> Node:
    """The node whose place is the remainder of ``count``."""
    length = len(nodes)
    rest = count % length
    if not isinstance(rest, Dim):
        return nodes[rest]
    chosen = nodes[-1]
    number = trace.builder.lift(rest)
    for k in reversed(range(length - 1)):
        paths = [Builder(intern=False, parent=trace.builder) for _ in range(2)]
        sides = [(nodes[k],), (chosen,)]
        chosen = item(make_branch(trace, equal(number, k), paths, sides, (None,)), index=0)
    return chosen


def cycles_of(slots: Sequence[Slot]) -> list[Cycle]:
    """The cycles among the carried values, where all of them are whole arrays of their own."""
    seen = {s.seen.view.storage: s for s in slots if isinstance(s.seen, Tracer)}
    found: list[Cycle] = []
    for slot in slots:
        if any(slot is member for cycle in found for member in cycle.slots):
            continue
        cycle = _cycle_from(slot, seen)
        if cycle and _are_separate(cycle):
            found.append(Cycle(tuple(cycle)))
    return found


def _cycle_from(slot: Slot, seen: Mapping[Storage, Slot]) -> list[Slot]:
    """The slots from this one on to where it comes again; none where it does not."""
    cycle: list[Slot] = []
    current = slot
    while _is_whole_array(current) and not any(current is member for member in cycle):
        cycle.append(current)
        following = seen.get(current.after.view.storage)
        if following is slot:
            return cycle
        if following is None:
            break
        current = following
    return []


def _is_whole_array(slot: Slot) -> bool:
    """Whether it is an array, no view of one, before and after an iteration.

    The shapes agree, or the loop could not carry it.
    """
    values = slot.initial, slot.seen, slot.after
    return slot.type.form == "array" and all(
        isinstance(v, Tracer) and not v.view.path and _is_like(v.view.storage, slot)
        for v in values
    )


def _is_like(storage: Storage, slot: Slot) -> bool:
    held, carried = storage.node.array_type, slot.type
    return (held.dtype, held.form, held.ndim) == (carried.dtype, carried.form, carried.ndim)


def _are_separate(cycle: Sequence[Slot]) -> bool:
    """Whether the arrays before the loop are surely not one another."""
    first = [slot.initial.view.storage for slot in cycle]
    return not any(a is b or a.may_be(b) for place, a in enumerate(first) for b in first[:place])
