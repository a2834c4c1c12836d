"""Functions, lambdas and classes that are defined inside a staged function."""

from __future__ import annotations

import ast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.rewriter import SCRATCH, Rewriter, place, rule
from gradsmith.frontend.stage_rules.scopes import function_scope


@rule(ast.FunctionDef)
def function(rewriter: Rewriter, node: ast.FunctionDef) -> ast.stmt:
    """A function inside is staged with the outer one; its annotations stay as they are."""
    decorators = [_decorator(rewriter, d) for d in node.decorator_list]
    arguments = _arguments(rewriter, node.args)
    with rewriter.inside(function_scope(node, rewriter.scope)):
        body = rewriter.function_body(node)
    return replaced(node, decorator_list=decorators, args=arguments, body=body)


@rule(ast.Lambda)
def lambda_(rewriter: Rewriter, node: ast.Lambda) -> ast.expr:
    """The same for a lambda."""
    arguments = _arguments(rewriter, node.args)
    with rewriter.inside(function_scope(node, rewriter.scope)):
        return replaced(node, args=arguments, body=rewriter.function_body(node))


@rule(ast.ClassDef)
def class_(rewriter: Rewriter, node: ast.ClassDef) -> ast.stmt:
    """The body of a class is left alone: its methods are staged when they are called.

    A decorator, ``__gs_scratch__.defined``, takes note of it before and after the others, and
    ``metaclass=__gs_scratch__.making(...)`` calls what Python calls when it makes a class.
    """
    at = place(node.body[0])
    made_here = rewriter.method(SCRATCH, "defined", at)
    decorators = [_decorator(rewriter, d) for d in node.decorator_list]
    keywords = [rewriter.visit(k) for k in node.keywords]
    if all(k.arg for k in keywords):
        given = next((k.value for k in keywords if k.arg == "metaclass"), ast.Constant(None, **at))
        making = ast.keyword("metaclass", rewriter.scratch("making", at, given), **at)
        keywords = [making, *(k for k in keywords if k.arg != "metaclass")]
    return replaced(
        node,
        decorator_list=[made_here, *decorators, made_here],
        bases=[rewriter.visit(b) for b in node.bases],
        keywords=keywords,
    )


def _decorator(rewriter: Rewriter, decorator: ast.expr) -> ast.expr:
    """``@d`` → ``@__gs_scratch__.decorator(d)``."""
    return rewriter.scratch("decorator", place(decorator), rewriter.visit(decorator))


def _arguments(rewriter: Rewriter, arguments: ast.arguments) -> ast.arguments:
    """Defaults are evaluated where the function is defined."""
    defaults = [rewriter.visit(d) for d in arguments.defaults]
    keyword_only = [d and rewriter.visit(d) for d in arguments.kw_defaults]
    return replaced(arguments, defaults=defaults, kw_defaults=keyword_only)
