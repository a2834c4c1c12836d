"""What a stretch of the user's function changes: buffers, lists, dicts and attributes.

An arm of a branch and the body of a loop are run to see what they do, not to do it: what they
changed is undone, and becomes a result of the region.
"""

from __future__ import annotations

import copy
import gc
import weakref
from collections import OrderedDict, defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from types import (
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
    TracebackType,
)
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.errors import UnsupportedError
from gradsmith.frontend.classes import is_instance
from gradsmith.frontend.defined import functions_of, is_made_function
from gradsmith.frontend.hashed import plain
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage, outdatings, writes
from gradsmith.frontend.suspended import close_suspended
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.unsettled import UndecidedError
from gradsmith.identity import has_dict
from gradsmith.ir.builder import Builder
from gradsmith.ir.graph import Node


@dataclass(frozen=True, slots=True)
class Changes:
    """What buffers hold after something ran, and what containers do."""

    storages: dict[Storage, Node]
    containers: dict[int, tuple[Any, Any]]

    def parts(self, container: Any) -> tuple[tree.Kind, tuple[Any, ...], list[Any]]:
        """What a container held then."""
        return _parts(self.containers, container)


def _parts(
    containers: Mapping[int, tuple[Any, Any]], container: Any
) -> tuple[tree.Kind, tuple[Any, ...], list[Any]]:
    """What a container holds, or did when it was copied."""
    if isinstance(container, CONTAINERS):
        return tree.parts(containers.get(id(container), (None, container))[1])
    kind, keys, parts = tree.parts(container)
    part = written_part(container)
    if part is None or id(part) not in containers:
        return kind, keys, parts
    _, held = containers[id(part)]
    now = contents_of(part)
    if held.keys() == now.keys():
        return kind, keys, [held.get(key, part) for key, part in zip(keys, parts, strict=True)]
    others = {name: v for name, v in zip(keys, parts, strict=True) if name not in now}
    return kind, *tree.attribute_parts(container, {**others, **held})


class Journal:
    """The first state of everything that is changed while it is open.

    Of containers only the ``known`` ones count, by identity; all where that is None. What a
    ``trial`` puts into a builder that is to stay has no effects once the trial is undone: not
    where it has taken elements of an iterator among those that it ``found``.
    """

    def __init__(
        self,
        known: dict[int, Any] | None = None,
        trial: Builder | None = None,
        found: Mapping[int, Any] | None = None,
    ) -> None:
        self.known = known
        self.trial = trial
        self.found = found or {}
        self.is_final = False
        self.begin = 0 if trial is None else len(trial.nodes)
        self.storages: dict[Storage, Node] = {}
        self.containers: dict[int, tuple[Any, Any]] = {}
        self.outdated: list[Storage] = []
        self.classes: list[tuple[Any, type]] = []
        self.rebinds = False
        """Whether a variable has been set that is not that of the function which sets it."""
        trace = current_trace()
        self.first_generator = 0 if trace is None else len(trace.generators)
        self.isolates = False
        """Whether it is that of a function which is differentiated."""

    def changes(self) -> Changes:
        """What buffers and containers have become."""
        return Changes(
            {storage: storage.node for storage in self.storages},
            {key: (c, contents_of(c)) for key, (c, _) in self.containers.items()},
        )

    def has_changed_since(self, earlier: Changes) -> bool:
        """Whether a buffer or container holds something else than it did then."""
        for storage, first in self.storages.items():
            if storage.node is not earlier.storages.get(storage, first):
                return True
        for key, noted in self.containers.items():
            container, before = earlier.containers.get(key, noted)
            if not is_same(before, contents_of(container)):
                return True
        return False

    def before(self, value: Any, inside: tuple[int, ...] = ()) -> Any:
        """A copy of ``value`` as it was, if it is a container."""
        if not tree.is_container(value) or id(value) in inside:
            return value
        _, keys, parts = _parts(self.containers, value)
        inside = (*inside, id(value))
        return tree.rebuilt(value, keys, [self.before(part, inside) for part in parts])

    def forget_made(self, begin: int) -> None:
        """Leave buffers with serial numbers from ``begin`` on as they are, and unknown objects."""
        self.storages = {s: node for s, node in self.storages.items() if s.serial < begin}
        self.outdated = [s for s in self.outdated if s.serial < begin]
        self.classes = [c for c in self.classes if self.known is None or id(c[0]) in self.known]

    def undo(self) -> None:
        """Put everything back."""
        self._close_generators()
        for storage, node in self.storages.items():
            storage.put_back(node)
        for container, before in self.containers.values():
            refill(container, before)
        for storage in self.outdated:
            storage.stale = False
        for owner, kind in reversed(self.classes):
            object.__setattr__(owner, "__class__", kind)
        if self.trial is not None:
            self.trial.forget_effects(self.begin)

    def _close_generators(self) -> None:
        """End those that have been made: what they do then is undone as well."""
        trace = current_trace()
        if trace is not None and len(trace.generators) > self.first_generator:
            with journaling() as closing:
                close_suspended(trace, self.first_generator)
            closing.undo()


