"""Containers of which a branch or loop chooses one are those containers: what is added to one, or
taken from it, is added to that one alone.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque

import numpy as np

import gradsmith as gs
from control.one_object import check_calls, function_of
from helpers import each


class Cell:
    pass


class Account:
    total = 0.0

    def add(self, amount):
        self.total += amount


class Slotted:
    __slots__ = ("held",)


def new_key(x):
    a, b = {}, {}
    c = a if x[0] > 2 else b
    c["n"] = x[1]
    return a, b, len(a)


def new_key_by_statement(x):
    a, b = {}, {}
    if x[0] > 2:  # noqa: SIM108
        c = a
    else:
        c = b
    c["n"] = x[1]
    return a, b


def new_key_by_helper(x):
    def pick(a, b):
        return a if x[0] > 2 else b

    a, b = {}, {}
    pick(a, b)["n"] = x[1]
    return a, b


def new_key_of_the_greatest(x):
    a, b = {"k": 1.0}, {"k": 2.0}
    c = max((a, b), key=lambda d: d["k"] * (x[0] - 2))
    c["n"] = x[1]
    return a, b


def new_key_in_a_loop(x):
    a, b = {}, {}
    for i in range(len(x)):
        c = a if x[i] > 2 else b
        c["n"] = x[i]
    return a, b


def new_key_by_index(x):
    a, b = {}, {}
    for i in range(len(x)):
        (a if i % 2 else b)["n"] = x[i]
    return a, b


def new_key_of_the_last(x):
    a, b = {}, {}
    c = a
    for v in x:
        c["n"] = v
        c = b
    return a, b


def new_keys_by_another_name(x):
    a, b = {}, {}
    c = a if x[0] > 2 else b
    a["n"] = x[1]
    return len(c), len(b)


def key_deleted(x):
    a, b = {"m": 1.0}, {"m": x[0]}
    c = a if x[0] > 2 else b
    del c["m"]
    return len(a), "m" in b


def defaults_read(x):
    a, b = defaultdict(float), defaultdict(float)
    c = a if x[0] > 2 else b
    c["n"]
    return len(a), len(b)


def defaults_added_to(x):
    a, b = defaultdict(float), defaultdict(float)
    c = a if x[0] > 2 else b
    c["n"] += x[1]
    return a["n"], b["n"]


def defaults_in_a_branch(x):
    d = defaultdict(float)
    if x[0] > 2:
        d["n"]
    return len(d)


def defaults_added_to_in_a_branch(x):
    d = defaultdict(float)
    if x[0] > 2:
        d["n"] += x[1]
    return dict(d)


def counted(x):
    a, b = Counter(), Counter()
    c = a if x[0] > 2 else b
    c["n"] += 1
    return a["n"], b["n"], len(a)


def orders_changed(x):
    a, b = OrderedDict(k=x[0], m=2.0), OrderedDict(k=1.0, m=x[1])
    c = a if x[0] > 2 else b
    c.move_to_end("k")
    return list(a), list(b)


def lists_shortened(x):
    a, b = [1.0, x[0]], [x[1], 4.0]
    c = a if x[0] > 2 else b
    del c[0]
    return len(a), len(b), a[0], b[0]


def slices_replaced(x):
    a, b = [1.0, x[0]], [x[1], 4.0]
    c = a if x[0] > 2 else b
    c[0:1] = []
    return len(a), len(b), a[0], b[0]


def deques_shortened(x):
    a, b = deque([1.0, x[0]]), deque([x[1], 4.0])
    c = a if x[0] > 2 else b
    del c[0]
    return len(a), len(b), a[0], b[0]


def new_attribute(x):
    a, b = Cell(), Cell()
    c = a if x[0] > 2 else b
    c.t = x[1]
    return vars(a), vars(b)


def new_attribute_by_setattr(x):
    a, b = Cell(), Cell()
    c = a if x[0] > 2 else b
    setattr(c, "t", x[1])  # noqa: B010
    return hasattr(a, "t"), hasattr(b, "t")


def new_attribute_by_dict(x):
    a, b = Cell(), Cell()
    c = a if x[0] > 2 else b
    c.__dict__["t"] = x[1]
    return hasattr(a, "t"), hasattr(b, "t")


def new_attribute_in_a_slot(x):
    a, b = Slotted(), Slotted()
    c = a if x[0] > 2 else b
    c.held = x[1]
    return hasattr(a, "held"), hasattr(b, "held")


def new_attribute_with_a_dict(x):
    a, b = Cell(), Cell()
    c = a if x[0] > 2 else b
    c.d = {}
    c.d["k"] = x[1]
    return vars(a), vars(b)


def attribute_deleted(x):
    a, b = Cell(), Cell()
    a.t = b.t = x[0]
    c = a if x[0] > 2 else b
    del c.t
    return hasattr(a, "t"), hasattr(b, "t")


def attribute_of_the_class_at_first(x):
    a, b = Account(), Account()
    c = a if x[0] > 2 else b
    c.total += x[1]
    return a.total, b.total


def attribute_by_a_method(x):
    a, b = Account(), Account()
    for i in range(len(x)):
        (a if i % 2 else b).add(x[i])
    return a.total, b.total


def attribute_of_a_class(x):
    class One:
        pass

    class Other:
        pass

    c = One if x[0] > 2 else Other
    c.t = x[1]
    return hasattr(One, "t"), hasattr(Other, "t")


FUNCTIONS = [
    new_key,
    new_key_by_statement,
    new_key_by_helper,
    new_key_of_the_greatest,
    new_key_in_a_loop,
    new_key_by_index,
    new_key_of_the_last,
    new_keys_by_another_name,
    key_deleted,
    defaults_read,
    defaults_added_to,
    defaults_in_a_branch,
    defaults_added_to_in_a_branch,
    counted,
    orders_changed,
    lists_shortened,
    slices_replaced,
    deques_shortened,
    new_attribute,
    new_attribute_by_setattr,
    new_attribute_by_dict,
    new_attribute_in_a_slot,
    new_attribute_with_a_dict,
    attribute_deleted,
    attribute_of_the_class_at_first,
    attribute_by_a_method,
    attribute_of_a_class,
]

POINTS = [[5.0, 1.0, 1.0], [1.0, 5.0, 2.0], [5.0, 3.0, 3.0, 1.0]]


@each("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_the_chosen_one_is_changed(function):
    compiled = gs.compile(function)
    for values in POINTS:
        assert compiled(np.array(values)) == function(np.array(values))


def chosen_total(x):
    a, b = {}, {}
    for i in range(len(x)):
        c = a if x[i] > 2 else b
        c["n"] = c.get("n", 0.0) + x[i] ** 2
    return a.get("n", 0.0) + 3.0 * b.get("n", 0.0)


def test_its_gradient():
    gradient = gs.grad(chosen_total)
    for values in POINTS:
        x = np.array(values)
        assert gradient(x).tolist() == np.where(x > 2, 2 * x, 6 * x).tolist()


def test_arguments_are_changed():
    def keys(x, a, b):
        c = a if x[0] > 2 else b
        c["n"] = x[1]

    def attributes(x, a, b):
        c = a if x[0] > 2 else b
        c.total += x[1]

    for function, kind in ((keys, dict), (attributes, Account)):
        compiled = gs.compile(function)
        for values in POINTS:
            a, b, expected_a, expected_b = (kind() for _ in range(4))
            compiled(np.array(values), a, b)
            function(np.array(values), expected_a, expected_b)
            contents = vars if kind is Account else dict
            assert contents(a) == contents(expected_a)
            assert contents(b) == contents(expected_b)


IN_SLICES = {
    "a list": "t = [x, 2.0]\nt[0:1] = [x, -1.0] if x > 2 else [x]\nreturn t",
    "a list or a tuple": "t = [x, 2.0, 3.0]\nt[::2] = [x, x] if x > 2 else (x, 1.0)\nreturn t",
    "a list or nothing": "t = [x, 2.0]\nt[-1:] = (x > 0.8) and [x]\nreturn t",
    "the place, too": "t = [x, 2.0]\nt[0 if x > 1 else slice(1)] = x if x > 1 else [5]\nreturn t",
    "bytes": "b = bytearray(3)\nb[1:2] = b'ab' if x > 1 else b'c'\nreturn list(b), x",
    "bytes or a list": "b = bytearray(3)\nb[1:] = b'ab' if x > 1 else [7]\nreturn list(b), x",
    "in a view": "b = bytearray(3)\nmemoryview(b)[:1] = b'a' if x > 1 else b'c'\nreturn b[0] * x",
    "added in place": "t = [x, 2.0]\nt[:1] += [x] if x > 1 else (x, x)\nreturn t, sum(t)",
}


@each("name", IN_SLICES)
def test_what_is_stored_in_a_slice_of_a_list(name):
    check_calls(function_of(IN_SLICES[name]), (0.7,), (3.0,), (0.9,), (1.5,))
