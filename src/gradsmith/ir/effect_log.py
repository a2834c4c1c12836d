"""The log of a call's effects: what has been done for it is not done again.

A call may run a function more than once: when it is traced on present values, and when a check of
a value fails and another specialisation takes over. Prints, warnings and calls of functions that
are not differentiated are done by the first run that gets to them; later runs of the same call
find their results in the log.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Done:
    """An effect: what it gave, or the error that it ended in."""

    result: Any
    error: BaseException | None
    says: bool
    """Whether it prints or warns, and is no call of a function without a rule."""


class EffectLog:
    """The effects of one call in their order."""

    def __init__(self) -> None:
        self._done: list[Done] = []
        self.place = 0
        """How many of them the present run has come to."""

    def __bool__(self) -> bool:
        return bool(self._done)

    def of_calls(self) -> EffectLog:
        """What code that neither prints nor warns goes on from: the calls without a rule."""
        found = EffectLog()
        found._done = [done for done in self._done if not done.says]
        return found

    def perform(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)``, unless an earlier run has done it."""
        return self._perform(function, args, kwargs, says=function in (print, warnings.warn))

    def say(self, function: Callable[..., Any], *args: Any) -> Any:
        """The same of a function that prints or warns."""
        return self._perform(function, args, {}, says=True)

    def _perform(self, function: Callable[..., Any], args: Any, kwargs: Any, *, says: bool) -> Any:
        if self.place == len(self._done):
            self._done.append(Done(*_attempted(function, args, kwargs), says))
        done = self._done[self.place]
        self.place += 1
        if done.error is not None:
            raise done.error
        return done.result

    @contextmanager
    def run(self) -> Iterator[None]:
        """A run of the function from its beginning: effects inside go through the log."""
        self.place = 0
        token = _at_work.set(self)
        try:
            yield
        finally:
            _at_work.reset(token)


def _attempted(
    function: Callable[..., Any], args: Any, kwargs: Any
) -> tuple[Any, Exception | None]:
    if function is warnings.warn:  # below it are this function, three of the log, and the caller
        kwargs = {**kwargs, "stacklevel": kwargs.get("stacklevel", 1) + 4}
    try:
        return function(*args, **kwargs), None
    except Exception as error:
        return None, error


_at_work: ContextVar[EffectLog | None] = ContextVar("effects", default=None)


def perform(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)`` within a run; outside of one it is simply called."""
    log = _at_work.get()
    if log is None:
        return function(*args, **kwargs)
    return log.perform(function, *args, **kwargs)
