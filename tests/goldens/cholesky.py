import numpy as np


def cholesky_grad(A, grad_outputs):
    """Gradient of cholesky with respect to A.

    A: float64[n, m]
    grad_outputs: float64[n, m]

    Only for -1*n + m + 2 >= 0, -1*n + m + 1 >= 0.

    Made by gradsmith 0.1.0.
    """
    n = len(A)
    # line 134: for i in range(n):
    L = np.zeros(A.shape)
    j = 0
    for i in range(n):
        # line 135: for j in range(i):
        j_2 = j
        for j_3 in range(i):
            # line 136: L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
            t = (A[i, j_3] - L[i, :j_3] @ L[j_3, :j_3]) / L[j_3, j_3]
            L[i, j_3] = t
            j_2 = j_3
        # line 137: L[i, i] = np.sqrt(A[i, i] - L[i, :i] @ L[i, :i])
        part = L[i, :i]
        L[i, i] = np.sqrt(A[i, i] - part @ part)
        j = j_2
    # adjoint of line 134: for i in range(n):
    g_A = np.zeros(A.shape)
    g_L = grad_outputs.copy()
    for i in reversed(range(n)):
        # adjoint of line 137: L[i, i] = np.sqrt(A[i, i] - L[i, :i] @ L[i, :i])
        g_part = g_L[i, i]
        g_L[i, i] = 0
        g_t = g_part / L[i, i]
        g_t_2 = -0.5 * g_t * L[i, :i]
        g_L[i, :i] += g_t_2
        g_L[i, :i] += g_t_2
        g_A[i, i] += 0.5 * g_t
        # adjoint of line 135: for j in range(i):
        for j_2 in reversed(range(i)):
            # line 136: L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
            part = L[j_2, j_2]
            # adjoint of line 136: L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
            g_part_2 = g_L[i, j_2]
            g_L[i, j_2] = 0
            g_t_3 = g_part_2 / part
            g_L[j_2, j_2] -= g_part_2 * (L[i, j_2] / part)
            g_L[j_2, :j_2] -= L[i, :j_2] * g_t_3
            g_L[i, :j_2] -= L[j_2, :j_2] * g_t_3
            g_A[i, j_2] += g_t_3
    return (g_A,)
