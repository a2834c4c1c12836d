"""Values from outside the function: arrays and numbers become inputs, the rest is relied on."""

from __future__ import annotations

import copy
import decimal
import os
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.frontend.arguments import check_leaf, is_input, leaf_value
from gradsmith.frontend.attribute_dicts import attribute_dict, note_copied_owner, note_owner
from gradsmith.frontend.classes import is_instance, note_used
from gradsmith.frontend.dict_views import mapping_of, shows_dict, view_of
from gradsmith.frontend.hashed import is_nan
from gradsmith.frontend.iterator_stand_ins import can_be_copied, stand_in
from gradsmith.frontend.journal import (
    CONTAINERS,
    adopt,
    contents_of,
    copy_of,
    fill,
    item_of,
    written_part,
)
from gradsmith.frontend.library_state import note_state
from gradsmith.frontend.shared_memory import argument_from_outside
from gradsmith.frontend.structures import BY_VALUE, Structure
from gradsmith.frontend.trace import Capture, Original, OutsideRead, Reader, Reliance, Trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims
from gradsmith.ir.mentions import mentioned

METHODS = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)
"""Made anew each time that they are read, and equal where object and function are the same."""


def capture(trace: Trace, key: object, name: str, value: Any, read: Reader) -> Any:
    """What the traced function sees for ``value``, found outside; ``read`` finds it again.

    Arrays and numbers become inputs of the compiled function, so that the next call sees what
    they are then. Of a container the leaves do. Anything else is built in, and relied on.
    """
    if isinstance(value, (Tracer, TracedInt, types.ModuleType)) or is_made(trace, value):
        return value
    if trace.outside_reads is not None:
        trace.outside_reads.append(OutsideRead(key, name, value, read))
    known = trace.captures.get(key)
    if known is not None and known[0] is value:
        return known[1]
    if id(value) in trace.seen:
        seen = _seen_before(trace, key, value, read)
    else:
        seen = _see(trace, key, name, value, read)
    trace.captures[key] = (value, seen)
    return seen


def _seen_before(trace: Trace, key: object, value: Any, read: Reader) -> Any:
    """What stands for a value that has been found in another way, too: it is one thing."""
    seen, first = trace.seen[id(value)]
    trace.reliances[key] = Reliance(partial(_are_one, read, first), True, by_identity=True)
    return seen


def _note_distinct(trace: Trace, read: Reader) -> None:
    """Another container from outside: in the next call, too, no two of them are one object."""
    trace.distinct.append(read)
    if len(trace.distinct) == 2:
        readers = trace.distinct
        trace.reliances["distinct"] = Reliance(
            lambda: len({id(r()) for r in readers}) == len(readers), True, by_identity=True
        )


def _are_one(one: Reader, other: Reader) -> bool:
    return one() is other()


def is_made(trace: Trace, value: Any) -> bool:
    """Whether the function itself has made the object, or it stands for one from outside."""
    if id(value) in trace.made or id(value) in trace.opened:
        return True
    original = trace.originals.get(id(value))
    return original is not None and original.real is not value


def _note_outside(trace: Trace, value: Any, read: Reader) -> None:
    """The function uses an object from outside itself, not a copy: it must stay of its class."""
    trace.external[id(value)] = value
    note_used(value)
    if is_instance(value):
        trace.lookups.owners[id(value)] = value
    note_state(trace, value, read)


def rely(trace: Trace, key: object, read: Reader, value: Any) -> None:
    """The next call must find the same object."""
    trace.reliances.setdefault(key, Reliance(read, value, by_identity=True))


def _note_copy(trace: Trace, seen: Any, real: Any, read: Reader) -> Any:
    """``seen`` stands for the container ``real``, from outside."""
    trace.originals[id(seen)] = Original(real, read)
    trace.seen[id(real)] = seen, read
    held = written_part(seen)
    if held is not None:
        trace.copies.append((held, contents_of(held), read))
        adopt(held)
    return seen


