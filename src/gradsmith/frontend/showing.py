"""What the emitted code does for its user: it prints, warns and raises errors, in their order."""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from gradsmith.errors import ConcretizationError, Span, UnsupportedError
from gradsmith.frontend.dispatch import check_at_root
from gradsmith.frontend.exact_type import check_text
from gradsmith.frontend.floating_errors import is_error
from gradsmith.frontend.opaque import OpaqueObject, present_object, record
from gradsmith.frontend.present import present_values
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.text import STAND_INS, Text, Value, settled
from gradsmith.frontend.trace import Reliance, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.writing import formatted
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Op
from gradsmith.ops import effects
from gradsmith.ops.calls import Callee
from gradsmith.ops.effects import NUMPYS_ERRORS
from gradsmith.ops.texts import Given, Whole, Written, evaluated

Call = Callable[..., Any]
PRINT = Callee("function", "builtins:print", "print")
PLAIN = (str, bool, int, float, complex, type(None))
_IN_EVERY_CLASS = {
    *("__module__", "__qualname__", "__doc__", "__weakref__", "__dict__"),
    *("__firstlineno__", "__static_attributes__"),
}


class Effect:
    """Something that the emitted code is to do, while its arguments are collected."""

    def __init__(self, op: Op) -> None:
        trace = current_trace()
        assert trace is not None
        self.op = op
        self.builder = trace.builder
        self.operands: list[Any] = []
        self.given: list[Given] = []

    def take(self, values: Iterable[Any]) -> Effect:
        """Itself, with further arguments: traced values, texts, plain numbers and strings."""
        self.given += [self._given(value) for value in values]
        return self

    def _given(self, value: Any) -> Given:
        if isinstance(value, (Tracer, TracedInt)):
            return self._operand(value)
        return self._written(value) if isinstance(value, Text) else value

    def _written(self, text: Text) -> Written:
        return tuple(
            part if isinstance(part, str) else part.piece(self._what(self._here(part)))
            for part in text.parts
        )

    def _what(self, value: Node | TracedInt | Text) -> Whole | Written:
        return self._written(value) if isinstance(value, Text) else self._operand(value)

    def _here(self, part: Value) -> Any:
        if not self.builder.is_inside(part.home):
            raise ConcretizationError(
                f"a text that says the number of {part.shown} was made in a branch or loop on "
                "traced values, and is used outside of it",
                current_span(),
                "make the text where it is used",
            )
        return part.value

    def _operand(self, value: Any) -> Whole:
        operand = value.node if isinstance(value, Tracer) else value
        operand = operand.dim if isinstance(operand, TracedInt) else operand
        known = [place for place, other in enumerate(self.operands) if other is operand]
        if not known:
            self.operands.append(operand)
        return Whole(known[0] if known else len(self.operands) - 1)

    def say(self, **attrs: Any) -> None:
        """Put it into the graph, if the function has not been run, and said it, before."""
        trace = current_trace()
        if trace is not None and not trace.silent:
            self.add(token=trace.root.token(), **attrs)

    def add(self, span: Span | None = None, **attrs: Any) -> Node:
        """Put it into the graph, for this place in the user's code or where that is now."""
        self.builder.span = span or current_span() or self.builder.span
        return self.op(*self.operands, arguments=tuple(self.given), **attrs)


@contextmanager
def silently() -> Iterator[None]:
    """What runs inside has been run before: it prints nothing, and gives no warnings."""
    trace = current_trace()
    assert trace is not None
    outer, trace.silent = trace.silent, True
    try:
        yield
    finally:
        trace.silent = outer


