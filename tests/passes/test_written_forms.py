"""Rules that make adjoints read well: what is emitted, the same numbers, and no further change.

Each rule is tried on real numbers and on those that it must leave alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gradsmith as gs
from codegen.emitting import statements
from gradsmith.errors import Span
from gradsmith.ir import dims
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.text import text
from gradsmith.ir.verify import verify
from gradsmith.ops.index import read, write
from gradsmith.ops.shape import squeeze
from gradsmith.passes.buffers import own_buffers
from gradsmith.passes.factor import factor_sums
from gradsmith.passes.flatten import flat_products
from gradsmith.passes.numbers import floating_numbers
from gradsmith.passes.pipeline import ADJOINT, FINISH, LOWERED, lower
from gradsmith.passes.products import quick_products
from gradsmith.passes.rewrite import Table, rebuild
from helpers import each
from ops.differences import gnp as np_
from ops.graphs import Traced, run, symbolic, traced

random = np.random.default_rng(8)
M, N = random.normal(size=(3, 4)), random.normal(size=(3, 4))
ROW, COLUMN = random.normal(size=4), random.normal(size=(3, 1))
X, Y, Z = (random.normal(size=3) for _ in range(3))
S, T = np.float64(0.7), np.float64(-1.3)
W = random.normal(size=3) + 1j * random.normal(size=3)


def in_sizes(function: Callable[..., list[Node]], *args: Any) -> Traced:
    """Like `traced`, but axes that have one size share its symbol."""
    shared = {3: dims.symbol("n", 3), 4: dims.symbol("m", 4)}
    types = (symbolic(a, "x") for a in args)
    return Traced(
        function,
        tuple(
            replace(t, shape=tuple(shared.get(dims.hint(s), s) for s in t.shape)) for t in types
        ),
    )


def rewritten(table: Table, function: Callable[..., list[Node]], *args: Any) -> list[str]:
    graph = in_sizes(function, *args).graph
    better = verify(rebuild(graph, table))
    assert text(rebuild(better, table)) == text(better)
    for ours, theirs in zip(run(better, args), run(graph, args), strict=True):
        assert type(ours) is type(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    return statements(better)


def result(lines: list[str]) -> str:
    (line,) = lines
    return line.removeprefix("return (").removesuffix(",)")


# --- sums

SUMS = {
    "-p0.sum(axis=0)": (lambda m: np_.sum(-m, axis=0), M),
    "-p0.sum()": (lambda m: np_.sum(-m), M),
    "p1 * p0.sum()": (lambda m, s: np_.sum(m * s), M, S),
    "p0.sum(axis=1) / p1": (lambda m, s: np_.sum(m / s, axis=1), M, S),
    "p1 * p0.sum(axis=0)": (lambda m, row: np_.sum(m * row, axis=0), M, ROW),
    "p0.sum(axis=0) / p1": (lambda m, row: np_.sum(m / row, axis=0), M, ROW),
    "p1 * p0.sum(axis=1, keepdims=True)": (
        lambda m, column: np_.sum(m * column, axis=1, keepdims=True),
        M,
        COLUMN,
    ),
    "p1 * (p0 * p2).sum(axis=0)": (
        lambda m, row, n: np_.sum(m * (row * n), axis=0),
        M,
        ROW,
        N,
    ),
    "(p0 * p2).sum(axis=0) / p1": (
        lambda m, row, n: np_.sum(m * (n / row), axis=0),
        M,
        ROW,
        N,
    ),
    "np.vdot(p0, p1)": (lambda m, n: np_.sum(m * n), M, N),
    "p0 @ p1": (lambda x, y: np_.sum(x * y), X, Y),
    "p1 * np.vdot(p0, p2)": (lambda m, s, n: np_.sum(s * m * n), M, S, N),
    "-p0.sum(axis=0) * p1": (
        lambda m, s: squeeze(-(np_.sum(m, axis=0, keepdims=True) * s), axis=(0,)),
        M,
        S,
    ),
}


@each("expected", SUMS)
def test_what_is_the_same_for_all_terms_comes_out_of_the_sum(expected):
    function, *args = SUMS[expected]
    assert result(rewritten(ADJOINT, lambda *nodes: [function(*nodes)], *args)) == expected


SUMS_THAT_STAY = {
    "other axis": (lambda m, row: np_.sum(m * row, axis=1), M, ROW),
    "less precise": (lambda m, row: np_.sum(m * row, axis=0), M.astype(np.float32), ROW),
    "integers": (lambda i, s: np_.sum(i * s), np.arange(12).reshape(3, 4), np.int64(3)),
    "nothing to sum": (lambda m, row: np_.sum(m * row, axis=0), np.ones((0, 4)), ROW),
    "complex": (lambda m, n: np_.sum(m * n), M + 1j, N * 1j),
    "pairwise": (lambda m, n: np_.sum(m * n), M.astype(np.float32), N.astype(np.float32)),
    "part of one": (lambda m, n: np_.sum(m * n, axis=0), M, N),
}


@each("name", SUMS_THAT_STAY)
def test_sums_that_stay(name):
    function, *args = SUMS_THAT_STAY[name]
    line = result(rewritten(ADJOINT, lambda *nodes: [function(*nodes)], *args))
    assert "(p0 * p1).sum(" in line or "(p1 * p0).sum(" in line


def test_nothing_times_infinity_stays_nothing():
    def function(m, row):
        return [np_.sum(m * row, axis=0)]

    args = (np.ones((0, 4)), np.full(4, np.inf))
    better = rebuild(traced(function, args).graph, ADJOINT)
    np.testing.assert_array_equal(run(better, args)[0], np.zeros(4))


# --- quotients, magnitudes, multiples, transposes

CANCELLED = {
    "p0 / p1": (lambda x, s: x * np_.reciprocal(s), X, 0.7),
    "p0 / p1 ": (lambda x, y, s: x / (y / s) / s, X, Y, S),
    "p0 / p1  ": (lambda x, y, s: s * (x / (s * y)), X, Y, S),
    "1.0 / p0": (lambda y, s: 1.0 / (y / s) / s, Y, S),
    "p0": (lambda x: np_.sign(x) * np_.abs(x), X),
    "(1 + p1) * p0": (lambda x, s: x + s * x, X, S),
    "(1 - p1) * p0": (lambda x, s: x - s * x, X, S),
    "(p1 + p2) * p0": (lambda x, s, t: s * x + t * x, X, S, T),
    "(p1 - p2) * p0": (lambda x, s, t: s * x - t * x, X, S, T),
    "p2 * (p0 - p1)": (lambda x, y, s: s * x - s * y, X, Y, S),
    "p2 * (p0 + p1)": (lambda x, y, s: s * x + s * y, X, Y, S),
    "p1.T @ p0": (lambda m, n: np_.transpose(np_.transpose(m) @ n), M, N),
    "p1 @ p0": (
        lambda m, n: np_.transpose(np_.transpose(m) @ np_.transpose(n)),
        M,
        random.normal(size=(4, 3)),
    ),
    "p1.T @ p0 / p2": (lambda m, n, s: np_.transpose(np_.transpose(m) @ n / s), M, N, S),
}


@each("expected", CANCELLED)
def test_what_cancels_is_gone(expected):
    function, *args = CANCELLED[expected]
    line = result(rewritten(ADJOINT, lambda *nodes: [function(*nodes)], *args))
    assert line.removesuffix(".copy()") == expected.strip()


def test_a_direction_times_its_length_is_the_number():
    def function(w):
        length = np_.abs(w)
        return [w / np_.where(np_.equal(length, 0), 1, length) * length]

    args = (np.array([0, 1 + 1j, -2j]),)
    assert result(rewritten(ADJOINT, function, *args)) == "p0"


def test_numbers_of_pythons_own_are_not_divided_by_zero():
    # Python would raise where np.reciprocal warns and gives inf
    def function(s, t):
        return [s * np_.reciprocal(t)]

    assert "np.reciprocal(p1)" in result(rewritten(ADJOINT, function, 0.5, 0.7))


def test_products_that_are_no_transposes_stay():
    def function(m, n):
        return [np_.transpose(m @ n)]

    assert result(rewritten(ADJOINT, function, M, random.normal(size=(4, 3)))) == "(p0 @ p1).T"


# --- to the last bit, everywhere

STRUCTURE = {
    "p0 <= 0": (lambda x: np_.greater_equal(-x, 0), X),
    "p0 > 0": (lambda x: np_.less(-x, 0), X),
    "-p0": (lambda x: -1 * x, X),
    "-p0 ": (lambda x: x * -1.0, X),
    "2.5 * p0": (lambda x: np.float64(2.5) * x, X),
    "0.1 * p0": (lambda x: np.float32(0.1) * x, X.astype(np.float32)),
    "np.float64(2.5) * p0": (lambda s: np.float64(2.5) * s, 0.7),
    "np.float64(2.5) * p0 ": (lambda x: np.float64(2.5) * x, X.astype(np.float32)),
    "0.10000000149011612 * p0": (lambda x: np.float32(0.1) * x, X),
    "3 * p0": (lambda x: np.int64(3) * x, X),
    "p0[:, None] - p1": (lambda x, m: np_.expand_dims(x, 1) - np_.expand_dims(m, 0), X, ROW),
    "np.logaddexp(1, p0)": (lambda x: np_.logaddexp(1, x), X),
}


@each("expected", STRUCTURE)
def test_identities_keep_every_bit(expected):
    function, *args = STRUCTURE[expected]
    graph = in_sizes(lambda *nodes: [function(*nodes)], *args).graph
    better = verify(rebuild(graph, FINISH))
    for ours, theirs in zip(run(better, args), run(graph, args), strict=True):
        assert type(ours) is type(theirs)
        assert np.asarray(ours).tobytes() == np.asarray(theirs).tobytes()
    assert result(statements(better)) == expected.strip()


@each("dtype", [np.int64, np.int8, np.uint8, bool])
def test_integers_keep_their_signs(dtype):
    i = np.array([0, 1, 1], dtype)
    if dtype is not bool:
        line = result(rewritten(FINISH, lambda i: [np_.less(np_.negative(i), 0)], i))
        assert line == "-p0 < 0"
    if dtype in (np.int64, np.int8):
        assert result(rewritten(FINISH, lambda i: [-1 * i], i)) == "-1 * p0"


@pytest.mark.parametrize("value", [0.0, -0.0])
def test_zeros_keep_their_sign(value):
    def function(x):
        return [x - value, x + value, np_.full((3,), value) * 1.0]

    x = np.array([0.0, -0.0, 1.0])
    graph = traced(function, (x,)).graph
    for ours, theirs in zip(run(rebuild(graph, FINISH), (x,)), run(graph, (x,)), strict=True):
        assert ours.tobytes() == theirs.tobytes()


def test_operations_on_repeated_numbers_are_done_once():
    def function(x, s):
        two = np_.broadcast_to(np.float64(2), x.shape)
        return [-np_.broadcast_to(s, x.shape) * x, two * -1.0 + x]

    lines = statements(rebuild(in_sizes(function, X, S).graph, FINISH))
    assert lines == ["t = -p1 * p0", "t_2 = p0 - 2.0", "return t, t_2"]


# --- when the graph is finished: adjoints alone

LINE = Span("f.py", 1, 0, 1, 1, "return y")


def adjoint_graph(function: Callable[..., list[Node]], *args: Any, adjoint: bool = True) -> Graph:
    """The graph of ``function`` with all its nodes of an adjoint, or of the user's own."""

    def spanned(*nodes: Node) -> list[Node]:
        with current_builder().at(LINE.as_adjoint() if adjoint else LINE):
            return function(*nodes)

    return in_sizes(spanned, *args).graph


