"""Programs of elementwise functions: broadcasting, dtypes, kinks, functions without derivative."""

from __future__ import annotations

import math

import numpy as np

from programs.harness import program


@program("unit: n m", "unit: m")
def trigonometry(a, b):
    s = np.sin(a) * np.cos(b) + np.tan(a * b)
    inverse = np.arcsin(a) + np.arccos(b) - np.arctan(a - b)
    return s * inverse


@program("unit: n m", "unit: n 1")
def hyperbolic(a, b):
    y = np.sinh(a) / np.cosh(b) + np.tanh(a + b)
    return y + np.arcsinh(a) * np.arctanh(b) - np.arccosh(2 + a * b)


@program("positive: n", "positive: n")
def exponentials_and_logarithms(p, q):
    y = np.exp(p) + np.exp2(q) - np.expm1(p * q)
    return y * np.log(p) + np.log2(q) - np.log10(p + q) + np.log1p(p * q)


@program("positive: n m", "positive: m", rewritten=True)
def roots_and_powers(p, q):
    y = np.sqrt(p) + np.cbrt(q) + np.square(p) - np.reciprocal(q)
    return y + p**q + p**2 - p**3 + p**0.5 + q**-1 + p**-2 + q**2.5 + 2**p + q**-0.5


@program(": n")
def powers_that_do_nothing(x):
    return x**1 + x**0 + x**1.0 - x**0.0 + np.power(x, 2) * np.float_power(x, 3)


@program("int: n", ": n")
def integers_beside_floats(i, x):
    return i**2 * x + i / 3 + x * (i % 2) - i // 2 * x + (i & 1) * x + (i << 1) - (~i) * x


@program("mask: n", ": n", "i4: n")
def booleans_as_numbers(m, x, i):
    return m * x + (x > 0) * x**2 + (m + m) * x - (m & (i > 0)) * i * x + np.sum(m) * x


@program(": n", ": n", smooth=False)
def logic(x, y):
    both = np.logical_and(x > 0, y > 0) | np.logical_not(x < y)
    either = np.logical_or(x > 1, y > 1) ^ np.logical_xor(x > 0, y < 0)
    return both * x + either * y + np.any(both) * x - np.all(either) * y + (x != y) * x * y


@program("apart: n m", "apart: m", smooth=False)
def kinks(a, b):
    y = np.abs(a) + np.fabs(b) + np.maximum(a, b) * np.minimum(a, 0.3) + np.fmax(a, b)
    return y - np.fmin(b, a) + np.sign(a) * b + np.heaviside(a, 0.5) * b + np.copysign(a, b)


@program(": n", smooth=False)
def steps(x):
    whole = np.floor(x) + np.ceil(2 * x) + np.trunc(x) + np.rint(x) + np.round(x, 1) + np.fix(x)
    return whole * x + (x - np.floor(x)) ** 2


@program(": n", "positive: n", smooth=False)
def remainders(x, p):
    quotient, rest = np.divmod(x, p)
    return quotient * x + rest * p + np.fmod(x, p) + np.mod(x, 0.7) + x % p + x // 0.6 * p


@program(": n", ": n")
def two_operands(x, y):
    angle = np.arctan2(y, x) * np.hypot(x, y)
    return angle + np.logaddexp(x, y) * np.logaddexp2(x, y) + np.ldexp(x, 2) + np.true_divide(x, 2)


@program(": n m")
def angles_and_sinc(x):
    turned = np.deg2rad(x) + np.rad2deg(x) + np.radians(x) * np.degrees(x)
    return turned + np.sinc(x) + np.i0(x) + np.positive(x) - np.negative(x)


@program(": n m", smooth=False)
def clipped(x):
    y = np.clip(x, -0.5, 0.5) + np.clip(x, None, 0.2) * np.clip(x, 0.1, None)
    return y + x.clip(-1, 1) * x + x.clip(min=0.0) + np.clip(x, x.mean(), 2.0)


@program(": n m", ": m", ": 1 m", smooth=False)
def clip_between_arrays(x, low, width):
    return np.clip(x, low, low + np.abs(width)) * x


@program(": n m", ": m", "scalar: ", smooth=False, sized=True)
def selections(x, y, s):
    picked = np.where(x > y, x * s, y / s) + np.where(x > 0, x, 0) + np.where(x < 0, 1, x)
    return picked + np.where([True, False, True], picked, 2.0 * x) if x.shape[1] == 3 else picked


@program("apart: n", smooth=False)
def where_hides_infinities(x):
    y = x - x[0]
    root = np.where(y > 0, np.sqrt(y), 0.0)
    return root + np.where(y != 0, np.log(np.abs(y)), y) + np.where(y == 0, 3.0 * x, x / y)


@program(": n", ": n", smooth=False)
def select_and_piecewise(x, y):
    chosen = np.select([x > 0.5, x > 0, y > 0], [x**2, x * y, np.sin(y)], default=0.5)
    return chosen + np.select([x > y], [x * 3]) * y


@program(": n", "scalar: ", "f8 scalar: ", "0-d: ")
def numbers_of_all_kinds(x, a, b, c):
    d = a * b + c
    return x * d + a / c - b**c + x / (a + 1) + 3 * c, d * a


@program("scalar: ", "scalar: ")
def math_of_scalars(a, b):
    y = math.sin(a) * math.exp(b) + math.sqrt(a) - math.log(b) + math.pow(a, b) + math.pi
    y += math.atan2(a, b) + math.hypot(a, b) + math.tanh(a) * math.acosh(1 + b) + math.log1p(a)
    return y + math.fabs(a) + abs(b) + math.cosh(a) - math.log(a, 2) + math.expm1(b) + math.e


