"""Arrays of shape () that the function makes, and writes to: themselves, or through views.

Each way to make one meets each way to write to it, in straight code, branches, loops and helpers.
"""

# Functions are written here as users write them, not as a linter would have them.

from __future__ import annotations

import numpy as np
import pytest

import gradsmith as gs
from helpers import each, spread

# -- how one is made


def array(x):
    return np.array(x)


def of_a_product(x):
    return np.asarray(x * 2)


def zeros(x):
    return np.zeros(())


def zeros_and_added(x):
    a = np.zeros(())
    a += x
    return a


def full(x):
    return np.full((), x)


def copied(x):
    return np.array(x).copy()


def of_a_sum(x):
    return np.array(np.sum(x * np.ones(2)))


def element(x):
    return np.atleast_1d(x * 1.0)[0, ...]


def one_axis(x):
    return np.atleast_1d(x)


MAKERS = [array, of_a_product, zeros, zeros_and_added, full, copied, of_a_sum, element, one_axis]


# -- how it is written to


def ellipsis(a, x):
    a[...] = x * x


def constant(a, x):
    a[...] = 5.0


def augmented_item(a, x):
    a[...] += x


def added(a, x):
    a += x


def scaled(a, x):
    a *= x * a


def filled(a, x):
    a.fill(x * 3)


def copied_to(a, x):
    np.copyto(a, x * x)


def out(a, x):
    np.multiply(a, x + 1, out=a)


def of_itself(a, x):
    a[...] = a * 2 + x


def new_axis_constant(a, x):
    v = a[None]
    v[0] = 3.0


def new_axis_product(a, x):
    v = a[None]
    v[0] = v[0] * x


def new_axis_scaled(a, x):
    v = a[None]
    v *= 3.0


def whole_view(a, x):
    v = a[...]
    v[...] = 3.0 * x


def at_least_1d(a, x):
    v = np.atleast_1d(a)
    v[0] += 1


def at_least_1d_constant(a, x):
    np.atleast_1d(a)[0] = 5.0


def at_least_2d(a, x):
    v = np.atleast_2d(a)
    v += x


def at_least_3d(a, x):
    np.atleast_3d(a)[0, 0] = x


def reshaped(a, x):
    v = a.reshape(1)
    v[0] = x * x


def raveled(a, x):
    v = a.ravel()
    v[0] -= x


def transposed(a, x):
    v = a.T
    v[...] = v + x


def expanded(a, x):
    v = np.expand_dims(a, 0)
    v[0] = 2.0 * x


def read_by_broadcasting(a, x):
    s = np.broadcast_to(a, (3,))
    before = np.sum(s)
    a[...] = x * 2
    a += np.sum(s) - before


WRITES = [
    *(ellipsis, constant, augmented_item, added, scaled, filled, copied_to, out),
    *(of_itself, new_axis_constant, new_axis_product, new_axis_scaled, whole_view, at_least_1d),
    *(at_least_1d_constant, at_least_2d, at_least_3d, reshaped, raveled, transposed, expanded),
    read_by_broadcasting,
]


# -- where


def straight(a, x, write):
    write(a, x)


def in_branch(a, x, write):
    if x > 1:
        write(a, x)


def in_either(a, x, write):
    if x > 1:
        write(a, x)
    else:
        a[...] = x / 3


def in_loop(a, x, write):
    for _ in range(2):
        write(a, x)


def in_loop_of_a_condition(a, x, write):
    k = x - x % 0.8
    for_good = k + 1.0  # writes to a view of the argument change x
    while k < for_good:
        write(a, x)
        k += 0.8


def in_branch_in_loop(a, x, write):
    for i in range(2):
        if x > 1 + i:
            write(a, x)


PLACES = [straight, in_branch, in_either, in_loop, in_loop_of_a_condition, in_branch_in_loop]
AT = (0.7, 1.5, 2.25)


def same(found, expected, **how):
    assert type(found) is type(expected)
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-13)


def slope(f, x, kind, h=1e-6):
    return (f(kind(x + h)) - f(kind(x - h))) / (2 * h)


def check_all(result, number, kind):
    """Value and class by one compiled object, and both derivatives, at each argument."""
    compiled, gradient = gs.compile(result), gs.grad(number)
    for x in AT:
        for found, expected in zip(compiled(kind(x)), result(kind(x)), strict=True):
            same(found, expected)
        expected = slope(number, x, kind)
        assert gradient(kind(x)) == pytest.approx(expected, rel=1e-6, abs=1e-7)
        direction = kind(1.0)
        value, tangent = gs.jvp(number, (kind(x),), (direction,))
        assert direction == 1.0
        assert value == pytest.approx(number(kind(x)))
        assert tangent == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.filterwarnings("ignore::gradsmith.errors.UnusedInputWarning")  # constants
@pytest.mark.parametrize(
    ("make", "write", "place", "kind"), spread(23, MAKERS, WRITES, PLACES, [float, np.array])
)
def test_written(make, write, place, kind):
    def result(x):
        a = make(x)
        place(a, x, write)
        return a, a * 1.5, x

    def number(x):
        a = make(x)
        place(a, x, write)
        return np.sum(a * a + x * a)

    check_all(result, number, kind)


# -- arguments and tangents of shape (), which loops are given


