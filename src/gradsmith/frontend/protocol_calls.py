"""Builtins of Python's called with objects of the user's: their methods are staged."""

from __future__ import annotations

import collections
import functools
import itertools
import math
import operator
import types
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradsmith.frontend import protocols
from gradsmith.frontend.asked_numbers import asks, given_number, number_of
from gradsmith.frontend.calling import call, later
from gradsmith.frontend.choices import choose, compared, truth
from gradsmith.frontend.classes import has_methods, special
from gradsmith.frontend.own_numbers import asked_in_turn, beside_own_numbers, has_own_operators
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import as_trips, each


def _by_method(name: str) -> Callable[..., Any]:
    return lambda value, *rest, **named: call(special(value, name), value, *rest, **named)


def _rounded(number: Any, /, ndigits: Any = None) -> Any:
    """``round`` of an object: its method is given the digits by position."""
    return call(special(number, "__round__"), number, *([] if ndigits is None else [ndigits]))


_METHODS: dict[Any, str] = {
    abs: "__abs__",
    round: "__round__",
    reversed: "__reversed__",
    math.floor: "__floor__",
    math.ceil: "__ceil__",
    math.trunc: "__trunc__",
}
_MAKING_NUMBERS: dict[Any, tuple[str, ...]] = {
    len: ("__len__",),
    float: ("__float__", "__index__"),
    int: ("__int__", "__index__", "__trunc__"),
    complex: ("__complex__", "__float__", "__index__"),
    operator.index: ("__index__",),
    math.floor: ("__float__", "__index__"),
    math.ceil: ("__float__", "__index__"),
    **dict.fromkeys((range, chr, bin, hex, oct), ("__index__",)),
    **dict.fromkeys((math.factorial, math.gcd, math.lcm, math.isqrt), ("__index__",)),
    **dict.fromkeys((math.comb, math.perm), ("__index__",)),
}
"""Functions of numbers, and by which methods these are asked of objects."""
_OF_FLOATS = frozenset(
    function
    for name, function in vars(math).items()
    if not name.startswith("_")
    and callable(function)
    and function not in {*_MAKING_NUMBERS, math.trunc, math.prod, math.fsum, math.dist}
)
"""Functions of `math` that ask for floats."""
_WITH_INTEGERS = frozenset({int, round, enumerate})
"""Functions whose second argument is an integer."""
_TAKING_ALL = frozenset(
    {
        *(dict, frozenset, list, max, min, set, sorted, sum, tuple, math.fsum, math.prod),
        *(itertools.combinations, itertools.combinations_with_replacement),
        *(itertools.permutations, itertools.product, collections.deque, collections.Counter),
        dict.fromkeys,
    }
)
"""What goes through all of its iterables before it returns."""
_TAKING_STEPS = frozenset(
    {
        *(all, any, enumerate, filter, map, zip),
        *(itertools.accumulate, itertools.chain, itertools.chain.from_iterable),
        *(itertools.compress, itertools.cycle, itertools.dropwhile, itertools.filterfalse),
        *(itertools.groupby, itertools.islice, itertools.pairwise, itertools.starmap),
        *(itertools.takewhile, itertools.tee, itertools.zip_longest),
    }
)
"""What takes an element when it needs one."""
_ITERATING = _TAKING_ALL | _TAKING_STEPS
_ALL_ARGUMENTS = slice(None)
_BEHIND_A_FUNCTION = slice(1, None)
_ITERABLES: dict[Any, slice] = {
    **dict.fromkeys((filter, itertools.dropwhile, itertools.filterfalse), _BEHIND_A_FUNCTION),
    **dict.fromkeys((map, itertools.starmap, itertools.takewhile), _BEHIND_A_FUNCTION),
    **dict.fromkeys((zip, itertools.chain, itertools.compress), _ALL_ARGUMENTS),
    **dict.fromkeys((itertools.product, itertools.zip_longest), _ALL_ARGUMENTS),
}
"""Which arguments these go through, where it is not the first one."""


def _iter(value: Any, *rest: Any) -> Any:
    mine = special(value, "__iter__")
    if rest or mine is None:
        if rest:
            return iter(later(value), *rest)
        steps = protocols.iterator(value)
        own = isinstance(steps, types.GeneratorType)
        return protocols.by_items(value, steps) if own else steps
    made = protocols.iterator_given(value)
    return made if special(made, "__next__") else iter(made)


