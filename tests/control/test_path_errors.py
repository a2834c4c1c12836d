"""An error on a path that is not taken is raised by the emitted code, if it gets there.

The class and the text are those of NumPy and Python; what follows on that path is dead.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of, outcome
from helpers import each

UP = np.array([1.0, 2.0, 3.0, 4.0])
ROWS = [(UP,), (-UP,), (np.array([1.0, 2.0]),), (np.array([-1.0, 2.0]),)]
ROWS += [(np.array([1.0, -2.0, 3.0, 4.0, 5.0, 6.0]),)]

EXPRESSIONS = [
    "x[5] * x[0]",
    "x[-7]",
    "np.max(x[:0])",
    "x[:0].min()",
    "np.argmax(x[:0])",
    "(x + np.ones(3)).sum()",
    "(x @ np.ones(3)).sum()",
    "np.dot(x, np.ones((3, 2))).sum()",
    "x.reshape(3, 5).sum()",
    "x.sum(axis=3)",
    "np.concatenate([x, np.ones((2, 2))]).sum()",
    "np.stack([x, np.ones(9)]).sum()",
    "np.zeros(-len(x)).sum() + x[0]",
    "x.foo",
    "len(x).foo",
    "x[0] if x else x[1]",
    "TABLE['missing'] * x[0]",
    "[1.0, 2.0][5] * x[0]",
    "(1.0, 2.0)[len(x)] * x[0]",
    "1 / (len(x) - len(x)) * x[0]",
    "1 // (len(x[:0])) * x[0]",
    "int('q') * x[0]",
    "[1.0].index(2.0) * x[0]",
    "OWN.missing * x[0]",
    "[].pop() * x[0]",
    "next(iter([])) * x[0] if False else [][0]",
    "raising() * x[0]",
    "raising('b') * x[0]",
    "max([]) * x[0]",
    "'a' + 1",
]
PLACES = [
    "if x[0] > 0:\n    return x.sum()\nreturn {}",
    "if x[0] > 0:\n    y = {}\nelse:\n    y = x[0] * 3\nreturn y + x[1]",
    "return x.sum() if x[0] > 0 else {}",
    "y = x.sum()\nif x[0] < 0:\n    if x[1] > 0:\n        y = {}\n    y = y * 2\nreturn y",
]


class Own:
    """An object from outside."""


def raising(name):
    if name == "a":
        return 1.0
    raise KeyError(name)


OUTSIDE = {"TABLE": {"a": 1.0}, "OWN": Own(), "raising": raising}


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)))
def test_in_a_branch(number):
    body = PLACES[number % len(PLACES)].format(EXPRESSIONS[number])
    check_calls(function_of(body, **OUTSIDE), *ROWS)


@each("expression", ["x[5] * x[0]", "TABLE['missing'] * x[0]"])
@each("place", PLACES)
def test_in_each_place(place, expression):
    check_calls(function_of(place.format(expression), **OUTSIDE), *ROWS)


CHANGES = [
    "d['b'] += 1",
    "items[3] += 1",
    "pair[0] += 1.0",
    "pair[0] = 1.0",
    "pair.append(1)",
    "nothing[0] += 1",
    "nothing.attribute += 1",
    "nothing.attribute = 1",
    "'text'.missing()",
    "d.get('k').append(x)",
    "slotted.b = 3",
    "slotted.a",
    "del slotted.a",
    "del d['q']",
    "d.pop('q')",
    "items.remove(3.0)",
    "next(iter([]))",
]
"""Changes of what has no such item or attribute."""


class Slotted:
    __slots__ = ("a",)


@each("place", ["if x[0] > 0:\n    {}", "for v in x:\n    if v > 3:\n        {}"])
@each("change", CHANGES)
def test_changes(place, change):
    before = "d, items, pair, nothing, slotted = {'a': 1}, [1.0], (x, 1), None, Slotted()\n"
    body = f"{before}{place.format(change)}\nreturn x.sum()"
    check_calls(function_of(body, Slotted=Slotted), *ROWS)


STATEMENTS = {
    "a while that is not entered": """
        k = 0.0
        while k < x[0]:
            k += x[:0][0]
        return k + x.sum()""",
    "a list in a while that is not entered": """
        k, d = 0.0, []
        while k < x[0]:
            k += d[0]
        return k + x.sum()""",
    "a loop over as many as a mask has": """
        s = 0.0
        for v in x[x > 100]:
            s += v + x[200]
        return s + x.sum()""",
    "an item of a loop": """
        s = 0.0
        for i in range(len(x)):
            if x[i] < 0:
                s += x[i + 10]
            else:
                s += x[i]
        return s""",
    "after an error of the user's": """
        if x[0] < 0:
            raise ValueError("negative")
        return x[3] + x[4]""",
    "in all branches": """
        if x[0] < 0:
            y = x[5]
        elif x[1] > 1:
            y = x[0]
        else:
            y = TABLE["q"]
        return y * 2""",
    "after it, values of other kinds": """
        if x[0] > 0:
            y = TABLE["q"]
            z = y.more.than[3]
        else:
            y, z = x[0], [x[1]]
        return y * z[0]""",
    "too few values": """
        if x[0] > 0:
            a, b = x
        else:
            a = b = x.sum()
        return a * b""",
    "a value that does not fit": """
        if x[0] > 0:
            x[1:2] = np.ones(3)
        return x.sum()""",
    "a sum that does not fit in place": """
        if x[0] > 0:
            x += np.ones((2, len(x)))
        return x.sum()""",
    "an assertion about sizes": """
        if x[0] > 0:
            assert len(x) == 6, "six"
        return x.sum()""",
    "handled on that path": """
        y = x.sum()
        if x[0] > 0:
            try:
                y = y * TABLE["z"]
            except KeyError:
                y = y * 3
        return y""",
    "a helper that returns early": """
        def part(name):
            if name in TABLE:
                return TABLE[name] * x.sum()
            raise LookupError(f"no {name}")
        if x[0] > 0:
            return part("b") + 1
        return part("a") + 2""",
    "what is printed before": """
        if x[0] > 0:
            print("positive", x[0])
            return x[9]
        return x.sum()""",
    "in a loop with an end": """
        s = 0.0
        for i in range(len(x)):
            if x[i] < 0:
                s += TABLE["negative"]
                break
            s += x[i]
        return s""",
}


@each("name", STATEMENTS)
def test_in_statements(name):
    body = "\n".join(line[8:] for line in STATEMENTS[name].split("\n"))
    check_calls(function_of(body, **OUTSIDE), *ROWS)


def test_what_was_missing_may_be_there_in_the_next_call():
    table, owner = {}, Own()
    item = gs.compile(function_of("x.sum() if x[0] > 0 else t['k'] * x[0]", t=table))
    attribute = gs.compile(function_of("x.sum() if x[0] > 0 else t.k * x[0]", t=owner))
    for function, error in ((item, KeyError), (attribute, AttributeError)):
        assert function(UP) == 10
        with pytest.raises(error):
            function(-UP)
    table["k"], owner.k = 3.0, 4.0
    assert (item(-UP), attribute(-UP)) == (-3.0, -4.0)
    del table["k"], owner.k
    for function, error in ((item, KeyError), (attribute, AttributeError)):
        with pytest.raises(error):
            function(-UP)


def test_a_limit_of_the_compiler_is_no_error_of_the_user():
    """What NumPy does, and gradsmith does not, is refused when tracing, on every path."""
    function = function_of("x.sum() if x[0] > 0 else sum(np.nditer([x, x]))")
    kind, *found = outcome(gs.compile(function), (UP,))
    assert (kind, found[0]) == ("error", TypeError)
    assert "not supported" in found[1]


def test_the_rest_of_a_path_that_raises_is_no_branch():
    function = function_of("if x[0] > 0:\n    raise ValueError('positive')\nreturn np.sum(x * x)")
    source = gs.grad(function).source(UP)
    code = [line.strip() for line in source.split("\n") if "#" not in line]
    begin = code.index("if x[0] > 0:")
    assert code[begin + 1 : begin + 3] == ["raise ValueError('positive')", "g_x = 2.0 * x"]


CASTS = {
    "of an operand": "k = np.zeros(3, int)\nif x[0] > 1:\n    k += x\nreturn k",
    "in a loop": "k = np.zeros(3, int)\nfor v in x:\n    if v > 1:\n        k /= 2\nreturn k",
    "after an exit": "if x[0] < 1:\n    return x\nk = np.zeros(3, int)\nk *= 1.5\nreturn k",
}


@pytest.mark.parametrize("name", CASTS)
def test_errors_about_casts_have_numpys_class(name):
    function = function_of(CASTS[name])
    compiled = gs.compile(function)
    good, bad = np.array([0.1, 0.2, 0.3]), np.array([2.0, 3.0, 4.0])
    np.testing.assert_array_equal(compiled(good), function(good))
    with pytest.raises(TypeError) as expected:
        function(bad)
    with pytest.raises(type(expected.value)) as raised:
        compiled(bad)
    assert type(raised.value) is type(expected.value)
    assert str(raised.value) == str(expected.value)
    assert vars(raised.value) == vars(expected.value)


@each(
    "body",
    [
        "try:\n    raise ValueError(a)\nexcept ValueError as q:\n    if a > 0: raise\n"
        "    return q.args",
        "try:\n    return 1 / a if a > 1 else [][0]\nexcept IndexError:\n    if a < 0: raise\n"
        "    return 5",
        "s = 0.0\nfor k in range(3):\n    try:\n        if a > k: raise ValueError(k)\n"
        "        s += a\n    except ValueError:\n        if a > 2.5: raise\n        s -= 1\n"
        "return s",
        "def inner(v):\n    try: raise ValueError(v)\n    except ValueError:\n"
        "        if v > 1: raise\n        return v\n"
        "try: return inner(a)\nexcept ValueError as e: return f'got {e}'",
    ],
)
def test_raise_alone(body):
    check_calls(function_of(body, "a"), (0.7,), (-0.7,), (-2.0,), (3.0,), messages=False)


def test_a_condition_in_a_loop_that_makes_no_iteration():
    def function(g):
        for y in np.nonzero(g)[0]:
            if g[y] > 5:
                continue
            stack = [int(y)]
            while stack:
                a = stack.pop()
                if a >= len(g):
                    continue
                if not g[a]:
                    continue
                g[a] = 0
                stack += [a + 1, a - 1]
        return g

    check_calls(function, *[(np.array(g),) for g in ([0], [1, 0, 1], [0, 6, 0, 1])])


AHEAD_OF_LOOPS = (
    "while s < limit:\n    s = s + np.sum(np.exp(x[places]))\nreturn s",
    "while s < limit:\n    s = s + np.sum(np.sin(x[:, None] - x[places]))\nreturn s",
    "p = x[x > 0]\nwhile s < limit:\n    s = s + np.sum(np.sin(x - p))\nreturn s",
    "p = x[x > 0]\nfor v in x[x > limit]:\n    s = s + np.sum(np.sin(x - p)) * v\nreturn s",
    "p = x[x > 0]\nfor v in x[x > limit]:\n    x - p\nreturn s",
)


@each("body", AHEAD_OF_LOOPS)
def test_an_error_of_a_loop_that_makes_no_iteration(body):
    function = function_of(f"s = x[0]\n{body}", "x, places, limit")
    x, far = np.array([0.5, -1.0, 2.0]), np.array([7, 8])
    near = np.array([0, 1])
    check_calls(function, (x, far, -9.0), (x, near, 3.0), (x, far, 9.0), messages=False)


UNREAD = (
    "p = x[x > 0]\nw = x * 1.0\nfor i in range(len(x)):\n    w = w * (x - p)\n"
    "return p.sum() * len(w)",
    "q = np.cumsum(x)\nz = q.copy()\nz[: int((x > 0).sum())] = np.sin(q)\nreturn np.sum(q * x)",
    "q = x * 2\nfor v in x:\n    z = q.copy()\n    z[: int((x > v).sum())] += x\nreturn q.sum()",
)


@each("body", UNREAD)
def test_shapes_that_do_not_fit_where_nothing_reads_the_result(body):
    arrays = [[0.5, -1.0, 2.0], [0.5, 1.0, 2.0], [0.5, -1.0, -2.0], [-0.5, -1.0, -2.0]]
    check_calls(function_of(body, "x"), *[(np.array(x),) for x in arrays], messages=False)
