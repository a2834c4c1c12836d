"""``np.errstate`` and filters of warnings that turn floating-point errors into exceptions.

Whether a computation raises one is specialised on, as for errors of Python's in a ``try``.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.spans import current_span


@dataclass(slots=True)
class FloatingErrors:
    """What NumPy and Python do about floating-point errors when a run begins."""

    kinds: Mapping[str, Any] = field(default_factory=np.geterr)
    filters: list[object] = field(default_factory=lambda: list(warnings.filters))

    outermost: object = field(default_factory=lambda: warnings.filters)

    @property
    def catches_warnings(self) -> bool:
        """Whether the function is within a ``with warnings.catch_warnings()`` of its own."""
        return warnings.filters is not self.outermost

    @contextmanager
    def as_before(self) -> Iterator[None]:
        """Warnings of gradsmith's own are subject to the filters that there were."""
        if list(warnings.filters) == self.filters:
            yield
            return
        with warnings.catch_warnings():
            warnings.filters[:] = self.filters  # type: ignore[index]
            yield

    def raised(self, *, handled: bool) -> tuple[str, ...]:
        """The kinds of errors that raise exceptions now, and did not then; where the exceptions
        are ``handled``, also those that did.
        """
        now = np.geterr()
        strict = list(warnings.filters) != self.filters and _warnings_are_errors()
        if now == self.kinds and not strict and not (handled and "raise" in now.values()):
            return ()
        ways = ("raise", "warn") if strict else ("raise",)
        return tuple(
            kind
            for kind, way in now.items()
            if way in ways and (handled or self.kinds[kind] != "raise")
        )

    def restore(self) -> None:
        """Let NumPy do what it did then."""
        np.seterr(**self.kinds)


def _warnings_are_errors() -> bool:
    """Whether the warnings that NumPy gives of such errors raise exceptions."""
    return is_error(RuntimeWarning)


def is_error(category: type[Warning]) -> bool:
    """Whether warnings of this category raise exceptions, whatever their texts."""
    for action, message, kind, module, line in warnings.filters:
        if issubclass(category, kind) and message is None and module is None and not line:
            return action == "error"
    return False


def check_recording(manager: object) -> None:
    """Refuse ``warnings.catch_warnings(record=True)``.

    Raises
    ------
    UnsupportedError
        It is that: the warnings are given while the code runs.
    """
    if isinstance(manager, warnings.catch_warnings) and getattr(manager, "_record", False):
        raise UnsupportedError(
            "the warnings that warnings.catch_warnings(record=True) records are given only while "
            "the code runs",
            current_span(),
            'use warnings.simplefilter("error") and try, or ask for the condition itself',
        )


def check_calling(manager: object) -> None:
    """Refuse ``np.errstate(call=...)``, which has just been entered.

    Raises
    ------
    UnsupportedError
        NumPy would call a function for each error.
    """
    if isinstance(manager, np.errstate) and {"call", "log"} & set(np.geterr().values()):
        manager.__exit__(None, None, None)
        raise UnsupportedError(
            "np.errstate that makes NumPy call a function is not supported in a function that "
            "gradsmith traces",
            current_span(),
            "ask for the condition itself: if np.any(x == 0)",
        )
