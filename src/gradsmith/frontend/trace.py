"""One run of a function on traced arguments: its builder, what it captured, what it relied on."""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import CodeType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradsmith import tree
from gradsmith.errors import Span
from gradsmith.frontend.classes import lookups
from gradsmith.frontend.floating_errors import FloatingErrors
from gradsmith.frontend.outside_lookups import Lookups
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.unrolling import Unrolling
from gradsmith.frontend.unsettled import Cause, Learned, Need
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.dims import Guard, Size, recording_guards
from gradsmith.ir.effect_log import EffectLog
from gradsmith.ir.graph import Node
from gradsmith.ir.mentions import has_effect
from gradsmith.ir.types import ArrayType

if TYPE_CHECKING:
    from gradsmith.frontend.number_class import Classes
    from gradsmith.frontend.present import PresentValues
    from gradsmith.frontend.shape_errors import Asked

Reader = Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Capture:
    """An array or number read from outside the function: an input of the compiled function."""

    name: str
    read: Reader
    node: Node
    seen: Any
    """What the function sees of it while it is traced."""


def read_now(captures: Iterable[Capture]) -> dict[str, Any] | None:
    """What the captured values are by now; None where one cannot be read any more: what it is
    part of has become something else.
    """
    try:
        return {capture.name: capture.read() for capture in captures}
    except Exception:  # items of None, attributes that are gone, properties that raise
        return None


@dataclass(frozen=True, slots=True)
class OutsideRead:
    """One of the values that the function has found outside."""

    key: object
    name: str
    value: Any
    read: Reader | None
    """Finds it again; None where the traced function has set it."""


@dataclass(frozen=True, slots=True)
class Reliance:
    """A value read from outside that is built into the code: it must still be that value."""

    read: Reader
    value: Any
    by_identity: bool

    def holds(self) -> bool:
        """Whether the next call may use the code."""
        try:
            now = self.read()
            return now is self.value or (not self.by_identity and _equal(now, self.value))
        except Exception:  # the way to the value leads through objects of the user's
            return False


class _Absent:
    """Stands for no value."""


ABSENT = _Absent()


@dataclass(slots=True)
class Store:
    """A global or nonlocal variable that the function assigns: taken back when the run ends."""

    read: Reader
    write: Callable[[Any], Any]
    clear: Callable[[], Any]
    before: Any = ABSENT
    after: Any = ABSENT

    def __post_init__(self) -> None:
        self.before = self._now()

    def _now(self) -> Any:
        try:
            return self.read()
        except (LookupError, ValueError):
            return ABSENT

    def take_back(self) -> None:
        """Restore what it was, and remember what it became."""
        self.after = self._now()
        if self.before is not ABSENT:
            self.write(self.before)
        elif self.after is not ABSENT:
            self.clear()


@dataclass(frozen=True, slots=True)
class AttributeDict:
    """What holds the attributes of an object: its dict, itself if it has slots, or an overlay.

    ``absent`` stands in it for an attribute that is not set; MISSING where it has no such entry.
    """

    part: Any
    absent: Any


@dataclass(frozen=True, slots=True)
class Original:
    """What the function sees a copy of (or the thing itself), and what finds it again."""

    real: Any
    read: Reader | None


def _equal(left: Any, right: Any) -> bool:
    """Whether two values are alike: type, dtype, shape and contents."""
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        return getattr(left, "dtype", None) == getattr(right, "dtype", None) and np.array_equal(
            left, right
        )
    try:
        return type(left) is type(right) and bool(left == right)
    except ValueError:  # there are arrays in them
        return False


