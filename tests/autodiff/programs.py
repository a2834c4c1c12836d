"""Functions of nodes with loops and branches, and arguments for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autodiff.build import chooses, loops
from gradsmith.ir.graph import Node
from gradsmith.ops.compare import equal, greater, less
from gradsmith.ops.complex import absolute
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.elementwise import cos, exp, sin, sqrt, tanh
from gradsmith.ops.index import read, write


@dataclass(frozen=True)
class Program:
    """A function of nodes; ``tapes`` is how many values its gradient records (None: any)."""

    function: Callable[..., list[Any]]
    args: tuple[Any, ...]
    tapes: int | None


PROGRAMS: dict[str, Program] = {}


def program(*args: Any, tapes: int | None = None) -> Callable[..., Any]:
    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = Program(function, args, tapes)
        return function

    return declare


def array(*shape: int, seed: int = 0, kind: Any = float) -> Any:
    random = np.random.default_rng((seed, *shape))
    values = random.normal(size=shape)
    if np.dtype(kind).kind == "c":
        values = values + 1j * random.normal(size=shape)
    return np.asarray(0.7 * values, kind)


def definite(n: int) -> Any:
    a = array(n, n)
    return a @ a.T + n * np.eye(n)


@program(array(3), array(3, 3), tapes=1)
def rnn(x: Node, w: Node) -> list[Node]:
    return loops(lambda i, h: [tanh(h @ w)], [x], 4)


@program(array(3), array(5, 3), array(3, 3), tapes=1)
def rnn_with_inputs(h: Node, x: Node, w: Node) -> list[Node]:
    return loops(lambda i, h: [tanh(h @ w + read(x, i))], [h], 5)


@program(np.float64(0.8), array(5), tapes=1)
def horner(x: Node, c: Node) -> list[Node]:
    return loops(lambda i, p: [p * x + read(c, i)], [0.0 * x], c.shape[0])


@program(np.float64(0.8), array(5), tapes=1)
def horner_backwards(x: Node, c: Node) -> list[Node]:
    return loops(lambda i, p: [p * x + read(c, i)], [0.0 * x], c.shape[0], reverse=True)


@program(np.float64(0.8), array(7), tapes=1)
def horner_down_in_steps(x: Node, c: Node) -> list[Node]:
    return loops(lambda i, p: [p * x + read(c, i)], [0.0 * x], 0, start=c.shape[0] - 1, step=-2)


@program(array(3), tapes=0)
def linear(x: Node) -> list[Node]:
    return loops(lambda i, y: [2.0 * y + x], [x], 4)


@program(array(4), tapes=0)
def total(x: Node) -> list[Node]:
    return loops(lambda i, s: [s + sin(read(x, i))], [np.float64(0.0)], x.shape[0])


@program(array(5), tapes=0)
def cumulative_product(x: Node) -> list[Node]:
    def body(i: Any, a: Node) -> list[Node]:
        return [write(a, i, read(a, i - 1) * read(x, i))]

    return loops(body, [FUNCTIONS[np.copy](x)], x.shape[0], start=1)


@program(definite(4), tapes=0)
def cholesky(a: Node) -> list[Node]:
    n = a.shape[0]

    def column(i: Any, low: Node) -> list[Node]:
        def row(j: Any, low: Node) -> list[Node]:
            part = read(a, (i, j)) - read(low, (i, slice(0, j))) @ read(low, (j, slice(0, j)))
            return [write(low, (i, j), part / read(low, (j, j)))]

        (low,) = loops(row, [low], i)
        before = read(low, (i, slice(0, i)))
        return [write(low, (i, i), sqrt(read(a, (i, i)) - before @ before))]

    return loops(column, [FUNCTIONS[np.zeros]((n, n))], n)


@program(array(3), array(4, 3))
def nested(x: Node, c: Node) -> list[Node]:
    def outer(i: Any, h: Node) -> list[Node]:
        (h,) = loops(lambda j, h: [sin(h) * read(c, i) + h], [h], 3)
        return [h * h]

    return loops(outer, [x], 4)


@program(array(6), array(3))
def branching(x: Node, h: Node) -> list[Node]:
    def body(i: Any, h: Node) -> list[Node]:
        return chooses(
            greater(read(x, i), 0),
            lambda: [sin(h) * read(x, i)],
            lambda: [h - exp(read(x, i))],
        )

    return loops(body, [h], x.shape[0])


@program(definite(3))
def cholesky_by_elements(a: Node) -> list[Node]:
    n = a.shape[0]

    def column(i: Any, low: Node) -> list[Node]:
        def row(j: Any, low: Node) -> list[Node]:
            (s,) = loops(
                lambda k, s: [s + read(low, (i, k)) * read(low, (j, k))], [np.float64(0.0)], j
            )
            difference = read(a, (i, j)) - s
            return chooses(
                equal(i, j),
                lambda: [write(low, (i, j), sqrt(difference))],
                lambda: [write(low, (i, j), difference / read(low, (j, j)))],
            )

        return loops(row, [low], i + 1)

    return loops(column, [FUNCTIONS[np.zeros]((n, n))], n)


@program(np.float64(1.3), array(3))
def loop_in_an_arm(x: Node, h: Node) -> list[Node]:
    return chooses(
        greater(x, 0),
        lambda: loops(lambda i, h: [sin(h) * x], [h], 3),
        lambda: [h],
    )


@program(np.float64(-1.3), array(3))
def other_arm(x: Node, h: Node) -> list[Node]:
    return chooses(greater(x, 0), lambda: [exp(h) * x, h], lambda: [h * x, exp(h * x)])


@program(np.float64(3.7), tapes=1)
def newton(a: Node) -> list[Node]:
    def unfinished(i: Any, x: Node) -> Node:
        return greater(absolute(x * x - a), 0.1)

    return loops(lambda i, x: [x - (x * x - a) / (2 * x)], [a], None, test=unfinished)


@program(np.float64(0.9), np.float64(1.1), tapes=0)
def linear_while(x: Node, a: Node) -> list[Node]:
    return loops(lambda i, x, n: [x + a, n + 1], [x, 0], None, test=lambda i, x, n: less(n, 4))[:1]


@program(np.float64(0.9), array(6))
def breaks(x: Node, c: Node) -> list[Node]:
    def body(i: Any, y: Node) -> list[Node]:
        y = y * x + read(c, i) ** 2
        return [y, greater(y, 1.0)]

    return loops(body, [x], c.shape[0], leaves=True)


@program(np.float64(0.9), array(6))
def breaks_backwards(x: Node, c: Node) -> list[Node]:
    def body(i: Any, y: Node) -> list[Node]:
        y = y * x + read(c, i) ** 2
        return [y, greater(y, 1.0)]

    return loops(body, [x], c.shape[0], leaves=True, reverse=True)


@program(array(3), array(3, 3))
def no_trips(x: Node, w: Node) -> list[Node]:
    return loops(lambda i, h: [tanh(h @ w)], [x * x], 0)


@program(np.float64(0.9), array(4))
def carried_integer(x: Node, c: Node) -> list[Node]:
    def body(i: Any, k: Any, y: Node) -> list[Any]:
        return [k + 2, y * x + FUNCTIONS[np.sum](sin(y * read(c, slice(0, k))))]

    return loops(body, [0, x], 3)[1:]


@program(array(2), array(2), tapes=None)
def several(x: Node, y: Node) -> list[Node]:
    return loops(lambda i, u, v, w: [v * sin(u), u + v, w + 1.0], [x, y, x], 3)


@program(1.3, array(3))
def python_scalar(x: Node, h: Node) -> list[Node]:
    return loops(lambda i, h, s: [h * x, s * x + 1.0], [h, 1.0], 3)


@program(array(3, kind=complex), array(3, 3, kind=complex))
def complex_rnn(x: Node, w: Node) -> list[Node]:
    return loops(lambda i, h: [sin(0.3 * h @ w)], [x], 3)


@program(array(4), array(4))
def swap(x: Node, y: Node) -> list[Node]:
    return loops(lambda i, u, v: [v, u * sin(v)], [x, y], 3)


@program(array(3))
def same_twice(x: Node) -> list[Node]:
    return loops(lambda i, u: [u * u * x], [x], 3)


@program(array(3), array(3))
def while_in_a_loop(x: Node, c: Node) -> list[Node]:
    def outer(i: Any, h: Node) -> list[Node]:
        def large(j: Any, h: Node) -> Node:
            return greater(FUNCTIONS[np.sum](h * h), 0.3)

        (h,) = loops(lambda j, h: [h * 0.7 * cos(h * read(c, i))], [h], None, test=large)
        return [h + exp(x)]

    return loops(outer, [x], 3)


# -- arrays written in place: what of them lasts -------------------------------------------------


def minus(a: Node, key: Any, term: Node) -> Node:
    return write(a, key, read(a, key) - term)


@program(definite(4), tapes=None)
def cholesky_in_place(a: Node) -> list[Node]:
    """As PolyBench has it: elements are written several times."""
    a = FUNCTIONS[np.copy](a)

    def column(i: Any, a: Node) -> list[Node]:
        def row(j: Any, a: Node) -> list[Node]:
            a = minus(a, (i, j), read(a, (i, slice(0, j))) @ read(a, (j, slice(0, j))))
            return [write(a, (i, j), read(a, (i, j)) / read(a, (j, j)))]

        (a,) = loops(row, [a], i)
        before = read(a, (i, slice(0, i)))
        a = minus(a, (i, i), before @ before)
        return [write(a, (i, i), sqrt(read(a, (i, i))))]

    return loops(column, [a], a.shape[0])


@program(definite(4))
def lu(a: Node) -> list[Node]:
    a = FUNCTIONS[np.copy](a)
    n = a.shape[0]

    def step(k: Any, a: Node) -> list[Node]:
        def row(i: Any, a: Node) -> list[Node]:
            factor = read(a, (i, k)) / read(a, (k, k))
            a = write(a, (i, k), factor)
            rest = (i, slice(k + 1, None))
            return [minus(a, rest, factor * read(a, (k, slice(k + 1, None))))]

        return loops(row, [a], n, start=k + 1)

    return loops(step, [a], n - 1)


@program(definite(4), array(4), tapes=0)
def back_substitution(u: Node, b: Node) -> list[Node]:
    n = b.shape[0]

    def step(i: Any, x: Node) -> list[Node]:
        rest = read(u, (i, slice(i + 1, None))) @ read(x, slice(i + 1, None))
        return [write(x, i, (read(b, i) - rest) / read(u, (i, i)))]

    return loops(step, [FUNCTIONS[np.zeros](n)], n, reverse=True)


@program(array(6))
def gauss_seidel(u: Node) -> list[Node]:
    def sweep(t: Any, u: Node) -> list[Node]:
        def place(i: Any, u: Node) -> list[Node]:
            return [write(u, i, sin(read(u, i - 1)) * read(u, i + 1) + read(u, i) ** 2)]

        return loops(place, [u], u.shape[0] - 1, start=1)

    return loops(sweep, [FUNCTIONS[np.copy](u)], 3)


@program(array(7))
def ring(x: Node) -> list[Node]:
    def body(i: Any, a: Node) -> list[Node]:
        return [write(a, i % 3, sin(read(a, (i + 1) % 3)) * read(x, i) * read(a, i % 3))]

    return loops(body, [read(x, slice(0, 3)) * 2.0], x.shape[0])


@program(array(7))
def from_behind(x: Node) -> list[Node]:
    """The place at index -1 is the last one."""

    def body(i: Any, a: Node) -> list[Node]:
        return [write(a, i, sin(read(a, i - 1)) * read(a, i))]

    return loops(body, [x * 1.0], x.shape[0])


@program(array(7), tapes=2)
def into_the_first(x: Node) -> list[Node]:
    def body(i: Any, a: Node) -> list[Node]:
        return [write(a, 0, read(a, i) * sin(read(a, 0)))]

    return loops(body, [x * 1.0], x.shape[0], start=1)


@program(array(9), tapes=0)
def every_other(x: Node) -> list[Node]:
    def body(i: Any, a: Node) -> list[Node]:
        return [write(a, i, read(a, i - 2) * read(a, i - 1) * read(x, i))]

    return loops(body, [x * 1.0], x.shape[0], start=2, step=2)


@program(array(9))
def downwards(x: Node) -> list[Node]:
    def body(i: Any, a: Node) -> list[Node]:
        return [write(a, i, read(a, i + 1) * read(a, i - 1) * read(x, i))]

    return loops(body, [x * 1.0], 0, start=x.shape[0] - 2, step=-1)


@program(array(5, 3), tapes=0)
def states(x: Node) -> list[Node]:
    """All states are kept, in an array of the user's own."""

    def body(i: Any, h: Node) -> list[Node]:
        return [write(h, i, tanh(read(h, i - 1) * read(x, i)))]

    return loops(body, [FUNCTIONS[np.copy](x)], x.shape[0], start=1)


