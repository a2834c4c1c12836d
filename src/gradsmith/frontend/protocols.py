"""Python's operators and protocols where an operand is an object of the user's.

What Python would call by itself (``__add__``, ``__getitem__``, ``__iter__``, ``__bool__``, ...) is
called by the runtime, which stages it: conditions and loops in it may depend on traced values.
"""

from __future__ import annotations

import array
import enum
import itertools
import operator
import types
import warnings
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, cast
from weakref import WeakKeyDictionary

import numpy as np

from gradsmith.errors import ArgumentTypeError, ControlFlowError, GradsmithError, UnsupportedError
from gradsmith.frontend import container_iterators
from gradsmith.frontend.asked_numbers import asks, given_number, number_of
from gradsmith.frontend.calling import call
from gradsmith.frontend.classes import (
    MISSING,
    class_attribute,
    class_item,
    has_methods,
    is_instance,
    is_own_number,
    special,
)
from gradsmith.frontend.default_items import default_item
from gradsmith.frontend.dispatch import raise_own, run, traced
from gradsmith.frontend.exact_type import (
    may_be_pythons_complex,
    of_class,
    of_exact_type,
    of_one_meaning,
    pythons_integer,
)
from gradsmith.frontend.grown import Grown, is_grown
from gradsmith.frontend.hashed import is_nan
from gradsmith.frontend.journal import note_container, refill
from gradsmith.frontend.number_class import is_index_class
from gradsmith.frontend.numpy_errors import example_of
from gradsmith.frontend.object_identity import (
    are_compared_by_identity,
    check_members,
    is_same_object,
)
from gradsmith.frontend.own_numbers import (
    asked_in_turn,
    beside_own_numbers,
    has_own_operators,
    is_pythons,
)
from gradsmith.frontend.shared_memory import note_container_write
from gradsmith.frontend.spans import current_span, in_users_name
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.text import Text
from gradsmith.frontend.trace import current_trace, handling
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import each
from gradsmith.frontend.unfollowed import check_updated
from gradsmith.frontend.unsettled import Refusing
from gradsmith.ops.scalars import as_float, as_python

_BINARY: dict[str, tuple[str, Callable[..., Any], Callable[..., Any]]] = {
    "Add": ("add", operator.add, operator.iadd),
    "Sub": ("sub", operator.sub, operator.isub),
    "Mult": ("mul", operator.mul, operator.imul),
    "Div": ("truediv", operator.truediv, operator.itruediv),
    "FloorDiv": ("floordiv", operator.floordiv, operator.ifloordiv),
    "Mod": ("mod", operator.mod, operator.imod),
    "Pow": ("pow", operator.pow, operator.ipow),
    "MatMult": ("matmul", operator.matmul, operator.imatmul),
    "LShift": ("lshift", operator.lshift, operator.ilshift),
    "RShift": ("rshift", operator.rshift, operator.irshift),
    "BitAnd": ("and", operator.and_, operator.iand),
    "BitOr": ("or", operator.or_, operator.ior),
    "BitXor": ("xor", operator.xor, operator.ixor),
}
INPLACE = {word: name for word, (name, _, _) in _BINARY.items()}
COMPARING = {"Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge", "Eq": "eq", "NotEq": "ne"}
_COMPARE = {
    "Lt": ("__lt__", "__gt__", operator.lt),
    "LtE": ("__le__", "__ge__", operator.le),
    "Gt": ("__gt__", "__lt__", operator.gt),
    "GtE": ("__ge__", "__le__", operator.ge),
    "Eq": ("__eq__", "__eq__", operator.eq),
    "NotEq": ("__ne__", "__ne__", operator.ne),
}
_UNARY: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "USub": ("__neg__", operator.neg),
    "UAdd": ("__pos__", operator.pos),
    "Invert": ("__invert__", operator.invert),
}


def binary(word: str, left: Any, right: Any, *, in_place: bool = False) -> Any:
    """``left + right``; ``word`` is the name of `ast`'s operator. ``in_place`` it is what
    ``left += right`` means where the left operand has no method for that: the error says so.
    """
    name, plain, updating = _BINARY[word]
    plain = updating if in_place else plain
    left, right = _beside_texts(word, left, right), _beside_texts(word, right, left)
    if not (has_methods(left) or has_methods(right)):
        return handled(plain, left, right)
    if word in ("BitAnd", "BitOr", "BitXor"):
        left, right = _beside_flags(left, right), _beside_flags(right, left)
    return either_side(f"__{name}__", f"__r{name}__", plain, left, right)


