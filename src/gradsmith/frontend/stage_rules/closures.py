"""When the functions that are made in a function read its variables."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from gradsmith.frontend.stage_rules.jumps import has_yield
from gradsmith.frontend.stage_rules.scopes import function_scope, stored_names

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.GeneratorExp)
"""What is in these is run later, or perhaps so."""
_CONSUMERS = {
    *("all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"),
    *(".extend", ".fromiter", ".join"),
}
"""What has gone through a generator expression when it returns; methods begin with a dot."""
_WITH_KEYS = {"max", "min", "sorted", ".sort"}
"""What has called its ``key`` when it returns."""


class Closures:
    """What the functions in a function's statements read of its variables.

    A function that is only ever called by its name reads them where its name is; of others nobody
    knows when they are called.
    """

    def __init__(self, statements: Sequence[ast.stmt]) -> None:
        self._nodes = [node for statement in statements for node in ast.walk(statement)]
        self._parents = {
            id(part): node for node in self._nodes for part in ast.iter_child_nodes(node)
        }
        self._bound = Counter(_bindings(self._nodes))
        self._named: dict[str, set[str]] = {}
        self.always: set[str] = set()
        called = self._only_called()
        for node in self._nodes:
            if isinstance(node, FUNCTIONS) and not self._runs_at_once(node):
                name = self._name_of(node)
                if name in called and not _is_generator(node):
                    self._named[name] = _free(node)
                else:
                    self.always |= _free(node)
        self.always |= self.read_by(self.always)

    def read_by(self, names: Iterable[str]) -> set[str]:
        """The variables that functions with these names read, and those that they call."""
        found: set[str] = set()
        stack = [name for name in names if name in self._named]
        seen = set(stack)
        while stack:
            free = self._named[stack.pop()]
            found |= free
            stack += [name for name in free if name in self._named and name not in seen]
            seen |= free
        return found

    def _only_called(self) -> set[str]:
        """The names that are bound once, to a function, and only called."""
        passed = {
            node.id
            for node in self._nodes
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
            if not self._is_called(node)
        }
        return {name for name, count in self._bound.items() if count == 1} - passed

    def _is_called(self, node: ast.AST) -> bool:
        parent = self._parents.get(id(node))
        return isinstance(parent, ast.Call) and parent.func is node

    def _name_of(self, node: ast.AST) -> str | None:
        """The variable that a function or lambda is, if it is one."""
        if isinstance(node, ast.FunctionDef):
            return None if node.decorator_list else node.name
        parent = self._parents.get(id(node))
        if isinstance(node, ast.Lambda) and isinstance(parent, ast.Assign):
            targets = parent.targets
            if len(targets) == 1 and isinstance(targets[0], ast.Name):
                return targets[0].id
        return None

    def _runs_at_once(self, node: ast.AST) -> bool:
        """Whether it is an argument of a function that keeps nothing, or is called where it is."""
        call, known = self._parents.get(id(node)), _CONSUMERS
        if isinstance(node, ast.Lambda) and isinstance(call, ast.keyword) and call.arg == "key":
            call, known = self._parents.get(id(call)), _WITH_KEYS
        elif isinstance(node, ast.Lambda):
            return isinstance(call, ast.Call) and call.func is node
        if not isinstance(node, (ast.Lambda, ast.GeneratorExp)) or not isinstance(call, ast.Call):
            return False
        if isinstance(call.func, ast.Name):
            return call.func.id in known and call.func.id not in self._bound
        return isinstance(call.func, ast.Attribute) and f".{call.func.attr}" in known


def _bindings(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def _is_generator(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and has_yield(node.body)


def _free(node: ast.AST) -> set[str]:
    """The variables that it reads when it is called, and does not set itself."""
    found = loads([node])
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return found - function_scope(node, None).bound
    if isinstance(node, ast.GeneratorExp):
        return found - set(stored_names(clause.target for clause in node.generators))
    return found


def loads(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that are read, ``h += e`` and ``del h`` included."""
    found = set()
    for node in nodes:
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store):
                found.add(n.id)
            elif isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name):
                found.add(n.target.id)
    return found
