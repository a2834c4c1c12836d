"""Nested arguments and results: reading the parts of one, building the other."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from gradsmith.ops import syntax
from gradsmith.tree import Path, Tree


def access(root: str, path: Path) -> ast.expr:
    """``params['w'].b``."""
    reading = syntax.name(root)
    for step, key in path:
        if step == "attribute":
            reading = syntax.attribute(reading, key)
        else:
            reading = syntax.subscript(reading, syntax.expression(key))
    return reading


def _static(value: Any) -> ast.expr:
    """What a function returns besides numbers and arrays."""
    if isinstance(value, np.dtype):
        return syntax.call("np.dtype", value.name)
    if isinstance(value, type):
        return syntax.name(syntax.class_name(value) or "None")
    return syntax.expression(value)


def tree_of(tree: Tree, leaves: Any) -> ast.expr:
    """The expression that builds a nested result."""
    if tree.kind == "leaf":
        leaf: ast.expr = next(leaves)
        return leaf
    if tree.kind == "static":
        return _static(tree.value)
    parts = [tree_of(child, leaves) for child in tree.children]
    if tree.kind == "dict":
        return ast.Dict([syntax.expression(k) for k in tree.keys], parts)
    if tree.kind == "list":
        return ast.List(parts, ast.Load())
    if tree.kind == "tuple":
        return syntax.tuple_(parts)
    # the caller's classes are not importable from an emitted file: NumPy is all it needs
    if tree.kind == "namedtuple":
        return syntax.tuple_(parts)
    return ast.Dict([syntax.expression(k) for k in tree.keys], parts)
