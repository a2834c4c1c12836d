"""A graph as SymPy expressions.

Elementwise operations read as the formula of one element: a symbol stands for an array and for
each of its elements alike. Whatever moves or joins elements (a sum, a matrix product, an index)
is an undefined function named as in NumPy, of its operands and of whatever else it was given, so
that no formula says more than is known. Broadcasts are left out where NumPy does them by itself,
and written out where the operand of such a function needs them.

SymPy takes longer to import than NumPy: it is imported where the first formula is made.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from gradsmith.errors import UnsupportedError
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Shape
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.types import ArrayType, DType, broadcast, same_shape
from gradsmith.ops.effects import fail, show, warn
from gradsmith.ops.index_key import Array, Index, Slice
from gradsmith.ops.quotients import masked_divide
from gradsmith.views.cases import Cases
from gradsmith.views.graph import ARTEFACTS, numpy_name
from gradsmith.views.symbols import Symbols, number

TRUTHS: dict[str, tuple[int, ...]] = {
    "logical_and": (0, 1),
    "logical_or": (0, 1),
    "logical_xor": (0, 1),
    "logical_not": (0,),
    "not": (0,),
}
"""Operands that SymPy takes as conditions; anywhere else a truth value counts as 0 or 1."""

IDENTITIES = frozenset(
    {"astype", "copy", "stop_gradient", "broadcast_to", "full", "widened", "of_dtype"}
)
"""An element of the result is an element of the operand, found by broadcasting."""

LEADING = frozenset({"expand_dims", "squeeze", "reshape"})
"""Identities where only leading axes of one element come or go."""

OF_NUMBERS = {
    "isnan": False,
    "isinf": False,
    "isneginf": False,
    "isposinf": False,
    "isfinite": True,
}
"""A formula is about numbers: none of them is nan or infinite."""

OVER_NOTHING = frozenset({"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"})
"""Reductions that over no axes are the operand."""

LARGEST_ARRAY = 16
"""Elements of a constant array that are written out."""


def expressions(graph: Graph, *, seed: str = "") -> list[Any]:
    """A SymPy expression for every result of ``graph``.

    Parameters
    ----------
    graph : Graph
        Of the level at which it should be read: composites such as sigmoid still in one piece.
    seed : str
        What the parameters are called that hold seeds: they become the symbol ``g``.

    Raises
    ------
    UnsupportedError
        The graph has branches or loops, or is too deep for SymPy.
    """
    try:
        writer = Writer(graph, seed)
        for node in graph.nodes:
            if node.op not in (show, warn):
                writer.terms[node] = writer.term(node)
        return [writer.cases.tidied(writer.terms[result]) for result in graph.results]
    except RecursionError:
        raise UnsupportedError(
            f"the formula of {len(graph.nodes)} operations is nested too deeply for SymPy",
            hint="read the generated source instead",
        ) from None


class Writer:
    """Writes one node after another; ``terms`` holds what is written."""

    def __init__(self, graph: Graph, seed: str) -> None:
        self.sympy: Any = importlib.import_module("sympy")
        self.symbols = Symbols(self.sympy, graph, seed)
        self.cases = Cases(self.sympy)
        self._unit = self.sympy.S.One, self.sympy.S.Zero
        self.names = graph.names
        self.terms: dict[Node, Any] = dict(self.symbols.parameters)
        self.shapes = {symbol: node.shape for node, symbol in self.terms.items()}
        """The shapes of everything that is more than a number."""

    def term(self, node: Node) -> Any:
        """The expression of ``node``, whose inputs are written."""
        if node.op is fail or node.regions:
            raise UnsupportedError(
                f"a formula cannot show the {node.op.name} here",
                node.span,
                "read the generated source instead",
            )
        leaf = self._leaf(node)
        if leaf is not None:
            return leaf
        if self._is_identity(node):
            return self._converted(node.inputs[0], node.dtype)
        if node.op.name in ("where", "conditional"):
            condition, then, otherwise = node.inputs
            arms = self._number(then), self._number(otherwise)
            return self.cases.where(self._truth(condition), *arms)
        if node.op is masked_divide:  # of 0 / 0 formulas do not tell
            return self._number(node.inputs[1]) / self._number(node.inputs[2])
        of_numbers = node.op.sympy is not None and not node.ndim
        whole = not (node.op.elementwise or of_numbers)
        return self._opaque(node) if whole else self._elementwise(node)

    # -- leaves --------------------------------------------------------------------------------

    def _leaf(self, node: Node) -> Any:
        """What does not depend on the operands, or None."""
        name = node.op.name
        if name == "constant":
            return self._constant(node, np.asarray(node.attrs["value"].value))
        if name == "size":
            return self.symbols.size(node.attrs["value"])
        if name in ("zeros", "ones"):
            return self.sympy.Integer(name == "ones")
        if name in OF_NUMBERS:
            return number(self.sympy, OF_NUMBERS[name])
        return None

    def _constant(self, node: Node, value: np.ndarray[Any, Any]) -> Any:
        if value.size and np.all(value == value.flat[0]):
            return number(self.sympy, value.flat[0])
        if value.size <= LARGEST_ARRAY:
            written = self._function("array", [self._nested(value)])
        else:
            written = self.symbols.fresh([self.names.get(node, "constant")])
        self.shapes[written] = node.shape
        return written

    def _nested(self, value: np.ndarray[Any, Any]) -> Any:
        if value.ndim == 0:
            return number(self.sympy, value)
        return self.sympy.Tuple(*[self._nested(part) for part in value])

    # -- element by element --------------------------------------------------------------------

    def _is_identity(self, node: Node) -> bool:
        name = node.op.name
        if name in LEADING:
            return _without_leading_ones(node.shape) == _without_leading_ones(node.inputs[0].shape)
        if name in OVER_NOTHING:
            return len(node.attrs["axis"]) == 0
        if name == "getitem" and not node.inputs[0].ndim:  # x[()] makes an array a number
            return True
        return name in IDENTITIES or node.op in ARTEFACTS

    def _converted(self, operand: Node, dtype: DType) -> Any:
        """The term in another dtype: as real numbers most conversions change nothing."""
        kinds = operand.dtype.kind + dtype.kind
        if kinds[0] == kinds[1]:
            return self.terms[operand]
        if kinds[1] == "b":
            return self._truth(operand)
        if kinds == "cf":
            return self.sympy.re(self.terms[operand])
        if kinds[0] in "fc" and kinds[1] in "iu":
            return self._function("astype", [self.terms[operand], str(dtype)])
        return self._number(operand)

    def _elementwise(self, node: Node) -> Any:
        conditions = TRUTHS.get(node.op.name, ())
        operands = [
            self._truth(operand) if position in conditions else self._number(operand)
            for position, operand in enumerate(node.inputs)
        ]
        try:
            written = form(self.sympy, node, operands)
        except (TypeError, ValueError):  # SymPy compares neither complex numbers nor nan
            written = None
        if written is None:
            return self._function(numpy_name(node.op), [*operands, *self._extras(node)])
        self.cases.note(node.op.name, written, operands)
        return written

    def _truth(self, node: Node) -> Any:
        """The term as a condition."""
        term = self.terms[node]
        return term if self._is_condition(node) else self.sympy.Ne(term, 0)

    def _number(self, node: Node) -> Any:
        """The term as a number: a condition is 0 or 1."""
        term = self.terms[node]
        return self.cases.where(term, *self._unit) if self._is_condition(node) else term

    def _is_condition(self, node: Node) -> bool:
        """Whether SymPy, too, knows the term to be true or false."""
        boolean = self.sympy.logic.boolalg.Boolean
        return node.dtype.kind == "b" and isinstance(self.terms[node], boolean)

    # -- whole arrays --------------------------------------------------------------------------

    def _opaque(self, node: Node) -> Any:
        index = node.attrs.get("index")
        count = len(index.arrays) if isinstance(index, Index) else 0
        operands = node.inputs[: len(node.inputs) - count]
        arguments = [*map(self._whole, operands), *self._extras(node)]
        written = self._function(numpy_name(node.op), arguments)
        if isinstance(node.type, ArrayType):
            self.shapes[written] = node.shape
        return written

    def _whole(self, node: Node) -> Any:
        """The term where its shape counts: with the broadcast that was left out."""
        term = self.terms[node]
        if not isinstance(node.type, ArrayType):
            return term
        shape = broadcast(*[self.shapes[part] for part in self._parts(term)])
        if node.ndim > 0:
            term = self.cases.as_functions(term)
        if same_shape(shape, node.shape):
            return term
        return self._spread(term, shape, node.shape)

    def _spread(self, term: Any, shape: Shape, wanted: Shape) -> Any:
        sizes = self.sympy.Tuple(*map(self.symbols.size, wanted))
        if not shape:
            written = self._function("full", [sizes, term])
        else:
            name = "reshape" if len(shape) > len(wanted) else "broadcast_to"
            written = self._function(name, [term, sizes])
        self.shapes[written] = wanted
        return written

    def _parts(self, term: Any) -> Iterator[Any]:
        """The arrays that ``term`` is an elementwise formula of."""
        seen = {term}
        stack = [term]
        while stack:
            part = stack.pop()
            if part in self.shapes:
                yield part
                continue
            fresh = [argument for argument in part.args if argument not in seen]
            seen.update(fresh)
            stack.extend(fresh)

    # -- attributes ----------------------------------------------------------------------------

    def _function(self, name: str, arguments: Sequence[Any]) -> Any:
        text = self.sympy.core.symbol.Str
        written = [text(a) if isinstance(a, str) else a for a in arguments]
        return self.sympy.Function(name)(*written)

    def _extras(self, node: Node) -> Iterator[Any]:
        """What the operation was given besides operands, as NumPy would take it."""
        for key, value in node.attrs.items():
            if not (value is None or value is False or key == "token" or _usual(node, key)):
                yield self._extra(node, key, value)

    def _extra(self, node: Node, key: str, value: Any) -> Any:
        if isinstance(value, Index):
            arrays = node.inputs[len(node.inputs) - len(value.arrays) :]
            return self._index(value, [self._whole(array) for array in arrays])
        if key in ("axis", "axes", "shape"):
            sizes = [self.symbols.size(v) for v in (value if type(value) is tuple else (value,))]
            return sizes[0] if len(sizes) == 1 else self.sympy.Tuple(*sizes)
        return f"{key}={value}"

    def _index(self, index: Index, arrays: Sequence[Any]) -> Any:
        items = [self._item(item, arrays) for item in index.items]
        return items[0] if len(items) == 1 else self.sympy.Tuple(*items)

    def _item(self, item: Any, arrays: Sequence[Any]) -> Any:
        text = self.sympy.core.symbol.Str
        if isinstance(item, Array):
            return arrays[item.position]
        if isinstance(item, Slice):
            bounds = [item.start, item.stop, *([] if item.step is None else [item.step])]
            return self._function("slice", [self._item(b, arrays) for b in bounds])
        if isinstance(item, (int, Dim)):
            return self.symbols.size(item)
        return text("..." if item is ... else repr(item))


def form(sympy: Any, node: Node, operands: Sequence[Any]) -> Any:
    """The SymPy form that the op declares, of these operands; None where it declares none.

    Attributes go to forms that take them as keywords; where one does not, there is no form.
    """
    declared = node.op.sympy
    if declared is None:
        return None
    if isinstance(declared, str):
        return None if node.attrs else getattr(sympy, declared)(*operands)
    return declared(*operands, **node.attrs)


def _usual(node: Node, key: str) -> bool:
    """Whether the attribute says what the function does without it."""
    value = node.attrs[key]
    if key == "axis" and "keepdims" in node.attrs:
        return bool(value == tuple(range(node.inputs[0].ndim)))
    return key == "axes" and bool(value == tuple(reversed(range(len(value)))))


def _without_leading_ones(shape: Shape) -> Shape:
    first = next((i for i, size in enumerate(shape) if not dims.is_one(size)), len(shape))
    return shape[first:]
