"""Traced arrays: what stands for an array or float while the user's function runs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, ClassVar, NoReturn

import numpy as np

from gradsmith.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ConcretizationError,
    ShapeError,
    Span,
    UnsupportedError,
)
from gradsmith.frontend.frozen import WRITTEN, separate
from gradsmith.frontend.hashed import Hashed
from gradsmith.frontend.messages import (
    KEEP,
    TRACED,
    no_attribute,
    no_text,
    shown,
)
from gradsmith.frontend.methods import Method
from gradsmith.frontend.number_class import check_no_array, is_truth_class
from gradsmith.frontend.numpy_errors import numpys_error, with_own
from gradsmith.frontend.spans import current_span as here
from gradsmith.frontend.stand_ins import ArrayLike, stands_for
from gradsmith.frontend.storage import View
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import wrap_size
from gradsmith.frontend.unsettled import UNKNOWN, Refusing
from gradsmith.frontend.warned import warn_left
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import builder_at_work, current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType, DType, describe_shape
from gradsmith.ops import index
from gradsmith.ops.raising import error_of
from gradsmith.ops.shape import as_array, astype


class Tracer(Hashed):
    """An array, NumPy scalar or Python float of the traced function.

    It is a view of a storage: two tracers may share memory, as two arrays do.
    """

    __slots__ = ("_cached", "returned", "view")
    __array_priority__ = 1000.0

    apply: ClassVar[Callable[..., Any]]
    """``apply(numpy_callable, *args)`` and ``run(implementation, *args)``: the dispatcher, which
    knows tracers and so is set from there."""
    run: ClassVar[Callable[..., Any]]
    each: ClassVar[Callable[..., Any]]
    """``each(values)`` goes through the elements of a list or tuple that a loop has made; set from
    `trips`."""
    known: ClassVar[Callable[..., Any]]
    key: ClassVar[Callable[..., Any]]
    """``known(value)`` and ``decide(condition)``: the present value, which the emitted code
    checks; set from `value_guards`."""
    decide: ClassVar[Callable[..., bool]]
    check_held: ClassVar[Callable[..., None]]
    """``check_held(values, dtype)`` raises NumPy's error where an array of the dtype has no room
    for a number of a list; set from `held_integers`."""
    check_lookup: ClassVar[Callable[..., None]]
    """``check_lookup(array, key)`` specialises on whether a ``try`` is to handle an IndexError;
    set from `lookups`."""
    asking: ClassVar[Callable[..., AbstractContextManager[None]]]
    """``asking(function, args, kwargs)``: what is computed inside belongs to this call of the
    user's; set from `shape_errors`."""
    check_write: ClassVar[Callable[..., None]]
    """``check_write(array, read_only)`` specialises on whether an array that a call has returned
    can be written to; set from `borrowed_writes`."""
    settled: ClassVar[Callable[..., Any]]
    """The value as a complex number, where it is a power of Python's that is one in this call."""
    of_exact_type: ClassVar[Callable[..., Any]]
    """The value of the type that it has in the present call; set from `number_class`, as are
    ``raises_by_class(function, args)`` and ``of_exact_dtype(result, args, kwargs)``: arguments
    whose class decides whether Python raises an error, or the dtype of an array; and
    ``of_exact_classes(function, args, kwargs)``, arguments of the types that they have in the
    present call, None where these are known."""
    raises_by_class: ClassVar[Callable[..., Any]]
    of_exact_classes: ClassVar[Callable[..., Any]]
    of_exact_dtype: ClassVar[Callable[..., Any]]
    of_one_meaning: ClassVar[Callable[..., Any]]
    """The value, of its exact type where the classes that it may have mean several things."""

    def __init__(self, view: View) -> None:
        self.view = view
        self._cached: tuple[tuple[int, Builder | None], Node] | None = None
        self.returned = False
        """Whether a function has given it back, where NumPy may have made an object of its own."""

    @property
    def node(self) -> Node:
        """The value that it shows now."""
        if self.view.storage.stale:
            self._check_sharing()
            self._doubt(", which was written to since", "reshape it again after the write")
        return self.latest

    @property
    def latest(self) -> Node:
        """The same, also where a write may or may not have changed it: right in its type."""
        builder = builder_at_work()
        state = (self.view.storage.version, builder)
        if self._cached is None or self._cached[0] != state:
            self.view.storage.read = True
            node = self.view.read()
            self._cached = (state, node if builder is None else builder.inner(node))
        return self._cached[1]

    @property
    def type(self) -> ArrayType:
        """Its type; writing never changes it."""
        return self.latest.array_type

    def _check_sharing(self) -> None:
        if self.view.storage.shared:
            raise UnsupportedError(
                f"{shown(self)} shares memory with another argument of this call, which the "
                "function has written to",
                here(),
                "pass a copy of one of them (x.copy()), or copy it in the function before the "
                "write",
            )

    def _doubt(self, what: str, hint: str) -> NoReturn:
        if self.view.storage.sites:
            separate(self.view.storage.sites, WRITTEN, hint)
        message = (
            f"{shown(self)} may or may not share memory with an array that it was made from"
            f"{what}: the layout in memory decides, or the way that a branch takes"
        )
        hint = f"{hint}, or make a copy first"
        cause = self.view.storage.cause
        if cause is not UNKNOWN:
            raise cause.error(message, hint)
        raise UnsupportedError(message, here(), hint)

    # -- attributes of arrays

    @property
    def shape(self) -> tuple[Any, ...]:
        """Sizes: integers, symbolic where they may differ in the next call."""
        return tuple(wrap_size(s) for s in self.type.shape)

    @shape.setter
    def shape(self, shape: Any) -> None:
        made: Tracer = self.apply(np.reshape, self, shape)
        if made.view.storage is not self.view.storage or not self._has_shape_of_its_own():
            raise UnsupportedError(
                f"the shape of {shown(self)} is assigned, which may be that of another variable, "
                "too",
                here(),
                "write x = x.reshape(...)",
            )
        self.view, self._cached = made.view, None

    def _has_shape_of_its_own(self) -> bool:
        """Whether it is for sure one object of the function's, which nothing else stands for: an
        array that this part of the function has made.
        """
        storage, builder = self.view.storage, builder_at_work()
        argument = storage.outside or storage.name is not None
        if argument or self.returned or builder is None or storage.shared:
            return False
        made_here = builder.parent is None or any(node is storage.node for node in builder.nodes)
        joined = storage.node.op.name in ("item", "parameter") and not storage.version
        return made_here and not joined and (builder.parent is None or not storage.version)

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.type.ndim

    @property
    def size(self) -> Any:
        """Number of elements."""
        return wrap_size(self.type.size)

    @property
    def dtype(self) -> DType:
        """The dtype."""
        return self.type.dtype

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> Any:
        """Bytes of all elements."""
        return self.size * self.itemsize

    @property
    def T(self) -> Any:  # noqa: N802  NumPy's name
        """The transpose."""
        return self.apply(np.transpose, self)

    @property
    def mT(self) -> Any:  # noqa: N802  NumPy's name
        """The transpose of the last two axes."""
        if self.ndim < 2:
            misfit = ArgumentValueError(_NO_MATRIX, here(), "use x.T, or np.atleast_2d(x)")
            misfit.own = ValueError(_NO_MATRIX)
            raise misfit
        return self.apply(np.swapaxes, self, -1, -2)

    @property
    def real(self) -> Any:
        """The real part."""
        return self.apply(np.real, self.settled(self))

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        return self.apply(np.imag, self.settled(self))

    @imag.setter
    def imag(self, value: Any) -> None:
        if self.type.form == "array" and not self.type.complex:
            text = "array does not have imaginary part to set"
            misfit = ArgumentTypeError(
                f"{shown(self)} does not have an imaginary part to set",
                here(),
                "make it complex: x.astype(complex)",
            )
            misfit.own = TypeError(text)
            raise misfit
        self.imag[...] = value

    @property
    def flat(self) -> Flat:
        """Its elements in C order, as NumPy's iterator has them."""
        return Flat(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        Flat(self)[:] = value

    def __getattr__(self, name: str) -> Any:
        function = METHODS.get(name)
        if function is not None:
            return Method(self, function)
        if name.startswith("__"):
            raise AttributeError(name)
        raise no_attribute(self, name)

    # -- Python's protocols

    def __repr__(self) -> str:
        return f"{TRACED}{self.type!r}>"

    def __str__(self) -> str:
        raise no_text(self)

    def __format__(self, spec: str) -> str:
        raise no_text(self)

    def __hash__(self) -> int:
        if self.type.form == "array":
            misfit = ArgumentTypeError(
                f"{shown(self)} has no hash: it cannot be in a set or the key of a dict",
                here(),
                "use a number as the key",
            )
            raise with_own(misfit, hash, self.node)
        self.hashed = self.key(self)
        return hash(self.hashed)

    def __copy__(self) -> Any:
        return self.apply(np.copy, self) if self.type.form == "array" else self

    def __deepcopy__(self, memo: Any) -> Any:
        return self.__copy__()

    def __divmod__(self, other: Any) -> tuple[Any, Any]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Any, Any]:
        return other // self, other % self

    def __len__(self) -> int:
        if not self.ndim:
            misfit = ArgumentTypeError(
                f"len() of {shown(self)}", here(), "only arrays with axes have a length"
            )
            raise with_own(misfit, len, self.node)
        return int(wrap_size(self.type.shape[0]))

    def __iter__(self) -> Iterator[Any]:
        self.check_iterable(iter)
        return (self[i] for i in range(len(self)))

    def check_iterable(self, how: Callable[[Any], Any]) -> None:
        """Refuse a number where Python iterates, as ``how`` does."""
        if not self.ndim:
            misfit = ArgumentTypeError(
                f"iteration over {shown(self)}",
                here(),
                "only arrays with axes can be iterated over",
            )
            raise with_own(misfit, how, self.node)

    def __contains__(self, value: Any) -> bool:
        if not self.ndim:
            misfit = ArgumentTypeError(
                f"{shown(self)} is not iterable", here(), "compare with ==, which stays traced"
            )
            raise with_own(misfit, operator.contains, self.node, 0)
        return self.decide(self.apply(np.any, self == value))

    def __bool__(self) -> bool:
        return self.decide(self)

    def _lost(self, what: str, hint: str = KEEP) -> NoReturn:
        raise ConcretizationError(
            f"{what} would turn {shown(self)} into plain numbers and lose the gradient",
            here(),
            hint,
        )

    def __float__(self) -> float:
        self._lost("float()")

    def __int__(self) -> int:
        self._lost("int()", "use .astype(int), whose result stays traced")

    def __complex__(self) -> complex:
        self._lost("complex()")

    def __index__(self) -> int:
        exact = self if self.ndim else self.of_exact_type(self)
        if not exact.is_index():
            misfit = ArgumentTypeError(
                f"{shown(self)} cannot be interpreted as an integer",
                here(),
                "convert it with int(x), which has no derivative",
            )
            raise with_own(misfit, operator.index, exact.node)
        return int(self.known(exact))

    def is_index(self) -> bool:
        """Whether it has ``__index__``, as integers and Python's truth values have."""
        kinds = "iub" if self.type.weak else "iu"
        return not self.ndim and self.dtype.kind in kinds

    def __array__(self, *args: Any, **kwargs: Any) -> NoReturn:
        self._lost("code that gradsmith does not trace", "call it outside the function")

    # -- NumPy's protocols

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method == "__call__":
            return self.apply(ufunc, *inputs, **kwargs)
        from_method = UFUNC_METHODS.get((ufunc, method))
        if from_method is None:
            raise UnsupportedError(
                f"np.{ufunc.__name__}.{method} is not supported on traced values",
                here(),
                "write it with supported NumPy functions, or compute it outside the function",
            )
        return from_method(*inputs, **kwargs)

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any
    ) -> Any:
        return self.apply(func, *args, **kwargs)

    # -- indexing

    def __getitem__(self, key: Any) -> Any:
        if self.type.weak:
            misfit = ArgumentTypeError(
                f"{shown(self)} is not subscriptable", here(), "only arrays have elements"
            )
            raise with_own(misfit, operator.getitem, self.node, 0)
        self.check_lookup(self, key)
        return self.run(index.read, self, as_key(key))

    def __setitem__(self, key: Any, value: Any) -> None:
        self.check_lookup(self, key)
        self.check_held(value, self.dtype)
        self.assign(self.run(index.write, self, as_key(key), value))

    def __delitem__(self, key: Any) -> NoReturn:
        raise ArgumentValueError(
            f"the elements of {shown(self)} cannot be deleted",
            here(),
            "make a new array with np.delete or a slice",
        )

    def assign(self, value: Tracer, read_only: str = "assignment destination") -> None:
        """Replace everything it shows by ``value``, of the same type.

        ``read_only`` is what NumPy calls it where it cannot be written to.
        """
        if self.type.form != "array":
            check_no_array(self.node)
            misfit = ArgumentTypeError(
                f"{shown(self)} does not support assignment",
                here(),
                "only arrays can be written to: make one with np.array",
            )
            raise with_own(misfit, operator.setitem, self.node, 0, 0.0)
        if self.view.storage.base is not None:
            self._doubt("", "write to that array")
        self.check_write(self, read_only)
        if self.view.storage.outside:
            warn_left(f"the write to {shown(self)} from outside the function")
        try:
            self.view.write(as_array(value.node))
        except ArgumentValueError as error:
            self._refuse_write(error, f"{read_only} is read-only")
        storage = self.view.storage
        if storage.label is not None:
            current_builder().name(storage.node, storage.label)

    def _refuse_write(self, error: ArgumentValueError, text: str) -> NoReturn:
        """The error of a write through a view that NumPy makes read-only, or only gradsmith."""
        trace = current_trace()
        if trace is not None and not trace.writable.isdisjoint(self.view.path):
            raise UnsupportedError(
                f"{shown(self)} is written to, which is a view that shows elements in another way "
                "than slices do",
                here(),
                "write to the array itself",
            ) from None
        refusal = ArgumentValueError(text, here(), error.hint)
        refusal.own = ValueError(text)
        raise refusal from None

    def update(self, ufunc: np.ufunc, other: Any) -> Tracer:
        """``self <operator>= other``: in place for arrays, a new value for scalars."""
        with self.asking(ufunc, (self, other), {"out": self}):
            result: Tracer = self.apply(ufunc, self, other)
        if self.type.form != "array":
            check_no_array(self.node)
            return result
        if result.type.shape != self.type.shape and not _same_shape(result, self):
            shape = describe_shape(result.type.shape)
            misfit = ShapeError(
                f"the result of np.{ufunc.__name__}, of shape {shape}, does not fit into "
                f"{shown(self)} in place",
                here(),
                "write x = x + y, which makes a new array",
            )
            given = [value.node if isinstance(value, Tracer) else value for value in (self, other)]
            misfit.own = numpys_error(misfit, ufunc, given, {"out": self.node})
            raise misfit
        if not np.can_cast(result.dtype, self.dtype, "same_kind"):
            uncast = ArgumentTypeError(
                f"the result of np.{ufunc.__name__} is {result.dtype}: it cannot be cast into "
                f"{shown(self)} in place",
                here(),
                "write x = x + y, or convert x first",
            )
            given = [value.node if isinstance(value, Tracer) else value for value in (self, other)]
            uncast.own = numpys_error(uncast, ufunc, given, {"out": self.node})
            raise uncast
        self.assign(self.run(astype, result, dtype=self.dtype), "output array")
        return self


