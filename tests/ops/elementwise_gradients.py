"""Gradients of functions of nodes, by the interpreter and by the emitted statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.autodiff.reverse import vjp
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.evaluate import evaluate
from gradsmith.ops.declare import FUNCTIONS
from ops.harness import emitted, symbolic


def call(function: Callable[..., Any]) -> Callable[..., Any]:
    """What a NumPy function means on nodes; functions of nodes as they are."""
    return FUNCTIONS.get(function, function)


def gradients(function: Callable[..., Any], *args: Any, order: int = 1) -> list[Any]:
    """The gradient of the sum of the result in each argument, differentiated ``order`` times."""
    builder = Builder()
    with building(builder), dims.recording_guards():
        params = [builder.parameter(f"p{i}", symbolic(f"n{i}_", a)) for i, a in enumerate(args)]
        results = [call(function)(*params)]
        for _ in range(order):
            seed = builder.lift(np.ones(np.shape(evaluate(builder.graph(results), args)[0]))[()])
            found = vjp(results, [seed], params)
            results = [g for g in found if g is not None][:1]
        graph = builder.graph([g for g in found if g is not None])
    values = evaluate(graph, args)
    for value, again in zip(values, emitted(graph, args), strict=True):
        np.testing.assert_allclose(again, value, rtol=1e-12)
    return list(values)
