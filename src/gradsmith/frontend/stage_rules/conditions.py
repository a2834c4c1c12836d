"""Where Python asks whether a value is true: the runtime answers.

``a and b`` and ``a < b < c`` evaluate each operand once and give back operands, not truth
values. What they need again waits in the function's `Scratch`: no variable could hold it, since
Python allows no `:=` in the iterables of comprehensions.
"""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.assignments import last_of
from gradsmith.frontend.stage_rules.plain import rebuild
from gradsmith.frontend.stage_rules.rewriter import Place, Rewriter, place, rule


@rule(ast.If)
def if_(rewriter: Rewriter, node: ast.If) -> ast.stmt:
    """``if e:`` → ``if __gs__.truth(e, "if"):``."""
    condition = test(rewriter, node.test, "if")
    body = rewriter.body(node.body)
    return replaced(node, test=condition, body=body, orelse=rewriter.body(node.orelse))


@rule(ast.IfExp)
def conditional(rewriter: Rewriter, node: ast.IfExp) -> ast.expr:
    """``a if e else b``."""
    condition = test(rewriter, node.test, "ifexp")
    body = rewriter.visit(node.body)
    return replaced(node, test=condition, body=body, orelse=rewriter.visit(node.orelse))


@rule(ast.Assert)
def assertion(rewriter: Rewriter, node: ast.Assert) -> ast.stmt:
    """``assert e, message``."""
    message = None if node.msg is None else rewriter.visit(node.msg)
    return replaced(node, test=test(rewriter, node.test, "assert"), msg=message)


def test(rewriter: Rewriter, node: ast.expr, kind: str) -> ast.expr:
    """``node`` where only its truth counts: Python asks each operand of ``and`` once."""
    if isinstance(node, ast.BoolOp):
        values = [test(rewriter, value, _word(node)) for value in node.values]
        return replaced(node, values=values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return replaced(node, operand=test(rewriter, node.operand, "not"))
    if isinstance(node, ast.Constant):
        return node
    return _truth(rewriter, rewriter.visit(node), kind)


@rule(ast.UnaryOp)
def negation(rewriter: Rewriter, node: ast.UnaryOp) -> ast.AST:
    """``not a`` → ``not __gs__.truth(a, "not")``; ``-a`` is plain."""
    if isinstance(node.op, ast.Not):
        return test(rewriter, node, "not")
    return rebuild(rewriter, node)


@rule(ast.BoolOp)
def and_or(rewriter: Rewriter, node: ast.BoolOp) -> ast.expr:
    """``a and b`` → ``(pop(), b)[1] if __gs__.truth(keep(a), "and") else pop()``."""
    *firsts, last = [rewriter.visit(value) for value in node.values]
    result: ast.expr = last
    for first in reversed(firsts):
        at = place(first)
        condition = _truth(rewriter, rewriter.scratch("keep", at, first), _word(node))
        kept = rewriter.scratch("pop", at)
        other = last_of(rewriter.scratch("pop", at), result, at)
        arms = (other, kept) if isinstance(node.op, ast.And) else (kept, other)
        result = ast.IfExp(condition, *arms, **place(node))
    return result


@rule(ast.Compare)
def comparison(rewriter: Rewriter, node: ast.Compare) -> ast.AST:
    """``a < b`` is plain; ``a < b < c`` asks for the truth of ``a < b``, as ``and`` does."""
    left = rewriter.visit(node.left)
    operands = [rewriter.visit(operand) for operand in node.comparators]
    return _chain(rewriter, node, left, list(zip(node.ops, operands, strict=True)))


def _chain(
    rewriter: Rewriter,
    node: ast.Compare,
    left: ast.expr,
    links: list[tuple[ast.cmpop, ast.expr]],
) -> ast.expr:
    """``(pop both)[1] < c if truth(keep(a < keep(b)), "and") else (pop both)[0]``."""
    at = place(node)
    (operator, right), *rest = links
    if not rest:
        return replaced(node, left=left, ops=[operator], comparators=[right])
    kept = rewriter.scratch("keep", at, right)
    compared = replaced(node, left=left, ops=[operator], comparators=[kept])
    condition = _truth(rewriter, rewriter.scratch("keep", at, compared), "and")
    following = _chain(rewriter, node, _popped(rewriter, 1, at), rest)
    return ast.IfExp(condition, following, _popped(rewriter, 0, at), **at)


def _popped(rewriter: Rewriter, index: int, at: Place) -> ast.expr:
    """Of what was kept, the last (0) or the one before (1); both are gone then."""
    pair = ast.Tuple([rewriter.scratch("pop", at), rewriter.scratch("pop", at)], ast.Load(), **at)
    return ast.Subscript(pair, ast.Constant(index, **at), ast.Load(), **at)


def _truth(rewriter: Rewriter, value: ast.expr, kind: str) -> ast.expr:
    at = place(value)
    return rewriter.call("truth", at, value, rewriter.text(kind, at))


def _word(node: ast.BoolOp) -> str:
    return "and" if isinstance(node.op, ast.And) else "or"
