"""Writes through views.

Rows of the table "Mutation and Python around it" in docs/semantics.md.
"""

# Functions are written here as users write them, not as a linter would have them.
# ruff: noqa: PLW0108, PLW2901

from __future__ import annotations

import numpy as np

import gradsmith as gs
from helpers import each
from semantics.numbers import check, differences, same

X = np.array([0.5, -1.25, 2.0])
A = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.6], [0.9, -0.2, 1.7]])


# --- row: writes through views


def row_view(A):
    row = A[1]
    row += 1
    return A * A


def column_view(A):
    column = A[:, 1]
    column *= A[:, 0]
    return A * A


def view_of_a_view(A):
    block = A[1:]
    corner = block[:, 1:]
    corner *= 3
    return A * block.sum()


def transposed_view(A):
    A.T[0] = A[0]
    return A * A


def flat_view(A):
    flat = A.reshape(-1)
    flat[4] = A[0, 0] * A[2, 2]
    flat[::2] *= 2
    return A * A


def ravelled_view(A):
    A.ravel()[1:4] += 1
    return A * A


def stencil(A):
    A[1:-1, 1:-1] = (A[:-2, 1:-1] + A[2:, 1:-1]) * A[1:-1, :-2]
    return A * A


def stencil_twice(A):
    for _ in range(2):
        A[1:] = 0.5 * (A[1:] + A[:-1]) ** 2
    return A


def swap_rows_by_copies(A):
    A[0], A[1] = A[1].copy(), A[0].copy()
    return A * A * np.arange(9.0).reshape(3, 3)


def swap_rows_by_views(A):
    A[0], A[1] = A[1], A[0]
    return A * A * np.arange(9.0).reshape(3, 3)


def swap_rows_by_a_list(A):
    A[[0, 1]] = A[[1, 0]]
    return A * A * np.arange(9.0).reshape(3, 3)


def unpacked_rows(A):
    first, second, third = A
    first += second
    third[:] = first * 2
    return A * A


def rows_of_a_loop(A):
    for row in A:
        row *= row[0]
    return A * A


def overlapping_views(A):
    left, right = A[:, :2], A[:, 1:]
    left *= 2
    right += left
    return A * A


def diagonal_store(A):
    i = np.arange(3)
    A[i, i] = A[i, i] ** 2
    return A * A


def view_read_after_the_base_changed(A):
    row = A[0]
    A[0] = A[1] * A[2]
    return row * A[1]


def base_read_after_a_copy_changed(A):
    row = A[0].copy()
    row *= 5
    return A[0] * row


def mask_of_a_matrix(A):
    A[A > 0.5] = 0.25
    return A * A


def broadcast_store(A):
    A[:] = A[0]
    A[:, 1:2] += A[:, :1]
    return A * A


def split_views(A):
    top, bottom = np.split(A, [1])
    bottom *= top
    return A * A


def transposed_name(A):
    B = A.T
    B[0, 1] = 4.0
    A[0, 2] = B[1, 1] * B[0, 1]
    return B * A


MATRIX_WRITES = [
    row_view,
    column_view,
    view_of_a_view,
    transposed_view,
    flat_view,
    ravelled_view,
    stencil,
    stencil_twice,
    swap_rows_by_copies,
    swap_rows_by_views,
    swap_rows_by_a_list,
    unpacked_rows,
    rows_of_a_loop,
    overlapping_views,
    diagonal_store,
    view_read_after_the_base_changed,
    base_read_after_a_copy_changed,
    mask_of_a_matrix,
    broadcast_store,
    split_views,
    transposed_name,
]


@each("fun", MATRIX_WRITES)
def test_writes_through_views_have_numpys_meaning(fun):
    check(fun, A)


OTHER_LAYOUTS = {
    "Fortran": np.asfortranarray(A),
    "transposed": A.T,
    "reversed": A[::-1, ::-1],
    "every other": np.repeat(A, 2, axis=1)[:, ::2],
}


@each("layout", OTHER_LAYOUTS)
@each("fun", [row_view, stencil, unpacked_rows, overlapping_views])
def test_writes_through_views_of_other_layouts(fun, layout):
    check(fun, OTHER_LAYOUTS[layout])