def _next(value: Any, *default: Any) -> Any:
    return (
        protocols.next_of(value, *default) if special(value, "__next__") else next(value, *default)
    )


def _divmod(left: Any, right: Any) -> Any:
    names = "__divmod__", "__rdivmod__"
    if has_own_operators(left, right, *names):
        return asked_in_turn(*names, divmod, left, right)
    mine = special(left, names[0])
    if mine is not None:
        return call(mine, left, right)
    mine = special(right, names[1])
    if mine is not None:
        return call(mine, right, left)
    left, right = beside_own_numbers(left, right)
    return divmod(left, right)


def _pow(base: Any, exponent: Any, *modulus: Any) -> Any:
    mine = special(base, "__pow__") if modulus else None
    return (
        call(mine, base, exponent, *modulus) if mine else protocols.binary("Pow", base, exponent)
    )


def _length_hint(value: Any, default: Any = 0) -> Any:
    if special(value, "__len__"):
        return number_of(value, "__len__")
    if not special(value, "__length_hint__"):
        return operator.length_hint(value, default)
    made = call(special(value, "__length_hint__"), value)
    return default if made is NotImplemented else given_number(value, "__length_hint__", made)


_OTHERS: dict[Any, Callable[..., Any]] = {
    iter: _iter,
    next: _next,
    divmod: _divmod,
    pow: _pow,
    bool: truth,
    operator.truth: truth,
    operator.length_hint: _length_hint,
    operator.not_: lambda value: choose(truth(value), lambda: False, lambda: True),
    operator.contains: lambda owner, value: compared(value, "In", owner),
}
for _word, _name in protocols.INPLACE.items():
    _plain = _name if _name not in ("and", "or") else f"{_name}_"
    _OTHERS[getattr(operator, _plain)] = functools.partial(protocols.binary, _word)
    _OTHERS[getattr(operator, f"i{_name}")] = functools.partial(protocols.inplace, _word)
for _word, _name in {"USub": "neg", "UAdd": "pos", "Invert": "invert"}.items():
    _OTHERS[getattr(operator, _name)] = functools.partial(protocols.unary, _word)


def _comparing(word: str) -> Callable[[Any, Any], Any]:
    return lambda left, right: compared(left, word, right)


for _word, _name in protocols.COMPARING.items():
    _OTHERS[getattr(operator, _name)] = _comparing(_word)


def _concat(left: Any, right: Any) -> Any:
    """``operator.concat``, which arrays and numbers refuse."""
    if isinstance(left, (Tracer, TracedInt)):
        left = protocols.example(left)
    return operator.concat(left, right)


_OTHERS[operator.concat] = _concat
_OPERATORS = frozenset(f for f in _OTHERS if getattr(f, "__module__", "") == "_operator") - {
    *(operator.truth, operator.not_, operator.contains),
}
_OPERANDS = (Tracer, TracedInt, int, float, complex, np.ndarray, np.generic)


def _extreme(plain: Any, word: str) -> Callable[..., Any]:
    """``max`` and ``min`` of objects: the first that no other is better than."""

    def extreme(*given: Any, key: Any = None, **default: Any) -> Any:
        values = list(given) if len(given) > 1 else list(given[0])
        if not values:
            return plain(values, **default)
        keyed = [value if key is None else call(key, value) for value in values]
        best = keyed[0], values[0]
        for candidate in zip(keyed[1:], values[1:], strict=True):
            better = truth(compared(candidate[0], word, best[0]))
            best = choose(better, partial(_same, candidate), partial(_same, best))
        return best[1]

    return extreme


def _same(value: Any) -> Any:
    return value


def _sum(values: Any, start: Any = 0) -> Any:
    total = start
    for value in values:
        total = protocols.binary("Add", total, value)
    return total


def _reduce(function: Any, values: Any, *initial: Any) -> Any:
    steps = each(protocols.stepwise(values))
    return functools.reduce(functools.partial(call, function), steps, *initial)


_OF_ELEMENTS: dict[Any, Callable[..., Any]] = {
    max: _extreme(max, "Gt"),
    min: _extreme(min, "Lt"),
    sum: _sum,
}


def _arrays_made(function: Any, *args: Any, **kwargs: Any) -> Any:
    """A call of NumPy's with what ``__array__`` gives for objects of the user's."""
    return call(function, *map(_array_of, args), **{k: _array_of(v) for k, v in kwargs.items()})


