"""Lists of what a condition keeps, which may be nothing, and what goes on with them."""

import numpy as np

from control.one_object import check_calls
from helpers import each

CALLS = [
    (np.array(x), 0.5)
    for x in ([-1.0, -2, -2], [1.3, -1, 2.0, 0.1], [1.3, -1, 2], [1.3, 2.0, 3.0, 4.0, 5.0], [-1.0])
]


def filled_up(x, v):
    p = [w for w in x if w > 0]
    while len(p) < 3:
        p.append(v)
    return p


def filled_up_from_a_mask(x, v):
    p = list(x[x > 0])
    while len(p) < 3:
        p.append(v)
    return p


def filled_up_from_a_list(x, v):
    p = x[x > 0].tolist()
    while len(p) < 3:
        p.append(v)
    return np.array(p)


def taken_from_its_end(x, v):
    p = [w * 2 for w in x if w > 0]
    while p and p[-1] > 1:
        p.pop()
    return p


def put_in_front(x, v):
    p = [w * 2 for w in x if w > 0]
    while len(p) % 3:
        p.insert(0, v)
    return sum(p)


def added_to_its_first(x, v):
    try:
        return x[x > 0][:1] + np.array([v, 2.0])
    except ValueError:
        return None


def stored_by_its_size(x, v):
    q = x[x > 0][:1]
    x[: q.size] = 99.0
    x[q.size : q.size + 1] = 55.0
    return x


def raised(x, v):
    p = [w for w in x if w > 0]
    k = 0
    while k < len(p):
        p[k] = max(p[k], v)
        k += 1
    return p


def folded(x, v):
    p = [w for w in x if w > 0]
    while len(p) > 1:
        a = p.pop()
        b = p.pop()
        p.append(a + b * v)
    return p


PROGRAMS = [
    *(filled_up, filled_up_from_a_mask, filled_up_from_a_list),
    *(taken_from_its_end, put_in_front, added_to_its_first),
    *(stored_by_its_size, raised, folded),
]


@each("function", PROGRAMS)
def test_also_where_nothing_is_kept(function):
    check_calls(function, *CALLS)