@program("scalar: ", "f8 scalar: ", "0-d: ", smooth=False)
def python_functions_of_scalars(a, b, c):
    y = abs(a - b) + max(a, 0.1) * min(b, 10.0) + pow(a, 2) + sum([a, b, c]) + a // 0.3 + b % 0.4
    return y + round(a, 1) * b


@program("c8: n", single=False)
def complex64_stays(z):
    return z * 2.0 + np.exp(z) * 1j - np.conj(z) ** 2


@program("complex: n", ": n")
def complex_parts(z, x):
    y = z.real * x + np.imag(z) ** 2 + np.abs(z) * x + (z * np.conj(z)).real + z.imag
    return y + np.real(np.exp(1j * x) * z) + np.angle(z) * x


@program("complex: n m", "complex: m", rewritten=True)
def complex_functions(z, w):
    y = np.exp(z) * np.sin(w) + np.cos(z) / w + np.sqrt(z) + np.log(w) - np.tanh(z * w)
    return y + z**2 + w**3 + np.abs(z) + z.conj() * w.conjugate() + np.sinh(z) - 1j * z


@program("complex: n", "complex: n", rewritten=True)
def complex_quotients_and_powers(z, w):
    return z / w + z**w + 2.0**z + z**1.5 + z**-1 + np.reciprocal(w) + np.square(z) + z**0.5


@program(": n", "complex: n")
def real_arguments_of_complex_values(x, z):
    wave = np.exp(2j * np.pi * x)
    return np.abs(np.sum(wave * z)) ** 2 + np.sum(x * wave.imag) + (wave * z.conj()).real.sum()


@program("f4: n", ": n", single=False)
def float32_beside_float64(x, y):
    half = x * 0.5 + np.float32(2) * x**2
    return half * y + np.exp(half) - y.astype(np.float32) * x


@program("f4: n m", "f4 scalar: ", "scalar: ", single=False)
def float32_beside_python_scalars(x, s, t):
    return x * t + s * x**2 - 2.5 * x / t + np.sqrt(s) * np.maximum(x, t) + x.mean() * np.pi


@program("f4: n", "int: n", "i4: n", single=False)
def float32_beside_integers(x, i, j):
    return x * j + i * x**2 + np.float32(3) * x / 2 + x * np.int32(4) + x * 7


@program(": n", ": n", smooth=False)
def masked_ufuncs(x, y):
    out = np.divide(x, y, out=np.zeros_like(x), where=np.abs(y) > 0.4)
    return out + np.sqrt(x, out=np.ones_like(x), where=x > 0.2) * y


@program(": n", ": n")
def results_given_by_out(x, y):
    buffer = np.empty_like(x)
    np.multiply(x, y, out=buffer)
    first = buffer.copy()
    np.add(buffer, x, out=buffer)
    np.exp(first, buffer)
    return buffer * first


@program(": n 1", ": 1 m", ": 1 1", ": 1", ": ")
def sizes_one(a, b, c, d, e):
    return (
        a * b
        + c * a
        - d * b**2
        + np.exp(e) * (c + d) * a
        + np.maximum(a, c) * np.where(b > 0, d, a)
    )


@program(": n m", ": n m", smooth=False)
def not_finite(x, y):
    z = np.nan_to_num(np.where(x > 0, np.nan, x), nan=0.5) * y
    return z + np.isnan(y) * x + np.isfinite(x) * y + np.isinf(x) + np.signbit(x) * y


@program("apart: n", "apart: n", "apart: n", smooth=False)
def comparisons_as_factors(x, y, z):
    greater = np.greater(x, y) * z + np.less_equal(x, z) * y
    return greater + np.equal(x, y) * x + np.not_equal(x, z) * x - (x >= y) * (y < z) * x * y * z


@program("complex: n", smooth=False)
def moduli(z):
    return np.abs(z) ** 2 + np.absolute(z - 1) + np.sign(z.real) * z + np.hypot(z.real, z.imag)


@program(": n m")
def long_chain(x):
    y = x
    for i in range(1, 25):
        y = np.sin(y) * (1 + 1 / i) + y / (1 + y * y)
    return y


@program(": n", ": n")
def common_factors(x, y):
    e = np.exp(x)
    a = e * y + e * y
    b = (e * y) ** 2 - (y * e) ** 2 + e / y - e / y + (e - y) * (y - e)
    return a * b + a / a + (a - a) * b + -(-x) + (x * 1.0 + 0.0) * 1 + 0 * y + x / 1


@program(": n", ": n", ": n", rewritten=True)
def signs_and_quotients(x, y, z):
    return (
        -(-x * -y) / -(z * z + 1)
        - (-(x - y))
        + (-x) ** 3
        - (-y) ** 2
        + x / (y * y + 1) / (z * z + 2)
    )


@program("positive: n", "positive: n", rewritten=True)
def logarithms_of_products(p, q):
    return np.log(p * q) + np.log(p / q) + np.log(p**2) + np.exp(np.log(q)) + np.log(np.exp(p))


@program("positive: n", ": n")
def exponentials_of_sums(p, x):
    return (
        np.exp(x + p) * np.exp(-x) / np.exp(p)
        + np.sqrt(p) ** 2
        + np.sqrt(x**2 + 1) * np.sqrt(p * p)
    )
