"""Checks of derivatives against finite differences, and of derivative rules of the user's own."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.api import CustomJVP, CustomVJP, checkpoint, jvp, vjp
from gradsmith.api.transforms import plain_call, pullback_at
from gradsmith.errors import ArgumentTypeError, ArgumentValueError, CheckError
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
    out, pullback = plain_call(fun, _map(args, copy.copy)), pullback_at(fun, args)
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


# -- rules of the user's own ---------------------------------------------------------------------


def check_rule(
    fun: CustomVJP | CustomJVP,
    args: Sequence[Any],
    *,
    order: int = 1,
    rtol: float | None = None,
    atol: float | None = None,
    seed: int = 0,
) -> None:
    """Check the derivative rule of a `gs.custom_vjp`, `gs.custom_jvp` or `gs.elementwise`.

    What the rule says of the value is compared with the function, the derivatives of the
    function alone, within a loop, within a branch and under `gs.checkpoint` with finite
    differences, and of a rule for forward mode that it is linear in the tangents.

    Parameters
    ----------
    fun : CustomVJP or CustomJVP
        With its rule declared.
    args : sequence
        Its arguments, away from kinks.
    order : int
        How often to differentiate.
    rtol, atol, seed
        As for `check_grads`.

    Raises
    ------
    CheckError
        The rule disagrees with the function.
    ArgumentTypeError
        ``fun`` has no rule.
    """
    if not isinstance(fun, (CustomVJP, CustomJVP)) or not fun.has_rule:
        raise ArgumentTypeError(
            f"{getattr(fun, '__name__', fun)!r} has no derivative rule of its own",
            hint="pass what gs.custom_vjp, gs.custom_jvp or gs.elementwise returns, with its rule",
        )
    random = np.random.default_rng(seed)
    tolerances = _tolerances(args, rtol, atol)
    moving = [p for p in range(len(args)) if p not in fun.nondiff_argnums]
    _check_value(fun, args, moving, random, tolerances)
    modes = ("rev",) if isinstance(fun, CustomVJP) else ("fwd", "rev")
    for place in (_alone, _in_a_loop, _in_a_branch, _under_checkpoint):
        used = place(_of_moving(fun, list(args), moving))
        check_grads(
            used,
            [args[p] for p in moving],
            order=order,
            modes=modes,
            rtol=rtol,
            atol=atol,
            seed=seed,
        )


def _of_moving(fun: Function, args: list[Any], moving: Sequence[int]) -> Function:
    """The function of those arguments alone that have a derivative."""

    @_traced_as_the_users
    def of_moving(*given: Any) -> Any:
        chosen = list(args)
        for position, value in zip(moving, given, strict=True):
            chosen[position] = value
        return fun(*chosen)

    return of_moving


def _traced_as_the_users(fun: Function) -> Function:
    """The function, which is otherwise run as it is, as gradsmith's own are: its loop and its
    branch would not become the emitted code's.
    """
    fun.__module__ = "__main__"
    return fun


def _alone(fun: Function) -> Function:
    return fun


def _in_a_loop(fun: Function) -> Function:
    @_traced_as_the_users
    def in_a_loop(*args: Any) -> Any:
        outs = [fun(*args) for _ in range(3)]
        return outs[-1]

    return in_a_loop


def _in_a_branch(fun: Function) -> Function:
    def first(*args: Any) -> Any:
        return tree.flatten(list(args), lambda v: not tree.is_container(v))[0][0]

    @_traced_as_the_users
    def in_a_branch(*args: Any) -> Any:
        if np.sum(np.real(first(*args))) < np.inf:
            return fun(*args)
        return fun(*args)

    return in_a_branch


def _under_checkpoint(fun: Function) -> Function:
    return checkpoint(fun)


def _check_value(
    fun: CustomVJP | CustomJVP,
    args: Sequence[Any],
    moving: Sequence[int],
    random: Any,
    tolerances: tuple[float, float],
) -> None:
    expected = fun.fun(*args)
    if isinstance(fun, CustomVJP):
        _compare(fun.name, "fwd gives the value", fun.fwd(*args)[0], expected, tolerances)  # type: ignore[misc]
        return
    fixed = [args[p] for p in sorted(fun.nondiff_argnums)]
    primals = tuple(args[p] for p in moving)
    along = _map(primals, lambda leaf: _random_like(leaf, random))
    twice = _map(along, lambda leaf: leaf * 2 if _varies(leaf) else leaf)
    value, tangent = fun.jvp(*fixed, primals, along)  # type: ignore[misc]
    _compare(fun.name, "the rule gives the value", value, expected, tolerances)
    double = fun.jvp(*fixed, primals, twice)[1]  # type: ignore[misc]
    doubled = _map(tangent, lambda leaf: leaf * 2)
    what = "for tangents twice as large the rule gives"
    _compare(fun.name, what, double, doubled, tolerances)


def _compare(
    name: str, what: str, found: Any, expected: Any, tolerances: tuple[float, float]
) -> None:
    for left, right in zip(_leaves(found), _leaves(expected), strict=True):
        fits = np.shape(left) == np.shape(right)
        if not fits or not np.allclose(left, right, rtol=tolerances[0], atol=tolerances[1]):
            raise CheckError(
                f"the rule of {name}: {what} {np.array2string(np.asarray(left), threshold=8)} "
                f"instead of {np.array2string(np.asarray(right), threshold=8)}",
                hint="the rule returns the function's own value first, and is linear in the "
                "tangents",
            )
