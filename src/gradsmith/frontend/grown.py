"""Lists that a loop in the graph has appended to: their elements are the rows of arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby, product
from typing import Any, NoReturn, TypeAlias, TypeVar

import numpy as np

from gradsmith import tree
from gradsmith.errors import IndexRangeError
from gradsmith.frontend.dispatch import apply, run, traced
from gradsmith.frontend.frozen import NONE, ONE_BY_ONE, Sites, freeze, separate
from gradsmith.frontend.journal import slots_of
from gradsmith.frontend.merging import is_data
from gradsmith.frontend.number_class import Classes, note
from gradsmith.frontend.number_kinds import (
    Boxed,
    Mixed,
    as_boxed,
    as_boxed_part,
    as_boxed_rows,
    as_integer,
    as_numbers,
    as_unboxed,
    boxed_kind,
    dtypes_of_arrays,
    element_of_kind,
    is_boxable,
    is_needed,
    is_one_precision,
    joint_kind,
    keep_classes,
    kind_of_leaf,
    number_kind,
    types_in_array,
    types_stored,
)
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stand_ins import stands_for
from gradsmith.frontend.stored_rows import (
    is_stored_into,
    lock_element,
    rows_of_another,
    snapshot,
)
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unrolling import NOWHERE
from gradsmith.frontend.unsettled import Need, Refusing
from gradsmith.ir import dims
from gradsmith.ir.dims import Size
from gradsmith.ir.types import (
    DType,
    python_number,
    same_shape,
)
from gradsmith.ops.boxes import OBJECT
from gradsmith.ops.create import empty
from gradsmith.ops.scalars import as_float

Items = TypeVar("Items", bound=Sequence[Any])


@stands_for("list")
class Grown(Refusing):
    """Stands in a list for as many elements as a loop has trips: the rows of ``wholes``.

    Within the loop there are none yet, and nothing may be asked. ``sites`` are the loops that are
    to be written out where the elements are needed one by one.

    Numbers are stored in the arrays (`frontend.stacked_list_writes`) by the list that is the
    ``owner``. Another one that holds the same stand-in is a copy that was not seen: it is good
    until then.
    """

    __slots__ = ("form", "open_rows", "owner", "sites", "versions", "wholes")

    def __init__(
        self,
        form: Form | None = None,
        wholes: Sequence[Tracer] = (),
        sites: Sites = NONE,
        open_rows: Any = None,
        owner: Any = None,
    ) -> None:
        self.form = form
        self.wholes = tuple(wholes)
        self.sites = sites
        self.open_rows = open_rows
        """Where a loop at work appends to them: their `OpenRows`."""
        self.owner = owner
        self.versions = self._versions()

    def _versions(self) -> list[int]:
        return [whole.view.storage.version for whole in self.wholes]

    def form_for(self, values: Any) -> Form:
        """The form of its elements; separate ones are asked for where there are none yet, or where
        ``values`` is a copy from before a write.
        """
        if self.form is None or (self.owner is not values and self.versions != self._versions()):
            self.refuse()
        return self.form

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise the error, or ask for a trace in which the list has separate elements."""
        separate(self.sites, ONE_BY_ONE)

    def stacked(self, values: Sequence[Any]) -> Tracer:
        """The array that NumPy makes of them."""
        return array_of(values)

    def as_indices(self, values: Sequence[Any]) -> Tracer:
        """The same as indices, which are integers also where there are none."""
        return whole_of(values)

    def __copy__(self) -> Grown:
        return self

    def __deepcopy__(self, memo: Any) -> Grown:
        copies = [whole.copy() for whole in self.wholes]
        for made, whole in zip(copies, self.wholes, strict=True):
            storage, old = made.view.storage, whole.view.storage
            storage.sites, storage.locked, storage.types = old.sites, old.locked, old.types
            storage.replaced = old.replaced
        return Grown(self.form, copies, self.sites)


