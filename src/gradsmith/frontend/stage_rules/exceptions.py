"""``try``."""

from __future__ import annotations

import ast
import builtins
from typing import Any

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.plain import rebuild
from gradsmith.frontend.stage_rules.rewriter import SCRATCH, Place, Rewriter, place, rule
from gradsmith.frontend.trace import DATA_ERRORS


@rule(ast.Raise)
def raise_(rewriter: Rewriter, node: ast.Raise) -> ast.stmt:
    """``raise e from c`` → ``if __gs__.raising(lambda: e, lambda: c): raise
    __gs_scratch__.raised(e) from __gs_scratch__.raised(c)``: where a traced value decides, the
    emitted code raises it.
    """
    at = place(node)
    made: Any = rebuild(rewriter, node)
    none = ast.arguments([], [], None, [], [], None, [])
    error = made.exc or ast.Constant(None, **at)
    parts = [error] if made.cause is None else [error, made.cause]
    asking = "raising_in_handler" if rewriter.handlers else "raising"
    asked = rewriter.call(asking, at, *(ast.Lambda(none, part, **at) for part in parts))
    given = {
        name: rewriter.scratch("raised", place(value), value)
        for name in ("exc", "cause")
        if (value := getattr(made, name)) is not None
    }
    return ast.If(asked, [replaced(made, **given)], [], **at)


@rule(ast.Try)
def try_(rewriter: Rewriter, node: ast.Try) -> ast.stmt:
    """``try`` is Python's, but ``except TypeError:`` must not hide what gradsmith refuses.

    It would take a way that the user's function, on arrays, does not take.
    """
    handlers = _rewritten(rewriter, node)
    if node.handlers:
        first = node.handlers[0]
        line = first.lineno
        at = Place(lineno=line, col_offset=0, end_lineno=line, end_col_offset=0)
        refusal = rewriter.method(SCRATCH, "refusal", at)
        passing = ast.ExceptHandler(refusal, None, [ast.Raise(None, None, **at)], **at)
        handlers = [passing, *handlers]
    made = _with_handlers(rewriter, node, handlers)
    if node.handlers:
        errors = tuple(
            error
            for error in DATA_ERRORS
            if any(_may_handle(error, handler.type) for handler in node.handlers)
        )
        made = replaced(made, body=_watched(rewriter, made, made.body, errors))
    if not node.finalbody:
        return made
    within: list[ast.stmt] = [replaced(made, finalbody=[])] if node.handlers else made.body
    body = _watched(rewriter, made, within, DATA_ERRORS)
    return ast.Try(body, [], [], made.finalbody, **place(node))


def _may_handle(raised: str, handled: ast.expr | None) -> bool:
    """Whether a handler may be for this error: not one of other errors of Python's."""
    if isinstance(handled, ast.Tuple):
        return any(_may_handle(raised, part) for part in handled.elts)
    if isinstance(handled, ast.Attribute):
        return handled.attr != "LinAlgError"
    error = getattr(builtins, handled.id, None) if isinstance(handled, ast.Name) else None
    return error is None or issubclass(getattr(builtins, raised), error)


def _watched(
    rewriter: Rewriter, node: ast.Try, body: list[ast.stmt], errors: tuple[str, ...]
) -> list[ast.stmt]:
    """``body`` within a ``try`` that tells the runtime where it begins and ends."""
    at = place(node)
    handled = ast.Tuple([ast.Constant(error, **at) for error in errors], ast.Load(), **at)
    begin, end = (
        ast.Expr(rewriter.call("trying", at, ast.Constant(step, **at), handled), **at)
        for step in (1, -1)
    )
    return [ast.Try([begin, *body], [_own_error(rewriter, at)], [], [end], **at)]


def _own_error(rewriter: Rewriter, at: Place) -> ast.ExceptHandler:
    """``except __gs_scratch.translated: __gs_scratch.translate()``: the user's handlers see the
    error that Python or NumPy raises.
    """
    return _handler(rewriter, "translated", "translate", at)


def _try_star(rewriter: Rewriter, node: ast.Try) -> ast.stmt:
    """``except*``, of which the body is watched like that of another ``try``. It has no handlers
    but its own kind: what gradsmith refuses passes these by as no `Exception`.
    """
    at = place(node)
    made = _with_handlers(rewriter, node, _rewritten(rewriter, node))
    body = _watched(rewriter, made, made.body, DATA_ERRORS)
    hidden = ast.Try(body, [_handler(rewriter, "refusal", "hide", at)], [], [], **at)
    shown = _handler(rewriter, "hidden", "show", at)
    return ast.Try([replaced(made, body=[hidden])], [shown], [], [], **at)


def _handler(rewriter: Rewriter, caught: str, then: str, at: Place) -> ast.ExceptHandler:
    """``except __gs_scratch.caught: __gs_scratch.then()``."""
    done = ast.Expr(rewriter.scratch(then, at), **at)
    return ast.ExceptHandler(rewriter.method(SCRATCH, caught, at), None, [done], **at)


if hasattr(ast, "TryStar"):
    rule(ast.TryStar)(_try_star)


def _rewritten(rewriter: Rewriter, node: ast.Try) -> list[ast.ExceptHandler]:
    kinds = [h.type and _caught(rewriter, h.type) for h in node.handlers]
    rewriter.handlers += 1
    bodies = [rewriter.body(h.body) for h in node.handlers]
    rewriter.handlers -= 1
    parts = zip(node.handlers, kinds, bodies, strict=True)
    return [replaced(handler, type=kind, body=body) for handler, kind, body in parts]


def _caught(rewriter: Rewriter, handled: ast.expr) -> ast.expr:
    """``except E`` → ``except __gs_scratch__.caught(E)``: a branch may have chosen the class."""
    return rewriter.scratch("caught", place(handled), rewriter.visit(handled))


def _with_handlers(
    rewriter: Rewriter, node: ast.Try, handlers: list[ast.ExceptHandler]
) -> ast.Try:
    return replaced(
        node,
        body=rewriter.body(node.body),
        handlers=handlers,
        orelse=rewriter.body(node.orelse),
        finalbody=_unless_refused(rewriter, node.finalbody),
    )


def _unless_refused(rewriter: Rewriter, body: list[ast.stmt]) -> list[ast.stmt]:
    """``if not __gs_scratch.refusing(): body``: what ``finally`` does is done for errors of the
    user's, and not for what ends the run of the trace.
    """
    if not body:
        return []
    at = place(body[0])
    test = ast.UnaryOp(ast.Not(), rewriter.scratch("refusing", at), **at)
    return [ast.If(test, rewriter.body(body), [], **at)]
