"""What a traced function has written to the world outside, as results of the compiled function.

When the trace is over, the overlays and copies that stood for objects from outside are compared
with what they held at first. What was computed becomes a result of the emitted code; the driver
puts it in its place after each call.
"""

from __future__ import annotations

import copy
import datetime
import decimal
import enum
import fractions
import re
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from gradsmith import tree
from gradsmith.errors import UnsupportedError
from gradsmith.frontend.borrowed_arrays import Borrowed
from gradsmith.frontend.captures import METHODS
from gradsmith.frontend.classes import (
    DELETED,
    MISSING,
    has_methods,
    is_instance,
    note_used,
    own_attribute,
)
from gradsmith.frontend.defined import is_made_function
from gradsmith.frontend.doubts import others
from gradsmith.frontend.grown import Grown, is_grown
from gradsmith.frontend.iterator_stand_ins import take
from gradsmith.frontend.journal import contents_of, fill, written_part
from gradsmith.frontend.listed_results import as_list
from gradsmith.frontend.opaque import OpaqueObject
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.text import STAND_INS, Text
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import Trips
from gradsmith.frontend.unsettled import Cause, Refusing
from gradsmith.frontend.value_guards import plain_key
from gradsmith.ir.graph import Node
from gradsmith.ops.control import itself

Bound: TypeAlias = Mapping[str, Any]
"""The arguments of a call by name."""
Find: TypeAlias = Callable[[Bound], Any]
"""Finds an object outside, or among the arguments of a call."""
Make: TypeAlias = "Callable[[Call], Any]"
"""Makes the value to be written of what a call has computed."""


@dataclass(slots=True)
class Call:
    """One call of the compiled function."""

    bound: Bound
    values: Sequence[Any]
    made: dict[int, Any] = field(default_factory=dict)
    """What stands for objects that the function makes, by the identity of these in the trace."""


@dataclass(frozen=True, slots=True)
class Write:
    """One thing that is written after each call."""

    label: str
    prepare: Callable[[Call], Callable[[], None]]
    """Finds what is written and where, and gives what writes it: nothing is written before all
    is found."""


@dataclass(slots=True)
class ExternalWrites:
    """All that is written, and the traced values that it takes."""

    writes: list[Write] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def apply(self, bound: Bound, values: Sequence[Any]) -> None:
        """Do it, after a call."""
        call = Call(bound, values)
        for write in [w.prepare(call) for w in self.writes]:
            write()


@dataclass(frozen=True, slots=True)
class Copied:
    """A container among the arguments."""

    label: str
    seen: Any
    """What stands for it while tracing."""
    held: Any
    """That itself, or the attributes of an object as a dict."""
    before: Any
    """A copy of what it held at first."""
    find: Find