@dataclass(frozen=True, slots=True)
class Form:
    """How an element is made of rows: numbers and arrays in tuples, lists and dicts.

    For each leaf ``kinds`` has what Python calls it: "array" (or a scalar of NumPy's), "float",
    "int", "complex", "bool", `Mixed` where that differs; the form of the elements where it is a
    list (or a tuple: ``sequence``) that an inner loop appended to.
    """

    shape: tree.Tree
    kinds: tuple[Any, ...]
    sequence: type = list

    def rows(self, wholes: Sequence[Tracer], key: Any, sites: Sites) -> Any:
        """The element at ``key``. What it is made of is frozen: it is another at each call."""
        given = iter(wholes)
        leaves = [_row(kind, given, key, sites) for kind in self.kinds]
        return freeze(tree.unflatten(self.shape, leaves), sites)

    def element(self, leaves: Sequence[Any], sites: Sites) -> Any:
        """The element with these values for what it is made of."""
        given = iter(leaves)
        made = [
            _sequence(kind, [next(given) for _ in range(_width(kind))], sites)
            if isinstance(kind, Form)
            else as_unboxed(next(given))
            if kind == "int"
            else next(given)
            for kind in self.kinds
        ]
        return freeze(tree.unflatten(self.shape, made), sites)

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


def _sequence(form: Form, wholes: Sequence[Tracer], sites: Sites) -> Any:
    """The list or tuple of the elements that are rows of these."""
    return owned(form.sequence([Grown(form, wholes, sites)]))


def owned(values: Items) -> Items:
    """``values``, which owns the stand-in that it alone holds."""
    for item in values:
        item.owner = values
    return values


def _row(kind: Any, wholes: Iterator[Tracer], key: Any, sites: Sites) -> Any:
    if isinstance(kind, Form):
        return _sequence(kind, [next(wholes)[key] for _ in range(_width(kind))], sites)
    whole = next(wholes)
    return element_of_kind(snapshot(whole[key]), number_kind(kind, whole), sites)


def piled(elements: Sequence[Any]) -> Tracer:
    """Elements of one dtype as the rows of an array.

    NumPy makes arrays of other dtypes of integers that are beyond 64 bits: these are stored one
    by one.
    """
    if traced(elements[0]).dtype != OBJECT:
        stacked: Tracer = apply(np.stack, list(elements))
        return stacked
    whole: Tracer = traced(empty(shape=(len(elements),), dtype=OBJECT))
    for place, element in enumerate(elements):
        whole[place] = element
    return whole


def taken_apart(element: Any) -> Apart | None:
    """What an element is made of, and how; None where it holds something else."""
    leaves, shape = tree.flatten(element, lambda part: is_data(part) or is_grown(part))
    if not leaves or "static" in _kinds(shape) or not _can_be_made_anew(element):
        return None
    found: list[Any] = []
    kinds: list[Any] = []
    for leaf in map(as_integer, leaves):
        if is_data(leaf):
            if traced(leaf).type.form == "array" and not traced(leaf).ndim:
                return None  # a row of an array is a number
            kind = kind_of_leaf(leaf)
            one_array = not isinstance(kind, Mixed) or is_one_precision(kind.types)
            if not (one_array or is_needed(Need.BOXED, NONE)):
                return None
            kinds.append(kind)
            found.append(as_boxed(leaf) if kind == "int" else leaf)
        elif len(leaf) == 1 and leaf[0].wholes and not _is_replaced(leaf[0]):
            kinds.append(_form_now(leaf[0].form_for(leaf), type(leaf), leaf[0].wholes))
            found += leaf[0].wholes
        else:
            return None
    return found, Form(shape, tuple(kinds))


Apart: TypeAlias = tuple[list[Any], "Form"]
"""What an element is made of, and how."""


def in_boxes(apart: Apart, like: Form | None = None) -> Apart:
    """The same with numbers in boxes: those that ``like`` has in boxes, or all."""
    parts, form = apart
    if like is not None and len(like.kinds) != len(form.kinds):
        return apart
    given, kinds, found = iter(parts), [], []
    for place, kind in enumerate(form.kinds):
        own = [next(given) for _ in range(_width(kind))]
        wanted = kind != "int" if like is None else isinstance(like.kinds[place], Boxed)
        if wanted and not isinstance(kind, Form) and is_boxable(own[0], kind):
            kind, own = boxed_kind(own[0], kind), [as_boxed_part(own[0])]  # noqa: PLW2901
        kinds.append(kind)
        found += own
    return found, Form(form.shape, tuple(kinds), form.sequence)


