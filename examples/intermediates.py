"""Gradients at intermediate values, asked for by name of the variable.

In ``y = (x + w)(w + 1)`` the two factors are values like any other: they may stand in the inputs
of ``gs.autograd.grad``, with nothing to retain or to hook beforehand.
"""

import numpy as np

import gradsmith as gs


@gs.compile
def gradients(w, x):
    a = x + w
    b = w + 1
    y = a * b
    return gs.autograd.grad(y, [w, x, a, b])


def main():
    print(gradients.source(1.0, 2.0))
    found = gradients(1.0, 2.0)
    for name, gradient in zip("wxab", found, strict=True):
        print(f"dy/d{name} =", gradient)
    np.testing.assert_array_equal(found, [5.0, 2.0, 2.0, 3.0])


if __name__ == "__main__":
    main()
