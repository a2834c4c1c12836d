"""What names lead to outside is looked up anew: each case makes changes between calls.

A case takes what compiles a function, and gives the results of calls: those of the compiled
function are those of the function itself.
"""

# Functions are written here as users write them, not as a linter would have them.
# ruff: noqa: PLW0108, E731

from __future__ import annotations

import abc
import collections.abc
import functools
import math
import types
import typing

import numpy as np

import gradsmith as gs
from helpers import each


def check(case):
    """The case gives with compiled functions what it gives with the functions themselves."""
    assert repr(case(gs.compile)) == repr(case(lambda f: f))


# -- class attributes, found through the bases


def written_in_a_subclass(compiled):
    class B:
        n = 0

    class D(B):
        pass

    def f(x, k):
        if k:
            D.n += 1
        return D.n * x

    c = compiled(f)
    return [c(1.0, k) for k in (0, 1, 0, 1, 0)]


def set_in_a_subclass_later(compiled):
    class B:
        k, mode = 1.0, "a"

    class D(B):
        pass

    o = D()
    c = compiled(lambda x: (o.k * x, o.mode, D.k))
    found = [c(1.0)]
    D.k, D.mode = 3.0, "b"
    found.append(c(1.0))
    o.k, o.mode = 5.0, "c"
    found.append(c(1.0))
    del D.k, o.k
    return [*found, c(1.0)]


def of_an_object_made_inside(compiled):
    class A:
        k = 1.0

    class B(A):
        pass

    c = compiled(lambda x: x * B().k)
    found = [c(1.0)]
    B.k = 2.0
    return [*found, c(1.0)]


def by_a_class_method(compiled):
    class B:
        k = 1.0

        @classmethod
        def raised(cls):
            cls.k += 1
            return cls.k

    class D(B):
        pass

    c = compiled(lambda x, k: x * (D.raised() if k else B.raised()))
    return [c(1.0, k) for k in (0, 1, 0, 1, 0)], B.k, D.k


def by_super(compiled):
    class A:
        k = 1.0

        def m(self):
            return 1.0

    class B(A):
        pass

    class C(B):
        def get(self):
            return super().k + super().m()

    o = C()
    c = compiled(lambda x: x * o.get())
    found = [c(1.0)]
    B.k = 2.0
    found.append(c(1.0))
    B.m = lambda self: 5.0
    return [*found, c(1.0)]


def of_other_bases(compiled):
    class A:
        k = 1.0

    class B:
        k = 2.0

    class C(A):
        pass

    o = C()
    c = compiled(lambda x: x * o.k)
    found = [c(1.0)]
    C.__bases__ = (B,)
    return [*found, c(1.0)]


def of_a_metaclass(compiled):
    class Meta(type):
        k = 1.0

    class C(metaclass=Meta):
        pass

    c = compiled(lambda x: x * C.k)
    found = [c(1.0)]
    Meta.k = 2.0
    found.append(c(1.0))
    C.k = 3.0
    return [*found, c(1.0)]


def methods_of_bases(compiled):
    class B:
        def g(self):
            return 1.0

        @staticmethod
        def st():
            return 1.0

        @classmethod
        def cm(cls):
            return 1.0

    class C(B):
        pass

    o = C()
    c = compiled(lambda x: x * o.g() + o.st() + C.cm() + C.st())
    found = [c(3.0)]
    C.g = lambda self: 2.0
    found.append(c(3.0))
    C.st = staticmethod(lambda: 5.0)
    found.append(c(3.0))
    C.cm = classmethod(lambda cls: 9.0)
    found.append(c(3.0))
    o.g = lambda: 11.0
    return [*found, c(3.0)]


@each(
    "case",
    [
        *(written_in_a_subclass, set_in_a_subclass_later, of_an_object_made_inside),
        *(by_a_class_method, by_super, of_other_bases, of_a_metaclass, methods_of_bases),
    ],
)
def test_no_nearer_class_has_an_attribute(case):
    check(case)


# -- attributes that an object has itself


def of_an_object_no_more(compiled):
    class C:
        k = 1.0

    o = C()
    o.k = 2.0

    def f(x):
        if x < 0:
            o.k = x
        return o.k * x

    c = compiled(f)
    found = [c(1.0)]
    del o.k
    found += [c(1.0), "k" in vars(o)]
    C.k = 7.0
    return [*found, c(1.0), c(-1.0), c(1.0), vars(o)]


def of_a_class_no_more(compiled):
    class B:
        k = 1.0

    class C(B):
        k = 2.0

    def f(x):
        if x < 0:
            C.k = x
        return C.k * x

    c = compiled(f)
    found = [c(1.0)]
    del C.k
    found += [c(1.0), "k" in vars(C)]
    B.k = 7.0
    return [*found, c(1.0), c(-1.0), c(1.0), C.k]


