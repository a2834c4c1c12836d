"""Functions with conditions that change something when they are asked, and with functions inside
that set variables of those around.
"""

from __future__ import annotations

import numpy as np


class Counter:
    """Counts its calls, and adds up what it is given."""

    def __init__(self, value=0.0):
        self.value = value
        self.calls = 0

    def add(self, step=1.0):
        self.calls += 1
        self.value += step
        return self.value

    @property
    def goes_on(self):
        self.calls += 1
        return self.value * self.calls < 3

    def __bool__(self):
        self.calls += 1
        self.value -= 0.9
        return bool(self.value > -2.1)

    def __len__(self):
        self.calls += 1
        return self.calls


def counting(n=0.0):
    """What adds to a variable of this function, and what reads it."""

    def add(step=1.0):
        nonlocal n
        n += step
        return n

    return add, lambda: n


# --- conditions of `while`


def method(x):
    c = Counter(x)
    while c.add(0.7) < 3:
        x = x * 1.1
    return c.value * c.calls * x


def two_methods(x):
    c, d, n = Counter(x), Counter(-x), 0
    while c.add(0.9) < 2.45 and d.add(0.8) < 1.55:
        n += 1
    return c.value * c.calls + d.value * d.calls * x + n


def attribute(x):
    c = Counter(x)
    while c.goes_on:
        c.value = c.value + 0.25
    return c.value * c.calls


def truth(x):
    c = Counter(x)
    total = 0.0
    while c:
        total += c.value
    return total * c.calls + c.value


def length(x):
    c = Counter(x)
    while len(c) < 4 and x < 9:
        x = x * 1.5
    return x * c.calls


def entry(x):
    state = {"n": 0, "v": x}

    def going():
        state["n"] += 1
        state["v"] = state["v"] * 1.5
        return abs(state["v"]) < 4

    while going():
        x += state["v"]
    return x + state["v"] * state["n"]


def element(x):
    state = np.array([x, 0.0])

    def going():
        state[0] += 0.5
        state[1] += x * x
        return state[0] < 2.5

    while going():
        x = x * 1.1
    return state[0] * state[1] + x


def attribute_of_a_function(x):
    def scaled(v):
        scaled.calls += 1
        return v * scaled.calls

    scaled.calls = 0
    while scaled(x) ** 2 < 9 and scaled.calls < 8:
        x = x + 0.125
    return scaled.calls * x


def variable_around(x):
    add, total = counting(x)
    while add(0.4) < 2:
        x = x * 1.1
    return x * total()


def list_of_numbers(x):
    stack = [x, 2.0, x * x, 1.0, 3.0]
    while stack.pop() > 0.9 and stack:
        x = x + 1
    return sum(stack) * x


def break_and_else(x):
    c = Counter(x)
    while c.add(0.6) < 3:
        if c.value * c.value > 4.4:
            break
    else:
        return c.value * c.calls
    return c.value * c.calls * 10


def result_from_inside(x):
    c = Counter(x)
    while c.add(0.6) < 3:
        if c.calls > 2:
            return c.value + x * c.calls
    return -c.value * c.calls


def goes_on_at_once(x):
    c, total = Counter(x), 0.0
    while c.add(0.5) < 4:
        if c.value > 1.3:
            continue
        total += c.value
    return total * c.calls + c.value


def assigned_in_it(x):
    c, total = Counter(x), 0.0
    while (y := c.add(0.5)) < 2:
        total += y * y
    return total * c.calls + y * x


def left_with_what_it_assigns(x):
    total = 0.0
    while (y := x * total + 1) < 5:
        total += 0.5
        if total > x + 1:
            break
    return total + y * 10


def counted_or_left(x):
    i = 0
    while (i := i + 1) < 6:
        if x * i > 4.5:
            break
        x = x * 1.25
    return i * x


def counted_down_or_returned(x):
    i, total = 5, 0.0
    while (i := i - 1) >= 0:
        if x * i > 4.5:
            return total * i
        total += x
    return total + i


def elements_until_one(x):
    values, i = np.array([0.5, x, 1.5, -x, -1.0]), -1
    while values[(i := i + 1)] > 0:
        if values[i] > 2:
            break
    return values[i] * i


