"""Values within lists, tuples, dicts and slices, as arguments of functions have them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

NUMPYS = (list, tuple, slice)
"""The containers that NumPy takes arguments and indices in."""


def leaves(value: Any, within: tuple[type, ...] = NUMPYS) -> Iterator[Any]:
    """What containers of exactly these classes hold, with the keys of dicts; or the value."""
    if type(value) not in within:
        yield value
        return
    for part in _parts(value):
        yield from leaves(part, within)


def mapped(change: Callable[[Any], Any], value: Any, within: tuple[type, ...] = NUMPYS) -> Any:
    """The value with its leaves changed."""
    kind = type(value)
    if kind not in within:
        return change(value)
    made = [mapped(change, part, within) for part in _parts(value)]
    if kind is slice:
        return slice(*made)
    return dict(zip(made[::2], made[1::2], strict=True)) if kind is dict else kind(made)


def mapped_arguments(
    change: Callable[[Any], Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    within: tuple[type, ...] = NUMPYS,
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call with their leaves changed."""
    made = [mapped(change, value, within) for value in args]
    return made, {name: mapped(change, value, within) for name, value in kwargs.items()}


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, slice):
        return value.start, value.stop, value.step
    return [part for pair in value.items() for part in pair] if isinstance(value, dict) else value
