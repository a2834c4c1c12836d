"""Calls without a rule are made by the emitted code: at every call, in order, and once.

Every program is compared with what it does as plain Python: value, prints, the state that the
generators of random numbers are left in; its gradient with differences in which the draws stay.
"""

# Programs as users write them.
# ruff: noqa: SIM108

from __future__ import annotations

import datetime
import decimal
import io
import json
import os
import pickle
import random
import statistics
import sys
import time
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

scipy_stats = pytest.importorskip("scipy.stats")
pytest.importorskip("scipy.special")
norm = scipy_stats.norm
X = np.array([0.5, 1.5, -0.3, 2.0])
SETS = [X, -X, X[:3], X]
MATRIX = np.array([[2.0, 0.5], [0.5, 1.0]])
GENERATOR = np.random.default_rng(3)
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


@case
def quantile(x):
    return np.sum(x * norm.ppf(0.975)) * scipy_stats.t.cdf(0.3, 4)


@case
def eigenvectors_of_data(x):
    values, vectors = np.linalg.eig(MATRIX)
    return np.sum(vectors @ x[:2] * values)


@case
def global_draws(x):
    return np.sum(x * np.random.normal(size=x.shape)) + x[0] * np.random.rand()


@case
def draws_of_a_generator_outside(x):
    return np.sum(x**2) * GENERATOR.normal() + GENERATOR.integers(5) * x[0]


@case
def draws_of_a_generator_inside(x):
    rng = np.random.default_rng(7)
    noise = rng.normal(size=len(x))
    return np.sum(x * noise) + rng.uniform() * x[0]


@case
def draws_in_a_loop(x):
    total = 0.0
    for v in x:
        total = total + np.sin(v * random.random()) * np.random.normal()
    return total


@case
def draws_in_a_loop_with_a_branch(x):
    total = 0.0
    for v in x:
        noise = np.random.normal()
        if v * noise > 0:
            total = total + v * v * noise
    return total


@case
def draws_in_a_while(x):
    total, count = np.sum(x * x), 0
    while total < 30 and count < 20:
        total = total * (1.1 + np.random.rand())
        count += 1
    return total


@case
def functions_of_draws_in_a_loop(x):
    total = 0.0
    for _ in range(6):
        total = total + x[np.random.randint(0, len(x), len(x))].mean() * np.exp(np.random.rand())
    return total


@case
def masks_of_draws_in_a_loop(x):
    total = 0.0
    for v in np.concatenate([x, x * x]):
        u = np.random.rand() * 2 - 1
        if u > 0:
            total += v * u
        if np.log(np.random.rand()) < -2.5:
            break
    return total


@case
def rejection(x):
    count = 0
    while True:
        u = np.random.uniform(-1, 1, 2)
        count += 1
        if u @ u < 0.6:
            break
    return x[0] * u[0] + count * x[1]


@case
def metropolis(x):
    state, total = x[0] * 1.0, 0.0
    for _ in range(7):
        proposal = state + np.random.normal()
        if np.log(np.random.rand()) < 0.5 * (state**2 - proposal**2):
            state = proposal
        total += state * x[1]
    return total


@case
def statistics_of_data(x):
    data = np.arange(6.0) ** 2
    statistic, p = scipy_stats.ttest_1samp(data, 3.0)
    r = scipy_stats.pearsonr(data, np.arange(6.0))
    slope = scipy_stats.linregress(np.arange(6.0), data).slope
    return np.sum(x) * statistic + p * x[0] + r[0] * slope


@case
def sums_with_objects(x):
    frame = decimal.Decimal(2)
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    return np.sum(x) * float(frame) + x[0] * (masked + 1.0).sum()


@case
def draws_on_a_path(x):
    y = np.sum(x)
    if y > 1:
        y = y * np.random.normal(3.0, 1.0)
    else:
        y = y * y
    return y * np.random.rand()


@case
def counts(x):
    found, edges = np.histogram(x, bins=4)
    return np.sum(x**2) * found[0] + len(edges)


