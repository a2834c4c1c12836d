"""Kernels as NPBench and PolyBench have them: loops of Python over parts of arrays.

A kernel that writes to its arguments and returns nothing is called on copies, as users do who want
a value back.
"""

from __future__ import annotations

import numpy as np

from programs.harness import program


def _sized(*descriptions, **options):
    return program(*descriptions, sized=True, pure=False, **options)


@_sized(": 6", ": 6")
def jacobi_1d(A, B):
    A, B = A.copy(), B.copy()
    for _ in range(3):
        B[1:-1] = 0.33333 * (A[:-2] + A[1:-1] + A[2:])
        A[1:-1] = 0.33333 * (B[:-2] + B[1:-1] + B[2:])
    return A, B


def _jacobi_2d(steps, A, B):
    for _ in range(1, steps):
        B[1:-1, 1:-1] = 0.2 * (
            A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        )
        A[1:-1, 1:-1] = 0.2 * (
            B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
        )


@program(": k k", ": k k", pure=False)
def jacobi_2d(A, B):
    _jacobi_2d(3, A, B)
    return A, B


@_sized(": 4 4 4")
def heat_3d(A):
    B = A * 0.5
    for _ in range(2):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2])
            + A[1:-1, 1:-1, 1:-1]
        )
        A[:] = B
    return A


@_sized(": 4 4")
def seidel_2d(A):
    A = A.copy()
    n = len(A)
    for i in range(1, n - 1):
        A[i, 1:-1] += (
            A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2]
            + A[i + 1, 1:-1] + A[i + 1, 2:]
        )  # fmt: skip
        for j in range(1, n - 1):
            A[i, j] += A[i, j - 1]
            A[i, j] /= 9.0
    return A


@_sized(": 4 5", ": 4 5", ": 4 5", ": 3")
def fdtd_2d(ex, ey, hz, source):
    for t in range(3):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


@program("scalar: ", "scalar: ", ": n n", ": n m", ": m n")
def gemm(alpha, beta, C, A, B):
    C[:] = alpha * A @ B + beta * C
    return C


@program(": n m", ": m")
def atax(A, x):
    return (A @ x) @ A


@program(": n m", ": m", ": n")
def bicg(A, p, r):
    return r @ A, A @ p


@program(": n", ": n", ": n", ": n", ": n n")
def mvt(x1, x2, y_1, y_2, A):
    x1 += A @ y_1
    x2 += y_2 @ A
    return x1, x2


@_sized("scalar: ", "scalar: ", ": 4 4", ": 4 4")
def symm(alpha, beta, C, A):
    B = C * 0.5
    temp2 = np.empty((C.shape[1],), dtype=C.dtype)
    C *= beta
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[:i, j] += alpha * B[i, j] * A[i, :i]
            temp2[j] = B[:i, j] @ A[i, :i]
        C[i, :] += alpha * B[i, :] * A[i, i] + alpha * temp2
    return C


@_sized("scalar: ", "scalar: ", ": 4 4", ": 4 3")
def syrk(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]
    return C


