"""The reference interpreter: runs a graph node by node on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gradsmith.errors import InternalError
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim, Symbol
from gradsmith.ir.graph import Graph, Node, Region
from gradsmith.ir.types import PYTHON_TYPES, ArrayType, Type, type_of_number

Perform: TypeAlias = Callable[[Node, Sequence[Any], Mapping[str, Any]], Any]
"""Does what a node with an effect does, and gives its value."""


def evaluate(
    graph: Graph, arguments: Sequence[Any], perform: Perform | None = None
) -> tuple[Any, ...]:
    """The results of ``graph`` on ``arguments``, one per parameter.

    ``perform`` takes the place of the ops' own evaluation where nodes have effects.
    """
    return _run(graph.body, arguments, {}, perform)


def _run(
    region: Region,
    arguments: Sequence[Any],
    around: Mapping[Symbol, int],
    perform: Perform | None,
) -> tuple[Any, ...]:
    """The results of a region; ``around`` are the sizes known where it stands."""
    values: dict[Node, Any] = {}
    bindings = dict(around)
    for param, argument in zip(region.params, arguments, strict=True):
        values[param] = argument
        bind(param.type, argument, bindings)
        if param.attrs["symbol"] is not None:
            bindings[param.attrs["symbol"]] = int(argument)
    for node in region.nodes:
        values[node] = evaluate_node(node, [values[i] for i in node.inputs], bindings, perform)
    return tuple(values[result] for result in region.results)


def evaluate_node(
    node: Node,
    operands: Sequence[Any],
    bindings: dict[Symbol, int],
    perform: Perform | None = None,
) -> Any:
    """The value of one node; the sizes that it shows are added to ``bindings``.

    ``perform`` takes the place of the op's own evaluation where a node has an effect.
    """
    attrs = {name: concretise(attr, bindings) for name, attr in node.attrs.items()}
    attrs.pop("token", None)
    if "symbols" in attrs:  # it runs regions
        attrs["run"] = lambda inner, given: _run(inner, given, bindings, perform)
    if perform is not None and "effect" in node.op.traits:
        result = perform(node, operands, attrs)
    else:
        result = _of_class(node, operands, attrs, node.op.evaluate(*operands, **attrs))
    bind(node.type, result, bindings)
    if attrs.get("symbol") is not None:
        bindings[attrs["symbol"]] = int(result)
    for place, symbol in enumerate(attrs.get("symbols", ())):
        if symbol is not None:
            bindings[symbol] = int(result[place])
    return result


def _of_class(node: Node, operands: Sequence[Any], attrs: Mapping[str, Any], result: Any) -> Any:
    """A number as one of the class that Python gives it: an operand may be of another class than
    its node says, where branches or loops have joined numbers of several.
    """
    type_ = node.type
    if not isinstance(type_, ArrayType) or type_.form == "array" or node.op.traits & _AS_IT_IS:
        return result
    if type_of_number(result) is None:
        return result
    known = [type_of_number(value) for value in operands]
    types = [own or operand.type for own, operand in zip(known, node.inputs, strict=True)]
    if types != [operand.type for operand in node.inputs]:
        type_ = node.op.infer(*types, **attrs)
    if not isinstance(type_, ArrayType) or type_of_number(result) == type_:
        return result
    return _converted(result, type_)


def _converted(result: Any, type_: ArrayType) -> Any:
    if type_.weak and type_.dtype.kind != "c" and isinstance(result, complex):
        return result  # a power of a negative number
    if type_.weak and type_.dtype.kind in "bi" and isinstance(result, float):
        return result  # a power of an integer with a negative exponent
    return PYTHON_TYPES[type_.dtype.kind](result) if type_.weak else type_.dtype.type(result)


_AS_IT_IS = frozenset({"alias", "barrier", "effect", "joined"})
"""Traits of ops that give what an operand is, or what they find."""


def bind(type_: Type, value: Any, bindings: dict[Symbol, int]) -> None:
    """Learn the sizes that the axes of ``value`` show."""
    if not isinstance(type_, ArrayType):
        return
    for size, number in zip(type_.shape, np.shape(value), strict=True):
        symbol = dims.as_symbol(size)
        if symbol is not None and symbol.total is None:
            bindings.setdefault(symbol, number)


def concretise(attr: Any, bindings: Mapping[Symbol, int]) -> Any:
    """An attribute with every symbolic size replaced by its number."""
    if isinstance(attr, Dim):
        return dims.evaluate(attr, bindings)
    if type(attr) is tuple:
        return tuple(concretise(a, bindings) for a in attr)
    if hasattr(attr, "map_sizes"):
        return attr.map_sizes(lambda size: concretise(size, bindings))
    if isinstance(attr, (Region, type, np.ufunc)):
        return attr
    if callable(attr):
        raise InternalError(f"an attribute must be data, not {attr!r}")
    return attr
