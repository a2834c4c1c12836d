"""Conditions in Python's own words: ``not a``, ``a and b``; only where a branch or a loop asks."""

from __future__ import annotations

import ast

JOINING: dict[str, type[ast.boolop]] = {"logical_and": ast.And, "logical_or": ast.Or}

OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
"""The other comparisons of nan are false either way."""


def until_raised(code: list[ast.stmt]) -> list[ast.stmt]:
    """The statements that are reached, if one of them raises an error."""
    places = [place for place, statement in enumerate(code) if isinstance(statement, ast.Raise)]
    return code[: places[0] + 1] if places else code


def asked(test: ast.expr) -> ast.expr:
    """The condition ``test``, a truth value without axes, as it is asked for."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return negated(asked(test.operand))
    name, operands = _numpy_call(test)
    if name == "logical_not" and len(operands) == 1:
        return negated(asked(operands[0]))
    if name in JOINING and len(operands) == 2:
        return ast.BoolOp(JOINING[name](), [asked(x) for x in operands])
    return test


def negated(test: ast.expr) -> ast.expr:
    """``not test``."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in OPPOSITES:
        return ast.Compare(test.left, [OPPOSITES[type(test.ops[0])]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def either(value: ast.expr | None) -> ast.expr | None:
    """``a or b`` for ``True if a else b``, ``a and b`` for ``b if a else False``, where only the
    truth counts; None of others.
    """
    if not isinstance(value, ast.IfExp):
        return None
    if _is_constant(value.body, True):
        return ast.BoolOp(ast.Or(), [value.test, either(value.orelse) or asked(value.orelse)])
    if _is_constant(value.orelse, False):
        return ast.BoolOp(ast.And(), [value.test, either(value.body) or asked(value.body)])
    return None


def _is_constant(value: ast.expr, truth: bool) -> bool:
    return isinstance(value, ast.Constant) and value.value is truth


def _numpy_call(value: ast.expr) -> tuple[str, list[ast.expr]]:
    """The function of NumPy's that is called, and its operands."""
    if not isinstance(value, ast.Call) or value.keywords:
        return "", []
    function = value.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return (function.attr if function.value.id == "np" else ""), value.args
    return "", []
