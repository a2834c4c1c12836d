"""What a function does besides computing: it raises errors, prints, warns.

The texts are made while the code runs, by Python itself and with its own formatting.
"""

from __future__ import annotations

import ast
import builtins
import sys
import warnings
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from gradsmith.ir.op import NON_DIFF, EmitRule, Emitter, Op
from gradsmith.ir.types import TupleType
from gradsmith.ops import syntax
from gradsmith.ops.declare import primitive
from gradsmith.ops.texts import Given, evaluated, expressed


def _effect(name: str, evaluate: Any, emit: EmitRule) -> Op:
    """An op without a result, which is needed by itself and never done twice.

    ``token`` tells two that look alike apart.
    """
    return primitive(
        name,
        infer=lambda *_, **__: TupleType(()),
        evaluate=evaluate,
        derivative=NON_DIFF,
        emit=emit,
        traits=("effect", "barrier"),
    )


# -- raise error(*arguments) from cause ----------------------------------------------------------


def _casting_error(**options: Any) -> type[BaseException]:
    """The class of a ufunc's error about the dtype of its result or operands."""
    try:
        np.add(np.zeros(0), 1.0, **options)
    except TypeError as error:
        return type(error)
    return TypeError


CASTING_ERRORS: dict[type, str] = {
    _casting_error(out=np.zeros(0, int)): "np._core._exceptions._UFuncOutputCastingError",
    _casting_error(dtype=int): "np._core._exceptions._UFuncInputCastingError",
}
"""Their arguments are a ufunc, a rule, and dtypes."""
NUMPYS_ERRORS: dict[type, str] = {
    np.linalg.LinAlgError: "np.linalg.LinAlgError",
    np.exceptions.AxisError: "np.exceptions.AxisError",
    **CASTING_ERRORS,
}
"""Those of NumPy's that its users raise, too, and that emitted code can."""


Cause: TypeAlias = "tuple[type[BaseException] | None, int]"
"""The class of an error's cause, and how many of the arguments are its own; None for no cause
(``from None``).
"""


def _fail(
    *values: Any,
    error: type[BaseException],
    arguments: Sequence[Given],
    cause: Cause | None = None,
) -> tuple[Any, ...]:
    given = evaluated(arguments, values)
    if cause is None:
        raise error(*given)
    kind, count = cause
    end = len(given) - count
    raise error(*given[:end]) from None if kind is None else kind(*given[end:])


def _emit_fail(emitter: Emitter, node: Any, *values: Any) -> Any:
    kind, given = emitter.error(node.attrs["error"]), expressed(node.attrs["arguments"], values)
    cause: Cause | None = node.attrs.get("cause")
    if cause is None:
        return ast.Raise(syntax.call(kind, *given), None)
    end = len(given) - cause[1]
    reason = syntax.expression(None)
    if cause[0] is not None:
        reason = syntax.call(emitter.error(cause[0]), *given[end:])
    return ast.Raise(syntax.call(kind, *given[:end]), reason)


fail = _effect("fail", _fail, _emit_fail)

# -- print(*arguments, sep=sep, end=end, file=sys.stream, flush=flush) ---------------------------


def _show(
    *values: Any,
    arguments: Sequence[Given],
    sep: str | None,
    end: str | None,
    stream: str,
    flush: bool,
) -> tuple[Any, ...]:
    given = evaluated(arguments, values)
    print(*given, sep=sep, end=end, file=getattr(sys, stream), flush=flush)
    return ()


def _emit_show(emitter: Emitter, node: Any, *values: Any) -> Any:
    attrs = node.attrs
    options: dict[str, Any] = {"sep": attrs["sep"], "end": attrs["end"]}
    if attrs["stream"] != "stdout":
        options["file"] = syntax.attribute(emitter.module("sys"), attrs["stream"])
    options["flush"] = attrs["flush"] or None
    given = expressed(attrs["arguments"], values)
    return emitter.logged(syntax.call("print", *given, **options))


show = _effect("print", _show, _emit_show)

# -- warnings.warn(message, category, stacklevel=stacklevel) -------------------------------------


def _warn(
    *values: Any, arguments: Sequence[Given], category: str | None, stacklevel: int
) -> tuple[Any, ...]:
    (message,) = evaluated(arguments, values)
    kind = None if category is None else getattr(builtins, category)
    warnings.warn(message, kind, stacklevel=stacklevel)
    return ()


def _emit_warn(emitter: Emitter, node: Any, *values: Any) -> Any:
    given = expressed(node.attrs["arguments"], values)
    if node.attrs["category"] is not None:
        given.append(syntax.name(node.attrs["category"]))
    level = node.attrs["stacklevel"]
    function = syntax.attribute(emitter.module("warnings"), "warn")
    made = syntax.call(function, *given, stacklevel=None if level == 1 else level)
    return emitter.logged(made)


warn = _effect("warn", _warn, _emit_warn)
