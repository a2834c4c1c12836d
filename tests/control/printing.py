"""Functions that print, warn and raise errors with the numbers that they compute."""

# What they write is compared with what Python writes, in whichever way Python can be asked to.
# ruff: noqa: B028, C416, PERF401, UP031, UP032

from __future__ import annotations

import math
import sys
import warnings
from collections import deque
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

import gradsmith as gs

X = np.array([0.5, -1.25, 2.0])
SHOWN = {}


def shown(*arguments):
    """Register a function with arguments for it."""

    def register(function):
        SHOWN[function.__name__] = (function, arguments)
        return function

    return register


@shown(X)
def elements_that_a_condition_keeps(x):
    kept = [v for v in x if v > 0]
    print(*kept, sep=";")
    return sum(kept)


@shown(X, 3)
def values(x, n):
    y, m = x[0] * 2, np.mean(x)
    print(x, y, m, n, x.shape, len(x), np.sum(x) > 0, x > 0)
    print(y, m, n, sep="; ", end="!\n")
    print()
    print("one", y, sep="")
    print(*x, sep=", ")
    print("to stderr", y, file=sys.stderr, flush=True)
    return np.sum(x * x) + y


@shown(X, 3)
def f_strings(x, n):
    y, m, w = x[0] * 2, np.mean(x), 9
    print(f"{x} {y} {m!r} {n} {y=} {n=:03d} {m=:.3f} {x!r:>40} {n:x} {n!r:>4} {n!s}")
    print(f"{x[0]:8.3e}|{x[0]:>+10.2f}|{m:g}|{m:{w}.2f}|{y:%}|{{}}|{x[1:]}|{x!s:>30}")
    print(f'it\'s {m:.3f}\n"{y}"\\ \t {"x" * 3}', f"{np.einsum('i,i', x, x):.3f}")
    print(f"{f'{m:.2f}':>12}|{f'{y}'!r}|" + f"{y}" + "end")
    return np.sum(x)


@shown(X, 3)
def old_formats(x, n):
    y, m = x[0] * 2, np.mean(x)
    print("%g %.3f %s %r %d %5d %-8s|%8.2e|" % (y, m, y, m, y, n, x[1], m), "%s" % x)
    print(
        "%(a).2f %(b)s" % {"a": m, "b": n}, "%d%%" % n, "%*d|%.*f" % (5, n, 2, y), "%5s" % f"{y}"
    )
    print("it's %s\n" % m, "%s" % [y, "%"], "%s %s" % ("fixed", y) + f", {y:.1f}")
    return np.sum(x)


@shown(X, 3)
def format_methods(x, n):
    y, m = x[0] * 2, np.mean(x)
    print(
        "{} {!r} {:.2f} {a:>8.3f}".format(y, m, y, a=x[0]),
        "{0} {1:{w}.2f} {0!r}".format(y, m, w=9),
    )
    print("{0[1]:.2f} {1.shape} {0} {{{2}}}".format(x, x, n), format(m, ".2e"), format(y))
    template = "x = {x}, n = {n:>4}"
    print(template.format(x=x, n=n), str.format("{}", m), "\n".join([str(m), repr(y), ascii(m)]))
    return np.sum(x)


@shown(X, 3)
def containers(x, n):
    y = np.sum(x)
    print([x, y], (y,), (n, y), {"a": y, "b": [n, f"{y:.1f}"]}, [], (), {})
    print([f"{v:.1f}" for v in x], f"{[y]!r:>30}")
    return y


@shown(1.5, 2.5)
def python_floats(a, b):
    c = a * b
    print(a, b, c, a > b, a + 1, a / 3, -a, a**2, abs(a - b), max(a, b))
    print(f"{a!r} {c!r} {a > b!r} {math.sin(a)!r} {np.sin(a)!r} {a // b!r} {a % b!r} {a**2!r}")
    return c * np.sin(a)


