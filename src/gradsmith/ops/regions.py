"""Branches and loops: the ops that run regions.

Both give a tuple, read by ``item``. An integer of Python's among the results is known to sizes by
the symbol at its place in ``symbols``, as one among the parameters of a region is by its own.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gradsmith.errors import InternalError
from gradsmith.ir import dims
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Size, Symbol
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.op import NON_DIFF, NOT_IMPLEMENTED, Emitter
from gradsmith.ir.types import (
    ArrayType,
    TapeType,
    TupleType,
    Type,
    ValueType,
    python_number,
    same_shape,
)
from gradsmith.ops import syntax
from gradsmith.ops.declare import primitive

Run = Callable[[Region, Sequence[Any]], tuple[Any, ...]]
"""Runs a region on arguments: the interpreter's."""

_BY_MODE = NOT_IMPLEMENTED("each mode differentiates regions itself")


def _unemitted(*_: Any) -> ast.expr:
    raise InternalError("the code generator emits regions by itself")


def _value(type_: Type) -> ValueType:
    if isinstance(type_, TupleType):
        raise InternalError("a region gives values, not tuples")
    return type_


# -- branch: branch(condition, *captured; then, orelse, symbols) ---------------------------------
#
# Both regions have a parameter for each captured value, and results of the same types.


def _branch_infer(
    condition: Type,
    *captured: Type,
    then: Region,
    orelse: Region,
    symbols: tuple[Symbol | None, ...],
) -> TupleType:
    types = tuple(_value(r.type) for r in then.results)
    others = [_value(r.type) for r in orelse.results]
    if not len(types) == len(others) == len(symbols) or not all(map(_may_follow, others, types)):
        raise InternalError("the arms of a branch give values of other types")
    if any(len(arm.params) != len(captured) for arm in (then, orelse)):
        raise InternalError("the arms of a branch have other parameters")
    return TupleType(tuple(map(_either, types, others)))


def _branch_evaluate(
    condition: Any, *captured: Any, run: Run, then: Region, orelse: Region, **_: Any
) -> tuple[Any, ...]:
    return run(then if condition else orelse, captured)


branch = primitive(
    "branch",
    infer=_branch_infer,
    evaluate=_branch_evaluate,
    derivative=_BY_MODE,
    emit=_unemitted,
    traits=("barrier", "forms"),
)


# -- loop: loop(*carried, *tapes, *captured; body, test, start, stop, step, ...) ------------------
#
# body(index, *carried, *tape items, *captured) -> *carried, [leave,] *recorded
# test(index, *carried, *captured)              -> go on?
#
# The index runs over range(start, stop, step), or from ``start`` on for ever where ``stop`` is
# None; ``reverse`` runs over the same range from its end. ``test`` (or None) is asked before
# every trip; with ``leaves`` the first result of the body after the carried ones says whether
# this trip was the last. Results: the carried values, the number of trips, and a tape of each
# recorded value. A tape keeps the value of the trip with the k-th index of the range at place k,
# whichever way the loop runs. ``slots`` is set where the adjoint may keep that many states only.


def _loop_infer(
    *inputs: Type,
    body: Region,
    start: Size,
    stop: Size | None,
    step: Size,
    carried: int,
    leaves: bool,
    symbols: tuple[Symbol | None, ...],
    **_: Any,
) -> TupleType:
    results = [_value(r.type) for r in body.results]
    given = [_value(t) for t in inputs]
    if not all(map(_may_follow, results[:carried], given)):
        raise InternalError(f"a loop carries {given[:carried]!r} and gives {results[:carried]!r}")
    if len(body.params) != 1 + len(inputs):
        raise InternalError("the body of a loop has other parameters than the loop")
    length = trips(start, stop, step, symbols[carried])
    recorded = [TapeType(t, length) for t in results[carried + leaves :]]
    ended = map(_either, given[:carried], results)
    return TupleType((*ended, python_number(int), *recorded))


def _may_follow(after: ValueType, before: ValueType) -> bool:
    """Whether a value of one type may be carried on as one of the other.

    A NumPy scalar and an array without axes are as good as each other, as to rewrites.
    """
    if not isinstance(after, ArrayType) or not isinstance(before, ArrayType):
        return after == before
    alike = after.dtype == before.dtype and after.weak == before.weak
    return alike and same_shape(after.shape, before.shape)


def _either(one: ValueType, other: ValueType) -> ValueType:
    """The type of what is a value of either: an array, which may be written to, if one may be."""
    return other if isinstance(other, ArrayType) and other.form == "array" else one


def trips(start: Size, stop: Size | None, step: Size, symbol: Symbol | None) -> Size:
    """How many trips a loop makes; ``symbol`` stands for it where the range does not tell."""
    if symbol is not None:
        return dims.of_atom(symbol)
    if stop is None:
        raise InternalError("a loop without an end has a symbol for its number of trips")
    return length_of_range(start, stop, step)


