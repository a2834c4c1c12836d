"""``map``, ``filter``, ``reduce``, ``sorted``, ``max`` with a key, ``itertools``, ``deque``.

Each through one compiled object, at several lengths and orders of the values.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections import Counter, OrderedDict, deque

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of


def row(n, seed=0):
    return np.random.default_rng(seed).normal(size=n)


ROWS = [(row(5),), (row(7, 1),), (row(5, 2),), (row(2, 3),), (row(1),)]


def squared(t):
    if t > 0:
        return t * t + t
    return t * t - t


def is_large(t):
    return t > -0.4


NAMES = {
    "Counter": Counter,
    "OrderedDict": OrderedDict,
    "deque": deque,
    "functools": functools,
    "is_large": is_large,
    "itertools": itertools,
    "math": math,
    "operator": operator,
    "squared": squared,
}

EXPRESSIONS = [
    "sum(map(squared, x))",
    "sum(map(lambda a, b: squared(a) * b, x, x[1:])) + x[0]",
    "max(map(abs, x))",
    "list(map(squared, x))",
    "sum(map(lambda i: x[i] * i, range(len(x))))",
    "any(map(is_large, x)) * x[0]",
    "sum(map(int, ['1', '2'])) * x[0]",
    "sum(filter(is_large, x), 0.0 * x[0])",
    "max(filter(lambda a: a > -100, x))",
    "sum(x[i] for i in filter(lambda i: i % 2 == 0, range(len(x))))",
    "len(list(filter(None, range(len(x))))) * x[0]",
    "sorted(x)",
    "sorted(x, reverse=True)[0]",
    "sorted(x, key=abs)[-1]",
    "sum(a * i for i, a in enumerate(sorted(x, key=lambda a: -a * a)))",
    "x[sorted(range(len(x)), key=lambda i: x[i])[0]] * 2",
    "sorted(zip(x, x * 2), key=lambda p: p[1])[0][0]",
    "sorted([x[0], x[-1], x[0] * 2])[1]",
    "sorted(range(len(x)), key=lambda i: -i)[0] * x[0]",
    "sorted({'b': x[0], 'a': x[-1]}.items(), key=lambda pair: pair[1])[0][1]",
    "max(x, key=abs)",
    "min(x, key=lambda a: (a - 0.5) ** 2)",
    "x[max(range(len(x)), key=lambda i: x[i])] * 2",
    "max(enumerate(x), key=lambda p: p[1])[1]",
    "min((abs(a), a) for a in x)[1]",
    "max([x, x * 2], key=lambda r: r[0])[-1]",
    "max(x[0], x[-1], key=abs)",
    "min((a - b for a, b in zip(x, x[::-1] * 2)), key=abs)",
    "max(((v, i) for i, v in enumerate(x)), key=lambda p: p[0])[1] * x[0]",
    "max((a * b + c for a, (b, c) in zip(x, zip(x, x))), key=abs, default=0.0)",
    "min(x[:0], default=2.5) * x[0]",
    "max((a * a for a in x), default=0.0)",
    "max(['a', 'bb'], key=len) == 'bb' and x[0]",
    "any([a > 0 for a in x]) * x[0]",
    "sum(i * a for i, a in enumerate(x, start=3))",
    "sum(a * 0.5**i for i, a in enumerate(reversed(x)))",
    "sum([x, x * 2], start=np.zeros(len(x)))",
    "sum(a * b for a, b in itertools.product(x, x))",
    "list(itertools.accumulate(x, lambda s, a: 0.5 * s + a, initial=1.0))[-1]",
    "sum(itertools.chain(x, x[1:]))",
    "sum(itertools.chain.from_iterable([x, x * 2]))",
    "sum(a * b for a, b in itertools.combinations(x, 2)) + x[0]",
    "sum(b - a for a, b in itertools.pairwise(x)) + x[0]",
    "sum(itertools.islice(x, 1, None, 2)) + x[0]",
    "sum(a - b for a, b in itertools.zip_longest(x, x[1:], fillvalue=0.0))",
    "sum(a * b for a, b in zip(x, itertools.repeat(2.0)))",
    "sum(i * a for i, a in zip(itertools.count(1), x))",
    "sum(itertools.starmap(operator.mul, zip(x, x)))",
    "functools.reduce(operator.mul, x)",
    "functools.reduce(lambda s, a: 0.5 * s + squared(a), x, 1.0)",
    "max((a * a, a) for a in x if a < 1e9)",
    "min(enumerate([a for a in x if a > -1e9]))[1]",
    "min(zip([a for a in x if a > -1e9], range(9)))",
    "max(([a, 1.0] for a in x if a > 0), default=x[0])",
    "functools.reduce(max, x)",
    "functools.reduce(np.minimum, [x, x * x, -x])",
    "operator.itemgetter(0, -1)(x)[1]",
    "operator.methodcaller('sum')(x) + operator.neg(x[0]) * operator.truediv(x[-1], 2)",
    "operator.not_(x[0] > 0) * x[-1] + operator.truth(x[0] > 0) * x[0]",
    "[a if a > 0 else -a for a in x]",
    "{i: a * 2 for i, a in enumerate(x) if i != 1}",
    "sum({i: x[i] * 2 for i in range(len(x))}.values())",
    "len({i % 3 for i in range(len(x))}) * x[0]",
    "(y := x.sum()) * y",
    "getattr(np, 's' + 'in')(x[0]) * len('a,b'.split(',')) * float('1.5')",
]


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions(expression):
    if "pairwise" in expression and not hasattr(itertools, "pairwise"):
        pytest.skip("new in Python 3.10")
    check_calls(function_of(expression, **NAMES), *ROWS)


STATEMENTS = {
    "sorted in place": "l = list(x)\nl.sort(key=lambda a: -a)\nreturn l[0] * 2 + l[-1]",
    "median": """
        q = sorted(x)
        n = len(q)
        return q[n // 2] if n % 2 else 0.5 * (q[n // 2 - 1] + q[n // 2])""",
    "a key that changes in a loop": """
        m = 0.0 * x[0]
        for i in range(3):
            m += max(x, key=lambda a: abs(a - m))
        return m""",
    "sorted slices in a loop": """
        out = 0.0 * x[0]
        for i in range(len(x)):
            out += sorted(x[:i + 1])[0]
        return out""",
    "a filter in a for": """
        s = 0.0 * x[0]
        for a in filter(is_large, x):
            s += a
        return s""",
    "an iterator is used up": """
        m, f = map(squared, x), filter(lambda i: i > 0, range(len(x)))
        return sum(m) + sum(m) + sum(f) + 10 * sum(f)""",
    "a window": """
        d, s = deque([0.0 * x[0]] * 3, maxlen=3), 0.0 * x[0]
        for a in x:
            d.append(a)
            s += d[0] * a
        return s + sum(d)""",
    "a queue": """
        d, s = deque(), 0.0 * x[0]
        for a in x:
            d.append(a * 2)
        while d:
            s = 0.5 * s + d.popleft()
        return s""",
    "a deque from the other end": """
        d, s = deque([0.0 * x[0]] * 3), 0.0 * x[0]
        for a in x:
            d.appendleft(a)
            d.pop()
            s += d[0] * a + d[-1]
        return s""",
    "a deque in a branch": """
        d = deque([1.0, 2.0])
        if x[0] > 0:
            d.append(x[0])
        else:
            d.append(x[0] * 2)
        d.rotate(1)
        return sum(d) * d[0]""",
    "methods of a deque": """
        d = deque([1.0, 2.0])
        d[0] = x[0]
        d.extend([x[-1]])
        d.extendleft([3.0])
        d.remove(2.0)
        e = d.copy()
        d.clear()
        return e[0] * e[1] + len(d)""",
    "any ends before the rest is named": """
        if any((w := a) < -0.4 for a in x):
            return w * 3
        return sum(x)""",
    "all ends before the rest is named": """
        return x[0] if all((w := a) > -0.4 for a in x) else w * x[0]""",
    "all ends before the rest is stored": """
        log = []
        flag = all(log.append(a) or a > -0.4 for a in map(squared, list(x)))
        return sum(log) * len(log) + flag * x[0]""",
    "any ends before a filter asks on": """
        log = []
        flag = any(filter(lambda a: log.append(a) or a > 0.1, x))
        return sum(log) * len(log) + flag * x[0]""",
    "any ends before a generator goes on": """
        log = []
        def ask():
            try:
                for a in x:
                    log.append(a)
                    yield a < 0
            finally:
                log.append(x[0])
        flag = any(ask())
        return sum(log) * len(log) + flag * x[0]""",
    "any ends before a counter counts on": """
        n = 0
        def ask(a):
            nonlocal n
            n += 1
            return a < 0
        flag = any([ask(a) for a in x]) + 2 * any(ask(a) for a in x)
        return x[0] * n + flag""",
    "any ends before the next call may fail": """
        return x[0] + any(math.log(float(a) + 0.5) > -0.3 for a in x.tolist() if a > -0.4)""",
    "any leaves the rest of an iterator": """
        it = iter(x)
        flag = any(a < 0 for a in it)
        return sum(it) * 3 + flag * x[0]""",
    "any leaves the rest of a generator": """
        g = (a * a for a in x.tolist())
        flag = any(a > 0.4 for a in map(abs, g))
        return sum(g) * 3 + flag * x[0]""",
    "a variable of the function around is set in a branch": """
        total = 0.0
        def add(a):
            nonlocal total
            total += a
        def scale(a):
            nonlocal total
            total *= a
        for a in x:
            if a > 0:
                add(a)
            else:
                scale(a)
        return total + x[0]""",
    "a variable of the function around counts trips": """
        place = 0
        def following():
            nonlocal place
            place += 1
            return x[place - 1]
        total = 0.0
        while place < len(x):
            total = total * 0.5 + following()
        return total * place""",
    "attributes of a function change in a loop": """
        def add(a):
            add.total = add.total + a
            add.seen.append(a)
            return add.total
        add.total, add.seen = 0.0, []
        t = sum(add(a) for a in x)
        for a in x:
            t += add(a) * len(add.seen)
        return t * add.total + add.seen[0]""",
    "sorted numbers of Python's": """
        l = x.tolist()
        l.sort(key=abs)
        m = sorted(l, reverse=True)
        return [l[0], m[0], max(l), sorted(x)[0], sorted([x[0], l[0]])[0]]""",
    "numbers of Python's by an index that changes": """
        l, t = [float(x[0]), float(x[-1]), 2.5 * float(x[0])], 0.0
        for i in range(len(x)):
            t = l[i % 3]
        return [t, l[len(x) % 3]]""",
    "rows of a list that grows": """
        r = [float(x[0])]
        for i in range(len(x)):
            r.append(r[-1] * 0.5 + r[max(0, i - 2)])
        return [r[-1] * len(r), r[0]]""",
    "a loop leaves some of an iterator": """
        pairs, t = enumerate(x), 0.0
        for i, a in pairs:
            t += a * i
            if a < 0:
                break
        return t + sum(i * a for i, a in pairs) * 10""",
    "a loop goes on with an iterator": """
        pairs, t = zip(x, range(9)), 0.0
        while True:
            for a, i in pairs:
                t += a * i
                if a < 0:
                    t *= 2
                    break
            else:
                break
        return t""",
    "any leaves some of an iterator": """
        pairs, absolute = enumerate(x), map(abs, x)
        found = any(a < 0 for i, a in pairs)
        large = any(map(lambda a: a > 0.3, absolute))
        return sum(i * a for i, a in pairs) + found * x[0] + sum(absolute) * large""",
    "zip leaves some of an iterator": """
        doubled = map(lambda a: a * 2, x)
        t = sum(a * b for a, b in zip(doubled, [1.0]))
        return t + sum(doubled) * 100""",
    "NumPy's functions of a deque": """
        window, t = deque(maxlen=2), 0.0
        for a in x:
            window.append(a)
            t += np.mean(window) * np.max(window) + np.sum(np.array([window, window]))
        return t""",
    "dict.fromkeys": """
        d = dict.fromkeys("ab", x[0])
        d["a"] *= 2
        shared = dict.fromkeys("ab", [])
        shared["a"].append(x[-1])
        return d["a"] * d["b"] + sum(shared["b"]) * len(OrderedDict.fromkeys("aab", x[0]))""",
    "an iterator is used up in a branch": """
        it, s = iter(x), 0.0
        if x[0] > 0:
            s = sum(a for a in it)
        return s + sum(it) * 3""",
    "a generator is used up in a branch": """
        g = (a * a for a in x.tolist())
        s = max(a for a in g) if x[0] > 0 else 0.0
        return s + sum(g) * 3""",
    "an iterator is used up in a loop": """
        it, s = iter(x.tolist()), 0.0
        for a in x:
            if a > 0:
                s += sum([b for b in it])
        return s + sum(it) * 3""",
    "an ordered dict in a branch": """
        d = OrderedDict((i, a) for i, a in enumerate(x))
        if x[0] > 0:
            d.move_to_end(0)
        return sum(i * a for i, a in enumerate(d.values())) + x[0]""",
    "a counter in a branch": """
        c = Counter(a=1, b=2)
        if x[0] > 0:
            c.subtract(a=3)
        return x[0] * c["a"] + x[-1] * c["b"]""",
    "starred": "a, *b = x\n*c, d = [x[0], 2.0, x[-1]]\nreturn a * d + len(b) + sum(c)",
    "match": """
        match x.shape:
            case (5,):
                return x.sum()
            case (n,) if n > 5:
                return x[0] * n
            case _:
                return x[-1]""",
    "try around what is not traced": """
        s = 0.0 * x[0]
        for a in x:
            try:
                k = {'a': 1}['b']
            except KeyError:
                k = 2
            finally:
                s += 1
            s += a * k
        return s""",
    "errstate": """
        s = 0.0 * x[0]
        for a in x:
            with np.errstate(all='ignore'):
                if a > 0:
                    s += np.log(a)
        return s""",
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements(name):
    body = "\n".join(line.removeprefix("        ") for line in STATEMENTS[name].split("\n"))
    check_calls(function_of(body, **NAMES), *ROWS)


@pytest.mark.parametrize(
    "expression", ["max(x, key=abs)", "sorted(x, key=abs)[0]", "sum(map(squared, x))"]
)
def test_one_code_serves_all_orders_and_lengths(expression):
    gradient = gs.grad(function_of(expression, **NAMES))
    assert gradient.source(row(9)) == gradient.source(row(30, 1))


def _skipped(x):
    total, pairs = 0.0, enumerate(x)
    for _, v in pairs:
        next(pairs, None)
        total += v
    return total


def _skipped_in_a_branch(x):
    total, pairs = 0.0, zip(x, x, strict=True)
    for a, b in pairs:
        if a < 2:
            next(pairs, None)
        total += a * b
    return total


def _drop(values):
    next(values, None)


def _skipped_by_a_helper(x):
    total, values = 0.0, reversed(x)
    for v in values:
        _drop(values)
        total += v
    return total


def _pairs_of_one_iterator(x):
    total, values = 0.0, map(abs, x)
    for v in values:
        total += v * next(values, 1.0)
    return total


def _an_inner_loop_takes_one(x):
    total, pairs = 0.0, enumerate(x)
    for _ in pairs:
        for _, w in pairs:
            total += w
            break
    return total


def _the_first_sums_the_rest(x):
    pairs = enumerate(x)
    return [v + sum(w for _, w in pairs) for _, v in pairs]


def _used_up(x):
    pairs, total = itertools.pairwise(x), 0.0
    for a, b in pairs:
        total += a * b
    return total, list(pairs), next(pairs, None)


def _pairs_of_unequal_length(x):
    total, pairs = 0.0, itertools.zip_longest(x, x[1:])
    for a, b in pairs:
        total += a if b is None else b
        next(pairs, None)
    return total


def _neighbours(x):
    total, pairs = 0.0, itertools.pairwise(x)
    for a, _ in pairs:
        total += a
        next(pairs, None)
    return total


@pytest.mark.parametrize(
    "function",
    [
        *(_skipped, _skipped_in_a_branch, _skipped_by_a_helper, _pairs_of_one_iterator),
        *(_an_inner_loop_takes_one, _the_first_sums_the_rest, _used_up),
        *(_pairs_of_unequal_length, _neighbours),
    ],
)
def test_an_iterator_that_its_own_loop_advances(function):
    compiled = gs.compile(function)
    for values in ([1.0, 2.0, 4.0, 8.0, 16.0], [1.0, 2.0, 4.0], [3.0, 1.0], [0.5]):
        x = np.array(values)
        assert repr(compiled(x)) == repr(function(x))


def _variables(x):
    a, b = x[0] * 2, 3
    held = {name: value for name, value in locals().items() if name != "x"}
    return held, sorted(dir()), "{b}".format(**vars()), a + b


def test_names_that_the_function_sees_are_its_own():
    for values in ([1.0, 2.0], [0.5]):
        x = np.array(values)
        assert repr(gs.compile(_variables)(x)) == repr(_variables(x))


def test_repeat_gives_one_object():
    def taken(values):
        return [len(row) for row in itertools.repeat(values, 2)], list(
            map(sum, itertools.repeat(values, 3))
        )

    def written(values):
        rows = list(itertools.repeat([0.0], len(values)))
        for row, value in zip(rows, values):  # noqa: B905
            row[0] += value
        return rows, rows[0] is rows[-1]

    def grown(values):
        made = [v * 2 for v in values]
        for row, value in zip(itertools.repeat(made), values, strict=False):
            row.append(value)
        table = list(itertools.repeat({"sum": sum(made)}, 2))
        table[0]["last"] = made[-1]
        return made, table[1]

    for function in (taken, written, grown):
        check_calls(function, ([1.5, 2.0, 3.5],), ([2, 1],), ([0.5],))