def in_silence(function: Call) -> Call:
    """The function with everything that it does done silently."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with silently():
            return function(*args, **kwargs)

    return run


def printed(call: Call, args: Iterable[Any], options: Mapping[str, Any]) -> None:
    """``print(*args, **options)``."""
    known = {name: settled(value) for name, value in options.items()}
    if current_trace() is None:
        print(*args, **known)
        return
    if known.get("file") not in (None, sys.stdout, sys.stderr):
        record(PRINT, list(args), known)
        return
    stream = _stream(known.pop("file", None))
    flush = bool(known.pop("flush", False))
    for name in ("sep", "end"):
        if not isinstance(known.setdefault(name, None), (str, type(None))):
            raise TypeError(f"{name} must be None or a string, not {type(known[name]).__name__}")
    sep, end = known.pop("sep"), known.pop("end")
    if known:
        print(**known)  # raises what Python raises
    given = [_as_printed(call, value) for value in args]
    Effect(effects.show).take(given).say(sep=sep, end=end, stream=stream, flush=flush)


def _as_printed(call: Call, value: Any) -> Any:
    if isinstance(value, Tracer):
        check_text(value, by_class=False)
    traced = isinstance(value, (Tracer, TracedInt))
    return value if traced else formatted(call, value, "s", "")


def _stream(file: Any) -> str:
    return "stderr" if file is sys.stderr and file is not sys.stdout else "stdout"


def warned(
    call: Call, message: Any, category: Any = None, stacklevel: int = 1, **options: Any
) -> None:
    """``warnings.warn(message, category, stacklevel)``."""
    name = None if category is None else getattr(category, "__name__", "")
    known = name is None or getattr(builtins, name, None) is category
    if options or not known or isinstance(message, Warning):
        raise UnsupportedError(
            "warnings.warn is supported with a text, one of Python's own categories, and a "
            "stacklevel",
            current_span(),
            'write warnings.warn("...", RuntimeWarning)',
        )
    text = formatted(call, message, "s", "")
    _raise_as_error(text, category or UserWarning)
    level = int(stacklevel)
    Effect(effects.warn).take([text]).say(category=name, stacklevel=level)


def _raise_as_error(text: Any, category: type[Warning]) -> None:
    """Raise a warning that a ``try`` may handle, where filters make errors of such warnings."""
    trace = current_trace()
    if trace is None or not trace.trying:
        return
    strict = partial(is_error, category)
    trace.reliances["warning", category] = Reliance(strict, strict(), by_identity=True)
    if strict():
        check_at_root(trace)
        raise category(text)


def can_fail(error: BaseException) -> bool:
    """Whether emitted code can raise the error: of a known class, with plain arguments."""
    bare = not vars(error) or type(error) in NUMPYS_ERRORS
    if isinstance(error, OSError) and error.filename is not None:  # which is no argument
        return False
    return _adds_nothing(type(error)) and bare and all(map(_is_given, error.args))


def _adds_nothing(kind: type[BaseException]) -> bool:
    """Whether a class of errors is a name for another one, or for several."""
    return (
        kind.__module__ == "builtins"
        or kind in NUMPYS_ERRORS
        or (vars(kind).keys() <= _IN_EVERY_CLASS and all(map(_adds_nothing, kind.__bases__)))
    )


def _is_given(value: Any) -> bool:
    known = isinstance(value, (Tracer, TracedInt, Text, np.ufunc, np.dtype))
    return known or type(value) in PLAIN


def failed(error: BaseException, span: Span | None = None) -> None:
    """Let the emitted code raise the error, at this place in the user's code or where that is."""
    effect = Effect(effects.fail).take(error.args)
    if not error.__suppress_context__:
        effect.add(span, error=type(error))
        return
    cause = error.__cause__
    if cause is None or not can_fail(cause):
        effect.add(span, error=type(error), cause=(None, 0))
    else:
        effect.take(cause.args).add(span, error=type(error), cause=(type(cause), len(cause.args)))


def present(value: Any) -> Any:
    """What a traced value, a text of such, or a container of them is in the present call."""
    if type(value) in (list, tuple):
        return type(value)(map(present, value))
    if type(value) is dict:
        return {key: present(part) for key, part in value.items()}
    trace = current_trace()
    if type(value) is OpaqueObject:
        return present_object(value)
    if trace is None or not isinstance(value, STAND_INS):
        return value
    effect, known = Effect(effects.fail).take([value]), present_values(trace)
    operands = [known.of(o) if isinstance(o, Node) else known.of_size(o) for o in effect.operands]
    (found,) = evaluated(effect.given, operands)
    return found.copy() if isinstance(found, np.ndarray) else found
