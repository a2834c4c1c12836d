"""Many ``elif`` and early exits: as long as one likes, each branch is run once when tracing."""

# ruff: noqa: E501

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

ROWS = [(np.array([a, 0.5, -0.25]),) for a in (9.0, 3.2, 0.1, -4.0, -7.0)]


class OwnError(Exception):
    def __init__(self, text, code):
        super().__init__(f"{text}: {code}")
        self.code = code


CHAINS = {
    "elif": ("if x[0] > 99: y = x[1]\n", "elif x[0] > {t}: y = x[0] * {k}\n", "else: y = x[2]\nreturn y"),
    "elif on a length": ("if len(x) > 9: y = x[1]\n", "elif len(x) == {k}: y = x[0] * {k}\n", "else: y = x[2]\nreturn y"),
    "both kinds": ("if x[0] > 99: y = x[1]\n", "elif len(x) < {k} and x[0] > {t}: y = x[0] * {k}\n", "else: y = x[2]\nreturn y"),
    "returns": ("", "if x[0] > {t}: return x[0] * {k}\n", "return x[2]"),
    "returns with statements between": ("y = x[0]\n", "if y > {t}: return y * {k}\ny = y + 0.1\n", "return y"),
    "errors": ("if x[0] > 99: y = x[1]\n", "elif x[0] > {t}: raise ValueError({k})\n", "else: y = x[2]\nreturn y"),
    "errors of NumPy": ("if x[0] > 99: y = x[1]\n", "elif x[0] > {t}: y = x[{k}]\n", "else: y = x[2]\nreturn y"),
    "no else": ("y = x[1]\n", "if x[0] > {t}: y = x[0] * {k}\nel", "if x[0] > 9: y = x[2]\nreturn y"),
    "writes": ("if x[0] > 99: x[1] = 0.0\n", "elif x[0] > {t}: x[1] *= {k}\n", "else: x[2] = 7.0\nreturn np.sum(x * x)"),
    "lists of several lengths": ("if x[0] > 99: y = [x[1]]\n", "elif x[0] > {t}: y = [x[0], {k}.5] if {k} % 2 else [x[1]]\n", "else: y = None\nreturn x[2] if y is None else sum(y) * len(y)"),
    "shapes": ("if x[0] > 99: y = x\n", "elif x[0] > {t}: y = x[: {k} % 3] * 2.0\n", "else: y = np.outer(x, x)\nreturn np.sum(y) * y.ndim"),
    "one of several lists": ("a, b = [x[0]], [x[1]]\nif x[0] > 99: y = a\n", "elif x[0] > {t}: y = (a, b)[{k} % 2]\n", "else: y = b\ny.append(x[2] * 7.0)\nb[0] = x[0] * 9.0\nreturn sum(a) + 2.0 * sum(b) + 5.0 * sum(y)"),
    "errors of classes with data": ("if x[0] > 99: y = x[1]\n", "elif x[0] > {t} and {k} == 3: raise OwnError('x', {k})\n", "else: y = x[2]\nreturn y * x[0]"),
    "assignments in conditions": ("if (t := x[0]) > 99: y = x[1]\n", "elif (t := t + 0.1) > {t}: y = t * {k}\n", "else: y = t\nreturn y + t"),
}  # fmt: skip


def chain(name, links):
    first, link, last = CHAINS[name]
    levels = [-5 + 10 * k / links for k in range(links)]
    parts = [link.format(k=k, t=levels[k]) for k in reversed(range(links))]
    return function_of(first + "".join(parts) + last, OwnError=OwnError)


@each("links", [5, 14])
@pytest.mark.parametrize("name", CHAINS)
def test_a_chain(name, links):
    check_calls(chain(name, links), *ROWS)


def _price(x, s):
    if x > 0:
        return x * s + _price(-x, s)
    size = -x
    if s <= 0.1 * size:
        return size
    if x < -2.0 * s:
        return x * x * s
    if 0.5 * s < 0.3:
        return s**3 * x
    return x * s - 1.0


def _both_signs(x):
    return _price(x[0] - 1.5, abs(x[1]))


def test_recursion_that_a_chain_ends():
    check_calls(_both_signs, *ROWS, (np.array([2.0, 3.0, 1.0]),), (np.array([1.0, 3.0, 1.0]),))


def test_in_a_loop():
    body = "y = 0.0\nfor a in x:\n"
    for k in range(24, 0, -1):
        body += f"    if a > {-5 + 10 * k / 24}:\n        y += a * {k}\n        continue\n"
    check_calls(function_of(f"{body}    y += 2 * a\nreturn y"), *ROWS)


