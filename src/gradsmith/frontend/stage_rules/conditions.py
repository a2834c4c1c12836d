"""Where Python asks whether a value is true: the runtime answers.

Both arms of an ``if`` on a traced value are run, with the same variables::

    branching = __gs__.branching(e, ("a", "b"))
    for arm in branching:
        if branching.resets: [a, b] = branching.state()
        if arm: ...
        else: ...
    if branching.traced: [a, b] = branching.state()

What is in the loop is tried, as an arm may always end in an error::

    try: ...
    except branching.failure: branching.abandoned()

Expressions hand their parts to the runtime as functions, to be called where Python would evaluate
them.
"""

from __future__ import annotations

import ast
from typing import TypeAlias

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.calls import looks_at_the_caller, raw_call
from gradsmith.frontend.stage_rules.jumps import has_yield, inside, jumps
from gradsmith.frontend.stage_rules.liveness import stored
from gradsmith.frontend.stage_rules.optional import asks_for_none
from gradsmith.frontend.stage_rules.places import head
from gradsmith.frontend.stage_rules.rewriter import (
    Place,
    Rewriter,
    place,
    place_of_attribute,
    rule,
)
from gradsmith.frontend.unsettled import RESULT


@rule(ast.If)
def if_(rewriter: Rewriter, node: ast.If) -> list[ast.stmt]:
    """``if e:``; with a jump that could not be made a value, on plain values only."""
    links = _chain_of(node)
    if len(links) >= LONG_CHAIN and not jumps([*node.body, *node.orelse]):
        return _chain(rewriter, node, links)
    asked = condition(rewriter, node.test)
    arms = [*node.body, *node.orelse]
    body, orelse = rewriter.body(node.body), rewriter.body(node.orelse)
    at = head(node)
    if isinstance(node.test, ast.Constant) or jumps(arms) or has_yield(arms):
        constant = isinstance(node.test, ast.Constant)
        kind = "yield" if has_yield(arms) else "if"
        test = asked if constant else _truth(rewriter, asked, kind)
        return [replaced(node, test=test, body=body, orelse=orelse)]
    names = stored(arms, rewriter.scope)
    variable, arm = rewriter.variable("branching"), rewriter.variable("arm")
    texts = ast.Tuple([ast.Constant(n, **at) for n in names], ast.Load(), **at)
    made = rewriter.call("branching", place(node.test), asked, texts)
    begin = ast.Assign([ast.Name(variable, ast.Store(), **at)], made, **at)
    inner = replaced(node, test=ast.Name(arm, ast.Load(), **at), body=body, orelse=orelse)
    tried = _tried(variable, [inner], at) if rewriter.nested else inner
    loop = ast.For(
        target=ast.Name(arm, ast.Store(), **at),
        iter=ast.Name(variable, ast.Load(), **at),
        body=[*_state(variable, "resets", names, at), tried],
        orelse=[],
        type_comment=None,
        **place(node.test),  # where errors about the condition are
    )
    return [begin, loop, *_state(variable, "traced", names, at)]


LONG_CHAIN = 4
"""From so many on, what is in each other's ``else`` is one loop over the parts."""

Link: TypeAlias = "tuple[list[ast.stmt], ast.If]"
"""What stands before a condition in the ``else`` of another, and the ``if``."""


def _chain_of(node: ast.If) -> list[Link]:
    """The ``if`` and those that are the last statement of the ``else`` before."""
    links: list[Link] = [([], node)]
    while node.orelse and isinstance(node.orelse[-1], ast.If):
        before, node = node.orelse[:-1], node.orelse[-1]
        if isinstance(node.test, ast.Constant):
            break
        links.append((before, node))
    return links


def _chain(rewriter: Rewriter, node: ast.If, links: list[Link]) -> list[ast.stmt]:
    """Their parts as steps of one loop, in the order in which the runtime asks for them."""
    at = head(node)
    names = stored([*node.body, *node.orelse], rewriter.scope)
    variable, step = rewriter.variable("branching"), rewriter.variable("step")
    texts = ast.Tuple([ast.Constant(n, **at) for n in names], ast.Load(), **at)
    count, asked = ast.Constant(len(links), **at), condition(rewriter, node.test)
    made = rewriter.call("branch_chain", place(node.test), asked, texts, count)
    begin = ast.Assign([ast.Name(variable, ast.Store(), **at)], made, **at)
    parts: list[list[ast.stmt]] = []
    for place_, (before, link) in enumerate(links):
        if place_:
            where = place(link.test)
            told = ast.Attribute(
                ast.Name(variable, ast.Load(), **where), "ask", ast.Load(), **where
            )
            ask = ast.Call(told, [condition(rewriter, link.test)], [], **where)
            parts.append([*rewriter.body(before), ast.Expr(ask, **where)])
        parts.append(rewriter.body(link.body))
    parts.append(rewriter.body(links[-1][1].orelse))
    steps = [
        ast.If(_is_step(step, number, at), part, [], **at)
        for number, part in enumerate(parts)
        if part
    ]
    tried = _tried(variable, [*_state(variable, "resets", names, at), *steps], at)
    loop = ast.For(
        target=ast.Name(step, ast.Store(), **at),
        iter=ast.Name(variable, ast.Load(), **at),
        body=[tried],
        orelse=[],
        type_comment=None,
        **place(node.test),
    )
    return [begin, loop, *_state(variable, "traced", names, at)]


