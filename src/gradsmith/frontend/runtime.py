"""What staged code calls: decides by identity what each call, name and attribute means."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ControlFlowError, UnsupportedError
from gradsmith.frontend import builtins_table, number_methods
from gradsmith.frontend.arguments import is_input
from gradsmith.frontend.brackets import made_by_brackets
from gradsmith.frontend.branch_chains import BranchChain
from gradsmith.frontend.branches import Branching
from gradsmith.frontend.captures import (
    capture,
    global_or_cell,
    is_itself,
    rely_on_environment,
    rely_on_names,
)
from gradsmith.frontend.choices import chain, choose, either, identical, negate
from gradsmith.frontend.consumers import consumer_of
from gradsmith.frontend.dispatch import any_traced, is_traced
from gradsmith.frontend.doubts import note_reshaped, note_written
from gradsmith.frontend.effects import (
    CONTAINERS,
    MUTATORS,
    Shadow,
    changeable,
    note_store,
    outside_attribute,
    owner_of_attribute,
    written_attributes,
)
from gradsmith.frontend.elements import given_generator, given_list, made_list
from gradsmith.frontend.failing import asserted, bound, raising, trying
from gradsmith.frontend.foreign import (
    check_foreign,
    check_library,
    check_type,
    is_library,
    takes_numbers,
)
from gradsmith.frontend.grown import (
    element_at,
    element_of,
    is_grown,
    meaning_of,
    refuse,
)
from gradsmith.frontend.journal import check_iterators, slots_of
from gradsmith.frontend.loops import Looping
from gradsmith.frontend.loose import by_numpy
from gradsmith.frontend.messages import cannot_assign, shown
from gradsmith.frontend.methods import Method
from gradsmith.frontend.names import LoopNames
from gradsmith.frontend.namings import name_value
from gradsmith.frontend.operators import STATEFUL
from gradsmith.frontend.path_errors import in_users_name
from gradsmith.frontend.reflection import reflection, rely_on_absent_names
from gradsmith.frontend.shared_memory import note_container_write
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stage import is_staged, stage
from gradsmith.frontend.text import f_string
from gradsmith.frontend.text_calls import text_meaning
from gradsmith.frontend.trace import Original, Reliance, Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Unsettled
from gradsmith.frontend.value_guards import decide, deeper
from gradsmith.frontend.writing import formatted, modulo
from gradsmith.ops.declare import FUNCTIONS

assert number_methods.NUMBER_METHODS, "arrays have no methods"


@in_users_name
def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)`` as the traced function means it."""
    check_iterators(args)
    meaning = text_meaning(call, function, args, kwargs)
    if meaning is None:
        outside = BoundRuntime.attribute, BoundRuntime._is_external
        meaning = reflection(function, args, *outside)
    if meaning is None:
        meaning, args = consumer_of(function, args)
    meaning = meaning or meaning_of(function, args) or _meaning(function, args)
    if meaning is not None:
        return meaning(*args, **kwargs)
    if isinstance(function, functools.partial):
        first, named = _partial_arguments(function)
        return call(function.func, *first, *args, **{**named, **kwargs})
    if isinstance(function, types.MethodType):
        _note_external(function.__self__)
        return call(function.__func__, function.__self__, *args, **kwargs)
    if isinstance(function, types.FunctionType):
        if is_library(function):
            check_library(function, args, kwargs)
        with deeper():
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


def _is_pythons_on_integers(function: Any, args: Sequence[Any]) -> bool:
    """Whether a function of Python's is called with integers, which may be sizes: they have the
    operators that it calls.
    """
    pythons = getattr(function, "__module__", None) in ("_operator", "builtins")
    return pythons and all(isinstance(a, (int, TracedInt)) for a in args)


def _meaning(function: Any, args: Sequence[Any]) -> Callable[..., Any] | None:
    try:
        if function in FUNCTIONS and _is_pythons_on_integers(function, args):
            return builtins_table.BUILTINS.get(function) or function
        if function in FUNCTIONS:
            if isinstance(function, np.ufunc) and all(map(_is_plain_number, args)):
                return None  # of plain numbers: a number, which may become a size
            return functools.partial(by_numpy, function)
        return STATEFUL.get(function) or builtins_table.BUILTINS.get(function)
    except TypeError:  # not hashable
        return None


