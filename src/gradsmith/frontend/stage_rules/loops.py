"""Loops."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.assignments import binds, effects
from gradsmith.frontend.stage_rules.conditions import test
from gradsmith.frontend.stage_rules.rewriter import Rewriter, place, rule


@rule(ast.For)
def for_(rewriter: Rewriter, node: ast.For) -> list[ast.stmt]:
    """``for x in e:`` → ``for x in __gs__.iterate(e):``, and ``x`` is bound in every trip."""
    items = iterated(rewriter, node.iter)
    target = rewriter.visit(node.target)
    body = [*binds(rewriter, [node.target]), *rewriter.body(node.body)]
    orelse = rewriter.body(node.orelse)
    loop = replaced(node, target=target, iter=items, body=body, orelse=orelse)
    return [*effects(rewriter, [node.target]), loop]


@rule(ast.While)
def while_(rewriter: Rewriter, node: ast.While) -> ast.stmt:
    """``while e:`` → ``while __gs__.truth(e, "while"):``."""
    condition = test(rewriter, node.test, "while")
    body = rewriter.body(node.body)
    return replaced(node, test=condition, body=body, orelse=rewriter.body(node.orelse))


def iterated(rewriter: Rewriter, iterable: ast.expr) -> ast.expr:
    """``__gs__.iterate(iterable)``."""
    return rewriter.call("iterate", place(iterable), rewriter.visit(iterable))
