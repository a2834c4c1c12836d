"""Names that a function imports from modules: variables of these, as their attributes are."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

from gradsmith.frontend.attributes import is_external, outside_attribute
from gradsmith.frontend.captures import rely
from gradsmith.frontend.classes import MISSING
from gradsmith.frontend.trace import Reliance, Trace


def note_importing(trace: Trace, module: str, name: str) -> None:
    """``from module import name`` is next; it raises an error where the module has no such name,
    which the function may handle.
    """
    if module in sys.modules:
        has = partial(_has, module, name)
        trace.reliances["imports", module, name] = Reliance(has, has(), by_identity=True)


def _has(module: str, name: str) -> bool:
    return hasattr(sys.modules.get(module), name)


def imported(trace: Trace, module: str, name: str, value: Any) -> Any:
    """What ``from module import name`` gives, which has given ``value``: the next call may find
    another module of this name, or another value in it.
    """
    owner = sys.modules[module]
    rely(trace, ("module", module), partial(sys.modules.get, module), owner)
    if not is_external(trace, owner) or vars(owner).get(name, MISSING) is not value:
        return value  # of a library, or a module within the module
    return outside_attribute(trace, owner, name)
