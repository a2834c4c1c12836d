"""Branches as statements: ``if``, ``elif`` and ``else``, and ``x if c else y``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from gradsmith.codegen import printer
from gradsmith.codegen.blocks import without_temporaries
from gradsmith.codegen.conditions import asked, either, negated, until_raised
from gradsmith.codegen.forms import BlockForm, LoopForm, arms_of, form_of
from gradsmith.codegen.frames import assigned, direct, settled
from gradsmith.codegen.variables import names_in
from gradsmith.errors import InternalError
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import size
from gradsmith.ir.types import ArrayType
from gradsmith.ops import syntax
from gradsmith.ops.shape import private

if TYPE_CHECKING:
    from gradsmith.codegen.statements import Body

LONGEST = 60
"""Characters of a choice that is written as an expression."""
LONGEST_TEST = 80
"""The same of a condition that is joined of several."""


class Branch:
    """One branch while it is written, into the frame at hand."""

    def __init__(self, body: Body, node: Node) -> None:
        self.body = body
        self.node = node
        self.outer = body.frame
        form = form_of(node)
        if form is None or isinstance(form, LoopForm):
            raise InternalError(f"{node!r} is no branch")
        self.form = form
        self.first = 0 if isinstance(form, BlockForm) else 1
        """Of what the arms are given: the condition comes before."""
        self.inputs = [body.expression(operand) for operand in node.inputs]
        self.targets: list[str] = []

    def write(self) -> None:
        """Every statement of it."""
        self._copy()
        for place in range(len(self.form.used)):
            self.targets.append(self._target(place))
        arms = [until_raised(self._arm(arm)) for arm in arms_of(self.form)]
        self.outer.statements += self._joined(*arms) if self.first else arms[0]
        for index, target in zip(self.form.used, self.targets, strict=True):
            self.body.give(self.node, index, syntax.name(target))

    def _copy(self) -> None:
        """``x = x0.copy()`` for what the arms write to and is not theirs."""
        moved = self.outer.plan.moved.get(self.node, set())
        for place in sorted(self.form.owned - moved):
            graph = self.outer.graph
            names = [graph.names.get(self.node.inputs[place])]
            names += [g.names.get(g.params[place - self.first]) for g in arms_of(self.form)]
            wanted = next((name for name in names if name is not None), "t")
            known = self._may_stay(place, wanted)
            variable = syntax.name(known or self.body.new_variable(wanted))
            value = private(self.node.inputs[place], self.inputs[place])
            self.outer.statements.append(syntax.assign(variable, value))
            self.inputs[place] = variable

    def _may_stay(self, place: int, wanted: str) -> str | None:
        """The variable of what is copied, where it is not read again but by the condition."""
        value, at = self.inputs[place], self.outer.places[self.node]
        if not isinstance(value, ast.Name) or value.id not in self.outer.free:
            return None
        others = [x for i, x in enumerate(self.inputs) if i >= self.first and i != place]
        if wanted != value.id or any(value.id in names_in(x) for x in others):
            return None
        later = [x for x in self.outer.held(value.id) if self.outer.made_at(x) > at]
        return None if later or not self.outer.is_over(value.id, at) else value.id

    def _target(self, place: int) -> str:
        """The variable of a result: that of what an arm leaves as it is, or writes to."""
        index = self.form.used[place]
        found = self.outer.destinations.get((self.node, index))
        if found is not None:
            return found
        for arm in arms_of(self.form):
            result = arm.results[place]
            while result.op.update is not None:
                result = result.inputs[0]
            if result in arm.params and result.type == arm.results[place].type:
                source = self.first + arm.params.index(result)
                called = self.outer.graph.names.get(self.node.inputs[source])
                name = self._as_before(self.inputs[source], called, place)
                if name is not None:
                    return name
            if result.op is size and result.type == arm.results[place].type:
                shown = self.outer.sizes.shown_by(result.attrs["value"])
                name = self._as_before(shown, None, place)
                if name is not None:
                    return name
        return self.body.new_variable(self._wanted(place))

    def _as_before(self, value: ast.expr | None, called: str | None, place: int) -> str | None:
        """The variable of an input, if it may stand for the result from now on."""
        at, wanted = self.outer.places[self.node], self._name(place)
        if not isinstance(value, ast.Name) or value.id in self.targets:
            return None
        if wanted is not None and called is not None and called != wanted:
            return None
        given = self.node, self.form.used[place]
        free = value.id in self.outer.free and self.outer.is_over(value.id, at, given)
        return value.id if free else None

    def _wanted(self, place: int) -> str:
        return self._name(place) or "t"

    def _name(self, place: int) -> str | None:
        index = self.form.used[place]
        for node in self.outer.given(self.node, index):
            called = self.outer.graph.names.get(node)
            if called is not None:
                return called
        names = [arm.names.get(arm.results[place]) for arm in arms_of(self.form)]
        return next((name for name in names if name is not None), None)

    def _arm(self, graph: Graph) -> list[ast.stmt]:
        with self.body.inside(graph, None) as inner:
            inner.loop = None
            for param, value in zip(graph.params, self.inputs[self.first :], strict=True):
                self.body.know(param, value)
            inner.free.update(self.targets)
            direct(inner, self.targets, self.body.variables)
            self.body.write()
            values = [self.body.expression(result) for result in graph.results]
            moves = list(zip(self.targets, values, strict=True))
            inner.statements += settled(inner, moves, kept=())
            if self.first:
                return inner.statements
            kept = {*self.targets, *self._names_given()}
            return without_temporaries(inner.statements, inner, kept)

    def _names_given(self) -> set[str]:
        return {name for value in self.inputs for name in names_in(value)}

    def _joined(self, then: list[ast.stmt], orelse: list[ast.stmt]) -> list[ast.stmt]:
        """The branch with these arms."""
        test = self._test([*then, *orelse])
        code = [[s for s in arm if not printer.is_comment(s)] for arm in (then, orelse)]
        if not code[1]:
            return [ast.If(test, then, [])] if code[0] else []
        if not code[0]:
            return [ast.If(negated(test), orelse, [])]
        if isinstance(then[-1], ast.Raise):
            return [ast.If(test, then, []), *orelse]
        choice = self._choice(test, *code)
        if choice is not None:
            return [choice]
        return [ast.If(test, then, code[1] if _is_one_branch(code[1]) else orelse)]

    def _test(self, arms: list[ast.stmt]) -> ast.expr:
        """The condition: ``a or b`` where it is ``t`` after ``t = True if a else b``."""
        test, before = asked(self.inputs[0]), self.outer.statements
        places = [i for i, made in enumerate(before) if not printer.is_comment(made)]
        if not (places and isinstance(test, ast.Name) and test.id in self.outer.free):
            return test
        short = either(_choice_of(before[places[-1]], test.id))
        over = self.outer.is_over(test.id, self.outer.places[self.node])
        if short is None or len(printer.print_expression(short)) > LONGEST_TEST:
            return test
        if not over or any(test.id in names_in(made) for made in arms):
            return test
        del before[places[-1]]
        return short

    def _choice(
        self, test: ast.expr, then: list[ast.stmt], orelse: list[ast.stmt]
    ) -> ast.stmt | None:
        """``v = x if c else y`` for a number."""
        if len(then) != 1 or len(orelse) != 1 or len(self.targets) != 1:
            return None
        first, second = then[0], orelse[0]
        type_ = arms_of(self.form)[0].results[0].type
        number = isinstance(type_, ArrayType) and not type_.ndim
        target = self.targets[0]
        if not number or assigned(first) != target or assigned(second) != target:
            return None
        assert isinstance(first, ast.Assign)
        assert isinstance(second, ast.Assign)
        value = ast.IfExp(test, first.value, second.value)
        short = len(printer.print_expression(value)) <= LONGEST
        return syntax.assign(syntax.name(target), value) if short else None


def _choice_of(statement: ast.stmt, name: str) -> ast.expr | None:
    """What a statement assigns to the variable, perhaps by ``if`` and ``else``; None if it does
    anything else.
    """
    if isinstance(statement, ast.Assign) and assigned(statement) == name:
        return statement.value
    if not isinstance(statement, ast.If):
        return None
    arms = [
        [s for s in a if not printer.is_comment(s)] for a in (statement.body, statement.orelse)
    ]
    if any(len(arm) != 1 for arm in arms):
        return None
    first, second = (_choice_of(arm[0], name) for arm in arms)
    return None if first is None or second is None else ast.IfExp(statement.test, first, second)


def _is_one_branch(code: list[ast.stmt]) -> bool:
    return len(code) == 1 and isinstance(code[0], ast.If)
