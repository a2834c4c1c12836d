"""What the two arms of a branch give, brought to one type, and the branch made of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from gradsmith import tree
from gradsmith.errors import ArgumentValueError, ControlFlowError, Span
from gradsmith.frontend import protocols
from gradsmith.frontend.classes import has_methods, is_instance
from gradsmith.frontend.doubts import doubt, is_doubted
from gradsmith.frontend.frozen import (
    NONE,
    Sites,
    containers_in,
    first_of,
    freeze,
    frozen_sites,
    lock,
    note_remade,
)
from gradsmith.frontend.grown import Grown, is_grown, length_of, sites_of
from gradsmith.frontend.journal import Changes, Journal, contents_of, held_by
from gradsmith.frontend.maybe_unset import at_end
from gradsmith.frontend.merging import (
    PLAIN,
    as_result,
    as_shown,
    as_value,
    cause_if_stale,
    is_data,
    is_same_number,
    is_stale,
    is_whole,
    joint_of_paths,
    placeholder,
)
from gradsmith.frontend.messages import shown
from gradsmith.frontend.number_class import Classes, lists_of, note, note_chosen, possible_types
from gradsmith.frontend.numpy_errors import numpys_error
from gradsmith.frontend.presence import as_truth, found_at_end, traced_truth
from gradsmith.frontend.shape_errors import is_same
from gradsmith.frontend.slots import fresh_name, shown_name
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.stored_rows import lock_as, storage_of
from gradsmith.frontend.suspended import check_none_given_up, check_none_suspended, suspended
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unread import note_errors
from gradsmith.frontend.unsettled import (
    NONE_OR_VALUE,
    Cause,
    MaybeUnset,
    Unsettled,
    is_undefined,
)
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.dims import Size, Symbol
from gradsmith.ir.evaluations import is_pending
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item
from gradsmith.ir.mentions import has_effect, mentioned, said_by
from gradsmith.ir.types import ArrayType
from gradsmith.ops.compare import negation, not_equal
from gradsmith.ops.effects import fail
from gradsmith.ops.forms import in_type
from gradsmith.ops.regions import branch
from gradsmith.ops.scalars import python_bool
from gradsmith.ops.shape import reshape


def as_condition(value: Any) -> Any:
    """A truth value of what stands in a condition: an integer that a loop changes is compared, and
    so is the length of a list whose elements are rows of arrays; an object of the user's is asked.
    """
    if has_methods(value):
        value = protocols.truth(value)
    if is_grown(value):
        value = wrap_size(length_of(value))
    changing = isinstance(value, TracedInt) and dims.is_unbacked(value.dim)
    return value != 0 if changing else value


def condition_of(value: Any) -> Node:
    """The truth of a traced value, as Python's ``if`` asks for it."""
    node = as_result(value)
    if node.op is python_bool:
        (node,) = node.inputs
    if node.ndim:
        if not is_same(node.array_type.size, 1):
            error = ArgumentValueError(
                f"the truth value of {shown(value)} is ambiguous",
                current_span(),
                "use np.any(...) or np.all(...), or np.where to choose element by element",
            )
            error.own = numpys_error(error, bool, [node], {})
            raise error
        if dims.is_unbacked(node.array_type.size):
            return python_bool(node)  # where it is not one, the code raises as NumPy does
        node = reshape(node, shape=())
    return node if node.dtype.kind == "b" else not_equal(node, 0)


@dataclass(slots=True)
class Arm:
    """What one arm has come to: its builder, its variables, and what it changed."""

    builder: Builder
    held: list[Any]
    """What its variables hold."""
    values: list[Any]
    """Their values, and in ``present`` what tells of each whether it has one."""
    present: list[Any]
    changes: Changes
    nodes: dict[int, Node]
    """What every array among the values shows at the end of the arm, by its identity."""
    stale: Mapping[int, Cause]
    """Those of them that may or may not have been written to."""
    outside: Mapping[int, Any]
    """The containers that were there before it, by identity."""
    attributes: Mapping[int, Mapping[str, tuple[Any, Any]]]
    """Of the objects that it changed, by what holds their attributes: each value, and what tells
    whether it is set."""
    raises: bool
    """Whether it ends in an error: what is not set there is missed by nobody."""
    invalidated: Mapping[Storage, Cause]
    """The buffers from outside that may or may not have been written to through what the arm has
    made."""

    def forget(self) -> None:
        """Hold on to nothing of the function's: what it gives up is closed now, as in Python."""
        self.held, self.values, self.present = [], [], []
        self.changes, self.outside, self.attributes = Changes({}, {}), {}, {}

    def is_from_outside(self, value: Any) -> bool:
        """Whether it shows a buffer from around the arm by ways that are known there."""
        if not isinstance(value, Tracer):
            return False
        path = value.view.path
        if self.builder.owns(value.view.storage.node) or any(len(s.inputs) > 1 for s in path):
            return False
        sizes = mentioned(path)
        return not sizes or said_by(self.builder.nodes).keys().isdisjoint(sizes)

    def stale_by(self, value: Any) -> Cause | None:
        """Why a value may or may not have been written to, at the end of the arm or, where it is
        unchanged, before it; None where it is known.
        """
        if id(value) in self.nodes:
            return self.stale.get(id(value))
        return cause_if_stale(value)


