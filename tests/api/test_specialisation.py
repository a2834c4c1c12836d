"""One emitted function serves all sizes of a pattern; guards and new types compile another."""

# ruff: noqa: B023, PLW0108

from __future__ import annotations

import inspect

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.numbers import differences, same

SIZES = (2, 3, 7)


def sample(*shape, seed=0):
    return np.random.default_rng(seed).uniform(0.3, 1.7, size=shape)


def function_of(source):
    """The function that a piece of emitted source defines."""
    space = {"np": np}
    exec(compile(source, "<emitted>", "exec"), space)
    (found,) = [
        value
        for name, value in space.items()
        if inspect.isfunction(value) and not name.startswith("_")
    ]
    return found


def logistic(x, w):
    z = x @ w
    return np.mean(np.log1p(np.exp(-z))) + 0.5 * np.sum(w**2)


def mixture(x, w):
    y = np.zeros(len(x))
    y[1:] = x[:-1] @ w
    y += np.sum(x, axis=1) / x.shape[0]
    return np.sum(y * np.arange(x.shape[0])) + x[-1, 0] * x.size


@pytest.mark.parametrize("fun", [logistic, mixture])
def test_source_is_the_same_for_all_sizes(fun):
    g = gs.grad(fun, argnums=1)
    sources = {g.source(sample(n, m), sample(m)) for n in SIZES for m in (2, 5)}
    assert len(sources) == 1


