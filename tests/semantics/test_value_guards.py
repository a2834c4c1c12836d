"""What Python needs as a plain value is specialised on, and checked by the emitted code.

Every function is called through one compiled object with all its argument sets, so that a value
that is frozen without a check shows.
"""

# Programs as users write them.
# ruff: noqa: SIM108

from __future__ import annotations

import copy
import warnings

import numpy as np
import pytest

import gradsmith as gs

TABLE = {0.5: 1.0, 2.0: 4.0, -1.0: 3.0}
SETS = [[0.5, -1.25, 2.0], [2.0, 0.25, -1.0], [-1.0, 1.0, 0.5], [0.5, -1.25, 2.0], [0.5, 2.0]]
CASES = {}
same = np.testing.assert_array_equal


def case(function):
    CASES[function.__name__] = function
    return function


@case
def index_of_a_list(x):
    weights = [1.0, 2.0, 3.0]
    return weights[np.argmax(x)] * x[0]


@case
def key_of_a_dict(x):
    return TABLE[x[0]] * x[1] ** 2


@case
def key_of_get(x):
    return TABLE.get(x[1], 3.0) * x[1]


@case
def member_of_a_set(x):
    return x[1] * 2 if x[0] in {0.5, 1.5} else x[0]


@case
def member_of_a_list(x):
    return x[1] * 2 if x[0] not in [0.5, x[1]] else x[0]


@case
def member_of_an_array(x):
    return np.sum(x) * (3 if 2.0 in x[1:] else 5)


@case
def another_shape_after_an_if(x):
    if x[0] > 0:
        y = x
    else:
        y = np.sum(x)
    return np.sum(y * y)


@case
def another_length_after_an_if(x):
    if x[0] > 0:
        x = x[x > 0]
    return np.mean(x * x)


@case
def name_of_a_method(x):
    mode = "sum" if x[0] > 0 else "mean"
    return getattr(x, mode)()


@case
def none_or_a_value(x):
    best = None
    if x[0] > 0:
        best = x[1]
    if best is None:
        return x[0] * 3
    return best * 2


@case
def list_that_grows_on_one_path(x):
    kept = []
    if x[0] > 0:
        kept.append(x[0] ** 2)
    if x[1] > 0:
        kept += [x[1], 2 * x[0]]
    return sum(kept) * len(kept)


@case
def list_that_grows_in_a_loop(x):
    kept = []
    for v in x:
        if v > 0:
            kept.append(v)
        else:
            kept.insert(0, -v)
            kept.pop()
    return sum(k * (i + 1) for i, k in enumerate(kept)) + x[0]


@case
def key_that_is_set_on_one_path(x):
    parts = {"all": np.sum(x)}
    if x[0] > 0:
        parts["first"] = x[0] ** 2
    return sum(parts.values())


@case
def structures_that_differ(x):
    state = (x[0], [x[1]]) if x[0] > 0 else {"a": x[1], "b": x[0] * x[1]}
    return state[0] * state[1][0] if isinstance(state, tuple) else state["a"] + state["b"]


@case
def return_out_of_a_try(x):
    try:
        if x[0] > 0:
            return np.log(x[0])
    except ValueError:
        return 0.0
    return np.sum(x)


@case
def error_that_is_handled(x):
    total = 0.0
    for v in x:
        try:
            if v < 0:
                raise ValueError("negative")
            total = total + v * v
        except ValueError:
            total = total - v * x[0]
    return total


@case
def assertion_that_is_handled(x):
    try:
        assert x[0] > 0, "not positive"
        return x[0] ** 2
    except AssertionError:
        return x[1]


@case
def while_left_out_of_a_try(x):
    while np.max(x) > 0.1:
        try:
            x = x / 2
            break
        finally:
            x = x + 1
    return np.sum(x)


@case
def walrus_in_a_condition(x):
    return np.sum(x) if x[0] > 0 and (y := x[1]) < 1 else x[1] + (x[0] if x[0] < 0 else y)


@case
def filtered_comprehension(x):
    return np.sum(np.array([v * i for i, v in enumerate(x) if v > 0])) + x[0]


@case
def guard_of_a_match(x):
    match x.ndim:
        case 1 if x[0] > 0:
            return np.sum(x)
    return x[1]


@case
def sorted_values(x):
    ordered = sorted(x, key=lambda v: -v)
    return ordered[0] * 3 + ordered[-1]


@case
def text_of_a_path(x):
    if x[0] > 0:
        word = f"positive {len(x)}"
    else:
        word = "negative"
    return x[0] * len(word)


@case
def text_that_changes_in_a_while_loop(x):
    name = "first"
    total = np.sum(x * x)
    while total < 100:
        total = total * (3 if name == "first" else 2)
        name = "next"
    return total


@case
def path_within_a_path(x):
    kept = [x[0]]
    if x[0] > 0:
        y = x * 2
        if y[1] > 0:
            kept.append(y[1])
        z = y + 1
    else:
        z = x
        if z[1] > 0.5:
            kept.extend([z[1], z[0]])
    return np.sum(z) * sum(kept)


@case
def count_that_is_a_size(x):
    positive = np.sum(x > 0)
    return np.sum(np.ones(positive) * x[0]) + sum([x[1]] * positive)


@case
def axis_that_the_data_decide(x):
    a = np.outer(x, x) + x
    return np.sum(np.sum(a**2, axis=(x[0] > 0).astype(int)) * x)


@case
def array_that_grows_in_a_while(x):
    y = x * x
    while np.sum(y) < 20:
        y = np.concatenate([y, x * x])
    return np.sum(y)