@in_users_name
def _call_object(function: Any, args: Any, kwargs: Any) -> Any:
    """Classes, callable instances, C functions, what other libraries offer."""
    if isinstance(function, (Tracer, TracedInt)):
        raise ArgumentTypeError(
            f"{shown(function)} is not callable", current_span(), "write x[0] to take an element"
        )
    if isinstance(function, type):
        if takes_numbers(function):  # and Python's own integers only
            args = [int(a) if isinstance(a, TracedInt) else a for a in args]
        check_type(function, args, kwargs)
        return _made_here(function(*args, **kwargs))
    if isinstance(function, Method) or getattr(function, "__gradsmith__", False):
        return function(*args, **kwargs)
    method = type(function).__call__
    if isinstance(method, types.FunctionType) and not is_library(method):
        _note_external(function)
        return staged(method)(function, *args, **kwargs)
    check_foreign(function, args, kwargs)
    return function(*args, **kwargs)


def staged(function: types.FunctionType) -> Callable[..., Any]:
    """The function rewritten to run on traced values, or itself where it need not or cannot be."""
    if is_staged(function) or is_library(function) or inspect.isgeneratorfunction(function):
        return function
    made = stage(function, RUNTIME)
    trace = current_trace()
    if trace is not None:
        rely_on_absent_names(trace, function)
    if made is function and trace is not None:
        rely_on_names(trace, function)
    return made


def _made_here(value: Any) -> Any:
    """An object that the function itself has made is none from outside."""
    trace = current_trace()
    if trace is not None and hasattr(value, "__dict__"):
        trace.made[id(value)] = value
    return value


def _note_attributes(owner: Any) -> None:
    """An attribute is about to be written."""
    if hasattr(owner, "__dict__"):
        note_written(vars(owner))
    if slots_of(owner):
        note_written(owner)


def _note_external(value: Any) -> None:
    trace = current_trace()
    if trace is not None and not (id(value) in trace.external or id(value) in trace.made):
        trace.external[id(value)] = value
        trace.originals[id(value)] = Original(value, None)


in_users_name(outside_attribute)


def _captured_item(trace: Trace, owner: Any, key: Any) -> Any:
    """An item of a container from outside."""
    value = _found(trace, owner, owner, key)
    if not (is_input(value) and isinstance(key, Hashable)):
        return value
    where = ("item", id(owner), key)
    return capture(trace, where, type(owner).__name__, value, lambda: owner[key])


@in_users_name
def _found(trace: Trace, real: Any, seen: Any, key: Any) -> Any:
    """An item of a container from outside; the next call may find one where there is none."""

    def is_there() -> bool:
        try:
            real[key]
        except LookupError:
            return False
        return True

    try:
        return seen[key]
    except LookupError:
        _rely_on_absence(trace, real, key, is_there)
        raise


