"""Functions that read and write the world outside: objects, classes, containers, variables.

Each case makes a world anew: a function, what shows the world's state, and what changes it between
two calls.
"""

# Small classes and globals on purpose, as users write them.
# ruff: noqa: PLW0603, B006, B008, SIM108, PLW0108

from __future__ import annotations

import collections
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

World = tuple[Callable[..., Any], Callable[[], Any], Callable[[], Any]]
Make = Callable[[], World]
CASES: dict[str, tuple[Make, str]] = {}


def case(kinds: str) -> Callable[[Make], Make]:
    """Register what makes a world; ``kinds`` describes the arguments, as for the models."""

    def register(make: Make) -> Make:
        assert make.__name__ not in CASES, make.__name__
        CASES[make.__name__] = make, kinds
        return make

    return register


def nothing() -> None:
    """The world is not changed between the calls."""


# -- instances -----------------------------------------------------------------------------------


class Gate:
    state = 0.0

    def step(self, x: Any) -> Any:
        self.state += x
        return self.state


class Box:
    def __init__(self, **held: Any) -> None:
        self.__dict__.update(held)


@case("s")
def instance_attribute():
    g = Gate()
    return (lambda x: g.step(x) * x), (lambda: vars(g)), (lambda: setattr(g, "state", 2.5))


@case("v")
def instance_attribute_in_loop():
    g = Gate()

    def f(x):
        total = 0.0
        for v in x:
            total += g.step(v) * v
        return total

    return f, (lambda: vars(g)), (lambda: setattr(g, "state", -0.5))


@case("v")
def instance_attribute_in_branch():
    g = Box(state=1.0, hits=0)

    def f(x):
        for v in x:
            if v > 0.1:
                g.state = g.state * 0.5 + v
                g.hits += 1
            else:
                g.state -= v * v
        return g.state**2 + g.hits

    return f, (lambda: vars(g)), (lambda: setattr(g, "state", -0.5))


@case("s")
def attribute_of_an_attribute():
    m = Box(gate=Box(state=0.5), other=Box(gate=None))
    m.other.gate = m.gate

    def f(x):
        m.gate.state += x
        return m.other.gate.state * x

    def change():
        m.gate = Box(state=3.0)

    return f, (lambda: (m.gate.state, m.other.gate.state)), change


@case("v")
def class_attribute_through_instances():
    class Cell:
        state = 0.0

    class Model:
        gate = Cell()

    def f(x):
        m = Model()
        m.gate.state = 0.5
        total = 0.0
        for v in x:
            m.gate.state += 0.1 * v
            total += m.gate.state * v
        return total

    return f, (lambda: vars(Model.gate)), (lambda: setattr(Model, "gate", Cell()))


@case("s")
def class_attribute_counter():
    class Model:
        calls = 0
        scale = 2.0

        def run(self, x: Any) -> Any:
            Model.calls += 1
            type(self).scale *= 1.5
            return x * self.scale * self.calls

    m = Model()
    return (
        m.run,
        (lambda: (Model.calls, Model.scale, vars(m))),
        (lambda: setattr(Model, "scale", 3)),
    )


@case("s")
def class_attribute_in_class_method():
    class Model:
        total = 1.0

        @classmethod
        def add(cls, x: Any) -> Any:
            cls.total = cls.total + x
            return cls.total**2

    class Derived(Model):
        pass

    def f(x):
        return Derived.add(x) + Model.add(2 * x)

    return (
        f,
        (lambda: (Model.total, vars(Derived).get("total"))),
        (lambda: setattr(Model, "total", 0.5)),
    )


@case("s")
def class_attribute_shadowed_later():
    class Model:
        k = 2.0

    m = Model()
    return (lambda x: m.k * x * x), (lambda: vars(m)), (lambda: setattr(m, "k", 5.0))


@case("s")
def attribute_added_and_deleted():
    m = Box(a=1.0)

    def f(x):
        scale = m.b if hasattr(m, "b") else 2.0
        return x * x * scale * getattr(m, "c", 1.5)

    def change():
        if hasattr(m, "b"):
            del m.b
        else:
            m.b = 3.0
        m.c = 0.25

    return f, (lambda: vars(m)), change