@case
def settings(x):
    config = json.loads('{"a": 2.5, "n": 3, "method": "rk4", "steps": [1, 2, 3], "none": null}')
    total = config["a"] * np.sum(x)
    if config["method"] == "rk4":
        total = total * 2
    for _ in range(config["n"]):
        total = total + x[0]
    for step in config["steps"]:
        total = total + step
    if config["none"] is None and "a" in config:
        total = total + len(config["steps"])
    return total


@case
def clock(x):
    begin = time.perf_counter()
    year = datetime.datetime.now().year
    return np.sum(x) * (year > 2000) * (time.perf_counter() >= begin)


@case
def environment(x):
    return np.sum(x) * float(os.environ.get("GRADSMITH_NOT_SET", "2.5")) + len(os.sep)


@case
def prints_and_draws(x):
    print("begin", x[0])
    u = np.random.rand()
    print("drawn", u < 2, f"{u:.3f}")
    kept = [x[1]]
    if x[0] > 0:
        kept.append(x[0] * u)
    print("end", len(kept))
    return sum(kept) * len(kept)


@case
def number_of_another_library(x):
    return (
        np.sum(x) * float(decimal.Decimal("1.10") + decimal.Decimal(2)) * statistics.mean([1, 4])
    )


@case
def discrete_values_of_arguments(x):
    order = np.lexsort((x, np.abs(x)))
    which = np.digitize(x, [0.0, 1.0])
    return np.sum(x[order] * np.arange(len(x))) + np.sum(which * x)


@case
def helper_with_draws(x):
    def noisy(v, scale=0.5):
        return v * v + scale * np.random.normal() * v

    return sum(noisy(v) for v in x) + noisy(x[0], 2.0)


@case
def draw_behind_a_print_where_a_loop_returns(x):
    print("begin", len(x))
    for i, v in enumerate(x):
        if v > 0.4:
            return x[np.random.randint(i + 1)] * v
    return x[0]


@case
def calls_in_a_while_that_is_traced_again(x):
    scale = 1.0
    for k in range(2):
        n = 0
        while n < 2 and x[0] > 0.25:
            counts = np.histogram(x, bins=2)[0]
            scale = x[k] * (1.0 if counts[0] > 1 else 0.5)
            n += 1
    return x[0] * scale + 0.1 * np.random.normal()


@case
def integers_drawn_in_branches(x):
    if x[0] > 0:
        k = np.random.randint(2)
        total = x[k] * x[1] ** k
    else:
        k = np.random.randint(3)
        total = x[0] - x[k] ** k
    return total + k * x[0]


@case
def calls_that_are_not_reached(x):
    total = 0.0
    for i in range(len(x)):
        for j in range(i):
            total += x[j] * np.random.normal()
    for v in x[x > 5.0]:
        total += v * np.median(MATRIX) + GENERATOR.normal()
    for i in np.flatnonzero(x > 5.0):
        if x[i] > 6.0:
            total += np.random.rand()
    if total > 100.0:
        total = total * np.random.rand() * np.percentile(MATRIX, 40)
    return total


@case
def tuple_of_a_call_in_a_branch(x):
    if x[0] > 0:
        counts, edges = np.histogram(MATRIX[0], bins=4)
        return np.sum(x) * edges[1] + counts[0] * x[0]
    return x[-1] * 2.0


@case
def array_of_a_call_of_no_known_size_in_a_loop(x):
    total = x[0]
    for i, v in enumerate(x):
        if v > 0.2:
            total = total + np.sum(total * np.histogram_bin_edges(MATRIX[0], bins=i + 2)) * v
    return total


def reseed():
    global GENERATOR  # noqa: PLW0603
    np.random.seed(5)
    random.seed(4)
    GENERATOR = np.random.default_rng(3)


