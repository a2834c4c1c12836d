"""``values.index(item)`` of traced values, found or not."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs


def _found_or_not(x, b):
    try:
        return x[0] * list(x[::-1]).index(b)
    except ValueError:
        return 0.3


def _message(x, b):
    try:
        return [b * 1, b * 2].index(x[0])
    except ValueError as error:
        print(error)
        return -1


def _within_limits(x, b):
    values = [b, x[0], b * 2]
    return values.index(x[0]), values.index(b * 2, 1), (b, x[0]).index(b), values.index(b * 2, -2)


def _in_a_loop(x, b):
    total = 0
    for v in x:
        try:
            total += [b, b * 2].index(v)
        except ValueError:
            total += 10
    return total


@pytest.mark.parametrize("function", [_found_or_not, _message, _within_limits, _in_a_loop])
def test_index(function, capsys):
    compiled = gs.compile(function)
    for values, b in (([1.0, 2.0], 1.0), ([1.0, 2.0], 3.0), ([4.0, 2.0, 7.0], 7.0)):
        x = np.array(values)
        found, written = compiled(x, b), capsys.readouterr().out
        assert repr(found) == repr(function(x, b))
        assert written == capsys.readouterr().out
