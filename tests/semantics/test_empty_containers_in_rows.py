"""Empty containers beside values in the elements of lists that loops make, and objects as keys."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each

ARRAYS = [(np.array(x),) for x in ([1.0, 3.0], [1.0, 3.0, 2.0, 5.0, 4.0], [2.0], [])]


@each(
    "body",
    [
        "[{'v': v, 'kids': []} for v in x]",
        "[(v, {}) for v in x], [(v, ()) for v in x], [({}, v) for v in x], [[v, {}] for v in x]",
        "[(v, {'a': {}}) for v in x]",
        "o = []\nfor v in x: o.append((v, {}))\nreturn o, list(map(lambda v: (v, {}), x))",
        "o = [{'v': v, 'kids': []} for v in x]\nfor n in o: n['kids'].append(1)\nreturn o",
    ],
)
def test_elements(body):
    check_calls(function_of(body), *ARRAYS)


@each(
    "body",
    [
        "g = itertools.zip_longest(x, x[:1])\ns = 0.0\nfor a, b in g:\n    if a > 0: s += a\n"
        "    elif b is None: s -= 1\nreturn s",
        "g = itertools.zip_longest(x, x[:1])\nreturn sum(a for a, b in g if a > 0)",
        "g = itertools.zip_longest(x, x[:1])\nnext(g)\nnext(g)\n"
        "return 1.0 if x[0] > 0 else list(g)",
    ],
)
def test_iterators_of_which_one_operand_is_used_up(body):
    function = function_of(body, itertools=itertools)
    check_calls(function, ([-1.0, 1.0, 3.0, 0.25],), ([2.0, 0.5],), ([1.0, 3.0, 2.0],))


class Key:
    def __init__(self, p):
        self.p = p

    def __hash__(self):
        return hash(self.p)

    def __eq__(self, other):
        return self.p == other.p


OUTSIDE = Key(5)


def test_objects_that_the_function_makes_are_no_keys_of_results():
    within = function_of("d = {Key(n): 2, Key(n + 1): 3}\nreturn d[Key(n)] * len(d)", "n", Key=Key)
    check_calls(within, (3,), (1,))
    assert gs.compile(lambda n: {OUTSIDE: n})(2) == {OUTSIDE: 2}
    with pytest.raises(gs.GradsmithError):
        gs.compile(lambda n: {Key(n): 1})(3)
