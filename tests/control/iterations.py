"""``while`` loops on traced values, and ordinary differential equations."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import between, grid, scaled, signed, size

# ruff: noqa: B007, PLW2901, SIM108


@program(between(1.5, 3.5))
def square_root_by_newton(a):
    x = a
    while abs(x * x - a) > 1e-3:
        x = 0.5 * (x + a / x)
    return x


@program(between(0.5, 1.5, "n"), rewritten=True)
def newton_on_a_vector(a):
    x = np.ones(len(a))
    error = 1.0
    while error > 1e-4:
        step = (x**3 + x - a) / (3 * x**2 + 1)
        x = x - step
        error = np.sum(step**2)
    return x


@program(between(0.5, 0.9), between(0.1, 0.3), salt=1)
def fixed_point(a, b):
    x, previous = 0.0, 10.0
    while abs(x - previous) > 1e-2:
        x, previous = a * np.cos(x) + b, x
    return x


@program(between(1.1, 1.9), between(2, 3))
def bisection(target, width):
    """The end points are affine in the width: what remains of the target is its last use."""
    low, high = 0.0, width
    for _ in range(4):
        middle = 0.5 * (low + high)
        if middle**2 < target:
            low = middle
        else:
            high = middle
    return middle - (middle**2 - target) / (2 * middle)


@program(between(0.5, 2), rewritten=True)
def secant(a):
    x0, x1 = 1.0, 1.4
    while True:
        f0, f1 = x0**3 - a, x1**3 - a
        x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
        if abs(x1 - x0) < 1e-2:
            break
    return x1


@program(between(0.3, 0.6), size, static=("most",))
def halley_with_two_conditions(a, most):
    x, k = 1.0, 0
    while k < most and abs(np.exp(x) - 3 * a - 1) > 1e-6:
        f = np.exp(x) - 3 * a - 1
        x = x - 2 * f / (np.exp(x) + f / 2 + 1)
        k += 1
    return x


@program(between(5, 9), between(1.5, 1.9))
def halved_until_small(x, factor):
    count = 0
    while x > 1:
        x = x / factor
        count += 1
    return x * count


@program(between(0.5, 0.7), between(0.2, 0.4), between(0.5, 1), salt=4, steered=True)
def geometric_series(q, start, bound):
    term, total = start, 0.0
    while term > 0.02:
        total += term
        term *= q
        if total > bound:
            break
    else:
        total *= 2
    return total


@program(between(1, 2), between(3, 4))
def arithmetic_geometric_mean(a, b):
    while b - a > 1e-3 or a - b > 1e-3:
        a, b = (a + b) / 2, (a * b) ** 0.5
    return a


@program(grid("n", 0.3), between(0.1, 0.2), salt=6, rewritten=True)
def line_search(x, rate):
    """Halves the step until the value goes down, a few times."""
    for _ in range(2):
        value = np.sum(x**4 - x**2)
        gradient = 4 * x**3 - 2 * x
        step = 8 * rate
        while np.sum((x - step * gradient) ** 4 - (x - step * gradient) ** 2) > value:
            step *= 0.5
        x = x - step * gradient
    return x


def decay(t, y):
    return np.sin(t) - y**2 * y[::-1]


@program(size, between(0.2, 0.8, "3"), between(0.05, 0.15), static=("steps",))
def runge_kutta(steps, y, h):
    t = 0.0
    for _ in range(steps):
        k1 = decay(t, y)
        k2 = decay(t + h / 2, y + h / 2 * k1)
        k3 = decay(t + h / 2, y + h / 2 * k2)
        k4 = decay(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y


@program(between(0.2, 0.8, "3"), between(0.9, 1.1), salt=3)
def adaptive_steps(y, end):
    """Euler against the midpoint rule; the difference decides what the step is."""
    t, h, rejected = 0.0, 0.5, 0
    while t < end:
        if t + h > end:
            h = end - t
        k = decay(t, y)
        low = y + h * k
        high = y + h * decay(t + h / 2, y + h / 2 * k)
        error = np.max(np.abs(high - low))
        if error > 0.05:
            h = 0.5 * h
            rejected += 1
            continue
        t += h
        y = high
        if error < 0.01:
            h *= 1.5
    return y, t


@program(between(0.2, 0.8, "3"), size, static=("steps",))
def lorenz(state, steps):
    x, y, z = state
    for _ in range(steps):
        dx, dy, dz = 10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z
        x, y, z = x + 0.01 * dx, y + 0.01 * dy, z + 0.01 * dz
    return np.array([x, y, z])


def accelerations(pos, mass, softening):
    n = pos.shape[0]
    acc = np.zeros_like(pos)
    for i in range(n):
        for j in range(n):
            if i != j:
                d = pos[j] - pos[i]
                acc[i] += mass[j] * d / (d @ d + softening**2) ** 1.5
    return acc


@program(between(0.5, 1.5, "n"), ": n 3", ": n 3", between(0.5, 0.9))
def n_body_by_pairs(mass, pos, vel, softening):
    acc = accelerations(pos, mass, softening)
    for step in range(2):
        vel += acc * 0.05
        pos += vel * 0.1
        acc = accelerations(pos, mass, softening)
        vel += acc * 0.05
    kinetic = 0.5 * np.sum(mass[:, None] * vel**2)
    return pos, vel, kinetic


@program(size, between(0.5, 1.5, "n"), ": n 3", ": n 3", static=("steps",))
def n_body_with_arrays(steps, mass, pos, vel):
    energies = np.zeros(steps + 1)
    energies[0] = 0.5 * np.sum(mass[:, None] * vel**2)
    for k in range(steps):
        x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
        dx, dy, dz = x.T - x, y.T - y, z.T - z
        inv_r3 = dx**2 + dy**2 + dz**2 + 0.1
        inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
        acc = np.hstack((dx * inv_r3 @ mass[:, None], dy * inv_r3 @ mass[:, None],
                         dz * inv_r3 @ mass[:, None]))  # fmt: skip
        vel += acc * 0.02
        pos += vel * 0.02
        energies[k + 1] = 0.5 * np.sum(mass[:, None] * vel**2)
    return energies


@program(between(1.2, 1.6), between(0.5, 1.5), between(0.6, 0.9))
def bouncing_ball(height, speed, bounce):
    """The floor is met inside a step, whose rest is run backwards."""
    y, v, t = height, speed, 0.0
    hits = 0
    while t < 1.5:
        v = v - 9.81 * 0.05
        y = y + v * 0.05
        if y < 0 and v < 0:
            y, v = -bounce * y, -bounce * v
            hits += 1
        t += 0.05
    return y, v, hits * 0.5


@program(signed(0.3, 1.5, "n"), salt=1)
def sign_of_each_decides_its_iteration(x):
    out = []
    for value in x:
        k = 0
        while abs(value) > 0.2:
            value = value * 0.55 if value > 0 else value * 0.45 + 0.01
            k += 1
        out.append(value * k)
    return np.array(out)


@program(between(0.2, 0.4, "n"), between(3, 4), salt=1, steered=True)
def cumulated_until_bound(x, bound):
    """A condition on an element read with the counter, and a sum."""
    i, total = 0, 0.0
    while i < len(x) and total + x[i] < bound / 4:
        total += x[i] * (1 + 0.1 * i)
        i += 1
    return total


@program(scaled(0.4, "n n"), "unit: n")
def hopfield_until_still(W, state):
    change = 1.0
    rounds = 0
    while change > 0.05 and rounds < 8:
        new = np.tanh(W @ state)
        change = np.sum(np.abs(new - state))
        state = new
        rounds += 1
    return state


@program(between(1.5, 2.5, "n"), between(0.5, 1, "n"))
def log_barrier_in_stages(a, start):
    """A loop within a loop, both until something is small."""
    x, mu = start, 1.0
    while mu > 0.1:
        moves = 0
        while moves < 3:
            x = x - 0.1 * (x - a - mu / x)
            moves += 1
        mu = mu / 3
    return np.sum(x**2)


@program(between(0.6, 0.9), between(0.3, 0.5), salt=25)
def collatz_like(x, shrink):
    for _ in range(6):
        while x > 1.2:
            x *= shrink
        if x < 0.45:
            x = 3 * x + 0.5
        else:
            x = x + shrink
    return x
