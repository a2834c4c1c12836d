"""All programs by name."""

from __future__ import annotations

import importlib

from control.harness import PROGRAMS

FAMILIES = (
    "bits", "branches", "combinations", "complex_loops", "comprehensions", "counters", "grids",
    "iterations", "lengths", "linear_algebra", "mutation", "nests", "networks", "positions",
    "sequences", "stencils",
)  # fmt: skip
for _family in FAMILIES:
    importlib.import_module(f"control.{_family}")

__all__ = ["PROGRAMS"]