def _beside_texts(word: str, value: Any, other: Any) -> Any:
    """A traced integer as the present number beside an array of texts, of which NumPy decides, and
    one of NumPy's beside a text, which it repeats.
    """
    if (
        word == "Mult"
        and isinstance(other, (str, bytes, Text))
        and not has_methods(other)
        and isinstance(value, (Tracer, np.integer))
    ):
        value = of_one_meaning(value, is_index_class)
        number = isinstance(value, np.integer) or value.type.form != "array"
        whole = number and (isinstance(value, np.integer) or value.is_index())
        return operator.index(value) if whole else value
    texts = isinstance(other, np.ndarray) and other.dtype.kind in "USO"
    return TracedInt.known(value) if texts and isinstance(value, TracedInt) else value


def _beside_flags(value: Any, other: Any) -> Any:
    """A traced integer as the present number beside a member of an `enum.IntFlag`, which makes a
    member of both.
    """
    if isinstance(other, enum.IntFlag) and is_pythons(value):
        return pythons_integer(value)
    return value


def handled(plain: Callable[..., Any], left: Any, right: Any) -> Any:
    """``plain(left, right)``; under a ``try`` its errors name the classes of Python's numbers."""
    if plain in _ASKING_MEMBERS:
        check_members(left, right)
    if plain in _OF_ARRAYS and _is_traced_number(left, right) and _is_traced_number(right, left):
        return plain(_named(left), _named(right))
    if plain in _ORDER and (may_be_pythons_complex(left) or may_be_pythons_complex(right)):
        left, right = of_exact_type(left), of_exact_type(right)
        _check_order(plain, left, right)
    return with_pythons_errors(plain, left, right)


@in_users_name
def with_pythons_errors(plain: Callable[..., Any], *operands: Any) -> Any:
    """``plain(*operands)``; errors that a ``try`` may handle are those of untraced operands."""
    trace = current_trace()
    if trace is None or not trace.trying or trace.builder is not trace.root:
        return plain(*operands)
    try:
        return plain(*operands)
    except TypeError as error:
        examples = list(map(example, operands))
        known = all(map(operator.is_, examples, operands))
        if known or isinstance(error, ControlFlowError):
            raise
        refused = error
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain(*examples)  # which raises what Python says of such operands
    if isinstance(refused, GradsmithError):
        raise refused
    raise UnsupportedError(
        f"an operator of {' and '.join(map(called, examples))} is not supported on traced numbers",
        current_span(),
        "convert the other operand to a number",
    ) from refused


def _check_order(plain: Callable[..., Any], left: Any, right: Any) -> None:
    """Python's error of complex numbers, which have no order."""
    one, other = example(left), example(right)
    if not (isinstance(one, _NUMBERS) and isinstance(other, _NUMBERS)):
        return
    try:
        plain(one, other)
    except TypeError as error:
        misfit = ArgumentTypeError(str(error), current_span(), "compare abs(z), or a part of it")
        misfit.own = error
        raise_own(misfit)
        raise misfit from None


def _is_traced_number(value: Any, other: Any) -> bool:
    """Whether it is a number, where one of the two is traced."""
    traced = isinstance(value, (Tracer, TracedInt)) or isinstance(other, (Tracer, TracedInt))
    array = isinstance(value, Tracer) and value.type.form == "array"
    return traced and not array and isinstance(value, (Tracer, TracedInt, *_NUMBERS, np.generic))


def _named(value: Any) -> Any:
    """An object of a class of this name, which has no operators."""
    return object.__new__(type(called(example(value)), (), {}))


_ASKING_MEMBERS = frozenset(
    {
        *(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge),
        *(operator.sub, operator.and_, operator.or_, operator.xor),
        *(operator.isub, operator.iand, operator.ior, operator.ixor),
    }
)
"""Operators of containers that compare what is in them."""
_OF_ARRAYS = (operator.matmul, operator.imatmul)
_ORDER = (operator.lt, operator.le, operator.gt, operator.ge)
_NUMBERS = (int, float, complex)


