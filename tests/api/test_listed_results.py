"""Lists that loops make, as results: lists of Python's, made by code that serves any length."""

from __future__ import annotations

import numpy as np

import gradsmith as gs
from control.one_object import function_of
from helpers import each
from semantics.test_number_classes import check_classes

SETS = [(np.linspace(-1.0, 2.0, n),) for n in (5, 1, 40)] + [(np.array([]),)]

PROGRAMS = {
    "scalars": "return [v * 2 for v in x]",
    "numbers of Python's": (
        "return [float(v) for v in x], [int(v) for v in x], [bool(v > 0) for v in x], "
        "[complex(v, 1) for v in x], x.tolist()"
    ),
    "of several classes": "h = [0.0]\nfor v in x:\n    h.append(h[-1] * 0.5 + v)\nreturn h",
    "on some paths": "h = []\nfor v in x:\n    if v > 0:\n        h.append(v)\nreturn h, len(h)",
    "arrays": "h = [x]\nfor v in x:\n    h.append(h[-1] * v)\nreturn h",
    "arrays and a stack of them": "h = [x * v for v in x]\nreturn h, np.array(h)",
    "tuples": "return [(i, v, v * x[0]) for i, v in enumerate(x)], [(v,) for v in x]",
    "lists of two": "return [[v, i] for i, v in enumerate(x)]",
    "dicts": "return [{'v': v, 'w': 1, 't': (v, 2.0)} for v in x]",
    "tables": (
        "return [[v * w for w in x] for v in x], [[0.0] * len(x) for _ in x], "
        "[tuple([v, 1.0] for v in x) for _ in x]"
    ),
    "a table of several classes": (
        "n = len(x)\nt = [[0] * n for _ in range(n)]\n"
        "for i in range(n):\n    for j in range(n):\n"
        "        if x[i] > x[j]:\n            t[i][j] = 1\n"
        "        elif i == j:\n            t[i][j] = x[i]\nreturn t"
    ),
    "within dicts": (
        "ts, ys = [0.0], [2.0]\nwhile ts[-1] < 1.0:\n"
        "    ts.append(ts[-1] + 0.25)\n    ys.append(ys[-1] * 0.9)\n"
        "return {'t': ts, 'y': ys, 'n': len(ts)}"
    ),
    "tuples of any length": "return tuple(v * 2 for v in x), tuple([v for v in x if v > 0])",
    "slices and sums": "h = [v * 2 for v in x]\nreturn h[1:], h[::-1], h[:], h + [1.0], [0] + h",
    "what iterators give": "return list(zip(x, x * 2)), list(enumerate(x)), list(map(abs, x))",
}


@each("body", PROGRAMS.values(), ids=PROGRAMS)
def test_results_are_pythons(body):
    check_classes(function_of(body), *SETS)


@each("body", PROGRAMS.values(), ids=PROGRAMS)
def test_the_source_is_as_long_for_any_length(body):
    compiled = gs.compile(function_of(body))
    assert compiled.source(SETS[0][0]) == compiled.source(SETS[2][0])


def test_lists_are_objects_of_their_own():
    """One list twice is one object, and copies are others."""
    compiled = gs.compile(function_of("h = [v * 2 for v in x]\nreturn h, h, h[:], list(h)"))
    one, same, *others = compiled(np.ones(3))
    assert one is same
    assert len({id(one), *map(id, others)}) == 3


def test_arrays_in_a_list_share_no_memory():
    compiled = gs.compile(function_of("h = [x * v for v in x]\nreturn h, np.array(h)"))
    rows, whole = compiled(np.ones(3))
    assert not any(np.shares_memory(row, whole) for row in rows)
    assert not np.shares_memory(rows[0], rows[1])


class Model:
    """Keeps a history."""

    def __init__(self):
        self.history = [1]
        self.weight = 0.5
        self.last = None

    def step(self, value):
        self.weight = self.weight * 0.9 + value
        self.history.append(self.weight)


def test_histories_outside():
    """Lists that loops append to and set, in attributes and arguments."""

    def runner():
        model = Model()

        def run(x, seen):
            squares = []
            for v in x:
                model.step(v)
                squares.append(v**2)
                seen.append(v * 2)
            model.last = squares
            return squares

        return model, run

    (model, run), (expected, plain) = runner(), runner()
    compiled = gs.compile(run)
    for n in (3, 0, 2, 6):
        seen, given = [0.5, "a"], [0.5, "a"]
        result = compiled(np.arange(float(n)), seen)
        assert result == plain(np.arange(float(n)), given)
        assert seen == given
        assert model.history == expected.history
        assert list(map(type, model.history)) == list(map(type, expected.history))
        assert model.last == expected.last
    assert len(compiled.source(np.arange(9.0), [])) < 2000


def test_beside_a_gradient():
    """What `has_aux` hands on is such a list, too."""

    def loss(x):
        steps = [v**2 for v in x]
        return sum(steps), steps

    gradient, steps = gs.grad(loss, has_aux=True)(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(gradient, [2.0, 4.0])
    assert steps == [1.0, 4.0]
