"""Syntax that stays Python's: only what is inside is rewritten."""

from __future__ import annotations

import ast
from typing import Any

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.rewriter import Rewriter, rule


@rule(
    ast.Dict,
    ast.Set,
    ast.List,
    ast.Tuple,
    ast.Starred,
    ast.Slice,
    ast.JoinedStr,
    ast.FormattedValue,
    ast.keyword,
    ast.Expr,
)
def rebuild(rewriter: Rewriter, node: ast.AST) -> ast.AST:
    """The same with what is inside rewritten; for nodes without statements in them."""
    changes: dict[str, Any] = {}
    for name, value in vars(node).items():
        if isinstance(value, list):
            visited = [x and rewriter.visit(x) for x in value]  # a `**` in a dict has key None
            if any(new is not old for new, old in zip(visited, value, strict=True)):
                changes[name] = visited
        elif isinstance(value, ast.expr):
            changes[name] = rewriter.visit(value)
    return replaced(node, **changes) if changes else node


@rule(ast.BinOp)
def operation(rewriter: Rewriter, node: ast.BinOp) -> ast.expr:
    """`a + b`; a loop, so that a sum may have as many terms as Python allows."""
    chain = [node]
    while isinstance(chain[-1].left, ast.BinOp):
        chain.append(chain[-1].left)
    result = rewriter.visit(chain[-1].left)
    for link in reversed(chain):
        result = replaced(link, left=result, right=rewriter.visit(link.right))
    return result  # type: ignore[no-any-return]


@rule(
    ast.Constant,
    ast.Pass,
    ast.Break,
    ast.Continue,
    ast.Import,
    ast.ImportFrom,
    ast.Global,
    ast.Nonlocal,
)
def leaf(rewriter: Rewriter, node: ast.AST) -> ast.AST:
    """Itself: there is nothing inside."""
    return node