def is_same(before: Any, now: Any) -> bool:
    """Whether two copies of what a container holds have the very same elements."""
    if isinstance(before, set):
        return bool(before == now)
    if isinstance(before, dict):
        if list(before) != list(now):
            return False
        before, now = before.values(), now.values()
    return len(before) == len(now) and all(a is b for a, b in zip(before, now, strict=True))


def slots_of(value: Any) -> tuple[str, ...]:
    """The attributes that ``__slots__`` gives an object; what the cell of a variable holds."""
    if isinstance(value, CellType):
        return ("cell_contents",)
    if type(value).__module__.split(".")[0] in _NO_OBJECTS:
        return ()
    names: list[str] = []
    for cls in type(value).__mro__:
        own = cls.__dict__.get("__slots__", ())
        for name in (own,) if isinstance(own, str) else own:
            private = name.startswith("__") and not name.endswith("__")
            names.append(f"_{cls.__name__.lstrip('_')}{name}" if private else name)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def is_set(owner: Any, name: str) -> bool:
    """Whether a slot has a value: of an empty cell Python raises a ValueError."""
    try:
        return hasattr(owner, name)
    except ValueError:
        return False


_NO_OBJECTS = ("gradsmith", "numpy", "builtins")
"""Modules whose objects are values, or the compiler's own."""


def written_part(container: Any) -> Any:
    """What a journal notes of writes to a container; None where it cannot be written to.

    That is the dict of an object's attributes, or the object itself if it has ``__slots__``.
    """
    if isinstance(container, CONTAINERS):
        return container
    if isinstance(container, tuple):
        return None
    if has_dict(container):
        return vars(container)
    return container if slots_of(container) else None


def contents_of(part: Any) -> Any:
    """A copy of what `written_part` gives: of an object its attributes."""
    if isinstance(part, (dict, set)) and _traced_keys(part):
        return _with_plain_keys(part)
    if isinstance(part, CONTAINERS):
        return copy.copy(part) if type(part) in _EXACT else _plain_copy(part)
    return {name: getattr(part, name) for name in slots_of(part) if is_set(part, name)}


def refill(container: Any, contents: Any) -> None:
    """Make a container what ``contents`` is; it stays the same object."""
    if not isinstance(container, CONTAINERS):
        for name in slots_of(container):
            if name in contents:
                object.__setattr__(container, name, contents[name])
            elif is_set(container, name):
                object.__delattr__(container, name)
        return
    fill(container, contents)


CONTAINERS = (list, dict, set, deque)
"""Python's own that can be written to."""
_EXACT = (list, dict, set, *tree.DICTS, *tree.LISTS)


def _base(container: Any) -> Any:
    """Python's own class that a container has, whose methods do nothing else."""
    return next(cls for cls in (OrderedDict, dict, list, set, deque) if isinstance(container, cls))


def _plain_copy(container: Any) -> Any:
    """What a container of a class of the user's holds, without its methods."""
    base = _base(container)
    values = base.__iter__(container)
    if isinstance(container, dict):
        return {key: base.__getitem__(container, key) for key in values}
    return deque(values, container.maxlen) if base is deque else base(values)


def _traced_keys(container: Any) -> bool:
    """Whether a dict or set holds numbers of the trace among its keys or members."""
    return any(plain(key) is not key for key in _base(container).__iter__(container))


def _with_plain_keys(container: Any) -> Any:
    base = _base(container)
    made = copy.copy(container) if type(container) in _EXACT else base()
    keys = map(plain, base.__iter__(container))
    base.clear(made)
    base.update(made, keys if base is set else zip(keys, base.values(container), strict=True))
    return made


def item_of(container: Any, key: Any) -> Any:
    """``container[key]``, of a list, dict or deque."""
    return _base(container).__getitem__(container, key)


def _held_by(container: Any) -> list[Any]:
    """What is in a container, and the attributes that one of a class of the user's has, too."""
    base = _base(container)
    held = base.values(container) if isinstance(container, dict) else base.__iter__(container)
    return [*held, *([] if type(container) in _EXACT else [getattr(container, "__dict__", None)])]


def held_by(value: Any) -> Iterable[Any]:
    """What a container, tuple or object with slots holds; an object's dict is one of its own."""
    if isinstance(value, CONTAINERS):
        return _held_by(value)
    if isinstance(value, tuple):
        return value
    if isinstance(value, _NOT_SEARCHED):
        return ()
    return [getattr(value, name) for name in slots_of(value) if is_set(value, name)]


