"""Python's operators and NumPy's methods on tracers, from one table each."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from gradsmith.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    GradsmithError,
    InternalError,
    UnsupportedError,
)
from gradsmith.frontend.dispatch import COMPARISONS, apply, run, run_as, traced
from gradsmith.frontend.exact_numbers import EXACT_NUMBERS, comparable
from gradsmith.frontend.failing import raise_if
from gradsmith.frontend.failures import name_of
from gradsmith.frontend.hashed import is_nan
from gradsmith.frontend.messages import shown
from gradsmith.frontend.number_class import is_truth_class
from gradsmith.frontend.numpy_errors import with_own
from gradsmith.frontend.shape_errors import asking
from gradsmith.frontend.spans import current_span as here
from gradsmith.frontend.stand_ins import ArrayLike
from gradsmith.frontend.storage import ALWAYS
from gradsmith.frontend.text import Text
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import METHODS, UFUNC_METHODS, Tracer
from gradsmith.frontend.unsettled import Refusing
from gradsmith.ir.types import DType
from gradsmith.ops.arguments import as_dtype
from gradsmith.ops.scalars import as_complex, python_bool, whole_of
from gradsmith.ops.shape import astype as astype_op
from gradsmith.ops.writers import WRITERS

BINARY: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "pow": np.power,
    "matmul": np.matmul,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "lshift": np.left_shift,
    "rshift": np.right_shift,
}
COMPARE: dict[str, np.ufunc] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}
UNARY: dict[str, np.ufunc] = {
    "neg": np.negative,
    "pos": np.positive,
    "abs": np.absolute,
    "invert": np.invert,
}
SAME_NAME = [
    "sum",
    "mean",
    "prod",
    "max",
    "min",
    "var",
    "std",
    "argmax",
    "argmin",
    "any",
    "all",
    "cumsum",
    "cumprod",
    "dot",
    "reshape",
    "ravel",
    "squeeze",
    "transpose",
    "swapaxes",
    "repeat",
    "take",
    "round",
    "trace",
    "diagonal",
    "nonzero",
    "searchsorted",
    "argsort",
    "choose",
]
"""Array methods that are the NumPy function of the same name."""

_OPERANDS = (Tracer, TracedInt, bool, int, float, complex, np.ndarray, np.generic)
_SEQUENCES = (list, tuple, range, ArrayLike)


def _operand(self: Tracer, other: Any, ufunc: np.ufunc) -> Any:
    """``other`` as an operand; NumPy's arrays take sequences, Python's numbers do not.

    NumPy's scalars do, but for ``*``, which repeats sequences.
    """
    if isinstance(other, _OPERANDS):
        return other
    if isinstance(other, Refusing):
        other.refuse()
    repeats = ufunc is np.multiply and self.type.form != "array"
    if isinstance(other, _SEQUENCES) and self.type.form != "array":
        self = Tracer.of_exact_type(self)  # the path taken may decide whose number it is
    if isinstance(other, _SEQUENCES) and not self.type.weak and not repeats:
        return other if isinstance(other, ArrayLike) else list(other)
    if isinstance(other, Fraction) and self.type.weak and self.dtype.kind in "fc":
        return float(other) if ufunc is not np.power else NotImplemented
    if self.type.weak or _knows_arrays(other) or isinstance(other, _SEQUENCES):
        return NotImplemented
    misfit = ArgumentTypeError(
        f"the other operand of np.{ufunc.__name__} is {other!r:.60}, of type "
        f"{type(other).__name__}",
        here(),
        "convert it to a number or an array",
    )
    raise with_own(misfit, ufunc, self.node, other)


def _knows_arrays(value: Any) -> bool:
    """Whether NumPy leaves the operation to the other operand: its class says that it can."""
    if hasattr(type(value), "__array_ufunc__"):
        return type(value).__array_ufunc__ is None
    return bool(getattr(value, "__array_priority__", 0.0) > 0)


def _binary(ufunc: np.ufunc, *, swap: bool) -> Callable[[Tracer, Any], Any]:
    def operator(self: Tracer, other: Any) -> Any:
        operand = _operand(self, other, ufunc)
        if operand is NotImplemented:
            return operand
        return apply(ufunc, operand, self) if swap else apply(ufunc, self, operand)

    return operator


def _comparison(ufunc: np.ufunc) -> Callable[[Tracer, Any], Any]:
    """``<`` and the like, which know exact numbers, too."""
    compare = _binary(ufunc, swap=False)
    relation = next(key for key, value in COMPARISONS.items() if value is ufunc)

    def operator(self: Tracer, other: Any) -> Any:
        if not isinstance(other, EXACT_NUMBERS):
            return compare(self, other)
        return _compared_exactly(compare, relation, self, other)

    return operator


def _compared_exactly(
    compare: Callable[[Tracer, Any], Any], relation: str, value: Tracer, exact: Fraction | Decimal
) -> Any:
    """``value < exact``, by a number of the kind of ``value`` that orders its values alike."""
    if value.type.form != "array":
        value = Tracer.of_exact_type(value)
    whole = value.dtype.kind in "biu"
    if value.type.form == "scalar" and whole:
        return _binary(COMPARISONS[relation], swap=False)(value, exact)  # refused
    if isinstance(exact, Decimal) and relation not in ("==", "!=") and not whole:
        raise_if(apply(np.any, apply(np.isnan, value)), lambda: _without_order(exact))
    number = comparable(relation, exact, whole=whole)
    if isinstance(number, float) and not value.type.weak:
        number = np.float64(number)  # not rounded to the float32 that it is compared with
    given = compare(value, number)
    return run(python_bool, given) if value.type.form == "scalar" else given


def _without_order(exact: Decimal) -> ArithmeticError:
    """Python's error of a decimal number that is compared with NaN."""
    try:
        operator.lt(exact, math.nan)
    except ArithmeticError as error:
        return error
    raise InternalError("decimal numbers are in no order with NaN")


