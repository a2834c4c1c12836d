"""Functions of Python's and NumPy's that call the user's, keep results, or decide by values.

``functools.lru_cache``, ``np.vectorize``, ``np.apply_along_axis``, ``np.piecewise``, ``np.emath``
and ``np.arange`` of measured bounds: each through one compiled object.
"""

from __future__ import annotations

import bisect
import functools
import heapq
import itertools
import math

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from gradsmith.errors import UnsupportedError
from helpers import each

RANDOM = np.random.default_rng(7)
ROWS = [(RANDOM.normal(size=n),) for n in (5, 7, 2)]
ROWS += [(-ROWS[0][0],)]
POSITIVE = [(np.abs(x),) for (x,) in ROWS]


@functools.cache
def leaky(a):
    return a if a > 0 else 0.1 * a


@functools.cache
def scaled(a, *, by=2.0):
    return a * by


@functools.lru_cache
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


class Box:
    def __init__(self, side):
        self.side = side

    @functools.cached_property
    def area(self):
        return self.side**2

    @functools.lru_cache(maxsize=8)  # noqa: B019
    def times(self, k):
        return self.side * k if self.side > 0 else -self.side

    def one(self, t):
        return self.side * t if t > 0 else 0.0


@np.vectorize
def bump(t, height=0.5):
    return 1.0 if t > 1 else height * t


def steps(t):
    if t < -0.5:
        return 0
    return t * 2


NAMES = {
    "Box": Box,
    "bump": bump,
    "fibonacci": fibonacci,
    "functools": functools,
    "leaky": leaky,
    "math": math,
    "scaled": scaled,
    "steps": steps,
}

CACHED = {
    "of traced numbers": "return leaky(x[0]) * leaky(x[0]) + leaky(-x[1])",
    "in a loop": "return sum(leaky(v) * scaled(v, by=v) for v in x)",
    "of plain numbers": "return sum(fibonacci(k + 3) * v for k, v in enumerate(x))",
    "methods": "b = Box(x[0])\nreturn b.area + b.times(2) + b.times(3)",
    "of objects in a list": "return sum(b.times(2) for b in [Box(x[0]), Box(x[1])])",
    "made here": """
        @functools.lru_cache(None)
        def best(i):
            if i >= len(x):
                return 0.0
            return max(best(i + 1), x[i] + best(i + 2))
        return best(0) * 1.0""",
    "with traced arguments": """
        @functools.cache
        def power(b, k):
            return 1.0 if k == 0 else b * power(b, k - 1)
        return power(x[0], 3) + power(x[1], 2)""",
    "in branches": """
        @functools.lru_cache(None)
        def item(n):
            return x[n] * 2
        a = item(0) if x[0] > 0 else item(1)
        return a + item(0)""",
}


def body_of(text):
    return "\n".join(line.removeprefix("        ") for line in text.split("\n"))


@pytest.mark.parametrize("name", CACHED)
def test_cached_functions(name):
    check_calls(function_of(body_of(CACHED[name]), **NAMES), *ROWS)


def test_a_cache_calls_once_for_equal_arguments():
    calls = []

    def f(x):
        @functools.cache
        def square(v):
            calls.append(1)
            return v * v

        return square(x[0]) + square(x[0])

    gs.compile(f)(np.array([2.0]))
    assert len(calls) <= 2


def test_effects_of_a_cached_function_are_refused():
    @functools.cache
    def told(a):
        print("new")
        return a

    with pytest.raises(UnsupportedError, match="keeps its results"):
        gs.compile(lambda a: told(a) + told(a))(1.0)


