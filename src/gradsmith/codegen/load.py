"""From emitted text to a callable, with its lines known to tracebacks and pdb."""

from __future__ import annotations

import io
import itertools
import linecache
from collections.abc import Callable, Mapping
from typing import Any

_serial = itertools.count(1)


def load(text: str, name: str, instead: Mapping[str, Any] | None = None) -> Callable[..., Any]:
    """The function ``name`` of the emitted module ``text``, with other values for names in it."""
    filename = f"<gradsmith {name} {next(_serial)}>"
    namespace: dict[str, Any] = {"__name__": f"gradsmith.emitted.{name}"}
    exec(compile(text, filename, "exec"), namespace)
    namespace.update(instead or {})
    # an mtime of None keeps linecache.checkcache from dropping what is no file
    linecache.cache[filename] = (len(text), None, io.StringIO(text).readlines(), filename)
    function: Callable[..., Any] = namespace[name]
    return function
