"""``while`` loops that a counter ends, or a value that only the first iteration knows: how many
iterations there are is Python's, and so is what the loop leaves.
"""

from __future__ import annotations

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

LOOPS = {
    "a sum and a counter": """
        out, k, s = [0.0], 0, 0.0
        while s < t and k < 6:
            k += 1
            s = s + x
            out.append(s)
        return out[-1], len(out), k""",
    "the last element and a counter": """
        out, k = [0.0], 0
        while k < 6 and out[-1] < t:
            k += 1
            out.append(out[-1] + x)
        return out[-1], len(out), k""",
    "integers in a list": """
        out, k = [0], 0
        while out[-1] < t and k < 6:
            k += 1
            out.append(out[-1] + (x if k % 2 else 1))
        return out[-1] / 2, len(out)""",
    "a break that counts": """
        out, k, s = [0.0], 0, 0.0
        while s < t:
            k += 1
            s = s + x
            out.append(s)
            if k == 6:
                break
        return out[-1], len(out), k""",
    "two breaks": """
        k, s = 0, 0.0
        while True:
            k += 1
            s = s + x
            if s > t:
                break
            if k >= 6:
                break
        return s, k""",
    "downwards": """
        k, s = 10, 0
        while k > 0 and s < t:
            s = s + x
            k -= 2
        return s, k""",
    "a negation": """
        i, total = 0, 0
        while not (i >= 5 or total >= t):
            total = total + x * i
            i += 1
        return total, i""",
    "nested conditions": """
        i, total, n = 0, 0.0, 0
        while i < 5 and (total < t or n == 0):
            total = total + x * i
            i += 1
            n += 1
        return total, i, n""",
    "a continue": """
        k, s, rows = 0, 0.0, []
        while s < t and k < 6:
            k += 1
            if k % 2:
                continue
            s = s + x
            rows.append(s)
        return s, k, len(rows), rows""",
}
FLOATS = [(0.5, 3), (0.7, 2.0), (0.5, 100), (0.5, -1.0), (0.5, 2)]
INTEGERS = [(1, 3), (2, 3), (1, 100), (1, -1)]
SCALARS = [(np.float64(0.5), 2), (np.float64(0.5), np.float64(9))]


@each("name", LOOPS)
def test_the_number_of_iterations_is_pythons(name):
    function = function_of(LOOPS[name].replace("\n        ", "\n"), "x, t")
    for calls in (FLOATS, INTEGERS, SCALARS):
        check_calls(function, *calls)
        check_calls(function, *calls[::-1])