MAPPED = [
    "np.sum(np.vectorize(lambda t: t**2 + 1)(x))",
    "np.sum(np.vectorize(lambda a, b: a * b if a > b else a - b)(x, 0.5))",
    "np.sum(bump(x) + bump(x, 0.1) + bump(x, height=0.2))",
    "np.sum(np.vectorize(math.exp)(x) * np.vectorize(np.sin)(x[0]))",
    "np.vectorize(lambda t: (t, t * t))(x)[1]",
    "np.vectorize(lambda t, p: t**p, excluded=['p'])(x, p=2)",
    "np.vectorize(steps, otypes=[float])(x)",
    "np.vectorize(steps)(x)",
    "np.vectorize(lambda t: max(0, t))(x)",
    "np.vectorize(lambda t: (1 if t > 0 else 0) * 2)(x)",
    "np.vectorize(lambda t: t > 0)(x)",
    "np.vectorize(lambda t: t * x[0])(np.arange(3.0))",
    "np.sum(np.vectorize(Box(x[1]).one)(x))",
    "np.vectorize(lambda a, b: a * b)(np.outer(x, x), x)",
    "np.sum(np.apply_along_axis(lambda r: r / (1 + np.sum(r**2)), 1, np.outer(x, x + 2)))",
    "np.apply_along_axis(np.sum, 0, np.outer(x, x))",
    "np.apply_along_axis(lambda c, k: np.outer(c, c) * k, 0, np.outer(x, x), 2.0)",
    "np.apply_along_axis(lambda r: [r[0], r[1] * 2], -1, np.outer(x, x))",
    "np.apply_along_axis(lambda r: r.max() - r.min(), 0, x)",
    "np.apply_over_axes(np.sum, np.outer(x, x), [0, 1])",
    "np.sum(np.fromfunction(lambda i, j: 1 / (i + j + 1), (len(x), len(x))) @ x)",
    "np.fromfunction(lambda i, k: i * k * x[0], (3,), k=2)",
    "np.sum(np.piecewise(x, [x < 0, x >= 0], [lambda t: -t, lambda t: t**2]) * x)",
    "np.piecewise(x, x < 0, [lambda t: t / np.max(np.abs(t)), 1.0])",
    "np.piecewise(x, [x < 0, x > 1], [lambda t, k: t * k, lambda t, k: t**k, 5.0], 2)",
    "np.piecewise(x[0], [x[0] < 1, x[0] >= 1], [lambda t: t, lambda t: t**2])",
    "np.vectorize(lambda t: print(t) or t * 2)(x)",
]


@pytest.mark.parametrize("expression", MAPPED)
def test_mapped_functions(expression, capsys):
    f = function_of(expression, **NAMES)
    check_calls(f, *ROWS)
    capsys.readouterr()
    if "print" in expression:
        f(*ROWS[0])
        plain = capsys.readouterr().out
        gs.compile(f)(*ROWS[0])
        assert capsys.readouterr().out == plain


@pytest.mark.parametrize(
    "expression",
    ["np.vectorize(steps, otypes=[float])(x)", "np.apply_along_axis(np.sum, 0, np.outer(x, x))"],
)
def test_source_of_mapped_functions_does_not_depend_on_the_length(expression):
    compiled = gs.compile(function_of(expression, **NAMES))
    assert compiled.source(np.ones(5)) == compiled.source(np.ones(9))


SHOWN = [
    ("np.vectorize(lambda t: [t])(x)", "something else than numbers"),
    ("np.nditer([x, None])", "np.ndenumerate"),
    ("np.apply_along_axis(lambda r: 0 if r[0] < 0 else r[1], 1, np.outer(x, x))", "0.0 for 0"),
]


@pytest.mark.parametrize(("expression", "text"), SHOWN)
def test_what_stays_refused_names_a_way(expression, text):
    with pytest.raises(UnsupportedError, match=text):
        gs.compile(function_of(expression, **NAMES))(ROWS[0][0])


EMATH = [
    "np.sum(np.emath.sqrt(x) * np.emath.log(x) * np.emath.power(x, 1.5))",
    "np.sum(np.emath.log2(x) + np.emath.log10(x) + np.emath.logn(3, x))",
    "np.sum(np.emath.arcsin(x / 9) + np.emath.arccos(x / 9) + np.emath.arctanh(x / 9))",
    "np.lib.scimath.sqrt(x[0])",
]
COMPLEX = [
    "np.emath.sqrt(x)",
    "np.emath.power(x, 2), np.emath.power(x, -1), np.emath.power(2, x)",
    "np.emath.arcsin(x), np.emath.log(x.astype(np.float32))",
    "np.abs(np.emath.sqrt(x[0]))",
]


@each("expression", EMATH)
def test_emath_of_real_results(expression):
    check_calls(function_of(expression), *POSITIVE)


