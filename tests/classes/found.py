"""Functions that were found to go wrong, and others of their kind: see `outside_state`."""

# As short as a hunt writes them.
# ruff: noqa: E741, E742, RUF012

from __future__ import annotations

import collections
import contextlib
import copy
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import gradsmith as gs
from classes.outside_state import Box, Make, nothing

CASES: dict[str, tuple[Make, str]] = {}


def case(kinds: str) -> Callable[[Make], Make]:
    """Register what makes a world."""

    def register(make: Make) -> Make:
        assert make.__name__ not in CASES, make.__name__
        CASES[make.__name__] = make, kinds
        return make

    return register


@case("v")
def deque_of_an_object():
    hist = collections.deque([0.0], maxlen=2)
    m = Box(h=hist)

    def f(x):
        m.h.append(x[0])
        m.h.append(x[1])
        return sum(v * v for v in m.h) * hist[0]

    return f, lambda: list(hist), nothing


@case("s")
def singleton():
    class S:
        _i = None

        def __new__(cls):
            if cls._i is None:
                cls._i = super().__new__(cls)
                cls._i.v = 0.0
            return cls._i

    def f(x):
        s = S()
        s.v += x
        return S().v * x

    return f, lambda: vars(S._i) if S._i else None, nothing


@case("s")
def class_and_instance_attribute():
    class A:
        x = 1.0

    class B(A):
        pass

    b = B()

    def f(x):
        b.x = b.x * x
        A.x = A.x + 1
        return b.x + B.x

    return f, lambda: (A.x, vars(b)), lambda: vars(b).clear()


@case("s")
def descriptor_with_values_of_its_own():
    class D:
        def __init__(self):
            self.vals = {}

        def __set_name__(self, o, n):
            self.n = n

        def __get__(self, o, k=None):
            return self if o is None else self.vals.get(id(o), 1.0)

        def __set__(self, o, v):
            self.vals[id(o)] = v * 2

    class O:
        p = D()

    o = O()

    def f(x):
        o.p = o.p * x
        return o.p + x

    return f, lambda: list(vars(O)["p"].vals.values()), nothing


@case("s")
def copies_of_an_object():
    b = Box(v=1.0)

    def f(x):
        c = copy.copy(b)
        c.v = c.v * x
        d = copy.deepcopy(b)
        d.v += x
        return b.v + c.v * d.v

    return f, lambda: vars(b), lambda: setattr(b, "v", b.v + 1)


@case("s")
def deep_copies():
    b = Box(inner=Box(v=[1.0]))

    def f(x):
        c = copy.deepcopy(b)
        c.inner.v[0] *= x
        d = copy.copy(b)
        d.inner.v.append(x)
        return c.inner.v[0] + sum(b.inner.v)

    return f, lambda: b.inner.v, nothing


@case("s")
def vars_of_an_object():
    b = Box(v=1.0)

    def f(x):
        v = vars(b)
        s = 0.0
        for k in v:
            s += v[k] * x
        b.w = x
        return s * len(v)

    return f, lambda: vars(b), nothing


@case("s")
def operators_in_place():
    class V:
        def __init__(self, v):
            self.v = v

        def __iadd__(self, o):
            self.v = self.v + (o.v if isinstance(o, V) else o)
            return self

        def __imul__(self, o):
            self.v = self.v * o
            return self

    g = V(1.0)
    holder = Box(v=V(2.0))
    lst = [V(3.0)]

    def f(x):
        h = g
        h += x
        holder.v *= x
        lst[0] += holder.v
        return g.v * holder.v.v * lst[0].v

    return f, lambda: (g.v, holder.v.v, lst[0].v), nothing


@case("ss")
def largest_by_key():
    def f(x, y):
        l = [Box(v=x, n=1), Box(v=y, n=2), Box(v=x * y, n=3)]
        m = max(l, key=lambda b: b.v)
        l.sort(key=lambda b: b.v)
        return m.v * m.n + l[0].v * l[0].n

    return f, nothing, nothing


@case("v")
def environment():
    class Env:
        def __init__(self):
            self.s = 0.0
            self.t = 0

        def reset(self):
            self.s = 0.1
            self.t = 0
            return self.s

        def step(self, a):
            self.s = self.s * 0.9 + a
            self.t += 1
            done = self.s > 1.5
            return self.s, -(self.s**2), done

    e = Env()

    def f(x):
        s = e.reset()
        R = 0.0
        for a in x:
            s, r, done = e.step(a)
            R += r
            if done:
                break
        return R + s

    return f, lambda: vars(e), nothing


@case("s")
def get_attribute_hook():
    class A:
        def __init__(self):
            self.x = 1.0

        def __getattribute__(self, n):
            v = object.__getattribute__(self, n)
            return v * 2 if n == "x" else v

    a = A()

    def f(x):
        a.x = a.x + x
        return a.x

    return f, lambda: object.__getattribute__(a, "__dict__"), nothing


