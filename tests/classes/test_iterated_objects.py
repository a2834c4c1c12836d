"""Objects of the user's that builtins, comprehensions and `in` go through: step by step, as Python
does, with the effects of each step at each call.
"""

from __future__ import annotations

import itertools
import math
from collections import deque

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

LOG = []


class ByGenerator:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        LOG.append("begin")
        for value in self.values:
            LOG.append("step")
            yield value


class ByIterator:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        LOG.append("iter")
        return iter(self.values)


class ByItems:
    def __init__(self, values):
        self.values = values

    def __getitem__(self, place):
        LOG.append(place)
        return self.values[place]


class BySteps:
    def __init__(self, values):
        self.values, self.place = values, 0

    def __iter__(self):
        return self

    def __next__(self):
        LOG.append("next")
        if self.place >= len(self.values):
            raise StopIteration
        self.place += 1
        return self.values[self.place - 1]


KINDS = [ByGenerator, ByIterator, ByItems, BySteps]


def _logged(value):
    LOG.append("body")
    return value


def _is_large(value):
    return value > 1.7


def comprehension(kind, x, y):
    LOG.append("before")
    made = [_logged(e * 2) for e in kind([x, y])]
    LOG.append("after")
    return made


def generator_expression(kind, x, y):
    return sum(_logged(e) for e in kind([x, y]))


def comprehension_as_an_argument(kind, x, y):
    return max([e * y for e in kind([x, y])], [_logged(x)])


def condition(kind, x, y):
    return [e for e in kind([x, y]) if e > 1.7]


def dict_comprehension(kind, x, y):
    return {k: _logged(e) for k, e in enumerate(kind([x, y]))}


def inner_comprehension(kind, x, y):
    return [_logged(a * b) for a in kind([x, y]) for b in kind([x, y])]


def inner_of_an_array(kind, x, y):
    return [a * b for a in np.array([x, y, x]) for b in kind([x, y])]


def of_an_array(kind, x, y):
    return np.array([e * 2 for e in kind(np.array([x, y]))])


def enumerated(kind, x, y):
    total = 0.0
    for k, e in enumerate(kind([x, y, x])):
        total = total + k * _logged(e)
    return total


def enumerated_until(kind, x, y):
    total = 0.0
    for _k, e in enumerate(kind([x, y, x])):
        if e > 1.7:
            break
        total = total + e
    return total


def enumerated_by_hand(kind, x, y):
    pairs = enumerate(kind([x, y, x]))
    _, first = next(pairs)
    return _logged(first) + next(pairs)[1]


def zipped(kind, x, y):
    return [_logged(a - b) for a, b in zip(kind([x, y]), kind([y, x, x]))]  # noqa: B905


def zipped_strictly(kind, x, y):
    try:
        return [a - b for a, b in zip(kind([x, y, x]), [x], strict=True)]
    except ValueError:
        return [x]


def mapped(kind, x, y):
    return [_logged(e) for e in map(_logged, kind([x, y]))]


def filtered(kind, x, y):
    return [_logged(e) for e in filter(lambda e: e > 1.7, kind([x, y]))]


def any_of(kind, x, y):
    return any(e > 1.7 for e in kind([x, y, x]))


def all_of(kind, x, y):
    return all(map(_is_large, kind([x, y, x])))


def contained(kind, x, y):
    return x in kind([2.0 * y, x, y])


def chained(kind, x, y):
    return [_logged(e) for e in itertools.chain(kind([x, y]), kind([y]))]


def chained_from(kind, x, y):
    nested = kind([kind([x, y]), kind([y])])
    return [_logged(e) for e in itertools.chain.from_iterable(nested)]


def some_of(kind, x, y):
    return [_logged(e) for e in itertools.islice(kind([x, y, x]), 2)]


def taken_while(kind, x, y):
    return [_logged(e) for e in itertools.takewhile(lambda e: e < 1.7, kind([x, y, x]))]


def longest(kind, x, y):
    return [a + b for a, b in itertools.zip_longest(kind([x, y]), kind([x]), fillvalue=1.0)]


def products(kind, x, y):
    return [a * b for a, b in itertools.product(kind([x, y]), kind([y]))]


def collected(kind, x, y):
    return [*deque(kind([x, y])), math.prod(kind([x, y])), *sorted(kind([y, x]))]


def containers(kind, x, y):
    values, named, pairs = [x], dict.fromkeys(kind(["c", "d"]), y), [("a", x), ("b", y)]
    values.extend(kind([x, y]))
    named.update(kind(pairs))
    return values, named, "".join(kind(["a", "b"])), {1, 2}.issuperset(kind([1, 3]))


