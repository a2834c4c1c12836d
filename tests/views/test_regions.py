"""Branches and loops in pictures and formulas: shown as one operation, or refused."""

from __future__ import annotations

import numpy as np
import pytest

from codegen.region_building import Trip, choose, graph_of, repeat
from gradsmith.errors import UnsupportedError
from gradsmith.ops.index import read
from gradsmith.views.formula import expressions
from gradsmith.views.graph import view
from ops.differences import gnp as np_

X = np.arange(3.0)


def looping(x, n):
    made = repeat("h", [x], lambda i, h: Trip([h * i], None, [h]), over=(0, n, 1))
    return repeat("s h", [x], lambda i, s, h: [s + h], over=(0, n, 1), tapes=made.tapes).carried


def branching(x, n):
    return choose(np_.greater(read(x, 0), 0), lambda: [x * n], lambda: [np_.exp(x)], "y")


def test_a_loop_is_one_operation_of_the_table():
    shown = view(graph_of(looping, X, 4, names="x n"))
    loops = [node for node in shown.nodes if node.op == "loop"]
    assert len(loops) == 2
    assert loops[0].type == "(float64[3], int, 4 × float64[3])"
    assert "body={...}" in str(shown)
    assert "loop" in shown.dot()


def test_a_branch_is_one_operation_of_the_table():
    table = str(view(graph_of(branching, X, 4, names="x n")))
    assert "branch" in table
    assert "then={...}, orelse={...}" in table


@pytest.mark.parametrize(("function", "op"), [(looping, "loop"), (branching, "branch")])
def test_formulas_refuse_them(function, op):
    pytest.importorskip("sympy")
    with pytest.raises(UnsupportedError, match=f"a formula cannot show the {op} here"):
        expressions(graph_of(function, X, 4, names="x n"))