def _written_elsewhere(journal: Journal) -> list[Tracer]:
    """The arrays that an arm has written to, or perhaps written to, in containers from around it
    that it has not changed: the other arm may have put another array in their place.
    """
    written = {*journal.storages, *(s for s in journal.outdated if s.stale)}
    if not written:
        return []
    held = (value for container in (journal.known or {}).values() for value in held_by(container))
    return [v for v in held if isinstance(v, Tracer) and v.view.storage in written]


def arm_of(
    trace: Trace,
    variables: list[Any],
    journal: Journal,
    names: Sequence[str] = ("",),
    before: Sequence[Any] = (),
) -> Arm:
    """The arm that has just been run, and is left only now; what it changed is undone.

    ``before`` says what its variables have held before.
    """
    site = trace.sites.get(trace.builder)
    check_none_suspended(trace, journal.first_generator, site)
    if any(suspended(trace)):
        changed = journal.containers.values()
        lost = [*before, *(contents for _, contents in changed)]
        now = [*variables, *(contents_of(container) for container, _ in changed)]
        check_none_given_up(trace, _with_elements(lost), _with_elements(now), site)
    builder, changes = trace.builder, journal.changes()
    pairs = [found_at_end(name, v, trace) for name, v in zip(names, variables, strict=True)]
    values = [value for value, _ in pairs]
    raises = any(node.op is fail for node in builder.nodes)
    present = [raises or known for _, known in pairs]
    attributes = {
        key: at_end(contents, trace)
        for key, (_, contents) in changes.containers.items()
        if key in trace.attribute_dicts
    }
    held = [*values, *(contents for _, contents in changes.containers.values())]
    held += [value for found in attributes.values() for value, _ in found.values()]
    leaves, _ = tree.flatten(held, lambda v: isinstance(v, Tracer))
    leaves += _written_elsewhere(journal)
    nodes = {id(leaf): leaf.latest for leaf in leaves}
    stale = {id(leaf): leaf.view.storage.cause for leaf in leaves if is_stale(leaf)}
    invalidated = {s: s.cause for s in journal.outdated if s.stale and not builder.owns(s.node)}
    journal.undo()
    return Arm(
        builder=builder,
        held=variables,
        values=values,
        present=present,
        changes=changes,
        nodes=nodes,
        stale=stale,
        outside=journal.known or {},
        attributes=attributes,
        raises=raises,
        invalidated=invalidated,
    )


def _with_elements(values: Iterable[Any]) -> Iterator[Any]:
    """The values, and what those hold that are containers."""
    for value in values:
        yield value
        if isinstance(value, dict):
            yield from value.values()
        elif isinstance(value, (list, tuple, set, deque)):
            yield from value


Bounds: TypeAlias = "tuple[Size | None, Size | None]"


class Output:
    """Stands for the result of a branch at this place until there is one."""

    __slots__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place