@case("s")
def attribute_made_by_the_function():
    m = Box()

    def f(x):
        m.last = x * x
        m.count = getattr(m, "count", 0) + 1
        return m.last * m.count

    return f, (lambda: vars(m)), (lambda: setattr(m, "count", 7))


@case("s")
def attribute_deleted_by_the_function():
    m = Box(cache=3.0)

    def f(x):
        if hasattr(m, "cache"):
            y = m.cache * x
            del m.cache
            return y
        m.cache = 2.0
        return x * x

    return f, (lambda: vars(m)), nothing


@case("s")
def method_replaced_later():
    class Model:
        def act(self, x: Any) -> Any:
            return x * 2

    m = Model()

    def change():
        if "act" not in vars(m):
            m.act = lambda x: x * x
        else:
            Model.act = lambda self, x: x + 1
            del m.act

    return (lambda x: m.act(x) * x), (lambda: None), change


@case("s")
def class_replaced_later():
    class One:
        def act(self, x: Any) -> Any:
            return x * 2

    class Two(One):
        def act(self, x: Any) -> Any:
            return super().act(x) * x

    m = One()
    return (lambda x: m.act(x)), (lambda: None), (lambda: setattr(m, "__class__", Two))


@case("s")
def property_of_an_outside_object():
    class Model:
        def __init__(self) -> None:
            self.raw = 1.0

        @property
        def value(self) -> Any:
            return self.raw if self.raw > 2 else self.raw * 3

        @value.setter
        def value(self, v: Any) -> None:
            self.raw = v if v > 1 else v * v

    m = Model()

    def f(x):
        m.value += x
        return m.value * x

    return f, (lambda: vars(m)), (lambda: setattr(m, "raw", 4.0))


@case("s")
def slots_outside():
    class Slotted:
        __slots__ = ("count", "x")

        def __init__(self) -> None:
            self.x = 1.5

    m = Slotted()

    def f(x):
        if x > 0:
            m.x = m.x * x
        m.count = 3
        return m.x**2 * m.count

    return f, (lambda: (m.x, getattr(m, "count", None))), (lambda: setattr(m, "x", 0.5))


@case("s")
def dataclass_outside():
    @dataclass
    class Config:
        k: float = 2.0
        log: list = field(default_factory=list)
        total: float = field(default=0.0, init=False)

        def __post_init__(self) -> None:
            self.k = self.k * 2

    c = Config(1.5)

    def f(x):
        c.total += x * c.k
        c.log.append(x)
        return c.total**2

    return f, (lambda: vars(c)), (lambda: setattr(c, "k", 0.5))


@case("s")
def cached_property_outside():
    import functools

    class Model:
        def __init__(self) -> None:
            self.k = 2.0

        @functools.cached_property
        def square(self) -> Any:
            return self.k**2

    m = Model()

    def change():
        m.k = 3.0
        vars(m).pop("square", None)

    return (lambda x: m.square * x * x), (lambda: vars(m)), change


@case("s")
def hooks_of_an_outside_object():
    class Store:
        def __init__(self) -> None:
            object.__setattr__(self, "held", {"a": 1.0})

        def __getattr__(self, name: str) -> Any:
            return self.held[name]

        def __setattr__(self, name: str, value: Any) -> None:
            self.held[name] = value * 2

    s = Store()

    def f(x):
        s.a = s.a + x
        return s.a * x

    return f, (lambda: s.held), (lambda: s.held.update(a=0.5))


@case("s")
def function_attributes():
    def f(x):
        f.calls += 1
        f.last = x * x
        return x * f.calls

    f.calls, f.last = 0, None
    return f, (lambda: (f.calls, f.last)), (lambda: setattr(f, "calls", 10))


@case("s")
def simple_namespace():
    n = types.SimpleNamespace(a=1.0, inner=types.SimpleNamespace(b=2.0))

    def f(x):
        n.a = n.a + x
        n.inner.b *= x
        return n.a * n.inner.b

    return f, (lambda: (n.a, n.inner.b)), (lambda: setattr(n.inner, "b", 0.5))