@dataclass(slots=True)
class Trace:
    """The state of a run."""

    builder: Builder = field(default_factory=lambda: Builder(intern=False))
    captures: dict[object, tuple[Any, Capture | None]] = field(default_factory=dict)
    reliances: dict[object, Reliance] = field(default_factory=dict)
    lookups: Lookups = field(default_factory=Lookups)
    """The names that are looked up in classes and modules outside."""
    distinct: list[Reader] = field(default_factory=list)
    """Containers from outside, of which no two are one object."""
    external: dict[int, Any] = field(default_factory=dict)
    process_state: dict[int, Any] = field(default_factory=dict)
    """Objects by identity that a module of a library holds."""
    made: dict[int, Any] = field(default_factory=dict)
    """Objects that the function has made, by identity."""
    opened: dict[int, Any] = field(default_factory=dict)
    """Those among them whose attributes may differ between the branches of an ``if``."""
    born: dict[int, tuple[Any, Builder]] = field(default_factory=dict)
    """Objects that the function has made in branches and loops whose changes no journal holds, by
    identity, and the regions that were traced then (`frontend.unfollowed`)."""
    seen: dict[int, tuple[Any, Reader]] = field(default_factory=dict)
    """For arrays, containers and nans from outside by identity: what stands for them, and what
    finds them."""
    deques: dict[int, Any] = field(default_factory=dict)
    """Deques that are iterated over, by identity."""
    deque_states: dict[int, object] = field(default_factory=dict)
    """For each of them a token, which every change replaces."""
    remade: dict[int, tuple[Any, Cause | frozenset[Span]]] = field(default_factory=dict)
    """Tuples that were made anew by a branch or loop, by identity."""
    chosen: dict[Node, Cause | frozenset[Span]] = field(default_factory=dict)
    """Numbers that branches and loops have chosen among others, and by what."""
    classes_seen: dict[int, type] = field(default_factory=dict)
    """Classes that the function uses, as far as their special methods have been looked at."""
    hashes: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    """Objects with hashes that staged methods have given, by identity."""
    outside_reads: list[OutsideRead] | None = None
    """What a cached function that is at work has read outside."""
    identified: list[Any] = field(default_factory=list)
    """Traced values whose ``id`` has been asked for."""
    nans: list[tuple[Any, Any]] = field(default_factory=list)
    """Traced numbers that are nan and have been hashed, with what stands for them as keys."""
    generators: list[weakref.ref[Any]] = field(default_factory=list)
    """Generators of the user's in which there is a ``try`` or ``with``."""
    refusals: list[Exception] = field(default_factory=list)
    """What methods that C code calls have raised, which may swallow it."""
    at_end: list[Callable[[], None]] = field(default_factory=list)
    """What is to be done when the run is over."""
    raw_calls: int = 0
    """How many calls are being made whose result may be None on some paths only."""
    flags: dict[Node, str] = field(default_factory=dict)
    """What tells whether variables have a value: their names."""
    outside_cells: dict[int, Any] = field(default_factory=dict)
    """Variables that the user's functions from outside close over, by identity."""
    homes: dict[int, tuple[Any, Builder]] = field(default_factory=dict)
    """For variables that methods set, and the function of the variable in branches and loops,
    too: their cells by identity, and the region in which that function runs."""
    dicts: dict[int, dict[str, Any]] = field(default_factory=dict)
    """What the function sees of the ``__dict__`` of objects from outside, by their identity."""
    dict_owners: dict[int, Any] = field(default_factory=dict)
    """Objects from outside whose attributes the function uses, by the identity of their dicts."""
    proxies: dict[int, Any] = field(default_factory=dict)
    """What proxies from outside show of which the function reads items, by identity."""
    overlays: dict[int, tuple[Any, dict[str, Any]]] = field(default_factory=dict)
    """For objects from outside: the attributes that the function writes."""
    read_ahead: dict[Node, Span | None] = field(default_factory=dict)
    """Files and other iterators that calls return, of which the emitted code has taken all at once
    for a loop that has not come to its end: where that loop is."""
    attribute_dicts: dict[int, AttributeDict] = field(default_factory=dict)
    """What the attributes of objects are held by, by identity, where no user's code sees it."""
    shown_dicts: dict[int, Any] = field(default_factory=dict)
    """What user's code has seen as the ``__dict__`` of an object, by identity."""
    originals: dict[int, Original] = field(default_factory=dict)
    copies: list[tuple[Any, Any, Reader]] = field(default_factory=list)
    """Lists, dicts and the like that stand for those from outside: each with a copy of what it
    held at first, and what finds the one outside."""
    iterators: list[Any] = field(default_factory=list)
    """What stands for iterators from outside (`frontend.iterator_stand_ins`)."""
    stores: dict[object, Store] = field(default_factory=dict)
    warned: set[Any] = field(default_factory=set)
    returned: Span | None = None  # where the latest of its functions returned
    subject: list[str] | None = None  # what the outermost gradient is taken by
    layouts: dict[tuple[str, Storage], None] = field(default_factory=dict)
    leaves: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, Storage] = field(default_factory=dict)
    """The storages of the leaves that are arrays, by name."""
    stored_to: set[str] = field(default_factory=set)
    """The leaves that the function writes to."""
    given_integers: dict[int, tuple[Any, str]] = field(default_factory=dict)
    """What stands for leaves that are integers, and their names, by identity."""
    identities: dict[tuple[str, str], bool] = field(default_factory=dict)
    """Pairs of leaves of which the function has asked whether they are one object."""
    given: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    """Containers that the function sees of its arguments, by identity, and the arguments' own."""
    shared_containers: tuple[tuple[str, ...], ...] = ()
    """The places where arguments hold one and the same container."""
    asked_for_containers: bool = False  # whether it matters which those are
    arguments: dict[int, tuple[str, Any, Any]] = field(default_factory=dict)
    """The containers among the arguments by identity: where they are, they, and what stands for
    them."""
    changed_arguments: set[int] = field(default_factory=set)
    """Those of them that a derivative has changed, by identity."""
    outside_containers: list[tuple[Reader, str | None]] = field(default_factory=list)
    """What finds a container outside, and where among the arguments the same one is."""
    buffers: dict[str, tuple[Storage, Node]] = field(default_factory=dict)
    """Those of the inputs, by name, and what they held at first."""
    borrowed: dict[Storage, Any] = field(default_factory=dict)
    """What calls without a rule have returned: see `frontend.borrowed_arrays`."""
    unheld: dict[int, Any] = field(default_factory=dict)
    """Arrays that such a call has made in this run, by identity: nothing else refers to them."""
    writable: set[Node] = field(default_factory=set)
    """Views that NumPy lets be written to, even if writes through them are refused here."""
    writes: bool = False  # whether the compiled function writes to the world outside
    inputs: list[Capture] = field(default_factory=list)
    checked: list[Capture] = field(default_factory=list)
    """Of what was captured, what is no input after all, but must stay of its kind."""
    guards: dict[Guard, None] = field(default_factory=dict)
    unrolling: Unrolling = field(default_factory=Unrolling)
    frozen: dict[int, Any] = field(default_factory=dict)
    """Containers that must not be written to (`frontend.frozen`), by identity."""
    calls: list[tuple[CodeType, Builder]] = field(default_factory=list)
    """The calls of the user's functions at work, from the outermost, each with its region."""
    deepest: Builder | None = None
    """That of the region within the most others, so far."""
    most_recursive_calls: int | None = None  # on paths that are not decided, if fewer than any
    recursive_calls: int = 0  # how many of them are within branches of a call of the same function
    recursion_guards: dict[CodeType, int] = field(default_factory=dict)
    """By recursive functions: how many present values have decided how they go on."""
    classes: dict[Node, Classes] = field(default_factory=dict)
    """The types of the numbers that branches and loops have joined (`frontend.number_class`)."""
    possible: dict[Node, tuple[ArrayType, ...]] = field(default_factory=dict)
    """The types that numbers may have, as far as they have been asked for."""
    retyped: dict[Node, Node] = field(default_factory=dict)
    """Of numbers whose exact type the code is specialised on: nodes of that type."""
    silent: bool = False  # whether prints and warnings have been made by a run before
    floating: FloatingErrors = field(default_factory=FloatingErrors)
    trying: int = 0  # how many `try` with handlers are being run
    handled: Counter[str] = field(default_factory=Counter)
    """How many of them may handle each of the `DATA_ERRORS`."""
    asked: Asked | None = None
    """The call of the user's that raises the errors of what is computed, if it is another one."""
    agreements: dict[tuple[Size, Size], tuple[Size, Size]] = field(default_factory=dict)
    """Pairs of sizes that the code has asked for being equal, each as one object."""
    ways: dict[Builder, tuple[Node, bool]] = field(default_factory=dict)
    """For the regions that are arms: the condition, and with which truth of it they run."""
    doubts: dict[int, tuple[Any, list[tuple[Any, Cause]]]] = field(default_factory=dict)
    """For containers by identity: those that they may be."""
    firsts: dict[Node, tuple[Node, bool]] = field(default_factory=dict)
    """For variables of loops that have one truth in the first trip, and the other in all after
    it: the condition that the trip is not the first, and the truth in the first."""
    initial: dict[Node, Any] = field(default_factory=dict)
    """For the parameters of loop bodies: what they are in the first iteration, as a node, a
    traced integer or a number."""
    sites: dict[Builder, Span | None] = field(default_factory=dict)
    """For the regions that are paths of branches: where the condition stands."""
    bodies: set[Builder] = field(default_factory=set)
    """The regions that are bodies of loops."""
    list_names: dict[int, tuple[list[Any], str]] = field(default_factory=dict)
    """For lists that were empty at first, by identity: what the user calls them."""
    invariants: dict[Any, Node] = field(default_factory=dict)
    """What is computed before loops that do not change it (`frontend.invariants`)."""
    cached: dict[Any, Any] = field(default_factory=dict)
    """Results of cached functions by region and arguments (`frontend.cached_functions`)."""
    cache_calls: dict[int, Any] = field(default_factory=dict)
    """The calls that have run a cached function, by its identity (`frontend.cache_state`)."""
    cached_arrays: dict[Storage, Any] = field(default_factory=dict)
    """The arrays that cached functions have returned there, and the functions."""
    caches: dict[int, tuple[Any, dict[Any, Any]]] = field(default_factory=dict)
    """Cached functions, by identity, with the results that branches and loops know."""
    entered: dict[Builder, Node | Size] = field(default_factory=dict)
    """For these the condition of the first iteration, or how many there are, if it is traced."""
    object_groups: dict[int, list[Node]] = field(default_factory=dict)
    """For objects of calls by identity: the numbers that they may hold (`frontend.opaque`)."""
    log: EffectLog = field(default_factory=EffectLog)
    """The effects of the present call that have been done."""
    raised: set[Node] = field(default_factory=set)
    """Computations whose errors Python has raised in the function, which may handle them."""
    present: PresentValues | None = None
    """Made when the first present value is asked for: see `frontend.present`."""
    learned: Learned = field(default_factory=Learned)
    """What earlier runs have shown."""
    integers: dict[str, Span] = field(default_factory=dict)
    """By the names of sizes that the function makes of values: where it does."""
    listed: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    """Stacked lists that leave the function, by identity, and the objects that stand for them."""
    root: Builder = field(init=False)

    def __post_init__(self) -> None:
        self.root = self.builder

    @property
    def decided(self) -> frozenset[Span]:
        """Branches, loops and conversions to integers that the present values decide."""
        return self.learned.decided

    @property
    def needs(self) -> Mapping[Need, frozenset[Span]]:
        """The loops that make stacked lists with such needs."""
        return self.learned.needs

    @property
    def stored(self) -> Mapping[Span, tuple[ArrayType, ...]]:
        """Of which types numbers are that are stored in the lists that such a loop makes."""
        return self.learned.stored

    @contextmanager
    def region(
        self, way: tuple[Node, bool] | None = None, site: Span | None = None
    ) -> Iterator[Builder]:
        """What happens inside belongs to a region, and not to what is around it.

        It is the path of the branch at ``site`` for this truth of this condition, if ``way`` is
        given.
        """
        outer = self.builder
        inner = Builder(intern=False, parent=outer)
        inner.span = outer.span
        if self.deepest is None or inner.depth > self.deepest.depth:
            self.deepest = inner
        if way is not None:
            self.ways[inner], self.sites[inner] = way, site
        self.builder = inner
        try:
            with building(inner):
                yield inner
        finally:
            self.builder = outer

    @contextmanager
    def within(self, builder: Builder) -> Iterator[None]:
        """What happens inside goes to this builder, which is the one at work or encloses it."""
        inner, self.builder = self.builder, builder
        try:
            with building(builder):
                yield
        finally:
            self.builder = inner

    @property
    def site(self) -> Span | None:
        """The branch one path of which is being traced, if it is no loop's body within."""
        return self.sites.get(self.builder)

    def builders(self) -> Iterator[Builder]:
        """The builder at work, and those around it."""
        builder: Builder | None = self.builder
        while builder is not None:
            yield builder
            builder = builder.parent

    @contextmanager
    def active(self) -> Iterator[Trace]:
        """Make it the run at work."""
        token, opening = _current.set(self), tree.opened.set(self.opened)
        try:
            with building(self.builder), recording_guards() as guards:
                self.guards = guards
                yield self
        finally:
            self.floating.restore()
            for undo in self.at_end:
                undo()
            self.at_end.clear()
            for store in self.stores.values():
                store.take_back()
            tree.opened.reset(opening)
            _current.reset(token)


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current_trace() -> Trace | None:
    """The run at work, if any."""
    return _current.get()


