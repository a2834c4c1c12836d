"""Partials against SymPy's derivatives, and inferred types against NumPy's own results."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.evaluate import evaluate
from gradsmith.ir.intrinsics import type_of
from gradsmith.ir.op import Masked, Op, Partials, Pole
from gradsmith.ops.declare import OPS
from gradsmith.ops.select import where
from helpers import run_cases
from ops.families import SAMPLES
from ops.harness import symbolic
from ops.sample import Sample

SYMBOLIC = [n for n in SAMPLES if isinstance(OPS[n].derivative, Partials) and OPS[n].sympy]


def differentiable(name: str) -> list[Sample]:
    return [s for s in SAMPLES[name] if s.smooth and set(operand_kinds(s)) & set("fc")]


def written(found: Any) -> list[Any]:
    """A partial as nodes; one that may be infinite both as it is written and as a quotient."""
    if isinstance(found, Masked):
        return [where(found.mask, value, 0) for value in written(found.partial)]
    if isinstance(found, Pole):
        quotient = [found.numerator / found.divisor**found.order] if found.order else []
        return [found.plain, *quotient]
    return [found]


def partial(op: Op, sample: Sample, position: int) -> list[Any]:
    """The partial with respect to one operand, run by the interpreter."""
    rule = op.derivative.rules[position]
    builder = Builder()
    with building(builder):
        params = [
            builder.parameter(f"p{i}", symbolic(f"n{i}_", a)) for i, a in enumerate(sample.args)
        ]
        out = op(*params, **sample.attrs)
        found = rule(out, *params, **sample.attrs)
        graph = builder.graph([builder.lift(value) for value in written(found)])
    return evaluate(graph, sample.args)


def form(op: Op, symbols: list[sympy.Symbol], attrs: dict[str, Any]) -> sympy.Expr:
    build = getattr(sympy, op.sympy) if isinstance(op.sympy, str) else op.sympy
    return build(*symbols, **attrs)


MODULES = [
    {
        "Heaviside": lambda x, half=0.5: half if x == 0 else mpmath.mpf(x > 0),
        "besseli": mpmath.besseli,
        "sinc": mpmath.sinc,
        "Abs": abs,
    },
    "mpmath",
]


@functools.cache
def reference(
    name: str, position: int, attrs: tuple[tuple[str, Any], ...], kinds: str
) -> Callable[..., Any]:
    """SymPy's derivative as a function of mpmath's numbers; steps have the slope 0."""
    symbols = [
        sympy.Symbol(letter, **({} if kind in "cb" else {"real": True}))
        for letter, kind in zip("xyz", kinds, strict=False)
    ]
    derivative = form(OPS[name], symbols, dict(attrs)).diff(symbols[position])
    steps = derivative.atoms(sympy.Subs, sympy.Derivative, sympy.DiracDelta)
    return sympy.lambdify(symbols, derivative.xreplace(dict.fromkeys(steps, 0)), MODULES)


def exact(value: Any) -> Any:
    number = value.item() if isinstance(value, np.generic) else value
    if isinstance(number, bool):
        return number
    return mpmath.mpmathify(number)


def operand_kinds(sample: Sample) -> str:
    return "".join(type_of(a).dtype.kind for a in sample.args)


def is_single(value: Any) -> bool:
    return type_of(value).dtype in (np.float32, np.complex64)


def expected(name: str, position: int, sample: Sample) -> list[complex]:
    function = reference(name, position, tuple(sample.attrs.items()), operand_kinds(sample))
    points = zip(*(a.flat for a in np.broadcast_arrays(*sample.args)), strict=True)
    with mpmath.workdps(40):
        return [complex(function(*map(exact, point))) for point in points]


@pytest.mark.parametrize("name", [*filter(differentiable, SYMBOLIC)])
def test_partial_is_sympys_derivative(name: str) -> None:
    run_cases(functools.partial(check_partial, name), differentiable(name))


def check_partial(name: str, sample: Sample) -> None:
    op = OPS[name]
    for position, rule in enumerate(op.derivative.rules):
        if callable(rule) and operand_kinds(sample)[position] in "fc":
            wanted = expected(name, position, sample)
            rtol = 3e-5 if any(map(is_single, sample.args)) else 1e-10
            for found in partial(op, sample, position):
                actual = np.broadcast_to(found, np.broadcast_shapes(*map(np.shape, sample.args)))
                np.testing.assert_allclose(actual.ravel(), wanted, rtol=rtol)