@case("s")
def objects_in_a_list():
    layers = [Box(w=1.0), Box(w=2.0)]

    def f(x):
        for layer in layers:
            x = x * layer.w
            layer.w = layer.w + 0.5
        return x * x

    return f, (lambda: [vars(v) for v in layers]), (lambda: layers.append(Box(w=0.1)))


@case("s")
def objects_in_a_dict():
    parts = {"a": Box(w=1.0), "b": Box(w=2.0, inner={"k": 3.0})}

    def f(x):
        parts["a"].w += x
        parts["b"].inner["k"] *= x
        return parts["a"].w * parts["b"].inner["k"]

    def change():
        parts["a"] = Box(w=7.0)

    return f, (lambda: {k: vars(v) for k, v in parts.items()}), change


@case("s")
def object_moved_between_lists():
    free, busy = [Box(w=1.0), Box(w=2.0)], []

    def f(x):
        o = free.pop()
        busy.append(o)
        o.w = o.w * x
        return o.w * (1 + len(busy))

    def change():
        if busy:
            free.append(busy.pop())

    return f, (lambda: ([vars(o) for o in free], [vars(o) for o in busy])), change


@case("s")
def object_kept_by_the_function():
    class Entry:
        def __init__(self, v: Any) -> None:
            self.v = v
            self.pair = (v, [v * 2])

    store = Box(last=None, all=[])

    def f(x):
        e = Entry(x)
        store.last = e
        store.all.append(e)
        return e.v * e.v

    def state():
        same = not store.all or store.last is store.all[-1]
        return [(e.v, e.pair) for e in store.all], same

    return f, state, nothing


# -- arguments -----------------------------------------------------------------------------------


@case("v")
def array_argument_written():
    def f(x):
        x[0] = 5.0 * x[1]
        x[1:] *= 2.0
        return np.sum(x * x)

    return f, (lambda: None), nothing


@case("vs")
def array_argument_in_loop():
    def f(x, k):
        for i in range(1, len(x)):
            if x[i] > 0:
                x[i] = x[i - 1] * k
            else:
                x[i] += k
        return np.sum(x * x)

    return f, (lambda: None), nothing


@case("s")
def list_argument_as_default():
    def f(x, acc=[0.0]):
        acc[0] = acc[0] + x
        return acc[0] * x

    return f, (lambda: f.__defaults__), (lambda: f.__defaults__[0].__setitem__(0, 2.0))


@case("s")
def list_default_of_a_helper():
    def helper(x, acc=[0.0], *, log={"n": 0}):
        acc[0] = acc[0] + x
        log["n"] += 1
        return acc[0] * log["n"]

    def f(x):
        return helper(x) * x + helper(2 * x)

    def change():
        helper.__defaults__ = ([5.0],)

    return f, (lambda: (helper.__defaults__, helper.__kwdefaults__)), change


@case("s")
def dict_in_defaults():
    def helper(x, cache={}):
        if "k" not in cache:
            cache["k"] = x * 2
        return cache["k"] * x

    return (lambda x: helper(x)), (lambda: helper.__defaults__), nothing


@case("s")
def growing_default():
    def helper(x, seen=[]):
        seen.append(x)
        return sum(seen) * x

    return (lambda x: helper(x)), (lambda: helper.__defaults__), nothing


@case("s")
def number_in_defaults():
    def helper(x, k=2.0):
        return x * x * k

    def change():
        helper.__defaults__ = (5.0,)

    return (lambda x: helper(x)), (lambda: None), change


@case("s")
def object_as_default():
    def helper(x, box=Box(k=2.0)):
        box.k = box.k + x
        return box.k * x

    return (lambda x: helper(x)), (lambda: vars(helper.__defaults__[0])), nothing


# -- containers ----------------------------------------------------------------------------------


@case("s")
def list_of_numbers():
    log = [1.0, 2.0]

    def f(x):
        log[0] = log[1] * x
        log.append(x)
        return log[0] + sum(log)

    return f, (lambda: log), (lambda: log.__setitem__(1, 0.5))


