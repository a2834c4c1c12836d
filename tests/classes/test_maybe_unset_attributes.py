"""Attributes that some paths set: the loop stays a loop, and reading one that is not set raises
Python's error.

Each program runs at three sets of arguments through one compiled object, and is compared with
Python (values to the bit, errors by class and text) and with differences. The length of its source
must not depend on the length of the data.
"""

from __future__ import annotations

import copy
import warnings

import numpy as np
import pytest

import gradsmith as gs

SETS = [
    (1.3, np.array([2.5, 0.5, 3.5, 1.2, 2.2])),
    (0.7, np.array([0.3, 0.2, 2.6, 0.1, 3.3, 1.5, 0.9])),
    (-0.4, np.array([0.3, -0.2, 0.5])),
]


class Bare:
    """Its attributes are those that the program sets."""


class Slots:
    __slots__ = ("a", "b")


class WithDefault:
    b = 0.5


class WithProperty:
    @property
    def twice(self):
        return self.b * 2


class WithFallback:
    def __getattr__(self, name):
        return 0.25


class Model:
    def __init__(self, e):
        self.e = e

    def solved(self, m):
        if m <= 0.4:
            return 0.0
        self.a = self.e * m
        return self.a

    def several(self, v):
        if v > 3:
            return v
        self.x = v
        if v > 1:
            return self.x * self.e
        self.y = v * self.e
        return self.y


OUTSIDE = Bare()


# -- the loop stays one


def early_return(e, t):
    s, found = Model(e), np.zeros(len(t))
    for i in range(len(t)):
        found[i] = s.solved(t[i])
    return np.sum(found)


def read_after_early_return(e, t):
    s, total = Model(e), 0.0
    for v in t:
        total = total + s.several(v)
    return total + s.x * s.y


def never_read(e, t):
    s, total = Bare(), 0.0
    for v in t:
        if v > 2:
            s.b = e
        total = total + v * e
    return total


def read_after(e, t):
    s = Bare()
    for v in t:
        if v > 2:
            s.b = e * v
    return s.b + e


def read_too_early(e, t):
    s, total = Bare(), 0.0
    for v in t:
        if v > 2:
            s.b = e * v
        if v > 1:
            total = total + s.b
    return total


def set_in_every_iteration(e, t):
    s, total = Bare(), 0.0
    for v in t[3:]:
        s.b = v * e
        total = total + s.b
    return total * s.b


def set_once(e, t):
    s, total = Bare(), 0.0
    for v in t:
        if v > 0.4:
            if not hasattr(s, "first"):
                s.first = v * e
            total = total + (v - s.first) * e
    return total


def previous(e, t):
    s, total = Bare(), 0.0
    for v in t:
        if not hasattr(s, "previous"):
            s.previous = v
        total = total + (v - s.previous) * e
        s.previous = v
    return total


def by_default(e, t):
    s, total = Bare(), 0.0
    for v in t:
        total = total + getattr(s, "b", 0.25) * e
        if v > 2:
            s.b = e * v
    return total


def counted(e, t):
    s = Bare()
    for v in t:
        if v > 1:
            s.n = getattr(s, "n", 0) + 1
    return getattr(s, "n", 0) * e


def default_of_the_class(e, t):
    s, total = WithDefault(), 0.0
    for v in t:
        if v > 2:
            s.b = e * v
        total = total + s.b
    return total * e


def in_slots(e, t):
    s, total = Slots(), 0.0
    for v in t:
        if v > 2:
            s.b = e * v
        total = total + (s.b if hasattr(s, "b") else v * e)
    return total


def slot_never_set(e, t):
    s = Slots()
    for v in t:
        if v > 2:
            s.b = e * v
    return s.b


def through_a_property(e, t):
    s = WithProperty()
    for v in t:
        if v > 2:
            s.b = e * v
    return s.twice


def deleted(e, t):
    s, total = Bare(), 0.0
    s.b = e
    for v in t:
        if hasattr(s, "b"):
            total = total + s.b * v
        if v > 2 and hasattr(s, "b"):
            del s.b
        if v < 1:
            s.b = v * e
    return total


def deleted_twice(e, t):
    s, total = Bare(), 0.0
    s.b = s.c = e
    for v in t:
        total = total + v * e * s.c
        if v > 2:
            del s.b
    return total


