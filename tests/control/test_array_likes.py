"""What NumPy takes for arrays and is none: ranges of run-time lengths, and ``x.flat``.

Also the assignment of shapes. Each through one compiled object, at several lengths.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from gradsmith.errors import UnsupportedError
from helpers import each

RANDOM = np.random.default_rng(5)
ROWS = [(RANDOM.normal(size=n),) for n in (5, 7, 2, 3)]
TABLES = [(RANDOM.normal(size=shape),) for shape in ((3, 4), (4, 2), (2, 2), (3, 3))]

RANGES = [
    "np.sum(x[range(0, len(x), 2)]**2)",
    "np.sum(x[range(len(x) - 1, -1, -1)] * x)",
    "np.sum(np.outer(x, x)[range(len(x)), range(len(x))])",
    "np.sum(np.outer(x, x)[range(len(x)), np.argmax(np.outer(x, x), axis=1)])",
    "np.outer(x, x)[np.argmax(x), range(x.size)]",
    "np.sum(np.outer(x, x)[np.ix_(range(len(x)), [0, 1])])",
    "np.sum(np.array(range(len(x))) * x)",
    "np.sum(np.asarray(range(1, len(x) + 1), dtype=float) * x)",
    "np.sum(range(len(x))) * x[0]",
    "np.sum(x * range(len(x)) + range(len(x)))",
    "np.dot(range(len(x)), x)",
    "np.take(x, range(len(x) - 1))",
    "np.concatenate([x, range(len(x))])",
    "np.array([range(len(x)), range(len(x))]) @ x",
    "np.array(range(len(x) - len(x))) * 2",
    "x[range(len(x))[1:]] - x[range(len(x))[:-1]]",
    "x[range(2, 2 + len(x)).index(3)] * range(2, len(x) + 2).stop + range(len(x)).start",
    "isinstance(range(len(x)), range) * x[0] + (type(range(len(x))) is range)",
    "np.sum(sum(x[i] * x[range(len(x))[i + 1:]].sum() for i in range(len(x))))",
]


@each("expression", RANGES)
def test_ranges(expression):
    check_calls(function_of(expression), *ROWS)


COMPARED = [
    "(1, range(len(x))) == (1, range(3))",
    "[range(len(x))] != [range(0, 3)]",
    "((range(len(x)), 1), 2) == ((range(3), 1), 2)",
    "{1: [range(3)]} == {1: [range(len(x))]}",
    "(range(len(x)),) == (range(len(x)),)",
    "(range(0, len(x), 7),) == (range(0, 1, 9),)",
    "(range(len(x)),) < (range(3), 1)",
    "range(len(x)) in [range(3)]",
    "range(3) in (range(len(x)), range(7))",
    "[range(3)].index(range(len(x)))",
    "[range(len(x)), range(2)].count(range(2))",
    "{range(len(x)): 5}[range(3)]",
    "{range(3): 5}.get(range(len(x)))",
    "len({range(3), range(len(x)), range(2)})",
    "frozenset([range(len(x))]) == {range(3)}",
    "range(len(x)) in {range(3)}",
    "range(len(x)) == range(3), range(len(x)) != range(3)",
    "hash((1, range(len(x)))) == hash((1, range(3)))",
    "(range(len(x)), 1) == (list(range(len(x))), 1)",
    "(range(int(np.sum(x > 0))), 1) == (range(2), 1)",
    "(range(len(x))[::-1],) == (range(2, -1, -1),), len(range(len(x))[::-1])",
    "isinstance(range(len(x))[:1:-1], range), (range(len(x))[:0:-1],) == (range(2, 0, -1),)",
    "repr([range(len(x))])",
    "sum(x[i] * i for i in range(len(x))[::-1]) * (2 if (range(len(x)),) == (range(3),) else 7)",
    "sum(x[i] * (3 if (range(i),) == (range(2),) else 5) for i in range(len(x)))",
]


@each("expression", COMPARED)
def test_ranges_are_compared_in_containers(expression):
    check_calls(function_of(expression), *ROWS, messages=False)


def test_ranges_are_no_results():
    with pytest.raises(TypeError, match="the function returns a range"):
        gs.compile(function_of("x, (1, range(len(x)))"))(ROWS[0][0])


WRITES = {
    "a softmax's gradient": """
        g = np.exp(x) / np.sum(np.exp(x), axis=1, keepdims=True)
        g[range(x.shape[0]), np.argmin(x, axis=1)] -= 1
        return np.sum(g * x)""",
    "rows by a range": "y = x * 1\ny[range(0, len(x), 2)] = 0.5\nreturn np.sum(y * x)",
    "none": "y = x * 1\ny[range(0)] = 3.0\nreturn np.sum(y * x)",
    "flat": """
        y = x * 1
        y.flat[::x.shape[1] + 1] += x.flat[0]
        y.flat[-1] = 2.0
        y.flat[[1, 2]] = [7.0, x[0, 0]]
        return np.sum(y * x)""",
    "all of flat": "y = np.zeros(x.shape)\ny.flat = x.ravel()**2\nreturn np.sum(y * x)",
    "flat by flat": "y = np.zeros(x.size)\ny[:] = 1.0\ny.flat[:] = x.T.flat\nreturn y",
    "flat of a transpose": "y = x.T * 1\ny.T.flat[1] = 0.0\nreturn np.sum(y**2)",
    "flat of an argument": "x.flat[1] = 5.0\nreturn np.sum(x**2)",
    "a list for one element": "y = x * 1\ny.flat[0] = [5.0]\nreturn y",
    "flat in a loop": """
        y = np.empty_like(x)
        for i, v in enumerate(x.flat):
            y.flat[i] = v * i
        return np.sum(y * y)""",
    "flat under a condition": """
        t = 0.0
        for v, w in zip(x.flat, x.T.flat):
            if v > 0:
                t += v * w
        return t""",
    "shape": "y = x + 0.0\nz = y\nz.shape = -1\ny[1] = 2.0\nreturn y * y",
    "shape in a loop": """
        t = 0.0
        for i in range(3):
            y = x * i
            y.shape = (x.size, 1)
            t += np.sum(y @ y.T)
        return t""",
}
READS = [
    "sum(v * v for v in x.flat)",
    "x.flat[2] * x.flat[-1] + len(x.flat)",
    "np.sum(x.flat[1:4]**2) + np.sum(x.flat[np.array([0, 2])])",
    "np.array(x.T.flat)",
    "max(x.flat) * min(x.T.flat) + sorted(x.flat)[0] * list(x.flat)[-1]",
    "np.sum(x.flat) + np.mean(x.flat)",
]


@each("name", WRITES)
def test_writes(name):
    body = "\n".join(line.removeprefix("        ") for line in WRITES[name].split("\n"))
    check_calls(function_of(body), *TABLES)


@each("expression", READS)
def test_reads(expression):
    check_calls(function_of(expression), *TABLES)


def test_unpacking():
    check_calls(
        function_of("a, b, c, d = x.flat\nreturn a * d - b * c"),
        *[(x[:2, :2],) for (x,) in TABLES],
    )


@pytest.mark.parametrize(
    "body",
    [
        "x.shape = (x.size,)\nreturn x",
        "y = x * 1\nz = y[:]\nz.shape = (x.size,)\nreturn y",
        "y = x * 1\nif x[0, 0] > 100:\n    y.shape = (x.size,)\nreturn y",
    ],
)
def test_shapes_that_may_be_others_are_refused(body):
    with pytest.raises(UnsupportedError, match="is assigned, which may be"):
        gs.compile(function_of(body))(np.ones((2, 3)))


def test_source_does_not_depend_on_the_length():
    gradient = gs.grad(function_of("np.sum(x[range(len(x))] * range(len(x)))"))
    assert gradient.source(np.ones(5)) == gradient.source(np.ones(9))


@each(
    "body",
    [
        "f = x.flat\nfirst = next(f)\nreturn first, f.index, f.coords, f[2], next(f)",
        "f = x[:, None].flat\nnext(f)\nreturn f.coords, f.index, hasattr(f, 'coords')",
        "return getattr(x.flat, 'coords', None), sum(x.flat), [v for v in x.flat]",
        "s = 0.0\nf = x.flat\nfor v in f:\n    s += v\nreturn s, f[0], list(f)",
    ],
)
def test_places_of_flat(body):
    check_calls(function_of(body), (np.array([1.0, 2.0, 3.0]),), (np.array([4.0, 5.0, 6.0, 7.0]),))


@each(
    "body",
    [
        "f = x.flat\nreturn list(f), list(f)",
        "f = x.flat\nfor v in f:\n    if v > 1:\n        break\nreturn [v for v in f]",
        "f = x.flat\ns = sum(f)\nreturn s, f.index",
    ],
)
def test_what_is_left_of_flat_is_refused(body):
    with pytest.raises(gs.GradsmithError, match=r"what a loop has left of x\.flat"):
        gs.compile(function_of(body))(np.array([1.0, 2.0, 3.0]))
