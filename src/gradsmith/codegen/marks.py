"""Marks on expressions and statements of the emitted code that go through the log of effects.

The text has no place for them. They are copied to the tree that the text is parsed to, which is
the same but for numbers: ``-1.0`` is a constant in one, a sign and a constant in the other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

from gradsmith.codegen.printer import is_comment
from gradsmith.errors import InternalError
from gradsmith.ir.op import Held

_MARK = "logged"
Marked = TypeVar("Marked", ast.expr, ast.stmt)


def marked(node: Marked, kind: Held = "held") -> Marked:
    """The expression or statement, marked."""
    setattr(node, _MARK, kind)
    return node


def mark_of(node: ast.AST) -> Held | None:
    """How it is marked; None if it is not."""
    return getattr(node, _MARK, None)


def as_statement(done: ast.expr) -> ast.stmt:
    """A call whose result nobody reads; ``x.__setitem__(k, v)`` and the like as Python's
    statement.
    """
    if not isinstance(done, ast.Call) or not isinstance(done.func, ast.Attribute):
        return ast.Expr(done)
    write = _WRITES.get(done.func.attr)
    made = None if write is None else write(done.func.value, *done.args)
    if made is None:
        return ast.Expr(done)
    return marked(made) if mark_of(done) else made


def as_call(statement: ast.stmt) -> ast.Call | None:
    """The call that such a statement stands for."""
    if isinstance(statement, ast.Assign):
        target, name, values = statement.targets[0], "set", [statement.value]
    elif isinstance(statement, ast.Delete):
        target, name, values = statement.targets[0], "del", []
    else:
        return None
    if isinstance(target, ast.Subscript):
        owner, key, kind = target.value, target.slice, "item"
    elif isinstance(target, ast.Attribute):
        owner, key, kind = target.value, ast.Constant(target.attr), "attr"
    else:
        return None
    method = ast.Attribute(owner, f"__{name}{kind}__", ast.Load())
    return ast.Call(method, [key, *values], [])


def _attribute(owner: ast.expr, name: ast.expr, context: ast.expr_context) -> ast.expr | None:
    if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return None
    return ast.Attribute(owner, name.value, context)


def _setattr(owner: ast.expr, name: ast.expr, value: ast.expr) -> ast.stmt | None:
    target = _attribute(owner, name, ast.Store())
    return None if target is None else ast.Assign([target], value, lineno=0)


def _delattr(owner: ast.expr, name: ast.expr) -> ast.stmt | None:
    target = _attribute(owner, name, ast.Del())
    return None if target is None else ast.Delete([target])


_WRITES: dict[str, Callable[..., ast.stmt | None]] = {
    "__setitem__": lambda owner, key, value: ast.Assign(
        [ast.Subscript(owner, key, ast.Store())], value, lineno=0
    ),
    "__delitem__": lambda owner, key: ast.Delete([ast.Subscript(owner, key, ast.Del())]),
    "__setattr__": _setattr,
    "__delattr__": _delattr,
}


def has_effects(root: ast.AST) -> bool:
    """Whether anything in it is marked that does not only read."""
    return any(mark_of(node) not in (None, "read") for node in ast.walk(root))


def copy_marks(source: ast.AST, target: ast.AST) -> None:
    """Mark in ``target`` what is marked in ``source``, the tree that it was printed from."""
    if isinstance(source, (ast.Constant, ast.Name)):  # a name may have dots
        return
    if type(source) is not type(target):
        raise InternalError(f"the text has {type(target).__name__} for {type(source).__name__}")
    if mark_of(source) is not None:
        setattr(target, _MARK, mark_of(source))
    for one, other in zip(_children(source), _children(target), strict=True):
        copy_marks(one, other)


def _children(node: ast.AST) -> list[ast.AST]:
    """Those that are in the text, which has comments for some statements."""
    return [
        child
        for child in ast.iter_child_nodes(node)
        if not isinstance(child, ast.expr_context)
        and not (isinstance(child, ast.stmt) and is_comment(child))
    ]
