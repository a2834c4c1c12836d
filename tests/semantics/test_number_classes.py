"""The class of a number is Python's, whichever path gives it: what is returned, and what is asked.

One compiled object is called with arguments that take different paths, in both orders.
"""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of, outcome
from gradsmith import tree
from helpers import each


def check_classes(function, *calls):
    """As `check_calls`, and all that is returned is of Python's class."""
    check_calls(function, *calls)
    for sets in (calls, calls[::-1]):
        compiled = gs.compile(function)
        for arguments in sets:
            expected, actual = outcome(function, arguments), outcome(compiled, arguments)
            assert expected[0] == "error" or classes_in(actual) == classes_in(expected), arguments


def classes_in(value):
    leaves, _ = tree.flatten(value, lambda v: not tree.is_container(v))
    return [type(leaf) for leaf in leaves]


X = np.array([1.5, -2.0, 3.0])
NONE = np.array([])
BELOW = -np.abs(X)
FLOATS = [(X, 2.0), (X, -1.0), (X, 3.0)]
"""The first takes the number of Python's, the second the element."""
SUMS = [(X, 0.0), (X, 9.0), (NONE, 0.0), (BELOW, 0.0)]
"""The second and the last find nothing that is greater, the third has no element at all."""

PICKED = "v = c if c > 0 else x[0]\n"
COUNTED = "v = 2 if c > 0 else x[0]\n"
TOTAL = "s = 0\nfor v in x:\n    if v > c:\n        s = s + v\n"

GIVEN = {
    "a float or an element": (PICKED, "v"),
    "an integer or an element": (COUNTED, "v"),
    "an integer or a float": ("v = 2 if c > 0 else c\n", "v"),
    "computed from it": (PICKED, "-v, +v, v * 2, v + 1.0, v ** 2, abs(v), round(v, 1), round(v)"),
    "nothing is left out": (COUNTED, "v * 1.0, v + 0.0, 0 + v, v * 1, v ** 1, v / 1, +v, v - 0"),
    "by NumPy": (PICKED, "np.abs(v), np.add(v, 1), np.sqrt(abs(v)), np.float64(v), np.square(v)"),
    "by NumPy of integers": (COUNTED, "np.abs(v), np.add(v, 1), np.float64(v), np.square(v)"),
    "a truth value": ("", "True if c > 0 else x[0] > 0"),
    "beside a constant": (
        "b = c > 0\n",
        "x[0] > c and len(x) > 5, x[0] > c or True, (x[0] > c) and False, True if b else b",
    ),
    "a chain beside a constant": ("", "x[0] < 1 < len(x), x[0] > -9 > len(x), 0 < x[0] < c"),
    "walrus": ("", "x[0] > c and (y := True)"),
    "or": ("", "c > 0 or x[0] > 0, c > 0 and x[0] > 0, x[0] or c"),
    "an early return": ("if c > 0:\n    return 0\n", "x[0]"),
    "nested": ("v = c if c > 0 else x[0]\nv = x[1] if c > 2.5 else v\n", "v"),
    "in a list": ("r = []\nr.append(c if c > 0 else x[0])\n", "r"),
    "in a tuple": ("t = (c, x[0]) if c > 0 else (x[0], c)\n", "t"),
    "in a dict": ('d = {"v": 0}\nif c > 0:\n    d["v"] = x[0]\n', "d"),
    "max and min": ("", "max(c, x[0]), min(c, x[0]), max(0, x[0], c), min(x[1], 0)"),
    "clip": ("v = np.clip(c, 0, 1) if c > 0 else c\n", "v"),
    "quotient": (PICKED, "v / (v - v)"),
    "power": ("v = -c if c > 0 else x[1]\n", "v ** 0.5"),
    "inverse of an integer": (
        "k = int(c)\n",
        "2 ** k, 2 ** -k, (2 ** k) * x[0], -(2 ** k), 4 ** k // 1",
    ),
    "complex": (
        "v = complex(x[0], 1.0) if c > 0 else 1j * x[0]\n",
        "v, v * 2, v * x[0], x[0] * v",
    ),
    "Python's complex on the left": (
        "z = complex(c, 1.0)\n",
        "z * x[0], x[0] * z, -(1j * x[0]), z / x[1]",
    ),
    "Python's complex compared": (
        "z = 2j\n",
        "z == x[0], x[0] == z, 1j != x[0], complex(c, 0.0) == x[0], (z,) == (x[0],), z in [x[0]], "
        "[1j == v for v in x], np.complex128(z) == x[0], z == c",
    ),
    "logical functions of NumPy and operators": (
        "p = c > 0\nq = c < 3\n",
        "np.logical_and(p, q), np.bitwise_or(p, True), np.logical_xor(True, p), p & q, p ^ True, "
        "type(p | q), np.logical_and(p, x[0] > 0), np.logical_or(c, 0), p & q & (x[0] > 0)",
    ),
    "sums of a negative zero": (
        "z = x[0] * -0.0\nw = c * -0.0\n",
        "np.sum(z), np.mean(z), np.average(z), np.sum(z, keepdims=True), np.array(z).sum(), "
        "z.sum(), np.float64(w).mean(), np.sum(w), np.float32(z).sum(), np.max(z), np.prod(z)",
    ),
    "complex in turns": ("v = 1\nfor t in x:\n    v = v * 1j if t > c else v + t\n", "[v]"),
    "power of zero": ("v = c - c if c > 0 else x[0] * 0.0\n", "v ** -1"),
    "an array in its place": ("v = np.array(c) if c > 0 else x[0]\n", "v"),
    "arrays of two dtypes": ("v = x if c > 0 else x.astype(np.float32)\n", "v"),
    "integers or an array of floats": ("v = x > 1 if c > 0 else x\n", "v, v.sum()"),
}
"""What the path decides, and what is returned of it."""