def example(value: Any) -> Any:
    """A value of the class that a traced one has."""
    if isinstance(value, TracedInt) or (isinstance(value, Tracer) and value.type.weak):
        return _number(value)
    if isinstance(value, Tracer):
        with suppress(ValueError):  # of too many elements
            return example_of(of_exact_type(value).node)
    return value


def either_side(
    name: str, reflected: str, plain: Callable[..., Any], left: Any, right: Any
) -> Any:
    """The method of the left operand, else that of the right one, as Python decides."""
    if has_own_operators(left, right, name, reflected):
        return asked_in_turn(name, reflected, plain, left, right)
    ways = _ways(name, reflected, left, right)
    if isinstance(left, Tracer) and not left.type.weak and special(right, "__array_ufunc__"):
        return call(_UFUNCS[name], left, right)
    methods = any(special(owner, method) for owner, method, _ in ways)
    if not methods or _is_for_numpy(left, right):
        return handled(plain, *beside_own_numbers(left, right))
    plain_number = left if name == "__matmul__" and _is_scalar(left) else _check_array(left, right)
    by_sequence = _is_of_sequence(left, name)
    for owner, method, other in ways:
        if owner is left and by_sequence:
            continue
        given = _tried(owner, method, plain_number if other is left else other)
        if given is not NotImplemented:
            return given
    if by_sequence:
        return _of_sequence(name, plain, left, right)
    if _is_scalar(right) and name not in _COMPARING and not _knows_arrays(type(left)):
        given = _tried(left, name, _as_pythons(right))  # NumPy's own operator asks again
        if given is not NotImplemented:
            return given
    if name in _COMPARING:
        return NotImplemented
    without = _without_elements if name == "__matmul__" else _without
    return plain(without(left), without(right))


def _ways(name: str, reflected: str, left: Any, right: Any) -> list[tuple[Any, str, Any]]:
    """Each method that Python may call: its owner, its name, and the other operand; in order."""
    kinds = _kind(left), _kind(right)
    ways = [(left, name, right), (right, reflected, left)]
    if kinds[0] is kinds[1]:
        return ways if name == reflected or name in _COMPARING else ways[:1]
    if issubclass(kinds[1], kinds[0]):
        mine, theirs = (class_attribute(kind, reflected) for kind in kinds)
        if mine is not theirs or name in _COMPARING:
            ways.reverse()
    return ways


def _kind(value: Any) -> type:
    return str if isinstance(value, Text) else type(value)


def _is_for_numpy(left: Any, right: Any) -> bool:
    """Whether NumPy's operator takes a number of a class of the user's without asking that."""
    if not (isinstance(left, Tracer) and is_own_number(right)) or left.type.weak:
        return False
    return not (special(right, "__array_ufunc__") or hasattr(right, "__array_priority__"))


def _is_of_sequence(left: Any, name: str) -> bool:
    """Whether it is ``+`` or ``*`` of one of Python's sequences: methods of the class of the right
    operand are called first.
    """
    if not issubclass(_kind(left), _SEQUENCES) or name not in ("__add__", "__mul__"):
        return False
    return isinstance(class_attribute(_kind(left), name), types.WrapperDescriptorType)


_SEQUENCES = (list, tuple, str, bytes, bytearray, deque)


def _of_sequence(name: str, plain: Callable[..., Any], left: Any, right: Any) -> Any:
    """What the sequence does itself with an object of the user's."""
    right = index_of(right) if name == "__mul__" else right
    known = isinstance(right, (int, TracedInt, *_SEQUENCES))
    return getattr(type(left), name)(left, right) if known else plain(left, _without(right))


_COMPARING = frozenset(name for name, _, _ in _COMPARE.values())


def _without(value: Any) -> Any:
    """What stands for an operand that knows no such operator: Python words the error.

    NumPy asks Python about each element, which is a number of Python's then.
    """
    name = type(value).__name__
    if isinstance(value, (Tracer, TracedInt)):
        name = type(_number(value)).__name__
    return object.__new__(type(name, (), {}))


def _without_elements(value: Any) -> Any:
    """The same of a matrix product, which takes arrays whole."""
    return np.empty((1,) * value.ndim) if _is_array(value) else _without(value)


