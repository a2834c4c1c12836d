"""Gradients of traced values: the checks of ``torch.autograd.grad`` around reverse mode."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradsmith.autodiff.activity import why_unused
from gradsmith.autodiff.reverse import vjp
from gradsmith.driver.outer_paths import check_paths
from gradsmith.driver.seeds import seeds_for
from gradsmith.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    GradientError,
    Span,
    UnusedInputError,
)
from gradsmith.frontend.dispatch import traced
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ops.control import finished_gradient
from gradsmith.ops.create import zeros
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.index import read
from gradsmith.passes.pipeline import ADJOINT
from gradsmith.passes.rewrite import in_form
from gradsmith.passes.stable_form import stable_form


class OutsideTraceError(ArgumentTypeError):
    """``autograd.grad`` was called in a function that runs on plain arrays."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A gradient that is symbolically zero, and why."""

    source: Node
    reason: str


def differentiate(
    outputs: Sequence[Node], seeds: Sequence[Node | None], inputs: Sequence[Node]
) -> tuple[list[Node], list[Node | Missing]]:
    """The outputs in numerically stable form, and their gradients in ``inputs``."""
    check_paths(outputs, inputs)
    builder = current_builder()
    stable = stable_form(builder, outputs, inputs)
    with builder.phase(ADJOINT):
        found = vjp(stable, seeds, inputs)
    gradients = [
        _zero_or_missing(source, outputs) if g is None else g
        for source, g in zip(inputs, found, strict=True)
    ]
    return list(map(in_form, stable, outputs)), gradients


def _zero_or_missing(source: Node, outputs: Sequence[Node]) -> Node | Missing:
    unused = why_unused(source, outputs)
    if unused is not None:
        return Missing(source, unused.reason)
    return zero_gradient(source)


def zero_gradient(source: Node) -> Node:
    """A gradient of zeros: a NumPy scalar for a value without axes."""
    if source.shape:
        return zero_like(source)
    return current_builder().lift(source.dtype.type(0))


def zero_like(value: Node) -> Node:
    """Zeros of the shape, dtype and kind of a value: a number for a number."""
    if value.array_type.form == "array":
        return zeros(shape=value.shape, dtype=value.dtype)
    zero = value.dtype.type(0)
    return current_builder().lift(zero.item() if value.array_type.weak else zero)


def check_outputs(outputs: Sequence[Node]) -> None:
    """Refuse outputs that have no gradient.

    Raises
    ------
    GradientError
        An output is integer or boolean.
    """
    for position, output in enumerate(outputs):
        if not output.array_type.inexact:
            span = output.span or current_span()
            raise GradientError(
                f"output {position} has dtype {output.dtype} (made by {output.op.name}): only "
                "floating and complex outputs have gradients",
                span,
                "differentiate the floating value that it was made from",
            )


def _input_node(value: Any, what: str) -> Node:
    """The node of an input of ``autograd.grad``.

    Raises
    ------
    ArgumentTypeError
        It is no traced floating or complex value.
    """
    if isinstance(value, Tracer) and value.type.inexact:
        return value.node
    if isinstance(value, Tracer):
        kind = f"has dtype {value.dtype}"
    elif isinstance(value, TracedInt):
        kind = "is an integer"
    else:
        kind = f"is a {type(value).__name__} that does not depend on the traced arguments"
    raise ArgumentTypeError(
        f"{what} {kind}: gradients are taken with respect to traced floating or complex values",
        current_span(),
        "pass the argument itself (a float array), or a value computed from it",
    )


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """Sum of gradients of ``outputs`` with respect to ``inputs``, as `torch.autograd.grad`.

    Usable inside a function that gradsmith traces (one compiled with `gradsmith.compile`, or that
    is itself being differentiated). Nothing is accumulated, nothing mutated.

    Parameters
    ----------
    outputs : traced array or sequence of traced arrays
        Differentiated and summed.
    inputs : traced array, sequence or dict of traced arrays
        Arguments or intermediate values, floating or complex.
    grad_outputs : array_like, sequence of array_like or None, optional
        The seed of each output, of its shape; None is allowed where the output has one element.
    retain_graph : bool, optional
        Accepted and without effect: nothing is ever freed.
    create_graph : bool
        Whether the gradients may be differentiated again.
    only_inputs : bool
        Must be left True.
    allow_unused : bool, optional
        Give None for an input that the outputs do not depend on, instead of raising.
    is_grads_batched : bool
        The leading axis of every seed is a batch; so is that of every gradient.
    materialize_grads : bool
        Zeros instead of None.

    Returns
    -------
    tuple of traced arrays, or a dict for a dict of inputs
        Of the shapes and dtypes of the inputs.

    Raises
    ------
    RuntimeError
        An output or a seed does not fit (`SeedError`, `GradientError`), or an input is unused.
    TypeError
        An input is integer or boolean.
    ValueError
        ``inputs`` is empty, batch sizes differ, or the keywords contradict one another.
    """
    if not only_inputs:
        warnings.warn(
            "only_inputs=False does nothing: gradients are never accumulated",
            FutureWarning,
            stacklevel=2,
        )
    return gradients_of(
        outputs,
        inputs,
        grad_outputs,
        create_graph=create_graph,
        policy=Policy.of(allow_unused, materialize_grads),
        batched=is_grads_batched,
    )


