"""Lists of Python's as results: their elements are rows of arrays until then."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from gradsmith.ir.graph import Node
from gradsmith.ir.op import NON_DIFF, Emitter
from gradsmith.ir.types import ObjectType
from gradsmith.ops import syntax
from gradsmith.ops.declare import primitive

LeafKind: TypeAlias = Literal["pythons", "scalars", "arrays"]


@dataclass(frozen=True, slots=True)
class Layout:
    """What the elements of a list or tuple are made of.

    Numbers of Python's, scalars of NumPy's or arrays; lists with a layout of their own; or tuples,
    lists or dicts (with these ``keys``) of such ``parts``: a ``record``.
    """

    sequence: type
    leaf: LeafKind | None = None
    inner: Layout | None = None
    parts: tuple[Layout, ...] = ()
    record: type = tuple
    keys: tuple[Any, ...] = ()

    @property
    def width(self) -> int:
        """Of how many arrays it is made."""
        if self.leaf is not None:
            return 1
        return self.inner.width if self.inner is not None else sum(p.width for p in self.parts)

    def split(self, given: Sequence[Any]) -> Iterator[tuple[Layout, Sequence[Any]]]:
        """Each part with what it is made of."""
        for part in self.parts:
            yield part, given[: part.width]
            given = given[part.width :]

    @property
    def is_nested_list(self) -> bool:
        """Whether it is lists of Python's numbers in lists."""
        inside = self.leaf == "pythons" if self.inner is None else self.inner.is_nested_list
        return self.sequence is list and inside


# -- evaluation ----------------------------------------------------------------------------------


def _made(layout: Layout, arrays: Sequence[Any]) -> Any:
    found = _elements(layout, arrays)
    return found if layout.sequence is list else tuple(found)


def _elements(layout: Layout, arrays: Sequence[Any]) -> list[Any]:
    if layout.leaf == "pythons":
        return list(arrays[0].tolist())
    if layout.leaf is not None:
        return [row.copy() if layout.leaf == "arrays" else row for row in arrays[0]]
    if layout.inner is not None:
        return [_made(layout.inner, rows) for rows in zip(*arrays, strict=True)]
    columns = [_elements(part, given) for part, given in layout.split(arrays) if part.width]
    return [_record(layout, iter(row)) for row in zip(*columns, strict=True)]


def _record(layout: Layout, values: Iterator[Any]) -> Any:
    """A record of the next values, and of new containers that nothing is in."""
    row = [next(values) if part.width else _record(part, values) for part in layout.parts]
    if layout.record is dict:
        return dict(zip(layout.keys, row, strict=True))
    return layout.record(row)


# -- emission ------------------------------------------------------------------------------------


def _emit(emitter: Emitter, node: Node, *arrays: ast.expr) -> ast.expr:
    return _emit_made(node.attrs["layout"], arrays)


def _emit_made(layout: Layout, arrays: Sequence[ast.expr]) -> ast.expr:
    if layout.sequence is tuple and layout.leaf == "scalars":
        return syntax.call("tuple", arrays[0])
    found = _emit_elements(layout, arrays)
    return found if layout.sequence is list else syntax.call("tuple", found)


def _emit_elements(layout: Layout, arrays: Sequence[ast.expr]) -> ast.expr:
    if layout.is_nested_list or layout.leaf == "pythons":
        return syntax.method(arrays[0], "tolist")
    if layout.leaf == "scalars":
        return syntax.call("list", arrays[0])
    if layout.leaf == "arrays":
        return _each(syntax.method(syntax.name("row"), "copy"), ["row"], arrays)
    if layout.inner is not None:
        names = ["row"] if len(arrays) == 1 else [f"row_{k}" for k in range(1, len(arrays) + 1)]
        return _each(_emit_made(layout.inner, [syntax.name(n) for n in names]), names, arrays)
    columns = [_emit_column(part, given) for part, given in layout.split(arrays) if part.width]
    if layout.record is tuple and len(columns) > 1 and len(columns) == len(layout.parts):
        return syntax.call("list", syntax.call("zip", *columns))
    names = [f"value_{k}" for k in range(1, len(columns) + 1)]
    return _each(_emit_record(layout, map(syntax.name, names)), names, columns)


def _emit_record(layout: Layout, values: Iterator[ast.expr]) -> ast.expr:
    row = [next(values) if part.width else _emit_record(part, values) for part in layout.parts]
    if layout.record is dict:
        return ast.Dict([*map(ast.Constant, layout.keys)], row)
    return syntax.tuple_(row) if layout.record is tuple else ast.List(row, ast.Load())


def _emit_column(layout: Layout, arrays: Sequence[ast.expr]) -> ast.expr:
    """What gives the elements one by one."""
    return arrays[0] if layout.leaf == "scalars" else _emit_elements(layout, arrays)


def _each(element: ast.expr, names: Sequence[str], columns: Sequence[ast.expr]) -> ast.expr:
    """``[element for name, ... in zip(column, ...)]``."""
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
    target = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Store())
    items = columns[0] if len(columns) == 1 else syntax.call("zip", *columns)
    return ast.ListComp(element, [ast.comprehension(target, items, [], 0)])


listed = primitive(
    "listed",
    infer=lambda *arrays, layout, place: ObjectType(layout.sequence),
    evaluate=lambda *arrays, layout, place: _made(layout, arrays),
    derivative=NON_DIFF,
    emit=_emit,
)
"""A list or tuple of Python's, made of arrays that have its elements as rows. Those with
another ``place`` among the results are other objects, although they are made of the same.
"""