def _equality(ufunc: np.ufunc, *, unlike: Callable[..., Any]) -> Callable[[Tracer, Any], Any]:
    """``==`` and ``!=``, which arrays know with None, strings and the like, too."""
    compare = _comparison(ufunc)

    def operator(self: Tracer, other: Any) -> Any:
        if isinstance(other, (str, bytes, Text)):
            return _beside_text(self, unlike)
        key = getattr(self, "hashed", None)
        if is_nan(key) and key is getattr(other, "hashed", other):  # C code looks it up
            return ufunc is np.equal
        theirs: Any = type(other).__eq__
        number = isinstance(other, _OPERANDS + _SEQUENCES + EXACT_NUMBERS)
        plain = theirs is object.__eq__ or type(other).__module__ == "builtins"
        if number or not plain or self.type.weak:
            return compare(self, other)
        if self.type.form != "array":
            return NotImplemented
        return apply(unlike, self, dtype=bool) if self.ndim else np.bool_(unlike is np.ones_like)

    return operator


def _beside_text(value: Tracer, unlike: Callable[..., Any]) -> Any:
    """What a comparison with a string gives: Python's numbers leave it to the string."""
    if value.ndim:
        return apply(unlike, value, dtype=bool)
    weak = value.type.form != "array" and Tracer.of_exact_type(value).type.weak
    return NotImplemented if weak else np.bool_(unlike is np.ones_like)


def _inplace(ufunc: np.ufunc) -> Callable[[Tracer, Any], Any]:
    def operator(self: Tracer, other: Any) -> Any:
        operand = _operand(self, other, ufunc)
        return operand if operand is NotImplemented else self.update(ufunc, operand)

    return operator


def _unary(ufunc: np.ufunc) -> Callable[[Tracer], Any]:
    return lambda self: apply(ufunc, self)


