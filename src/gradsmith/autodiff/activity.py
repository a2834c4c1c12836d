"""What depends on what: which nodes carry a derivative from the inputs to the outputs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node, Region, RegionFacts, ancestors
from gradsmith.ir.intrinsics import item
from gradsmith.ir.op import NonDiff, argument_rule
from gradsmith.ir.parts import BranchView, LoopView
from gradsmith.ir.types import ArrayType, TapeType, TupleType, Type
from gradsmith.ops.control import finished_gradient
from gradsmith.ops.regions import branch, loop, rerun

# Regions do not change, and are asked from every region around them.
_known_active: RegionFacts[dict[frozenset[int], Active]] = RegionFacts()


def is_inexact(type_: Type) -> bool:
    """Whether values of the type can carry a derivative at all."""
    if isinstance(type_, TupleType):
        return any(map(is_inexact, type_.items))
    if isinstance(type_, TapeType):
        return is_inexact(type_.item)
    return type_.inexact or (isinstance(type_, ArrayType) and type_.tangent_dtype.kind == "f")


def is_differentiable(node: Node) -> bool:
    """Whether its type can carry a derivative at all."""
    return is_inexact(node.type)


def passes_derivative(node: Node, position: int) -> bool:
    """Whether ``node`` has a derivative (available or not) in the operand at ``position``."""
    if not is_differentiable(node) or not is_differentiable(node.inputs[position]):
        return False
    return not isinstance(argument_rule(node.op.derivative, position), NonDiff)


class Active:
    """The nodes that have a derivative in some of ``sources``.

    ``results`` says of a loop or branch which of its results do.
    """

    def __init__(self, sources: Iterable[Node]) -> None:
        self.nodes = {node for node in sources if is_differentiable(node)}
        self.results: dict[Node, frozenset[int]] = {}

    def add(self, node: Node) -> bool:
        """Whether ``node`` is one, given that those before it are known."""
        if node not in self.nodes and self._is_reached(node):
            self.nodes.add(node)
        return node in self.nodes

    def extend(self, nodes: Iterable[Node]) -> Active:
        """Itself, with those among ``nodes``, which are in order."""
        for node in nodes:
            self.add(node)
        return self

    def readings(self, node: Node) -> list[int]:
        """The positions of the operands by which it is one."""
        return [
            position
            for position, operand in enumerate(node.inputs)
            if operand in self.nodes and passes_derivative(node, position)
        ]

    def _is_reached(self, node: Node) -> bool:
        if node.op is item and node.inputs[0] in self.results:
            return node.attrs["index"] in self.results[node.inputs[0]] and is_differentiable(node)
        readings = self.readings(node)
        if readings and node.op is loop:
            self.results[node] = _moved_by_loop(node, readings)
        elif readings and node.op is branch:
            self.results[node] = _moved_by_branch(node, readings)
        elif readings and node.op is rerun:
            self.results[node] = _moved_by_rerun(node, readings)
        return bool(self.results.get(node, readings))


# -- inside regions ------------------------------------------------------------------------------


def in_arm(view: BranchView, arm: int, readings: Iterable[int]) -> Active:
    """What moves in an arm if the operands at ``readings`` do."""
    return _in_region(view.arms[arm], frozenset(p - 1 for p in readings))


def _in_region(region: Region, moving: frozenset[int]) -> Active:
    """What moves in a region if these of its parameters do: found once, or each region would be
    gone through again for every one of those around it.
    """
    known = _known_active.setdefault(region, {})
    if moving not in known:
        known[moving] = Active(region.params[p] for p in moving).extend(region.nodes)
    return known[moving]


def _moved_by_branch(node: Node, readings: Sequence[int]) -> frozenset[int]:
    view = BranchView(node)
    actives = [in_arm(view, arm, readings).nodes for arm in (0, 1)]
    return frozenset(
        k
        for region, active in zip(view.arms, actives, strict=True)
        for k, result in enumerate(region.results)
        if result in active
    )


def in_block(block: Region, readings: Iterable[int]) -> Active:
    """What moves in a region that is run again if the operands at ``readings`` do."""
    return _in_region(block, frozenset(readings))


def _moved_by_rerun(node: Node, readings: Sequence[int]) -> frozenset[int]:
    block: Region = node.attrs["block"]
    active = in_block(block, readings).nodes
    return frozenset(k for k, result in enumerate(block.results) if result in active)


def in_body(view: LoopView, readings: Iterable[int]) -> Active:
    """What moves in some trip if the operands at ``readings`` do."""
    moving = frozenset(1 + p for p in readings)
    while True:
        active = _in_region(view.body, moving)
        more = {
            1 + k
            for k, (param, result) in enumerate(zip(view.carried, view.results, strict=True))
            if result in active.nodes and is_differentiable(param)
        } - moving
        if not more:
            return active
        moving |= more


def _moved_by_loop(node: Node, readings: Sequence[int]) -> frozenset[int]:
    view = LoopView(node)
    active = in_body(view, readings).nodes
    moved = {k for k, param in enumerate(view.carried) if param in active}
    return frozenset(moved | {view.place(j) for j, r in enumerate(view.recorded) if r in active})


def wanted(nodes: Sequence[Node], active: Active, results: Iterable[Node]) -> set[Node]:
    """The active nodes, parameters among them, that active ``results`` have a derivative in."""
    found = {r for r in results if r in active.nodes}
    parts: dict[Node, set[int]] = {}
    for node in reversed(nodes):
        if node.op is item and node in found:
            parts.setdefault(node.inputs[0], set()).add(node.attrs["index"])
        if node in active.results:
            positions = _wanted_operands(node, active, parts.get(node, set()))
        else:
            positions = active.readings(node) if node in found else []
        found.update(node.inputs[p] for p in positions)
    return found


def _wanted_operands(node: Node, active: Active, results: set[int]) -> list[int]:
    readings = active.readings(node)
    if not results & active.results[node]:
        return []
    if node.op in (branch, rerun):
        return readings
    view = LoopView(node)
    needed = wanted_in_body(view, in_body(view, readings), results)
    return [p for p in readings if view.params[p] in needed]


def wanted_in_body(view: LoopView, active: Active, results: Iterable[int]) -> set[Node]:
    """The nodes of a loop's body that the results at these places have a derivative in."""
    places = set(results)
    recorded = [r for j, r in enumerate(view.recorded) if view.place(j) in places]
    while True:
        last = [r for k, r in enumerate(view.results) if k in places]
        found = wanted(view.body.nodes, active, [*last, *recorded])
        found |= {p for k, p in enumerate(view.carried) if k in places and p in active.nodes}
        more = {k for k, p in enumerate(view.carried) if p in found} - places
        if not more:
            return found
        places |= more


