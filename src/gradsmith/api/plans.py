"""What is written out, what stays a loop, and what is computed again for the backward pass."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from gradsmith.errors import ArgumentTypeError, ArgumentValueError
from gradsmith.frontend.checkpoints import run_again
from gradsmith.frontend.planned import kept_rolled, written_out
from gradsmith.frontend.trace import current_trace

T = TypeVar("T")


def unroll(iterable: Iterable[T]) -> Iterable[T]:
    """``iterable``, over which ``for`` is written out trip by trip.

    Without it a loop over a range or an array stays one loop in the emitted code, unless its
    trips are four at most. Written out, trips may differ in shapes, and the code grows with
    their number, which must be known when tracing.

    Parameters
    ----------
    iterable : iterable
        A range, an array, ``enumerate`` or ``zip`` of these, or anything else to loop over. It is
        given back as it is where nothing is traced.

    Returns
    -------
    iterable
        The same elements.

    Examples
    --------
    >>> import gradsmith as gs
    >>> [i for i in gs.unroll(range(3))]
    [0, 1, 2]
    """
    if current_trace() is None:
        return iterable
    return cast("Iterable[T]", written_out(iterable))


def loop(
    iterable: Iterable[T], *, checkpoint: str | None = None, slots: int | None = None
) -> Iterable[T]:
    """``iterable``, over which ``for`` stays a loop in the emitted code.

    With ``checkpoint="binomial"`` the gradient of the loop takes memory for ``slots`` states, and
    not for as many as there are trips: the forward sweep keeps nothing; the backward sweep keeps
    at most ``slots`` of the states before trips and makes trips again from these, as few as is
    possible. That is, for ``n`` trips and ``s`` slots, ``r n - C(s + r, s + 1)`` trips made again
    to get at states, where ``r`` is the least number with ``C(s + r, s) >= n``; besides, each
    trip is computed once more where its adjoint is. (The initial state takes one of the slots.)
    The gradient is what it is without.

    Parameters
    ----------
    iterable : iterable
        A range, an array, or ``enumerate``, ``zip`` or ``reversed`` of these. It is given back as
        it is where nothing is traced.
    checkpoint : {None, "binomial"}
        How states are kept for the backward sweep.
    slots : int, optional
        How many states binomial checkpointing may keep: 1 or more.

    Returns
    -------
    iterable
        The same elements.

    Raises
    ------
    ArgumentValueError
        An option is not one of these; while tracing also where the loop cannot stay a loop, or
        where binomial checkpointing does not know its number of trips (``break``).

    References
    ----------
    A. Griewank and A. Walther, "Algorithm 799: revolve: an implementation of checkpointing for
    the reverse or adjoint mode of computational differentiation", ACM Transactions on
    Mathematical Software 26(1), 2000, pp. 19-45.

    Examples
    --------
    >>> import gradsmith as gs
    >>> [i for i in gs.loop(range(3), checkpoint="binomial", slots=2)]
    [0, 1, 2]
    """
    number = _slots(checkpoint, slots)
    if current_trace() is None:
        return iterable
    return cast("Iterable[T]", kept_rolled(iterable, number))


def _slots(checkpoint: object, slots: Any) -> int | None:
    if checkpoint not in (None, "binomial"):
        raise ArgumentValueError(
            f"loop() got checkpoint={checkpoint!r}",
            hint='write checkpoint="binomial", or leave it out',
        )
    if (checkpoint is None) != (slots is None):
        raise ArgumentValueError(
            f"loop() got checkpoint={checkpoint!r} and slots={slots!r}",
            hint='give both: checkpoint="binomial", slots=20',
        )
    if slots is None:
        return None
    try:
        number = operator.index(slots)
    except TypeError:
        number = 0
    if number < 1 or isinstance(slots, bool):
        raise ArgumentValueError(
            f"loop() got slots={slots!r}", hint="it is the number of states kept: 1 or more"
        )
    return number


def checkpoint(fun: Callable[..., Any]) -> Checkpoint:
    """``fun`` with less memory for its derivative, as ``jax.checkpoint`` gives it.

    Where a call of the result is differentiated, nothing that ``fun`` computes inside is kept for
    the backward pass: it is computed again there, from the arguments. The values, and all
    derivatives of any order, are those of ``fun`` itself.

    Parameters
    ----------
    fun : callable
        Any function that gradsmith can trace: of arrays and of trees of these, with loops,
        branches and writes to its arguments, itself calling checkpointed functions.

    Returns
    -------
    Checkpoint
        A function of the same arguments with the same results, of the same shapes and dtypes.

    Raises
    ------
    TypeError
        ``fun`` is not callable.

    Examples
    --------
    >>> import numpy as np
    >>> import gradsmith as gs
    >>> layer = gs.checkpoint(lambda x, w: np.tanh(np.tanh(x * w) * w))
    >>> gs.grad(lambda x: layer(x, 0.5))(1.0)  # doctest: +SKIP
    """
    if not callable(fun):
        raise ArgumentTypeError(
            f"checkpoint() takes a function, and got {fun!r:.60}",
            hint="write gs.checkpoint(f)(x), or @gs.checkpoint before the definition",
        )
    return Checkpoint(fun)


class Checkpoint:
    """What `checkpoint` returns: calls the function, on plain values as on traced ones."""

    __gradsmith__ = True

    def __init__(self, fun: Callable[..., Any]) -> None:
        self.fun = fun
        functools.update_wrapper(self, fun)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return run_again(self.fun, args, kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """A method, where it decorates one."""
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"checkpoint({self.fun!r})"
