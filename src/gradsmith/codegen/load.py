"""From emitted text to a callable, with its lines known to tracebacks and pdb."""

from __future__ import annotations

import ast
import io
import itertools
import linecache
from collections.abc import Callable, Collection, Mapping
from typing import Any

from gradsmith.ir.effect_log import perform

_serial = itertools.count(1)
_PERFORM = "__perform__"


def load(
    text: str,
    name: str,
    instead: Mapping[str, Any] | None = None,
    logged: Collection[str] = (),
) -> Callable[..., Any]:
    """The function ``name`` of the emitted module ``text``, with other values for names in it.

    Calls of the functions that are ``logged``, as they are written, go through the log of effects
    of the call at work.
    """
    filename = f"<gradsmith {name} {next(_serial)}>"
    namespace: dict[str, Any] = {"__name__": f"gradsmith.emitted.{name}", _PERFORM: perform}
    module = ast.parse(text)
    if logged:
        module = ast.fix_missing_locations(_Logged(logged).visit(module))
    exec(compile(module, filename, "exec"), namespace)
    namespace.update(instead or {})
    # an mtime of None keeps linecache.checkcache from dropping what is no file
    linecache.cache[filename] = (len(text), None, io.StringIO(text).readlines(), filename)
    function: Callable[..., Any] = namespace[name]
    return function


class _Logged(ast.NodeTransformer):
    """``f(x)`` as ``__perform__(f, x)``, in the same place of the text."""

    def __init__(self, logged: Collection[str]) -> None:
        self._logged = logged

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if ast.unparse(node.func) not in self._logged:
            return node
        function = ast.copy_location(ast.Name(_PERFORM, ast.Load()), node.func)
        return ast.copy_location(ast.Call(function, [node.func, *node.args], node.keywords), node)
