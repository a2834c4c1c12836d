"""Branches on traced values: both arms are run, each as a region, and their results joined."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import FrameType
from typing import Any

from gradsmith import tree
from gradsmith.errors import ControlFlowError, InternalError
from gradsmith.frontend.frozen import Sites, separate
from gradsmith.frontend.implied import Side, note_implied
from gradsmith.frontend.joint import (
    Arm,
    Joint,
    arm_of,
    as_condition,
    condition_of,
    differing_rows,
    make_branch,
)
from gradsmith.frontend.journal import Internal, contents_of, journaling, reachable, refill
from gradsmith.frontend.maybe_unset import absent, at_end, attribute, refilled
from gradsmith.frontend.path_errors import ended
from gradsmith.frontend.presence import whole
from gradsmith.frontend.row_buffers import (
    AppendedInBranchError,
    OpenRows,
    changed_rows,
    close_elements,
    kind_of,
    of_another_kind,
    open_rows_of,
)
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import AttributeDict, Trace, current_trace
from gradsmith.frontend.traced_int import as_size, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import MISSING, AbandonedError, Cause, Unsettled
from gradsmith.frontend.value_guards import decide
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node


class Branching(Internal):
    """An ``if`` statement: runs over its arms, and knows the variables afterwards.

    Staged code is ``for arm in branching: try: ...``: one trip with the truth of a plain
    condition; for a traced one a trip with True and one with False. Where one of these always
    ends in an error, the other follows once more, behind a branch that raises the error.
    """

    failure: type[BaseException] = Exception

    def __init__(self, condition: Any, names: tuple[str, ...]) -> None:
        self.condition = as_condition(condition)
        self.names = names
        self.traced = isinstance(self.condition, Tracer)
        self.resets = False
        self._values: list[Any] = []
        self._before: list[Any] = []
        self._trying = False
        self._abandoned: AbandonedError | None = None
        self._site = current_span()

    def abandoned(self) -> None:
        """The arm has ended in an error, which is raised again where no other arm is to be run."""
        trace = current_trace()
        found = ended(sys.exc_info()[1], trace) if self._trying and trace is not None else None
        if found is None:
            raise  # noqa: PLE0704  within the except block of staged code
        self._abandoned = found

    def state(self) -> list[Any]:
        """What the variables are to be now, once."""
        values, self._values = self._values, []
        return values

    def __iter__(self) -> Iterator[bool]:
        yield from self._arms(sys._getframe(1))
        self._before = []

    def _arms(self, frame: FrameType) -> Iterator[bool]:
        """Both arms, or the one that is taken."""
        if not self.traced:
            yield bool(self.condition)
            return
        trace = current_trace()
        if trace is None:
            raise InternalError("a traced condition outside a trace")
        if self._site in trace.decided:
            self.traced = False
            yield decide(self.condition)
            return
        condition = condition_of(self.condition)
        self._before = before = variables(frame, self.names)
        known = reachable(frame, trace)
        arms: list[Arm] = []
        self._trying = True
        for truth in (True, False):
            with trace.region((condition, truth), self._site), journaling(known) as journal:
                self._values, self._abandoned = before, None
                yield truth
                values = variables(frame, self.names)
                arms.append(arm_of(trace, values, journal, self.names, before))
            self.resets = True
            if self._is_dead():
                break
        self._trying = False
        if not self._is_dead():
            yield from self._joined(trace, condition, arms)
            return
        fail_on(trace, condition, arms[-1].builder, truth=truth)
        self.traced, self._values = False, before
        yield not truth  # the other arm is all that there is after it

    def _is_dead(self) -> bool:
        """Whether the arm that was run always ends in an error."""
        return self._abandoned is not None

    def _joined(self, trace: Trace, condition: Node, arms: Sequence[Arm]) -> Iterator[bool]:
        """Both paths as one branch; where no value stands for what they give, the one taken."""
        try:
            self._values = joined(trace, condition, self.names, arms)
        except (ControlFlowError, RecursionError) as error:  # of containers that hold themselves
            if needs_rows(trace, error):
                raise
            self.traced, self._values = False, self._before
            yield decide(self.condition)


def fail_on(trace: Trace, condition: Node, arm: Builder, *, truth: bool) -> None:
    """The branch that raises the error of an arm that always ends in one.

    The other arm is what follows it.
    """
    builders = [arm, Builder(intern=False, parent=trace.builder)]
    make_branch(trace, condition, builders if truth else builders[::-1], [(), ()], ())


def variables(frame: Any, names: Sequence[str]) -> list[Any]:
    """The local variables of a frame; those that have no value say so where they are used."""
    found = frame.f_locals
    return [found[name] if name in found else Unsettled(name, MISSING) for name in names]


def joined(trace: Trace, condition: Node, names: Sequence[str], arms: Sequence[Arm]) -> list[Any]:
    """Make the branch of two arms; what the variables are after it."""
    try:
        return _joined(trace, condition, names, arms)
    finally:
        for arm in arms:
            arm.forget()


def _joined(trace: Trace, condition: Node, names: Sequence[str], arms: Sequence[Arm]) -> list[Any]:
    then, orelse = arms
    joint = Joint(trace, condition, arms)
    found = [joint.variable(place, name) for place, name in enumerate(names)]
    values, present = [value for value, _ in found], [known for _, known in found]
    storages = {}
    for storage in dict.fromkeys([*then.changes.storages, *orelse.changes.storages]):
        if not any(arm.builder.owns(storage.node) for arm in arms):
            left, right = (arm.changes.storages.get(storage, storage.node) for arm in arms)
            storages[storage] = joint.add(left, right, None)
    containers = {}
    for key in dict.fromkeys([*then.changes.containers, *orelse.changes.containers]):
        container = (then.changes.containers.get(key) or orelse.changes.containers[key])[0]
        unchanged = (container, contents_of(container))
        if key in trace.attribute_dicts:
            containers[key] = container, _joined_attributes(joint, key, unchanged[1])
            continue
        sides = [arm.changes.containers.get(key, unchanged)[1] for arm in arms]
        containers[key] = (container, _contents(joint, container, *sides))
    joint.close()
    for storage, output in storages.items():
        storage.replace(joint.fill(output))
        if storage.label is not None:
            trace.builder.name(storage.node, storage.label)
    for container, contents in containers.values():
        own = isinstance(contents, (JoinedRows, JoinedAttributes))
        refill(container, contents.filled(joint) if own else joint.fill(contents))
    made = [joint.fill(v) for v in values]
    for storage, cause in (pair for arm in arms for pair in arm.invalidated.items()):
        storage.outdate(cause)  # not what the branch gives, which has been written to as well
    joint.doubt_arrays()
    joint.doubt_containers()
    told = map(joint.fill, present)
    after = {n: whole(n, v, p, trace) for n, v, p in zip(names, made, told, strict=True)}
    note_implied(after, [_side_of_arm(arm, names) for arm in arms], condition)
    return list(after.values())


def _side_of_arm(arm: Arm, names: Sequence[str]) -> Side:
    """What variables hold at the end of an arm."""
    held, present = (dict(zip(names, v, strict=True)) for v in (arm.held, arm.present))
    return Side(held, present)


_HINTS = {
    list: "keep a count or a sum in a variable, or take the elements with a mask, as in x[x > 0]"
}


def _contents(joint: Joint, container: Any, left: Any, right: Any) -> Any:
    """What a list or dict holds after a branch that changes it."""
    rows = joined_rows(joint, container, left, right)
    if rows is not None:
        return rows
    left, right = _plain(left), _plain(right)
    stacked = differing_rows(left, right)
    if stacked:
        separate(stacked, "one way of a branch on a traced value appends to a list in a loop")
    label = "a list" if isinstance(left, list) else f"a {type(left).__name__}"
    alike = tree.is_container(left) and tree.parts(left)[:2] == tree.parts(right)[:2]
    if not alike and not _is_same(left, right):
        error = AppendedInBranchError(
            f"one way of a branch on a traced value changes which elements {label} has",
            current_span(),
            _HINTS.get(type(left), "change it on both ways alike, or use arrays and np.where"),
        )
        error.container, error.kind = container, _appended_kind(joint, left, right)
        raise error
    return joint.join(left, right, "element") if alike else left


def _appended_kind(joint: Joint, left: Any, right: Any) -> Any:
    """Of what kind the elements are by which the lists differ that two branches leave."""
    if not (type(left) is list and type(right) is list):
        return None
    for arm, longer, shorter in zip(joint.arms, (left, right), (right, left), strict=True):
        same = all(a is b for a, b in zip(longer, shorter, strict=False))
        if same and len(longer) > len(shorter):
            with building(arm.builder):
                return kind_of(longer[-1], partial(joint.node, arm))
    return None


@dataclass(frozen=True, slots=True)
class JoinedRows:
    """The rows of a list after a branch in which one way has appended to it."""

    rows: list[Any]
    count: Any
    like: OpenRows
    sites: Sites

    def filled(self, joint: Joint) -> list[Any]:
        """What the list holds then."""
        rows = tuple(joint.fill(row) for row in self.rows)
        count = as_size(joint.fill(self.count))
        assert count is not None
        return [replace(self.like, rows=rows, count=count).stand_in(self.sites)]


def joined_rows(joint: Joint, container: Any, left: Any, right: Any) -> JoinedRows | None:
    """The rows of a list that a loop at work has rows for; None of any other."""
    one, other = (
        _ended_rows(joint, container, *pair)
        for pair in zip(joint.arms, (left, right), strict=True)
    )
    if one is None or other is None:
        return None
    rows = [joint.add(a, b, None) for a, b in zip(one.rows, other.rows, strict=True)]
    count: Any = wrap_size(one.count)
    if one.count != other.count:
        count = joint.add(count, wrap_size(other.count), "count", one.bounds)
    most = _greater(one.most, other.most)
    shared = one.shared_with(other)
    elements = (*one.elements, *other.elements)
    like = replace(one, most=most, shared=shared, elements=elements)
    return JoinedRows(rows, count, like, left[0].sites)


def _ended_rows(joint: Joint, container: Any, arm: Arm, contents: Any) -> OpenRows | None:
    begun = open_rows_of(contents)
    if begun is None:
        return None
    with building(arm.builder):
        node_of = partial(joint.node, arm)
        ended = begun.appended(contents[1:], node_of)
        if ended is None:
            raise of_another_kind(container, begun, contents[1:], node_of)
    close_elements(contents[1:], contents[0].sites)
    return ended


def _greater(one: Size | None, other: Size | None) -> Size | None:
    """The greater of two; None where one is not known."""
    if one is None or other is None:
        return None
    return one if _at_least(one, other) else other


def _at_least(one: Size, other: Size) -> bool:
    distance = one - other
    if isinstance(distance, int):
        return distance >= 0
    if dims.changes(distance):
        raise changed_rows()
    return dims.decide(">=", one, other)


@dataclass(frozen=True, slots=True)
class JoinedAttributes:
    """What an object holds after a branch in which a path has set or deleted attributes."""

    kept: AttributeDict
    held: Mapping[str, tuple[Any, Any]]
    """Of each attribute the value, and what tells whether it is set."""

    def filled(self, joint: Joint) -> dict[str, Any]:
        """What holds the attributes then."""
        cause = Cause(joint.site)
        found = {
            name: attribute(name, joint.fill(value), joint.fill(present), cause, joint.trace)
            for name, (value, present) in self.held.items()
        }
        return refilled(found, self.kept)


def _joined_attributes(joint: Joint, key: int, outer: Mapping[str, Any]) -> JoinedAttributes:
    """The attributes of an object after a branch; ``outer`` is what it held before."""
    trace = joint.trace
    before = at_end(outer, trace)
    sides = [arm.attributes.get(key, before) for arm in joint.arms]
    first, second = (arm.changes.containers.get(key, (None, outer))[1] for arm in joint.arms)
    held = {}
    for name in dict.fromkeys([*first, *second]):
        if name in first and name in second and first[name] is second[name]:
            held[name] = first[name], True
            continue
        pairs = [side.get(name, absent(name, trace)) for side in sides]
        ends = [(v, a.raises or p) for a, (v, p) in zip(joint.arms, pairs, strict=True)]
        held[name] = joint.either(name, *ends)
    return JoinedAttributes(trace.attribute_dicts[key], held)


def _plain(container: Any) -> Any:
    """Its contents as a list or dict, where they have an order."""
    if isinstance(container, dict):
        return dict(container)
    return list(container) if isinstance(container, (list, deque)) else container


def needs_rows(trace: Trace, error: Exception) -> bool:
    """Whether a loop around the branch is to have rows for the list that ``error`` is about."""
    changed = error.container if isinstance(error, AppendedInBranchError) else None
    return changed is not None and trace.unrolling.is_from_outside(changed)


def _is_same(left: Any, right: Any) -> bool:
    """Whether two containers hold the same things."""
    if isinstance(left, set):
        return bool(left == right)
    (_, keys, parts), (_, others, found) = tree.parts(left), tree.parts(right)
    alike = keys == others and len(parts) == len(found)  # a value may have moved to another key
    return alike and all(a is b for a, b in zip(parts, found, strict=True))


# -- expressions ---------------------------------------------------------------------------------