@_sized("scalar: ", ": 4 4", ": 4 3")
def trmm(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= alpha
    return B


@_sized(": 4 4", ": 4")
def triangular_solve(L, b):
    L = L + 4 * np.eye(4)
    x = np.zeros_like(b)
    for i in range(x.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


@_sized(": 4 4")
def lu_in_place(A):
    A += 5 * np.eye(4)
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return A


@_sized(": 5 3")
def gram_schmidt(A):
    Q = np.zeros_like(A)
    R = np.zeros((A.shape[1], A.shape[1]), dtype=A.dtype)
    for k in range(A.shape[1]):
        nrm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(nrm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


@_sized("positive: 5 5", smooth=False)
def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))
    return path


@program(": n n", sized=True)
def go_fast(a):
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


@program("unit: n", "unit: n", "unit: n", "unit: n")
def arc_distance(theta_1, phi_1, theta_2, phi_2):
    temp = (
        np.sin((theta_2 - theta_1) / 2) ** 2
        + np.cos(theta_1) * np.cos(theta_2) * np.sin((phi_2 - phi_1) / 2) ** 2
    )
    return 2 * np.arctan2(np.sqrt(temp), np.sqrt(1 - temp))


@program("apart: n m", "apart: n m", "scalar: ", smooth=False)
def compute(array_1, array_2, a):
    return np.clip(array_1, -1, 1) * a + array_2 * 9 + np.clip(array_2, -0.5, 10)


@_sized("apart: 7 7 2", smooth=False)
def horizontal_diffusion(field):
    lap = 4.0 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    res = lap[1:, 1:-1] - lap[:-1, 1:-1]
    flx = np.where(res * (field[2:-1, 2:-2] - field[1:-2, 2:-2]) > 0, 0, res)
    res = lap[1:-1, 1:] - lap[1:-1, :-1]
    fly = np.where(res * (field[2:-2, 2:-1] - field[2:-2, 1:-2]) > 0, 0, res)
    return field[2:-2, 2:-2] - 0.2 * (flx[1:, :] - flx[:-1, :] + fly[:, 1:] - fly[:, :-1])


@_sized(": 5 3", ": 5 3", ": 5 3")
def vertical_advection(a, c, d):
    """Thomas' algorithm along the first axis, in place."""
    b = 4.0 + 0.0 * a
    ccol, dcol = np.empty_like(a), np.empty_like(a)
    ccol[0] = c[0] / b[0]
    dcol[0] = d[0] / b[0]
    for k in range(1, a.shape[0]):
        divided = 1.0 / (b[k] - ccol[k - 1] * a[k])
        ccol[k] = c[k] * divided
        dcol[k] = (d[k] - dcol[k - 1] * a[k]) * divided
    x = np.empty_like(d)
    x[-1] = dcol[-1]
    for k in range(a.shape[0] - 2, -1, -1):
        x[k] = dcol[k] - ccol[k] * x[k + 1]
    return x


@_sized(": 5 5", ": 5 5", ": 5 5")
def cavity_flow(u, v, p):
    dt, dx, dy, rho = 0.1, 0.5, 0.5, 1.0
    b = np.zeros_like(u)
    for _ in range(2):
        un, vn = u.copy(), v.copy()
        b[1:-1, 1:-1] = rho * (
            1
            / dt
            * ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx) + (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy))
            - ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)) ** 2
        )
        for _ in range(2):
            pn = p.copy()
            p[1:-1, 1:-1] = (pn[1:-1, 2:] + pn[1:-1, :-2] + pn[2:, 1:-1] + pn[:-2, 1:-1]) / 4
            p[1:-1, 1:-1] -= dx**2 / 4 * b[1:-1, 1:-1]
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[-1, :] = 0
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, :-2])
            - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
        )
        v[1:-1, 1:-1] = vn[1:-1, 1:-1] - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
        u[0, :], u[:, 0], u[-1, :] = 0, 0, 1
        v[0, :] = v[-1, :] = 0
    return u, v, p


@program(": n m", sized=True)
def covariance(data):
    mean = np.mean(data, axis=0)
    data -= mean
    cov = np.zeros((data.shape[1], data.shape[1]), dtype=data.dtype)
    for i in range(data.shape[1]):
        cov[i:, i] = cov[i, i:] = data[:, i] @ data[:, i:] / (data.shape[0] - 0.5)
    return cov


@program(": 5 3")
def correlation_matrix(data):
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    data -= mean
    data /= np.sqrt(5.0) * stddev
    corr = np.eye(data.shape[1], dtype=data.dtype)
    for i in range(data.shape[1] - 1):
        corr[i + 1 :, i] = corr[i, i + 1 :] = data[:, i] @ data[:, i + 1 :]
    return corr


@_sized(": 1 4 4 2", ": 2 2 2 3", ": 3")
def convolution_2d(input, weights, bias):
    K, N, H_out, W_out, C_out = 2, 1, 3, 3, 3
    output = np.empty((N, H_out, W_out, C_out), dtype=input.dtype)
    for i in range(H_out):
        for j in range(W_out):
            output[:, i, j, :] = np.sum(
                input[:, i : i + K, j : j + K, :, np.newaxis] * weights[np.newaxis],
                axis=(1, 2, 3),
            )
    return output + bias


@_sized("apart: 1 4 4 2", smooth=False)
def max_pooling(x):
    output = np.empty([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]], dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            block = x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :]
            output[:, i, j, :] = np.max(block, axis=(1, 2))
    return output


@_sized(": 5 2 2 1", rewritten=True)
def batch_norm_and_relu(x):
    mean = np.mean(x, axis=0, keepdims=True)
    std = np.std(x, axis=0, keepdims=True)
    y = (x - mean) / np.sqrt(std + 1e-2)
    return y * (1 / (1 + np.exp(-y)))


