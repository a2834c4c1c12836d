"""Loops in loops in loops, as deep as anyone writes them."""

from __future__ import annotations

import numpy as np

from control.harness import program


@program(": n 4 3 2", ": 2 2 2 3", sizes=(2, 3), tolerance=1e-5)
def convolution_by_seven_loops(images, filters):
    count, height, width, channels = images.shape
    rows, columns, _, features = filters.shape
    out = np.zeros((count, height - rows + 1, width - columns + 1, features))
    for b in range(count):
        for i in range(height - rows + 1):
            for j in range(width - columns + 1):
                for f in range(features):
                    for u in range(rows):
                        for v in range(columns):
                            for c in range(channels):
                                pixel = images[b, i + u, j + v, c]
                                if pixel > -5:
                                    out[b, i, j, f] += pixel**2 * filters[u, v, c, f]
    return out


@program(": n n", sizes=(2, 3), smooth=False)
def nine_loops(x):
    n = len(x)
    total = 0.0
    for a in range(n):
        for b in range(n):
            for c in range(n):
                for d in range(n):
                    for e in range(2):
                        for f in range(2):
                            for g in range(n):
                                for h in range(1, 2):
                                    for i, v in enumerate(x[h]):
                                        total += x[a, b] * x[c, d] * v * (e + f * g + i)
    return total
