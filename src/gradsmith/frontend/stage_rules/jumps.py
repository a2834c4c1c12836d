"""Early exits as values: ``return``, ``break`` and ``continue`` under an ``if``.

What follows an ``if`` with a jump in it moves into its arms, until every jump is the last thing
that its way does. Then ``return e`` only says what the result is, ``break`` that the trip was the
last, and both ways through every ``if`` meet again: which a branch on a traced value needs. Where
that would write too much twice, a flag says whether the rest is still to be done.

Jumps out of ``try`` and ``match`` stay what they are, and so do loops that are left by these, and
loops in which a generator gives values.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from weakref import WeakKeyDictionary

from gradsmith.frontend.enclose import replaced
from gradsmith.frontend.stage_rules.endless import asking_first, is_endless
from gradsmith.frontend.stage_rules.places import place
from gradsmith.frontend.unsettled import RESULT

MOST_COPIED = 100
"""Nodes of syntax that may be written twice because both branches of one ``if`` go on."""
MOST_IN_ALL = 4 * MOST_COPIED
"""The same of one function."""
_WEIGHTS: dict[type[ast.AST], int] = {ast.For: 100, ast.While: 100, ast.Call: 5}
"""What counts as several nodes: the code of a loop has one more for the derivative, and a call may
be that of a helper, whose code is inlined.
"""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LOOPS = (ast.For, ast.While)
_COMPOUND: tuple[type[ast.stmt], ...] = (
    *(*_LOOPS, ast.AsyncFor, ast.If, ast.With, ast.AsyncWith, ast.Match, ast.Try),
)
if sys.version_info >= (3, 11):
    _COMPOUND = (*_COMPOUND, ast.TryStar)
"""Statements with blocks that belong to the same function."""
_JUMPS = (ast.Return, ast.Break, ast.Continue)
_ENDS = (*_JUMPS, ast.Raise)

Block: TypeAlias = list[ast.stmt]


@dataclass(frozen=True, slots=True)
class Exit:
    """The variables by which a loop tells that it was left: by ``break``, by ``return``."""

    broken: str
    returned: str
    result: str


def inside(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """These nodes and all in them that belongs to the same function."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if not (isinstance(node, _FUNCTIONS) or _never(node)):
            stack += ast.iter_child_nodes(node)


def _never(node: ast.AST) -> bool:
    """Whether it is ``if False:``, what stands after a jump."""
    constant = isinstance(node, ast.If) and isinstance(node.test, ast.Constant)
    return constant and not node.test.value and not node.orelse  # type: ignore[attr-defined]


def returns(block: Iterable[ast.stmt]) -> bool:
    """Whether there is a ``return`` in these statements."""
    return any(ast.Return in _jumps_of(statement) for statement in block)


def has_yield(nodes: Iterable[ast.AST]) -> bool:
    """Whether a generator gives a value in them: they stay Python's."""
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in inside(nodes))


def leaves(block: Iterable[ast.stmt], kind: type[ast.stmt]) -> bool:
    """Whether a jump of this kind, of the loop around, is in these statements."""
    return any(kind in _jumps_of(statement) for statement in block)


def jumps(block: Iterable[ast.stmt]) -> bool:
    """Whether there is a ``return`` in them, or a ``break`` or ``continue`` of a loop around."""
    return any(map(_jumps_of, block))


_known_jumps: WeakKeyDictionary[ast.stmt, frozenset[type[ast.stmt]]] = WeakKeyDictionary()
"""Of statements with blocks: those of long chains are asked at each level."""


def _jumps_of(statement: ast.stmt) -> frozenset[type[ast.stmt]]:
    """The kinds of jumps in a statement: ``break`` and ``continue`` of a loop around."""
    if isinstance(statement, _JUMPS):
        return frozenset({type(statement)})
    if not isinstance(statement, _COMPOUND) or _never(statement):
        return frozenset()
    known = _known_jumps.get(statement)
    if known is None:
        found: set[type[ast.stmt]] = set()
        for name, inner in _blocks(statement):
            kinds = _jumps_of(inner)  # no generator in between: chains nest deeply
            own = name == "body" and isinstance(statement, _LOOPS)
            found |= kinds & {ast.Return} if own else kinds
        known = _known_jumps[statement] = frozenset(found)
    return known


