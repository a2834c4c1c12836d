"""The exception tree, source spans and how an error shows the user's line."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the user's source: lines from 1, columns (in characters) from 0."""

    file: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    function: str = ""
    adjoint: bool = False

    def as_adjoint(self) -> Span:
        """The same stretch, for a node that belongs to its derivative."""
        return replace(self, adjoint=True)

    @property
    def text(self) -> str:
        """The whole first line of the span, stripped, or an empty string."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def expression(self) -> str:
        """The spanned expression where it stands on one line, else the whole first line."""
        if self.end_line == self.line and self.end_column > self.column:
            line = linecache.getline(self.file, self.line)
            return line[self.column : self.end_column].strip()
        return self.text

    @property
    def where(self) -> str:
        """``file.py:12``, with the bare file name: stable over machines."""
        return f"{PurePath(self.file).name}:{self.line}"

    def render(self) -> str:
        """The location, the line and a caret line under the expression."""
        head = f'  File "{self.file}", line {self.line}'
        head += f", in {self.function}" if self.function else ""
        raw = linecache.getline(self.file, self.line).rstrip()
        if not raw:
            return head
        indent = len(raw) - len(raw.lstrip())
        start = max(self.column, indent)
        on_line = self.end_line == self.line and self.end_column > start
        end = self.end_column if on_line else len(raw)
        carets = " " * (start - indent) + "^" * max(end - start, 1)
        return f"{head}\n    {raw.strip()}\n    {carets}"


class GradsmithError(Exception):
    """Base of every error that gradsmith raises.

    Parameters
    ----------
    message : str
        What is wrong, with the values (names, shapes, dtypes).
    span : Span, optional
        Where in the user's source; by default where the user's code is now.
    hint : str, optional
        What to do about it; by default what the class advises.
    """

    locate: ClassVar[Callable[[], Span | None]] = staticmethod(lambda: None)
    """Tells where the user's code is; the frontend, which knows, sets it."""
    advice: ClassVar[str | None] = None
    loop: Span | None = None
    """The loop that cannot stay one, where the error is about what a loop does not know."""
    size: Any = None
    """The size that would have to be known, where it is about one."""
    optional: str | None = None
    """The variable that is asked for, where it may be None when a loop begins."""
    own: Exception | None = None
    """The error that the user's function raises there on arrays, where that is known."""

    def __init__(self, message: str, span: Span | None = None, hint: str | None = None) -> None:
        self.message = message
        self.span = span or GradsmithError.locate()
        self.hint = hint or self.advice
        super().__init__(message)

    def __str__(self) -> str:
        parts = [self.message]
        if self.span is not None:
            parts.append(self.span.render())
        parts += self._details()
        if self.hint is not None:
            parts.append(f"  To fix it: {self.hint}")
        return "\n".join(parts)

    def _details(self) -> list[str]:
        """Lines between the place and the advice."""
        return []


class GradientError(GradsmithError, RuntimeError):
    """A gradient was asked for that does not exist (torch raises RuntimeError there)."""

    path: tuple[Span, ...] = ()
    """The steps from what is differentiated by to the result, where one has no derivative."""

    def _details(self) -> list[str]:
        lines = list(dict.fromkeys(f"    {span.where}: {span.text}" for span in self.path))
        own = None if self.span is None else f"    {self.span.where}: {self.span.text}"
        if len(lines) < 2 or own not in lines:
            return []
        return [
            "  On the path from the input to the result:",
            *_shortened(lines, lines.index(own)),
        ]


def _shortened(lines: list[str], place: int) -> list[str]:
    """The ends, and what is around ``place``."""
    kept = [k for k in range(len(lines)) if min(k, len(lines) - 1 - k) < 2 or abs(k - place) < 3]
    shown: list[str] = []
    for before, k in zip([-1, *kept], kept, strict=False):
        if k > before + 1:
            shown.append("    …")
        shown.append(lines[k])
    return shown


class SeedError(GradientError):
    """``grad_outputs`` does not fit the outputs."""


class SeedNeededError(SeedError):
    """An output has no implicit seed; ``example`` is a seed of the right shape and dtype."""

    example: Any = None


class UnusedInputError(GradientError):
    """An input does not reach the outputs through differentiable steps."""


class ArgumentTypeError(GradsmithError, TypeError):
    """An argument has a type or dtype that cannot be used here."""

    advice = "convert the value first, as in x.astype(float) or np.asarray(x)"


class ArgumentValueError(GradsmithError, ValueError):
    """An argument has the right type and an unusable value."""

    advice = "compare the value with what the function's documentation allows"


class ShapeError(GradsmithError, ValueError):
    """Shapes that do not fit each other (NumPy raises ValueError there)."""

    advice = (
        "compare the shapes (print(x.shape) in the function shows them); x[:, None] adds an axis, "
        "x.T swaps two"
    )


class NumberRangeError(GradsmithError, OverflowError):
    """A number that a dtype cannot hold (NumPy raises OverflowError there)."""


class IndexRangeError(GradsmithError, IndexError):
    """An index lies outside its axis (NumPy raises IndexError there)."""

    advice = "compare the index with the shape (print(x.shape) in the function shows it)"


class AttributeMissingError(GradsmithError, AttributeError):
    """A traced array has no such attribute."""


class UnsupportedError(GradsmithError, TypeError):
    """A NumPy function, argument or Python construct that gradsmith does not handle."""

    advice = "write it with supported NumPy functions, or compute it outside the function"


class UndecidedSizeError(UnsupportedError):
    """Tracing needs a size that only running tells."""

    advice = "use NumPy functions that take it as it is"


class AttributeUnsupportedError(UnsupportedError, AttributeMissingError):
    """An attribute that arrays have and gradsmith does not handle."""

    advice = UnsupportedError.advice


class ControlFlowError(UnsupportedError):
    """Python needs the value of a traced array to decide which way to go."""


class ConcretizationError(UnsupportedError):
    """A traced value would lose its thread: ``float(x)``, ``x.item()``, ``np.asarray(x)``."""


class SpecialisationError(ValueError):
    """A value that emitted code was specialised on is another one in this call."""


class CheckError(GradsmithError, AssertionError):
    """A derivative disagrees with finite differences."""


class InternalError(GradsmithError, AssertionError):
    """A graph that breaks gradsmith's own rules: please report it."""

    advice = "this is a mistake of gradsmith, not yours: please report it with the function"


class GradsmithWarning(UserWarning):
    """Base of every warning that gradsmith emits."""


class UnusedInputWarning(GradsmithWarning):
    """A gradient is zero since the output does not depend on the argument."""


class UnrolledLoopWarning(GradsmithWarning):
    """A loop with many iterations is written out: the code is as long as its data."""


class SpecialisationWarning(GradsmithWarning):
    """A function has been compiled for many values of something that Python needs to know."""


class TraceTimeEffectWarning(GradsmithWarning):
    """A side effect in a traced function runs when tracing, not at each call."""
