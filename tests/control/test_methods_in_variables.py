"""Methods and partial functions in variables: what they change in branches and loops is seen."""

import functools

import pytest

import gradsmith as gs


class Total:
    def __init__(self, value):
        self.value = value

    def scaled(self, factor):
        self.value = self.value * factor
        return self.value


def in_a_branch(x, c):
    scaled = Total(x).scaled
    if c > 0:
        scaled(2.0)
    return scaled(1.0)


def partial_in_an_unrolled_loop(x, c):
    doubled = functools.partial(Total(x).scaled, 2.0)
    for k in range(3):
        if c > k:
            doubled()
    return doubled()


def in_a_loop(x, n):
    scaled = Total(x).scaled
    for _ in range(n):
        scaled(x)
    return scaled(1.0)


CASES = [
    (in_a_branch, [1.5, -1.5], [2.0, 1.0]),
    (partial_in_an_unrolled_loop, [1.5, -1.5], [8.0, 2.0]),
    (in_a_loop, [3, 0], [4 * 1.5**3, 1.0]),
]


@pytest.mark.parametrize(("f", "choices", "slopes"), CASES)
def test_changes_of_the_object_are_seen(f, choices, slopes):
    compiled, gradient = gs.compile(f), gs.grad(f)
    for choice, slope in zip(choices, slopes, strict=True):
        assert compiled(1.5, choice) == f(1.5, choice)
        assert gradient(1.5, choice) == slope
