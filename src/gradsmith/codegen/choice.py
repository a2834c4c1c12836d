"""Which values deserve a statement, and which are written within expressions."""

from __future__ import annotations

from gradsmith.codegen.forms import LEAVES, BranchForm, all_nodes, form_of, is_given
from gradsmith.codegen.sizes import symbols_of
from gradsmith.ir.alias import owns_buffer
from gradsmith.ir.graph import Graph, Node, users
from gradsmith.ir.intrinsics import constant, item, size
from gradsmith.ir.mentions import has_effect, said_by
from gradsmith.ir.types import ArrayType, TupleType
from gradsmith.ops.calls import of_kind
from gradsmith.ops.emission import commutes
from gradsmith.ops.index import getitem, index_set

LONGEST = 6
"""Operations in one expression: more is hard to read, and runs past the line."""

LONGEST_OWN = 8
"""The same of the user's own: what is written so in the source reads well here, too."""

STORED = 2
"""So many more where it is stored, rather than given a variable and then stored."""

LONGEST_STEP = 3
"""Operations in one step of an adjoint on whole arrays: what follows is done in place."""


def is_constant_array(node: Node) -> bool:
    """Whether it is an array that the module keeps in a constant."""
    return node.op is constant and node.array_type.ndim > 0


def is_leaf(node: Node) -> bool:
    """Whether it needs no code of its own."""
    return node.op in LEAVES or is_given(node)


def _showing(graph: Graph) -> set[Node]:
    """The slices and results of calls whose lengths other nodes work with."""
    said = {s: n for s, n in said_by(graph.nodes).items() if n.op in (getitem, of_kind)}
    if not said:
        return set()
    attrs = (attr for node in all_nodes(graph.nodes) for attr in node.attrs.values())
    return {said[symbol] for attr in attrs for symbol in symbols_of(attr) if symbol in said}


class Choice:
    """Statement or expression, for each node in order."""

    def __init__(self, graph: Graph, kept: frozenset[Node], *, condition: bool) -> None:
        self.kept = kept
        self.condition = condition
        self.names = graph.names
        self.readers = users(graph.nodes)
        self.results = list(graph.results)
        self.inlined: set[Node] = set()
        self.destined = destined_names(graph)
        self._shows = _showing(graph)
        self._cost: dict[Node, int] = {}
        self._members = set(graph.nodes)

    def decide(self, node: Node) -> None:
        """Put ``node`` among the inlined ones unless it deserves a statement."""
        cost = 1 + sum(self._cost.get(i, 0) for i in node.inputs if i in self.inlined)
        self._cost[node] = cost
        if is_given(node):
            return
        if node.op in (size, item) or (node.op is constant and not is_constant_array(node)):
            self._cost[node] = 0
            self.inlined.add(node)
        elif self._has_a_variable(node) or not (
            is_leaf(node) or self._needs_statement(node, cost)
        ):
            self.inlined.add(node)

    def _has_a_variable(self, node: Node) -> bool:
        """Whether the variable of its operand is its own, too."""
        return _is_retyped(node) and node.inputs[0] not in self.inlined

    def _needs_statement(self, node: Node, cost: int) -> bool:
        mentioned = node.attrs.get("symbol") is not None or node in self._shows  # by sizes
        if (
            mentioned
            or has_effect(node)
            or node.op.update is not None
            or isinstance(node.type, TupleType)
        ):
            return True
        if node not in self.readers and node not in self.results:
            return True  # by its length a size is known
        if self._goes_in(node):
            return not _is_plain_view(node) or cost > 1
        if node in self.kept:
            return True
        readings = len(self.readers.get(node, ())) + self.results.count(node)
        if _is_plain_view(node) and cost == 1 and node not in self.results:
            return False
        if node in self.results and len(self.results) > 1:
            return True
        if readings > 1 or node in self.names or cost > self._longest(node):
            return True
        return not self.condition and self._is_a_step(node, cost)

    def _longest(self, node: Node) -> int:
        """How many operations it may have as an expression."""
        if self.condition:
            return 2 * LONGEST
        if is_adjoint(node) or node.span is None:
            return LONGEST
        readers = self.readers.get(node, ())
        stored = len(readers) == 1 and readers[0].op.update is not None
        return LONGEST_OWN + stored * STORED

    def _is_a_step(self, node: Node, cost: int) -> bool:
        """Whether it is done in place, or what is done to it is."""
        return self._feeds_in_place(node) or self._works_in_place(node) or self._grows(node, cost)

    def _goes_in(self, node: Node) -> bool:
        """Whether a branch or a loop reads it, and not only in order to choose."""
        readers = self.readers.get(node, ())
        if any(_is_retyped(reader) and self._goes_in(reader) for reader in readers):
            return True
        regional = [reader for reader in readers if form_of(reader) is not None]
        return any(
            not isinstance(form_of(r), BranchForm) or node in r.inputs[1:] for r in regional
        )

    def _is_evaluated(self, reader: Node, node: Node) -> bool:
        """Whether ``reader`` has been evaluated once ``node`` is."""
        if reader is node or reader not in self.inlined:
            return reader in self._cost
        return all(self._is_evaluated(r, node) for r in self.readers[reader])

    def _feeds_in_place(self, node: Node) -> bool:
        """Whether the one reader is a function that can write its result over this one."""
        readers = self.readers.get(node, ())
        if len(readers) != 1 or not owns_buffer(node):
            return False
        updates = readers[0].op.update is not None and readers[0].inputs[0] is node
        return updates or _can_overwrite(readers[0], node)

    def _grows(self, node: Node, cost: int) -> bool:
        """Whether it is a part of an adjoint that the one reader can add to: ``g = a * b / c``
        and ``g += d``, a temporary less (10 to 20 % of 10,000 elements and more).
        """
        readers = self.readers.get(node, ())
        if cost < LONGEST_STEP or len(readers) != 1 or not is_adjoint(readers[0]):
            return False
        if not is_operator(node) or len(node.inputs) != 2:
            return False
        others = [i for i in readers[0].inputs if i is not node]
        return can_augment(readers[0], node) and not any(map(self._is_free, others))

    def _is_free(self, operand: Node) -> bool:
        """Whether it has a variable that is no argument, no result and none of the user's."""
        kept = operand in self.inlined or operand in self.results or operand not in self._cost
        mine = operand in self._members and self.names.get(operand, "g_").startswith("g_")
        return mine and not kept and owns_buffer(operand)

    def _works_in_place(self, node: Node) -> bool:
        """Whether it has an operand with a variable that nothing reads afterwards: ``t += 1``.

        Temporaries within expressions NumPy reuses by itself, where they are large.
        """
        return any(
            self._is_free(i)
            and (_can_overwrite(node, i) or self._augments(node, i))
            and all(self._is_evaluated(reader, node) for reader in self.readers[i])
            for i in node.inputs
        )

    def _augments(self, node: Node, operand: Node) -> bool:
        """Whether a step of an adjoint is to be done on its operand: ``t += 1``."""
        if not is_adjoint(node) or not can_augment(node, operand):
            return False
        reader = next(iter(self.readers.get(node, ())), None)
        if reader is None or reader.op is index_set:
            return False  # it is computed where it is stored
        if operand not in self.names:
            return same_buffer_type(reader, node)
        alike = self.destined.get(node) in (None, self.names[operand])
        return alike and can_augment(reader, node)


