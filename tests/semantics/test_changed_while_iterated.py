"""Deques, dicts and sets that a branch or an inner loop changes while they are iterated over."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque

import numpy as np

import gradsmith as gs
from helpers import each


def appended(x):
    queue, total = deque(x), 0.0
    try:
        for v in queue:
            total += v
            if v > 2:
                queue.append(v)
    except RuntimeError:
        return total, len(queue)
    return total, queue


def appended_to_enumerated(x):
    queue, total = deque(x), 0.0
    try:
        for i, v in enumerate(queue):
            total += v * i
            if v > 2:
                queue += [v]
    except RuntimeError:
        return total, len(queue)
    return total, queue


def taken_from(x):
    queue, count = deque(x), 0
    try:
        for v in queue:
            count += 1
            if v > 2:
                queue.popleft()
    except RuntimeError:
        return -count, len(queue)
    return count, len(queue)


def rotated(x):
    queue, count = deque(x), 0
    try:
        for v in reversed(queue):
            count += 1
            if v > 2:
                queue.rotate(1)
    except RuntimeError:
        return -count, queue
    return count, queue


def one_deleted(x):
    queue, count = deque(x), 0
    try:
        for v in queue:
            count += 1
            if v > 2:
                del queue[0]
    except RuntimeError:
        return -count, queue
    return count, queue


def left_at_once(x):
    queue, total = deque(x), 0.0
    for v in queue:
        total += v
        if v > 2:
            queue.append(v)
            break
    return total, queue


def elements_replaced(x):
    queue, total = deque(x), 0.0
    for v in queue:
        total += v
        if v > 2:
            queue[0] = total
    return total, queue


def elements_replaced_in_a_loop(x):
    queue, total = deque(x), 0.0
    for v in queue:
        for w in x:
            queue[0] += w
        total += v
    return total, queue


def iterator_kept(x):
    queue = deque(x)
    iterator = iter(queue)
    first = next(iterator)
    if x[0] > 2:
        queue.append(1.0)
    try:
        return first + next(iterator)
    except RuntimeError:
        return -first


def ordered_dict(x):
    held, total = OrderedDict(enumerate(x)), 0.0
    for key in held:
        if held[key] > 2:
            held[key] = total
        total += held[key]
    return total, list(held.values())


def dict_with_gaps(x):
    held, total = dict(enumerate(x)), 0.0
    for i in range(len(x) // 2):
        del held[i]
    for key in held:  # noqa: PLC0206
        if held[key] > 2:
            held[key] -= 1
        total += held[key] * key
    return total, held


def counter(x):
    counts, total = Counter(), 0.0
    for i, v in enumerate(x):
        counts[i % 3] = v
    del counts[0]
    for key in counts:
        if counts[key] > 2:
            counts[key] -= 1
        total += counts[key]
    return total, counts


def set_with_gaps(x):
    numbers, seen = set(range(50)), []
    for i in range(45):
        numbers.discard(i)
    for number in numbers:
        seen.append(number)
        if x[0] > 2:
            numbers.discard(1000)
    return seen


def set_added_to(x):
    numbers, count = {100 * i + 7 for i in range(len(x))}, 0
    try:
        for number in numbers:
            count += 1
            if x[number // 100] > 2:
                numbers.add(-number)
    except RuntimeError:
        return -count, len(numbers)
    return count, len(numbers)


FUNCTIONS = [
    appended,
    appended_to_enumerated,
    taken_from,
    rotated,
    one_deleted,
    left_at_once,
    elements_replaced,
    elements_replaced_in_a_loop,
    iterator_kept,
    ordered_dict,
    dict_with_gaps,
    counter,
    set_with_gaps,
    set_added_to,
]


@each("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_what_python_does(function):
    compiled = gs.compile(function)
    for values in ([1.0, 3.0, 2.0, 4.0], [1.0, 2.0, 2.0, 3.0], [5.0, 2.0], [1.0, 1.5, 1.0]):
        x = np.array(values)
        assert compiled(x) == function(x)
