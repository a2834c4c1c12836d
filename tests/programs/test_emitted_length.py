"""The source of programs with loops is as long for large arrays as for small ones.

That of `tests/control` is checked with all else that holds of those programs.
"""

from __future__ import annotations

import importlib

import pytest

import gradsmith as gs
from programs.arguments import FIRST, SECOND
from programs.harness import PROGRAMS

for _family in ("contractions", "elementwise", "indexing", "kernels", "reductions", "shapes"):
    importlib.import_module(f"programs.{_family}")

SIZED = [name for name, case in PROGRAMS.items() if case.sized]


@pytest.mark.parametrize("name", SIZED)
def test_source_is_as_long_for_large_arrays(name):
    case = PROGRAMS[name]
    few, many = (
        gs.compile(case.function).source(*case.arguments(sizes)).count("\n")
        for sizes in (FIRST, SECOND)
    )
    assert few == many
