"""Errors: their classes, and that they show the user's file, line and expression with a caret."""

# ruff: noqa: PLW0108

from __future__ import annotations

import inspect
import math
import re
from pathlib import Path

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

HERE = Path(__file__).name
X = np.array([0.5, -1.25, 2.0])


def line_of(marker):
    """Number and text of the line of this file that ends in the comment `# <marker>`."""
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (found,) = [(n, line) for n, line in enumerate(lines, 1) if line.endswith(f"# {marker}")]
    return found


def check_place(error, marker):
    """The message names the file and the line, shows the line and puts carets under a part."""
    message = str(error)
    number, text = line_of(marker)
    assert HERE in message
    assert re.search(rf"\b{number}\b", message)
    shown = message.splitlines()
    code = text.partition("#")[0].strip()
    index = next(i for i, line in enumerate(shown) if code in line)
    carets = shown[index + 1]
    assert re.fullmatch(r"[\s|]*[~^]+[\s~^]*", carets)
    start = shown[index].index(code)
    assert start <= carets.index("^") < start + len(code)
    return code[carets.index("^") - start : carets.rindex("^") - start + 1]


def raised(call, *args):
    with pytest.raises(gs.GradsmithError) as caught:
        call(*args)
    return caught.value


# What a traced value cannot do, each with the marked line at fault.


def as_float(x):
    y = np.sum(x * x)
    return float(y) * x[0]  # at: float


def as_item(x):
    y = np.sum(x)
    return y.item() * x[0]  # at: item


def as_list(x):
    return sum((x * 2).tolist())  # at: tolist


def as_math(x):
    return math.erf(x) * 2 if x.ndim else x  # at: math


def as_histogram(x):
    counts, _ = np.histogram(x)  # at: histogram
    return np.sum(counts * x[0])


def as_edges(x):
    return np.sum(np.histogram_bin_edges(x))  # at: edges


def as_key(x):
    table = {0.5: 1.0}
    return table[x[0]] * x[1]  # at: key


def as_looked_up(x):
    table = {0.5: 1.0}
    return table.get(x[0], 3.0) * x[1]  # at: get


def as_member(x):
    return np.sum(x * (x[0] in {0.5, 1.5}))  # at: member


def as_whole_array(x):
    if x > 0:  # at: whole
        return np.sum(x)
    return np.sum(x * x)


def as_shapes(x):
    y = x if x[0] > 0 else x[0]
    return np.sum(y)  # at: shapes


def as_growing(x):
    kept = [x[1]]
    if x[0] > 0:  # at: growing
        kept.append(x[0])
    return sum(kept)


def as_widening(x):
    while np.sum(x) < 100:  # at: widening
        x = np.concatenate([x, x])
    return np.sum(x)


def as_try(x):
    try:
        if x[0] > 0:  # at: try
            return np.sum(x)
    except ValueError:
        pass
    return x[0]


def as_filtered(x):
    return np.sum([v for v in x if v > 0])  # at: filtered


def as_global(x):
    global LAST  # noqa: PLW0603
    LAST = x  # at: global
    return np.sum(x)


LAST = None

REFUSED = {
    "math": as_math,
    "edges": as_edges,
    "whole": as_whole_array,
}
NUMBERS = [as_float, as_item, as_list, as_histogram]
"""What used to be refused of numbers that Python makes, and of calls without a rule."""


@each("function", NUMBERS)
def test_numbers_of_python_and_calls_keep_the_gradient(function):
    value_and_gradient = gs.value_and_grad(function)
    for x in (X, 2 * X):
        value, gradient = value_and_gradient(x)
        assert value == function(x)
        steps = 1e-6 * np.eye(len(x))
        differences = [(function(x + h) - function(x - h)) / 2e-6 for h in steps]
        np.testing.assert_allclose(gradient, differences, atol=1e-6)


CONTROL_FLOW = ["whole"]
SPECIALISED = [as_key, as_looked_up, as_member, as_shapes, as_growing, as_widening, as_try]
SPECIALISED += [as_filtered]
"""What needs a plain value: the code is specialised on it."""


@each("function", SPECIALISED)
def test_what_needs_a_plain_value_is_computed(function):
    compiled = gs.compile(function)
    for x in (X, 2 * X, X[::-1].copy(), X):
        try:
            expected = function(x)
        except KeyError:
            with pytest.raises(KeyError):
                compiled(x)
        else:
            np.testing.assert_array_equal(compiled(x), expected)


