"""What goes wrong while a NumPy function is applied, as an error of ours and in its own terms."""

from __future__ import annotations

import builtins
import inspect
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradsmith.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    AttributeMissingError,
    CheckError,
    GradientError,
    GradsmithError,
    IndexRangeError,
    NumberRangeError,
    UnsupportedError,
)
from gradsmith.frontend.spans import span_of

_CLASSES: dict[type[Exception], type[GradsmithError]] = {
    ValueError: ArgumentValueError,
    IndexError: IndexRangeError,
    OverflowError: NumberRangeError,
}
_PYTHONS: dict[type[Exception], type[GradsmithError]] = {
    **_CLASSES,
    TypeError: ArgumentTypeError,
    AttributeError: AttributeMissingError,
}
_OURS = re.compile(r"\b(Tracer|TracedInt)\b|<traced ")
_CHECK = "check what this is called with: the function's arguments are traced here"
_STATIC = "shapes, axes and options must be known when tracing; see NumPy's documentation of it"


def mentions_stand_ins(text: str) -> bool:
    """Whether a message is about what stands for values while tracing."""
    return _OURS.search(text) is not None


def is_refusal(error: BaseException | None) -> bool:
    """Whether this says that gradsmith cannot do what the function does, which on arrays raises no
    such error: no handler of the user's is for it.
    """
    if not isinstance(error, Exception):
        return False
    if isinstance(error, GradsmithError):
        return error.own is None and not isinstance(error, (GradientError, CheckError))
    return is_refusal(error.__cause__) or _is_about_stand_ins(error)


def _is_about_stand_ins(error: Exception) -> bool:
    """Whether Python or NumPy has raised it about what stands for values while tracing."""
    if isinstance(error, AttributeError) and _is_ours(error.obj):
        return f"'{type(error.obj).__name__}'" in str(error)
    texts = [part for part in error.args if isinstance(part, str)]
    return any(map(mentions_stand_ins, texts)) or any(map(_is_of_graph, error.args))


def _is_ours(value: Any) -> bool:
    """Whether it is an object of the compiler's, or one of its classes or functions."""
    of = value if isinstance(value, (type, types.FunctionType)) else type(value)
    return of.__module__.split(".")[0] == "gradsmith"


def _is_of_graph(value: Any) -> bool:
    """Whether it is a node or the like, which no program can see."""
    return type(value).__module__.startswith("gradsmith.ir.")


def in_pythons_words(error: BaseException | None) -> Exception | None:
    """The error that Python raises about an integer or a string, for one about what stands for
    that; None for other errors.
    """
    kind = next((k for k in (TypeError, AttributeError, ValueError) if type(error) is k), None)
    text = error.args[0] if error is not None and len(error.args) == 1 else None
    if kind is None or not isinstance(text, str):
        return None
    if set(_OURS.findall(text)) == {"TracedInt"}:
        return _with_names(kind(text.replace("TracedInt", "int")), error)
    if _OF_TEXTS.match(text) and mentions_stand_ins(text):
        plain = text.replace("<traced str>", "str")
        return None if mentions_stand_ins(plain) else _with_names(kind(plain), error)
    return None


def _with_names(made: Exception, error: Any) -> Exception:
    """``made``, with what Python notes in errors about attributes."""
    if isinstance(made, AttributeError):
        made.name, made.obj = error.name, error.obj
    return made


_OF_TEXTS = re.compile(r"unsupported operand type|bad operand type|'<traced str>' object ")
"""Errors that Python raises about strings as well."""


@contextmanager
def in_user_terms() -> Iterator[None]:
    """Errors that Python and NumPy raise about traced values, as errors of ours."""
    try:
        yield
    except GradsmithError:
        raise
    except Exception as error:
        # NumPy's C code turns what a tracer refuses (float(x)) into an error of its own
        if isinstance(error.__cause__, GradsmithError):
            raise error.__cause__ from None
        if not mentions_stand_ins(str(error)):
            raise
        raise _translated(error) from error