def _number(value: Any) -> Any:
    return 1 if isinstance(value, TracedInt) else value.type.dtype.type(1).item()


def _tried(owner: Any, method: str, other: Any) -> Any:
    mine = special(owner, method)
    if mine is not None:
        return call(mine, owner, other)
    if isinstance(owner, Tracer) and not owner.type.weak:
        return NotImplemented
    if class_attribute(type(owner), method) is MISSING:  # `type` itself has some of these
        return NotImplemented
    return getattr(type(owner), method)(owner, other)


def _check_array(left: Any, right: Any) -> Any:
    """NumPy's arrays, on the left, take objects apart unless these say that they know arrays.

    Its scalars do so without elements to take, and the object gets a number of Python's.
    """
    if not isinstance(left, Tracer) or left.type.weak:
        return left
    left, kind = Tracer.of_exact_type(left), type(right)
    if left.type.weak:
        return left
    knows = _knows_arrays(kind)
    sequence = hasattr(kind, "__len__") or hasattr(kind, "__array__")
    if not knows and (left.type.form == "array" or sequence):
        raise ArgumentTypeError(
            f"NumPy takes the {kind.__name__} on the right of an array's operator for an array of "
            "objects",
            current_span(),
            "write `__array_ufunc__ = None` in its class, so that its own method is called",
        )
    return left if knows else _as_pythons(left)


def _knows_arrays(kind: type) -> bool:
    """Whether NumPy's operators leave the operation to objects of the class."""
    knows = getattr(kind, "__array_ufunc__", MISSING_UFUNC) is None
    return knows or getattr(kind, "__array_priority__", 0.0) > 0


def _is_scalar(value: Any) -> bool:
    return isinstance(value, Tracer) and value.type.form == "scalar"


def _as_pythons(scalar: Tracer) -> Any:
    """A number of NumPy's as NumPy's operators hand it on to an object."""
    if scalar.dtype.kind == "c":
        return scalar
    return run(as_float if scalar.dtype.kind == "f" else as_python, scalar)


MISSING_UFUNC = object()
_UFUNCS = {
    f"__{name}__": ufunc
    for name, ufunc in {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "truediv": np.true_divide,
        "floordiv": np.floor_divide,
        "mod": np.remainder,
        "pow": np.power,
        "matmul": np.matmul,
        "divmod": np.divmod,
        "lshift": np.left_shift,
        "rshift": np.right_shift,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
        "eq": np.equal,
        "ne": np.not_equal,
    }.items()
}
"""The ufuncs that the operators of arrays are, by special method."""


def _repeated(values: list[Any], count: TracedInt) -> list[Any]:
    """``values *= count``, where Python would ask the integer for a list of its own."""
    made = values * count
    trace = current_trace()
    if trace is not None:
        note_container_write(trace, values)
    note_container(values)
    refill(values, made)
    for item in values:
        if type(item) is Grown and item.owner is made:
            item.owner = values
    return values


def inplace(word: str, left: Any, right: Any) -> Any:
    """``left += right``: what ``left`` becomes."""
    name, _, plain = _BINARY[word]
    left, right = _beside_texts(word, left, right), _beside_texts(word, right, left)
    mine = special(left, f"__i{name}__")
    if mine is not None:
        made = call(mine, left, right)
        if made is not NotImplemented:
            return made
        return binary(word, left, right, in_place=True)
    check_updated(left, f"__i{name}__")
    if isinstance(left, list) and asks_length(right):
        right = measured(right)
    if word == "Mult" and type(left) is list and isinstance(right, TracedInt):
        return _repeated(left, right)
    if not has_methods(right):
        own = has_methods(left) and not hasattr(type(left), f"__i{name}__")
        if own:
            return binary(word, left, right, in_place=True)
        return handled(plain, left, right) if plain in _OF_ARRAYS else plain(left, right)
    if isinstance(left, (list, deque)) and word in ("Add", "Mult"):
        made = _reflected(f"__r{name}__", left, right)
        if made is not NotImplemented:
            return made
        if word == "Add" and is_iterable(right):
            right = measured(right) if isinstance(left, list) else iterator(right)
        return plain(left, right if word == "Add" else index_of(right))
    return binary(word, left, right, in_place=True)


def _reflected(name: str, left: Any, right: Any) -> Any:
    mine = special(right, name)
    return NotImplemented if mine is None else call(mine, right, left)


