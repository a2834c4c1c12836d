"""Trips that are counted for nothing: a loop over a list does not need their number."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from gradsmith.codegen.frames import assigned


def without_counters(statements: Sequence[ast.stmt], counters: Collection[str]) -> list[ast.stmt]:
    """The statements without those of the counters that are never read."""
    if not counters:
        return list(statements)
    nodes = [n for statement in statements for n in ast.walk(statement)]
    read = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    idle = set(counters) - read
    return _without(statements, idle) if idle else list(statements)


def _without(statements: Sequence[ast.stmt], idle: set[str]) -> list[ast.stmt]:
    kept = []
    for statement in statements:
        if _changed(statement) in idle:
            continue
        for block in ("body", "orelse"):
            if isinstance(statement, (ast.For, ast.While, ast.If)):
                setattr(statement, block, _without(getattr(statement, block), idle))
        kept.append(statement)
    return kept


def _changed(statement: ast.stmt) -> str | None:
    """The variable that a statement assigns or adds to."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    return assigned(statement)
