"""Objects of the user's on the right of Python's sequences: their methods are called first."""

# The operators are what is tested.
# ruff: noqa: RUF005

import collections

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls
from helpers import each

LOG = []


class Right:
    def __init__(self, value):
        self.value = value

    def __radd__(self, other):
        LOG.append("radd")
        return len(other) + self.value

    def __rmul__(self, other):
        return len(other) * self.value


class Declining:
    def __init__(self, values):
        self.values = values

    def __radd__(self, other):
        LOG.append("declined")
        return NotImplemented

    def __iter__(self):
        return iter(self.values)

    def __index__(self):
        return 2

    def __rmul__(self, other):
        LOG.append("declined")
        return NotImplemented


class Rows(list):
    def __radd__(self, other):
        return len(other) * self[0]


def sums(x):
    values = [x]
    return [1] + Right(x), (1, 2) + Right(x), "abc" + Right(x), b"ab" + Right(x), values + Right(x)


def products(x):
    return [1] * Right(x), (x, x) * Right(x), "ab" * Right(x)


def in_place(x):
    a, b, c, d = [x], [x], (x,), collections.deque([x])
    a += Right(x)
    b *= Right(x)
    c += Right(x)
    d += Right(x)
    return a, b, c, d


def declined(x):
    a, b = [x], [x]
    same = a
    a += Declining([2 * x, x])
    b *= Declining([])
    return same, b, (x,) * Declining([]), "ab" * Declining([])


def derived_list(x):
    return [1, 2] + Rows([x]), Rows([x]) + [1.0]


def wrong_operands(x):
    texts = []
    for compute in (
        lambda: [x] + Declining([x]),
        lambda: (x,) + Declining([x]),
        lambda: "a" + Declining([x]),
        lambda: [x] * Rows([x]),
    ):
        try:
            compute()
        except TypeError as error:
            texts.append(str(error))
    return texts


@each("f", [sums, products, in_place, declined, derived_list, wrong_operands])
def test_operators_of_sequences_are_those_of_python(f):
    compiled = gs.compile(f)
    for x in (1.5, 2.5):
        LOG.clear()
        wanted = f(x), list(LOG)
        LOG.clear()
        assert (compiled(x), LOG) == wanted


@pytest.mark.filterwarnings("ignore::gradsmith.errors.GradsmithWarning")
def test_derivatives_go_through_reflected_methods():
    assert gs.grad(lambda x: ([1, 2] + Right(x)) * ("ab" * Right(x)))(1.5) == 2 * 2 + 4 * 1.5


def test_equality_with_arrays():
    class Declines:
        def __eq__(self, other):
            return NotImplemented

        __hash__ = object.__hash__

    class DeclinesUnequal:
        def __ne__(self, other):
            return NotImplemented

    def f(x):
        made = Declines() == x, Declines() != x, DeclinesUnequal() == x, DeclinesUnequal() != x
        return *made, object() == x

    check_calls(f, (np.array([1.0, 2.0]),), (np.array([[1, 2, 3]]),))


def test_texts_on_the_left():
    def f(x):
        return f"{x}" + Right(x), f"{x}" * Right(2)

    check_calls(f, (1.5,), (2,))