@case("v")
def list_in_a_loop():
    acc = [0.0, 1]

    def f(x):
        for v in x:
            if v > 0:
                acc[0] += v
            acc[1] += 1
        return acc[0] ** 2 + acc[1]

    return f, (lambda: acc), (lambda: acc.__setitem__(0, 3.0))


@case("v")
def append_in_a_loop():
    hist = []

    def f(x):
        hist.clear()
        s = 0.0
        for v in x:
            s = s * 0.5 + v
            hist.append(s)
        return s * s

    return f, (lambda: hist), nothing


@case("s")
def nested_history():
    hist = [[0.0, 1.0]]

    def f(x):
        hist[-1][1] += x
        hist.append([x, 0.0])
        return hist[-2][1] ** 2

    return f, (lambda: hist), nothing


@case("s")
def dict_of_lists():
    state = {"a": [1.0], "n": 0}

    def f(x):
        state["a"].append(state["a"][-1] * x)
        state["n"] += 1
        state["new"] = x * x
        return state["a"][-1] + state["n"] * x

    return f, (lambda: state), (lambda: state.update(a=[0.5, 0.25]))


@case("s")
def swapped_lists():
    a, b = [[1.0], [2.0]], [[3.0]]

    def f(x):
        a[0], b[0] = b[0], a[0]
        a[0][0] *= x
        return a[0][0] * b[0][0]

    return f, (lambda: (a, b)), nothing


@case("s")
def set_and_deque():
    names, recent = {"a"}, collections.deque([1.0, 2.0], maxlen=3)

    def f(x):
        names.add("b" if "a" in names else "c")
        names.discard("a")
        recent.append(x)
        return sum(recent) * len(names)

    return f, (lambda: (sorted(names), list(recent))), (lambda: names.add("a"))


@case("s")
def default_dict_and_counter():
    totals, counts = collections.defaultdict(float), collections.Counter()

    def f(x):
        totals["k"] += x
        counts["n"] += 1
        return totals["k"] * x * counts["n"]

    return f, (lambda: (dict(totals), dict(counts))), (lambda: totals.update(k=0.5))


@case("s")
def tuple_with_a_list():
    pair = ([1.0], {"k": 2.0})

    def f(x):
        pair[0][0] += x
        pair[1]["k"] *= pair[0][0]
        return pair[1]["k"]

    return f, (lambda: pair), nothing


@case("s")
def named_tuple_outside():
    class State(NamedTuple):
        x: Any
        log: Any

    s = State(2.0, [1.0])

    def f(x):
        s.log[0] += x * s.x
        return s.log[0] ** 2

    return f, (lambda: s), nothing


@case("v")
def array_outside():
    work = np.zeros(5)

    def f(x):
        work[: len(x)] += x
        return np.sum(work**2)

    return f, (lambda: work), (lambda: work.__setitem__(0, 2.0))


@case("v")
def array_of_an_object():
    m = Box(w=np.ones(5), grad=None)

    def f(x):
        m.w[0] *= x[0]
        for i in range(len(x)):
            m.w[i] += x[i]
        m.grad = 2 * m.w
        return np.sum(m.w) * x[0]

    return f, (lambda: vars(m)), (lambda: setattr(m, "w", np.full(5, 3.0)))


@case("v")
def array_seen_in_two_ways():
    w = np.ones(5)
    m = Box(w=w)

    def f(x):
        w[0] = x[0] * 2
        return np.sum(m.w) * x[0] + w[1]

    def change():
        m.w = np.full(5, 2.0)

    return f, (lambda: (w, m.w)), change


@case("s")
def list_seen_in_two_ways():
    log = [1.0]
    m = Box(log=log)

    def f(x):
        log.append(x)
        m.log[0] = m.log[0] * x
        return sum(m.log) + len(log)

    def change():
        m.log = [5.0]

    return f, (lambda: (log, m.log)), change


@case("v")
def argument_kept_outside():
    m = Box(x=None, first=None)

    def f(x):
        m.x = x
        m.first = x[0]
        return np.sum(x * x)

    return f, (lambda: vars(m)), nothing


