"""Every family of ops: importing this imports all files here and so fills `declare`'s tables."""

from __future__ import annotations

import importlib
import pkgutil

from gradsmith import ops

FAMILIES = tuple(
    importlib.import_module(f"{ops.__name__}.{family.name}")
    for family in pkgutil.iter_modules(ops.__path__)
    if family.name != "library"
)
