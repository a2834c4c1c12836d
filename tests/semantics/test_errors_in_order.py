"""Of two errors the one is raised that Python comes to first, with what is printed before it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gradsmith as gs


def of_nothing(x):
    print("begin", len(x))
    return max(x) + x[0]


def division(x):
    y = 1 / int(x.sum() * 0)
    return y * x[10]


def logarithm(x):
    print(f"{x.sum():.2f}")
    return math.log(float(x.sum() * 0)) * x.reshape(7, 9)


def data_index(x):
    v = x[int(x[0] * 50)]
    return v * {}[0]


def refused(x):
    return (1.0 / float(x.sum() * 0)) * x.no_such_attribute


FUNCTIONS = (of_nothing, division, logarithm, data_index, refused)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("transform", [gs.compile, gs.grad])
def test_the_first_error_is_raised(function, transform, capsys):
    x = np.zeros(0) if function is of_nothing else np.array([0.5, 1.5])
    with pytest.raises(Exception, match=r"\w") as expected:
        function(x)
    printed = capsys.readouterr().out
    with pytest.raises(type(expected.value)) as found:
        transform(function)(x)
    assert str(found.value).splitlines()[0] == str(expected.value)
    assert capsys.readouterr().out == printed
