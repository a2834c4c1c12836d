"""Signatures: a call's arguments by name, with variadic parameters spelled out."""

from __future__ import annotations

import inspect
import keyword
import operator
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradsmith.errors import ArgumentTypeError, ArgumentValueError
from gradsmith.frontend.classes import is_instance
from gradsmith.frontend.defaults import FIXED
from gradsmith.frontend.traced_int import TracedInt

_PLAIN = inspect.Parameter.POSITIONAL_OR_KEYWORD
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_POSITIONAL = inspect.Parameter.POSITIONAL_ONLY


def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The signature, or None for callables that have none (C functions).

    NumPy's own functions count as such: their defaults are for NumPy alone to fill in.
    """
    if isinstance(function, np.ufunc) or str(getattr(function, "__module__", "")).startswith(
        "numpy"
    ):
        return None
    try:
        told = inspect.signature(function)
        called = _called(function)
        code: Any = getattr(called, "__func__", called)
        plain = not isinstance(code, types.FunctionType)
        if plain or (called is function and _WRAPPING.isdisjoint(vars(code))):
            return told
        return _WrapperSignature(called, code, told)
    except (TypeError, ValueError):
        return None


_WRAPPING = {"__wrapped__", "__signature__"}
"""By these attributes a function tells another one's signature (`functools.wraps`)."""


def _called(function: Any) -> Any:
    """What is called where an object of the user's is."""
    if not is_instance(function):
        return function
    held = inspect.getattr_static(type(function), "__call__")
    return held.__get__(function, type(function)) if hasattr(held, "__get__") else function


class _WrapperSignature(inspect.Signature):
    """That of a function itself, whatever signature it tells; ``names`` are of the parameters that
    it tells.
    """

    __slots__ = ("names",)

    def __init__(
        self, function: Callable[..., Any], code: types.FunctionType, told: inspect.Signature
    ) -> None:
        plain = types.FunctionType(code.__code__, {}, None, code.__defaults__, code.__closure__)
        plain.__kwdefaults__, plain.__annotations__ = code.__kwdefaults__, code.__annotations__
        method = isinstance(function, types.MethodType)
        own = inspect.signature(types.MethodType(plain, self) if method else plain)
        super().__init__(list(own.parameters.values()))
        self.names = [p.name for p in told.parameters.values() if p.kind in (_PLAIN, _POSITIONAL)]


class Defaults:
    """The defaults of a function of the user's, which may set others, and change those it has."""

    __slots__ = ("_function", "_held", "_latest", "_signature")

    def __init__(
        self, signature: inspect.Signature | None, function: Callable[..., Any] | None
    ) -> None:
        self._function = function if isinstance(function, types.FunctionType) else None
        self._signature = signature
        self._latest, self._held = self.given, self.held()

    @property
    def given(self) -> tuple[tuple[str, int], ...]:
        """The identities of the present ones."""
        if self._function is None:
            return ()
        named = self._function.__kwdefaults__ or {}
        held = [*enumerate(self._function.__defaults__ or ()), *named.items()]
        return tuple((str(name), id(value)) for name, value in held)

    def held(self) -> list[Any]:
        """The present ones: as long as they are kept, no others have their identities."""
        if self._function is None:
            return []
        named = self._function.__kwdefaults__ or {}
        return [*(self._function.__defaults__ or ()), *named.values()]

    @property
    def signature(self) -> inspect.Signature | None:
        """The function's signature, with the present ones."""
        given = self.given
        if given != self._latest and self._function is not None:
            self._signature, self._latest = signature_of(self._function), given
            self._held = self.held()
        return self._signature

    def left_out(self, count: int, kwargs: Mapping[str, Any]) -> list[Any] | None:
        """Those that a call takes with ``count`` positional arguments and that may change; None
        where it takes none at all.
        """
        signature = self.signature
        taken = [
            p.default
            for place, p in enumerate(signature.parameters.values() if signature else ())
            if p.default is not p.empty and p.name not in kwargs
            if p.kind is _KEYWORD or place >= count
        ]
        return [v for v in taken if not isinstance(v, FIXED)] if taken else None


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
    named = {p.name for p in signature.parameters.values() if p.kind in (_PLAIN, _KEYWORD)}
    new = [key for key in kwargs if key not in named]
    _check_names(new)
    taken = {*named, *new}
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            names = _names_of_rest(signature, parameter.name, len(parameters), count)
            parameters += [inspect.Parameter(_free(name, taken), _PLAIN) for name in names]
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            parameters += [inspect.Parameter(key, _KEYWORD) for key in new]
        else:
            name = parameter.name
            name = _free(name, taken) if parameter.kind is _POSITIONAL else name
            parameters.append(parameter.replace(name=name, annotation=inspect.Parameter.empty))
    return inspect.Signature(_defaults_allowed(parameters))


def _names_of_rest(
    signature: inspect.Signature, name: str, first: int, count: int
) -> Iterator[str]:
    """Names for the arguments of ``*xs``; those of a decorated function, if all are passed on."""
    told = getattr(signature, "names", ()) if not first else ()
    for place in range(count - first):
        yield told[place] if place < len(told) else f"{name}_{place}"


def _free(name: str, taken: set[str]) -> str:
    """The name, with an underscore behind it where another parameter has it; taken from now."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _check_names(keys: Iterable[str]) -> None:
    """Refuse keys of ``**options`` that cannot be names of parameters."""
    for key in keys:
        if not key.isidentifier() or keyword.iskeyword(key):
            raise ArgumentTypeError(
                f"the keyword argument {key!r} is no name: the compiled function would have it "
                "as a parameter",
                hint="pass a dict of these values as one argument",
            )


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
