"""A function made by a transform: what every public callable of gradsmith is."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.codegen.names import means_something
from gradsmith.driver.compiled import Compiled
from gradsmith.driver.leaving import outside
from gradsmith.driver.outside_state import OutsideState
from gradsmith.driver.signatures import signature_of
from gradsmith.driver.specialise import SEED, Recipe
from gradsmith.errors import ArgumentTypeError, SeedNeededError
from gradsmith.ir.effect_log import EffectLog

Build = Callable[..., Any]


def _recipe(function: Callable[..., Any], build: Build, suffix: str, title: str) -> Recipe:
    name = getattr(function, "__name__", type(function).__name__)
    name = name if name.isidentifier() else "function"
    emitted = f"{name}{suffix}"
    code = getattr(inspect.unwrap(function), "__code__", None)
    return Recipe(
        build=build,
        signature=signature_of(function),
        name=f"{emitted}_" if means_something(emitted) else emitted,
        title=title.format(name=name),
        file=code.co_filename if code is not None else "",
        function=function,
    )


_NUMBERS = (bool, int, float, complex, np.generic)


def as_seed(seed: Any) -> Any:
    """A seed as it is passed on: NumPy scalars for numbers, arrays for lists of numbers."""
    if isinstance(seed, (bool, int, float, complex)):
        return np.asarray(seed, complex if isinstance(seed, complex) else float)[()]
    if type(seed) in (dict, tuple):
        _, keys, parts = tree.parts(seed)
        return tree.rebuilt(seed, keys, [as_seed(part) for part in parts])
    if not isinstance(seed, list):
        return seed
    if len(seed) == 1:
        return (as_seed(seed[0]),)  # one seed for one output, or a list of one number
    return np.asarray(seed) if _shape(seed) else [as_seed(part) for part in seed]


def _shape(value: Any) -> tuple[int, ...] | None:
    """Of a regular nested list of numbers, else None."""
    if not isinstance(value, list):
        return () if isinstance(value, _NUMBERS) else None
    shapes = set(map(_shape, value))
    (inner,) = shapes if len(shapes) == 1 else (None,)
    return None if inner is None else (len(value), *inner)


def check_callable(function: Any) -> None:
    """Refuse what is no function.

    Raises
    ------
    ArgumentTypeError
        It cannot be called.
    """
    if not callable(function):
        raise ArgumentTypeError(
            f"expected a function, got {function!r}",
            hint="pass the function itself, not the result of a call",
        )


class Transformed:
    """A function made from another by a transform: traced and compiled at its first call.

    It takes the arguments of the function that it is made from; ``source`` and ``emit`` show and
    write the NumPy source that runs.
    """

    __gradsmith__ = True

    def __init__(
        self,
        function: Callable[..., Any],
        build: Build,
        suffix: str,
        title: str,
        signature: inspect.Signature | None = None,
        *,
        writes: bool = False,
    ) -> None:
        check_callable(function)
        functools.update_wrapper(self, function, updated=())
        recipe = replace(_recipe(function, build, suffix, title), writes=writes)
        if signature is not None:
            recipe = replace(recipe, signature=signature, function=None)
        self._plain = Compiled(recipe)
        self._seeded = Compiled(recipe, seeded=True)
        self.compiled = self._plain, self._seeded
        self.__signature__ = recipe.signature

    @property
    def says(self) -> bool:
        """Whether its code prints or warns."""
        return any(code.says for code in self.compiled)

    def __call__(self, /, *args: Any, grad_outputs: Any = None, **kwargs: Any) -> Any:
        try:
            if grad_outputs is None:
                return self._plain(*args, **kwargs)
            if self._plain.recipe.seed != SEED:  # the function itself has such a parameter
                return self._plain(*args, grad_outputs=grad_outputs, **kwargs)
            return self._seeded(*args, as_seed(grad_outputs), **kwargs)
        except Exception as error:
            __tracebackhide__ = True  # for pytest and IPython
            raise outside(error)  # noqa: B904  it is the same error

    def run_logged(self, log: EffectLog, /, *args: Any, grad_outputs: Any = None) -> Any:
        """The result of a call whose effects go through ``log``."""
        try:
            if grad_outputs is None:
                return self._plain.run_logged(log, args, {})
            if self._plain.recipe.seed != SEED:  # the function itself has such a parameter
                return self._plain.run_logged(log, args, {SEED: grad_outputs})
            return self._seeded.run_logged(log, (*args, as_seed(grad_outputs)), {})
        except Exception as error:
            __tracebackhide__ = True  # for pytest and IPython
            raise outside(error)  # noqa: B904  it is the same error

    def run_noted(self, log: EffectLog, /, *args: Any) -> tuple[Any, OutsideState]:
        """The same without a seed, with what the call has read from outside."""
        try:
            return self._plain.run_noted(log, args)
        except Exception as error:
            __tracebackhide__ = True  # for pytest and IPython
            raise outside(error)  # noqa: B904  it is the same error

    def source(self, /, *args: Any, grad_outputs: Any = None, **kwargs: Any) -> str:
        """The NumPy source for arguments of these types (without any: the latest).

        Where the output needs a seed and none is given, the source is that for a seed of the
        output's shape.
        """
        try:
            return self._source(args, kwargs, grad_outputs)
        except Exception as error:
            __tracebackhide__ = True  # for pytest and IPython
            raise outside(error)  # noqa: B904  it is the same error

    def _source(self, args: Any, kwargs: Any, grad_outputs: Any) -> str:
        if grad_outputs is not None:
            return self._seeded.source(*args, as_seed(grad_outputs), **kwargs)
        try:
            return self._plain.source(*args, **kwargs)
        except SeedNeededError as error:
            seed = error.example
        return self._seeded.source(*args, seed, **kwargs)

    def emit(
        self, path: str | Path, /, *args: Any, grad_outputs: Any = None, **kwargs: Any
    ) -> Path:
        """Write the source as a module of its own, which needs only NumPy."""
        target = Path(path)
        text = self.source(*args, grad_outputs=grad_outputs, **kwargs)
        target.write_text(text, encoding="utf-8")
        return target

    def __repr__(self) -> str:
        return f"<gradsmith {self._plain.recipe.name}>"