ITERATING = [
    *(comprehension, generator_expression, comprehension_as_an_argument, condition),
    *(dict_comprehension, inner_comprehension, inner_of_an_array, of_an_array),
    *(enumerated, enumerated_until, enumerated_by_hand, zipped, zipped_strictly),
    *(mapped, filtered, any_of, all_of, contained),
    *(chained, chained_from, some_of, taken_while, longest, products, collected, containers),
]
POINTS = [(1.5, 2.0), (2.0, 1.5), (2.0, 2.5), (0.5, 2.0), (1.5, 2.0)]


def _run(function, *args):
    LOG.clear()
    made = function(*args)
    return repr(made), list(LOG)


@pytest.mark.parametrize("kind", KINDS)
@each("function", ITERATING)
def test_steps_are_taken_as_in_python(function, kind):
    def called(x, y):
        return function(kind, x, y)

    compiled = gs.compile(called)
    for point in POINTS:
        assert _run(compiled, *point) == _run(called, *point)


@pytest.mark.filterwarnings("ignore::gradsmith.TraceTimeEffectWarning")
@each("kind", KINDS)
@each("function", [generator_expression, enumerated_until, enumerated])
def test_a_derivative_leaves_the_outside_as_it_was(function, kind):
    def called(x, y):
        return function(kind, x, y)

    LOG.clear()
    found = gs.grad(called, argnums=(0, 1))(1.5, 2.0)
    assert LOG == []
    for place, slope in enumerate(found):
        shift = np.eye(2)[place] * 1e-6
        ends = (called(1.5 + s * shift[0], 2.0 + s * shift[1]) for s in (1, -1))
        np.testing.assert_allclose(slope, (next(ends) - next(ends)) / 2e-6, rtol=1e-6)


class Truth:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        LOG.append("bool")
        return bool(self.value > 1.7)


class Equal:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        LOG.append("eq")
        return self.value == other.value

    __hash__ = None


ASKING = [
    lambda x, y: any([Truth(x), Truth(y)]),
    lambda x, y: all((Truth(x), Truth(y))),
    lambda x, y: any(Truth(e) for e in ByGenerator([x, y])),
    lambda x, y: Equal(2.0) in [Equal(x), Equal(y)],
    lambda x, y: Equal(2.0) not in (Equal(x), Equal(y), Equal(x)),
    lambda x, y: Equal(2.0) in ByGenerator([Equal(x), Equal(y)]),
]


@each("function", ASKING)
def test_objects_are_asked_one_by_one(function):
    compiled = gs.compile(function)
    for point in POINTS:
        assert _run(compiled, *point) == _run(function, *point)


class Ordered:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        LOG.append("lt")
        return self.value < other.value


class Sequence:
    def __init__(self, values):
        self.values = values

    def __len__(self):
        LOG.append("len")
        return len(self.values)

    def __getitem__(self, place):
        LOG.append(place)
        return self.values[place]


def _values(objects):
    return [one.value for one in objects]


def sorted_in_place(x, y):
    values = [Ordered(x), Ordered(y), Ordered(1.7)]
    values.sort(reverse=True)
    return _values(values)


def removed(x, y):
    values = [Equal(x), Equal(y), Equal(2.0)]
    values.remove(Equal(2.0))
    return _values(values)


def not_removed(x, y):
    values = [Equal(x)]
    try:
        values.remove(Equal(y))
    except ValueError as error:
        return str(error)
    return len(values)


def reversed_in_a_loop(x, y):
    total = 0.0
    for e in reversed(Sequence([x, y])):
        total = total * 2 + _logged(e)
    return total


COMPARING = [
    lambda x, y: _values(sorted([Ordered(x), Ordered(y), Ordered(1.7)])),
    lambda x, y: sorted([x, y, 1.7], key=lambda v: Ordered(-v)),
    lambda x, y: max([x, y, 1.7], key=Ordered),
    lambda x, y: [rank for _, rank in sorted([(Ordered(x), 1), (Ordered(y), 2)])],
    lambda x, y: [Equal(x), Equal(y)].index(Equal(y)),
    lambda x, y: [Equal(x), Equal(y), Equal(2.0)].index(Equal(2.0), 1),
    lambda x, y: (Equal(x), Equal(y)).count(Equal(2.0)),
    lambda x, y: [Equal(x), Equal(y)] == [Equal(y), Equal(y)],
    lambda x, y: [Equal(x), [Equal(y)]] != [Equal(x), [Equal(2.0)]],
    lambda x, y: [Equal(x)] == [Equal(x), Equal(y)],
    lambda x, y: (Equal(x),) == (Equal(x), Equal(y)),
    lambda x, y: [Ordered(x), 1] < [Ordered(y), 2],
    lambda x, y: [e * 2 for e in reversed(Sequence([x, y]))],
    *(sorted_in_place, removed, not_removed, reversed_in_a_loop),
]


