"""Branches on traced values, early returns, and what leaves loops."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import between, grid, signed

# ruff: noqa: PT018, RET505, SIM108


@program(signed(0.2, 1.5, ""))
def absolute_value(x):
    if x > 0:
        return x * 2
    else:
        return -x


@program(signed(0.2, 2, "n"), "scalar: ", salt=3)
def three_arms(x, a):
    s = np.sum(x)
    if s > 1:
        y = x * a
    elif s > -0.5:
        y = np.sin(x) + a
    else:
        y = x**2 - a * x
    return y


@program(signed(0.2, 2, "n"), "scalar: ", salt=5)
def nested_branches(x, a):
    if x[0] > 0:
        if x[1] > 0:
            r = x * a
        else:
            r = np.exp(-x)
            if x[2] > 0:
                r = r + a
    else:
        r = x / (1 + a)
    return np.sum(r**2)


@program(signed(0.1, 2, "n"), salt=1)
def early_return_on_validation(x):
    if x[0] > 5:
        raise ValueError("too large")
    if len(x) == 0:
        return np.zeros(3)
    if x[-1] < 0:
        return x * 0.5
    y = np.cumsum(x)
    return y * x


@program(grid("n", 0.12))
def early_return_from_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 2
        if total > 0.15:
            return total * (i + 1), x * total
    return -total, x


@program(grid("n", 0.4), between(0.4, 0.6), salt=2)
def found_by_for_else(x, threshold):
    for value in x:
        if value > threshold:
            found = value**3
            break
    else:
        found = threshold
    return found


@program(grid("n", 0.4), between(20, 30))
def not_found_by_for_else(x, threshold):
    for value in x:
        if value > threshold:
            found = value**3
            break
    else:
        found = threshold * x[0]
    return found


@program(grid("n m", 0.23))
def continue_and_break(A):
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            if A[i, j] < 0:
                continue
            total += A[i, j] ** 2
            if total > 6 * (i + 1):
                break
            total = total * 1.1
    return total


@program(grid("n", 0.3), salt=3)
def chained_comparison(x):
    inside = 0.0
    for v in x:
        if 0 < v < 1:
            inside += np.sin(v)
        elif -0.5 <= v <= 0.0:
            inside -= v**2
    return inside


@program(grid("n", 0.3), grid("n", 0.4))
def boolean_operators(x, y):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0 and y[i] > 0:
            total += x[i] * y[i]
        elif x[i] > 0.5 or not y[i] > -0.2:
            total += x[i] ** 2
        elif not (x[i] < -0.4):
            total -= y[i]
    return total


@program(signed(0.2, 1.5, "n"), signed(0.2, 1.5, ""))
def operands_as_values(x, a):
    """``and`` and ``or`` give one of their operands back."""
    first = x[0] and a
    second = (x[1] > 0 and a * 2) or x[2]
    return first * second + x


@program(grid("n", 0.3), between(0.3, 0.7))
def conditional_expressions(x, a):
    y = x[0] * a if x[0] > 0 else a - x[0]
    z = [v**2 if v > 0 else -v for v in x]
    return y + np.array(z) * (2 if y > 1 else 3)


@program(signed(0.3, 2, "n"))
def defined_in_one_arm(x):
    if x[0] > 0:
        shift = x[1] * 2
    total = np.sum(x**2)
    if x[0] > 0:
        total = total * shift
    return total


@program(grid("n", 0.3), salt=2)
def defined_in_the_loop_only(x):
    for i in range(len(x)):
        last = x[i] * i
        if last > 0.5:
            seen = last
        else:
            seen = 0.1 * x[i]
    return last + seen


@program(signed(0.3, 2, "n"))
def arms_of_other_dtype(x):
    if x[0] > 0:
        scale = 2
    else:
        scale = 0.5 * x[1]
    if x[2] > 0:
        mask = x > 0
    else:
        mask = x * 0.5
    return x * scale, x * mask


@program(signed(0.3, 2, "n"), specialised=True)
def arms_of_other_shape(x):
    if x[0] > 0:
        y = x[1:]
    else:
        y = np.sum(x)
    return np.sum(y**2)


@program(signed(0.3, 2, "n"), signed(0.3, 1, ""))
def arm_with_complex(x, a):
    if a > 0:
        z = x + 1j * a
    else:
        z = x * (2 - a * 1j)
    return np.abs(z) ** 2 + np.imag(z * z), z


@program(between(0.5, 2, "n"))
def asserted(x):
    assert np.all(x > 0), "positive numbers only"
    assert x.ndim == 1 and x[0] < 10
    total = 0.0
    for v in x:
        assert v > 0
        total += np.log(v)
    return total


def huber(r, delta):
    if abs(r) <= delta:
        return 0.5 * r**2
    return delta * (abs(r) - 0.5 * delta)


@program(grid("n", 0.4), between(0.7, 0.75))
def sum_of_huber_losses(residuals, delta):
    return sum(huber(r, delta) for r in residuals)


@program(grid("n", 0.3), between(0.4, 0.6), specialised=True)
def comprehension_with_condition(x, a):
    kept = [a * v**2 for v in x if v > 0]
    return sum(kept)


@program(grid("n", 0.3))
def any_and_all_decide(x):
    if np.any(x > 0.5) and not np.all(x > 0):
        x = x * x[0]
    if any(v < -0.3 for v in x):
        x = x + 1
    if (x > -5).all():
        return np.tanh(x)
    return x


@program(grid("n", 0.3), grid("n", 0.3))
def sorted_by_bubbles(keys, values):
    n = len(keys)
    for i in range(n):
        for j in range(n - 1 - i):
            if keys[j] > keys[j + 1]:
                keys[j], keys[j + 1] = keys[j + 1], keys[j]
                values[j], values[j + 1] = values[j + 1], values[j]
    return values * np.arange(1, n + 1), keys[0] * keys[-1]


@program(grid("n", 0.3))
def insertion_sort_with_while(x):
    a = x.copy()
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a * np.arange(len(a))


@program(grid("n", 0.3), between(0.1, 0.4), salt=2)
def piecewise_polynomial(x, a):
    out = np.zeros_like(x)
    for i, v in enumerate(x):
        match_left, match_right = v < -0.5, v > 0.5
        if match_left:
            out[i] = a * (v + 0.5)
        elif match_right:
            out[i] = a + (v - 0.5) ** 2
        else:
            out[i] = a * v * v
    return out


@program(signed(0.3, 2, "n"))
def pass_and_ellipsis(x):
    total = 0.0
    for i in range(len(x)):
        if x[i] < 0:
            pass
        else:
            total += x[i]
    if total > 100:
        ...
    return total**2


@program(between(0.3, 0.9), between(1.2, 1.8, "n"))
def flag_carried_through_a_loop(a, x):
    done = False
    total = 0.0
    for v in x:
        if not done:
            total += a * v
        else:
            total -= 0.1 * v**2
        if total > 1.6:
            done = True
    return total


@program(grid("n", 0.3), between(0.5, 0.7))
def largest_and_its_place(x, a):
    best, place = x[0], 0
    for i in range(1, len(x)):
        if x[i] > best:
            best, place = x[i], i
    y = np.zeros(len(x))
    y[place] = a * best
    return y + x[place - 1]


@program(grid("n", 0.3), signed(0.3, 1, ""), specialised=True)
def status_returned_as_text(x, a):
    """A Python value that a branch on a traced one chooses."""
    kind = "up" if a > 0 else "down"
    if kind == "up":
        return x * a
    return x - a


@program(signed(0.3, 1, ""), signed(0.3, 1, ""), signed(0.3, 1, ""), salt=2)
def roots_of_a_quadratic(a, b, c):
    d = b * b - 4 * a * c
    if d >= 0:
        q = -0.5 * (b + np.copysign(np.sqrt(d), b)) if b != 0 else np.sqrt(d) / 2
        return q / a, c / q
    root = np.sqrt(-d)
    return -b / (2 * a), root / (2 * a)


@program(grid("n", 0.3), between(1.1, 1.4), specialised=True)
def try_with_nothing_raised(x, a):
    try:
        y = x * a
        if y[0] > 50:
            raise OverflowError
    except OverflowError:
        y = x
    return y**2


@program(signed(0.3, 1.5, "n"))
def recursion_on_halves(x):
    def total(v, depth):
        if depth == 0:
            return np.sum(v**2)
        if v[0] > 0:
            return total(v * 0.5, depth - 1)
        return total(v[::-1] + 0.1, depth - 1) * 1.1

    return total(x, 3)


@program(signed(0.3, 1, "n n"), signed(0.3, 1, "n"))
def views_that_branches_choose(A, x):
    """The backward loop chooses the views again: no copy of them is saved."""
    total = 0.0
    for i in range(len(x)):
        if x[i] > 0:
            row = A[i]
        elif x[0] > 0:
            row = A[i, ::-1]
        else:
            row = A[:, i]
        total = total + np.sum(row * row * x) * x[i]
    return total
