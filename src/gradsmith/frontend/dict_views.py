"""Views of dicts that are held outside: ``d.keys()``, ``d.values()``, ``d.items()``, and read-only
proxies. They show what the dict holds by now, so the function sees views of what stands for it.
"""

from __future__ import annotations

import gc
import types
from collections import OrderedDict
from typing import Any

_DICTS: tuple[dict[Any, Any], ...] = ({}, OrderedDict())
METHODS = {type(getattr(d, name)()): name for d in _DICTS for name in ("keys", "values", "items")}
VIEWS = (*METHODS, types.MappingProxyType)


def mapping_of(view: Any) -> Any:
    """The dict that ``view`` shows: Python itself has only proxies to give."""
    (found,) = gc.get_referents(view)
    return found


def shows_dict(value: Any) -> bool:
    """Whether it is a view of a dict that is no class's namespace."""
    if type(value) not in VIEWS:
        return False
    return isinstance(mapping_of(value), dict) and not _is_of_class(value)


def _is_of_class(value: Any) -> bool:
    return isinstance(value, types.MappingProxyType) and "__module__" in value


def view_of(mapping: Any, view: Any) -> Any:
    """A view like ``view`` of another dict."""
    name = METHODS.get(type(view))
    return types.MappingProxyType(mapping) if name is None else getattr(mapping, name)()
