"""Which variables a stretch of code sets, and which are read later, before they are set again."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from gradsmith.frontend.stage_rules.closures import FUNCTIONS, Closures, loads
from gradsmith.frontend.stage_rules.scopes import COMPREHENSIONS, Scope, names_in

SEE_ALL = {"dir", "eval", "exec", "locals", "vars"}
"""Builtins that see all variables of the function that calls them."""


def stored(statements: Sequence[ast.stmt], scope: Scope) -> tuple[str, ...]:
    """The function's own variables that the statements set, in alphabetical order."""
    found = names_in(statements).bound
    return tuple(sorted(name for name in found if scope.effect(name) is None))


class Liveness:
    """Which variables of a function matter when a loop begins a trip, and when it has ended.

    Goes through the statements backwards, with what is read after them before it is set.
    """

    def __init__(
        self, statements: Sequence[ast.stmt], shared: frozenset[str] = frozenset()
    ) -> None:
        self.everything = loads(statements)
        self._closures = Closures(statements)
        self.later = self._closures.always | shared
        """What functions read of which nobody knows when they are called, those around among them:
        they have the ``shared`` variables."""
        if self.everything & SEE_ALL:
            self.later = self.everything = self.everything | names_in(statements).bound
        self._trips: dict[int, set[str]] = {}
        self._after: dict[int, set[str]] = {}
        self._behind: set[str] = set()
        self._block(statements, set(self.later))

    def trip(self, loop: ast.stmt) -> set[str]:
        """The variables whose value at the beginning of a trip may matter."""
        return self._trips[id(loop)]

    def after(self, loop: ast.stmt) -> set[str]:
        """Those whose value after the loop may matter."""
        return self._after[id(loop)]

    def _block(self, statements: Sequence[ast.stmt], after: set[str]) -> set[str]:
        """What matters before the statements, if ``after`` matters behind them."""
        for statement in reversed(statements):
            after = self._statement(statement, after)
        return after

    def _statement(self, node: ast.stmt, after: set[str]) -> set[str]:
        if isinstance(node, ast.If):
            arms = self._block(node.body, after) | self._block(node.orelse, after)
            return self._before([node.test], arms)
        if isinstance(node, (ast.For, ast.While)):
            return self._loop(node, after)
        if isinstance(node, ast.Return):
            return self._before([node], set(self.later))
        if isinstance(node, (ast.Break, ast.Continue)):  # those that could not become values
            return set(self.everything)
        if isinstance(node, ast.With):
            return self._with(node, after)
        blocks = [part for part in _parts(node) if isinstance(part, (ast.stmt, *_CLAUSES))]
        if blocks and not isinstance(node, FUNCTIONS):
            return self._compound(node, after)
        if isinstance(node, FUNCTIONS):
            return (after - {node.name}) | self._loads([node])
        return self._before([node], after)

    def _before(self, nodes: Sequence[ast.AST], after: set[str]) -> set[str]:
        """What matters before these expressions or simple statements."""
        bare = [n for n in nodes if not (isinstance(n, ast.AnnAssign) and n.value is None)]
        return (after - surely_set(bare)) | self._loads(nodes) | self.later

    def _loads(self, nodes: Sequence[ast.AST]) -> set[str]:
        """What is read in these, by functions that are called there as well."""
        found = loads(nodes)
        return found | self._closures.read_by(found)

    def _with(self, node: ast.With, after: set[str]) -> set[str]:
        """A ``with`` may swallow an error, and go on behind it."""
        outer, self._behind = self._behind, self._behind | after
        body = self._block(node.body, after) | after
        self._behind = outer
        targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
        return self._before([*(item.context_expr for item in node.items), *targets], body)

    def _compound(self, node: ast.AST, after: set[str]) -> set[str]:
        """``try`` and ``match`` may leave a block at any place."""
        for part in _parts(node):
            if isinstance(part, ast.stmt):
                self._statement(part, set(self.everything))
            elif isinstance(part, _CLAUSES):
                self._compound(part, after)
        return after | self._loads([node])

    def _loop(self, node: ast.For | ast.While, after: set[str]) -> set[str]:
        out = self._block(node.orelse, after) | after | self._behind
        self._after[id(node)] = self._after.get(id(node), set()) | out
        head, trip = set(out), set[str]()
        while True:
            trip = self._trip(node, self._block(node.body, head))
            if trip <= head:
                break
            head |= trip
        self._trips[id(node)] = self._trips.get(id(node), set()) | trip
        return head | (self._loads([node.iter]) if isinstance(node, ast.For) else set())

    def _trip(self, node: ast.For | ast.While, body: set[str]) -> set[str]:
        if isinstance(node, ast.While):
            return self._before([node.test], body)
        return self._before([node.target], body)


_CLAUSES: tuple[type[ast.AST], ...] = (ast.ExceptHandler, ast.match_case)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a statement: its expressions, clauses and statements."""
    for value in vars(node).values():
        parts = value if isinstance(value, list) else [value]
        yield from (part for part in parts if isinstance(part, ast.AST))


def surely_set(nodes: Iterable[ast.AST]) -> set[str]:
    """The variables that are set wherever this is evaluated to its end."""
    found: set[str] = set()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        stack += _always(node)
    return found


def _always(node: ast.AST) -> Iterable[ast.AST]:
    """The parts of an expression that are evaluated in any case."""
    if isinstance(node, (ast.Lambda, *COMPREHENSIONS)):
        return ()
    if isinstance(node, ast.BoolOp):
        return node.values[:1]
    if isinstance(node, ast.IfExp):
        return (node.test,)
    if isinstance(node, ast.Compare):
        return (node.left, node.comparators[0])
    return ast.iter_child_nodes(node)
