"""What a traced function writes to the world outside, and what of that world it relies on."""

# Writes to globals are what is under test.
# ruff: noqa: PLW0603

from __future__ import annotations

import collections
import warnings
from dataclasses import dataclass, field

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.driver import compiled

X = np.array([0.5, -1.25, 2.0])
SEEN: list = []
STATE = {"calls": 0, "log": []}
NAMES = {"a"}
RECENT = collections.deque([1, 2], maxlen=3)
WORK = np.zeros(3)
COUNT = 0
LAST = None
SCALE = 2.0


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Every test has globals of its own."""
    own = {
        "SEEN": [],
        "STATE": {"calls": 0, "log": []},
        "NAMES": {"a"},
        "RECENT": collections.deque([1, 2], maxlen=3),
        "WORK": np.zeros(3),
        "COUNT": 0,
        "LAST": None,
        "SCALE": 2.0,
    }
    for name, value in own.items():
        monkeypatch.setitem(globals(), name, value)


def gradient(function, *args):
    """The gradient, and the messages about effects."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", gs.TraceTimeEffectWarning)
        result = gs.grad(function)(*args)
    return result, [str(w.message) for w in caught]


def computed(function, *args):
    """What `gs.compile` gives, which writes what the function does."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return gs.compile(function)(*args)


# -- containers -----------------------------------------------------------------------------------


def test_plain_values_are_appended_at_each_call():
    def f(x):
        SEEN.append("called")
        return np.sum(x * x)

    g = gs.grad(f)
    with pytest.warns(gs.TraceTimeEffectWarning, match="append"):
        g(X)
    g(X)
    assert SEEN == []
    compiled = gs.compile(f)
    compiled(X)
    compiled(X)
    assert SEEN == ["called", "called"]


def test_traced_values_never_get_out():
    def f(x):
        SEEN.append(x)
        SEEN.append(x.shape[0])
        return np.sum(x * x)

    _, messages = gradient(f, X)
    assert len(messages) == 2
    assert SEEN == []
    computed(f, X)
    assert SEEN[0] is X
    assert type(SEEN[1]) is int


def test_inner_containers_are_from_outside_too():
    def f(x):
        loss = np.sum(x * x)
        STATE["log"].append(loss)
        STATE["log"].append("done")
        STATE["calls"] += 1
        return loss * STATE["calls"]

    result, messages = gradient(f, X)
    np.testing.assert_array_equal(result, 2 * X)
    assert messages
    assert STATE == {"calls": 0, "log": []}
    log = STATE["log"]
    assert computed(f, X) == np.sum(X * X)
    wanted = {"calls": 1, "log": [np.sum(X * X), "done"]}
    assert wanted == STATE
    assert STATE["log"] is log


def test_what_was_appended_is_seen_by_the_function():
    def f(x):
        SEEN.append(x * x)
        SEEN.append(3.0)
        return np.sum(SEEN[0]) * SEEN[-1]

    np.testing.assert_array_equal(gradient(f, X)[0], 6 * X)
    assert SEEN == []
    computed(f, X)
    np.testing.assert_array_equal(SEEN[0], X * X)
    assert SEEN[1:] == [3.0]


def test_removals_are_repeated():
    def f(x):
        NAMES.discard("a")
        NAMES.add("b")
        RECENT.append(3)
        RECENT.append(4)
        del STATE["log"]
        STATE.pop("calls")
        return np.sum(x)

    gradient(f, X)
    assert (NAMES, list(RECENT), len(STATE)) == ({"a"}, [1, 2], 2)
    computed(f, X)
    assert sorted(NAMES) == ["b"]
    assert list(RECENT) == [2, 3, 4]
    assert STATE == {}


def test_derivatives_never_write_to_arguments():
    def f(x, log, params):
        log.append(1)
        params["w"] = params["w"] * 2
        return np.sum(x * params["w"])

    log, params = [], {"w": 3.0}
    result, _ = gradient(f, X, log, params)
    np.testing.assert_array_equal(result, [6.0, 6.0, 6.0])
    assert log == []
    assert params == {"w": 3.0}
    computed(f, X, log, params)
    assert log == [1]
    assert params == {"w": 6.0}


def test_an_array_from_outside_is_left_as_it_was():
    def f(x):
        WORK[0] = 5.0
        WORK[1:] = x[1:]
        return np.sum(x * WORK)

    result, messages = gradient(f, X)
    np.testing.assert_array_equal(result, [5.0, 2 * X[1], 2 * X[2]])
    assert any("WORK" in message and "left as it was" in message for message in messages)
    assert not WORK.any()
    computed(f, X)
    np.testing.assert_array_equal(WORK, [5.0, *X[1:]])


# -- variables ------------------------------------------------------------------------------------


def test_a_global_gets_what_is_computed():
    def f(x):
        global LAST, COUNT
        LAST = x
        COUNT = x.shape[0]
        return np.sum(x * COUNT) + np.sum(LAST)

    result, messages = gradient(f, X)
    np.testing.assert_array_equal(result, [4.0, 4.0, 4.0])
    assert len(messages) == 2
    assert LAST is None
    assert COUNT == 0
    computed(f, X)
    assert LAST is X
    assert type(COUNT) is int
    assert COUNT == 3


def test_what_is_assigned_stays_what_was_assigned():
    def f(x):
        global SCALE
        SCALE = 5.0
        return np.sum(x * SCALE)

    g = gs.grad(f)
    with pytest.warns(gs.TraceTimeEffectWarning):
        np.testing.assert_array_equal(g(X), [5.0, 5.0, 5.0])
    assert SCALE == 2.0
    assert computed(f, X) == np.sum(X * 5.0)
    assert SCALE == 5.0
    globals()["SCALE"] = 7.0
    np.testing.assert_array_equal(g(X), [5.0, 5.0, 5.0])


def test_an_augmented_global_is_read_anew():
    def f(x):
        global SCALE
        SCALE += 1.0
        return np.sum(x * SCALE)

    g = gs.grad(f)
    with pytest.warns(gs.TraceTimeEffectWarning):
        np.testing.assert_array_equal(g(X), [3.0, 3.0, 3.0])
    assert SCALE == 2.0
    globals()["SCALE"] = 10.0
    np.testing.assert_array_equal(g(X), [11.0, 11.0, 11.0])
    compiled = gs.compile(f)
    assert [compiled(X), compiled(X)] == [np.sum(X * 11.0), np.sum(X * 12.0)]
    assert SCALE == 12.0


def test_nonlocal_variables_likewise():
    last = None
    calls = 0

    def f(x):
        nonlocal last, calls
        last = x
        calls = 7
        return np.sum(x * calls)

    result, _ = gradient(f, X)
    np.testing.assert_array_equal(result, [7.0, 7.0, 7.0])
    assert last is None
    assert calls == 0
    computed(f, X)
    assert last is X
    assert calls == 7


def test_a_failed_trace_takes_everything_back():
    def f(x):
        global LAST, COUNT
        LAST = x
        COUNT = 5
        SEEN.append(1)
        return np.sum(x.view(int))

    with (
        pytest.warns(gs.TraceTimeEffectWarning),
        pytest.raises(gs.GradsmithError),
    ):
        gs.grad(f)(X)
    assert LAST is None
    assert COUNT == 0
    assert SEEN == []


# -- attributes -----------------------------------------------------------------------------------


@dataclass
class Model:
    w: np.ndarray
    calls: int = 0
    last: object = None
    modes: dict = field(default_factory=dict)


class Counter:
    def __init__(self):
        self.w = np.ones(3)
        self.calls = 0
        self.last = None

    def loss(self, x):
        self.calls += 1
        self.last = x
        return np.sum(self.w * x)


def test_attributes_are_written_at_each_call():
    counter = Counter()
    gradient(counter.loss, X)
    assert counter.calls == 0
    assert counter.last is None
    compiled = gs.compile(counter.loss)
    compiled(X)
    compiled(X)
    assert counter.calls == 2
    assert type(counter.calls) is int
    assert counter.last is X


def test_other_attributes_are_read_anew_after_a_write():
    counter = Counter()
    g = gs.grad(counter.loss)
    with pytest.warns(gs.TraceTimeEffectWarning):
        g(X)
    counter.w = np.full(3, 3.0)
    np.testing.assert_array_equal(g(X), [3.0, 3.0, 3.0])


def test_a_written_attribute_shows_what_was_written():
    model = Model(np.ones(3))

    def f(x):
        model.w = model.w * 2
        model.calls = 4
        return np.sum(model.w * x) * model.calls

    result, _ = gradient(f, X)
    np.testing.assert_array_equal(result, [8.0, 8.0, 8.0])
    np.testing.assert_array_equal(model.w, np.ones(3))
    assert model.calls == 0
    computed(f, X)
    np.testing.assert_array_equal(model.w, np.full(3, 2.0))
    assert model.calls == 4


def test_an_attribute_is_deleted_at_each_call():
    counter = Counter()

    def f(x):
        del counter.last
        return np.sum(x)

    gradient(f, X)
    assert hasattr(counter, "last")
    compiled = gs.compile(f)
    compiled(X)
    assert not hasattr(counter, "last")
    with pytest.raises(AttributeError, match="last"):
        compiled(X)


# -- what is relied on ----------------------------------------------------------------------------


def test_a_list_that_grows_is_seen():
    weights = [np.ones(3), np.ones(3)]
    g = gs.grad(lambda x: np.sum(sum(w * x for w in weights)))
    np.testing.assert_array_equal(g(X), [2.0, 2.0, 2.0])
    weights.append(np.ones(3))
    np.testing.assert_array_equal(g(X), [3.0, 3.0, 3.0])


def test_a_setting_in_a_dict_is_seen():
    settings = {"mode": "sum"}
    g = gs.grad(lambda x: np.sum(x) if settings["mode"] == "sum" else np.mean(x))
    np.testing.assert_array_equal(g(X), [1.0, 1.0, 1.0])
    settings["mode"] = "mean"
    np.testing.assert_allclose(g(X), [1 / 3, 1 / 3, 1 / 3])


def test_a_setting_in_an_attribute_is_seen():
    model = Model(np.ones(3), modes={"scale": "one"})
    g = gs.grad(lambda x: np.sum(x) * (1 if model.modes["scale"] == "one" else 2))
    np.testing.assert_array_equal(g(X), [1.0, 1.0, 1.0])
    model.modes["scale"] = "two"
    np.testing.assert_array_equal(g(X), [2.0, 2.0, 2.0])


@pytest.mark.parametrize("kind", [dict, collections.OrderedDict, collections.UserDict])
def test_arrays_in_mappings_are_read_anew(kind):
    params = kind(w=np.ones(3))
    g = gs.grad(lambda x: np.sum(x * params["w"]))
    np.testing.assert_array_equal(g(X), [1.0, 1.0, 1.0])
    params["w"] = np.full(3, 4.0)
    np.testing.assert_array_equal(g(X), [4.0, 4.0, 4.0])


@pytest.mark.parametrize(
    "count",
    [
        lambda x, params: sum(np.sum(x * w) for w in params.values()),
        lambda x, params: np.sum(x) * len([k for k, _ in params.items()]),
        lambda x, params: np.sum(x) * params.get("c", 2.0),
    ],
)
def test_methods_of_containers_do_not_compile_anew(count, monkeypatch):
    made = []
    original = compiled.specialise
    monkeypatch.setattr(compiled, "specialise", lambda *a: made.append(1) or original(*a))
    params = {"a": np.ones(3), "b": np.ones(3)}
    g = gs.grad(lambda x: count(x, params))
    for _ in range(3):
        np.testing.assert_array_equal(g(X), [2.0, 2.0, 2.0])
    assert len(made) == 1


# -- texts ----------------------------------------------------------------------------------------


def test_the_text_of_an_integer_says_the_number():
    params = {"w2": np.full(3, 2.0), "w3": np.full(3, 3.0)}
    g = gs.grad(lambda x, n: np.sum(x * params["w" + str(n)]) + 0 * len(f"{n} {n!r} {[n]}"))
    np.testing.assert_array_equal(g(X, 2), [2.0, 2.0, 2.0])
    np.testing.assert_array_equal(g(X, 3), [3.0, 3.0, 3.0])


@pytest.mark.parametrize(
    "text", [str, repr, format, lambda x: f"{x}", lambda x: f"{x:.3f}", "{:.2f}".format]
)
def test_the_text_of_a_traced_value_is_made_at_each_call(text, capsys):
    def f(x):
        print(text(x[0]))
        return np.sum(x)

    g = gs.grad(f)
    for x in (X, 2 * X):
        f(x)
        g(x)
        first, second = capsys.readouterr().out.splitlines()
        assert first == second


@pytest.mark.parametrize("text", [str, repr, format, "{:.2f}".format])
def test_map_makes_texts(text, capsys):
    def f(x):
        print(", ".join(map(text, x)), *map(lambda v, w: v * w, x, x))
        return np.sum(x)

    f(X)
    gs.grad(f)(X)
    first, second = capsys.readouterr().out.splitlines()
    assert first == second


def test_texts_are_compared_by_their_characters():
    def sorts_by_text(x):
        return sorted(x, key=str)[0]

    compiled = gs.compile(sorts_by_text)
    for x in (X, 10 * X, -X):
        assert repr(compiled(x)) == repr(sorts_by_text(x))


# -- traced numbers as keys and members -----------------------------------------------------------


def _keys_outside(x):
    STATE[x[0] > 0] = x[1]
    STATE[float(x[0]), 1] = 2.0
    STATE["inner"] = {x[0] > 1: x[2], "members": {float(x[1])}}
    SEEN.append({x[2] > 0: 1})
    NAMES.add(float(x[0]))
    return x.sum()


def test_traced_numbers_as_keys_outside():
    compiled_function = gs.compile(_keys_outside)
    for x in (X, -X, X * 3):
        held = []
        for function in (_keys_outside, compiled_function):
            STATE.clear()
            SEEN.clear()
            NAMES.clear()
            function(x)
            held.append(repr((STATE, SEEN, NAMES)))
        assert held[0] == held[1]
