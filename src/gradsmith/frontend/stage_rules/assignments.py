"""Everything that stores in variables: the runtime learns their names."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.conditions import stored_in
from gradsmith.frontend.stage_rules.rewriter import OWN, Place, Rewriter, place, rule
from gradsmith.frontend.stage_rules.scopes import stored_names
from gradsmith.frontend.unsettled import RESULT


@rule(ast.Assign)
def assign(rewriter: Rewriter, node: ast.Assign) -> list[ast.stmt]:
    """``h = e`` → ``h = __gs__.bind("h", e)``; other targets are bound in a next statement."""
    (target, *more) = node.targets
    value = rewriter.visit(node.value) if more else stored_in(rewriter, target, node.value)
    if isinstance(target, ast.Name) and target.id.startswith(OWN):
        noted_before = isinstance(value, ast.Name) and value.id.startswith(OWN)
        is_result = target.id.startswith(RESULT) and not noted_before
        noted = rewriter.call("result", place(node.value), value) if is_result else value
        return [replaced(node, value=noted)]
    own = isinstance(target, ast.Name) and not _is_shared(rewriter, target.id)
    if isinstance(target, ast.Name) and own and not more:
        return [replaced(node, value=bound(rewriter, target.id, value))]
    stored = _one_by_one(rewriter, node, value)
    return [*effects(rewriter, node.targets), *stored, *binds(rewriter, node.targets)]


def _one_by_one(rewriter: Rewriter, node: ast.Assign, value: ast.expr) -> list[ast.stmt]:
    """The assignments, one after the other where several targets take the value apart."""
    apart = any(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets)
    if not apart or len(node.targets) == 1:
        value = taken_apart(rewriter, node.targets[0], value)
        return [replaced(node, targets=[rewriter.visit(t) for t in node.targets], value=value)]
    at, name = place(node.value), rewriter.variable("value")
    stored: list[ast.stmt] = [
        replaced(node, targets=[ast.Name(name, ast.Store(), **at)], value=value)
    ]
    for target in node.targets:
        held = taken_apart(rewriter, target, ast.Name(name, ast.Load(), **at))
        stored.append(replaced(node, targets=[rewriter.visit(target)], value=held))
    return stored


def taken_apart(rewriter: Rewriter, target: ast.expr, value: ast.expr) -> ast.expr:
    """``value`` where ``target`` takes it apart → ``__gs_scratch__.unpacked(value, ...)``."""
    if not isinstance(target, (ast.Tuple, ast.List)):
        return value
    starred, nested = _shape(target)
    if isinstance(value, (ast.Tuple, ast.List)) and not nested:
        return value
    at = place(value)
    if nested:
        return rewriter.scratch("unpacked_within", at, value, shape_of(target))
    return rewriter.scratch("unpacked", at, value, *(ast.Constant(n, **at) for n in starred))


def shape_of(target: ast.Tuple | ast.List) -> ast.expr:
    """`_shape` as an expression."""
    shape = ast.parse(repr(_shape(target)), mode="eval").body
    return ast.fix_missing_locations(ast.copy_location(shape, target))


def _shape(target: ast.Tuple | ast.List) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """How many targets there are before and behind a starred one, if there is one; the places of
    those that take their values apart again, and their shapes.
    """
    starred = [i for i, e in enumerate(target.elts) if isinstance(e, ast.Starred)]
    count = len(target.elts)
    last = starred[0] if starred else count
    nested = tuple(
        (i if i < last else i - count, _shape(e))
        for i, e in enumerate(target.elts)
        if isinstance(e, (ast.Tuple, ast.List))
    )
    return ((last, count - last - 1) if starred else ()), nested


@rule(ast.AnnAssign)
def annotated(rewriter: Rewriter, node: ast.AnnAssign) -> list[ast.stmt]:
    """``h: float = e``; Python does not evaluate annotations of variables in functions."""
    value = None if node.value is None else rewriter.visit(node.value)
    stored = replaced(node, target=rewriter.visit(node.target), value=value)
    return [stored] if value is None else [stored, *binds(rewriter, [node.target])]


@rule(ast.AugAssign)
def augmented(rewriter: Rewriter, node: ast.AugAssign) -> list[ast.stmt]:
    """``h += e`` → ``h = __gs_scratch__.inplace("Add", h, e)``, which is bound.

    ``x.a += e`` stays Python's: what ``x.a`` gives has ``__iadd__``.

    A global ``h`` is read through the runtime first: ``h = __gs__.read("h", h)``.
    """
    target = [node.target]
    value = rewriter.visit(node.value)
    if isinstance(node.target, ast.Name):
        at, name = place(node), replaced(node.target, ctx=ast.Load())
        word = rewriter.text(type(node.op).__name__, at)
        made = rewriter.scratch("inplace", at, word, name, value)
        stored: ast.stmt = ast.Assign([node.target], made, **at)
    else:
        stored = replaced(node, target=_updating(rewriter, node.target), value=value)
    warned = effects(rewriter, target)
    outside = isinstance(node.target, ast.Name) and rewriter.scope.effect(node.target.id)
    read = [_reread(rewriter, node.target)] if outside else []
    if isinstance(node.target, ast.Name) and rewriter.is_unsure(node.target):
        value_now = rewriter.bound(node.target)
        read = [ast.Assign([node.target], value_now, **place(node.target))]
    elif isinstance(node.target, ast.Name) and node.target.id in rewriter.optional:
        read = [_reread(rewriter, node.target)]
    return [*warned, *read, *_extended(rewriter, node), stored, *binds(rewriter, target)]


_OF_CONTAINERS = (ast.Add, ast.Mult, ast.BitOr, ast.BitAnd, ast.Sub, ast.BitXor)


def _extended(rewriter: Rewriter, node: ast.AugAssign) -> list[ast.stmt]:
    """``__gs__.extended(h)`` before ``h += e``, which may add elements to a list.

    Items and attributes are read once, by Python: `Updating` announces what it reads.
    """
    if not (isinstance(node.target, ast.Name) and isinstance(node.op, _OF_CONTAINERS)):
        return []
    at = place(node.target)
    name = ast.Name(node.target.id, ast.Load(), **at)
    return [ast.Expr(rewriter.call("extended", at, name), **at)]


def _updating(rewriter: Rewriter, target: ast.Attribute | ast.Subscript) -> ast.expr:
    """The owner of what is replaced → ``__gs_scratch__.updating(owner)``."""
    made = rewriter.visit(target)
    owner = rewriter.scratch("updating", place(target.value), made.value)
    return replaced(made, value=owner)  # type: ignore[no-any-return]


def _reread(rewriter: Rewriter, target: ast.expr) -> ast.stmt:
    name = replaced(target, ctx=ast.Load())
    return ast.Assign([target], rewriter.visit(name), **place(target))


@rule(ast.NamedExpr)
def walrus(rewriter: Rewriter, node: ast.NamedExpr) -> ast.expr:
    """``(h := e)`` → ``(h := __gs__.bind("h", e))``."""
    return named(rewriter, node, rewriter.visit(node.value))


def named(rewriter: Rewriter, node: ast.NamedExpr, value: ast.expr) -> ast.expr:
    """The same where ``value`` is the rewritten value."""
    name, at = node.target.id, place(node)
    if rewriter.scope.effect(name) is None:
        value = bound(rewriter, name, value)
    else:
        value = _stored(rewriter, name, value)
    if _is_shared(rewriter, name):
        value = last_of(_effect(rewriter, name, at), value, at)
    if rewriter.scope.comprehension:
        value = rewriter.scratch("walrus", at, value)
    return replaced(node, value=value)


@rule(ast.Delete)
def delete(rewriter: Rewriter, node: ast.Delete) -> list[ast.stmt]:
    """``del x[i]``; ``del x`` → ``__gs__.bound("x", x, False)``, and ``x`` is unset.

    Of a global or nonlocal variable ``if __gs__.deleted("x", x): del x``.
    """
    made: list[ast.stmt] = []
    for target in node.targets:
        if isinstance(target, ast.Name) and target.id in rewriter.scope.bound:
            asked = ast.Expr(rewriter.bound(target), **place(target))
            made += [asked, rewriter.unset(target)]
        elif isinstance(target, ast.Name) and rewriter.scope.effect(target.id):
            at = place(target)
            value = rewriter.visit(replaced(target, ctx=ast.Load()))
            test = rewriter.call("deleted", at, rewriter.text(target.id, at), value)
            made.append(ast.If(test, [replaced(node, targets=[target])], [], **place(node)))
        else:
            made.append(replaced(node, targets=[rewriter.visit(target)]))
    return [*effects(rewriter, node.targets), *made]


def bound(rewriter: Rewriter, name: str, value: ast.expr) -> ast.expr:
    """``__gs__.bind("name", value)``."""
    at = place(value)
    return rewriter.call("bind", at, rewriter.text(name, at), value)


def binds(rewriter: Rewriter, targets: Sequence[ast.expr]) -> list[ast.stmt]:
    """``h = __gs__.bind("h", h)`` for every variable of the function among ``targets``, and
    ``__gs__.stored("h", h)`` for every global or nonlocal one.
    """
    at, names = place(targets[0]), stored_names(targets)
    if rewriter.scope.is_class:  # its namespace may note what is stored, as that of an Enum does
        names = [name for name in names if rewriter.scope.effect(name) is not None]
    return [_noted(rewriter, name, at) for name in names]


def _noted(rewriter: Rewriter, name: str, at: Place) -> ast.stmt:
    value = ast.Name(name, ast.Load(), **at)
    if rewriter.scope.effect(name) is not None:
        return ast.Expr(_stored(rewriter, name, value), **at)
    return ast.Assign([ast.Name(name, ast.Store(), **at)], bound(rewriter, name, value), **at)


def _stored(rewriter: Rewriter, name: str, value: ast.expr) -> ast.expr:
    """``__gs__.stored("h", value)``: a global or nonlocal variable has this value from now on."""
    at = place(value)
    return rewriter.call("stored", at, rewriter.text(name, at), value)


def effects(rewriter: Rewriter, targets: Sequence[ast.expr]) -> list[ast.stmt]:
    """``__gs__.effect("global", "h")`` for every variable that is not the function's own."""
    at = place(targets[0])
    shared = [name for name in stored_names(targets) if _is_shared(rewriter, name)]
    return [ast.Expr(_effect(rewriter, name, at), **at) for name in shared]


