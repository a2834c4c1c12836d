"""Statements of an emitted function that set what nothing reads: found by liveness.

Only assignments of names are looked at: what is written into an array, also by ``part *= 2`` where
``part`` is a view, may be seen elsewhere.
"""

from __future__ import annotations

import ast
import functools


def dead_statements(source: str) -> list[str]:
    """The texts of these statements, of all functions in the source."""
    functions = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef)]
    return [text for function in functions for text in _Liveness(function).found]


class _Liveness:
    """``ways`` is what is live behind the loop around a statement, and at its next trip."""

    def __init__(self, function):
        assigned = [n for n in ast.walk(function) if isinstance(n, ast.Assign)]
        others = (n.targets for n in assigned if not isinstance(n.value, ast.Constant))
        self.arrays = {t.id for targets in others for t in targets if isinstance(t, ast.Name)}
        self.found = []
        self.silent = 0
        self.block(function.body, set(), (set(), set()))

    def block(self, statements, live, ways):
        """What is live before the statements."""
        for statement in reversed(statements):
            live = self.before(statement, live, ways)
        return live

    def before(self, statement, live, ways):
        if isinstance(statement, (ast.Return, ast.Raise)):
            return _loaded(statement)
        if isinstance(statement, (ast.Break, ast.Continue)):
            return set(ways[isinstance(statement, ast.Continue)])
        if isinstance(statement, ast.If):
            arms = [self.block(arm, live, ways) for arm in (statement.body, statement.orelse)]
            return arms[0] | arms[1] | _loaded(statement.test)
        if isinstance(statement, (ast.For, ast.While)):
            return self.loop(statement, live, ways)
        if isinstance(statement, (ast.Assign, ast.AugAssign)):
            return self.assignment(statement, live)
        return live | _loaded(statement)

    def assignment(self, statement, live):
        augmented = isinstance(statement, ast.AugAssign)
        targets = [statement.target] if augmented else statement.targets
        names = set().union(*map(_stored, targets))
        plain = all(isinstance(t, ast.Name) or _all_names(t) for t in targets)
        if not plain or (augmented and names <= self.arrays):
            return live | names | _loaded(statement)
        if not names & live:
            self.found += [] if self.silent else [ast.unparse(statement)]
            return live
        return (live - names) | _loaded(statement) | (names if augmented else set())

    def loop(self, loop, live, ways):
        head = self.block(loop.orelse, live, ways)
        counted = isinstance(loop, ast.For)
        head = head | (set() if counted else _loaded(loop.test))
        self.silent += 1
        while True:
            before = self.block(loop.body, head, (live, head))
            before -= _stored(loop.target) if counted else set()
            if before <= head:
                break
            head |= before
        self.silent -= 1
        self.block(loop.body, head, (live, head))
        return head | (_loaded(loop.iter) if counted else set())


@functools.lru_cache(maxsize=4096)  # until a loop converges, its statements are asked again
def _loaded(code):
    names = (n for n in ast.walk(code) if isinstance(n, ast.Name))
    return frozenset(n.id for n in names if isinstance(n.ctx, ast.Load))


@functools.lru_cache(maxsize=4096)
def _stored(code):
    return frozenset(n.id for n in ast.walk(code) if isinstance(n, ast.Name)) - _loaded(code)


def _all_names(target):
    return isinstance(target, ast.Tuple) and all(isinstance(t, ast.Name) for t in target.elts)
