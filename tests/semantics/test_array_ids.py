"""``id`` of arrays: one number for what is one array, however it is reached."""

import numpy as np

import gradsmith as gs

HELD = [np.ones(2)]
HELD.append(HELD[0])


def test_arrays_outside():
    def each_once(x):
        seen, found = set(), []
        for values in HELD:
            if id(values) not in seen:
                seen.add(id(values))
                found.append(values * x)
        return found

    assert len(gs.compile(each_once)(2.0)) == 1


def test_arguments():
    compiled = gs.compile(lambda a, b: (id(a) == id(b), a is b, len({id(a), id(b)})))
    x = np.ones(2)
    assert compiled(x, x) == (True, True, 1)
    assert compiled(x, np.ones(2)) == (False, False, 2)


def test_arrays_of_the_functions_own():
    def function(x):
        a = x * 2
        b, c = a, x * 2
        return id(a) == id(b), id(a) == id(c), len({id(a), id(b), id(c)}), id(x[0:1]) == id(x)

    x = np.ones(3)
    assert gs.compile(function)(x) == function(x) == (True, False, 2, False)
