"""Settings of the whole test run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Before anything imports matplotlib: no test opens a window, and subprocesses inherit it.
os.environ["MPLBACKEND"] = "Agg"


SMOKE = (
    "test_packaging.py",
    "api/test_emit.py",
    "api/test_transforms.py",
    "api/test_trees.py",
    "frontend/",
    "semantics/test_functions.py",
    "semantics/test_views.py",
    "semantics/test_writes.py",
    "semantics/test_zeros.py",
    "semantics/test_float32.py",
    "semantics/test_unset.py",
    "control/test_printing.py",
    "errors/test_messages.py",
    "codegen/",
)
"""What runs on every Python version: fast, no peer needed, all layers touched."""


def pytest_collection_modifyitems(items):
    root = Path(__file__).parent
    for item in items:
        where = item.path.relative_to(root).as_posix() if root in item.path.parents else ""
        if where.startswith(SMOKE):
            item.add_marker(pytest.mark.smoke)
