"""What ``f.formula`` and ``f.graph`` show: arguments made up where none are given, and traces."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.driver.annotations import example_arguments
from gradsmith.driver.compiled import Compiled
from gradsmith.driver.signatures import bind, signature_of
from gradsmith.driver.specialise import SEED, Arguments, Specialisation
from gradsmith.driver.transforms import is_leaf
from gradsmith.errors import ArgumentTypeError, SeedNeededError, UnusedInputError
from gradsmith.frontend.dispatch import traced
from gradsmith.frontend.failures import in_user_terms
from gradsmith.frontend.runtime import call
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.unrolling import Unrolling
from gradsmith.ir.graph import Graph
from gradsmith.views.formula import expressions
from gradsmith.views.graph import GraphView, view

SCALAR = np.float64(0.5)
"""Stands for a parameter of which nothing is known."""

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def formula(
    plain: Compiled, seeded: Compiled, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Any:
    """The results of a compiled gradient as SymPy expressions, in their tree.

    ``seeded`` is the same gradient with a seed, for outputs that need one.
    """
    args, kwargs = _filled_in(plain.recipe.signature, args, kwargs)
    try:
        shown = plain.specialisation(*args, **kwargs)
    except SeedNeededError as error:
        shown = seeded.specialisation(*args, error.example, **kwargs)
    except UnusedInputError as error:
        error.hint = "ask for the formula of another parameter; that of this one would be 0"
        raise
    return _formulas(shown)


def _formulas(shown: Specialisation) -> Any:
    return tree.unflatten(shown.result, expressions(shown.graph, seed=SEED))


def graph(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> GraphView:
    """The graph of ``function`` as it is traced, before anything is optimised."""
    signature = signature_of(function)
    args, kwargs = _filled_in(signature, args, kwargs)
    name = getattr(function, "__name__", "the function")
    return view(_traced(function, bind(signature, name, args, kwargs)))


def _traced(function: Callable[..., Any], bound: inspect.BoundArguments) -> Graph:
    trace = Trace(unrolling=Unrolling(everything=True))  # a formula has no loops
    with trace.active():
        values = Arguments(trace, bound.arguments).values
        inputs = inspect.BoundArguments(bound.signature, values)
        with in_user_terms():
            result = call(function, *inputs.args, **inputs.kwargs)
        leaves, _ = tree.flatten(result, is_leaf)
        return trace.builder.graph([traced(leaf).node for leaf in leaves])


# -- made-up arguments ---------------------------------------------------------------------------


def _filled_in(
    signature: inspect.Signature | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """The arguments; where there are none, what annotations say, else float scalars."""
    if args or kwargs:
        return args, kwargs
    if signature is None:
        raise ArgumentTypeError(
            "the function does not tell its parameters", hint="pass example arguments"
        )
    examples = example_arguments(signature) or {}
    bound = signature.bind_partial()
    for name, parameter in signature.parameters.items():
        if parameter.kind not in _VARIADIC:
            bound.arguments[name] = examples.get(name, _example(parameter.default))
    return bound.args, bound.kwargs


def _example(default: Any) -> Any:
    """A default that is no real number stays: it may well be static."""
    number = isinstance(default, (int, float, np.integer, np.floating))
    if default is inspect.Parameter.empty or (number and not isinstance(default, bool)):
        return SCALAR
    return default
