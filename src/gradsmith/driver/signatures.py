"""Signatures: a call's arguments by name, with variadic parameters spelled out."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ArgumentValueError
from gradsmith.frontend.traced_int import TracedInt

_PLAIN = inspect.Parameter.POSITIONAL_OR_KEYWORD
_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The signature, or None for callables that have none (C functions).

    NumPy's own functions count as such: their defaults are for NumPy alone to fill in.
    """
    if isinstance(function, np.ufunc) or str(getattr(function, "__module__", "")).startswith(
        "numpy"
    ):
        return None
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def bind(
    signature: inspect.Signature | None,
    what: str,
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
) -> inspect.BoundArguments:
    """The arguments by name, defaults included; ``*xs`` as ``xs_0``, ``xs_1``.

    Raises
    ------
    ArgumentTypeError
        They do not fit the signature.
    """
    given = signature or inspect.Signature(
        [
            inspect.Parameter("x", inspect.Parameter.VAR_POSITIONAL),
            inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD),
        ]
    )
    try:
        given.bind(*args, **kwargs)
    except TypeError as error:
        raise ArgumentTypeError(
            f"{what}: {error}", hint=f"its parameters are {', '.join(given.parameters)}"
        ) from None
    bound = _spelled_out(given, len(args), kwargs).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound


def _spelled_out(
    signature: inspect.Signature, count: int, kwargs: Mapping[str, Any]
) -> inspect.Signature:
    parameters: list[inspect.Parameter] = []
    known = set(signature.parameters)
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            extra = range(count - len(parameters))
            parameters += [inspect.Parameter(f"{parameter.name}_{i}", _PLAIN) for i in extra]
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            new = [key for key in kwargs if key not in known]
            parameters += [inspect.Parameter(key, _KEYWORD) for key in new]
        else:
            parameters.append(parameter.replace(annotation=inspect.Parameter.empty))
    return inspect.Signature(_defaults_allowed(parameters))


def _defaults_allowed(parameters: list[inspect.Parameter]) -> list[inspect.Parameter]:
    """Without defaults where a spelled-out ``*xs`` follows: all before it are given then."""
    last = max(
        (i for i, p in enumerate(parameters) if p.kind is _PLAIN and p.default is p.empty),
        default=-1,
    )
    return [
        p.replace(default=p.empty) if i < last and p.kind is not _KEYWORD else p
        for i, p in enumerate(parameters)
    ]


def names_at(
    bound: inspect.BoundArguments, argnums: int | Sequence[int], what: str = "argnums"
) -> list[str]:
    """The parameters at these positions; ``what`` is the keyword that gives them.

    Raises
    ------
    ArgumentValueError
        There is no such position.
    """
    names = list(bound.arguments)
    chosen = []
    wanted = list(argnums) if isinstance(argnums, (list, tuple)) else [argnums]
    for given in wanted:
        if not isinstance(given, (int, TracedInt)) or isinstance(given, bool):
            raise ArgumentTypeError(
                f"{what} is {argnums!r}: it takes positions",
                hint="pass an int or a sequence of ints, counted from 0",
            )
        position = operator.index(given)  # one from around a traced function becomes part of it
        if not -len(names) <= position < len(names):
            raise ArgumentValueError(
                f"{what} is {position}, but the function has {len(names)} arguments",
                hint=f"positions count from 0: its arguments are {', '.join(names)}",
            )
        chosen.append(names[position])
    return chosen
