"""Loops: ``for`` goes over what the runtime makes of the iterable, one trip or many.

``for x in e: body`` becomes::

    loop = __gs__.loop(e, targets, stored, read)
    for x in loop:
        try:
            if loop.resets: a, b = loop.reset()
            body
            if loop.leave(broken): break
        except loop.failure:
            loop.failed()
    if loop.rolled: a, b, x = loop.state()

and ``while e: body`` the same with ``if not loop.test(e): break`` (or ``continue``, to begin a
trip anew) before the body. What ``else`` says comes after it. Loops that a jump leaves out of a
``try`` stay Python's.

Where asking ``e`` changes something, ``loop.ahead`` is set: ``ended = not e`` comes before the
loop and at the end of the body, and ``loop.test(not ended)`` before it.
"""

from __future__ import annotations

import ast
from collections import Counter

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.assignments import binds, effects, taken_apart
from gradsmith.frontend.stage_rules.conditions import condition, test
from gradsmith.frontend.stage_rules.endless import is_endless
from gradsmith.frontend.stage_rules.jumps import Exit, has_yield
from gradsmith.frontend.stage_rules.liveness import stored
from gradsmith.frontend.stage_rules.places import head
from gradsmith.frontend.stage_rules.rewriter import Place, Rewriter, place, rule
from gradsmith.frontend.stage_rules.scopes import names_in, stored_names


@rule(ast.For)
def for_(rewriter: Rewriter, node: ast.For) -> list[ast.stmt]:
    """``for x in e:``."""
    if rewriter.lowering.is_plain(node):
        return _plain_for(rewriter, node)
    iterable = rewriter.visit(node.iter)
    targets = tuple(n for n in stored_names([node.target]) if not rewriter.scope.effect(n))
    loop = _Loop(rewriter, node, targets)
    begin = loop.make(iterable)
    body = [*binds(rewriter, [node.target]), *rewriter.body(node.body)]
    target, unpacked = _taken_apart(rewriter, rewriter.visit(node.target))
    made = replaced(
        node,
        target=target,
        iter=loop.name(),
        body=loop.tried([*unpacked, *loop.install(), *body, *loop.leave()]),
    )
    return [*effects(rewriter, [node.target]), begin, made, *loop.settle()]


def _taken_apart(rewriter: Rewriter, target: ast.expr) -> tuple[ast.expr, list[ast.stmt]]:
    """A name for the loop, and what takes its value apart where that may fail."""
    if isinstance(target, ast.Name):
        return target, []
    at, item = place(target), rewriter.variable("item")
    value = taken_apart(rewriter, target, ast.Name(item, ast.Load(), **at))
    whole = ast.Assign([target], value, **at)
    return ast.Name(item, ast.Store(), **at), [whole]


@rule(ast.While)
def while_(rewriter: Rewriter, node: ast.While) -> list[ast.stmt]:
    """``while e:``."""
    if rewriter.lowering.is_plain(node):
        return [_plain_while(rewriter, node)]
    at = head(node)
    loop = _Loop(rewriter, node, ())
    begin = loop.make(ast.Constant(None, **at))
    spot = rewriter.variable("trip")
    body = [*loop.install(), *loop.ask(node.test), *rewriter.body(node.body)]
    made = ast.For(
        target=ast.Name(spot, ast.Store(), **at),
        iter=loop.name(),
        body=loop.tried([*body, *loop.ask_ahead(node.test, node), *loop.leave()]),
        orelse=[],
        type_comment=None,
        **at,
    )
    first = loop.ask_first(node.test)
    return [begin, *first, made, *loop.settle(), *loop.ask_at_last(node.test)]


def _plain_for(rewriter: Rewriter, node: ast.For) -> list[ast.stmt]:
    """A loop that is Python's: ``for x in __gs__.iterate(e): ... else: ...``."""
    made = replaced(
        node,
        iter=iterated(rewriter, node.iter),
        target=rewriter.visit(node.target),
        body=[*binds(rewriter, [node.target]), *rewriter.body(node.body)],
        orelse=rewriter.body(node.orelse),
    )
    return [*effects(rewriter, [node.target]), made]


def _plain_while(rewriter: Rewriter, node: ast.While) -> ast.stmt:
    asked = test(rewriter, node.test, "yield" if has_yield([node]) else "while")
    body, orelse = rewriter.body(node.body), rewriter.body(node.orelse)
    return replaced(node, test=asked, body=body, orelse=orelse)


