"""Arguments: what may be one, how a specialisation is keyed, and their traced stand-ins."""

from __future__ import annotations

import enum
import functools
from dataclasses import replace
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.errors import ArgumentTypeError
from gradsmith.frontend.libraries import is_library_object
from gradsmith.frontend.shared_memory import enter, same_elements
from gradsmith.frontend.storage import ALWAYS, Order, Storage, View
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims
from gradsmith.ir.dims import Shape, Symbol
from gradsmith.ir.types import ArrayType, python_number, same_shape

STATIC_SIZES = (0, 1)
"""Sizes that are part of the key: 1 broadcasts, and 0 makes reductions raise."""


def is_input(value: Any) -> bool:
    """Whether ``value`` is a leaf that the compiled function takes as an input."""
    if isinstance(value, (np.ndarray, np.generic)):
        return True
    numbers, static = (int, float, complex), (bool, enum.Enum)
    return isinstance(value, numbers) and not isinstance(value, static)


def is_argument_leaf(value: Any) -> bool:
    """Whether ``value`` is part of an argument that each call passes anew."""
    if is_input(value):
        return not (is_beyond_64_bits(value) or _is_own_integer(value))
    return is_library_object(value)


def _is_own_integer(value: Any) -> bool:
    """Whether it is an integer of a class of the user's, which no result of arithmetic is."""
    return isinstance(value, int) and type(value) is not int


def is_beyond_64_bits(value: Any) -> bool:
    """Whether it is an integer that NumPy has no signed type for: it takes them as objects, or as
    unsigned. Code for one is for no other.
    """
    return isinstance(value, int) and not -(2**63) <= value < 2**63


def check_leaf(value: Any, name: str, what: str = "argument") -> None:
    """Refuse arrays that NumPy's arithmetic treats in a way of its own.

    Raises
    ------
    ArgumentTypeError
        Object, string, structured or masked arrays, ``np.matrix``, other libraries' arrays.
    """
    if is_library_object(value):
        return
    cls: Any = type(value)  # it is asked: attributes of the user's objects may be anything
    dtype = getattr(value, "dtype", None) if hasattr(cls, "dtype") else None
    if isinstance(value, (np.matrix, np.ma.MaskedArray)):
        plain = f"pass np.asarray({name})"
        filled = f"pass {name}.filled(...), or data and mask apart for use in np.where"
        raise ArgumentTypeError(
            f"the {what} {name} is a {type(value).__name__}: its arithmetic is not that of arrays",
            hint=plain if isinstance(value, np.matrix) else filled,
        )
    if isinstance(dtype, np.dtype) and (dtype.kind not in "biufc" or not dtype.isnative):
        raise ArgumentTypeError(
            f"the {what} {name} has dtype {dtype}, which has no derivatives or arithmetic",
            hint="use a boolean, integer, floating or complex dtype in native byte order",
        )
    method = own_operator(cls) if is_input(value) else None
    if method is not None:
        raise ArgumentTypeError(
            f"the {what} {name} is a {cls.__name__}, which has a {method} of its own: its "
            "arithmetic is not that of numbers and arrays",
            hint=f"pass the number or array itself: float({name}) or np.asarray({name})",
        )
    if not isinstance(dtype, np.dtype) and hasattr(cls, "__array__"):
        kind = f"{cls.__module__}.{cls.__qualname__}"
        raise ArgumentTypeError(
            f"the {what} {name} is of type {kind}, not a NumPy array",
            hint=f"pass np.asarray({name})",
        )


_PLAIN = ("builtins", "numpy")
_KEEPING = frozenset(
    {
        *("__module__", "__doc__", "__dict__", "__weakref__", "__slots__", "__qualname__"),
        *("__new__", "__init__", "__init_subclass__", "__class_getitem__", "__annotations__"),
        *("__array_finalize__", "__array_priority__", "__reduce__", "__reduce_ex__"),
        *("__setstate__", "__getstate__", "__getnewargs__", "__copy__", "__deepcopy__"),
        *("__firstlineno__", "__static_attributes__", "__repr__", "__str__", "__del__"),
        *("__slotnames__", "__abstractmethods__", "__dataclass_fields__", "__dataclass_params__"),
        *("__parameters__", "__orig_bases__", "__hash__", "__match_args__"),
    }
)
"""Special names in classes derived from numbers or arrays that leave the arithmetic as it is."""


