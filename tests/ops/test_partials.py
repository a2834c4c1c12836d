"""Partials against SymPy's derivatives, and inferred types against NumPy's own results."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from ops import (
    samples_arithmetic,
    samples_complex,
    samples_elementwise,
    samples_logic,
    samples_select,
    samples_stable,
)
from ops.harness import check_type, emitted, symbolic
from ops.sample import Sample

from gradsmith.errors import GradsmithError
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.evaluate import evaluate
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.intrinsics import type_of
from gradsmith.ir.op import Masked, Op, Partials
from gradsmith.ops.declare import OPS
from gradsmith.ops.select import where

FAMILIES = (
    samples_arithmetic,
    samples_complex,
    samples_elementwise,
    samples_logic,
    samples_select,
    samples_stable,
)
SAMPLES = {name: samples for family in FAMILIES for name, samples in family.SAMPLES.items()}
SYMBOLIC = [n for n in SAMPLES if isinstance(OPS[n].derivative, Partials) and OPS[n].sympy]


def numbered(names: list[str]) -> list[Any]:
    return [
        pytest.param(name, sample, id=f"{name}-{i}")
        for name in names
        for i, sample in enumerate(SAMPLES[name])
    ]


def partial(op: Op, sample: Sample, position: int) -> Any:
    """The partial with respect to one operand, run by the interpreter."""
    rule = op.derivative.rules[position]
    builder = Builder()
    with building(builder):
        params = [
            builder.parameter(f"p{i}", symbolic(f"n{i}_", a)) for i, a in enumerate(sample.args)
        ]
        out = op(*params, **sample.attrs)
        found = rule(out, *params, **sample.attrs)
        if isinstance(found, Masked):
            found = where(found.mask, found.partial, 0)
        graph = builder.graph([builder.lift(found)])
    return evaluate(graph, sample.args)[0]


def form(op: Op, symbols: list[sympy.Symbol], attrs: dict[str, Any]) -> sympy.Expr:
    build = getattr(sympy, op.sympy) if isinstance(op.sympy, str) else op.sympy
    return build(*symbols, **attrs)


MODULES = [
    {
        "Heaviside": lambda x, half=0.5: half if x == 0 else mpmath.mpf(x > 0),
        "besseli": mpmath.besseli,
        "sinc": lambda x: mpmath.sinc(x),
        "Abs": abs,
    },
    "mpmath",
]


@functools.lru_cache(maxsize=None)
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


@pytest.mark.parametrize(("name", "sample"), numbered(SYMBOLIC))
def test_partial_is_sympys_derivative(name: str, sample: Sample) -> None:
    op = OPS[name]
    kinds = "".join(type_of(a).dtype.kind for a in sample.args)
    if not sample.smooth or not set(kinds) & set("fc"):
        pytest.skip("a kink, or integers only")
    for position, rule in enumerate(op.derivative.rules):
        if not callable(rule) or kinds[position] not in "fc":
            continue
        actual = partial(op, sample, position)
        function = reference(name, position, tuple(sample.attrs.items()), kinds)
        operands = np.broadcast_arrays(*sample.args)
        actual = np.broadcast_to(actual, operands[0].shape)
        single = any(type_of(a).dtype.itemsize == (8 if type_of(a).complex else 4) for a in sample.args)
        with mpmath.workdps(40):
            expected = [complex(function(*map(exact, point))) for point in zip(*(o.flat for o in operands), strict=True)]
        np.testing.assert_allclose(actual.ravel(), expected, rtol=3e-5 if single else 1e-10)