@each("case", [of_an_object_no_more, of_a_class_no_more])
def test_own_attributes_are_no_inherited_ones(case):
    check(case)


# -- classes of objects


class P:
    k = 1.0


class Q:
    k = 2.0


def attribute_of_the_class(p, x):
    return p.k * x


def its_type(p, x):
    return x if type(p) is P else -x


def is_instance(p, x):
    return x if isinstance(p, P) else -x


def its_class(p, x):
    return x if p.__class__ is P else -x


def has_attribute(p, x):
    return x if hasattr(p, "k") and type(p).__name__ == "P" else -x


@each("use", [attribute_of_the_class, its_type, is_instance, its_class, has_attribute])
@each("how", ["closure", "argument", "in a list", "attribute"])
def test_an_object_gets_another_class(use, how):
    def case(compiled):
        p = P()
        held, owner = [p], types.SimpleNamespace(p=p)
        functions = {
            "closure": lambda x, given: use(p, x),
            "argument": lambda x, given: use(given, x),
            "in a list": lambda x, given: use(held[0], x),
            "attribute": lambda x, given: use(owner.p, x),
        }
        c = compiled(functions[how])
        found = [c(1.0, p)]
        p.__class__ = Q
        return [*found, c(1.0, p)]

    check(case)


# -- functions and modules under their own names


def in_an_attribute(compiled):
    m = types.SimpleNamespace(sqrt=math.sqrt)
    c = compiled(lambda x: m.sqrt(x))
    found = [c(4.0)]
    m.sqrt = math.exp
    return [*found, c(4.0)]


def in_an_object(compiled):
    m = P()
    m.exp, m.np = np.exp, np
    c = compiled(lambda x: m.exp(x) + m.np.log(x))
    found = [c(4.0)]
    m.exp = np.log
    found.append(c(4.0))
    m.np = types.SimpleNamespace(log=np.sqrt)
    return [*found, c(4.0)]


def in_a_module(compiled):
    m = types.ModuleType("backend")
    m.exp = np.exp
    c = compiled(lambda x: m.exp(x))
    found = [c(4.0)]
    m.exp = np.log
    return [*found, c(4.0)]


def in_a_class(compiled):
    class C:
        math = math

    o = C()
    c = compiled(lambda x: o.math.exp(x))
    found = [c(4.0)]
    C.math = types.SimpleNamespace(exp=math.sin)
    return [*found, c(4.0)]


def in_a_variable_of_a_function(compiled):
    sqrt, xp = math.sqrt, math

    def f(x):
        return sqrt(x) + xp.exp(x)

    c = compiled(f)
    found = [c(4.0)]
    sqrt = math.exp
    found.append(c(4.0))
    xp = types.SimpleNamespace(exp=math.sin)
    return [*found, c(4.0)]


def in_a_global(compiled):
    held = globals()
    held["exp"], held["xp"] = np.exp, np
    c = compiled(lambda x: exp(x) + xp.sin(x))  # noqa: F821
    found = [c(4.0)]
    held["exp"] = np.log
    found.append(c(4.0))
    held["xp"] = math
    return [*found, c(4.0)]


@each(
    "case",
    [
        *(in_an_attribute, in_an_object, in_a_module, in_a_class),
        *(in_a_variable_of_a_function, in_a_global),
    ],
)
def test_another_function_under_the_name_of_one_of_numpy(case):
    check(case)


# -- names of builtins


def _seventy_seven(value):
    return 77.0


def shadowed_later(compiled):
    c = compiled(lambda x: abs(x))
    found = [c(-1.0)]
    globals()["abs"] = _seventy_seven
    try:
        found.append(c(-1.0))
    finally:
        del globals()["abs"]
    return [*found, c(-1.0)]


def shadowed_at_first(compiled):
    globals()["abs"] = _seventy_seven
    try:
        c = compiled(lambda x: abs(x))
        found = [c(-1.0)]
    finally:
        del globals()["abs"]
    return [*found, c(-1.0)]


def shadowed_by_itself(compiled):
    globals()["abs"] = abs
    try:
        c = compiled(lambda x: abs(x))
        found = [c(-1.0)]
        globals()["abs"] = _seventy_seven
        found.append(c(-1.0))
    finally:
        del globals()["abs"]
    return [*found, c(-1.0)]


@each("case", [shadowed_later, shadowed_at_first, shadowed_by_itself])
def test_globals_hide_builtins(case):
    check(case)


# -- special methods


def _within(o, x):
    with o as y:
        return x * y


