"""What a function prints, warns and raises: its compiled forms do so in the same words, once."""

from __future__ import annotations

import io
import logging
import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import gradsmith as gs
from control.printing import SHOWN, X

DIRECTION = 0.25


@dataclass
class Said:
    """What a call says: texts, warnings, and the error that ends it."""

    out: str
    err: str
    warned: list[tuple[type, str]]
    error: str | None


def said(capsys, call, arguments):
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    error = None
    capsys.readouterr()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call(*copies)
        except Exception as raised:
            if isinstance(raised, gs.GradsmithError):
                raise
            error = repr(raised)
    shown = capsys.readouterr()
    return Said(shown.out, shown.err, [(w.category, str(w.message)) for w in caught], error)


def second(function):
    return gs.grad(lambda *a: np.sum(gs.grad(lambda *b: function(*b) ** 2)(*a)))


def tangent(function):
    return gs.compile(lambda x, *rest: gs.jvp(lambda v: function(v, *rest), (x,), (x,)))


def hessian_vector(function):
    return gs.compile(
        lambda x, *rest: gs.jvp(gs.grad(lambda v: function(v, *rest)), (x,), (DIRECTION * x,))
    )


WAYS = [gs.compile, gs.grad, gs.value_and_grad, second, tangent, hessian_vector]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("name", SHOWN)
def test_the_same_is_said_once(name, way, capsys):
    function, arguments = SHOWN[name]
    expected = said(capsys, function, arguments)
    compiled = way(function)
    for _ in range(2):
        assert said(capsys, compiled, arguments) == expected


# These fail when they are traced, whatever the numbers are: there is no source.
WITHOUT_SOURCE = {"raises_a_fixed_text", "asserts_without_a_text"}


@pytest.mark.parametrize("name", [name for name in SHOWN if name not in WITHOUT_SOURCE])
def test_the_source_is_asked_for_in_silence(name, capsys):
    function, arguments = SHOWN[name]
    gs.grad(function).source(*arguments)
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "")


def test_the_numbers_are_those_of_the_call(capsys):
    def f(x):
        print(f"sum {np.sum(x):.2f} of {len(x)}")
        return np.sum(x * x)

    g = gs.grad(f)
    for x in (X, 2 * X, np.arange(5.0)):
        assert said(capsys, g, (x,)) == said(capsys, f, (x,))


def test_an_error_is_that_of_the_call():
    def f(x):
        if np.ndim(x) == 1:
            raise ValueError(f"largest {np.max(x)}")
        return x

    g = gs.grad(f)
    for x in (X, 3 * X):
        with pytest.raises(ValueError, match=f"^largest {np.max(x)}$"):
            g(x)
    assert g(2.0) == 1.0


@pytest.mark.parametrize("n", [2, 20])
def test_an_error_of_a_loop_comes_where_python_has_it(n, capsys):
    function = SHOWN["too_large"][0]

    def f(h, n):
        for _ in range(n):
            h = function(h)
        return h

    assert said(capsys, gs.grad(f), (0.1, n)) == said(capsys, f, (0.1, n))


@pytest.mark.parametrize("sign", [1, -1])
def test_integers_or_floats_are_alike_in_formats_of_floats(sign, capsys):
    def f(x):
        total = sum(v for v in x if v > 0)  # Python's 0 where there is none
        print(f"{total:.4f} {total:8.2e} {total:+g} {total:.1%}", "%.3f" % total)  # noqa: UP031
        return total * x[0]

    expected = said(capsys, f, (sign * X,))
    assert said(capsys, gs.compile(f), (sign * X,)) == expected
    assert said(capsys, gs.grad(f), (sign * X,)) == expected


def test_what_was_printed_is_seen_where_tracing_ends(capsys):
    def f(x, y):
        print("shapes", x.shape, y.shape, x[0])
        return np.sum(x + y)

    with pytest.raises(gs.GradsmithError):
        gs.grad(f)(X, np.ones(2))
    assert capsys.readouterr().out == "shapes (3,) (2,) 0.5\n"


