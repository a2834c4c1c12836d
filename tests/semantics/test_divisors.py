"""Integers that loops count are divisors: only where they are 0 there is an error."""

from __future__ import annotations

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

COUNTED = "k = 0\nfor v in x:\n    if v > 0.6:\n        k += 1\n"
REST = "return x[0] * (7 // k)"
PROGRAMS = {
    "quotient": COUNTED + "return 7 // k, x[0]",
    "remainder": COUNTED + "return x[0] * (7 % k)",
    "divmod": COUNTED + "return divmod(12, k), x[0] / k",
    "handled": COUNTED + f"try:\n    {REST}\nexcept ZeroDivisionError:\n    return x[1]",
    "guarded": COUNTED + "return x[0] * (7 // k if k else -1)",
    "branches": COUNTED + "if k > 1:\n    return x[0] * (9 // k)\nreturn x[0] * (5 % (k + 1))",
    "of a while loop": f"k = 0\nwhile k < len(x) and x[k] > 0.6:\n    k += 1\n{REST}",
    "of a product": "k = 1\nfor v in x:\n    if v > 1:\n        k *= 2\nreturn 16 // k, 3 % -k",
    "in a loop": COUNTED + "t = x[0]\nfor i in range(1, k):\n    t += 6 // i % k\nreturn t",
    "of a key": f"k = max(range(len(x)), key=lambda j: x[j])\n{REST}",
}
CALLS = [(np.array(x),) for x in ([0.9, 2.0, 0.7], [0.1, -2.0], [1.5, 0.2, 1.1, 0.8], [-1.0, 0.7])]


@each("name", PROGRAMS)
def test_divisors_that_the_data_decide(name):
    check_calls(function_of(PROGRAMS[name]), *CALLS)