def stack_in_boxes(apart: Apart, like: Form, sites: Sites) -> Apart:
    """The same of the arrays that have the elements of a list for rows."""
    wholes, form = apart
    if not any(isinstance(kind, Boxed) for kind in like.kinds) or form.shape != like.shape:
        return apart
    if any(isinstance(kind, Form) for kind in (*form.kinds, *like.kinds)):
        return apart
    found, kinds = [], []
    for whole, own, other in zip(wholes, form.kinds, like.kinds, strict=True):
        kind = number_kind(own, whole)
        if isinstance(other, Boxed) and not isinstance(kind, Boxed):
            made = as_boxed_rows(whole, kind)
            if made is None:
                keep_classes(sites)
            kind = Boxed(types_in_array(kind, whole.dtype))
            whole = made  # noqa: PLW2901
        found.append(whole)
        kinds.append(kind)
    return found, Form(form.shape, tuple(kinds), form.sequence)


def _is_replaced(made: Grown) -> bool:
    """Whether its elements may be replaced: a list that holds the list would not see that."""
    return any(whole.view.storage.replaced for whole in made.wholes)


def form_now(made: Grown, values: Any) -> Form:
    """The form of its elements, by what has been stored in the list since."""
    form = made.form_for(values)
    return _form_now(form, form.sequence, made.wholes)


def _form_now(form: Form, sequence: type, wholes: Sequence[Tracer]) -> Form:
    """The form of the elements of a ``sequence``, by what has been stored in them since."""
    given = iter(wholes)
    kinds = [
        _form_now(kind, kind.sequence, [next(given) for _ in range(_width(kind))])
        if isinstance(kind, Form)
        else number_kind(kind, next(given))
        for kind in form.kinds
    ]
    return Form(form.shape, tuple(kinds), sequence)


def _can_be_made_anew(element: Any) -> bool:
    """Whether objects in it are no more than their fields, and are equal if these are."""
    if tree.is_dataclass_instance(element):
        cls = type(element)
        names = [field.name for field in dataclasses.fields(element) if field.init]
        own = hasattr(cls, "__post_init__") or not cls.__dataclass_params__.init
        held = [*slots_of(element), *getattr(element, "__dict__", ())]
        if own or "__eq__" not in vars(cls) or sorted(held) != sorted(names):
            return False
    if not tree.is_container(element) or is_grown(element):
        return True
    return all(map(_can_be_made_anew, tree.parts(element)[2]))


def _kinds(shape: tree.Tree) -> Iterator[str]:
    yield shape.kind
    for child in shape.children:
        yield from _kinds(child)


def as_rows(form: Form, wholes: Sequence[Tracer], sites: Sites) -> list[Tracer]:
    """``wholes`` as the elements of a list that the loops at ``sites`` make."""
    replaced = is_stored_into(sites) and is_replaceable(form, wholes)
    stored = types_stored(sites)
    for storage in (whole.view.storage for whole in wholes):
        storage.sites, storage.replaced = sites, replaced
    for storage in (whole.view.storage for whole in _of_numbers(form, wholes)):
        storage.types = tuple(dict.fromkeys((*storage.types, *stored)))
    return list(wholes)


def _of_numbers(form: Form, wholes: Sequence[Tracer], depth: int = 1) -> Iterator[Tracer]:
    """Those that have numbers for rows, or rows of numbers within as many lists."""
    given = iter(wholes)
    for kind in form.kinds:
        own = [next(given) for _ in range(_width(kind))]
        if isinstance(kind, Form):
            yield from _of_numbers(kind, own, depth + 1)
        elif own[0].ndim == depth:
            yield own[0]


def is_replaceable(form: Form, wholes: Sequence[Tracer]) -> bool:
    """Whether elements may be arrays, or tuples, that others take the place of.

    A number needs nothing for that: see `frontend.stacked_list_writes`.
    """
    if any(isinstance(kind, Form) or kind == "int" for kind in form.kinds):
        return False
    if form.shape == tree.LEAF:
        return wholes[0].ndim > 1
    return set(_kinds(form.shape)) <= {"leaf", "tuple", "namedtuple"}