def _blocks(statement: ast.stmt) -> list[tuple[str, ast.stmt]]:
    """The statements directly in one, each with the name of its block."""
    found: list[tuple[str, ast.stmt]] = []
    for name, value in vars(statement).items():
        for part in value if isinstance(value, list) else ():
            inner = [part] if isinstance(part, ast.stmt) else getattr(part, "body", ())
            found += [(name, each) for each in inner]
    return found


def falls(block: Sequence[ast.stmt]) -> bool:
    """Whether what stands after the block may be reached through it."""
    if not block:
        return True
    last = block[-1]
    if isinstance(last, ast.If):
        return falls(last.body) or falls(last.orelse)
    return not isinstance(last, _ENDS)


def _weight_of(block: Block, most: int) -> int:
    """How much code statements are; more than ``most`` is not counted on."""
    weight = 0
    for node in (node for statement in block for node in ast.walk(statement)):
        weight += _WEIGHTS.get(type(node), 1)
        if weight > most:
            break
    return weight


def _stuck(block: Sequence[ast.stmt], *, looking: bool) -> bool:
    """Whether a jump stays one, as it is in a ``try`` or ``match``.

    Not ``looking`` for those of the loop around, only ``return`` counts.
    """
    for statement in block:
        if isinstance(statement, ast.If):
            stuck = any(_stuck(arm, looking=looking) for arm in (statement.body, statement.orelse))
        elif isinstance(statement, (*_LOOPS, ast.With)) and has_yield([statement]):
            stuck = returns([statement]) or (looking and jumps([statement]))
        elif isinstance(statement, _LOOPS):
            stuck = _stuck(statement.body, looking=False)
            stuck = stuck or _stuck(statement.orelse, looking=looking)
        elif isinstance(statement, ast.With):
            stuck = _stuck(statement.body, looking=looking)
        elif isinstance(statement, _JUMPS):
            stuck = False
        else:
            stuck = jumps([statement]) if looking else returns([statement])
        if stuck:
            return True
    return False


