"""Seeds: ``grad_outputs`` checked against the outputs and brought to their types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    SeedError,
    SeedNeededError,
)
from gradsmith.frontend.arguments import leaf_value, symbolic_shape
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Shape
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType, describe_shape
from gradsmith.ops.create import full
from gradsmith.ops.declare import as_node
from gradsmith.ops.index import read
from gradsmith.ops.shape import astype


class PendingSeed:
    """A seed that is an argument of the compiled function: declared once its output is known."""

    def __init__(self, trace: Trace, name: str, value: Any) -> None:
        self.trace = trace
        self.name = name
        self.value = value

    @property
    def shape(self) -> tuple[int, ...]:
        """The concrete shape."""
        return np.shape(self.value)

    def declare(self, shape: Shape) -> Node:
        """The parameter, in the output's sizes, which its own are known to equal."""
        dtype = np.asarray(self.value).dtype
        form = "array" if isinstance(self.value, np.ndarray) else "scalar"
        made = leaf_value(
            self.trace,
            self.name,
            _no_integer(self.value),
            ArrayType(dtype, shape, form),  # type: ignore[arg-type]
            shares=False,  # a derivative writes to nothing outside
        )
        node: Node = made.node
        return node


def _no_integer(value: Any) -> Any:
    return float(value) if isinstance(value, int) else value


def seeds_for(
    outputs: Sequence[Node], grad_outputs: Any, *, several: bool, batched: bool
) -> list[Node]:
    """One seed node for each output.

    Raises
    ------
    SeedError
        Their number, a shape or a dtype does not fit.
    """
    given = _as_list(outputs, grad_outputs, several=several, batched=batched)
    if len(given) != len(outputs):
        raise SeedError(
            f"got {len(given)} grad_outputs for {len(outputs)} outputs",
            current_span(),
            "pass one seed for each output (None where an output has one element)",
        )
    try:
        pairs = enumerate(zip(outputs, given, strict=True))
        seeds = [_seed(i, out, seed, batched=batched) for i, (out, seed) in pairs]
    except SeedNeededError as error:
        error.example = _example(outputs, several=several)
        raise
    if batched:
        _check_batch(seeds)
    return seeds


def _as_list(
    outputs: Sequence[Node], grad_outputs: Any, *, several: bool, batched: bool
) -> list[Any]:
    if grad_outputs is None:
        return [None] * len(outputs)
    if several:
        return _one_each(outputs, grad_outputs)
    if isinstance(grad_outputs, (list, tuple)) and _is_list_of_seeds(
        outputs[0], grad_outputs, batched=batched
    ):
        return list(grad_outputs)
    return [grad_outputs]


def _one_each(outputs: Sequence[Node], grad_outputs: Any) -> list[Any]:
    if isinstance(grad_outputs, (list, tuple)):
        return list(grad_outputs)
    return _rows(grad_outputs, len(outputs)) or [grad_outputs]


def _rows(seed: Any, count: int) -> list[Any] | None:
    """The rows of an array that has ``count`` of them: nested lists of numbers come as arrays."""
    if isinstance(seed, PendingSeed):
        shape = symbolic_shape(seed.name, seed.shape)
        if not shape or not dims.same(shape[0], count):
            return None
        whole = seed.declare(shape)
    elif isinstance(seed, (Tracer, np.ndarray)) and seed.ndim and dims.same(seed.shape[0], count):
        whole = as_node(_elements(seed))
    else:
        return None
    return [Tracer(View(Storage(read(whole, i)))) for i in range(count)]


def seeds_by_output(shape: tree.Tree, seed: Any) -> Any:
    """The seeds of a function that returns a tree of this shape, as a list in its order.

    Raises
    ------
    SeedError
        It is a tree of another structure.
    """
    if seed is None or shape.kind == "leaf":
        return seed
    try:
        return tree.leaves_like(shape, seed, "grad_outputs", _rows)
    except tree.StructureError as error:
        if not tree.is_container(seed):
            return [seed]  # their number is wrong: the message counts them
        flat = not _is_nested(shape) or len(seed) == shape.leaf_count
        if flat and isinstance(seed, (list, tuple)):
            return list(seed)
        raise SeedError(
            f"the seeds do not have the structure of the function's result: {error}",
            current_span(),
            "pass one seed for each output, in the structure of the result",
        ) from None


def _is_nested(shape: tree.Tree) -> bool:
    return shape.kind == "dict" or any(child.children for child in shape.children)


def _is_list_of_seeds(output: Node, grad_outputs: Sequence[Any], *, batched: bool) -> bool:
    """Whether a list is one seed per output, not a nested list of a seed's numbers."""
    if len(grad_outputs) != 1:
        return False
    rank = output.ndim + (1 if batched else 0)
    return grad_outputs[0] is None or _rank(grad_outputs[0]) == rank