def length_of_range(start: Size, stop: Size, step: Size) -> Size:
    """``len(range(start, stop, step))``."""
    if isinstance(step, int) and step > 0:
        extent = stop - start + (step - 1)
    elif isinstance(step, int):
        extent = start - stop + (-step - 1)
    else:
        return dims.compound("max", -((start - stop) // step), 0)
    length = extent if abs(step) == 1 else extent // abs(step)
    return length if dims.settled(">=", extent, 0) else dims.compound("max", length, 0)


def _loop_evaluate(
    *inputs: Any,
    run: Run,
    body: Region,
    test: Region | None,
    start: int,
    stop: int | None,
    step: int,
    reverse: bool,
    carried: int,
    tapes: int,
    leaves: bool,
    **_: Any,
) -> tuple[Any, ...]:
    state, given, captured = (
        inputs[:carried],
        inputs[carried : carried + tapes],
        inputs[carried + tapes :],
    )
    records: list[tuple[Any, ...]] = []
    width = len(body.results) - carried - leaves
    for place, index in _indices(start, stop, step, reverse=reverse):
        if test is not None and not run(test, (index, *state, *captured))[0]:
            break
        results = run(body, (index, *state, *(t[place] for t in given), *captured))
        state = results[:carried]
        records.append(results[carried + leaves :])
        if leaves and results[carried]:
            break
    ordered = records[::-1] if reverse else records
    return (*state, len(records), *([row[i] for row in ordered] for i in range(width)))


def _indices(
    start: int, stop: int | None, step: int, *, reverse: bool
) -> Iterator[tuple[int, int]]:
    """The place and the index of every trip."""
    if stop is None:
        place = 0
        while True:
            yield place, start + place * step
            place += 1
    places = list(enumerate(range(start, stop, step)))
    yield from reversed(places) if reverse else places


loop = primitive(
    "loop",
    infer=_loop_infer,
    evaluate=_loop_evaluate,
    derivative=_BY_MODE,
    emit=_unemitted,
    traits=("barrier", "forms"),
)

# -- rerun: rerun(*captured; block, symbols) ------------------------------------------------------
#
# Runs a region that has a parameter for each captured value; no value of it is known outside but
# its results. Its adjoint runs it once more: nothing computed in it is kept.


def _rerun_infer(*captured: Type, block: Region, symbols: tuple[Symbol | None, ...]) -> TupleType:
    if len(block.params) != len(captured) or len(block.results) != len(symbols):
        raise InternalError("a region that is run again has other parameters or results")
    return TupleType(tuple(_value(r.type) for r in block.results))


rerun = primitive(
    "checkpoint",
    infer=_rerun_infer,
    evaluate=lambda *captured, run, block, symbols: run(block, captured),
    derivative=_BY_MODE,
    emit=_unemitted,
    traits=("barrier", "forms"),
)

# -- whole: int(x), round(x), math.floor(x): an integer that sizes may mention by its symbol -----

_TO_INTEGERS: dict[str, Callable[[Any], int]] = {
    "int": int,
    "round": round,
    "math.floor": math.floor,
    "math.ceil": math.ceil,
    "math.trunc": math.trunc,
}


def _to_integer(
    x: Any, *, symbol: Symbol | None, function: str = "int", digits: int | None = None
) -> int:
    return _TO_INTEGERS[function](x) if digits is None else round(x, digits)


def _emit_whole(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    function = node.attrs.get("function", "int")
    if not function.startswith("math."):
        digits = node.attrs.get("digits")
        return syntax.call(function, x, *([] if digits is None else [digits]))
    return syntax.call(syntax.attribute(emitter.module("math"), function[5:]), x)


whole = primitive(
    "whole",
    infer=lambda x, **_: python_number(int),
    evaluate=_to_integer,
    derivative=NON_DIFF,
    emit=_emit_whole,
)


present_integers: list[Callable[[Node], int | None]] = []
"""Asked, for each integer that is made, for its present value if the code is to be specialised on
it, and None if it is to stay a size.
"""


_WHOLE = "whole."
UNBOUNDED = "unbounded."
"""How the names of integers begin that a loop multiplies, or adds to each other."""


def is_conversion(symbol: Symbol) -> bool:
    """Whether it is the integer that a number is converted to, and not one that a loop counts."""
    return symbol.name.startswith(_WHOLE)


def as_whole(node: Node, function: str = "int", **options: int) -> Size:
    """``int(node)``, or another function that makes integers of Python's, as a size: known only
    while the code runs, unless the code is specialised on it.
    """
    name = f"{_WHOLE}{current_builder().root().token()}"
    size = dims.changing(name, 1, None, None)
    named = {} if function == "int" else {"function": function}
    made = whole(node, symbol=dims.as_symbol(size), **named, **options)
    present = [ask(made) for ask in present_integers]
    return next((value for value in present if value is not None), size)


REGIONAL = (branch, loop, rerun)
