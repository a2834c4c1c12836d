"""Loops and branches written by hand, as the frontend would stage them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import gradsmith.ops.library  # noqa: F401 (fills the tables)
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building, current_builder
from gradsmith.ir.dims import Dim, Size
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item
from gradsmith.ir.types import python_number
from gradsmith.ops.declare import as_node
from gradsmith.ops.regions import branch, loop

_numbers = itertools.count()


def fresh(name: str, hint: int = 1) -> Dim:
    """A size that is known only while running."""
    return dims.symbol(f"{name}_{next(_numbers)}", hint, unbacked=True)


def loops(
    body: Callable[..., Sequence[Any]],
    init: Sequence[Any],
    stop: Size | None,
    *,
    start: Size = 0,
    step: Size = 1,
    reverse: bool = False,
    test: Callable[..., Any] | None = None,
    leaves: bool = False,
) -> list[Node]:
    """``for i in range(start, stop, step): values = body(i, *values)``: the values at the end.

    ``i`` is a size. With ``leaves`` the last of what the body gives says whether to break.
    Carried integers are sizes, too, inside and afterwards.
    """
    carried = [as_node(value) for value in init]
    outer = current_builder()
    index = fresh("i", dims.hint(start))
    inside, tester = (Builder(intern=False, parent=outer) for _ in range(2))
    hints = [_symbol(node) for node in carried]
    after = [None if s is None else fresh("k") for s in hints]
    ends = _inside(inside, index, carried, hints, body)
    answer = [] if test is None else _inside(tester, index, carried, hints, test)
    captured = list(dict.fromkeys([*inside.needed(ends), *tester.needed(answer)]))
    early = test is not None or leaves or stop is None
    trips = dims.as_symbol(fresh("trips", 2)) if early else None
    whole = loop(
        *carried,
        *captured,
        body=inside.region(ends, captured),
        test=None if test is None else tester.region(answer, captured),
        start=start,
        stop=stop,
        step=step,
        reverse=reverse,
        carried=len(carried),
        tapes=0,
        leaves=leaves,
        symbols=(*[None if a is None else dims.as_symbol(a) for a in after], trips),
    )
    return [item(whole, index=k) for k in range(len(carried))]


def _symbol(node: Node) -> Dim | None:
    return fresh("k") if node.array_type.weak and node.dtype.kind == "i" else None


def _inside(
    builder: Builder,
    index: Dim,
    carried: Sequence[Node],
    hints: Sequence[Dim | None],
    function: Callable[..., Any],
) -> list[Node]:
    with building(builder):
        builder.parameter("i", python_number(int), dims.as_symbol(index))
        values: list[Any] = []
        for k, (node, hint) in enumerate(zip(carried, hints, strict=True)):
            symbol = None if hint is None else dims.as_symbol(hint)
            param = builder.parameter(f"c{k}", node.type, symbol)
            values.append(param if hint is None else hint)
        found = function(index, *values)
        return [builder.lift(r) for r in (found if isinstance(found, (list, tuple)) else [found])]


def chooses(
    condition: Node, then: Callable[[], Sequence[Any]], orelse: Callable[[], Sequence[Any]]
) -> list[Node]:
    """``if condition: values = then() else: values = orelse()``: the values."""
    outer = current_builder()
    builders = [Builder(intern=False, parent=outer) for _ in range(2)]
    results = []
    for builder, arm in zip(builders, (then, orelse), strict=True):
        with building(builder):
            results.append([builder.lift(r) for r in arm()])
    needed = [n for b, r in zip(builders, results, strict=True) for n in b.needed(r)]
    captured = list(dict.fromkeys(needed))
    first, second = (b.region(r, captured) for b, r in zip(builders, results, strict=True))
    symbols = (None,) * len(results[0])
    whole = branch(condition, *captured, then=first, orelse=second, symbols=symbols)
    return [item(whole, index=k) for k in range(len(results[0]))]
