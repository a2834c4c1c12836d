"""Variables, attributes and results that are None on some paths, and hold a value on others."""

import contextlib
import io
import math
import warnings

import numpy as np

import gradsmith as gs
from control.one_object import check_calls
from helpers import each

CALLS = [
    (np.array(x),)
    for x in (
        [-1.1, 2.0, -3.0, 1.5, 4.0, 0.6],
        [-1.2, -0.5],
        [0.5, 1.2, 3.0, -2.0, -0.25, 7.0, 0.7],
        [2.0],
    )
]


def early_return_of_an_index(x):
    first = None
    for i, v in enumerate(x):
        if v > 1:
            first = i
            break
    if first is None:
        return -1.0
    return x[first] * 2


def index_of_the_first(x):
    first = None
    for i, v in enumerate(x):
        if v > 1:
            first = i
            break
    return first


def least_and_greatest(x):
    lo = hi = None
    for v in x:
        if v < 0:
            continue
        if lo is None:
            lo = hi = v
        else:
            lo = min(lo, v)
            hi = max(hi, v)
    if lo is None:
        return 0.0
    return hi - lo


def gaps_between(x):
    last = None
    gaps = []
    for i in range(len(x)):
        if x[i] > 0.5:
            if last is not None:
                gaps.append(i - last)
            last = i
    return (gaps, last)


def set_together_with_a_number(x):
    best = None
    bv = -np.inf
    for i in range(len(x)):
        s = x[i] * x[i] - x[i]
        if s > bv and x[i] > 0:
            best, bv = (i, s)
    return (best, bv)


def peak_and_fall(x):
    peak = None
    i = 0
    while i < len(x):
        if peak is None:
            if x[i] > 1:
                peak = x[i]
        elif x[i] < peak * 0.5:
            return peak - x[i]
        else:
            peak = max(peak, x[i])
        i += 1
    return peak


def product_of_some(x):
    acc = None
    for v in x:
        if v > 0:
            acc = v if acc is None else acc * v
    return acc if acc is not None else -1.0


def array_made_late(x):
    vec = None
    for i in range(len(x)):
        if x[i] > 0:
            if vec is None:
                vec = np.zeros(3)
            vec[i % 3] += x[i]
    if vec is None:
        return 0.0
    return vec.sum()


def sum_of_arrays(x):
    vec = None
    for i in range(len(x)):
        if x[i] > 0:
            w = np.array([x[i], 1.0])
            vec = w if vec is None else vec + w
    return None if vec is None else vec.sum()


def in_one_branch(x):
    y = None
    if x[0] > 1:
        y = x[0] * 2
    z = 1.0
    if y is not None:
        z += y
    if y is None:
        z -= 1
    return z


def set_in_two_branches(x):
    y = None
    if x[0] > 1:
        y = x[0] * 2
    elif x[0] < -1:
        y = x[0] * 3
    return y


def longest_run(x):
    run = None
    best = 0
    for i, v in enumerate(x):
        if v > 0:
            if run is None:
                run = i
            best = max(best, i - run + 1)
        else:
            run = None
    return best


def reset_on_a_path(x):
    cur = None
    tot = 0.0
    for v in x:
        if cur is None or v > cur:
            cur = v
        elif v < 0:
            cur = None
            tot += 1
        if cur is not None:
            tot += cur
    return (tot, cur)


def changes_of_sign(x):
    prev = None
    n = 0
    for v in x:
        s = v > 0
        if prev is not None and s != prev:
            n += 1
        prev = s
    return n


def closest_pair(x):
    best = None
    for i in range(len(x)):
        for j in range(len(x)):
            if i == j:
                continue
            d = abs(x[i] - x[j])
            if best is None or d < best[0]:
                best = (d, i, j)
    return best[0]


def last_error(x):
    err = None
    e = 10.0
    for _ in range(50):
        e = e * 0.5 * abs(math.cos(x[0]))
        if err is not None and abs(err - e) < 0.1:
            break
        err = e
    return err