class _Loop:
    """The statements around one loop."""

    def __init__(
        self, rewriter: Rewriter, node: ast.For | ast.While, targets: tuple[str, ...]
    ) -> None:
        self.rewriter = rewriter
        self.at: Place = head(node)
        self.targets = targets
        self.variable = rewriter.variable("loop")
        self.exit: Exit | None = rewriter.lowering.exit(node)
        asked = [ast.Expr(node.test, **self.at)] if isinstance(node, ast.While) else []
        set_ = stored([*asked, *node.body], rewriter.scope)
        own = tuple(name for name in set_ if name not in targets)
        read = tuple(sorted(rewriter.liveness.trip(node) & set(own)))
        kept = rewriter.liveness.after(node) & {*targets, *own}
        self.ended = rewriter.variable("ended") if asked and not is_endless(node) else None
        mine = (self.ended,) if self.ended else ()
        self.stored, self.read = (*own, *mine), (*read, *mine)
        self.asked = tuple(sorted(names_in(asked).bound))
        # What `:=` sets in the condition comes from the last time that this was asked, unless the
        # loop was left before.
        self.asks_at_last = bool(kept.intersection(self.asked))
        if self.exit is None:
            kept.difference_update(self.asked)
        elif self.asks_at_last:
            kept.add(self.exit.broken)
        self.kept = tuple(sorted(kept))
        self.endless = isinstance(node, ast.While)
        self.steps = _steps(node.body) if self.endless else {}

    def name(self) -> ast.expr:
        """The loop's object."""
        return ast.Name(self.variable, ast.Load(), **self.at)

    def make(self, iterable: ast.expr) -> ast.stmt:
        """``loop = __gs__.loop(...)``."""
        at = self.at
        names = (self.targets, self.stored, self.read, self.kept)
        sets = [self._texts(n) for n in names]
        broken = self.exit.broken if self.exit else None
        leaves = self.exit is not None
        if self.exit and self.exit.returned in self.stored:
            broken = None
        flags = [ast.Constant(f, **at) for f in (leaves, self.endless, broken)]
        keys: list[ast.expr | None] = [ast.Constant(name, **at) for name in self.steps]
        steps = ast.Dict(keys, [ast.Constant(step, **at) for step in self.steps.values()], **at)
        asked = self._texts(self.asked)
        made = self.rewriter.call("loop", at, iterable, *sets, *flags, steps, asked)
        return ast.Assign([ast.Name(self.variable, ast.Store(), **at)], made, **at)

    def _texts(self, names: tuple[str, ...]) -> ast.expr:
        return ast.Tuple([ast.Constant(n, **self.at) for n in names], ast.Load(), **self.at)

    def _asked(self, method: str, *arguments: ast.expr) -> ast.expr:
        function = ast.Attribute(self.name(), method, ast.Load(), **self.at)
        return ast.Call(function, list(arguments), [], **self.at)

    def _flag(self, name: str) -> ast.expr:
        return ast.Attribute(self.name(), name, ast.Load(), **self.at)

    def _set(self, names: tuple[str, ...], flag: str, method: str) -> list[ast.stmt]:
        if not names:
            return []
        targets: list[ast.expr] = [ast.Name(n, ast.Store(), **self.at) for n in names]
        whole = ast.List(targets, ast.Store(), **self.at)
        assign = ast.Assign([whole], self._asked(method), **self.at)
        noted = effects(self.rewriter, [whole])  # a journal has to know what cells held before
        return [ast.If(self._flag(flag), [*noted, assign], [], **self.at)]

    def install(self) -> list[ast.stmt]:
        """At the beginning of a trip: the variables are what the trip starts with."""
        return self._set(self.stored, "resets", "reset")

    def settle(self) -> list[ast.stmt]:
        """After the loop."""
        return self._set((*self.stored, *self.targets), "rolled", "state")

    def ask_at_last(self, test: ast.expr) -> list[ast.stmt]:
        """The condition of a ``while`` that it has ended, for what ``:=`` sets in it."""
        if not self.asks_at_last:
            return []
        asked = self._unless_left(ast.Expr(test, **self.at), self.at)
        return [ast.If(self._flag("asks_at_last"), self.rewriter.body([asked]), [], **self.at)]

    def ask_first(self, test: ast.expr) -> list[ast.stmt]:
        """``ended = not e if loop.ahead else None``, before the loop."""
        if self.ended is None:
            return []
        none = ast.Constant(None, **self.at)
        asked = ast.IfExp(self._flag("ahead"), self._not(test), none, **self.at)
        return [ast.Assign([ast.Name(self.ended, ast.Store(), **self.at)], asked, **self.at)]

    def ask_ahead(self, test: ast.expr, node: ast.While) -> list[ast.stmt]:
        """``if loop.ahead: ended = not e`` at the end of a trip, if that was not the last."""
        if self.ended is None:
            return []
        at = self.at
        negated = ast.UnaryOp(ast.Not(), test, **place(test))
        asked = ast.Assign([ast.Name(self.ended, ast.Store(), **at)], negated, **at)
        unless_left = self._unless_left(asked, place(node))
        return [ast.If(self._flag("ahead"), self.rewriter.body([unless_left]), [], **at)]

    def _unless_left(self, asked: ast.stmt, where: Place) -> ast.stmt:
        """The statement, done where no ``break`` or ``return`` has ended the loop."""
        if self.exit is None:
            return asked
        broken = ast.Name(self.exit.broken, ast.Load(), **self.at)
        return ast.If(ast.UnaryOp(ast.Not(), broken, **self.at), [asked], [], **where)

    def _not(self, test: ast.expr) -> ast.expr:
        return self.rewriter.call("negate", place(test), condition(self.rewriter, test))

    def leave(self) -> list[ast.stmt]:
        """At the end of a trip that may have been the last."""
        if self.exit is None:
            return []
        asked = self._asked("leave", ast.Name(self.exit.broken, ast.Load(), **self.at))
        return [ast.If(asked, [ast.Break(**self.at)], [], **self.at)]

    def ask(self, test: ast.expr) -> list[ast.stmt]:
        """``go = loop.test(e)``: on, out, or once more from the beginning of the trip.

        With ``loop.ahead`` it is ``loop.test(not ended)``.
        """
        at = self.at
        spot = self.rewriter.variable("go")
        value = condition(self.rewriter, test)
        if self.ended is not None:
            ended = ast.Name(self.ended, ast.Load(), **at)
            known = self.rewriter.call("negate", at, ended)
            value = ast.IfExp(self._flag("ahead"), known, value, **at)
        asked = ast.Assign([ast.Name(spot, ast.Store(), **at)], self._asked("test", value), **at)
        go = ast.Name(spot, ast.Load(), **at)
        anew = ast.Compare(go, [ast.Is()], [ast.Constant(None, **at)], **at)
        out = ast.UnaryOp(ast.Not(), go, **at)
        return [
            asked,
            ast.If(anew, [ast.Continue(**at)], [], **at),
            ast.If(out, [ast.Break(**at)], [], **at),
        ]

    def tried(self, trip: list[ast.stmt]) -> list[ast.stmt]:
        """``try: ... except loop.failure: loop.failed()``."""
        at = self.at
        again = ast.Expr(self._asked("failed"), **at)
        handler = ast.ExceptHandler(self._flag("failure"), None, [again], **at)
        return [ast.Try(trip, [handler], [], [], **at)]