class Collector:
    """Finds out what a trace has written."""

    def __init__(self, trace: Trace, arguments: Sequence[Copied]) -> None:
        self.trace = trace
        self.found = ExternalWrites()
        self.finders: dict[int, Find] = {}
        self.arguments = arguments
        for copied in arguments:
            self.finders[id(copied.seen)] = copied.find
        self.inputs: dict[Storage, tuple[Node, Find]] = {}
        self._in_the_making: set[int] = set()

    def collect(self) -> ExternalWrites:
        """Everything, in the order in which it is to be done."""
        trace = self.trace
        for storage, (node, find) in self.inputs.items():
            if storage.stale and (storage.version or not storage.shared):
                raise _untold(
                    storage
                )  # shared and not written itself: the other one's write is all
            if storage.node is not node and storage.version:
                self._array(storage, find)
        for borrowed in self.trace.borrowed.values():
            if borrowed.written:
                self._borrowed(borrowed)
        for copied in self.arguments:
            self._container(copied.label, copied.held, copied.before, copied.find)
        for seen, before, read in trace.copies:
            self._container(_label(seen), seen, before, outside(read))
        for owner, overlay in trace.overlays.values():
            if id(owner) not in trace.made:
                self._attributes(owner, overlay)
        for iterator in trace.iterators:
            if iterator.taken:
                self._iterator(outside(iterator.read), iterator.taken)
        return self.found

    def _add(self, label: str, prepare: Callable[[Call], Callable[[], None]]) -> None:
        self.found.writes.append(Write(label, prepare))

    def _array(self, storage: Storage, find: Find) -> None:
        place = len(self.found.values)
        self.found.values.append(storage.node)

        def prepare(call: Call) -> Callable[[], None]:
            array = find(call.bound)
            return lambda: array.__setitem__(..., call.values[place])

        self._add(storage.label or "array", prepare)

    def _borrowed(self, borrowed: Borrowed) -> None:
        """An array that an object outside may hold: the code returns it besides its contents."""
        if borrowed.storage.stale:
            raise _untold(borrowed.storage)
        place = len(self.found.values)
        self.found.values += [borrowed.storage.node, itself(borrowed.node)]

        def prepare(call: Call) -> Callable[[], None]:
            array, contents = call.values[place + 1], call.values[place]
            return lambda: array.__setitem__(..., contents)

        self._add(borrowed.storage.label or "array", prepare)

    def _iterator(self, find: Find, count: int) -> None:
        """So many of its elements are taken."""
        self._add("an iterator", lambda call: partial(take, find(call.bound), count))

    def _attributes(self, owner: Any, overlay: Mapping[str, Any]) -> None:
        for name, value in overlay.items():
            before = self.trace.captures.get(("attribute", id(owner), name))
            if before is not None and before[1] is value:
                continue
            if isinstance(owner, types.CellType) and self._is_cells(owner, value):
                continue
            if type(owner) is dict and self._is_globals(owner, name, value):
                continue
            label = name if type(owner) is dict else _label_of(owner, name)
            make = None if value is DELETED else self._maker(value, label)
            self._add(label, _attribute_write(owner, name, make))

    def _is_cells(self, cell: types.CellType, value: Any) -> bool:
        known = self.trace.captures.get(("cell", id(cell)))
        return known is not None and known[1] is value

    def _is_globals(self, owner: Any, name: str, value: Any) -> bool:
        known = self.trace.captures.get(("global", id(owner), name))
        return known is not None and known[1] is value

    def _container(self, label: str, seen: Any, before: Any, find: Find) -> None:
        """A list, dict, set, deque, or the attributes of an object."""
        if isinstance(seen, set):
            if seen != before:
                for value in seen - before:
                    note_used(value, key=True)
                self._set(label, seen, before, find)
            return
        old, new = dict(_items(before)), dict(_items(contents_of(seen)))
        if list(old) == list(new) and all(old[k] is v for k, v in new.items()):
            return
        for key in new:
            note_used(key, key=True)
        kept = {id(value): key for key, value in old.items() if not _is_number(value)}
        makers: dict[Any, Make] = {}
        for key, value in new.items():
            if key in old and old[key] is value:
                makers[key] = _kept(find, key)
            elif id(value) in kept:
                makers[plain_key(key)] = _kept(find, kept[id(value)])
            elif type(value) is Grown:
                makers[key] = _several(self._computed(as_list([value])))
            else:
                makers[plain_key(key)] = self._maker(value, label)
        self._add(label, _refill(find, makers))

    def _set(self, label: str, seen: set[Any], before: set[Any], find: Find) -> None:
        added, removed = seen - before, before - seen
        if any(isinstance(value, STAND_INS) for value in added):
            makers = [self._maker(value, label) for value in added]
        else:
            makers = [_constant(value) for value in added]

        def prepare(call: Call) -> Callable[[], None]:
            real, new = find(call.bound), [make(call) for make in makers]

            def write() -> None:
                real.difference_update(removed)
                real.update(new)

            return write

        self._add(label, prepare)

    # -- values

    def _maker(self, value: Any, label: str) -> Make:
        """What makes the value anew in each call."""
        if isinstance(value, Refusing):
            value.refuse()
        if isinstance(value, Tracer):
            known = self._unwritten_input(value)
            return known or self._chosen_array(value) or self._computed(value)
        find = self._finder(value)
        if find is not None:
            return lambda call: find(call.bound)
        if isinstance(value, (TracedInt, OpaqueObject)) or is_grown(value):
            return self._computed(as_list(value) if is_grown(value) else value)
        found = self._of_parts(value, label)
        if found is not None:
            return found
        if isinstance(value, Text) or _is_fixed(value, self.trace):
            return _constant(value.settled() if isinstance(value, Text) else value)
        raise UnsupportedError(
            f"the function makes a {type(value).__name__} and writes it to {label}, which is "
            "outside the function",
            hint="write numbers, arrays, or lists, dicts and objects of these",
        )

    def _of_parts(self, value: Any, label: str) -> Make | None:
        """What makes an object of its parts, if the class of the object is known."""
        if isinstance(value, METHODS) and self._finder(value.__self__) is not None:
            return self._method(self._maker(value.__self__, label), value)
        if isinstance(value, (np.ndarray, np.generic)):
            return lambda call: copy.copy(value)
        if type(value) in _COPIED:
            return self._copied(value)
        if type(value) is slice or (isinstance(value, Trips) and value.counts):
            return self._bounded(value, label)
        if isinstance(value, BaseException):
            return self._error(value, label)
        return self._remade(value, label) if self._is_made(value) else None

    def _is_made(self, value: Any) -> bool:
        if tree.is_container(value) or tree.is_namedtuple(value):
            return True
        return tree.is_dataclass_instance(value) or id(value) in self.trace.opened

    def _computed(self, value: Any) -> Make:
        place = len(self.found.values)
        self.found.values.append(value)
        key = id(value)

        def make(call: Call) -> Any:
            return call.made.setdefault(key, call.values[place])

        return make

    def _method(self, owner: Make, method: Any) -> Make:
        """The method of what the stand-in with this ``method`` stands for."""
        if isinstance(method, types.MethodType):
            return lambda call: types.MethodType(method.__func__, owner(call))
        return lambda call: getattr(owner(call), method.__name__)

    def _unwritten_input(self, value: Tracer) -> Make | None:
        """An array from outside, or an argument: that itself."""
        known = self.inputs.get(value.view.storage)
        if known is None or value.view.path or value.type.form != "array":
            return None
        return lambda call: known[1](call.bound)

    def _chosen_array(self, value: Tracer) -> Make | None:
        """One of several arrays as a branch or loop has chosen, some of which are from outside.

        Raises
        ------
        ControlFlowError
            Such an array has been written to, so that the code has a copy of it at work.
        """
        chosen = [] if value.type.form != "array" else _chosen(value.view.storage)
        inputs = [(self.inputs[s], s, cause) for s, cause in chosen if s in self.inputs]
        for (node, _), storage, cause in inputs:
            if storage.node is not node or value.view.path:
                raise cause.error(
                    "this chooses between arrays from outside the function of which one is "
                    "written to",
                    "copy it in any case: y = x.copy()",
                )
        if not inputs:
            return None
        place = len(self.found.values)
        self.found.values.append(itself(value.node))
        return lambda call: call.values[place]

    def _finder(self, value: Any) -> Find | None:
        if id(value) in self.finders:
            return self.finders[id(value)]
        original = self.trace.originals.get(id(value))
        if original is not None and original.read is not None and original.real is not value:
            return outside(original.read)
        return None

    def _check_not_chosen(self, value: Any, label: str) -> None:
        """What a branch or loop has chosen may be an object that others hold.

        Raises
        ------
        ControlFlowError
            It is: the branch is to be decided, or the loop to be written out.
        """
        part = written_part(value)
        for _, cause in () if part is None else others(self.trace, part):
            raise cause.error(
                f"this chooses the object that is written to {label}, outside the function, where "
                "it may be one that something else holds",
                "copy it in any case: y = list(x)",
            )

    def _copied(self, value: set[Any] | frozenset[Any] | bytearray) -> Make:
        key, cls = id(value), type(value)
        members = tuple(map(plain_key, value))
        return lambda call: call.made.setdefault(key, cls(members))

    def _bounded(self, value: slice | Trips, label: str) -> Make:
        """A slice or range."""
        if isinstance(value, slice):
            type_: Any = slice
            bounds = [value.start, value.stop, value.step]
        else:
            type_ = range
            bounds = [wrap_size(value.start), wrap_size(value.stop), value.step]
        parts = [self._maker(bound, label) for bound in bounds]

        def make(call: Call) -> Any:
            if id(value) not in call.made:
                call.made[id(value)] = type_(*(part(call) for part in parts))
            return call.made[id(value)]

        return make

    def _error(self, value: BaseException, label: str) -> Make:
        """An error, without the frames that it has passed."""
        key, cls, own = id(value), type(value), is_instance(value)
        given = value.args if own else value.__reduce__()[1]  # of files more than ``args``
        parts = [self._maker(part, label) for part in given]
        held = {name: self._maker(part, label) for name, part in vars(value).items()}
        cause = None if value.__cause__ is None else self._maker(value.__cause__, label)

        def make(call: Call) -> Any:
            if key not in call.made:
                args = [part(call) for part in parts]
                made = call.made[key] = cls.__new__(cls, *args) if own else cls(*args)
                vars(made).update({name: part(call) for name, part in held.items()})
                made.__cause__ = None if cause is None else cause(call)
                made.__suppress_context__ = value.__suppress_context__
            return call.made[key]

        return make

    def _remade(self, value: Any, label: str) -> Make:
        self._check_not_chosen(value, label)
        key, cls, option = id(value), type(value), tree.option_of(value)
        if key in self._in_the_making:
            raise UnsupportedError(
                f"the function writes an object to {label}, outside the function, that refers to "
                "itself",
                hint="make such objects outside the function",
            )
        self._in_the_making.add(key)
        kind, keys, held = tree.parts(value)
        option = tree.order_of(value, keys) if kind in ("dataclass", "object") else option
        keys = tuple(map(plain_key, keys))
        parts = [self._maker(part, label) for part in held]
        self._in_the_making.discard(key)

        def make(call: Call) -> Any:
            if key not in call.made:
                made = [part(call) for part in parts]
                call.made[key] = _assembled(kind, cls, option, keys, made)
            return call.made[key]

        return make


