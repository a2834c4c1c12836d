"""Programs of classes as users write them: values, gradients and tangents."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from classes.harness import check
from classes.models import CASES


@pytest.mark.parametrize("name", CASES)
def test_model(name):
    check(*CASES[name])


LOOPS = [name for name, (_, kinds) in CASES.items() if "v" in kinds and "m" not in kinds]
WRITTEN_OUT = {"operator_in_branch"}  # `v +=` changes the object, `v = v + w` makes another one


@pytest.mark.parametrize("name", sorted({*LOOPS} - WRITTEN_OUT))
def test_emitted_length_does_not_depend_on_lengths_of_data(name):
    function, kinds = CASES[name]
    lengths = []
    for n in (7, 14):
        x = np.linspace(0.1, 1.0, n)
        args = [0.7 if kind == "s" else x for kind in kinds]
        lengths.append(len(gs.grad(function).source(*args)))
    assert lengths[0] == lengths[1]
