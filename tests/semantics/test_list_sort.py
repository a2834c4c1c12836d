"""``list.sort`` with a key: the list is empty meanwhile, as in Python."""

import numpy as np

from control.one_object import check_calls
from helpers import each

CALLS = [(np.array(x),) for x in ([3.0, 1.0, 2.0], [1.0, 1.0, 0.0], [5.0, 2.0, 7.0, 1.0])]


def changed_by_the_key(x):
    values = list(x)
    try:
        values.sort(key=lambda v: values.append(v) or v)
    except ValueError as e:
        return str(e), len(values)
    return values


def count_as_key(x):
    values = list(x)
    values.sort(key=values.count)
    return values


def length_in_the_key(x):
    values = x.tolist()
    values.sort(key=lambda v: len(values) - v)
    return values, len(values)


def error_in_the_key(x):
    values = x.tolist()
    try:
        values.sort(key=lambda v: 1 / (v - 2.0))
    except ZeroDivisionError:
        return values, "z"
    return values


def of_tuples(x):
    values = [(v, i) for i, v in enumerate(x)]
    values.sort(key=lambda t: (-t[0], t[1]))
    return values


def of_keys(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    k = list(d)
    k.sort(key=d.get)
    return k


def of_rows(x):
    values = [[v, v * 2] for v in x]
    values.sort(key=lambda r: r[1], reverse=True)
    values[0][0] = 9.0
    return values


def of_shared_rows(x):
    rows = [[v] for v in x]
    m = rows
    m.sort(key=lambda r: r[0])
    m[0].append(1.0)
    return rows, rows is m


@each(
    "function",
    [
        changed_by_the_key,
        count_as_key,
        length_in_the_key,
        error_in_the_key,
        of_tuples,
        of_keys,
        of_rows,
        of_shared_rows,
    ],
)
def test_python_sorts_the_same(function):
    check_calls(function, *CALLS)
