"""What `gs.unroll`, `gs.checkpoint` and `gs.loop` emit, and what they refuse."""

from __future__ import annotations

import inspect
import textwrap

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.ops.revolve import revolve
from helpers import each

X = np.ones(3)


def body(transformed, *args):
    """The statements of the emitted function, without comments."""
    source = transformed.source(*args)
    lines = source[source.rindex('"""') + 4 :].splitlines()
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


def text(expected):
    return textwrap.indent(textwrap.dedent(expected).strip("\n"), "    ")


def test_unrolled():
    def loss(x):
        for i in gs.unroll(range(5)):
            x = x * i
        return np.sum(x)

    assert "for" not in body(gs.grad(loss), X)


@pytest.mark.parametrize("over", [enumerate, lambda x: zip(x, x, strict=True), lambda x: x])
def test_whatever_can_be_unrolled(over):
    def loss(x):
        total = 0.0
        for part in gs.unroll(over(x)):
            total = total + np.sum(np.asarray(part))
        return total

    x = np.arange(6.0)
    assert "for" not in body(gs.compile(lambda x: sum(v for v in gs.unroll(x))), x)
    assert loss(x) == gs.compile(loss)(x)


def test_kept_rolled():
    def loss(x):
        for _ in gs.loop(range(3)):
            x = np.sin(x)
        return np.sum(x)

    assert body(gs.compile(loss), X) == text("""
        for _ in range(3):
            x = np.sin(x)
        return x.sum()
    """)


def test_checkpointed():
    @gs.checkpoint
    def block(x):
        h = np.sin(x)
        return np.cos(h * h)

    def loss(x):
        y = block(x)
        return np.sum(y * y)

    assert body(gs.grad(loss), X) == text("""
        h = np.sin(x)
        y = h * h
        np.cos(y, out=y)
        del h
        t = 2.0 * y
        h = np.sin(x)
        g_h = h * h
        np.sin(g_h, out=g_h)
        g_h *= t
        g_h *= -2.0 * h
        g_x = g_h * np.cos(x)
        del h, g_h
        return g_x
    """)


def test_binomial():
    def loss(x, n):
        for i in gs.loop(range(n), checkpoint="binomial", slots=4):
            x = np.tanh(x * i)
        return np.sum(x)

    source = gs.grad(loss).source(X, 30)
    helper = inspect.getsource(revolve).replace(": int", "").replace(" -> int", "")
    assert helper.strip() in source
    assert body(gs.grad(loss), X, 30) == text("""
        kept_x = np.empty((4, len(x)))
        kept_x[0] = x
        places = np.zeros(4, dtype=np.int64)
        g_x = np.ones(x.shape)
        depth = 0
        for i in reversed(range(n)):
            place = int(places[depth])
            x_2 = kept_x[depth].copy()
            while place < i:
                kept_x[depth] = x_2
                places[depth] = place
                ahead = revolve(i + 1 - place, 4 - depth)
                for i_2 in range(place, ahead + place):
                    x_2 = x_2 * i_2
                    np.tanh(x_2, out=x_2)
                place = ahead + place
                depth += 1
            x_3 = x_2 * i
            np.tanh(x_3, out=x_3)
            g_x *= 1.0 - x_3 * x_3
            g_x *= i
            depth -= 1
        return g_x
    """)


# --- what is refused


@each(
    ("options", "message"),
    [
        ({"checkpoint": "all"}, "checkpoint='all'"),
        ({"slots": 3}, "checkpoint=None and slots=3"),
        ({"checkpoint": "binomial"}, "slots=None"),
        ({"checkpoint": "binomial", "slots": 0}, "slots=0"),
        ({"checkpoint": "binomial", "slots": 2.5}, "slots="),
        ({"checkpoint": "binomial", "slots": True}, "slots=True"),
    ],
)
def test_bad_options(options, message):
    def loss(x):
        for _ in gs.loop(range(9), **options):
            x = np.sin(x)
        return np.sum(x)

    for call in (loss, gs.grad(loss)):
        with pytest.raises(ValueError, match=message) as caught:
            call(X)
        assert isinstance(caught.value, gs.GradsmithError)


def test_only_functions_are_checkpointed():
    with pytest.raises(TypeError, match="takes a function, and got 3"):
        gs.checkpoint(3)


def test_binomial_loops_do_not_end_early():
    def loss(x):
        for _ in gs.loop(range(9), checkpoint="binomial", slots=2):
            x = np.sin(x)
            if x[0] < 0.1:
                break
        return np.sum(x)

    def result(x):
        for _ in gs.loop(range(9), checkpoint="binomial", slots=2):
            if x[0] < 0.1:
                return x[0]
            x = np.sin(x)
        return np.sum(x)

    for function in (loss, result):
        with pytest.raises(ValueError, match="may end early") as caught:
            gs.grad(function)(X)
        assert "gs.loop(range(9)" in str(caught.value)
        assert "^^^" in str(caught.value)


def test_what_cannot_stay_a_loop():
    def over_a_list(x):
        for factor in gs.loop([1.0, 2.0]):
            x = x * factor
        return np.sum(x)

    def growing(x):
        for _ in gs.loop(range(5)):
            x = np.concatenate([x, x])
        return np.sum(x)

    def inside(x):
        for i in list(gs.loop(range(5))):
            x = x * i
        return np.sum(x)

    with pytest.raises(ValueError, match="ranges and arrays"):
        gs.grad(over_a_list)(X)
    with pytest.raises(gs.GradsmithError, match="after it"):
        gs.grad(growing)(X)
    with pytest.raises(ValueError, match="put it into the `for`"):
        gs.grad(inside)(X)