def is_grown(value: Any) -> bool:
    """Whether it is a list, or a tuple of one, that a loop has appended to."""
    return type(value) in (list, tuple) and any(type(item) is Grown for item in value)


def check_one_by_one(value: Any) -> None:
    """Python is about to compare all that ``value`` holds: no list in it may be one of rows."""
    if is_grown(value):
        refuse(value)
    if tree.is_container(value):
        for part in tree.parts(value)[2]:
            check_one_by_one(part)


def check_pairs(args: Sequence[Any]) -> None:
    """Python is about to take apart the pairs of a key and a value that these lists hold."""
    for values in args:
        for pair in values if type(values) in (list, tuple) else ():
            if is_grown(pair):
                refuse(pair)


@dataclass(frozen=True, slots=True)
class Columns:
    """How the elements of a list are made of rows, the arrays that have these rows, and the loops
    that made the list.
    """

    form: Form
    wholes: list[Tracer]
    sites: Sites

    def row(self, key: Any) -> Any:
        """The element at ``key``."""
        return self.form.rows(self.wholes, key, self.sites)

    @property
    def length(self) -> Size:
        """The number of elements."""
        return self.wholes[0].type.shape[0]


def sites_of(values: Any) -> Sites:
    """The loops that made a list."""
    return NONE.union(*[item.sites for item in values if type(item) is Grown])


def refuse(values: Sequence[Any], *_: Any, **__: Any) -> NoReturn:
    """Raise the error that a list's elements are needed one by one, which it does not have."""
    separate(sites_of(values), ONE_BY_ONE)


def columns_of(values: Sequence[Any]) -> Columns:
    """How its elements are made of rows, and the arrays that have these rows.

    Elements that are objects of their own are rows of copies then, and so must not be written to
    any more.
    """
    sites = sites_of(values)
    forms: list[Form] = []
    held: list[Sequence[Any]] = []
    for item in values:
        if type(item) is Grown:
            held.append(item.wholes)
            forms.append(form_now(item, values))
            continue
        apart = taken_apart(item)
        if apart is None:
            separate(sites, ONE_BY_ONE)
        freeze(item, sites)
        held.append(apart[0])
        forms.append(apart[1])
    form = _joint_of(forms, sites)
    if any(isinstance(kind, Boxed) for kind in form.kinds):
        pairs = zip(values, held, forms, strict=True)
        apart_ = [
            stack_in_boxes((list(parts), own), form, sites)
            if type(item) is Grown
            else in_boxes((list(parts), own), form)
            for item, parts, own in pairs
        ]
        held, forms = [found[0] for found in apart_], [found[1] for found in apart_]
        form = _joint_of(forms, sites)
    form = _with_numpys_classes(form, forms, held) or separate(sites, ONE_BY_ONE)
    pieces: list[list[Tracer]] = []
    given = zip(values, held, strict=True)
    for stacked, group in groupby(given, lambda pair: type(pair[0]) is Grown):
        parts = [list(part) for _, part in group]
        pieces += parts if stacked else _stacked(parts, sites)
    columns = list(zip(*pieces, strict=True))
    if not all(_are_of_one_precision(c) and _are_of_one_shape(c, 1) for c in columns):
        separate(sites, ONE_BY_ONE)
    return Columns(form, [_in_one(column, sites) for column in columns], sites)


def _joint_of(forms: Sequence[Form], sites: Sites) -> Form:
    form = forms[0]
    for other in forms[1:]:
        form = joint_form(form, other) or separate(sites, ONE_BY_ONE)
    return form


def length_of(values: Sequence[Any]) -> Size:
    """The number of its elements."""
    length: Size = 0
    for item in values:
        if type(item) is Grown:
            item.form_for(values)
        length = length + (item.wholes[0].type.shape[0] if type(item) is Grown else 1)
    return length


def _is_empty(values: Sequence[Any]) -> bool:
    """Whether it has no elements: the code is specialised on that, also where the data decide."""
    return Tracer.decide(wrap_size(length_of(values)) == 0)


