"""What staged code calls: decides by identity what each call, name and attribute means."""

from __future__ import annotations

import copy
import functools
import inspect
import sys
import sysconfig
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradsmith.errors import ControlFlowError, TraceTimeEffectWarning, UnsupportedError
from gradsmith.frontend import builtins_table
from gradsmith.frontend.captures import capture, global_or_cell, rely_on_names
from gradsmith.frontend.dispatch import any_traced, apply
from gradsmith.frontend.failures import name_of
from gradsmith.frontend.operators import STATEFUL
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stage import is_staged, stage
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer, _Method
from gradsmith.ir import dims
from gradsmith.ops.declare import FUNCTIONS

STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"]
RANDOM = ("numpy.random", "random", "secrets")


def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)`` as the traced function means it."""
    meaning = _meaning(function, args)
    if meaning is not None:
        return meaning(*args, **kwargs)
    if isinstance(function, functools.partial):
        first, named = _partial_arguments(function)
        return call(function.func, *first, *args, **{**named, **kwargs})
    if isinstance(function, types.MethodType):
        _note_external(function.__self__)
        return call(function.__func__, function.__self__, *args, **kwargs)
    if isinstance(function, types.FunctionType):
        _check_library(function, args, kwargs)
        return staged(function)(*args, **kwargs)
    return _call_object(function, args, kwargs)


def _partial_arguments(function: functools.partial[Any]) -> tuple[list[Any], dict[str, Any]]:
    """What a partial holds on to comes from outside, as a closure's variables do."""
    trace = current_trace()
    if trace is None:
        return list(function.args), dict(function.keywords)
    key = ("partial", id(function))
    _note_external(function)
    first = [
        capture(trace, (*key, i), f"argument_{i}", value, lambda i=i: function.args[i])  # type: ignore[misc]
        for i, value in enumerate(function.args)
    ]
    named = {
        name: capture(trace, (*key, name), name, value, lambda name=name: function.keywords[name])  # type: ignore[misc]
        for name, value in function.keywords.items()
    }
    return first, named


def _is_plain_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex, np.generic))


def _meaning(function: Any, args: Sequence[Any]) -> Callable[..., Any] | None:
    try:
        if function in FUNCTIONS:
            if isinstance(function, np.ufunc) and all(map(_is_plain_number, args)):
                return None  # of plain numbers: a number, which may become a size
            return functools.partial(apply, function)
        return STATEFUL.get(function) or builtins_table.BUILTINS.get(function)
    except TypeError:  # not hashable
        return None


def _call_object(function: Any, args: Any, kwargs: Any) -> Any:
    """Classes, callable instances, C functions, what other libraries offer."""
    if isinstance(function, (type, _Method)) or getattr(function, "__gradsmith__", False):
        return function(*args, **kwargs)
    method = type(function).__call__
    if isinstance(method, types.FunctionType) and not _is_library(method):
        _note_external(function)
        return staged(method)(function, *args, **kwargs)
    module = getattr(function, "__module__", None) or ""
    owner = getattr(function, "__self__", None)
    if module.startswith(RANDOM) or type(owner).__module__.startswith(RANDOM):
        raise UnsupportedError(
            f"{name_of(function)} would be drawn once, when tracing, and never again",
            current_span(),
            "draw the numbers outside and pass them as an argument",
        )
    _check_foreign(function, owner, args, kwargs)
    return function(*args, **kwargs)


HARMLESS = {
    "abc",
    "builtins",
    "collections",
    "contextlib",
    "copy",
    "dataclasses",
    "enum",
    "functools",
    "itertools",
    "operator",
    "types",
    "typing",
    "_operator",
    "_functools",
    "_collections",
}
"""Modules whose functions only pass values on: whatever computes asks the tracer itself."""

EFFECTS = {"logging", "warnings", "sys", "_io", "io"}
MUTATORS = {
    "add",
    "append",
    "clear",
    "discard",
    "extend",
    "insert",
    "pop",
    "popitem",
    "remove",
    "setdefault",
    "update",
}