# -- whole graphs --------------------------------------------------------------------------------


def between(inputs: Sequence[Node], outputs: Collection[Node]) -> list[Node]:
    """The nodes on a differentiable way from ``inputs`` to ``outputs``, inputs included,
    each after its operands.
    """
    needed = ancestors(outputs)
    active = Active(inputs)
    order = [n for n in inputs if n in active.nodes and n in needed and not n.inputs]
    order += [n for n in current_builder().nodes if n in needed and active.add(n)]
    passing = wanted(order, active, outputs)  # not what a stop on the way holds back
    return [n for n in dict.fromkeys(order) if n in passing]


@dataclass(frozen=True, slots=True)
class Unused:
    """Why an output has no gradient in an input; ``cut`` is the step that ends the way."""

    cut: Node | None

    @property
    def reason(self) -> str:
        """The reason as the end of a sentence."""
        if self.cut is None:
            return "it is not used at all on the way to the outputs"
        if self.cut.op is finished_gradient:
            step = "a gradient that was taken without create_graph=True and so is a constant"
        elif self.cut.op in (loop, branch, rerun):
            step = f"a {self.cut.op.name}, whose results have no derivative in it"
        else:
            step = f"{self.cut.op.name}, which has no derivative"
        span = self.cut.span
        if span is None:
            return f"it reaches the outputs only through {step}"
        return f"it reaches the outputs only through {step} ({span.where}: {span.text})"


def why_unused(source: Node, outputs: Sequence[Node]) -> Unused | None:
    """Why ``source`` has no gradient: not used, or cut by a step that has none.

    None where it does reach the outputs: its gradient is zero then, as that of ``sign`` is.
    """
    needed = ancestors(outputs)
    if source not in needed:
        return Unused(None)
    active = Active([source])
    cut: Node | None = None
    for node in current_builder().nodes:
        if node not in needed or not any(operand in active.nodes for operand in node.inputs):
            continue
        if not active.add(node) and cut is None:
            cut = _cut(node, active)
    return None if active.nodes.intersection(outputs) else Unused(cut)


def _cut(node: Node, active: Active) -> Node:
    """The very step that has no derivative: of a loop or a branch one of those inside."""
    whole = node.inputs[0] if node.op is item else node
    readings = active.readings(whole)
    if whole.op is loop:
        inside = [(LoopView(whole).body, in_body(LoopView(whole), readings))]
    elif whole.op is branch:
        view = BranchView(whole)
        inside = [(arm, in_arm(view, k, readings)) for k, arm in enumerate(view.arms)]
    else:
        return whole
    for region, moving in inside:
        for inner in region.nodes:
            read = any(operand in moving.nodes for operand in inner.inputs)
            if read and inner not in moving.nodes:
                return _cut(inner, moving)
    return whole
