"""Elements of lists at places that the data decide, and in an order that the data decide.

They are the elements themselves, to which writes go, and keep the class that they have.
"""

from __future__ import annotations

import numpy as np

import gradsmith as gs
from control.one_object import function_of
from helpers import each

PROGRAMS = {
    "row of a literal": "r = [[0.0, b], [b, b], [0.1, 0.2]]\nr[k][-1] = x[0]\nreturn r",
    "row of a comprehension": "r = [[e, b] for e in x]\nr[k][-1] = x[0]\nreturn r",
    "row that was appended": """
        r = []
        for i in range(len(x)):
            line = [x[i], b]
            r.append(line)
            line[0] += 0.1
        r[k][-1] = x[0]
        return r""",
    "row with a name": "r = [[e, b] for e in x]\nq = r[k]\nq[-1] = x[0]\nr[1][0] = b\nreturn r, q",
    "row that was read before": """
        r = [[b, b], [b, 2 * b]]
        q = r[k]
        r[0][1], r[1][1] = x[0], x[1]
        return q""",
    "array": "r = [x[:2].copy() for e in x]\nr[k][-1] = b\nreturn r",
    "array with a name": "r = [x, 2 * x]\nq = r[k]\nq[0] = b\nreturn r",
    "dict": "r = [{'v': e} for e in x]\nr[k]['v'] = b\nreturn [q['v'] for q in r]",
    "rows in a loop": """
        r = [[b, 1.0], [x[0], 2.0]]
        for v in x:
            r[int(abs(v) * 10) % 2][1] += b
        return r""",
    "rows that grow in a loop": """
        r = [[b], [b]]
        for v in x:
            r[int(abs(v) * 10) % 2].append(v)
        return r""",
    "Python's number": "return [b, 2 * b][k], (b, 1.5)[k], [1, 2.5][k], x.tolist()[k]",
    "number of either class": "r = [b, x[1]]\nreturn r[k]",
    "sorted numbers of Python's": """
        made = [float(e) for e in x]
        made.sort(reverse=True)
        return sorted(x.tolist()), sorted([b, 2 * b, -b], key=lambda e: -e), made""",
    "sorted numbers of either class": "return sorted([b, 2 * b, x[0]]), sorted([*x, b])",
}
SETS = [([0.3, -0.2, 0.5], 0.25), ([0.43, 0.9, -0.5, 0.1], 0.5), ([0.3, -0.2, 0.5], -0.25)]


@each("name", PROGRAMS)
def test_written_and_read(name):
    body = "\n".join(line.removeprefix("        ") for line in PROGRAMS[name].split("\n"))
    function = function_of(f"k = int(abs(x[0]) * 10) % 2\n{body}", "x, b")
    compiled = gs.compile(function)
    for values, b in (*SETS, SETS[0]):
        expected = function(np.array(values), b)
        assert repr(compiled(np.array(values), b)) == repr(expected)
