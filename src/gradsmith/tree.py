"""Argument trees: dicts, lists, tuples, named tuples and dataclasses of leaves.

A tree of its own, not a library's: emitted code takes trees apart by their paths
(``params["w1"]``), which calls for paths as data, and dataclasses count as trees.
"""

from __future__ import annotations

import dataclasses
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MemberDescriptorType
from typing import Any, Literal, TypeAlias

import numpy as np

from gradsmith.identity import has_dict, once_by_class

Kind: TypeAlias = Literal[
    "leaf", "static", "dict", "list", "tuple", "namedtuple", "dataclass", "object"
]
Step: TypeAlias = tuple[Literal["item", "attribute", "value"], Any]
"""A value is one of a dict, by its place in the order of these."""
Path: TypeAlias = tuple[Step, ...]


DICTS = (dict, OrderedDict, defaultdict, Counter)
LISTS = (list, deque)


@dataclass(frozen=True, slots=True)
class Tree:
    """The shape of a nested value; ``value`` is a static part's value, or what a container is
    made with besides its parts (`option_of`).
    """

    kind: Kind
    keys: tuple[Any, ...] = ()
    children: tuple[Tree, ...] = ()
    cls: type | None = None
    value: Any = field(default=None, compare=True)

    @property
    def leaf_count(self) -> int:
        """How many leaves it has."""
        if self.kind == "leaf":
            return 1
        return sum(child.leaf_count for child in self.children)


LEAF = Tree("leaf")

opened: ContextVar[dict[int, Any] | None] = ContextVar("opened", default=None)
"""Objects of other classes that are taken apart, too, by identity: a run of a traced function
opens those that the function has made."""


class Identity:
    """An object that equals itself alone; keeps it alive, so that no other has its ``id``."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


def typed_keys(keys: tuple[Any, ...]) -> tuple[Any, ...]:
    """Keys of a dict so that those differ which are equal, but not the same: 1, 1.0 and True."""
    return tuple(map(typed, keys))


def told_apart(kind: Kind, keys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The keys of a container of this kind: those of a dict are `typed_keys`."""
    return typed_keys(keys) if kind == "dict" else keys


def typed(key: Any) -> Any:
    """The same of one key or of a set: numbers by class and text, at any depth, and objects as
    what they are.
    """
    if type(key) in (str, bytes, type(None)):
        return key
    if isinstance(key, (bool, int, float, complex, np.generic, str, bytes, bytearray)):
        return type(key), repr(key)
    if isinstance(key, tuple):
        return type(key), typed_keys(key)
    if isinstance(key, (set, frozenset)):
        return type(key), frozenset(map(typed, key))
    return Identity(key)


def is_namedtuple(value: object) -> bool:
    """Whether ``value`` is an instance of a named tuple class."""
    return isinstance(value, tuple) and hasattr(type(value), "_fields")


def is_dataclass_instance(value: object) -> bool:
    """Whether ``value`` is an instance (not a class) of a dataclass."""
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def is_open(value: object) -> bool:
    """Whether ``value`` is an object whose attributes are taken for its parts."""
    known = opened.get()
    return known is not None and id(value) in known


def is_container(value: object) -> bool:
    """Whether ``value`` is taken apart into its parts."""
    return type(value) in _EXACT or (
        is_namedtuple(value) or is_dataclass_instance(value) or is_open(value)
    )


_EXACT = frozenset((*DICTS, *LISTS, tuple))


def option_of(value: Any) -> Any:
    """The ``default_factory`` of a `defaultdict`, the ``maxlen`` of a `deque`."""
    if isinstance(value, defaultdict):
        return value.default_factory
    return value.maxlen if isinstance(value, deque) else None


def dict_of(cls: type | None, option: Any, keys: Sequence[Any], parts: Sequence[Any]) -> Any:
    """A dict of this class with these parts."""
    made: Any = {} if cls is None or cls is dict else cls()
    if cls is defaultdict:
        made.default_factory = option
    for key, part in zip(keys, parts, strict=True):
        made[key] = part
    return made