def ends_of_a_slice(x):
    left = None
    right = None
    for i in range(len(x)):
        if x[i] > 1:
            if left is None:
                left = i
            right = i
    if left is None or right is None:
        return np.zeros(0)
    return x[left : right + 1]


def greatest_with_a_seed(x):
    m = None
    for v in x:
        if m is None:
            m = v
        m = max(m, v)
    return m


def counter(x):
    c = None
    for v in x:
        if v > 0:
            if c is None:
                c = 0
            c += 1
    return c


def asked_by_its_truth(x):
    c = None
    for v in x:
        if not c:
            c = v
        elif v > c:
            c = None
    return c


def two_before(x):
    a, b = (None, None)
    for v in x:
        a, b = (b, v if v > 0 else None)
    return (a, b)


def dict_made_late(x):
    d = None
    for v in x:
        if v > 1:
            d = {"v": v, "n": 1} if d is None else {"v": d["v"] + v, "n": d["n"] + 1}
    if d is None:
        return 0.0
    return d["v"] / d["n"]


def trapezoids(x):
    t = None
    total = 0.0
    for v in x:
        if t is None:
            t = v
            continue
        total += (v + t) / 2
        t = v
    return total


def inner_function(x):

    def f(p):
        if p > 0:
            return p * 2
        return None

    s = 0.0
    for v in x:
        r = f(v)
        if r is not None:
            s += r
    return s


def returned_from_a_loop(x):
    for v in x:
        if v > 1:
            return v
    return None


def for_else(x):
    r = None
    for v in x:
        if v > 1:
            r = v
            break
    else:
        r = -1.0
    return r


def running_greatest(x):
    cur = None
    outs = []
    for v in x:
        if v > 0:
            cur = v if cur is None else max(cur, v)
        outs.append(0.0 if cur is None else cur)
    return np.array(outs)


def written_as_a_text(x):
    s = None
    for v in x:
        if v > 0:
            s = v if s is None else s + v
    print(s)
    return f"{s}"


def smallest_of_some(x):
    best = None
    for v in x:
        if v > 0 and (best is None or v < best):
            best = v
    return [best * u for u in x] if best is not None else []


def filtered(x):
    b = None
    for v in x:
        if v > 0:
            b = v
    return max([q for q in (b, 1.0) if q is not None])


def held_until_a_jump(x):
    prev = None
    y = np.zeros(len(x))
    for i in range(len(x)):
        if prev is None or x[i] > prev + 1:
            prev = x[i]
        y[i] = prev
    return y


class EMA:
    def __init__(self, a):
        self.a = a
        self.v = None

    def update(self, x):
        if self.v is None:
            self.v = x
        else:
            self.v = self.a * x + (1 - self.a) * self.v
        return self.v


def filter_in_each_iteration(x):
    e = EMA(0.3)
    s = 0.0
    for v in x:
        s += e.update(v)
    return s


def filter_on_a_path(x):
    e = EMA(0.3)
    s = 0.0
    for v in x:
        if v > 0:
            s += e.update(v)
    return s


class PID:
    def __init__(self, kp, kd):
        self.kp = kp
        self.kd = kd
        self.last = None

    def step(self, e, dt):
        d = 0.0 if self.last is None else (e - self.last) / dt
        self.last = e
        return self.kp * e + self.kd * d


def controller(x):
    p = PID(x[0], 0.1)
    y = 1.0
    for v in x:
        y = y + 0.1 * p.step(v - y, 0.5)
    return y


def controller_on_a_path(x):
    p = PID(x[0], 0.1)
    y = 1.0
    for v in x:
        if abs(v) > 0.55:
            y = y + 0.1 * p.step(v - y, 0.5)
    return y


class Tracker:
    def __init__(self):
        self.best = None
        self.idx = None
        self.n = 0

    def see(self, i, v):
        self.n += 1
        if self.best is None or v > self.best:
            self.best = v
            self.idx = i

    def result(self):
        return (self.best, self.idx)


def tracker_result(x):
    t = Tracker()
    for i, v in enumerate(x):
        if v > 0:
            t.see(i, v)
    return t.result()


