"""Stencils and time stepping."""

from __future__ import annotations

import numpy as np

from control.harness import program
from control.inputs import between, dominant, fewer, grid, scaled, signed, size

# ruff: noqa: B007


@program(size, ": n", static=("steps",))
def smoothing_1d(steps, x):
    for _ in range(steps):
        x[1:-1] = 0.25 * x[:-2] + 0.5 * x[1:-1] + 0.25 * x[2:]
    return x


@program(size, ": n n", ": n n", static=("steps",))
def jacobi_2d_steps(steps, A, B):
    for t in range(1, steps):
        B[1:-1, 1:-1] = 0.2 * (
            A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1]
        )
        A[1:-1, 1:-1] = 0.2 * (
            B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1]
        )
    return A, B


@program(fewer, ": n n n", static=("steps",))
def heat_3d_steps(steps, A):
    B = np.copy(A)
    for t in range(steps):
        B[1:-1, 1:-1, 1:-1] = A[1:-1, 1:-1, 1:-1] + 0.125 * (
            A[2:, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1] + A[1:-1, 2:, 1:-1] + A[1:-1, :-2, 1:-1]
            + A[1:-1, 1:-1, 2:] + A[1:-1, 1:-1, :-2] - 6.0 * A[1:-1, 1:-1, 1:-1]
        )  # fmt: skip
        A, B = B, A
    return A


@program(": n", "scalar: ")
def gauss_seidel_1d(x, weight):
    for sweep in range(2):
        for i in range(1, x.shape[0] - 1):
            x[i] = (1 - weight) * x[i] + weight * 0.5 * (x[i - 1] + x[i + 1])
    return x


@program(": n m")
def gauss_seidel_2d(A):
    n, m = A.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            A[i, j] = np.sin(A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1]) / 4.0
    return A


@program(": n m")
def gauss_seidel_rows(A):
    for i in range(1, A.shape[0] - 1):
        A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i + 1, 2:]
        for j in range(1, A.shape[1] - 1):
            A[i, j] += A[i, j - 1]
            A[i, j] /= 5.0
    return A


@program(size, ": n", static=("sweeps",), sizes=(5, 7))
def red_black_sweeps(sweeps, u):
    for sweep in range(sweeps):
        u[1:-1:2] = 0.5 * (u[:-2:2] + u[2::2])
        u[2:-1:2] = 0.5 * (u[1:-2:2] + u[3::2])
    return u


@program(": n", signed(0.2, 0.8, "n"))
def upwind(u, speed):
    n = u.shape[0]
    for t in range(3):
        old = u.copy()
        for i in range(1, n - 1):
            if speed[i] > 0:
                u[i] = old[i] - 0.5 * speed[i] * (old[i] - old[i - 1])
            else:
                u[i] = old[i] - 0.5 * speed[i] * (old[i + 1] - old[i])
    return u


@program(": n m", ": n m", ": n m", ": n")
def fdtd_2d_sources(ex, ey, hz, source):
    for t in range(source.shape[0]):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return ex, ey, hz


def sweep(v, p, q, u, a, d):
    n = v.shape[0]
    v[0, 1:-1] = 1.0
    p[1:-1, 0] = 0.0
    q[1:-1, 0] = v[0, 1:-1]
    for j in range(1, n - 1):
        p[1:-1, j] = -a / (a * p[1:-1, j - 1] + d)
        q[1:-1, j] = (
            -a * u[j, :-2] + (1 + 2 * a) * u[j, 1:-1] - a * u[j, 2:] - a * q[1:-1, j - 1]
        ) / (a * p[1:-1, j - 1] + d)
    v[n - 1, 1:-1] = 1.0
    for j in range(n - 2, 0, -1):
        v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]


@program(fewer, ": n n", static=("steps",))
def alternating_directions_steps(steps, u):
    v, p, q = np.empty(u.shape), np.zeros(u.shape), np.zeros_like(u)
    v[:] = u.T
    for t in range(1, steps + 1):
        sweep(v, p, q, u, -0.3 / t, 2.0)
        u[:] = v.T
        sweep(u, p, q, v, -0.2, 2.5)
    return u


def build_up_b(b, u, v, dt, dx, dy):
    b[1:-1, 1:-1] = (
        ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx) + (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)) / dt
        - ((u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx)) ** 2
        - 2 * ((u[2:, 1:-1] - u[:-2, 1:-1]) * (v[1:-1, 2:] - v[1:-1, :-2]) / (4 * dy * dx))
        - ((v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dy)) ** 2
    )  # fmt: skip