@case
def option_that_the_data_decide(x):
    return np.sum(np.sum(x * x, keepdims=bool(x[0] > 0)) * x[1])


@case
def length_that_changes_in_a_while(x):
    y = x[x > 0]
    while np.sum(y) > 0.1:
        y = 0.5 * y[np.flatnonzero(y > 0.2)]
    return np.sum(y**2) + x[0]


@case
def recursion_that_the_data_end(x):
    def halve(v, depth):
        return v * depth if abs(v) < 0.3 else halve(v / 2, depth + 1)

    return halve(x[0], 1) + halve(x[1], 1)


DISCONTINUOUS = ("key_of_a_dict", "key_of_get", *(n for n in CASES if n.startswith("member")))


def derivative(f, x):
    steps = 1e-6 * np.eye(len(x))
    return np.array([(f(x + h) - f(x - h)) / 2e-6 for h in steps])


@pytest.mark.filterwarnings("ignore::gradsmith.SpecialisationWarning")
@pytest.mark.parametrize("name", CASES)
def test_value_and_derivatives(name):
    f = CASES[name]
    both, along = gs.value_and_grad(f), {}
    for values in map(np.array, SETS):
        before = values.copy()
        try:
            expected = f(values)
        except (KeyError, IndexError) as error:
            with pytest.raises(type(error)):
                both(values)
            continue
        value, gradient = both(values)
        assert value == expected
        if name not in DISCONTINUOUS:
            np.testing.assert_allclose(gradient, derivative(f, values), atol=1e-6)
            tangent = np.cos(np.arange(len(values)))
            value, moved = gs.jvp(f, (values,), (tangent,))
            np.testing.assert_allclose(moved, gradient @ tangent, atol=1e-9)
        same(values, before)
        known = along.setdefault(values.tobytes(), gradient)
        same(gradient, known)


def test_the_source_shows_the_check_and_an_emitted_file_raises_it(tmp_path):
    g = gs.grad(list_that_grows_on_one_path)
    x = np.array([0.5, -1.0])
    assert "raise SpecialisationError(" in g.source(x)
    assert g.source(x) != g.source(-x)
    assert g.source(x) == g.source(x + 0.25)
    namespace = {}
    exec(g.emit(tmp_path / "made.py", x).read_text(), namespace)
    made = namespace["list_that_grows_on_one_path_grad"]
    same(made(x), g(x))
    with pytest.raises(ValueError, match=r"`x\[0\] > 0` in test_value_guards.py:\d+ is True"):
        made(-x)


def test_prints_before_a_check_are_done_once(capsys):
    def f(x):
        print("begin", x[0])
        kept = [x[0]]
        if x[0] > 0:
            kept.append(x[1])
        print("end", len(kept))
        return sum(kept) * x[0]

    g = gs.grad(f)
    for x in ([1.0, 2.0], [-1.0, 2.0], [3.0, 1.0]):
        g(np.array(x))
        f(np.array(x))
        made, expected = np.split(np.array(capsys.readouterr().out.splitlines()), 2)
        assert made.tolist() == expected.tolist()


def test_a_value_that_always_differs_is_warned_of():
    g = gs.grad(lambda x: x[0] * {round(k / 7, 12): 2.0 for k in range(40)}[x[1]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for k in range(30):
            same(g(np.array([1.0, round(k / 7, 12)])), [2.0, 0.0])
    (warning,) = [w for w in caught if w.category is gs.SpecialisationWarning]
    assert "test_value_guards.py" in str(warning.message)


def stores_before_and_after_a_list_grows(a, x):
    a[0] += x[0]
    kept = [a[0]]
    if x[1] > 0:
        kept.append(a[1])
        a[1] *= 7.0
    a[2] += len(kept) * sum(kept)
    if x[2] > 0:
        kept.append(x[2])
    a *= len(kept)
    return sum(kept)


def stores_in_a_loop_that_appends(a, x):
    kept = []
    for i in range(len(x)):
        a[i] += x[i]
        if x[i] > 0:
            kept.append(a[i])
        else:
            kept.insert(0, -a[i])
            kept.pop()
        a[i] *= 1 + len(kept)
    return sum(k * (i + 1) for i, k in enumerate(kept)) + x[0]


def attributes_items_and_a_list(state, x):
    state["total"] += x[0]
    state["row"][0] = state["total"]
    if x[1] > 0:
        state["seen"].append(x[1])
    state["row"] *= 1 + len(state["seen"])
    if x[2] > 0:
        state["seen"].append(state["row"][1])
        state["last"] = x[2]
    return state["total"] * len(state["seen"])


def state_like(x):
    return {"total": float(x[0]), "row": x + 0.5, "seen": []}


@pytest.mark.parametrize(
    ("f", "made"),
    [
        (stores_before_and_after_a_list_grows, np.sin),
        (stores_in_a_loop_that_appends, lambda x: np.sin(x).astype(np.float32)),
        (attributes_items_and_a_list, state_like),
    ],
)
def test_nothing_outside_is_written_before_every_check_has_passed(f, made):
    """A failing check hands the same arguments on to another specialisation."""
    compiled = gs.compile(f)
    signs = [[1, 1, 1], [1, -1, 1], [-1, 1, -1]]
    for x in [np.array(s) * np.array([0.5, 1.25, 2.0]) for s in signs * 2]:
        left, written = (copy.deepcopy((made(x), x)) for _ in range(2))
        same(compiled(*written), f(*left))
        np.testing.assert_equal(written, left)
        assert repr(written) == repr(left)
    assert "raise SpecialisationError(" in compiled.source(made(x), x)