def run(f, *args):
    """What a call gives, prints, and leaves the generators in."""
    reseed()
    out = io.StringIO()
    with redirect_stdout(out):
        value = f(*args)
    states = np.random.get_state()[2], random.getstate(), GENERATOR.bit_generator.state
    return value, out.getvalue(), states


@pytest.mark.parametrize("name", CASES)
def test_value_effects_and_gradient(name):
    f = CASES[name]
    both = gs.value_and_grad(f)
    for x in SETS:
        expected, said, states = run(f, x)
        (value, gradient), said_here, states_here = run(both, x)
        assert (value, said_here, states_here) == (expected, said, states)
        steps = 1e-6 * np.eye(len(x))
        differences = [(run(f, x + h)[0] - run(f, x - h)[0]) / 2e-6 for h in steps]
        np.testing.assert_allclose(gradient, differences, atol=1e-5)
        (_, moved), _, states_here = run(lambda x: gs.jvp(f, (x,), (np.cos(x),)), x)
        np.testing.assert_allclose(moved, gradient @ np.cos(x), atol=1e-9)
        assert states_here == states


def test_the_emitted_file_calls_by_public_names(tmp_path):
    text = gs.grad(draws_in_a_loop).emit(tmp_path / "made.py", X).read_text()
    assert "import random\n" in text
    assert "random.random()" in text
    assert "np.random.normal()" in text
    namespace = {}
    exec(text, namespace)
    reseed()
    made = namespace["draws_in_a_loop_grad"](X)
    np.testing.assert_array_equal(made, run(gs.grad(draws_in_a_loop), X)[0])


def test_a_file_is_read_at_every_call(tmp_path):
    path = tmp_path / "factor.txt"

    def f(x):
        return np.sum(x) * float(Path(path).read_text())

    g = gs.grad(f)
    for factor in (2.0, 3.0):
        path.write_text(str(factor))
        np.testing.assert_array_equal(g(X), factor * np.ones(4))


def test_a_result_of_another_kind_gets_code_of_its_own():
    results = [1.5, np.float32(2.0), np.array([1.0, 2.0, 3.0, 4.0]), 3, np.ones((2, 1)), 1.5]
    scipy_stats.gradsmith_test = lambda: results[0]
    scipy_stats.gradsmith_test.__module__ = "scipy.stats"
    scipy_stats.gradsmith_test.__qualname__ = "gradsmith_test"
    try:
        g = gs.value_and_grad(lambda x: np.sum(x * scipy_stats.gradsmith_test()))
        while results:
            value, gradient = g(X)
            assert value == np.sum(X * results[0])
            factors = np.broadcast_to(results[0], np.broadcast_shapes(np.shape(results[0]), (4,)))
            np.testing.assert_allclose(gradient, factors.reshape(-1, 4).sum(axis=0))
            results.pop(0)
    except IndexError:
        assert not results
    finally:
        del scipy_stats.gradsmith_test


def test_a_model_that_is_fitted_outside():
    linear_model = pytest.importorskip("sklearn.linear_model")
    data = np.random.default_rng(0).normal(size=(20, 3))
    model = linear_model.LinearRegression().fit(data, data @ [1.0, 2.0, 3.0])

    def f(w, rows):
        return np.sum((rows @ w - model.predict(rows)) ** 2) + model.intercept_ * w[0]

    w = np.array([0.5, 1.0, -1.0])
    g = gs.grad(f)
    for rows in (data, data[:5]):
        expected = 2 * rows.T @ (rows @ w - model.predict(rows)) + [model.intercept_, 0, 0]
        np.testing.assert_allclose(g(w, rows), expected)


def test_no_derivative_is_needed_of_stopped_values():
    def f(x):
        fitted = np.polynomial.polynomial.polyfit(np.arange(len(x)), gs.stop_gradient(x), 1)
        return np.sum(x * fitted[0]) + fitted[1]

    g = gs.value_and_grad(f)
    for x in SETS:
        fitted = np.polynomial.polynomial.polyfit(np.arange(len(x)), x, 1)
        value, gradient = g(x)
        assert value == np.sum(x * fitted[0]) + fitted[1]
        np.testing.assert_array_equal(gradient, np.full(len(x), fitted[0]))


