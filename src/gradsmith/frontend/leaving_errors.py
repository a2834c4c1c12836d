"""Errors that Python raises while a function is traced, on their way out of the call: whatever
they hold is then what it is in this call.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from gradsmith import tree
from gradsmith.errors import GradsmithError
from gradsmith.frontend.dispatch import is_traced
from gradsmith.frontend.path_errors import users_context
from gradsmith.frontend.present import present_values
from gradsmith.frontend.showing import present
from gradsmith.frontend.stand_ins import is_opaque
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.trips import Trips
from gradsmith.frontend.value_guards import plain_key

_MEMBERS = (list, tuple, set, frozenset, deque)
_OF_CLASSES = ("obj", "code", "value", "filename", "filename2", "name", "path")
"""Attributes that some classes of errors hold beside their arguments."""


def with_present_values(error: BaseException) -> None:
    """Let an error hold what its traced values are in this call; so those that led to it."""
    trace = current_trace()
    if trace is None or isinstance(error, GradsmithError):
        return
    try:
        present_values(trace).perform_effects()
    except Exception as earlier:  # which the emitted code would raise
        earlier.__context__ = None
        raise
    _Present(trace).of(error)


def holds_traced(error: BaseException) -> bool:
    """Whether there are traced values among all that an error holds."""
    trace, seen = current_trace(), {}
    stack: list[Any] = [error]
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen[id(value)] = value
        if is_traced(value) or is_opaque(value) or isinstance(value, Trips):
            return True
        stack += _parts(value, trace)
    return False


def says_more(error: BaseException) -> bool:
    """Whether an error tells more than its arguments: a name, an object, the error that the
    function was handling.
    """
    return users_context(error) is not None or any(
        held is not None for held in _held_by_class(error).values()
    )


def _parts(value: Any, trace: Trace | None) -> Iterable[Any]:
    if isinstance(value, GradsmithError):
        return value.args
    if isinstance(value, BaseException):
        return [*value.args, *vars(value).values(), *_held_by_class(value).values()]
    if isinstance(value, slice):
        return value.start, value.stop, value.step
    attributes = list(tree.attributes(value).values()) if _is_made(value, trace) else []
    if isinstance(value, dict):
        return [*dict.keys(value), *dict.values(value), *attributes]
    return [*value, *attributes] if isinstance(value, _MEMBERS) else attributes


def _held_by_class(error: BaseException) -> dict[str, Any]:
    return {name: getattr(error, name) for name in _OF_CLASSES if hasattr(type(error), name)}


def _is_made(value: Any, trace: Trace | None) -> bool:
    return trace is not None and (id(value) in trace.made or id(value) in trace.opened)


class _Present:
    """The parts of an error, each with the values of this call in it: objects are changed, so that
    they stay the same ones.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._seen: dict[int, tuple[Any, Any]] = {}

    def of(self, value: Any) -> Any:
        """The value, or what takes its place."""
        if id(value) not in self._seen:
            self._seen[id(value)] = value, value
            self._seen[id(value)] = value, self._made(value)
        return self._seen[id(value)][1]

    def _made(self, value: Any) -> Any:
        original = self._trace.originals.get(id(value))
        if original is not None and original.real is not value:
            return original.real
        if isinstance(value, BaseException):
            self._change_error(value)
        elif isinstance(value, Trips):
            return value.as_range()
        elif isinstance(value, slice):
            return slice(*map(self.of, _parts(value, None)))
        elif isinstance(value, (set, frozenset, tuple)):
            return self._members(value)
        elif isinstance(value, (dict, list, deque)):
            self._change_container(value)
        else:
            value = present(value)
        if _is_made(value, self._trace):
            for name, part in tree.attributes(value).items():
                self._set(value, name, part)
        return value

    def _set(self, owner: Any, name: str, part: Any) -> None:
        settled = self.of(part)
        if settled is not part:
            object.__setattr__(owner, name, settled)

    def _members(self, value: Any) -> Any:
        if isinstance(value, tuple):
            parts = list(map(self.of, value))
            same = all(one is other for one, other in zip(parts, value, strict=True))
            return value if same else tuple.__new__(type(value), parts)
        members = list(map(plain_key, value))
        if type(value) is not set:
            return type(value)(members)
        value.clear()
        value.update(members)
        return value

    def _change_container(self, value: dict[Any, Any] | list[Any] | deque[Any]) -> None:
        if isinstance(value, dict):
            items = [(plain_key(key), self.of(part)) for key, part in dict.items(value)]
            dict.clear(value)
            dict.update(value, items)
        else:
            for place, part in enumerate(map(self.of, list(value))):
                value[place] = part

    def _change_error(self, error: BaseException) -> None:
        if isinstance(error, GradsmithError):
            return
        error.args = tuple(map(self.of, error.args))
        for name, part in [*vars(error).items(), *_held_by_class(error).items()]:
            self._set(error, name, part)
        for other in (error.__cause__, error.__context__):
            if other is not None:
                self.of(other)
