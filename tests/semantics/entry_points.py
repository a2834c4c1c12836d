"""The two ways to a gradient in the manner of torch, and the functions they are tried on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gradsmith as gs


def by_function(fun, args, wrt=None, **options):
    if wrt is not None:
        options["inputs"] = list(wrt)
    return gs.differentiable(fun).grad(*args, **options)


def by_trace(fun, args, wrt=None, **options):
    def program(*values):
        chosen = values if wrt is None else [values[i] for i in wrt]
        return gs.autograd.grad(fun(*values), chosen, **options)

    return gs.compile(program)(*args)


def vector(*values):
    return np.array(values or (0.5, -1.25, 2.0))


def line_of(marker, file):
    """Number of the line of the file that ends in the comment `# <marker>`."""
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    (found,) = [n for n, line in enumerate(lines, 1) if line.endswith(f"# {marker}")]
    return found


def refusal(builtin, call, *args, **options):
    """Message of the GradsmithError, which is also a `builtin`, that the call raises."""
    with pytest.raises(builtin) as caught:
        call(*args, **options)
    assert isinstance(caught.value, gs.GradsmithError)
    return str(caught.value)


# The functions under test, as a user writes them.


def square(x):
    return x * x


def loss(x):
    return np.sum(x * x)


def identity_times_two(x):
    return 2.0 * x


def vector_and_scalar(x):
    return np.sin(x), np.sum(x * x)


def two_vectors(x):
    return np.exp(x), x**3


def two_scalars(x):
    return np.sum(np.exp(x)), np.sum(x**3)


def weighted(x, w):
    return np.sum(np.tanh(x) * w)