def finished(step: Callable[[Graph], Graph], graph: Graph, *args: Any) -> list[str]:
    better = verify(step(graph))
    assert text(step(better)) == text(better)
    for ours, theirs in zip(run(better, args), run(graph, args), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    return [line for line in statements(better) if not line.startswith("#")]


FLAT = {
    "2 * p0 * p1": (lambda x, y: 2 * (x * y), X, Y),
    "2 * p0 / p1": (lambda x, y: 2 * (x / y), X, Y),
    "2 * p0 * p1 / p2": (lambda x, y, z: 2 * (x * y / z), X, Y, Z),
    "p2 * p0 * p1": (lambda x, y, s: s * (x * y), X, Y, S),
    "p1 / p2 * p0": (lambda m, row, s: row * m / s, M, ROW, S),
    "2 * p0 * p0": (lambda x: 2 * x**2, X),
    "p0 * (p2 / p1)": (lambda m, a, b: m / a * b, M, ROW, ROW),
    "p0 * (p2 * p1)": (lambda m, a, b: m * a * b, M, COLUMN, ROW),
    "p0 * p1 / p2": (lambda m, n, a: m * n / a, M, N, ROW),
    "2 * (p0 + p1)": (lambda x, y: 2 * (x + y), X, Y),
    "2 * p0 * (p1 + 1)": (lambda x, y: 2 * (x * (y + 1)), X, Y),
    "p1 / (1 + p0)": (lambda x, y: 1 / (1 + x) * y, X, Y),
    "p0 / (p1 * p2)": (lambda m, column, s: m / column / s, M, COLUMN, S),
    "-2 * p0 / p1": (lambda x, y: -(2 * x / y), X, Y),
    "-1 / p0 / p1": (lambda x, s: 1 / x / -s, X, S),
}


@each("expected", FLAT)
def test_products_are_written_from_left_to_right(expected):
    function, *args = FLAT[expected]
    graph = adjoint_graph(lambda *nodes: [function(*nodes)], *args)
    assert result(finished(flat_products, graph, *args)) == expected


def test_products_that_are_read_twice_are_kept():
    def function(x, y):
        product = x * y
        return [2 * product, product + 1]

    assert "t = p0 * p1" in finished(flat_products, adjoint_graph(function, X, Y), X, Y)


FACTORED = {
    "(p0 - p1) * p2": (lambda x, y, z: x * z - y * z, X, Y, Z),
    "(p0 + p1) * p2": (lambda x, y, z: z * x + y * z, X, Y, Z),
    "(2 + p1) * p0": (lambda x, y: 2 * x + y * x, X, Y),
    "2 * (p0 - p1)": (lambda x, y: 2 * x - 2 * y, X, Y),
    "2 * (p0 + p1)": (lambda x, y: 2 * x - -2 * y, X, Y),
    "-2 * (p0 - p1)": (lambda x, y: -2 * x + 2.0 * y, X, Y),
    "2 * p0 - 3 * p1": (lambda x, y: 2 * x - 3 * y, X, Y),
    "2 / p0 - 2 / p1": (lambda x, y: 2 / x - 2 / y, X, Y),
    "p0 * p1 - p2": (lambda x, y, z: x * y - z, X, Y, Z),
    "p0 * p0 + p1 * p1": (lambda x, y: x * x + y * y, X, Y),
}


@each("expected", FACTORED)
def test_common_factors_are_taken_out(expected):
    function, *args = FACTORED[expected]
    graph = adjoint_graph(lambda *nodes: [function(*nodes)], *args)
    assert result(finished(factor_sums, graph, *args)) == expected


STEPS = [flat_products, factor_sums, quick_products, floating_numbers]


@each("step", STEPS)
def test_the_users_own_formulas_stay_as_they_are(step):
    def function(x, y):
        return [2 * (x * y), x * y - x * (y + 1)]

    graph = adjoint_graph(function, X, Y, adjoint=False)
    assert step(graph) is graph


@each("step", STEPS)
def test_integers_and_less_precise_factors_stay(step):
    def function(i, x):
        return [2 * (i * x), i * x - i * (x + 1)]

    i, x = np.array([1, 2, 3]), X.astype(np.float32)
    for args in ((i, i), (x, X)):
        graph = adjoint_graph(function, *args)
        np.testing.assert_array_equal(run(step(graph), args), run(graph, args))


def test_factors_are_found_over_the_line_and_in_named_steps():
    def function(x, y, z):
        step = x * y
        current_builder().name(step, "g_y")
        return [x * z + y * (step / z)]

    graph = adjoint_graph(function, X, Y, Z)
    lines = finished(factor_sums, graph, X, Y, Z)
    assert lines == ["t = p2 + p1 * p1 / p2", "return (t * p0,)"]


def test_a_multiple_that_is_needed_serves_others():
    def function(x, y, z):
        t = y - z
        return [200 * t, 400 * (x * t)]

    args = (X, Y, Z)
    lines = finished(factor_sums, adjoint_graph(function, *args), *args)
    assert "t = 200 * (p1 - p2)" in lines
    assert "t_2 = 2.0 * (p0 * t)" in lines


@pytest.mark.parametrize("second", [lambda t: 300 * t, lambda t: t + 1, np_.exp])
def test_other_multiples_do_not(second):
    def function(x, y, z):
        t = y - z
        return [400 * (x * t), second(t)]

    graph = adjoint_graph(function, X, Y, Z)
    assert factor_sums(graph) is graph


def test_squares_are_made_once():
    def function(x):
        return [x * x, 1 - x**2]

    def powers_first(x):
        return [1 - x**2, x * x]

    for one in (function, powers_first):
        graph = in_sizes(one, X).graph
        better = verify(rebuild(graph, LOWERED))
        for ours, theirs in zip(run(better, (X,)), run(graph, (X,)), strict=True):
            assert ours.tobytes() == theirs.tobytes()
        assert sum(node.op.name in ("multiply", "integer_power") for node in better.nodes) == 1


@pytest.mark.parametrize("x", [np.array([2, 3]), X + 1j, np.float64(0.1)])
def test_squares_of_other_kinds_stay_two(x):
    graph = traced(lambda x: [x * x, x**2], (x,)).graph
    better = rebuild(graph, LOWERED)
    assert {"multiply", "integer_power"} <= {node.op.name for node in better.nodes}


# --- the quicker of two spellings

OBLONG = random.normal(size=(4, 2))
CALLED = {
    "p0.dot(p1)": (lambda m, n: m @ n, M, OBLONG),
    "p0.dot(p1) ": (lambda m, row: m @ row, M, ROW),
    "p1.dot(p0)": (lambda m, x: x @ m, M, X),
    "p0.dot(p1)  ": (lambda x, y: x @ y, X, Y),
    "p0.T.dot(p1)": (lambda m, n: np_.transpose(m) @ n, M, N),
    "(p0 + p1).dot(p2)": (lambda m, n, row: (m + n) @ row, M, N, ROW),
    "p0.dot(p1)   ": (lambda m, n: m @ n, M.astype(np.float32), OBLONG.astype(np.float32)),
}


@each("expected", CALLED)
def test_products_are_called(expected):
    function, *args = CALLED[expected]
    graph = adjoint_graph(lambda *nodes: [function(*nodes)], *args)
    assert result(finished(quick_products, graph, *args)) == expected.strip()
    primal = adjoint_graph(lambda *nodes: [function(*nodes)], *args, adjoint=False)
    assert quick_products(primal) is primal


def test_sums_of_as_many_rows_are_products_with_the_same_ones():
    def function(m, n):
        return [np_.sum(m, axis=0), np_.sum(m * n, axis=0)]

    lines = finished(quick_products, adjoint_graph(function, M, N), M, N)
    assert lines == [
        "ones = np.ones(len(p0))",
        "t = ones.dot(p0)",
        "t_2 = ones.dot(p0 * p1)",
        "return t, t_2",
    ]


@pytest.mark.parametrize("rows", [0, 1, 1000])
def test_sums_of_any_number_of_rows(rows):
    def function(m):
        return [np_.sum(m, axis=0), np_.sum(m * m, axis=0)]

    m = random.normal(size=(rows, 3))
    graph = adjoint_graph(function, m)
    for ours, theirs in zip(run(quick_products(graph), (m,)), run(graph, (m,)), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


SUMS_BY_THEMSELVES = {
    "one alone": lambda m, n: [np_.sum(m, axis=0)],
    "columns": lambda m, n: [np_.sum(m, axis=1), np_.sum(m * n, axis=1)],
    "other lengths": lambda m, n: [np_.sum(m, axis=0), np_.sum(np_.transpose(m), axis=0)],
    "axes kept": lambda m, n: [np_.sum(x, axis=0, keepdims=True) for x in (m, m * n)],
    "all": lambda m, n: [np_.sum(m), np_.sum(m * n)],
}


@each("name", SUMS_BY_THEMSELVES)
def test_other_sums_stay(name):
    graph = adjoint_graph(SUMS_BY_THEMSELVES[name], M, N)
    assert quick_products(graph) is graph


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.complex128])
def test_sums_of_other_kinds_stay(kind):
    m = (10 * M).astype(kind)
    graph = adjoint_graph(lambda m: [np_.sum(m, axis=0), np_.sum(m * m, axis=0)], m)
    assert quick_products(graph) is graph


