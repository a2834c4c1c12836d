"""Subscripts."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.rewriter import SCRATCH, Rewriter, place, rule


@rule(ast.Subscript)
def subscript(rewriter: Rewriter, node: ast.Subscript) -> ast.expr:
    """``x[key]`` → ``__gs__.item(x, key)``; as a target → ``__gs__.target(x, None)[key]``.

    Slices can only be written in brackets: ``x[1:]`` → ``__gs__.item(x, __gs_scratch__[1:])``,
    where the `Scratch` gives the key back.
    """
    owner = rewriter.visit(node.value)
    key = rewriter.visit(node.slice)
    if not isinstance(node.ctx, ast.Load):
        there = place(node.value)
        target = rewriter.call("target", there, owner, ast.Constant(None, **there))
        return replaced(node, value=target, slice=key)
    at = place(node)
    if _only_in_brackets(key):
        key = ast.Subscript(ast.Name(SCRATCH, ast.Load(), **at), key, ast.Load(), **at)
    return rewriter.call("item", at, owner, key)


def _only_in_brackets(key: ast.expr) -> bool:
    parts = key.elts if isinstance(key, ast.Tuple) else [key]
    return any(isinstance(part, ast.Slice) for part in parts)