def test_a_pullback_and_the_rows_of_a_batch_say_nothing_again(capsys):
    def f(x):
        s = np.sum(np.sin(x))
        print("sum", s)
        return s * x

    expected = said(capsys, f, (X,))
    _, pullback = gs.vjp(f, X)
    capsys.readouterr()
    first = pullback(np.ones(3))[0]
    assert said(capsys, lambda: pullback(X), ()) == Said("", "", [], None)
    rows = gs.differentiable(f)
    seeds = np.stack([np.ones(3), X])
    for _ in range(2):
        call = lambda: rows.grad(X, grad_outputs=seeds, is_grads_batched=True)  # noqa: E731
        assert said(capsys, call, ()) == expected
    np.testing.assert_array_equal(call()[0], [first, pullback(X)[0]])


def test_an_assertion_that_a_try_handles():
    def f(x):
        try:
            assert x[0] > 0
        except AssertionError:
            return np.sum(x)
        return np.sum(x * x)

    g = gs.grad(f)
    for x in (X, -X, X):
        np.testing.assert_array_equal(g(x), 2 * x if x[0] > 0 else np.ones_like(x))


def test_the_source_for_an_output_with_axes_is_asked_for_in_silence(capsys):
    def f(x):
        print("x", x)
        return x * x

    assert "print('x', x)" in gs.differentiable(f).grad.source(X)
    assert capsys.readouterr().out == ""


class OwnError(Exception):
    pass


def test_an_error_of_ones_own_comes_behind_what_was_printed(capsys):
    def f(x):
        print("before", x)
        if len(x) == 3:
            raise OwnError("three")
        return np.sum(x)

    g = gs.grad(f)
    for x in (X, np.ones(2), 2 * X):
        assert said(capsys, g, (x,)) == said(capsys, f, (x,))


def test_the_source_prints_as_a_person_would_write_it():
    def f(x, n):
        for i in range(n):
            x = x * x
            print(f"{i}: {x:.3g}", end=" ")
            if x > 100:
                raise ValueError(f"step {i} too large: {x:.3g}")
        return x

    text = gs.grad(f).source(0.5, 7)
    assert "print(f'{i}: {x:.3g}', end=' ')" in text
    assert "raise ValueError(f'step {i} too large: {x:.3g}')" in text
    assert text.count("print(f'") == 1


def test_texts_of_sizes_are_keys_and_results():
    def f(x, n):
        table = {f"k{n}": x, "k" + str(n + 1): 3 * x}
        return np.sum(table["k%d" % (n + 1)]) + len(f"{n:05d}"), f"{n} of {len(x)}"  # noqa: UP031

    value, text = gs.compile(f)(X, 6)
    assert value == f(X, 6)[0]
    assert text == "6 of 3"
    assert gs.compile(f)(X, 7)[1] == "7 of 3"


NEEDED = {
    "a key": lambda x: {"0.5": 1}.get(f"{x[0]}", 2) * np.sum(x),
    "a key of a result": lambda x: {f"{x[0]:.1f}": np.sum(x), f"{x[1]}".strip(): x[0]},
    "keys of a comprehension": lambda x: {f"{k}: {v:.1f}": v for k, v in enumerate(x)},
    "a comparison": lambda x: np.sum(x) * (2 if f"{x[0]:.1f}" == "0.5" else 3),
    "a slice": lambda x: np.sum(x) * len(f"{x[0]}"[:3]),
    "a method": lambda x: np.sum(x) * len(f"{x[0]}".strip()),
    "a length": lambda x: np.sum(x) * len(f"{x[0]}"),
    "a number": lambda x: np.sum(x) * float(f"{x[0]:.1f}"),
    "a format": lambda x: print(f"{x[1]:{int(abs(x[0]) + 8)}}"),
    "in a list": lambda x: np.sum(x) * len({f"{x[0]}", f"{x[1]}", "0.5"}),
    "a result": lambda x: (np.sum(x), f"{x[0]}", f"{x[0]!r:>20}|{float(x[1]):+.2e}"),
    "by percent": lambda x: (np.sum(x), "%5.2f|%s|%r" % (x[0], x[1], x[2])),  # noqa: UP031
    "by a method": lambda x: f"{x[0]:.1f} {x[1]!r}".upper(),
    "joined": lambda x: ", ".join(f"{v:.2f}" for v in x),
    "a truth": lambda x: np.sum(x) if f"{x[0]}" else 0.0,
    "a part": lambda x: np.sum(x) if "-" in f"{x[0]}" else 0.0,
    "an array": lambda x: np.array([f"{v:.1f}" for v in x]).size,
    "one of two": lambda x: (f"up {x[0]:.1f}" if x[0] > 0 else f"down {x[1]:.2f}").title(),
}
POINTS = [X, -X, X + 1.0, X]