OPERATORS = {
    "complex": (M + 1j, OBLONG + 0j),
    "integers": (np.arange(6).reshape(2, 3), np.arange(3)),
    "half": (M.astype(np.float16), OBLONG.astype(np.float16)),
    "mixed": (M, OBLONG.astype(np.float32)),
    "batches": (random.normal(size=(5, 3, 4)), OBLONG),
}


@each("name", OPERATORS)
def test_other_products_stay_operators(name):
    args = OPERATORS[name]
    graph = adjoint_graph(lambda x, y: [x @ y], *args)
    assert quick_products(graph) is graph


def test_what_the_users_value_is_made_of_stays_to_the_last_bit():
    def f(w, X):
        return np.sum(np.tanh(X @ w))

    w, strided = OBLONG[:, 0], np.asfortranarray(random.normal(size=(6, 8)))[::2, ::2]
    both = gs.value_and_grad(f)
    assert both(w, strided)[0] == f(w, strided)
    assert "X @ w" in both.source(w, strided)
    assert "X.dot(w)" in gs.grad(f).source(w, strided)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_both_spellings_are_the_same_to_blas(dtype):
    for m, k, n in [(0, 3, 2), (3, 0, 2), (1, 4, 1), (7, 33, 5), (64, 20, 64)]:
        left, right = (random.normal(size=s).astype(dtype) for s in ((m, k), (k, n)))
        for x in (left, np.asfortranarray(left)):
            for y in (right, np.asfortranarray(right), right[:, :1].ravel()):
                assert (x @ y).tobytes() == x.dot(y).tobytes()


