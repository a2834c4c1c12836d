"""What is refused with advice; what has no rule at all is refused too."""

from __future__ import annotations

import ast
from typing import NoReturn

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.stage_rules.rewriter import Rewriter, rule


@rule(ast.Await, ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith)
def coroutine(rewriter: Rewriter, node: ast.expr | ast.stmt) -> NoReturn:
    """Asynchronous code, likewise."""
    raise asynchronous(rewriter, node)


def asynchronous(rewriter: Rewriter, node: ast.expr | ast.stmt) -> UnsupportedError:
    """The error for `async` and `await`."""
    hint = "await the data first, and pass it to an ordinary function that computes"
    return rewriter.refusal(node, "`async` and `await`", hint)