class Joint:
    """Collects what the arms of a branch give, and makes the branch.

    A pair of nodes or values, one of each arm, becomes an `Output`.
    """

    def __init__(self, trace: Trace, condition: Node, arms: Sequence[Arm]) -> None:
        self.trace = trace
        self.condition = condition
        self.arms = arms
        self.site = trace.sites.get(arms[0].builder)
        self.builders = [arm.builder for arm in arms]
        self.results: list[tuple[Node, Node]] = []
        self.sources: list[tuple[Any, Any]] = []
        """The values of the arms that they are made of."""
        self.symbols: list[Symbol | None] = []
        self.types: list[list[ArrayType]] = []
        self.lists: list[frozenset[Span]] = []
        """What the results may be in each of the arms."""
        self.labels: list[str | None] = []
        self.made: list[Any] = []
        self.templates: dict[tuple[int, int], Any] = {}
        """Containers with outputs in them, for those of both arms that they stand for."""
        self.flags: dict[tuple[int, int], Any] = {}
        """What tells whether variables have a value, by what tells it in the arms."""
        self.joining: set[tuple[int, int]] = set()
        """The pairs of containers of which the parts are being joined."""
        self.origins: dict[int, tuple[Any, Any, Any]] = {}
        """For each of these: itself, and the containers of the arms."""
        self.filled: dict[int, Any] = {}
        self.stale: dict[int, Cause] = {}
        """The places of results that may or may not have been written to."""

    def variable(self, place: int, name: str) -> tuple[Any, Any]:
        """The value of a variable after the branch, and what tells whether it has one."""
        one, other = ((arm.values[place], arm.present[place]) for arm in self.arms)
        held = [arm.held[place] for arm in self.arms]
        if held[0] is held[1] and not one[1] is other[1] is True:
            return held[0], True
        return self.either(shown_name(name), one, other)

    def either(self, label: str, one: tuple[Any, Any], other: tuple[Any, Any]) -> tuple[Any, Any]:
        """One value for two that may not be set, and what tells whether it is: each is given with
        what tells that.
        """
        sides = one[0], other[0]
        known = self.present(one[1], other[1], f"has_{label}")
        if known is not True and any(map(is_undefined, sides)):
            for arm, value in zip(self.arms, sides, strict=True):
                if isinstance(value, PLAIN) or arm.is_from_outside(value):
                    return value, known
        return self.join(*sides, label), known

    def join(self, left: Any, right: Any, label: str) -> Any:
        """One value for two: with an `Output` where they differ."""
        if left is right or is_same_number(left, right):
            return left
        if self._is_told(left, right):
            return left is not False
        if is_data(left) and is_data(right):
            return self._output(left, right, label)
        for value, other in ((left, right), (right, left)):
            if is_undefined(value) and not tree.is_container(other):
                return other if not is_data(other) else self._beside_none(left, right, label)
        if is_undefined(left) or is_undefined(right):
            whole = right if is_undefined(left) else left
            if any(map(is_grown, containers_in(whole))):
                return self._unknown(label, "a loop makes elements on one of the ways to it only")
            left, right = (
                _all_undefined(v, whole) if v is not whole else v for v in (left, right)
            )
        alike = type(left) is type(right)
        if alike and tree.is_container(left):
            return self._container(left, right, label)
        if alike and isinstance(left, (str, bytes)) and left == right:
            return left
        return self._without_value(left, right, label)

    def _without_value(self, left: Any, right: Any, label: str) -> Any:
        """Stands for two values where none stands for both."""
        for value in (left, right):
            if isinstance(value, Unsettled):
                return Unsettled(label, value.why, value.loop, value.site)
            if isinstance(value, MaybeUnset):
                return value.unknown()
        if (left is None) is not (right is None):
            return self._unknown(label, NONE_OR_VALUE)
        return self._unknown(label, "the two ways to this place give it values of other kinds")

    def _unknown(self, label: str, why: str) -> Unsettled:
        """What has no value that is known as long as this branch is not decided."""
        return Unsettled(label, why, site=self.site)

    def present(self, left: Any, right: Any, label: str) -> Any:
        """What tells whether a variable has a value, from what tells it in the arms."""
        known = self.flags.get((id(left), id(right)))
        if left is right or known is not None:
            return left if known is None else known
        if left is True and right is False:
            return traced_truth(self.condition)
        if left is False and right is True:
            return traced_truth(negation(self.condition))
        pair = id(left), id(right)
        with building(self.builders[0]):
            left = as_truth(left)
        with building(self.builders[1]):
            right = as_truth(right)
        made = self.flags[pair] = self.add(left, right, label)
        return made

    def _is_told(self, left: Any, right: Any) -> bool:
        """Whether one is the condition itself, a bool of Python's, and the other its truth on
        that path.
        """

        def asked(value: Any) -> bool:
            bare = isinstance(value, Tracer) and not value.view.path
            return bare and value.type.weak and value.view.storage.node is self.condition

        return (left is False and asked(right)) or (right is True and asked(left))

    def _container(self, left: Any, right: Any, label: str) -> Any:
        known = self.templates.get((id(left), id(right)))
        if known is not None:
            return known
        if (id(left), id(right)) in self.joining:
            return Unsettled(label, "it refers to itself")
        if self._is_outside(left) or self._is_outside(right):
            return self._unknown(label, "it is an object from outside, or another one")
        stacked = differing_rows(left, right)
        if stacked:
            why = "the two ways to this place give it elements that different loops make"
            return Unsettled(label, why, first_of(stacked))
        first, second = (a.changes.parts(v) for a, v in zip(self.arms, (left, right), strict=True))
        if first[:2] != second[:2]:
            return self._unknown(label, "the two ways to this place give it other lengths or keys")
        pairs = zip(first[1], first[2], second[2], strict=True)
        self.joining.add((id(left), id(right)))
        made = [self.join(a, b, _part_label(label, key)) for key, a, b in pairs]
        self.joining.discard((id(left), id(right)))
        template = tree.rebuilt(left, first[1], made)
        self.templates[id(left), id(right)] = template
        self.origins[id(template)] = (template, left, right)
        return template

    def _is_outside(self, value: Any) -> bool:
        """Whether it is an object of the user's that was there before the function was called."""
        seen = self.trace.external, self.trace.originals, self.trace.overlays
        return is_instance(value) and any(id(value) in known for known in seen)

    def _output(self, left: Any, right: Any, label: str) -> Any:
        try:
            return self.add(left, right, label)
        except ControlFlowError as error:
            return self._unknown(label, error.message)

    def add(
        self, left: Any, right: Any, label: str | None, bounds: Bounds | None = None
    ) -> Output:
        """A result of the branch: a value of each arm, between ``bounds`` if it is an integer."""
        nodes = [self.node(*pair) for pair in zip(self.arms, (left, right), strict=True)]
        type_ = joint_of_paths(nodes[0].array_type, nodes[1].array_type)
        self.symbols.append(self._symbol(left, right, label, bounds))
        cast = []
        for builder, node in zip(self.builders, nodes, strict=True):
            with building(builder):
                cast.append(in_type(builder.inner(node), type_))
        sides = zip(self.arms, (left, right), strict=True)
        for cause in (arm.stale_by(value) for arm, value in sides):
            if cause is not None:
                self.stale.setdefault(len(self.results), cause)
        self.results.append((cast[0], cast[1]))
        self.sources.append((left, right))
        found = list(zip(nodes, self.builders, strict=True))
        self.types.append([type_ for pair in found for type_ in possible_types(*pair)])
        lists = [lists_of(node, self.trace, builder) for node, builder in found]
        self.lists.append(frozenset().union(*lists))
        self.labels.append(label)
        return Output(len(self.results) - 1)

    def _beside_none(self, left: Any, right: Any, label: str) -> Any:
        """Of a value and none at all."""
        arm, value = (self.arms[1], right) if is_undefined(left) else (self.arms[0], left)
        if said_by(arm.builder.nodes).keys() & mentioned([self.node(arm, value)]).keys():
            return self._unknown(
                label, "its length is known on some of the ways to this place only"
            )
        if is_undefined(left):
            return self._output(self._placeholder(self.arms[1], right), right, label)
        return self._output(left, self._placeholder(self.arms[0], left), label)

    def _placeholder(self, arm: Arm, value: Any) -> Node:
        """What stands for a value that no sensible program reads."""
        type_ = self.node(arm, value).array_type
        other = self.builders[1 if arm is self.arms[0] else 0]
        with building(other):
            return placeholder(type_)

    def node(self, arm: Arm, value: Any) -> Node:
        """The node of a value that an arm has made or changed."""
        if isinstance(value, Node):
            return value
        with building(arm.builder):
            return arm.nodes[id(value)] if id(value) in arm.nodes else as_shown(value)

    def _symbol(
        self, left: Any, right: Any, label: str | None, bounds: Bounds | None
    ) -> Symbol | None:
        """The size that the result is, where both are Python integers."""
        if not (is_whole(left) and is_whole(right)):
            return None
        known = type(left) is int and type(right) is int
        if bounds is None:
            bounds = (min(left, right), max(left, right)) if known else (None, None)
        hint = left.dim.hint if isinstance(left, TracedInt) else left
        return dims.as_symbol(dims.changing(fresh_name(self.trace, label), hint, *bounds))

    def close(self) -> None:
        """Make the branch."""
        failing = any(has_effect(n) or is_pending(n) for b in self.builders for n in b.nodes)
        if not (self.results or failing):
            return
        sides = list(zip(*self.results, strict=True)) or [(), ()]
        whole = make_branch(self.trace, self.condition, self.builders, sides, tuple(self.symbols))
        for place, (symbol, label) in enumerate(zip(self.symbols, self.labels, strict=True)):
            node = item(whole, index=place)
            types, lists = tuple(dict.fromkeys(self.types[place])), self.lists[place]
            note(node, Classes(types, lists=lists, branch=self.site))
            note_chosen(node, Cause(self.site))
            named = label if label is not None and label.isidentifier() else None
            if named is not None:
                self.trace.builder.name(node, named)
            size = None if symbol is None else dims.of_atom(symbol)
            value = node if label is None else as_value(node, size, named)
            if place in self.stale and isinstance(value, Tracer):
                value.view.storage.outdate(self.stale[place])
            self.made.append(value)

    def fill(self, value: Any) -> Any:
        """``value`` with the branch's results for its outputs."""
        if isinstance(value, Output):
            return self.made[value.place]
        if id(value) not in self.origins:
            return value
        if id(value) not in self.filled:
            _, keys, parts = tree.parts(value)
            made = tree.rebuilt(value, keys, [self.fill(p) for p in parts])
            note_remade(self.trace, made, Cause(self.site))
            sites = NONE.union(*map(frozen_sites, self.origins[id(value)][1:]))
            self.filled[id(value)] = freeze(made, sites)
        return self.filled[id(value)]

    def doubt_arrays(self) -> None:
        """Arrays that came out of the branch, as variables or in containers, may share memory with
        others: writes to these tell.
        """
        seen: dict[Storage, Storage] = {}
        cause = Cause(self.site)
        for value, sources in zip(self.made, self.sources, strict=True):
            # what may be an array without axes, or a number, is a number
            storage = value.view.storage if isinstance(value, Tracer) else None
            for arm, source in zip(self.arms, sources, strict=True):
                origin = storage_of(source)
                if storage is None or origin is None:
                    continue
                known = seen.setdefault(origin, storage)
                if known is not storage:
                    storage.doubt(known, cause=cause)
                for other in _from_outside(arm, origin):
                    storage.doubt(other, cause=cause)
                lock_as(storage, origin)
                if origin.locked:
                    lock(storage, origin.sites)

    def doubt_containers(self) -> None:
        """A container that came out of the branch may be one of those that went into it."""
        seen: dict[int, Any] = {}
        cause = Cause(self.site)
        for key, made in self.filled.items():
            for arm, origin in zip(self.arms, self.origins[key][1:], strict=True):
                known = seen.setdefault(id(origin), made)
                if known is not made:
                    doubt(self.trace, made, known, cause)
                if id(origin) in arm.outside or is_doubted(self.trace, origin):
                    doubt(self.trace, made, origin, cause)


