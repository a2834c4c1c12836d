"""The public interface."""

from gradsmith.api.custom_rules import CustomJVP, CustomVJP, custom_jvp, custom_vjp, elementwise
from gradsmith.api.differentiable import Differentiable, Gradient, differentiable
from gradsmith.api.plans import Checkpoint, checkpoint, loop, unroll
from gradsmith.api.transformed import Transformed
from gradsmith.api.transforms import compile, grad, jvp, stop_gradient, value_and_grad, vjp

__all__ = [
    "Checkpoint",
    "CustomJVP",
    "CustomVJP",
    "Differentiable",
    "Gradient",
    "Transformed",
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
    "unroll",
    "value_and_grad",
    "vjp",
]