@_sized("complex: 8")
def stockham_fft(x):
    n = 8
    y = x * 1.0
    half, length = 4, 1
    while half >= 1:
        z = np.empty(n, dtype=np.complex128)
        for j in range(half):
            w = np.exp(-1j * np.pi * np.arange(length) / length)
            a = y[j * length : (j + 1) * length]
            b = y[j * length + n // 2 : (j + 1) * length + n // 2]
            z[2 * j * length : (2 * j + 1) * length] = a + w * b
            z[(2 * j + 1) * length : (2 * j + 2) * length] = a - w * b
        y = z
        half //= 2
        length *= 2
    return y


@_sized("complex: 2 2", "complex: 2 2")
def contour_integral(H, Y):
    P0 = np.zeros((2, 2), dtype=np.complex128)
    P1 = np.zeros((2, 2), dtype=np.complex128)
    for z in (1 + 1j, -1 + 0.5j):
        T = z * np.eye(2) + H @ H.conj().T
        X = T @ Y
        if abs(z) < 1.2:
            X = -X
        P0 += X
        P1 += X * z
    return P0, P1


@program(": k", "unit: k", "mask: k")
def azimuthal_integration(data, radius, inside):
    bins = np.array([-1.0, 0.0, 1.0])
    res = np.zeros(2)
    for i in range(2):
        mask = np.logical_and(bins[i] <= radius, radius < bins[i + 1])
        res[i] = np.sum(data[mask] * radius[mask]) / (1 + np.sum(mask & inside))
    return res


@_sized("positive: 3", ": 3 3", ": 3 3")
def n_body(mass, pos, vel):
    for _ in range(2):
        x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
        dx, dy, dz = x.T - x, y.T - y, z.T - z
        inv_r3 = dx**2 + dy**2 + dz**2 + 0.1**2
        inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
        acc = np.hstack([(d * inv_r3) @ mass[:, None] for d in (dx, dy, dz)])
        vel += acc * 0.01 / 2.0
        pos += vel * 0.01
    energy = 0.5 * np.sum(np.reshape(mass, (3, 1)) * vel**2)
    return pos, vel, energy


@_sized(": 7", ": 5")
def sparse_matrix_vector(values, x):
    rows, columns = [0, 2, 3, 7], np.array([0, 3, 1, 0, 2, 3, 4])
    y = np.empty(len(rows) - 1, dtype=values.dtype)
    for i in range(len(rows) - 1):
        cols = columns[rows[i] : rows[i + 1]]
        vals = values[rows[i] : rows[i + 1]]
        y[i] = vals @ x[cols]
    return y


@_sized("scalar: ", ": 3 5")
def deriche(alpha, image):
    k = (1.0 - np.exp(-alpha)) ** 2 / (1.0 + alpha * np.exp(-alpha) - np.exp(2.0 * -alpha) * 0.1)
    a2, b1 = k * np.exp(-alpha) * (alpha - 1.0), 2.0 ** (-alpha)
    y1 = np.empty_like(image)
    y1[:, 0] = k * image[:, 0]
    y1[:, 1] = k * image[:, 1] + a2 * image[:, 0] + b1 * y1[:, 0]
    for j in range(2, image.shape[1]):
        y1[:, j] = k * image[:, j] + a2 * image[:, j - 1] + b1 * y1[:, j - 1] - 0.3 * y1[:, j - 2]
    y2 = np.empty_like(image)
    y2[:, -1] = 0.0
    for j in range(image.shape[1] - 2, -1, -1):
        y2[:, j] = a2 * image[:, j + 1] + b1 * y2[:, j + 1]
    return y1 + y2


@_sized(": 4 4")
def alternating_directions(u):
    n = len(u)
    v, p, q = np.zeros_like(u), np.zeros_like(u), np.zeros_like(u)
    v[0, 1:-1] = 1.0
    p[1:-1, 0] = 0.0
    q[1:-1, 0] = v[0, 1:-1]
    for j in range(1, n - 1):
        p[1:-1, j] = 0.5 / (0.5 * p[1:-1, j - 1] + 2.0)
        q[1:-1, j] = (
            -0.5 * u[j, :-2] + 2.0 * u[j, 1:-1] - 0.5 * u[j, 2:] + 0.5 * q[1:-1, j - 1]
        ) / (-0.5 * p[1:-1, j - 1] + 2.0)
    v[-1, 1:-1] = 1.0
    for j in range(n - 2, 0, -1):
        v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
    return v


@_sized(": 2 3", ": 4 3", ": 4 4", ": 4")
def recurrent_network(xs, wx, wh, b):
    h = np.zeros(4)
    states = []
    for x in xs:
        h = np.tanh(wx @ x + wh @ h + b)
        states.append(h)
    return np.stack(states)


@_sized("positive: 3 3", "positive: 3 2", rewritten=True)
def hidden_markov_forward(transition, emission):
    transition /= transition.sum(axis=1, keepdims=True)
    log_alpha = np.log(emission[:, 0])
    for t in (1, 0, 1):
        scores = log_alpha[:, None] + np.log(transition)
        log_alpha = np.log(np.sum(np.exp(scores), axis=0)) + np.log(emission[:, t])
    return np.log(np.sum(np.exp(log_alpha)))


@_sized(": 2", ": 2 2", ": 3 1")
def kalman_filter(x, F, observed):
    P, H, R = np.eye(2), np.array([[1.0, 0.5]]), np.array([[0.3]])
    for z in observed:
        x = F @ x
        P = F @ P @ F.T + 0.1 * np.eye(2)
        S = H @ P @ H.T + R
        K = P @ H.T / S
        x = x + K @ (z - H @ x)
        P = (np.eye(2) - K @ H) @ P
    return x, P


@_sized(": 4", ": 3 4")
def ring_buffer(history, inputs):
    history = history.copy()
    outputs = np.zeros(len(inputs))
    for i, row in enumerate(inputs):
        history[i % 4] = row @ history
        outputs[i] = np.sum(np.roll(history, -i) * row)
    return outputs
