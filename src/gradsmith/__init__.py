"""gradsmith: readable NumPy source for the exact gradients of plain NumPy functions."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from gradsmith._version import __version__

if TYPE_CHECKING:
    from gradsmith import autograd, testing
    from gradsmith.api import (
        checkpoint,
        compile,
        custom_jvp,
        custom_vjp,
        elementwise,
        grad,
        jvp,
        loop,
        stop_gradient,
        unroll,
        value_and_grad,
        vjp,
    )
    from gradsmith.api.differentiable import differentiable
    from gradsmith.errors import (
        GradsmithError,
        GradsmithWarning,
        SpecialisationWarning,
        TraceTimeEffectWarning,
        UnrolledLoopWarning,
        UnusedInputWarning,
    )
    from gradsmith.testing import check_grads

__all__ = [
    "GradsmithError",
    "GradsmithWarning",
    "SpecialisationWarning",
    "TraceTimeEffectWarning",
    "UnrolledLoopWarning",
    "UnusedInputWarning",
    "__version__",
    "autograd",
    "check_grads",
    "checkpoint",
    "compile",
    "custom_jvp",
    "custom_vjp",
    "differentiable",
    "elementwise",
    "grad",
    "jvp",
    "loop",
    "stop_gradient",
    "testing",
    "unroll",
    "value_and_grad",
    "vjp",
]

_HOMES = {
    "GradsmithError": "errors",
    "GradsmithWarning": "errors",
    "SpecialisationWarning": "errors",
    "TraceTimeEffectWarning": "errors",
    "UnrolledLoopWarning": "errors",
    "UnusedInputWarning": "errors",
    "check_grads": "testing",
}
"""Where a name is defined that is not one of ``api``."""


def _load(name: str) -> Any:
    """Load the compiler with the first name that is used of it: importing it takes a moment."""
    if name in ("autograd", "testing"):
        return importlib.import_module(f"gradsmith.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'gradsmith' has no attribute {name!r}")
    found = getattr(importlib.import_module(f"gradsmith.{_HOMES.get(name, 'api')}"), name)
    globals()[name] = found
    return found


if not TYPE_CHECKING:
    __getattr__ = _load


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
