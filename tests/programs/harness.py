"""Programs as users write them, and everything that must hold of each."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradsmith import tree
from programs.arguments import FIRST, Sizes, made


@dataclass(frozen=True)
class Program:
    """A function, its arguments, and what may be asked of it."""

    function: Callable[..., Any]
    descriptions: Sequence[Any]
    smooth: bool = True
    """Whether it is differentiated twice."""
    rewritten: bool = False
    """Whether the value is computed by another formula than the user's, and differs in last bits."""
    sized: bool = False
    """Whether the source depends on sizes: loops over them, say."""
    single: bool = True
    """Whether it also runs in float32."""
    captured: dict[str, Any] = field(default_factory=dict)
    """What the emitted function takes besides its arguments."""
    pure: bool = True
    """Whether libraries that have no assignments can run it."""

    @property
    def name(self) -> str:
        return self.function.__name__

    def arguments(self, sizes: Sizes = FIRST, seed: int = 0) -> tuple[Any, ...]:
        random = np.random.default_rng([seed, *self.name.encode()])
        return tuple(made(d, sizes, random) for d in self.descriptions)


PROGRAMS: dict[str, Program] = {}


def program(*descriptions: Any, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Register a function with descriptions of its arguments."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        assert function.__name__ not in PROGRAMS, function.__name__
        PROGRAMS[function.__name__] = Program(function, descriptions, **options)
        return function

    return register


def leaves(value: Any) -> list[Any]:
    """The arrays and numbers of a tree."""
    return tree.flatten(value, lambda v: not tree.is_container(v))[0]


def inexact(value: Any) -> bool:
    return isinstance(value, (float, complex, np.ndarray, np.generic)) and np.issubdtype(
        np.asarray(value).dtype, np.inexact
    )


def copied(value: Any) -> Any:
    """A copy that keeps layouts, which ``deepcopy`` does not."""
    if isinstance(value, np.ndarray):
        return value.copy(order="K")
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(copied(v) for v in value)
    if isinstance(value, dict):
        return {k: copied(v) for k, v in value.items()}
    return copy.deepcopy(value)


def same_bits(actual: Any, expected: Any) -> None:
    """Equal in structure, shapes, dtypes and bits (nan as nan)."""
    ours, theirs = leaves(actual), leaves(expected)
    assert len(ours) == len(theirs)
    for a, e in zip(ours, theirs, strict=True):
        assert type(a) is type(e), (type(a), type(e))
        assert np.shape(a) == np.shape(e), (np.shape(a), np.shape(e))
        assert np.asarray(a).dtype == np.asarray(e).dtype, (
            np.asarray(a).dtype,
            np.asarray(e).dtype,
        )
        np.testing.assert_array_equal(a, e)


def close(actual: Any, expected: Any, rtol: float, atol: float | None = None) -> None:
    """Equal in structure, shapes and dtypes, and near in numbers."""
    ours, theirs = leaves(actual), leaves(expected)
    assert len(ours) == len(theirs)
    for a, e in zip(ours, theirs, strict=True):
        assert np.shape(a) == np.shape(e), (np.shape(a), np.shape(e))
        if a is None or e is None:
            assert a is e
            continue
        scale = np.max(np.abs(e), initial=1.0, where=np.isfinite(e)) if np.size(e) else 1.0
        np.testing.assert_allclose(a, e, rtol=rtol, atol=rtol * scale if atol is None else atol)


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """The tree with ``function`` of its arrays."""
    found, shape = tree.flatten(value, lambda v: not tree.is_container(v))
    changed = [function(v) if isinstance(v, np.ndarray) and v.ndim else v for v in found]
    return tree.unflatten(shape, changed)


def seeds_for(value: Any, random: np.random.Generator) -> Any:
    """A tree like the value, with random numbers of the same shapes and dtypes."""
    found, shape = tree.flatten(value, lambda v: not tree.is_container(v))
    return tree.unflatten(shape, [_seed_like(v, random) for v in found])


def _seed_like(value: Any, random: np.random.Generator) -> Any:
    dtype = np.asarray(value).dtype
    noise = random.normal(size=np.shape(value))
    if dtype.kind == "c":
        noise = noise + 1j * random.normal(size=np.shape(value))
    return np.asarray(noise).astype(dtype)[()]


def paired(seed: Any, value: Any) -> float:
    """The real inner product of two trees."""
    pairs = zip(leaves(seed), leaves(value), strict=True)
    return float(sum(np.sum(np.real(np.conj(s) * v)) for s, v in pairs if inexact(v)))


def differences(
    run: Callable[..., Any], arguments: tuple[Any, ...], seed: Any, step: float = 1e-3
) -> list[Any]:
    """The gradient of ``<seed, run(*arguments)>`` in every number, by central differences."""
    found, shape = tree.flatten(arguments, lambda v: not tree.is_container(v))

    def value(i: int, moved: Any) -> float:
        changed = [copied(v) for v in found]
        changed[i] = moved
        return paired(seed, run(*tree.unflatten(shape, changed)))

    return [_difference(i, v, value, step) for i, v in enumerate(found) if inexact(v)]


def _difference(i: int, leaf: Any, value: Callable[[int, Any], float], step: float) -> Any:
    wide = np.asarray(leaf).astype(np.result_type(leaf, np.float64))
    result = np.zeros_like(wide)
    units = (1.0, 1j) if wide.dtype.kind == "c" else (1.0,)
    for index in np.ndindex(*wide.shape):
        for unit in units:

            def at(factor: float, index: Any = index, unit: complex = unit) -> float:
                moved = wide.copy(order="K")
                moved[index] += factor * step * unit
                return value(i, _as_given(moved, leaf))

            slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step)
            result[index] += slope * unit
    return result


def _as_given(array: Any, leaf: Any) -> Any:
    if isinstance(leaf, np.ndarray):
        return array
    return (
        array.item()
        if isinstance(leaf, (float, complex)) and not isinstance(leaf, np.generic)
        else array[()]
    )
