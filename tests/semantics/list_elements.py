"""Pieces of programs about the elements of lists that comprehensions and loops make.

Each sets ``out`` from a number ``x`` and an integer ``n`` of at least 5. What they have in common:
elements are objects, so that a write to one is seen wherever that object is, and nowhere else.
"""

from __future__ import annotations

import textwrap

PRELUDE = """
import copy
import operator
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Node:
    v: float
    w: float = 0.0


@dataclass(eq=False)
class Particle:
    v: float
    w: float = 0.0


@dataclass
class Derived:
    v: float
    twice: float = field(init=False)

    def __post_init__(self):
        self.twice = 2.0 * self.v


class Cell:
    def __init__(self, v):
        self.v = v
        self.w = 0.0

    def add(self, d):
        self.w += d


class Slotted:
    __slots__ = ("v", "w")

    def __init__(self, v):
        self.v = v
        self.w = 0.0


Pair = namedtuple("Pair", ["a", "b"])


def store(row, value):
    row[1] = value


def same(row):
    return row


def grow(row, value):
    row.append(value)


def setattrs(node, value):
    node.w = value * 3.0


def last_of(rows):
    return rows[-1]


def total(rows):
    found = 0.0
    for a, b in rows:
        found = found + a * 2.0 + b
    return found
"""

