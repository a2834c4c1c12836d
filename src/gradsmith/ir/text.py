"""A stable printed form of a graph, for people and for tests."""

from __future__ import annotations

from collections.abc import Mapping

from gradsmith.ir import dims
from gradsmith.ir.dims import Dim
from gradsmith.ir.graph import Graph, Node, Region


def text(graph: Graph) -> str:
    """One line per node: ``%3 h: float64[n] = tanh(%2)``."""
    lines = _region(graph.body, graph.names, {}, "")
    lines += [f"guard {guard!r}" for guard in graph.guards]
    return "\n".join(lines) + "\n"


def _region(
    region: Region, names: Mapping[Node, str], numbers: dict[Node, str], indent: str
) -> list[str]:
    """Its lines, and those of the regions in it behind the nodes that run them."""
    lines = []
    for node in (*region.params, *region.nodes):
        lines.append(indent + _declare(node, numbers, names))
        for key, value in node.attrs.items():
            if isinstance(value, Region):
                lines.append(f"{indent}  {key}:")
                lines += _region(value, value.names, numbers, indent + "    ")
    results = ", ".join(numbers[r] for r in region.results)
    return [*lines, f"{indent}return {results}"]


def _declare(node: Node, numbers: dict[Node, str], names: Mapping[Node, str]) -> str:
    number = f"%{len(numbers)}"
    numbers[node] = number
    name = names.get(node)
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
