"""How a function of numbers and arrays is compared with plain Python and with differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import gradsmith as gs

Run = Callable[..., Any]
SIZES = (3, 3, 5)


def arguments(kinds: str, seed: int) -> tuple[Any, ...]:
    """A set of arguments: numbers, vectors and square matrices."""
    random = np.random.default_rng([7, seed])
    n = SIZES[seed]
    drawn = {
        "s": lambda: float(random.uniform(0.3, 1.2)) * (-1 if seed == 1 else 1),
        "v": lambda: random.uniform(-1.0, 1.2, n),
        "m": lambda: random.uniform(-1.0, 1.0, (n, n)),
    }
    return tuple(drawn[kind]() for kind in kinds)


def copied(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(v.copy() if isinstance(v, np.ndarray) else v for v in values)


def differences(f: Run, args: tuple[Any, ...], place: int) -> Any:
    """The gradient with respect to one argument, by central differences."""
    step = 1e-6
    base = np.asarray(args[place], float)
    found = np.zeros(base.shape)
    for index in np.ndindex(base.shape):
        ends = []
        for sign in (1, -1):
            moved = base.copy()
            moved[index] += sign * step
            value = moved if base.ndim else float(moved)
            ends.append(float(f(*copied((*args[:place], value, *args[place + 1 :])))))
        found[index] = (ends[0] - ends[1]) / (2 * step)
    return found


def check(f: Run, kinds: str, *, seeds: tuple[int, ...] = (0, 1, 2)) -> None:
    """Values, gradients and tangents at several arguments, through one object of each."""
    compiled, places = gs.compile(f), tuple(range(len(kinds)))
    gradient = gs.value_and_grad(f, argnums=places)
    for seed in seeds:
        args = arguments(kinds, seed)
        given = copied(args)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gs.GradsmithWarning)
            expected = f(*copied(args))
            np.testing.assert_allclose(compiled(*given), expected, rtol=1e-13, atol=1e-13)
            value, found = gradient(*given)
        np.testing.assert_allclose(value, expected, rtol=1e-13, atol=1e-13)
        wanted = [differences(f, args, place) for place in places]
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)
        for one, other in zip(given, args, strict=True):
            np.testing.assert_array_equal(one, other)
    directions = arguments(kinds, 1 if seeds[-1] < 2 else 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.GradsmithWarning)
        _, moved = gs.jvp(f, given, directions)
    along = sum(float(np.sum(w * d)) for w, d in zip(wanted, directions, strict=True))
    np.testing.assert_allclose(moved, along, rtol=5e-5, atol=5e-6)