def unary(word: str, value: Any) -> Any:
    """``-value``."""
    name, plain = _UNARY[word]
    mine = special(value, name)
    return with_pythons_errors(plain, value) if mine is None else call(mine, value)


def compare(word: str, left: Any, right: Any) -> Any:
    """``left < right``, and ``in``."""
    if word in ("In", "NotIn"):
        return contains(right, left)
    name, reflected, plain = _COMPARE[word]
    if not (has_methods(left) or has_methods(right)):
        return handled(plain, _asking(left, right), _unhashed(right))
    if is_own_number(left) or is_own_number(right):
        if has_own_operators(left, right, name, reflected):
            return asked_in_turn(name, reflected, plain, left, right)
        if not special(left, name):
            left, right = beside_own_numbers(left, right)
    asks = any(special(v, "__eq__") for v in (left, right))
    unequal = word == "NotEq" and not any(special(v, "__ne__") for v in (left, right))
    if (word == "Eq" or unequal) and not asks and are_compared_by_identity(left, right):
        return is_same_object(left, right) is not unequal
    if unequal:
        return _unequal(left, right) if asks else plain(left, right)
    given = either_side(name, reflected, plain, left, right)
    return _declined(word, plain, left, right) if given is NotImplemented else given


def _declined(word: str, plain: Callable[..., Any], left: Any, right: Any) -> Any:
    """A comparison that neither operand answers."""
    if word not in ("Eq", "NotEq"):
        return plain(_without(left), _without(right))
    if _is_array(right):
        return plain(_without(left), right)  # NumPy compares it with each element
    return is_same_object(left, right) is (word == "Eq")


def _unequal(left: Any, right: Any) -> Any:
    """``left != right`` by ``__eq__`` of an operand."""
    if not _is_array(right):
        return Negated(compare("Eq", left, right))
    given = either_side("__eq__", "__eq__", operator.eq, left, right)
    if given is NotImplemented:
        return _declined("NotEq", operator.ne, left, right)
    return Negated(given)


def _is_array(value: Any) -> bool:
    return isinstance(value, Tracer) and value.type.form == "array"


def _asking(left: Any, right: Any) -> Any:
    """The left operand of a comparison, traced where its class decides that of the answer: complex
    numbers of Python's answer for the scalars that are floats of Python's as well.
    """
    answers = type(left) is complex and isinstance(right, Tracer)
    return traced(left) if answers else _unhashed(left)


def _unhashed(value: Any) -> Any:
    """An operand of a comparison of the user's: nan does not equal nan, as it does among keys."""
    known = isinstance(value, Tracer) and is_nan(getattr(value, "hashed", None))
    return Tracer(View(Storage(value.node))) if known else value


class Negated:
    """``not value``, which the caller makes: it knows branches."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def contains(container: Any, item: Any) -> Any:
    """``item in container``, where the class of the container says so."""
    mine = special(container, "__contains__")
    return call(mine, container, item)


def has_items(owner: Any) -> bool:
    """Whether its class takes part in ``owner[key] = value``, or asks what is stored."""
    return isinstance(owner, _STAGED_ITEMS) or any(
        special(owner, f"__{name}item__") for name in ("get", "set", "del")
    )


_STAGED_ITEMS = (list, bytearray, array.array, memoryview, defaultdict)
"""Classes of Python's whose slices can be written to, or that call for what they do not hold."""


def index_of(key: Any) -> Any:
    """A key of a sequence or array, with what ``__index__`` gives for objects of the user's."""
    if isinstance(key, tuple):
        return tuple(map(index_of, key))
    if isinstance(key, slice):
        return slice(*map(index_of, (key.start, key.stop, key.step)))
    return number_of(key, "__index__")


def array_index(key: Any) -> Any:
    """The same of a key of an array.

    Raises
    ------
    IndexError
        A key that is no bound of a slice gives no integer.
    """
    if isinstance(key, tuple):
        return tuple(map(array_index, key))
    if isinstance(key, slice) or not asks(key, "__index__"):
        return index_of(key)
    try:
        return index_of(key)
    except (TypeError, ValueError) as error:
        if isinstance(error, GradsmithError):
            raise
        np.empty(1)[cast("Any", object())]  # which raises NumPy's error
        raise