def _is_step(name: str, number: int, at: Place) -> ast.expr:
    right = ast.Constant(number, **at)
    return ast.Compare(ast.Name(name, ast.Load(), **at), [ast.Eq()], [right], **at)


def _tried(variable: str, arms: list[ast.stmt], at: Place) -> ast.stmt:
    """``try: arms``, and ``except variable.failure: variable.abandoned()``."""
    owner = ast.Name(variable, ast.Load(), **at)
    failure = ast.Attribute(owner, "failure", ast.Load(), **at)
    told = ast.Call(ast.Attribute(owner, "abandoned", ast.Load(), **at), [], [], **at)
    handler = ast.ExceptHandler(failure, None, [ast.Expr(told, **at)], **at)
    return ast.Try(arms, [handler], [], [], **at)


def _state(variable: str, flag: str, names: tuple[str, ...], at: Place) -> list[ast.stmt]:
    """``if variable.flag: [a, b] = variable.state()``."""
    if not names:
        return []
    owner = ast.Name(variable, ast.Load(), **at)
    targets: list[ast.expr] = [ast.Name(n, ast.Store(), **at) for n in names]
    state = ast.Call(ast.Attribute(owner, "state", ast.Load(), **at), [], [], **at)
    assign = ast.Assign([ast.List(targets, ast.Store(), **at)], state, **at)
    return [ast.If(ast.Attribute(owner, flag, ast.Load(), **at), [assign], [], **at)]


@rule(ast.IfExp)
def conditional(rewriter: Rewriter, node: ast.IfExp) -> ast.expr:
    """``a if e else b`` → ``__gs__.choose(e, lambda: a, lambda: b)``."""
    return _conditional(rewriter, node)


def stored_in(rewriter: Rewriter, target: ast.expr | None, value: ast.expr) -> ast.expr:
    """The rewritten ``value`` that ``target`` gets: a variable that may be None, or the result of
    the function, gets another one as it is, what a call returns, and ``v if e else None``, too.
    """
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = [*zip(target.elts, value.elts, strict=False)]
        starred = any(isinstance(e, ast.Starred) for e in (*target.elts, *value.elts))
        if len(target.elts) == len(value.elts) and not starred:
            return replaced(value, elts=[stored_in(rewriter, *pair) for pair in pairs])
    if not isinstance(target, ast.Name) or not (
        target.id.startswith(RESULT) or target.id in rewriter.optional
    ):
        return rewriter.visit(value)  # type: ignore[no-any-return]
    if isinstance(value, ast.Name) and value.id in rewriter.optional:
        at = place(value)
        return rewriter.call("raw", at, rewriter.text(value.id, at), value)
    if isinstance(value, ast.Call):
        return raw_call(rewriter, value)
    if not isinstance(value, ast.IfExp):
        return rewriter.visit(value)  # type: ignore[no-any-return]
    return _conditional(rewriter, value, target)


def _conditional(rewriter: Rewriter, node: ast.IfExp, target: ast.Name | None = None) -> ast.expr:
    """The same for a variable that may be None, the ``target``."""
    asked = condition(rewriter, node.test)
    arms = [stored_in(rewriter, target, arm) for arm in (node.body, node.orelse)]
    if needs_the_frame(rewriter, node.body, node.orelse):
        test = _truth(rewriter, asked, "ifexp")
        return replaced(node, test=test, body=arms[0], orelse=arms[1])
    if target is not None:
        at = place(node)
        named = rewriter.text(target.id, at)
        return rewriter.call("choose_for", at, named, asked, *map(_later, arms))
    return rewriter.call("choose", place(node), asked, *map(_later, arms))


@rule(ast.Assert)
def assertion(rewriter: Rewriter, node: ast.Assert) -> ast.stmt:
    """``assert e, message`` → ``assert __gs__.asserted(e, lambda: message), message``."""
    message = None if node.msg is None else rewriter.visit(node.msg)
    none = ast.Constant(None, **place(node))
    value = condition(rewriter, node.test)
    asked = rewriter.call("asserted", place(node.test), value, _later(message or none))
    return replaced(node, test=asked, msg=message)


def test(rewriter: Rewriter, node: ast.expr, kind: str) -> ast.expr:
    """``node`` where only its truth counts, and where it must be known when tracing."""
    if isinstance(node, ast.Constant):
        return node
    return _truth(rewriter, condition(rewriter, node), kind)


@rule(ast.UnaryOp)
def negation(rewriter: Rewriter, node: ast.UnaryOp) -> ast.AST:
    """``not a`` → ``__gs__.negate(a)``; ``-a`` → ``__gs_scratch__.unary("USub", a)``."""
    at = place(node)
    if isinstance(node.op, ast.Not):
        return rewriter.call("negate", at, condition(rewriter, node.operand))
    if isinstance(node.operand, ast.Constant):
        return node
    word = rewriter.text(type(node.op).__name__, at)
    return rewriter.scratch("unary", at, word, rewriter.visit(node.operand))


