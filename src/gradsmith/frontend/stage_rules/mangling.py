"""Private names: ``__w`` within a class ``Layer`` is ``_Layer__w``, as Python's compiler has it.

Staging writes these names out first, and the rewritten function is compiled outside of any class.
So the variables that staging adds keep their names, and the runtime finds the user's private ones
under the names that Python gives them.
"""

from __future__ import annotations

import ast
from typing import Any

from gradsmith.frontend.enclose import FunctionNode

_FIELDS = {
    ast.Name: ("id",),
    ast.Attribute: ("attr",),
    ast.arg: ("arg",),
    ast.keyword: ("arg",),
    ast.FunctionDef: ("name",),
    ast.AsyncFunctionDef: ("name",),
    ast.ClassDef: ("name",),
    ast.ExceptHandler: ("name",),
    ast.MatchAs: ("name",),
    ast.MatchStar: ("name",),
    ast.MatchMapping: ("rest",),
    ast.MatchClass: ("kwd_attrs",),
    ast.Global: ("names",),
    ast.Nonlocal: ("names",),
    ast.alias: ("asname",),
}


def _private_name(name: str, owner: str | None) -> str:
    """``name`` as Python knows it inside the class ``owner``."""
    stem = (owner or "").lstrip("_")
    private = name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{stem}{name}" if private and stem else name


def mangled(node: FunctionNode, owner: str | None) -> FunctionNode:
    """The function of the class ``owner`` with its private names written out."""
    if owner is None or not _is_private(node):
        return node
    made: FunctionNode = _Mangling(owner).visit(node)
    return made


def _is_private(node: FunctionNode) -> bool:
    """Whether some name in it is, by the look of it."""
    for inner in ast.walk(node):
        for name in _FIELDS.get(type(inner), ()):
            found = getattr(inner, name)
            for text in found if isinstance(found, list) else [found]:
                if text is not None and text != _private_name(text, "Class"):
                    return True
    return False


class _Mangling(ast.NodeVisitor):
    """Copies a tree: the user's is shared."""

    def __init__(self, owner: str) -> None:
        self.owner = owner

    def visit(self, node: ast.AST) -> Any:
        """A copy of the node with its names written out."""
        changes = {name: self._copied(value) for name, value in vars(node).items()}
        for name in _FIELDS.get(type(node), ()):
            changes[name] = self._renamed(getattr(node, name))
        if isinstance(node, ast.ClassDef):  # its body has private names of its own
            changes["body"] = [_Mangling(node.name).visit(part) for part in node.body]
        return type(node)(**changes)

    def _copied(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._copied(part) for part in value]
        return self.visit(value) if isinstance(value, ast.AST) else value

    def _renamed(self, name: Any) -> Any:
        if isinstance(name, list):
            return [self._renamed(part) for part in name]
        return None if name is None else _private_name(name, self.owner)
