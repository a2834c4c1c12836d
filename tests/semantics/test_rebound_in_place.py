"""``values += ...`` of a container that a variable outside holds, in loops and branches."""

import numpy as np

import gradsmith as gs
from helpers import each

CALLS = [np.array(x) for x in ([2.0, 0.5, 1.5], [0.5, 0.5, 0.25], [3.0, 2.0, 2.0, 4.0])]


def traced_elements():
    values = [1.0]

    def function(x):
        nonlocal values
        for v in x:
            values += [v]
        return x[0] * len(values)

    return function, lambda: values


def constants():
    values = [1.0]

    def function(x):
        nonlocal values
        for _ in x:
            values += [1.0]
        return x[0] * len(values)

    return function, lambda: values


def one_path():
    values = [1.0]

    def function(x):
        nonlocal values
        if x[0] > 1:
            values += [x[0]]
        return x[0] * values[-1]

    return function, lambda: values


def path_in_a_loop():
    values = [1.0]

    def function(x):
        nonlocal values
        for v in x:
            if v > 1:
                values += [v]
        return values[-1] * 2

    return function, lambda: values


def set_of_integers():
    seen = {1}

    def function(x):
        nonlocal seen
        for v in x:
            seen |= {int(v)}
        return x[0]

    return function, lambda: sorted(seen)


def dict_of_elements():
    table = {"a": 1.0}

    def function(x):
        nonlocal table
        for i in range(len(x)):
            table |= {str(i): x[i]}
        return table["0"]

    return function, lambda: table


def array():
    total = np.zeros(())

    def function(x):
        nonlocal total
        for v in x:
            total += v
        return total * x[0]

    return function, lambda: float(total)


def counting_while():
    values = [0]

    def function(x):
        nonlocal values
        i = 0
        while i < 3:
            values += [i]
            i += 1
        return x[0] * sum(values)

    return function, lambda: values


def new_list_first():
    values = [0.0]

    def function(x):
        nonlocal values
        values = [*values, x[0]]
        values += [x[1]]
        return x[0] * len(values)

    return function, lambda: values


@each(
    "program",
    [
        *(traced_elements, constants, one_path, path_in_a_loop, set_of_integers),
        *(dict_of_elements, array, counting_while, new_list_first),
    ],
)
def test_values_and_containers(program):
    (plain, expected), (function, held) = program(), program()
    compiled = gs.compile(function)
    for x in CALLS:
        assert compiled(x) == plain(x)
        assert held() == expected()
