"""Objects of Python's whose changes no journal holds: they are made while tracing.

Journals hold the items of lists, dicts, sets and deques, and attributes in the ``__dict__`` or the
``__slots__`` of an object. What else an object holds (the bytes of a `bytearray`, the state of a
hash, whether a lock is held) a branch or loop cannot undo and join: a change of it has to happen
exactly once.
"""

from __future__ import annotations

import builtins
import datetime
import decimal
import functools
import io
import numbers
import operator
import re
import types
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.errors import UnsupportedError
from gradsmith.frontend.classes import is_instance
from gradsmith.frontend.dispatch import check_at_root
from gradsmith.frontend.journal import (
    CONTAINERS,
    check_isolated,
    contents_of,
    is_same,
    note_final,
    refill,
    written_part,
)
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stand_ins import ArrayLike
from gradsmith.frontend.text import Text
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Refusing
from gradsmith.identity import has_dict, once_by_class

_UNCHANGING: tuple[type, ...] = (
    *(str, bytes, numbers.Number, type(None), tuple, frozenset, range, slice, type(...)),
    *(type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType),
    *(types.MethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType),
    *(types.GetSetDescriptorType, types.MemberDescriptorType, types.ClassMethodDescriptorType),
    *(types.GenericAlias, types.MappingProxyType, types.CodeType, types.FrameType),
    *(types.TracebackType, types.NotImplementedType, property, staticmethod, classmethod),
    *(operator.itemgetter, operator.attrgetter, operator.methodcaller),
    *(functools.partial, weakref.ref, re.Pattern, re.Match, decimal.Decimal),
    *(datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo),
    *(type({}.keys()), type({}.values()), type({}.items())),
    *(np.dtype, np.generic, np.ufunc, np.ndarray),
)
"""Classes of objects that no function changes that is given them."""
_FOLLOWED = (*CONTAINERS, Iterator, io.IOBase, Tracer, TracedInt, Text, Refusing, ArrayLike)
"""Classes of objects whose changes are followed, or refused elsewhere."""
NUMPYS_STATE = vars(np.errstate)["__enter__"].__globals__.get("_extobj_contextvar", object())
"""What NumPy 2 does about floating-point errors: `frontend.floating_errors` follows it."""
_READING = frozenset(
    {
        *("__getitem__", "__contains__", "__len__", "__iter__", "__reversed__", "__str__"),
        *("__repr__", "__hash__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"),
        *("__format__", "__bool__", "__getattribute__", "__dir__", "__sizeof__", "__class__"),
        *("count", "index", "find", "copy", "decode", "hex", "tobytes", "tolist", "get"),
        *("digest", "hexdigest", "locked", "with_traceback", "startswith", "endswith"),
        *("all", "any", "max", "min", "sum", "mean", "item", "astype", "reshape", "nonzero"),
        *("unpack", "unpack_from", "iter_unpack", "crc32", "getsizeof", "getrefcount"),
        *("__enter__", "__exit__"),  # a lock is free again where `with` ends
    }
)
"""Methods that change nothing."""


def check_change(trace: Trace, owner: Any) -> None:
    """``owner`` is about to be changed for good.

    Raises
    ------
    UnsupportedError
        It is from outside of the function: the change would be made while tracing only.
    ControlFlowError
        It is changed on one path of a branch, or in a loop (`check_at_root`).
    """
    kind = type(owner).__name__
    while type(owner) is memoryview:
        owner = owner.obj
    if _is_outside(trace, owner):
        raise UnsupportedError(
            f"{_with_article(kind)} from outside the function is changed",
            current_span(),
            "use an array, or make it in the function",
        )
    check_isolated(owner, f"a {kind}")
    if trace.born.get(id(owner), (None, None))[1] is trace.builder:
        return
    check_at_root(
        trace,
        f"a traced value decides how a {kind} is changed",
        "change a list, a dict or an array",
    )
    note_final()


def _with_article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeioAEIO' else 'a'} {kind}"


def _is_outside(trace: Trace, owner: Any) -> bool:
    """Whether it is from outside, an argument, or the copy of such an object."""
    known = trace.external, trace.originals, trace.given
    return any(id(owner) in found for found in known) and id(owner) not in trace.made


def check_item(trace: Trace, owner: Any) -> None:
    """An item of ``owner`` is about to be set or deleted."""
    librarys = not (is_instance(owner) or isinstance(owner, _FOLLOWED))
    if _may_change(owner) or (librarys and _is_outside(trace, owner)):
        check_change(trace, owner)


def holds_attributes(owner: Any) -> bool:
    """Whether a journal holds the attributes that are set on the object."""
    unsearched = (str, bytes, int, float, complex, tuple, np.ndarray, types.ModuleType)
    known = is_instance(owner) or tree.is_dataclass_instance(owner)
    return known and not isinstance(owner, unsearched)


def is_member_of_c(kind: Any) -> bool:
    """Whether what a class holds is the place of an attribute that C code keeps."""
    member = isinstance(kind, types.MemberDescriptorType)
    return member and "__slots__" not in vars(kind.__objclass__)