def _translated(error: Exception) -> GradsmithError:
    kind = next((ours for k, ours in _PYTHONS.items() if isinstance(error, k)), UnsupportedError)
    text = str(error).replace("TracedInt", "int").replace("Tracer", "traced value")
    hint = "convert the other operand to a number or an array" if "operand" in text else _CHECK
    return kind(text, span_of(error.__traceback__), hint)


def explained(
    error: Exception,
    function: Callable[..., Any],
    implementation: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> GradsmithError:
    """The error of ours for ``error``, which ``implementation`` of ``function`` has raised."""
    name = name_of(function)
    if isinstance(error, TypeError):
        misfit = _misfit(implementation, args, kwargs)
        if misfit is not None:
            return _wrong_call(name, function, implementation, args, kwargs, misfit)
    kind = next((ours for k, ours in _CLASSES.items() if isinstance(error, k)), UnsupportedError)
    text = str(error).replace("'Node' object", "a traced value").replace("'Dim'", "'int'")
    return kind(f"{name}: {text}", hint=_STATIC)


def _misfit(
    function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> str | None:
    """Why a function cannot be called so; None where it can, or where it does not tell."""
    signature = _signature(function)
    if signature is None:
        return None
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    return None


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def _wrong_call(
    name: str,
    function: Callable[..., Any],
    implementation: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    misfit: str,
) -> GradsmithError:
    """A call that NumPy refuses, too, or one with arguments that gradsmith does not support."""
    theirs = _signature(function)
    known = () if theirs is None else tuple(theirs.parameters)
    if theirs is not None and _misfit(function, args, kwargs) is not None:
        return ArgumentTypeError(f"{name}: {misfit}", hint=f"it takes {', '.join(known)}")
    ours = _signature(implementation)
    own = () if ours is None else tuple(ours.parameters)
    odd = [key for key in kwargs if key not in own] or list(known[len(own) : len(args)])
    if not odd:
        return UnsupportedError(f"{name}: {misfit}", hint=_STATIC)
    return UnsupportedError(
        f"{name} does not support the argument {', '.join(odd)} on traced values",
        hint="leave it out, or write what it does with other NumPy functions",
    )


def name_of(function: Any) -> str:
    """``np.linalg.norm`` and the like, for messages."""
    if isinstance(function, np.ufunc):
        return _name_of_ufunc(function)
    name: str | None = getattr(function, "__qualname__", getattr(function, "__name__", None))
    if not name:
        return f"an object of type {type(function).__name__}"
    owner = getattr(function, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"{_name_of_ufunc(owner)}.{function.__name__}"
    if getattr(builtins, name, None) is function:
        return name  # of open, the module differs between versions of Python
    if type(owner).__module__ == "random":
        return f"random.{function.__name__}"
    defined_in = getattr(function, "__objclass__", type(owner))
    module = getattr(function, "__module__", None) or defined_in.__module__
    return _name_in(module, name)


def _name_in(module: str, name: str) -> str:
    """The name of what a module defines, as users write it."""
    if module.startswith("gradsmith."):
        return "this operation"
    if module.split(".", maxsplit=1)[0] == "numpy":
        return _name_in_numpy(module, name)
    if module in ("builtins", "__main__", ""):
        return name
    return f"{public_module(module, name)}.{name}"


def _name_of_ufunc(function: np.ufunc) -> str:
    """Ufuncs do not tell whose they are."""
    name = function.__name__
    for module in ("numpy", "scipy.special"):
        if getattr(sys.modules.get(module), name, None) is function:
            return f"{'np' if module == 'numpy' else module}.{name}"
    return name


def public_module(module: str, name: str) -> str:
    """The module that users import something from, which a private one defines.

    ``scipy.integrate`` for ``solve_ivp`` in ``scipy.integrate._ivp.ivp``.
    """
    defined = getattr(sys.modules.get(module), name, None)
    parts = module.split(".")
    for count in range(1, len(parts)):
        outer = ".".join(parts[:count])
        if defined is not None and getattr(sys.modules.get(outer), name, None) is defined:
            return outer
    return module


def _name_in_numpy(module: str, name: str) -> str:
    if module.startswith("numpy.random"):
        return f"np.random.{name.removeprefix('RandomState.')}"
    return f"np.{module[6:]}.{name}" if module.startswith("numpy.") else f"np.{name}"
