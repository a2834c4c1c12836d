"""What staged code calls: decides by identity what each call, name and attribute means."""

from __future__ import annotations

import contextlib
import enum
import functools
import importlib.util
import inspect
import itertools
import types
from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from gradsmith.errors import (
    ArgumentTypeError,
    UnsupportedError,
)
from gradsmith.frontend import (
    asked_in_c,
    attributes,
    builtins_table,
    cached_functions,
    grid_iterators,
    memory_questions,
    number_methods,
    optional,
    protocols,
    scimath,
    text_values,
)
from gradsmith.frontend.arguments import argument_behind, is_input
from gradsmith.frontend.attribute_dicts import note_proxy
from gradsmith.frontend.attributes import (
    Attributes,
    is_external,
    outside_attribute,
    read_attribute,
)
from gradsmith.frontend.borrowed_writes import check_write
from gradsmith.frontend.brackets import made_by_brackets
from gradsmith.frontend.branch_chains import BranchChain
from gradsmith.frontend.branches import Branching
from gradsmith.frontend.cached_functions import meaning_of_cached, meaning_of_dispatching
from gradsmith.frontend.callbacks import with_staged_callbacks
from gradsmith.frontend.callers import as_the_user, makes_class
from gradsmith.frontend.calling import provide
from gradsmith.frontend.calls_in_c import (
    called_in_c,
    refuse_about_stand_ins,
    settled_within,
)
from gradsmith.frontend.captures import (
    METHODS,
    capture,
    global_or_cell,
    is_itself,
    is_made,
    is_usual_name,
    note_external,
    rely_on_environment,
    rely_on_names,
    rely_on_variable,
)
from gradsmith.frontend.checked_calls import CHECKED, check_place, check_range
from gradsmith.frontend.choices import (
    asked_chain,
    chain,
    choose,
    choose_for,
    either,
    identical,
    negate,
)
from gradsmith.frontend.class_checks import meaning_of_check
from gradsmith.frontend.class_statements import made_class
from gradsmith.frontend.classes import (
    DELETED,
    MISSING,
    class_item,
    has_methods,
    is_own_number,
    note_used,
    special,
)
from gradsmith.frontend.consumers import consumer_of, made_lists
from gradsmith.frontend.container_calls import (
    APPENDING,
    note_extended,
    note_library_object,
    note_passed_on,
    statement_of,
)
from gradsmith.frontend.container_iterators import is_iterated, is_watched
from gradsmith.frontend.container_iterators import over as over_container
from gradsmith.frontend.container_searches import meaning_of_search
from gradsmith.frontend.context_managers import method_of_exit_stack
from gradsmith.frontend.copying import meaning_of_copy
from gradsmith.frontend.defaults import with_defaults
from gradsmith.frontend.defined import is_made_function
from gradsmith.frontend.dispatch import any_traced, check_kinds
from gradsmith.frontend.doubts import (
    adds_default,
    note_reshaped,
    note_written,
)
from gradsmith.frontend.drawn_elements import meaning_of_draw
from gradsmith.frontend.effects import (
    MUTATORS,
    changed,
    check_no_outside_dict,
    delete_outside,
    note_changed,
    note_store,
    variable_place,
    write_outside,
)
from gradsmith.frontend.elements import given_generator, given_list, made_list
from gradsmith.frontend.enclosing_variables import note_shared
from gradsmith.frontend.exact_type import by_numpy, of_exact_type, of_one_meaning, pythons_integer
from gradsmith.frontend.failing import (
    ask_first,
    asserted,
    bound,
    global_without_value,
    raising,
    raising_in_handler,
    with_values,
)
from gradsmith.frontend.foreign import (
    check_foreign,
    check_library,
    check_type,
    is_asked_of_object,
    is_called_out,
    is_library,
    takes_numbers,
)
from gradsmith.frontend.function_mappers import meaning_of_mapper
from gradsmith.frontend.grown import (
    check_one_by_one,
    check_pairs,
    copied_list,
    element_at,
    element_of,
    is_grown,
    refuse,
)
from gradsmith.frontend.heaps import meaning_of_heap
from gradsmith.frontend.held_integers import check_held
from gradsmith.frontend.imports import imported, note_importing
from gradsmith.frontend.item_getters import meaning_of_item
from gradsmith.frontend.iterated_lists import check_lists_under
from gradsmith.frontend.iterator_functions import EXTREMES, FUNCTIONS_OF_ITERATORS, method_meaning
from gradsmith.frontend.joint import as_condition
from gradsmith.frontend.journal import CONTAINERS, check_iterators, note_rebinding
from gradsmith.frontend.library_state import note_answer
from gradsmith.frontend.lookups import check_element, check_lookup
from gradsmith.frontend.loops import Looping
from gradsmith.frontend.maybe_unset import optional_name
from gradsmith.frontend.messages import cannot_assign, class_name, shown
from gradsmith.frontend.methods import Method
from gradsmith.frontend.names import LoopNames
from gradsmith.frontend.namings import name_value
from gradsmith.frontend.number_class import is_index_class
from gradsmith.frontend.numpy_errors import is_asked_about_kinds
from gradsmith.frontend.object_arrays import meaning_of_object_array
from gradsmith.frontend.object_identity import check_future_keys, check_keys, check_members
from gradsmith.frontend.objects import (
    construct,
    is_made_here,
    meaning_of_object,
    note_made,
    written_by_dataclass,
)
from gradsmith.frontend.opaque import OpaqueObject, attribute_of_object, known_object
from gradsmith.frontend.opaque import apply as apply_opaque
from gradsmith.frontend.operators import STATEFUL
from gradsmith.frontend.outside_iterators import (
    check_call,
    check_method,
    check_outside_iterators,
)
from gradsmith.frontend.outside_names import OutsideNames
from gradsmith.frontend.path_errors import users_context
from gradsmith.frontend.patterns import Pattern, matched
from gradsmith.frontend.process_state import check_not_held
from gradsmith.frontend.protocol_calls import meaning_of_protocol
from gradsmith.frontend.recursion import recursing
from gradsmith.frontend.reflection import reflection, rely_on_absent_names
from gradsmith.frontend.shared_memory import note_container_write
from gradsmith.frontend.slice_indices import meaning_of_indices
from gradsmith.frontend.spans import current_span, in_users_name
from gradsmith.frontend.stacked_joins import meaning_of
from gradsmith.frontend.stacked_list_writes import Stores
from gradsmith.frontend.stage import is_staged, stage
from gradsmith.frontend.suspended import note_generator
from gradsmith.frontend.text import STAND_INS, Text, f_string
from gradsmith.frontend.text_calls import text_meaning
from gradsmith.frontend.trace import ABSENT, Reliance, Trace, count_handlers, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Flat, Tracer
from gradsmith.frontend.trips import Trips, each, each_list
from gradsmith.frontend.unfollowed import check_call as check_changes
from gradsmith.frontend.unfollowed import check_item, left_as_it_was, note_born
from gradsmith.frontend.unfollowed import check_method as check_method_of_library
from gradsmith.frontend.unsettled import MISSING as UNSET
from gradsmith.frontend.unsettled import (
    OWN,
    RESULT,
    MaybeNone,
    Refusing,
    UndecidedError,
    Unsettled,
)
from gradsmith.frontend.value_guards import decide, plain_key
from gradsmith.frontend.watched_items import WatchedItems
from gradsmith.frontend.writing import formatted, modulo
from gradsmith.identity import has_dict
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.raising import error_of