def _rank(seed: Any) -> int:
    """Number of axes, of nested lists too."""
    if isinstance(seed, (list, tuple)):
        return 1 + max(map(_rank, seed), default=0)
    return len(getattr(seed, "shape", ()))


def _seed(position: int, output: Node, seed: Any, *, batched: bool) -> Node:
    if seed is None:
        return _implicit(position, output)
    if isinstance(seed, PendingSeed):
        shape = symbolic_shape(seed.name, seed.shape)
        _check_shape(position, output, shape, batched=batched)
        lead = shape[:1] if batched else ()
        node = seed.declare((*lead, *output.shape))
        _call_after(node, output)
    else:
        _check_seed(position, seed)
        node = as_node(_elements(seed))
        _check_shape(position, output, node.shape, batched=batched)
    return _convert(position, output, node)


def _check_seed(position: int, seed: Any) -> None:
    numbers = (Tracer, TracedInt, bool, int, float, complex, np.generic, np.ndarray, list, tuple)
    if not isinstance(seed, numbers):
        raise ArgumentTypeError(
            f"grad_outputs[{position}] is {seed!r:.60}, of type {type(seed).__name__}",
            current_span(),
            "pass a number or an array of the shape of the output",
        )


def _call_after(seed: Node, output: Node) -> None:
    """One seed of several is called ``g_x`` where its output is called ``x``."""
    names = current_builder().names
    if output in names and not names[seed].isidentifier():
        names[seed] = f"g_{names[output]}"


def _elements(seed: Any) -> Any:
    """A seed within the trace, or a nested list of numbers, as nodes."""
    if isinstance(seed, (list, tuple)):
        return [_elements(s) for s in seed]
    if isinstance(seed, Tracer):
        return seed.node
    if isinstance(seed, TracedInt):
        return seed.dim
    if isinstance(seed, PendingSeed):
        return seed.declare(symbolic_shape(seed.name, seed.shape))
    return seed


def _shown(position: int, output: Node) -> str:
    """``output 0 (y)``."""
    name = current_builder().names.get(output)
    return f"output {position} ({name})" if name else f"output {position}"


def _implicit(position: int, output: Node) -> Node:
    shape = output.shape
    if not dims.same(output.array_type.size, 1):
        raise SeedNeededError(
            f"{_shown(position, output)} has shape {describe_shape(shape)}: a gradient without "
            "seed exists only for an output of one element",
            current_span(),
            f"pass grad_outputs of shape {describe_shape(shape)} (for the sum of the elements: "
            "np.ones of that shape)",
        )
    if output.array_type.complex:
        raise SeedNeededError(
            f"{_shown(position, output)} is complex: a gradient without seed exists only for "
            "real outputs",
            current_span(),
            "pass grad_outputs, or differentiate a real value such as abs(z)**2",
        )
    # a Python number where it does no harm: emitted code then says 1.0, not np.float64(1.0)
    wide = output.dtype == np.float64
    one = current_builder().lift(1.0 if wide else output.dtype.type(1))
    return full(one, shape=shape) if shape else one


def _example(outputs: Sequence[Node], *, several: bool) -> Any:
    """Seeds of the right shapes, for showing the source."""
    made = [np.ones([dims.hint(s) for s in out.shape], out.dtype)[()] for out in outputs]
    return tuple(made) if several else made[0]


def _check_shape(position: int, output: Node, shape: Shape, *, batched: bool) -> None:
    expected = output.shape
    actual = shape[1:] if batched else shape
    fits = len(actual) == len(expected) and (len(shape) > 0 or not batched)
    if not (fits and all(map(dims.same, actual, expected))):
        batch = " behind the batch axis" if batched else ""
        raise SeedError(
            f"grad_outputs[{position}] has shape {describe_shape(shape)}, but "
            f"{_shown(position, output)} has shape {describe_shape(expected)}: they must be "
            f"equal{batch}",
            current_span(),
            f"pass a seed of shape {describe_shape(expected)}" if expected else "pass one number",
        )


def _convert(position: int, output: Node, node: Node) -> Node:
    if node.array_type.complex and not output.array_type.complex:
        raise SeedError(
            f"grad_outputs[{position}] is complex, but {_shown(position, output)} is real",
            current_span(),
            "pass a real seed",
        )
    if node.dtype != output.dtype:
        node = astype(node, dtype=output.dtype)
    return node


def _check_batch(seeds: Sequence[Node]) -> None:
    first = seeds[0].shape[0]
    for seed in seeds:
        if not dims.same(seed.shape[0], first):
            sizes = [dims.hint(s.shape[0]) for s in seeds]
            raise ArgumentValueError(
                f"the seeds have different batch sizes: {sizes}",
                current_span(),
                "give every seed the same leading axis",
            )
