"""The function transforms: signatures as in JAX, semantics as documented."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.api.identity import ByIdentity
from gradsmith.api.transformed import Transformed, check_callable
from gradsmith.driver.gradients import OutsideTraceError
from gradsmith.driver.outside_state import OutsideState
from gradsmith.driver.signatures import bind, names_at, signature_of
from gradsmith.driver.transforms import (
    Pullback,
    gradient_of_arguments,
    is_leaf,
    pushforward,
)
from gradsmith.errors import UnsupportedError
from gradsmith.frontend.arguments import check_tree
from gradsmith.frontend.dispatch import run
from gradsmith.frontend.runtime import call
from gradsmith.frontend.showing import in_silence
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.effect_log import EffectLog
from gradsmith.ops.control import stop_gradient as stop_gradient_op


def grad(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Transformed:
    """The gradient of ``fun`` with respect to the arguments at ``argnums``.

    Parameters
    ----------
    fun : callable
        A plain NumPy function. Its output has one element, unless a seed is passed.
    argnums : int or sequence of int
        Positions of floating or complex arguments (or trees of them).
    has_aux : bool
        Whether ``fun`` returns a pair ``(output, aux)``; the result is then ``(gradient, aux)``.

    Returns
    -------
    callable
        Takes the arguments of ``fun`` and the keyword ``grad_outputs`` (the seed, of the shape of
        the output); returns one gradient for an int ``argnums``, a tuple for a sequence, each of
        the shape and dtype of its argument.

    Raises
    ------
    RuntimeError
        When called: the output has more than one element and there is no seed, or the seed does
        not fit (`SeedError`).
    TypeError
        When called: an argument at ``argnums`` is an integer.
    """

    def build(bound: inspect.BoundArguments, grad_outputs: Any = None) -> Any:
        names = names_at(bound, argnums)
        _, gradients, aux = gradient_of_arguments(
            fun, bound, names, seed=grad_outputs, has_aux=has_aux
        )
        result = tuple(gradients) if isinstance(argnums, (list, tuple)) else gradients[0]
        return (result, aux) if has_aux else result

    return Transformed(fun, build, "_grad", "Gradient of {name}.")


def value_and_grad(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Transformed:
    """The value of ``fun`` together with its gradient; fits ``minimize(..., jac=True)``.

    Parameters
    ----------
    fun, argnums, has_aux
        As for `grad`.

    Returns
    -------
    callable
        Returns ``(value, gradient)``; with ``has_aux`` ``((value, aux), gradient)``.
    """

    def build(bound: inspect.BoundArguments, grad_outputs: Any = None) -> Any:
        names = names_at(bound, argnums)
        value, gradients, aux = gradient_of_arguments(
            fun, bound, names, seed=grad_outputs, has_aux=has_aux
        )
        result = tuple(gradients) if isinstance(argnums, (list, tuple)) else gradients[0]
        return ((value, aux) if has_aux else value), result

    return Transformed(fun, build, "_value_and_grad", "Value and gradient of {name}.")


def vjp(fun: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of ``fun`` at ``primals`` and its pullback.

    Parameters
    ----------
    fun : callable
        A plain NumPy function of any output; integer and boolean outputs are allowed, and so are
        strings and None among them.
    *primals
        Its arguments.

    Returns
    -------
    out
        ``fun(*primals)``.
    pullback : callable
        ``pullback(cotangent)``, of the structure of ``out``, returns a tuple with the gradient in
        each argument; it has ``source`` and ``emit``. What stands in the place of an output that
        is no number is not looked at.
    """
    check_callable(fun)
    if current_trace() is not None:
        pullback = Pullback(fun, primals)
        return pullback.value, pullback
    for name, primal in bind(signature_of(fun), "the function", primals, {}).arguments.items():
        check_tree(primal, name)
    log = EffectLog()
    value, around = _kept(fun, _value).run_noted(log, *primals)
    return value, pullback_at(fun, primals, log, around)


def pullback_at(
    fun: Callable[..., Any],
    primals: Sequence[Any],
    log: EffectLog | None = None,
    around: OutsideState | None = None,
) -> BoundPullback:
    """The pullback of ``fun`` at ``primals``; calls without a rule give what ``log`` says, and
    what is outside must still be as ``around`` says.
    """
    saved = tree_map(_copied, tuple(primals))
    return BoundPullback(_kept(fun, _pullback), saved, log, around)


def plain_call(fun: Callable[..., Any], args: Sequence[Any]) -> Any:
    """``fun(*args)`` on plain arrays; compiled where it takes gradients inside."""
    try:
        return fun(*args)
    except OutsideTraceError:
        return _kept(fun, compile)(*args)