def _see(trace: Trace, key: object, name: str, value: Any, read: Reader) -> Any:
    attributes = attribute_dict(trace, key, value, read)
    if attributes is not None:
        return attributes
    if is_input(value):
        seen = _input(trace, name, value, read)
        if isinstance(value, np.ndarray):
            trace.seen[id(value)] = seen, read
        return seen
    if tree.is_container(value):
        given = argument_from_outside(trace, value, read)
        if given is not None:
            return given
        if not _is_constant(value):  # what can change is copied
            structure = Structure(value)
            trace.reliances[key] = Reliance(lambda: structure.fits(read()), True, by_identity=True)
            _note_distinct(trace, read)
            return _Copying(trace, name).copied(value, read, ())
    elif isinstance(value, CONTAINERS):
        own = isinstance(key, tuple) and key[0] == "argument"
        given = None if own else argument_from_outside(trace, value, read)
        return _copied(trace, key, name, value, read) if given is None else given
    if can_be_copied(value):
        return _iterator(trace, key, value, read)
    if shows_dict(value):
        return _view(trace, key, name, value, read)
    return _itself(trace, key, name, value, read)


def _itself(trace: Trace, key: object, name: str, value: Any, read: Reader) -> Any:
    """What the function sees is the object from outside: it is relied on."""
    _note_outside(trace, value, read)
    trace.originals[id(value)] = Original(value, read)
    note_members(trace, value if isinstance(value, (tuple, frozenset)) else ())
    if isinstance(value, bytearray):
        trace.reliances[key] = Reliance(read, copy.copy(value), by_identity=False)
        return value
    note_method(trace, name, value, read)
    by_identity = not isinstance(value, BY_VALUE + METHODS)
    trace.reliances[key] = Reliance(read, value, by_identity)
    return value


def _is_constant(value: Any) -> bool:
    """Whether it is a tuple of neither inputs nor objects that are copied."""
    if isinstance(value, tuple) and tree.is_container(value):
        return all(map(_is_constant, tree.parts(value)[2]))
    return not (is_input(value) or tree.is_container(value) or _is_copied(value))


def note_method(trace: Trace, name: str, value: Any, read: Reader) -> None:
    """Capture the container, array or iterator that a bound method from outside belongs to, so
    that calls of the method are calls on its stand-in (`method_of_stand_in`).
    """
    owner = getattr(value, "__self__", None) if isinstance(value, METHODS) else None
    if isinstance(owner, np.ndarray) or tree.is_container(owner) or _is_copied(owner):
        capture(trace, ("owner", id(owner)), name, owner, lambda: read().__self__)


def _is_copied(value: Any) -> bool:
    return isinstance(value, CONTAINERS) or can_be_copied(value)


def _iterator(trace: Trace, key: object, value: Any, read: Reader) -> Any:
    """What stands for an iterator; another one of its class serves the next call as well."""
    kind = type(value)
    trace.reliances[key] = Reliance(lambda: type(read()) is kind, True, by_identity=True)
    seen = stand_in(trace, value, read, capture)
    trace.seen[id(value)] = seen, read
    trace.originals[id(seen)] = Original(value, read)
    return seen


def note_external(trace: Trace, owner: Any) -> None:
    """``owner`` is there before the function is called."""
    known = id(owner) in trace.originals or id(owner) in trace.external
    if not (known or id(owner) in trace.made):
        _note_outside(trace, owner, lambda: owner)
        trace.originals[id(owner)] = Original(owner, None)
    note_owner(trace, owner)


def note_members(trace: Trace, keys: Any) -> None:
    """Keys of a dict, or members of a set, are there before the function is called: functions
    among them, say, have attributes.
    """
    for key in keys:
        if isinstance(key, (tuple, frozenset)):
            note_members(trace, key)
        elif not isinstance(key, _WITHOUT_ATTRIBUTES):
            note_external(trace, key)


_WITHOUT_ATTRIBUTES = (str, bytes, int, float, complex, type(None))


def rely_on_environment(trace: Trace, value: Any) -> None:
    """``value`` has been read: where it is the environment, or computes as the context of decimal
    numbers says, the code depends on what that is.
    """
    if value is os.environ or value is os.getenv:
        trace.reliances["environment"] = Reliance(
            lambda: dict(os.environ), dict(os.environ), by_identity=False
        )
    if value is decimal.Decimal or type(value) is decimal.Decimal:
        trace.reliances["decimal"] = Reliance(
            _decimal_context, _decimal_context(), by_identity=False
        )


