"""Variables set for nothing: a loop over a list does not need the number of its trips, and a size
that an expression could mention may be in none.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gradsmith.codegen.frames import assigned
from gradsmith.codegen.variables import names_in

Live = frozenset[str]
"""The variables, among the spared ones, that may be read before they are set again."""

NONE: Live = frozenset()


def without_unread(statements: Sequence[ast.stmt], spared: Iterable[str]) -> list[ast.stmt]:
    """The statements without those that set a ``spared`` variable which nothing reads then."""
    among = frozenset(spared)
    return _Unread(among).kept(statements, _Ways(NONE)) if among else list(statements)


@dataclass(frozen=True, slots=True)
class _Ways:
    """What is live where statements go on: behind them, behind the loop, at its next trip."""

    after: Live
    left: Live = NONE
    next: Live = NONE


class _Unread:
    """Liveness, from the last statement to the first."""

    def __init__(self, among: Live) -> None:
        self.among = among

    def kept(self, statements: Sequence[ast.stmt], ways: _Ways) -> list[ast.stmt]:
        """The statements that are for something, with changed blocks."""
        found: list[ast.stmt] = []
        live = ways.after
        for statement in reversed(statements):
            here = _Ways(live, ways.left, ways.next)
            if self._is_idle(statement, live):
                continue
            live = self._before(statement, here)
            self._change(statement, here)
            found.append(statement)
        return found[::-1]

    def _change(self, statement: ast.stmt, ways: _Ways) -> None:
        """Leave out what is for nothing in the blocks of a statement."""
        if isinstance(statement, ast.If):
            statement.body = self.kept(statement.body, ways)
            statement.orelse = self.kept(statement.orelse, ways)
        elif isinstance(statement, (ast.For, ast.While)):
            statement.body = self.kept(statement.body, self._within(statement, ways))
            statement.orelse = self.kept(statement.orelse, ways)

    def _is_idle(self, statement: ast.stmt, live: Live) -> bool:
        name = _changed(statement)
        return name in self.among and name not in live

    def _all_before(self, statements: Sequence[ast.stmt], ways: _Ways) -> Live:
        live = ways.after
        for statement in reversed(statements):
            live = self._before(statement, _Ways(live, ways.left, ways.next))
        return live

    def _before(self, statement: ast.stmt, ways: _Ways) -> Live:
        """What is live before a statement."""
        if self._is_idle(statement, ways.after):
            return ways.after
        if isinstance(statement, ast.Break):
            return ways.left
        if isinstance(statement, ast.Continue):
            return ways.next
        if isinstance(statement, (ast.Return, ast.Raise)):
            return self._read(statement)
        if isinstance(statement, ast.If):
            arms = (self._all_before(arm, ways) for arm in (statement.body, statement.orelse))
            return self._read(statement.test).union(*arms)
        if isinstance(statement, ast.For):
            return self._within(statement, ways).next | self._read(statement.iter)
        if isinstance(statement, ast.While):
            return self._within(statement, ways).next
        name = assigned(statement)
        return (ways.after - {name}) | self._read(statement)

    def _within(self, loop: ast.For | ast.While, ways: _Ways) -> _Ways:
        """The ways on in the body of a loop, whose end is its next trip."""
        live = self._all_before(loop.orelse, ways)
        if isinstance(loop, ast.While):
            live |= self._read(loop.test)
        given = names_in(loop.target) if isinstance(loop, ast.For) else NONE
        while True:
            within = _Ways(live, ways.after, live)
            more = live | (self._all_before(loop.body, within) - given)
            if more == live:
                return within
            live = more

    def _read(self, code: ast.AST) -> Live:
        """The variables that it reads; one that it adds to is among them."""
        value = code.value if isinstance(code, ast.Assign) and assigned(code) else code
        return self.among & names_in(value)


def _changed(statement: ast.stmt) -> str | None:
    """The variable that a statement assigns or adds to."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    return assigned(statement)
