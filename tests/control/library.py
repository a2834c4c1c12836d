"""All programs by name."""

from __future__ import annotations

import importlib

from control.harness import PROGRAMS

FAMILIES = (
    "branches", "combinations", "complex_loops", "comprehensions", "counters", "iterations",
    "linear_algebra", "mutation", "networks", "positions", "sequences", "stencils",
)  # fmt: skip
for _family in FAMILIES:
    importlib.import_module(f"control.{_family}")

__all__ = ["PROGRAMS"]