@shown(np.float32(1.5), np.array([1, 2, 3]), np.array([1.5, 2], dtype=np.float32))
def other_dtypes(a, k, v):
    print(a, repr(a), k, repr(k), k[0], repr(k[0]), v, repr(v), v[0] * a, repr(v[0] * a))
    print(f"{a!r} {np.sum(v)!r} {k.sum()!r} {v.mean():.3f} {v.dtype} {k / 2} {v * 2.0!r}")
    print(repr(np.array(a)), repr(np.float64(a)), repr(np.asarray(a, dtype=np.float64)))
    return a * np.sum(v)


@shown(X)
def branches(x):
    s = np.sum(x)
    print("before")
    if s > 0:
        print("positive", s)
        y = s * 2
    else:
        print("negative", s)
        y = -s
    if s > 100:
        print("huge")
    elif s > 1:
        print(f"medium {y:.2f}")
        y = y + 1
    print("after", y)
    return y * y


@shown(X, 6)
def loops(x, n):
    s = 0.0
    for i in range(n):
        print(i, s, end=" ")
        s = s + np.sin(s) + x[0]
        for j in range(len(x)):
            s = s * x[j] + np.cos(s)
            print(f"[{j}: {s:.4f}]", end="")
        print()
    print("done", s)
    return s


@shown(2.0)
def newton(a):
    x, k = 1.0, 0
    while abs(x * x - a) > 1e-8:
        print(k, x)
        x = 0.5 * (x + a / x)
        k += 1
        if k > 50:
            raise RuntimeError(f"no root after {k} steps: {x}")
    print(f"root {x} in {k} steps")
    return x


@shown(1.0)
def too_large(h):
    for i in range(30):
        h = h * h + 0.5
        if h > 100:
            raise ValueError(f"step {i} too large: {h:.3g}", h, i, None, -1.5, "as it is")
    return h


@shown(X)
def asked_with_a_text(x):
    def small(v):
        print("asked", v)
        return v < 10

    s = np.sum(x)
    while small(s):
        if s > 9:
            raise ValueError(f"{s} is no error: the loop has ended")
        s = s * s + 1
    return s


@shown(X)
def written_in_place(x):
    a = x.copy()
    print("a", a)
    a[0] = 3 * a[1]
    before = f"frozen {a}"
    a *= 2
    print("a", a, a[::-1], a[1:].sum())
    for i in range(len(a)):
        a[i] = a[i] * a[i - 1]
        print(i, a, before)
    return np.sum(a)


@shown(X)
def raises(x):
    print("first", x[0])
    if x.ndim == 1:
        raise ValueError(f"one axis: {x} {x.shape}", x[0], 3, len(x))
    return np.sum(x)


@shown(X)
def raises_a_fixed_text(x):
    print("first", x[0])
    raise KeyError("fixed")


@shown(X)
def asserts(x):
    print("go")
    assert np.sum(x) > 0, f"sum {np.sum(x)}"
    assert x[0] > 1, f"first is {x[0]:.1f}, {x!r}"
    return np.sum(x)


@shown(X)
def asserts_a_size(x):
    print("go")
    assert len(x) == 2, f"length {len(x)}"
    return np.sum(x)


@shown(X)
def asserts_without_a_text(x):
    print("go", x)
    assert len(x) == 2
    return np.sum(x)


@shown(X)
def asserts_a_number(x):
    assert np.sum(x) > 100, np.sum(x)
    return np.sum(x)


@shown(X)
def catches(x):
    try:
        raise ValueError(f"bad {x[0]}")
    except ValueError as error:
        print("caught", error, f"{error}")
    return np.sum(x)


@shown(X)
def computed_to_be_shown(x):
    print("only shown", np.exp(x) @ np.exp(x))
    return np.sum(x)


def helper(v, label):
    print(label, v)
    return v * v


@shown(X)
def helpers(x):
    a, b = helper(x[0], "a"), helper(x[0], "a")
    return a * b + helper(np.sum(x), f"sum of {len(x)} and {a}")