def tracker_asked_after(x):
    t = Tracker()
    for i, v in enumerate(x):
        if v > 0:
            t.see(i, v)
    if t.best is None:
        return 0.0
    return t.best * 2


class Node:
    def __init__(self, v):
        self.v = v
        self.next = None


def linked_list(x):
    head = None
    for v in x[:3]:
        n = Node(v)
        n.next = head
        head = n
    s = 0.0
    while head is not None:
        s = s * 2 + head.v
        head = head.next
    return s


class Hyst:
    def __init__(self):
        self.state = None

    def __call__(self, v):
        if v > 1:
            self.state = 1
        elif v < -1:
            self.state = -1
        return 0 if self.state is None else self.state


def hysteresis(x):
    h = Hyst()
    s = 0.0
    for v in x:
        s += h(v) * v
    return s


def hit(v, c):
    d = v * v - c
    if d < 0:
        return None
    return np.sqrt(d)


def hits_of_a_helper(x):
    s = 0.0
    for v in x:
        t = hit(v, 1.0)
        if t is not None:
            s += t
    return s


def nearest_hit(x):
    near = None
    for v in x:
        t = hit(v, 0.5)
        if t is not None and (near is None or t < near):
            near = t
    return near


def item_of_a_dict(x):
    d = {"last": None, "s": 0.0}
    for v in x:
        if v > 0:
            if d["last"] is not None:
                d["s"] += v - d["last"]
            d["last"] = v
    return d["s"]


def elements_of_a_list(x):
    L = [None] * 3
    for i, v in enumerate(x):
        if v > 0:
            L[i % 3] = v
    return [q for q in L if q is not None]


def cache_of_results(x):
    cache = {}

    def g(k):
        r = cache.get(k)
        if r is None:
            r = cache[k] = x[k] * 2
        return r

    return g(0) + g(0)


def nonlocal_variable(x):
    best = None

    def upd(v):
        nonlocal best
        if best is None or v < best:
            best = v

    for v in x:
        if v > 0:
            upd(v)
    return best


def find(x, f):
    for i in range(len(x)):
        if f(x[i]):
            return i
    return None


def index_of_a_helper(x):
    i = find(x, lambda v: v > 1)
    if i is None:
        return 0.0
    return x[i] * 2


def bis(f, a, b):
    if f(a) * f(b) > 0:
        return None
    for _ in range(20):
        m = (a + b) / 2
        if f(a) * f(m) <= 0:
            b = m
        else:
            a = m
    return (a + b) / 2


def root_of_a_helper(x):
    r = bis(lambda t: t * t - x[0], 0.0, 2.0)
    return [-1.0 if r is None else r]


PROGRAMS = [
    *(
        early_return_of_an_index,
        index_of_the_first,
        least_and_greatest,
    ),
    *(
        gaps_between,
        set_together_with_a_number,
        peak_and_fall,
    ),
    *(
        product_of_some,
        array_made_late,
        sum_of_arrays,
    ),
    *(
        in_one_branch,
        set_in_two_branches,
        longest_run,
    ),
    *(
        reset_on_a_path,
        changes_of_sign,
        closest_pair,
    ),
    *(
        last_error,
        ends_of_a_slice,
        greatest_with_a_seed,
    ),
    *(
        counter,
        asked_by_its_truth,
        two_before,
    ),
    *(
        dict_made_late,
        trapezoids,
        inner_function,
    ),
    *(
        returned_from_a_loop,
        for_else,
        running_greatest,
    ),
    *(
        written_as_a_text,
        smallest_of_some,
        filtered,
    ),
    *(
        held_until_a_jump,
        filter_in_each_iteration,
        filter_on_a_path,
    ),
    *(
        controller,
        controller_on_a_path,
        tracker_result,
    ),
    *(
        tracker_asked_after,
        linked_list,
        hysteresis,
    ),
    *(
        hits_of_a_helper,
        nearest_hit,
        item_of_a_dict,
    ),
    *(
        elements_of_a_list,
        cache_of_results,
        nonlocal_variable,
    ),
    *(
        index_of_a_helper,
        root_of_a_helper,
    ),
]