@dataclass(frozen=True, slots=True)
class Policy:
    """What an input without gradient gives: an error, None or zeros."""

    allow_unused: bool
    materialize: bool

    @classmethod
    def of(cls, allow_unused: bool | None, materialize: bool) -> Policy:
        """From torch's keywords.

        Raises
        ------
        ArgumentValueError
            They contradict each other.
        """
        if materialize and allow_unused is False:
            raise ArgumentValueError(
                "materialize_grads=True contradicts allow_unused=False",
                current_span(),
                "leave allow_unused out: materialize_grads=True implies it",
            )
        return cls(bool(allow_unused) or materialize, materialize)


def gradients_of(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any,
    *,
    create_graph: bool,
    policy: Policy,
    batched: bool,
) -> Any:
    """The body of `grad`."""
    if current_trace() is None:
        raise OutsideTraceError(
            "autograd.grad was called outside of a traced function",
            current_span(),
            "call it in a function that is compiled (gs.compile) or differentiated (gs.grad), or "
            "take f.grad of a function",
        )
    names, values = _named(inputs)
    sources = [_input_node(v, f"input {name}") for name, v in zip(names, values, strict=True)]
    several = isinstance(outputs, (list, tuple))
    targets = [_output(o) for o in (outputs if several else [outputs])]
    check_outputs(targets)
    seeds = seeds_for(targets, grad_outputs, several=several, batched=batched)
    if batched:
        found = _batched(targets, seeds, sources)
    else:
        found = differentiate(targets, seeds, sources)[1]
    results = [
        _resolve(g, source, str(name), policy, create_graph, seeds[0] if batched else None)
        for name, source, g in zip(names, sources, found, strict=True)
    ]
    return dict(zip(names, results, strict=True)) if isinstance(inputs, dict) else tuple(results)


def _named(inputs: Any) -> tuple[list[Any], list[Any]]:
    if isinstance(inputs, dict):
        names, values = list(inputs), list(inputs.values())
    else:
        values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
        names = list(range(len(values)))
    if not values:
        raise ArgumentValueError(
            "grad() needs at least one input",
            current_span(),
            "pass the values to differentiate by",
        )
    return names, values


def _output(value: Any) -> Node:
    if isinstance(value, (Tracer, TracedInt, int, float, complex, np.ndarray, np.generic)):
        return traced(value).node
    raise ArgumentTypeError(
        f"an output is a {type(value).__name__}, not a traced value", current_span()
    )


def _batched(
    outputs: Sequence[Node], seeds: Sequence[Node], inputs: Sequence[Node]
) -> list[Node | Missing]:
    """One gradient for each row of the seeds, stacked; the outputs are computed once.

    The rows are written out one by one: their number is part of the compiled code.
    """
    count = dims.concrete(seeds[0].shape[0])
    rows = [
        differentiate(outputs, [read(seed, i) for seed in seeds], inputs)[1] for i in range(count)
    ]
    if not rows:
        return [zeros(shape=(0, *source.shape), dtype=source.dtype) for source in inputs]
    return [
        column[0] if isinstance(column[0], Missing) else FUNCTIONS[np.stack](list(column))
        for column in zip(*rows, strict=True)
    ]


def _resolve(
    g: Node | Missing,
    source: Node,
    name: str,
    policy: Policy,
    create_graph: bool,
    batch: Node | None,
) -> Tracer | None:
    if isinstance(g, Missing):
        if not policy.allow_unused:
            raise _unused_error(name, source, g)
        if not policy.materialize:
            return None
        if batch is None:
            g = zero_gradient(source)
        else:
            g = zeros(shape=(*batch.shape[:1], *source.shape), dtype=source.dtype)
    if not create_graph:
        g = finished_gradient(g)
    return Tracer(View(Storage(g)))


def _unused_error(name: str, source: Node, missing: Missing) -> UnusedInputError:
    """The error for an input that has no gradient, with the reason."""
    label = current_builder().names.get(source)
    who = f"input {name}" + (f" ({label})" if label and label != name else "")
    span: Span | None = current_span()
    return UnusedInputError(
        f"the gradient with respect to {who} does not exist: {missing.reason}",
        span,
        "pass create_graph=True there"
        if "create_graph" in missing.reason
        else "pass allow_unused=True for None, or materialize_grads=True for zeros",
    )
