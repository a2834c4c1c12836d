"""Gradients of traced values, with the signature of ``torch.autograd.grad``."""

from __future__ import annotations

from gradsmith.driver.gradients import grad

__all__ = ["grad"]