def copy_of(container: Any) -> Any:
    """Another of the same class that holds the same, and has the same attributes."""
    cls: Any = type(container)
    if cls in _EXACT:
        return copy.copy(container)
    made = cls.__new__(cls)
    if isinstance(container, deque):
        deque.__init__(made, (), container.maxlen)
    if isinstance(container, defaultdict):
        made.default_factory = container.default_factory
    fill(made, contents_of(container))
    for name, value in tree.attributes(container).items():
        if name != "default_factory":
            object.__setattr__(made, name, value)
    return made


def fill(container: Any, contents: Any) -> None:
    """Let a list, dict, set or deque hold these, and no method of the user's be called.

    Python may be iterating over it: what a dict or set holds already stays where it is.
    """
    base = _base(container)
    if isinstance(container, (dict, set)) and _traced_keys(container):
        base.clear(container)
    if isinstance(container, dict):
        _fill_dict(base, container, contents)
    elif isinstance(container, set):
        _fill_set(container, contents)
    else:
        base.clear(container)
        base.extend(container, contents)


def _fill_dict(base: Any, container: Any, contents: Any) -> None:
    keys = list(base.__iter__(container))
    for key in keys[len(contents) :]:
        base.__delitem__(container, key)
    if any(one is not other for one, other in zip(keys, contents, strict=False)):
        base.clear(container)
    for key, value in contents.items():
        if base.get(container, key, _ABSENT) is not value:
            base.__setitem__(container, key, value)


def _fill_set(container: Any, contents: Any) -> None:
    """One by one: Python would order the elements anew where many are added."""
    for value in [value for value in set.__iter__(container) if value not in contents]:
        set.discard(container, value)
    for value in contents:
        if not set.__contains__(container, value):
            set.add(container, value)


_ABSENT = object()


_open: ContextVar[tuple[Journal, ...]] = ContextVar("journals", default=())


def note_container(container: Any) -> None:
    """``container`` is about to be changed."""
    for journal in _open.get():
        if journal.known is None or id(container) in journal.known:
            journal.containers.setdefault(id(container), (container, contents_of(container)))


def note_kind(owner: Any) -> None:
    """An object is about to become one of another class."""
    for journal in _open.get():
        journal.classes.append((owner, type(owner)))


def note_rebinding() -> None:
    """A function is about to set a variable of a function around it, or a global one."""
    for journal in _open.get():
        journal.rebinds = True


def adopt(container: Any) -> None:
    """``container`` stands for something that was there before all that is being run."""
    for journal in _open.get():
        if journal.known is not None:
            journal.known[id(container)] = container


def adopt_beside(owner: Any, container: Any) -> None:
    """The same where ``owner`` was there: it holds ``container``, made when it is used first."""
    for journal in _open.get():
        if journal.known is not None and id(owner) in journal.known:
            journal.known[id(container)] = container


def establish(container: dict[Any, Any], key: Any, value: Any) -> None:
    """``container`` holds this from the beginning, before all that is being run."""
    container[key] = value
    for journal in _open.get():
        noted = journal.containers.get(id(container))
        if noted is not None:
            noted[1][key] = value


def is_plain_iterator(value: Any) -> bool:
    """Whether it is an iterator, and none of the user's own, which are objects like any other."""
    return isinstance(value, Iterator) and not is_instance(value)


def check_iterators(values: Iterable[Any]) -> None:
    """Refuse to take elements of an iterator that was there before an arm or a trip.

    Raises
    ------
    ControlFlowError
        One of the values is such an iterator: what it gives next cannot be undone. The loop is to
        be written out, or the branch decided.
    """
    journals = _open.get()
    for value in values if journals else ():
        if not is_plain_iterator(value):
            continue
        for journal in journals:
            journal.is_final = journal.is_final or id(value) in journal.found
        taking = [j for j in journals if id(value) in (j.known or ())]
        if any(journal.isolates for journal in taking):
            raise UnsupportedError(
                "a function that is differentiated takes elements of an iterator that is there "
                "before it is called",
                current_span(),
                "take them from a list or an array by an index, or pass them as arguments",
            )
        if taking:
            trace = current_trace()
            raise UndecidedError.at(
                None if trace is None else trace.sites.get(trace.builder),
                "this takes elements of an iterator, once for every trip of a loop or on one way "
                "of a branch",
                "take them from a list or an array by an index",
            )


def check_isolated(owner: Any, what: str) -> None:
    """Refuse to change for good what there was before a function that is differentiated.

    Raises
    ------
    UnsupportedError
        ``owner`` is that.
    """
    if any(journal.isolates and id(owner) in (journal.known or ()) for journal in _open.get()):
        raise UnsupportedError(
            f"a function that is differentiated changes {what} that is there before it is called",
            current_span(),
            "make it in the function, or use a list, a dict or an array",
        )


