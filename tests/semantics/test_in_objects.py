"""``in`` asks as many elements as Python does, in Python's order, once each."""

# Small classes on purpose, as users write them.
# ruff: noqa: PLW1641

import numpy as np

import gradsmith as gs
from helpers import each

LOG = []


class Items:
    def __init__(self, values):
        self.values = values

    def __getitem__(self, index):
        LOG.append(index)
        return self.values[index]


class Yielding:
    def __init__(self, values):
        self.values = values

    def __iter__(self):
        for value in self.values:
            LOG.append("taken")
            yield value


class Stepping:
    def __init__(self, values):
        self.values, self.place = values, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.place == len(self.values):
            raise StopIteration
        self.place += 1
        LOG.append(self.place)
        return self.values[self.place - 1]


class Equal:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        LOG.append("asked")
        return self.value == other.value


class OwnIteration(list):
    def __iter__(self):
        LOG.append("iterated")
        return iter([9.0])


def in_items(a):
    return 2 in Items(a), 2.0 not in Items([1.0, 3.0])


def in_yielding(a):
    LOG.append("first")
    return 2.0 in Yielding(list(a)), "last"


def in_stepping(a):
    values = Stepping(a)
    return 2.0 in values, values.place


def in_a_list_of_objects(a):
    return Equal(2.0) in [Equal(v) for v in (a[0], a[1], a[0])]


def object_among_numbers(a):
    wanted = Equal(a[0])
    return wanted in (Equal(0.0), Equal(5.0), wanted, Equal(a[1]))


def in_a_list_with_own_iteration(a):
    own = OwnIteration([1.0, 2.0])
    return 2.0 in own, 9.0 in own


CASES = [
    in_items, in_yielding, in_stepping, in_a_list_of_objects, object_among_numbers,
    in_a_list_with_own_iteration,
]  # fmt: skip


@each("f", CASES)
def test_in_stops_at_the_first_equal_element(f):
    compiled = gs.compile(f)
    for values in ([1.0, 2.0, 3.0], [2.0, 1.0], [5.0, 4.0], [1.0, 2.0, 3.0]):
        a = np.array(values)
        LOG.clear()
        wanted = f(a), list(LOG)
        LOG.clear()
        assert (compiled(a), LOG) == wanted
