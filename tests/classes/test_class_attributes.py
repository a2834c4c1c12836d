"""Attributes of classes that a function deletes, or replaces by what Python itself looks up."""

import numpy as np

import gradsmith as gs
from control.one_object import check_calls
from helpers import each

CALLS = [(np.array(x),) for x in ([1.0, 2.0], [-1.0, 2.0], [3.0, 0.5])]


class Cl:
    lo = 1.0


class Sub(Cl):
    pass


def moved_to_another_attribute(x):

    class C:
        k = 1.0

    if x[0] > 0:
        C.j = C.k
        del C.k
    return (hasattr(C, "k"), hasattr(C, "j"), hasattr(C(), "k"))


def replaced_property(x):

    class C:
        v = property(lambda s: 1.0)

    if x[0] > 0:
        C.v = property(lambda s: 2.0)
    return C().v * x[1]


def deleted_property(x):

    class C:
        v = property(lambda s: 1.0)

    c = C()
    del C.v
    c.v = x[0]
    return c.v


def added_property(x):

    class C:
        pass

    c = C()
    c.v = 1.0
    C.v = property(lambda s: 2.0)
    return c.v


def added_special_method(x):

    class C:
        pass

    C.__len__ = lambda s: 3
    return len(C()) * x[0]


def added_special_method_on_one_path(x):

    class C:
        pass

    if x[0] > 0:
        C.__len__ = lambda s: 3
    try:
        return len(C())
    except TypeError:
        return -1


def replaced_call(x):

    class C:
        def __call__(self):
            return 1.0

    if x[0] > 0:
        C.__call__ = lambda s: x[1]
    return C()()


def replaced_operator(x):

    class C:
        def __add__(self, o):
            return 1.0

    C.__add__ = lambda s, o: x[1] * o
    return C() + 2.0


def deleted_over_one_of_a_base(x):

    class B:
        k = 1.0

    class C(B):
        k = 2.0

    if x[0] > 0:
        del C.k
    return (C.k, C().k)


def deleted_by_a_function(x):

    class C:
        k = 1.0

    delattr(C, "k")
    C.j = x[0]
    return (hasattr(C, "k"), C.j, sorted(n for n in vars(C) if n[0] != "_"))


def deleted_past_the_class(x):

    class C:
        k = 1.0

    if x[0] > 0:
        type.__delattr__(C, "k")
    return hasattr(C, "k")


def deleted_in_a_loop(x):

    class C:
        k = 1.0

    for v in x:
        if v > 0 and hasattr(C, "k"):
            del C.k
    return hasattr(C, "k")


def property_replaced_by_an_attribute(x):

    class C:
        @property
        def v(self):
            return 1.0

    c = C()
    if x[0] > 0:
        del C.v
        c.v = 5.0
    return c.v


def deleted_by_a_helper(x):

    class C:
        k = 1.0

    def h():
        del C.k

    if x[0] > 0:
        h()
    return getattr(C, "k", x[1])


def deleted_and_not_there(x):

    class C:
        k = 1.0

    try:
        del C.z
    except AttributeError as e:
        return (str(e), x[0])


PROGRAMS = [
    moved_to_another_attribute,
    replaced_property,
    deleted_property,
    added_property,
    added_special_method,
    added_special_method_on_one_path,
    replaced_call,
    replaced_operator,
    deleted_over_one_of_a_base,
    deleted_by_a_function,
    deleted_past_the_class,
    deleted_in_a_loop,
    property_replaced_by_an_attribute,
    deleted_by_a_helper,
    deleted_and_not_there,
]


@each("function", PROGRAMS)
def test_attributes_of_classes(function):
    check_calls(function, *CALLS)


def test_attributes_of_classes_from_outside():
    def function(x):
        before = Sub.lo
        del Cl.lo
        gone = hasattr(Sub, "lo"), hasattr(Cl(), "lo")
        if x[0] > 0:
            Cl.lo = x[1]
        return before, gone, getattr(Sub, "lo", 7.0)

    compiled = gs.compile(function)
    for x, left in (([1.0, 2.0], 2.0), ([-1.0, 2.0], None), ([3.0, 0.5], 0.5)):
        Cl.lo = 1.0
        expected = 7.0 if left is None else left
        assert compiled(np.array(x)) == (1.0, (False, False), expected)
        assert vars(Cl).get("lo") == left
    Cl.lo = 1.0


class Described:
    def __get__(self, owner, cls):
        return owner is None, cls.__name__


def test_descriptors_written_to_classes():
    def of_class(x):
        class Model:
            @classmethod
            def name(cls):
                return cls.__name__

        class Child(Model):
            pass

        Child.total = classmethod(lambda cls: (cls.name(), x))
        Model.half = staticmethod(lambda v: v / 2)
        Model.double = property(lambda self: x * 2)
        Model.described = Described()
        if x > 1:
            Child.name = classmethod(lambda cls: "child")
        found = Child.total(), Child().total(), Child.half(x), Child().double, Child.name()
        return *found, Model.name(), Child.described, Child().described, type(Model.double)

    def of_super(x):
        class Model:
            pass

        class Child(Model):
            @classmethod
            def make(cls, v):
                return cls.__name__, super().make(v)

        Model.make = classmethod(lambda cls, v: (cls.__name__, v * x))
        return Child.make(2), Model.make(3)

    def checked(x):
        *found, kind = of_class(x)
        return found, kind is property

    check_calls(checked, (1.5,), (0.5,), (2,))
    check_calls(of_super, (1.5,), (0.5,), (2,))
