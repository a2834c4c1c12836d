"""Which reads of a function's own variables may find one that has no value.

A variable has one where every way to this place sets it. A way that ends in `raise` counts as one
that goes on: when tracing, that costs nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from gradsmith.frontend.stage_rules.liveness import surely_set
from gradsmith.frontend.stage_rules.scopes import names_in, stored_names

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def unsure_reads(
    statements: Sequence[ast.stmt], own: frozenset[str], given: frozenset[str]
) -> list[ast.Name]:
    """The names in the statements, and in functions there, that may have no value when read.

    ``own`` are the variables of the function, of which ``given`` are set when it begins.
    """
    walk = _Walk(own - _deleted(statements), own)
    walk.block(statements, set(given & walk.lasting))
    return walk.found


def _deleted(statements: Sequence[ast.stmt]) -> set[str]:
    """The variables that are deleted somewhere, also at the end of an ``except e as name``."""
    found = set()
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del):
                found.add(node.id)
            elif isinstance(node, ast.ExceptHandler) and node.name is not None:
                found.add(node.name)
    return found


class _Walk:
    """Goes through statements with the variables that surely have a value there.

    ``lasting`` are those that keep having one.
    """

    def __init__(self, lasting: frozenset[str], own: frozenset[str]) -> None:
        self.lasting = lasting
        self.own = own
        self.found: list[ast.Name] = []

    def block(self, statements: Sequence[ast.stmt], known: set[str]) -> None:
        """Go on through these; ``known`` grows by what they set on every way."""
        for statement in statements:
            self._statement(statement, known)

    def _statement(self, node: ast.stmt, known: set[str]) -> None:
        if isinstance(node, ast.If):
            self._expressions([node.test], known)
            arms = [set(known), set(known)]
            for arm, own in zip((node.body, node.orelse), arms, strict=True):
                self.block(arm, own)
            known |= arms[0] & arms[1]
        elif isinstance(node, (ast.For, ast.While)):
            self._expressions([node.iter if isinstance(node, ast.For) else node.test], known)
            inner = set(known)
            self._expressions([node.target] if isinstance(node, ast.For) else [], inner)
            self.block(node.body, inner)
            self.block(node.orelse, set(known))
        elif isinstance(node, _FUNCTIONS):
            self._read([node], known)
            known |= {node.name} & self.lasting
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            known |= names_in([node]).bound & self.lasting
        elif any(isinstance(part, ast.stmt) for part in _parts(node)):
            self._compound(node, known)
        else:
            self._expressions([node], known)

    def _compound(self, node: ast.AST, known: set[str]) -> None:
        """``with``, ``try``, ``match``: an error, or no case, may leave out what they set."""
        inner = set(known)
        last = getattr(node, "finalbody", [])
        self.block(last, set(known))
        for part in _parts(node):
            if part in last:
                continue
            if isinstance(part, ast.stmt):
                self._statement(part, inner)
            elif isinstance(part, (ast.ExceptHandler, ast.match_case)):
                self._compound(part, known)
            else:
                self._expressions([part], inner)
                inner |= names_in([part]).bound & self.lasting

    def _expressions(self, nodes: Sequence[ast.AST], known: set[str]) -> None:
        self._read(nodes, known)
        bare = [n for n in nodes if not (isinstance(n, ast.AnnAssign) and n.value is None)]
        known |= surely_set(bare) & self.lasting

    def _read(self, nodes: Iterable[ast.AST], known: set[str]) -> None:
        for name in _reads(nodes):
            if name.id in self.own and name.id not in known:
                self.found.append(name)


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a statement: its expressions and statements in order."""
    for value in vars(node).values():
        parts = value if isinstance(value, list) else [value]
        yield from (part for part in parts if isinstance(part, ast.AST))


def _reads(nodes: Iterable[ast.AST]) -> Iterator[ast.Name]:
    """The variables that are read, ``h += e`` and ``del h`` included."""
    for node in nodes:
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store):
                yield n
            elif isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name):
                yield n.target


def initially_unset(reads: Sequence[ast.Name], given: frozenset[str]) -> list[str]:
    """The variables that these reads are of, but for those that are set when it begins."""
    return [name for name in stored_names(reads) if name not in given]
