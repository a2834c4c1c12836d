"""Functions with loops as users write them, most of them those of NPBench, and their arguments.

They write into their arguments where the originals do. All their floating-point arguments are
differentiated, with a random seed for each result. `jacobi_2d` also has the adjoint that an expert
writes, and a version for JAX. Its results are linear in its arguments, so that its gradient needs
no forward loop; that of `jacobi_2d_squared` does.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

# --- stencils -----------------------------------------------------------------------------


def jacobi_2d(steps, A, B):
    for _ in range(1, steps):
        B[1:-1, 1:-1] = 0.2 * (
            A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        )
        A[1:-1, 1:-1] = 0.2 * (
            B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
        )
    return A, B


def jacobi_2d_hand(steps, A, B, seeds):
    g_A, g_B = (seed.copy() for seed in seeds)
    g = np.empty((A.shape[0] - 2, A.shape[1] - 2))
    for _ in range(1, steps):
        for source, target in ((g_A, g_B), (g_B, g_A)):
            np.multiply(source[1:-1, 1:-1], 0.2, out=g)
            source[1:-1, 1:-1] = 0.0
            target[1:-1, 1:-1] += g
            target[1:-1, :-2] += g
            target[1:-1, 2:] += g
            target[2:, 1:-1] += g
            target[:-2, 1:-1] += g
    return g_A, g_B


def jacobi_2d_squared(steps, A, B):
    A, B = jacobi_2d(steps, A, B)
    return np.sum(A**2)


def jacobi_2d_squared_hand(steps, A, B, seeds):
    A, _ = jacobi_2d(steps, A.copy(), B.copy())
    return jacobi_2d_hand(steps, A, B, (2.0 * seeds[0] * A, np.zeros_like(B)))


def jacobi_2d_jax(steps, A, B):
    import jax

    def five_points(X):
        return 0.2 * (X[1:-1, 1:-1] + X[1:-1, :-2] + X[1:-1, 2:] + X[2:, 1:-1] + X[:-2, 1:-1])

    def step(_, state):
        A, B = state
        B = B.at[1:-1, 1:-1].set(five_points(A))
        A = A.at[1:-1, 1:-1].set(five_points(B))
        return A, B

    return jax.lax.fori_loop(1, steps, step, (A, B))


def jacobi_2d_squared_jax(steps, A, B):
    A, _ = jacobi_2d_jax(steps, A, B)
    return (A**2).sum()


def heat_1d(steps, u, k):
    for _ in range(steps):
        u[1:-1] += k * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def fdtd_2d(steps, ex, ey, hz, fict):
    for t in range(steps):
        ey[0, :] = fict[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


def adi(steps, u):
    N = len(u)
    v, p, q = np.empty(u.shape), np.empty(u.shape), np.empty(u.shape)
    DX = DY = 1.0 / N
    DT = 1.0 / steps
    mul1 = 2.0 * DT / (DX * DX)
    mul2 = DT / (DY * DY)
    a = -mul1 / 2.0
    b = 1.0 + mul2
    c = a
    d = -mul2 / 2.0
    e = 1.0 + mul2
    f = d
    for _ in range(1, steps + 1):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, N - 1):
            p[1:-1, j] = -c / (a * p[1:-1, j - 1] + b)
            q[1:-1, j] = (
                -d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - f * u[j, 2:] - a * q[1:-1, j - 1]
            ) / (a * p[1:-1, j - 1] + b)
        v[N - 1, 1:-1] = 1.0
        for j in range(N - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, N - 1):
            p[1:-1, j] = -f / (d * p[1:-1, j - 1] + e)
            q[1:-1, j] = (
                -a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - c * v[2:, j] - d * q[1:-1, j - 1]
            ) / (d * p[1:-1, j - 1] + e)
        u[1:-1, N - 1] = 1.0
        for j in range(N - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]
    return u


def gauss_seidel(steps, A):
    N = len(A)
    for _ in range(steps - 1):
        for i in range(1, N - 1):
            A[i, 1:-1] += (
                A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:]
                + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            )  # fmt: skip
            for j in range(1, N - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0
    return A


# --- linear algebra -----------------------------------------------------------------------


def triangular_solve(L, x, b):
    for i in range(len(x)):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


def cholesky(A):
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
    return A


def lu(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return A


def durbin(r):
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


# --- recurrent network --------------------------------------------------------------------


def rnn(W, U, b, xs):
    h = np.zeros(len(b))
    for x in xs:
        h = np.tanh(W @ h + U @ x + b)
    return np.sum(h**2)


# --- arguments ----------------------------------------------------------------------------


def two_grids(rng, steps, n):
    return steps, rng.random((n, n)), rng.random((n, n))


def rod(rng, steps, n):
    return steps, rng.random(n), 0.2


def three_grids(rng, steps, n):
    return steps, *(rng.random((n, n + 20)) for _ in range(3)), rng.random(steps)


def one_grid(rng, steps, n):
    return steps, rng.random((n, n))


def dominant(rng, n):
    return rng.random((n, n)) / n + 2.0 * np.eye(n)


def triangular_system(rng, n):
    return dominant(rng, n), rng.random(n), rng.random(n)


def dominant_matrix(rng, n):
    return (dominant(rng, n),)


def definite_matrix(rng, n):
    A = dominant(rng, n)
    return (A @ A.T,)


def decaying(rng, n):
    return (0.3 * rng.random(n) * 0.5 ** np.arange(n),)


def network(rng, steps, n, inputs):
    W, U = rng.standard_normal((n, n)) / np.sqrt(n), rng.standard_normal((n, inputs))
    return W, U, rng.standard_normal(n), rng.standard_normal((steps, inputs))


@dataclass(frozen=True)
class LoopWorkload:
    """`hand(*arguments, seeds)` is the gradient with respect to all arrays, if there is one."""

    primal: Callable
    data: Callable
    sizes: dict[str, tuple[int, ...]]
    hand: Callable | None = None
    jax: Callable | None = None

    def arguments(self, size):
        return self.data(np.random.default_rng(2024), *self.sizes[size])


SIZES = ("small", "large")


def by_size(small, large):
    return dict(zip(SIZES, (small, large), strict=True))


WORKLOADS = {
    "jacobi_2d": LoopWorkload(
        jacobi_2d, two_grids, by_size((50, 30), (50, 150)), jacobi_2d_hand, jacobi_2d_jax
    ),
    "jacobi_2d_squared": LoopWorkload(
        jacobi_2d_squared,
        two_grids,
        by_size((50, 30), (50, 150)),
        jacobi_2d_squared_hand,
        jacobi_2d_squared_jax,
    ),
    "heat_1d": LoopWorkload(heat_1d, rod, by_size((100, 200), (400, 4000))),
    "fdtd_2d": LoopWorkload(fdtd_2d, three_grids, by_size((40, 20), (40, 150))),
    "adi": LoopWorkload(adi, one_grid, by_size((5, 30), (10, 100))),
    "gauss_seidel": LoopWorkload(gauss_seidel, one_grid, by_size((3, 20), (5, 60))),
    "triangular_solve": LoopWorkload(triangular_solve, triangular_system, by_size((50,), (500,))),
    "cholesky": LoopWorkload(cholesky, definite_matrix, by_size((20,), (100,))),
    "lu": LoopWorkload(lu, dominant_matrix, by_size((20,), (80,))),
    "durbin": LoopWorkload(durbin, decaying, by_size((50,), (500,))),
    "rnn": LoopWorkload(rnn, network, by_size((100, 8, 4), (1000, 64, 32))),
}