class Lowering:
    """The jumps of one function, and of those in it."""

    def __init__(self) -> None:
        self._count = 0
        self._copied = 0
        self._loops: dict[int, tuple[ast.stmt, Exit | None]] = {}

    def is_plain(self, loop: ast.stmt) -> bool:
        """Whether the loop stays Python's: it is left by jumps that stay jumps."""
        return id(loop) not in self._loops

    def exit(self, loop: ast.stmt) -> Exit | None:
        """How the loop tells that it was left; None where it cannot be left."""
        return self._loops[id(loop)][1]

    def function(self, body: Block) -> Block:
        """The body of a function whose conditional results are values."""
        self._copied = 0
        block = self._block(body)
        if not (isinstance(block[-1], ast.If) and returns(block[-1:])):
            return block
        at = place(block[-1])
        last = _tail(block[-1:], _given)
        return [*block[:-1], *last, ast.Return(ast.Name(RESULT, ast.Load(), **at), **at)]

    def _block(self, block: Sequence[ast.stmt]) -> Block:
        """The statements with what follows a jump moved into the arms."""
        done: Block = []
        for i, statement in enumerate(block):
            rest = list(block[i + 1 :])
            if isinstance(statement, (*_LOOPS, ast.With)):
                before, made, after = self._parts(statement)
                done += [*before, made]
                if after:
                    return [*done, *self._block([*after, *rest])]
            elif isinstance(statement, ast.If) and jumps([statement]):
                return [*done, *self._if(statement, rest)]
            elif isinstance(statement, _ENDS):
                return [*done, *_unreached(rest), statement]
            else:
                done.append(self._inner(statement))
        return done

    def _inner(self, statement: ast.stmt) -> ast.stmt:
        """A statement with its blocks lowered, each by itself."""
        if isinstance(statement, _FUNCTIONS):
            return statement
        changes: dict[str, object] = {}
        for name, value in vars(statement).items():
            if name in ("body", "orelse", "finalbody"):
                changes[name] = self._block(value)
            elif name in ("handlers", "cases"):
                changes[name] = [replaced(part, body=self._block(part.body)) for part in value]
        return replaced(statement, **changes) if changes else statement

    def _if(self, node: ast.If, rest: Block) -> Block:
        """An ``if`` with a jump, and with what follows in its arms."""
        goes_on = [falls(node.body), falls(node.orelse)]
        if all(goes_on):
            copied = _weight_of(rest, MOST_COPIED)
            if copied > MOST_COPIED or self._copied + copied > MOST_IN_ALL:
                before, body, after = self._flagged([node], node)
                return [*before, *body, *self._block([*after, *rest])]
            self._copied += copied
        then, orelse = (
            self._block([*arm, *(rest if on else ())])
            for arm, on in zip((node.body, node.orelse), goes_on, strict=True)
        )
        dead = [] if any(goes_on) else _unreached(rest)
        return [*dead, replaced(node, body=then, orelse=orelse)]

    def _parts(self, node: ast.For | ast.While | ast.With) -> tuple[Block, ast.stmt, Block]:
        return self._with(node) if isinstance(node, ast.With) else self._loop(node)

    def _loop(self, node: ast.For | ast.While) -> tuple[Block, ast.stmt, Block]:
        """A loop with flags for its jumps, and what to do before and after it."""
        if _stuck(node.body, looking=True) or has_yield([node]):
            return [], self._inner(node), []
        node = self._storing_first(asking_first(node))
        body = self._block(node.body)
        broken, returned = leaves(node.body, ast.Break), returns(node.body)
        if not (broken or returned):
            if leaves(node.body, ast.Continue):
                body = _tail(body, _without_jump)
            made = replaced(node, body=body, orelse=[])
            self._loops[id(made)] = made, None
            return [], made, list(node.orelse)
        names = Exit(*self._names("broken", "returned", "result"))
        only = returned and not broken and is_endless(node)  # what follows is never reached
        made = replaced(node, body=_tail(body, _Leaving(names, flagged=not only)), orelse=[])
        self._loops[id(made)] = made, names
        flags = [names.broken, names.returned] if returned and not only else [names.broken]
        after = _unless(names.broken, list(node.orelse), node) if node.orelse else []
        if returned:
            give = ast.Return(_read(names.result, node), **place(node))
            flag = _read(names.returned, node)
            after = [give] if only else [ast.If(flag, [give], after, **place(node))]
        return [_assign(name, _constant(False, node), node) for name in flags], made, after

    def _storing_first(self, node: ast.For | ast.While) -> ast.For | ast.While:
        """``for a[i] in e:`` as ``for item in e: a[i] = item``: an iteration may change ``i``."""
        if isinstance(node, ast.While) or not any(
            isinstance(part, (ast.Subscript, ast.Attribute)) for part in ast.walk(node.target)
        ):
            return node
        (item,), at = self._names("item"), place(node)
        stores = ast.Assign([node.target], _read(item, node), **at)
        target = ast.Name(item, ast.Store(), **at)
        return replaced(node, target=target, body=[stores, *node.body])

    def _with(self, node: ast.With) -> tuple[Block, ast.stmt, Block]:
        """The same for ``with``: it is left before its jump happens."""
        if _stuck(node.body, looking=True) or not jumps(node.body) or has_yield(node.body):
            return [], self._inner(node), []
        before, body, after = self._flagged(node.body, node)
        return before, replaced(node, body=body), after

    def _flagged(self, block: Block, at: ast.stmt) -> tuple[Block, Block, Block]:
        """The block with flags for its jumps, and what to do before and after it."""
        flags: dict[type[ast.stmt], str] = {}
        if returns(block):
            flags[ast.Return] = self._names("returned")[0]
        if leaves(block, ast.Break):
            flags[ast.Break] = self._names("broken")[0]
        if leaves(block, ast.Continue):
            flags[ast.Continue] = self._names("skipped")[0]
        (result,) = self._names("result")
        body = _tail(self._block(block), _Flagging(flags, result))
        after: Block = []
        for kind, flag in flags.items():
            give = ast.Return(_read(result, at), **place(at))
            jump = give if kind is ast.Return else kind(**place(at))
            after = [ast.If(_read(flag, at), [jump], after, **place(at))]
        return [_assign(flag, _constant(False, at), at) for flag in flags.values()], body, after

    def _names(self, *words: str) -> list[str]:
        self._count += 1
        return [f"__gs_{word}_{self._count}" for word in words]


