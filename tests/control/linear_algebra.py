"""Factorisations and solvers by loops over rows and columns."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import (
    between,
    columns,
    definite,
    dominant,
    grid,
    pivoted,
    scaled,
    signed,
    starts,
)

# ruff: noqa: B007, PLR1730, RUF059


@program(definite)
def cholesky(A):
    """Lower factor in place, as PolyBench has it."""
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])
    return A


@program(definite)
def cholesky_by_elements(A):
    n = A.shape[0]
    L = np.zeros_like(A)
    for i in range(n):
        for j in range(i + 1):
            s = 0.0
            for k in range(j):
                s += L[i, k] * L[j, k]
            if i == j:
                L[i, j] = np.sqrt(A[i, i] - s)
            else:
                L[i, j] = (A[i, j] - s) / L[j, j]
    return L


@program(dominant)
def lu_rows(A):
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return A


@program(pivoted, ": n")
def lu_with_partial_pivoting(A, b):
    n = A.shape[0]
    for k in range(n - 1):
        p = k + np.argmax(np.abs(A[k:, k]))
        if p != k:
            A[[k, p]] = A[[p, k]]
            b[[k, p]] = b[[p, k]]
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            A[i, k:] -= factor * A[k, k:]
            b[i] -= factor * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - A[i, i + 1 :] @ x[i + 1 :]) / A[i, i]
    return x


@program(pivoted)
def determinant_by_elimination(A):
    A = A.copy()
    n = len(A)
    det = 1.0
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if best != k:
            A[k], A[best] = A[best].copy(), A[k].copy()
            det = -det
        det *= A[k, k]
        for i in range(k + 1, n):
            A[i] -= A[i, k] / A[k, k] * A[k]
    return det


@program(": m n", salt=1)
def gram_schmidt_classical(A):
    Q = np.empty_like(A)
    for k in range(A.shape[1]):
        v = A[:, k].copy()
        for j in range(k):
            v -= (Q[:, j] @ A[:, k]) * Q[:, j]
        Q[:, k] = v / np.sqrt(v @ v)
    return Q


@program(": m n")
def gram_schmidt_modified(A):
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


@program(dominant, ": n")
def forward_substitution(L, b):
    x = np.zeros_like(b)
    for i in range(x.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]
    return x


@program(dominant, ": n k")
def backward_substitution(U, B):
    X = np.empty(B.shape)
    for i in reversed(range(len(U))):
        X[i] = B[i]
        for j in range(i + 1, len(U)):
            X[i] -= U[i, j] * X[j]
        X[i] /= U[i, i]
    return X


@program(scaled(0.15, "n"), rewritten=True)
def levinson_durbin(r):
    n = r.shape[0]
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, n):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


@program(definite, between(0.5, 1.5, "n"))
def power_iteration(A, v):
    for _ in range(5):
        v = A @ v
        v = v / np.linalg.norm(v)
    return v @ A @ v, v


@program(definite)
def jacobi_rotations(A):
    """One sweep of rotations, as for eigenvalues."""
    n = A.shape[0]
    for p in range(n - 1):
        for q in range(p + 1, n):
            theta = 0.5 * np.arctan2(2 * A[p, q], A[q, q] - A[p, p] + 4.0)
            c, s = np.cos(theta), np.sin(theta)
            rp, rq = c * A[p, :] - s * A[q, :], s * A[p, :] + c * A[q, :]
            A[p, :], A[q, :] = rp, rq
            cp, cq = c * A[:, p] - s * A[:, q], s * A[:, p] + c * A[:, q]
            A[:, p], A[:, q] = cp, cq
    return np.diag(A), A[0, 1]


@program(definite, between(0.5, 1.5, "n"), salt=1)
def conjugate_gradients(A, b):
    x = np.zeros(len(b))
    r = b.copy()
    p = r.copy()
    rs = r @ r
    for i in range(len(b)):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        if new < 1e-3:
            break
        p = r + new / rs * p
        rs = new
    return x


@program(dominant, ": n")
def gauss_jordan(A, b):
    M = np.concatenate([A, b[:, None]], axis=1)
    for k in range(len(A)):
        M[k] = M[k] / M[k, k]
        for i in range(len(A)):
            if i != k:
                M[i] -= M[i, k] * M[k]
    return M[:, -1]


@program(": n m", ": m k", sizes=(3, 4))
def matmul_by_three_loops(A, B):
    C = np.zeros((A.shape[0], B.shape[1]))
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
    return C


@program(": m n")
def householder(A):
    """Reduces to an upper triangle through views of the trailing block."""
    m, n = A.shape
    for k in range(n):
        v = A[k:, k].copy()
        sign = 1.0 if v[0] > 0 else -1.0
        v[0] += sign * np.sqrt(np.sum(v**2))
        v /= np.sqrt(v @ v)
        block = A[k:, k:]
        block -= 2.0 * np.outer(v, v @ block)
    return A


@program(starts, columns, ": n n", ": n", sizes=(4, 6))
def sparse_rows(row_starts, column_of, values, x):
    values = values.ravel()
    y = np.empty(row_starts.size - 1, x.dtype)
    for i in range(row_starts.size - 1):
        cols = column_of[row_starts[i] : row_starts[i + 1]]
        vals = values[row_starts[i] : row_starts[i + 1]]
        y[i] = vals @ x[cols]
    return y


@program(starts, columns, ": n n", ": n")
def sparse_rows_by_elements(row_starts, column_of, values, x):
    flat = values.reshape(-1)
    y = np.zeros(len(row_starts) - 1)
    for i in range(len(row_starts) - 1):
        for j in range(row_starts[i], row_starts[i + 1]):
            y[i] += flat[j] * np.tanh(x[column_of[j]])
    return y


@program(": m n")
def covariance_by_columns(data):
    mean = np.mean(data, axis=0)
    data -= mean
    cov = np.zeros((data.shape[1], data.shape[1]), dtype=data.dtype)
    for i in range(data.shape[1]):
        cov[i:, i] = cov[i, i:] = data[:, i] @ data[:, i:] / (data.shape[0] - 1.0)
    return cov


@program(": m n")
def correlation(data):
    mean = np.mean(data, axis=0)
    stddev = np.std(data, axis=0)
    stddev[stddev <= 0.01] = 1.0
    data -= mean
    data /= np.sqrt(float(data.shape[0])) * stddev
    corr = np.eye(data.shape[1], dtype=data.dtype)
    for i in range(data.shape[1] - 1):
        corr[i + 1 :, i] = corr[i, i + 1 :] = data[:, i] @ data[:, i + 1 :]
    return corr


@program(lambda s, r: 3 + grid("n n", 0.21)(s, r))
def shortest_paths(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))
    return path


@program(lambda s, r: 3 + grid("n n", 0.21)(s, r))
def shortest_paths_by_elements(path):
    n = len(path)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = path[i, k] + path[k, j]
                if through < path[i, j]:
                    path[i, j] = through
    return path


@program(definite, sizes=(4, 5))
def ldl_factors(A):
    n = A.shape[0]
    L, d = np.eye(n), np.zeros(n)
    for j in range(n):
        d[j] = A[j, j] - (L[j, :j] ** 2) @ d[:j]
        for i in range(j + 1, n):
            L[i, j] = (A[i, j] - np.sum(L[i, :j] * L[j, :j] * d[:j])) / d[j]
    return L, d


@program(scaled(0.3, "n n"))
def exponential_by_taylor(A):
    result = np.eye(len(A))
    term = np.eye(len(A))
    k = 1
    while np.max(np.abs(term)) > 1e-3:
        term = term @ A / k
        result += term
        k += 1
    return result


@program(dominant, signed(0.3, 1.0, "n"))
def symmetric_multiply(A, x):
    """Only the lower triangle is read."""
    n = A.shape[0]
    y = np.zeros(n)
    for i in range(n):
        y[:i] += A[i, :i] * x[i]
        y[i] += A[i, i] * x[i] + A[i, :i] @ x[:i]
    return y


@program("scalar: ", "scalar: ", ": n n", ": n m")
def rank_k_update(alpha, beta, C, A):
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]
    return C


@program(between(0.5, 1.5, "n"), definite)
def inverse_iteration_with_shifts(v, A):
    shift = 0.5
    for step in range(2):
        M = A - shift * np.eye(len(v))
        w = np.zeros_like(v)
        for sweep in range(3):
            for i in range(len(v)):
                w[i] = (v[i] - M[i, :i] @ w[:i] - M[i, i + 1 :] @ w[i + 1 :]) / M[i, i]
        v = w / np.sqrt(w @ w)
        shift = 0.1 * (v @ A @ v)
    return v, shift
