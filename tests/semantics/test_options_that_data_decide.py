"""Steps of slices and options of NumPy's functions that data decide: the code is made for their
present values, and checks them.
"""

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls

CALLS = [(np.array(x),) for x in ([1.0, 2.0, 4.0], [-1.0, 2.0, 0.3], [3.0, 0.5, 1.5, 2.5])]


def pos(x):
    k = 0
    for v in x:
        if v > 0:
            k += 1
    return k


def steps(x):
    return x[:: pos(x)]


def negative_steps(x):
    return x[:: -pos(x)] * 2


def steps_of_a_range(x):
    return np.arange(0, 10, pos(x)) * x[0]


def parts_of_an_array(x):
    return [a.sum() for a in np.array_split(x, pos(x))]


def digits_of_an_integer(x):
    return (round(1234, -pos(x)), x[0])


def steps_of_a_store(x):
    y = x.copy()
    y[:: pos(x)] = 0.0
    return y


def parts_of_one_length(x):
    return (
        np.roll(x, pos(x)),
        np.repeat(x, pos(x)),
        np.tile(x, pos(x)),
        np.split(np.arange(12.0) * x[0], pos(x) + 1)[0] if 12 % (pos(x) + 1) == 0 else 0,
    )


def steps_on_one_path(x):
    for k in range(1, 3):
        if x[0] > 0:
            return x[:: k + pos(x)]
    return x


def bounds_and_steps(x):
    return (x[pos(x) - 1 :: -pos(x)].sum(), x[: pos(x) : 2], x.reshape(-1)[pos(x) - 2])


def slices_and_places(x):
    return (
        x[slice(None, None, pos(x))],
        np.array_split(x, [pos(x)])[0],
        np.delete(x, pos(x) - 1),
        np.insert(x, pos(x) - 1, 9.0),
    )


PROGRAMS = [
    steps,
    negative_steps,
    steps_of_a_range,
    parts_of_an_array,
    digits_of_an_integer,
    steps_of_a_store,
    parts_of_one_length,
    steps_on_one_path,
    bounds_and_steps,
    slices_and_places,
]


@pytest.mark.parametrize("function", PROGRAMS)
def test_options(function):
    check_calls(function, *CALLS)


def bits_of_a_count(x):
    return pos(x).bit_length() * x[0], int.bit_length(pos(x)), pos(x).to_bytes(2, "big")[1]


def bits_of_an_integer(x):
    return sum([int(v * 2).bit_length() for v in x])


def ratios(x):
    return float(x[0]).as_integer_ratio(), x[1].as_integer_ratio(), pos(x).as_integer_ratio()


@pytest.mark.parametrize("function", [bits_of_a_count, bits_of_an_integer, ratios])
def test_methods_of_numbers(function):
    check_calls(function, *CALLS)


TRUTHS = {
    "keepdims": lambda x, k: (x.sum(keepdims=k), np.argmax(x, axis=0, keepdims=k)),
    "keepdims of a norm": lambda x, k: np.linalg.norm(x, axis=0, keepdims=k),
    "by position": lambda x, k: np.linspace(x[0], x[1], 4, k),
    "retstep": lambda x, k: np.linspace(x[0], x[1], 4, retstep=k),
    "sparse": lambda x, k: np.meshgrid(x, x, sparse=k),
    "return_index": lambda x, k: np.unique(x, return_index=k, return_counts=k),
    "returned": lambda x, k: np.average(x, returned=k),
    "include_initial": lambda x, k: np.cumulative_sum(x, include_initial=k),
    "equal_nan": lambda x, k: np.isclose(x, x * np.nan, equal_nan=k),
    "copy": lambda x, k: [np.array(x, copy=k), np.asarray(x, copy=k)],
}
NUMBERS = [0, 1, 2, True, False, np.int64(0), np.int64(1), np.True_, np.False_, 0.0, "a", None]


@pytest.mark.parametrize("option", TRUTHS)
def test_options_are_true_or_false_as_numpy_takes_them(option):
    function, x = TRUTHS[option], np.array([1.0, 3.0, 2.0])
    compiled = gs.compile(function)
    for number in NUMBERS:
        try:
            expected = function(x, number)
        except TypeError:
            with pytest.raises(TypeError):
                compiled(x, number)
            continue
        except ValueError:
            continue
        assert repr(compiled(x, number)) == repr(expected), number
    decided = gs.compile(lambda x: function(x, int(x[0])))
    for y in (x, x - 1, x):
        assert repr(decided(y)) == repr(function(y, int(y[0])))
