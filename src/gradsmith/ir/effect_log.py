"""The log of a call's effects: what has been done for it is not done again.

A call may run a function more than once: when it is traced on present values, and when a check of
a value fails and another specialisation takes over. Prints, warnings and calls of functions that
are not differentiated are done by the first run that gets to them; later runs of the same call
find their results in the log. Each entry has a signature, so that no run takes the result of
another call.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradsmith.errors import UnsupportedError


@dataclass(frozen=True, slots=True)
class Signature:
    """What is called, and its arguments, as far as every run of a call has the same ones."""

    name: str
    arguments: tuple[object, ...] = ()

    @property
    def says(self) -> bool:
        """Whether it prints or warns, and is no call of a function without a rule."""
        return self in (PRINT, WARN)


PRINT, WARN = Signature("print"), Signature("warn")
"""Their texts may differ in the last digits, as stable forms round otherwise."""


@dataclass(frozen=True, slots=True)
class Done:
    """An effect: what it gave, or the error that it ended in."""

    signature: Signature
    result: Any
    error: BaseException | None


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
        found._done = [done for done in self._done if not done.signature.says]
        return found

    def perform(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)``, unless an earlier run has done it."""
        return self.once(signature(function, args, kwargs), function, *args, **kwargs)

    def once(
        self, signature: Signature, function: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        """The effect of this signature, which ``function(*args, **kwargs)`` has.

        Raises
        ------
        UnsupportedError
            An earlier run of the same call has had another effect in this place.
        """
        if self.place == len(self._done):
            self._done.append(Done(signature, *_attempted(function, args, kwargs)))
        done = self._done[self.place]
        if done.signature != signature:
            raise UnsupportedError(
                f"{signature.name} is called where an earlier run of the same call has called "
                f"{done.signature.name}, or the same with other arguments",
                hint="pass what it returns as an argument",
            )
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


def signature(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Signature:
    """That of a call of ``function``."""
    if function is print:
        return PRINT
    if function is warnings.warn:
        return WARN
    named = tuple((key, _shown(value)) for key, value in kwargs.items())
    return Signature(_name(function), (_shown(tuple(args)), named))


def _name(function: Any) -> str:
    return getattr(function, "__name__", None) or type(function).__name__


def _shown(value: Any) -> object:
    """An argument as far as it can be compared: no floating-point numbers, nor objects and
    containers, which a later effect may have changed.
    """
    if isinstance(value, (int, np.integer, np.bool_)):
        return int(value)
    if value is None or isinstance(value, (str, bytes)):
        return value
    if isinstance(value, np.ndarray):
        return np.ndarray, value.dtype, value.shape
    if isinstance(value, tuple):
        return tuple(map(_shown, value))
    return _name(value) if callable(value) else type(value)


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


def perform_new(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The same of a function that makes the arrays that it returns: the code at work may write to
    these, and another run of the call must find them as they were.
    """
    return _copied(perform(function, *args, **kwargs))


def perform_on_copies(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The same of ``function``, which also returns its arguments as it leaves them."""
    result, given, changed = perform(function, *args, **kwargs)
    return result, _copied(given), changed


def _copied(value: Any) -> Any:
    """The arrays in a result as others."""
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    if isinstance(value, tuple):
        return tuple.__new__(type(value), map(_copied, value))
    return {key: _copied(v) for key, v in value.items()} if type(value) is dict else value