def _steps(body: list[ast.stmt]) -> dict[str, int]:
    """By how much a trip changes the variables that it changes just once, and always."""
    binds = [n for s in body for n in ast.walk(s) if isinstance(n, ast.Name)]
    often = Counter(n.id for n in binds if not isinstance(n.ctx, ast.Load))
    steps = dict(filter(None, map(_step, body)))
    return {name: step for name, step in steps.items() if often[name] == 1}


def _step(node: ast.stmt) -> tuple[str, int] | None:
    """``i += 2`` → ``("i", 2)``, also for ``i = i + 2``; None for what does not count."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        name, operator, by = node.target.id, node.op, node.value
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
        operator, by = node.value.op, node.value.right
        target, before = node.targets[0], node.value.left
        if not (isinstance(target, ast.Name) and isinstance(before, ast.Name)):
            return None
        if target.id != before.id or len(node.targets) > 1:
            return None
        name = target.id
    else:
        return None
    number = by.value if isinstance(by, ast.Constant) else None
    if type(number) is not int or not number or not isinstance(operator, (ast.Add, ast.Sub)):
        return None
    return name, number if isinstance(operator, ast.Add) else -number


def iterated(rewriter: Rewriter, iterable: ast.expr) -> ast.expr:
    """``__gs__.iterate(iterable)``."""
    return rewriter.call("iterate", place(iterable), rewriter.visit(iterable))