def counted_within(x):
    total = 0.0
    for n in range(6):
        i = 0
        while (i := i + 1) < n:
            if x * i > 3:
                break
            total += x * i
        total += i
    return total


def two_that_it_assigns(x):
    i = 0
    while (i := i + 1) < 4 and (y := x * i) < 6:
        if y > 5:
            break
        x = x * 1.5
    return x * i + y


def nested(x):
    c, d = Counter(x), Counter()
    while c.add(0.8) < 2.4:
        while d.add(c.value * c.value * 0.1 + 0.1) < c.calls:
            x = x * 0.9
    return c.value * d.value + c.calls * d.calls * x


def endless_with_a_break_first(x):
    c = Counter(x)
    while True:
        if c.add(0.7) > 3:
            break
        x = x * 1.1
    return c.value * c.calls * x


def integers(x):
    n, total = 5, 0.0
    while (n := n - 1) > 0 and (total := total + x) < 3:
        pass
    return total * n


def asserting(x):
    c = Counter(x)

    def message():
        c.calls += 100
        return "too small"

    assert x > -5, message()
    assert c.add() > -5, f"{c.add():.2f}"
    return c.value * c.calls


# --- variables that functions inside set


def in_arms(x):
    add, total = counting()
    more, other = counting(1.0)
    for v in x:
        if v > 0:
            add(v)
        else:
            more()
    return total() * other()


def its_own_variables(x):
    n, best = 0, None

    def see(v):
        nonlocal n, best
        n += 1
        if best is None or v > best:
            best = v

    for v in x:
        see(v)
    return best * n


def set_by_both(x):
    n = 0.0

    def add(v):
        nonlocal n
        n += v

    for v in x:
        add(v)
        n = n * 0.5 + 1
    return n


def set_in_a_branch_before(x):
    n = 0.0

    def add(v):
        nonlocal n
        n += v

    if x[0] > 0.4:
        n = 1.0
    for v in x:
        add(v)
    return n * x[0]


def arrays(x):
    s = np.zeros(2)

    def add(v):
        nonlocal s
        s = s + v * np.array([1.0, 2.0])

    for v in x:
        if v > 0:
            add(v)
    return s[0] * s[1]


def until_enough(x):
    add, total = counting()
    for v in x:
        if add(v) > 1.5:
            return v * total()
    return -total()


def inner_loop(x):
    add, total = counting()
    for v in x:
        w = v
        while add(0.31) < w:
            w = w * 0.9
    return total() * x[0]


def exchanged(x):
    def made():
        a, b = 1.0, 0.0

        def step(v):
            nonlocal a, b
            a, b = b + v, a * 0.5
            return a

        return step, lambda: (a, b)

    step, state = made()
    r = 0.0
    for v in x:
        r += step(v)
    a, b = state()
    return r + a * 10 + b


def callback(x):
    calls, seen = 0, []

    def stop(v):
        nonlocal calls
        calls += 1
        seen.append(v)
        return calls >= 3

    def run(ask):
        t = 0.0
        for v in x:
            t += v * v
            if ask(t):
                break
        return t

    return run(stop) * calls + seen[0]


def chosen(x):
    n = x[1]

    def times():
        nonlocal n
        n = n * x[0]

    def less():
        nonlocal n
        n = n - 3

    if x[0] > 1:
        times()
    elif x[0] > 0:
        less()
        times()
    else:
        less()
    return n * (2.0 if n > 0 else 3.0)


CONDITIONS = [
    method,
    two_methods,
    attribute,
    truth,
    length,
    entry,
    element,
    attribute_of_a_function,
    variable_around,
    list_of_numbers,
    break_and_else,
    result_from_inside,
    goes_on_at_once,
    assigned_in_it,
    left_with_what_it_assigns,
    counted_or_left,
    counted_down_or_returned,
    elements_until_one,
    counted_within,
    two_that_it_assigns,
    nested,
    endless_with_a_break_first,
    integers,
]


VARIABLES = [
    in_arms,
    its_own_variables,
    set_by_both,
    set_in_a_branch_before,
    arrays,
    until_enough,
    inner_loop,
    exchanged,
    callback,
    chosen,
]