@pytest.mark.parametrize("fun", [logistic, mixture])
def test_one_emitted_source_runs_on_three_sizes(fun):
    emitted = function_of(gs.grad(fun, argnums=1).source(sample(4, 3), sample(3)))
    for n in SIZES:
        x, w = sample(n, n + 1), sample(n + 1, seed=1)
        same(emitted(x, w), differences(lambda w: fun(x, w), w), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("fun", [logistic, mixture])
def test_fresh_and_reused_specialisations_agree(fun):
    reused = gs.grad(fun)
    for n in (*SIZES, *reversed(SIZES)):
        x, w = sample(n, n + 1), sample(n + 1, seed=1)
        np.testing.assert_array_equal(reused(x, w), gs.grad(fun)(x, w))


def test_size_1_compiles_another_source():
    g = gs.grad(lambda x, y: np.sum(x * y), argnums=1)
    whole, single = g.source(sample(3), sample(3)), g.source(sample(3), sample(1))
    assert whole != single
    assert g.source(sample(5), sample(1)) == single
    assert g.source(sample(5), sample(5)) == whole
    same(g(sample(3), sample(1)), [np.sum(sample(3))])
    same(g(sample(3), sample(3)), sample(3))


def test_every_rank_gets_its_own_gradient():
    g = gs.grad(lambda x: np.sum(x * x.sum(axis=-1, keepdims=True)))
    for shape in ((3,), (3, 4), (2, 3, 4), (3,)):
        x = sample(*shape)
        same(g(x), np.broadcast_to(2 * x.sum(axis=-1, keepdims=True), shape))


def test_source_without_arguments_after_a_call():
    g = gs.grad(logistic)
    g(sample(4, 3), sample(3))
    assert g.source() == g.source(sample(4, 3), sample(3))


# Each of these needs the size somewhere; each is called with several sizes, up and down.

SIZED = {
    "zeros of len": lambda x: np.sum((np.zeros(len(x)) + x) ** 2),
    "zeros of shape": lambda x: np.sum((np.zeros(x.shape) + x) ** 2),
    "zeros written": lambda x: zeros_written(x),
    "arange": lambda x: np.sum(np.arange(len(x)) * x**2),
    "arange of floats": lambda x: np.sum(np.arange(0.0, x.shape[0]) * x**2),
    "linspace": lambda x: np.sum(np.linspace(0, 1, len(x)) * x**2),
    "eye": lambda x: np.sum(np.eye(len(x)) @ x**2 + np.eye(x.size)[0]),
    "ones of a pair": lambda x: np.sum(np.ones((len(x), 2)) * x[:, None] ** 2),
    "full": lambda x: np.sum(np.full(x.size, 0.5) * x**2),
    "divided by n": lambda x: np.sum(x**2) / len(x) + np.sum(x) / (x.size - 1),
    "root of n": lambda x: np.sum(x**2) / np.sqrt(len(x)),
    "power of n": lambda x: np.sum(x) ** len(x),
    "mean and var": lambda x: np.mean(x**2) + np.var(x) * np.std(x, ddof=1),
    "half": lambda x: np.sum(x[: len(x) // 2] ** 2) + np.sum(x[len(x) // 2 :]),
    "inner slice": lambda x: np.sum(x[1:-1] ** 2),
    "first three": lambda x: np.sum(x[:3] ** 2),
    "last two": lambda x: np.sum(x[-2:] ** 2),
    "step 2": lambda x: np.sum(x[::2] ** 2) + np.sum(x[1::2] ** 3),
    "step -2": lambda x: np.sum(x[::-2] ** 2),
    "backwards": lambda x: np.sum(x[::-1] * x * np.arange(x.size)),
    "differences": lambda x: np.sum((x[1:] - x[:-1]) ** 2),
    "last element": lambda x: x[-1] ** 2 * x[len(x) - 1] * x[0],
    "reshape -1": lambda x: np.sum(x.reshape(-1, 1) * x.reshape(1, -1)),
    "reshape n": lambda x: np.sum(x.reshape(len(x), 1) @ x.reshape(1, x.size)),
    "outer and ravel": lambda x: np.sum(np.outer(x, x).ravel()[:-1] ** 2),
    "tile by broadcast": lambda x: np.sum(np.broadcast_to(x, (3, len(x))) ** 2),
    "concatenate": lambda x: np.sum(np.concatenate([x, x[:1], x])[len(x) :] ** 2),
    "stack": lambda x: np.sum(np.stack([x, x**2], axis=1)[:, 0] ** 2),
    "split": lambda x: np.sum(np.split(x, [1])[1] ** 2),
    "roll": lambda x: np.sum(np.roll(x, 1) * x),
    "roll by n": lambda x: np.sum(np.roll(x, len(x) // 2) * x),
    "flip": lambda x: np.sum(np.flip(x) * x * np.arange(len(x))),
    "loop over range(n)": lambda x: looped(x),
    "loop over range(3)": lambda x: looped_three_times(x),
    "list over the elements": lambda x: sum([x[i] ** (i + 1) for i in range(x.shape[0])]),
    "iteration": lambda x: sum(element**2 for element in x),
    "array of a list": lambda x: np.sum(np.array([x[i] * i for i in range(len(x))]) ** 2),
    "branch on the size": lambda x: np.sum(x**2) if len(x) > 4 else np.sum(x**3),
    "branch on parity": lambda x: np.sum(x**2) if x.size % 2 == 0 else np.sum(x**3),
    "branch on equality": lambda x: np.sum(x) if x.shape == (3,) else np.sum(x**2),
    "min and max of sizes": lambda x: np.sum(x[: min(len(x), 3)] ** 2) * max(x.size, 4),
    "unpacked shape": lambda x: unpacked(x),
    "size in a mask": lambda x: np.sum(np.where(np.arange(len(x)) < 2, x**2, x)),
    "repeated index": lambda x: np.sum(x[np.arange(len(x)) // 2] ** 2),
    "n as a number": lambda x: np.sum(x * float(len(x))) + int(x.size) * x[0],
    "f-string of n": lambda x: np.sum(x**2) * len(f"{len(x)}"),
    "outer size": lambda x: np.outer(x, x).size * np.sum(x),
    "vander": lambda x: np.sum(x[:, None] ** np.arange(len(x))),
    "max": lambda x: np.max(x) * len(x) + np.min(x),
    "prod": lambda x: np.prod(x) / x.size,
    "einsum": lambda x: np.einsum("i,j,j->", x, x, np.arange(len(x)) + 1.0),
}


def zeros_written(x):
    y = np.zeros(2 * len(x) + 1)
    y[1::2] = x
    y[:-1:2] += x**2
    return np.sum(y**2)


def looped(x):
    total = 0.0
    for i in range(len(x)):
        total = total + x[i] * x[-i - 1] * i
    return total


def looped_three_times(x):
    for i in range(3):
        x = np.sin(x) * x[0] + i
    return np.sum(x)


def unpacked(x):
    (n,) = x.shape
    rows, columns = np.outer(x, x).shape
    return np.sum(x) * n + rows * columns


@pytest.mark.parametrize("name", SIZED)
@each("sizes", [(3, 2, 5, 3, 8), (8, 4, 2)], ids=["up", "down"])
def test_every_size_gets_its_own_value_and_gradient(name, sizes):
    fun = SIZED[name]
    value_and_grad = gs.value_and_grad(fun)
    for n in sizes:
        x = sample(n, seed=n)
        value, g = value_and_grad(x)
        same(value, fun(x), rtol=1e-12)
        assert g.shape == x.shape
        same(g, differences(fun, x), rtol=2e-6, atol=1e-7)


NEEDS_TWO = {"divided by n", "mean and var"}  # NumPy divides by n - 1 there


@each("name", [name for name in SIZED if name not in NEEDS_TWO])
def test_size_1_after_a_larger_size(name):
    fun = SIZED[name]
    value_and_grad = gs.value_and_grad(fun)
    value_and_grad(sample(3))
    x = sample(1)
    value, g = value_and_grad(x)
    same(value, fun(x), rtol=1e-12)
    assert g.shape == (1,)
    same(g, differences(fun, x), rtol=2e-6, atol=1e-7)


PAIRS = [((3, 4), (4, 2)), ((2, 2), (2, 2)), ((5, 2), (2, 5)), ((4, 3), (3, 3)), ((3, 4), (4, 3))]


@each(
    "fun",
    [
        lambda a, b: np.sum((a @ b) ** 2),
        lambda a, b: np.sum(np.einsum("ij,jk->ki", a, b) ** 2),
        lambda a, b: np.sum(a.mean(axis=1)[:, None] * b.sum(axis=0)),
        lambda a, b: np.sum(np.concatenate([a.T, b], axis=1) ** 2) / (a.shape[0] + b.shape[1]),
        lambda a, b: np.sum(a.reshape(-1)[: b.size] ** 2),
        lambda a, b: np.sum(np.tensordot(a, b, axes=1) ** 2),
    ],
    ids=["matmul", "einsum", "means", "concatenate", "reshape", "tensordot"],
)
def test_independent_sizes_that_coincide_once_are_not_confused(fun):
    g = gs.grad(fun)
    for shapes in (*PAIRS, *reversed(PAIRS)):
        a, b = sample(*shapes[0]), sample(*shapes[1], seed=1)
        same(g(a, b), differences(lambda a: fun(a, b), a), rtol=1e-6, atol=1e-7)


def test_sizes_that_must_agree_and_do_not_are_numpys_error():
    g = gs.grad(lambda x, y: np.sum(x * y))
    g(sample(3), sample(3))
    with pytest.raises(ValueError, match=r"3.*4|broadcast"):
        g(sample(3), sample(4))
    with pytest.raises(ValueError, match=r"3.*4|broadcast|mismatch|align"):
        gs.grad(lambda x, y: x @ y)(sample(3), sample(4))


def test_broadcasting_is_decided_by_each_call():
    g = gs.grad(lambda x, y: np.sum(x * y), argnums=(0, 1))
    shapes = [((3,), (3,)), ((3,), (1,)), ((1,), (3,)), ((1,), (1,)), ((4,), (4,)), ((2, 3), (3,))]
    for left, right in (*shapes, *reversed(shapes)):
        x, y = sample(*left), sample(*right, seed=1)
        by_x, by_y = g(x, y)
        assert (by_x.shape, by_y.shape) == (left, right)
        same(by_x, differences(lambda x: x * y, x), rtol=1e-6)
        same(by_y, differences(lambda y: x * y, y), rtol=1e-6)


# --- dtypes


def everything(x):
    y = np.tanh(2 * x + 0.1) * np.pi - np.mean(x) / 3 + np.std(x) ** 2 + len(x) ** 0.5
    z = np.where(x > 0.5, y, 0.0) + np.maximum(y, 1) + np.clip(x, 0.1, 0.9) * np.max(y)
    w = np.zeros_like(x)
    w[1:] = z[:-1] ** 2
    return np.sum(w * np.exp(-x)) / x.size + 1e-3 * np.sqrt(np.sum(x**2))


DTYPES = (np.float64, np.float32, np.float64)


def test_dtype_change_compiles_another_source():
    g = gs.grad(everything)
    single = sample(4).astype(np.float32)
    assert g(sample(4)).dtype == np.float64
    assert g(single).dtype == np.float32
    assert g(sample(4)).dtype == np.float64
    same(g(single), g(sample(4)), rtol=1e-4)


@pytest.mark.parametrize("name", [*SIZED, "everything"])
def test_float32_stays_float32(name):
    fun = SIZED.get(name, everything)
    x = sample(4).astype(np.float32)
    value, g = gs.value_and_grad(fun)(x)
    assert np.asarray(value).dtype == np.asarray(fun(x)).dtype
    assert g.dtype == np.float32
    same(g, gs.grad(fun)(x.astype(np.float64)), rtol=2e-4, atol=1e-4)


def test_complex_and_integer_arguments_after_floats():
    h = gs.compile(lambda x: x * 2 + 1)
    for dtype in (np.float64, np.int64, np.complex128, np.bool_, np.uint8, np.float32, np.float64):
        x = np.array([0, 1, 3]).astype(dtype)
        result = h(x)
        assert result.dtype == (x * 2 + 1).dtype
        same(result, x * 2 + 1)


def test_python_scalars_and_numpy_scalars_are_different_types():
    h = gs.compile(lambda x, a: x * a)
    x = np.ones(2, dtype=np.float32)
    for a, dtype in (
        (2.0, np.float32),
        (np.float64(2.0), np.float64),
        (2, np.float32),
        (np.int64(2), np.float64),
        (np.array(2.0), np.float64),
        (True, np.float32),
        (2j, np.complex64),
        (2.0, np.float32),
    ):
        assert h(x, a).dtype == dtype == (x * a).dtype


# --- Python values


def test_int_arguments_as_exponent_axis_slice_and_shift():
    h = gs.grad(lambda x, n: np.sum(x**n, axis=n - 2)[0] + np.sum(np.roll(x, n)[:n] * x[:n]))
    for n in (2, 3, 2, 1, 3):
        x = sample(4, 4)
        expected = differences(
            lambda x, n=n: np.sum(x**n, axis=n - 2)[0] + np.sum(np.roll(x, n)[:n] * x[:n]), x
        )
        same(h(x, n), expected, rtol=1e-6, atol=1e-8)


def test_int_arguments_that_are_only_numbers_share_one_source():
    g = gs.grad(lambda x, n: np.sum(x * n + n**2) / n)
    assert g.source(sample(3), 2) == g.source(sample(3), 5)
    for n in (2, 5, -3):
        same(g(sample(3), n), np.ones(3))


def test_float_arguments_share_one_source():
    g = gs.grad(lambda x, a: np.sum(np.sin(x * a)))
    assert g.source(sample(3), 2.0) == g.source(sample(3), 5.0)
    for a in (2.0, 5.0, 0.0, -1.0):
        same(g(sample(3), a), a * np.cos(sample(3) * a))


@each(
    ("fun", "square", "cube"),
    [
        (lambda x, flag: np.sum(x**2) if flag else np.sum(x**3), True, False),
        (lambda x, name: np.sum(x**2) if name == "a" else np.sum(x**3), "a", "b"),
        (lambda x, power: np.sum(x**2) if power is None else np.sum(x**power), None, 3),
        (lambda x, power: np.sum(x**2) if power is None else np.sum(x**power), None, 3.0),
    ],
    ids=["bool", "str", "None or int", "None or float"],
)
def test_static_values_decide_branches(fun, square, cube):
    g, x = gs.grad(fun), sample(3)
    for _ in range(2):
        same(g(x, square), 2 * x)
        same(g(x, cube), 3 * x**2)


def test_true_and_one_and_one_point_nought_are_not_confused():
    h = gs.compile(lambda x, a: x + a)
    x = np.array([1, 2])
    for a in (True, 1, 1.0, True, 1 + 0j, 1):
        assert h(x, a).dtype == (x + a).dtype


def gates(w, b):
    """Three quarters of a sum of two arguments, whose sizes agree."""
    n = len(b) // 4
    z = w + b
    return np.sum(z[:n] * z[n : 2 * n] * z[2 * n : 3 * n])


def test_guards_that_follow_from_others_are_not_asked():
    value = gs.compile(gates)
    source = value.source(np.ones(8), np.ones(8))
    assert ">=" not in source.partition("Made by")[0]
    for n in (8, 12, 9, 5, 2, 1):
        w, b = sample(n), sample(n) + 1
        np.testing.assert_allclose(value(w, b), gates(w, b), rtol=1e-13)


def test_shape_annotations_give_the_source_without_arguments():
    annotated = annotated_logistic()
    source = gs.grad(annotated).source()
    emitted = function_of(source)
    x, w = sample(5, 3), sample(3)
    same(emitted(x, w), gs.grad(logistic)(x, w))


class Float:
    """What jaxtyping's `Float[np.ndarray, "n d"]` is, as far as an annotation goes."""

    def __class_getitem__(cls, item):
        array_type, dims = item
        fields = {"array_type": array_type, "dim_str": dims, "dtypes": ["float64"]}
        return type(f'Float[ndarray, "{dims}"]', (), fields)


def annotated_logistic():
    def f(x: Float[np.ndarray, "n d"], w: Float[np.ndarray, d]):  # noqa: F722, F821
        return logistic(x, w)

    f.__annotations__ = {"x": Float[np.ndarray, "n d"], "w": Float[np.ndarray, "d"]}
    return f