assert asked_in_c.__name__, "C code asks objects what is not traced"
assert number_methods.NUMBER_METHODS, "arrays have no methods"
assert scimath.__name__, "functions with complex results have no meaning"
assert text_values.__name__, "texts have no strings"
assert grid_iterators.__name__, "iterators over several indices have no meaning"
assert memory_questions.__name__, "emitted code is asked which arrays share memory"


@provide
def call(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)`` as the traced function means it."""
    return optional.settled_result(_called(function, args, kwargs))


def call_raw(function: Any, /, *args: Any, **kwargs: Any) -> Any:
    """The same for a variable that may be None, as the result may be."""
    trace = current_trace()
    if trace is None:
        return function(*args, **kwargs)
    trace.raw_calls += 1
    try:
        return _called(function, args, kwargs)
    finally:
        trace.raw_calls -= 1


def _called(function: Any, args: Any, kwargs: Any) -> Any:
    """The result; where Python or NumPy does not take arguments of these kinds, its error."""
    own = _own_call(function)
    if own is not None:
        return _call_own(own, function, args, kwargs)
    if not is_asked_about_kinds(function):
        return _traced_call(function, args, kwargs)
    try:
        made = _traced_call(function, args, kwargs)
    except Exception:  # about what the arguments are here
        check_kinds(function, args, kwargs)
        raise
    check_kinds(function, args, kwargs)
    return made


def _traced_call(function: Any, args: Any, kwargs: Any) -> Any:
    if type(function) is types.MethodWrapperType and function.__name__ == "__call__":
        owner: Any = function.__self__
        function = owner if isinstance(owner, _CALLED_THEMSELVES) else function
    function = method_of_stand_in(function)
    args = made_lists(function, args)
    check_iterators(args)
    check_lists_under(args)
    check_call(function, args)
    check_iterators([getattr(function, "__self__", None)])
    check_lists_under([getattr(function, "__self__", None)])
    _check_asked(function, args)
    if any(type(a) is Flat for a in args) and isinstance(function, BUILTIN_KINDS):
        args = tuple(a.remaining() if goes_through(function, a) else a for a in args)
    if len(args) > 1 and any(function is f for f in _NAMING):
        args = (args[0], known_object(args[1]), *args[2:])
    if is_asked_of_object(function, args, kwargs):
        return apply_opaque(function, args, kwargs)
    meaning, args = _meaning_of_call(function, args, kwargs)
    try:
        if meaning is not None:
            return meaning(*args, **kwargs)
        if isinstance(function, functools.partial):
            inner, first, named = _parts_of_partial(function)
            return _called(inner, (*first, *args), {**named, **kwargs})
        if is_context_manager(function):
            made = contextlib.contextmanager(staged(vars(function)["__wrapped__"]))
            return made(*args, **kwargs)
        if is_called_out(function, args, kwargs):
            return apply_opaque(function, args, kwargs)
        if isinstance(function, types.MethodType):
            return _called(function.__func__, (function.__self__, *args), kwargs)
        if isinstance(function, types.FunctionType):
            return _call_function(function, args, kwargs)
        return _call_object(function, args, kwargs)
    except (TypeError, ValueError, AttributeError) as error:
        _raise_instead(error, meaning, function, args, kwargs)
        raise


def _own_call(function: Any) -> Any:
    """The ``__call__`` of the user's class, of an object that is called: nothing else may ask such
    an object for an attribute, or for its hash.
    """
    own = None if isinstance(function, type) else special(function, "__call__")
    return own if own is not None and (is_context_manager(own) or not is_library(own)) else None


def _call_own(own: Any, function: Any, args: Any, kwargs: Any) -> Any:
    try:
        return _call_method(own, function, *args, **kwargs)
    except (TypeError, ValueError, AttributeError) as error:
        _raise_instead(error, _call_method, function, args, kwargs)
        raise


def _raise_instead(error: Exception, meaning: Any, function: Any, args: Any, kwargs: Any) -> None:
    """Raise Python's error where the function does not take so many arguments: that of what it
    means here has other names in it. Refuse what only stands for a value.
    """
    _refuse_about_stand_ins(error, function, args, kwargs)
    trace = error.__traceback__
    within = meaning is None or trace is None or trace.tb_next is not None
    if within or not isinstance(error, TypeError):
        return
    own = error_of(lambda: function(*args, **kwargs))
    if type(own) is TypeError and "argument" in str(own):
        raise own from None


_CALLED_THEMSELVES = (
    *(np.ufunc, types.FunctionType, types.MethodType),
    *(types.BuiltinFunctionType, functools.partial),
)
"""Of these ``function.__call__`` is the function."""
_NAMING = (getattr, hasattr, setattr, delattr)
"""Functions that take the name of an attribute."""


def _check_asked(function: Any, args: Sequence[Any]) -> None:
    """Whether it is known which objects these are that Python is about to compare."""
    if function is dict or _is_update(function):
        check_pairs(args)
    if isinstance(function, type):
        check_future_keys(function, args)
    elif isinstance(function, types.BuiltinMethodType) and function.__name__ in _LOOKING_UP:
        check_keys(args)
    elif isinstance(function, types.BuiltinMethodType) and function.__name__ in _ASKING_MEMBERS:
        check_members(*args)


def _is_update(function: Any) -> bool:
    """Whether it is ``update`` of a dict."""
    method = isinstance(function, types.BuiltinMethodType) and function.__name__ == "update"
    return method and isinstance(function.__self__, dict)


def _meaning_of_call(function: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """What a call of this function with these arguments means, if that is known; the arguments
    as this takes them.
    """
    meaning = text_meaning(call, function, args, kwargs)
    statement = None if current_trace() is None else statement_of(function, args, _target)
    meaning = meaning or meaning_of_copy(function, args) or meaning_of_object(function, args)
    meaning = meaning or meaning_of_item(function, args) or meaning_of_protocol(function, args)
    meaning = meaning or statement or method_of_exit_stack(function)
    meaning = meaning or _meaning_in_library(function, args, kwargs)
    if meaning is None:
        outside = BoundRuntime.attribute, is_external
        meaning = reflection(function, args, *outside)
    if meaning is None:
        meaning, args = consumer_of(function, args)
    meaning = meaning or meaning_of(function, args) or method_meaning(function)
    if meaning is None and kwargs and function in EXTREMES:
        meaning = EXTREMES[function]
    meaning = meaning or _meaning(function, args)
    return meaning, args


def _refuse_about_stand_ins(error: Exception, function: Any, args: Any, kwargs: Any) -> None:
    """Where C code has failed on what stands for a value: a branch that leaves it open is to be
    decided, and an error that Python does not raise is no error of the user's.
    """
    users = isinstance(function, types.FunctionType) and not is_library(function)
    if users or isinstance(error, UndecidedError):
        return
    given = [getattr(function, "__self__", None), *args, *kwargs.values()]
    parts = [part for value in given if type(value) in (list, tuple) for part in value]
    for value in [*given, *parts]:
        if isinstance(value, Unsettled):
            value.refuse()
    refuse_about_stand_ins(error, function, args, kwargs)


def _meaning_in_library(function: Any, args: Any, kwargs: Any) -> Callable[..., Any] | None:
    """What a function of Python or NumPy means that calls others, or keeps what they return."""
    if current_trace() is None:
        return None
    if function is type and len(args) > 1:
        return made_class
    if function is iter and len(args) == 1 and is_watched(args[0]):
        return over_container
    return (
        meaning_of_cached(function, args, kwargs)
        or meaning_of_dispatching(function, args)
        or meaning_of_mapper(function)
        or meaning_of_check(function)
        or meaning_of_indices(function)
        or meaning_of_heap(function, args, kwargs)
        or meaning_of_search(call, function, args)
        or meaning_of_draw(function, args)
        or meaning_of_object_array(function, args, kwargs)
    )


def method_of_stand_in(function: Any) -> Any:
    """The same method of what stands for a container, array or iterator from outside, where
    ``function`` is a bound method of that; else ``function``.
    """
    trace = current_trace()
    if trace is None or not isinstance(function, METHODS):
        return function
    owner = function.__self__
    seen, _ = trace.seen.get(id(owner), (owner, None))
    if seen is owner:
        return function
    if isinstance(function, types.MethodType):
        return types.MethodType(function.__func__, seen)
    return BoundRuntime.attribute(seen, function.__name__)


def goes_through(function: Any, argument: Any) -> bool:
    """Whether a builtin takes the elements of ``x.flat``, and does not ask what it is."""
    return type(argument) is Flat and function not in _ASKING_FLAT


_ASKING_FLAT = (len, isinstance, type, iter, next, id, hasattr, getattr, callable, bool, dir)
BUILTIN_KINDS = (type, types.BuiltinFunctionType)


def _call_function(function: types.FunctionType, args: Any, kwargs: Any) -> Any:
    if is_library(function):
        args = tuple(map(method_of_stand_in, args))
        note_library_object(args[0] if args else None)
        check_library(function, args, kwargs)
        check_method_of_library(function, args)
        if makes_class(function):
            args, kwargs = [settled_within(a) for a in args], settled_within(kwargs)
        with left_as_it_was(function, args), recursing(function):
            made = as_the_user(staged(function))(*args, **kwargs)
        if isinstance(made, functools.partial) and _holds_any(made, (*args, *kwargs.values())):
            note_made(current_trace(), made)  # of functools.wraps
        return made if args or kwargs else note_answer(current_trace(), function, made)
    written = written_by_dataclass(function, args)
    if written is not None:
        return written(*args, **kwargs)
    kwargs = with_defaults(function, args, kwargs)
    with recursing(function):
        made = staged(function)(*args, **kwargs)
    if type(made) is types.GeneratorType:
        note_generator(current_trace(), made, function.__code__)
    return made


def _holds_any(made: functools.partial[Any], given: Sequence[Any]) -> bool:
    """Whether a partial holds something that it was made of just now."""
    held = {id(part) for part in (made.func, *made.args, *made.keywords.values())}
    return any(id(value) in held for value in given)


def _call_method(method: types.FunctionType, owner: Any, /, *args: Any, **kwargs: Any) -> Any:
    """A call of an object that has this method ``__call__``."""
    made = _called if is_context_manager(method) else _call_function
    return made(method, (owner, *args), kwargs)


def is_context_manager(function: Any) -> bool:
    """Whether it is a generator function of the user's under ``contextlib.contextmanager``."""
    if not isinstance(function, types.FunctionType) or function.__code__ is not _MANAGER:
        return False
    return inspect.isgeneratorfunction(vars(function).get("__wrapped__"))


