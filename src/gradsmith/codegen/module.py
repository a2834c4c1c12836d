"""The whole emitted module: docstring, import, constants and the function."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gradsmith.codegen import printer
from gradsmith.codegen.program import Argument, Program
from gradsmith.codegen.statements import Body
from gradsmith.ops import syntax


@dataclass(frozen=True, slots=True)
class Module:
    """An emitted module: its text, and for the classes of errors in it the user's own."""

    text: str
    errors: Mapping[str, type[BaseException]]
    parameters: tuple[str, ...]
    """What the parameters are called."""
    definition: ast.FunctionDef
    """The function, with the expressions marked that go through the log of effects."""


def module(program: Program) -> Module:
    """The module that holds the function and needs only NumPy (and Python)."""
    body = Body(program)
    statements = body.build()
    arguments = _with_own_names(program.arguments, statements)
    definition = ast.FunctionDef(
        name=program.name,
        args=_parameters(arguments),
        body=[_docstring(program), *statements],
        decorator_list=[],
        lineno=0,
    )
    if "type_params" in ast.FunctionDef._fields:  # Python 3.12 and later
        setattr(definition, "type_params", [])  # noqa: B010  unknown to older type stubs
    code = printer.print_module([definition], body.comments)
    head = _imports(body.helpers.modules)
    helpers = [printer.print_module([made], []) for made in body.helpers.functions.values()]
    constants = printer.print_module(body.constants, []) if body.constants else ""
    before = "\n".join(part for part in (head, constants) if part)
    text = "\n\n".join([before, *body.errors.definitions, *helpers, code])
    return Module(text, body.errors.own, tuple(a.name for a in arguments), definition)


def _imports(modules: Mapping[str, str]) -> str:
    """NumPy, and those of Python's own modules that effects need, by name."""
    lines = [
        f"import {m}" if m == name else f"import {m} as {name}" for m, name in modules.items()
    ]
    own = "".join(f"{line}\n" for line in sorted(lines))
    return f"{own}\nimport numpy as np\n" if own else "import numpy as np\n"


def _with_own_names(
    arguments: Sequence[Argument], statements: Sequence[ast.stmt]
) -> tuple[Argument, ...]:
    """The parameters, called as the user calls them where the code does not need these names."""
    names = [n for s in statements for n in ast.walk(s) if isinstance(n, ast.Name)]
    taken = {*keyword.kwlist, "np", *(n.id for n in names), *(a.name for a in arguments)}
    found = []
    for argument in arguments:
        if argument.own in ("", argument.name) or argument.own in taken:
            found.append(argument)
            continue
        taken.add(argument.own)
        found.append(replace(argument, name=argument.own))
        for node in names:
            if node.id == argument.name:
                node.id = argument.own
    return tuple(found)


def _docstring(program: Program) -> ast.stmt:
    lines = [program.title]
    if program.notes:
        lines += ["", *program.notes, ""]
    text = "\n".join(f"    {line}" if line and i else line for i, line in enumerate(lines))
    return ast.Expr(ast.Constant(text + ("    " if program.notes else "")))


def _parameters(arguments: tuple[Argument, ...]) -> ast.arguments:
    positional = [ast.arg(a.name) for a in arguments if not a.keyword_only]
    keyword = [a for a in arguments if a.keyword_only]
    defaults = [None if a.default is None else syntax.expression(a.default) for a in keyword]
    return ast.arguments(
        posonlyargs=[],
        args=positional,
        vararg=None,
        kwonlyargs=[ast.arg(a.name) for a in keyword],
        kw_defaults=defaults,
        kwarg=None,
        defaults=[],
    )
