"""Integers that stay symbolic while a function is traced: sizes and Python ``int`` arguments."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, ClassVar

from gradsmith.frontend.exact_numbers import EXACT_NUMBERS, comparable
from gradsmith.frontend.hashed import Hashed
from gradsmith.ir import dims
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Dim, Size
from gradsmith.ir.intrinsics import size as size_node
from gradsmith.ops.regions import as_whole

Fallback = Callable[[str, Any, Any], Any]


class TracedInt(Hashed):
    """A Python integer with a symbolic value; where Python needs the number, a guard is kept."""

    __slots__ = ("dim",)

    fallback: Fallback
    """``fallback(symbol, left, right)`` does what has no exact form on sizes (``n / 2``);
    the tracer module sets it."""
    compare: Fallback
    """``compare(relation, left, right)`` is a traced truth value; set from there, too."""
    repeat: Callable[[Any, TracedInt], Any]
    """``repeat(list, count)`` is a list so often one after the other, or ``NotImplemented``."""

    def __init__(self, dim: Dim) -> None:
        self.dim = dim

    ask_first: ClassVar[Callable[..., None]]
    """``ask_first(condition, error)`` raises an error that a ``try`` may handle; set from
    `failing`."""
    known: ClassVar[Callable[..., int]]
    """The present number, which the emitted code checks; set from `value_guards`."""

    traced: ClassVar[Callable[..., Any]]
    """``traced(value)`` is a traced number; set from `dispatch`."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """NumPy's scalars on the left ask this; else they would make Python's numbers of
        themselves.
        """
        return self.traced(self).__array_ufunc__(ufunc, method, *inputs, **kwargs)

    def __index__(self) -> int:
        return self.known(self) if dims.is_unbacked(self.dim) else dims.concrete(self.dim)

    __int__ = __index__

    def __bool__(self) -> bool:
        if dims.is_unbacked(self.dim):
            return self.known(self) != 0
        return dims.decide("!=", self.dim, 0)

    def __hash__(self) -> int:
        self.hashed = int(self)
        return hash(self.hashed)

    def __repr__(self) -> str:
        return repr(int(self))  # a text may be the key of a dict: it says the number

    def __format__(self, spec: str) -> str:
        return format(int(self), spec)

    def __add__(self, other: Any) -> Any:
        return _arithmetic("+", self, other)

    def __radd__(self, other: Any) -> Any:
        return _arithmetic("+", other, self)

    def __sub__(self, other: Any) -> Any:
        return _arithmetic("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _arithmetic("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return self._times(other, _arithmetic("*", self, other))

    def __rmul__(self, other: Any) -> Any:
        return self._times(other, _arithmetic("*", other, self))

    def _times(self, other: Any, product: Any) -> Any:
        return TracedInt.repeat(other, self) if type(other) is list else product

    def __floordiv__(self, other: Any) -> Any:
        return _arithmetic("//", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _arithmetic("//", other, self)

    def __mod__(self, other: Any) -> Any:
        return _arithmetic("%", self, other)

    def __rmod__(self, other: Any) -> Any:
        return _arithmetic("%", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _other_arithmetic("/", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _other_arithmetic("/", other, self)

    def __pow__(self, other: Any) -> Any:
        if isinstance(other, TracedInt) and not dims.is_unbacked(other.dim):
            other = int(other)
        if isinstance(other, int) and 0 <= other <= 8:
            power: Size = 1
            for _ in range(other):
                power = power * self.dim
            return wrap_size(power)
        return _other_arithmetic("**", self, other)

    def __rpow__(self, other: Any) -> Any:
        if isinstance(other, int) and not dims.is_unbacked(self.dim):
            return other ** int(self)
        return _other_arithmetic("**", other, self)

    def __and__(self, other: Any) -> Any:
        return _bitwise("&", self, other)

    def __or__(self, other: Any) -> Any:
        return _bitwise("|", self, other)

    def __xor__(self, other: Any) -> Any:
        return _bitwise("^", self, other)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__  # the order does not matter

    def __lshift__(self, other: Any) -> Any:
        return _bitwise("<<", self, other)

    def __rlshift__(self, other: Any) -> Any:
        if isinstance(other, int) and not dims.is_unbacked(self.dim):
            return other << int(self)
        return _bitwise("<<", other, self)

    def __rshift__(self, other: Any) -> Any:
        return _bitwise(">>", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return _bitwise(">>", other, self)

    def __invert__(self) -> Any:
        return wrap_size(-self.dim - 1)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __neg__(self) -> Any:
        return wrap_size(-self.dim)

    def __pos__(self) -> TracedInt:
        return self

    def __abs__(self) -> Any:
        if dims.is_unbacked(self.dim):
            return wrap_size(dims.compound("max", self.dim, -self.dim))
        return self if dims.decide(">=", self.dim, 0) else -self

    def __lt__(self, other: Any) -> Any:
        return self._decide("<", other)

    def __le__(self, other: Any) -> Any:
        return self._decide("<=", other)

    def __gt__(self, other: Any) -> Any:
        return self._decide(">", other)

    def __ge__(self, other: Any) -> Any:
        return self._decide(">=", other)

    def __eq__(self, other: object) -> Any:
        return self._decide("==", other)

    def __ne__(self, other: object) -> Any:
        return self._decide("!=", other)

    def _decide(self, relation: str, other: Any) -> Any:
        size = as_size(other)
        if size is not None and not dims.is_unbacked(self.dim - size):
            return dims.decide(relation, self.dim, size)
        if size is not None and dims.changes(self.dim - size):
            settled = dims.settled(relation, self.dim, size)
            if settled is not None:
                return settled
        if size is not None or (isinstance(other, float) and dims.is_unbacked(self.dim)):
            return TracedInt.compare(relation, self, other)
        if isinstance(other, float):
            return self._decide_by_float(relation, other)
        if isinstance(other, EXACT_NUMBERS):
            return self._decide(relation, comparable(relation, other, whole=True))
        if isinstance(other, complex) and relation in ("==", "!="):
            return relation == "!=" if other.imag else self._decide(relation, float(other.real))
        return NotImplemented

    def _decide_by_float(self, relation: str, other: float) -> bool:
        """``n > 2.5`` as ``n > 2``: no more is known of ``n`` than that."""
        if not math.isfinite(other):
            return dims.RELATIONS[relation](0, other)  # type: ignore[arg-type]
        if relation in ("==", "!=") and not other.is_integer():
            return relation == "!="
        rounded = math.ceil if relation in ("<", ">=") else math.floor
        return dims.decide(relation, self.dim, rounded(other))


_EXACT: dict[str, Callable[[Any, Any], Size]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}


def _arithmetic(symbol: str, left: Any, right: Any) -> Any:
    a, b = as_size(left), as_size(right)
    if a is not None and b is not None:
        if symbol in ("//", "%"):
            return wrap_size(_short(divided(symbol, a, b)))
        return wrap_size(_short(_EXACT[symbol](a, b)))
    return _other_arithmetic(symbol, left, right)


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    **_EXACT,
    "/": operator.truediv,
    "**": operator.pow,
}


def _other_arithmetic(symbol: str, left: Any, right: Any) -> Any:
    """The same beside a number that is no integer."""
    kinds = [type(value) for value in (left, right) if as_size(value) is None]
    if any(issubclass(kind, EXACT_NUMBERS) for kind in kinds):
        numbers = (int(v) if isinstance(v, TracedInt) else v for v in (left, right))
        return _OPERATORS[symbol](*numbers)
    if all(issubclass(kind, (float, complex)) for kind in kinds):
        return TracedInt.fallback(symbol, left, right)
    return NotImplemented


MOST_ATOMS = 24
"""Sizes of more atoms than this are given a symbol, if only running tells what they are."""
MOST_ATOMS_OF_ARGUMENTS = 96
"""The same of sizes that the arguments define. Guards may decide about these, and about equal
shapes, but not about symbols: no shape that anybody writes is so long.
"""


def _short(size: Size) -> Size:
    """``size``, or a symbol for it: where each number is a sum of products of those before it, in
    a recurrence, their polynomials would grow exponentially.
    """
    if isinstance(size, int):
        return size
    most = MOST_ATOMS if dims.is_unbacked(size) else MOST_ATOMS_OF_ARGUMENTS
    return as_whole(size_node(value=size)) if dims.is_long(size, most) else size


def divided(symbol: str, left: Size, right: Size) -> Size:
    """``left // right`` or ``left % right``; where the divisor is 0 Python raises an error.

    One that arguments define leaves a guard; by one that the data decide the emitted code
    divides, whether or not anything reads the result.
    """
    what = "division or modulo" if symbol == "//" else "modulo"
    error = ZeroDivisionError(f"integer {what} by zero")
    if dims.is_unbacked(right):
        made = dims.compound(symbol, left, right)
        if not dims.settled("!=", right, 0):
            TracedInt.ask_first(lambda: wrap_size(right) == 0, lambda: error)
            current_builder().note_error(size_node(value=made))
        return made
    if isinstance(right, Dim):
        TracedInt.ask_first(lambda: not dims.decide("!=", right, 0), lambda: error)
    if not dims.decide("!=", right, 0):
        raise error
    return _EXACT[symbol](left, right)


def _bitwise(symbol: str, left: Any, right: Any) -> Any:
    a, b = as_size(left), as_size(right)
    if a is None or b is None:
        return NotImplemented
    if symbol == "&" and isinstance(a, int):
        a, b = b, a
    exact = _by_power_of_two(symbol, a, b) if isinstance(b, int) else None
    return TracedInt.fallback(symbol, left, right) if exact is None else wrap_size(exact)


def _by_power_of_two(symbol: str, size: Size, number: int) -> Size | None:
    """What shifts and the last bits are in terms of other arithmetic."""
    if symbol == "<<":
        return size * (1 << number)
    if symbol == ">>":
        return size // (1 << number)
    all_ones = number > 0 and not number & (number + 1)
    return size % (number + 1) if symbol == "&" and all_ones else None


def wrap_size(size: Size) -> Any:
    """A size as user code sees it: an ``int`` where it is known for good."""
    return TracedInt(size) if isinstance(size, Dim) else size


def as_size(value: Any) -> Size | None:
    """The size that a value stands for, or None."""
    if isinstance(value, TracedInt):
        return value.dim
    if isinstance(value, int):
        return int(value)
    return None