@pytest.mark.parametrize("marker", REFUSED)
def test_what_is_refused_shows_its_line_with_a_caret(marker):
    check_place(raised(gs.grad(REFUSED[marker]), X), f"at: {marker}")


@pytest.mark.parametrize("marker", CONTROL_FLOW)
def test_control_flow_that_is_refused_says_what_to_do(marker):
    message = str(raised(gs.grad(REFUSED[marker]), X))
    assert "To fix it" in message


@pytest.mark.parametrize(
    ("marker", "name"),
    [
        ("math", "erf"),
        ("edges", "histogram_bin_edges"),
    ],
)
def test_what_is_refused_is_named(marker, name):
    error = raised(gs.grad(REFUSED[marker]), X)
    assert name in str(error)
    assert isinstance(error, TypeError | NotImplementedError | RuntimeError | ValueError)


@pytest.mark.parametrize(
    ("marker", "expression"),
    [("whole", "x > 0")],
)
def test_carets_stand_under_the_condition(marker, expression):
    marked = check_place(raised(gs.grad(REFUSED[marker]), X), f"at: {marker}")
    assert expression in marked or marked in line_of(f"at: {marker}")[1]


def test_global_write_of_a_traced_value_leaks_nothing(monkeypatch):
    monkeypatch.setitem(globals(), "LAST", None)
    try:
        with pytest.warns(gs.TraceTimeEffectWarning):
            g = gs.grad(as_global)(X)
    except gs.GradsmithError as error:
        g = np.ones(3)
        check_place(error, "at: global")
    np.testing.assert_array_equal(g, np.ones(3))


def test_errors_in_a_helper_show_the_helpers_line():
    error = raised(gs.grad(lambda x: as_edges(x) + 1.0), X)
    check_place(error, "at: edges")


def test_errors_in_a_multi_line_expression_show_their_own_line():
    def f(x):
        return np.sum(
            x * 2
            + np.histogram_bin_edges(x)[0]  # at: multi-line
            + 1.0
        )  # fmt: skip

    check_place(raised(gs.grad(f), X), "at: multi-line")


# NumPy's own errors, raised while tracing, are NumPy's classes and show the user's line.


def bad_broadcast(x):
    return np.sum(x + np.ones(2))  # at: broadcast


def bad_matmul(x):
    return np.sum(np.ones((2, 2)) @ x)  # at: matmul


def bad_reshape(x):
    return np.sum(x.reshape(2, 2))  # at: reshape


def bad_axis(x):
    return np.sum(np.sum(x, axis=3))  # at: axis


def bad_index(x):
    return x[5] * 2.0  # at: index


def bad_indices(x):
    return x[0, 0] * 2.0  # at: indices


def bad_concatenate(x):
    return np.sum(np.concatenate([x, np.ones((2, 2))]))  # at: concatenate


def bad_store(x):
    y = np.zeros(2)
    y[:] = x  # at: store
    return np.sum(y)


def bad_attribute(x):
    return x.summ()  # at: attribute


def bad_keyword(x):
    return np.sum(x, axes=0)  # at: keyword


def bad_einsum(x):
    return np.einsum("ij->i", x)[0]  # at: einsum


def bad_call(x):
    return helper(x, 1, 2)  # at: call


def helper(x, y):
    return np.sum(x * y)


NUMPYS = {
    "broadcast": (bad_broadcast, ValueError),
    "matmul": (bad_matmul, ValueError),
    "reshape": (bad_reshape, ValueError),
    "axis": (bad_axis, ValueError),
    "index": (bad_index, IndexError),
    "indices": (bad_indices, IndexError),
    "concatenate": (bad_concatenate, ValueError),
    "store": (bad_store, ValueError),
    "attribute": (bad_attribute, AttributeError),
    "keyword": (bad_keyword, TypeError),
    "einsum": (bad_einsum, ValueError),
}


@each("marker", NUMPYS)
def test_numpys_errors_keep_their_class_and_show_the_line(marker):
    fun, builtin = NUMPYS[marker]
    with pytest.raises(builtin):
        fun(X)
    error = raised(gs.grad(fun), X)
    assert isinstance(error, builtin)
    check_place(error, f"at: {marker}")


