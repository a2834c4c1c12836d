"""Python as users write it: each must do, staged, what it does by itself."""

# Odd on purpose: every corner of the language that a rule of staging has to keep.
# ruff: noqa

from __future__ import annotations

import contextlib
import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

WEIGHT = 3
TABLE = {"a": [1, 2, 3]}


class Point(NamedTuple):
    x: float
    y: float


@dataclass
class Box:
    value: float
    history: tuple = ()


def assignments(x):
    a = b = x + 1
    c, (d, *e) = a, (b, 3, 4, 5)
    [g, h] = c, d
    box = Box(0)
    box.value = a
    box.value += 2
    items = [0] * 4
    items[1] = items[2] = g
    items[1:3] = [h, h]
    items[-1] -= 1
    n: int = 3
    later: int
    later = n
    x += 1
    x **= 2
    return a, b, c, d, e, box, items, later, x


def scopes(x):
    """The same names in every kind of scope."""
    w = x

    def inner(x, k=WEIGHT):
        w = k
        return [w * x for x in range(w) for w in range(x)], w

    total = 0

    def add(n):
        nonlocal total
        total += n
        return total

    add(1), add(x)
    later = [lambda: x for x in range(3)]
    return inner(2), w, x, total, [f() for f in later], [y for y in [x] if (z := y) or True], z


def comprehensions(x):
    squares = [i * i for i in range(x)]
    pairs = {(i, j) for i in range(x) for j in range(i) if i % 2 if j >= 0}
    names = {str(k): v for k, v in enumerate(squares) if v}
    nested = [[i + j for j in range(i)] for i in range(x)]
    lazy = sum(i for i in squares if not i % 2)
    shadowed = [x for x in [x for x in range(x)] if x > 1]
    chosen = [i for i in range(3 if 0 < x < 9 else 1)]
    return squares, pairs, names, nested, lazy, shadowed, chosen, [*squares, *names]


def conditions(x):
    out = []
    for a in (0, 1, x):
        for b in (0, 2, None):
            out.append((a and b, a or b, not a, a and b or x, (a or b) and (not b or a)))
            if a and not b or (b and a == 1):
                out.append("yes")
            elif not (a or b):
                out.append("no")
            else:
                out.append(1 if a else 2 if b else 3)
    assert out, "never"
    assert x is not None and 0 <= x < 100
    return out, 0 < x <= 5 < 7 != x, 1 < x > 2, x in out != []


def loops(x):
    out = []
    for i in range(x):
        if i == 1:
            continue
        if i == 3:
            break
        out.append(i)
    else:
        out.append("whole")
    while x:
        x -= 1
        if x == 100:
            break
    else:
        out.append("done")
    for i, (a, *b) in enumerate([(1, 2, 3), (4,)]):
        out += [i, a, b]
    spot = Box(0)
    for spot.value in range(3):
        pass
    while True:
        return out, spot, i


def functions(x):
    def default(a, /, b=x, *rest, c=WEIGHT, **more):
        return a, b, rest, c, more

    @functools.lru_cache
    def fibonacci(n):
        return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

    def annotated(a: float, b: undefined = 2) -> also_undefined:
        c: undefined_too = a + b
        return c

    class Local(Box):
        scale = 2

        def scaled(self):
            return self.scale * self.value

    compose = lambda f, g: lambda v: f(g(v))
    return (
        default(1),
        default(*[1, 2], *(3, 4), **{"c": 5}, d=6),
        fibonacci(x + 5),
        annotated(1),
        Local(x).scaled(),
        compose(lambda v: v + 1, lambda v: v * 2)(x),
        sorted([3, 1, 2], key=lambda v: -v),
        list(map(default, [1, 2], [3, 4]))[1][:2],
    )


def exceptions(x):
    out = []
    try:
        out.append(1 / (x - x))
    except (ValueError, ZeroDivisionError) as error:
        out.append(str(error))
    else:
        out.append("unreached")
    finally:
        out.append("finally")
    try:
        try:
            raise KeyError("k") from ValueError("v")
        except ValueError:
            out.append("no")
    except Exception as error:
        out.append((repr(error), repr(error.__cause__)))
    with contextlib.suppress(TypeError), contextlib.nullcontext((1, 2)) as (a, b):
        out.append(a + b)
        out.append(a + "b")
    return out


def matching(x):
    out = []
    for subject in (x, [1, 2, 3], {"k": 1, "m": 2}, Point(1, 2), "text", None, Box(3)):
        match subject:
            case int() as n if n > 2:
                out.append(n)
            case Point(x=a, y=b):
                out.append(("point", a, b))
            case [first, *others]:
                out.append((first, others))
            case {"k": value, **remaining}:
                out.append((value, remaining))
            case "text" | "other":
                out.append("text")
            case None:
                out.append("none")
            case Box(value=3 | 4):
                out.append("box")
            case _:
                out.append("default")
    return out


def strings(x):
    name = f"{x!r:>4}|{x + 1:{x}d}|{TABLE['a'][1:]}|{', '.join(str(i) for i in range(x))}"
    return name, name % () if x > 99 else name.upper(), f"ab{x}"


def subscripts(x):
    a = np.arange(24).reshape(2, 3, 4)
    i = (0, slice(1, 2))
    return (
        a[1, 2, 3],
        a[..., 0].tolist(),
        a[0, 1:, ::-1].tolist(),
        a[:, None, x % 3].shape,
        a[i].tolist(),
        a[[0, 1], [1, 2]][0][1:3].tolist(),
        a[a > 20].tolist(),
        TABLE["a"][:-1],
        [1, 2, 3][x % 3 :],
    )


def deletions(x):
    items = [1, 2, 3, 4]
    del items[0], items[-1:]
    box = Box(x)
    del box.value
    y = x
    del y
    try:
        return y
    except UnboundLocalError as error:
        return items, vars(box), str(error)[:24]


def builtins(x):
    here = sorted(k for k in locals() if not k.startswith("__"))
    total = eval("x + 1")
    exec("x = 7")
    return here, total, globals()["WEIGHT"], "x" in dir(), sum([1, 2]), len(vars(Box(1))), x


def modules(x):
    import math as m
    import os.path
    from math import hypot

    return m.sqrt(x), os.path.join("a", "b"), hypot(3, 4), math.pi, np.linalg.norm([3, 4])


def walrus(x):
    out = []
    while (n := x - len(out)) > 0:
        out.append(n)
    if any((last := i) > 2 for i in out):
        out.append(last)
    return out, [y := 1, y + 1], (lambda: (z := 5) + z)()


def factorial(n):
    """Calls itself."""
    return 1 if n <= 1 else n * factorial(n - 1)


def early(x):
    """Returns from within."""
    for i in range(10):
        with contextlib.nullcontext():
            if i > x:
                return i
    return None


def nothing(x):
    pass


PROGRAMS = [
    assignments,
    scopes,
    comprehensions,
    conditions,
    loops,
    functions,
    exceptions,
    matching,
    strings,
    subscripts,
    deletions,
    builtins,
    modules,
    walrus,
    factorial,
    early,
    nothing,
    lambda x: (lambda y, *z, k=x: [y, z, k, WEIGHT])(x, 2),
]
