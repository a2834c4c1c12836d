"""Errors that the values in a call decide, in indices, shapes, large integers and formats, which
the function's own ``try`` handles: each through one compiled object, next to plain Python.
"""

from __future__ import annotations

import numpy as np

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

X = np.array([1.0, -2.0, 3.0])
MATRIX = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
TWO, THREE = np.array([1.5, 2.5]), np.array([1.5, 2.5, 3.5])


def handled(body, errors, parameters, before="", text=True):
    """A function of a ``try`` around the body; its handler gives a number, or the text as well."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    handler = "return str(error)" if text else "return -x.sum()"
    return function_of(
        f"{before}\ntry:\n{lines}except {errors} as error:\n    {handler}\n", parameters
    )


PLACES = ([0, 1], [0, 5], [0, 2], [-4, 0], [2, 1, 0, 3])
OF_VECTORS = (
    "return x[i].sum()",
    "y[i] = 5\nreturn y.sum()",
    "y[i] += x[0]\nreturn y.sum()",
    "np.add.at(y, i, x[1])\nreturn y.sum()",
    "np.subtract.at(y, i, 2.0)\nreturn y.sum()",
    "return np.take(x, i).sum()",
    "return x.take(i).sum()",
    "np.put(y, i, 2.0)\nreturn y.sum()",
    "return np.take_along_axis(x, np.asarray(i), 0).sum()",
    "np.put_along_axis(y, np.asarray(i), 7.0, 0)\nreturn y.sum()",
    "n = 0.0\nfor k in range(3):\n    n += x[[i[0], k]].sum()\nreturn n",
)
OF_MATRICES = (
    "return x[i, 1].sum()",
    "return x[i].sum()",
    "y[i, 0] += 5\nreturn y.sum()",
    "y[i] = x[0]\nreturn y.sum()",
    "np.add.at(y, (i, 1), 5.0)\nreturn y.sum()",
    "return np.take(x, i, axis=0).sum()",
    "return x[np.asarray(i)[:, None], [0, 1]].sum()",
)


@each("body", OF_VECTORS)
@each("kind", [list, np.array])
@each("text", [False, True])
def test_indices_of_vectors(body, kind, text):
    function = handled(body, "IndexError", "x, i", "y = x.copy()", text)
    check_calls(function, *((X, kind(places)) for places in PLACES))


@each("body", OF_MATRICES)
@each("kind", [list, np.array])
def test_indices_of_matrices(body, kind):
    function = handled(body, "LookupError", "x, i", "y = x.copy()", text=False)
    check_calls(function, *((MATRIX, kind(places)) for places in PLACES))


def handled_within_a_loop(x, i):
    n = 0.0
    for k in i:
        try:
            n += x[[k, 0]].sum()
        except IndexError:
            n -= 100.0
    return n


def on_one_path(x, i):
    n = x.sum()
    if n > 1:
        try:
            n = n + x[i].sum()
        except IndexError:
            n = n * 3
    return n


def in_a_function_called(x, i):
    def part(values):
        return values[i].sum() * 2

    try:
        return part(x) + part(x * x)
    except Exception:
        return x[0]


def before_finally(x, i):
    n = x.sum()
    try:
        try:
            n += x[i].prod()
        finally:
            n *= 2
    except IndexError:
        n += 5
    return n


@each("function", [handled_within_a_loop, on_one_path, in_a_function_called, before_finally])
def test_indices_elsewhere(function):
    calls = [(values, np.array(places)) for places in PLACES for values in (X, -X, 2 * X)]
    check_calls(function, *calls)


SHAPED = (
    "return (x[x > 0] + v).sum()",
    "return (x[x > 0] == v).sum() * x[0]",
    "return x[x > 0] @ v",
    "return np.dot(x[x > 0], v)",
    "return (x[x > 0] @ np.outer(v, v)).sum()",
    "return np.tensordot(x[x > 0], v, 1)",
    "return np.einsum('i,i', x[x > 0], v)",
    "y[y > 0] = v\nreturn y.sum()",
    "y[y > 0] += v\nreturn y.sum()",
    "y[x > 0] = v[v > 2]\nreturn y.sum()",
    "y[:] = x[x > 0]\nreturn y.sum()",
    "z[:] = x[x > 0]\nreturn z.sum()",
    "w = x[x > 0]\nw -= v\nreturn w.sum()",
    "return np.where(v > 2, x[x > 0], v).sum()",
    "return np.maximum(x[x > 0], v).sum()",
    "return np.clip(x[x > 0], v, 9.0).sum()",
    "return np.stack([x[x > 0], v]).sum()",
    "return np.vstack([x[x > 0], v]).sum()",
    "return np.column_stack([x[x > 0], v]).sum()",
    "return np.concatenate([x[x > 0][:, None], v[:, None]], axis=1).sum()",
    "return np.broadcast_to(x[x > 0], (2, 2)).sum()",
    "return np.broadcast_arrays(x[x > 0], v)[0].sum()",
    "np.add(x[x > 0], 1.0, out=z)\nreturn z.sum()",
    "np.multiply(x[x > 0], v, out=z)\nreturn z.sum()",
    "np.copyto(z, x[x > 0])\nreturn z.sum()",
    "return (np.array([a for a in x if a > 0]) + v).sum()",
    "return np.append(x[x > 0], v).reshape(2, 2).sum()",
    "return (x[x > 0].reshape(-1, 1) * np.ones((3, 1)) + v).sum()",
    "return x[x > 0].item() * 2",
    "return x[x > 0][v > 2].sum()",
    "return x[x > 0][[0, 1]].sum()",
    "return v[np.flatnonzero(x > 0)].sum()",
    "return x[0] if x[x > 0] > 1 else x[1] * 2",
)
SHAPE_CALLS = [
    *((X, TWO), (X, THREE), (-X, TWO), (-X, THREE), (abs(X), TWO), (abs(X), THREE)),
    *((np.array([1.0, -1.0, 1.0]), TWO), (X, np.array([2.5])), (X, np.array([2.5, 0.5]))),
]


@each("body", SHAPED)
@each("text", [False, True])
def test_shapes(body, text):
    before = "y, z = x.copy(), np.zeros(2)"
    check_calls(handled(body, "(ValueError, IndexError)", "x, v", before, text), *SHAPE_CALLS)


def test_shapes_within_a_loop():
    function = function_of(
        "n = 0.0\n"
        "for a in v:\n"
        "    try:\n"
        "        n += (x[x > a] * v).sum()\n"
        "    except ValueError:\n"
        "        n += x[0]\n"
        "return n\n",
        "x, v",
    )
    check_calls(function, *((10 * x, v) for x, v in SHAPE_CALLS))


def test_a_handler_of_other_errors_asks_for_no_shapes():
    function = handled("return (x[x > 0] + v).sum()", "ZeroDivisionError", "x, v", text=False)
    source = gs.compile(function).source(X, TWO)
    assert "raise" not in source


INTEGERS = [(2,), (10**400,), (-(10**400),), (3,), (2**63,), (2**64,), (10**30,)]
WITH_INTEGERS = (
    *("return n * 1.5", "return n + .5", "return 1.5 - n", "return n // 1.5", "return n * 1j"),
    *("return float(n)", "return n / 2", "return n ** .5", "return n ** 2 * 1.0"),
    *(
        "return n < 1.5",
        "return sum([n, 1.5])",
        "return abs(n) * 1.5",
        "s = 1.5\ns += n\nreturn s",
    ),
    *(
        "return np.int64(n)",
        "return np.float64(n)",
        "return np.uint8(n)",
        "return np.int64(3) + n",
    ),
    *("return (a * n).sum()", "return (a < n).sum()", "return (b + n).sum()"),
    *("a[0] = n\nreturn a.sum()", "b[0] = n\nreturn b.sum()", "return np.maximum(n, 1.5)"),
    *("return n / (n - 1)", "return n**3 / n**2", "return n / 10**399", "return n**2 / 7"),
    *("return np.sqrt(n)", "return np.exp(n)", "return '%.2f' % n", "return f'{n:.3e}'"),
    *("return np.int64(2**63)", "return (b + 2**63).sum()", "b[0] = 2**63\nreturn b.sum()"),
    "return np.sqrt(10**30)",
)


@each("body", WITH_INTEGERS)
def test_large_integers(body):
    before = "a, b = np.array([1.5, 2.5]), np.array([1, 2])"
    check_calls(handled(body, "Exception", "n", before), *INTEGERS)


def test_what_is_no_error_of_large_integers_is_not_handled():
    compiled = gs.compile(handled("return np.abs(n)", "Exception", "n"))
    for n in (-3, 10**400, -(10**400), 5):
        assert compiled(n) == abs(n)


SHIFTS = ("return n << k", "return n >> k", "n <<= k\nreturn n", "n << k\nreturn n")
OF_FLOATS = (
    *("return '%d' % x", "return '%i|%s' % (x, x)", "return f'{x:d}'", "return '%x' % x"),
    *("return 1 << int(x)", "return f'{int(x):c}'", "return chr(int(x))", "print('%d' % x)"),
)
OF_INTEGERS = ("return '%c' % n", "return f'{n:c}'", "return '{:c}'.format(n)", "return chr(n)")


@each("body", SHIFTS)
def test_shifts(body):
    sets = [(1, 2), (1, -2), (5, 0), (1, -1), (3, 1), (-7, 2)]
    check_calls(handled(body, "ValueError", "n, k"), *sets)


@each("body", OF_FLOATS)
def test_formats_of_floats(body):
    sets = [(65.5,), (np.nan,), (np.inf,), (-np.inf,), (-1.0,), (66.0,), (np.float64(2.5),)]
    check_calls(handled(body, "Exception", "x"), *sets)


@each("body", OF_INTEGERS)
def test_formats_of_integers(body):
    check_calls(handled(body, "Exception", "n"), *((n,) for n in (65, -1, 2**21, 66, 0)))


def test_loops_over_counters_stay_loops():
    function = function_of(
        "total, text = 0.0, ''\n"
        "try:\n"
        "    for k in range(len(x)):\n"
        "        total += k * 0.5 + x[k] * n\n"
        "except OverflowError:\n"
        "    total = -1.0\n"
        "return total\n",
        "x, n",
    )
    compiled = gs.compile(function)
    assert len({compiled.source(x, 2).count("\n") for x in (THREE, np.ones(5))}) == 1
    check_calls(function, (THREE, 2), (np.ones(5), 3), (np.ones(5), 10**400), (THREE, 3))


NUMBERS = (2.5, float("nan"), 300.7, float("inf"), -1.5, 1e300)
OF_NUMBERS = (
    "return np.int8(a)",
    "return np.array(a, dtype=int)",
    "return np.array([a, 1.0], dtype=int)",
    "return np.asarray(a, dtype=np.int16)",
    "return np.int32([a, a])",
    "return np.int64(np.float64(a))",
    "return np.full(3, a, dtype=int)",
    "x[0] = a\nreturn x",
    "x[:] = a\nreturn x",
    "x.fill(a)\nreturn x",
    "x[x > 1] = a\nreturn x",
    "x[[0, 1]] = a\nreturn x",
    "x[:2] = [a, 1]\nreturn x",
    "np.put(x, [0], a)\nreturn x",
    "x[:] = np.float64(a)\nreturn x",
)


@each("body", OF_NUMBERS)
def test_floats_in_arrays_of_integers(body):
    lines = body.replace("\n", "\n    ")
    errors = "(ValueError, OverflowError)"
    handled = function_of(
        f"try:\n    {lines}\nexcept {errors} as error:\n    return str(error)", "a, x"
    )
    plain = function_of(f"{body}\n", "a, x")
    for dtype in (np.int64, np.uint8):
        check_calls(handled, *((a, np.array([1, 2, 3], dtype)) for a in NUMBERS))
    check_calls(plain, *((a, np.array([1, 2, 3])) for a in NUMBERS))


@each("name", ["float16", "float32", "float64", "int8", "int64", "uint64", "bool_", "complex64"])
def test_numbers_of_numpy_of_complex_ones(name):
    body = f"try:\n    return np.{name}(z)\nexcept TypeError as error:\n    return str(error)"
    check_calls(function_of(body, "z"), (2 + 1j,), (0j,), (-1j,))


@each(
    "expression",
    [
        *("a ** k", "k ** a", "a << k", "np.where(a > 0, a, k)"),
        *("np.maximum(a, k)", "a // k", "a == k", "np.gcd(a, k)", "np.fmax(a, k)"),
        *("np.clip(a, 0, k)", "np.clip(a, k, None)", "a.clip(k)", "k >> a"),
    ],
)
def test_integers_beside_small_ones(expression):
    body = f"try:\n    return {expression}\nexcept (OverflowError, ValueError) as error:\n"
    small, large = np.array([1, 2], np.uint8), np.array([1, 2], np.int8)
    calls = [(small, -1), (small, 3), (large, 300), (large, 2), (np.uint8(3), -1)]
    check_calls(function_of(f"{body}    return str(error)", "a, k"), *calls)


POWERS = ("float(10**n)", "np.float64(10**n)", "10**n * 1.5", "[10**n][0] / 3")


@each("expression", POWERS)
def test_powers_that_no_floating_point_number_is_as_large_as(expression):
    for made in ("n", "int(v)", "round(v * 2)"):
        body = f"n = {made}\nreturn {expression}"
        handled_error = handled(body, "(OverflowError, TypeError)", "n, v", text=True)
        check_calls(handled_error, (3, 5.0), (400, 800.0), (-2, -1.0), (20, 25.0))


GROWING = (
    "for i in range(int(v)):\n    k *= 10",
    "while n > 0:\n    k *= 10\n    n -= 1",
    "a = 1\nfor i in range(int(v)):\n    k, a = a, k + a",
    "for i in range(int(v)):\n    k = k * 10 if i % 2 else k",
)


@each("loop", GROWING)
def test_integers_that_a_loop_lets_grow(loop):
    for expression in ("float(k)", "k * 1.5", "k + v"):
        before = f"k = 1\nn = int(v)\n{loop}"
        body = handled(f"return {expression}", "OverflowError", "v", before, text=True)
        check_calls(body, (3.5,), (1600.5,), (5.5,), (1.5,))


STORED = (
    *("return np.array([2**n], dtype=np.int64)", "return np.full(2, 2**n, dtype=np.int64)"),
    *("return np.array([1, 2]) * 2**n", "y = np.zeros(2, int)\ny[0] = 2**n\nreturn y"),
    *("return sum([2**n, 1]) * 1.0", "return np.array([2**n])", "return np.zeros(2) + 2**n"),
    *("return max(range(n))", "return min(range(n, 2))"),
)


@each("body", STORED)
def test_integers_of_more_bits_than_arrays_take(body):
    for made in ("int(v)", "round(v * 1.0)"):
        errors = "(OverflowError, ValueError)"
        check_calls(
            handled(body, errors, "v", f"n = {made}", text=True),
            (3.2,),
            (70.2,),
            (2000.2,),
            (0.2,),
        )
