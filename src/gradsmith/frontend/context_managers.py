"""Context managers: ``with``, and ``contextlib.ExitStack``.

An exit stack holds its callbacks in a deque, which is announced to branches and loops before it
changes; what a stack calls goes through the runtime.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from contextlib import ExitStack, closing, redirect_stderr, redirect_stdout, suppress
from typing import Any

from gradsmith.frontend.calling import call
from gradsmith.frontend.classes import special
from gradsmith.frontend.dispatch import own_error
from gradsmith.frontend.failures import is_refusal
from gradsmith.frontend.floating_errors import check_calling, check_recording
from gradsmith.frontend.journal import note_container
from gradsmith.frontend.redirected_output import check_output
from gradsmith.frontend.trace import DATA_ERRORS, count_handlers, current_trace


class Passing:
    """A context manager that lets errors pass which say that gradsmith refuses something.

    ``contextlib.suppress(TypeError)`` would take a way that the function on arrays does not take.
    """

    __slots__ = ("_manager",)

    def __init__(self, manager: Any) -> None:
        self._manager = manager

    def __enter__(self) -> Any:
        self._watch(1)
        check_recording(self._manager)
        if isinstance(self._manager, (redirect_stdout, redirect_stderr)):
            check_output(vars(self._manager)["_new_target"])
        mine = special(self._manager, "__enter__")
        entered = call(mine, self._manager) if mine else self._manager.__enter__()
        check_calling(self._manager)
        return entered

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any:
        self._watch(-1)
        own = own_error(error)
        if own is None and is_refusal(error):  # an error in the manager must not take its place
            with suppress(Exception):
                _left(self._manager, kind, error, traceback)
            return False
        given = (kind, error, traceback) if own is None else (type(own), own, traceback)
        return _left(self._manager, *given) and not is_refusal(error)

    def _watch(self, step: int) -> None:
        """Errors inside may be handled, as in a ``try`` with handlers."""
        suppresses = isinstance(self._manager, (suppress, ExitStack))
        if current_trace() is not None and (suppresses or special(self._manager, "__exit__")):
            count_handlers(step, DATA_ERRORS)


def _left(manager: Any, *error: Any) -> Any:
    """``manager.__exit__(...)``."""
    if isinstance(manager, ExitStack):
        _announce(manager)
    if type(manager) is closing:
        return call(call(getattr, vars(manager)["thing"], "close"))
    mine = special(manager, "__exit__")
    return call(mine, manager, *error) if mine else manager.__exit__(*error)


def _announce(stack: ExitStack) -> None:
    note_container(vars(stack))
    note_container(vars(stack)["_exit_callbacks"])


def method_of_exit_stack(function: Any) -> Callable[..., Any] | None:
    """What a method of an exit stack does; None of other functions."""
    if not (isinstance(function, types.MethodType) and isinstance(function.__self__, ExitStack)):
        return None
    stack, method = function.__self__, _METHODS.get(function.__func__)
    if method is None:
        return None

    def done(*args: Any, **kwargs: Any) -> Any:
        _announce(stack)
        return method(stack, *args, **kwargs)

    return done


def _callback(stack: ExitStack, callback: Any, /, *args: Any, **kwargs: Any) -> Any:
    stack.callback(call, callback, *args, **kwargs)
    return callback


def _push(stack: ExitStack, leaving: Any) -> Any:
    """``leaving`` is a context manager that is entered already, or called with the error."""
    is_manager = hasattr(type(leaving), "__exit__")
    stack.push(lambda *error: _left(leaving, *error) if is_manager else call(leaving, *error))
    return leaving


def _enter_context(stack: ExitStack, manager: Any) -> Any:
    sound = hasattr(type(manager), "__enter__") and hasattr(type(manager), "__exit__")
    return stack.enter_context(Passing(manager) if sound else manager)


_METHODS: dict[Any, Callable[..., Any]] = {
    ExitStack.callback: _callback,
    ExitStack.push: _push,
    ExitStack.enter_context: _enter_context,
    ExitStack.pop_all: ExitStack.pop_all,
    ExitStack.close: ExitStack.close,
}