@each("expression", COMPLEX)
def test_emath_turns_complex_where_values_ask_for_it(expression):
    compiled = gs.compile(f := function_of(expression))
    for arguments in (*ROWS, *POSITIVE, *ROWS):
        with np.errstate(all="ignore"):
            actual, expected = compiled(*arguments), f(*arguments)
        np.testing.assert_equal(actual, expected)
        assert [a.dtype for a in np.atleast_1d(actual)] == [
            e.dtype for e in np.atleast_1d(expected)
        ]


TABLES = [(RANDOM.normal(size=shape),) for shape in ((3, 4), (4, 2), (2, 2), (1, 3))]
GRIDS = [
    "sum(x[i, j]**2 * (i + 1) for i, j in np.ndindex(x.shape))",
    "sum(x[i, j] * i for i, j in itertools.product(range(x.shape[0]), range(x.shape[1])))",
    "sum(x[i, j]**(k + 1) for i, j, k in np.ndindex(x.shape + (2,)))",
    "sum(i * v for (i, j), v in np.ndenumerate(x.T)) + sum(v for _, v in np.ndenumerate(x[0]))",
    "np.array([x[at] * 2 for at in np.ndindex(x.shape)])",
    "[a * b for a, b in itertools.combinations(x[0], 2)]",
    "sum(a * b for a, b in itertools.combinations_with_replacement(x[:, 0], 2))",
    "sum(a - 2 * b for a, b in itertools.permutations(x[:, 0], 2)) + x[0, 0]",
    "sum(x[0, i] * x[0, j] * (j - i) for i, j in itertools.combinations(range(x.shape[1]), 2))",
    "max(a * b for a, b in itertools.product(x[0], x[0][1:]))",
    "next(itertools.product(x[0], x[0]))[1] * len(list(itertools.product(x[0], x[0])))",
    """
        y = x * 1
        for i, j in itertools.product(range(1, x.shape[0]), range(1, x.shape[1])):
            y[i, j] += y[i - 1, j] * y[i, j - 1]
        return np.sum(y * y)""",
    """
        y = np.zeros_like(x)
        for (i, j), v in np.ndenumerate(x):
            if v > 0:
                y[i, j] = v**2 * (i - j)
            else:
                y[i, j] = -v
        return np.sum(y)""",
    """
        n = x.shape[1]
        d = np.zeros((n, n))
        for i, j in itertools.combinations(range(n), 2):
            d[i, j] = d[j, i] = (x[0, i] - x[0, j])**2
        return np.sum(d * d)""",
    """
        for i, j in itertools.product(range(x.shape[0]), range(x.shape[1])):
            if x[i, j] > 0.5:
                return x[i, j] * (i + 2 * j)
        return x[0, 0] * 0""",
]


@pytest.mark.parametrize("body", GRIDS)
def test_iterators_over_grids(body):
    check_calls(function_of(body_of(body), itertools=itertools), *TABLES)


@each("body", [g for g in GRIDS if "next(" not in g and g[0] != "["])
def test_source_of_grids_does_not_depend_on_the_size(body):
    f = function_of(body_of(body), itertools=itertools)
    few, many = (gs.compile(f).source(np.ones(s)).count("\n") for s in ((3, 4), (5, 7)))
    assert few == many


HEAPS = {
    "pushed": """
        h = []
        for v in x:
            heapq.heappush(h, v)
        return heapq.heappop(h) * 2 + sum(i * v for i, v in enumerate(h))""",
    "all functions": """
        h = list(x)
        heapq.heapify(h)
        a = heapq.heappop(h)
        b = heapq.heapreplace(h, a * 3)
        c = heapq.heappushpop(h, b)
        return a + 2 * b + 3 * c + sum(i * v for i, v in enumerate(h))""",
    "pairs": "h = [(v, i) for i, v in enumerate(x)]\nheapq.heapify(h)\nreturn h[0][0] * h[0][1]",
    "the least": """
        return sum(heapq.nlargest(2, x)) + heapq.nsmallest(2, list(x), key=lambda v: -v)[1]""",
    "sorted lists": """
        l = []
        for v in x:
            bisect.insort(l, v)
        return sum(i * v for i, v in enumerate(l)) * 1.0""",
    "shortest paths": """
        n = len(x)
        far, queue = {0: 0.0}, [(0.0, 0)]
        while queue:
            d, u = heapq.heappop(queue)
            for v in range(n):
                w = d + abs(x[u] - x[v]) ** 0.5 + 0.1 * (v - u) ** 2
                if v not in far or w < far[v]:
                    far[v] = w
                    heapq.heappush(queue, (w, v))
        return sum(far.values())""",
    "empty": "h = []\nreturn heapq.heappop(h)",
}