@shown(X)
def checkpointed(x):
    def inner(v):
        print("inner", v)
        w = np.sin(v) * v
        for i in range(len(w)):
            print(i, w[i])
            w[i] = w[i] * np.exp(w[i])
        return w

    y = gs.checkpoint(inner)(x)
    print("outer", y)
    return np.sum(np.exp(np.sin(y)))


@shown(X, 6)
def binomial(x, n):
    for i in gs.loop(range(n), checkpoint="binomial", slots=2):
        x = x - 0.1 * np.sin(x)
        print(i, x)
    return np.sum(x * x)


@shown(X)
def breaks(x):
    t = 0.0
    for i in range(len(x)):
        if x[i] < -1:
            print("leaving at", i, x[i], t)
            break
        t = t + np.exp(x[i])
        print("kept", i, t)
    else:
        print("all")
    return t


@shown(X)
def returns_from_a_loop(x):
    for i in range(len(x)):
        v = np.sin(x[i]) * x[i]
        if v > 1:
            print(f"found {v:.3f} at {i}")
            return v
        print("no", i)
    print("none")
    return np.sum(x)


@shown(X)
def warns(x):
    s = np.sum(x)
    if s > 1:
        warnings.warn(f"large: {s:.2f}")
    warnings.warn("fixed", RuntimeWarning, stacklevel=2)
    return s * s


@shown(np.linspace(0.1, 0.7, 7))
def texts_change(x):
    message, total = "none", 0.0
    for v in x:
        print(message)
        total = total + v * v
        message = f"last {total:.3f}"
    print(message)
    return total


@shown(X)
def late_types(x):
    total, largest = 0, None
    for v in x:
        total = total + v
        largest = v if largest is None or v > largest else largest
    print(total, largest)
    return total


class Quantity:
    def __init__(self, value, unit):
        self.value, self.unit = value, unit

    def __str__(self):
        return f"{self.value:.2f} {self.unit}"

    def __repr__(self):
        return "Quantity({!r})".format(self.value)


@shown(X)
def objects(x):
    q = Quantity(x[0] * 2, "m")
    print(q, f"{q}", str(q), repr(q), [q], f"{q!r:>40}", "%s" % q, "{!s}".format(q))
    return q.value**2


class Pair(NamedTuple):
    left: object
    right: object


@dataclass
class State:
    position: object
    speed: object
    secret: object = field(default=0, repr=False)


@shown(X)
def named_containers(x):
    state = State(x[0], [x[1], Pair(x[2], "b")], x)
    print(state, Pair(1, x[0]), f"{state!r:>90}", {"a": (state, None)})
    return state.position**2


@shown(X)
def results_of_a_condition(x):
    s = np.sum(x)
    print(s if s > 0 else -s, abs(s), f"{s:.1f}" if len(x) > 2 else "short")
    return s


@shown(X)
def comprehensions(x):
    words = ["a", "bc"]
    print([len(word) for word in words])
    print([v * 2 for v in x], [v.shape for v in x], sep=";")
    print(str([word for word in words]), "{}".format([v > 0 for v in x]), [word for word in words])
    kept = []
    kept.append([word.upper() for word in words])
    print(kept, file=sys.stdout)
    return np.sum(x * x)


@shown(X)
def lists_of_loops(x):
    twice = [v * 2 for v in x]
    print(twice, f"{twice}", "%s" % twice, {"a": twice}, (twice,))
    found = []
    for v in x:
        found.append((v, v > 0))
    print(found, str(found))
    return np.sum(x * x)


@shown(X)
def traced_keys(x):
    table = {round(float(v), 3): v * 2 for v in x}
    print(table, {key: f"{value:.3f}" for key, value in table.items()}, f"{table}", list(table))
    print({float(x[0]): "a", (float(x[0]), 1): 2})
    return sum(table.values()) ** 2


@shown(X, 2)
def double_ended_queues(x, n):
    last = deque(maxlen=n)
    for v in x:
        last.append(v)
    pairs = deque([(float(k), v) for k, v in enumerate(x)])
    print(last, pairs, last.maxlen, len(deque([1, 2, 3], n + 0)))
    return sum(last) * pairs[0][1]
