"""NumPy's creation functions on nodes and symbolic sizes against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from gradsmith.errors import ArgumentTypeError, ShapeError
from gradsmith.ir import dims
from gradsmith.ops.declare import FUNCTIONS
from helpers import each
from ops.harness import agrees, run, same, traced

V = np.arange(5.0)
M = np.arange(12, dtype=np.float32).reshape(3, 4)
DTYPES = [None, np.float32, int, bool, "complex64"]


def on_sizes(function, *args, **options):
    """``args`` are functions of (n, m): symbolic sizes on nodes, numbers for NumPy."""

    def values(n, m):
        return [a(n, m) if callable(a) else a for a in args]

    (actual,) = run(lambda x: FUNCTIONS[function](*values(*x.shape), **options), M)
    same(actual, function(*values(*M.shape), **options))


@each("dtype", DTYPES)
@each("function", [np.zeros, np.ones])
@each("shape", [3, (), (2, 3), lambda n, m: n + 1, lambda n, m: (n, 2 * m)])
def test_filled(function, shape, dtype):
    on_sizes(function, shape, dtype=dtype)


@each("dtype", DTYPES)
@each("fill", [0, 2.5, True, np.float32(3), [1, 2, 3, 4]])
def test_full(fill, dtype):
    on_sizes(np.full, lambda n, m: (n, m), fill, dtype=dtype)


def test_full_of_a_traced_value():
    (actual,) = run(lambda x: FUNCTIONS[np.full]((2, 3), x), np.float32(4))
    same(actual, np.full((2, 3), np.float32(4)))


@each("options", [{}, {"dtype": int}, {"shape": (2, 2)}, {"shape": 3}])
def test_like(options):
    agrees(np.zeros_like, M, **options)
    agrees(np.ones_like, M, **options)
    agrees(np.full_like, M, fill_value=2.5, **options)
    expected = np.empty_like(M, **options)
    _, (node,) = traced(lambda x: FUNCTIONS[np.empty_like](x, **options), [M])
    assert tuple(map(dims.hint, node.shape)) == expected.shape
    assert node.dtype == expected.dtype


@each("options", [{}, {"M": 4}, {"k": 1}, {"M": 2, "k": -1}, {"dtype": np.float32}])
def test_eye(options):
    on_sizes(np.eye, lambda n, m: n, **options)
    on_sizes(np.tri, lambda n, m: n, **options)
    on_sizes(np.identity, lambda n, m: n, dtype=options.get("dtype"))


@each(
    "args",
    [
        (5,),
        (lambda n, m: n,),
        (1, lambda n, m: m),
        (lambda n, m: n, lambda n, m: 3 * m, 2),
        (0, lambda n, m: n + m, 3),
        (lambda n, m: m - 1, -1, -1),
        (lambda n, m: m, 0),
        (0.0, 1.0, 0.1),
        (0.0, lambda n, m: m),
        (7, 2, -2),
        (3.5,),
        (0,),
    ],
)
def test_arange(args):
    on_sizes(np.arange, *args)
    on_sizes(np.arange, *args, dtype=np.float32)


@each(
    "options",
    [
        {},
        {"num": 7},
        {"num": 4, "endpoint": False},
        {"num": 1},
        {"num": 0},
        {"dtype": np.float32},
        {"dtype": int},
    ],
)
def test_linspace(options):
    agrees(np.linspace, np.float64(1.0), np.float64(6.5), **options)
    agrees(np.linspace, np.float32(1.0), 6.5, **options)
    agrees(np.linspace, 0, 5, **options)
    agrees(np.linspace, V, 2.0, **options)
    agrees(np.linspace, V, V + 1, axis=1, **options)
    on_sizes(np.linspace, 0.0, 1.0, lambda n, m: n * m)


@pytest.mark.parametrize("options", [{}, {"endpoint": False}, {"num": 1}])
def test_steps_of_samples(options):
    def samples(a, b):
        first, step = np.linspace(a, b, retstep=True, **options)
        rows, steps = np.linspace(np.array([a, 2.0]), b, retstep=True, **options)
        return first, step, rows, steps

    for found, expected in zip(gs.compile(samples)(0.5, 2.5), samples(0.5, 2.5), strict=True):
        same(found, expected)
    if options.get("num") != 1:
        gs.check_grads(lambda a, b: np.sum(np.multiply(*samples(a, b)[2:])), (0.5, 2.5))


@pytest.mark.parametrize("options", [{}, {"num": 7, "endpoint": False}, {"base": 2.0}])
def test_logspace(options):
    agrees(np.logspace, np.float64(-1.0), np.float64(2.0), **options)


@pytest.mark.parametrize("ends", [(1.0, 1000.0), (-8.0, -0.5), (5.0, 5.0)])
def test_geomspace(ends):
    first, last = map(np.float64, ends)
    for options in ({}, {"num": 4, "endpoint": False}, {"num": 1}, {"axis": -1}):
        agrees(np.geomspace, first, last, **options)


def test_indices():
    on_sizes(np.indices, lambda n, m: (n, m))
    actual = run(lambda x: FUNCTIONS[np.indices](x.shape, sparse=True), M)
    for a, e in zip(actual, np.indices(M.shape, sparse=True), strict=True):
        same(a, e)


# -- np.array and its kin -------------------------------------------------------------------------


@each(
    "make",
    [
        lambda x, s: [s, 1.0, 2],
        lambda x, s: [[s, 0], [0, s]],
        lambda x, s: [x, x],
        lambda x, s: [x, [1, 2, 3, 4, 5]],
        lambda x, s: (s, (s)),
        lambda x, s: [[[s], [s]], [[1.0], [2.0]]],
        lambda x, s: [[x, x], [x, x]],
        lambda x, s: [1, 2, 3],
        lambda x, s: [],
        lambda x, s: x,
        lambda x, s: s,
        lambda x, s: 2.0,
        lambda x, s: [x.shape[0], s],
        lambda x, s: [True, False],
    ],
)
@each("dtype", [None, np.float32, complex])
@each("function", [np.array, np.asarray, np.ascontiguousarray])
def test_literals(function, make, dtype):
    for s in (np.float64(2.5), np.float32(2.5), 2.5, 2):
        (actual,) = run(lambda x, s: FUNCTIONS[function](make(x, s), dtype), V, s)
        same(actual, function(make(V, s), dtype))


def test_array_makes_a_copy_and_asarray_does_not():
    def function(x):
        assert FUNCTIONS[np.asarray](x) is x
        made = FUNCTIONS[np.array](x)
        assert made.op.name == "copy"
        return made

    traced(function, [V])


def test_ndmin():
    agrees(np.array, V, ndmin=3)


@each("type_", [np.float64, np.float32, np.int64, np.bool_, np.complex128])
def test_scalar_types(type_):
    for value in (np.float64(2.5), 2.5, 3, V):
        (actual,) = run(FUNCTIONS[type_], value)
        same(actual, type_(value))


@each(
    ("call", "error"),
    [
        (lambda x: FUNCTIONS[np.array]([x, [1.0]]), ShapeError),
        (lambda x: FUNCTIONS[np.array]([[1.0], [1.0, 2.0]]), ShapeError),
        (lambda x: FUNCTIONS[np.array](["a"]), ArgumentTypeError),
        (lambda x: FUNCTIONS[np.zeros](2.5), ArgumentTypeError),
        (lambda x: FUNCTIONS[np.zeros](-1), ShapeError),
        (lambda x: FUNCTIONS[np.zeros](2, "U3"), ArgumentTypeError),
        (FUNCTIONS[np.arange], ArgumentTypeError),
        (lambda x: FUNCTIONS[np.linspace](0, 1, -3), ShapeError),
    ],
)
def test_what_is_refused(call, error):
    with pytest.raises(error):
        traced(call, [V])


def test_questions_about_types():
    def function(x, y):
        assert FUNCTIONS[np.result_type](x, y, 1.0) == np.float64
        assert FUNCTIONS[np.result_type](x, np.complex64) == np.complex64
        assert FUNCTIONS[np.result_type](x, "f4") == np.float32
        return x

    traced(function, [M, V])


SPACED = [
    "np.linspace(x, 8.0, n)",
    "np.linspace(x, 8.0, n, endpoint=False)",
    "np.linspace(x * np.ones(2), 8.0, n)",
    "np.logspace(x, 1.0, n, base=2.0)",
    "np.geomspace(1, 8, n)",
    "np.geomspace(x, 8.0, n)",
    "np.geomspace(x, 8.0, n).sum()",
    "np.geomspace(x, 8.0, n, endpoint=False)",
    "np.geomspace(x * np.ones(2), 8.0, n, axis=-1)",
    "np.geomspace(x, 8.0, n, dtype=int)",
    "np.geomspace(x, 8.0, len(np.ones(n)))",
    "np.geomspace(x, 8.0, np.count_nonzero(np.arange(n) < 2))",
    "np.linspace(x, 8.0, np.count_nonzero(np.arange(n) < 2))",
    "np.arange(1, n), np.arange(n, 0, -2), np.arange(x, n), np.arange(-n)",
    "np.diff([1.0, 4.0, 9.0], n)",
]


@each("expression", SPACED)
def test_as_many_numbers_as_an_argument_says(expression):
    """One object makes none, one and several: the only number is the first end."""
    function = function_of(expression, "x, n")
    check_calls(function, *[(2.5, n) for n in (3, 1, 0, 2, 1, 5)])


def test_steps_between_as_many_numbers():
    """Steps are NaN where there are no two numbers, or none."""
    for options in ("", ", endpoint=False"):
        function = function_of(f"np.linspace(x, 8.0, n, retstep=True{options})[1]", "x, n")
        check_calls(function, *[(2.5, n) for n in (3, 2, 5)])
        plain = gs.compile(function_of(f"np.linspace(1.0, 8.0, n, retstep=True{options})", "n"))
        for n in (3, 1, 0, 2):
            _, step = plain(n)
            same(step, np.linspace(1.0, 8.0, n, retstep=True, endpoint=not options)[1])