def _may_change(value: Any) -> bool:
    """Whether functions and statements may change what no journal holds of the object."""
    if isinstance(value, (*_UNCHANGING, *_FOLLOWED)) or value is NUMPYS_STATE:
        return False
    return _has_state_of_c(type(value)) and not hasattr(type(value), "__gradsmith__")


@once_by_class
def _has_state_of_c(cls: type) -> bool:
    """Whether objects of the class have more in memory than a dict and slots for attributes."""
    return cls.__basicsize__ > _size_of_attributes(cls)


def _size_of_attributes(cls: type) -> int:
    slots = sum(
        isinstance(held, types.MemberDescriptorType)
        for base in cls.__mro__
        if "__slots__" in vars(base)
        for held in vars(base).values()
    )
    dicts = (cls.__dictoffset__ > 0) + (cls.__weakrefoffset__ > 0)
    return object.__basicsize__ + 8 * (slots + dicts)


def note_born(trace: Trace | None, owner: Any) -> Any:
    """``owner`` is new: where it is made in a branch or loop, that may change it as well."""
    if trace is not None and trace.builder is not trace.root and _may_change(owner):
        trace.born[id(owner)] = (owner, trace.builder)
    return owner


def check_updated(owner: Any, method: str) -> None:
    """``owner += ...`` is next, which calls a ``method`` of C code if there is one."""
    trace = current_trace()
    if trace is not None and _may_change(owner) and hasattr(type(owner), method):
        check_change(trace, owner)


def check_call(function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """A function that is not traced is about to be called: it may change what it is a method of,
    what it is given, and what methods belong to that it is given.
    """
    trace = current_trace()
    if trace is None:
        return
    values, methods = [*args, *kwargs.values()], [*args, *kwargs.values()]
    if _reads_only(function):
        values = []
    else:
        methods.append(function)
    owners = [m.__self__ for m in methods if _is_bound(m) and not _reads_only(m)]
    for owner in [*owners, *values]:
        if _may_change(owner) or (isinstance(owner, functools.partial) and owner in owners):
            check_change(trace, owner)


def check_method(function: types.FunctionType, args: Sequence[Any]) -> None:
    """A method that a library has written in Python is about to be called: it may change all that
    its object holds on to.
    """
    trace, owner = current_trace(), args[0] if args else None
    if trace is None or isinstance(owner, (*_UNCHANGING, *_FOLLOWED)) or _is_own(owner):
        return
    written = id(owner) in trace.overlays or _holds_written(trace, owner)
    if written and _is_outside(trace, owner):
        check_change(trace, owner)  # which the method would not see
    if trace.builder is trace.root:
        return
    if (function.__module__ or "").split(".")[0] in _JOURNALED or _is_outside(trace, owner):
        return
    if any(base.__module__ == function.__module__ for base in type(owner).__mro__):
        check_change(trace, owner)


def _holds_written(trace: Trace, owner: Any) -> bool:
    """Whether the function has changed a list or dict that the object holds."""
    held = {id(value) for value in getattr(owner, "__dict__", {}).values()}
    seen = [trace.seen[key][0] for key in held & trace.seen.keys()]
    parts = [id(written_part(value)) for value in seen]
    return any(
        id(part) in parts and not is_same(before, contents_of(part))
        for part, before, _ in (trace.copies if parts else ())
    )


@contextmanager
def left_as_it_was(function: types.FunctionType, args: Sequence[Any]) -> Iterator[None]:
    """Refuse a call of such a method that changes an object from outside of the function.

    Raises
    ------
    UnsupportedError
        It has done that, which is undone.
    """
    trace, owner = current_trace(), args[0] if args else None
    attributes = has_dict(owner) and not _is_own(owner)
    if trace is None or not attributes or not _is_outside(trace, owner):
        yield
        return
    held = [vars(owner), *(v for v in vars(owner).values() if isinstance(v, CONTAINERS))]
    before = [contents_of(part) for part in held]
    yield
    if all(is_same(was, contents_of(part)) for was, part in zip(before, held, strict=True)):
        return
    for was, part in zip(before, held, strict=True):
        refill(part, was)
    check_change(trace, owner)


def _is_own(owner: Any) -> bool:
    """Whether it is one of gradsmith's."""
    return type(owner).__module__.split(".")[0] == "gradsmith"


_JOURNALED = frozenset(
    {
        *("collections", "_collections_abc", "contextlib", "functools", "types", "typing", "abc"),
        *("enum", "weakref", "_weakrefset", "statistics", "numpy", "warnings"),
        *("numbers", "fractions", "dataclasses", "copy", "operator", "io", "codecs"),
    }
)
"""Modules whose objects hold what they do in lists and dicts of their own, or cannot change."""


def _is_bound(method: Any) -> bool:
    return isinstance(method, (types.BuiltinMethodType, types.MethodWrapperType))


def _reads_only(function: Any) -> bool:
    name = getattr(function, "__name__", "")
    return getattr(function, "__self__", None) is builtins or name in _READING