SPECIAL = {
    "__mul__": (lambda o, x: o * x, lambda s, o: 9.0 * o),
    "__radd__": (lambda o, x: x + o, lambda s, o: 9.0 * o),
    "__call__": (lambda o, x: o(x), lambda s, o: 9.0 * o),
    "__len__": (lambda o, x: len(o) * x, lambda s: 9),
    "__getitem__": (lambda o, x: o[0] * x, lambda s, i: 9.0),
    "__iter__": (lambda o, x: sum(o) * x, lambda s: iter([9.0])),
    "__bool__": (lambda o, x: x if o else -x, lambda s: False),
    "__eq__": (lambda o, x: x if o == 3 else -x, lambda s, o: False),
    "__lt__": (lambda o, x: x if o < 3 else -x, lambda s, o: False),
    "__contains__": (lambda o, x: x if 3 in o else -x, lambda s, o: False),
    "__enter__": (_within, lambda s: 9.0),
    "__neg__": (lambda o, x: x * -o, lambda s: 9.0),
    "__float__": (lambda o, x: x * float(o), lambda s: 9.0),
    "__getattr__": (lambda o, x: x * o.nothing, lambda s, n: 9.0),
}


@each("name", SPECIAL)
def test_special_methods_are_replaced(name):
    use, new = SPECIAL[name]

    def case(compiled):
        class C:
            __hash__ = object.__hash__
            __mul__ = __radd__ = __call__ = lambda self, other: 2.0 * other
            __len__ = lambda self: 3
            __getitem__ = __getattr__ = lambda self, key: 1.0
            __iter__ = lambda self: iter([1.0, 2.0])
            __bool__ = lambda self: True
            __eq__ = __lt__ = __contains__ = lambda self, other: True
            __enter__ = __neg__ = __float__ = lambda self: 1.0
            __exit__ = lambda self, *error: None

        class D(C):
            pass

        o = D()
        c = compiled(lambda x: use(o, x))
        found = [c(1.0)]
        setattr(D, name, new)
        found.append(c(1.0))
        delattr(D, name)
        found.append(c(1.0))
        setattr(C, name, new)
        return [*found, c(1.0)]

    check(case)


def _or_minus(o, x):
    try:
        return x * o.nothing
    except AttributeError:
        return -x


LATER = {
    "__getattr__": (_or_minus, lambda s, n: 5.0),
    "__getattr__ for getattr": (lambda o, x: getattr(o, "nothing", 2.0) * x, lambda s, n: 5.0),
    "__getattr__ for hasattr": (lambda o, x: x if hasattr(o, "no") else -x, lambda s, n: 5.0),
    "__getattribute__": (
        lambda o, x: x * o.v,
        lambda s, n: 5.0 if n == "v" else object.__getattribute__(s, n),
    ),
    "__eq__": (lambda o, x: x if o == 3.0 else -x, lambda s, o: True),
    "__len__": (lambda o, x: x if o else -x, lambda s: 0),
    "__bool__": (lambda o, x: x if o else -x, lambda s: False),
}


@each("name", LATER)
def test_special_methods_are_added(name):
    use, new = LATER[name]

    def case(compiled):
        class C:
            v = 1.0

        o = C()
        c = compiled(lambda x: use(o, x))
        found = [c(1.0)]
        setattr(C, name.split()[0], new)
        return [*found, c(1.0)]

    check(case)


def how_objects_are_made(compiled):
    class C:
        def __init__(self, x):
            self.x = x

    def init(self, x):
        self.x = x + 5

    c = compiled(lambda x: C(x).x)
    found = [c(1.0)]
    C.__init__ = init
    found.append(c(1.0))
    C.__new__ = lambda cls, x: types.SimpleNamespace(x=9.0)
    return [*found, c(1.0)]


def what_descriptors_do(compiled):
    class Descriptor:
        def __get__(self, owner, cls):
            return 3.0

    class C:
        v = Descriptor()

    o = C()
    c = compiled(lambda x: x * o.v)
    found = [c(3.0)]
    Descriptor.__get__ = lambda self, owner, cls: 8.0
    found.append(c(3.0))
    C.v = 5.0
    return [*found, c(3.0)]


def code_of_functions(compiled):
    def g(x):
        return x + 1

    def f(x):
        return g(x)

    c = compiled(f)
    found = [c(1.0)]
    g.__code__ = (lambda x: x + 10).__code__
    found.append(c(1.0))
    f.__code__ = (lambda x: g(x) * 2).__code__
    return [*found, c(1.0)]


def code_of_the_function(compiled):
    def f(x):
        return x + 1

    c = compiled(f)
    found = [c(1.0)]
    f.__code__ = (lambda x: x * 20).__code__
    return [*found, c(1.0)]