ASKED = {
    "isinstance": (PICKED, "isinstance(v, np.floating), isinstance(v, float)"),
    "type": (PICKED, "type(v).__name__, type(v * 2 + 1) is float"),
    "comparison": (PICKED, "isinstance(v < 0, bool)"),
    "hasattr": (PICKED, 'hasattr(v, "dtype"), hasattr(v, "is_integer"), hasattr(v, "bit_length")'),
    "scalar": (COUNTED, "np.isscalar(v), isinstance(v, int), isinstance(v, np.generic)"),
    "truth": ("v = True if c > 0 else x[0] > 0\n", "isinstance(v, bool), type(v).__name__"),
    "maximum": ("v = max(c, x[0])\n", "type(v).__name__, isinstance(min(c, 0), int)"),
    "nested": ("v = 1 if c > 2.5 else c\nv = v if x[0] > c else x[1]\n", "type(v).__name__"),
    "method": (COUNTED, 'v.item() if hasattr(v, "item") else v'),
    "complex": ("v = -c if c > 0 else x[1]\n", "isinstance(v ** 0.5, complex)"),
    "truth beside a constant": ("", "type(x[0] > c and True), type(c > 0 and len(x) > 5)"),
    "inverse of an integer": (
        "k = int(c)\nr = 10 ** k\n",
        "isinstance(r, float), isinstance(r, int), type(r), [r], np.array([r])",
    ),
    "inverses in a list": ("r = [10 ** -i for i in range(len(x))]\n", "r, [type(v) for v in r]"),
    "inverse in a loop": (
        "k = 0\nfor v in x:\n    if v > c + 0.5:\n        k -= 1\nr = 10 ** k\n",
        "x[0] * r if isinstance(r, float) else x[1]",
    ),
    "power of an integer": (
        "n = np.int64(2) if c > 0 else 2\n",
        "n ** -1 if c < 0 else 1.0",
    ),
    "handled power": (
        "n = np.int64(2) if c > 0 else 2\n"
        "try:\n    r = n ** -1\nexcept ValueError:\n    r = 'integers'\n",
        "r",
    ),
    "handled minus": (
        "b = x[0] > c if c > 0 else True\ntry:\n    r = -b\nexcept TypeError:\n    r = 'bool'\n",
        "r",
    ),
    "integer and truth value": ("m = 7 if c > 0 else True\n", "~m, -m, m + m, m.bit_length()"),
    "two truth values": ("m = x[0] > 0 if c > 0 else True\n", "~m, abs(m), m & True, m + m"),
    "an integer's method": ("m = 7 if c > 0 else np.int64(7)\n", "m.bit_length()"),
    "index of an array": ("k = 1 if c > 0 else 1.0\n", "x[k] if c > 0 else k"),
    "uses of integers": (
        "k = 1 if c > 0 else 1.0\n",
        "(x[:k], [1, 2][k], np.zeros(k), k << 1, list(range(k)), k & 1) if c > 0 else k",
    ),
    "order of complex numbers": (
        "v = 1j if c > 0 else x[0]\ntry:\n    r = v < 9\nexcept TypeError:\n    r = 'complex'\n",
        "r, v",
    ),
    "identity": (
        "b = x[0] > c\nd = b if c > 0 else True\n",
        "b is np.True_, b is np.False_, b is True, d is True, d is b, d is np.True_",
    ),
    "identity of truth values": ("", "(x[0] > c) is (x[1] > c), bool(x[0] > c) is (x[1] > c)"),
    "identity of a chosen number": (
        "t = [1.0, np.float64(1) if c > 0 else 1]\n",
        "t[0] is max(t)",
    ),
    "constants of both kinds": ("v = True if c > 0 else np.True_\n", "v is True, v"),
    "truth of an object": (
        "class A:\n    def __init__(self, v):\n        self.v = v\n"
        "    def __bool__(self):\n        return self.v > 1\n"
        "a = A(x[0] if c > 0 else 0.0)\n"
        "try:\n    r = bool(a)\nexcept TypeError:\n    r = 'bool'\n",
        "r",
    ),
    "index": (COUNTED, "[0.0] * v if isinstance(v, int) else v"),
    "dtype of an array": (
        COUNTED,
        "np.array([v, 1]), np.full(2, v), np.asarray(v), np.stack([v])",
    ),
    "dtype of a sum": (COUNTED, "np.ones(2, int) * v, np.ones(2, np.float32) * v, x + v"),
    "narrow floats": (PICKED, "np.ones(2, np.float32) * v, np.result_type(v, np.float32)"),
    "handled": (
        PICKED + "try:\n    r = 1 / (v - v)\nexcept ZeroDivisionError:\n    r = 'zero'\n",
        "r",
    ),
    "in a function": (
        "def g(t):\n    if t > 0:\n        return t\n    return 0\n",
        "type(g(c)).__name__, type(g(x[1])).__name__",
    ),
}