@pytest.mark.parametrize("name", NEEDED)
def test_other_uses_of_a_text(name, capsys):
    use = NEEDED[name]
    compiled = gs.compile(use)
    for x in POINTS:
        expected, value = said(capsys, use, (x,)), said(capsys, compiled, (x,))
        assert repr(value) == repr(expected)


def test_a_result_is_no_reason_to_compile_anew():
    compiled = gs.compile(lambda x: (np.sum(x), f"sum {np.sum(x):.3f}"))
    sources = {compiled.source(x) for x in POINTS}
    assert len(sources) == 1
    assert "format" in sources.pop()


def test_files_and_loggers_take_texts():
    written = io.StringIO()
    logger = logging.Logger("texts")
    logger.addHandler(logging.StreamHandler(written))

    def f(x):
        for k, v in enumerate(x):
            if v > 0:
                logger.info(f"element {k} is {v:.3f}")
        print("sum", np.sum(x), f"{x[0]!r}", sep="; ", end="!", file=written)
        written.write(f"{len(x)} of {x[-1]}\n")
        return np.sum(x * x)

    compiled, gradient = gs.compile(f), gs.grad(f)
    for call in (compiled, gradient):
        for x in POINTS:
            f(x)
            expected = written.getvalue()
            written.truncate(written.seek(0))
            result = call(x)
            assert written.getvalue() == expected
            written.truncate(written.seek(0))
            assert np.all(result == (f(x) if call is compiled else 2 * x))
            written.truncate(written.seek(0))


def test_derivatives_beside_texts():
    def f(x):
        label = f"{x[0]:.1f}"
        return {"value": np.sum(x * x) * len(label), "label": label}

    for x in POINTS:
        value, pullback = gs.vjp(f, x)
        assert value == f(x)
        (gradient,) = pullback({"value": 1.0, "label": None})
        assert np.array_equal(gradient, 2.0 * x * len(f(x)["label"]))
        value, tangent = gs.jvp(f, (x,), (np.ones(3),))
        assert value["label"] == f(x)["label"]
        assert tangent["label"] is None
        np.testing.assert_allclose(tangent["value"], np.sum(gradient))


def test_a_text_of_a_branch_that_is_used_outside_of_it_is_pythons():
    def f(x):
        names = []
        if x[0] > 0:
            names.append(f"{x[0]:.2f}")
        return len("".join(names)) * np.sum(x)

    compiled = gs.compile(f)
    for x in POINTS:
        assert compiled(x) == f(x)


def test_a_class_that_the_path_decides_is_that_of_python(capsys):
    def f(x):
        y = 0 if np.sum(x) > 100 else np.sum(x)
        print(y, repr(y), f"{y}")
        return y * 1.0

    compiled = gs.compile(f)
    for x in (X, 200.0 * np.ones(3), -X):
        assert said(capsys, compiled, (x,)) == said(capsys, f, (x,))


def test_a_class_that_the_iteration_decides_is_that_of_python(capsys):
    def f(x):
        total = 0
        while np.sum(x) + total < 100:
            print(total)
            total = total + np.sum(x * x)
        return total

    compiled = gs.compile(f)
    for x in (10.0 + X, 200.0 * np.ones(3), 8.0 - X):
        assert said(capsys, compiled, (x,)) == said(capsys, f, (x,))


def test_a_loop_without_a_trip_leaves_the_number_as_it_was(capsys):
    def f(x):
        total = 0
        for i in range(len(x)):
            total = total + x[i] * x[i]
        print(total)
        return total * 1.0

    compiled = gs.compile(f)
    for x in (np.arange(30.0), np.arange(0.0), np.arange(7.0)):
        assert said(capsys, compiled, (x,)) == said(capsys, f, (x,))
