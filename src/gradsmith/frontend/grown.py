"""Lists that a loop in the graph has appended to: their elements are the rows of arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any, NoReturn

import numpy as np

from gradsmith import tree
from gradsmith.errors import ControlFlowError, Span
from gradsmith.frontend.dispatch import apply, run
from gradsmith.frontend.merging import is_data, is_whole
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Refusing
from gradsmith.ir import dims
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.regions import as_whole
from gradsmith.ops.scalars import as_float


class Grown(Refusing):
    """Stands in a list for as many elements as a loop has trips: the rows of ``wholes``.

    Within the loop there are none yet, and nothing may be asked.
    """

    __slots__ = ("form", "loop", "wholes")

    def __init__(
        self,
        form: Form | None = None,
        wholes: Sequence[Tracer] = (),
        loop: Span | None = None,
    ) -> None:
        self.form = form
        self.wholes = tuple(wholes)
        self.loop = loop
        """The loop that appended the elements."""

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise the error."""
        error = ControlFlowError(
            "this use of a list that a loop appends to needs its elements one by one",
            current_span(),
            "stack it with np.stack or np.array, or write into an array made before the loop",
        )
        error.loop = self.loop
        raise error

    def stacked(self, values: Sequence[Any]) -> Tracer:
        """All elements as one array."""
        return whole_of(values)


@dataclass(frozen=True, slots=True)
class Form:
    """How an element is made of rows: numbers and arrays in tuples, lists and dicts.

    For each leaf ``kinds`` has what Python calls it: "array", "float", "int"; the form of the
    elements where it is a list that an inner loop appended to.
    """

    shape: tree.Tree
    kinds: tuple[Any, ...]

    def rows(self, wholes: Sequence[Tracer], key: Any) -> Any:
        """The element at ``key``."""
        given = iter(wholes)
        return tree.unflatten(self.shape, [_row(kind, given, key) for kind in self.kinds])

    def element(self, leaves: Sequence[Any]) -> Any:
        """The element with these values for what it is made of."""
        given = iter(leaves)
        made = [
            [Grown(kind, [next(given) for _ in range(_width(kind))])]
            if isinstance(kind, Form)
            else next(given)
            for kind in self.kinds
        ]
        return tree.unflatten(self.shape, made)

    def parts(self) -> list[tuple[Form, int]]:
        """The forms of its items, and how many leaves each has."""
        kinds = iter(self.kinds)
        found = []
        for child in self.shape.children:
            own = tuple(next(kinds) for _ in range(child.leaf_count))
            found.append((Form(child, own), sum(map(_width, own))))
        return found


def _width(kind: Any) -> int:
    """How many arrays a leaf of this kind is made of."""
    return sum(map(_width, kind.kinds)) if isinstance(kind, Form) else 1


def _row(kind: Any, wholes: Iterator[Tracer], key: Any) -> Any:
    if isinstance(kind, Form):
        return [Grown(kind, [next(wholes)[key] for _ in range(_width(kind))])]
    row = next(wholes)[key]
    if kind == "int":
        return wrap_size(as_whole(row.node))
    return run(as_float, row) if kind == "float" else row


def taken_apart(element: Any) -> tuple[list[Any], Form] | None:
    """What an element is made of, and how; None where it holds something else."""
    leaves, shape = tree.flatten(element, lambda part: is_data(part) or is_grown(part))
    if not leaves or "static" in _kinds(shape):
        return None
    found: list[Any] = []
    kinds: list[Any] = []
    for leaf in leaves:
        if is_data(leaf):
            kinds.append(_kind(leaf))
            found.append(leaf)
        elif len(leaf) == 1 and leaf[0].wholes:
            kinds.append(leaf[0].form)
            found += leaf[0].wholes
        else:
            return None
    return found, Form(shape, tuple(kinds))


