"""Programs with loops, branches and writes as users write them, and how they are tested."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradsmith import tree
from programs.arguments import made
from programs.harness import copied, inexact, leaves, paired

Run = Callable[..., Any]


@dataclass(frozen=True)
class Program:
    """A function, its arguments at two sizes, and what may be asked of it."""

    function: Run
    descriptions: Sequence[Any]
    sizes: tuple[int, int] = (4, 6)
    smooth: bool = True
    """Whether it is differentiated twice."""
    static: tuple[str, ...] = ()
    """Names of arguments that are Python ints and say how often a loop runs."""
    shared: bool = True
    """Whether the code for the first size serves the second size as well."""
    specialised: bool = False
    """Whether the code is specialised on values that the data decide: another size, or longer
    data, may need code of its own."""
    written_out: str = ""
    """Why the source is longer for many iterations than for few, where it is."""
    rewritten: bool = False
    """Whether the value is computed by another formula than the user's, in its last bits."""
    steered: bool = False
    """Whether an argument only decides: no result depends on it."""
    refused: str = ""
    """A part of the message, where gradsmith cannot do it and says so."""
    tolerance: float = 1e-6
    salt: int = 0
    """Draws other numbers, where the first ones are beside a threshold."""

    @property
    def name(self) -> str:
        return self.function.__name__

    def arguments(self, size: int, seed: int = 0) -> tuple[Any, ...]:
        """In descriptions ``n`` is the size, ``m`` one more and ``k`` one less."""
        random = np.random.default_rng([self.salt, seed, size, *self.name.encode()])
        sizes = {"n": size, "m": size + 1, "k": size - 1}
        return tuple(made(d, sizes, random) for d in self.descriptions)


PROGRAMS: dict[str, Program] = {}


def program(*descriptions: Any, **options: Any) -> Callable[[Run], Run]:
    """Register a function with descriptions of its arguments."""

    def register(function: Run) -> Run:
        assert function.__name__ not in PROGRAMS, function.__name__
        PROGRAMS[function.__name__] = Program(function, descriptions, **options)
        return function

    return register


# --- trees of numbers


def parts_of(value: Any) -> tuple[list[Any], Any]:
    return tree.flatten(value, lambda v: not tree.is_container(v))


def tree_map(function: Callable[[Any], Any], value: Any) -> Any:
    found, shape = parts_of(value)
    return tree.unflatten(shape, [function(v) for v in found])


def is_differentiable(value: Any) -> bool:
    return any(inexact(leaf) for leaf in leaves(value))


def direction_for(value: Any, random: np.random.Generator) -> Any:
    """A tree like the value with random numbers, None where it has no floating ones."""

    def drawn(leaf: Any) -> Any:
        if not inexact(leaf):
            return None
        dtype = np.asarray(leaf).dtype
        noise = random.normal(size=np.shape(leaf))
        if dtype.kind == "c":
            noise = noise + 1j * random.normal(size=np.shape(leaf))
        return np.asarray(noise)[()]

    return tree_map(drawn, value)


def is_single(value: Any) -> bool:
    return any(np.asarray(v).dtype in (np.float32, np.complex64) for v in leaves(value))


def widened(value: Any) -> Any:
    """Copies in double precision: differences of fewer digits say nothing."""

    def wide(leaf: Any) -> Any:
        if not is_single(leaf):
            return copied(leaf)
        return np.asarray(leaf).astype(np.result_type(leaf, np.float64))[()]

    return tree_map(wide, value)


# --- derivatives by differences


def moved(value: Any, direction: Any, step: float) -> Any:
    """A fresh tree: the value and ``step`` times the direction."""
    found, shape = parts_of(value)

    def at(leaf: Any, along: Any) -> Any:
        if along is None:
            return copied(leaf)
        if isinstance(leaf, np.ndarray):
            result = leaf.copy(order="K")
            result += step * along
            return result
        return type(leaf)(leaf + step * along)

    pairs = zip(found, leaves(direction), strict=True)
    return tree.unflatten(shape, [at(leaf, along) for leaf, along in pairs])


def slope(run: Run, arguments: tuple[Any, ...], directions: Any, seed: Any, step: float) -> float:
    """The derivative of ``<seed, run(*arguments)>`` along the directions, of fourth order."""

    def value(factor: float) -> float:
        return paired(seed, run(*moved(arguments, directions, factor * step)))

    return (8 * (value(1) - value(-1)) - (value(2) - value(-2))) / (12 * step)


def only(position: int, direction: Any, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Directions for all arguments that move only one of them."""
    still = [tree_map(lambda leaf: None, argument) for argument in arguments]
    still[position] = direction
    return tuple(still)


def along(direction: Any, gradient: Any) -> float:
    """The derivative along a direction that a gradient gives; None stands for zeros."""
    total = 0.0
    found = leaves(gradient) if gradient is not None else [None] * len(leaves(direction))
    for d, g in zip(leaves(direction), found, strict=True):
        if d is not None and g is not None:
            total += float(np.sum(np.real(np.conj(d) * g)))
    return total


def near(actual: Any, expected: Any, tolerance: float) -> bool:
    """Within a tolerance relative to the largest of the numbers."""
    scale = max(1e-3, float(np.max(np.abs(expected), initial=0.0)))
    return bool(np.allclose(actual, expected, rtol=0, atol=tolerance * scale))