End: TypeAlias = Callable[[Block], Block]


def _tail(block: Block, end: End) -> Block:
    """The block with what ``end`` makes of it at the end of each way through it."""
    last = block[-1]
    if isinstance(last, ast.If) and jumps([last]):
        nothing: Block = [ast.Pass(**place(last))]
        arms = [_tail(arm or nothing, end) for arm in (last.body, last.orelse)]
        return [*block[:-1], replaced(last, body=arms[0], orelse=arms[1])]
    return block if isinstance(last, ast.Raise) else end(block)


def _given(block: Block) -> Block:
    """At the end of a function: what it returns."""
    last = block[-1]
    return [*_before_jump(block), _assign(RESULT, _returned(last), last)]


def _without_jump(block: Block) -> Block:
    """At the end of a trip that is not the last."""
    return _before_jump(block) or [ast.Pass(**place(block[-1]))]


@dataclass(frozen=True, slots=True)
class _Leaving:
    """At the end of a trip: whether it is the last."""

    names: Exit
    flagged: bool
    """Whether there are other ways to end the loop than ``return``."""

    def __call__(self, block: Block) -> Block:
        last = block[-1]
        given: Block = []
        if isinstance(last, ast.Return):
            given = [_assign(self.names.result, _returned(last), last)]
            if self.flagged:
                given.append(_assign(self.names.returned, _constant(True, last), last))
        ends = isinstance(last, (ast.Break, ast.Return))
        return [
            *_before_jump(block),
            *given,
            _assign(self.names.broken, _constant(ends, last), last),
        ]


@dataclass(frozen=True, slots=True)
class _Flagging:
    """At the end of a ``with``: which jump is to follow."""

    flags: dict[type[ast.stmt], str]
    result: str

    def __call__(self, block: Block) -> Block:
        last = block[-1]
        if not isinstance(last, _JUMPS):
            return block
        given: Block = []
        if isinstance(last, ast.Return):
            given = [_assign(self.result, _returned(last), last)]
        flag = _assign(self.flags[type(last)], _constant(True, last), last)
        return [*_before_jump(block), *given, flag]


def _before_jump(block: Block) -> Block:
    return block[:-1] if isinstance(block[-1], _JUMPS) else block


def _returned(last: ast.stmt) -> ast.expr:
    value = last.value if isinstance(last, ast.Return) else None
    return value or _constant(None, last)


def _unreached(rest: Block) -> Block:
    """``if False: rest``: names that it sets are variables of the function all the same."""
    return [ast.If(_constant(False, rest[0]), rest, [], **place(rest[0]))] if rest else []


def _unless(flag: str, body: Block, at: ast.stmt) -> Block:
    test = ast.UnaryOp(ast.Not(), _read(flag, at), **place(at))
    return [ast.If(test, body, [], **place(at))]


def _constant(value: bool | None, at: ast.stmt) -> ast.expr:
    return ast.Constant(value, **place(at))


def _assign(name: str, value: ast.expr, at: ast.stmt) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store(), **place(at))], value, **place(at))


def _read(name: str, at: ast.stmt) -> ast.expr:
    return ast.Name(name, ast.Load(), **place(at))