def item(owner: Any, key: Any) -> Any:
    """``owner[key]`` of an object of the user's, or of a `defaultdict`."""
    mine = special(owner, "__getitem__") or class_item(owner)
    if mine is not None:
        return call(mine, owner, key)
    missing = special(owner, "__missing__")
    if missing is not None and isinstance(owner, dict) and key not in owner:
        return call(missing, owner, key)
    made = default_item(owner, key)
    return owner[key] if made is MISSING else made


def truth(value: Any) -> Any:
    """What stands for the truth of an object of the user's: its ``__bool__`` or ``__len__``."""
    mine = special(value, "__bool__")
    if mine is not None:
        given = call(mine, value)
        if not _is_pythons_bool(given):
            raise TypeError(f"__bool__ should return bool, returned {called(given)}")
        return given
    return number_of(value, "__len__") != 0 if special(value, "__len__") else value


def _is_pythons_bool(value: Any) -> bool:
    """Whether it is one in the present call: its class may depend on the path taken."""
    if not isinstance(value, Tracer):
        return isinstance(value, bool)
    return of_class(value, partial(operator.is_, bool))


def called(value: Any) -> str:
    """The name of its class, as the interpreter has it."""
    kind = type(value)
    if isinstance(value, Tracer):
        plain = np.ndarray if value.ndim else value.type.dtype.type
        kind = type(plain(0).item()) if value.type.weak else plain
    root = kind.__module__.split(".")[0]
    return f"numpy.{kind.__name__}" if root == "numpy" else kind.__name__