def _array_of(value: Any) -> Any:
    mine = special(value, "__array__")
    return value if mine is None else call(mine, value)


def _by_ufunc_method(function: np.ufunc, *args: Any, **kwargs: Any) -> Any:
    """A ufunc of objects with ``__array_ufunc__``: the first of these that knows it does it."""
    owners = [value for value in args if special(value, "__array_ufunc__")]
    for owner in sorted(owners, key=lambda value: -len(type(value).__mro__)):
        mine = special(owner, "__array_ufunc__")
        made = call(mine, owner, function, "__call__", *args, **kwargs)
        if made is not NotImplemented:
            return made
    names = ", ".join(repr(type(value).__name__) for value in args)
    raise TypeError(
        f"operand type(s) all returned NotImplemented from __array_ufunc__({function!r}, "
        f"'__call__', {', '.join(map(repr, args))}): {names}"
    )


def _has_function_method(value: Any) -> bool:
    array = isinstance(value, Tracer) and value.type.form == "array"
    return array or (hasattr(type(value), "__array_function__") and not isinstance(value, Tracer))


def _by_function_method(function: Any, *args: Any, **kwargs: Any) -> Any:
    """A function of NumPy's of objects with ``__array_function__``."""
    owners = [value for value in args if special(value, "__array_function__")]
    kinds = tuple(dict.fromkeys(call(type, v) for v in args if _has_function_method(v)))
    for owner in sorted(owners, key=lambda value: -len(type(value).__mro__)):
        mine = special(owner, "__array_function__")
        made = call(mine, owner, function, kinds, args, kwargs)
        if made is not NotImplemented:
            return made
    raise TypeError(f"no implementation found for 'numpy.{function.__name__}' on types {kinds}")


def _is_numpys(function: Any) -> bool:
    if isinstance(function, (types.FunctionType, type)):
        return False
    return str(getattr(function, "__module__", "")).split(".")[0] == "numpy"


