"""What tells whether a variable has a value, and what the way to a place says about that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gradsmith.frontend.merging import as_result
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.traced_int import wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import (
    MISSING,
    OWN,
    OptionalError,
    Perhaps,
    Unsettled,
    is_none_or_value,
    is_undefined,
)
from gradsmith.ir import dims
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item, number, size
from gradsmith.ops.compare import (
    NEGATIONS,
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_or,
    not_equal,
)
from gradsmith.ops.regions import branch
from gradsmith.ops.scalars import python_bool, widened


@dataclass(frozen=True, slots=True)
class AnyTrip:
    """Whether a loop over a range makes a trip: asked only if a program depends on it.

    The answer is a guard, or a traced value where only running tells.
    """

    start: Size
    stop: Size
    step: int

    def _sides(self) -> tuple[Any, Any]:
        ends = wrap_size(self.start), wrap_size(self.stop)
        return ends[::-1] if self.step > 0 else ends

    def known(self) -> Any:
        """The answer."""
        far, near = self._sides()
        return far > near

    def node(self) -> Node:
        """The answer as a value, without a guard."""
        far, near = self._sides()
        return greater(as_result(far), as_result(near))


@dataclass(frozen=True, slots=True)
class NotFirst:
    """Whether a trip of a loop is not its first: a value is made where it is asked."""

    index: Size
    start: Size

    def known(self) -> Any:
        """The answer."""
        return traced_truth(self.node())

    def node(self) -> Node:
        """The answer as a value."""
        return not_equal(as_result(wrap_size(self.index)), as_result(wrap_size(self.start)))


def any_trip(start: Size, stop: Size, step: int) -> Any:
    """`AnyTrip`, or the answer where it is the same for all calls."""
    found = AnyTrip(start, stop, step)
    return found.known() if isinstance(start, int) and isinstance(stop, int) else found


def as_truth(present: Any) -> Any:
    """What tells whether a variable has a value: True, False, or a traced truth value."""
    return traced_truth(present.node()) if isinstance(present, (AnyTrip, NotFirst)) else present


def traced_truth(node: Node) -> Tracer:
    """A truth value of this node."""
    return Tracer(View(Storage(node)))


def condition_on_the_way(value: Perhaps, trace: Trace) -> Any:
    """What tells whether a variable is set here, as a condition; or True."""
    if _is_known(value, trace):
        return True
    present = value.present
    found = present.known() if isinstance(present, (AnyTrip, NotFirst)) else present
    if isinstance(found, Tracer):
        trace.flags[found.view.storage.node] = value.name
    return found


def _is_known(value: Perhaps, trace: Trace) -> bool:
    """Whether the branches around this place say that a variable is set."""
    if trace.builder.is_sure(value):
        return True
    asked = list(value.because)
    if isinstance(value.present, Tracer):
        asked.append((value.present.view.storage.node, True))
    elif isinstance(value.present, NotFirst):
        asked.append((value.present.node(), True))
    wanted = [_plain(*condition) for condition in asked]
    ways = _Ways(trace)
    for way in ways:
        found, held = _plain(*way)
        for node, truth in wanted:
            if held is truth and ways.same(found, node):
                return True
            if truth and _differ(node) and _excludes(found, held, node):
                return True
    return False


def found_at_end(name: str, value: Any, trace: Trace) -> tuple[Any, Any]:
    """The value of a variable at the end of a region, and what tells whether it has one."""
    if isinstance(value, Perhaps):
        return value.value, _is_known(value, trace) or value.present
    if value is None and name in trace.learned.optional:
        return Unsettled(name, MISSING), False
    return value, name.startswith(OWN) or not is_undefined(value)


def found_before(name: str, value: Any, trace: Trace) -> tuple[Any, Any]:
    """The same where the region begins that is being run."""
    outer = trace.builder.parent
    if isinstance(value, Perhaps):
        return value.value, (outer is not None and outer.is_sure(value)) or value.present
    return found_at_end(name, value, trace)


def check_optional(name: str, value: Any, trace: Trace) -> None:
    """Have the function traced anew where ``value`` is None on some of the paths to this place,
    and that is news about this name.
    """
    if is_none_or_value(value) and name not in trace.learned.optional:
        raise OptionalError(name, current_span())


def whole(name: str, value: Any, present: Any, trace: Trace) -> Any:
    """What a variable holds of this value where ``present`` tells whether it has one."""
    if present is False and (is_undefined(value) or not isinstance(value, Unsettled)):
        return None if name in trace.learned.optional else Unsettled(name, MISSING)
    if present is True or isinstance(value, Unsettled):
        return value
    return Perhaps(name, value, present)


def _plain(condition: Node, truth: bool) -> tuple[Node, bool]:
    """A condition without ``not`` and changes of its class, and its truth."""
    while condition.op in (*NEGATIONS, widened, python_bool):
        truth = truth is not (condition.op in NEGATIONS)
        condition = condition.inputs[0]
    return condition, truth


class _Ways:
    """The conditions of the branches around a place, with their truth there."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.outer: dict[Node, Node] = {}
        """For what regions capture: what that is in the region around."""
        for builder in trace.builders():
            self.outer.update((inner, node) for node, inner in builder.captured.items())

    def __iter__(self) -> Iterator[tuple[Node, bool]]:
        builder = self.trace.builder
        while builder.parent is not None:
            way = self.trace.ways.get(builder)
            if way is not None:
                yield from self._implied(*_plain(*way))
            builder = builder.parent

    def _implied(self, condition: Node, truth: bool) -> Iterator[tuple[Node, bool]]:
        """The condition itself, and what else has a known truth where it has this one."""
        yield condition, truth
        found = self._origin(condition)
        if found in self.trace.firsts:
            node, first = self.trace.firsts[found]
            yield node, truth is not first
        if found.op in _BOTH and _BOTH[found.op] is truth:
            for part in found.inputs:
                yield from self._implied(*_plain(part, truth))
        if found.op is item and found.inputs[0].op is branch:
            yield from self._implied_by_branch(found, truth)

    def _implied_by_branch(self, result: Node, truth: bool) -> Iterator[tuple[Node, bool]]:
        """Of ``a and b`` that is true: ``a`` and ``b``; of ``a or b`` that is false, too."""
        (whole,), place = result.inputs, result.attrs["index"]
        other, arm = (whole.attrs[name] for name in ("orelse", "then")[:: 1 if truth else -1])
        node, same = _plain(other.results[place], True)
        told = number(node)
        if told is None or (bool(told) is same) is truth:
            return
        self.outer.update(zip(arm.params, whole.inputs[1:], strict=True))
        yield from self._implied(*_plain(whole.inputs[0], truth))
        yield from self._implied(*_plain(arm.results[place], truth))

    def same(self, left: Node, right: Node, depth: int = 6) -> bool:
        """Whether both are one value, as far as a short look tells."""
        left, right = self._origin(left), self._origin(right)
        if left is right:
            return True
        alike = left.op is right.op and depth > 0 and left.attrs == right.attrs
        if not alike or left.regions or "barrier" in left.op.traits or "name" in left.attrs:
            return False
        if len(left.inputs) != len(right.inputs):
            return False
        pairs = zip(left.inputs, right.inputs, strict=True)
        return all(self.same(a, b, depth - 1) for a, b in pairs)

    def _origin(self, node: Node) -> Node:
        while node in self.outer:
            node = self.outer[node]
        return node


_BOTH = {logical_and: True, logical_or: False}
"""Where the result has this truth, so have both operands."""
_RELATIONS = {
    less: "<",
    less_equal: "<=",
    greater: ">",
    greater_equal: ">=",
    equal: "==",
    not_equal: "!=",
}
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def _distance(condition: Node) -> Size | None:
    """Of a comparison of two sizes: how far they are apart."""
    if condition.op not in _RELATIONS:
        return None
    sides = [n.attrs["value"] if n.op is size else number(n) for n in condition.inputs]
    if not all(isinstance(s, (int, dims.Dim)) for s in sides):
        return None
    left, right = sides
    found: Size = left - right
    return found


def _differ(asked: Node) -> bool:
    return asked.op is not_equal and _distance(asked) is not None


def _excludes(condition: Node, truth: bool, asked: Node) -> bool:
    """Whether two sizes differ where the condition has this truth."""
    given, wanted = _distance(condition), _distance(asked)
    if given is None or wanted is None:
        return False
    relation = _RELATIONS[condition.op]
    holds = dims.RELATIONS[relation if truth else _OPPOSITE[relation]]
    rests = (given - wanted, given + wanted)
    return any(isinstance(rest, int) and not holds(rest, 0) for rest in rests)