def jvp(fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The value of ``fun`` at ``primals`` and its derivative along ``tangents``.

    Parameters
    ----------
    fun : callable
        A plain NumPy function.
    primals, tangents : sequence
        Arguments, and a direction of their structure, shapes and dtypes.

    Returns
    -------
    tuple
        ``(out, tangent_out)``; the tangents of integer and boolean outputs are zero, and None in
        the place of other outputs.
    """
    result: tuple[Any, Any] = _kept(fun, _pushforward)(tuple(primals), tuple(tangents))
    return result


def _kept(
    fun: Callable[..., Any], make: Callable[[Callable[..., Any]], Transformed]
) -> Transformed:
    """The transform of ``fun``, made once: `vjp` and `jvp` are called with the function."""
    return _made(ByIdentity(fun), make)


@functools.lru_cache(maxsize=256)
def _made(key: ByIdentity, make: Callable[[Callable[..., Any]], Transformed]) -> Transformed:
    return make(key.function)


def _copied(value: Any) -> Any:
    return value.copy(order="K") if isinstance(value, np.ndarray) else value


def tree_map(function: Callable[[Any], Any], value: Any) -> Any:
    """``function`` applied to every leaf of a tree."""
    leaves, shape = tree.flatten(value, lambda v: not tree.is_container(v))
    return tree.unflatten(shape, [function(leaf) for leaf in leaves])


def _value(fun: Callable[..., Any]) -> Transformed:
    def build(bound: inspect.BoundArguments, grad_outputs: Any = None) -> Any:
        return call(fun, *bound.args, **bound.kwargs)

    return Transformed(fun, build, "_value", "Value of {name}.")


def _pullback(fun: Callable[..., Any]) -> Transformed:
    def build(bound: inspect.BoundArguments, grad_outputs: Any = None) -> Any:
        return Pullback(fun, bound.args)(grad_outputs)

    return Transformed(fun, in_silence(build), "_vjp", "Pullback of {name}.")


def _pushforward(fun: Callable[..., Any]) -> Transformed:
    def build(bound: inspect.BoundArguments) -> Any:
        return pushforward(fun, *bound.args)

    signature = inspect.signature(lambda primals, tangents: None)
    return Transformed(fun, build, "_jvp", "Value and tangent of {name}.", signature)


class BoundPullback:
    """The pullback of a function at given arguments.

    ``log`` has what calls without a rule have given for the value: nothing is drawn or read again.
    ``around`` has what the value has read from outside, which the pullback reads once more.
    """

    __gradsmith__ = True

    def __init__(
        self,
        whole: Transformed,
        primals: tuple[Any, ...],
        log: EffectLog | None = None,
        around: OutsideState | None = None,
    ) -> None:
        self._whole = whole
        self._primals = primals
        self._log = log
        self._around = around

    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        changed = None if self._around is None else self._around.changed()
        if changed is not None:
            raise UnsupportedError(
                f"{changed}, which the function reads from outside, has changed since gs.vjp was "
                "called",
                hint="call the pullback before it changes, or pass it as an argument",
            )
        result: tuple[Any, ...]
        if self._log:
            log = self._log.of_calls()
            result = self._whole.run_logged(log, *self._primals, grad_outputs=cotangent)
        else:
            result = self._whole(*self._primals, grad_outputs=cotangent)
        return result

    def source(self, cotangent: Any) -> str:
        """The NumPy source of the pullback."""
        return self._whole.source(*self._primals, grad_outputs=cotangent)

    def emit(self, path: str | Path, cotangent: Any) -> Path:
        """Write the source as a module of its own."""
        return self._whole.emit(path, *self._primals, grad_outputs=cotangent)


def compile(fun: Callable[..., Any]) -> Transformed:
    """``fun`` itself as optimised NumPy source.

    The function may call `gradsmith.autograd.grad` inside. What it writes to its arguments, to
    objects outside and to global variables is written at each call, after the computation.
    The Python function is not run again for arguments of the same specialisation (dtypes, ranks,
    which sizes are 1, static values).
    """

    def build(bound: inspect.BoundArguments, grad_outputs: Any = None) -> Any:
        return call(fun, *bound.args, **bound.kwargs)

    return Transformed(fun, build, "", "{name}, compiled.", writes=True)


def stop_gradient(x: Any) -> Any:
    """``x`` as a constant for differentiation (torch: ``detach``); trees are taken apart."""
    if current_trace() is None:
        return x
    leaves, shape = tree.flatten(x, is_leaf)
    stopped = [run(stop_gradient_op, v) if isinstance(v, Tracer) else v for v in leaves]
    return tree.unflatten(shape, stopped)
