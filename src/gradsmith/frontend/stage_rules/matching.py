"""``match``: the runtime is asked whether the subject has the form of a pattern.

A case becomes one that any subject fits, with a guard::

    case __gs_subject if (__gs_found := __gs__.matched(__gs_subject, <pattern>)) is not None and (
        (a := __gs_found["a"]), (b := __gs_found["b"])
    ) and <guard>:

A pattern is a nested tuple, as `gradsmith.frontend.patterns` takes it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.assignments import named
from gradsmith.frontend.stage_rules.conditions import test
from gradsmith.frontend.stage_rules.rewriter import Place, Rewriter, place, rule
from gradsmith.frontend.stage_rules.scopes import names_in


@rule(ast.Match)
def match(rewriter: Rewriter, node: ast.Match) -> ast.stmt:
    """``match`` stays Python's statement, but for what its patterns ask."""
    subject = rewriter.visit(node.subject)
    return replaced(node, subject=subject, cases=[_case(rewriter, c) for c in node.cases])


def _case(rewriter: Rewriter, case: ast.match_case) -> ast.match_case:
    guard = None if case.guard is None else test(rewriter, case.guard, "case")
    pattern = case.pattern
    if not (isinstance(pattern, ast.MatchAs) and pattern.pattern is None):
        subject = rewriter.variable("subject")
        guard = _asked(rewriter, pattern, subject, guard)
        pattern = ast.copy_location(ast.MatchAs(None, subject), pattern)
    return replaced(case, pattern=pattern, guard=guard, body=rewriter.body(case.body))


def _asked(
    rewriter: Rewriter, pattern: ast.pattern, subject: str, guard: ast.expr | None
) -> ast.expr:
    """What stands for the pattern in the guard."""
    at, found = place(pattern), rewriter.variable("found")
    asked = rewriter.call("matched", at, _load(subject, at), _Writing(rewriter).write(pattern))
    kept = ast.NamedExpr(ast.Name(found, ast.Store(), **at), asked, **at)
    tests: list[ast.expr] = [ast.Compare(kept, [ast.IsNot()], [ast.Constant(None, **at)], **at)]
    stored = [_stored(rewriter, name, found, at) for name in sorted(names_in([pattern]).bound)]
    if stored:
        tests.append(ast.Tuple(stored, ast.Load(), **at))
    tests += [] if guard is None else [guard]
    return ast.BoolOp(ast.And(), tests, **at) if len(tests) > 1 else tests[0]


def _stored(rewriter: Rewriter, name: str, found: str, at: Place) -> ast.expr:
    value = ast.Subscript(_load(found, at), ast.Constant(name, **at), ast.Load(), **at)
    return named(rewriter, ast.NamedExpr(ast.Name(name, ast.Store(), **at), value, **at), value)


def _load(name: str, at: Place) -> ast.expr:
    return ast.Name(name, ast.Load(), **at)


class _Writing:
    """Writes patterns as expressions."""

    def __init__(self, rewriter: Rewriter) -> None:
        self.rewriter = rewriter

    def write(self, node: ast.pattern) -> ast.expr:
        """``(kind, ...)``."""
        kind, *parts = _FORMS[type(node)](self, node)
        at = place(node)
        return ast.Tuple([_constant(part, at) for part in (kind, *parts)], ast.Load(), **at)

    def later(self, node: ast.expr) -> ast.expr:
        """``lambda: node``."""
        none = ast.arguments([], [], None, [], [], None, [])
        return ast.Lambda(none, self.rewriter.visit(node), **place(node))

    def capture(self, node: ast.MatchAs) -> Iterable[Any]:
        return "capture", None if node.pattern is None else self.write(node.pattern), node.name

    def value(self, node: ast.MatchValue) -> Iterable[Any]:
        return "value", self.later(node.value)

    def singleton(self, node: ast.MatchSingleton) -> Iterable[Any]:
        return "singleton", node.value

    def either(self, node: ast.MatchOr) -> Iterable[Any]:
        return "either", *map(self.write, node.patterns)

    def sequence(self, node: ast.MatchSequence) -> Iterable[Any]:
        parts = node.patterns
        star = next((i for i, p in enumerate(parts) if isinstance(p, ast.MatchStar)), None)
        rest = None if star is None else parts[star].name  # type: ignore[attr-defined]
        others = [p for p in parts if not isinstance(p, ast.MatchStar)]
        return "sequence", list(map(self.write, others)), star, rest

    def mapping(self, node: ast.MatchMapping) -> Iterable[Any]:
        keys, parts = map(self.later, node.keys), map(self.write, node.patterns)
        return "mapping", list(keys), list(parts), node.rest

    def of_class(self, node: ast.MatchClass) -> Iterable[Any]:
        parts, named = map(self.write, node.patterns), map(self.write, node.kwd_patterns)
        return "of_class", self.later(node.cls), list(parts), list(node.kwd_attrs), list(named)


def _constant(part: Any, at: Place) -> ast.expr:
    """A part of a pattern as an expression."""
    if isinstance(part, ast.expr):
        return part
    if isinstance(part, list):
        return ast.Tuple([_constant(p, at) for p in part], ast.Load(), **at)
    return ast.Constant(part, **at)


_FORMS: dict[type[ast.pattern], Callable[[_Writing, Any], Iterable[Any]]] = {
    ast.MatchAs: _Writing.capture,
    ast.MatchValue: _Writing.value,
    ast.MatchSingleton: _Writing.singleton,
    ast.MatchOr: _Writing.either,
    ast.MatchSequence: _Writing.sequence,
    ast.MatchMapping: _Writing.mapping,
    ast.MatchClass: _Writing.of_class,
}
