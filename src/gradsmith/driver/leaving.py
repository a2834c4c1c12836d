"""Errors on their way to the user: without the compiler's own frames, in terms of the user's call.

The environment variable ``GRADSMITH_TRACEBACK=full`` keeps every frame.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType

from gradsmith.errors import GradsmithError, InternalError
from gradsmith.frontend.failures import public_module
from gradsmith.frontend.spans import span_in
from gradsmith.frontend.trace import current_trace

_OWN = f"{Path(__file__).parents[1]}{os.sep}"
_PATHS = sysconfig.get_paths()
_LIBRARIES = tuple(f"{_PATHS[kind]}{os.sep}" for kind in ("stdlib", "purelib", "platlib"))
SWITCH = "GRADSMITH_TRACEBACK"


def outside(error: BaseException) -> BaseException:
    """The error as the user is to see it; within a traced function as it is."""
    if current_trace() is not None:
        return error
    if isinstance(error, GradsmithError):
        _in_terms_of_the_users_call(error)
    if os.environ.get(SWITCH) == "full" or isinstance(error, InternalError):
        return error
    seen: set[int] = set()
    shown: BaseException | None = error
    while shown is not None and id(shown) not in seen:
        seen.add(id(shown))
        shown.__traceback__ = _without_own(shown.__traceback__)
        shown = shown.__cause__ or shown.__context__
    return error


def _without_own(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback without gradsmith's frames; as it is where nothing else would be left."""
    kept = [t for t in _entries(traceback) if not _is_own(t.tb_frame)]
    result: TracebackType | None = None
    for entry in reversed(kept):
        result = TracebackType(result, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return result


def _entries(traceback: TracebackType | None) -> Iterator[TracebackType]:
    while traceback is not None:
        yield traceback
        traceback = traceback.tb_next


def _is_own(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_OWN)


# -- libraries -----------------------------------------------------------------------------------


def _in_terms_of_the_users_call(error: GradsmithError) -> None:
    """An error in a line of a library is one of the call that the user has written."""
    if error.span is None or not error.span.file.startswith(_LIBRARIES):
        return
    last: FrameType | None = None
    for entry in _entries(error.__traceback__):
        frame = entry.tb_frame
        if _is_own(frame):
            continue
        if not frame.f_code.co_filename.startswith(_LIBRARIES):
            last = frame
            span = span_in(frame)
        elif last is not None and span is not None:
            error.message = f"{_called(frame)}: {error.message} (in {error.span.where})"
            error.span = span
            error.args = (error.message,)
            return


def _called(frame: FrameType) -> str:
    """The function that a frame runs, by the name that users import."""
    code = frame.f_code
    qualified = code.co_qualname if sys.version_info >= (3, 11) else code.co_name
    module = frame.f_globals.get("__name__", "")
    return f"{public_module(module, qualified)}.{qualified}" if module else qualified
