"""``values.index(item)``, ``count`` and ``remove`` of lists and tuples, where traced values or
objects of the user's are compared.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradsmith.frontend.choices import compared, is_array, is_it, truth
from gradsmith.frontend.classes import special
from gradsmith.frontend.dispatch import is_traced
from gradsmith.frontend.text import joined
from gradsmith.frontend.value_guards import decide
from gradsmith.frontend.writing import formatted

Call = Callable[..., Any]


def meaning_of_search(call: Call, function: Any, args: Sequence[Any]) -> Callable[..., Any] | None:
    """What the call means, if it is one of these methods, bound, and has to ask."""
    if not isinstance(function, types.BuiltinMethodType) or function.__name__ not in _SEARCHES:
        return None
    values: Any = function.__self__
    if type(values) not in (list, tuple):
        return None
    compares = function.__name__ == "index" and is_traced([*values, *args])
    compares = compares or any(special(value, "__eq__") for value in (*values, *args))
    compares = compares or (any(map(is_array, values)) and any(map(is_array, args)))
    return partial(_SEARCHES[function.__name__], call, values) if compares else None


def _index(
    call: Call, values: Sequence[Any], item: Any, start: Any = 0, stop: Any = None, /
) -> int:
    for place in range(len(values))[start:stop]:
        if _is_equal(values[place], item):
            return place
    raise _not_found(call, values, item)


def _count(_: Call, values: Sequence[Any], item: Any, /) -> int:
    return sum(_is_equal(value, item) for value in values)


def _remove(_: Call, values: list[Any], item: Any, /) -> None:
    for place, value in enumerate(values):
        if _is_equal(value, item):
            del values[place]
            return
    [].remove(item)  # which raises Python's error


def _is_equal(value: Any, item: Any) -> bool:
    return is_it(value, item) or bool(decide(truth(compared(value, "Eq", item))))


_SEARCHES: dict[str, Callable[..., Any]] = {"index": _index, "count": _count, "remove": _remove}


class _Item:
    """An item that is in no list, and whose text stands in no message."""

    def __repr__(self) -> str:
        return "\0"


def _not_found(call: Call, values: Sequence[Any], item: Any) -> ValueError:
    """Python's error, which names the item in some versions."""
    try:
        type(values)().index(_Item())
    except ValueError as error:
        before, named, after = str(error).partition("\0")
        if named:
            return ValueError(joined([before, formatted(call, item, "r", ""), after]))
        return error
    return ValueError()