def _from_outside(arm: Arm, origin: Storage) -> list[Storage]:
    """The buffers from around an arm that ``origin`` is, or may be by way of what the arm made."""
    family = origin.family(lambda storage: arm.builder.owns(storage.node))
    return [storage for storage in family if not arm.builder.owns(storage.node)]


def differing_rows(left: Any, right: Any) -> Sites:
    """The loops that made two lists, where they are arrays and not the same ones."""
    if not (is_grown(left) or is_grown(right)):
        return NONE
    pairs = zip(left, right, strict=False)
    same = all(a is b for a, b in pairs if Grown in (type(a), type(b)))
    return NONE if same else sites_of(left) | sites_of(right)


def make_branch(
    trace: Trace,
    condition: Node,
    builders: Sequence[Builder],
    sides: Sequence[Sequence[Node]],
    symbols: tuple[Symbol | None, ...],
) -> Node:
    """The branch whose arms are what two builders hold, with the results of each."""
    needed = [b.needed(side) for b, side in zip(builders, sides, strict=True)]
    captured = list(dict.fromkeys(node for nodes in needed for node in nodes))
    then, orelse = (b.region(side, captured) for b, side in zip(builders, sides, strict=True))
    attrs = {"then": then, "orelse": orelse, "symbols": symbols}
    made = trace.builder.apply(branch, [condition, *captured], attrs)
    note_errors(trace.builder, [made])
    return made


def _all_undefined(value: Any, like: Any) -> Any:
    """A container with no values, for what is one on the other way."""
    leaves, shape = tree.flatten(like, is_data)
    return tree.unflatten(shape, [value for _ in leaves])


def _part_label(label: str, key: Any) -> str:
    return key if isinstance(key, str) and key.isidentifier() else f"{label}_{key}"
