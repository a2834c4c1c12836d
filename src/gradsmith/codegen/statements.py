"""From a planned graph to `ast` statements with comments that point back to the user's lines."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from gradsmith.codegen import printer
from gradsmith.codegen.mnemonics import WantedNames
from gradsmith.codegen.names import Names
from gradsmith.codegen.plan import Plan, plan
from gradsmith.codegen.program import Program
from gradsmith.codegen.schedule import schedule
from gradsmith.codegen.sizes import Sizes, symbols_of
from gradsmith.errors import InternalError, Span
from gradsmith.ir.dims import Shape, Size, Symbol
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import constant, item, size
from gradsmith.ir.types import ArrayType, TupleType
from gradsmith.ops import syntax
from gradsmith.ops.arithmetic import without_sign
from gradsmith.ops.masks import counted_masks
from gradsmith.tree import Path, Tree, leaf_name


class Body:
    """Builds the body of one emitted function; also what emission rules ask about sizes."""

    def __init__(self, program: Program) -> None:
        self.program = program
        scheduled = schedule(program.graph)
        self.graph = scheduled.graph
        self.plan: Plan = plan(scheduled)
        self.names = Names()
        self.sizes = Sizes(self._count, program.graph.guards)
        self._masks = counted_masks(program.graph.nodes)
        self.comments: list[str] = []
        self.statements: list[ast.stmt] = []
        self.constants: list[ast.stmt] = []
        self._variables: dict[Node, ast.expr] = {}
        self._items: dict[tuple[Node, int], ast.expr] = {}
        self._line: tuple[str, int, bool] | None = None

    # -- what emission rules may ask (the Emitter protocol)

    def size(self, value: Size) -> ast.expr:
        """The expression of a size."""
        return self.sizes.size(value)

    def shape(self, shape: Shape) -> ast.expr:
        """The expression of a whole shape."""
        return self.sizes.shape(shape)

    def _count(self, symbol: Symbol) -> ast.expr:
        """How many elements of a mask are true."""
        if symbol not in self._masks:
            raise InternalError(f"no variable in scope shows the size {symbol.name}")
        return syntax.call("np.count_nonzero", self.expression(self._masks[symbol]))

    # -- the body

    def build(self) -> list[ast.stmt]:
        """Every statement of the function."""
        for argument in self.program.arguments:
            self.names.reserve(argument.name)
        self._read_arguments()
        self._name_sizes()
        self._write_constants()
        self._name_variables()
        for node in self.plan.statements:
            self._comment(node.span)
            self.statements.extend(self._statement(node))
        self.statements.append(ast.Return(self._result()))
        return self.statements

    def _read_arguments(self) -> None:
        """``w1 = params['w1']`` for every leaf that the graph reads."""
        used = {i for node in self.graph.nodes for i in node.inputs} | set(self.graph.results)
        unseen = self._used_symbols() - self._symbols_of(
            param
            for param, (_, path) in zip(self.graph.params, self.program.reads, strict=True)
            if param in used or not path
        )
        for param, (root, path) in zip(self.graph.params, self.program.reads, strict=True):
            shown = not unseen.isdisjoint(self._symbols_of([param]))
            reading = _access(root, path)
            if path and (param in used or shown):
                label = self.graph.names.get(param, "")
                wanted = label if label.isidentifier() else leaf_name(root, path)
                variable = syntax.name(self.names.fresh(wanted))
                self.statements.append(syntax.assign(variable, reading))
                reading = variable
                unseen -= self._symbols_of([param])
            self._variables[param] = reading
            self.sizes.show(param, reading)
            if param.attrs["symbol"] is not None:
                self.sizes.integer(param.attrs["symbol"], reading)

    def _symbols_of(self, params: Iterable[Node]) -> set[Symbol]:
        """The sizes that these show; equal ones are one."""
        return {self.sizes.one(s) for p in params for s in symbols_of(p.array_type.shape)}

    def _used_symbols(self) -> set[Symbol]:
        return {
            self.sizes.one(symbol)
            for node in self.graph.nodes
            for attr in node.attrs.values()
            for symbol in symbols_of(attr)
        }

    def _name_sizes(self) -> None:
        """``n = len(x)`` for every size that the user named and the code mentions."""
        used = self._used_symbols()
        for symbol, wanted in self.graph.size_names.items():
            if self.sizes.one(symbol) in used and not symbol.unbacked:
                reading = self.sizes.symbol(symbol)
                if isinstance(reading, ast.Name):
                    continue
                variable = self.names.fresh(wanted)
                self.statements.append(syntax.assign(syntax.name(variable), reading))
                self.sizes.name(symbol, variable)

    def _write_constants(self) -> None:
        for node in self.plan.constants:
            wanted = self.graph.names.get(node, "constant").upper()
            variable = syntax.name(self.names.fresh(f"_{wanted}"))
            value = syntax.expression(node.attrs["value"].value)
            self.constants.append(syntax.assign(variable, value))
            self._variables[node] = variable

    def _name_variables(self) -> None:
        """One variable for each chain of statements that share a buffer."""
        names = WantedNames(self.plan, self.graph.names)
        for node in self.plan.statements:
            head = names.heads[node]
            if head is not node:
                self._variables[node] = self._variables[head]
            elif isinstance(node.type, TupleType):
                self._name_items(node)
            else:
                self._variables[node] = syntax.name(self.names.fresh(names.wanted[node]))

    def _name_items(self, node: Node) -> None:
        for index, _ in enumerate(_tuple_type(node).items):
            reader = next(
                (
                    n
                    for n in self.graph.nodes
                    if n.op is item and n.inputs[0] is node and n.attrs["index"] == index
                ),
                None,
            )
            wanted = "_" if reader is None else self.graph.names.get(reader, "t")
            variable = "_" if reader is None else self.names.fresh(wanted)
            self._items[node, index] = syntax.name(variable)

    def _comment(self, span: Span | None) -> None:
        """A comment where the code goes on to another line of the user's."""
        if span is None or not span.text:
            return
        line = (span.file, span.line, span.adjoint)
        if line == self._line:
            return
        self._line = line
        place = f"line {span.line}" if span.file == self.program.file else span.where
        of = "adjoint of " if span.adjoint else ""
        self.statements.append(printer.comment(len(self.comments)))
        self.comments.append(f"{of}{place}: {span.text}")

    # -- statements and expressions

    def _statement(self, node: Node) -> list[ast.stmt]:
        if isinstance(node.type, TupleType):
            targets = [self._items[node, i] for i in range(len(node.type.items))]
            return [syntax.assign(syntax.tuple_(targets), self._emit(node))]
        target = self._variables[node]
        overwritten = self.plan.overwrites.get(node)
        if node.op.update is not None:
            return self._update(node, target, overwritten)
        if overwritten is not None and node.op.inplace is not None:
            made = node.op.inplace(self, node, target, *map(self.expression, node.inputs))
        else:
            value = self._emit(node)
            if node in self.plan.snapshots:
                value = syntax.method(value, "copy")
            made = [syntax.assign(target, value)]
        self.sizes.show(node, target)
        return list(made)

    def _update(self, node: Node, target: ast.expr, overwritten: Node | None) -> list[ast.stmt]:
        if node.op.update is None:
            raise InternalError(f"{node.op.name} does not update its operand")
        before: list[ast.stmt] = []
        if overwritten is None:
            before.append(syntax.assign(target, self._emit(node)))
        others = map(self.expression, node.inputs[1:])
        made = node.op.update(self, node, target, *others)
        made = [_signed(statement, node.inputs[1]) for statement in made]
        self.sizes.show(node, target)
        return before + made

    def expression(self, node: Node) -> ast.expr:
        """The expression of a value: its variable, or what computes it."""
        if node in self._variables:
            return self._variables[node]
        if node.op is constant:
            return syntax.expression(node.attrs["value"].value)
        if node.op is size:
            return self.size(node.attrs["value"])
        if node.op is item:
            return self._items[node.inputs[0], node.attrs["index"]]
        return self._emit(node)

    def _emit(self, node: Node) -> ast.expr:
        return node.op.emit(self, node, *map(self.expression, node.inputs))

    def _result(self) -> ast.expr:
        leaves = iter([self.expression(r) for r in self.graph.results])
        return _tree(self.program.result, leaves)


