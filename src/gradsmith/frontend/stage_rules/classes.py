"""Classes that are defined inside a staged function.

What the body of a class does is done by the function, each time that it makes the class. Control
flow in it is decided by the present values, and methods are staged when they are called.

Parts of expressions that staging makes functions of (``a if e else b``) would not see the names
of the class: where they read one of these, they stay as they are.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn, cast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.assignments import defining
from gradsmith.frontend.stage_rules.conditions import test
from gradsmith.frontend.stage_rules.functions import annotated, annotation, decorator
from gradsmith.frontend.stage_rules.loops import iterated
from gradsmith.frontend.stage_rules.rewriter import SCRATCH, Rewriter, place, rule
from gradsmith.frontend.stage_rules.scopes import COMPREHENSIONS, class_scope, names_in


@rule(ast.ClassDef)
def class_(rewriter: Rewriter, node: ast.ClassDef) -> list[ast.stmt]:
    """A decorator, ``__gs_scratch__.defined``, takes note of it before and after the others, and
    ``metaclass=__gs_scratch__.making(...)`` calls what Python calls when it makes a class.
    """
    at = place(node.body[0])
    made_here = rewriter.method(SCRATCH, "defined", at)
    decorators = [decorator(rewriter, d) for d in node.decorator_list]
    keywords = [rewriter.visit(k) for k in node.keywords]
    if all(k.arg for k in keywords):
        given = next((k.value for k in keywords if k.arg == "metaclass"), ast.Constant(None, **at))
        making = ast.keyword("metaclass", rewriter.scratch("making", at, given), **at)
        keywords = [making, *(k for k in keywords if k.arg != "metaclass")]
    made = replaced(
        node,
        decorator_list=[made_here, *decorators, made_here],
        bases=[rewriter.visit(b) for b in node.bases],
        keywords=keywords,
        body=_body(rewriter, node),
    )
    return defining(rewriter, made, node.name)


def _body(rewriter: Rewriter, node: ast.ClassDef) -> list[ast.stmt]:
    """The statements: each knows the names that those before it have set."""
    made: list[ast.stmt] = []
    with rewriter.inside(class_scope(rewriter.scope)):
        for statement in node.body:
            set_within = isinstance(statement, _COMPOUND)
            known = names_in([statement]).bound if set_within else set()
            rewriter.scope = replace(rewriter.scope, bound=rewriter.scope.bound | known)
            made += _Statements(rewriter).block([copy.deepcopy(statement)])
            bound = rewriter.scope.bound | names_in([statement]).bound
            rewriter.scope = replace(rewriter.scope, bound=bound)
    return made


_COMPOUND = (ast.If, ast.For, ast.While, ast.With)


class _Statements(ast.NodeTransformer):
    """Rewrites copies of statements of a class."""

    def __init__(self, rewriter: Rewriter) -> None:
        self.rewriter = rewriter

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements that take the place of these."""
        return cast(ast.Module, self.generic_visit(ast.Module([*statements], []))).body

    def visit(self, node: ast.AST) -> Any:
        """A statement, or an expression in it."""
        return self._expression(node) if isinstance(node, ast.expr) else super().visit(node)

    def _expression(self, node: ast.expr) -> Any:
        if not self._hides_own(node):
            return self.rewriter.visit(node)
        return node if isinstance(node, _FUNCTIONS) else self.generic_visit(node)

    def _hides_own(self, node: ast.AST) -> bool:
        """Whether something in it that becomes a function reads a name of the class."""
        own = self.rewriter.scope.bound
        return any(
            isinstance(name, ast.Name) and name.id in own
            for part in ast.walk(node)
            if isinstance(part, _DEFERRED)
            for name in ast.walk(part)
        )

    def _simple(self, node: ast.stmt) -> Any:
        return self.generic_visit(node) if self._hides_own(node) else self.rewriter.visit(node)

    visit_Assign = visit_AugAssign = visit_Expr = visit_Assert = visit_Raise = _simple

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """Annotations stay as they are."""
        return replaced(node, value=node.value and self.visit(node.value))

    def visit_Delete(self, node: ast.Delete) -> Any:
        """Attributes of the class are deleted by Python."""
        plain = any(isinstance(target, ast.Name) for target in node.targets)
        return node if plain else self.rewriter.visit(node)

    def visit_If(self, node: ast.If) -> ast.stmt:
        """The present values decide."""
        body, orelse = self.block(node.body), self.block(node.orelse)
        return replaced(node, test=self._test(node.test), body=body, orelse=orelse)

    def visit_While(self, node: ast.While) -> ast.stmt:
        """The same."""
        body, orelse = self.block(node.body), self.block(node.orelse)
        return replaced(node, test=self._test(node.test), body=body, orelse=orelse)

    def _test(self, node: ast.expr) -> ast.expr:
        if self._hides_own(node):
            return cast(ast.expr, self.visit(node))
        return test(self.rewriter, node, "while")

    def visit_For(self, node: ast.For) -> ast.stmt:
        """Python goes over the elements."""
        hides = self._hides_own(node.iter)
        iterable = self.visit(node.iter) if hides else iterated(self.rewriter, node.iter)
        body, orelse = self.block(node.body), self.block(node.orelse)
        target = self.visit(node.target)
        return replaced(node, target=target, iter=iterable, body=body, orelse=orelse)

    def _refused(self, node: ast.stmt) -> NoReturn:
        """What is not decided by the present values alone, and variables that are set for good."""
        what = f"Python's `{type(node).__name__.lower()}` in the body of a class"
        raise self.rewriter.refusal(node, what, "do it before the class statement")

    visit_Try = visit_TryStar = visit_Match = visit_Global = visit_Nonlocal = _refused

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        """A method: its defaults are evaluated with the class."""
        defaults = [self.visit(value) for value in node.args.defaults]
        by_name = [value and self.visit(value) for value in node.args.kw_defaults]
        noted = annotated(self.rewriter, node.args)
        arguments = replaced(noted, defaults=defaults, kw_defaults=by_name)
        decorators = [
            self.visit(d) if self._hides_own(d) else decorator(self.rewriter, d)
            for d in node.decorator_list
        ]
        returns = annotation(self.rewriter, node.returns)
        return replaced(node, args=arguments, decorator_list=decorators, returns=returns)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        """One that is never called."""
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt | list[ast.stmt]:
        """A class inside, which sees no names of this one."""
        asked = [*node.decorator_list, *node.bases, *node.keywords]
        return node if any(map(self._hides_own, asked)) else class_(self.rewriter, node)


_FUNCTIONS = (ast.Lambda, *COMPREHENSIONS)
_DEFERRED = (ast.IfExp, ast.BoolOp, ast.Compare, *_FUNCTIONS)
"""Expressions of which parts become functions."""
