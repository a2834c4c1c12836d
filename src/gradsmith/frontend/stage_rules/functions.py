"""Functions, lambdas and classes that are defined inside a staged function."""

from __future__ import annotations

import ast
import builtins
import copy
from typing import Any, NoReturn, cast

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.rewriter import SCRATCH, Rewriter, place, rule
from gradsmith.frontend.stage_rules.scopes import function_scope, names_in


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
    """The body of a class is left alone, but for what it reads from outside the function: its
    methods are staged when they are called.

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
        body=_ReadsInClass(rewriter, node).statements(node.body),
    )


class _ReadsInClass(ast.NodeTransformer):
    """Has the runtime read what the statements of a class read from outside the function."""

    def __init__(self, rewriter: Rewriter, node: ast.ClassDef) -> None:
        self.rewriter = rewriter
        self.own = names_in(node.body).bound

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Copies of the statements, with calls of the runtime in them."""
        copies = ast.Module([copy.deepcopy(statement) for statement in body], [])
        return cast(ast.Module, self.generic_visit(copies)).body

    def _doing(self, node: ast.stmt) -> Any:
        """A statement that has nothing to do with the class's own names is one of the function."""
        if self._binds(node) or self._reads_own(node):
            return self.generic_visit(node)
        return self.rewriter.visit(node)

    visit_Assign = visit_AugAssign = visit_Delete = visit_Expr = _doing

    def _binds(self, node: ast.stmt) -> bool:
        names = names_in([node])
        return bool(names.bound or names.globals or names.nonlocals)

    def visit_Try(self, node: ast.Try) -> NoReturn:
        """The data may decide about the error."""
        raise self.rewriter.refusal(node, "a `try` in the body of a class")

    visit_TryStar = visit_Try

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name that is read."""
        if not isinstance(node.ctx, ast.Load) or node.id in self.own or hasattr(builtins, node.id):
            return node
        return self.rewriter.visit(node) if self.rewriter.scope.outside(node.id) else node

    def visit_Global(self, node: ast.Global) -> NoReturn:
        """Which a class statement would set for good."""
        raise self.rewriter.refusal(node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> NoReturn:
        """The same of a variable of a function."""
        raise self.rewriter.refusal(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """What is called by its name is no state; methods of variables of the function change
        these as anywhere else in it.
        """
        if self._is_of_variable(node.func) and not self._reads_own(node):
            return cast(ast.expr, self.rewriter.visit(node))
        func = self._called(node.func)
        given = [self.visit(value) for value in node.args]
        keywords = [self.visit(keyword) for keyword in node.keywords]
        return replaced(node, func=func, args=given, keywords=keywords)

    def _called(self, func: ast.expr) -> ast.expr:
        """A function or class of the user's is called by the runtime."""
        if not isinstance(func, ast.Name):
            return self.visit(func)
        if hasattr(builtins, func.id):
            return func
        return self.rewriter.scratch("decorator", place(func), func)

    def _is_of_variable(self, func: ast.expr) -> bool:
        """Whether it is a method of a variable of the function around."""
        owner = func.value if isinstance(func, ast.Attribute) else None
        if not isinstance(owner, ast.Name) or owner.id in self.own:
            return False
        return not self.rewriter.scope.outside(owner.id)

    def _reads_own(self, node: ast.AST) -> bool:
        names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        return not names.isdisjoint(self.own)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        """Annotations stay as they are."""
        return replaced(node, value=node.value and self.visit(node.value))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        """A method: its defaults are evaluated with the class."""
        defaults = [self.visit(value) for value in node.args.defaults]
        by_name = [value and self.visit(value) for value in node.args.kw_defaults]
        decorators = [self._decorator(decorator) for decorator in node.decorator_list]
        arguments = replaced(node.args, defaults=defaults, kw_defaults=by_name)
        return replaced(node, args=arguments, decorator_list=decorators)

    def _decorator(self, decorator: ast.expr) -> ast.expr:
        if isinstance(decorator, ast.Name):
            return self._called(decorator)
        return self.rewriter.scratch("decorator", place(decorator), self.visit(decorator))

    def _left(self, node: ast.AST) -> ast.AST:
        """What has a scope of its own."""
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        """A class inside, which sees no names of this one."""
        asked = [*node.decorator_list, *node.bases, *node.keywords]
        return node if any(map(self._reads_own, asked)) else class_(self.rewriter, node)

    visit_AsyncFunctionDef = visit_Lambda = _left
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _left


def _decorator(rewriter: Rewriter, decorator: ast.expr) -> ast.expr:
    """``@d`` → ``@__gs_scratch__.decorator(d)``."""
    return rewriter.scratch("decorator", place(decorator), rewriter.visit(decorator))


def _arguments(rewriter: Rewriter, arguments: ast.arguments) -> ast.arguments:
    """Defaults are evaluated where the function is defined."""
    defaults = [rewriter.visit(d) for d in arguments.defaults]
    keyword_only = [d and rewriter.visit(d) for d in arguments.kw_defaults]
    return replaced(arguments, defaults=defaults, kw_defaults=keyword_only)
