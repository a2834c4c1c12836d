"""Types of values: dtype, symbolic shape and form; NumPy's promotion and broadcasting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from gradsmith.errors import ShapeError
from gradsmith.ir import dims
from gradsmith.ir.dims import Shape, Size

Form: TypeAlias = Literal["array", "scalar", "python"]
DType: TypeAlias = "np.dtype[np.generic]"


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array, a NumPy scalar or a Python number (weakly typed under NEP 50)."""

    dtype: DType
    shape: Shape = ()
    form: Form = "array"

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> Size:
        """Number of elements."""
        return dims.product(self.shape)

    @property
    def weak(self) -> bool:
        """Whether it is a Python number, which gives way to any array's dtype of its kind."""
        return self.form == "python"

    @property
    def inexact(self) -> bool:
        """Whether a derivative with respect to it makes sense: floating or complex."""
        return self.dtype.kind in "fc"

    @property
    def tangent_dtype(self) -> DType:
        """The dtype of its tangent and adjoint: objects of Python's are boxed real numbers."""
        return _FLOAT if self.dtype.kind == "O" else self.dtype

    @property
    def complex(self) -> bool:
        """Whether the dtype is complex."""
        return self.dtype.kind == "c"

    def with_dtype(self, dtype: DType) -> ArrayType:
        """The same shape in another dtype, strongly typed."""
        return ArrayType(dtype, self.shape, "scalar" if self.weak else self.form)

    def strong(self) -> ArrayType:
        """As an array or NumPy scalar, never a Python number."""
        return replace(self, form="scalar") if self.weak else self

    def __repr__(self) -> str:
        shape = ", ".join(dims.render(s) for s in self.shape)
        name = f"{self.dtype}[{shape}]"
        return f"python {name[:-2]}" if self.weak else name


@dataclass(frozen=True, slots=True)
class TupleType:
    """The type of a node with several results; each is read by an ``item`` node."""

    items: tuple[ValueType, ...]

    def __repr__(self) -> str:
        return f"({', '.join(map(repr, self.items))})"


@dataclass(frozen=True, slots=True)
class TapeType:
    """What a loop has recorded: one value of type ``item`` for each of its trips.

    Sizes of the item may mention the loop's index: they may change from trip to trip.
    """

    item: ValueType
    length: Size

    def __repr__(self) -> str:
        return f"tape[{dims.render(self.length)}] of {self.item!r}"


@dataclass(frozen=True, slots=True)
class ObjectType:
    """Any other object of Python's: calls return such objects and take them, nothing else does."""

    cls: type | None = None
    """Its class, where that is the same in all calls that use the code."""

    @property
    def inexact(self) -> bool:
        """Whether a derivative may go through it: a fitted model depends on its data."""
        return True

    def __repr__(self) -> str:
        return "object" if self.cls is None else self.cls.__name__


ValueType: TypeAlias = "ArrayType | TapeType | ObjectType"
Type: TypeAlias = "ArrayType | TupleType | TapeType | ObjectType"

_FLOAT: DType = np.dtype(np.float64)
PYTHON_TYPES: dict[str, type] = {"b": bool, "i": int, "f": float, "c": complex}


def scalar(dtype: object) -> ArrayType:
    """A NumPy scalar of that dtype."""
    return ArrayType(np.dtype(dtype), (), "scalar")  # type: ignore[call-overload]


def python_number(kind: type) -> ArrayType:
    """The weak type of a Python ``int``, ``float``, ``complex`` or ``bool``."""
    known = _PYTHON_NUMBERS.get(kind)
    if known is None:
        known = _PYTHON_NUMBERS[kind] = ArrayType(np.dtype(kind), (), "python")
    return known


_PYTHON_NUMBERS: dict[type, ArrayType] = {}


def class_of_values(type_: ArrayType) -> type:
    """The class that values of the type have."""
    if type_.form == "array":
        return np.ndarray
    return PYTHON_TYPES[type_.dtype.kind] if type_.weak else type_.dtype.type


def type_of_number(value: object) -> ArrayType | None:
    """The type of a number of Python's or a scalar of NumPy's; None of anything else."""
    if isinstance(value, np.generic):
        return ArrayType(value.dtype, (), "scalar")
    return python_number(type(value)) if type(value) in PYTHON_TYPES.values() else None


