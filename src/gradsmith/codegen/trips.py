"""The trips of a loop: its head, its index, and the place of a trip on a tape."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradsmith.codegen.conditions import asked, negated
from gradsmith.codegen.forms import LoopForm, all_nodes
from gradsmith.codegen.frames import Frame, mentioned
from gradsmith.errors import InternalError
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Size, Symbol
from gradsmith.ir.graph import Graph, Node
from gradsmith.ops import syntax
from gradsmith.ops.regions import length_of_range

if TYPE_CHECKING:
    from gradsmith.codegen.statements import Body

Tested = tuple[list[ast.stmt], ast.expr]
"""The statements before a test, and the test."""


class Trips:
    """How a loop goes round: in a range, or until a test fails."""

    def __init__(self, body: Body, node: Node, form: LoopForm) -> None:
        self.body, self.node, self.form = body, node, form
        self.before: list[ast.stmt] = []
        self._counter: str | None = None
        self._index: str | None = None
        self._place: ast.expr | None = None
        self._over_places = False
        self.over: list[tuple[ast.expr, ast.expr]] = []
        """Variables that take the items of lists from trip to trip, instead of an index."""
        self._plain = form.start == 0 and form.step == 1
        self._symbol = form.symbols[form.carried] if form.symbols else None
        self._counts_itself = self._plain and form.stop is None
        """Whether the index is also the number of the iterations before."""

    # -- the number of trips

    def length(self, size: Size) -> ast.expr:
        """The number of trips, or of places on a tape."""
        return self.body.size(_without_floor(size))

    def count(self) -> None:
        """Count the trips in a variable, where their number is not known before and is read."""
        known = self._symbol is None
        symbol = None if self._symbol is None else self.body.sizes.one(self._symbol)
        read = symbol in self.body.used or self.form.carried in self.form.used
        if read and not known:
            self._count()

    def _count(self) -> str:
        if self._counter is None:
            self._counter = self.body.names.spare("trips")
            self.before.append(syntax.assign(syntax.name(self._counter), syntax.expression(0)))
        return self._counter

    def number(self) -> ast.expr | None:
        """The number of trips, behind the loop."""
        if self._counter is not None:
            return syntax.name(self._counter)
        form = self.form
        if self._symbol is not None or form.stop is None or form.carried not in form.used:
            return None
        return self.body.size(length_of_range(form.start, form.stop, form.step))

    # -- the index

    def choose_index(self) -> None:
        """Have an index, if it is read."""
        graphs = [g for g in (self.form.body, self.form.test) if g is not None]
        if any(_is_read(graph) for graph in graphs):
            self._take_index()

    def know_index(self, param: Node) -> None:
        """Let the region with this parameter read the index."""
        if self._index is not None:
            self.body.know(param, syntax.name(self._index))

    def _take_index(self) -> str:
        if self._index is None:
            if self._counts_itself and self._counter is not None:
                self._index = self._counter
                return self._index
            param = self.form.body.params[0]
            name = str(param.attrs["name"])  # "_" is that of any loop whose index is not read
            self._index = self.body.names.fresh("i" if name == "_" else name)
            if self.form.stop is None:
                start = self.body.size(self.form.start)
                self.before.append(syntax.assign(syntax.name(self._index), start))
        return self._index

    def enter(self, inner: Frame, *, places: bool) -> None:
        """Choose the variables of the body."""
        self.know_index(inner.graph.params[0])
        if not places:
            return
        if self._counts_itself and self._index is not None:
            self._place = syntax.name(self._index)
        elif self.form.stop is None:
            self._place = syntax.name(self._count())
        elif self._plain or self._index is None:
            self._over_places = self._index is None
            self._place = syntax.name(self._take_index())
        else:
            self._place = self._computed(inner)

    @property
    def has_index(self) -> bool:
        """Whether the index is read."""
        return self._index is not None

    def _computed(self, inner: Frame) -> ast.expr:
        """The place of a trip from its index."""
        index, start, step = syntax.name(self._take_index()), self.form.start, self.form.step
        behind = index if start == 0 else syntax.binary("-", index, self.body.size(start))
        if step == 1:
            return behind
        variable = syntax.name(self.body.new_variable("place"))
        value = syntax.binary("//", behind, self.body.size(step))
        inner.statements.append(syntax.assign(variable, value))
        return variable

    @property
    def place(self) -> ast.expr:
        """The place of this trip on a tape."""
        if self._place is None:
            raise InternalError("no place is known for what the loop records")
        return self._place

    def steps(self) -> list[ast.stmt]:
        """What is counted at the end of a trip."""
        made = []
        if self._counter is not None and self._counter != self._index:
            made.append(syntax.augment(syntax.name(self._counter), "+", syntax.expression(1)))
        if self._index is not None and self.form.stop is None:
            step = self.body.size(self.form.step)
            made.append(syntax.augment(syntax.name(self._index), "+", step))
        return made

    # -- the statement

    def statement(self, body: list[ast.stmt], tested: Tested | None) -> ast.stmt:
        """The loop around its body."""
        before, test = tested or ([], None)
        if self.form.stop is None:
            if test is not None and not before:
                return ast.While(asked(test), body or [ast.Pass()], [])
            return ast.While(syntax.expression(True), [*before, *_unless(test), *body], [])
        whole = [*before, *_unless(test), *body] or [ast.Pass()]
        return ast.For(self._target(), self._iterated(), whole, [], lineno=0)

    def _target(self) -> ast.expr:
        names = [variable for variable, _ in self.over]
        if not names:
            return ast.Name("_" if self._index is None else self._index, ast.Store())
        return syntax.stored(names[0] if len(names) == 1 else syntax.tuple_(names))

    def _iterated(self) -> ast.expr:
        if not self.over:
            return self._range()
        lists = [items for _, items in self.over]
        if self.form.reverse:
            lists = [syntax.call("reversed", items) for items in lists]
        return lists[0] if len(lists) == 1 else syntax.call("zip", *lists)

    def _range(self) -> ast.expr:
        form = self.form
        if form.stop is None:
            raise InternalError("a loop without an end has no range")
        if not self._plain and (self._over_places or self._index is None):
            count = length_of_range(form.start, form.stop, form.step)
            made = syntax.call("range", self.length(count))
        else:
            bounds = [] if form.start == 0 and form.step == 1 else [form.start]
            step = [] if form.step == 1 else [form.step]
            sizes = [*bounds, form.stop, *step]
            made = syntax.call("range", *(self.body.size(size) for size in sizes))
        turned = form.reverse and self._index is not None
        return syntax.call("reversed", made) if turned else made


def _is_read(graph: Graph) -> bool:
    """Whether a region reads its first parameter, the index."""
    index = graph.params[0]
    if index in graph.results or any(index in node.inputs for node in graph.nodes):
        return True
    symbol = index.attrs["symbol"]
    return any(symbol in mentioned(node) for node in all_nodes(graph.nodes))


def _unless(test: ast.expr | None) -> list[ast.stmt]:
    """``if not test: break``."""
    if test is None:
        return []
    return [ast.If(negated(asked(test)), [ast.Break()], [])]


def _without_floor(size: Size) -> Size:
    """``n`` for ``max(n, 0)`` where it cannot be negative."""
    if not isinstance(size, Dim) or len(size.terms) != 1:
        return size
    monomial, coefficient = size.terms[0]
    if coefficient != 1 or len(monomial) != 1 or isinstance(monomial[0], Symbol):
        return size
    atom = monomial[0]
    floor = atom.name == "max" and atom.right == 0
    bound = dims.least(atom.left) if floor else None
    return atom.left if bound is not None and bound >= 0 else size
