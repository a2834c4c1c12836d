"""``while True:``, and the condition that it asks first."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.places import place


def is_endless(node: ast.For | ast.While) -> bool:
    """Whether it is ``while True:``."""
    return (
        isinstance(node, ast.While)
        and isinstance(node.test, ast.Constant)
        and bool(node.test.value)
    )


def asking_first(node: ast.For | ast.While) -> ast.For | ast.While:
    """``while True: if c: break ...`` as ``while not c: ...``, which is the same."""
    first, *others = node.body
    if not (is_endless(node) and isinstance(first, ast.If) and others) or node.orelse:
        return node
    if first.orelse or not all(isinstance(s, ast.Break) for s in first.body):
        return node
    asked = ast.UnaryOp(ast.Not(), first.test, **place(first.test))
    return replaced(node, test=asked, body=others)