_COPIED = (set, frozenset, bytearray)


def _chosen(storage: Storage) -> list[tuple[Storage, Cause]]:
    """The arrays among which branches and loops have chosen one, each with one of these."""
    found: dict[Storage, Cause] = {}
    stack = [storage]
    while stack:
        for other, cause in stack.pop().chosen_among():
            if other not in found:
                found[other] = cause
                stack.append(other)
    return list(found.items())


def _untold(storage: Storage) -> UnsupportedError:
    """The error about an array from outside of which it is unknown what it holds at the end."""
    name = storage.label or "an array"
    if storage.shared:
        return UnsupportedError(
            f"{name} shares memory with another argument of this call, which the function has "
            "written to",
            hint="pass a copy: h.copy()",
        )
    return storage.cause.error(
        f"{name} may or may not be what this function writes to: a branch or a loop decides which "
        "array the variable is",
        "copy it at the beginning of the function: h = h.copy()",
    )


def _assembled(kind: str, cls: type, option: Any, keys: tuple[Any, ...], parts: list[Any]) -> Any:
    if kind == "dict":
        return tree.dict_of(cls, option, keys, parts)
    if kind == "list":
        return tree.list_of(cls, option, parts)
    if kind == "tuple":
        return cls(parts)
    if kind == "namedtuple":
        return tuple.__new__(cls, parts)
    return tree.object_of(cls, option, keys, parts)