def _check_foreign(function: Any, owner: Any, args: Any, kwargs: Any) -> None:
    """C functions that only hold on to values are fine; those that compute are not."""
    module = (getattr(function, "__module__", None) or "").split(".")[0]
    if isinstance(owner, (list, dict, tuple, set, str)):
        return
    traced = any_traced(args) or any_traced(kwargs.values())
    if not traced or (module in HARMLESS and not isinstance(function, np.ufunc)):
        return
    raise _unsupported(function)


def _unsupported(function: Any) -> UnsupportedError:
    return UnsupportedError(
        f"{name_of(function)} is not supported on traced values",
        current_span(),
        "write it with NumPy functions, or compute it outside the function",
    )


def _check_library(function: types.FunctionType, args: Any, kwargs: Any) -> None:
    """Python's own library is not traced: what computes in it is refused, logging warned of."""
    if not _is_library(function):
        return
    module = (function.__module__ or "").split(".")[0]
    if module in EFFECTS and current_trace() is not None:
        if function.__name__ != "getLogger":
            warn_effect(name_of(function))
        return
    passes_on = module in HARMLESS or module in ("numpy", "gradsmith")
    if not passes_on and (any_traced(args) or any_traced(kwargs.values())):
        raise _unsupported(function)


def _is_library(function: types.FunctionType) -> bool:
    """Whether it belongs to Python, NumPy or gradsmith: run as it is, never staged."""
    file = function.__code__.co_filename
    module = (function.__module__ or "").split(".")[0]
    in_stdlib = file.startswith(STANDARD_LIBRARY) and "site-packages" not in file
    return in_stdlib or module in ("numpy", "gradsmith")


def staged(function: types.FunctionType) -> Callable[..., Any]:
    """The function rewritten to run on traced values, or itself where it need not or cannot be."""
    if is_staged(function) or _is_library(function) or inspect.isgeneratorfunction(function):
        return function
    made = stage(function, RUNTIME)
    trace = current_trace()
    if made is function and trace is not None:
        rely_on_names(trace, function)
    return made


def _note_external(value: Any) -> None:
    trace = current_trace()
    if trace is not None:
        trace.external[id(value)] = value


class Runtime:
    """Gives every staged function its own `BoundRuntime`."""

    def for_function(self, function: types.FunctionType) -> BoundRuntime:
        """The runtime for code of ``function``."""
        return BoundRuntime(function)


