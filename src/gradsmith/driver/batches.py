"""Batched seeds at the top level: one call of the compiled gradient for each row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.errors import ArgumentValueError, SeedError


def _rows_of(seed: Any) -> tuple[list[Any], Any]:
    """The rows of a seed (a tree of arrays with a leading batch axis), and a row of zeros.

    Raises
    ------
    SeedError
        A seed has no axis to be the batch.
    ArgumentValueError
        The batch sizes differ.
    """
    leaves, shape = tree.flatten(seed, lambda v: not tree.is_container(v))
    arrays = [np.asarray(leaf) for leaf in leaves]
    shapes = [array.shape for array in arrays]
    if () in shapes or seed is None:
        what = "no seed was given" if seed is None else f"the seeds have shapes {shapes}"
        raise SeedError(
            f"is_grads_batched=True needs seeds with a leading batch axis: {what}",
            hint="stack the seeds along a new first axis and pass them as grad_outputs",
        )
    sizes = [len(array) for array in arrays]
    if len(set(sizes)) > 1:
        raise ArgumentValueError(
            f"the seeds have different batch sizes: {sizes}",
            hint="give every seed the same leading axis",
        )
    rows = [tree.unflatten(shape, [array[i] for array in arrays]) for i in range(sizes[0])]
    return rows, tree.unflatten(shape, [np.zeros(a.shape[1:], a.dtype) for a in arrays])


def batched_call(gradient: Callable[[Any, bool], Any], seed: Any) -> Any:
    """``gradient(row, first)`` for every row of the seed, stacked leaf by leaf; ``first`` says
    whether it is the first one.
    """
    rows, zero = _rows_of(seed)
    try:
        results = [gradient(row, not i) for i, row in enumerate(rows or [zero])]
    except SeedError as error:
        error.message = f"of each row of the batch, {error.message}"
        raise
    flat = [tree.flatten(result, lambda v: not tree.is_container(v)) for result in results]
    columns = zip(*[leaves for leaves, _ in flat], strict=True)
    stacked = [None if column[0] is None else np.stack(column)[: len(rows)] for column in columns]
    return tree.unflatten(flat[0][1], stacked)