_MANAGER = contextlib.contextmanager(iter).__code__


def _parts_of_partial(
    function: functools.partial[Any],
) -> tuple[Any, list[Any], dict[str, Any]]:
    """What a partial holds on to comes from outside, as a closure's variables do."""
    trace = current_trace()
    if trace is None or is_made(trace, function):
        return function.func, list(function.args), dict(function.keywords)
    key = ("partial", id(function))
    note_external(trace, function)
    inner = capture(trace, (*key, "func"), "function", function.func, lambda: function.func)
    first = [
        capture(trace, (*key, i), f"argument_{i}", value, lambda i=i: function.args[i])  # type: ignore[misc]
        for i, value in enumerate(function.args)
    ]
    if ("attribute", id(function), "keywords") in trace.captures:  # the function may change it
        return inner, first, dict(read_attribute(trace, function, "keywords"))
    named = {
        name: capture(trace, (*key, name), name, value, lambda name=name: function.keywords[name])  # type: ignore[misc]
        for name, value in function.keywords.items()
    }
    return inner, first, named


def _flattened(args: tuple[Any, ...], kwargs: Any) -> tuple[tuple[Any, ...], Any]:
    """The arguments for a partial of a partial, as Python joins the two."""
    inner, *rest = args
    if inner.__reduce__()[2][3]:  # attributes of its own; to ask for its dict would make one
        return args, kwargs
    function, first, named = _parts_of_partial(inner)
    return (function, *first, *rest), {**named, **kwargs}