def is_adjoint(node: Node) -> bool:
    """Whether it is a step of a derivative, and no value of the user's."""
    return node.span is not None and node.span.adjoint


def destined_names(graph: Graph) -> dict[Node, str]:
    """For values without names the name that they have as soon as something is added to them."""
    readers, found = users(graph.nodes), dict(graph.names)
    for node in reversed(graph.nodes):
        last = readers.get(node, [node])[-1]
        if node not in found and last in found and can_augment(last, node):
            found[node] = found[last]
    return found


def is_operator(node: Node) -> bool:
    """Whether Python has an operator for it."""
    return "operator" in node.op.traits


def _is_retyped(node: Node) -> bool:
    """Whether it is its operand by another type, and no code."""
    return "retyped" in node.op.traits


def _is_plain_view(node: Node) -> bool:
    """``x.T``, ``x[1:]``: as cheap to write twice as to name."""
    return node.op.view is not None and node.op.name in ("transpose", "expand_dims")


def _can_overwrite(writer: Node, operand: Node) -> bool:
    """Whether ``writer`` is a function (``np.exp(t, out=t)``) that may reuse ``operand``; NumPy
    itself reuses the temporaries of operators.
    """
    if writer.op.inplace is None or is_operator(writer):
        return False
    return same_buffer_type(writer, operand)


def can_augment(writer: Node, operand: Node) -> bool:
    """Whether ``operand`` may become ``writer`` by an operator of Python's: ``operand -= x``."""
    if not is_operator(writer) or len(writer.inputs) != 2:
        return False
    first = writer.inputs[0] is operand or commutes(writer)
    once = writer.inputs.count(operand) == 1
    return first and once and same_buffer_type(writer, operand)


def same_buffer_type(writer: Node, operand: Node) -> bool:
    """Whether the result fits into a buffer of the operand's own."""
    if isinstance(operand.type, TupleType) or not isinstance(writer.type, ArrayType):
        return False
    if not owns_buffer(operand):
        return False
    return operand.dtype == writer.dtype and operand.shape == writer.shape
