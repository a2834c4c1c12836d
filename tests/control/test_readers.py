"""Files and readers made in the function: the emitted code takes all of their lines at once."""

import csv
import io

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import UnsupportedError


def _after_a_header(x):
    rows, total = csv.reader(io.StringIO("a,b\n1,2\n3,4\n5,6")), 0.0
    next(rows)
    for row in rows:
        total += float(row[1]) * x[0]
    return total


def _read_twice(x):
    file, found = io.StringIO("a\nb\nc"), []
    for line in file:
        found.append(line)  # noqa: PERF402
    file.seek(0)
    file.readline()
    found += list(file)
    file.close()
    return found, x[0]


def _left_early(x):
    total = 0.0
    with io.StringIO("1,2\n3,4") as file:
        for line in file:
            one, _ = line.split(",")
            total += float(one) * x[0]
            if total > 9:
                break
    return total


@pytest.mark.parametrize("function", [_after_a_header, _read_twice, _left_early])
def test_all_lines(function):
    compiled = gs.compile(function)
    for values in ([1.0, 2.0], [20.0], [-3.0]):
        assert repr(compiled(np.array(values))) == repr(function(np.array(values)))


def _rest_after_a_break(x):
    file = io.StringIO("a\nb\nc")
    for _ in file:
        break
    return file.read(), x[0]


def _advanced_by_the_body(x):
    file, found = io.StringIO("a\nb\nc"), []
    for line in file:
        found.append(line)
        next(file, "")
    return found, x[0]


@pytest.mark.parametrize("function", [_rest_after_a_break, _advanced_by_the_body])
def test_what_a_loop_leaves_is_refused(function):
    with pytest.raises(UnsupportedError, match="what a loop leaves of an object of class"):
        gs.compile(function)(np.ones(2))


def _named_by_data(x):
    class Held:
        pass

    held, count = Held(), 0
    for v in x:
        count += v > 0
        setattr(held, f"k{count}", v)
    return sorted(vars(held)), getattr(held, f"k{count}"), hasattr(held, f"k{count + 1}")


def test_attributes_named_by_data():
    compiled = gs.compile(_named_by_data)
    for values in ([1.0, 2.0, -3.0], [-1.0, 1.0], [2.0]):
        assert repr(compiled(np.array(values))) == repr(_named_by_data(np.array(values)))