@functools.cache
def own_operator(cls: Any) -> str | None:
    """The method by which a class derived from numbers or arrays computes in a way of its own."""
    libraries = [base for base in cls.__mro__ if base.__module__.split(".")[0] in _PLAIN]
    for base in cls.__mro__:
        if base in libraries:
            break
        for name in map(str, vars(base)):
            special = name.startswith("__") and name.endswith("__")
            if name not in _KEEPING and (special or hasattr(libraries[0], name)):
                return name
    return None


def check_tree(value: Any, name: str) -> None:
    """`check_leaf` for every leaf and static part of a tree."""
    leaves, shape = tree.flatten(value, lambda v: not tree.is_container(v))
    for leaf, path in zip(leaves, tree.paths(shape), strict=True):
        check_leaf(leaf, tree.path_name(name, path))


def exact_key(value: Any) -> object:
    """A hashable that says all of a leaf that the code may depend on: dtype and exact shape,
    a Python integer's value.
    """
    if isinstance(value, np.ndarray):
        return (type(value), value.dtype, value.shape)
    if isinstance(value, int):
        return (type(value), value)
    return type(value)


def pattern_key(value: Any) -> object:
    """The part of it that one compiled function shares: dtype, rank, which sizes are 0 or 1."""
    if isinstance(value, np.ndarray):
        sizes = tuple(s if s in STATIC_SIZES else -1 for s in value.shape)
        return (type(value), value.dtype, sizes)
    return type(value)


def symbolic_shape(name: str, shape: tuple[int, ...]) -> Shape:
    """The shape with a symbol for every size that may differ in the next call."""
    return tuple(
        s if s in STATIC_SIZES else dims.symbol(f"{name}.shape[{axis}]", s, axis=True)
        for axis, s in enumerate(shape)
    )


def _leaf_type(name: str, value: Any) -> ArrayType:
    """The type of an input."""
    if isinstance(value, np.ndarray):
        return ArrayType(value.dtype, symbolic_shape(name, value.shape), "array")
    if isinstance(value, np.generic):
        return ArrayType(value.dtype, (), "scalar")
    return python_number(type(value) if type(value) in (int, float, complex) else float)


def leaf_value(
    trace: Trace,
    name: str,
    value: Any,
    type_: ArrayType | None = None,
    label: str | None = None,
    *,
    shares: bool = True,
) -> Any:
    """The traced stand-in of an input: a tracer, or a traced integer; declares the parameter.

    ``label`` is what emitted code calls it, by default ``name``. With ``shares`` the function sees
    in it what it writes to an array that shares its memory.
    """
    trace.leaves[name] = value
    if isinstance(value, int):
        size = dims.symbol(name, value)
        symbol = dims.as_symbol(size)
        trace.root.parameter(name, python_number(int), symbol)
        made = TracedInt(size)
        trace.given_integers[id(made)] = made, name
        return made
    type_ = type_ or _leaf_type(name, value)
    twin = same_elements(trace, value) if isinstance(value, np.ndarray) else None
    if twin is not None and same_shape(type_.shape, twin.node.shape):
        type_ = replace(type_, shape=twin.node.shape)
    node = trace.root.parameter(name, type_)
    trace.root.names[node] = label or name
    storage = Storage(node, order=_order(name, value))
    storage.name = name
    if shares:
        enter(trace, name, storage, value)
    storage.label = label or name
    trace.buffers[name] = storage, node
    return Tracer(View(storage))


def _order(name: str, value: Any) -> Order:
    if not isinstance(value, np.ndarray):
        return ALWAYS
    return frozenset({name}) if value.flags.c_contiguous else None


def bindings(leaves: dict[str, Any]) -> dict[Symbol, int]:
    """What the symbols of these leaves are in a call: what guards are checked with."""
    bound: dict[Symbol, int] = {}
    for name, value in leaves.items():
        if isinstance(value, np.ndarray):
            for axis, size in enumerate(value.shape):
                bound[Symbol(f"{name}.shape[{axis}]", size)] = size
        elif isinstance(value, int):
            bound[Symbol(name, value)] = value
    return bound


def argument_behind(trace: Trace | None, value: Any) -> Any:
    """The number or array from outside that a traced value stands for, whole; None of others."""
    if trace is None:
        return None
    if isinstance(value, TracedInt):
        _, name = trace.given_integers.get(id(value), (None, ""))
        return trace.leaves.get(name)
    if not isinstance(value, Tracer) or value.view.path:
        return None
    return trace.leaves.get(value.view.storage.name or "")
