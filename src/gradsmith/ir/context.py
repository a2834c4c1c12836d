"""Which builder is at work in this thread of execution."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from gradsmith.errors import InternalError

if TYPE_CHECKING:
    from gradsmith.ir.builder import Builder

_current: ContextVar[Builder | None] = ContextVar("builder", default=None)


def current_builder() -> Builder:
    """The builder at work.

    Raises
    ------
    InternalError
        None is.
    """
    builder = _current.get()
    if builder is None:
        raise InternalError("no builder is at work: ops on nodes run inside `building(...)`")
    return builder


def builder_at_work() -> Builder | None:
    """The builder at work, if any."""
    return _current.get()


@contextmanager
def building(builder: Builder) -> Iterator[Builder]:
    """Make ``builder`` the one that ops append to."""
    token = _current.set(builder)
    try:
        yield builder
    finally:
        _current.reset(token)
