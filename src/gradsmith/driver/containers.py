"""Results in the containers that the user's function returns them in."""

from __future__ import annotations

import enum
from typing import Any

from gradsmith import tree
from gradsmith.ops.syntax import is_written


def rebuild(shape: tree.Tree, raw: Any) -> Any:
    """Named tuples, dataclasses, deques and the like from the plain tuples, dicts and lists that
    emitted code returns.
    """
    if shape.kind in ("leaf", "static"):
        return shape.value if isinstance(shape.value, enum.Enum) else raw
    items = raw.values() if isinstance(raw, dict) else raw
    parts = [rebuild(child, part) for child, part in zip(shape.children, items, strict=True)]
    if shape.kind == "dict":
        return tree.dict_of(shape.cls, shape.value, shape.keys, parts)
    if shape.kind == "list":
        return tree.list_of(shape.cls, shape.value, parts)
    if shape.kind == "tuple" or shape.cls is None:
        return tuple(parts)
    if shape.kind == "namedtuple":
        return tuple.__new__(shape.cls, parts)
    return tree.object_of(shape.cls, shape.value, shape.keys, parts)


def is_plain(shape: tree.Tree) -> bool:
    """Whether emitted code can build the result by itself."""
    if shape.kind in ("namedtuple", "dataclass", "object") or isinstance(shape.value, enum.Enum):
        return False
    if shape.kind in ("dict", "list") and shape.cls not in (dict, list, None):
        return False
    known = shape.kind != "dict" or all(map(is_written, shape.keys))
    return known and all(map(is_plain, shape.children))
