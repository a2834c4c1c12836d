"""Sizes and shapes in emitted code: read from what shows them."""

from __future__ import annotations

import ast

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.codegen.printer import print_expression
from gradsmith.codegen.sizes import Sizes
from gradsmith.errors import InternalError
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Guard, Symbol
from gradsmith.ir.types import ArrayType
from gradsmith.ops import syntax
from helpers import each

N, M, K = (dims.symbol(name, value, axis=True) for name, value in (("n", 5), ("m", 3), ("k", 5)))


def unknown(symbol: Symbol) -> ast.expr:
    raise InternalError(symbol.name)


def sizes(shapes: dict[str, tuple], guards: tuple[Guard, ...] = ()) -> Sizes:
    made = Sizes(unknown, guards)
    builder = Builder()
    for name, shape in shapes.items():
        node = builder.parameter(name, ArrayType(np.dtype(float), shape))
        made.show(node, syntax.name(name))
    return made


SHOWN = sizes({"x": (N, M), "y": (M,)})


@each(
    ("size", "text"),
    [
        (7, "7"),
        (N, "len(x)"),
        (M, "x.shape[1]"),
        (N * M, "x.size"),
        (N + 1, "len(x) + 1"),
        (N - 1, "len(x) - 1"),
        (2 * N - M, "2 * len(x) - x.shape[1]"),
        (1 - N, "1 - len(x)"),
        (N * N, "len(x) * len(x)"),
        (N // 2, "len(x) // 2"),
        ((N + 1) % M, "(len(x) + 1) % x.shape[1]"),
        (dims.compound("max", N - M, 0), "max(len(x) - x.shape[1], 0)"),
    ],
)
def test_sizes(size, text):
    assert print_expression(SHOWN.size(size)) == text


@each(
    ("shape", "text"),
    [
        ((N, M), "x.shape"),
        ((M,), "y.shape"),
        ((N,), "len(x)"),
        ((M, N), "x.shape[1], len(x)"),
        ((2, 3), "2, 3"),
        ((4,), "4"),
        ((), "()"),
    ],
)
def test_shapes(shape, text):
    assert print_expression(SHOWN.shape(shape)) == text


@pytest.mark.internal_error
def test_a_size_that_nothing_shows_is_an_error():
    with pytest.raises(InternalError):
        sizes({"x": (N,)}).size(M)


def test_names_of_the_users_come_first():
    made = sizes({"x": (N, M)})
    made.name(Symbol("n", 5), "count")
    assert print_expression(made.size(2 * N)) == "2 * count"


def test_sizes_that_are_equal_by_a_guard_are_one():
    made = sizes({"x": (N, M), "y": (K,)}, (Guard("==", K, N), Guard(">", M, 2)))
    assert print_expression(made.size(K)) == "len(x)"
    assert print_expression(made.size(K * M)) == "x.size"
    assert print_expression(made.shape((K, M))) == "x.shape"
    assert print_expression(made.size(dims.compound("//", K, 2))) == "len(x) // 2"


def test_leaves_that_only_show_a_known_size_are_not_read():
    def f(p):
        return np.sum(np.ones(len(p["unused"])) * p["x"] ** 2)

    p = {"unused": np.ones(3), "x": np.ones(3)}
    with pytest.warns(gs.UnusedInputWarning):
        source = gs.grad(f).source(p)
    assert "p['x']" in source
    assert "= p['unused']" not in source


def test_leaves_that_alone_show_a_size_are_read():
    def f(p):
        return np.sum(p["x"]) * len(p["shape"])

    p = {"shape": np.ones(3), "x": np.ones(2)}
    with pytest.warns(gs.UnusedInputWarning):
        assert "= p['shape']" in gs.grad(f).source(p)


def test_axes_of_a_pattern_need_no_guards():
    # axes of 0 and 1 are patterns of their own: what follows from that is no condition
    with dims.recording_guards() as guards:
        assert dims.decide(">", N * M, 0)
        assert dims.decide("!=", N, 1)
        assert not dims.decide("==", N + M - 1, 2)
        assert not dims.decide("<", N, 2)
        assert dims.decide(">=", N - 1, 1)
    assert not guards


@each(
    ("relation", "left", "right"),
    [("!=", N - 1, 1), (">", N, 2), (">", N - M, 0), (">=", N, 3), ("==", N // 2, 2)],
)
def test_what_does_not_follow_is_guarded(relation, left, right):
    with dims.recording_guards() as guards:
        dims.decide(relation, left, right)
    assert guards


def test_integers_are_no_axes():
    integer = dims.symbol("count", 4)
    with dims.recording_guards() as guards:
        assert dims.decide(">", integer, 0)
        assert dims.decide(">", integer * N, 0)
    assert len(guards) == 2