def carried_from_the_start(x):
    a, b = np.zeros(()), x
    if x > 1:
        b = x * x
    k = x - x % 0.8
    end = k + 1.0
    while k < end:
        b = b + x
        a += b
        k += 0.8
    return a * a + x * b


def chosen_and_carried_twice(x):
    b = x if x > 1 else x * 1.0
    k = x - x % 0.8
    end = k + 1.0
    while k < end:
        j = k
        while j < end:
            b = b + x
            j += 0.8
        k += 0.8
    return b * b + x * x


def renewed_in_the_loop(x):
    b = x * x
    r = b
    k = x - x % 0.8
    end = k + 1.0
    while k < end:
        j = k
        while j < end:
            b = b + x
            j += 0.8
        r = b * x
        if k > 0.3:
            b = x * 1.0
        k += 0.8
    return b * b + r * x


def renewed_in_each_iteration(x):
    b = x * x
    k = x - x % 0.8
    end = k + 1.0
    while k < end:
        j = k
        while j < end:
            b = b + x
            j += 0.8
        r = b * x
        b = x * 1.0
        k += 0.8
    return b * b + r * x


LOOPS = [
    carried_from_the_start,
    chosen_and_carried_twice,
    renewed_in_the_loop,
    renewed_in_each_iteration,
]


@pytest.mark.parametrize("f", LOOPS)
@each("kind", [float, np.array])
def test_loops_leave_what_they_are_given_alone(f, kind):
    compiled, gradient = gs.compile(f), gs.grad(f)
    for at in AT:
        x, direction, expected = kind(at), kind(1.0), slope(f, at, kind)
        assert compiled(x) == pytest.approx(f(kind(at)))
        assert gradient(x) == pytest.approx(expected, rel=1e-6)
        assert gs.jvp(f, (x,), (direction,))[1] == pytest.approx(expected, rel=1e-6)
        assert gs.vjp(f, x)[1](direction)[0] == pytest.approx(expected, rel=1e-6)
        assert (x, direction) == (at, 1.0)


# -- several objects, views of larger arrays, parts of complex arrays


def two_names(x):
    a = np.array(x)
    b = a
    for _ in range(2):
        b *= x
    return a, b


def exchanged(x):
    a, b = np.array(x), np.zeros(())
    for _ in range(3):
        a, b = b, a
        a += x
    return a, b


def element_of_a_larger_one(x):
    v = np.array([x, 2 * x, 3 * x])
    e = v[1, ...]
    keep = np.array(0.0 * x)
    for _ in range(3):
        keep[...] = e
        e += x
        v[0] += e
    return keep, e, v


def in_a_dict(x):
    d = {"k": np.zeros(())}
    for _ in range(2):
        d["k"] += x
    if x > 1:
        d["k"][...] = d["k"] ** 2
    return d["k"], d["k"] * 1.0


def in_an_append(x):
    a, s = np.array(x), []
    for _ in range(3):
        a[...] = a * x
        s.append(a.copy())
    return tuple(s)


def imaginary_part(x):
    a = np.array(x + 0j)
    if x > 1:
        a.imag[...] = x * x
    a.real += 1
    return a.imag, a.real, a


def plain_at_first(x):
    a = np.array(2.0)
    if x > 1:
        a[()] = 2 * x
    return a, a * x


def read_only_view(x):
    a = np.array(x)
    b = np.broadcast_to(a, (2,))
    if x > 1:
        a[...] = 3 * x
    return b * 1.0, a


def handled(x):
    a = np.array(x)
    try:
        a[...] = x * x
        if x > 1:
            raise ValueError
        a += 1
    except ValueError:
        a -= 1
    return a, a * x


SEVERAL = [
    *(two_names, exchanged, element_of_a_larger_one, in_a_dict, in_an_append, imaginary_part),
    *(plain_at_first, read_only_view, handled),
]


@each("result", SEVERAL)
@each("kind", [float, np.array])
def test_several_arrays(result, kind):
    def number(x):
        return sum([np.sum(np.abs(r)) * (k + 1.5) for k, r in enumerate(result(x))])

    check_all(result, number, kind)


GIVING = [
    lambda x: in_a_dict(x)[1],
    lambda x: x,
    lambda x: np.array(3.0),
    np.sum,
    lambda x: np.ravel(x)[0],
    lambda x: np.where(x > 0, x, 0.0),
    lambda x: np.maximum(x, 0.0),
    lambda x: np.concatenate([np.atleast_1d(x), np.ones(2)]).sum(),
    lambda x: np.squeeze(np.reshape(x, (1, 1))),
    lambda x: x * x if x > 0 else x,
    lambda x: gs.stop_gradient(x) * 2,
    float,
]


@pytest.mark.filterwarnings("ignore::gradsmith.errors.UnusedInputWarning")
@pytest.mark.parametrize("f", GIVING)
@each("kind", [float, np.float64, np.float32, np.array])
def test_gradients_of_arrays_without_axes_are_scalars_of_numpys(f, kind):
    x = kind(0.7)
    numpys = np.asarray(x).dtype.type
    value, pullback = gs.vjp(f, x)
    found = [
        gs.grad(f)(x),
        gs.value_and_grad(f)(x)[1],
        pullback(np.ones_like(value))[0],
        gs.grad(gs.grad(f))(x),
        gs.differentiable(f).grad(x, materialize_grads=True)[0],
    ]
    assert [type(g) for g in found] == [numpys] * 5