def _kinds(shape: tree.Tree) -> Iterator[str]:
    yield shape.kind
    for child in shape.children:
        yield from _kinds(child)


def _kind(leaf: Any) -> str:
    if is_whole(leaf):
        return "int"
    weak = leaf.type.weak if isinstance(leaf, Tracer) else type(leaf) is float
    real = leaf.dtype == np.float64 if isinstance(leaf, Tracer) else True
    return "float" if weak and real else "array"


def is_grown(value: Any) -> bool:
    """Whether it is a list, or a tuple of one, that a loop has appended to."""
    return type(value) in (list, tuple) and any(type(item) is Grown for item in value)


def refuse(*values: Any) -> NoReturn:
    """Raise the error that elements are needed one by one that a list in ``values`` has not."""
    items = (item for value in values for item in (value if is_grown(value) else [value]))
    next((item for item in items if type(item) is Grown), Grown()).refuse()


def columns_of(values: Sequence[Any]) -> tuple[Form, list[Tracer]]:
    """How its elements are made of rows, and the arrays that have these rows."""
    forms: list[Form] = []
    pieces: list[list[Tracer]] = []
    single: list[list[Any]] = []
    for item in values:
        if type(item) is not Grown:
            apart = taken_apart(item)
            if apart is None:
                refuse(values)
            single.append(apart[0])
            forms.append(apart[1])
            continue
        if item.form is None:
            item.refuse()
        pieces += [*_stacked(single), list(item.wholes)]
        single = []
        forms.append(item.form)
    form = functools.reduce(functools.partial(_joint, values), forms)
    pieces += _stacked(single)
    return form, [
        column[0] if len(column) == 1 else apply(np.concatenate, list(column))
        for column in zip(*pieces, strict=True)
    ]


def _joint(values: Sequence[Any], left: Form, right: Form) -> Form:
    """The form of either, of elements among ``values``."""
    nested = any(isinstance(kind, Form) for kind in (*left.kinds, *right.kinds))
    if left.shape != right.shape or (nested and left != right):
        refuse(values)
    pairs = zip(left.kinds, right.kinds, strict=True)
    return Form(left.shape, tuple(a if a == b else "array" for a, b in pairs))


def _stacked(rows: list[list[Any]]) -> list[list[Tracer]]:
    """Elements that are there one by one as arrays."""
    return [[apply(np.stack, list(column)) for column in zip(*rows, strict=True)]] if rows else []


def whole_of(value: Sequence[Any]) -> Tracer:
    """All elements as one array."""
    form, wholes = columns_of(value)
    return _table(value, form, list(wholes))


def _table(value: Sequence[Any], form: Form, wholes: list[Tracer]) -> Tracer:
    """``np.array`` of the elements: a further axis for each tuple or list in them."""
    whole: Tracer
    if form.shape.kind == "leaf":
        (kind,) = form.kinds
        whole = _table(value, kind, wholes) if isinstance(kind, Form) else wholes[0]
        return whole
    if form.shape.kind not in ("list", "tuple", "namedtuple"):
        refuse(value)
    pieces = []
    for part, count in form.parts():
        pieces.append(_table(value, part, wholes[:count]))
        wholes = wholes[count:]
    whole = apply(np.stack, pieces, axis=1)
    return whole


def element_of(value: Sequence[Any], key: Any) -> Any:
    """``value[key]``."""
    if isinstance(key, int) and -len(value) <= key < 0 and type(value[key]) is not Grown:
        behind = value[key:]
        if not any(type(item) is Grown for item in behind):
            return value[key]
    if isinstance(key, int) and key >= 0 and not is_grown(value[: key + 1]):
        return value[key]
    if isinstance(key, (int, TracedInt)):
        form, wholes = columns_of(value)
        return form.rows(wholes, key)
    refuse(value)


