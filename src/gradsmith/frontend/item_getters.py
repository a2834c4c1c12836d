"""``operator.itemgetter``, ``operator.getitem`` and ``values.__getitem__`` of objects of which the
class says what their items are, and of a `defaultdict`, which calls its factory.
"""

from __future__ import annotations

import operator
import types
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradsmith.frontend import protocols
from gradsmith.frontend.classes import MISSING, has_methods
from gradsmith.frontend.default_items import default_item
from gradsmith.frontend.trace import current_trace


def meaning_of_item(function: Any, args: Sequence[Any]) -> Callable[..., Any] | None:
    """What a function means that reads items of such an object, else None."""
    if current_trace() is None:
        return None
    if isinstance(function, types.BuiltinMethodType) and function.__name__ == "__getitem__":
        owner: Any = function.__self__
        return partial(_plain_item, owner) if isinstance(owner, defaultdict) else None
    if not args or not (has_methods(args[0]) or isinstance(args[0], defaultdict)):
        return None
    if type(function) is operator.itemgetter:
        return partial(_items, function.__reduce__()[1])
    return protocols.item if function is operator.getitem else None


def _items(keys: Sequence[Any], owner: Any) -> Any:
    """``operator.itemgetter(*keys)(owner)``."""
    found = tuple(protocols.item(owner, key) for key in keys)
    return found if len(keys) > 1 else found[0]


def _plain_item(owner: Any, key: Any) -> Any:
    """``defaultdict.__getitem__(owner, key)``."""
    made = default_item(owner, key)
    return dict.__getitem__(owner, key) if made is MISSING else made