_NO_MATRIX = str(error_of(lambda: np.zeros(1).mT))


@stands_for("flatiter")
class Flat(ArrayLike):
    """``x.flat``: the elements of an array in C order, read and written by one index."""

    __slots__ = ("_consumed", "base", "position")
    __gradsmith__ = True
    check_once: ClassVar[Callable[[str, str], None]]
    """Refuses what a branch or loop would have to undo."""

    def __init__(self, base: Tracer) -> None:
        self.base = base
        self.position = 0
        self._consumed: Span | None = None  # where all that was left has been taken

    @property
    def index(self) -> int:
        """How many elements ``next`` has taken."""
        self._check_known()
        return self.position

    @property
    def coords(self) -> tuple[Any, ...]:
        """The index of the next element."""
        rest, found = self.index, []
        for size in self.base.shape[:0:-1]:
            rest, place = divmod(rest, size)
            found.append(place)
        return (rest, *reversed(found)) if self.base.ndim else ()

    def _check_known(self) -> None:
        if self._consumed is not None:
            raise UnsupportedError(
                "what a loop has left of x.flat is asked for",
                here(),
                "write x.flat again, or use x.ravel()",
            )

    def as_array(self) -> Tracer:
        """A copy of the elements."""
        copied: Tracer = self.base.apply(np.copy, self._elements())
        return copied

    def _elements(self) -> Tracer:
        flat: Tracer = self.base.apply(np.reshape, self.base, -1)
        return flat

    def __len__(self) -> int:
        return int(self.base.size)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.remaining())

    def remaining(self) -> Tracer:
        """The elements that nothing has taken."""
        if self.position:
            raise UnsupportedError(
                "what next() leaves of x.flat is iterated over",
                here(),
                "iterate over x.ravel()[k:]",
            )
        if self._consumed != here():  # the same loop may ask twice
            self._check_known()
        self._consumed = here()
        return self.as_array()

    def __next__(self) -> Any:
        self._check_known()
        if self.position >= len(self):
            raise StopIteration
        taken = self.position
        Flat.check_once("a traced value decides how often next(x.flat) is called", "x.ravel()[k]")
        found = self[taken]
        self.position = taken + 1
        return found

    def __getitem__(self, key: Any) -> Any:
        self.position, self._consumed = 0, None
        return self.element(key)

    def element(self, key: Any) -> Any:
        """The same, which does not begin anew: what a loop takes."""
        found = self._elements()[key]
        return found.copy() if found.ndim else found

    def __setitem__(self, key: Any, value: Any) -> None:
        part = self._elements()[key]
        given = value = value.as_array() if isinstance(value, ArrayLike) else value
        single = isinstance(value, (Tracer, np.ndarray)) and not value.ndim
        if isinstance(value, (list, tuple, Tracer, np.ndarray)) and not single:
            given = self._fitted(self.base.apply(np.ravel, value), part)
        base, index_set = self.base, self.base.run(index.write, self._elements(), key, given)
        base.assign(base.apply(np.reshape, index_set, base.shape))

    def _fitted(self, given: Any, part: Tracer) -> Any:
        """The values for a part: NumPy leaves out those that are too many, and repeats too few."""
        if not part.ndim:
            error = ArgumentValueError("Error setting single item of array.", here(), "write x[0]")
            error.own = ValueError(error.message)
            raise error
        if dims.is_unbacked(given.type.size - part.type.size):
            raise UnsupportedError(
                "the data decide how many values are written to elements of .flat of "
                f"{shown(self.base)}",
                here(),
                "write to x.ravel()[...], or as many values as there are elements",
            )
        if dims.same(given.type.size, 1):
            return given[0]
        if not dims.same(given.type.size, part.type.size):
            raise UnsupportedError(
                f"{given.size} values are written to {part.size} elements of .flat of "
                f"{shown(self.base)}",
                here(),
                "give it as many values as there are elements, or one",
            )
        return self.base.apply(np.reshape, given, part.shape)

    def copy(self) -> Tracer:
        """``x.flat.copy()``."""
        return self.as_array()


def as_key(key: Any) -> Any:
    """A key in brackets, ranges in it as arrays of integers."""
    if isinstance(key, ArrayLike):
        return key.as_index()
    if type(key) is range:
        return np.arange(key.start, key.stop, key.step)
    if type(key) in (list, tuple):
        made = [part for part in key if isinstance(part, Refusing) and hasattr(part, "as_indices")]
        if made and type(key) is list:
            return made[0].as_indices(key)
        key = type(key)(Tracer.each(key)) if made else key  # one for each axis
    if isinstance(key, Tracer) and not key.ndim:
        part = Tracer.of_one_meaning(key, is_truth_class)
        return Tracer.decide(part) if part.dtype.kind == "b" else part
    return tuple(map(as_key, key)) if type(key) is tuple else key


def _same_shape(left: Tracer, right: Tracer) -> bool:
    return left.ndim == right.ndim and all(
        a == b for a, b in zip(left.shape, right.shape, strict=True)
    )


METHODS: dict[str, Callable[..., Any]] = {}
UFUNC_METHODS: dict[tuple[np.ufunc, str], Callable[..., Any]] = {}
