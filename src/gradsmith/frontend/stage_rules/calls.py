"""Calls."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.rewriter import (
    RUNTIME,
    Rewriter,
    place,
    place_of_attribute,
    rule,
)

# They look at the frame of their caller, which has to stay the user's.
_LOOK_AT_THE_CALLER = frozenset(
    {"breakpoint", "dir", "eval", "exec", "globals", "locals", "super", "vars"}
)
_COMPILING = {"eval": "evaluated", "exec": "executed"}
"""Those that run a source, and the method that gives their arguments."""
_WITHOUT_ARGUMENTS = frozenset({"dir", "super", "vars"})
_SHOWING = {
    "globals": "names",
    "dir": "users_names",
    **dict.fromkeys(("locals", "vars"), "users_variables"),
}
"""The method of the runtime that gives the user's code what these show."""


@rule(ast.Call)
def call(rewriter: Rewriter, node: ast.Call) -> ast.expr:
    """``f(a, *b, k=c, **d)`` → ``__gs__.call(f, a, *b, k=c, **d)``; ``super()`` →
    ``super(__class__, self)``.
    """
    if _is_own_super(rewriter, node):
        at = place(node)
        names = ("__class__", rewriter.scope.first or "")
        given = [ast.Name(name, ast.Load(), **at) for name in names]
        return replaced(node, args=given)
    direct = looks_at_the_caller(rewriter, node)
    function = node.func if direct else rewriter.visit(node.func)
    lazy = not direct and _may_be_first(node)
    visits = [rewriter.argument if lazy else rewriter.visit, *[rewriter.visit] * len(node.args)]
    arguments = [visit(a) for visit, a in zip(visits, node.args, strict=False)]
    keywords = [rewriter.visit(k) for k in node.keywords]
    if direct:
        if isinstance(node.func, ast.Name) and node.func.id in _COMPILING and arguments:
            made_known = rewriter.scratch(_COMPILING[node.func.id], place(node), *arguments)
            arguments = [ast.Starred(made_known, ast.Load(), **place(node))]
        made: ast.expr = replaced(node, args=arguments, keywords=keywords)
        shown = _SHOWING.get(node.func.id) if isinstance(node.func, ast.Name) else None
        if shown == "users_variables" and rewriter.scope.is_class:
            return made  # the attributes of the class, which the body may write to
        if shown == "users_names":  # the names alone do not tell which variables are set
            made = rewriter.call("locals", place(node))
        return made if shown is None else rewriter.call(shown, place(node), made)
    at = place_of_attribute(node, node.func)
    by_runtime = rewriter.method(RUNTIME, "call", at)
    if _takes_apart(node):
        named = rewriter.scratch("calling", at, by_runtime, function)
        return ast.Call(named, arguments, keywords, **at)
    return ast.Call(by_runtime, [function, *arguments], keywords, **at)


def _takes_apart(node: ast.Call) -> bool:
    """Whether Python takes arguments apart (``*a``, ``**k``), and says of which function they are
    where it cannot.
    """
    starred = any(isinstance(argument, ast.Starred) for argument in node.args)
    return starred or any(keyword.arg is None for keyword in node.keywords)


def raw_call(rewriter: Rewriter, node: ast.Call) -> ast.expr:
    """The same as ``__gs__.call_raw(...)``, whose result may be None on some paths only."""
    made = call(rewriter, node)
    function = getattr(made, "func", None)
    raw = rewriter.method(RUNTIME, "call_raw", place_of_attribute(node, node.func))
    if isinstance(function, ast.Call):
        return replaced(made, func=replaced(function, args=[raw, function.args[1]]))
    by_runtime = isinstance(function, ast.Attribute) and function.attr == "call"
    return replaced(made, func=raw) if by_runtime else made


def _may_be_first(node: ast.Call) -> bool:
    """Whether it does not matter if the other arguments are evaluated before the first."""
    if node.args and isinstance(node.args[0], ast.GeneratorExp):
        return True  # its elements come last in any case
    others = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
    return all(isinstance(other, ast.Constant) for other in others)


def looks_at_the_caller(rewriter: Rewriter, node: ast.Call) -> bool:
    """Whether it calls a builtin that does."""
    if not isinstance(node.func, ast.Name) or node.func.id not in _LOOK_AT_THE_CALLER:
        return False
    if node.func.id in _WITHOUT_ARGUMENTS and (node.args or _is_own_super(rewriter, node)):
        return False
    return rewriter.is_builtin(node.func)


def _is_own_super(rewriter: Rewriter, node: ast.Call) -> bool:
    """Whether it is ``super()`` in a method, of which the first argument is known."""
    plain = isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args
    return plain and rewriter.scope.first is not None and rewriter.is_builtin(node.func)