def joint_form(left: Form, right: Form) -> Form | None:
    """The form of either; None where there is none."""
    if left == right:
        return left
    nested = any(isinstance(kind, Form) for kind in (*left.kinds, *right.kinds))
    if left.shape != right.shape or nested:
        return None
    pairs = zip(left.kinds, right.kinds, strict=True)
    return Form(left.shape, tuple(joint_kind(*pair) for pair in pairs))


def _with_numpys_classes(
    form: Form, forms: Sequence[Form], held: Sequence[Sequence[Any]]
) -> Form | None:
    """The joint form of elements whose scalars of NumPy's may be of several classes; None where
    arrays of several dtypes are among them. ``held`` has the leaves, or the arrays of them.
    """
    if len(forms) == 1 or any(isinstance(kind, Form) for kind in form.kinds):
        return form
    kinds = []
    for place, kind in enumerate(form.kinds):
        given = [traced(values[place]).type for values in held]
        if isinstance(kind, Boxed) or (
            kind == "array" and len({type_.dtype for type_ in given}) == 1
        ):
            kinds.append(kind)
            continue
        if any(type_.ndim > 1 for type_ in given):
            return None
        pairs = zip([f.kinds[place] for f in forms], given, strict=True)
        types = [t for own, type_ in pairs for t in types_in_array(own, type_.dtype)]
        several = len(set(types)) > 1
        kinds.append(Mixed(tuple(dict.fromkeys(types))) if several else kind)
    return Form(form.shape, tuple(kinds), form.sequence)


def _stacked(rows: list[list[Any]], sites: Sites) -> list[list[Tracer]]:
    """Elements that are there one by one as arrays."""
    columns = list(zip(*rows, strict=True))
    if not all(_are_of_one_precision(c) and _are_of_one_shape(c, 0) for c in columns):
        separate(sites, ONE_BY_ONE)
    return [[_piled_rows(c, sites) for c in columns]] if rows else []


def _piled_rows(column: Sequence[Any], sites: Sites) -> Tracer:
    boxes = [traced(part).dtype == OBJECT for part in column]
    if all(boxes):
        return piled(column)
    pairs = zip(column, boxes, strict=True)
    return joined_rows(np.stack, [as_unboxed(v) if box else v for v, box in pairs], sites)


def _are_of_one_precision(column: Sequence[Any]) -> bool:
    """Whether what is computed with the elements has the same bits when they share an array."""
    return is_one_precision([traced(value).type for value in column])


def _are_of_one_shape(column: Sequence[Any], begin: int) -> bool:
    """Whether an array may have the elements for rows: by their axes from ``begin`` on."""
    first, *others = [traced(value).type.shape[begin:] for value in column]
    return all(same_shape(first, other) for other in others)


def _in_one(column: Sequence[Tracer], sites: Sites) -> Tracer:
    """The array of all rows. Where that is a copy, writes to rows would be lost."""
    if len(column) == 1:
        return column[0]
    boxes = [whole.dtype == OBJECT for whole in column]
    if any(boxes) and not all(boxes):  # integers beside numbers of other classes
        pairs = zip(column, boxes, strict=True)
        column = [whole.astype(np.int64) if box else whole for whole, box in pairs]
    return joined_rows(np.concatenate, list(column), sites)


def joined_rows(function: Any, pieces: list[Any], sites: Sites, **how: Any) -> Tracer:
    """A copy of arrays, whose rows stand for theirs: it must not be written to, and is outdated
    once one of them is.
    """
    whole: Tracer = apply(function, pieces, **how)
    if whole.ndim > 1:
        lock_element(whole.view.storage, sites)
        for piece in pieces:
            if isinstance(piece, Tracer):
                whole.view.storage.doubt(piece.view.storage)
    return whole


def whole_of(value: Sequence[Any]) -> Tracer:
    """All elements as one array."""
    present = _that_count(value)
    columns = columns_of(present)
    _check_dtype(present, columns)
    whole = _table(columns.form, columns.wholes, 1)
    if whole is None:
        separate(columns.sites, ONE_BY_ONE)
    return whole


