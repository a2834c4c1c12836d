"""Rows of arrays as lists and tuples where C code takes them apart or compares."""

import numpy as np
import pytest

import gradsmith as gs


def _dict_of_rows(x):
    return dict([tuple(row) for row in x])


def _updated(x):
    found = {}
    found.update([tuple(row) for row in x])
    return found


def _old_format(x):
    return "%s and %s" % tuple(x[0])  # noqa: UP031


def _formats(x):
    return "{} {}".format(*x[0]), str(tuple(x[0])), repr([list(row) for row in x])


@pytest.mark.parametrize("function", [_dict_of_rows, _updated, _old_format, _formats])
def test_rows(function):
    compiled = gs.compile(function)
    for values in ([[1.0, 2.0], [3.0, 4.0]], [[2.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[1.0, 2.0]]):
        x = np.array(values)
        assert repr(compiled(x)) == repr(function(x))


def _ranges(n):
    return (
        *(range(n) == range(3), range(0, n, 2) == range(n), range(n) != range(2, n)),
        hash(range(n)) == hash(range(3)),
    )


def _ranges_in_containers(n):
    found = {range(n): "n", range(2): "two"}
    return (
        *(
            (1, range(n)) == (1, range(3)),
            [range(n)] != [range(3)],
            {"a": range(n)} == {"a": range(3)},
        ),
        *(range(n) in (range(2), range(3)), [range(9), range(n), range(3)].index(range(3))),
        *([range(2), range(3)].count(range(n)), len({range(n), range(3), range(0, 3, 1)})),
        *(found.get(range(3)), found[range(2)], len(found)),
        *(range(n) == n, range(n)[1:] == range(1, 3), (range(n),) == (range(n),)),
    )


def _quotients(n):
    return np.divmod(n, 2), np.floor_divide(n, 2), np.remainder(n, 2)


@pytest.mark.parametrize("function", [_ranges, _ranges_in_containers, _quotients])
def test_numbers_of_python(function):
    compiled = gs.compile(function)
    for n in (3, 1, 0, 4, 2):
        assert repr(compiled(n)) == repr(function(n))


@pytest.mark.parametrize("n", [3.5, 7, np.float64(2.0), -3])
def test_divmod_gives_numpys_numbers(n):
    assert repr(gs.compile(_quotients)(n)) == repr(_quotients(n))


def test_an_order_of_another_class_is_refused_where_python_does():
    def function(x):
        return sorted(x, reverse=x[0] > 1)

    x = np.array([2.0, 3.0])
    try:
        expected = function(x)
    except TypeError:
        with pytest.raises(TypeError):
            gs.compile(function)(x)
    else:
        assert repr(gs.compile(function)(x)) == repr(expected)


def _clipped(s):
    return np.clip(s, 0, 1), np.clip(s, -1.0, 0.0), np.clip(s, 0, None), np.clip(s, 0.0, -0.0)


def _outer(s):
    return np.multiply.outer(s, s), np.add.outer(s, 1.0), np.subtract.outer(2, s)


@pytest.mark.parametrize("function", [_clipped, _outer])
def test_functions_of_one_number(function):
    """Signs of zeros, classes and dtypes are those of NumPy's functions."""
    compiled = gs.compile(function)
    for s in (-0.0, 0.5, np.float64(-0.0), 2, np.float32(-0.0), np.ones(2, np.float32)):
        assert repr(compiled(s)) == repr(function(s))
