"""Programs that take a way to wrap functions (`gs.checkpoint`) or loops (`gs.loop`)."""

from __future__ import annotations

import numpy as np


def plain(x):
    return x


PROGRAMS = {}
"""``make(wrap)`` is a function of ``x`` (5 numbers) and ``w`` (5 by 5) to a number."""

PLANNED = {}
"""The same, where ``wrap`` is put around what loops go over."""


def program(registry):
    def register(make):
        registry[make.__name__] = make
        return make

    return register


# --- functions that are computed again


@program(PROGRAMS)
def layers(keep):
    @keep
    def layer(x, w):
        h = np.tanh(x @ w)
        k = np.sin(h) * h
        return np.tanh(k @ w)

    return lambda x, w: np.sum(layer(layer(x, w), w) ** 2)


@program(PROGRAMS)
def in_a_loop(keep):
    @keep
    def step(h, w):
        return np.tanh(w @ h) * np.cos(h)

    def loss(x, w):
        for _ in range(7):
            x = step(x, w)
        return np.sum(x * x)

    return loss


@program(PROGRAMS)
def with_a_loop_and_a_dict(keep):
    @keep
    def run(h, w):
        total = 0.0
        for _ in range(6):
            h = np.tanh(w @ h)
            total = total + np.sum(h**2)
        return h, {"total": total}

    def loss(x, w):
        h, found = run(x, w)
        return np.sum(h) * found["total"]

    return loss


@program(PROGRAMS)
def writes_to_an_argument(keep):
    @keep
    def put(a, v):
        a[1:3] = np.sin(v[:2]) * a[0]
        a[0] += v[3] ** 2

    def loss(x, w):
        a = np.zeros(5) + x
        put(a, w[0])
        put(a, w[1])
        return np.sum(a**2)

    return loss


@program(PROGRAMS)
def branches_and_local_arrays(keep):
    @keep
    def bend(h, w):
        h = np.exp(-h * h) * w[0] if np.sum(h) > 0 else np.sin(h) * w[1]
        b = np.empty(5)
        for i in range(5):
            b[i] = h[i] * h[0]
        return b

    def loss(x, w):
        for _ in range(6):
            x = bend(x, w) if x[0] > 0.1 else -bend(x + 1, w) * 0.9
            if x[1] > 0.2:
                x[2] += bend(x, w)[0]
        return np.sum(x**2)

    return loss


@program(PROGRAMS)
def nested(keep):
    @keep
    def inner(h, w):
        return np.tanh(w @ h)

    @keep
    def outer(h, w):
        h = inner(h, w)
        return h * inner(h + 1, w)

    return lambda x, w: np.sum(outer(outer(x, w), w) ** 2)


@program(PROGRAMS)
def counts_its_trips(keep):
    @keep
    def climb(x, w):
        k, s = 0, x[0] * 0.0
        while s < 3.0:
            s = s + np.abs(x[k % 5] * w[0, 0]) + 0.5
            k = k + 1
        return s * k, k

    def loss(x, w):
        s, k = climb(x, w)
        return s * k * np.sum(w)

    return loss


@program(PROGRAMS)
def lists_and_views(keep):
    scale = np.arange(5.0)

    @keep
    def spread(x, w, out):
        y = np.tanh(w @ x) * scale
        out.append(y)
        return y[2:], y[1], x, x[1:3]

    def loss(x, w):
        seen = []
        tail, one, same, part = spread(x, w, seen)
        return np.sum(tail) * one * np.sum(seen[0]) + np.sum(same[:2] * part)

    return loss


@program(PROGRAMS)
def containers_from_outside(keep):
    def loss(x, w):
        seen, state = [], {"inner": {"h": x}}

        @keep
        def step(x):
            seen.append(np.sin(x))
            state["inner"]["h"] = x * x
            made = []
            for i in range(3):
                made.append(x * i)  # noqa: PERF401  appending is what is tested
            return made, {"twice": state["inner"]["h"] * 2}

        made, found = step(w[0])
        step(x)
        both = np.sum(seen[0] * seen[1])
        return both + np.sum(state["inner"]["h"] * made[2] * found["twice"])

    return loss


@program(PROGRAMS)
def writes_in_loops(keep):
    @keep
    def put(a, i):
        a[i] = np.sin(a[i - 1]) * a[i]

    def loss(x, w):
        a = x.copy() * w[0]
        for i in range(1, 5):
            for _ in range(6):
                put(a, i)
        return np.sum(a * a)

    return loss


# --- loops that keep states in slots


@program(PLANNED)
def recurrence(wrap):
    def loss(x, w):
        total = 0.0
        for i in wrap(range(2, 23, 3)):
            x = np.tanh(w @ x) * i * 0.1
            total = total + np.sum(x)
        return np.sum(x * x) + total

    return loss


@program(PLANNED)
def downwards(wrap):
    def loss(x, w):
        for i in wrap(range(22, 1, -2)):
            x = np.tanh(w @ x) * i * 0.1
        return np.sum(x * x)

    return loss


@program(PLANNED)
def stencil(wrap):
    def loss(x, w):
        u = x.copy()
        for i in wrap(range(17)):
            u[1:-1] = np.sin(u[2:]) * u[:-2] + u[1:-1] ** 2 * 0.1
            u[0] = u[0] * w[0, i % 5]
        return np.sum(u * u)

    return loss


@program(PLANNED)
def numbers_of_all_kinds(wrap):
    def loss(x, w):
        a, b, k = 1.0, 0.5, 0
        for _ in wrap(range(11)):
            b = b * 0.9 + 0.1
            k = k + 2
            x = np.sin(x) * a + w[k % 5] * b
            a = np.tanh(a * np.sum(x))
        return np.sum(x) * a * b * k

    return loss


@program(PLANNED)
def branches_and_loops_inside(wrap):
    def loss(x, w):
        for _ in wrap(range(9)):
            x = np.cos(w @ x) if np.sum(x) > 0.3 else x * x - 0.3
            for j in range(5):
                x = np.tanh(x * w[j]) + 0.1 * x
        return np.sum(x * x)

    return loss


@program(PLANNED)
def within_itself(wrap):
    def loss(x, w):
        h = x
        for _ in wrap(range(6)):
            for j in wrap(range(7)):
                h = np.tanh(w @ h) + x * j
        return np.sum(h * h)

    return loss


@program(PLANNED)
def in_a_plain_loop(wrap):
    def loss(x, w):
        total = 0.0
        for q in range(6):
            h = x * q
            for j in wrap(range(7)):
                h = np.tanh(w @ h) + x * j
            total = total + np.sum(h * h)
        return total

    return loss


@program(PLANNED)
def over_arrays(wrap):
    def loss(x, w):
        h = x
        for v in wrap(w):
            h = np.tanh(v * h)
        for i, (a, b) in wrap(enumerate(zip(w, x, strict=True))):
            h = np.tanh(a * h) * b + i
        return np.sum(h * h)

    return loss


@program(PLANNED)
def few_trips(wrap):
    def loss(x, w):
        for count in (1, 2, 3):
            for _ in wrap(range(count)):
                x = np.tanh(w @ x)
        return np.sum(x * x)

    return loss


@program(PLANNED)
def rows_from_rows(wrap):
    def loss(x, w):
        rows = np.zeros((6, 5))
        rows[0] = x
        for i in wrap(range(1, 6)):
            rows[i] = np.sin(w @ rows[i - 1]) + rows[:i].sum(0)
        return np.sum(rows * rows)

    return loss
