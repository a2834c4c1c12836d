"""Functions and lambdas that are defined inside a staged function."""

from __future__ import annotations

import ast
from typing import cast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.assignments import defining
from gradsmith.frontend.stage_rules.rewriter import Rewriter, place, rule
from gradsmith.frontend.stage_rules.scopes import function_scope


@rule(ast.FunctionDef)
def function(rewriter: Rewriter, node: ast.FunctionDef) -> list[ast.stmt]:
    """A function inside is staged with the outer one."""
    decorators = [decorator(rewriter, d) for d in node.decorator_list]
    arguments = _arguments(rewriter, node.args)
    with rewriter.inside(function_scope(node, rewriter.scope)):
        body = rewriter.function_body(node)
    returns = annotation(rewriter, node.returns)
    made = replaced(node, decorator_list=decorators, args=arguments, body=body, returns=returns)
    return defining(rewriter, made, node.name)


@rule(ast.Lambda)
def lambda_(rewriter: Rewriter, node: ast.Lambda) -> ast.expr:
    """The same for a lambda."""
    arguments = _arguments(rewriter, node.args)
    with rewriter.inside(function_scope(node, rewriter.scope)):
        return replaced(node, args=arguments, body=rewriter.function_body(node))


def decorator(rewriter: Rewriter, node: ast.expr) -> ast.expr:
    """``@d`` → ``@__gs_scratch__.decorator(d)``."""
    return rewriter.scratch("decorator", place(node), rewriter.visit(node))


def _arguments(rewriter: Rewriter, arguments: ast.arguments) -> ast.arguments:
    """Defaults are evaluated where the function is defined."""
    defaults = [rewriter.visit(d) for d in arguments.defaults]
    keyword_only = [d and rewriter.visit(d) for d in arguments.kw_defaults]
    return replaced(annotated(rewriter, arguments), defaults=defaults, kw_defaults=keyword_only)


def annotated(rewriter: Rewriter, arguments: ast.arguments) -> ast.arguments:
    """The parameters with their annotations."""

    def one(parameter: ast.arg | None) -> ast.arg | None:
        noted = parameter and annotation(rewriter, parameter.annotation)
        return parameter and replaced(parameter, annotation=noted)

    return replaced(
        arguments,
        posonlyargs=list(map(one, arguments.posonlyargs)),
        args=list(map(one, arguments.args)),
        vararg=one(arguments.vararg),
        kwonlyargs=list(map(one, arguments.kwonlyargs)),
        kwarg=one(arguments.kwarg),
    )


def annotation(rewriter: Rewriter, node: ast.expr | None) -> ast.expr | None:
    """One that calls something is evaluated as defaults are; others stay as they are."""
    calls = node is not None and any(isinstance(part, ast.Call) for part in ast.walk(node))
    return cast(ast.expr, rewriter.visit(node)) if calls else node