def _is_plain_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float, complex, np.generic))


@in_users_name
def _by_python(function: Any, *args: Any, **kwargs: Any) -> Any:
    return function(*args, **kwargs)


def _is_pythons_on_numbers(function: Any, args: Sequence[Any]) -> bool:
    """Whether a function of Python's is called with integers, which may be sizes, or with numbers
    of the user's classes: they have the operators that it calls.
    """
    pythons = getattr(function, "__module__", None) in ("_operator", "builtins")
    return pythons and all(isinstance(a, (int, TracedInt)) or is_own_number(a) for a in args)


def _meaning(function: Any, args: Sequence[Any]) -> Callable[..., Any] | None:
    try:
        if function in FUNCTIONS and function.__module__ == "math" and not any_traced(args):
            return functools.partial(_by_python, function)
        if function in FUNCTIONS and _is_pythons_on_numbers(function, args):
            return builtins_table.BUILTINS.get(function) or function
        if function in FUNCTIONS:
            if isinstance(function, np.ufunc) and all(map(_is_plain_number, args)):
                return None  # of plain numbers: a number, which may become a size
            return CHECKED.get(function) or functools.partial(by_numpy, function)
        if function in FUNCTIONS_OF_ITERATORS:
            return FUNCTIONS_OF_ITERATORS[function]
        return STATEFUL.get(function) or builtins_table.BUILTINS.get(function)
    except TypeError:  # not hashable
        return None