# -- variables -----------------------------------------------------------------------------------

COUNTER = 0
TOTAL: Any = 0.0
TABLE: dict = {}


@case("s")
def global_counter():
    global COUNTER, TOTAL
    COUNTER, TOTAL = 0, 0.5

    def f(x):
        global COUNTER, TOTAL
        COUNTER += 1
        TOTAL = TOTAL * x + 1.0
        return TOTAL * COUNTER

    def change():
        global TOTAL
        TOTAL = 3.0

    return f, (lambda: (COUNTER, TOTAL)), change


@case("v")
def global_in_a_loop():
    global TOTAL
    TOTAL = 1.0

    def f(x):
        global TOTAL
        for v in x:
            if v > 0.2:
                TOTAL = TOTAL + v * TOTAL
            else:
                TOTAL -= 0.1 * v
        return TOTAL * x[0]

    def change():
        global TOTAL
        TOTAL = 2.0

    return f, (lambda: TOTAL), change


@case("s")
def global_of_a_helper():
    global TOTAL, TABLE
    TOTAL, TABLE = 1.0, {"k": 2.0}

    def helper(x):
        global TOTAL, TABLE
        TOTAL = TOTAL + x
        TABLE = {"k": TABLE["k"] * x}

    def f(x):
        helper(x)
        helper(x * x)
        return TOTAL * TABLE["k"]

    return f, (lambda: (TOTAL, TABLE)), (lambda: TABLE.update(k=0.5))


@case("s")
def nonlocal_counter():
    calls, total = 0, 0.0

    def f(x):
        nonlocal calls, total
        calls += 1
        total = total + x
        return total * calls

    def change():
        nonlocal total
        total = 4.0

    return f, (lambda: (calls, total)), change


@case("v")
def nonlocal_in_a_loop():
    total = 0.5

    def add(v):
        nonlocal total
        if v > 0:
            total = total + v * v
        else:
            total = total * 0.9

    def f(x):
        for v in x:
            add(v)
        return total * x[0]

    return f, (lambda: total), nothing


@case("s")
def global_kind_changes():
    global TOTAL
    TOTAL = None

    def f(x):
        return x * x if TOTAL is None else np.sum(np.asarray(TOTAL) * x)

    kinds = iter([[1.0, 2.0], 3.0, None])

    def change():
        global TOTAL
        TOTAL = next(kinds)

    return f, (lambda: None), change


# -- inner derivatives and calls -----------------------------------------------------------------


@case("s")
def bound_method_of_a_model():
    class PID:
        def __init__(self) -> None:
            self.k, self.integral, self.last = 0.5, 0.0, None

        def step(self, e: Any) -> Any:
            self.integral += e * 0.1
            slope = 0.0 if self.last is None else e - self.last
            self.last = e
            u = self.k * e + self.integral + slope
            if u > 1.0:
                return 1.0 + 0.1 * u
            return u

    c = PID()
    return c.step, (lambda: vars(c)), (lambda: setattr(c, "k", 0.75))


@case("v")
def recurrent_model():
    class Cell:
        def __init__(self) -> None:
            self.h = 0.0
            self.w = 0.5
            self.trace = []

        def __call__(self, v: Any) -> Any:
            self.h = np.tanh(self.w * self.h + v)
            return self.h

        def reset(self) -> None:
            self.h = 0.0

    cell = Cell()

    def f(x):
        cell.reset()
        loss = 0.0
        for v in x:
            loss += cell(v) ** 2
        cell.trace.append(loss)
        return loss

    return f, (lambda: (cell.h, cell.trace)), (lambda: setattr(cell, "w", 0.25))


@case("s")
def replay_buffer():
    class Buffer:
        def __init__(self) -> None:
            self.items, self.size, self.place = [0.0] * 4, 4, 0

        def push(self, v: Any) -> None:
            self.items[self.place % self.size] = v
            self.place += 1

        def mean(self) -> Any:
            return sum(self.items) / self.size

    b = Buffer()

    def f(x):
        b.push(x)
        b.push(x * x)
        return b.mean() * x

    return f, (lambda: (b.items, b.place)), nothing
