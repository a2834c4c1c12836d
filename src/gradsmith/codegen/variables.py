"""The expressions that values are read by, indexed by the variables in them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from gradsmith.ir.graph import Node


class Variables:
    """For each value that has one the expression that reads it: a variable, as a rule."""

    def __init__(self) -> None:
        self._readings: dict[Node, ast.expr] = {}
        self._names: dict[Node, set[str]] = {}
        self._nodes: dict[str, dict[Node, None]] = {}

    def __contains__(self, node: Node) -> bool:
        return node in self._readings

    def __getitem__(self, node: Node) -> ast.expr:
        return self._readings[node]

    def __setitem__(self, node: Node, reading: ast.expr) -> None:
        for name in self._names.get(node, ()):
            del self._nodes[name][node]
        self._readings[node] = reading
        names = self._names[node] = names_in(reading)
        for name in names:
            self._nodes.setdefault(name, {})[node] = None

    def get(self, node: Node) -> ast.expr | None:
        """The expression, if there is one."""
        return self._readings.get(node)

    def items(self) -> Iterator[tuple[Node, ast.expr]]:
        """Values and expressions."""
        yield from self._readings.items()

    def reading(self, variable: str) -> Iterable[Node]:
        """The values whose expressions read a variable."""
        return self._nodes.get(variable, ())


def names_in(expression: ast.AST) -> set[str]:
    """The variables that an expression reads."""
    if isinstance(expression, ast.Name):
        return {expression.id}
    found: set[str] = set()
    pending: list[object] = [expression]
    while pending:  # what ast.walk does, in half the time: this is asked very often
        part = pending.pop()
        if isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, list):
            pending += part
        elif isinstance(part, ast.AST):
            pending += [getattr(part, field, None) for field in part._fields]
    return found
