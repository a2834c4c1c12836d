"""The public interface."""

from gradsmith.api.differentiable import Differentiable, Gradient, differentiable
from gradsmith.api.transformed import Transformed
from gradsmith.api.transforms import compile, grad, jvp, stop_gradient, value_and_grad, vjp

__all__ = [
    "Differentiable",
    "Gradient",
    "Transformed",
    "compile",
    "differentiable",
    "grad",
    "jvp",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
