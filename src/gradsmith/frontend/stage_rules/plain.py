"""Syntax that stays Python's: only what is inside is rewritten."""

from __future__ import annotations

import ast
from typing import Any, cast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.calls import raw_call
from gradsmith.frontend.stage_rules.rewriter import Rewriter, place, rule


@rule(
    ast.List,
    ast.Tuple,
    ast.Slice,
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


@rule(ast.Expr)
def expression(rewriter: Rewriter, node: ast.Expr) -> ast.stmt:
    """An expression whose value nobody reads: of a call it need not be known."""
    if isinstance(node.value, ast.Call):
        return replaced(node, value=raw_call(rewriter, node.value))
    return replaced(node, value=rewriter.visit(node.value))


@rule(ast.Dict, ast.Set)
def keyed(rewriter: Rewriter, node: ast.Dict | ast.Set) -> ast.expr:
    """``{a: b}`` → ``__gs_scratch__.keyed({a: b})``, where a key may be an object."""
    if isinstance(node, ast.Set) and any(isinstance(e, ast.Starred) for e in node.elts):
        made: ast.expr = replaced(node, elts=[_member(rewriter, e) for e in node.elts])
    elif isinstance(node, ast.Dict) and None in node.keys:
        made = replaced(node, **_with_mappings(rewriter, node))
    else:
        made = cast(ast.expr, rebuild(rewriter, node))
    keys = node.keys if isinstance(node, ast.Dict) else node.elts
    plain = all(key is None or isinstance(key, (ast.Constant, ast.JoinedStr)) for key in keys)
    return made if plain else rewriter.scratch("keyed", place(node), made)


def _with_mappings(rewriter: Rewriter, node: ast.Dict) -> dict[str, list[Any]]:
    """The keys and values, of which some are those of other mappings."""
    keys = [key and rewriter.visit(key) for key in node.keys]
    pairs = zip(node.keys, node.values, strict=True)
    values = [rewriter.visit(v) if k else _by_keys(rewriter, v) for k, v in pairs]
    return {"keys": keys, "values": values}


def _by_keys(rewriter: Rewriter, node: ast.expr) -> ast.expr:
    """``**e`` → ``**__gs_scratch__.by_keys(e)``."""
    value: ast.expr = rewriter.scratch("by_keys", place(node), rewriter.visit(node))
    return value


@rule(ast.keyword)
def keyword(rewriter: Rewriter, node: ast.keyword) -> ast.keyword:
    """The argument of a call that has a name, or all that a mapping has."""
    if node.arg:
        return replaced(node, value=rewriter.visit(node.value))
    value = rewriter.scratch("named", place(node.value), rewriter.visit(node.value))
    return replaced(node, value=value)


def _member(rewriter: Rewriter, node: ast.expr) -> ast.expr:
    if not isinstance(node, ast.Starred):
        return cast(ast.expr, rewriter.visit(node))
    value = rewriter.visit(node.value)
    return replaced(node, value=rewriter.scratch("members", place(node.value), value))


@rule(ast.Starred)
def starred(rewriter: Rewriter, node: ast.Starred) -> ast.AST:
    """``*e`` → ``*__gs_scratch__.spread(e)``."""
    value = rewriter.visit(node.value)
    if isinstance(node.ctx, ast.Load):
        value = rewriter.scratch("spread", place(node.value), value)
    return replaced(node, value=value)


@rule(ast.BinOp)
def operation(rewriter: Rewriter, node: ast.BinOp) -> ast.expr:
    """``a + b`` → ``__gs_scratch__.binary("Add", a, b)``; a loop, as sums may have many terms.

    ``a % b`` → ``__gs__.modulo(a, b)``, as ``a`` may be a text.
    """
    chain = [node]
    while isinstance(chain[-1].left, ast.BinOp):
        chain.append(chain[-1].left)
    result = rewriter.visit(chain[-1].left)
    for link in reversed(chain):
        right = rewriter.visit(link.right)
        if isinstance(link.op, ast.Mod):
            result = rewriter.call("modulo", place(link), result, right)
        else:
            at = place(link)
            word = rewriter.text(type(link.op).__name__, at)
            result = rewriter.scratch("binary", at, word, result, right)
    return result  # type: ignore[no-any-return]


@rule(ast.JoinedStr)
def f_string(rewriter: Rewriter, node: ast.JoinedStr) -> ast.expr:
    """``f"a{b!r:c}"`` → ``__gs__.joined("a", __gs__.formatted(b, "r", "c"))``."""
    if all(isinstance(part, ast.Constant) for part in node.values):
        return node
    parts = [rewriter.visit(part) for part in node.values]
    return rewriter.call("joined", place(node), *parts)


@rule(ast.FormattedValue)
def formatted(rewriter: Rewriter, node: ast.FormattedValue) -> ast.expr:
    """What stands in braces."""
    at = place(node)
    conversion = rewriter.text(chr(node.conversion) if node.conversion > 0 else "", at)
    spec = rewriter.text("", at)
    if node.format_spec is not None:
        spec = rewriter.visit(node.format_spec)
    return rewriter.call("formatted", at, rewriter.visit(node.value), conversion, spec)


@rule(
    ast.Constant,
    ast.Pass,
    ast.Break,
    ast.Continue,
    ast.Global,
    ast.Nonlocal,
)
def leaf(rewriter: Rewriter, node: ast.AST) -> ast.AST:
    """Itself: there is nothing inside."""
    return node