def _rely_on_absence(trace: Trace, owner: Any, key: Any, is_there: Callable[[], bool]) -> None:
    if isinstance(key, Hashable):
        reliance = Reliance(is_there, value=False, by_identity=True)
        trace.reliances["absent", id(owner), key] = reliance


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
        value = bound(name, value, outside=True)
        trace = current_trace()
        if trace is not None:
            rely_on_environment(trace, value)
        if trace is None or isinstance(value, types.ModuleType) or is_itself(name, value):
            return value
        key, read = global_or_cell(self.function, name)
        store = trace.stores.get(key)
        if store is not None and value is not store.before:
            return value  # the function itself has assigned it
        return capture(trace, key, name, value, read)

    @staticmethod
    @in_users_name
    def attribute(owner: Any, name: str) -> Any:
        """``owner.name``."""
        trace = current_trace()
        if trace is None or isinstance(owner, (Tracer, TracedInt)):
            return builtins_table.attribute_of(owner, name)
        stand_in = trace.shadows.get(id(owner), owner)
        if is_grown(owner) and name not in ("append", "extend", "copy", "clear"):
            refuse(owner)
        if name in MUTATORS and isinstance(owner, CONTAINERS):
            note_container_write(trace, owner)
            note_reshaped(stand_in)
        if isinstance(stand_in, Shadow):
            if name in written_attributes(stand_in):
                return getattr(stand_in, name)
        elif name in MUTATORS and isinstance(owner, CONTAINERS) and id(owner) in trace.external:
            return getattr(changeable(trace, owner, f".{name}() of"), name)
        elif stand_in is not owner:
            return getattr(stand_in, name)
        if not BoundRuntime._is_external(trace, owner):
            rely_on_environment(trace, found := getattr(owner, name))
            return found
        return outside_attribute(trace, owner, name)

    @in_users_name
    def item(self, owner: Any, key: Any) -> Any:
        """``owner[key]``."""
        trace = current_trace()
        if trace is None or isinstance(owner, (Tracer, types.ModuleType)):
            return owner[key]
        if is_grown(owner):
            return element_of(owner, key)
        if (made := made_by_brackets(owner, key)) is not None:
            return made
        if isinstance(key, TracedInt):
            found = element_at(owner, key, frozenset(trace.unrolling.loops_of(key.dim)))
            if found is not None:
                return found[0]
        seen = trace.shadows.get(id(owner), owner)
        if isinstance(seen, np.ndarray) and any_traced([key]):
            return builtins_table.as_traced(seen)[key]
        if owner is self.function.__globals__ and key in owner:
            return self.read(key, owner[key])
        original = trace.originals.get(id(owner))
        if original is None or original.real is not owner or seen is not owner:
            return seen[key] if original is None else _found(trace, original.real, seen, key)
        return _captured_item(trace, owner, key)

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
        if isinstance(owner, Tracer) and name not in (None, "real", "imag"):
            raise cannot_assign(owner, name)
        if is_grown(owner):
            refuse(owner)
        if isinstance(owner, types.ModuleType):
            _note_external(owner)
        note_container_write(trace, owner)
        if name is None and isinstance(owner, CONTAINERS):
            note_written(owner)
        if name is not None:
            _note_attributes(owner)
        if id(owner) not in trace.external:
            return owner
        if name is not None:
            return owner_of_attribute(trace, owner, name)
        return changeable(trace, owner, "write to an item of")

    @staticmethod
    def extended(value: Any) -> None:
        """``value += ...`` is next: a list, dict or set is changed in place."""
        if isinstance(value, CONTAINERS):
            note_reshaped(value)

    def extended_attribute(self, owner: Any, name: str) -> None:
        """The same of an attribute."""
        self.extended(getattr(owner, "__dict__", {}).get(name))

    def extended_item(self, owner: Any, key: Any) -> None:
        """The same of an item of a list or dict."""
        if isinstance(owner, (list, dict)) and not is_traced(key) and not is_grown(owner):
            with suppress(LookupError, TypeError):
                self.extended(owner[key])

    def bind(self, name: str, value: Any) -> Any:
        """``name = value``: the value is called so in the emitted source."""
        name_value(name, value)
        return value

    def result(self, value: Any) -> Any:
        """``return value``."""
        if isinstance(value, Unsettled):
            value.refuse()
        trace = current_trace()
        if trace is not None:
            trace.returned = current_span()
        return value

    def truth(self, value: Any, kind: str) -> Any:
        """Where Python must know whether a value is true."""
        return decide(value) if isinstance(value, Tracer) else value

    def loop(
        self,
        iterable: Any,
        targets: tuple[str, ...],
        stored: tuple[str, ...],
        read: tuple[str, ...],
        kept: tuple[str, ...],
        leaves: bool,
        endless: bool,
        broken: str | None,
        steps: Mapping[str, int],
    ) -> Looping:
        """A ``for``, or an *endless* ``while``."""
        (index,) = targets if len(targets) == 1 else (None,)
        parts = targets, stored, frozenset(read), leaves, endless, frozenset(kept)
        return Looping(iterable, LoopNames(*parts, index, steps, broken))

    branching = Branching
    branch_chain = BranchChain

    listed = staticmethod(made_list)
    elements = staticmethod(given_list)
    generated = staticmethod(given_generator)

    identical = staticmethod(identical)
    iterate = staticmethod(iter)
    modulo = staticmethod(functools.partial(modulo, call))
    formatted = staticmethod(functools.partial(formatted, call))
    joined = staticmethod(f_string)
    choose = staticmethod(choose)
    either = staticmethod(either)
    chain = staticmethod(chain)
    negate = staticmethod(negate)

    bound = staticmethod(bound)
    raising = staticmethod(raising)
    asserted = staticmethod(asserted)
    trying = staticmethod(trying)

    def matched(self, subject: Any) -> Any:
        """The subject of a ``match`` that asks for its class."""
        if is_traced(subject):
            raise ControlFlowError(
                "`match` with class patterns asks for the class of a traced value",
                current_span(),
                "ask isinstance(value, ...) instead, which knows what the value stands for",
            )
        return subject

    def effect(self, kind: str, name: str) -> None:
        """A write to a global or nonlocal name."""
        trace = current_trace()
        if trace is not None:
            note_store(trace, self.function, kind, name)


RUNTIME = Runtime()