@pytest.mark.parametrize("name", HEAPS)
def test_heaps(name):
    f = function_of(body_of(HEAPS[name]), heapq=heapq, bisect=bisect)
    check_calls(f, *[(x[:4],) for (x,) in ROWS])


@functools.singledispatch
def size_of(a):
    return a * 1.0


@size_of.register
def _(a: list):
    return sum(a) * 2.0


@size_of.register(float)
def _(a):
    return a * 3.0 if a > 1 else a


@size_of.register
def _(a: np.ndarray):
    return np.sum(a**2)


@size_of.register
def _(a: Box):
    return a.side * 4 if a.side > 0 else 0.0


class Sized:
    @functools.singledispatchmethod
    def size(self, a):
        return a * 1.0

    @size.register
    def _(self, a: np.ndarray):
        return np.sum(a) * 7


DISPATCHED = ["size_of(x) + size_of([x[0], x[1]]) + size_of(x[0]) + size_of(Box(x[1]))"]
DISPATCHED += ["Sized().size(x) + Sized().size(x[0])"]


@pytest.mark.parametrize("expression", DISPATCHED)
def test_singledispatch(expression):
    check_calls(function_of(expression, size_of=size_of, Sized=Sized, Box=Box), *ROWS)


OBJECTS = {
    "not there yet": """
        z = np.array([[None] * 2]).T
        if x[0] > 0.4:
            z = x[:2].reshape(2, 1)
        else:
            z = x[:2, None] * 2
        return np.sum(z)""",
    "asked for": "z = np.array([None, None])\nreturn x * 2 if z[0] is None else x",
    "full": "z = np.full(3, None)\nreturn x * len(z) * (z[0] is None)",
    "names": """
        names, t = np.array(['a', 'b']), 0.0
        for name in names:
            if name == 'a':
                t += x[0]
            else:
                t += x[1]**2
        return t + names.shape[0]""",
    "masks": """
        labels = np.array(['u', 'v', 'u'])
        return np.sum(x[:2][labels[:2] == 'u']**2) + len(np.unique(labels)) * x[0]""",
}


@each("name", OBJECTS)
def test_arrays_of_strings_and_of_none(name):
    check_calls(function_of(body_of(OBJECTS[name])), *ROWS)


def test_writes_to_arrays_of_objects_name_lists():
    with pytest.raises(UnsupportedError, match=r"\[None\] \* n"):
        gs.compile(function_of("z = np.empty(3, dtype=object)\nz[0] = x\nreturn z[0]"))(ROWS[0][0])


BOUNDS = [
    ("np.sum(np.arange(0.0, x, x / n)**2)", [(1.0, 5), (2.0, 4), (1.5, 6)]),
    ("np.arange(x)", [(1.0, 1), (2.5, 1), (-1.0, 1)]),
    ("np.arange(x, x * n, x)", [(np.float64(1.0), 3), (np.float64(0.3), 8)]),
    ("np.diff(np.append(np.arange(0, x, 0.5, dtype=float), x))", [(1.7, 1), (3.0, 1)]),
    ("np.arange(0, 2.0, x)", [(0.5, 1), (0.3, 1), (0.0, 1)]),
    ("np.arange(0, x, x / n) * np.arange(n)", [(1.0, 5), (2.0, 4)]),
    ("t = np.arange(0, x, 0.25)\nreturn sum(v * x for v in t) + len(t)", [(1.1, 1), (2.1, 1)]),
]


@each(("body", "calls"), BOUNDS)
def test_arange_of_measured_bounds(body, calls):
    check_calls(function_of(body, parameters="x, n"), *calls, messages=False)


KINDS = [
    "np.asarray(0 if x[0] < 0 else x[0]).dtype.kind",
    "(lambda a: (isinstance(a, int), isinstance(a, float), type(a).__name__))(steps(x[0]))",
    "(lambda a: a if isinstance(a, float) else 5.0)(max(0, x[0]))",
]