@case("s")
def context_manager_of_a_generator():
    b = Box(v=1.0)

    @contextlib.contextmanager
    def scaled(k):
        old = b.v
        b.v = b.v * k
        try:
            yield b
        finally:
            b.v = old

    def f(x):
        with scaled(x) as c:
            y = c.v * x
        return y + b.v

    return f, lambda: vars(b), lambda: setattr(b, "v", 2.0)


@case("s")
def values_sent_to_a_generator():
    def gen(n):
        s = 0.0
        while True:
            k = yield s
            if k is None:
                return
            s += k * n

    def f(x):
        g = gen(2.0)
        next(g)
        a = g.send(x)
        b = g.send(x * x)
        return a * b

    return f, nothing, nothing


@case("s")
def observed_property():
    class S:
        def __init__(self):
            self._v = 0.0
            self.obs = []

        @property
        def v(self):
            return self._v

        @v.setter
        def v(self, n):
            o, self._v = self._v, n
            for f in self.obs:
                f(o, n)

    s = S()
    log = []
    s.obs.append(lambda o, n: log.append(n - o))

    def f(x):
        s.v = x
        s.v = x * x
        s.v += 1.0
        return s.v * log[-2]

    return f, lambda: (s._v, log), nothing


@case("s")
def class_cache():
    class C:
        cache = {}

        @classmethod
        def of(cls, k, x):
            if k not in cls.cache:
                cls.cache[k] = x
            return cls.cache[k]

    return (lambda x: C.of("a", 3.0) * x), lambda: C.cache, lambda: C.cache.pop("a", None)


@case("s")
def exchanged_values():
    t = (Box(v=1.0), [2.0])

    def f(x):
        b, l = t
        b.v, l[0] = l[0] * x, b.v
        return b.v + l[0] * x

    return f, lambda: (vars(t[0]), t[1]), nothing


@case("s")
def replaced_list():
    b = Box(l=[1.0, 2.0])

    def f(x):
        l = b.l
        b.l = [x]
        l.append(x * 2)
        return sum(l) + sum(b.l)

    return f, lambda: b.l, lambda: setattr(b, "l", [3.0])


@case("s")
def object_seen_in_two_places():
    a = Box(v=1.0)
    b = Box(ref=a)
    l = [a]

    def f(x):
        c = Box(v=x)
        b.ref = c
        l[0] = c
        c.v = c.v * 2
        return b.ref.v + l[0].v + a.v

    return f, lambda: (b.ref.v, l[0].v, l[0] is b.ref, a.v), nothing


@case("s")
def derivative_inside():
    b = Box(n=0.0)

    def h(x):
        b.n += x
        return x * b.n

    def f(x):
        g = gs.grad(h)(x)
        return g + b.n

    return f, lambda: vars(b), nothing


@case("s")
def list_twice_in_a_list():
    a = [1.0]
    b = [a, a]

    def f(x):
        b[0].append(x)
        return sum(b[1]) + len(a)

    return f, lambda: (a, b), nothing


@case("s")
def list_twice_in_an_object():
    a = [1.0]
    p = Box(x=a, y=a)

    def f(x):
        p.x[0] = p.x[0] * x
        p.y = [p.y[0], x]
        return p.y[0] + a[0]

    return f, lambda: (a, p.x, p.y, p.x is a), nothing


@case("v")
def optimiser_state():
    s = {"m": np.zeros(5), "v": np.zeros(5), "t": 0}
    p = {"w": np.ones(5)}

    def f(x):
        s["t"] += 1
        g = np.zeros(5)
        g[: len(x)] = x * p["w"][: len(x)]
        s["m"] = 0.9 * s["m"] + 0.1 * g
        s["v"] = 0.99 * s["v"] + 0.01 * g**2
        p["w"] -= (
            0.1 * (s["m"] / (1 - 0.9 ** s["t"])) / (np.sqrt(s["v"] / (1 - 0.99 ** s["t"])) + 1e-2)
        )
        return np.sum(p["w"] ** 2)

    return f, lambda: (s, p), nothing


@case("v")
def array_that_two_attributes_share():
    m = Box(a=np.zeros(3))
    m.b = m.a

    def f(x):
        m.a[0] += x[0]
        m.a = m.a + 1
        return m.a[0] * 2 + m.b[0] * x[1]

    return f, lambda: (m.a, m.b, m.a is m.b), lambda: setattr(m, "b", m.a)


@case("s")
def instances_kept_by_the_class():
    class C:
        inst = []

        def __init__(self, v):
            self.v = v
            C.inst.append(self)

    def f(x):
        C(x)
        return sum(i.v for i in C.inst)

    return f, lambda: [i.v for i in C.inst], nothing


@case("s")
def list_extended_in_place():
    l = [1.0]

    def f(x):
        m = l
        m += [x]
        m = [*m, 2.0]
        m[0] = x * 3
        return sum(l) + sum(m)

    return f, lambda: l, lambda: l.clear() or l.append(0.5)


@case("s")
def derived_list_with_attributes():
    class L(list):
        def total(self):
            return sum(self)

        def add(self, v):
            if v > 0:
                self.append(v)
            else:
                self.append(v * v)

    l = L([1.0])
    l.name = "z"
    l.k = 2.0

    def f(x):
        l.add(x)
        l.k = l.k * x
        return l.total() * l.k

    return f, lambda: (list(l), vars(l)), nothing