NEEDED = {
    "scipy.linalg.expm": lambda x: np.sum(__import__("scipy.linalg").linalg.expm(np.outer(x, x))),
    "numpy.interp": lambda x: np.interp(x[0], [0.0, 1.0], x[1:3]),
    "numpy.linalg.svd": lambda x: np.linalg.svd(np.outer(x, x))[1][0],
    "json.dumps": lambda x: float(json.loads(json.dumps({"a": x[0]}))["a"]) * x[1],
}


@each("name", NEEDED)
def test_a_derivative_that_is_needed_is_refused(name):
    with pytest.raises(gs.GradsmithError, match=r"no derivative|not supported"):
        gs.grad(NEEDED[name])(X)


def test_a_model_that_is_fitted_to_arguments_depends_on_them():
    linear_model = pytest.importorskip("sklearn.linear_model")

    def f(x):
        model = linear_model.LinearRegression()
        model.fit(x[:, None] * np.arange(4.0)[:, None], np.arange(4.0))
        return model.predict(np.ones((1, 1)))[0]

    assert gs.compile(f)(X) == f(X)
    with pytest.raises(gs.GradsmithError, match=r"predict.*no derivative"):
        gs.grad(f)(X)


# -- calls that write to what they are given -----------------------------------------------------


def mapped_at(x):
    y = x * 1.0
    np.maximum.at(y, [0, 2, 2], 0.6)
    return np.sum(y * x)


def shuffled_view(x):
    order = np.arange(len(x) + 2)
    np.random.shuffle(order[1:])
    return np.sum(x[order[: len(x)] % len(x)] * np.arange(len(x)))


def shuffled_by_a_generator(x):
    order = np.arange(len(x))
    np.random.default_rng(3).shuffle(order)
    return np.sum(x * order)


def argument_written(x):
    np.multiply.at(x, [0, 0], 2.0)
    return np.sum(x)


def in_a_loop(x):
    y = x.copy()
    for i in range(len(x)):
        np.minimum.at(y, [0, i], x[i])
        if y[0] > 0:
            np.multiply.at(y, [i], 0.5)
    return y @ y


def result_in_an_argument(x):
    out = np.zeros(len(x))
    scipy_ndimage.gaussian_filter(x, 1.0, output=out)
    return out @ x


def told_to_overwrite(x):
    b = x.copy()
    found = scipy_linalg.solve(np.eye(len(x)) * 2.0, b, overwrite_b=True)
    return found.sum() + b[0]


def only_where_it_is_negative(x):
    y = x.copy()
    scipy_stats.gradsmith_test(y)
    return y @ x


WRITING = [
    mapped_at,
    shuffled_view,
    shuffled_by_a_generator,
    argument_written,
    in_a_loop,
    result_in_an_argument,
    told_to_overwrite,
    only_where_it_is_negative,
]
INTEGERS = [shuffled_view, shuffled_by_a_generator]
scipy_ndimage = pytest.importorskip("scipy.ndimage")
scipy_linalg = pytest.importorskip("scipy.linalg")


@pytest.fixture
def sometimes(monkeypatch):
    """A function of a library that writes to its argument in some calls."""

    def gradsmith_test(a):
        a[a < 0] = 7.0

    gradsmith_test.__module__, gradsmith_test.__qualname__ = "scipy.stats", "gradsmith_test"
    monkeypatch.setattr(scipy_stats, "gradsmith_test", gradsmith_test, raising=False)