def list_of(cls: type | None, option: Any, parts: Sequence[Any]) -> Any:
    """A list or deque with these parts."""
    return deque(parts, option) if cls is deque else list(parts)


def parts(value: Any) -> tuple[Kind, tuple[Any, ...], list[Any]]:
    """Kind, keys and parts of a container."""
    if isinstance(value, dict):
        return "dict", tuple(value), list(value.values())
    if is_namedtuple(value):
        return "namedtuple", tuple(value._fields), list(value)
    if isinstance(value, (list, tuple, deque)):
        kind: Kind = "tuple" if isinstance(value, tuple) else "list"
        return kind, tuple(range(len(value))), list(value)
    kind = "dataclass" if is_dataclass_instance(value) else "object"
    return kind, *attribute_parts(value, attributes(value))


def attribute_parts(value: Any, held: Mapping[str, Any]) -> tuple[tuple[Any, ...], list[Any]]:
    """Keys and parts of an object, if ``held`` are its attributes."""
    if not is_dataclass_instance(value):
        return tuple(sorted(held)), [held[name] for name in sorted(held)]
    fields = _field_names(type(value))
    if tuple(held) == fields:
        return fields, list(held.values())
    names = tuple(
        name for name in (*fields, *(n for n in held if n not in fields)) if name in held
    )
    return names, [held[name] for name in names]


@once_by_class
def _field_names(cls: Any) -> tuple[str, ...]:
    """The names of the fields of a dataclass."""
    return tuple(field.name for field in dataclasses.fields(cls))


@once_by_class
def slots_of(cls: type) -> tuple[str, ...]:
    """The names of the slots that objects of the class have."""
    names = [n for base in cls.__mro__ for n, v in vars(base).items() if _is_slot(v)]
    return tuple(dict.fromkeys(names))


def _is_slot(value: object) -> bool:
    return isinstance(value, MemberDescriptorType)


def attributes(value: Any) -> dict[str, Any]:
    """What an object holds itself: in its dict, and in slots."""
    held: dict[str, Any] = dict(value.__dict__ or {}) if has_dict(value) else {}
    for name in slots_of(type(value)):
        with suppress(AttributeError):  # it is not set
            held[name] = object.__getattribute__(value, name)
    return held


def order_of(value: Any, keys: tuple[Any, ...] | Sequence[Any]) -> tuple[str, ...] | None:
    """The order in which an object got its attributes; None where it is that of ``keys``."""
    order = tuple(attributes(value))
    return None if order == tuple(keys) else order


def object_of(
    cls: type, order: Sequence[str] | None, keys: Sequence[str], parts: Sequence[Any]
) -> Any:
    """An object with these attributes, given to it in this order."""
    held = dict(zip(keys, parts, strict=True))
    return with_attributes(cls, {n: held[n] for n in order if n in held} | held if order else held)


def with_attributes(cls: type, held: Mapping[str, Any]) -> Any:
    """An object of the class that holds these; ``__init__`` is not run again."""
    made: Any = object.__new__(cls)
    for name, value in held.items():
        object.__setattr__(made, name, value)
    known = opened.get()
    if known is not None:
        known[id(made)] = made
    return made


def rebuilt(model: Any, keys: Sequence[Any], parts: Sequence[Any]) -> Any:
    """A container of the kind of ``model`` with these parts."""
    if isinstance(model, dict):
        return dict_of(type(model), option_of(model), keys, parts)
    if is_namedtuple(model):
        return tuple.__new__(type(model), parts)
    if isinstance(model, deque):
        return deque(parts, model.maxlen)
    if isinstance(model, (list, tuple)):
        return type(model)(parts)
    return object_of(type(model), order_of(model, keys), keys, parts)


def flatten(value: Any, is_leaf: Callable[[Any], bool]) -> tuple[list[Any], Tree]:
    """The leaves of ``value`` in order, and its shape; what is neither leaf nor container is a
    static part of the shape.
    """
    leaves: list[Any] = []
    return leaves, _flatten(value, is_leaf, leaves, ())