class BoundRuntime:
    """What the code of one staged function calls."""

    __slots__ = ("function",)

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function

    call = staticmethod(call)

    def read(self, name: str, value: Any) -> Any:
        """A name that is not local."""
        trace = current_trace()
        if trace is None or isinstance(value, types.ModuleType) or _is_itself(name, value):
            return value
        key, read = global_or_cell(self.function, name)
        return capture(trace, key, name, value, read)

    def attribute(self, owner: Any, name: str) -> Any:
        """``owner.name``."""
        trace = current_trace()
        if trace is not None:
            owner = self._seen(trace, owner, name)
        value = getattr(owner, name)
        if trace is None or isinstance(owner, (Tracer, TracedInt)) or _is_itself(name, value):
            return value
        if not self._is_external(trace, owner):
            return value
        key = ("attribute", id(owner), name)
        if isinstance(value, (types.MethodType, types.ModuleType)):
            return value
        return capture(trace, key, name, value, lambda: getattr(owner, name))

    def _seen(self, trace: Trace, owner: Any, name: str) -> Any:
        """What the traced function sees of an object from outside that it has written to."""
        if name in MUTATORS and type(owner) in (list, dict, set) and id(owner) in trace.external:
            self.effect("container", name)
            return trace.shadows.setdefault(id(owner), copy.copy(owner))
        return trace.shadows.get(id(owner), owner)

    def item(self, owner: Any, key: Any) -> Any:
        """``owner[key]``."""
        trace = current_trace()
        if trace is None:
            return owner[key]
        owner = trace.shadows.get(id(owner), owner)
        if isinstance(owner, np.ndarray) and any_traced([key]):
            return builtins_table.as_traced(owner)[key]
        if isinstance(key, Tracer) and isinstance(owner, dict):
            raise UnsupportedError(
                f"a traced value of type {key.type!r} cannot be the key of a dict",
                current_span(),
                "use a key that is known when tracing",
            )
        return owner[key]

    @staticmethod
    def _is_external(trace: Trace, owner: Any) -> bool:
        if isinstance(owner, types.ModuleType):
            root = owner.__name__.split(".")[0]
            return (
                root not in ("numpy", "scipy", "gradsmith") and root not in sys.stdlib_module_names
            )
        return id(owner) in trace.external

    def target(self, owner: Any, name: str | None, /) -> Any:
        """What the user writes to: something from outside is left as it was, and warned about."""
        trace = current_trace()
        if trace is None:
            return owner
        if isinstance(owner, np.ndarray):
            raise UnsupportedError(
                "this writes into an array that is not part of the trace",
                current_span(),
                "make the array in the function, or pass it as an argument",
            )
        if id(owner) not in trace.external:
            return owner
        self.effect("attribute" if name else "container", name or type(owner).__name__)
        return trace.shadows.setdefault(id(owner), Shadow(owner) if name else copy.copy(owner))

    def bind(self, name: str, value: Any) -> Any:
        """``name = value``: the value is called so in the emitted source."""
        name_value(name, value)
        return value

    def result(self, value: Any) -> Any:
        """``return value``."""
        return value

    def truth(self, value: Any, kind: str) -> Any:
        """Where Python decides by a value."""
        if isinstance(value, Tracer):
            _refuse_condition(value, kind)
        return value

    def iterate(self, value: Any) -> Iterator[Any]:
        """What a loop runs over."""
        return iter(value)

    def effect(self, kind: str, name: str) -> None:
        """A write to a global or nonlocal name."""
        warn_effect(f"the write to the {kind} {name!r}")


def _refuse_condition(value: Tracer, kind: str) -> None:
    what = {"ifexp": "a conditional expression", "comprehension": "a comprehension's condition"}
    raise ControlFlowError(
        f"{what.get(kind, f'`{kind}`')} on a traced value of type {value.type!r}: control flow "
        "that depends on traced values is not supported yet",
        current_span(),
        "use np.where(condition, a, b), or decide by values that are not traced",
    )


class Shadow:
    """Stands for an object from outside that the traced function writes attributes of."""

    def __init__(self, owner: Any) -> None:
        object.__setattr__(self, "_owner", owner)

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_owner"), name)


def warn_effect(what: str) -> None:
    """Say once per place that a side effect happens while tracing."""
    span = current_span()
    place = f" ({span.where}: {span.text})" if span is not None else ""
    trace = current_trace()
    if trace is None or (span, what) in trace.warned:
        return
    trace.warned.add((span, what))
    warnings.warn(
        f"{what} runs when the function is traced, not at each call of the compiled one{place}",
        TraceTimeEffectWarning,
        stacklevel=2,
    )


def _is_itself(name: str, value: Any) -> bool:
    """A builtin or NumPy function under its own name: taken to stay what it is."""
    return (
        getattr(value, "__module__", None) in ("builtins", "numpy", "math")
        and getattr(value, "__name__", None) == name
    )


def name_value(name: str, value: Any) -> None:
    """Remember what the user calls a value."""
    trace = current_trace()
    if trace is None:
        return
    if isinstance(value, Tracer):
        trace.builder.name(value.node, name)
        if not value.view.path and value.view.storage.label is None:
            value.view.storage.label = name
    elif isinstance(value, TracedInt):
        symbol = dims.as_symbol(value.dim)
        if symbol is not None:
            trace.builder.size_names.setdefault(symbol, name)


RUNTIME = Runtime()
