"""Classes derived from list and dict: which of their methods Python calls, and how often."""

import numpy as np

import gradsmith as gs
from control.one_object import check_calls
from helpers import each

LOG = []


class Missing(dict):
    def __missing__(self, key):
        self[key] = 2.0
        return 1.0


class Noting(dict):
    def __getitem__(self, key):
        LOG.append(key)
        return super().__getitem__(key)


class Doubling(list):
    def __getitem__(self, index):
        LOG.append(index)
        return super().__getitem__(index) * 2


class Attributes(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


def update_of_a_missing_item(x):
    d = Missing()
    d["c"] += x
    return d["c"]


def update_of_an_item(x):
    d, rows = Noting(c=x), Doubling([x, 1.0])
    d["c"] += x
    rows[0] *= 2
    return d["c"], rows[0]


def iteration_of_a_list(x):
    rows = Doubling([x, 3 * x])
    a, b = rows
    total = 0
    for value in rows:
        total = total + value
    return total, a, b, sum(rows), max(rows), list(rows), [*rows], [v * 2 for v in rows]


def consumers_of_a_list(x):
    rows = Doubling([x, 3 * x])
    return list(zip(rows, rows, strict=True)), list(enumerate(rows)), sorted(rows), rows[0]


def iteration_of_a_dict(x):
    d = Noting(a=x, b=2 * x)
    return list(d), [v * 3 for v in d.values()], sum(d[k] for k in d), "a" in d


def attribute_is_an_item(x):
    p = Attributes(a=x)
    p.a = p.a * 2
    return p["a"], p.a


def item_is_an_attribute(x):
    p = Attributes()
    p.a = x
    p["a"] = p["a"] + 1
    return p.a, list(p)


def deleted_attribute(x):
    p = Attributes(a=x, b=1)
    del p.b
    return len(p), p.b


def attribute_in_a_branch(x):
    p = Attributes(a=x)
    if x > 1:
        p.a = p.a * 3
    for k in range(3):
        p.a = p.a + k
    return p["a"]


CASES = [
    update_of_a_missing_item, update_of_an_item, iteration_of_a_list, consumers_of_a_list,
    iteration_of_a_dict, attribute_is_an_item, item_is_an_attribute, deleted_attribute,
    attribute_in_a_branch,
]  # fmt: skip


@each("f", CASES)
def test_methods_are_called_as_python_calls_them(f):
    compiled = gs.compile(f)
    for x in (1.5, 0.5, np.float64(1.5)):
        LOG.clear()
        wanted = f(x), list(LOG)
        LOG.clear()
        assert (compiled(x), LOG) == wanted


def test_an_attribute_of_a_dict_outside_is_written_as_an_item():
    held = Attributes(a=1.0)

    def f(x):
        held.a = held.a * x
        return held["a"]

    compiled = gs.compile(f)
    assert [compiled(3.0), compiled(3.0)] == [3.0, 9.0]
    assert held == {"a": 9.0}
    assert not vars(held)


class Proxy:
    """It finds what a mapping has in another one."""

    def __init__(self, held):
        self._held = held

    def __getattr__(self, name):
        return getattr(self._held, name)

    def __getitem__(self, key):
        return self._held[key]

    def __iter__(self):
        return iter(self._held)


def test_mappings_by_the_attribute_keys():
    class WithKeys:
        def __init__(self, held):
            self.held = held
            self.keys = held.keys

        def __getitem__(self, key):
            return self.held[key]

        def __iter__(self):
            return iter(self.held.items())

    def f(x):
        updated = {}
        updated.update(Proxy({"ab": x, "cd": 2}))
        updated.update(WithKeys({"ef": x}))
        made = dict(Proxy({"ab": x, "cd": 2})), dict(WithKeys({"ab": x}), last=1)
        return updated, made, {**Proxy({"ab": x})}

    check_calls(f, (1.5,), (2,))
