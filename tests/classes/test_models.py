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


def test_truths_of_objects_are_pythons():
    class Positive:
        def __init__(self, value):
            self.value = value

        def __bool__(self):
            return self.value > 0

    def f(x):
        return x[0] if Positive(x[0]) else x[1] * 2

    for x in (np.array([1.0, 2.0]), np.array([-1.0, 2.0])):
        with pytest.raises(TypeError) as expected:
            f(x)
        with pytest.raises(TypeError) as caught:
            gs.compile(f)(x)
        assert str(caught.value) == str(expected.value)
    assert gs.compile(lambda x: 1.0 if Positive(x) else x)(0.5) == 1.0
