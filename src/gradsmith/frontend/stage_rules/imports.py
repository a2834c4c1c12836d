"""``import module`` and ``from module import name`` within a function."""

from __future__ import annotations

import ast

from gradsmith.frontend.stage_rules.assignments import binds, defining, effects
from gradsmith.frontend.stage_rules.rewriter import Rewriter, place, rule


@rule(ast.Import)
def import_(rewriter: Rewriter, node: ast.Import) -> list[ast.stmt]:
    """``import m.n``, which gives the variable ``m`` a value, or ``import m as b``."""
    names = [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    return defining(rewriter, node, *names)


@rule(ast.ImportFrom)
def import_from(rewriter: Rewriter, node: ast.ImportFrom) -> list[ast.stmt]:
    """``from m import a as b`` → ``__gs__.importing("m", 0, "a")``, the same, and
    ``b = __gs__.imported("m", 0, "a", b)``: the value is a variable of the module, which may
    change between calls.
    """
    at = place(node)
    targets: list[ast.expr] = []
    before: list[ast.stmt] = []
    after: list[ast.stmt] = []
    for alias in node.names:
        name = alias.asname or alias.name
        target = ast.Name(name, ast.Store(), **at)
        where = [ast.Constant(v, **at) for v in (node.module or "", node.level, alias.name)]
        value = rewriter.call("imported", at, *where, ast.Name(name, ast.Load(), **at))
        targets.append(target)
        before.append(ast.Expr(rewriter.call("importing", at, *where), **at))
        after.append(ast.Assign([target], value, **at))
    return [*effects(rewriter, targets), *before, node, *after, *binds(rewriter, targets)]
