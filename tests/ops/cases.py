"""Every op with each of its samples, and concrete arguments like those of a sample."""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import gradsmith.ops.library  # noqa: F401 (declares every op)
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item, type_of
from gradsmith.ir.op import Op
from gradsmith.ir.types import TupleType
from gradsmith.ops.declare import OPS
from ops.sample import Sample

DOUBLE = {np.dtype(np.float32): np.float64, np.dtype(np.complex64): np.complex128}
SINGLE = {np.dtype(wide): narrow for narrow, wide in DOUBLE.items()}

_FILES = sorted(Path(__file__).parent.glob("samples_*.py"))
_FAMILIES = [importlib.import_module(f"ops.{file.stem}") for file in _FILES]
SAMPLES: dict[str, list[Sample]] = {
    name: samples for family in _FAMILIES for name, samples in family.SAMPLES.items()
}


@dataclass(frozen=True)
class Case:
    """One sample of one op."""

    op: Op
    sample: Sample
    id: str

    def __call__(self, *nodes: Node) -> list[Node]:
        return results_of(self.op(*nodes, **self.sample.attrs))

    @property
    def args(self) -> tuple[Any, ...]:
        return self.sample.args

    @property
    def random(self) -> np.random.Generator:
        return np.random.default_rng(zlib.crc32(self.id.encode()))

    @property
    def differentiable(self) -> bool:
        """Whether a floating result is made of a floating argument."""
        types = [type_of(a) for a in self.args]
        result = self.op.infer(*types, **self.sample.attrs)
        results = result.items if isinstance(result, TupleType) else [result]
        return any(t.inexact for t in results) and any(t.inexact for t in types)


def results_of(node: Node) -> list[Node]:
    """What an op gives: one value, or several."""
    if not isinstance(node.type, TupleType):
        return [node]
    return [item(node, index=index) for index in range(len(node.type.items))]


def _numbered() -> Iterator[Case]:
    for name, samples in SAMPLES.items():
        for k, sample in enumerate(samples):
            yield Case(OPS[name], sample, f"{name}-{k}")


CASES = list(_numbered())


# -- arguments -----------------------------------------------------------------------------------


def is_inexact(value: Any) -> bool:
    return type_of(value).inexact


def in_precision(value: Any, dtypes: dict[Any, Any]) -> Any:
    """``value`` in the dtype that stands for its own; Python numbers have no precision."""
    if not isinstance(value, (np.ndarray, np.generic)) or value.dtype not in dtypes:
        return value
    with np.errstate(over="ignore"):
        return value.astype(dtypes[value.dtype])


def noise(random: np.random.Generator, value: Any) -> Any:
    """A random value of the same dtype, shape and form, but never a Python number."""
    shape, exact = np.shape(value), type_of(value)
    drawn = random.normal(size=shape)
    if exact.complex:
        drawn = drawn + 1j * random.normal(size=shape)
    drawn = np.asarray(drawn, exact.dtype)
    return drawn if exact.form == "array" else drawn[()]


def moved(values: Sequence[Any], directions: Sequence[Any], factor: float) -> list[Any]:
    """``values + factor * directions``; what has no direction (None) stays."""
    return [
        v if d is None else _of_form(v, v + factor * d)
        for v, d in zip(values, directions, strict=True)
    ]


def _of_form(model: Any, value: Any) -> Any:
    exact = type_of(model)
    if exact.form == "array":
        return np.asarray(value, exact.dtype)
    return type(model)(value)


def difference(
    function: Callable[[list[Any]], Sequence[Any]],
    values: Sequence[Any],
    directions: Sequence[Any],
    step: float,
) -> list[Any]:
    """The central difference of fourth order (Abramowitz and Stegun 25.3.22) along directions."""
    near, far = (
        [function(moved(values, directions, sign * n * step)) for sign in (1, -1)] for n in (1, 2)
    )
    return [(8 * (a - b) - (c - d)) / (12 * step) for a, b, c, d in zip(*near, *far, strict=True)]


def pairing(left: Sequence[Any], right: Sequence[Any]) -> tuple[float, float]:
    """The real inner product, in which reverse mode is the adjoint of forward mode, and the size
    of its terms: what its rounding errors are in proportion to.
    """
    total = size = 0.0
    for a, b in zip(left, right, strict=True):
        total += float(np.sum(np.real(np.conj(a) * b)))
        size += float(np.sum(np.abs(a) * np.abs(b)))
    return total, size
