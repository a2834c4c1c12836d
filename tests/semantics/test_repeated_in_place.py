"""``h *= n`` changes the list, whoever holds it, also where only running tells its length."""

from __future__ import annotations

import operator

import numpy as np

from control.one_object import function_of
from helpers import each
from semantics.test_number_classes import check_classes

COUNTS = [(3,), (0,), (1,)]
PROGRAMS = {
    "another name": "h = [1.0]\nb = h\nh *= n\nreturn b, h is b",
    "several elements": "h = [1.0, 2]\nb = h\nh *= n\nreturn b, h is b",
    "a length": "h = [0]\nb = h\nh *= len(np.ones(n))\nreturn b, len(b)",
    "by the operator": "h = [1.0]\nb = [h]\nh = operator.imul(h, n)\nreturn b, b[0] is h",
    "by the method": "h = [1.0]\nb = h\nh = h.__imul__(n)\nreturn b, h is b",
    "an attribute": (
        "class O:\n    pass\no = O()\no.h = [1]\nb = o.h\no.h *= n\nb.append(5)\nreturn o.h"
    ),
    "an entry": "d = {'h': [1.5]}\nb = d['h']\nd['h'] *= n\nreturn b, d",
    "in a helper": "def repeat(k):\n    k *= n\nh = [2.0]\nrepeat(h)\nreturn h",
    "made by a loop": "h = [v * 2.0 for v in np.ones(n)]\nb = h\nh *= n\nreturn b, h is b",
    "no change": "h = [1.0]\nb = h\nh = h * n\nreturn b, h",
    "a sum": "h = [1.5]\nb = h\nh *= n\nreturn sum(b) * 1.0",
}


@each("body", PROGRAMS.values(), ids=PROGRAMS)
def test_the_list_is_changed(body):
    check_classes(function_of(body, "n", operator=operator), *COUNTS)


def test_an_argument_is_changed():
    check_classes(
        function_of("h *= n\nreturn len(h)", "h, n"), ([1.0], 3), ([2.0], 0), ([np.float64(3)], 2)
    )