def _flatten(
    value: Any, is_leaf: Callable[[Any], bool], leaves: list[Any], inside: tuple[int, ...]
) -> Tree:
    if is_leaf(value):
        leaves.append(value)
        return LEAF
    if not is_container(value) or id(value) in inside:  # what refers to itself has no end
        return Tree("static", value=value)
    kind, keys, values = parts(value)
    inside = (*inside, id(value))
    children = tuple(_flatten(v, is_leaf, leaves, inside) for v in values)
    objects = kind in ("dataclass", "object")
    option = order_of(value, keys) if objects else option_of(value)
    return Tree(kind, keys, children, type(value), option)


def unflatten(tree: Tree, leaves: Sequence[Any]) -> Any:
    """The nested value of this shape with these leaves."""
    return _unflatten(tree, iter(leaves))


def _unflatten(tree: Tree, leaves: Iterator[Any]) -> Any:
    if tree.kind == "leaf":
        return next(leaves)
    if tree.kind == "static":
        return tree.value
    values = [_unflatten(child, leaves) for child in tree.children]
    if tree.kind == "dict":
        return dict_of(tree.cls, tree.value, tree.keys, values)
    if tree.kind == "list":
        return list_of(tree.cls, tree.value, values)
    if tree.kind == "tuple":
        return tuple(values)
    if tree.cls is None:
        raise TypeError(f"a {tree.kind} without its class")
    if tree.kind == "namedtuple":
        return tuple.__new__(tree.cls, values)
    return object_of(tree.cls, tree.value, tree.keys, values)


class StructureError(ValueError):
    """A tree does not have the structure that it should have."""


Split: TypeAlias = "Callable[[Any, int], list[Any] | None]"


def leaves_like(
    tree: Tree, value: Any, at: str, split: Split = lambda value, count: None
) -> list[Any]:
    """What ``value`` has in the place of each leaf of ``tree``: dicts by their keys, the rest by
    order. ``None`` stands for all leaves below it, and in the place of a leaf anything may be.
    ``split`` takes apart what stands for a container of so many items and is none.

    Raises
    ------
    StructureError
        The structures differ; the message calls ``value`` ``at``.
    """
    if tree.kind == "leaf":
        return [value]
    if tree.kind == "static":
        return []
    if value is None:
        return [None] * tree.leaf_count
    values = None if is_container(value) else split(value, len(tree.children))
    values = values or _children_like(tree, value, at)
    return [
        leaf
        for child, part, key in zip(tree.children, values, tree.keys, strict=True)
        for leaf in leaves_like(child, part, f"{at}[{key!r}]", split)
    ]


def _children_like(tree: Tree, value: Any, at: str) -> list[Any]:
    if not is_container(value):
        raise StructureError(f"{at} is a {type(value).__name__}, and not a {tree.kind}")
    kind, keys, values = parts(value)
    if (kind == "dict") != (tree.kind == "dict") and "dict" in (kind, tree.kind):
        raise StructureError(f"{at} is a {kind}, and not a {tree.kind}")
    if kind == "dict" and set(keys) == set(tree.keys):
        return [value[key] for key in tree.keys]
    if kind == "dict":
        raise StructureError(f"{at} has the keys {list(keys)}, and not {list(tree.keys)}")
    if len(values) != len(tree.children):
        raise StructureError(f"{at} has {len(values)} items, and not {len(tree.children)}")
    return values


def paths(tree: Tree, at: Path = ()) -> Iterator[Path]:
    """The way from the root to every leaf."""
    if tree.kind == "leaf":
        yield at
    step: Literal["item", "attribute"] = (
        "attribute" if tree.kind in ("namedtuple", "dataclass", "object") else "item"
    )
    for key, child in zip(tree.keys, tree.children, strict=True):
        yield from paths(child, (*at, (step, key)))


def path_name(root: str, path: Path) -> str:
    """``params["w"]`` as text."""
    text = root
    for step, key in path:
        text += f".{key}" if step == "attribute" else f"[{key!r}]"
    return text


def leaf_name(root: str, path: Path) -> str:
    """What a leaf is called: its last key where that is a word, else ``root_0``."""
    if not path:
        return root
    last = path[-1][1]
    if isinstance(last, str) and last.isidentifier():
        return last
    return "_".join([root, *(str(key) for _, key in path)])