def _check_dtype(values: Sequence[Any], columns: Columns) -> None:
    """Ask for boxes where the dtype of an array depends on which numbers are in the list."""
    if columns.form.shape != tree.LEAF or isinstance(columns.form.kinds[0], Form):
        found = _nested_dtypes(columns.form, columns.wholes)
        if len(found) > 1:
            keep_classes(columns.sites)
        return
    if not isinstance(columns.form.kinds[0], Mixed):
        return
    pieces = [
        types_in_array(form_now(item, values).kinds[0], item.wholes[0].dtype)
        if type(item) is Grown
        else types_in_array(kind_of_leaf(item), traced(item).dtype)
        for item in values
    ]
    found = {np.result_type(*some) for some in product(*map(dtypes_of_arrays, pieces))}
    if len(found) > 1:
        keep_classes(columns.sites)


def _nested_dtypes(form: Form, wholes: Sequence[Tracer]) -> set[DType]:
    """The dtypes that an array of numbers in lists in a list may have."""
    given, kinds = iter(wholes), kinds_within(form)
    dtypes = [{t.dtype for t in types_in_array(kind, next(given).dtype)} for kind in kinds]
    if not any(isinstance(kind, Mixed) for kind in kinds):
        return set()
    return {np.result_type(*some) for some in product(*dtypes)}


def kinds_within(form: Form) -> list[Any]:
    """The kinds of all leaves, those of lists inside, too."""
    found: list[Any] = []
    for kind in form.kinds:
        found += kinds_within(kind) if isinstance(kind, Form) else [kind]
    return found


def array_of(values: Sequence[Any]) -> Tracer:
    """The array that NumPy makes of the elements: one of floats where there are none."""
    whole = whole_of(values)
    as_if_empty = whole.ndim == 1 and whole.dtype == np.float64
    return whole if as_if_empty or not _is_empty(values) else traced(np.array([]))


def _that_count(values: Sequence[Any]) -> Sequence[Any]:
    """The elements that decide the dtype: where a loop makes no iteration, not those that it would
    append.
    """
    if len(values) == 1 or len({_dtypes(value) for value in values}) == 1:
        return values
    made = [v for v in values if type(v) is not Grown or wrap_size(length_of([v])) != 0]
    return made or values


def _dtypes(value: Any) -> tuple[DType, ...]:
    """Those of the numbers and arrays in an element, or in all elements of a loop."""
    apart = (value.wholes, None) if type(value) is Grown else taken_apart(value)
    return () if apart is None else tuple(traced(held).dtype for held in apart[0])


def _table(form: Form, wholes: list[Tracer], depth: int) -> Tracer | None:
    """``np.array`` of the elements: a further axis for each tuple or list in them.

    They are within ``depth`` lists, whose lengths are the first axes.
    """
    if form.shape.kind == "leaf":
        (kind,) = form.kinds
        if isinstance(kind, Form):
            return _table(kind, wholes, depth + 1)
        return as_numbers(snapshot(wholes[0]), kind)
    if form.shape.kind not in ("list", "tuple", "namedtuple"):
        return None
    pieces = []
    for part, count in form.parts():
        pieces.append(_table(part, wholes[:count], depth))
        wholes = wholes[count:]
    if any(piece is None for piece in pieces):
        return None
    whole: Tracer = apply(np.stack, pieces, axis=depth)
    return whole


def as_position(key: Any) -> Any:
    """True and False as the positions that they are in a list, and no masks of its array."""
    return int(key) if isinstance(key, bool) else key


def element_of(value: Sequence[Any], key: Any) -> Any:
    """``value[key]``."""
    key = as_position(key)
    if isinstance(key, int) and -len(value) <= key < 0 and type(value[key]) is not Grown:
        behind = value[key:]
        if not any(type(item) is Grown for item in behind):
            return value[key]
    if isinstance(key, int) and key >= 0 and not is_grown(value[: key + 1]):
        return value[key]
    if isinstance(key, (int, TracedInt)):
        with pythons_words(f"{type(value).__name__} index out of range"):
            return (_last_rows(value, key) or columns_of(value)).row(key)
    if isinstance(key, slice) and len(value) == 1:
        return copied_list(value, key)
    return refuse(value)