def _call_object(function: Any, args: Any, kwargs: Any) -> Any:
    """Classes, callable instances, C functions, what other libraries offer."""
    if isinstance(function, (Tracer, TracedInt)):
        error = ArgumentTypeError(
            f"{shown(function)} is not callable", current_span(), "write x[0] to take an element"
        )
        error.own = TypeError(f"{class_name(function)!r} object is not callable")
        raise error
    if not callable(function):
        raise TypeError(f"{type(function).__name__!r} object is not callable")
    args, kwargs = with_staged_callbacks(function, args, kwargs)
    if isinstance(function, type):
        args, kwargs = _as_class_takes_them(function, args, kwargs)
        if is_made_here(function):
            return construct(function, args, kwargs)
        if function is functools.partial and args and type(args[0]) is functools.partial:
            args, kwargs = _flattened(args, kwargs)
        check_type(function, args, kwargs)
        args = each_list(args) if _iterates(function) else args
        made = called_in_c(as_the_user(function), args, kwargs)
        return note_born(current_trace(), note_made(current_trace(), made))
    if isinstance(function, Method) or getattr(type(function), "__gradsmith__", False):
        return function(*args, **kwargs)
    args = tuple(map(method_of_stand_in, args))
    check_foreign(function, args, kwargs)
    note_passed_on(args)
    check_changes(function, args, kwargs)
    made = called_in_c(function, args, kwargs)
    if not (args or kwargs):
        note_answer(current_trace(), function, made)
    made = cached_functions.answered(current_trace(), function, args, kwargs, made)
    named = getattr(function, "__name__", "") in ("__new__", "partial")
    return note_made(current_trace(), made) if named else made