SUMMED = {
    "total": (TOTAL, "s"),
    "class": (TOTAL, "type(s).__name__, isinstance(s, int), isinstance(s, float)"),
    "computed": (TOTAL, "s * 1.0, 0 + s, abs(s), -s, s // 1, s / 3, divmod(s, 2), np.sqrt(s)"),
    "array": (TOTAL, "np.array([s, 1]), np.zeros(2) + s"),
    "generator": ("s = sum(v for v in x if v > c)\n", "s, isinstance(s, int)"),
    "product": ("import math\n", "math.prod(v for v in x if v > c)"),
    "of a mask": ("", "sum(x[x > c]), sum(x), sum(x[x > c], 1.0), sum(x.reshape(-1, 1))"),
    "default": ("", "max((v for v in x if v > c), default=0), next((v for v in x if v > c), -1)"),
    "best": ("b = -1.0\nfor v in x:\n    if v > b:\n        b = v\n", "b, type(b) is float"),
    "infinity": ("b = float('inf')\nfor v in x:\n    b = min(b, v)\n", "b, type(b).__name__"),
    "nothing": ("b = None\nfor v in x:\n    if b is None or v > b:\n        b = v\n", "b"),
    "pair": (
        "b = (0, -1)\nfor i, v in enumerate(x):\n    if v > b[0]:\n        b = (v, i)\n",
        "b",
    ),
    "while": (
        "s = 0\ni = 0\nwhile i < len(x) and x[i] > c:\n    s += x[i]\n    i += 1\n",
        "s, type(s).__name__",
    ),
    "all of them": ("t = True\nfor v in x:\n    t = t and v > c\n", "t, not t"),
    "in an object": (
        "class A:\n    total = 0\na = A()\nfor v in x:\n    if v > c:\n        a.total += v\n",
        "a.total, type(a.total) is int",
    ),
    "elements": (
        "r = []\nfor v in x:\n    r.append(v if v > c else 0)\n",
        "r, [isinstance(v, int) for v in r]",
    ),
    "sorted": (
        "r = []\nfor v in x:\n    r.append(1 if v > c else 0.5)\n"
        "s = sorted(r)\nr.sort(reverse=True)\n",
        "s, r, sorted([v if v > c else 1 for v in x], key=lambda v: -v)",
    ),
    "lists made of elements": (
        "r = []\nfor v in x:\n    r.append(1 if v > c else v)\n",
        "[v * 2 for v in r], {k: v for k, v in enumerate(r)}, list(zip(r, x)), list(reversed(r))",
    ),
    "filled by two loops": (
        "r = []\nfor v in x:\n    r.append(v)\nfor i in range(len(x)):\n    r.append(i)\n",
        "sum([v for v in r if isinstance(v, int)]), [v // 2 for v in r], r",
    ),
    "truth values and floats": (
        "r = []\nfor v in x:\n    r.append(v > c)\nfor v in x:\n    r.append(v)\n",
        "sum(1 for v in r if type(v) is np.bool_), [type(v).__name__ for v in r]",
    ),
    "0-d array": ("s = np.array(0.0)\nfor v in x:\n    s = s + v\n", "s"),
}


