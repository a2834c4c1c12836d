"""Loops and branches with complex numbers."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import between


def numbers(factor, *letters):
    def draw(sizes, random):
        shape = tuple(sizes[s] if isinstance(s, str) else s for s in letters)
        return factor * (random.normal(size=shape) + 1j * random.normal(size=shape))

    return draw


@program(
    lambda s, r: s["n"],
    lambda s, r: numbers(1.0, 2 ** s["n"])(s, r),
    static=("m",),
    sizes=(2, 3),
    shared=False,
    written_out="the shapes of what the loop carries change",
)
def stockham_radix_two(m, x):
    n = 2**m
    half, length = n // 2, 1
    y = x.copy()
    while half >= 1:
        z = np.empty(n, dtype=np.complex128)
        for j in range(half):
            w = np.exp(-1j * np.pi * np.arange(length) / length)
            a = y[j * length : (j + 1) * length]
            b = y[j * length + n // 2 : (j + 1) * length + n // 2]
            z[2 * j * length : (2 * j + 1) * length] = a + w * b
            z[(2 * j + 1) * length : (2 * j + 2) * length] = a - w * b
        y = z
        half //= 2
        length *= 2
    return y


@program(": n", between(0.5, 1.5, "n"))
def fourier_sums(x, window):
    n = x.shape[0]
    X = np.zeros(n, dtype=complex)
    for k in range(n):
        for t in range(n):
            X[k] += window[t] * x[t] * np.exp(-2j * np.pi * k * t / n)
    return np.abs(X) ** 2


@program(numbers(0.5, 3, 3), numbers(1.0, 3, 2), numbers(2.0, "n"))
def contour(H, Y, points):
    P0 = np.zeros((3, 2), dtype=np.complex128)
    P1 = np.zeros((3, 2), dtype=np.complex128)
    for z in points:
        T = (z + 4) * np.eye(3) + H @ H.conj().T
        X = T @ Y
        if abs(z) < 2.0:
            X = -X
        P0 += X
        P1 += z * X
    return P0, P1


@program(numbers(0.4, "n"), between(0.6, 1.0))
def escape(c, factor):
    """Iterates each point while it stays near; the count weighs it."""
    out = np.zeros(len(c))
    for i in range(len(c)):
        z = c[i]
        k = 0
        while np.abs(z) < 1.5 and k < 4:
            z = factor * z * z + c[i]
            k += 1
        out[i] = np.real(z) + k * np.imag(z)
    return out


@program(numbers(0.5, "n"), salt=1)
def phases_unwound(z):
    """Products and divisions by turns, decided by the sign of a real part."""
    total = 1.0 + 0.0j
    for i, value in enumerate(z):
        if value.real > 0:
            total *= 1 + value
        else:
            total = total / (2 + value.conjugate())
        if i % 2:
            total = total.conj()
    return total


@program(": n", numbers(1.0, 3))
def polynomial_at_complex_points(coefficients, z):
    value = np.zeros_like(z)
    for c in coefficients:
        value = value * z * 0.5 + c
    return value, np.abs(value)


@program(numbers(0.5, "n", "n"), numbers(1.0, "n"))
def complex_gram_schmidt(A, v):
    A = A + 2 * np.eye(len(v))
    for k in range(len(v)):
        for j in range(k):
            A[k] -= (A[j].conj() @ A[k]) * A[j]
        A[k] /= np.sqrt(np.sum(np.abs(A[k]) ** 2))
    return A @ v
