"""Values from outside the function: arrays and numbers become inputs, the rest is relied on."""

from __future__ import annotations

import copy
import os
import types
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.frontend.arguments import check_leaf, is_input, leaf_value
from gradsmith.frontend.journal import CONTAINERS, adopt, contents_of, written_part
from gradsmith.frontend.trace import Capture, Original, Reader, Reliance, Trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims
from gradsmith.ir.mentions import mentioned

BY_VALUE = (str, bytes, bool, type(None))
METHODS = (types.MethodType, types.BuiltinMethodType)
"""Made anew each time that they are read, and equal where object and function are the same."""
CHANGING = (set, deque, bytearray)
"""Containers that have no leaves, and may hold something else in the next call."""


def capture(trace: Trace, key: object, name: str, value: Any, read: Reader) -> Any:
    """What the traced function sees for ``value``, found outside; ``read`` finds it again.

    Arrays and numbers become inputs of the compiled function, so that the next call sees what
    they are then. Of a container the leaves do. Anything else is built in, and relied on.
    """
    if isinstance(value, (Tracer, TracedInt, types.ModuleType)) or is_made(trace, value):
        return value
    known = trace.captures.get(key)
    if known is not None and known[0] is value:
        return known[1]
    if id(value) in trace.seen:  # found in another way, too: it is one thing
        seen, first = trace.seen[id(value)]
        trace.reliances[key] = Reliance(partial(_are_one, read, first), True, by_identity=True)
    else:
        seen = _see(trace, key, name, value, read)
    trace.captures[key] = (value, seen)
    return seen


def _are_one(one: Reader, other: Reader) -> bool:
    return one() is other()


def is_made(trace: Trace, value: Any) -> bool:
    """Whether the function itself has made the object, or it stands for one from outside."""
    if id(value) in trace.made or id(value) in trace.opened:
        return True
    original = trace.originals.get(id(value))
    return original is not None and original.real is not value


def rely(trace: Trace, key: object, read: Reader, value: Any) -> None:
    """The next call must find the same object."""
    trace.reliances.setdefault(key, Reliance(read, value, by_identity=True))


def note_copies(trace: Trace, seen: Any, real: Any, read: Reader) -> None:
    """The containers in ``seen``, inner ones too, stand for those in ``real``, from outside."""
    trace.originals[id(seen)] = Original(real, read)
    trace.seen[id(real)] = seen, read
    held = written_part(seen)
    if held is not None:
        trace.copies.append((held, contents_of(held), read))
        adopt(held)
    if not tree.is_container(seen):
        return
    kind, keys, parts = tree.parts(seen)
    for k, inner, outer in zip(keys, parts, tree.parts(real)[2], strict=True):
        if tree.is_container(inner):
            step = "attribute" if kind in ("namedtuple", "dataclass", "object") else "item"
            note_copies(trace, inner, outer, _reader_of(read, ((step, k),)))  # type: ignore[arg-type]
        elif not is_input(outer):
            trace.external.setdefault(id(inner), inner)


def _see(trace: Trace, key: object, name: str, value: Any, read: Reader) -> Any:
    if is_input(value):
        seen = _input(trace, name, value, read)
        if isinstance(value, np.ndarray):
            trace.seen[id(value)] = seen, read
        return seen
    if tree.is_container(value):
        leaves, shape = tree.flatten(value, is_input)
        if leaves or not isinstance(value, tuple):  # what can change is copied
            trace.reliances[key] = Reliance(lambda: _structure(read()), shape, by_identity=False)
            seen = _container(trace, name, leaves, shape, read)
            note_copies(trace, seen, value, read)
            return seen
    elif isinstance(value, CONTAINERS):
        return _copied(trace, key, name, value, read)
    trace.external[id(value)] = value
    trace.originals[id(value)] = Original(value, read)
    if isinstance(value, bytearray):
        trace.reliances[key] = Reliance(read, copy.copy(value), by_identity=False)
        return value
    by_identity = not isinstance(value, BY_VALUE + METHODS)
    trace.reliances[key] = Reliance(read, value, by_identity)
    return value


def rely_on_environment(trace: Trace, value: Any) -> None:
    """``value`` has been read: where it is the environment, the code depends on what that is."""
    if value is os.environ or value is os.getenv:
        trace.reliances["environment"] = Reliance(
            lambda: dict(os.environ), dict(os.environ), by_identity=False
        )


def _copied(trace: Trace, key: object, name: str, value: Any, read: Reader) -> Any:
    """A set, a deque, or an object of a class that is derived from a list or a dict."""
    seen = copy.copy(value)
    if isinstance(value, set):
        trace.reliances[key] = Reliance(read, copy.copy(value), by_identity=False)
    else:
        rely(trace, key, read, value)
        keys = tuple(value) if isinstance(value, dict) else tuple(range(len(value)))
        rely_on = Reliance(lambda: _keys(read()), keys, by_identity=False)
        trace.reliances["keys", key] = rely_on
        for k in keys:
            one = partial(_item_of, read, k)
            seen[k] = capture(trace, ("item", id(value), k), f"{name}_{k}", value[k], one)
    note_copies(trace, seen, value, read)
    return seen


def _keys(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, dict) else tuple(range(len(value)))


def _item_of(read: Reader, key: Any) -> Any:
    return read()[key]


def _structure(value: Any) -> tree.Tree:
    return tree.flatten(value, is_input)[1]


def _input(trace: Trace, name: str, value: Any, read: Reader) -> Any:
    unique = name
    while unique in trace.leaves:
        unique += "_"
    check_leaf(value, name, "outside variable")
    made = leaf_value(trace, unique, value)
    if isinstance(made, Tracer):
        made.view.storage.outside = True
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


def _container(trace: Trace, name: str, leaves: list[Any], shape: tree.Tree, read: Reader) -> Any:
    made = []
    for position, (leaf, path) in enumerate(zip(leaves, tree.paths(shape), strict=True)):
        last = path[-1][1]
        leaf_name = last if isinstance(last, str) and last.isidentifier() else f"{name}_{position}"
        made.append(_input(trace, leaf_name, leaf, _reader_of(read, path)))
    return tree.unflatten(shape, made)


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
    """A builtin or NumPy function under its own name: taken to stay what it is."""
    return (
        getattr(value, "__module__", None) in ("builtins", "numpy", "math")
        and getattr(value, "__name__", None) == name
    )


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
