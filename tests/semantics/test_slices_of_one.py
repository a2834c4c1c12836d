"""Slices of one element, such as ``y[:1]``, of arrays that the data may leave empty."""

import numpy as np

from control.one_object import check_calls
from helpers import each

CALLS = [
    (np.array(x),) for x in ([1.3, -1.1, 2.0], [-1.0, -2.0], [-1.1, 2.0], [3.0, 2.0, 2.5, -1.0])
]


def length(x):
    return len(x[x > 0][:1])


def shapes(x):
    return (
        x[x > 0][:1].shape,
        x[x > 0][-1:].size,
        x[x > 0][1:2].shape,
        x[x > 0][:2].shape,
        x[x > 0][-2:-1].shape,
    )


def iterated(x):
    for v in x[x > 0][:1]:
        return v
    return 0.0


def element_if_any(x):
    j = np.flatnonzero(x > 0)[:1]
    if len(j):
        return x[j[0]]
    return None


def of_unique_values_and_a_product(x):
    return (np.unique(x)[:1].size, np.outer(x[x > 0], x)[:1, :1].shape)


def first_subtracted(x):
    y = x[x > 0]
    return (y - y[:1]).sum()


def first_times_all(x):
    y = x[x > 0]
    return (y[:1] * y).sum()


def appended(x):
    y = x[x > 0]
    return np.append(y[:1], np.diff(y)).sum()


def recursive_filter(x):
    y = x[x > 0]
    return np.concatenate([y[:1], y[1:] - 0.5 * y[:-1]])


def windows(x):
    y = x[x > 0]
    return (y[:1] + 1, y[1:2] * 2, y[-2:-1] * x[0], y[:1].shape, y[0:1] == y)


def written_to(x):
    y = x[x > 0].copy()
    y[:1] = 5
    y[-1:] += 1
    return y


def index_array(x):
    i = np.flatnonzero(x > 0)[:1]
    return (x[i].sum(), i.size, len(i))


def first_index(x):
    i = np.flatnonzero(x > 1)
    if i.size:
        return x[i[0]]
    return -1.0


def scaled(x):
    y = np.unique(x)
    return (y - y[:1]) / (y[-1:] - y[:1])


def cumulative(x):
    y = x[x > 0]
    return np.cumsum(y) / y[:1]


def product_of_rows(x):
    y = x[x > 0][:, None]
    return (y[:1] @ y[:1].T).sum()


def outer_product(x):
    y = x[x > 0]
    z = y[:1].reshape(-1, 1) * y[None]
    return (z.sum(), z.shape)


def chosen(x):
    y = x[x > 0]
    return (np.where(y > 1, y, y[:1]), np.maximum(y[:1], y), np.stack([y, y])[:1])


def reduced(x):
    y = x[x > 0]
    return (float(y[:1].sum()), max(y[:1].tolist(), default=0.0), np.mean(y[:1]) if len(y) else 0)


def unpacked(x):
    y = x[x > 0]
    (a,) = y[:1]
    return a


def item(x):
    y = x[x > 0]
    return y[:1].item() if y.size else None


def repeated(x):
    y = x[x > 0]
    return (np.repeat(y[:1], 3), np.tile(y[:1], 2), np.full(2, 1.0) * y[:1])


PROGRAMS = [
    *(
        length,
        shapes,
        iterated,
    ),
    *(
        element_if_any,
        of_unique_values_and_a_product,
        first_subtracted,
    ),
    *(
        first_times_all,
        appended,
        recursive_filter,
    ),
    *(
        windows,
        written_to,
        index_array,
    ),
    *(
        first_index,
        scaled,
        cumulative,
    ),
    *(
        product_of_rows,
        outer_product,
        chosen,
    ),
    *(
        reduced,
        unpacked,
        item,
    ),
    *(repeated,),
]


@each("function", PROGRAMS)
def test_as_long_as_there_are_elements(function):
    check_calls(function, *CALLS, messages=False)


def added_to_the_last(v, x):
    i = np.flatnonzero(x > 0)
    x[i[-1:]] -= v
    return x.sum()


def at_most_one(v, x):
    n = min(1, len(x[x > 0]))
    y = x[:n] * v
    y[:1] = v
    return y.sum()


def stored_by_a_mask(v, x):
    x[x > 0] = v
    return x.sum()


def stored_behind_a_search(v, x):
    x[np.searchsorted(x, 0.5) :] = v
    return x.mean()


def stored_in_new_zeros(v, x):
    y = np.zeros(len(x))
    y[x > 0] = v
    return np.sum(y * x) + sum(y)


STORES = [
    *(added_to_the_last, at_most_one, stored_by_a_mask),
    *(stored_behind_a_search, stored_in_new_zeros),
]


@each("function", STORES)
def test_a_number_stored_where_the_data_say(function):
    check_calls(function, *[(1.5, x.copy()) for (x,) in CALLS])


def test_a_number_stored_in_as_many_as_an_array_says():

    def function(v, n):
        m = np.zeros(5)
        m[: n[0]] = v
        return m.sum()

    check_calls(function, *[(1.5, np.array([n, 1])) for n in (2, 0, 7)])


def test_the_truth_of_what_a_mask_selects():

    def function(x):
        return 1.0 if x[x > 0] > 1 else 2.0

    check_calls(function, *[(np.array(x),) for x in ([-1.0, 2.0], [0.5, -1.0], [2.0, 1.0])])
