import numpy as np


def cholesky_grad(A, grad_outputs):
    """Gradient of cholesky with respect to A.

    A: float64[n, m]
    grad_outputs: float64[n, m]

    Only for m + 1 >= n.

    Made by gradsmith 0.1.0.
    """
    n = len(A)
    # line 134: for i in range(n):
    L = np.zeros(A.shape)
    for i in range(n):
        # line 135: for j in range(i):
        for j in range(i):
            # line 136: L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
            L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
        # line 137: L[i, i] = np.sqrt(A[i, i] - L[i, :i] @ L[i, :i])
        part = L[i, :i]
        L[i, i] = np.sqrt(A[i, i] - part @ part)
    # adjoint of line 134: for i in range(n):
    g_A = np.zeros(A.shape)
    g_L = grad_outputs.copy()
    for i in reversed(range(n)):
        # adjoint of line 137: L[i, i] = np.sqrt(A[i, i] - L[i, :i] @ L[i, :i])
        g_part = g_L[i, i]
        g_t = g_part / L[i, i] if g_part != 0 else g_part
        g_L[i, :i] -= L[i, :i] * g_t
        g_A[i, i] = 0.5 * g_t
        # adjoint of line 135: for j in range(i):
        for j in reversed(range(i)):
            # adjoint of line 136: L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]
            g_t_2 = g_L[i, j] / L[j, j]
            g_L[j, j] -= L[i, j] * g_t_2
            g_L[j, :j] -= L[i, :j] * g_t_2
            g_L[i, :j] -= L[j, :j] * g_t_2
            g_A[i, j] = g_t_2
    return (g_A,)
