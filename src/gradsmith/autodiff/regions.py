"""What differentiating loops and differentiating branches have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from gradsmith.autodiff.finiteness import extents_of
from gradsmith.autodiff.growth import is_exponential
from gradsmith.autodiff.poles import Clears, is_partly_zero
from gradsmith.autodiff.sweep import fit
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building, current_builder
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import item
from gradsmith.ir.mentions import gives_value, has_effect, silent, silent_attrs
from gradsmith.ir.types import ArrayType, same_shape
from gradsmith.ir.unify import tidy
from gradsmith.ops.create import zeros
from gradsmith.ops.forms import in_type
from gradsmith.ops.index import getitem
from gradsmith.ops.shape import astype, broadcast_to

Values = dict[Node, Node]
"""What nodes of one region are in another."""


def adjoint_type(type_: ArrayType) -> ArrayType:
    """The type of the adjoint (and the tangent) of a value of this type: a number's is NumPy's."""
    return ArrayType(type_.tangent_dtype, type_.shape, "array" if type_.ndim else "scalar")


def adjoint_of(node: Node) -> ArrayType:
    """The type of its adjoint."""
    return adjoint_type(node.array_type)


def nothing(type_: ArrayType) -> Node:
    """Zero, for where a region has to have a value."""
    if type_.ndim or type_.form == "array":
        return zeros(shape=type_.shape, dtype=type_.tangent_dtype)
    zero = type_.tangent_dtype.type(0)
    return current_builder().lift(zero.item() if type_.weak else zero)


def _conform(value: Node, type_: ArrayType) -> Node:
    """``value`` as a loop carries it: always of the same type."""
    whole = fit(value, type_) if value.ndim >= type_.ndim else value
    if not same_shape(whole.shape, type_.shape):
        whole = broadcast_to(whole, shape=type_.shape)
    return astype(whole, dtype=type_.tangent_dtype) if whole.array_type.weak else whole


def or_nothing(value: Node | None, type_: ArrayType) -> Node:
    """``value``, or zero, as a loop carries it."""
    return nothing(type_) if value is None else _conform(value, type_)


def workshop(region: Region, captured: Mapping[Node, Node]) -> Builder:
    """A builder that has a region's nodes already: its derivative is written behind them.

    The nodes of the derivative then go, with what they need of the others, into a region of
    their own. ``captured`` says which values around its parameters stand for.
    """
    builder = Builder()
    builder.nodes = list(region.nodes)
    around = current_builder().names
    builder.names = {p: around[value] for p, value in captured.items() if value in around}
    builder.names |= region.names
    builder.exponentials = {p for p, value in captured.items() if is_exponential(value)}
    builder.extents = extents_of(captured)
    with building(builder):
        for node in region.nodes:  # by these items the sizes that they say can be brought along
            for index, symbol in enumerate(node.attrs.get("symbols", ())):
                if symbol is not None:
                    item(node, index=index)
    return builder


def given_adjoint(work: Builder, value: Node, outside: Builder) -> Node:
    """A parameter in the builder of a region for an adjoint that is known in the enclosing one."""
    param = work.parameter("g", adjoint_type(value.array_type))
    with building(outside):  # which knows of its own parameters, and has asked before
        partly_zero = is_partly_zero(value, Clears.CONDITIONAL)
    if partly_zero:
        work.partly_zero.add(param)
    return param


def replay(
    nodes: Iterable[Node],
    values: Values,
    names: Mapping[Node, str],
    lasting: Mapping[Node, tuple[Node, Node]] = MappingProxyType({}),
) -> None:
    """Make the nodes again in the builder at work, from what their operands are there.

    ``lasting`` are those to be read from arrays instead. What has an effect had it already.
    """
    builder = current_builder()
    for node in nodes:
        if "effect" in node.op.traits and not gives_value(node):
            continue
        if node in lasting:
            array, place = lasting[node]
            with builder.at(node.span):
                made = getitem(array, index=place.attrs["index"])
        else:
            with builder.at(node.span):
                operands = [_as_strong(values.get(i, i), i) for i in node.inputs]
            attrs = silent_attrs(node.attrs)
            if has_effect(node) and not node.regions:
                attrs = {**attrs, "silent": True}
            made = builder.again(node, operands, attrs)
        values[node] = made
        if node in names:
            builder.name(made, names[node])


def _as_strong(new: Node, old: Node) -> Node:
    """A Python number where one of NumPy's was: a loop carries numbers of one type."""
    pair = isinstance(new.type, ArrayType) and isinstance(old.type, ArrayType)
    if not pair or not new.array_type.weak or old.array_type.weak:
        return new
    return in_type(new, old.array_type)


def extended(region: Region, nodes: Sequence[Node], results: Sequence[Node]) -> Region:
    """The region with other results, computed by ``nodes``; it is a copy, and has no effects."""
    longer = Region(region.params, tuple(nodes), tuple(results), region.names)
    return tidy(silent(longer))


def shared(builders: Sequence[Builder], results: Sequence[Sequence[Node]]) -> list[Node]:
    """The values around that any of several regions needs."""
    found = [n for b, r in zip(builders, results, strict=True) for n in b.needed(r)]
    return list(dict.fromkeys(found))