def an_array(e, t):
    s, total = Bare(), 0.0
    for v in t:
        if v > 2:
            s.w = t * v
        if v > 3:
            total = total + np.sum(s.w) * e
    return total + e


def written_in_place(e, t):
    s = Bare()
    for v in t:
        if v > 0.4:
            if not hasattr(s, "w"):
                s.w = np.zeros(3)
            s.w[1] += v * e
    return s.w[1] + s.w[0]


def a_text(e, t):
    s, total = Bare(), 0.0
    for v in t:
        if v > 2:
            s.state = "hot"
        if hasattr(s, "state"):
            total = total + v * e
    return total + e


def numbers_of_two_kinds(e, t):
    s, total = Bare(), 0.0
    for v in t:
        if v > 2:
            s.b = v * e
        elif v > 1:
            s.b = 3
        total = total + getattr(s, "b", 0) * e
    return total


def none_at_first(e, t):
    s = Bare()
    s.best = None
    for v in t:
        if s.best is None or v > s.best:
            s.best = v
            s.at = v * e
    return s.best * s.at


def two_loops(e, t):
    s = Bare()
    for v in t:
        for u in t:
            if u > v + 1:
                s.c = u * e
        if v > 2:
            s.d = getattr(s, "c", 0.3)
    return getattr(s, "d", e)


def ended_by_a_value(e, t):
    s = Bare()
    for v in t:
        if v > 2.3:
            s.found = v * e
            break
    return s.found


def counting_while(e, t):
    s, i = Bare(), 0
    while i < len(t):
        if t[i] > 2:
            s.b = t[i] * e
            s.i = i
        i += 1
    return getattr(s, "b", e) * getattr(s, "i", 3)


def made_in_the_iteration(e, t):
    total = 0.0
    for v in t:
        s = Bare()
        if v > 2:
            s.b = v * e
        total = total + getattr(s, "b", 0.1 * e)
    return total


def of_two_objects(e, t):
    pair = [Bare(), Bare()]
    for v in t:
        if v > 2:
            pair[0].b = v * e
        else:
            pair[1].b = v * e
    return sum(getattr(s, "b", 0.5) for s in pair) * e


def exchanged(e, t):
    s = Bare()
    s.a = e
    for v in t:
        if v > 2:
            s.a, s.b = getattr(s, "b", 1.0), s.a
    return s.a * getattr(s, "b", 2.0)


def outside(e, t):
    total = 0.0
    for v in t:
        if v > 2:
            OUTSIDE.b = e * v
        if hasattr(OUTSIDE, "b"):
            total = total + OUTSIDE.b
    return total + e


def tuples(e, t):
    s, total = Bare(), 0.0
    for v in t:
        if v > 0.4:
            s.pair = v * e, (v, e)
        if v > 1:
            total = total + s.pair[0] * s.pair[1][0]
    return total * e


def objects_that_nobody_reads_later(e, t):
    s, total = Bare(), 0.0
    s.items = []
    for v in t:
        s.items = [v, e]
        s.shapes = np.ones((2, 2))
        if v > 2:
            s.latest = Model(v)
            total = total + s.latest.e * s.items[0]
        total = total + s.items[1] * e
        if hasattr(s, "latest"):
            total = total * 1.5
    return total


ROLLED = [early_return, read_after_early_return, never_read, read_after, read_too_early]
ROLLED += [set_in_every_iteration, set_once, previous, by_default, counted, default_of_the_class]
ROLLED += [in_slots, slot_never_set, through_a_property, deleted, deleted_twice, an_array]
ROLLED += [written_in_place, a_text, numbers_of_two_kinds, none_at_first, two_loops]
ROLLED += [ended_by_a_value, counting_while, made_in_the_iteration, of_two_objects, exchanged]
ROLLED += [outside, tuples, objects_that_nobody_reads_later]


# -- the present values decide, and the loop is written out


def asked_as_a_dict(e, t):
    s = Bare()
    for v in t:
        if v > 2:
            s.b = e * v
    return e * len(vars(s)) + e * ("b" in s.__dict__) + e


def seen_as_a_dict_before(e, t):
    s = Bare()
    held = s.__dict__
    for v in t:
        if v > 2:
            s.b = e * v
    return e * ("b" in held) + e


