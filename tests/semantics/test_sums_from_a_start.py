"""``sum(array, start)``: the start first, then from the left, in the dtype that Python gives."""

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls
from programs.harness import same_bits


def total(a, start):
    return sum(a, start)


def of_columns(a, start):
    return sum(a[:, 1], start), sum(a, start), sum(a[::-1] * 2, start=start)


BOOLS, BYTES = np.array([True, True]), np.arange(3, dtype=np.int8)
TABLE = np.array([[True, False], [True, True]])
CALLS = [
    (np.array([0.1, 0.2, 0.3]), 0.1),
    *((np.array([-0.0]), -0.0), (np.array([-0.0, -0.0]), -0.0), (np.array([]), 2.5)),
    (np.array([2**53, 1, 1]), 1.0),
    *((BOOLS, True), (BOOLS, np.True_), (BOOLS, np.float32(1)), (BOOLS, np.int32(1))),
    *((BYTES, True), (BYTES, np.float32(1)), (BYTES, 7), (np.array([120, 100], np.int8), 7)),
    *((np.arange(3, dtype=np.int16), np.int8(1)), (TABLE, True), (TABLE, np.float32(1))),
    *((np.array([[0.0, -0.0], [-0.0, -0.0]]), -0.0), (np.array([0.1, 0.2, 0.3]), 1)),
    *((np.array([0.1, 0.2, 0.3]), 1j), (np.arange(3), 2), (np.arange(3), -2.5)),
    *((np.arange(6.0).reshape(2, 3), np.array([1.0, 2, 3])), (np.arange(3.0), np.ones(3))),
]


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_the_start_comes_first(call):
    check_calls(total, call, call)


def test_what_is_absorbed():
    """Where differences say nothing."""
    for a in (np.array([1e16, 1.0, -1e16]), np.array([1e8, 1, -1e8, 0.1], np.float32)):
        same_bits(gs.compile(total)(a, 0.7), total(a, 0.7))


def test_columns():
    table = np.arange(6.0).reshape(3, 2) * 0.1
    check_calls(of_columns, (table, 0.1), (np.arange(8.0).reshape(4, 2) * 0.1, -0.3))


def test_one_object():
    check_calls(total, *CALLS[:2], (np.array([1.5, 2.5]), -0.5), CALLS[3])