def defining(rewriter: Rewriter, made: ast.stmt, *names: str) -> list[ast.stmt]:
    """A statement that gives variables values (``def``, ``class``, ``import``), with what there is
    to note where they are global or nonlocal.
    """
    at = place(made)
    shared = [name for name in names if rewriter.scope.effect(name) is not None]
    targets: list[ast.expr] = [ast.Name(name, ast.Store(), **at) for name in shared]
    if not targets:
        return [made]
    return [*effects(rewriter, targets), made, *binds(rewriter, targets)]


def _is_shared(rewriter: Rewriter, name: str) -> bool:
    """Whether storing ``name`` changes a variable that is not the function's own."""
    return bool(rewriter.scope.effect(name) or rewriter.scope.home_of(name))


def _effect(rewriter: Rewriter, name: str, at: Place) -> ast.expr:
    text, kind = rewriter.text(name, at), rewriter.scope.effect(name)
    if kind is not None:
        return rewriter.call("effect", at, rewriter.text(kind, at), text)
    owner = rewriter.scope.owner_of(name)
    assert owner is not None
    home: ast.expr = ast.Name(owner.home or "", ast.Load(), **at)
    if name not in owner.rebound:
        home = ast.Constant(None, **at)
    none = ast.arguments([], [], None, [], [], None, [])
    read = ast.Lambda(none, ast.Name(name, ast.Load(), **at), **at)
    return rewriter.scratch("shared", at, text, home, read)


def last_of(first: ast.expr, last: ast.expr, at: Place) -> ast.expr:
    """``(first, last)[1]``: both are evaluated, the value is that of the last."""
    both = ast.Tuple([first, last], ast.Load(), **at)
    return ast.Subscript(both, ast.Constant(1, **at), ast.Load(), **at)
