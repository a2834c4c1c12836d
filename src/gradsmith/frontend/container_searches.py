"""``values.index(item)`` of lists and tuples, where traced values are compared."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradsmith.frontend.choices import compared, truth
from gradsmith.frontend.dispatch import is_traced
from gradsmith.frontend.text import joined
from gradsmith.frontend.value_guards import decide
from gradsmith.frontend.writing import formatted

Call = Callable[..., Any]


def meaning_of_search(call: Call, function: Any, args: Sequence[Any]) -> Callable[..., Any] | None:
    """What the call means, if it is one of a bound ``index`` that compares traced values."""
    if not isinstance(function, types.BuiltinMethodType) or function.__name__ != "index":
        return None
    values: Any = function.__self__
    if type(values) not in (list, tuple) or not is_traced([*values, *args]):
        return None
    return partial(_index, call, values)


def _index(
    call: Call, values: Sequence[Any], item: Any, start: Any = 0, stop: Any = None, /
) -> int:
    for place in range(len(values))[start:stop]:
        if values[place] is item or decide(truth(compared(values[place], "Eq", item))):
            return place
    raise _not_found(call, values, item)


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
