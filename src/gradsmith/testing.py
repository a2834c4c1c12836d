"""Checks of derivatives against finite differences, for users' rules as for our own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.api import jvp, vjp
from gradsmith.api.transforms import plain_call
from gradsmith.errors import ArgumentValueError, CheckError
from gradsmith.frontend.arguments import is_input

Function = Callable[..., Any]


def check_grads(
    fun: Function,
    args: Sequence[Any],
    order: int = 1,
    modes: Sequence[str] = ("fwd", "rev"),
    *,
    rtol: float | None = None,
    atol: float | None = None,
    seed: int = 0,
) -> None:
    """Compare the derivatives of ``fun`` at ``args`` with central finite differences.

    Along a random direction ``v`` and for random cotangents ``u`` the number ``u · J v`` is taken
    by differences, by reverse and by forward mode; for ``order`` 2 the same is done for the
    pullback, and so on. The error of the central difference is O(h²) (Abramowitz and Stegun,
    25.3.21).

    Parameters
    ----------
    fun : callable
        A NumPy function.
    args : sequence
        Its arguments: numbers, arrays or trees of them; floating and complex leaves are varied.
    order : int
        How often to differentiate.
    modes : sequence of {"fwd", "rev"}
        Which modes to check.
    rtol, atol : float, optional
        Tolerances; by default 1e-5 and 1e-7, and 2e-2 and 1e-3 where single precision takes part.
    seed : int
        Of the random directions.

    Raises
    ------
    CheckError
        A derivative disagrees (an `AssertionError`).
    ArgumentValueError
        ``order`` or ``modes`` is not valid.
    """
    if set(modes) - {"fwd", "rev"} or not modes or order < 1:
        raise ArgumentValueError(
            f"check_grads got order={order} and modes={tuple(modes)}",
            hint='order is at least 1, modes are among "fwd" and "rev"',
        )
    random = np.random.default_rng(seed)
    tolerances = _tolerances(args, rtol, atol)
    _check(fun, list(args), order, tuple(modes), random, tolerances)


def _tolerances(args: Any, rtol: float | None, atol: float | None) -> tuple[float, float]:
    single = any(_dtype(leaf) in (np.float32, np.complex64) for leaf in _leaves(args))
    default = (2e-2, 1e-3) if single else (1e-5, 1e-7)
    return (default[0] if rtol is None else rtol, default[1] if atol is None else atol)


def _check(
    fun: Function,
    args: list[Any],
    order: int,
    modes: tuple[str, ...],
    random: Any,
    tolerances: tuple[float, float],
) -> None:
    direction = _map(args, lambda leaf: _random_like(leaf, random))
    out, pullback = vjp(fun, *args)
    cotangent = _map(out, lambda leaf: _random_like(leaf, random))
    expected = _difference(fun, args, direction, cotangent)
    found = {}
    if "rev" in modes:
        found["reverse"] = _dot(list(pullback(cotangent)), direction)
    if "fwd" in modes:
        found["forward"] = _dot(cotangent, jvp(fun, args, direction)[1])
    for mode, value in found.items():
        if not np.isclose(value, expected, rtol=tolerances[0], atol=tolerances[1]):
            raise CheckError(
                f"{mode} mode gives {value:.10g} where finite differences give {expected:.10g} "
                f"(order {order} to go, directional derivative of "
                f"{getattr(fun, '__name__', fun)!r})",
                hint="away from kinks this is a wrong derivative; at a kink move the arguments",
            )
    if order > 1:
        next_fun: Function = lambda *xs: vjp(fun, *xs)[1](cotangent)  # noqa: E731
        _check(next_fun, args, order - 1, modes, random, tolerances)


def _difference(fun: Function, args: list[Any], direction: Any, cotangent: Any) -> float:
    """``u · (f(x + h v) - f(x - h v)) / 2h``."""
    step = max(np.finfo(_dtype(leaf)).eps for leaf in _moving(args)) ** (1 / 3)
    ahead = plain_call(fun, _combine(args, direction, step))
    behind = plain_call(fun, _combine(args, direction, -step))
    return (_dot(cotangent, ahead) - _dot(cotangent, behind)) / (2.0 * float(step))


def _combine(args: list[Any], direction: Any, step: float) -> Any:
    steps = iter(_leaves(direction))
    return _map(args, lambda leaf: _moved(leaf, next(steps), step))


def _moved(leaf: Any, along: Any, step: float) -> Any:
    if not _varies(leaf):
        return leaf
    moved = np.asarray(leaf) + np.asarray(along) * _dtype(along).type(step)
    return moved if isinstance(leaf, np.ndarray) else moved[()]


def _dot(left: Any, right: Any) -> float:
    """The real inner product of two trees: ``Re(conj(left) · right)``."""
    pairs = zip(_moving(left), _moving(right), strict=True)
    return float(sum(np.vdot(a, b).real for a, b in pairs))


def _random_like(leaf: Any, random: Any) -> Any:
    if not _varies(leaf):
        return leaf
    dtype = _dtype(leaf)
    values = random.standard_normal(np.shape(leaf))
    if dtype.kind == "c":
        values = values + 1j * random.standard_normal(np.shape(leaf))
    drawn = np.asarray(values, dtype)
    return drawn if isinstance(leaf, np.ndarray) else drawn[()]


def _map(value: Any, function: Callable[[Any], Any]) -> Any:
    leaves, shape = tree.flatten(value, is_input)
    return tree.unflatten(shape, [function(leaf) for leaf in leaves])


def _leaves(value: Any) -> list[Any]:
    return tree.flatten(value, is_input)[0]


def _moving(args: Any) -> list[Any]:
    return [leaf for leaf in _leaves(args) if _varies(leaf)]


def _dtype(leaf: Any) -> Any:
    return np.asarray(leaf).dtype


def _varies(leaf: Any) -> bool:
    return bool(_dtype(leaf).kind in "fc")
