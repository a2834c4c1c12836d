"""What an emitted module has besides its function: helper functions, imported modules."""

from __future__ import annotations

import ast
from collections.abc import Collection

from gradsmith.codegen.names import Names
from gradsmith.errors import InternalError


class Helpers:
    """Of each as many as the code asks for, by name."""

    def __init__(self, names: Names, arguments: Collection[str]) -> None:
        self.functions: dict[str, ast.FunctionDef] = {}
        self.modules: dict[str, str] = {}
        self._names = names
        self._arguments = arguments

    def function(self, definition: str) -> str:
        """The name of a function that the module has besides."""
        if definition not in self.functions:
            (made,) = ast.parse(definition).body
            if not isinstance(made, ast.FunctionDef):
                raise InternalError("a helper is one function")
            made.returns = None
            for argument in made.args.args:
                argument.annotation = None
            made.name = self._names.fresh(made.name, everywhere=True)
            self.functions[definition] = made
        return self.functions[definition].name

    def module(self, name: str) -> str:
        """The name of a module of Python's that is imported."""
        if name not in self.modules:
            root = name.split(".", maxsplit=1)[0]
            known = root in {module.split(".")[0] for module in self.modules}
            taken = not known and (root in self._arguments or self._names.is_taken(root))
            self.modules[name] = self._names.fresh(name, everywhere=True) if taken else name
            if not taken:
                self._names.reserve(root, everywhere=True)
        return self.modules[name]