def note_final() -> None:
    """Something is about to be changed that cannot be undone."""
    for journal in _open.get():
        journal.is_final = True


def _note_storage(storage: Storage, before: Node) -> None:
    for journal in _open.get():
        journal.storages.setdefault(storage, before)


def _note_outdated(storage: Storage) -> None:
    for journal in _open.get():
        journal.outdated.append(storage)


writes.append(_note_storage)
outdatings.append(_note_outdated)


@contextmanager
def journaling(
    known: dict[int, Any] | None = None,
    trial: Builder | None = None,
    found: Mapping[int, Any] | None = None,
) -> Iterator[Journal]:
    """Keep a journal of all that is changed inside."""
    journal = Journal(known, trial, found)
    token = _open.set((*_open.get(), journal))
    try:
        yield journal
    finally:
        _open.reset(token)


def reachable(
    frame: FrameType, trace: Trace, *others: Any, but: Collection[str] = ()
) -> dict[int, Any]:
    """The containers that code in ``frame`` finds, not having made them, by their identities:
    held on to, or what is made later might get the identity of one that is gone. Those that
    ``others`` hold count as well; what the variables named in ``but`` hold does not.

    What is made on the way through an arm or a trip, and changed there, is no change outside.
    """
    found_there = {name: value for name, value in frame.f_locals.items() if name not in but}
    caches = [cache for _, cache in trace.caches.values()]
    return reachable_from(trace, found_there, trace.deque_states, caches, *others)


def reachable_from(trace: Trace, *values: Any) -> dict[int, Any]:
    """The same of what these values hold, or the function has found outside."""
    found: dict[int, Any] = {}
    seen_captures = [seen for _, seen in trace.captures.values()]
    overlays = [overlay for _, overlay in trace.overlays.values()]
    stack: list[Any] = [overlays, seen_captures, *values]
    while stack:
        value = stack.pop()
        own_class = isinstance(value, type) and id(value) in trace.made
        if id(value) in found or (isinstance(value, _NOT_SEARCHED) and not own_class):
            continue
        found[id(value)] = value
        stack.append(type(value))
        if isinstance(value, CONTAINERS):
            stack += _held_by(value)
        elif isinstance(value, tuple):
            stack += gc.get_referents(value)  # that of `zip_longest` has places without an object
        elif isinstance(value, type):
            stack += [*value.__bases__, *vars(value).values(), *functions_of(value)]
        elif isinstance(value, MethodType):
            stack += [value.__self__, value.__func__]
        elif isinstance(value, partial):
            stack += [value.func, value.args, value.keywords]
        elif isinstance(value, FunctionType):
            stack += _enclosed(trace, value)
        else:
            stack += [getattr(value, name) for name in slots_of(value) if is_set(value, name)]
            if has_dict(value):
                stack.append(vars(value))
            stack += _held_in_c(value)
    return found


def _enclosed(trace: Trace, function: FunctionType) -> Iterator[Any]:
    """The variables of enclosing functions, and the defaults and attributes of the function.

    A function from outside, as decorators of libraries return it, may hold one of the user's.
    """
    yield from function.__closure__ or ()
    if is_made_function(trace, function):
        yield from function.__defaults__ or ()
        yield function.__kwdefaults__  # the dict itself, which may be written to
    yield vars(function)


def _held_in_c(value: Any) -> Iterable[Any]:
    """What an object of a class of Python's own refers to: a generator, ``map``, a weak reference,
    a cached function or a descriptor.
    """
    if type(value).__module__ not in _PYTHONS:
        return ()
    if isinstance(value, weakref.ref):
        return (value(),)
    frame = value.gi_frame if isinstance(value, GeneratorType) else None
    return [*gc.get_referents(value), *(() if frame is None else _variables_of(frame))]


def _variables_of(frame: FrameType) -> Iterator[Any]:
    """The values and cells of a generator that waits: in Python 3.10 only the frame has them."""
    others = {id(other) for other in (frame.f_globals, frame.f_builtins)}
    yield from (value for value in gc.get_referents(frame) if id(value) not in others)


_PYTHONS = ("builtins", "functools", "itertools", "operator", "weakref")
"""Modules of classes that are written in C, and hold what code may call."""


class Internal:
    """Base of objects that staging puts into variables of its own: the user's code finds what they
    hold on to in variables too, or not at all.
    """

    __slots__ = ()


_NOT_SEARCHED = (
    *(str, bytes, int, float, complex, np.ndarray, ModuleType, type, Internal),
    *(CodeType, FrameType, TracebackType),
)
