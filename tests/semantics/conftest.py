"""What the tests of docs/semantics.md share."""

from __future__ import annotations

import warnings

import pytest

from helpers import peer
from semantics.entry_points import by_function, by_trace


@pytest.fixture(params=[by_function, by_trace], ids=["f.grad", "autograd.grad"])
def grad(request):
    """`f.grad` and `gs.autograd.grad`, called alike."""
    return request.param


@pytest.fixture(scope="session")
def torch():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return peer("torch")
