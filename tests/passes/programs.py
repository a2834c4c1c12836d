"""Random straight-line programs of NumPy: drawn on arrays, run on arrays and on nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from gradsmith.ops.index import read, write, write_added
from ops.differences import gnp
from ops.graphs import Traced, symbolic

_random = np.random.default_rng(5)
ARGUMENTS = (
    _random.normal(size=(3, 4)),
    _random.normal(size=4),
    np.float64(0.7),
    _random.normal(size=(4, 3)),
    _random.normal(size=(3, 1)),
)
LARGEST, MOST = 1e3, 400
"""Values and arrays beyond these make no program: their rounding errors would hide everything."""


class Arrays:
    """NumPy on arrays, and assignments as functions of what they change."""

    np: Any = np

    def read(self, x: Any, key: Any) -> Any:
        return x[key]

    def write(self, x: Any, key: Any, value: Any) -> Any:
        result = np.array(x)
        result[key] = value
        return result

    def added(self, x: Any, key: Any, value: Any) -> Any:
        result = np.array(x)
        np.add.at(result, key, value)
        return result


class Nodes(Arrays):
    """The same on nodes."""

    np = gnp
    read = staticmethod(read)
    write = staticmethod(write)
    added = staticmethod(write_added)


def _softmax(f: Arrays, x: Any) -> Any:
    powers = f.np.exp(x - f.np.max(x, axis=-1, keepdims=True))
    return powers / f.np.sum(powers, axis=-1, keepdims=True)


def _logsumexp(f: Arrays, x: Any) -> Any:
    return f.np.log(f.np.sum(f.np.exp(x), axis=-1))


def _chosen(f: Arrays, x: Any, y: Any) -> Any:
    """By a condition that no rewriting can tip over."""
    return f.np.where(np.array([True, False, False, True]), x, y)


UNARY: dict[str, Callable[..., Any]] = {
    # elementwise
    "sin": lambda f, x: f.np.sin(x),
    "tanh": lambda f, x: f.np.tanh(x),
    "gauss": lambda f, x: f.np.exp(-x * x),
    "sqrt": lambda f, x: f.np.sqrt(1 + x * x),
    "log1p": lambda f, x: f.np.log1p(x**2),
    "negative": lambda f, x: -x,
    "cube": lambda f, x: x**3,
    "fifth": lambda f, x: f.np.tanh(x) ** 5,
    "inverse": lambda f, x: 1 / (2 + f.np.cos(x)),
    "twice": lambda f, x: 2 * x,
    "thrice": lambda f, x: x * -3,
    "half": lambda f, x: x / 2,
    "same": lambda f, x: x * 1 + 0,
    "beyond": lambda f, x: 1 - x,
    "abs": lambda f, x: f.np.abs(x),
    "softplus": lambda f, x: f.np.log(1 + f.np.exp(x)),
    "sigmoid": lambda f, x: 1 / (1 + f.np.exp(-x)),
    "odds": lambda f, x: f.np.exp(x) / (1 + f.np.exp(x)),
    "clip": lambda f, x: f.np.clip(x, -0.456, 0.789),
    "log softmax": lambda f, x: f.np.log(_softmax(f, x)),
    "softmax": _softmax,
    "logsumexp": _logsumexp,
    "logsumexp of columns": lambda f, x: f.np.log(f.np.sum(f.np.exp(x), axis=0)),
    # reductions
    "sum": lambda f, x: f.np.sum(x),
    "rows": lambda f, x: f.np.sum(x, axis=0),
    "columns": lambda f, x: f.np.sum(x, axis=-1, keepdims=True),
    "mean": lambda f, x: f.np.mean(x, axis=0),
    "max": lambda f, x: f.np.max(x, axis=-1),
    "var": lambda f, x: f.np.var(x, axis=-1),
    "prod": lambda f, x: f.np.prod(x, axis=-1),
    "unit": lambda f, x: x / f.np.linalg.norm(x + 2),
    "cumsum": lambda f, x: f.np.cumsum(x, axis=0),
    "cumprod": lambda f, x: f.np.cumprod(x, axis=-1),
    "diff": lambda f, x: f.np.diff(x, axis=0),
    # views and copies
    "tail": lambda f, x: f.read(x, slice(1, None)),
    "backwards": lambda f, x: f.read(x, slice(None, None, -1)),
    "column": lambda f, x: f.read(x, (..., 0)),
    "first": lambda f, x: f.read(x, 0),
    "gathered": lambda f, x: f.read(x, [0, 2, 0]),
    "new": lambda f, x: f.read(x, (..., None)),
    "leading": lambda f, x: f.read(x, None),
    "transposed": lambda f, x: f.np.transpose(x),
    "flat": lambda f, x: f.np.ravel(x),
    "spread": lambda f, x: f.np.broadcast_to(x, (3, 4)),
    "squeezed": lambda f, x: f.np.squeeze(x, axis=1),
    "copy": lambda f, x: f.np.copy(x),
    "rolled": lambda f, x: f.np.roll(x, 1, axis=0),
    "repeated": lambda f, x: f.np.repeat(x, 2, axis=1),
    "triangle": lambda f, x: f.np.triu(x),
    "diagonal": lambda f, x: f.np.diagonal(x),
    "cleared": lambda f, x: f.write(x, 0, 0.5),
}
BINARY: dict[str, Callable[..., Any]] = {
    "add": lambda f, x, y: x + y,
    "subtract": lambda f, x, y: x - y,
    "multiply": lambda f, x, y: x * y,
    "divide": lambda f, x, y: x / (1 + y * y),
    "maximum": lambda f, x, y: f.np.maximum(x, y + 0.123),  # x and y may be equal but for rounding
    "hypot": lambda f, x, y: f.np.hypot(x, y),
    "where": _chosen,
    "matmul": lambda f, x, y: x @ y,
    "matmul by the transposed": lambda f, x, y: x @ f.np.transpose(y),
    "outer": lambda f, x, y: f.np.outer(x, y),
    "inner": lambda f, x, y: f.np.inner(x, y),
    "einsum": lambda f, x, y: f.np.einsum("ij,kj->ik", x, y),
    "all": lambda f, x, y: f.np.einsum("ij,ij->", x, y),
    "concatenate": lambda f, x, y: f.np.concatenate([x, y]),
    "stack": lambda f, x, y: f.np.stack([x, y]),
    "written": lambda f, x, y: f.write(x, slice(1, None), y),
    "written once": lambda f, x, y: f.write(x, 0, y),
    "written through": lambda f, x, y: f.write(x, (slice(None), 1), y),
    "added": lambda f, x, y: f.added(x, [0, 2, 0], y),
}
STEPS = {**UNARY, **BINARY}


@dataclass(frozen=True)
class Program:
    """Steps, each with the positions of its operands among the arguments and earlier values, and
    the positions of the results.
    """

    steps: tuple[tuple[str, tuple[int, ...]], ...]
    results: tuple[int, ...]

    def __call__(self, f: Arrays, arguments: Sequence[Any]) -> list[Any]:
        values = list(arguments)
        for name, operands in self.steps:
            values.append(STEPS[name](f, *(values[i] for i in operands)))
        return [values[i] for i in self.results]

    @property
    def traced(self) -> Traced:
        types = tuple(symbolic(a, f"n{i}") for i, a in enumerate(ARGUMENTS))
        return Traced(lambda *nodes: self(Nodes(), nodes), types)


def _attempt(name: str, operands: Sequence[Any]) -> Any:
    """The value of a step, or None where the operands do not fit or the value is of no use."""
    try:
        with np.errstate(all="ignore"):
            value = STEPS[name](Arrays(), *operands)
    except (TypeError, ValueError, IndexError):
        return None
    useful = np.size(value) <= MOST and np.all(np.abs(value) < LARGEST) and np.size(value)
    return value if useful else None


@st.composite
def programs(draw: Any) -> Program:
    """Programs of a few steps; later values are read more often."""
    values: list[Any] = list(ARGUMENTS)
    steps = []
    for _ in range(draw(st.integers(1, 12))):
        name = draw(st.sampled_from(list(STEPS)))
        count = 1 if name in UNARY else 2
        operands = tuple(
            len(values) - 1 - draw(st.integers(0, len(values) - 1)) for _ in range(count)
        )
        value = _attempt(name, [values[i] for i in operands])
        if value is not None:
            steps.append((name, operands))
            values.append(value)
    other = draw(st.integers(0, len(values) - 1))
    return Program(tuple(steps), (len(values) - 1, other))
