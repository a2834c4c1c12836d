"""Which functions return views, copies or read-only views: told by writing to the result, and to
what it was made from. Whatever differs from NumPy is refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import ControlFlowError, UnsupportedError

RESULTS: dict[str, Callable] = {
    "take": lambda m, v, z, k: np.take(m, 0, axis=0),
    "take of a column": lambda m, v, z, k: m.take(1, axis=1),
    "take of an index that is given": lambda m, v, z, k: np.take(m, k, axis=0),
    "take of a NumPy integer": lambda m, v, z, k: np.take(m, np.int64(1), axis=0),
    "take of an array without axes": lambda m, v, z, k: np.take(m, np.array(1), axis=0),
    "take of a list": lambda m, v, z, k: np.take(m, [0, 1], axis=0),
    "compress": lambda m, v, z, k: np.compress([True, False, True], m, axis=0),
    "choose": lambda m, v, z, k: np.choose([0, 1, 0], m[:2]),
    "diag": lambda m, v, z, k: np.diag(m),
    "diag of a vector": lambda m, v, z, k: np.diag(v),
    "diagonal": lambda m, v, z, k: m.diagonal(),
    "linalg.diagonal": lambda m, v, z, k: np.linalg.diagonal(m),
    "real of a real array": lambda m, v, z, k: np.real(m),
    "real": lambda m, v, z, k: z.real,
    "imag": lambda m, v, z, k: z.imag,
    "imag of a real array": lambda m, v, z, k: m.imag,
    "conj of a real array": lambda m, v, z, k: m.conj(),
    "squeeze": lambda m, v, z, k: np.squeeze(m[None]),
    "atleast_1d": lambda m, v, z, k: np.atleast_1d(m),
    "atleast_2d": lambda m, v, z, k: np.atleast_2d(v),
    "ravel": lambda m, v, z, k: np.ravel(m),
    "ravel of a transpose": lambda m, v, z, k: m.T.ravel(),
    "flatten": lambda m, v, z, k: m.flatten(),
    "asarray": lambda m, v, z, k: np.asarray(m),
    "asarray of another dtype": lambda m, v, z, k: np.asarray(m, dtype=np.float32),
    "array": lambda m, v, z, k: np.array(m),
    "ascontiguousarray": lambda m, v, z, k: np.ascontiguousarray(m),
    "broadcast_to": lambda m, v, z, k: np.broadcast_to(v, (3, 3)),
    "broadcast_to its own shape": lambda m, v, z, k: np.broadcast_to(v, (3,)),
    "broadcast_arrays": lambda m, v, z, k: np.broadcast_arrays(m, v)[1],
    "meshgrid of views": lambda m, v, z, k: np.meshgrid(v, v, copy=False)[0],
    "einsum of a diagonal": lambda m, v, z, k: np.einsum("ii->i", m),
    "einsum of a transpose": lambda m, v, z, k: np.einsum("ij->ji", m),
    "swapaxes": lambda m, v, z, k: np.swapaxes(m, 0, 1),
    "expand_dims": lambda m, v, z, k: np.expand_dims(v, 0),
    "flip": lambda m, v, z, k: np.flip(m),
    "rot90": lambda m, v, z, k: np.rot90(m),
    "roll by nothing": lambda m, v, z, k: np.roll(v, 0),
    "split": lambda m, v, z, k: np.split(m, 3)[0],
    "unstack": lambda m, v, z, k: next(iter(m)),
    "tile once": lambda m, v, z, k: np.tile(v, 1),
    "repeat once": lambda m, v, z, k: np.repeat(v, 1),
    "concatenate of one": lambda m, v, z, k: np.concatenate([v]),
    "clip": lambda m, v, z, k: np.clip(m, 0, 100),
    "tril": lambda m, v, z, k: np.tril(m),
    "pad by nothing": lambda m, v, z, k: np.pad(v, 0),
    "round": lambda m, v, z, k: np.round(m),
    "positive": lambda m, v, z, k: +m,
    "astype": lambda m, v, z, k: m.astype(float),
    "astype without copy": lambda m, v, z, k: m.astype(float, copy=False),
    "view": lambda m, v, z, k: m.view(),
    "diff of order 0": lambda m, v, z, k: np.diff(m, n=0),
    "trim_zeros": lambda m, v, z, k: np.trim_zeros(v),
    "real_if_close": lambda m, v, z, k: np.real_if_close(z),
    "matrix_power": lambda m, v, z, k: np.linalg.matrix_power(m, 1),
}


def written(make):
    def set_result(m, v, z, k):
        r = make(m, v, z, k)
        r[...] = 77
        return r * 1

    def add_to_result(m, v, z, k):
        r = make(m, v, z, k)
        r += 5
        return r * 1

    def set_operands(m, v, z, k):
        r = make(m, v, z, k)
        m[0], v[0], z[0] = 88, 99, 5
        return r * 1

    def handled(m, v, z, k):
        r = make(m, v, z, k)
        try:
            r += 5
        except ValueError as error:
            return r * 2, str(error)
        return r * 1, ""

    return set_result, add_to_result, set_operands, handled


def outcome(function):
    given = np.arange(1.0, 10.0).reshape(3, 3), np.arange(1.0, 4.0), np.arange(1.0, 4.0) + 1j, 1
    try:
        result = function(*given)
    except ValueError as error:
        return str(error).split("\n")[0]
    values = result if isinstance(result, tuple) else (result,)
    return [np.asarray(value).tolist() for value in (*values, *given)]


@pytest.mark.filterwarnings("ignore:Numpy has detected")
@pytest.mark.parametrize("name", RESULTS)
def test_views_and_copies_are_numpys(name):
    for function in written(RESULTS[name]):
        wanted = outcome(function)
        try:
            found = outcome(gs.compile(function))
        except (UnsupportedError, ControlFlowError):
            if name in REFUSED:
                continue
            raise
        assert found == wanted or (name in REFUSED and "share memory" in found), function.__name__


REFUSED = (
    "ravel of a transpose",
    "broadcast_arrays",
    "meshgrid of views",
    "einsum of a diagonal",
    "trim_zeros",
    "real_if_close",
    "matrix_power",
)


def test_take_keeps_what_it_took():
    def taken(m):
        first, column, element = np.take(m, 0, axis=0), m.take(1, 1), np.take(m, 4)
        doubled = np.take(m, 0, 0) * 2
        m[0] = 9
        first += 1
        column[0] = -1
        return first, column, element, doubled, np.take(m, 2, 0), np.take(m, 0, 0)

    given, theirs = np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3)
    found, wanted = gs.compile(taken)(given), taken(theirs)
    for one, other in zip((*found, given), (*wanted, theirs), strict=True):
        np.testing.assert_array_equal(one, other)
    assert not any(
        np.shares_memory(one, other) for one, other in itertools.combinations((*found, given), 2)
    )