@each("function", COMPARING)
def test_objects_are_compared_as_in_python(function):
    compiled = gs.compile(function)
    for point in POINTS:
        assert _run(compiled, *point) == _run(function, *point)


class Meta(type):
    def __getitem__(cls, value):
        LOG.append("item")
        return cls(value)


class Made(metaclass=Meta):
    def __init__(self, value):
        self.value = value


def test_items_of_a_class_are_what_its_metaclass_says():
    def function(x, y):
        return Made[x].value * y if x > y else Made[y].value

    compiled = gs.compile(function)
    for point in POINTS:
        assert _run(compiled, *point) == _run(function, *point)


class Sums:
    """A function that has items, too."""

    def __init__(self, values):
        self.values = values

    def __getitem__(self, place):
        return self.values[place]

    def __call__(self, value):
        return value + self.values[0]

    def __radd__(self, other):
        return other + self.values[0]


def test_only_iterables_are_gone_through():
    def function(x, y):
        sums = Sums([x, y])
        return [*map(sums, [x, y]), *filter(sums, sums), sum([x, y], Sums([y])[0])]

    assert gs.compile(function)(1.5, 2.0) == function(1.5, 2.0)


class Keyed:
    def __init__(self, values):
        self.values = values

    def keys(self):
        LOG.append("keys")
        return self.values.keys()

    def __getitem__(self, key):
        LOG.append(key)
        return self.values[key]

    def __iter__(self):
        LOG.append("iter")
        return iter(self.values)


def test_objects_with_keys_are_dicts_for_dicts_alone():
    def function(x, y):
        named, listed = {"a": y}, [x]
        named.update(Keyed({"a": x, "b": y}))
        listed.extend(Keyed({1: x, 2: y}))
        return named, listed, dict(Keyed({"b": x}))

    compiled = gs.compile(function)
    for point in POINTS:
        assert _run(compiled, *point) == _run(function, *point)


class Doubled(list):
    def __getitem__(self, place):
        return super().__getitem__(place) * 2


def test_items_of_a_list_are_not_how_python_goes_through_it():
    def function(x):
        values = Doubled([x, 3 * x])
        looped = 0.0
        for value in values:
            looped = looped + value
        return sum(values), max(values), list(values), looped, [e + 1 for e in values], values[0]

    assert gs.compile(function)(1.5) == function(1.5)


class Measured(ByItems):
    def __len__(self):
        LOG.append("len")
        return len(self.values)


class MeasuredIterator(ByIterator):
    def __len__(self):
        LOG.append("len")
        return len(self.values)


class Hinting(BySteps):
    def __iter__(self):
        LOG.append("iter")
        return self

    def __length_hint__(self):
        LOG.append("hint")
        return 3


class HintingGenerator(ByGenerator):
    def __length_hint__(self):
        LOG.append("hint")
        return 3


MEASURING = {
    "list": list,
    "list of an iterator": lambda o: list(iter(o)),
    "sorted iterator": lambda o: sorted(iter(o)),
    "reversed": lambda o: list(reversed(o)),
    "sum of reversed": lambda o: sum(reversed(o)),
    "enumerated": lambda o: next(enumerate(iter(o))),
    "largest": lambda o: max(iter(o)),
    "joined": lambda o: [1.0, *o],
}


def extended(o):
    values = [1.0]
    values.extend(o)
    values.extend(iter(o))
    return values


def added(o):
    values = [1.0]
    values += o
    values += iter(o)
    return values


def queued(o):
    values = deque([1.0])
    values.extend(o)
    return list(values)


def stored_in_a_slice(o):
    values = [1.0, 2.0, 3.0]
    values[:1] = o
    return values


def two(o):
    a, b = o
    return a * b


def first_and_rest(o):
    a, *rest = o
    return a, rest


def rest_and_last(o):
    *rest, a = iter(o)
    return a, rest


def within(o):
    (a, *rest), b = [o, 2.0]
    return a, rest, b


MEASURING.update(
    {f.__name__: f for f in (extended, added, queued, stored_in_a_slice, two, first_and_rest)},
    rest_and_last=rest_and_last,
    within=within,
)


@pytest.mark.parametrize("name", MEASURING)
@each("kind", [Measured, MeasuredIterator, Hinting, HintingGenerator, ByItems, ByGenerator])
def test_objects_are_asked_for_their_length_as_often_as_python_asks(name, kind):
    def function(x):
        return MEASURING[name](kind([x[0], x[1]]))

    def outcome(call):
        LOG.clear()
        try:
            return repr(call(np.array([1.5, 2.5]))), list(LOG)
        except TypeError:  # it cannot be reversed, or is no iterator
            return TypeError, []

    expected, compiled = outcome(function), gs.compile(function)
    assert outcome(compiled) == expected
    assert outcome(compiled) == expected