@pytest.mark.parametrize("first", range(3))
@pytest.mark.parametrize("f", WRITING)
def test_arrays_that_a_call_writes_to(f, first, sometimes):
    compiled, both = gs.compile(f), gs.value_and_grad(f)
    for x in [np.abs(X) + 1, X, -X[:3], np.array([0.7, 5.0, 6.0])][first:] * 2:
        mine, plain = x.copy(), x.copy()
        expected, _, states = run(f, plain)
        value, _, states_here = run(compiled, mine)
        assert (value, states_here) == (expected, states)
        np.testing.assert_array_equal(mine, plain)
        before = x.copy()
        if f in INTEGERS or (f is only_where_it_is_negative and not (x < 0).any()):
            assert run(both, x)[0][0] == expected
        else:
            with pytest.raises(gs.GradsmithError, match="no derivative"):
                both(x)
        np.testing.assert_array_equal(x, before)


def rows_shuffled(x):
    order = [0, 1, 2]
    np.random.shuffle(order)
    return x[order] @ np.arange(3)


def view_returned(x):
    y = x.copy()
    part = np.lib.stride_tricks.as_strided(y, (2,), (8,))
    part[0] = 7.0
    return y.sum()


def told_twice(x):
    y = x.copy()
    np.maximum.at(y, [0, 1], y[::-1][:2])
    return y.sum()


@pytest.mark.parametrize("f", [rows_shuffled, view_returned, told_twice])
def test_writes_that_are_refused(f):
    for transform in (gs.compile, gs.grad):
        with pytest.raises(gs.GradsmithError, match=r"writes into|share memory"):
            transform(f)(X)


@pytest.mark.parametrize("width", [1, 2, 9])
def test_a_later_iteration_that_writes(width, sometimes):
    def f(x):
        for k in range(len(x)):
            scipy_stats.gradsmith_test(x[k : k + width])
        return x.sum()

    compiled = gs.compile(f)
    for numbers in ([1.0] * 6 + [-2.0], [1.0] * 7, [-1.0] * 7, [2.0] + [-1.0] * 6):
        mine, plain = np.array(numbers), np.array(numbers)
        assert compiled(mine) == f(plain)
        np.testing.assert_array_equal(mine, plain)


EIGENVALUES = "w = np.linalg.eigvals(np.diag(a)).real"
ZETA = "s += scipy.special.zeta(v + 1, 2.0)"
PATHS = {
    "straight": (
        ["a = x * 2", EIGENVALUES, "return np.sum(w**2)"],
        ["a = x * 2", EIGENVALUES, "return np.sum(w**2)"],
    ),
    "in a loop": (
        ["a = x * 2", "s = 0.0", "for v in a:", f"    {ZETA}", "return s"],
        ["a = x * 2", "for v in a:", ZETA],
    ),
    "in a branch": (
        ["a = x * 2", "w = a", "if a[0] > 0:", f"    {EIGENVALUES}", "return w[0]"],
        ["a = x * 2", EIGENVALUES, "return w[0]"],
    ),
    "long": (
        ["a = x", *["a = a * 2"] * 9, EIGENVALUES, *["w = w + 1"] * 9, "return np.sum(w)"],
        ["…", EIGENVALUES, "…", "return np.sum(w)"],
    ),
}


@pytest.mark.parametrize("name", PATHS)
def test_the_error_shows_the_path_through_the_call(name, tmp_path):
    body, expected = PATHS[name]
    file = tmp_path / "model.py"
    file.write_text("def f(x):\n    " + "\n    ".join(body) + "\n")
    found = {"np": np, "scipy": sys.modules["scipy"]}
    exec(compile(file.read_text(), str(file), "exec"), found)
    x = np.array([1.0, 2.0, 3.0])
    for derivative in (gs.grad(found["f"]), lambda x: gs.jvp(found["f"], (x,), (x,))):
        with pytest.raises(gs.GradsmithError) as caught:
            derivative(x)
        lines = str(caught.value).split("On the path from the input to the result:\n")[1]
        steps = [line.partition(": ")[2] or line.strip() for line in lines.splitlines()[:-1]]
        assert [step for step in steps if step in expected] == expected
        assert "gs.custom_vjp" in lines


