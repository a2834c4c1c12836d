import numpy as np


def affine_grad(W, z, b):
    """Gradient of affine with respect to W, z and b.

    W: complex128[n, m]
    z: complex128[m]
    b: complex128[n]

    Made by gradsmith 0.1.0.
    """
    # line 68: out = W @ z + b
    out = W @ z + b
    # adjoint of line 69: return np.sum(np.abs(out) ** 2)
    g_out = 2 * out
    # adjoint of line 68: out = W @ z + b
    g_W = g_out[:, None] * z.conj()
    g_z = W.conj().T @ g_out
    return g_W, g_z, g_out