def _as_class_takes_them(cls: type, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments of a class, of which C code takes only Python's own numbers or texts."""
    if isinstance(cls, enum.EnumMeta):  # it looks them up, or computes
        return [settled_within(plain_key(a)) for a in args], kwargs
    if issubclass(cls, (OSError, UnicodeError)):
        return [plain_key(a) if isinstance(a, (Text, TracedInt)) else a for a in args], kwargs
    if takes_numbers(cls) or issubclass(cls, deque):
        named = {name: pythons_integer(a) for name, a in kwargs.items()}
        return list(map(pythons_integer, args)), named
    return args, kwargs


def _iterates(cls: type) -> bool:
    """Whether objects of the class go over what they are made of."""
    return cls.__module__ == "itertools" and cls is not itertools.repeat


def _target(owner: Any, name: str | None) -> Any:
    """What a call writes to that does what a statement does."""
    return BoundRuntime.target(owner, name)


def staged(function: types.FunctionType) -> Callable[..., Any]:
    """The function rewritten to run on traced values, or itself where it need not or cannot be."""
    if is_staged(function) or is_library(function):
        return function
    made = stage(function, RUNTIME)
    trace = current_trace()
    if trace is not None:
        if not is_made_function(trace, function):
            trace.lookups.functions[id(function)] = function
            trace.outside_cells.update((id(cell), cell) for cell in function.__closure__ or ())
        rely_on_absent_names(trace, function)
    if made is function and trace is not None:
        rely_on_names(trace, function)
    return made


def _item_of_outside(trace: Trace, owner: Any, key: Any) -> Any:
    """``owner[key]``, where the owner may be from outside, or stand for what is."""
    original = trace.originals.get(id(owner))
    if original is None:
        return owner[key]
    if original.real is not owner:
        return _found(trace, original.real, owner, key)
    return _captured_item(trace, owner, key)


def _captured_item(trace: Trace, owner: Any, key: Any) -> Any:
    """An item of an object from outside that is no list or dict."""
    note_proxy(trace, owner)
    value = _found(trace, owner, owner, key)
    if not (is_input(value) and isinstance(key, Hashable)):
        return value
    name = type(owner).__name__
    return capture(trace, ("item", id(owner), key), name, value, lambda: owner[key])


def iterated(value: Any) -> Any:
    """What ``for`` goes through."""
    check_outside_iterators([value])
    return protocols.iterator(value) if protocols.is_iterable(value) else each(value)


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
        note_used(key, key=True)
        reliance = Reliance(is_there, value=False, by_identity=True)
        trace.reliances["absent", id(owner), key] = reliance


def _is_of_stand_in(owner: OpaqueObject, name: str) -> bool:
    """Whether Python finds the attribute in what stands for the object."""
    return name in ("node", "__repr__", "__dict__") or builtins_table.is_of_object(owner, name)


def _may_be_assigned(owner: Tracer, name: str | None) -> bool:
    """Whether items may be stored in it (``name`` is None), or this attribute may be set."""
    array = owner.type.form == "array"
    return name is None or (array and name in ("real", "imag", "flat", "shape"))


def _check_index(owner: Any, key: Any) -> None:
    """Raise Python's error where a list or tuple is indexed by a number that is no integer."""
    bounds = (key.start, key.stop, key.step) if isinstance(key, slice) else ()
    numbers = [b for b in bounds if isinstance(b, Tracer) and b.type.form != "array"]
    if not all(of_exact_type(number).is_index() for number in numbers):
        _refuse_index("slice indices must be integers or None or have an __index__ method")
    if not isinstance(key, Tracer) or key.ndim or key.is_index():
        return
    kind = "list" if isinstance(owner, list) else "tuple"
    _refuse_index(f"{kind} indices must be integers or slices, not {protocols.called(key)}")


def _refuse_index(text: str) -> NoReturn:
    error = ArgumentTypeError(text, current_span(), "convert it with int(...)")
    error.own = TypeError(text)
    raise error


_LOOKING_UP = frozenset(
    {"index", "count", "remove", "__contains__", "get", "pop", "setdefault", "add", "discard"}
)
"""Methods of containers that compare their argument with what they hold."""
_ASKING_MEMBERS = frozenset(
    {name for name in dir(set) if "update" in name or "diff" in name or name.startswith("is")}
    | {"fromkeys", "union", "intersection"}
)
"""What compares, or makes keys of, what is in its arguments."""
_COMPARING = ("index", "count", "remove", "__contains__", "__eq__", "__ne__")
"""Methods of lists that compare elements."""


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
        if trace is None:
            return value
        key, read = global_or_cell(self.function, name)
        if self._is_own(trace, key):
            return value
        owner, where = variable_place(self.function, name)
        written = changed(trace, owner, where)
        if written is not MISSING:
            return self._deleted(name, owner) if written is DELETED else written
        if isinstance(value, types.ModuleType) or (key[0] == "global" and is_itself(name, value)):
            if not is_usual_name(name, value):
                rely_on_variable(trace, self.function, name)
            return value
        return capture(trace, key, name, value, read)

    @staticmethod
    def _deleted(name: str, owner: Any) -> Any:
        """Reading a variable from outside that the function has deleted."""
        if isinstance(owner, types.CellType):
            return bound(name, Unsettled(name, UNSET), outside=True)
        return global_without_value(name)

    def _is_own(self, trace: Trace, key: tuple[Any, ...]) -> bool:
        """Whether it is a variable of the traced function, which a class in it closes over."""
        is_cell = key[0] == "cell" and key[1] not in trace.outside_cells
        return is_cell and is_made_function(trace, self.function)

    @staticmethod
    def attribute(owner: Any, name: str) -> Any:
        """``owner.name``."""
        trace = current_trace()
        if trace is None or isinstance(owner, STAND_INS):
            return builtins_table.attribute_of(owner, name)
        if type(owner) is OpaqueObject and _is_of_stand_in(owner, name):
            of_object = name != "__class__"
            return attribute_of_object(owner, name) if of_object else call(type, owner)
        if isinstance(owner, Trips):
            return owner.attribute(name)
        if isinstance(owner, Refusing):  # which has attributes of its own
            owner.refuse()
        if name == "__context__" and isinstance(owner, BaseException):
            return users_context(owner)
        if is_grown(owner) and name == "copy":
            return functools.partial(copied_list, owner)
        if is_grown(owner) and name not in APPENDING:
            refuse(owner)
        check_method(owner, name)
        if name in _COMPARING and isinstance(owner, (list, tuple)):
            check_one_by_one(owner)
        if name in MUTATORS:
            check_not_held(trace, owner)
        if name in MUTATORS and isinstance(owner, CONTAINERS):
            note_container_write(trace, owner)
            check_no_outside_dict(trace, owner)
            note_changed(trace, owner, f"the .{name}() of")
            note_reshaped(owner)
        found = read_attribute(trace, owner, name)
        rely_on_environment(trace, found)
        return found

    def item(self, owner: Any, key: Any) -> Any:
        """``owner[key]``."""
        trace = current_trace()
        if trace is not None and isinstance(owner, (Tracer, np.ndarray, list, tuple)):
            by_array = isinstance(owner, (Tracer, np.ndarray))
            key = protocols.array_index(key) if by_array else protocols.index_of(key)
        if trace is None or isinstance(owner, (Tracer, types.ModuleType)):
            return owner[key]
        if isinstance(owner, dict):
            check_keys([key])
        if has_methods(owner) or class_item(owner) or adds_default(owner, key):
            return protocols.item(owner, key)
        if is_grown(owner):
            check_place(owner, key)
            return element_of(owner, key)
        if type(owner) is Trips:
            check_range(owner, key)
        if (made := made_by_brackets(owner, key)) is not None:
            return made
        found = self._by_traced_key(owner, key, trace)
        if found is not None:
            return found[0]
        if isinstance(owner, np.ndarray) and any_traced([key]):
            return builtins_table.as_traced(owner)[key]
        if owner is self.function.__globals__ and key in owner:
            return self.read(key, owner[key])
        return _item_of_outside(trace, owner, key)

    def _by_traced_key(self, owner: Any, key: Any, trace: Trace) -> tuple[Any] | None:
        if isinstance(owner, (list, tuple)):
            key = of_one_meaning(key, is_index_class)
            if isinstance(key, Tracer) and key.is_index() and key.dtype.kind == "b":
                return (choose(key, lambda: self.item(owner, 1), lambda: self.item(owner, 0)),)
            _check_index(owner, key)
        if isinstance(owner, (list, tuple)) and isinstance(key, TracedInt):
            check_element(owner, key)
        return element_at(owner, key, trace) if isinstance(key, TracedInt) else None

    @staticmethod
    def target(owner: Any, name: str | None, /) -> Any:
        """What the user writes to: something from outside is left as it was while tracing."""
        trace = current_trace()
        if trace is None:
            return owner
        if isinstance(owner, Refusing):  # which Python would give the attribute, or refuse it
            owner.refuse()
        if isinstance(owner, np.ndarray):
            raise UnsupportedError(
                "this writes into an array that is not part of the trace",
                current_span(),
                "use a list: [None] * n"
                if owner.dtype == object
                else "make the array in the function, or pass it as an argument",
            )
        if isinstance(owner, Tracer) and not _may_be_assigned(owner, name):
            behind = argument_behind(trace, owner)
            error = cannot_assign(owner, name or "", behind)
            if owner.type.form != "array" and not has_dict(behind):
                number = protocols.example(owner)
                error.own = error_of(lambda: setattr(number, name or "", 0))
            raise error
        if is_grown(owner):
            return Stores(owner) if type(owner) is list and name is None else refuse(owner)
        note_container_write(trace, owner)
        if isinstance(owner, (Tracer, TracedInt)):
            return owner
        note_library_object(owner)
        if name is None:
            check_not_held(trace, owner)
            check_item(trace, owner)
            check_no_outside_dict(trace, owner)
            if isinstance(owner, CONTAINERS):
                note_changed(trace, owner, "the write to an item of")
            items = protocols.Items(owner) if protocols.has_items(owner) else owner
            if isinstance(owner, CONTAINERS) and (trace.doubts or is_iterated(owner)):
                return WatchedItems(owner, items)
            if isinstance(owner, CONTAINERS):
                note_written(owner)
            return items
        return owner if isinstance(owner, OpaqueObject) else Attributes(trace, owner)

    extended = staticmethod(note_extended)

    def bind(self, name: str, value: Any) -> Any:
        """``name = value``: the value is called so in the emitted source."""
        name_value(name, value)
        return value

    def returned(self, name: str, value: Any) -> Any:
        """``return value``, which the variable ``name`` holds that staging has added."""
        optional.check_result(name, value)
        return value

    call_raw = staticmethod(call_raw)
    value_or_none = staticmethod(optional.value_or_none)
    raw = staticmethod(optional.raw)
    is_none = staticmethod(optional.is_none)
    truth_or_none = staticmethod(optional.truth)

    def attribute_is_none(self, owner: Any, name: str) -> Any:
        """``owner.name is None``."""
        return optional.is_none(optional_name(name), self._as_asked(owner, name))

    def attribute_truth(self, owner: Any, name: str) -> Any:
        """``owner.name`` where only its truth counts."""
        return optional.truth(optional_name(name), self._as_asked(owner, name))

    def _as_asked(self, owner: Any, name: str) -> Any:
        """An attribute that need not be known, where it may be None."""
        trace = current_trace()
        held = None if trace is None else attributes.plainly_held(trace, owner, name)
        return held if isinstance(held, MaybeNone) else self.attribute(owner, name)

    def importing(self, module: str, level: int, name: str) -> None:
        """``from module import name`` is next."""
        trace = current_trace()
        if trace is not None:
            note_importing(trace, self._module(module, level), name)

    def imported(self, module: str, level: int, name: str, value: Any) -> Any:
        """It has given ``value``."""
        trace = current_trace()
        return (
            value if trace is None else imported(trace, self._module(module, level), name, value)
        )

    def _module(self, module: str, level: int) -> str:
        """The full name of a module."""
        package = self.function.__globals__.get("__package__")
        return importlib.util.resolve_name("." * level + module, package) if level else module

    def result(self, value: Any) -> Any:
        """``return value``."""
        optional.check_result(RESULT, value)
        if isinstance(value, Unsettled):
            value.refuse()
        trace = current_trace()
        if trace is not None:
            trace.returned = current_span()
        return value

    def truth(self, value: Any, kind: str) -> Any:
        """Where Python must know whether a value is true."""
        if has_methods(value):
            value = protocols.truth(value)
        if isinstance(value, Tracer):
            return value if kind in ("and", "or") else decide(value)  # it may be the result
        return as_condition(value) if is_grown(value) else value

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
        asked: tuple[str, ...],
    ) -> Looping:
        """A ``for``, or an *endless* ``while``."""
        (index,) = targets if len(targets) == 1 else (None,)
        iterable = iterated(iterable) if protocols.is_iterable(iterable) else iterable
        parts = (
            targets,
            stored,
            frozenset(read),
            leaves,
            endless,
            frozenset(kept),
            frozenset(asked),
        )
        return Looping(iterable, LoopNames(*parts, index, steps, broken))

    branching = Branching
    branch_chain = BranchChain

    listed = staticmethod(made_list)
    elements = staticmethod(given_list)
    generated = staticmethod(given_generator)

    identical = staticmethod(identical)
    iterate = staticmethod(iterated)
    modulo = staticmethod(functools.partial(modulo, call))
    formatted = staticmethod(functools.partial(formatted, call))
    joined = staticmethod(f_string)
    choose = staticmethod(choose)
    choose_for = staticmethod(choose_for)
    either = staticmethod(either)
    chain = staticmethod(chain)
    asked_chain = staticmethod(asked_chain)
    negate = staticmethod(negate)

    bound = staticmethod(bound)
    raising = staticmethod(raising)
    raising_in_handler = staticmethod(raising_in_handler)
    asserted = staticmethod(asserted)
    trying = staticmethod(count_handlers)

    def matched(self, subject: Any, pattern: Pattern) -> dict[str, Any] | None:
        """What the variables of a pattern of ``match`` are, where the subject has its form."""
        return matched(subject, pattern, self.attribute)

    def effect(self, kind: str, name: str) -> None:
        """A write to a global or nonlocal name."""
        trace = current_trace()
        if trace is None:
            return
        key, _ = global_or_cell(self.function, name)
        if self._is_own(trace, key):
            cell, _ = variable_place(self.function, name)
            _, home = trace.homes.get(id(cell), (None, None))
            note_shared(name, home, cell)
        else:
            note_rebinding()
            note_store(trace, self.function, name)

    @staticmethod
    def users_variables(found: dict[str, Any]) -> dict[str, Any]:
        """What ``locals()`` and ``vars()`` show, without the names of staging."""
        held = {name: value for name, value in found.items() if not name.startswith(OWN)}
        return with_values(held)

    @staticmethod
    def users_names(found: dict[str, Any]) -> list[str]:
        """What ``dir()`` shows."""
        return sorted(BoundRuntime.users_variables(found))

    locals = staticmethod(locals)

    @staticmethod
    def names(held: dict[str, Any]) -> Any:
        """``globals()``."""
        trace = current_trace()
        return held if trace is None else OutsideNames(trace, held)

    def stored(self, name: str, value: Any) -> Any:
        """The value that a global or nonlocal variable has now."""
        trace = current_trace()
        key, _ = global_or_cell(self.function, name)
        if trace is None or self._is_own(trace, key):
            return value
        place, before = variable_place(self.function, name), self._held(trace, name)
        if value is not before or changed(trace, *place) is not MISSING:  # not `values += [v]`
            write_outside(trace, *place, value, before)
        return value

    def deleted(self, name: str, value: Any, /) -> bool:
        """Whether Python is to delete a global or nonlocal variable, which has a value; else it
        has none in the overlay from now on.
        """
        trace = current_trace()
        key, _ = global_or_cell(self.function, name)
        if trace is None or self._is_own(trace, key):
            return True
        held = self._held(trace, name)
        delete_outside(trace, *variable_place(self.function, name), held)
        return False

    def _held(self, trace: Trace, name: str) -> Any:
        """What a global or nonlocal variable holds before it is written."""
        key, read = global_or_cell(self.function, name)
        before = trace.stores[key].before if key in trace.stores else MISSING
        if before is ABSENT:
            return MISSING
        if changed(trace, *variable_place(self.function, name)) is MISSING:
            return capture(trace, key, name, before, read)
        return before


RUNTIME = Runtime()

for _function in (
    *(
        call,
        cached_functions.key_of,
        _call_function,
        _call_object,
        _found,
        _item_of_outside,
        iterated,
    ),
    *(BoundRuntime.attribute, BoundRuntime.item, outside_attribute),
    *(attributes.read_attribute, attributes.of_library, attributes.missing),
    *(attributes.store, attributes.set_default, attributes.delete_default, attributes.check_slots),
    *(attributes.delete_made, attributes.check_class),
    *(protocols.binary, protocols.either_side, protocols.inplace, protocols.unary),
    *(protocols.compare, protocols.contains, protocols.handled, protocols.with_pythons_errors),
    *(protocols.item, protocols.iterator),
    *(protocols.truth, protocols.Items.__getitem__, protocols.Items.__setitem__),
    *(protocols.Items.__delitem__, WatchedItems.__getitem__, WatchedItems.__setitem__),
    WatchedItems.__delitem__,
):
    in_users_name(_function)

Tracer.check_lookup = staticmethod(check_lookup)
Tracer.check_held = staticmethod(check_held)
Tracer.check_write = staticmethod(check_write)
TracedInt.ask_first = staticmethod(ask_first)
