"""From a planned graph to `ast` statements with comments that point back to the user's lines."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from gradsmith.codegen import printer
from gradsmith.codegen.branches import Branch
from gradsmith.codegen.conditions import until_raised
from gradsmith.codegen.errors import Errors
from gradsmith.codegen.forms import (
    LoopForm,
    all_nodes,
    form_of,
    given_symbols,
    record,
    tuple_type,
)
from gradsmith.codegen.frames import Frame, frame, mentioned
from gradsmith.codegen.helpers import Helpers
from gradsmith.codegen.loops import Loop
from gradsmith.codegen.marks import as_statement, marked
from gradsmith.codegen.mnemonics import called
from gradsmith.codegen.names import Names
from gradsmith.codegen.ownership import prepared
from gradsmith.codegen.plan import Plan
from gradsmith.codegen.program import Program
from gradsmith.codegen.shapes import access, tree_of
from gradsmith.codegen.sizes import Sizes, symbols_of
from gradsmith.codegen.unread import without_unread
from gradsmith.codegen.variables import Variables
from gradsmith.errors import InternalError, Span
from gradsmith.ir import dims
from gradsmith.ir.dims import Compound, Shape, Size, Symbol
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import constant, evaluation, item, size
from gradsmith.ir.mentions import said_by
from gradsmith.ir.op import Held
from gradsmith.ir.types import ArrayType, TupleType
from gradsmith.ops import syntax
from gradsmith.ops.calls import call
from gradsmith.ops.data_sizes import Taken
from gradsmith.ops.shape import private
from gradsmith.tree import leaf_name


class Body:
    """Builds the body of one emitted function; also what emission rules ask about sizes."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names = Names([program.name])
        self.sizes = Sizes(self._count, program.graph.guards)
        self.variables = Variables()
        self.frame: Frame = frame(prepared(program.graph), {}, {}, self.variables, self.sizes)
        self.used = self._used_symbols()
        self.comments: list[str] = []
        self.constants: list[ast.stmt] = []
        self.helpers = Helpers(self.names, [argument.name for argument in program.arguments])
        self.errors = Errors(self.names)
        self._literals: dict[object, ast.expr] = {}
        self.taped: dict[str, str] = {}
        """For the variables of tapes: what one of their values is called."""
        self._items: dict[tuple[Node, int], ast.expr] = {}
        self._line: tuple[str, int, bool] | None = None

    @property
    def graph(self) -> Graph:
        """The region at hand."""
        return self.frame.graph

    @property
    def plan(self) -> Plan:
        """Its plan."""
        return self.frame.plan

    @property
    def statements(self) -> list[ast.stmt]:
        """Its statements."""
        return self.frame.statements

    @contextmanager
    def inside(
        self, graph: Graph, loop: Loop | None = None, *, condition: bool = False
    ) -> Iterator[Frame]:
        """Write the statements of a region of the one at hand."""
        outer = self.frame
        self.frame = frame(
            graph,
            outer.masks,
            outer.slices,
            self.variables,
            self.sizes,
            loop,
            condition=condition,
        )
        try:
            with self.names.inside(), self.sizes.inside():
                yield self.frame
        finally:
            self.frame = outer

    # -- what emission rules may ask (the Emitter protocol)

    def size(self, value: Size) -> ast.expr:
        """The expression of a size."""
        return self.sizes.size(value)

    def shape(self, shape: Shape) -> ast.expr:
        """The expression of a whole shape."""
        return self.sizes.shape(shape)

    def same(self, shape: Shape, other: Shape) -> bool:
        """Whether the shapes are known to be equal."""
        return self.sizes.same(shape, other)

    def shown(self, write: Node, views: Sequence[Node] = ()) -> tuple[ast.expr, bool] | None:
        """The variable that shows what ``write`` goes into in place; whether it is the user's."""
        found = self.plan.showing(write, views)
        return None if found is None else (self.variables[found], found in self.graph.names)

    def helper(self, definition: str) -> ast.expr:
        """The name of a function that the module has besides."""
        return syntax.name(self.helpers.function(definition))

    def module(self, name: str) -> ast.expr:
        """The name of a module of Python's that is imported."""
        return syntax.name(self.helpers.module(name))

    def logged(self, computed: ast.expr, kind: Held = "held") -> ast.expr:
        """The expression, marked: it goes through the log of effects."""
        return marked(computed, kind)

    def error(self, kind: type[BaseException]) -> ast.expr:
        """The name of a class of errors."""
        return self.errors.name(kind)

    def _count(self, symbol: Symbol) -> ast.expr:
        """How many elements of a mask are true, or a slice takes, where no variable shows it."""
        if symbol in self.frame.slices:
            return self._length(self.frame.slices[symbol])
        if symbol not in self.frame.masks:
            raise InternalError(f"no variable in scope shows the size {symbol.name}")
        count = syntax.call("np.count_nonzero", self.expression(self.frame.masks[symbol]))
        return syntax.call("int", count)  # since NumPy 2.4 it is a number of NumPy's

    def _length(self, taken: Taken) -> ast.expr:
        start, stop = (
            None if bound is None else self.size(bound)
            for bound in (taken.part.start, taken.part.stop)
        )
        step = None if taken.part.step is None else syntax.expression(taken.part.step)
        positions = syntax.call("range", self.size(taken.extent))
        return syntax.call("len", syntax.subscript(positions, ast.Slice(start, stop, step)))

    # -- the body

    def build(self) -> list[ast.stmt]:
        """Every statement of the function."""
        for argument in self.program.arguments:
            self.names.reserve(argument.name)
        self._read_arguments()
        self._name_sizes()
        self.write()
        self.statements.append(ast.Return(self._result()))
        return without_unread(until_raised(self.statements), self.names.spared)

    def write(self) -> None:
        """The statements of the region at hand, whose parameters have variables."""
        self._write_constants()
        self._name_variables()
        for node in self.plan.statements:
            self.comment(node.span)
            self.statements.extend(self._statement(node))

    def _read_arguments(self) -> None:
        """``w1 = params['w1']`` for every leaf that the graph reads."""
        used = {i for node in self.graph.nodes for i in node.inputs} | set(self.graph.results)
        unseen = self.used - self._symbols_of(
            param
            for param, (_, path) in zip(self.graph.params, self.program.reads, strict=True)
            if param in used or not path
        )
        for param, (root, path) in zip(self.graph.params, self.program.reads, strict=True):
            shown = not unseen.isdisjoint(self._symbols_of([param]))
            reading = access(root, path)
            if path and (param in used or shown):
                label = self.graph.names.get(param, "")
                wanted = label if label.isidentifier() else leaf_name(root, path)
                variable = syntax.name(self.names.spare(wanted))
                self.statements.append(syntax.assign(variable, reading))
                reading = variable
                unseen -= self._symbols_of([param])
            if isinstance(reading, ast.Name):
                self.frame.free.add(reading.id)
            self.variables[param] = reading
            self.sizes.show(param, reading)
            if param.attrs["symbol"] is not None:
                self.sizes.integer(param.attrs["symbol"], reading)

    def _symbols_of(self, params: Iterable[Node]) -> set[Symbol]:
        """The sizes that these show; equal ones are one."""
        types = [p.type for p in params if isinstance(p.type, ArrayType)]
        return {self.sizes.one(s) for t in types for s in symbols_of(t.shape)}

    def _used_symbols(self) -> set[Symbol]:
        found: set[Symbol] = set()
        for node in all_nodes(self.program.graph.nodes):
            found.update(s for attr in node.attrs.values() for s in symbols_of(attr))
            if node.regions:
                found.update(mentioned(node))  # the shapes of what it records
        return {self.sizes.one(symbol) for symbol in found}

    def _name_sizes(self) -> None:
        """``n = len(x)`` for every size that the user named and the code mentions."""
        for symbol, wanted in self.graph.size_names.items():
            if isinstance(symbol, Compound):
                continue
            if self.sizes.one(symbol) in self.used and not symbol.unbacked:
                reading = self.sizes.symbol(symbol)
                if isinstance(reading, ast.Name):
                    continue
                variable = self.names.spare(wanted)
                self.statements.append(syntax.assign(syntax.name(variable), reading))
                self.sizes.name(symbol, variable)
        for atom, wanted in self.graph.size_names.items():
            if isinstance(atom, Compound) and self._is_at_hand(atom):
                reading = self.sizes.size(dims.of_atom(atom))
                variable = self.names.spare(wanted)
                self.statements.append(syntax.assign(syntax.name(variable), reading))
                self.sizes.name_compound(atom, variable)

    def _is_at_hand(self, atom: Compound) -> bool:
        """Whether all that a size is computed from is known from the beginning."""
        return all(s in self.used and self.sizes.knows(s) for s in atom.symbols())

    def _write_constants(self) -> None:
        for node in self.plan.constants:
            literal = node.attrs["value"]
            if literal not in self._literals:
                wanted = self.graph.names.get(node, "constant").upper()
                variable = syntax.name(self.names.fresh(f"_{wanted}", everywhere=True))
                self.constants.append(syntax.assign(variable, syntax.expression(literal.value)))
                self._literals[literal] = variable
            self.variables[node] = self._literals[literal]

    def _name_variables(self) -> None:
        """One variable for each chain of statements that share a buffer."""
        names = self.frame.wanted
        for node in self.plan.statements:
            head = names.heads[node]
            if node in self.variables:
                continue
            if head is not node:
                if head in self.variables:  # else it comes out of a branch or a loop: later
                    self.variables[node] = self.variables[head]
            elif form_of(node) is not None or node.op is record:
                continue
            elif isinstance(node.type, TupleType):
                self._name_items(node)
            else:
                self.variables[node] = syntax.name(self.new_variable(names.wanted[node]))

    def new_variable(self, wanted: str) -> str:
        """A variable of the region at hand."""
        made = self.names.fresh(wanted)
        self.frame.free.add(made)
        return made

    def know(self, param: Node, reading: ast.expr) -> None:
        """A parameter of the region at hand is read so."""
        self.variables[param] = reading
        if param.attrs["symbol"] is not None:
            self.sizes.bind(param.attrs["symbol"], reading)
        if isinstance(param.type, ArrayType):
            self.sizes.show(param, reading)

    def give(self, whole: Node, index: int, reading: ast.expr | None) -> None:
        """Result ``index`` of a branch or a loop is read so."""
        if reading is None:
            return
        if isinstance(reading, ast.Name):
            self.frame.free.add(reading.id)
        self._items[whole, index] = reading
        symbol = given_symbols(whole)[index]
        if symbol is not None:
            self.sizes.bind(symbol, reading)
        for node in self.frame.given(whole, index):
            for shared in (node, *self.frame.wanted.sharing(node)):
                self.variables[shared] = reading
            if isinstance(node.type, ArrayType):
                self.sizes.show(node, reading)

    def _name_items(self, node: Node) -> None:
        read = self.frame.items(node)
        for index, _ in enumerate(tuple_type(node).items):
            named = index in read
            variable = self.names.fresh(called(read[index], self.graph.names)) if named else "_"
            self._items[node, index] = syntax.name(variable)

    def comment(self, span: Span | None) -> None:
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
        if node.op is record:
            return self.frame.loop.recorded(node) if self.frame.loop else []
        form = form_of(node)
        if form is not None:
            (Loop if isinstance(form, LoopForm) else Branch)(self, node).write()
            return []
        if "effect" in node.op.traits and not self._is_read(node):
            done = self._emit(node)
            if node.op is evaluation and isinstance(done, (ast.Name, ast.Constant)):
                return []  # a statement before it has computed the value
            return [done if isinstance(done, ast.stmt) else as_statement(done)]
        if isinstance(node.type, TupleType):
            return [self._several(node, node.type)]
        target = self.variables[node]
        overwritten = self.plan.overwrites.get(node)
        if node.op.update is not None:
            return self._update(node, target, overwritten)
        if overwritten is not None and node.op.inplace is not None:
            made = node.op.inplace(self, node, target, *map(self.expression, node.inputs))
        else:
            value = self._emit(node)
            if node in self.plan.snapshots:
                value = private(node, value)
            made = [syntax.assign(target, value)]
        self.sizes.show(node, target)
        if node.attrs.get("symbol") is not None:
            self.sizes.bind(node.attrs["symbol"], target)
        return list(made)

    def _is_read(self, node: Node) -> bool:
        """Whether the code has a use for what an effect gives."""
        if node.type == TupleType(()):
            return False
        others = [other for other in self.graph.nodes if other is not node]
        if node in self.graph.results or any(node in other.inputs for other in others):
            return True
        sizes = said_by([node]).keys()
        return any(not sizes.isdisjoint(mentioned(other)) for other in all_nodes(others))

    def _several(self, node: Node, type_: TupleType) -> ast.stmt:
        """The results of an op that gives several; a single one it gives as it is, unless a call
        has returned a tuple of one.
        """
        value = self._emit(node)
        targets = [self._items[node, i] for i in range(len(type_.items))]
        for index, part in self.frame.items(node).items():
            self.sizes.show(part, targets[index])
        single = len(targets) == 1 and node.op is not call
        return syntax.assign(targets[0] if single else syntax.tuple_(targets), value)

    def _update(self, node: Node, target: ast.expr, overwritten: Node | None) -> list[ast.stmt]:
        if node.op.update is None:
            raise InternalError(f"{node.op.name} does not update its operand")
        copied = overwritten is None
        before = [syntax.assign(target, self._emit(node))] if copied else []
        others = map(self.expression, node.inputs[1:])
        made = node.op.update(self, node, target, *others)
        self.sizes.show(node, target)
        return before + made

    def expression(self, node: Node) -> ast.expr:
        """The expression of a value: its variable, or what computes it."""
        if node in self.variables:
            return self.variables[node]
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
        return tree_of(self.program.result, leaves)
