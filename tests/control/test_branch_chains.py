"""Many ``elif`` and early exits: as long as one likes, each branch is run once when tracing."""

# ruff: noqa: E501

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of

ROWS = [(np.array([a, 0.5, -0.25]),) for a in (9.0, 3.2, 0.1, -4.0, -7.0)]

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
    "assignments in conditions": ("if (t := x[0]) > 99: y = x[1]\n", "elif (t := t + 0.1) > {t}: y = t * {k}\n", "else: y = t\nreturn y + t"),
}  # fmt: skip


def chain(name, links):
    first, link, last = CHAINS[name]
    levels = [-5 + 10 * k / links for k in range(links)]
    parts = [link.format(k=k, t=levels[k]) for k in reversed(range(links))]
    return function_of(first + "".join(parts) + last)


@pytest.mark.parametrize("links", [5, 22])
@pytest.mark.parametrize("name", CHAINS)
def test_a_chain(name, links):
    check_calls(chain(name, links), *ROWS)


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