def _last_rows(value: Sequence[Any], key: Any) -> Columns | None:
    """The elements that a loop has appended last, where ``key`` is the place of one of these,
    counted from the end.
    """
    last = value[-1]
    if not isinstance(key, int) or key >= 0 or len(value) == 1 or type(last) is not Grown:
        return None
    form, length = last.form_for(value), last.wholes[0].type.shape[0]
    if dims.is_unbacked(length) or not dims.decide(">=", length, -key):
        return None
    return Columns(form, list(last.wholes), last.sites)


@contextmanager
def pythons_words(text: str) -> Iterator[None]:
    """Inside, an index that is out of range is one of a list or tuple, which Python words so."""
    try:
        yield
    except IndexRangeError as error:
        made = IndexRangeError(text, error.span, error.hint)
        made.own = error.own and IndexError(text)
        raise made from None
    except IndexError:  # which a ``try`` handles
        raise IndexError(text) from None


def element_at(owner: Any, key: TracedInt, trace: Trace) -> tuple[Any] | None:
    """``owner[key]`` of a list or tuple whose elements are all alike, in a tuple, for a place that
    only running tells; None of any other.

    The element is a copy. Where it is written to, the loops that change the place are written out;
    where there are none, the trace goes on with the present place.
    """
    if type(owner) not in (list, tuple) or not owner or not dims.is_unbacked(key.dim):
        return None
    here = current_span() or NOWHERE
    if trace.unrolling.is_chosen(here):
        return None
    sites = frozenset(trace.unrolling.loops_of(key.dim) or [here])
    if all(isinstance(item, Tracer) for item in owner):
        return _number_or_row(list(owner), key, sites, in_region=trace.builder is not trace.root)
    apart = [taken_apart(item) for item in owner]
    parts = [found[0] for found in apart if found is not None]
    forms = [found[1] for found in apart if found is not None]
    if len(forms) < len(apart) or any(form != forms[0] for form in forms):
        return None
    columns = list(zip(*parts, strict=True))
    if not all(map(_are_alike, columns)):
        return None
    for item in owner:
        freeze(item, sites)
    wholes = [_piled_rows(column, sites) for column in columns]
    return (forms[0].rows(wholes, key, sites),)


def _number_or_row(
    owner: list[Tracer], key: TracedInt, sites: Sites, *, in_region: bool
) -> tuple[Any] | None:
    """One of several numbers or arrays; None where its class depends on which, and which it is can
    be known.
    """
    if not _are_alike(owner):
        return None
    weak = [item.type.weak for item in owner]
    mixed = any(weak) and not all(weak)
    if mixed and not in_region:
        return None
    found = joined_rows(np.stack, owner, sites)[key]
    if mixed:
        note(found.node, Classes((found.type, python_number(float)), lists=sites))
    return (run(as_float, found) if all(weak) and found.dtype.kind == "f" else found,)


def _are_alike(column: Sequence[Any]) -> bool:
    """Whether values are of one shape and dtype."""
    types = [traced(value).type for value in column]
    return all((t.shape, t.dtype) == (types[0].shape, types[0].dtype) for t in types)


def copied_list(values: Any, key: slice = slice(None)) -> Any:
    """``values[key]``, ``values.copy()``: the same elements in a list (or tuple) of its own."""
    made = []
    for item in values:
        if type(item) is Grown:
            wholes = [_copied_column(whole[key]) for whole in item.wholes]
            item = Grown(item.form_for(values), wholes, item.sites)  # noqa: PLW2901
        made.append(item)
    copied = type(values)(made)
    for item in copied:
        if type(item) is Grown:
            item.owner = copied
    return copied


def _copied_column(whole: Tracer) -> Tracer:
    """Numbers are copied; arrays and what lists hold are the same ones in the copy."""
    if whole.view.storage.replaced:
        return rows_of_another(whole)
    if whole.ndim != 1:
        return whole
    made: Tracer = whole.copy()
    storage, old = made.view.storage, whole.view.storage
    storage.sites, storage.types = old.sites, old.types
    return made
