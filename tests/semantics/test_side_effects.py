"""Side effects.

Rows of the table "Mutation and Python around it" in docs/semantics.md.
"""

# Functions are written here as users write them, not as a linter would have them.

from __future__ import annotations

import logging
import warnings

import numpy as np
import pytest

import gradsmith as gs
from semantics.numbers import check, same

X = np.array([0.5, -1.25, 2.0])
A = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.6], [0.9, -0.2, 1.7]])


# --- row: prints and warnings are part of the compiled function


def prints(x):
    print("shape", x.shape)
    return np.sum(x * x)


def prints_values(x):
    print(x, f"{np.sum(x):.3f}")
    return np.sum(x * x)


def warns(x):
    warnings.warn(f"sum {np.sum(x)}", RuntimeWarning, stacklevel=1)
    return np.sum(x * x)


@pytest.mark.parametrize("fun", [prints, prints_values])
def test_print_prints_at_each_call(fun, capsys):
    g = gs.grad(fun)
    for x in (X, 2 * X, X):
        fun(x)
        expected = capsys.readouterr().out
        same(g(x), 2 * x)
        assert capsys.readouterr().out == expected


def test_warnings_are_given_at_each_call():
    g = gs.grad(warns)
    for x in (X, 2 * X, X):
        with pytest.warns(RuntimeWarning, match=f"^sum {np.sum(x)}$"):
            same(g(x), 2 * x)


# --- row: side effects run at trace time, with one warning


def counted(call, times=3):
    """Messages of the TraceTimeEffectWarnings over several calls."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(times):
            call()
    return [str(w.message) for w in caught if w.category is gs.TraceTimeEffectWarning]


def logs(x):
    logging.getLogger("tests").warning("called")
    return np.sum(x * x)


def test_logging_is_done_at_each_call(caplog):
    g = gs.grad(logs)
    assert not counted(lambda: g(X))
    assert len(caplog.records) == 3


def test_values_are_logged(caplog):
    def f(x):
        logging.getLogger("tests").warning("called with %s", x[0])
        return np.sum(x * x)

    g = gs.grad(f)
    for x in (X, 2 * X):
        caplog.clear()
        same(g(x), 2 * x)
        assert caplog.messages == [f"called with {x[0]}"]


SEEN = []
COUNTS = {"calls": 0}


def appends_to_a_global(x):
    SEEN.append(1)
    return np.sum(x * x)


def writes_to_a_global_dict(x):
    COUNTS["calls"] = 1
    return np.sum(x * x)


@pytest.mark.parametrize("fun", [appends_to_a_global, writes_to_a_global_dict])
def test_global_mutation_is_warned_about_once(fun, monkeypatch):
    monkeypatch.setitem(globals(), "SEEN", [])
    monkeypatch.setitem(globals(), "COUNTS", {"calls": 0})
    g = gs.grad(fun)
    assert len(counted(lambda: g(X))) == 1
    assert len(SEEN) + COUNTS["calls"] == 0
    gs.compile(fun)(X)
    assert len(SEEN) + COUNTS["calls"] == 1


def test_a_traced_value_does_not_get_into_a_global_list(monkeypatch):
    def f(x):
        SEEN[0] += x[0]
        SEEN[2] = 4.0
        return np.sum(x) * SEEN[0]

    monkeypatch.setitem(globals(), "SEEN", [1.0, 2.0, 3.0])
    g = gs.grad(f)
    assert len(counted(lambda: g(X))) == 2
    assert SEEN == [1.0, 2.0, 3.0]
    gs.compile(f)(X)
    wanted = [1.0 + X[0], 2.0, 4.0]
    assert wanted == SEEN


def test_mutation_of_an_attribute_is_warned_about_and_leaks_no_tracer():
    class Counter:
        calls = 0

        def loss(self, x):
            self.calls += 1
            return np.sum(x * x)

    counter = Counter()
    g = gs.grad(counter.loss)
    assert counted(lambda: g(X), times=1)
    assert counter.calls == 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.TraceTimeEffectWarning)
        same(g(X), 2 * X)


def test_mutation_of_local_containers_is_silent():
    def f(x):
        parts, named = [], {}
        for i in range(3):
            parts.append(x[i] ** 2)
            named[str(i)] = parts[-1]
        return sum(parts) + named["0"]

    check(f, X)


@pytest.mark.parametrize(
    "draw",
    [lambda: np.random.rand(3), lambda: np.random.default_rng().normal(size=3)],
    ids=["legacy", "generator"],
)
def test_random_numbers_are_never_frozen_silently(draw):
    def f(x):
        return np.sum(x * draw())

    g = gs.grad(f)
    first, second = g(X), g(X)
    assert not np.array_equal(first, second)


def test_views_that_are_written_outside_have_memory_of_their_own():
    held = {}

    def f(a):
        held["whole"], held["part"] = a, a[1:]
        held["made"] = np.zeros(3)
        held["of the made"] = held["made"][1:]
        a[1], held["made"][2] = 5.0, 7.0
        return a[0]

    a = X.copy()
    gs.compile(f)(a)
    assert held["whole"] is a
    same(held["part"], a[1:])
    same(held["of the made"], np.array([0.0, 7.0]))
    for whole, part in (("whole", "part"), ("made", "of the made")):
        assert not np.shares_memory(held[whole], held[part])