def _of_numpy(function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """What a function of NumPy's means for objects that have its protocols."""
    ufunc = isinstance(function, np.ufunc)
    if not ufunc and (
        isinstance(function, (types.FunctionType, type)) or not _is_numpys(function)
    ):
        return None
    protocol = "__array_ufunc__" if ufunc else "__array_function__"
    if any(special(value, protocol) for value in args):
        return partial(_by_ufunc_method if ufunc else _by_function_method, function)
    if any(special(value, "__array__") for value in args):
        return partial(_arrays_made, function)
    return None


def meaning_of_protocol(function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """What a builtin means for objects of the user's; None where there are none of these."""
    if any(map(has_methods, args)) and (by_numpy := _of_numpy(function, args)) is not None:
        return by_numpy
    if isinstance(function, types.BuiltinMethodType) and _goes_through(function, args):
        taken: dict[type, Any] = {dict: _taken_for_update, list: protocols.measured}
        made = map(taken.get(type(function.__self__), _taken), args)
        return lambda *_, **named: call(function, *made, **named)
    if function is functools.reduce and len(args) > 1 and as_trips(args[1]) is None:
        return _reduce
    try:
        known = bool(args) and function in _KNOWN
    except TypeError:  # not hashable
        return None
    return _of_known(function, args) if known else None


def _of_known(function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    if type(args[0]) is types.GeneratorType and len(args) == 1:
        asks = function in _MAKING_LISTS and protocols.asks_length(args[0])
        if asks or function in _SEEING_ALL:
            return partial(_of_generator, function)
    by_itself = function is sum and protocols.is_iterable(args[0])
    if function in _OF_ELEMENTS and not by_itself and _holds_objects(args):
        return _OF_ELEMENTS[function]
    if function is operator.concat:
        return _concat
    if function is operator.iconcat:
        return _concat if isinstance(args[0], _OPERANDS) else None
    if function in _OPERATORS and not all(isinstance(a, _OPERANDS) for a in args):
        return _OTHERS[function]
    return _of_objects(function, args) if any(map(has_methods, args)) else None


def _of_generator(function: Any, values: Any, **named: Any) -> Any:
    asks = function in _MAKING_LISTS and protocols.asks_length(values)
    return call(function, protocols.listed(values) if asks else list(values), **named)


_MAKING_LISTS = (list, tuple, sorted)
_ASKING_LENGTHS = (
    *(*_MAKING_LISTS, itertools.combinations, itertools.combinations_with_replacement),
    *(itertools.permutations, itertools.product),
)
"""These ask for the length first."""


def _of_objects(function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    if function in _METHODS:
        name = _METHODS[function]
        if function is reversed and protocols.is_reversible(args[0]):
            return protocols.backwards
        if special(args[0], name):
            return _rounded if function is round else _by_method(name)
    converted = _with_numbers(function, args)
    if converted is not None or function in _OF_NUMBERS:
        return converted
    if function not in _ITERATING:
        return _OTHERS[function]
    iterables = _ITERABLES.get(function, slice(0, 1))
    if not any(map(protocols.is_iterable, args[iterables])):
        return None
    if function in (dict, collections.Counter) and protocols.has_keys(args[0]):
        return _dict_of if function is dict else None
    given = list(args)
    given[iterables] = map(_way_through(function), args[iterables])
    return lambda *_, **named: call(function, *given, **named)


def _with_numbers(function: Any, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """The function of the numbers that objects among its arguments give; None where it has none
    to ask for.
    """
    names = _MAKING_NUMBERS[float] if function in _OF_FLOATS else _MAKING_NUMBERS.get(function, ())
    rest = ("__index__",) if function in _WITH_INTEGERS else names
    rest = () if function is math.ldexp else rest  # which takes integers of Python's only
    asked = [names, *[rest] * (len(args) - 1)]
    asked = [() if _is_known(function, v) else n for v, n in zip(args, asked, strict=True)]
    given = zip(args, asked, strict=True)
    found = any(asks(value, name) for value, names in given for name in names)
    return partial(_of_numbers, function, asked) if found else None


def _is_known(function: Any, value: Any) -> bool:
    """Whether the function takes a number of the user's class for the one of Python's that it is,
    without asking.
    """
    if function in (math.floor, math.ceil):
        return isinstance(value, (int, float))
    return function in _OF_FLOATS and isinstance(value, float)


def _of_numbers(function: Any, asked: list[tuple[str, ...]], /, *args: Any, **named: Any) -> Any:
    given = [number_of(value, *names) for value, names in zip(args, asked, strict=True)]
    return given[0] if function is len else call(function, *given, **named)


def _way_through(function: Any) -> Callable[[Any], Any]:
    if function is itertools.chain:
        return protocols.begun_later
    if function in _ASKING_LENGTHS:
        return protocols.listed
    return protocols.stepwise if function in _TAKING_STEPS else protocols.unpacked


_GOING_THROUGH: dict[type, frozenset[str]] = {
    list: frozenset({"extend", "__iadd__"}),
    collections.deque: frozenset({"extend", "extendleft"}),
    dict: frozenset({"update"}),
    set: frozenset({name for name in dir(set) if "update" in name or "diff" in name})
    | {"union", "intersection", "issubset", "issuperset", "isdisjoint"},
}
"""Methods of Python's containers that go through all of what they are given."""


def _goes_through(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether it is such a method, called with an object that takes steps."""
    names = _GOING_THROUGH.get(type(function.__self__), ())
    return function.__name__ in names and any(map(_takes_steps, args))


def _takes_steps(value: Any) -> bool:
    """Python looks into sets and dicts without these, whatever their class says."""
    steps = protocols.is_iterable(value) or protocols.asks_length(value)
    return steps and not isinstance(value, (set, frozenset, dict))


def _taken(value: Any) -> Any:
    return protocols.iterator(value) if _takes_steps(value) else value


def _taken_for_update(value: Any) -> Any:
    keyed = _takes_steps(value) and protocols.has_keys(value)
    return _dict_of(value) if keyed else _taken(value)


def _dict_of(mapping: Any, **named: Any) -> dict[Any, Any]:
    """``dict(mapping, ...)`` of an object that has keys."""
    return {**protocols.as_dict(mapping), **named}


_SEEING_ALL = frozenset({max, min, sorted})
_OF_NUMBERS = frozenset({*_METHODS, *_MAKING_NUMBERS, *_OF_FLOATS, int, round})
_KNOWN = frozenset({*_OF_NUMBERS, *_ITERATING, *_OTHERS, operator.iconcat})


def _holds_objects(args: tuple[Any, ...]) -> bool:
    """Whether objects of the user's are compared or added."""
    given = args
    if isinstance(args[0], (list, tuple)):
        given = (*args[0], *args[1:])
    elif len(args) == 1:
        return False
    return any(map(has_methods, given))