@program(array(5, 3))
def states_and_state(x: Node) -> list[Node]:
    def body(i: Any, h: Node, s: Node) -> list[Node]:
        s = tanh(s * read(x, i))
        return [write(h, i, s), s]

    return loops(body, [FUNCTIONS[np.zeros](x.shape), read(x, 0)], x.shape[0])[:1]


@program(array(8))
def written_in_arms(x: Node) -> list[Node]:
    def body(i: Any, a: Node) -> list[Node]:
        return chooses(
            greater(read(x, i), 0),
            lambda: [write(a, i, read(a, i - 1) * sin(read(a, i)))],
            lambda: [a],
        )

    return loops(body, [x * 1.0], x.shape[0], start=1)


@program(array(4, 4))
def rows_by_rows(x: Node) -> list[Node]:
    """The inner loop reads a row of the outer one's array, which later trips change."""

    def outer(i: Any, a: Node) -> list[Node]:
        def inner(j: Any, s: Node) -> list[Node]:
            return [s * sin(read(a, (i, j))) + read(a, (j, i))]

        (s,) = loops(inner, [read(x, (i, i))], 4)
        return [write(a, (i, slice(None)), read(a, (i, slice(None))) * s)]

    return loops(outer, [x * 1.0], 4)


@program(array(4), array(4))
def row_by_column(x: Node, y: Node) -> list[Node]:
    """What is written broadcasts, and is read again."""

    def body(i: Any, a: Node) -> list[Node]:
        s = sin(read(x, i))
        a = write(a, (i, slice(None)), s)
        return [write(a, (slice(None), i), read(a, (i, 0)) * y)]

    return loops(body, [FUNCTIONS[np.zeros]((4, 4))], 4)