def _view(trace: Trace, key: object, name: str, value: Any, read: Reader) -> Any:
    """A view of what stands for the dict that a view from outside shows."""
    kind, real = type(value), mapping_of(value)
    trace.reliances[key] = Reliance(lambda: type(read()) is kind, True, by_identity=True)
    mapping = capture(trace, ("owner", id(real)), name, real, lambda: mapping_of(read()))
    seen = view_of(mapping, value)
    trace.seen[id(value)] = seen, read
    trace.originals[id(seen)] = Original(value, read)
    return seen


def _decimal_context() -> tuple[int, str]:
    """What the results of decimal numbers depend on."""
    context = decimal.getcontext()
    return context.prec, context.rounding


def _copied(trace: Trace, key: object, name: str, value: Any, read: Reader) -> Any:
    """A set, a deque, or an object of a class that is derived from a list or a dict."""
    for held in value:
        note_used(held, key=isinstance(value, (dict, set)))
    note_members(trace, value if isinstance(value, (dict, set)) else ())
    seen, held = copy_of(value), contents_of(value)
    if isinstance(value, set):
        members = tree.typed(value)
        trace.reliances[key] = Reliance(lambda: tree.typed(read()), members, by_identity=False)
        return _note_copy(trace, seen, value, read)
    rely(trace, key, read, value)
    keys = tuple(held) if isinstance(held, dict) else tuple(range(len(held)))
    typed = tree.typed_keys(keys)
    trace.reliances["keys", key] = Reliance(
        lambda: tree.typed_keys(_keys(read())), typed, by_identity=False
    )
    inner = [
        capture(trace, ("item", id(value), k), label, held[k], partial(_item_of, read, k))
        for k, label in zip(keys, _labels(name, keys), strict=True)
    ]
    fill(seen, dict(zip(keys, inner, strict=True)) if isinstance(held, dict) else inner)
    return _note_copy(trace, seen, value, read)


def _keys(value: Any) -> tuple[Any, ...]:
    held = contents_of(value)
    return tuple(held) if isinstance(held, dict) else tuple(range(len(held)))


def _item_of(read: Reader, key: Any) -> Any:
    return item_of(read(), key)


def _input(trace: Trace, name: str, value: Any, read: Reader) -> Any:
    unique = name
    while unique in trace.leaves:
        unique += "_"
    check_leaf(value, name, "outside variable")
    made = leaf_value(trace, unique, value)
    if isinstance(made, Tracer):
        made.view.storage.outside = True
    if is_nan(value):  # keys and members are found by the object where it equals nothing
        trace.seen[id(value)] = made, read
    node = trace.root.params[-1]
    trace.inputs.append(Capture(unique, read, node, made))
    return made


def drop_unread(trace: Trace) -> None:
    """What was captured and not read is no input: of a table of constants most entries.

    An integer that nothing depends on may still have been asked for its class.
    """
    sizes = mentioned(trace.root.nodes)
    for guard in trace.guards:
        sizes.update(dict.fromkeys([*dims.symbols(guard.left), *dims.symbols(guard.right)]))
    used = {operand for node in trace.root.nodes for operand in node.inputs}
    kept = []
    for capture in trace.inputs:
        symbols = [capture.node.attrs["symbol"], *mentioned([capture.node])]
        if capture.node in used or _is_read(capture.seen) or any(s in sizes for s in symbols):
            kept.append(capture)
            continue
        trace.root.drop_parameter(capture.node)
        if isinstance(capture.seen, TracedInt):
            trace.checked.append(capture)
    trace.inputs = kept


def _is_read(seen: Any) -> bool:
    return isinstance(seen, Tracer) and seen.view.storage.read