@pytest.mark.parametrize("expression", KINDS)
def test_the_class_of_a_number_that_a_branch_decides(expression):
    compiled = gs.compile(f := function_of(expression, **NAMES))
    for arguments in (*ROWS, *ROWS[::-1]):
        assert compiled(*arguments) == f(*arguments)


def test_the_hits_of_a_cache_are_not_made_up():
    def f(x):
        @functools.lru_cache(None)
        def power(n):
            return x if n == 0 else power(n - 1) * x

        return power(3) * power.cache_info().hits

    with pytest.raises(gs.GradsmithError, match="hits of the cache"):
        gs.compile(f)(1.5)


BY_SIGNATURE = {
    "sums of products": (lambda a, b: np.sum(a * b), "(n),(n)->()"),
    "rows": (lambda r, s: r / np.sum(np.abs(r)) + s[0], "(n),(n)->(n)"),
    "numbers beside rows": (lambda r, s: r[0] * s, "(n),()->()"),
    "two results": (lambda r, s: (r * s, np.sum(r)), "(n),(n)->(n),()"),
}


@each("name", BY_SIGNATURE)
def test_vectorize_with_a_signature(name):
    function, signature = BY_SIGNATURE[name]

    def f(x):
        mapped = np.vectorize(function, signature=signature)
        return mapped(np.outer(x, x + 1), x), mapped(x, x)

    def total(x):
        parts = [p for made in f(x) for p in (made if isinstance(made, tuple) else (made,))]
        return sum(np.sum(part**2) for part in parts)

    compiled, gradient = gs.compile(f), gs.grad(total)
    for size in (3, 4, 1):
        x = np.arange(size) + 0.5
        assert repr(compiled(x)) == repr(f(x))
        steps = np.eye(size) * 1e-6
        expected = [(total(x + e) - total(x - e)) / 2e-6 for e in steps]
        np.testing.assert_allclose(gradient(x), expected, rtol=1e-6)


def test_vectorize_checks_the_sizes_of_a_signature():
    mapped = np.vectorize(np.dot, signature="(n),(n)->()")
    for arguments in ((np.ones(3), np.ones(2)), (np.ones(3), 1.0)):
        with pytest.raises(ValueError, match="core dimension") as expected:
            mapped(*arguments)
        with pytest.raises(ValueError, match="core dimension") as found:
            gs.compile(lambda x, y: 2.0 * mapped(x, y))(*arguments)
        assert str(expected.value) in str(found.value)


FROM_ITERATORS = {
    "a generator": lambda x: np.fromiter((v * v for v in x), dtype=float),
    "a condition": lambda x: np.fromiter((v for v in x if v > 0.2), float, count=-1),
    "a list": lambda x: np.fromiter(list(x), float, count=1),
    "a map": lambda x: np.fromiter(map(np.sin, x), float),
}


@each("name", FROM_ITERATORS)
def test_arrays_of_iterators(name):
    f = FROM_ITERATORS[name]
    compiled, gradient = gs.compile(f), gs.grad(lambda x: np.sum(f(x) ** 2))
    for size in (3, 5, 1):
        x = np.arange(size) + 0.5
        assert repr(compiled(x)) == repr(f(x))
        steps = np.eye(size) * 1e-6
        expected = [(np.sum(f(x + e) ** 2) - np.sum(f(x - e) ** 2)) / 2e-6 for e in steps]
        np.testing.assert_allclose(gradient(x), expected, rtol=1e-6, atol=1e-8)


def test_an_iterator_that_is_too_short():
    def f(x):
        return np.fromiter((v for v in x), float, count=5)

    with pytest.raises(ValueError, match="too short"):
        gs.compile(f)(np.ones(3))


CALLED = []


@functools.cache
def writes_outside(x):
    CALLED.append(1)
    return x * x


@pytest.mark.parametrize(
    "fun", [lambda x: writes_outside(x) * 1, lambda x: (double(x), double.cache_info().hits)]
)
def test_what_only_the_first_call_does_is_refused(fun):
    with pytest.raises(gs.GradsmithError, match=r"keeps its results|hits of the cache"):
        gs.compile(fun)(2.0)


@functools.cache
def double(x):
    return 2 * x