FLOATING = {
    "2.0 * p0": (lambda x: 2 * x, X),
    "1.0 - p0": (lambda x: 1 - x, X),
    "2.0 / p0": (lambda x: 2 / x, X.astype(np.float32)),
    "1.0 + p0": (lambda x: 1 + x, X.astype(np.float16)),
    "4097 * p0": (lambda x: 4097 * x, X),
    "2 * p0": (lambda s: 2 * s, S),
    "2 * p0 ": (lambda i: 2 * i, np.arange(3)),
    "2 * p0  ": (lambda z: 2 * z, W),
}


@each("expected", FLOATING)
def test_numbers_are_of_the_kind_of_the_array(expected):
    function, *args = FLOATING[expected]
    graph = adjoint_graph(lambda *nodes: [function(*nodes)], *args)
    assert result(finished(floating_numbers, graph, *args)) == expected.strip()
    (ours,), (theirs,) = run(floating_numbers(graph), args), run(graph, args)
    assert ours.dtype == theirs.dtype
    assert ours.tobytes() == theirs.tobytes()


def test_a_size_takes_the_sign():
    def function(x):
        return [-(np_.exp(x) / x.shape[0])]

    assert result(rewritten(ADJOINT, function, X)) == "np.exp(p0) / -len(p0)"