def copied(e, t):
    s = Bare()
    for v in t:
        if v > 2:
            s.b = e * v
    other = copy.copy(s)
    return (other.b if hasattr(other, "b") else e) * 2


def with_a_fallback(e, t):
    s, total = WithFallback(), 0.0
    for v in t:
        if v > 2:
            s.b = e * v
        total = total + s.b
    return total * e


def handled(e, t):
    s, total = Bare(), 0.0
    for v in t:
        try:
            total = total + s.b
        except AttributeError as error:
            s.b = v * e * len(str(error))
    return total


def one_of_two_objects(e, t):
    s, other = Bare(), Bare()
    other.b = e
    for v in t:
        if v > 2:
            s.b = e * v
    chosen = s if t[0] > 1 else other
    return (chosen.b if hasattr(chosen, "b") else 3.0) * e


def changed_on_the_path_that_takes_it(e, t):
    s = Bare()
    s.k = e
    if t[0] > 1:
        s.b = e * 2
        chosen = s
    else:
        chosen = Bare()
        chosen.k = e * 5
    return (chosen.b if hasattr(chosen, "b") else 3.0) * chosen.k


def shared_array(e, t):
    s, w = Bare(), np.ones(3) * e
    if t[0] > 1:
        s.w = w
    if hasattr(s, "w"):
        s.w[0] = 9 * e
    return np.sum(w) * e


def in_a_checkpoint(e, t):
    s = Bare()
    s.k = 0.0

    def step(v):
        if v > 2:
            s.b = v * e
        s.k = s.k + v * e
        return s.k

    total = 0.0
    for v in t:
        total = total + gs.checkpoint(step)(v)
    return total + getattr(s, "b", 0.5)


def objects_read_later(e, t):
    s, total = Bare(), 0.0
    for v in t:
        if hasattr(s, "latest"):
            total = total + s.latest.e * s.items[0]
        s.items = [v, e]
        if v > 2:
            s.latest = Model(v)
    return total + s.items[1]


def texts_that_change(e, t):
    s, total = Bare(), 0.0
    s.state = "cold"
    for v in t:
        if s.state == "hot":
            total = total + v * e
        if v > 2:
            s.state = "hot"
        elif v < 0.4:
            s.state = "cold"
    return total


DECIDED = [
    objects_read_later,
    texts_that_change,
    asked_as_a_dict,
    seen_as_a_dict_before,
    copied,
    with_a_fallback,
    handled,
]
DECIDED += [one_of_two_objects, changed_on_the_path_that_takes_it, shared_array, in_a_checkpoint]


def result(function, args):
    vars(OUTSIDE).clear()
    try:
        found = function(*copy.deepcopy(args))
    except Exception as error:
        found = type(error), str(error)
    return repr(found), repr(vars(OUTSIDE))


def lines(function, size):
    vars(OUTSIDE).clear()
    return gs.grad(function).source(1.3, np.linspace(0.1, 4, size)).count("\n")


@pytest.mark.filterwarnings("ignore::gradsmith.GradsmithWarning")
@pytest.mark.parametrize("function", [*ROLLED, *DECIDED])
def test_an_attribute_that_some_paths_set(function):
    compiled, gradient = gs.compile(function), gs.grad(function, argnums=(0, 1))
    for args in [*SETS, SETS[0]]:
        assert result(compiled, args) == result(function, args)
        if isinstance(value := _value(function, args), float):
            _check_gradient(function, gradient, args, value)


def _value(function, args):
    vars(OUTSIDE).clear()
    try:
        return float(function(*args))
    except Exception as error:
        return error


def _check_gradient(function, gradient, args, value):
    e, t = args
    step, along = 1e-6, np.cos(np.arange(len(t)))
    ends = [_value(function, (e + k * step, t + k * step * along)) for k in (1, -1)]
    vars(OUTSIDE).clear()
    by_e, by_t = gradient(e, t)
    assert by_e + by_t @ along == pytest.approx(
        (ends[0] - ends[1]) / (2 * step), rel=1e-5, abs=1e-6
    )
    vars(OUTSIDE).clear()
    _, tangent = gs.jvp(function, (e, t), (1.0, along))
    assert tangent == pytest.approx(by_e + by_t @ along, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("function", ROLLED)
def test_the_source_is_as_long_for_any_length(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.GradsmithWarning)
        assert lines(function, 7) == lines(function, 23)
