"""A one-hot seed picks a row of the Jacobian; a batch of them gives the whole matrix.

For ``z = 2x`` the Jacobian is ``2 I``. Adding the entries to one loss needs no seed, and a seed
on that loss is its weight.
"""

import numpy as np

import gradsmith as gs


@gs.differentiable
def double(x):
    return 2 * x


@gs.differentiable
def loss(x):
    z = double(x)
    return z.sum()


def main():
    x = np.array([1.0, 2.0, 3.0, 4.0])
    one_hot = np.eye(4)

    for i in range(4):
        (row,) = double.grad(x, grad_outputs=one_hot[i])
        print(f"row {i} of dz/dx:", row)
        np.testing.assert_array_equal(row, 2 * one_hot[i])

    (rows,) = double.grad(x, grad_outputs=one_hot, is_grads_batched=True)
    print("all rows at once:", rows, sep="\n")
    np.testing.assert_array_equal(rows, 2 * np.eye(4))

    (gradient,) = loss.grad(x)
    print("gradient of the sum:", gradient)
    np.testing.assert_array_equal(gradient, [2.0, 2.0, 2.0, 2.0])

    for weight in (-0.1, 1.0, 0.0001):
        (gradient,) = loss.grad(x, grad_outputs=weight)
        print(f"the sum weighted by {weight}:", gradient)
        np.testing.assert_allclose(gradient, np.full(4, 2 * weight), rtol=1e-15)


if __name__ == "__main__":
    main()
