"""Integers taken apart into bits, those that count trips among them."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import between, scaled, size


@program(": n")
def order_of_reversed_bits(x):
    out = np.zeros(8)
    for i in range(len(x)):
        place, rest = 0, i
        for _ in range(3):
            place = (place << 1) | (rest & 1)
            rest >>= 1
        out[place] += x[i] ** 2 * (i + 1)
    return out


@program(between(0.5, 1.2), size, static=("n",))
def power_by_bits(x, n):
    result, base = 1.0, x
    while n:
        if n & 1:
            result = result * base
        base = base * base
        n >>= 1
    return result


@program(": n")
def gray_code_weights(x):
    total = 0.0
    for i in range(len(x)):
        total = total * 0.5 + (i ^ (i >> 1)) * x[i] ** 2
    return total


@program(": n", shared=False)
def every_operator(x):
    n = len(x)
    scale = (n | 8) + (n ^ 5) + (6 & n) + (n << 2) + (1 << n) + (n >> 1) + ~n
    for i in range(n):
        x[i] = x[i] ** 2 * ((i | 4) + (i ^ 3) + (5 & i) + (i << 1) + (1 << i) + (9 >> i) + ~i)
    return x * scale


@program(": n")
def quotients_and_remainders(x):
    table = np.zeros((3, len(x)))
    for i in range(len(x)):
        column, row = divmod(i, 3)
        table[row, column] = x[i] ** 2 * divmod(17, i + 1)[1]
    return table


@program("count: n", scaled(0.5, "n"))
def checksum_of_integers(codes, x):
    """Like the one of serial lines, and a number of the data."""
    crc = 0xFFFF
    total = 0.0
    for k in range(len(codes)):
        byte = 0xFF & codes[k]
        for _ in range(8):
            if (crc & 1) ^ (byte & 1):
                crc = (crc >> 1) ^ 0x8408
            else:
                crc >>= 1
            byte >>= 1
        total = total + x[k] ** 2 * (crc & 15)
    return total


@program(": 8")
def length_is_a_power_of_two(x):
    n = len(x)
    if n & (n - 1):
        raise ValueError("pad it")
    return np.sum(x**2) * n
