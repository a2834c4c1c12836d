"""The end of a trip: what is carried is assigned, trips are counted, the loop may be left."""

from __future__ import annotations

import ast

import numpy as np

from gradsmith.codegen import printer
from gradsmith.codegen.conditions import asked, negated
from gradsmith.codegen.frames import Frame, assigned, is_variable, settled
from gradsmith.codegen.names import Names
from gradsmith.codegen.variables import names_in
from gradsmith.ops import syntax


def leave_at_end(
    names: Names,
    inner: Frame,
    moves: list[tuple[str, ast.expr]],
    leave: ast.expr | None,
    steps: list[ast.stmt],
) -> None:
    """Write the end of a trip into ``inner``; ``leave`` says whether the loop ends with it."""
    statements = inner.statements
    if leave is None or _is_truth(leave, False):
        statements += [*settled(inner, moves, kept=()), *steps]
        return
    changed = {t for t, value in moves if not is_variable(value, t)}
    changed |= {name for step in steps for name in names_in(step)}
    leave = _inlined(statements, moves, leave, changed)
    if names_in(leave) & changed:
        flag = syntax.name(names.fresh("stop"))
        statements.append(syntax.assign(flag, leave))
        leave = flag
    rest = [*settled(inner, moves, kept=[leave]), *steps]
    if not rest and isinstance(leave, ast.Name):
        kept = leave.id in [target for target, _ in moves]
        if _broken_in_arms(statements, leave.id, kept=kept):
            return
    statements += [*rest, ast.If(asked(leave), [ast.Break()], [])]


def _is_truth(value: ast.expr, truth: bool) -> bool:
    """Whether an expression is ``True`` or ``np.True_``, or ``False`` or ``np.False_``."""
    kinds = truth, np.bool_(truth)
    return any(syntax.same(value, syntax.expression(constant)) for constant in kinds)


def _inlined(
    statements: list[ast.stmt],
    moves: list[tuple[str, ast.expr]],
    leave: ast.expr,
    changed: set[str],
) -> ast.expr:
    """``x > 1`` for ``stop = x > 1`` and ``stop``."""
    last = statements[-1] if statements else None
    if not isinstance(leave, ast.Name) or not isinstance(last, ast.Assign):
        return leave
    read = any(leave.id in names_in(value) for _, value in moves)
    if assigned(last) != leave.id or read or names_in(last.value) & changed:
        return leave
    statements.pop()
    return last.value


# -- break within the arms -----------------------------------------------------------------------


def _broken_in_arms(statements: list[ast.stmt], flag: str, *, kept: bool) -> bool:
    """Put ``break`` where the arms of the last statement say ``flag = True``; the flag is
    ``kept`` where it is read behind the loop.
    """
    last = statements[-1] if statements else None
    if not isinstance(last, ast.If) or not _says(last, flag):
        return False
    statements += _broken(last, flag, kept=kept)
    return True


def _says(branch: ast.If, flag: str) -> bool:
    """Whether every arm ends with ``flag`` true or false, and nothing else reads it."""
    for arm in (branch.body, branch.orelse):
        if not arm:
            return False
        code = [s for s in arm if not printer.is_comment(s)]
        inner = code[-1] if code else None
        if isinstance(inner, ast.If) and _says(inner, flag):
            code.pop()
        elif _said(code, flag) is None:
            return False
        if sum(flag in names_in(statement) for statement in code) > 1:
            return False
    return flag not in names_in(branch.test)


def _said(code: list[ast.stmt], flag: str) -> ast.Assign | None:
    """The statement that makes it a constant."""
    for statement in code:
        if isinstance(statement, ast.Assign) and assigned(statement) == flag:
            constant = _is_truth(statement.value, True) or _is_truth(statement.value, False)
            return statement if constant else None
    return None


def _broken(branch: ast.If, flag: str, *, kept: bool) -> list[ast.stmt]:
    """``break`` for ``flag = True``; what comes behind the branch then."""
    branch.body = _arm(branch.body, flag, kept=kept)
    branch.orelse = _arm(branch.orelse, flag, kept=kept)
    if not branch.body:
        branch.test, branch.body, branch.orelse = negated(branch.test), branch.orelse, []
    if branch.body and isinstance(branch.body[-1], ast.Break):
        behind, branch.orelse = branch.orelse, []
        return behind
    return []


def _arm(arm: list[ast.stmt], flag: str, *, kept: bool) -> list[ast.stmt]:
    said = _said(arm, flag)
    if said is None:
        last = arm[-1]
        assert isinstance(last, ast.If)
        return [*arm, *_broken(last, flag, kept=kept)]
    rest = [statement for statement in arm if kept or statement is not said]
    if _is_truth(said.value, True):
        return [*rest, ast.Break()]
    return rest if any(not printer.is_comment(s) for s in rest) else []
