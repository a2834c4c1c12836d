"""Reductions and cumulative functions on nodes: NumPy's values bit for bit, and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradsmith.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    ShapeError,
    UnsupportedError,
)
from gradsmith.ops.declare import FUNCTIONS
from helpers import each, peer
from ops.differences import check, gnp, gradients
from ops.harness import run, traced

random = np.random.default_rng(3)
V = random.normal(size=5)
M = random.normal(size=(3, 4))
A = random.normal(size=(2, 3, 4))
Z = M + 1j * random.normal(size=(3, 4))
COLUMN = random.normal(size=(4, 1))
TIED = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [0.0, -1.0, 4.0]])
ZEROS = M * np.array([[1, 0, 1, 1], [0, 0, 1, 1], [1, 1, 1, 1]])
ARRAYS = {
    "vector": V,
    "matrix": M,
    "cube": A,
    "column": COLUMN,
    "scalar": np.float64(2.5),
    "0-d": np.array(2.5),
    "one": np.ones((1, 1)),
    "float32": M.astype(np.float32),
    "float16": V.astype(np.float16),
    "int": np.arange(12).reshape(3, 4),
    "int8": np.arange(-6, 6, dtype=np.int8).reshape(3, 4),
    "uint8": np.arange(12, dtype=np.uint8),
    "bool": M > 0,
    "complex": Z,
    "complex64": Z.astype(np.complex64),
    "transposed": A.T,
    "empty rows": np.zeros((0, 3)),
    "empty": np.zeros(0),
}
REDUCTIONS = [np.sum, np.prod, np.mean, np.max, np.min, np.var, np.std, np.any, np.all, np.ptp]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"axis": 0},
    {"axis": -1},
    {"axis": (0,)},
    {"axis": ()},
    {"axis": (-1, 0)},
    {"axis": (0, 2)},
    {"keepdims": True},
    {"axis": -1, "keepdims": True},
    {"axis": (1, 0), "keepdims": True},
    {"axis": 5},
    {"axis": (0, 0)},
]


def identical(actual: Any, expected: Any) -> None:
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.dtype == expected.dtype
    np.testing.assert_array_equal(actual, expected, strict=True)


def like_numpy(function: Any, *arrays: Any, **options: Any) -> None:
    """The same bits, or an error of the same kind."""
    with np.errstate(all="ignore"):
        try:
            expected = function(*arrays, **options)
        except (ValueError, TypeError) as error:
            kind = ValueError if isinstance(error, ValueError) else TypeError
            with pytest.raises(kind):
                run(lambda *nodes: FUNCTIONS[function](*nodes, **options), *arrays)
            return
        (actual,) = run(lambda *nodes: FUNCTIONS[function](*nodes, **options), *arrays)
    identical(actual, expected)


@pytest.mark.filterwarnings("ignore:Mean of empty:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning")
@pytest.mark.parametrize("name", ARRAYS)
@each("function", REDUCTIONS)
@each("options", OPTIONS)
def test_reductions(function: Any, name: str, options: dict[str, Any]) -> None:
    like_numpy(function, ARRAYS[name], **options)


@each("name", ARRAYS)
@each("function", [np.argmax, np.argmin, np.count_nonzero])
@each("axis", [None, 0, -1, 1, 5])
@each("keepdims", [False, True])
def test_positions_and_counts(function: Any, name: str, axis: Any, keepdims: bool) -> None:
    like_numpy(function, ARRAYS[name], axis=axis, keepdims=keepdims)


@each(
    ("function", "array", "options"),
    [
        (np.sum, M.astype(np.float32), {"dtype": np.float64}),
        (np.sum, M, {"dtype": np.float32, "axis": 0}),
        (np.sum, ARRAYS["int8"], {"dtype": np.int8}),
        (np.sum, ARRAYS["bool"], {"dtype": bool, "axis": 1}),
        (np.prod, M.astype(np.float32), {"dtype": np.float64, "axis": 1}),
        (np.mean, M.astype(np.float32), {"dtype": np.float64}),
        (np.mean, ARRAYS["int"], {"dtype": np.float32}),
        (np.var, M.astype(np.float32), {"dtype": np.float64, "axis": 0}),
        (np.var, M, {"ddof": 1}),
        (np.var, M, {"ddof": 0.5, "axis": 1}),
        (np.var, M, {"correction": 1, "axis": 1}),
        (np.var, Z, {"ddof": 1, "axis": 0, "keepdims": True}),
        (np.std, M, {"ddof": 2}),
        (np.std, M, {"correction": 1}),
        (np.std, M, {"ddof": 1, "correction": 1}),
        (np.sum, M, {"initial": 2.0}),
        (np.sum, M, {"where": M > 0}),
        (np.sum, M, {"where": M > 0, "axis": 0, "initial": 1}),
        (np.prod, M, {"initial": 2.0, "axis": 0}),
        (np.prod, M, {"where": M > 0, "axis": 0}),
        (np.mean, M, {"where": M > -1, "axis": 1}),
        (np.mean, ARRAYS["int"], {"where": M > -1}),
        (np.any, M, {"where": M > 0, "axis": 0}),
        (np.all, M, {"where": M[0] > 0}),
        (np.max, M, {"initial": 0.5, "axis": 0}),
        (np.max, M, {"initial": -9.0, "axis": 0, "where": M < 0}),
        (np.min, M, {"initial": 0.5, "keepdims": True}),
        (np.max, np.zeros((0, 3)), {"initial": 2.0, "axis": 0}),
        (np.min, np.zeros((0, 3)), {"initial": 2.0}),
        (np.average, M, {}),
        (np.average, ARRAYS["int"], {"axis": 0}),
        (np.average, M, {"axis": -1, "keepdims": True}),
        (np.average, M, {"weights": np.abs(M)}),
        (np.average, M, {"weights": [1, 2, 3, 4], "axis": 1}),
        (np.average, M.astype(np.float32), {"weights": np.ones(3), "axis": 0}),
        (np.average, ARRAYS["int"], {"weights": np.array([1, 2, 1], np.int8), "axis": 0}),
        (np.average, A, {"weights": np.abs(A[:, 1].T), "axis": (2, 0)}),
        (np.average, M, {"weights": [1, 2]}),
        (np.average, M, {"weights": [1, 2], "axis": 0}),
        (np.amax, M, {"axis": 0}),
        (np.amin, M, {"axis": 0}),
        (np.add.reduce, M, {}),
        (np.add.reduce, M, {"axis": None, "keepdims": True}),
        (np.multiply.reduce, M, {"axis": (0, 1)}),
        (np.maximum.reduce, M, {"axis": -1}),
        (np.logical_and.reduce, M > -1, {}),
        (np.add.accumulate, M, {}),
        (np.multiply.accumulate, M, {"axis": 1}),
    ],
)
def test_further_arguments(function: Any, array: Any, options: dict[str, Any]) -> None:
    with np.errstate(all="ignore"):
        try:
            expected = function(array, **options)
        except (ValueError, TypeError) as error:
            with pytest.raises(type(error)):
                run(lambda x: FUNCTIONS[function](x, **options), array)
            return
        (actual,) = run(lambda x: FUNCTIONS[function](x, **options), array)
    assert np.asarray(actual).dtype == np.asarray(expected).dtype
    # with where= NumPy adds up in another order
    np.testing.assert_allclose(actual, expected, rtol=1e-6 if "where" in options else 0)


def test_average_returned() -> None:
    weights = np.abs(M)
    found = run(lambda x, w: gnp.average(x, axis=1, weights=w, returned=True), M, weights)
    for actual, expected in zip(
        found, np.average(M, axis=1, weights=weights, returned=True), strict=True
    ):
        identical(actual, expected)


@each("name", ARRAYS)
@each("function", [np.cumsum, np.cumprod])
@each("axis", [None, 0, 1, -1, 7])
def test_cumulative(function: Any, name: str, axis: Any) -> None:
    like_numpy(function, ARRAYS[name], axis=axis)


@each(
    ("function", "array", "options"),
    [
        (np.cumsum, M, {"dtype": np.float32}),
        (np.cumsum, ARRAYS["int8"], {"dtype": np.int8, "axis": 0}),
        (np.cumprod, M.astype(np.float32), {"dtype": np.float64, "axis": 1}),
        (np.diff, V, {}),
        (np.diff, M, {"n": 2}),
        (np.diff, M, {"n": 0}),
        (np.diff, M, {"n": 9}),
        (np.diff, M, {"n": -1}),
        (np.diff, M, {"axis": 0}),
        (np.diff, M, {"prepend": 0}),
        (np.diff, M.astype(np.float32), {"append": 0.5}),
        (np.diff, M, {"append": M[:, :1], "prepend": M}),
        (np.diff, M > 0, {}),
        (np.diff, ARRAYS["uint8"], {}),
        (np.diff, np.float64(1), {}),
        (np.trapezoid, M, {}),
        (np.trapezoid, M, {"axis": 0, "dx": 0.5}),
        (np.trapezoid, M, {"x": [0.0, 1.0, 1.5, 4.0]}),
        (np.trapezoid, M, {"x": [0.0, 1.0, 1.5], "axis": 0}),
        (np.trapezoid, M, {"x": np.cumsum(np.abs(M), axis=1)}),
        (np.trapezoid, M[0], {"x": np.cumsum(np.abs(M), axis=1)}),
        (np.trapezoid, M.astype(np.float32), {"dx": 2}),
        (np.trapezoid, ARRAYS["int"], {}),
    ],
)
def test_cumulative_arguments(function: Any, array: Any, options: dict[str, Any]) -> None:
    like_numpy(function, array, **options)


@pytest.mark.skipif(not hasattr(np, "cumulative_sum"), reason="NumPy 2.1")
@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
@pytest.mark.parametrize(
    ("array", "options"),
    [(V, {}), (M, {"axis": 1, "include_initial": True}), (M, {}), (V, {"include_initial": True})],
)
def test_cumulative_of_the_array_api(name: str, array: Any, options: dict[str, Any]) -> None:
    like_numpy(getattr(np, name), array, **options)


NORMS: list[tuple[Any, dict[str, Any]]] = [
    *[(V, {"ord": p}) for p in (None, 0, 1, 2, 3, 0.5, -1, np.inf, -np.inf)],
    *[(M, {"ord": p, "axis": 1}) for p in (None, 0, 1, 2, 3.5, np.inf)],
    *[(Z, {"ord": p, "axis": 0, "keepdims": True}) for p in (None, 0, 1, 2, 3, np.inf)],
    *[(M, {"ord": p}) for p in (None, "fro", 1, -1, np.inf, -np.inf)],
    *[(A, {"ord": p, "axis": (2, 0)}) for p in (None, "fro", 1, -1, np.inf, -np.inf)],
    *[(A, {"ord": p, "axis": (0, 1), "keepdims": True}) for p in (None, 1, np.inf)],
    (A, {}),
    (M, {"keepdims": True}),
    (V, {"axis": 0}),
    (V.astype(np.float32), {}),
    (V.astype(np.float16), {}),
    (Z.astype(np.complex64), {}),
    (ARRAYS["int"], {"axis": 1}),
    (np.float64(-2), {}),
    (np.zeros(0), {"ord": np.inf}),
    (np.zeros((0, 3)), {}),
    (V, {"ord": "fro"}),
    (M, {"ord": 3}),
    (A, {"ord": 2}),
    (A, {"axis": (0, 1, 2)}),
]


@each(("array", "options"), NORMS)
def test_norms(array: Any, options: dict[str, Any]) -> None:
    like_numpy(np.linalg.norm, array, **options)


@each(
    ("function", "array", "options"),
    [
        (np.linalg.vector_norm, A, {}),
        (np.linalg.vector_norm, A, {"axis": (0, 2)}),
        (np.linalg.vector_norm, A, {"axis": 1, "ord": 3, "keepdims": True}),
        (np.linalg.vector_norm, A, {"axis": (0, 2), "ord": 1, "keepdims": True}),
        (np.linalg.vector_norm, A, {"keepdims": True}),
        (np.linalg.matrix_norm, A, {}),
        (np.linalg.matrix_norm, A, {"ord": 1, "keepdims": True}),
    ],
)
def test_norms_of_the_array_api(function: Any, array: Any, options: dict[str, Any]) -> None:
    like_numpy(function, array, **options)


# -- what is refused -----------------------------------------------------------------------------


@each(
    ("call", "error", "text"),
    [
        (lambda x: gnp.var(x, where=x), UnsupportedError, "np.var does not support where"),
        (lambda x: gnp.var(x, mean=0.5), UnsupportedError, "np.var does not support mean=0.5"),
        (lambda x: gnp.std(x, ddof=x), UnsupportedError, "np.std does not support ddof"),
        (lambda x: gnp.max(x, where=x), ValueError, "needs initial="),
        (lambda x: gnp.linalg.norm(x, 2), UnsupportedError, "singular values"),
        (lambda x: gnp.linalg.norm(x, 7), ArgumentValueError, "Invalid norm order 7"),
        (lambda x: gnp.sum(x, axis=2), ShapeError, "axis 2 is out of bounds"),
        (lambda x: gnp.sum(x, dtype=object), ArgumentTypeError, "object"),
        (lambda x: gnp.max(gnp.diff(x, 9)), ShapeError, "no elements"),
    ],
)
def test_refused(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        traced(call, [M])


# -- gradients -----------------------------------------------------------------------------------


REDUCED = [{}, {"axis": 0}, {"axis": (-1,), "keepdims": True}, {"keepdims": True}, {"axis": ()}]


def _alone(name: str, options: dict[str, Any]) -> bool:
    """Whether every reduction is over one element."""
    return options.get("axis") == () or (name == "column" and "axis" in options)


def _is_smooth(function: str, name: str, options: dict[str, Any]) -> bool:
    if function == "std" and _alone(name, options):
        return options.get("axis") == 0  # the spread of one element has a kink at every point
    return not (function in {"max", "min"} and name == "complex")  # no smooth order


@pytest.mark.parametrize(
    ("function", "name", "options"),
    [
        (function, name, options)
        for function in ["sum", "mean", "prod", "var", "std", "max", "min"]
        for name in ["vector", "matrix", "cube", "column", "complex"]
        for options in REDUCED
        if _is_smooth(function, name, options)
    ],
    ids=str,
)
def test_gradients(function: str, name: str, options: dict[str, Any]) -> None:
    second = not (function in {"var", "std"} and _alone(name, options))
    check(lambda x: getattr(gnp, function)(x, **options), ARRAYS[name], second=second)


SMOOTH: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "sum over two": (lambda x: gnp.sum(x, axis=(0, 2)), (A,)),
    "mean over two": (lambda x: gnp.mean(x, axis=(-1, 0), keepdims=True), (A,)),
    "prod over two": (lambda x: gnp.prod(x, axis=(0, 2)), (A,)),
    "sum with initial": (lambda x, i: gnp.sum(x, initial=i), (M, np.float64(2))),
    "max with initial": (lambda x: gnp.max(x, axis=0, initial=0.1), (M,)),
    "sum with where": (lambda x: gnp.sum(x * x, axis=0, where=M > 0), (M,)),
    "mean with where": (lambda x: gnp.mean(x * x, axis=0, where=M > -9), (M,)),
    "var with ddof": (lambda x: gnp.var(x, axis=1, ddof=1), (Z,)),
    "std with ddof": (lambda x: gnp.std(x, axis=1, ddof=0.5), (Z,)),
    "ptp": (lambda x: gnp.ptp(x, axis=1), (M,)),
    "average": (lambda x, w: gnp.average(x, weights=w), (M, np.abs(M))),
    "average over two": (
        lambda x, w: gnp.average(x, axis=(2, 0), weights=w, returned=True),
        (A, np.abs(A[:, 1].T)),
    ),
    "cumsum": (lambda x: gnp.cumsum(x, axis=1), (Z,)),
    "cumsum of all": (lambda x: gnp.cumsum(x * x), (M,)),
    "cumprod": (lambda x: gnp.cumprod(x, axis=0), (Z,)),
    "cumprod of all": (gnp.cumprod, (M,)),
    "diff": (lambda x: gnp.diff(x, n=2, axis=0), (Z,)),
    "diff of more": (lambda x, y: gnp.diff(x, prepend=y, append=1.0), (M, COLUMN[:3])),
    "trapezoid": (lambda y, x: gnp.trapezoid(y, x, axis=0), (M, V[:3])),
    "trapezoid in steps": (lambda y, d: gnp.trapezoid(y, dx=d), (M, np.float64(0.5))),
    "add.reduce": (lambda x: FUNCTIONS[np.add.reduce](x * x), (M,)),
    "subtract.outer": (FUNCTIONS[np.subtract.outer], (M, V)),
    "multiply.outer": (FUNCTIONS[np.multiply.outer], (V, V)),
}


@each("name", SMOOTH)
def test_more_gradients(name: str) -> None:
    function, arrays = SMOOTH[name]
    check(function, *arrays)


@each(
    ("array", "options"),
    [
        n
        for n in NORMS[:-5]
        if np.asarray(n[0]).dtype in (float, complex)
        and np.size(n[0]) > 0
        and n[1].get("ord") != 0  # piecewise constant
    ],
)
def test_gradients_of_norms(array: Any, options: dict[str, Any]) -> None:
    check(lambda x: gnp.linalg.norm(x, **options), array, rtol=1e-5)


@each("order", [None, 1, 2, 3, np.inf])
@each("axis", [None, 0])
def test_gradient_of_a_norm_at_zero(order: Any, axis: Any) -> None:
    seed = [np.float64(1)]
    (g,) = gradients(lambda x: gnp.linalg.norm(x, order, axis), [np.zeros(3)], seed)
    identical(g, np.zeros(3))


# -- zeros, ties, constants ----------------------------------------------------------------------


@each("axis", [None, 0, 1])
@each("function", ["prod", "cumprod"])
@each("array", [ZEROS, ZEROS * Z, np.zeros((3, 3))], ids=str)
def test_products_with_zeros(function: str, axis: Any, array: Any) -> None:
    check(lambda x: getattr(gnp, function)(x, axis=axis), array)


def test_third_derivative_of_a_product_with_zeros() -> None:
    """By rows it is x y z, with a Hessian of x, y, z off the diagonal."""

    def gradient_norm(x: Any) -> Any:
        return gnp.sum(gnp.cumprod(gnp.cumprod(x, axis=1), axis=1))

    check(gradient_norm, ZEROS)
    check(lambda x: gnp.prod(x, axis=1) * gnp.prod(x * x, axis=1), ZEROS)


def test_ties_share_evenly() -> None:
    (g,) = gradients(lambda x: gnp.max(x, axis=1), [TIED], [np.ones(3)])
    np.testing.assert_array_equal(g, [[0, 0.5, 0.5], [1 / 3] * 3, [0, 0, 1]])
    (g,) = gradients(gnp.max, [np.array([2.0, 2.0], np.float32)], [np.float32(1)])
    identical(g, np.array([0.5, 0.5], np.float32))


def test_an_infinite_seed_stays_where_the_maximum_is() -> None:
    (g,) = gradients(gnp.max, [np.array([1.0, 2.0])], [np.float64(np.inf)])
    np.testing.assert_array_equal(g, [0, np.inf])


@each("value", [2.0, 0.1, 1e-200, 0.0, -1 / 3])
@each("dtype", [np.float64, np.float32, np.complex128])
def test_spread_of_constants_has_gradient_zero(value: float, dtype: Any) -> None:
    x = np.full((3, 5), value, dtype)
    for function in (gnp.std, gnp.var):
        (g,) = gradients(lambda x, f=function: f(x, axis=0), [x], [np.ones(5, x.real.dtype)])
        assert g.dtype == dtype
        np.testing.assert_allclose(g, 0, atol=0 if function == gnp.std else 1e-7)


@each("function", ["sum", "mean", "prod", "max", "var", "std", "cumsum"])
def test_float32_stays(function: str) -> None:
    x = M.astype(np.float32)
    seed = np.ones_like(getattr(np, function)(x, axis=0))
    (g,) = gradients(lambda x: getattr(gnp, function)(x, axis=0), [x], [seed])
    assert g.dtype == np.float32


@pytest.mark.filterwarnings("ignore:Mean of empty:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:Degrees of freedom:RuntimeWarning")
@each("function", ["sum", "mean", "prod", "var", "std"])
def test_gradients_of_nothing(function: str) -> None:
    with np.errstate(all="ignore"):
        for shape, seed in (((0,), np.float64(1)), ((0, 3), np.ones(3)), ((3, 0), np.zeros(0))):
            axis = None if len(shape) == 1 else 0
            (g,) = gradients(
                lambda x, a=axis: getattr(gnp, function)(x, axis=a), [np.zeros(shape)], [seed]
            )
            assert g.shape == shape


# -- the peers -----------------------------------------------------------------------------------

BY_TORCH: dict[str, tuple[Any, Any, Any]] = {
    "sum": (lambda x: gnp.sum(x, axis=0), lambda t, x: t.sum(x, 0), Z),
    "mean": (lambda x: gnp.mean(x, axis=1), lambda t, x: t.mean(x, 1), Z),
    "prod": (gnp.prod, lambda t, x: t.prod(x), ZEROS * Z),
    "prod 1": (lambda x: gnp.prod(x, axis=1), lambda t, x: t.prod(x, 1), ZEROS * Z),
    "max": (lambda x: gnp.max(x, axis=1), lambda t, x: t.amax(x, 1), TIED),
    "min": (lambda x: gnp.min(x, axis=0), lambda t, x: t.amin(x, 0), TIED),
    "var": (lambda x: gnp.var(x, axis=0), lambda t, x: t.var(x, 0, correction=0), Z),
    "std": (lambda x: gnp.std(x, ddof=1), lambda t, x: t.std(x), Z),
    "norm": (gnp.linalg.norm, lambda t, x: t.linalg.norm(x), Z),
    "norm 1": (lambda x: gnp.linalg.norm(x, 1, 0), lambda t, x: t.linalg.norm(x, 1, 0), Z),
    "norm 3": (lambda x: gnp.linalg.norm(x, 3, 1), lambda t, x: t.linalg.norm(x, 3, 1), Z),
    "norm inf": (
        lambda x: gnp.linalg.norm(x, np.inf, 1),
        lambda t, x: t.linalg.norm(x, t.inf, 1),
        Z,
    ),
    "cumsum": (lambda x: gnp.cumsum(x, axis=1), lambda t, x: t.cumsum(x, 1), Z),
    "cumprod": (lambda x: gnp.cumprod(x, axis=1), lambda t, x: t.cumprod(x, 1), ZEROS * Z),
    "diff": (lambda x: gnp.diff(x, axis=0), lambda t, x: t.diff(x, dim=0), Z),
}


@pytest.mark.parametrize("name", BY_TORCH)
def test_against_torch(name: str) -> None:
    torch = peer("torch")
    ours, theirs, array = BY_TORCH[name]
    leaf = torch.tensor(array, requires_grad=True)
    output = theirs(torch, leaf)
    seed = np.arange(1.0, 1 + output.numel()).reshape(tuple(output.shape))
    seed = (seed * (1 + 0.5j) if output.is_complex() else seed)[()]
    (expected,) = torch.autograd.grad(output, leaf, torch.tensor(seed))
    (actual,) = gradients(ours, [array], [seed])
    np.testing.assert_allclose(actual, expected.numpy(), rtol=1e-12, atol=1e-13)