@each("function", PROGRAMS)
def test_values_and_gradients(function):
    check_calls(function, *CALLS)


ROLLED = [
    *(
        early_return_of_an_index,
        index_of_the_first,
        least_and_greatest,
    ),
    *(
        gaps_between,
        set_together_with_a_number,
        peak_and_fall,
    ),
    *(
        product_of_some,
        array_made_late,
        sum_of_arrays,
    ),
    *(
        in_one_branch,
        longest_run,
        reset_on_a_path,
    ),
    *(
        changes_of_sign,
        closest_pair,
        last_error,
    ),
    *(
        ends_of_a_slice,
        greatest_with_a_seed,
        counter,
    ),
    *(
        asked_by_its_truth,
        dict_made_late,
        trapezoids,
    ),
    *(
        inner_function,
        returned_from_a_loop,
        for_else,
    ),
    *(
        running_greatest,
        written_as_a_text,
        smallest_of_some,
    ),
    *(
        filtered,
        held_until_a_jump,
        filter_in_each_iteration,
    ),
    *(
        filter_on_a_path,
        controller,
        controller_on_a_path,
    ),
    *(
        tracker_result,
        tracker_asked_after,
        linked_list,
    ),
    *(
        hysteresis,
        hits_of_a_helper,
        nearest_hit,
    ),
    *(
        cache_of_results,
        root_of_a_helper,
    ),
]


@each("function", ROLLED)
def test_the_loop_stays_one(function):
    random = np.random.default_rng(1)
    lengths = set()
    for size in (6, 30):
        compiled = gs.compile(function)
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("error", gs.UnrolledLoopWarning)
            compiled(random.normal(size=size) * 2)
        lengths.add(len(compiled.source().splitlines()))
    assert len(lengths) == 1


def test_one_guard_tells_what_has_a_value():

    def last_positive(x):
        last = None
        for v in x:
            if v > 0:
                last = v
        return last

    compiled = gs.compile(last_positive)
    assert compiled(np.array([1.0, 2.0, -1.0])) == 2.0
    assert compiled(np.array([-1.0, -2.0, -3.0])) is None
    assert "`last` in" in compiled.source()
    assert "has no value" in compiled.source()


def test_flags_that_say_the_same_are_one():

    def ends(x):
        first = last = None
        for i, v in enumerate(x):
            if v > 1:
                if first is None:
                    first = i
                last = i
        return 0 if first is None else last - first

    compiled = gs.compile(ends)
    assert compiled(np.array([0.0, 2.0, 3.0, 0.0, 2.0])) == 3
    assert "has_last" not in compiled.source()


def list_made_in_a_branch(x, c):
    part = None
    if c > 0:
        part = [c * 2 for _ in range(len(x))]
    return 0.0 if part is None else part[0] * len(part)


def list_made_in_a_loop(x, c):
    part = None
    for v in x:
        if v > c:
            part = [v * w for w in x]
    return 0.0 if part is None else sum(part)


def tuple_with_a_list(x, c):
    part = None
    for v in x:
        if v > c:
            part = ([v * w for w in x], v)
    return 0.0 if part is None else part[0][-1] + part[1]


def appended_in_a_branch(x, c):
    p = None
    if c > 0:
        p = []
        for v in x:
            p.append(v * c)
    if p:
        return p[-1]
    return -1.0


def list_in_a_dict(x, c):
    d = {"a": None}
    if c > 0:
        d["a"] = [v * 1.5 for v in x]
    return d["a"][0] if d["a"] is not None else c


def list_not_set(x, c):
    if c > 0:
        part = [c * v for v in x]
    s = 1.0
    if c > 0:
        s += part[1]
    return s


STACKED = [
    *(list_made_in_a_branch, list_made_in_a_loop, tuple_with_a_list),
    *(appended_in_a_branch, list_in_a_dict, list_not_set),
]


@each("function", STACKED)
def test_lists_that_loops_make(function):
    x = np.array([1.3, 2.0, -1.0, 3.0, 0.5, 4.0])
    check_calls(function, *[(x, c) for c in (0.6, -1.0, 2.5, 9.0)])