class _Copying:
    """Makes what stands for a container from outside: inputs for its leaves, and one copy of each
    container in it, in however many places that is.
    """

    def __init__(self, trace: Trace, name: str) -> None:
        self.trace = trace
        self.name = name
        self.position = 0

    def copied(self, value: Any, read: Reader, path: tree.Path) -> Any:
        """What stands for a part of it."""
        here = _reader_of(read, path) if path else read
        if id(value) in self.trace.seen and not isinstance(value, np.ndarray):
            return _seen_before(self.trace, ("one", id(value), here), value, here)
        if is_input(value):
            return self._leaf(value, here, path)
        attributes = attribute_dict(self.trace, here, value, here)
        if attributes is not None:
            return attributes
        if not tree.is_container(value):
            if isinstance(value, CONTAINERS):
                given = argument_from_outside(self.trace, value, here)
                key = ("part", id(value))
                return _copied(self.trace, key, self.name, value, here) if given is None else given
            if can_be_copied(value):
                return _iterator(self.trace, ("part", id(value)), value, here)
            note_method(self.trace, self.name, value, here)
            _note_outside(self.trace, value, here)
            note_members(self.trace, value if isinstance(value, frozenset) else ())
            return value
        given = argument_from_outside(self.trace, value, here) if path else None
        if given is not None:
            return given
        kind, keys, parts = tree.parts(value)
        for key in keys:
            note_used(key, key=True)
        note_members(self.trace, keys)
        step = "attribute" if kind in ("namedtuple", "dataclass", "object") else "item"
        if kind in ("dataclass", "object"):
            note_copied_owner(self.trace, value)
        inner = [
            self.copied(part, read, (*path, (step, key)))  # type: ignore[arg-type]
            for key, part in zip(keys, parts, strict=True)
        ]
        return _note_copy(self.trace, tree.rebuilt(value, keys, inner), value, here)

    def _leaf(self, value: Any, read: Reader, path: tree.Path) -> Any:
        last, position = path[-1][1], self.position
        self.position += 1
        word = isinstance(last, str) and last.isidentifier()
        return _input(self.trace, last if word else f"{self.name}_{position}", value, read)


def _labels(name: str, keys: Iterable[Any]) -> Iterator[str]:
    """What items are called: by their keys where these are words or positions."""
    for place, key in enumerate(keys):
        word = type(key) in (str, int) and f"_{key}".isidentifier()
        yield f"{name}_{key if word else place}"


def _reader_of(read: Reader, path: tree.Path) -> Reader:
    def read_leaf() -> Any:
        value = read()
        for step, key in path:
            value = getattr(value, key) if step == "attribute" else value[key]
        return value

    return read_leaf


def rely_on_names(trace: Trace, function: types.FunctionType) -> None:
    """Of a function without source the names cannot be made inputs: their values are relied on."""
    code = function.__code__
    for name in (*code.co_names, *code.co_freevars):
        key, read = global_or_cell(function, name)
        try:
            value = read()
        except (LookupError, ValueError):
            continue  # an attribute's name, or a variable without value
        if is_input(value):
            trace.reliances[key] = Reliance(read, _frozen(value), by_identity=False)


def is_itself(name: str, value: Any) -> bool:
    """A function or class of Python's or NumPy's under its own name, which is seldom another one
    later.
    """
    return (
        getattr(value, "__module__", None) in ("builtins", "numpy", "math")
        and getattr(value, "__name__", None) == name
    )


def is_usual_name(name: str, value: Any) -> bool:
    """Whether it is a module of Python's or NumPy's under the name that everyone gives it, which
    is taken to stay what it is.
    """
    if not isinstance(value, types.ModuleType):
        return False
    full = value.__name__
    known = full.split(".")[0] in ("numpy", *sys.stdlib_module_names)
    return known and (name == full.split(".")[0] or (name == "np" and full == "numpy"))


def rely_on_variable(trace: Trace, function: types.FunctionType, name: str) -> None:
    """The next call must find the same object under a name that is not local; where it is a
    builtin, no global of that name.
    """
    key, read = global_or_cell(function, name)
    if key[0] == "cell":
        rely(trace, key, read, read())
    else:
        trace.lookups.note_variable(function.__globals__, name)


def _frozen(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def global_or_cell(
    function: types.FunctionType, name: str
) -> tuple[tuple[Any, ...], Callable[[], Any]]:
    """A key and a reader for a name that is not local to ``function``."""
    code = function.__code__
    if name in code.co_freevars and function.__closure__ is not None:
        cell = function.__closure__[code.co_freevars.index(name)]
        return ("cell", id(cell)), lambda: cell.cell_contents
    namespace = function.__globals__
    return ("global", id(namespace), name), lambda: namespace[name]
