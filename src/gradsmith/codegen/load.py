"""From emitted text to a callable, with its lines known to tracebacks and pdb."""

from __future__ import annotations

import ast
import io
import itertools
import linecache
from collections.abc import Callable, Mapping
from typing import Any

from gradsmith.codegen.marks import as_call, copy_marks, mark_of
from gradsmith.errors import InternalError
from gradsmith.ir.effect_log import perform, perform_new, perform_on_copies
from gradsmith.ops import syntax
from gradsmith.ops.calls import OPERATORS

_serial = itertools.count(1)
_PERFORM: dict[str, Callable[..., Any]] = {
    "held": perform,
    "read": perform,
    "new": perform_new,
    "copies": perform_on_copies,
}
_SIGNS: dict[type[ast.AST], str] = {
    **{cls: sign for sign, cls in syntax.BINARY.items()},
    **{cls: sign for sign, cls in syntax.COMPARE.items()},
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
}


def load(
    text: str,
    name: str,
    instead: Mapping[str, Any] | None = None,
    marks: ast.FunctionDef | None = None,
) -> Callable[..., Any]:
    """The function ``name`` of the emitted module ``text``, with other values for names in it.

    The expressions that are marked in ``marks``, the function as it was printed, go through the
    log of effects of the call at work.
    """
    filename = f"<gradsmith {name} {next(_serial)}>"
    namespace: dict[str, Any] = {
        "__name__": f"gradsmith.emitted.{name}",
        **{f"perform {kind}": function for kind, function in _PERFORM.items()},
        "operator .": getattr,
        "operator :": slice,
        **{f"operator {sign}": function for sign, function in OPERATORS.items()},
    }
    module = ast.parse(text)
    if marks is not None:
        copy_marks(marks, module.body[-1])
        ast.fix_missing_locations(_Logged().visit(module))
    exec(compile(module, filename, "exec"), namespace)
    namespace.update(instead or {})
    # an mtime of None keeps linecache.checkcache from dropping what is no file
    linecache.cache[filename] = (len(text), None, io.StringIO(text).readlines(), filename)
    function: Callable[..., Any] = namespace[name]
    return function


class _Logged(ast.NodeTransformer):
    """A marked ``f(x)`` as ``__perform__(f, x)``, and ``x.y``, ``x[y]`` or ``x < y`` as such a
    call of a function, in the same place of the text.
    """

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        kind = mark_of(node)
        if kind is None:
            return node
        call = as_call(node) if isinstance(node, ast.stmt) else None
        if call is not None:
            return ast.copy_location(ast.Expr(_logged(ast.copy_location(call, node), kind)), node)
        return _logged(node, kind)


def _logged(node: ast.AST, kind: str) -> ast.expr:
    keywords = node.keywords if isinstance(node, ast.Call) else []
    perform = ast.Name(f"perform {kind}", ast.Load())
    return ast.copy_location(ast.Call(perform, _function_and_operands(node), keywords), node)


def _function_and_operands(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Call):
        return [node.func, *node.args]
    if isinstance(node, ast.Attribute):
        return [_operator("."), node.value, ast.Constant(node.attr)]
    if isinstance(node, ast.Subscript):
        return [_operator("[]"), node.value, _key(node.slice)]
    if isinstance(node, ast.BinOp):
        return [_operator(_SIGNS[type(node.op)]), node.left, node.right]
    if isinstance(node, ast.Compare):
        return [_operator(_SIGNS[type(node.ops[0])]), node.left, node.comparators[0]]
    raise InternalError(f"a {type(node).__name__} goes through the log of effects")


def _operator(sign: str) -> ast.expr:
    return ast.Name(f"operator {sign}", ast.Load())


def _key(key: ast.expr) -> ast.expr:
    """What is in the brackets, as an expression that may stand anywhere."""
    if isinstance(key, ast.Slice):
        bounds = [bound or ast.Constant(None) for bound in (key.lower, key.upper, key.step)]
        return ast.Call(_operator(":"), bounds, [])
    if isinstance(key, ast.Tuple):
        return ast.Tuple([_key(part) for part in key.elts], ast.Load())
    return key