def test_the_branches_are_not_multiplied():
    """The source grows with the number of branches, and no faster."""
    short, long = (
        len(gs.grad(chain("elif", links)).source(ROWS[0][0]).split("\n")) for links in (10, 30)
    )
    assert long < 4 * short


NESTED = {
    "conditional expressions": ("s = np.sum(x)\nreturn ", "(s * {k}.5 * x[0] if s > {k}.25 else ", "s", ")"),
    "elif": ("s = np.sum(x)\nif s < -99: return s\n", "elif s < {k}.5 - 0.1 * x[0]: s = s * x[0]\n", "return s", ""),
    "exits": ("s = np.sum(x)\n", "if s > {k}.5 - 0.1 * x[0]: return s * x[0]\ns = s * 1.01\n", "return s", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", NESTED)
def test_what_is_nested_too_deeply_is_refused_at_its_line(name):
    """Or is right: how deep Python goes depends on its version, and on who calls."""
    first, link, last, close = NESTED[name]
    count = 140
    function = function_of(
        first + "".join(link.format(k=k + 1) for k in range(count)) + last + close * count
    )
    gradient = gs.grad(function)
    for x in (np.array([0.3, 0.2, 0.5]), np.array([3.0, 0.4, 0.1, 0.2])):
        try:
            found = gradient(x)
        except gs.GradsmithError as error:
            message = str(error)
            assert "branches and loops are nested too deeply" in message
            assert "> 1.25" in message or "elif" in message or "if s" in message
            break
        rows = 1e-6 * np.eye(len(x))
        expected = [(function(x + row) - function(x - row)) / 2e-6 for row in rows]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


def _deep_in_the_stack(depth, call):
    return call() if depth == 0 else _deep_in_the_stack(depth - 1, call)


@pytest.mark.parametrize("name", ["elif", "exits"])
def test_who_calls_deep_in_the_stack_is_told_of_the_branches_all_the_same(name):
    """And not of a list that refers to itself, which ends Python's recursion as well."""
    first, link, last, close = NESTED[name]
    links = "".join(link.format(k=k + 1) for k in range(100))
    gradient = gs.grad(function_of(first + links + last + close * 100))
    room = sys.getrecursionlimit() - len(inspect.stack(0))
    for left in (450, 330, 130):
        with pytest.raises(gs.GradsmithError, match="nested too deeply"):
            _deep_in_the_stack(room - left, lambda: gradient(np.array([0.3, 0.2, 0.5])))


def test_loops_that_functions_nest_too_deeply_are_refused():
    def nested(x, m, depth):
        for _ in range(m):
            x = nested(x, m, depth - 1) if depth else np.sin(x)
        return x

    with pytest.raises(gs.GradsmithError, match="branches and loops are nested too deeply"):
        gs.compile(lambda x: nested(x, len(x), 22)).source(np.ones(2))


def exits_of_both_branches(x):  # noqa: PLR0911, PLR0912
    s = x[0]
    if s > 0:
        if x[1] > 5:
            return s * 1.5
        s = s * x[1]
    else:
        if x[2] > 6:
            return s + 1
        s = s + x[2]
    if s > 1:
        if x[1] > 4:
            return s * 2
        s = s * x[1]
    else:
        if x[2] > 5:
            return s + 2
        s = s + x[2]
    if s > 2:
        if x[1] > 3:
            return s * 3
        s = s * x[1]
    else:
        if x[2] > 4:
            return s + 3
        s = s + x[2]
    if s > 3:
        if x[1] > 2:
            return s * 4
        s = s * x[1]
    else:
        if x[2] > 3:
            return s + 4
        s = s + x[2]
    return s * 2


def test_exits_of_both_branches_neither_write_the_rest_twice_nor_decide():
    both = gs.value_and_grad(exits_of_both_branches)
    for x in np.random.default_rng(0).normal(size=(40, 3)) * 5:
        value, gradient = both(x)
        assert value == exits_of_both_branches(x)
        steps = 1e-6 * np.eye(3)
        slopes = [
            (exits_of_both_branches(x + h) - exits_of_both_branches(x - h)) / 2e-6 for h in steps
        ]
        np.testing.assert_allclose(gradient, slopes, rtol=1e-4, atol=1e-6)
    text = both.source(np.ones(3))
    assert "SpecialisationError" not in text
    assert len(text.splitlines()) < 300  # 506 where each path has the rest of the function
