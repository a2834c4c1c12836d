"""A graph to look at: its nodes with the user's names, as a table and as Graphviz text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradsmith.ir import dims
from gradsmith.ir.graph import Graph, Node, Region
from gradsmith.ir.intrinsics import Literal, constant, size
from gradsmith.ir.op import Op
from gradsmith.ir.types import PYTHON_TYPES, ObjectType, TapeType, TupleType, Type
from gradsmith.ops.control import at_least_zero, distinct, finished_gradient

ARTEFACTS = frozenset({distinct, finished_gradient, at_least_zero})
"""Identities that stand in the graph for differentiation only: what they stand for is shown."""

NUMPY_NAMES = {"integer_power": "power", "gather": "getitem"}
"""What ops without a NumPy function of their own are called by the function that they are."""


def numpy_name(op: Op) -> str:
    """What NumPy calls the operation: ``multiply``, ``sum``; the op's own name otherwise."""
    if isinstance(op.evaluate, np.ufunc):
        return op.evaluate.__name__
    return NUMPY_NAMES.get(op.name, op.name.removeprefix("reduce_"))


def param_name(param: Node, names: Mapping[Node, str]) -> str:
    """What the user calls a parameter; of a leaf in a tree the last part, ``w`` of ``p["w"]``."""
    whole: str = param.attrs["name"]
    return whole if whole.isidentifier() else names.get(param, whole)


@dataclass(frozen=True, slots=True, eq=False)
class GraphNode:
    """One value of the function: an argument, a constant or the result of an operation.

    Parameters
    ----------
    name : str or None
        The user's variable, or the parameter.
    op : str
        NumPy's name of the operation; ``parameter``, ``constant`` or ``size`` for leaves.
    inputs : list of GraphNode
        The operands, in order.
    type : str
        Dtype and shape, such as ``float64[4, 3]``; ``float`` is a Python number.
    line : int or None
        The line of the user's source that it comes from.
    detail : str
        Whatever else the operation was given (``axis=0``), or the constant's value.
    """

    name: str | None
    op: str
    inputs: list[GraphNode]
    type: str
    line: int | None
    detail: str = ""

    @property
    def is_leaf(self) -> bool:
        """Whether it is computed from nothing: an argument, a constant."""
        return not self.inputs

    def __repr__(self) -> str:
        return f"<{self.name or '(unnamed)'}: {self.op} {self.type}>"


@dataclass(frozen=True, slots=True, eq=False)
class GraphView:
    """The values of a function: parameters first, then every other value after its inputs.

    Parameters
    ----------
    nodes : list of GraphNode
        All of them.
    results : list of GraphNode
        Those that the function returns.
    """

    nodes: list[GraphNode]
    results: list[GraphNode]

    def __str__(self) -> str:
        """A table, one line per node."""
        rows = [("", "name", "op", "inputs", "type", "line")]
        number = self._numbers("%")
        for node in self.nodes:
            operands = [number[operand] for operand in node.inputs]
            inputs = ", ".join([*operands, *([node.detail] if node.detail else [])])
            line = "" if node.line is None else str(node.line)
            rows.append((number[node], node.name or "", node.op, inputs, node.type, line))
        returned = ", ".join(number[node] for node in self.results)
        return f"{_table(rows)}\nreturn {returned}".rstrip()

    def dot(self) -> str:
        """The picture as Graphviz DOT text: boxes for leaves, a double line around results."""
        number = self._numbers("n")
        lines = ["digraph {", "  node [fontname=monospace]"]
        lines += [f"  {number[node]} [{self._style(node)}]" for node in self.nodes]
        lines += [
            f"  {number[operand]} -> {number[node]}"
            for node in self.nodes
            for operand in node.inputs
        ]
        return "\n".join([*lines, "}", ""])

    def _style(self, node: GraphNode) -> str:
        operation = f"{node.op} {node.detail}".rstrip()
        label = _quoted("\n".join([*([node.name] if node.name else []), operation, node.type]))
        shape = "box" if node.is_leaf else "ellipse"
        outline = ", peripheries=2" if node in self.results else ""
        return f"label={label}, shape={shape}{outline}"

    def _numbers(self, prefix: str) -> dict[GraphNode, str]:
        return {node: f"{prefix}{i}" for i, node in enumerate(self.nodes)}


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (zip(row, widths, strict=True) for row in rows)
    return "\n".join("  ".join(c.ljust(w) for c, w in line).rstrip() for line in lines)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def view(graph: Graph) -> GraphView:
    """The nodes of ``graph`` as people look at them."""
    shown: dict[Node, GraphNode] = {}
    names = _names(graph)
    integers = {p.attrs["symbol"]: p for p in graph.params if p.attrs["symbol"] is not None}
    for node in (*graph.params, *graph.nodes):
        same = node.inputs[0] if node.op in ARTEFACTS else _parameter(node, integers)
        shown[node] = shown[same] if same is not None else _shown(node, shown, names)
    nodes = list(dict.fromkeys(shown.values()))
    return GraphView(nodes, [shown[result] for result in graph.results])


def _names(graph: Graph) -> Mapping[Node, str]:
    """The user's names, those of artefacts given to what they stand for."""
    names = {**graph.names, **{p: param_name(p, graph.names) for p in graph.params}}
    for node in reversed(graph.nodes):
        if node.op in ARTEFACTS and node in names:
            names.setdefault(node.inputs[0], names[node])
    return names


def _parameter(node: Node, integers: Mapping[dims.Symbol, Node]) -> Node | None:
    """The integer parameter whose value ``node`` is."""
    if node.op is not size:
        return None
    symbol = dims.as_symbol(node.attrs["value"])
    return None if symbol is None else integers.get(symbol)


def _shown(node: Node, shown: Mapping[Node, GraphNode], names: Mapping[Node, str]) -> GraphNode:
    return GraphNode(
        name=names.get(node),
        op=numpy_name(node.op),
        inputs=[shown[operand] for operand in node.inputs],
        type=_type(node.type),
        line=None if node.span is None else node.span.line,
        detail=_detail(node),
    )


def _type(type_: Type) -> str:
    """``float64[4, 3]`` with the sizes of this call, ``float`` for a Python number."""
    if isinstance(type_, TupleType):
        return f"({', '.join(map(_type, type_.items))})"
    if isinstance(type_, TapeType):
        return f"{dims.hint(type_.length)} × {_type(type_.item)}"
    if isinstance(type_, ObjectType):
        return "object"
    if type_.weak:
        return PYTHON_TYPES[type_.dtype.kind].__name__
    sizes = ", ".join(str(dims.hint(s)) for s in type_.shape)
    return f"{type_.dtype}[{sizes}]" if type_.shape else str(type_.dtype)


HIDDEN = frozenset({"token", "name", "symbol", "symbols", "carried", "tapes", "count", "parts"})
LONGEST = 40
"""Characters of a value in the table."""


def _detail(node: Node) -> str:
    if node.op is constant or node.op is size:
        return _text(node.attrs["value"])
    given = {k: v for k, v in node.attrs.items() if k not in HIDDEN}
    shown = [f"{k}={_text(v)}" for k, v in given.items() if v is not None and v is not False]
    return ", ".join(shown)


def _text(value: Any) -> str:
    if isinstance(value, Region):
        return "{...}"
    plain = value.value if isinstance(value, Literal) else value
    text = " ".join((str if isinstance(plain, (np.generic, np.dtype)) else repr)(plain).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
