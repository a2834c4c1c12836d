"""A stable printed form of a graph, for people and for tests."""

from __future__ import annotations

from gradsmith.ir import dims
from gradsmith.ir.dims import Dim
from gradsmith.ir.graph import Graph, Node, Region


def text(graph: Graph) -> str:
    """One line per node: ``%3 h: float64[n] = tanh(%2)``."""
    numbers: dict[Node, str] = {}
    lines = [_declare(param, numbers, graph) for param in graph.params]
    lines += [_declare(node, numbers, graph) for node in graph.nodes]
    results = ", ".join(numbers[r] for r in graph.results)
    lines.append(f"return {results}")
    lines += [f"guard {guard!r}" for guard in graph.guards]
    return "\n".join(lines) + "\n"


def _declare(node: Node, numbers: dict[Node, str], graph: Graph) -> str:
    number = f"%{len(numbers)}"
    numbers[node] = number
    name = graph.names.get(node)
    label = f"{number} {name}" if name else number
    operands = [numbers[i] for i in node.inputs]
    operands += [f"{key}={_attr(value)}" for key, value in node.attrs.items() if key != "token"]
    return f"{label}: {node.type!r} = {node.op.name}({', '.join(operands)})"


def _attr(value: object) -> str:
    if isinstance(value, Dim):
        return dims.render(value)
    if isinstance(value, tuple):
        inner = ", ".join(map(_attr, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, Region):
        return "{...}"
    return repr(value)