@pytest.mark.parametrize("name", GIVEN)
def test_a_number_is_returned_in_the_class_that_python_gives_it(name):
    body, result = GIVEN[name]
    check_classes(function_of(f"{body}return {result}", "x, c"), *FLOATS)


@pytest.mark.parametrize("name", ASKED)
def test_the_class_that_is_asked_for_is_that_of_the_call(name):
    body, result = ASKED[name]
    check_classes(function_of(f"{body}return {result}", "x, c"), *FLOATS)


@pytest.mark.parametrize("name", SUMMED)
def test_a_loop_leaves_the_class_of_what_was_before_it(name):
    body, result = SUMMED[name]
    check_classes(function_of(f"{body}return {result}", "x, c"), *SUMS)


COUNTS = [(X, 2), (X, 0), (X, 1), (X, 3)]
BY_SIZES = {
    "total": "s = 0\nfor v in x[:k]:\n    s += v\nreturn s, type(s).__name__",
    "power": "s = -1.0\nfor i in range(k):\n    s = s * x[i]\nreturn s ** 0.5",
    "quotient": "s = 0.0\nfor i in range(k):\n    s = s + x[i]\nreturn 1.0 / s",
    "dtype": "s = 0\nfor v in x[:k]:\n    s += v\nreturn np.array([s, 1])",
    "array": "y = np.zeros(3, int)\nfor _ in range(k):\n    y = y + x\nreturn y",
    "builtin": "return sum(x[:k])",
}


@each("name", BY_SIZES)
def test_a_guard_on_sizes_tells_the_class_after_a_loop(name):
    function = function_of(BY_SIZES[name], "x, k")
    check_classes(function, *COUNTS)
    assert "type(" not in gs.compile(function).source(X, 2)


def test_where_nobody_asks_for_the_class_the_code_has_no_branch_for_it():
    function = function_of(f"{TOTAL}return s", "x, c")
    source = gs.compile(function).source(X, 0.0)
    assert [line for line in source.splitlines() if line.strip().startswith("if")] == [
        "        if v > c:"
    ]
    assert "type(" not in source
    assert "float64(s" not in source


def test_the_class_is_checked_once():
    function = function_of(
        f"{COUNTED}return type(v), isinstance(v, int), np.array([v, 1])", "x, c"
    )
    assert gs.compile(function).source(X, 2.0).count("if not type(v) is int") == 1


def test_the_error_about_another_class_names_the_expression():
    function = function_of(f"{COUNTED}return type(v).__name__", "x, c")
    source = gs.compile(function).source(X, 2.0)
    assert "a number in `type(v)`" in source
    assert "is of the class int" in source


ZERO_D = [(np.array(2.0), c) for c in (2.0, -1.0)] + [(np.float64(2.0), 2.0), (2.0, -1.0)]
AXES = {
    "returned": "return a if c > 0 else 2 * a",
    "computed": "t = a if c > 0 else 2 * a\nreturn t + 1",
    "asked": "t = a if c > 0 else 2 * a\nreturn isinstance(t, np.ndarray), t * 1.0",
    "greatest": "t = a if c > 0 else 3\nreturn max(t, 1), min(t, 9.0)",
    "complex": "t = a if c > 0 else 2\nreturn 1j * t, 1j + t",
    "beside a complex number": "t = a if c > 0 else 1j\nreturn [str(t), t * 2, sum([t, 1])]",
    "rounded": "t = a if c > 0 else 2\ntry:\n    return round(t)\nexcept TypeError:\n    return 5",
    "in place": "t = a if c > 0 else 2 * a\nt += 1.0\nreturn t",
    "in a loop": "t = a\nfor v in (1.0, -2.0):\n    if c > v:\n        t = t * v\nreturn t",
}


@pytest.mark.parametrize("name", AXES)
def test_an_array_without_axes_on_one_path_and_a_number_on_the_other(name):
    check_classes(function_of(AXES[name], "a, c"), *ZERO_D)