def test_shapes_are_named_where_they_do_not_fit():
    message = str(raised(gs.grad(bad_broadcast), X))
    assert "(3,)" in message
    assert "(2,)" in message


def test_a_wrong_call_of_a_helper_is_a_type_error():
    with pytest.raises(TypeError, match="helper"):
        gs.grad(bad_call)(X)


@pytest.mark.parametrize("args", [(), (X, X, X)], ids=["too few", "too many"])
def test_a_wrong_call_of_the_gradient_is_a_type_error(args):
    for call in (gs.grad(helper), gs.compile(helper), gs.differentiable(helper).grad):
        with pytest.raises(TypeError, match=r"helper|argument"):
            call(*args)


def test_an_error_of_the_users_own_is_passed_on():
    class OwnError(Exception):
        pass

    def f(x):
        if x.ndim == 1:
            raise OwnError("a matrix is wanted")
        return np.sum(x)

    with pytest.raises(OwnError, match="a matrix is wanted"):
        gs.grad(f)(X)


def test_an_undefined_name_is_a_name_error():
    with pytest.raises(NameError, match="nosuchname"):
        gs.grad(lambda x: np.sum(x) * nosuchname)(X)  # noqa: F821


def test_a_failed_trace_leaves_nothing_behind():
    g = gs.grad(lambda x, n: np.sum(x[:, 0]) if n > 5 else np.sum(x * x))
    np.testing.assert_array_equal(g(X, 1), 2 * X)
    with pytest.raises(IndexError):
        g(X, 10)
    np.testing.assert_array_equal(g(X, 1), 2 * X)
    with pytest.raises(gs.GradsmithError):
        gs.autograd.grad(X, X)


# Classes


def unused(x, spare):
    return np.sum(x)


CLASSES = {
    "no seed": (RuntimeError, lambda: gs.differentiable(lambda x: x * x).grad(X)),
    "seed shape": (
        RuntimeError,
        lambda: gs.differentiable(lambda x: x * x).grad(X, grad_outputs=np.ones(2)),
    ),
    "unused input": (RuntimeError, lambda: gs.differentiable(unused).grad(X, X)),
    "integer argument": (TypeError, lambda: gs.grad(lambda x: x * 2.0)(3)),
    "integer output": (RuntimeError, lambda: gs.differentiable(lambda x: np.argmax(x)).grad(X)),
    "empty inputs": (ValueError, lambda: gs.differentiable(unused).grad(X, X, inputs=[])),
    "object array": (TypeError, lambda: gs.grad(unused)(np.array([None, 1.0]), X)),
    "not callable": (TypeError, lambda: gs.grad(3)(X)),
}


@each("name", CLASSES)
def test_classes_derive_from_ours_and_the_builtin(name):
    builtin, call = CLASSES[name]
    with pytest.raises(builtin) as caught:
        call()
    assert isinstance(caught.value, gs.GradsmithError)


def test_the_classes_are_public():
    assert issubclass(gs.GradsmithError, Exception)
    assert issubclass(gs.UnusedInputWarning, Warning)
    assert issubclass(gs.TraceTimeEffectWarning, Warning)


def test_messages_say_what_to_do():
    for name in ("no seed", "unused input", "integer argument", "empty inputs"):
        with pytest.raises(gs.GradsmithError) as caught:
            CLASSES[name][1]()
        assert len(str(caught.value).splitlines()) >= 2, name


def test_the_no_seed_error_shows_a_line_of_the_user():
    with pytest.raises(RuntimeError) as caught:
        gs.differentiable(lambda x: x * x).grad(X)  # at: no seed
    check_place(caught.value, "at: no seed")


def test_every_exception_class_is_an_exception_of_ours():
    for name, value in vars(gs).items():
        if inspect.isclass(value) and issubclass(value, Exception) and "Warning" not in name:
            assert issubclass(value, gs.GradsmithError), name


def test_an_error_of_the_seeded_source_is_shown_alone():
    """That a seed was needed first is no news to who asks for the source."""

    def function(x, y):
        return x * (y > 0)

    with pytest.raises(gs.GradsmithError, match="does not exist") as caught:
        gs.differentiable(function).grad.source(X, X)
    assert caught.value.__context__ is None
