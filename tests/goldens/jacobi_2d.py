import numpy as np


def jacobi_2d_grad(steps, A, B):
    """Gradient of jacobi_2d with respect to A and B.

    steps: int
    A: float64[n, m]
    B: float64[k, p]

    Only for steps >= 1, n != 3, k != 3, k == n, m != 3, p != 3, m == p.

    Made by gradsmith 0.1.0.
    """
    # line 106: for _ in range(1, steps):
    B = B.copy()
    A = A.copy()
    for _ in range(steps - 1):
        # line 108: A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        t = A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        # line 107: B[1:-1, 1:-1] = 0.2 * (
        B[1:-1, 1:-1] = 0.2 * t
        # line 111: B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
        t_2 = B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
        # line 110: A[1:-1, 1:-1] = 0.2 * (
        A[1:-1, 1:-1] = 0.2 * t_2
    # adjoint of line 113: return np.sum(A**2)
    g_A = 2.0 * A
    # adjoint of line 106: for _ in range(1, steps):
    g_B = np.zeros(B.shape)
    for _ in range(steps - 1):
        # adjoint of line 110: A[1:-1, 1:-1] = 0.2 * (
        g_t = 0.2 * g_A[1:-1, 1:-1]
        g_A[1:-1, 1:-1] = 0
        # adjoint of line 111: B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2,  …
        g_B[:-2, 1:-1] += g_t
        g_B[2:, 1:-1] += g_t
        g_B[1:-1, 2:] += g_t
        g_B[1:-1, :-2] += g_t
        g_B[1:-1, 1:-1] += g_t
        # adjoint of line 107: B[1:-1, 1:-1] = 0.2 * (
        g_t_2 = 0.2 * g_B[1:-1, 1:-1]
        g_B[1:-1, 1:-1] = 0
        # adjoint of line 108: A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2,  …
        g_A[:-2, 1:-1] += g_t_2
        g_A[2:, 1:-1] += g_t_2
        g_A[1:-1, 2:] += g_t_2
        g_A[1:-1, :-2] += g_t_2
        g_A[1:-1, 1:-1] += g_t_2
    return g_A, g_B