def promotion_operand(type_: ArrayType) -> object:
    """What stands for the type in ``ufunc.resolve_dtypes``; of booleans it knows no weak ones."""
    weak = type_.weak and type_.dtype.kind != "b"
    return PYTHON_TYPES[type_.dtype.kind] if weak else type_.dtype


def result_dtype(*types: ArrayType) -> DType:
    """NEP 50 promotion, as NumPy itself does it."""
    operands = [_sample(t) for t in types]
    return np.result_type(*operands)  # type: ignore[arg-type]


def _sample(type_: ArrayType) -> object:
    return PYTHON_TYPES[type_.dtype.kind](0) if type_.weak else type_.dtype


def all_weak(*types: ArrayType) -> bool:
    """Whether only Python numbers take part, so that Python's own arithmetic applies."""
    return all(t.weak for t in types)


def broadcast(*shapes: Shape) -> Shape:
    """The shape that NumPy broadcasts these to.

    Raises
    ------
    ShapeError
        They do not broadcast.
    """
    rank = max(map(len, shapes), default=0)
    result: list[Size] = []
    for axis in range(-rank, 0):
        sizes = [s[axis] for s in shapes if len(s) >= -axis]
        result.append(_broadcast_axis(sizes, shapes))
    return tuple(result)


def _broadcast_axis(sizes: list[Size], shapes: tuple[Shape, ...]) -> Size:
    first = sizes[0]
    if all(s == first for s in sizes):
        return first
    chosen: Size = 1
    for size in sizes:
        if dims.is_one(size) or chosen == size:
            continue
        if chosen == 1:
            chosen = size
        elif dims.may_broadcast(chosen, size):
            chosen = _beside(chosen, size)
        else:
            texts = " and ".join(describe_shape(s) for s in shapes)
            raise ShapeError(
                f"operands of shapes {texts} cannot be broadcast together",
                hint="from the last axis on, sizes must be equal or 1: x[:, None] adds an axis",
            )
    for size in sizes:
        if dims.is_unbacked(size) and dims.is_one_at_most(size):
            chosen = _beside_one_at_most(chosen, size)
    return chosen


def _beside(one: Size, other: Size) -> Size:
    """The size of an axis of two sizes that broadcast: each may be 1 if only running tells it."""
    if isinstance(other, int):
        return other  # a number that is known for good says more than a symbol
    if dims.is_settled(one, other) or dims.is_many(one) or one == 0:
        return one
    return other if dims.is_many(other) else dims.broadcast(one, other)


def _beside_one_at_most(other: Size, size: Size) -> Size:
    """The size of an axis beside that of a slice such as ``y[:1]``, which may be empty: the other
    is 0 or 1 then.
    """
    if size == dims.compound("min", 1, other):  # empty together
        return other
    if (dims.least(other) or 0) > 1:
        dims.same(size, 1)  # or NumPy raises an error
        return other
    return other * size


def describe(type_: Type) -> str:
    """``float64 array of shape (3,)``, as messages say it."""
    if isinstance(type_, TupleType):
        return f"tuple of {len(type_.items)} results"
    if isinstance(type_, TapeType):
        return f"record of {dims.hint(type_.length)} trips"
    if isinstance(type_, ObjectType):
        return "Python object"
    if type_.weak:
        return f"Python {PYTHON_TYPES[type_.dtype.kind].__name__}"
    if type_.form == "scalar":
        return f"{type_.dtype} scalar"
    return f"{type_.dtype} array of shape {describe_shape(type_.shape)}"


def describe_shape(shape: Shape) -> str:
    """The concrete shape in the traced call, as NumPy prints it."""
    return str(tuple(dims.hint(s) for s in shape))


def known_same_shape(left: Shape, right: Shape) -> bool:
    """Whether two shapes are equal for all calls that use this code, without a new guard."""
    return len(left) == len(right) and all(map(dims.known_equal, left, right))


def same_shape(left: Shape, right: Shape) -> bool:
    """Whether two shapes are equal, deciding by hints where they differ in form."""
    return len(left) == len(right) and all(map(dims.same, left, right))
