"""The classes of errors that an emitted module raises: Python's, NumPy's, the user's own.

Of the user's, which it cannot import, the module defines classes of the same names and bases.
Where it is loaded into the user's program, their own take these names (`load`).
"""

from __future__ import annotations

import ast

from gradsmith.codegen.names import Names
from gradsmith.errors import SpecialisationError
from gradsmith.ops import syntax
from gradsmith.ops.effects import NUMPYS_ERRORS


class Errors:
    """Gives each class its name in the module."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.own: dict[str, type[BaseException]] = {}
        self.definitions: list[str] = []

    def name(self, kind: type[BaseException]) -> ast.expr:
        """The name of a class, which is defined in the module if nobody else does."""
        if kind in NUMPYS_ERRORS:
            return syntax.name(NUMPYS_ERRORS[kind])
        if kind.__module__ == "builtins":
            return syntax.name(kind.__name__)
        known = next((name for name, own in self.own.items() if own is kind), None)
        return syntax.name(known or self._define(kind))

    def _define(self, kind: type[BaseException]) -> str:
        bases = ", ".join(ast.unparse(self.name(base)) for base in kind.__bases__)
        name = self._names.fresh(kind.__name__, everywhere=True)
        self.own[name] = kind
        text = kind.__doc__ if kind is SpecialisationError else DOCSTRING
        self.definitions.append(f'class {name}({bases}):\n    """{text}"""\n')
        return name


DOCSTRING = "The error of this name of the function that was compiled."