def pressure_poisson(nit, p, dx, dy, b):
    pn = np.empty_like(p)
    pn = p.copy()
    for q in range(nit):
        pn = p.copy()
        p[1:-1, 1:-1] = (
            (pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2 + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2
        ) / (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


@program(
    fewer, fewer, scaled(0.3, "n n"), scaled(0.3, "n n"), scaled(0.3, "n n"), between(0.8, 1.2),
    static=("nt", "nit"),
)  # fmt: skip
def cavity_flow_steps(nt, nit, u, v, p, rho):
    dt, dx, dy, nu = 0.1, 0.5, 0.4, 0.1
    b = np.zeros(u.shape)
    for n in range(nt):
        un, vn = u.copy(), v.copy()
        build_up_b(b, u, v, dt, dx, dy)
        pressure_poisson(nit, p, dx, dy, b)
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, :-2])
            - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
            + nu * dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, :-2])
        )
        v[1:-1, 1:-1] = vn[1:-1, 1:-1] - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
        u[0, :] = 0
        u[:, 0] = u[:, -1] = 0
        u[-1, :] = 1
        v[0, :], v[-1, :] = 0, 0
    return u, v, p


@program(": n 3", between(2.5, 4, "n 3"), ": n 3", ": n 3")
def vertical_advection_columns(a, b, c, d):
    """The algorithm of Thomas along the first axis."""
    K = a.shape[0]
    ccol = np.ndarray(a.shape, dtype=a.dtype)
    dcol = np.empty_like(d)
    x = np.empty_like(d)
    for k in range(K):
        if k == 0:
            ccol[k] = c[k] / b[k]
            dcol[k] = d[k] / b[k]
        else:
            divided = 1.0 / (b[k] - 0.1 * ccol[k - 1] * a[k])
            if k < K - 1:
                ccol[k] = c[k] * divided
            dcol[k] = (d[k] - dcol[k - 1] * a[k]) * divided
    for k in range(K - 1, -1, -1):
        if k == K - 1:
            x[k] = dcol[k]
        else:
            x[k] = dcol[k] - ccol[k] * x[k + 1]
    return x


@program(grid("m m", 0.17), between(0.1, 0.3, "m m"), sizes=(5, 6))
def horizontal_diffusion_where(field, coeff):
    lap = 4.0 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    flx = np.empty((lap.shape[0] - 1, lap.shape[1]))
    for i in range(flx.shape[0]):
        res = lap[i + 1] - lap[i]
        flx[i] = np.where(res * (field[i + 2, 1:-1] - field[i + 1, 1:-1]) > 0, 0, res)
    return field[2:-2, 1:-1] - coeff[2:-2, 1:-1] * (flx[1:] - flx[:-1])


@program(grid("m", 0.2), scaled(0.3, "m"), between(0.1, 0.3), sizes=(6, 8))
def horizontal_diffusion_if(field, noise, coeff):
    n = len(field)
    field = field + 0.01 * noise
    flux = np.zeros(n - 1)
    out = field.copy()
    for i in range(1, n - 2):
        left = 2 * field[i] - field[i - 1] - field[i + 1]
        right = 2 * field[i + 1] - field[i] - field[i + 2]
        step = right - left
        if step * (field[i + 1] - field[i]) < 0:
            flux[i] = 0
        else:
            flux[i] = step
    for i in range(2, n - 2):
        out[i] = field[i] - coeff * (flux[i] - flux[i - 1])
    return out


def minmod(a, b):
    if a * b <= 0:
        return 0.0
    if abs(a) < abs(b):
        return a
    return b


@program(grid("m", 0.3), between(0.1, 0.4), salt=3)
def limited_advection(u, courant):
    n = u.shape[0]
    slopes = [minmod(u[i] - u[i - 1], u[i + 1] - u[i]) for i in range(1, n - 1)]
    out = u.copy()
    for i in range(2, n - 1):
        left = u[i - 1] + 0.5 * (1 - courant) * slopes[i - 2]
        right = u[i] + 0.5 * (1 - courant) * slopes[i - 1]
        out[i] = u[i] - courant * (right - left)
    return out


@program(size, ": n", ": n", static=("steps",))
def wave_with_rotating_buffers(steps, start, speed):
    before, now, after = start.copy(), start * 0.9, np.zeros_like(start)
    for t in range(steps):
        after[1:-1] = (
            2 * now[1:-1]
            - before[1:-1]
            + 0.2 * speed[1:-1] ** 2 * (now[2:] - 2 * now[1:-1] + now[:-2])
        )
        after[0], after[-1] = now[1], now[-2]
        before, now, after = now, after, before
    return now, before


@program(dominant, ": n", between(0.9, 1.1))
def relaxation_until_converged(A, b, omega):
    x = np.zeros_like(b)
    residual = np.sum((b - A @ x) ** 2)
    while residual > 1e-4:
        for i in range(len(b)):
            x[i] += omega * (b[i] - A[i] @ x) / A[i, i]
        residual = np.sum((b - A @ x) ** 2)
    return x


@program(size, ": n m", ": n m", static=("steps",))
def two_species(steps, u, v):
    """Gray-Scott with periodic borders."""
    for _ in range(steps):
        lu = np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, 1) + np.roll(u, -1, 1) - 4 * u
        lv = np.roll(v, 1, 0) + np.roll(v, -1, 0) + np.roll(v, 1, 1) + np.roll(v, -1, 1) - 4 * v
        uvv = u * v * v
        u += 0.05 * (0.16 * lu - uvv + 0.06 * (1 - u))
        v += 0.05 * (0.08 * lv + uvv - 0.122 * v)
    return u, v