def _is_fixed(value: Any, trace: Trace) -> bool:
    """Whether the object is the same at each call, or one that equals it would do."""
    if isinstance(value, types.FunctionType):
        return not is_made_function(trace, value)
    if isinstance(value, METHODS):
        owner = value.__self__
        known = isinstance(owner, (types.ModuleType, type, types.NoneType))
        return known or id(owner) in trace.external or id(owner) in trace.seen
    if isinstance(value, _CONSTANTS) and not is_instance(value):
        return not isinstance(value, type) or id(value) not in trace.made
    return isinstance(value, enum.Enum) or id(value) in trace.external


_CONSTANTS = (
    *(str, bytes, bool, int, float, complex, range, types.NoneType, types.EllipsisType),
    *(types.NotImplementedType, type, types.ModuleType, np.dtype, np.ufunc),
    *(fractions.Fraction, decimal.Decimal, datetime.date, datetime.time, datetime.timedelta),
    *(datetime.tzinfo, re.Pattern, types.CodeType, types.GenericAlias, property),
    *(types.MethodDescriptorType, types.WrapperDescriptorType),
)
"""Classes of objects that cannot change."""


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex, str, bytes, bool, type(None)))


def _items(container: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(container, dict):
        return iter(container.items())
    return iter(enumerate(container))


def _constant(value: Any) -> Make:
    return lambda call: value


def outside(read: Callable[[], Any]) -> Find:
    """Finds what ``read`` does."""
    return lambda bound: read()


def _kept(find: Find, key: Any) -> Make:
    """What the container outside holds itself."""

    def make(call: Call) -> Any:
        owner = find(call.bound)
        return owner[key] if isinstance(owner, (list, dict, deque)) else getattr(owner, key)

    return make


class _Several(list[Any]):
    """Elements that take the place of one stand-in."""


def _several(make: Make) -> Make:
    return lambda call: _Several(make(call))


def _elements(held: Iterable[Any]) -> list[Any]:
    return [v for value in held for v in (value if type(value) is _Several else [value])]


def _refill(find: Find, makers: Mapping[Any, Make]) -> Callable[[Call], Callable[[], None]]:
    def prepare(call: Call) -> Callable[[], None]:
        owner = find(call.bound)
        held = {key: make(call) for key, make in makers.items()}
        return lambda: _hold(owner, held)

    return prepare


def _hold(owner: Any, held: dict[Any, Any]) -> None:
    """Let a container hold these; it stays the same object."""
    if isinstance(owner, (dict, list, deque)):
        fill(owner, held if isinstance(owner, dict) else _elements(held.values()))
    else:
        for name in tree.attributes(owner).keys() - held.keys():
            object.__delattr__(owner, name)
        for name, value in held.items():
            object.__setattr__(owner, name, value)


def _attribute_write(
    owner: Any, name: str, make: Make | None
) -> Callable[[Call], Callable[[], None]]:
    write: Callable[..., Any] = setattr
    delete: Callable[..., Any] = delattr
    if type(owner) is dict:  # global variables
        write, delete = type(owner).__setitem__, type(owner).__delitem__
    elif has_methods(owner):  # which have been called
        kind = type if isinstance(owner, type) else object
        write, delete = kind.__setattr__, kind.__delattr__

    def prepare(call: Call) -> Callable[[], None]:
        if make is None:  # it may be there only because the function has set it before
            there = name in owner if type(owner) is dict else _holds(owner, name)
            return partial(delete, owner, name) if there else _nothing
        value = make(call)
        return lambda: write(owner, name, value)

    return prepare


def _holds(owner: Any, name: str) -> bool:
    return hasattr(owner, name) and own_attribute(owner, name) is not MISSING


def _nothing() -> None:
    """Writes nothing."""


def _label(container: Any) -> str:
    return f"a {type(container).__name__}"


def _label_of(owner: Any, name: str) -> str:
    if isinstance(owner, types.CellType):
        return "a variable"
    kind = (
        owner.__name__ if isinstance(owner, (type, types.FunctionType)) else type(owner).__name__
    )
    return f"{kind}.{name}"
