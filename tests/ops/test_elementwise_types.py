"""Inferred dtypes and shapes against NumPy's own results, for every combination of dtypes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from gradsmith.errors import GradsmithError
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.evaluate import evaluate
from gradsmith.ir.graph import Graph, Node
from gradsmith.ops.declare import FUNCTIONS, OPS
from helpers import each
from ops import samples_stable
from ops.families import SAMPLES
from ops.harness import emitted, symbolic

DTYPES = [
    *("bool", "uint8", "int32", "int64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
]
NUMBERS = [1, 1.0, 1 + 1j]
ARRAYS = [np.ones(2, dtype) for dtype in DTYPES]
SCALARS = [np.dtype(dtype).type(1) for dtype in DTYPES]
ALL = [*ARRAYS, *SCALARS, *[np.ones((), dtype) for dtype in DTYPES], *NUMBERS]
MOST = [*ARRAYS, *SCALARS, *NUMBERS]

FIXED = {
    *("where", "masked_divide", "clip", "logsumexp", "softmax", "log_softmax"),
    *("allclose", "array_equal", "python_float", "with_real", "with_imag"),
}
ATTRS: dict[str, dict[str, Any]] = {
    "round": {"decimals": 1},
    "chebyshev": {"coefficients": (1.0, 0.5)},
}


def operand_sets(count: int) -> list[tuple[Any, ...]]:
    if count == 1:
        return [(x,) for x in ALL]
    return list(itertools.product(*[MOST] * count))


def traced(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Graph, Node]:
    builder = Builder()
    with building(builder), dims.recording_guards():
        params = [builder.parameter(f"p{i}", symbolic(f"n{i}_", a)) for i, a in enumerate(args)]
        result = builder.lift(function(*params))
        return builder.graph([result]), result


def check(function: Callable[..., Any], numpy: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """The node has the type of what NumPy makes of ``args``, or both raise the same."""
    with np.errstate(all="ignore"):
        try:
            expected = numpy(*args)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            with pytest.raises(kind) as caught:
                traced(function, args)
            assert isinstance(caught.value, GradsmithError)
            return
        graph, node = traced(function, args)
        written = emitted(graph, args)[0]
        values = [evaluate(graph, args)[0], written, expected]
    for value in values:
        same_type(node, value, [type(a) for a in args])


def same_type(node: Node, value: Any, kinds: list[type]) -> None:
    assert np.shape(value) == tuple(map(dims.hint, node.shape)), kinds
    if node.array_type.weak:
        assert type(value) in (bool, int, float, complex), kinds
        assert np.asarray(value).dtype == node.dtype, kinds
    elif node.dtype.kind == "b":  # Python's comparisons of numbers make Python's booleans
        assert np.asarray(value).dtype == bool, kinds
    else:
        assert np.asarray(value).dtype == node.dtype, kinds
        wanted = np.ndarray if node.array_type.form == "array" else np.generic
        assert isinstance(value, wanted), kinds


def is_pythons(args: tuple[Any, ...]) -> bool:
    """Whether Python computes this by itself: to its complex, np.float64 is a float."""
    own = all(isinstance(a, (int, float, complex)) for a in args)
    return own and any(type(a) is complex for a in args)


@pytest.mark.parametrize("name", [n for n in SAMPLES if n not in FIXED])
def test_op_has_the_type_of_its_value(name: str) -> None:
    op, first = OPS[name], SAMPLES[name][0]
    attrs = ATTRS.get(name, first.attrs)
    for args in operand_sets(len(first.args)):
        if is_pythons(args):
            continue
        if name in samples_stable.SAMPLES and np.iscomplexobj(args[0]):
            continue  # for real numbers only
        check(lambda *x: op(*x, **attrs), lambda *x: op.evaluate(*x, **attrs), args)


@each("n", [-2, -1, 0, 1, 2, 3])
def test_whole_powers_have_the_type_of_the_operator(n: int) -> None:
    op = OPS["integer_power"]
    for x in ALL:
        if n < 0 and getattr(x, "dtype", None) == np.uint8:
            continue  # an OverflowError in NumPy
        check(lambda x: op(x, n=n), lambda x: x**n, (x,))


@each(
    "function",
    [
        np.angle,
        np.conj,
        np.fix,
        np.float_power,
        np.i0,
        np.imag,
        np.isclose,
        np.nan_to_num,
        np.real,
        np.reciprocal,
        np.round,
        np.sign,
        np.sinc,
        lambda x: np.clip(x, 0, 1),
        lambda x: np.clip(x, 0.5, None),
        lambda x: np.clip(x, None, 0.5),
        lambda x: np.nan_to_num(x, nan=1.5),
        lambda x: np.round(x, 2),
        lambda x: np.where(x, 1, 2.5),
    ],
)
def test_function_has_the_type_that_numpy_gives(function: Callable[..., Any]) -> None:
    count = 2 if function in (np.float_power, np.isclose) else 1
    meaning = FUNCTIONS.get(function) or (lambda x: call(function, x))
    for args in operand_sets(count):
        if any(isinstance(a, (np.ndarray, np.generic)) for a in args):
            check(meaning, function, args)


def call(function: Callable[..., Any], *nodes: Node) -> Any:
    """``function`` with NumPy's functions replaced by what they mean on nodes."""
    replaced = type("np", (), {n: staticmethod(FUNCTIONS[getattr(np, n)]) for n in FUNCTION_NAMES})
    again = type(function)(function.__code__, {"np": replaced})
    return again(*nodes)


FUNCTION_NAMES = ["clip", "nan_to_num", "round", "where"]


@pytest.mark.parametrize("name", ["where", "clip"])
def test_three_operands(name: str) -> None:
    op = OPS[name]
    some = [ARRAYS[i] for i in (3, 5, 6, 8)] + [SCALARS[5], SCALARS[6]] + NUMBERS
    for first, low, high in itertools.product(*[some] * 3):
        if name == "where":
            check(op, op.evaluate, (np.array([True, False]), low, high))
        elif not any(map(np.iscomplexobj, (first, low, high))) and type(first) not in (int, float):
            check(op, op.evaluate, (first, low, high))


@given(shapes=mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3), data=st.data())
def test_shapes_broadcast(shapes: Any, data: Any) -> None:
    name = data.draw(st.sampled_from(["where", "clip", "add", "maximum", "hypot", "less"]))
    op = OPS[name]
    arrays = [np.ones(shape) for shape in shapes.input_shapes]
    arrays[0] = arrays[0] > 0 if name == "where" else arrays[0]
    args = tuple(arrays if name in ("where", "clip") else arrays[:2])
    check(op, op.evaluate, args)