def is_changing_index(owner: Any, key: TracedInt) -> bool:
    """Whether a list of arrays is asked for an element whose place a loop changes."""
    listed = type(owner) in (list, tuple) and all(isinstance(item, Tracer) for item in owner)
    return listed and bool(owner) and dims.is_unbacked(key.dim)


def _stack(values: Any, axis: int = 0) -> Any:
    whole = whole_of(values)
    return whole.copy() if axis == 0 else apply(np.moveaxis, whole, 0, axis)


def _array(values: Any, dtype: Any = None) -> Any:
    return apply(np.array, whole_of(values), dtype=dtype)


def _concatenate(values: Any, axis: int = 0) -> Any:
    whole = whole_of(values)
    if axis != 0 or whole.ndim < 2:
        refuse(values)
    return whole.reshape(-1, *whole.shape[2:]).copy()


def _hstack(values: Any) -> Any:
    whole = whole_of(values)
    if whole.ndim > 2:
        refuse(values)
    return whole.reshape(-1).copy()


def _column_stack(values: Any) -> Any:
    whole = whole_of(values)
    if whole.ndim != 2:
        refuse(values)
    return whole.T.copy()


def _vstack(values: Any) -> Any:
    whole = whole_of(values)
    if whole.ndim == 2:
        return whole.copy()
    return _concatenate(values) if whole.ndim > 2 else whole.reshape(-1, 1).copy()


def sum_of_rows(values: Any) -> Tracer | None:
    """``sum(values)``, which NumPy adds up in the same order if the rows have several elements;
    None where they may have one, or none.
    """
    if not is_grown(values) or any(type(v) is Grown and v.form is None for v in values):
        return None
    whole = whole_of(values)
    row = dims.product(whole.type.shape[1:])
    if whole.ndim < 2 or dims.changes(row) or not dims.decide(">", row, 1):
        return None
    total: Tracer = apply(np.sum, whole, axis=0) + 0  # like Python, no sum is -0.0
    return total


def _zip(*rows: Any, strict: bool = False) -> Any:
    """``zip(*pairs)`` of a list that was appended to: the columns as tuples."""
    form, wholes = columns_of(rows)
    if form.shape.kind not in ("list", "tuple", "namedtuple"):
        refuse(rows)
    columns = []
    for part, count in form.parts():
        columns.append((Grown(part, wholes[:count]),))
        wholes = wholes[count:]
    return iter(columns)


MEANINGS: dict[Any, Callable[..., Any]] = {
    np.stack: _stack,
    np.array: _array,
    np.asarray: _array,
    np.concatenate: _concatenate,
    np.vstack: _vstack,
    np.hstack: _hstack,
    np.column_stack: _column_stack,
    len: lambda values: columns_of(values)[1][0].shape[0],
}
_AS_IT_IS = (enumerate, isinstance, list, reversed, tuple, type, zip)
"""What goes over it by itself, or asks nothing of its elements."""
_OF_SEQUENCES = frozenset(
    {"block", "choose", "column_stack", "dstack", "hstack", "lexsort", "multi_dot", "row_stack"}
    | {"select", "concatenate", "stack", "vstack"}
)
"""What takes a list of arrays, and not one array for it."""


def meaning_of(function: Any, args: Sequence[Any]) -> Callable[..., Any] | None:
    """What a function does with such a list; None where that is what it always does."""
    if not args:
        return None
    if any(type(argument) is Grown for argument in args):  # f(*values)
        return _zip if function is zip else functools.partial(refuse, *args)
    if not any(map(is_grown, args)) or isinstance(function, (FunctionType, MethodType)):
        return None
    if any(function is known for known in _AS_IT_IS):
        return None
    found = MEANINGS.get(function) if is_grown(args[0]) else None
    if found is None and _takes_arrays(function):
        return functools.partial(apply, function)
    return found or functools.partial(refuse, *args)


def _takes_arrays(function: Any) -> bool:
    named = getattr(function, "__name__", "") not in _OF_SEQUENCES
    return named and function in FUNCTIONS