class Items:
    """What is written to where the user writes ``owner[key] = value``."""

    __slots__ = ("owner",)

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def __getitem__(self, key: Any) -> Any:
        return item(self.owner, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        mine = special(self.owner, "__setitem__")
        if mine is not None:
            call(mine, self.owner, key, value)
            return
        if isinstance(value, Refusing) and isinstance(key, slice):
            value.refuse()  # Python hides that error behind one of its own
        if is_grown(value) and isinstance(key, slice) and key.step not in (None, 1):
            value = list(each(value))  # each has a place of its own
        if isinstance(key, slice) and isinstance(self.owner, list):
            value = taken_apart(value, 0)
        self.owner[key] = value

    def __delitem__(self, key: Any) -> None:
        mine = special(self.owner, "__delitem__")
        if mine is None:
            del self.owner[key]
        else:
            call(mine, self.owner, key)


# -- iteration -----------------------------------------------------------------------------------


def is_iterable(value: Any) -> bool:
    """Whether methods of the user's class of ``value`` iterate over it."""
    return any(special(value, name) for name in ("__iter__", "__next__")) or _is_by_index(value)


def _is_by_index(value: Any) -> bool:
    """Whether Python calls ``__getitem__`` with 0, 1, ...: the class has no ``__iter__``, as
    subclasses of lists and dicts have.
    """
    if special(value, "__getitem__") is None:
        return False
    return class_attribute(type(value), "__iter__") is MISSING


def iterator(value: Any) -> Iterator[Any]:
    """``iter(value)``."""
    if container_iterators.is_watched(value):
        made: Iterator[Any] = iter(container_iterators.over(value))
        return made
    mine = special(value, "__iter__")
    if mine is None:
        return _by_index(value) if _is_by_index(value) else iter(value)
    made = iterator_given(value)
    return _stepping(made) if special(made, "__next__") else iter(made)


@in_users_name
def iterator_given(value: Any) -> Any:
    """What ``__iter__`` of an object of the user's gives.

    Raises
    ------
    TypeError
        It is no iterator.
    """
    made = call(special(value, "__iter__"), value)
    traced_value = isinstance(made, (Tracer, TracedInt))
    if traced_value or class_attribute(type(made), "__next__") is MISSING:
        raise TypeError(f"iter() returned non-iterator of type {called(made)!r}")
    return made


def _stepping(value: Any) -> Iterator[Any]:
    while True:
        try:
            with handling():
                made = call(special(value, "__next__"), value)
        except StopIteration:
            return
        yield made


def _by_index(value: Any) -> Iterator[Any]:
    index, mine = 0, special(value, "__getitem__")
    while True:
        try:
            with handling("IndexError"):
                made = call(mine, value, index)
        except IndexError:
            return
        yield made
        index += 1


def stepwise(value: Any) -> Any:
    """``value`` for C code that goes through it: an object of the user's takes staged steps."""
    return iterator(value) if is_iterable(value) else value


def begun_later(value: Any) -> Any:
    """The same where C code asks for its iterator only when it gets there."""
    return _delegated(value) if is_iterable(value) else value


def _delegated(value: Any) -> Iterator[Any]:
    yield from iterator(value)


def is_reversible(value: Any) -> bool:
    """Whether ``reversed`` goes by its length and items."""
    by_index = all(special(value, name) for name in ("__len__", "__getitem__"))
    return by_index and not hasattr(type(value), "__reversed__")


def backwards(value: Any) -> Iterator[Any]:
    """``reversed`` of such an object, which is asked for its length now."""
    length = operator.index(number_of(value, "__len__"))
    return by_items(value, _from_behind(value, length))


def _from_behind(value: Any, length: int) -> Iterator[Any]:
    for index in reversed(range(length)):
        try:
            with handling("IndexError"):
                made = call(special(value, "__getitem__"), value, index)
        except (IndexError, StopIteration):
            return
        yield made


def unpacked(value: Any) -> Any:
    """``value`` where Python is to take it apart."""
    return list(iterator(value)) if is_iterable(value) else value


def listed(value: Any) -> Any:
    """The same where Python asks for the length first, to know how much room it takes."""
    return list(measured(value)) if is_iterable(value) or asks_length(value) else value


def measured(value: Any) -> Any:
    """Steps through an object of the user's, whose length has been asked for."""
    if asks_length(value):
        _ask_length(_behind.pop(value))
        return value
    steps = iterator(value) if is_iterable(value) else value
    _ask_length(value)
    return steps


def _ask_length(value: Any) -> None:
    name = "__len__" if special(value, "__len__") else "__length_hint__"
    mine = special(value, name)
    if mine is None:
        return
    made = call(mine, value)
    with suppress(TypeError):  # Python then does without a length
        given_number(value, name, made)


_behind: WeakKeyDictionary[Iterator[Any], Any] = WeakKeyDictionary()
"""For iterators that go by the items of an object of the user's, and ask it for its length: it."""


def asks_length(value: Any) -> bool:
    """Whether it is such an iterator, of which a list is made."""
    return isinstance(value, types.GeneratorType) and value in _behind


def by_items(value: Any, steps: Iterator[Any]) -> Iterator[Any]:
    """These steps through the items of an object, which Python asks for its length."""
    if special(value, "__len__"):
        _behind[steps] = value
    return steps


def taken_apart(value: Any, before: int) -> Any:
    """``value`` where Python takes so many elements one by one, and makes a list of the rest."""
    if asks_length(value):
        return [*itertools.islice(value, before), *listed(value)]
    if not is_iterable(value):
        return value
    mine = special(value, "__iter__")
    made = None if mine is None else iterator_given(value)
    own = special(made, "__next__") is not None
    given: Any = made
    steps = _stepping(made) if own else iterator(value) if mine is None else iter(given)
    found = list(itertools.islice(steps, before))
    if len(found) < before:
        return found
    if own:
        return [*found, *listed(made)]
    if mine is None:
        _ask_length(value)
    return [*found, *steps]


def as_dict(mapping: Any) -> dict[Any, Any]:
    """What ``{**mapping}`` takes of an object that has keys."""
    keys = unpacked(call(call(getattr, mapping, "keys")))
    return {key: item(mapping, key) for key in keys}


def has_keys(value: Any) -> bool:
    """Whether Python takes an object of the user's for a mapping."""
    return bool(call(hasattr, value, "keys"))


def by_keys(value: Any) -> Any:
    """``value`` where Python is to take its keys and items: a call or ``{}`` with ``**value``."""
    own = is_instance(value) and not isinstance(value, dict)
    return as_dict(value) if own and has_keys(value) else value


_NO_DEFAULT = object()


def next_of(value: Any, default: Any = _NO_DEFAULT) -> Any:
    """``next(value)`` of an object of the user's."""
    if default is _NO_DEFAULT:
        return call(special(value, "__next__"), value)
    try:
        with handling():
            return call(special(value, "__next__"), value)
    except StopIteration:
        return default
