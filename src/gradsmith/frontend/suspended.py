"""Generators that stand in a ``try`` or ``with``: what follows is done when they are closed.

Python does it once no variable holds the generator any more. A loop or branch of the graph cannot
leave that open, and a part of a run that is undone must not have such an effect later.
"""

from __future__ import annotations

import dis
import weakref
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from inspect import GEN_SUSPENDED, getgeneratorstate
from types import CodeType, GeneratorType
from typing import Any

from gradsmith.errors import ControlFlowError, Span
from gradsmith.frontend.codes import CodeTable
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.unsettled import UndecidedError

_HANDLING = ("PUSH_EXC_INFO", "SETUP_FINALLY", "SETUP_WITH")
_with_handlers: CodeTable[bool] = CodeTable()


def note_generator(
    trace: Trace | None, made: GeneratorType[Any, Any, Any], code: CodeType
) -> None:
    """A function of the user's, with this code, has made ``made``."""
    if trace is not None and _has_handlers(code):
        trace.generators.append(weakref.ref(made))


def _has_handlers(code: CodeType) -> bool:
    if code not in _with_handlers:
        steps = dis.get_instructions(code)
        _with_handlers[code] = any(step.opname in _HANDLING for step in steps)
    return _with_handlers[code]


def suspended(trace: Trace, begin: int = 0) -> Iterator[GeneratorType[Any, Any, Any]]:
    """Those that have begun and not ended, made after the first ``begin`` ones."""
    for find in trace.generators[begin:]:
        generator = find()
        if generator is not None and getgeneratorstate(generator) == GEN_SUSPENDED:
            yield generator


def close_suspended(trace: Trace, begin: int = 0) -> None:
    """End these now, without effects: they are of a part of a run that is undone."""
    first = len(trace.builder.nodes)
    for generator in suspended(trace, begin):
        with suppress(BaseException):
            generator.close()
    trace.builder.forget_effects(first)


@contextmanager
def closed_on_failure(trace: Trace) -> Iterator[None]:
    """A run that fails is made anew: what its generators do when they are closed has no effect."""
    try:
        yield
    except BaseException:
        close_suspended(trace)
        raise


def check_none_suspended(trace: Trace, begin: int, branch: Span | None = None) -> None:
    """An iteration of a loop ends here, or a path of a ``branch``, which is to be decided then.

    Raises
    ------
    ControlFlowError
        It leaves a generator open.
    """
    for generator in suspended(trace, begin):
        text = f"the generator {generator.__name__} is left open within a `try` or `with`"
        hint = "go through all of it, or close it where it was made"
        if branch is not None:
            raise UndecidedError.at(branch, text, hint)
        raise ControlFlowError(text, current_span(), hint)


def check_none_given_up(
    trace: Trace, before: Iterable[Any], now: Iterable[Any], branch: Span | None
) -> None:
    """What holds these values now has held others before the path of a ``branch`` that ends here.

    Raises
    ------
    UndecidedError
        A generator is among those alone: Python closes it on this path.
    """
    held = set(map(id, now))
    given_up = {id(value) for value in before} - held
    for generator in suspended(trace):
        if id(generator) in given_up:
            text = f"the generator {generator.__name__} is given up within a `try` or `with`"
            raise UndecidedError.at(branch, text, "close it before the branch")
