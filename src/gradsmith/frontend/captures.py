"""Values from outside the function: arrays and numbers become inputs, the rest is relied on."""

from __future__ import annotations

import copy
import os
import types
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.frontend.arguments import check_leaf, is_input, leaf_value
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
    if isinstance(value, (Tracer, TracedInt, types.ModuleType)):
        return value
    known = trace.captures.get(key)
    if known is not None and known[0] is value:
        return known[1]
    seen = _see(trace, key, name, value, read)
    if tree.is_container(seen):
        _note_containers(trace, key, seen, value)
    trace.captures[key] = (value, seen)
    return seen


def _note_containers(trace: Trace, key: object, seen: Any, real: Any) -> None:
    """Containers, inner ones too, come from outside: writes to them are told apart."""
    trace.external[id(seen)] = seen
    trace.originals[id(seen)] = Original(real, key)
    for inner, outer in zip(tree.parts(seen)[2], tree.parts(real)[2], strict=True):
        if tree.is_container(inner):
            _note_containers(trace, key, inner, outer)


def _see(trace: Trace, key: object, name: str, value: Any, read: Reader) -> Any:
    if is_input(value):
        return _input(trace, name, value, read)
    if tree.is_container(value):
        leaves, shape = tree.flatten(value, is_input)
        if leaves or isinstance(value, (dict, list)):  # what can change is copied
            trace.reliances[key] = Reliance(lambda: _structure(read()), shape, by_identity=False)
            return _container(trace, name, leaves, shape, read)
    trace.external[id(value)] = value
    trace.originals[id(value)] = Original(value, key)
    if isinstance(value, CHANGING):
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


def global_or_cell(function: types.FunctionType, name: str) -> tuple[object, Callable[[], Any]]:
    """A key and a reader for a name that is not local to ``function``."""
    code = function.__code__
    if name in code.co_freevars and function.__closure__ is not None:
        cell = function.__closure__[code.co_freevars.index(name)]
        return ("cell", id(cell)), lambda: cell.cell_contents
    namespace = function.__globals__
    return ("global", id(namespace), name), lambda: namespace[name]