def waiting_times(x, n):
    rng, total = random.Random(3), 0.0
    for _ in range(n):
        total += rng.expovariate(x * 2)
    return total + (rng.uniform(0, x) if total > 1 else rng.random())


def normal_in_a_loop(x, n):
    normal, total = statistics.NormalDist(x, 1.0), 0.0
    for k in range(n):
        total += normal.cdf(x * k)
    return total + normal.pdf(x)


@pytest.mark.parametrize("function", [waiting_times, normal_in_a_loop])
def test_objects_that_are_given_numbers_in_loops(function):
    compiled = gs.compile(function)
    for x, n in ((1.25, 3), (0.75, 5), (1.25, 1), (2.5, 3)):
        assert compiled(x, n) == function(x, n)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: np.zeros(np.broadcast(x, y).shape),
        lambda x, y: (np.broadcast(x, y).shape, np.broadcast(x, y).nd),
    ],
)
def test_tuples_of_one_are_tuples(function):
    compiled = gs.compile(function)
    for shapes in (((2,), (2,)), ((1,), (1,)), ((2, 1), (1, 3)), ((3,), (1,)), ((2,), (1,))):
        given = [np.ones(shape) for shape in shapes]
        np.testing.assert_equal(compiled(*given), function(*given))


@each("ufunc", [np.maximum, np.multiply, np.add])
@each("counts", [(3, 1, 2), (1, 3)])
def test_arrays_that_a_call_writes_to_may_have_one_element(ufunc, counts):
    def written(n):
        h = np.zeros(n)
        ufunc.at(h, [0], 1.0)
        return h

    compiled = gs.compile(written)
    for n in counts:
        np.testing.assert_array_equal(compiled(n), written(n))


def test_items_of_objects_that_libraries_return_are_set():
    sparse = pytest.importorskip("scipy.sparse")

    def function(y, lam):
        matrix = sparse.lil_matrix((3, 3))
        matrix[0, 0] = lam
        matrix[1, 0:2] = np.array([1.0, 2.0])
        return np.sum(matrix.toarray() @ y)

    compiled, y = gs.compile(function), np.arange(1.0, 4.0)
    for lam in (2.0, 3.0):
        assert compiled(y, lam) == function(y, lam)
    np.testing.assert_array_equal(gs.grad(function)(y, 2.0), [3.0, 2.0, 0.0])
    with pytest.raises(gs.GradsmithError, match="toarray"):
        gs.grad(function, 1)(y, 2.0)


def bytes_stored(x):
    held = bytearray(f"{x}".encode())
    held[:1] = b"zz"
    held.append(65)
    return len(held), held[0]


def sorted_once(x):
    held = sorted(json.loads(json.dumps([x, 1.0])))
    held.append(9.0)
    return len(held), held[-1]


@pytest.mark.parametrize("function", [bytes_stored, sorted_once])
def test_what_builtins_make_is_changed_once(function):
    compiled = gs.compile(function)
    for x in (1.5, 0.25, 1.5):
        assert compiled(x) == function(x)


def test_one_list_in_two_places_is_not_pickled():
    def f(x):
        held = [x]
        one, other = pickle.loads(pickle.dumps((held, held)))
        return one is other

    with pytest.raises(gs.GradsmithError, match="in two places"):
        gs.compile(f)(1.5)


def first_or_none(a):
    try:
        return np.linalg.eigh(a)[0][0]
    except IndexError:
        return None


def in_finally(a):
    b = 1.0
    try:
        if a[0, 0] > np.linalg.eigh(a)[0][0] + 5.0:
            raise ValueError("far")
    finally:
        b = b * 2
    return b + np.linalg.eigh(a)[0][-1]


@each("function", [first_or_none, in_finally])
def test_items_of_results_of_unknown_length_under_try(function):
    compiled = gs.compile(function)
    for size in (2, 3, 1):
        a = np.diag(np.arange(1.0, size + 1.0)) + 0.25
        assert compiled(a) == function(a)
