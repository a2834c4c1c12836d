"""gradsmith: readable NumPy source for the exact gradients of plain NumPy functions."""

from gradsmith import autograd
from gradsmith._version import __version__
from gradsmith.api import (
    checkpoint,
    compile,
    differentiable,
    grad,
    jvp,
    loop,
    stop_gradient,
    unroll,
    value_and_grad,
    vjp,
)
from gradsmith.errors import (
    GradsmithError,
    GradsmithWarning,
    TraceTimeEffectWarning,
    UnusedInputWarning,
)
from gradsmith.testing import check_grads

__all__ = [
    "GradsmithError",
    "GradsmithWarning",
    "TraceTimeEffectWarning",
    "UnusedInputWarning",
    "__version__",
    "autograd",
    "check_grads",
    "checkpoint",
    "compile",
    "differentiable",
    "grad",
    "jvp",
    "loop",
    "stop_gradient",
    "unroll",
    "value_and_grad",
    "vjp",
]