TEXT = """
# writes to elements
== write
t = [[0.0] * 2 for _ in range(n)]
t[0][1] = x
out = t[0][1] + t[1][1]
== write_last
t = [[x, 1.0] for _ in range(n)]
t[-1][0] = 3.0 * x
out = t[n - 1][0] + t[0][0]
== write_named_row
t = [[0.0] * 2 for _ in range(n)]
r = t[0]
r[1] = 5.0 * x
out = t[0][1]
== write_then_named_row
t = [[0.0] * 2 for _ in range(n)]
r = t[0]
t[0][1] = x
out = r[1]
== augmented
t = [[x, 1.0] for _ in range(n)]
t[2][0] += x
out = t[2][0] * t[1][0]
== slice_of_a_row
t = [[x, 1.0, 2.0] for _ in range(n)]
t[1][1:] = [x, x]
out = sum(t[1]) + sum(t[0])
== row_grows
t = [[x] for _ in range(n)]
t[0].append(x * 2)
out = t[0][-1] + len(t[0]) + len(t[1])
== row_grows_by_addition
t = [[x] for _ in range(n)]
t[0] += [x * 2]
out = t[0][-1] + len(t[0]) + len(t[1])
== named_row_grows
t = [[x] for _ in range(n)]
r = t[0]
r += [x * 2]
out = t[0][-1] + len(t[0]) + len(t[1])
== row_shrinks
t = [[x, 2.0] for _ in range(n)]
v = t[0].pop()
out = v * x + len(t[0]) + len(t[1])
== row_deleted_from
t = [[x, 2.0] for _ in range(n)]
del t[0][0]
out = t[0][0] * x + len(t[1])
== row_sorted
t = [[3.0, 1.0] for _ in range(n)]
t[0].sort()
out = t[0][0] * x + t[1][0]
== row_reversed
t = [[x, 1.0] for _ in range(n)]
t[0].reverse()
out = t[0][0] + 2 * t[1][0]
== row_replaced
t = [[x, 1.0] for _ in range(n)]
r = t[0]
t[0] = [2.0, x]
r[1] = 7.0
out = t[0][1] * r[1] + t[0][0]
== rows_swapped
t = [[x * i, 1.0] for i in range(n)]
t[0], t[1] = t[1], t[0]
t[0][1] = x
out = t[0][0] + t[1][1] + t[0][1]
== row_stored_elsewhere
t = [[x, 1.0] for _ in range(n)]
u = {'r': t[1]}
u['r'][0] = 2.0 * x
out = t[1][0] + t[0][0]
== row_in_a_tuple
t = [([x, 1.0], x) for _ in range(n)]
t[0][0][1] = 4.0 * x
out = t[0][0][1] + t[1][0][1]
== array_rows
t = [np.zeros(2) for _ in range(n)]
t[0][1] = x
out = t[0][1] + t[1][1]
== array_named
t = [np.ones(2) * x for _ in range(n)]
r = t[0]
r[1] = 5.0 * x
out = t[0][1] + t[1][1]
== array_in_place
t = [np.ones(2) * x for _ in range(n)]
r = t[0]
r += x
out = t[0][1] + t[1][1]
== array_in_a_dict
t = [{'a': np.ones(2) * x} for _ in range(n)]
t[0]['a'][1] = 3.0 * x
out = t[0]['a'][1] + t[1]['a'][1]
== array_slice
t = [np.ones(3) * x for _ in range(n)]
t[1][1:] *= x
out = t[1].sum() + t[0].sum()
# tables
== table
t = [[x] * n for _ in range(n)]
for i in range(1, n):
    for j in range(1, n):
        t[i][j] = 0.5 * t[i - 1][j] + 0.25 * t[i][j - 1]
out = t[n - 1][n - 1]
== table_of_comprehensions
t = [[x * (i + j) for j in range(n)] for i in range(n)]
for i in range(1, n):
    for j in range(1, n):
        t[i][j] = 0.5 * t[i - 1][j] + 0.25 * t[i][j - 1]
out = t[n - 1][n - 1] + t[0][1]
== table_border
t = [[0.0] * (n + 1) for _ in range(n + 1)]
for i in range(n + 1):
    t[i][0] = x * i
    t[0][i] = x * x * i
out = t[n][0] + t[0][n] + t[1][1]
== table_minimum
t = [[x * ((i * j) % 3 + 1) for j in range(n)] for i in range(n)]
for i in range(1, n):
    for j in range(1, n):
        t[i][j] = t[i][j] + min(t[i - 1][j], t[i][j - 1], t[i - 1][j - 1])
out = t[-1][-1]
== rows_of_a_table
t = [[x] * 3 for _ in range(n)]
for i in range(1, n):
    prev, cur = t[i - 1], t[i]
    for j in range(3):
        cur[j] = prev[j] * 0.5 + j
out = t[n - 1][2] + t[1][0]
== table_of_arrays
t = [np.ones(3) * x for _ in range(n)]
for i in range(1, n):
    for j in range(1, 3):
        t[i][j] = 0.5 * t[i - 1][j] + 0.25 * t[i][j - 1]
out = t[n - 1][2]
== table_by_appends
t = []
for i in range(n):
    row = []
    for j in range(n):
        row.append(x * j)
    t.append(row)
t[1][2] = 9.0 * x
out = t[1][2] + t[2][2]
== table_transposed
t = [[x * (i + 2 * j) for j in range(n)] for i in range(n)]
u = [[t[j][i] for j in range(n)] for i in range(n)]
u[0][1] = 1.0
out = u[0][1] + u[1][0] + t[1][0] + t[0][1]
# sharing
== one_row_shared
row = [0.0, 0.0]
t = [row for _ in range(n)]
t[0][1] = x
out = t[n - 1][1] + row[1]
== one_row_repeated
row = [0.0, 0.0]
t = [row] * n
t[0][1] = x
out = t[n - 1][1] + row[1]
== shared_row_written
row = [0.0, 0.0]
t = [row for _ in range(n)]
row[0] = x
out = t[1][0] + t[2][0]
== shared_row_grows
row = [x]
t = [row for _ in range(n)]
row.append(2.0 * x)
out = t[1][-1] + len(t[2])
== shared_array
row = np.zeros(2)
t = [row for _ in range(n)]
t[0][1] = x
out = t[n - 1][1] + row[1]
== shared_array_written
row = np.zeros(2)
t = [row for _ in range(n)]
row[0] = x
out = t[1][0] + t[2][0]
== shared_inner_row
row = [0.0, 1.0]
t = [[x, row] for _ in range(n)]
t[0][1][0] = x
out = t[2][1][0]
== view_shared
a = np.ones(4) * x
t = [a[1:3] for _ in range(n)]
t[0][1] = 5.0
out = a[2] * x + t[1][1]
== views_of_rows
a = np.ones((n, 2)) * x
t = [a[i] for i in range(n)]
t[0][1] = 5.0 * x
out = a[0, 1] + t[0][1] + t[1][1]
== array_written_behind
a = np.ones((n, 2)) * x
t = [a[i] for i in range(n)]
a[0, 1] = 5.0 * x
out = t[0][1] + t[1][1]
== last_array
t = []
for i in range(n):
    a = np.zeros(3) * x
    t.append(a)
a[0] = x
out = t[-1][0] + t[0][0]
== last_row
t = []
for i in range(n):
    r = [x * i, 0.0]
    t.append(r)
r[1] = 5.0 * x
out = t[-1][1] + t[0][1]
== two_lists
t, u = [], []
for i in range(n):
    r = [x * i, 0.0]
    t.append(r)
    u.append(r)
t[1][1] = x
out = u[1][1] + u[0][1]
== two_lists_of_arrays
t, u = [], []
for i in range(n):
    r = np.ones(2) * x
    t.append(r)
    u.append(r)
t[1][1] = 3.0 * x
out = u[1][1] + u[0][1]
== element_twice
t = []
for i in range(n):
    r = np.ones(2) * x
    t.append((r, r))
t[1][0][1] = 3.0 * x
out = t[1][1][1] + t[0][1][1]
== list_of_elements
t = [[x * i, 1.0] for i in range(n)]
u = [r for r in t]
u[1][1] = x
out = t[1][1] + t[0][1]
== list_copied
t = [[x * i, 1.0] for i in range(n)]
u = list(t)
u[1][1] = x
out = t[1][1] + t[0][1]
== sliced
t = [[x * i, 1.0] for i in range(n)]
u = t[1:]
u[0][1] = x
out = t[1][1] + t[0][1]
== added
t = [[x * i, 1.0] for i in range(n)]
u = t + t
u[1][1] = x
out = t[1][1] + u[n + 1][1]
== reversed_list
t = [[x * i, 1.0] for i in range(n)]
u = list(reversed(t))
u[0][1] = x
out = t[n - 1][1]
== filtered
t = [[x * i, 1.0] for i in range(n)]
u = [r for r in t if len(r) == 2]
u[0][1] = x
out = t[0][1]
== extended
t = [[x, 1.0]]
t.extend([[x * i, 2.0] for i in range(n)])
t[0][1] = x
t[2][1] = 3.0 * x
out = t[0][1] + t[2][1] + t[1][1]
== first_by_hand
a = [x, 1.0]
t = [a]
for i in range(n):
    t.append([x * i, 2.0])
s = 0.0
for i in range(n + 1):
    s = s + t[i][1] * (i + 1)
a[1] = 4.0 * x
for i in range(n + 1):
    s = s + t[i][1] * (i + 1)
out = s
== first_array_by_hand
a = np.ones(2) * x
t = [a]
for i in range(n):
    t.append(np.ones(2) * x)
t[1][0] = 7.0 * x
t[0][1] = 3.0
out = t[1][0] * a[1] + t[2][0]
# histories
== history_of_one_state
st = [0.0]
h = []
for i in range(n):
    st[0] += x
    h.append(st)
out = h[0][0] + 2 * h[n - 1][0]
== history_of_one_array
st = np.zeros(2)
h = []
for i in range(n):
    st += x
    h.append(st)
out = h[0][0] + 2 * h[n - 1][1]
== history_of_copies
st = [0.0]
h = []
for i in range(n):
    st[0] += x
    h.append(list(st))
out = h[0][0] + 2 * h[n - 1][0]
== history_of_array_copies
st = np.zeros(2)
h = []
for i in range(n):
    st += x
    h.append(st.copy())
out = h[0][0] + 2 * h[n - 1][1]
== history_of_one_dict
st = {'v': x}
h = []
for i in range(n):
    st['v'] = st['v'] * 0.5 + x
    h.append(st)
out = h[0]['v'] + 2 * h[2]['v']
== history_of_one_object
st = Node(x)
h = []
for i in range(n):
    st.v = st.v * 0.5 + x
    h.append(st)
out = h[0].v + 2 * h[2].v
== history_rebound
st = [x, 0.0]
h = []
for i in range(n):
    st = [st[0] * 0.5 + x, st[1] + 1.0]
    h.append(st)
st[1] = 7.0 * x
out = h[n - 1][1] + h[0][1] + h[0][0]
== history_of_rebound_arrays
st = np.ones(2) * x
h = []
for i in range(n):
    st = st * 0.5
    h.append(st)
st[1] = 7.0 * x
out = h[n - 1][1] + h[0][1]
== history_before_the_step
st = np.ones(2) * x
h = []
for i in range(n):
    h.append(st)
    st = st * 0.5
h[0][1] = 7.0
out = h[0][1] * x + h[1][1] + st[0]
== history_written_in_the_next_step
st = [x, 1.0]
h = []
for i in range(n):
    st[1] = st[1] * 0.5 + x
    st = [st[0] * 0.5, st[1]]
    h.append(st)
out = h[0][1] + h[1][1] + h[1][0]
== last_element_written
h = [[0.0, 0.0]]
for i in range(n):
    h[-1][1] += x
    h.append([x * i, 0.0])
out = sum(a * b for a, b in h)
== last_array_written
h = [np.zeros(2)]
for i in range(n):
    h[-1][1] += x
    h.append(np.ones(2) * x)
out = sum(r[0] * r[1] for r in h)
== last_named
h = [[0.0, 0.0]]
for i in range(n):
    r = h[-1]
    h.append([x * i, 0.0])
    r[1] += x
out = sum(a * b for a, b in h)
== last_read_only
h = [[x, 0.0]]
for i in range(n):
    h.append([h[-1][0] * 0.5, h[-1][1] + x])
out = sum(a * b for a, b in h)
== written_by_a_helper_in_the_loop
h = [[0.0, 0.0]]
for i in range(n):
    store(last_of(h), x * i)
    h.append([x * i, 0.0])
out = sum(a + 2 * b for a, b in h)
# dicts and objects
== dicts
t = [{'v': x * i, 'w': 0.0} for i in range(n)]
for d in t:
    d['w'] = d['v'] * 2
out = sum(d['w'] for d in t)
== dict_with_new_key
t = [{'v': x * i} for i in range(n)]
for d in t:
    d['w'] = d['v'] * 2
out = sum(d['w'] for d in t)
== dict_updated
t = [{'v': x * i} for i in range(n)]
t[1].update(v=5.0 * x)
out = t[1]['v'] + t[2]['v']
== dataclasses
t = [Node(x * i) for i in range(n)]
for d in t:
    d.w = d.v * 2
out = sum(d.w for d in t)
== objects
t = [Cell(x * i) for i in range(n)]
for d in t:
    d.w = d.v * 2
out = sum(d.w for d in t)
== objects_by_method
t = [Cell(x * i) for i in range(n)]
for d in t:
    d.add(x)
t[0].add(x)
out = sum(d.w for d in t)
== slotted_objects
t = [Slotted(x * i) for i in range(n)]
for d in t:
    d.w = d.v * 2
out = sum(d.w for d in t)
== slotted_in_a_branch
d = Slotted(x)
if x > 0.8:
    d.w = d.v * 2
else:
    d.v = 3.0
out = d.w + d.v
== slotted_in_a_loop
d = Slotted(x)
for i in range(n):
    d.w = d.w * 0.5 + d.v
out = d.w
== derived_fields
t = [Derived(x * i) for i in range(n)]
t[1].twice = x
out = t[1].twice + t[2].twice
== extra_attribute
t = [Node(x * i) for i in range(n)]
t[1].extra = x
out = t[1].extra + t[2].v
== attributes_by_helper
t = [Node(x * i) for i in range(n)]
setattrs(t[1], x)
out = t[1].w + t[2].w
== attributes_by_setattr
t = [Node(x * i) for i in range(n)]
setattr(t[1], 'w', x)
out = t[1].w + t[2].w
== attributes_by_vars
t = [Node(x * i) for i in range(n)]
vars(t[1])['w'] = x
out = t[1].w + t[2].w
== objects_in_objects
t = [Node(Node(x * i), x) for i in range(n)]
t[1].v.w = 3.0 * x
out = t[1].v.w + t[2].v.w
== named_tuples_of_lists
t = [Pair([x * i], x) for i in range(n)]
t[1].a[0] = 9.0 * x
out = t[1].a[0] + t[2].a[0]
# helpers
== stored_by_a_helper
t = [[x, 0.0] for _ in range(n)]
store(t[1], x)
out = t[1][1] + t[0][1]
== returned_by_a_helper
t = [[x, 0.0] for _ in range(n)]
r = same(t[1])
r[1] = x
out = t[1][1] + t[0][1]
== grown_by_a_helper
t = [[x] for _ in range(n)]
grow(t[1], x)
out = len(t[1]) * x + len(t[0])
== stored_by_all
t = [[x, 0.0] for _ in range(n)]
for r in t:
    store(r, x)
out = total(t)
== enumerated
t = [[x, 0.0] for _ in range(n)]
for i, r in enumerate(t):
    r[1] = x * i
out = total(t)
== zipped
t = [[x, 0.0] for _ in range(n)]
u = [[x, 1.0] for _ in range(n)]
for r, q in zip(t, u):
    r[1] = q[0] * 2
    q[1] = r[1]
out = total(t) + total(u)
== by_a_closure
t = [[x, 0.0] for _ in range(n)]
def change(i):
    t[i][1] = x
change(2)
out = total(t)
== by_operator
t = [[x, 0.0] for _ in range(n)]
t[1].__setitem__(1, x)
out = total(t)
# writes that no statement announces
== setattr_in_a_branch
d = Cell(x)
if x > 0.8:
    setattr(d, "v", 3.0 * x)
out = d.v
== setattr_in_a_loop
d = Cell(x)
for i in range(n):
    setattr(d, "v", d.v * 0.5 + x)
out = d.v
== operator_in_a_branch
t = [x, x]
if x > 0.8:
    operator.setitem(t, 0, 3.0 * x)
out = t[0]
== special_method_in_a_loop
t = [x, x]
for i in range(n):
    t.__setitem__(0, t[0] * 0.5 + i)
out = t[0]
== unbound_method_in_a_loop
t = [x, x]
for i in range(n):
    list.append(t, t[-1] * 0.5)
out = sum(t)
== unbound_method_in_a_branch
d = {"a": x}
if x > 0.8:
    dict.update(d, a=3.0 * x)
out = d["a"]
== bound_method_in_a_loop
t = [x]
add = t.append
for i in range(n):
    add(x * i)
out = sum(t)
== bound_method_in_a_branch
t = [x]
add = t.append
if x > 0.8:
    add(2.0)
else:
    add(3.0)
out = sum(t) * x
== attribute_dict_in_a_branch
d = Cell(x)
if x > 0.8:
    vars(d)["v"] = 3.0 * x
out = d.v
== extended_in_a_branch
t = [x]
if x > 0.8:
    t += [2.0 * x]
else:
    t += [x]
out = sum(t) * len(t)
# appended in branches and in inner loops
== appended_in_a_branch_and_written_after
t = []
last = [0.0]
for i in range(n):
    if i % 2 == 0:
        last = [x * i]
        t.append(last)
    last[0] += x
out = sum(r[0] for r in t)
== array_appended_in_a_branch_and_written_after
t = []
last = np.zeros(2)
for i in range(n):
    if i % 2 == 0:
        last = np.ones(2) * x * i
        t.append(last)
    last[0] += x
out = sum(r[0] for r in t)
== appended_in_an_inner_loop_and_written_after
t = []
for i in range(n):
    r = [x * i]
    for j in range(3):
        t.append(r)
    r[0] += 1.0
t[0][0] = 9.0 * x
out = t[1][0] + t[2][0] + t[3][0]
== array_appended_in_an_inner_loop_and_written_after
t = []
for i in range(n):
    r = np.ones(2) * x * i
    for j in range(3):
        t.append(r)
    r[0] += 1.0
t[0][0] = 9.0 * x
out = t[1][0] + t[2][0] + t[3][0]
== first_element_written_later
first = [x, 1.0]
t = [first]
for i in range(n):
    if i % 2 == 0:
        t.append([x * i, 2.0])
first[0] = 5.0 * x
out = t[0][0] + t[1][0] + t[2][0]
== two_appended_at_once
t = []
for i in range(n):
    a = [x * i, 1.0]
    b = [x, 2.0]
    t.append(a)
    t.append(b)
    a[1] = 4.0 * x
t[2][0] = 7.0 * x
out = t[2][0] + t[0][1] + t[3][0] + t[4][1]
# branches between lists
== one_of_two_lists
t = [x * i for i in range(n)]
u = [x + i for i in range(n)]
if x > 0.8:
    r = t
else:
    r = u
out = len(r) * x + r[1] + sum(r)
== made_on_both_sides
t = []
if x > 0.8:
    for i in range(n):
        t.append(x * i)
else:
    for i in range(n):
        t.append(x + i)
out = len(t) * x + t[1] + sum(t)
== replaced_on_one_side
d = {"a": [x * i for i in range(n)]}
if x > 0.8:
    d["a"] = [2.0 * x for i in range(n)]
out = len(d["a"]) * x + d["a"][1]
# lists of numbers
== numbers_copied_in_all_ways
w = [x] * n
u = list(w)
v = w[:]
q = w.copy()
r = [*w]
p = w + [1.0]
w[0] = 5.0
u[1] = 3.0
v[2] = 2.0
q[3] = 9.0
out = w[0] * x + u[0] + u[1] + v[0] + v[2] + q[0] + q[3] + r[0] + p[0] + w[1] + w[2] + w[3]
== numbers_of_both_kinds
z = np.arange(1.0, n + 1) * x
w = [0.0] * n
for i in range(1, n):
    w[i] = w[i - 1] * 0.5 + z[i]
out = w[n - 1] * w[1]
== numbers_of_other_kinds
w = [0.0] * n
w[1] = 2
w[2] = x
out = w[1] * x + w[2] + (x if isinstance(w[1], int) else 0.0)
== numbers_unpacked
t = [x * i for i in range(n)]
a, *rest = t
out = a + sum(rest) + len(rest) * x
== numbers_exchanged
a = [x] * n
b = [2.0] * n
for k in range(n):
    a, b = b, a
    a[0] = b[0] * 0.5 + 1.0
out = a[0] + 3 * b[0]
== numbers_carried
prev = [x] * n
for i in range(n):
    cur = [0.0] * n
    cur[0] = x * i
    for j in range(1, n):
        cur[j] = prev[j - 1] * 0.5 + cur[j - 1]
    prev = cur
out = prev[n - 1]
== numbers_replaced_by_a_copy
a = [x] * n
b = a
for k in range(n):
    b[0] = b[0] * 0.5 + k
    if k == 2:
        b = list(b)
out = a[0] + 3 * b[0]
# copies
== deep_copy
t = [[x * i, 1.0] for i in range(n)]
u = copy.deepcopy(t)
u[0][1] = 5.0 * x
out = t[0][1] * x + u[0][1]
== deep_copy_of_arrays
t = [np.ones(2) * x for i in range(n)]
u = copy.deepcopy(t)
u[0][1] = 5.0
t[1][0] = 3.0
out = t[0][1] * u[0][1] + u[1][0] * t[1][0]
== deep_copy_keeps_sharing
row = [x, 1.0]
t = [row for _ in range(n)]
u = copy.deepcopy(t)
u[0][1] = 5.0 * x
out = t[0][1] * x + u[2][1]
== shallow_copy
t = [[x * i, 1.0] for i in range(n)]
u = copy.copy(t)
u[0][1] = 5.0 * x
out = t[0][1] + u[1][1]
== rows_copied
t = [[x * i, 1.0] for i in range(n)]
u = [list(r) for r in t]
u[0][1] = 5.0 * x
out = t[0][1] * x + u[0][1]
== rows_sliced
t = [[x * i, 1.0] for i in range(n)]
u = [r[:] for r in t]
u[0][1] = 5.0 * x
out = t[0][1] * x + u[0][1]
== row_copied
t = [[x * i, 1.0] for i in range(n)]
r = t[0].copy()
r[1] = 5.0 * x
out = t[0][1] * x + r[1]
== dicts_copied
t = [{'v': x * i} for i in range(n)]
u = [dict(d) for d in t]
u[1]['v'] = 5.0
out = t[1]['v'] + u[1]['v']
== arrays_copied
t = [np.ones(2) * x for i in range(n)]
u = [r.copy() for r in t]
u[0][1] = 5.0
out = t[0][1] * x + u[0][1]
== numbers_copied
t = [x * i for i in range(n)]
u = list(t)
u[1] = 5.0
out = t[1] + u[1] * x
== array_of_rows
t = [np.ones(2) * x for i in range(n)]
a = np.array(t)
a[0, 1] = 5.0
t[1][0] = 2.0 * x
out = t[0][1] * x + a[0, 1] + a[1, 0]
# identity
== identity
t = [[x * i, 1.0] for i in range(n)]
r = t[0]
out = x if r is t[0] else 2.0 * x
== identity_of_others
t = [[x * i, 1.0] for i in range(n)]
out = x if t[1] is t[0] else 2.0 * x
== identity_of_arrays
t = [np.ones(2) * x for i in range(n)]
r = t[0]
out = x if r is t[0] else 2.0 * x
== identity_of_shared
row = [x]
t = [row for _ in range(n)]
out = x if t[0] is not row else 2.0 * x
== identity_by_id
t = [[x * i, 1.0] for i in range(n)]
out = x * len({id(r) for r in t}) + x * (id(t[0]) == id(t[0]))
== identity_of_particles
t = [Particle(x * i) for i in range(n)]
p = t[1]
out = x * t.index(p) + (x if p in t else 0.0)
== other_particles
t = [Particle(x) for i in range(n)]
s = 0.0
for p in t:
    for q in t:
        if p is not q:
            s = s + p.v * q.v
out = s
# tables of nested comprehensions
== array_of_pairs
t = np.array([[(x * i, x + j) for i in range(6)] for j in range(n)])
out = np.sum(t[1] * np.arange(12.0).reshape(6, 2)) + t.shape[1] + t.shape[2]
== array_of_lists_of_arrays
v = np.arange(6.0) * x
t = np.array([[[a, a * b, 1.0] for a in v] for b in range(n)])
out = np.sum(t[2] * np.arange(18.0).reshape(6, 3))
== three_levels
t = np.array([[[(x * i, 2.0 * k + j) for k in range(n)] for j in range(5)] for i in range(n)])
out = t[1, 2, 3, 0] + t[1, 2, 3, 1] * x + t.shape[1]
== stack_of_pairs
t = np.stack([[(x * i, x + j) for i in range(5)] for j in range(n)])
out = np.sum(t[1] * np.arange(10.0).reshape(5, 2))
== asarray_of_arrays
t = np.asarray([[np.ones(3) * x * i for i in range(5)] for j in range(n)])
out = np.sum(t[1] * np.arange(15.0).reshape(5, 3))
== pairs_by_index
t = [[(x * i, x + j) for i in range(n)] for j in range(n)]
out = t[1][2][0] + t[2][1][1] * 2 + len(t) + len(t[0]) + len(t[0][0])
== pairs_by_iteration
t = [[(x * i, x + j) for i in range(n)] for j in range(n)]
s = 0.0
for row in t:
    for a, b in row:
        s = s * 0.5 + a * b
out = s
== pairs_unzipped
t = [(x * i, [x + j for j in range(n)]) for i in range(n)]
a, b = zip(*t)
out = a[1] + b[2][1] + len(a) + len(b)
== rows_unzipped
t = [[x * i + j for j in range(n)] for i in range(n)]
u = list(zip(*t))
out = u[1][2] + 3 * u[2][1] + len(u)
== nested_sum
t = [[(x * i, x + j) for i in range(n)] for j in range(n)]
out = sum(sum(a * b for a, b in row) for row in t)
== nested_dicts
t = [[{'a': x * i, 'b': x + j} for i in range(n)] for j in range(n)]
out = t[1][2]['a'] + t[2][1]['b']
== nested_conditions
t = [[(x * i, x + j) for i in range(n) if i % 2 == 0] for j in range(n) if j != 1]
out = t[1][1][0] + t[1][2][1] + len(t) + len(t[0])
== flattened
t = [a * b for a in [x * i for i in range(n)] for b in (1.0, 2.0)]
out = t[3] + t[2] + len(t)
== flattened_pairs
t = [(x * i, b) for i in range(n) for b in range(5)]
u = np.array(t)
out = u[7, 0] + u[8, 1] * x + u.shape[0]
== flattened_rows
t = [[x * i, b] for i in range(n) for b in (1.0, 2.0)]
t[1][0] = 5.0 * x
out = t[1][0] + t[0][0] + t[2][0]
== flattened_arrays
t = [np.ones(2) * x * b for i in range(n) for b in (1.0, 2.0)]
t[1][0] = 5.0 * x
out = t[1][0] + t[0][0] + t[3][0]
== tuples_in_tuples
t = [tuple(x * j for j in range(n)) for i in range(n)]
out = t[1][2] + (x if isinstance(t[1], tuple) else 0.0)
"""


def pieces(text: str = TEXT) -> dict[str, str]:
    """The pieces by name."""
    found: dict[str, str] = {}
    name = ""
    for line in text.strip().split("\n"):
        if line.startswith("== "):
            name = line.removeprefix("== ")
            found[name] = ""
        elif not line.startswith("# "):
            found[name] += f"{line}\n"
    return found


def _indented(piece: str, depth: int) -> str:
    return textwrap.indent(piece.rstrip("\n"), "    " * depth)


def program(piece: str, place: str) -> str:
    """A module with ``f(x, n)``: the piece by itself, in a loop over a range, or in a helper."""
    if place == "loop":
        body = (
            f"def f(x, n):\n    s = 0.0\n    for k in range(n):\n{_indented(piece, 2)}\n"
            "        s = s * 0.5 + out\n    return s\n"
        )
    elif place == "helper":
        body = (
            f"def helper(x, n):\n{_indented(piece, 1)}\n    return out\n\n\n"
            "def f(x, n):\n    return helper(x * 1.0, n) * x + helper(2.0 * x, n)\n"
        )
    else:
        body = f"def f(x, n):\n{_indented(piece, 1)}\n    return out\n"
    return f"{PRELUDE}\n\n{body}"