def test_long_products_take_no_recursion():
    def function(x, s):
        y = x
        for _ in range(3000):
            y = s * y
        return [2 * y + y * x]

    graph = adjoint_graph(function, X, np.float64(0.999))
    for step in (flat_products, factor_sums):
        verify(step(graph))


# --- arrays to write into


def test_every_write_has_zeros_of_its_own():
    def function(x):
        zeros = np_.zeros_like(x)
        return [write(zeros, 0, read(x, 0)), write(zeros, 1, read(x, 1)), zeros]

    graph = traced(function, (X,)).graph
    better = verify(own_buffers(graph))
    assert sum(node.op.name == "zeros" for node in better.nodes) == 3
    for ours, theirs in zip(run(better, (X,)), run(graph, (X,)), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_zeros_of_one_write_are_left_alone():
    graph = traced(lambda x: [write(np_.zeros_like(x), 0, read(x, 0))], (X,)).graph
    assert own_buffers(graph) is graph


def test_names_stay_with_the_first_write():
    def f(x):
        y = np.zeros(len(x))
        y[1:] = x[:-1]
        return np.sum(y**3)

    source = gs.grad(f).source(X)
    assert "y = np.zeros(x.shape)" in source
    assert "g_x = np.zeros(x.shape)" in source
    assert "copy" not in source


def test_what_is_put_back_where_it_was_is_not_written():
    def function(x):
        places = np.array([2, 0])
        back = [write(x, key, read(x, key)) for key in (1, slice(1, None), places)]
        return [*back, write(x, 0, read(x, 1)), write(2.0 * x, 0, read(x, 0))]

    graph = traced(function, (X,)).graph
    better = verify(rebuild(graph, FINISH))
    assert [result.op.name for result in better.results] == ["parameter"] * 3 + ["index_set"] * 2
    for ours, theirs in zip(run(better, (X,)), run(graph, (X,)), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_adjoints_of_arms_write_no_part_back():
    def f(x, w):
        out = np.zeros(len(x))
        for i in range(1, len(x)):
            if x[i] > x[i - 1]:
                out[i] += w[i] * x[i] ** 2
        return np.sum(out)

    assert "g_out" not in gs.grad(f, argnums=(0, 1)).source(X, Y)


def test_results_of_one_number_are_ones_and_zeros():
    def function(x):
        return [np_.broadcast_to(np.float64(v), x.shape) for v in (1, 0, -0.0, 2)]

    graph = lower(traced(function, (X,)).graph)
    made = [line.partition(" = ")[2] for line in statements(graph)[:-1]]
    assert made[:2] == ["np.ones(p0.shape)", "np.zeros(p0.shape)"]
    assert [line.partition("(")[0] for line in made[2:]] == ["np.full", "np.full"]


def test_zero_gradients_are_called_so_and_are_arrays_of_their_own():
    def f(x, y, z):
        return np.sum(x) + np.sum(np.floor(y + z))

    grad = gs.grad(f, argnums=(0, 1, 2))
    with pytest.warns(gs.UnusedInputWarning):
        source = grad.source(X, X, X)
    for name in "yz":
        assert f"g_{name} = np.zeros(" in source
    _, g_y, g_z = grad(X, X, X)
    assert not np.shares_memory(g_y, g_z)


# --- whole functions


def test_soft_plus_by_logaddexp():
    x = np.array([-1e3, -1.0, 0.0, 1.0, 1e3])

    def f(x):
        return np.sum(np.logaddexp(0, x)), np.sum(np.logaddexp(x, 0.0) ** 2)

    def first(x):
        return f(x)[0]

    assert " = np.logaddexp" not in gs.value_and_grad(first).source(x)
    np.testing.assert_allclose(gs.compile(f)(x), f(x), rtol=1e-14)
    expected = 1 / (1 + np.exp(-np.maximum(x, -700)))
    np.testing.assert_allclose(gs.grad(first)(x), expected, rtol=1e-14, atol=1e-300)


def test_exponents_that_are_sizes_need_no_mask():
    def f(x, s):
        return np.sum(x) * s ** len(x)

    grad = gs.grad(f, argnums=1)
    assert "where" not in grad.source(X, 0.7)
    np.testing.assert_allclose(grad(X, 0.7), 3 * X.sum() * 0.7**2)
    np.testing.assert_allclose(grad(np.ones(1), 0.7), 1.0)
    assert grad(np.ones(0), 0.0) == 0


@pytest.mark.parametrize("axis", [0, 1, None])
def test_gradients_of_spreads(axis):
    def f(x, row):
        centered = x - x.mean(axis=axis, keepdims=True)
        return np.sum(centered * row / np.sqrt(np.mean(centered**2, axis=axis, keepdims=True)))

    gs.check_grads(f, (M, ROW), order=1)


def test_sums_of_masked_adjoints_need_no_joint_mask():
    for f in (
        lambda x: np.max(x) - np.min(x),
        lambda x: np.sum(np.where(x > 0, x**2, 0) + np.where(x < 1, np.sin(x), 0)),
        lambda x: np.sum(np.abs(np.where(x > 0, x, 0) - np.where(x < 1, np.cos(x), 0))),
    ):
        assert " | " not in gs.grad(f).source(X)
        gs.check_grads(f, (X,))


def test_conditions_that_always_hold_are_not_written():
    def f(x):
        total = 0.0
        for v in x:
            if v > 0.1:
                total += np.sqrt(v)
            if v < 2:
                total += v**3
        return total

    source = gs.grad(f).source(X)
    assert "True" not in source
    assert "0.5 / t" in source
    gs.check_grads(f, (X,))


def test_rows_divided_by_their_sums_need_no_guard():
    def forward(A, start):
        a = np.zeros((3, len(start)))
        c = np.zeros(3)
        a[0] = start
        c[0] = a[0].sum()
        a[0] /= c[0]
        for t in range(1, 3):
            a[t] = a[t - 1] @ A
            c[t] = a[t].sum()
            a[t] /= c[t]
        return np.sum(np.log(c))

    A, start = np.abs(M[:, :3]), np.abs(X)
    gradient = gs.grad(forward, (0, 1))
    assert "isfinite" not in gradient.source(A, start)
    gs.check_grads(forward, (A, start), order=1)