def _signed(statement: ast.stmt, added: Node) -> ast.stmt:
    """``g[i] -= x`` for ``g[i] += -x``."""
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
        opposite = without_sign(added, statement.value)
        if opposite is not None:
            return ast.AugAssign(statement.target, ast.Sub(), opposite)
    return statement


def _tuple_type(node: Node) -> TupleType:
    if isinstance(node.type, ArrayType):
        raise InternalError(f"{node!r} has one result")
    return node.type


def _access(root: str, path: Path) -> ast.expr:
    reading = syntax.name(root)
    for step, key in path:
        if step == "attribute":
            reading = syntax.attribute(reading, key)
        else:
            reading = syntax.subscript(reading, syntax.expression(key))
    return reading


def _tree(tree: Tree, leaves: Any) -> ast.expr:
    """The expression that builds a nested result."""
    if tree.kind == "leaf":
        leaf: ast.expr = next(leaves)
        return leaf
    if tree.kind == "static":
        return syntax.expression(tree.value)
    parts = [_tree(child, leaves) for child in tree.children]
    if tree.kind == "dict":
        return ast.Dict([syntax.expression(k) for k in tree.keys], parts)
    if tree.kind == "list":
        return ast.List(parts, ast.Load())
    if tree.kind == "tuple":
        return syntax.tuple_(parts)
    # the caller's classes are not importable from an emitted file: NumPy is all it needs
    if tree.kind == "namedtuple":
        return syntax.tuple_(parts)
    return ast.Dict([syntax.expression(k) for k in tree.keys], parts)