for _name, _ufunc in BINARY.items():
    setattr(Tracer, f"__{_name}__", _binary(_ufunc, swap=False))
    setattr(Tracer, f"__r{_name}__", _binary(_ufunc, swap=True))
    setattr(Tracer, f"__i{_name}__", _inplace(_ufunc))
for _name, _ufunc in COMPARE.items():
    setattr(Tracer, f"__{_name}__", _comparison(_ufunc))
Tracer.__eq__ = _equality(np.equal, unlike=np.zeros_like)  # type: ignore[assignment, method-assign]
Tracer.__ne__ = _equality(np.not_equal, unlike=np.ones_like)  # type: ignore[assignment, method-assign]
for _name, _ufunc in UNARY.items():
    setattr(Tracer, f"__{_name}__", _unary(_ufunc))


def _inverted(owner: Tracer) -> Any:
    """``~x``: a truth value of Python's is an integer."""
    owner = Tracer.of_one_meaning(owner, lambda cls: cls if is_truth_class(cls) else None)
    if owner.type.weak and owner.dtype.kind == "b":
        return -1 - run(whole_of, owner)
    return apply(np.invert, owner)


Tracer.__invert__ = _inverted  # type: ignore[operator]


# -- methods -------------------------------------------------------------------------------------


def _from_numpy(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda owner, *args, **kwargs: apply(function, owner, *args, **kwargs)


for _name in SAME_NAME:
    METHODS[_name] = _from_numpy(getattr(np, _name))


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    METHODS[function.__name__.strip("_")] = function
    return function


def _known_dtype(dtype: Any) -> DType:
    try:
        return as_dtype(dtype)
    except GradsmithError as error:
        error.span = here()
        raise


@_method
def _conj(owner: Tracer) -> Any:
    """Of real numbers these themselves: the method, unlike np.conj, makes no copy of an array."""
    if owner.type.weak and owner.dtype.kind == "b":
        return run(whole_of, owner)
    made: Tracer = apply(np.conjugate, owner) if owner.type.complex else owner
    return run(as_complex, made) if made.type.complex and owner.type.weak else made


METHODS["conjugate"] = _conj


@_method
def _compress(owner: Tracer, condition: Any, axis: Any = None, out: Any = None) -> Any:
    return apply(np.compress, condition, owner, axis=axis, out=out)


@_method
def _put(owner: Tracer, indices: Any, values: Any, mode: str = "raise") -> None:
    STATEFUL[np.put](owner, indices, values, mode=mode)


@_method
def _sort(owner: Tracer, axis: int = -1, **kwargs: Any) -> None:
    """In place, unlike np.sort."""
    owner.assign(apply(np.sort, owner, axis=axis, **kwargs))


@_method
def _partition(owner: Tracer, kth: Any, axis: int = -1, **kwargs: Any) -> None:
    owner.assign(apply(np.partition, owner, kth, axis=axis, **kwargs))


@_method
def _copy(owner: Tracer, order: str = "C") -> Tracer:
    if owner.type.form != "array":
        return owner
    made: Tracer = apply(np.copy, owner, order=order)
    if order == "C":  # np.copy keeps the order that there is
        made.view.storage.order = ALWAYS
    return made


@_method
def _astype(owner: Tracer, dtype: Any, **kwargs: Any) -> Tracer:
    if isinstance(dtype, Tracer):
        raise ArgumentTypeError(f"{shown(dtype)} is no dtype", here(), "pass its .dtype")
    wanted = _known_dtype(dtype)
    _check_casting(owner, wanted, kwargs.get("casting", "unsafe"))
    if wanted == owner.dtype and not owner.type.weak:
        shared = owner.type.form == "array" and kwargs.get("copy", True)
        unchanged: Tracer = apply(np.copy, owner) if shared else owner
        return unchanged
    made: Tracer = run(astype_op, owner, dtype=wanted)
    return made


def _check_casting(owner: Tracer, wanted: DType, casting: Any) -> None:
    """Refuse what ``x.astype(dtype, casting=...)`` does not cast."""
    if np.can_cast(owner.dtype, wanted, casting):
        return
    misfit = ArgumentTypeError(
        f"cannot cast {shown(owner)} to {wanted} by the rule {casting!r}",
        here(),
        "leave out casting=, or take a wider dtype",
    )
    example = np.zeros((), owner.dtype) if owner.ndim == 0 else np.zeros(0, owner.dtype)
    try:
        (example if owner.type.form == "array" else example[()]).astype(wanted, casting=casting)
    except TypeError as error:
        misfit.own = error
    raise misfit


@_method
def _flatten(owner: Tracer, order: str = "C") -> Tracer:
    made: Tracer = apply(np.copy, apply(np.ravel, owner, order=order))
    return made


@_method
def _reshape(owner: Tracer, *shape: Any, **kwargs: Any) -> Tracer:
    target = shape[0] if len(shape) == 1 else shape
    made: Tracer = apply(np.reshape, owner, target, **kwargs)
    return made


@_method
def _transpose(owner: Tracer, *axes: Any) -> Tracer:
    order = axes[0] if len(axes) == 1 else (axes or None)
    made: Tracer = apply(np.transpose, owner, order)
    return made


@_method
def _clip(
    owner: Tracer, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any
) -> Tracer:
    made: Tracer = apply(np.clip, owner, min, max, out=out, **kwargs)
    return made


@_method
def _fill(owner: Tracer, value: Any) -> None:
    if np.ndim(value):
        raise ArgumentValueError(
            "x.fill() takes one value, not an array", here(), "write x[...] = values"
        )
    owner[...] = value


@_method
def _view(owner: Tracer, *args: Any, **kwargs: Any) -> Tracer:
    if args or kwargs:
        raise UnsupportedError(
            "x.view(dtype) reinterprets memory: it has no gradient", here(), "use x.astype(dtype)"
        )
    made: Tracer = owner[...] if owner.type.form == "array" else owner
    return made


# -- ufunc methods -------------------------------------------------------------------------------


def _writer(function: Callable[..., Any], write: Callable[..., Any]) -> Callable[..., None]:
    """A NumPy function that writes to its first argument (``np.copyto``, ``np.add.at``)."""

    def apply_writer(target: Any, *args: Any, **kwargs: Any) -> None:
        if not isinstance(target, Tracer):
            raise UnsupportedError(
                f"{name_of(function)} would write traced values into an array from outside",
                here(),
                "make the array in the function, or pass it as an argument",
            )
        with asking(function, (target, *args), kwargs):
            target.assign(run_as(function, write, target, *args, **kwargs))

    apply_writer.__qualname__ = name_of(function)
    return apply_writer


STATEFUL: dict[Callable[..., Any], Callable[..., Any]] = {
    function: _writer(function, write) for function, write in WRITERS.items()
}
"""NumPy functions that write to an argument: they take tracers, not nodes."""

UFUNC_METHODS[np.add, "at"] = STATEFUL[np.add.at]
UFUNC_METHODS[np.subtract, "at"] = STATEFUL[np.subtract.at]
for _ufunc, _function in (
    (np.add, np.sum),
    (np.multiply, np.prod),
    (np.maximum, np.max),
    (np.minimum, np.min),
    (np.logical_and, np.all),
    (np.logical_or, np.any),
):

    def _reduce(
        array: Any, axis: Any = 0, *, _function: Callable[..., Any] = _function, **kwargs: Any
    ) -> Any:
        return apply(_function, array, axis=axis, **kwargs)

    UFUNC_METHODS[_ufunc, "reduce"] = _reduce
UFUNC_METHODS[np.add, "accumulate"] = lambda array, axis=0: apply(np.cumsum, array, axis=axis)
UFUNC_METHODS[np.multiply, "outer"] = lambda a, b: apply(
    np.tensordot, traced(a), traced(b), axes=0
)