@case("v")
def object_chosen_in_a_loop():
    a = Box(v=1.0)
    b = Box(v=2.0)

    def f(x):
        for v in x:
            o = a if v > 0 else b
            o.v = o.v + v
        return a.v * b.v

    return f, lambda: (a.v, b.v), nothing


@case("v")
def object_indexed_in_a_loop():
    l = [Box(v=1.0), Box(v=2.0), Box(v=3.0)]

    def f(x):
        for i in range(len(x)):
            l[i % 3].v += x[i]
        return l[0].v * l[1].v + l[2].v

    return f, lambda: [o.v for o in l], nothing


@case("s")
def containers_in_containers():
    a = [Box(v=1.0)]
    b = {"q": collections.deque([1.0]), "s": {1.0}, "dd": collections.defaultdict(list)}

    def f(x):
        b["q"].append(x)
        b["s"].add(2.0)
        b["dd"]["k"].append(x)
        a.append(a[0])
        a[1].v *= x
        return sum(b["q"]) + len(b["s"]) + a[0].v * sum(b["dd"]["k"])

    return f, lambda: ([o.v for o in a], list(b["q"]), sorted(b["s"]), dict(b["dd"])), nothing


@case("s")
def objects_that_all_are_equal():
    class V:
        def __init__(self, v):
            self.v = v

        def __eq__(self, o):
            return True

        def __hash__(self):
            return 1

    l = [V(1.0)]

    def f(x):
        return l[0].v * x

    return f, nothing, lambda: l.__setitem__(0, V(l[0].v + 1))


@case("s")
def list_that_becomes_another_one():
    b = [[1.0], [1.0]]

    def f(x):
        b[0].append(x)
        return sum(b[1]) * x + len(b[1])

    return f, lambda: b, lambda: b.__setitem__(1, b[0])


@case("s")
def dataclass_in_a_dict():
    @dataclass
    class C:
        a: float = 1.0
        b: list = field(default_factory=lambda: [1.0])

        def bump(self, x):
            self.a = self.a + x
            self.b.append(self.a)
            return self.a

        @property
        def tot(self):
            return sum(self.b) if self.a > 1 else -sum(self.b)

    c = C()
    d = {"c": c}

    def f(x):
        d["c"].bump(x)
        return c.tot * d["c"].a

    return f, lambda: vars(c), lambda: setattr(c, "a", 0.5)


@case("s")
def private_attributes():
    class A:
        def __init__(self):
            self.__v = 1.0

        def get(self):
            return self.__v

        def set(self, v):
            if v > 0:
                self.__v = v
            else:
                self.__v = v * v

    class B(A):
        def __init__(self):
            super().__init__()
            self.__v = 5.0

        def both(self):
            return self.__v * self.get()

    b = B()

    def f(x):
        b.set(x)
        return b.both()

    return f, lambda: vars(b), nothing


@case("s")
def items_that_are_attributes():
    class O:
        def __init__(self):
            self.v = 1.0

        def __getitem__(self, k):
            return getattr(self, k)

        def __setitem__(self, k, v):
            setattr(self, k, v)

        def __delitem__(self, k):
            delattr(self, k)

        def __contains__(self, k):
            return hasattr(self, k)

    o = O()

    def f(x):
        o["w"] = x
        o["v"] += o["w"]
        o["v"] *= 2
        y = o["v"] if "w" in o else 0.0
        del o["w"]
        return y * (1 if "w" not in o else 2)

    return f, lambda: vars(o), nothing


@case("s")
def iterator_of_ones_own():
    class It:
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            self.i = 0
            return self

        def __next__(self):
            if self.i >= self.n:
                raise StopIteration
            self.i += 1
            return self.i

    it = It(3)

    def f(x):
        t = 0.0
        for i in it:
            t += x**i
        return t + sum(it) * x

    return f, lambda: vars(it), nothing


@case("v")
def array_written_after_it_is_kept():
    out = Box(y=None)

    def f(x):
        y = x * 2
        out.y = y
        y[0] = 7.0 * x[1]
        return np.sum(y * y)

    return f, lambda: out.y, nothing


@case("v")
def array_kept_in_three_places():
    out = Box(a=None, b=None, l=[])

    def f(x):
        y = x * 2
        out.a = y
        out.b = y
        out.l.append(y)
        return np.sum(out.b)

    return f, lambda: (out.a, out.a is out.b, out.l[-1] is out.a if out.l else None), nothing


@case("s")
def tree_walked_by_generators():
    class T:
        def __init__(self, v, kids=()):
            self.v = v
            self.kids = list(kids)

        def walk(self):
            yield self
            for k in self.kids:
                yield from k.walk()

    t = T(1.0, [T(2.0), T(3.0, [T(4.0)])])

    def f(x):
        tot = 0.0
        for n in t.walk():
            n.v = n.v * x
            tot += n.v
        return tot

    return f, lambda: [n.v for n in t.walk()], lambda: t.kids.append(T(0.5))