def test_an_array_without_axes_that_is_computed_with_needs_no_decision():
    function = function_of(AXES["computed"], "a, c")
    compiled = gs.compile(function)
    assert compiled.source(np.array(2.0), 1.0) == compiled.source(np.array(2.0), -1.0)


@each("body", ["a * 1.0", "a * 2.0", "+a", "a", "a / 1"])
def test_the_value_beside_a_gradient_is_of_the_class_of_the_function(body):
    function = function_of(body, "a")
    for a in (np.array(2.0), np.float64(2.0), 2.0):
        value, _ = gs.value_and_grad(function)(a)
        assert type(value) is type(function(a))


def test_the_gradient_by_the_number_that_is_taken():
    function = function_of(
        f"{PICKED}return v * v if isinstance(v, np.floating) else 3 * v", "x, c"
    )
    gradient = gs.grad(function, argnums=(0, 1))
    for x, c in FLOATS:
        first, second = gradient(x, c)
        np.testing.assert_array_equal(first, [0.0 if c > 0 else 2 * x[0], 0.0, 0.0])
        assert second == (3.0 if c > 0 else 0.0)


def half_square(x):
    return x * x * 0.5


def descent(x, n):
    for _ in range(n):
        x = x - 0.1 * gs.grad(half_square)(x)
    return x


def momentum(x, n):
    state = {"m": 0.0, "x": x}
    while n > 0:
        _, slope = gs.value_and_grad(half_square)(state["x"])
        state["m"] = 0.9 * state["m"] + slope
        state["x"] = state["x"] - 0.1 * state["m"]
        n -= 1
    return state


def previous(x, n):
    y = x
    for _ in range(n):
        x, y = gs.grad(half_square)(x), x
    return x, y


@pytest.mark.parametrize("function", [descent, momentum, previous])
def test_gradients_in_loops_are_of_numpys_class(function):
    compiled = gs.compile(function)
    for x in (0.7, np.float64(0.7), np.float32(0.7)):
        for n in (0, 1, 3):
            assert repr(compiled(x, n)) == repr(function(x, n))


MIXED = """xs, y = [], 0.1
for _ in range(n):
    y = y + 0.5
    if y > 0.6:
        c = y
    xs.append(c)
"""
"""A list that holds an integer first, and then floats of Python's."""
OF_MIXED = {
    "a mean": "return sum(xs) / len(xs)",
    "the last, divided": "return xs[-1] / 2, sum(xs) / n",
    "a recurrence": "t = 0\nfor v in xs:\n    t = t * 0.5 + v\nreturn t",
    "squares": "m = sum(xs) / len(xs)\nreturn sum((v - m) ** 2 for v in xs) / len(xs)",
    "products": "t = 0.5\nfor v, w in zip(xs, range(n)):\n    t += v * w\nreturn t / 2, [t]",
}


@each("name", OF_MIXED)
def test_floats_computed_from_lists_of_integers_and_floats_are_pythons(name):
    function = function_of(MIXED + OF_MIXED[name], "n, c")
    check_classes(function, (4, 2), (1, 2), (3, 2.5), (2, 0), (5, 1))


def _loop_over_functions(x):
    t = np.float32(x) if x > 100 else x
    for function in (lambda z: z * z, abs):
        if t > 20:
            continue
        t = function(t)
    return t


def _two_branches(x):
    t = np.float32(x) if x < 100 else x
    if t <= 20:
        t = t * t * x
    if t <= 20:
        t = abs(t) * x
    return t


def _narrowed_in_a_loop(x):
    t = x
    for _ in range(4):
        t = np.float32(t) if t > 2 else t * 1.5
        if t < 5:
            t = t * t
    return t


def _either_scalar(x):
    t = np.float32(x) if x > 1 else np.float64(x)
    for _ in range(3):
        t = t * t + x if t < 5 else np.sqrt(t)
    return t * 2


@pytest.mark.parametrize(
    "function", [_loop_over_functions, _two_branches, _narrowed_in_a_loop, _either_scalar]
)
def test_gradients_where_the_class_depends_on_the_path(function):
    gradient = gs.grad(function)
    for x in (1.3, 0.7, 2.2, 300.0):
        step = 2.0**-7 * x  # the values are rounded to float32
        expected = (float(function(x + step)) - float(function(x - step))) / (2 * step)
        assert gradient(x) == pytest.approx(expected, rel=2e-2)
