"""What a region that is run again leaves behind: nothing but its results.

Its statements stand where it is, so that its arrays would live on in their variables.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable

from gradsmith.codegen.frames import Frame, assigned
from gradsmith.ir.types import ArrayType, TapeType

MOST = 10
"""Names that are deleted at once, on one line."""


def without_temporaries(
    statements: list[ast.stmt], frame: Frame, kept: Collection[str]
) -> list[ast.stmt]:
    """The statements with ``del a, b`` behind them, for the arrays and tapes that they make."""
    arrays = {
        reading.id
        for node, reading in frame.variables.items()
        if isinstance(reading, ast.Name) and _is_large(node.type)
    }
    made: dict[str, None] = {}
    for statement in statements:
        if isinstance(statement, ast.Delete):
            for target in statement.targets:
                made.pop(target.id if isinstance(target, ast.Name) else "", None)
        made.update(dict.fromkeys(_names_set(statement)))
    gone = [name for name in made if name in arrays and name not in kept]
    rows = [gone[i : i + MOST] for i in range(0, len(gone), MOST)]
    return [*statements, *map(_forget, rows)]


def _is_large(type_: object) -> bool:
    return isinstance(type_, TapeType) or (isinstance(type_, ArrayType) and type_.ndim > 0)


def _names_set(statement: ast.stmt) -> Iterable[str]:
    """The variables that a statement is sure to set."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Tuple):
        return [t.id for t in statement.targets[0].elts if isinstance(t, ast.Name)]
    name = assigned(statement)
    return [] if name is None else [name]


def _forget(names: Iterable[str]) -> ast.stmt:
    return ast.Delete([ast.Name(name, ast.Del()) for name in names])
