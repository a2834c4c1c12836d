"""What is emitted for a function of nodes, run against the interpreter."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.codegen.load import load
from gradsmith.codegen.module import module
from gradsmith.ir.graph import Graph, Node
from gradsmith.passes.pipeline import lower
from ops.graphs import program, run, traced


def statements(graph: Graph) -> list[str]:
    """The code of the emitted function, line by line."""
    text = module(program(graph)).text
    body = text.split('"""')[2]
    return [line.strip() for line in body.splitlines() if line.strip()]


def check(function: Callable[..., list[Node]], *args: Any) -> list[str]:
    graph = lower(traced(function, args).graph)
    emitted = load(module(program(graph)).text, "function")
    given = [np.array(a) if isinstance(a, np.ndarray) else a for a in args]
    with np.errstate(all="ignore"):
        actual, expected = emitted(*given), run(graph, args)
    for ours, theirs in zip(actual, expected, strict=True):
        assert type(ours) is type(theirs)
        np.testing.assert_array_equal(ours, theirs)
    for now, before in zip(given, args, strict=True):
        np.testing.assert_array_equal(now, before)
    arrays = [a for a in (*actual, *given) if isinstance(a, np.ndarray)]
    for one, other in itertools.combinations(arrays, 2):
        assert not np.shares_memory(one, other)
    return statements(graph)