def state_of_a_partial(compiled):
    p = functools.partial(pow, 2.0)
    c = compiled(lambda x: p(x))
    found = [c(3.0)]
    p.__setstate__((pow, (3.0,), {}, {}))
    return [*found, c(3.0)]


@each(
    "case",
    [
        *(how_objects_are_made, what_descriptors_do, code_of_functions, code_of_the_function),
        state_of_a_partial,
    ],
)
def test_what_is_called_is_replaced(case):
    check(case)


# -- what classes answer about others


class Kind:
    pass


def matched(k, base):
    match k:
        case base():
            return True
    return False


CHECKS = {
    "isinstance": lambda k, base, x: isinstance(k, base),
    "in a tuple": lambda k, base, x: isinstance(k, (int, (base, str))),
    "in a union": lambda k, base, x: isinstance(k, int | base),
    "issubclass": lambda k, base, x: issubclass(type(k), base),
    "made inside": lambda k, base, x: isinstance(type(k)(), base),
    "traced": lambda k, base, x: isinstance(x, base),
    "match": lambda k, base, x: matched(k, base),
}


@each("name", CHECKS)
@each("standard", [False, True])
def test_classes_are_registered_with_abstract_ones(name, standard):
    def case(compiled):
        kind = type("Kind", (), {})
        base = abc.ABCMeta("Base", (collections.abc.Sequence,) if standard else (), {})
        k = kind()
        c = compiled(lambda x: x if CHECKS[name](k, base, x) else -x)
        found = [c(1.0)]
        base.register(Kind)
        found.append(c(1.0))
        base.register(float if name == "traced" else kind)
        return [*found, c(1.0)]

    check(case)


def by_state(compiled):
    class Meta(type):
        on = False

        def __instancecheck__(cls, value):
            return Meta.on

        def __subclasscheck__(cls, other):
            return Meta.on

    class A(metaclass=Meta):
        pass

    class B(A):
        pass

    k = Kind()
    c = compiled(lambda x: (isinstance(k, A), isinstance(k, (int, B)), issubclass(Kind, A), x))
    found = [c(1.0)]
    Meta.on = True
    return [*found, c(1.0)]


def by_a_traced_value(compiled):
    class Meta(type):
        def __instancecheck__(cls, value):
            return super().__instancecheck__(value) or value > cls.least

    class A(metaclass=Meta):
        least = 2.0

    c = compiled(lambda x: x if isinstance(x, A) else -x)
    found = [c(1.0), c(3.0)]
    A.least = 0.5
    return [*found, c(1.0), c(0.2)]


def by_the_method_of_abstract_classes(compiled):
    class Meta(abc.ABCMeta):
        def __instancecheck__(cls, value):
            return super().__instancecheck__(value)

    class A(metaclass=Meta):
        pass

    k = Kind()
    c = compiled(lambda x: x if isinstance(k, A) else -x)
    found = [c(1.0)]
    A.register(Kind)
    return [*found, c(1.0)]


def by_attributes(compiled):
    @typing.runtime_checkable
    class HasV(typing.Protocol):
        v: float

    k = Kind()
    c = compiled(lambda x: x if isinstance(k, HasV) else -x)
    found = [c(1.0)]
    k.v = 1.0
    return [*found, c(1.0)]


def by_dispatch(compiled):
    @functools.singledispatch
    def g(x):
        return -1.0

    class Held:
        @functools.singledispatchmethod
        def g(self, x):
            return -1.0

    k, o = Kind(), Held()
    c = compiled(lambda x: (g(x), g(k), o.g(x)))
    found = [c(1.0)]
    g.register(float, lambda v: v + 1)
    found.append(c(1.0))
    g.register(Kind, lambda v: 7.0)
    found.append(c(1.0))
    Held.g.register(float, lambda self, v: v + 2)
    return [*found, c(1.0)]


@each(
    "case",
    [
        *(by_state, by_a_traced_value, by_the_method_of_abstract_classes, by_attributes),
        by_dispatch,
    ],
)
def test_classes_give_other_answers(case):
    check(case)


# -- variables of other functions, through their cells


def _counter(value):
    def get():
        return value

    def put(other):
        nonlocal value
        value = other

    return get, put


def test_cells_of_functions_are_read_at_each_call():
    def case(compiled):
        get, put = _counter(1.0)

        def f(x, write):
            def inner():
                return x

            if write:
                put(x)
            return inner.__closure__[0].cell_contents * get.__closure__[-1].cell_contents

        c = compiled(f)
        found = [c(2.0, False)]
        put(3.0)
        return [*found, c(2.0, False), c(5.0, True), c(2.0, False), get()]

    check(case)