# Where NumPy decides by the memory layout whether a reshape is a view or a copy.
RESHAPED = {
    "reshape": lambda x: x.reshape(-1),
    "ravel": lambda x: x.ravel(),
    "ravel of transposed": lambda x: x.T.ravel(),
    "reshape of transposed": lambda x: x.T.reshape(9),
    "ravel in order F": lambda x: x.ravel(order="F"),
    "part": lambda x: x[:, :2].reshape(-1),
}
LAID_OUT = {
    "C": lambda x: x.copy(),
    "Fortran": lambda x: np.asfortranarray(x),
    "every other": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "reversed": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
}


@each("layout", LAID_OUT)
@each("name", RESHAPED)
def test_a_reshape_that_may_copy_is_as_in_numpy_or_refused(name, layout):
    def f(x):
        derived = RESHAPED[name](x)
        derived *= 2.0
        return np.sum(x * x) + np.sum(derived)

    laid_out = LAID_OUT[layout]
    try:
        value, g = gs.value_and_grad(f)(laid_out(A))
    except gs.GradsmithError:
        assert (name, layout) not in {("reshape", "C"), ("ravel", "C")}
    else:
        same(value, f(laid_out(A)))
        same(g, differences(lambda x: f(laid_out(x)), A), rtol=1e-6, atol=1e-8)


DERIVED = {
    "x": lambda x: x,
    "x[:]": lambda x: x[:],
    "x[...]": lambda x: x[...],
    "x[::-1]": lambda x: x[::-1],
    "x[None]": lambda x: x[None],
    "x[1:2]": lambda x: x[1:2],
    "x.T": lambda x: x.T,
    "x.reshape": lambda x: x.reshape(3, 1, 3),
    "x.ravel": lambda x: x.ravel(),
    "x.squeeze": lambda x: x.squeeze(),
    "x.swapaxes": lambda x: x.swapaxes(0, 1),
    "x.transpose": lambda x: x.transpose(1, 0),
    "np.asarray": lambda x: np.asarray(x),
    "np.transpose": lambda x: np.transpose(x),
    "np.reshape": lambda x: np.reshape(x, (9,)),
    "np.ravel": lambda x: np.ravel(x),
    "np.expand_dims": lambda x: np.expand_dims(x, 1),
    "np.squeeze": lambda x: np.squeeze(x),
    "np.flip": lambda x: np.flip(x, 0),
    "np.moveaxis": lambda x: np.moveaxis(x, 0, 1),
    "np.split": lambda x: np.split(x, 3)[1],
    "np.atleast_3d": lambda x: np.atleast_3d(x),
    "astype without copy": lambda x: x.astype(np.float64, copy=False),
    "x.copy": lambda x: x.copy(),
    "x.flatten": lambda x: x.flatten(),
    "x.astype": lambda x: x.astype(np.float64),
    "np.copy": lambda x: np.copy(x),
    "np.array": lambda x: np.array(x),
    "+x": lambda x: +x,
    "x + 0": lambda x: x + 0,
    "x[[0, 1]]": lambda x: x[[0, 1]],
    "x[x > 0]": lambda x: x[x > 0],
    "np.roll": lambda x: np.roll(x, 1),
    "np.concatenate": lambda x: np.concatenate([x]),
    "np.stack": lambda x: np.stack([x, x]),
    "np.where": lambda x: np.where(x > 0, x, x),
    "np.clip": lambda x: np.clip(x, -9, 9),
}


@each("name", DERIVED)
def test_a_write_reaches_the_base_exactly_where_numpy_gives_a_view(name):
    def f(x):
        derived = DERIVED[name](x)
        derived *= 3.0
        return np.sum(x**2) + np.sum(np.sin(derived))

    check(f, A)


@each("name", DERIVED)
def test_a_view_shows_a_later_write_to_its_base(name):
    def f(x):
        derived = DERIVED[name](x)
        x *= 3.0
        return np.sum(np.sin(derived)) + np.sum(x)

    check(f, A)