@rule(ast.BoolOp)
def and_or(rewriter: Rewriter, node: ast.BoolOp) -> ast.expr:
    """``a and b`` → ``__gs__.either("and", a, lambda: b)``."""
    return _either(rewriter, node, [rewriter.visit(value) for value in node.values])


def condition(rewriter: Rewriter, node: ast.expr) -> ast.expr:
    """``node`` where only its truth counts: like Python, that asks no operand twice."""
    if isinstance(node, ast.Compare):
        return _comparison(rewriter, node, "asked_chain")
    if isinstance(node, ast.Name) and node.id in rewriter.optional:
        at = place(node)
        return rewriter.call("truth_or_none", at, rewriter.text(node.id, at), node)
    if isinstance(node, ast.Attribute):
        return _of_attribute(rewriter, "attribute_truth", node)
    if not isinstance(node, ast.BoolOp):
        return rewriter.visit(node)  # type: ignore[no-any-return]
    *firsts, last = [condition(rewriter, value) for value in node.values]
    once = [rewriter.scratch("once", place(value), value) for value in firsts]
    return _either(rewriter, node, [*once, last])


def _either(rewriter: Rewriter, node: ast.BoolOp, values: list[ast.expr]) -> ast.expr:
    word = "and" if isinstance(node.op, ast.And) else "or"
    *firsts, result = values
    if needs_the_frame(rewriter, *node.values[1:]):
        known = [_truth(rewriter, value, word) for value in firsts]
        return replaced(node, values=[*known, result])
    for first in reversed(firsts):
        text = rewriter.text(word, place(first))
        result = rewriter.call("either", place(node), text, first, _later(result))
    return result


@rule(ast.Compare)
def comparison(rewriter: Rewriter, node: ast.Compare) -> ast.expr:
    """``a < b`` → ``__gs_scratch__.compared(a, "Lt", b)``; ``a < b < c`` → ``__gs__.chain(a, "Lt",
    lambda: b, ...)``; ``a is b`` is plain.
    """
    return _comparison(rewriter, node, "chain")


def _comparison(rewriter: Rewriter, node: ast.Compare, chained: str) -> ast.expr:
    at = place(node)
    if asks_for_none(node) and isinstance(node.left, (ast.Name, ast.Attribute)):
        made = _is_none(rewriter, node.left, at)
        return rewriter.call("negate", at, made) if isinstance(node.ops[0], ast.IsNot) else made
    left = rewriter.visit(node.left)
    operands = [rewriter.visit(operand) for operand in node.comparators]
    if len(operands) == 1 and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        same = rewriter.call("identical", at, left, *operands)
        no = isinstance(node.ops[0], ast.IsNot)
        return rewriter.call("negate", at, same) if no else same
    if len(operands) == 1:
        word = rewriter.text(type(node.ops[0]).__name__, at)
        return rewriter.scratch("compared", at, left, word, operands[0])
    if len(operands) == 1 or needs_the_frame(rewriter, *node.comparators[1:]):
        return replaced(node, left=left, comparators=operands)
    words = [rewriter.text(type(operator).__name__, at) for operator in node.ops]
    laters = [_later(operand) for operand in operands]
    if needs_the_frame(rewriter, node.comparators[0]):  # which is evaluated in any case
        laters[0] = rewriter.scratch("given", place(operands[0]), operands[0])
    links = [part for link in zip(words, laters, strict=True) for part in link]
    return rewriter.call(chained, at, left, *links)


def _is_none(rewriter: Rewriter, node: ast.Name | ast.Attribute, at: Place) -> ast.expr:
    """``node is None``."""
    if isinstance(node, ast.Attribute):
        return _of_attribute(rewriter, "attribute_is_none", node)
    if node.id in rewriter.optional:
        return rewriter.call("is_none", at, rewriter.text(node.id, at), node)
    none = ast.Constant(None, **at)
    return rewriter.call("identical", at, rewriter.visit(node), none)


def _of_attribute(rewriter: Rewriter, method: str, node: ast.Attribute) -> ast.expr:
    """``__gs__.method(x, "a")`` of ``x.a``."""
    at = place_of_attribute(node, node)
    return rewriter.call(method, at, rewriter.visit(node.value), rewriter.text(node.attr, at))


def _later(value: ast.expr) -> ast.expr:
    """``lambda: value``."""
    none = ast.arguments([], [], None, [], [], None, [])
    return ast.Lambda(none, value, **place(value))


def needs_the_frame(rewriter: Rewriter, *nodes: ast.expr) -> bool:
    """Whether they do what a function of their own could not: ``:=``, ``super()``, ``eval()``."""
    kinds = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    return any(
        isinstance(n, kinds) or (isinstance(n, ast.Call) and looks_at_the_caller(rewriter, n))
        for n in inside(nodes)
    )


def _truth(rewriter: Rewriter, value: ast.expr, kind: str) -> ast.expr:
    at = place(value)
    return rewriter.call("truth", at, value, rewriter.text(kind, at))
