"""A region while its statements are written: its plan, and which variables can be assigned."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gradsmith.codegen.forms import (
    BlockForm,
    BranchForm,
    LoopForm,
    all_nodes,
    form_of,
    is_given,
    is_item,
)
from gradsmith.codegen.mnemonics import WantedNames
from gradsmith.codegen.plan import Plan, plan
from gradsmith.codegen.reading import reads, written_with
from gradsmith.codegen.schedule import schedule
from gradsmith.codegen.sizes import Sizes, symbols_of
from gradsmith.codegen.variables import Variables, names_in
from gradsmith.ir.dims import Symbol
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import item
from gradsmith.ir.types import ArrayType, ObjectType, TapeType, Type
from gradsmith.ops import syntax
from gradsmith.ops.data_sizes import Taken, counted_masks, slices_of


class Recorder(Protocol):
    """The loop whose body it is."""

    def recorded(self, node: Node) -> list[ast.stmt]:
        """The statement that puts a value on a tape."""


@dataclass(slots=True)
class Frame:
    """The statements of one region, as far as they are written.

    ``destinations`` are variables chosen in advance for results of branches and loops, ``free``
    the variables that belong to the region and may be assigned again.
    """

    graph: Graph
    plan: Plan
    masks: Mapping[Symbol, Node]
    slices: Mapping[Symbol, Taken]
    wanted: WantedNames
    places: dict[Node, int]
    last: dict[Node | Symbol, int]
    variables: Variables
    sizes: Sizes
    statements: list[ast.stmt] = field(default_factory=list)
    destinations: dict[tuple[Node, int], str] = field(default_factory=dict)
    free: set[str] = field(default_factory=set)
    loop: Recorder | None = None
    results: dict[Node, list[Node]] = field(default_factory=dict)
    """For ops with several results those that are read."""
    members: set[Node] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.members.update(self.graph.params, self.graph.nodes)
        for node in self.graph.nodes:
            if node.op is item or is_given(node):
                self.results.setdefault(node.inputs[0], []).append(node)

    def is_over(self, variable: str, place: int, given: tuple[Node, int] | None = None) -> bool:
        """Whether nothing behind statement ``place`` reads what the variable holds so far, and
        whatever is to be assigned to it later comes behind the readers of ``given``, a result.
        """
        shown = self._shown(given)
        end = max((self.last.get(x, -1) for x in shown), default=-1)
        for x in self.held(variable):
            made = self.made_at(x)
            if made <= place:
                over = self.last.get(x, -1) <= place
            else:
                over = end < made or (end == made and not self.spoils(x, shown))
            if not over:
                return False
        return True

    def spoils(self, made: Node | Symbol, held: list[Node | Symbol]) -> bool:
        """Whether a variable that holds these values cannot take ``made`` in the statement that
        reads them last: they are read again once it is assigned.
        """
        if isinstance(made, Symbol):
            return True
        given = is_given(made)
        if given and not isinstance(form_of(made.inputs[0]), (BranchForm, BlockForm)):
            whole, index = made.inputs[0], made.attrs["index"]
            later = [x for i, x in enumerate(whole.inputs) if i != index]
        elif made.op.update is not None and made not in self.plan.overwrites:
            whole, later = made, list(made.inputs[1:])
        else:
            return False
        read: set[Node | Symbol] = {*written_with(later, self.plan.inlined)}
        place = self.made_at(made)
        read.update(x for x in held if isinstance(x, Symbol) and self.last.get(x) == place)
        return not read.isdisjoint(held)

    def made_at(self, value: Node | Symbol) -> int:
        """The statement that makes a value; that of a parameter comes before all."""
        if isinstance(value, Symbol):
            return -1
        return self.places.get(value.inputs[0] if is_given(value) else value, -1)

    def items(self, whole: Node) -> dict[int, Node]:
        """Those results of an op with several that are read, by their indices."""
        found = [n for n in self.results.get(whole, ()) if n.op is item]
        return {node.attrs["index"]: node for node in reversed(found)}

    def given(self, whole: Node, index: int) -> list[Node]:
        """The values that are this result of a branch or a loop."""
        return [n for n in self.results.get(whole, ()) if is_item(n, whole, index)]

    def _shown(self, given: tuple[Node, int] | None) -> list[Node | Symbol]:
        """The values that are read by way of a result of a branch or a loop."""
        if given is None:
            return []
        whole, index = given
        form = form_of(whole)
        found = [x for node in self.given(whole, index) for x in self.wanted.sharing(node)]
        symbols = () if form is None else form.symbols[index : index + 1]
        return [*found, *(s for s in symbols if s is not None)]

    def held(self, variable: str) -> list[Node | Symbol]:
        """The values of this region that are written with the variable."""
        found: dict[Node, None] = {}
        for node in self.variables.reading(variable):
            if node not in self.members:
                continue
            if self.wanted.heads.get(node, node) not in self.variables:
                found[node] = None
            found.update(dict.fromkeys(self.wanted.sharing(node)))
        return [*found, *self.sizes.held_by(variable)]


def frame(
    graph: Graph,
    masks: Mapping[Symbol, Node],
    slices: Mapping[Symbol, Taken],
    variables: Variables,
    sizes: Sizes,
    loop: Recorder | None = None,
    *,
    condition: bool = False,
) -> Frame:
    """A region, planned and not yet written; ``masks`` are those counted around it, ``slices``
    those whose lengths are mentioned.
    """
    scheduled = schedule(graph)
    chosen = plan(scheduled, condition=condition)
    graph = scheduled.graph
    slices = {**slices, **slices_of(graph.nodes)}
    return Frame(
        graph=graph,
        plan=chosen,
        masks={**masks, **counted_masks(graph.nodes)},
        slices=slices,
        wanted=WantedNames(chosen, graph.names),
        places={node: i for i, node in enumerate(chosen.statements)},
        last=_last_texts(graph, chosen, slices),
        variables=variables,
        sizes=sizes,
        loop=loop,
    )


def _last_texts(
    graph: Graph, chosen: Plan, slices: Mapping[Symbol, Taken]
) -> dict[Node | Symbol, int]:
    """For every value and size the last statement that it is written in."""
    last: dict[Node | Symbol, int] = {}
    end = len(chosen.statements)
    results = [
        (end, r, [r, *(reads(r, chosen.inlined) if r in chosen.inlined else [])])
        for r in graph.results
    ]
    written = [(i, n, [n, *reads(n, chosen.inlined)]) for i, n in enumerate(chosen.statements)]
    for place, whole, parts in [*written, *results]:
        for part in parts:
            if part is not whole or place == end:
                last[part] = place
            for inner in all_nodes([part] if part is whole or part in chosen.inlined else []):
                symbols = mentioned(inner)
                taken = [slices[symbol] for symbol in symbols if symbol in slices]
                symbols += [symbol for found in taken for symbol in found.symbols]
                last.update(dict.fromkeys(symbols, place))
    return last


def mentioned(node: Node) -> list[Symbol]:
    """The sizes that the code of ``node`` may mention."""
    found = [s for attr in node.attrs.values() for s in symbols_of(attr)]
    form = form_of(node)
    if isinstance(form, LoopForm):
        found += [s for size in (form.start, form.stop, form.step) for s in symbols_of(size)]
    for type_ in (node.type, *(i.type for i in node.inputs)):
        found += _of_type(type_)
    return found


def _of_type(type_: Type) -> list[Symbol]:
    if isinstance(type_, ArrayType):
        return symbols_of(type_.shape)
    if isinstance(type_, TapeType):
        return [*symbols_of(type_.length), *_of_type(type_.item)]
    if isinstance(type_, ObjectType):
        return []
    return [s for part in type_.items for s in _of_type(part)]


# -- where results go ----------------------------------------------------------------------------


def direct(found: Frame, targets: Sequence[str], variables: Variables) -> None:
    """Let results be assigned to their variables as soon as they are made, where these are no
    longer read.
    """
    heads = found.wanted.heads
    for result, target in zip(found.graph.results, targets, strict=False):
        head = heads.get(result, result)
        place = found.made_at(head)
        if head in variables or place < 0 or not found.is_over(target, place):
            continue
        if found.spoils(head, found.held(target)):
            continue
        for node in found.wanted.sharing(head):
            variables[node] = syntax.name(target)
        if is_given(head):
            found.destinations[head.inputs[0], head.attrs["index"]] = target


def settled(
    found: Frame, moves: Iterable[tuple[str, ast.expr]], *, kept: Iterable[ast.expr] | None
) -> list[ast.stmt]:
    """The assignments at the end of a region, in an order in which none spoils another.

    ``kept`` are read after them; None says that it is not the end, and anything may be.
    """
    moves = list(moves)
    pairs = [(t, value) for t, value in moves if not is_variable(value, t)]
    if kept is not None:
        stay = [value for t, value in moves if is_variable(value, t)]
        pairs = _without_temporaries(found, pairs, [*stay, *kept])
    made: list[ast.stmt] = []
    while pairs:
        for pair in pairs:
            others = [value for t, value in pairs if t != pair[0]]
            if not any(pair[0] in names_in(value) for value in others):
                break
        else:
            return [*made, _at_once(pairs)]
        pairs.remove(pair)
        made.append(syntax.assign(syntax.name(pair[0]), pair[1]))
    return made


def augmented(statements: Iterable[ast.stmt], numbers: Collection[str]) -> list[ast.stmt]:
    """The statements with ``x += y`` for ``x = x + y``, where x is one of these: an array would
    be written to.
    """
    return [_augmented(statement, numbers) for statement in statements]


def _augmented(statement: ast.stmt, numbers: Collection[str]) -> ast.stmt:
    if isinstance(statement, ast.If):
        statement.body = augmented(statement.body, numbers)
        statement.orelse = augmented(statement.orelse, numbers)
        return statement
    name = assigned(statement)
    if name is None or name not in numbers or not isinstance(statement, ast.Assign):
        return statement
    value = statement.value
    if isinstance(value, ast.BinOp) and is_variable(value.left, name):
        return syntax.augment(value.left, value.op, value.right)
    return statement


def is_variable(value: ast.expr, name: str) -> bool:
    """Whether an expression is this variable."""
    return isinstance(value, ast.Name) and value.id == name


def _at_once(pairs: list[tuple[str, ast.expr]]) -> ast.stmt:
    targets = syntax.tuple_([syntax.name(target) for target, _ in pairs])
    return syntax.assign(targets, syntax.tuple_([value for _, value in pairs]))


def _without_temporaries(
    found: Frame, pairs: list[tuple[str, ast.expr]], kept: list[ast.expr]
) -> list[tuple[str, ast.expr]]:
    """``a = b + c`` for ``t = b + c`` and ``a = t``, where that is all that ``t`` is for."""
    while found.statements:
        last = found.statements[-1]
        name = assigned(last)
        using = [i for i, (_, value) in enumerate(pairs) if name and is_variable(value, name)]
        read = [value for _, value in pairs if name in names_in(value)] + [
            value for value in kept if name in names_in(value)
        ]
        if len(using) != 1 or len(read) != 1 or name in [t for t, _ in pairs]:
            return pairs
        assert isinstance(last, ast.Assign)
        found.statements.pop()
        pairs[using[0]] = (pairs[using[0]][0], last.value)
    return pairs


def assigned(statement: ast.stmt) -> str | None:
    """The variable that a statement assigns, if that is all it does."""
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None
