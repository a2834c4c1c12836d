"""Loops as statements: ``for``, ``while``, what they carry and what they record."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gradsmith.codegen import printer
from gradsmith.codegen.exits import leave_at_end
from gradsmith.codegen.forms import LoopForm, form_of, is_given
from gradsmith.codegen.frames import Frame, augmented, direct, settled
from gradsmith.codegen.mnemonics import called
from gradsmith.codegen.trips import Trips
from gradsmith.codegen.variables import names_in
from gradsmith.errors import InternalError
from gradsmith.ir.graph import Node
from gradsmith.ir.mentions import shown
from gradsmith.ir.types import ArrayType, TapeType, TupleType
from gradsmith.ops import syntax
from gradsmith.ops.shape import private

if TYPE_CHECKING:
    from gradsmith.codegen.statements import Body


AMBIGUOUS = frozenset({"a", "i", "o", "g"})
"""With an s these are keywords, or what modules are called."""

MOST_LISTS = 3
"""A loop over more at once is hard to read: it has an index."""


class Loop:
    """One loop while it is written, into the frame at hand."""

    def __init__(self, body: Body, node: Node) -> None:
        self.body = body
        self.node = node
        self.outer = body.frame
        form = form_of(node)
        if not isinstance(form, LoopForm):
            raise InternalError(f"{node!r} is no loop")
        self.form = form
        self.carried: list[str] = []
        self.tapes: dict[int, str] = {}
        self.inputs = [body.expression(operand) for operand in node.inputs]
        self.trips = Trips(body, node, form)

    def write(self) -> None:
        """Every statement of it."""
        self._carry()
        self._open_tapes()
        self.trips.count()
        with self.body.names.inside():
            self.trips.choose_index()
            tested = None if self.form.test is None else self._tested()
            with self.body.inside(self.form.body, self) as inner:
                self._bind(inner)
                direct(inner, self.carried, self.body.variables)
                self.body.write()
                self._finish(inner)
        made = self.trips.statement(inner.statements, tested)
        self.outer.statements += [*self.trips.before, made, *self._behind()]
        self._give()

    # -- before the loop

    def _carry(self) -> None:
        """``h = h0`` for all that it carries; a copy where the loop writes to what is not its."""
        form, moves = self.form, []
        moved = self.outer.plan.moved.get(self.node, set())
        for place in range(form.carried):
            copied = place in form.owned and place not in moved
            target = self.outer.destinations.get((self.node, place))
            if target is None:
                target = self._as_before(place) or self.body.new_variable(self._wanted(place))
            self.carried.append(target)
            start = self.inputs[place]
            given = self.node.inputs[place]
            moves.append((target, private(given, start) if copied else start))
        self.outer.statements += settled(self.outer, moves, kept=None)

    def _wanted(self, place: int) -> str:
        param = self.form.body.params[1 + place]
        return self.form.body.names.get(param) or str(param.attrs["name"])

    def _as_before(self, place: int) -> str | None:
        """The variable of the initial value, where that is called alike and not read again."""
        start, variable = self.node.inputs[place], self.inputs[place]
        if not isinstance(variable, ast.Name) or variable.id not in self.outer.free:
            return None
        name = variable.id
        called = self.outer.graph.names.get(start)
        if called not in (None, self._wanted(place)) or name in self.carried:
            return None
        at = self.outer.places[self.node]
        held = [x for x in self.outer.held(name) if self.outer.last.get(x) == at]
        others = [x for i, x in enumerate(self.inputs) if i != place]
        alone = held == [start] and not any(name in names_in(x) for x in others)
        return name if alone and self.outer.is_over(name, at, (self.node, place)) else None

    def _open_tapes(self) -> None:
        types = self.node.type.items if isinstance(self.node.type, TupleType) else ()
        for place, kind in enumerate(self.form.recorded):
            tape = types[self.form.carried + 1 + place]
            if kind == "unused" or not isinstance(tape, TapeType):
                continue
            wanted = called(self.form.values[place], self.form.body.names)
            variable = self.body.new_variable(_plural(wanted))
            self.tapes[place] = variable
            self.body.taped[variable] = wanted
            if kind == "array":
                value = self._empty(tape)
            else:
                value = ast.List([], ast.Load())
                if kind == "places":
                    length = self.trips.length(tape.length)
                    value = syntax.binary("*", syntax.expression([None]), length)
            self.outer.statements.append(syntax.assign(syntax.name(variable), value))

    def _empty(self, tape: TapeType) -> ast.expr:
        """``np.empty((n, *h.shape))``."""
        item, length = tape.item, self.trips.length(tape.length)
        if not isinstance(item, ArrayType):
            raise InternalError(f"an array cannot hold a {item!r}")
        shape = self.body.shape(item.shape) if item.ndim > 1 else None
        if isinstance(shape, ast.Attribute):
            sizes: list[ast.expr] = [ast.Starred(shape, ast.Load())]
        else:
            sizes = [self.body.size(size) for size in item.shape]
        dtype = None if item.dtype == float else item.dtype
        whole = syntax.tuple_([length, *sizes]) if sizes else length
        return syntax.call("np.empty", whole, dtype=dtype)

    # -- in it

    def _tested(self) -> tuple[list[ast.stmt], ast.expr]:
        """The statements before the test, and the test."""
        graph, form = self.form.test, self.form
        if graph is None:
            raise InternalError("the loop has no test")
        with self.body.inside(graph, condition=True) as inner:
            params, given = graph.params[1 + form.carried :], self.inputs[form.carried :]
            self._bind_carried(graph.params)
            for param, value in zip(params, given[form.tapes :], strict=True):
                self.body.know(param, value)
            self.trips.know_index(graph.params[0])
            self.body.write()
            return _code(inner.statements), self.body.expression(graph.results[0])

    def _bind_carried(self, params: tuple[Node, ...]) -> None:
        for param, variable in zip(params[1:], self.carried, strict=False):
            self.body.know(param, syntax.name(variable))

    def _bind(self, inner: Frame) -> None:
        form = self.form
        params = form.body.params
        self._bind_carried(params)
        inner.free.update(self.carried)
        first = 1 + form.carried
        tapes = params[first : first + form.tapes]
        for param, value in zip(
            params[first + form.tapes :], self.inputs[form.carried + form.tapes :], strict=True
        ):
            self.body.know(param, value)
        read = {
            param: tape
            for param, tape in zip(tapes, self.inputs[form.carried :], strict=False)
            if self._is_read(inner, param)
        }
        kept = {"array", "places"} & set(form.recorded)
        if read and not kept and self._go_over(inner, read):
            return
        self.trips.enter(inner, places=bool(read or kept))
        for param, tape in read.items():
            self._read_tape(inner, param, tape)

    def _is_read(self, inner: Frame, param: Node) -> bool:
        """Whether the body reads an item of a tape, or a size that no other variable shows."""
        sizes = [s for s in shown([param]) if s.unbacked and not self.body.sizes.knows(s)]
        return any(x in inner.last for x in (param, param.attrs["symbol"], *sizes))

    def _go_over(self, inner: Frame, read: Mapping[Node, ast.expr]) -> bool:
        """``for h in reversed(hs)``, where all tapes are lists."""
        nodes = dict(zip(self.form.body.params[1:], self.node.inputs, strict=False))
        tapes = dict.fromkeys(nodes[param] for param in read)
        if not all(map(_is_list, tapes)) or len(tapes) > MOST_LISTS or self.trips.has_index:
            return False
        self.trips.enter(inner, places=False)
        items: dict[Node, ast.expr] = {}
        for param, tape in read.items():
            if nodes[param] not in items:
                items[nodes[param]] = self._item(inner, param, tape)
                self.trips.over.append((items[nodes[param]], tape))
            self.body.know(param, items[nodes[param]])
        return True

    def _read_tape(self, inner: Frame, param: Node, tape: ast.expr) -> None:
        """``h = hs[i]``, or just that where it is read once."""
        value = syntax.subscript(tape, self.trips.place)
        if _times_read(inner, param) > 1 or param.attrs["symbol"] is not None:
            variable = self._item(inner, param, tape)
            inner.statements.append(syntax.assign(variable, value))
            value = variable
        self.body.know(param, value)

    def _item(self, inner: Frame, param: Node, tape: ast.expr) -> ast.expr:
        """A variable for an item of a tape."""
        known = self.body.taped.get(tape.id) if isinstance(tape, ast.Name) else None
        wanted = known or inner.graph.names.get(param) or str(param.attrs["name"])
        return syntax.name(self.body.new_variable(wanted))

    def recorded(self, node: Node) -> list[ast.stmt]:
        """The statement that puts a value on a tape."""
        place, value = node.attrs["tape"], self.body.expression(node.inputs[0])
        tape = syntax.name(self.tapes[place])
        if node.attrs["copied"]:
            value = syntax.method(value, "copy")
        if self.form.recorded[place] == "list":
            return [ast.Expr(syntax.method(tape, "append", value))]
        return [syntax.assign(syntax.subscript(tape, self.trips.place), value)]

    def _finish(self, inner: Frame) -> None:
        """What it carries goes into its variables; and the last trip is left."""
        results = inner.graph.results
        values = [self.body.expression(r) for r in results]
        moves = list(zip(self.carried, values, strict=False))
        leave = values[self.form.carried] if self.form.leaves else None
        leave_at_end(self.body.names, inner, moves, leave, self.trips.steps())
        known = zip(self.carried, results, self.node.inputs, strict=False)
        numbers = [name for name, *values in known if all(map(_is_number, values))]
        inner.statements = augmented(inner.statements, numbers)

    # -- behind it

    def _behind(self) -> list[ast.stmt]:
        """A list that was filled from the end is turned round."""
        turned = [p for p, k in enumerate(self.form.recorded) if k == "list" and self.form.reverse]
        return [
            ast.Expr(syntax.method(syntax.name(self.tapes[place]), "reverse")) for place in turned
        ]

    def _give(self) -> None:
        for place, variable in enumerate(self.carried):
            self.body.give(self.node, place, syntax.name(variable))
        self.body.give(self.node, self.form.carried, self.trips.number())
        for place, variable in self.tapes.items():
            self.body.give(self.node, self.form.carried + 1 + place, syntax.name(variable))


def _plural(wanted: str) -> str:
    """The name of a tape: ``hs``; ``s_tape`` where an s would not make it a plural."""
    return (
        f"{wanted}_tape" if wanted[-1] in "s_0123456789" or wanted in AMBIGUOUS else f"{wanted}s"
    )


def _times_read(inner: Frame, param: Node) -> int:
    """How often a value is written in the code of a region, as far as one can tell."""
    readers = [n for n in inner.graph.nodes for i in n.inputs if i is param]
    several = any(form_of(n) is not None for n in readers)
    return len(readers) + inner.graph.results.count(param) + several


def _code(statements: list[ast.stmt]) -> list[ast.stmt]:
    """The statements without comments."""
    return [s for s in statements if not printer.is_comment(s)]


def _is_list(tape: Node) -> bool:
    """Whether it is what a loop has put on a list."""
    form = form_of(tape.inputs[0]) if is_given(tape) else None
    if not isinstance(form, LoopForm):
        return False
    kind = form.recorded[tape.attrs["index"] - form.carried - 1]
    return kind in ("list", "places")


def _is_number(node: Node) -> bool:
    """Whether it is no array, not even one without axes."""
    return isinstance(node.type, ArrayType) and node.type.form != "array"
