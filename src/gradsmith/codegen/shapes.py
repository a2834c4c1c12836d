"""Nested arguments and results: reading the parts of one, building the other."""

from __future__ import annotations

import ast
import enum
from typing import Any

import numpy as np

from gradsmith.ops import syntax
from gradsmith.ops.syntax import is_written
from gradsmith.tree import Path, Step, Tree


def access(root: str, path: Path) -> ast.expr:
    """``params['w'].b``."""
    reading = syntax.name(root)
    for step, key in path:
        if step == "attribute":
            reading = syntax.attribute(reading, key)
        elif step == "value":
            values = ast.Call(syntax.attribute(reading, "values"), [], [])
            reading = syntax.subscript(syntax.call("list", values), syntax.expression(key))
        else:
            reading = syntax.subscript(reading, syntax.expression(key))
    return reading


def written(path: Path, shape: Tree) -> Path:
    """The same way, by values in their order where emitted code cannot write a key of a dict."""
    made: list[Step] = []
    for step, key in path:
        place = {known: place for place, known in enumerate(shape.keys)}[key]
        by_value = shape.kind == "dict" and not is_written(key)
        made.append(("value", place) if by_value else (step, key))
        shape = shape.children[place]
    return tuple(made)


def _static(value: Any) -> ast.expr:
    """What a function returns besides numbers and arrays."""
    if isinstance(value, np.dtype):
        return syntax.call("np.dtype", value.name)
    if isinstance(value, type):
        return syntax.name(syntax.class_name(value) or "None")
    if isinstance(value, enum.Enum):  # the caller knows the member
        return syntax.expression(str(value))
    if isinstance(value, (set, frozenset)):
        return _set(value)
    return syntax.expression(value)


def _set(value: set[Any] | frozenset[Any]) -> ast.expr:
    members: ast.expr = ast.Set([_key(member) for member in sorted(value, key=repr)])
    if isinstance(value, frozenset):
        return syntax.call("frozenset", *([members] if value else []))
    return members if value else syntax.call("set")


def _key(key: Any) -> ast.expr:
    if type(key) is tuple:
        return syntax.tuple_([_key(part) for part in key])
    if isinstance(key, np.bool_):
        return syntax.call("np.bool_", key.item())
    return syntax.expression(key)


def tree_of(tree: Tree, leaves: Any) -> ast.expr:
    """The expression that builds a nested result."""
    if tree.kind == "leaf":
        leaf: ast.expr = next(leaves)
        return leaf
    if tree.kind == "static":
        return _static(tree.value)
    parts = [tree_of(child, leaves) for child in tree.children]
    if tree.kind == "dict" and all(map(is_written, tree.keys)):
        return ast.Dict([_key(k) for k in tree.keys], parts)
    if tree.kind in ("list", "dict"):  # the caller knows the keys
        return ast.List(parts, ast.Load())
    if tree.kind == "tuple":
        return syntax.tuple_(parts)
    # the caller's classes are not importable from an emitted file: NumPy is all it needs
    if tree.kind == "namedtuple":
        return syntax.tuple_(parts)
    return ast.Dict([syntax.expression(k) for k in tree.keys], parts)