def _note_lookup(cls: type, name: str) -> None:
    trace = _current.get()
    if trace is not None:
        trace.lookups.note_class(cls, name, trace.made)


lookups.append(_note_lookup)


DATA_ERRORS = ("IndexError", "ValueError")
"""Errors that the values in arrays decide: of indices, and of shapes."""


@contextmanager
def handling(*errors: str) -> Iterator[None]:
    """A ``try`` with a handler, of Python's own or of the user's, for these `DATA_ERRORS`."""
    count_handlers(1, errors)
    try:
        yield
    finally:
        count_handlers(-1, errors)


def count_handlers(step: int, errors: Iterable[str]) -> None:
    """A ``try`` begins (1) or ends (-1), with a handler that may be for these `DATA_ERRORS`."""
    trace = _current.get()
    if trace is not None:
        kinds = trace.floating.kinds
        trace.reliances.setdefault("np.geterr", Reliance(np.geterr, kinds, by_identity=False))
        trace.trying += step
        for error in errors:
            trace.handled[error] += step


def in_region() -> bool:
    """Whether what happens now happens on a way that may not be taken, or more than once."""
    trace = _current.get()
    return trace is not None and trace.builder is not trace.root


def may_fail_before(trace: Trace) -> bool:
    """Whether another error might come before what happens now, or nothing of it at all."""
    return trace.builder is not trace.root or any(map(has_effect, trace.root.nodes))
