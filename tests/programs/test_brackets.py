"""``np.r_``, ``np.c_`` and their kin, ``out`` by position, ranges and sizes as they are written."""

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

A, B = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(2, 3) + 10
U, V = np.array([1.5, 2.5, -1.0]), np.array([0.5, 0.25, 4.0])
OF_MATRICES = {
    "r_": lambda a, b: np.r_[a, b],
    "c_": lambda a, b: np.c_[a, b],
    "r_ '1'": lambda a, b: np.r_["1", a, b],
    "r_ '-1'": lambda a, b: np.r_["-1", a, b],
    "r_ '0,3,-1'": lambda a, b: np.r_["0,3,-1", a, b],
    "c_ with a vector": lambda a, b: np.c_[a, b[:, 0], np.ones(2)],
    "ix_": lambda a, b: a[np.ix_([0, 1], [0, 2])] * b[np.ix_(np.array([True, False]), [1, 1])],
    "einsum with lists": lambda a, b: np.einsum(a, [0, 1], b, [2, 1], [2, 0]),
    "sum into": lambda a, b: _into(np.zeros(3), lambda o: np.sum(a * b, 0, None, o)),
    "mean into": lambda a, b: _into(np.zeros(2), lambda o: np.mean(a * b, 1, None, o)),
    "max into": lambda a, b: _into(np.zeros(2), lambda o: np.max(a * b, 1, o)),
    "dot into": lambda a, b: _into(np.zeros((2, 2)), lambda o: np.dot(a, b.T.copy(), o)),
    "matmul into": lambda a, b: _into(np.zeros((2, 2)), lambda o: np.matmul(a, b.T, o)),
    "cumsum into": lambda a, b: _into(np.zeros((2, 3)), lambda o: np.cumsum(a * b, 1, None, o)),
    "method into": lambda a, b: _into(np.zeros((2, 3)), lambda o: a.sum(0, None, o[1])),
    "join into": lambda a, b: _into(np.zeros((4, 3)), lambda o: np.concatenate((a, b), 0, o)),
}
OF_VECTORS = {
    "r_": lambda a, b: np.r_[a[0], 0, 1:4, b, [1, 2]],
    "r_ of points": lambda a, b: np.r_[0:1:5j, a] * 2,
    "r_ '0,2'": lambda a, b: np.r_["0,2", a, b],
    "r_ '0,2,0'": lambda a, b: np.r_["0,2,0", a, b],
    "r_ '1,2,0'": lambda a, b: np.r_["1,2,0", a, b],
    "r_ '0,2' of a slice": lambda a, b: np.r_["0,2", a, 0:3],
    "r_ '1,3,1'": lambda a, b: np.r_["1,3,1", a, b],
    "c_": lambda a, b: np.c_[a, b, a],
    "c_ of numbers": lambda a, b: np.c_[a[0], b[0], 2],
    "c_ '0'": lambda a, b: np.c_["0", a, b],
    "s_ and index_exp": lambda a, b: a[np.s_[1:]] * b[np.index_exp[:2]],
    "mgrid": lambda a, b: np.mgrid[0:3, 0:2] * a[0] + np.mgrid[0:1:3j][:, None, None][0] * b[1],
    "ogrid": lambda a, b: np.ogrid[0:3, 0:2][0] * a[0],
    "range": lambda a, b: a[range(2)] * b[list(range(1, 3))],
    "add into": lambda a, b: _into(np.zeros(3), lambda o: np.add(a, b, o)),
    "clip into": lambda a, b: _into(np.zeros(3), lambda o: np.clip(a, 0.0, 2.0, o)),
    "exp into": lambda a, b: _into(np.zeros(3), lambda o: np.exp(a, o)),
}
SIZES = {
    "abs": (lambda a, k: np.zeros(abs(k)) + a[0], [-3, 2, -5]),
    "reshape": (lambda a, k: (a * 2).reshape(3, 1).reshape(k) ** 2, [-1, 3, (1, 3), -1]),
    "arange": (lambda a, k: np.arange(abs(k)) * a[0], [-3, 2, 4]),
}


def _into(out, write):
    write(out)
    return out


def check(function, arguments):
    compiled = gs.compile(function)
    gradient = gs.grad(lambda *x: np.sum(np.sin(function(*x))), tuple(range(len(arguments[0]))))
    for given in arguments:
        found, expected = compiled(*given), function(*given)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-15)  # np.einsum by BLAS
        for position, found in enumerate(gradient(*given)):
            slopes = _differences(lambda *x: np.sum(np.sin(function(*x))), given, position)
            np.testing.assert_allclose(found, slopes, rtol=1e-6, atol=1e-6)


def _differences(function, given, position, step=1e-6):
    slopes = np.zeros_like(given[position])
    for place in np.ndindex(slopes.shape):
        ends = []
        for sign in (1, -1):
            moved = [g.copy() for g in given]
            moved[position][place] += sign * step
            ends.append(function(*moved))
        slopes[place] = (ends[0] - ends[1]) / (2 * step)
    return slopes


@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
@each("name", OF_MATRICES)
def test_matrices(name):
    check(OF_MATRICES[name], [(A, B), (0.1 * B, A - 7.0)])


@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
@each("name", OF_VECTORS)
def test_vectors(name):
    check(OF_VECTORS[name], [(U, V), (-0.5 * V, U + 7.0)])


@pytest.mark.parametrize("name", SIZES)
def test_sizes_that_arguments_decide(name):
    function, sizes = SIZES[name]
    compiled, gradient = gs.compile(function), gs.grad(lambda a, k: np.sum(function(a, k)))
    for size in sizes:
        np.testing.assert_array_equal(compiled(U, size), function(U, size), strict=True)
        slopes = _differences(lambda a, size=size: np.sum(function(a, size)), (U,), 0)
        np.testing.assert_allclose(gradient(U, size), slopes, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("directive", ["r", "c"])
def test_matrices_of_numpys_are_refused(directive):
    with pytest.raises(TypeError, match=r"np\.matrix"):
        gs.compile(lambda a: np.r_[directive, a])(U)


def test_entries_that_numpy_refuses():
    with pytest.raises(ValueError, match="directive"):
        gs.compile(lambda a: np.r_["x,y", a])(U)
    with pytest.raises(ValueError, match="first entry"):
        gs.compile(lambda a: np.r_[a, "0,2"])(U)
