"""What each public transform computes, on traced arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import BoundArguments
from typing import Any, NoReturn

import numpy as np

from gradsmith import tree
from gradsmith.autodiff.forward import jvp
from gradsmith.driver.gradients import (
    Missing,
    Policy,
    check_outputs,
    differentiate,
    gradients_of,
    zero_gradient,
    zero_like,
)
from gradsmith.driver.seeds import seeds_by_output, seeds_for
from gradsmith.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    SeedError,
    UnusedInputWarning,
)
from gradsmith.frontend.arguments import is_input
from gradsmith.frontend.dispatch import traced
from gradsmith.frontend.isolated_calls import call_isolated
from gradsmith.frontend.layout import order_of_copy
from gradsmith.frontend.messages import shown
from gradsmith.frontend.opaque import class_of_object
from gradsmith.frontend.results import check_results, is_number_or_array, returned
from gradsmith.frontend.shared_memory import enter_containers
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.warned import warn_at
from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node
from gradsmith.ir.types import describe_shape, same_shape
from gradsmith.ops.control import distinct
from gradsmith.passes.pipeline import ADJOINT
from gradsmith.passes.rewrite import in_form
from gradsmith.passes.stable_form import stable_form


def is_leaf(value: Any) -> bool:
    """Whether ``value`` is a traced or concrete number or array."""
    return isinstance(value, (Tracer, TracedInt)) or is_input(value)


def wrap(node: Node) -> Tracer:
    """A traced array of its own."""
    return Tracer(View(Storage(node)))


class Primals:
    """The values that a transform differentiates by, each leaf under an identity of its own.

    Parameters
    ----------
    values : mapping
        From what a value is called (``params``) to the value, a tree.
    discrete : bool
        Whether a value may be an integer as a whole; its gradient is None then.
    """

    def __init__(self, values: Mapping[str, Any], *, discrete: bool = False) -> None:
        self.inputs: list[Node] = []
        self.labels: list[str] = []
        self._trees: list[tuple[tree.Tree, list[bool]]] = []
        self._discrete = discrete
        self.values = {name: self._own(name, value) for name, value in values.items()}

    def _own(self, name: str, value: Any) -> Any:
        leaves, shape = tree.flatten(value, is_leaf)
        moving = [_is_inexact(leaf) for leaf in leaves]
        if not self._discrete:
            _check_differentiable(name, shape, leaves, moving)
        self._trees.append((shape, moving))
        own = [
            self._leaf(tree.path_name(name, path), tree.leaf_name(name, path), leaf)
            if moves
            else leaf
            for leaf, path, moves in zip(leaves, tree.paths(shape), moving, strict=True)
        ]
        seen = tree.unflatten(shape, own)
        trace = current_trace()
        if trace is not None and shape.children:
            enter_containers(trace, seen, value)
        return seen

    def _leaf(self, label: str, name: str, leaf: Any) -> Tracer:
        builder = current_builder()
        value = traced(leaf).node
        node = distinct(value, token=builder.token())
        builder.name(node, builder.names.get(value, name))
        self.labels.append(label)
        self.inputs.append(node)
        own = wrap(node)
        if isinstance(leaf, Tracer):
            own.view.storage.name = leaf.view.storage.name
            own.view.storage.label = leaf.view.storage.label
            own.view.storage.order = order_of_copy(leaf.view)
            if leaf.view.storage.shared:
                own.view.storage.overlap(leaf.view.storage)
            else:  # an array from outside that is read later may share its memory
                leaf.view.storage.stand_ins.append(own.view.storage)
        return own

    def tangents(self, given: Sequence[Any]) -> list[Node | None]:
        """Directions for the inputs, given in the structure of the values; None where zero.

        Raises
        ------
        ArgumentValueError
            They do not have the structure or the shapes of the values.
        """
        if len(given) != len(self._trees):
            raise ArgumentValueError(
                f"got {len(given)} tangents for {len(self._trees)} arguments",
                current_span(),
                "pass one tangent for each argument (None for zero)",
            )
        pairs = zip(self.values, self._trees, given, strict=True)
        moved = [t for name, known, tangent in pairs for t in _moving(name, *known, tangent)]
        return [
            None if t is None else _checked_tangent(label, source, t)
            for label, source, t in zip(self.labels, self.inputs, moved, strict=True)
        ]

    def restore(self, gradients: Sequence[Any]) -> list[Any]:
        """Gradients in the shapes of the values; None for all that has none."""
        rest = iter(gradients)
        return [
            tree.unflatten(
                _without_statics(shape), [next(rest) if moves else None for moves in moving]
            )
            for shape, moving in self._trees
        ]

    def materialise(self, found: Sequence[Node | Missing]) -> list[Tracer]:
        """Zeros, with a warning that says why, where there is no gradient."""
        builder = current_builder()
        gradients = []
        for label, source, g in zip(self.labels, self.inputs, found, strict=True):
            if isinstance(g, Missing):
                _warn_unused(label, source, g)
                g = zero_gradient(source)  # noqa: PLW2901
                if source in builder.names:
                    builder.name(g, f"g_{builder.names[source]}")
            gradients.append(wrap(g))
        return gradients


def _without_statics(shape: tree.Tree) -> tree.Tree:
    """None in the place of what has no gradient: strings, functions, objects of libraries."""
    if shape.kind == "static":
        return replace(shape, value=None)
    return replace(shape, children=tuple(map(_without_statics, shape.children)))


def _moving(name: str, shape: tree.Tree, moving: Sequence[bool], tangent: Any) -> list[Any]:
    """The tangents of the leaves of one value that are differentiated by."""
    try:
        leaves = tree.leaves_like(shape, tangent, f"the tangent of {name}")
    except tree.StructureError as error:
        hint = "pass tangents of the structure of the primals (None for zero)"
        raise ArgumentValueError(str(error), current_span(), hint) from None
    return [leaf for leaf, moves in zip(leaves, moving, strict=True) if moves]


def _checked_tangent(label: str, source: Node, tangent: Any) -> Node:
    hint = "pass a tangent of the shape of its argument (None for zero)"
    if not is_leaf(tangent) and not isinstance(tangent, (list, bool)):
        kind = f"the tangent of {label} is a {type(tangent).__name__}"
        raise ArgumentTypeError(kind, current_span(), hint)
    node = traced(np.asarray(tangent) if isinstance(tangent, bool) else tangent).node
    if not same_shape(source.shape, node.shape):
        raise ArgumentValueError(
            f"the tangent of {label} has shape {describe_shape(node.shape)}, {label} has shape "
            f"{describe_shape(source.shape)}",
            current_span(),
            hint,
        )
    return node


def _is_inexact(leaf: Any) -> bool:
    return not isinstance(leaf, TracedInt) and traced(leaf).type.inexact


def _check_differentiable(
    name: str, shape: tree.Tree, leaves: Sequence[Any], moving: Sequence[bool]
) -> None:
    if not leaves:
        cls = class_of_object(shape.value) or type(shape.value)
        hint = f"pass np.asarray({name})" if hasattr(cls, "__array__") else PASS_A_FLOAT
        _refuse_discrete(name, f"a {cls.__name__}", hint)
    for leaf, path, moves in zip(leaves, tree.paths(shape), moving, strict=True):
        if not moves:
            discrete = isinstance(leaf, (TracedInt, int))
            kind = "an integer" if discrete else f"of dtype {leaf.dtype}"
            _refuse_discrete(tree.path_name(name, path), kind)


PASS_A_FLOAT = "pass a float (1.0 for 1, x.astype(float) for an integer array)"


def _refuse_discrete(name: str, kind: str, hint: str = PASS_A_FLOAT) -> NoReturn:
    raise ArgumentTypeError(
        f"{name} is {kind}: gradients are taken with respect to floating or complex values",
        current_span(),
        hint,
    )


def _warn_unused(label: str, source: Node, missing: Missing) -> None:
    """Say once, when compiling, that a gradient is zero and why."""
    name = current_builder().names.get(source)
    who = f"{label} ({name})" if name else label
    message = f"the gradient with respect to {who} is zero: {missing.reason}"
    warn_at(current_span(), message, UnusedInputWarning)


def _output_leaves(value: Any, *, others: bool = False) -> tuple[list[Node], tree.Tree]:
    """The nodes of a function's result, and its shape; with ``others``, strings, truths and the
    like may be among them.

    Raises
    ------
    ArgumentTypeError
        Part of the result is no number or array.
    """
    leaves, shape = tree.flatten(value, is_number_or_array)
    check_results(shape, writable=others)
    if not leaves:
        raise ArgumentTypeError(
            f"the function returns {value!r:.60}: there is nothing to differentiate",
            returned(),
            "return the value that it computes",
        )
    return [traced(leaf).node for leaf in leaves], shape


def gradient_of_arguments(
    function: Callable[..., Any],
    bound: BoundArguments,
    names: Sequence[str],
    *,
    seed: Any,
    has_aux: bool,
) -> tuple[Any, list[Any], Any]:
    """``(value, gradients, aux)`` for `gradsmith.grad` and `gradsmith.value_and_grad`."""
    own = list(dict.fromkeys(names))
    primals, result = _run(function, bound, own)
    result, aux = _split_aux(result, has_aux=has_aux)
    outputs, shape = _output_leaves(result)
    several = shape.kind != "leaf"
    if several and seed is None:
        raise _several_outputs(result, has_aux=has_aux)
    check_outputs(outputs)
    seeds = seeds_for(outputs, seeds_by_output(shape, seed), several=several, batched=False)
    stable, found = differentiate(outputs, seeds, primals.inputs)
    if len(stable) == 1:
        current_builder().name(stable[0], "value")
    value = tree.unflatten(shape, [wrap(node) for node in stable])
    gradients = dict(zip(own, primals.restore(primals.materialise(found)), strict=True))
    return value, [gradients[name] for name in names], aux


def _run(
    function: Callable[..., Any],
    bound: BoundArguments,
    names: Sequence[str],
    *,
    mixed: bool = False,
) -> tuple[Primals, Any]:
    primals = Primals({name: bound.arguments[name] for name in names}, discrete=mixed)
    bound.arguments.update(primals.values)
    trace = current_trace()
    if trace is not None and trace.subject is None:
        trace.subject = list(names)
    return primals, call_isolated(function, *bound.args, **bound.kwargs)


def _split_aux(result: Any, *, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return result, None
    if not (isinstance(result, tuple) and len(result) == 2):
        several = isinstance(result, (tuple, list))
        what = f"a {type(result).__name__} of {len(result)}" if several else _kind(result)
        raise ArgumentTypeError(
            f"with has_aux=True the function must return a pair (output, aux), not {what}",
            returned(),
            "return output, aux, or leave has_aux out",
        )
    return result


def _several_outputs(result: Any, *, has_aux: bool) -> ArgumentTypeError:
    """The error for a function of which it is not said which output to differentiate."""
    kind = type(result).__name__
    count = f" of {len(result)}" if hasattr(result, "__len__") else ""
    others = "for several outputs take f.grad of gs.differentiable(f), gs.autograd.grad or gs.vjp"
    if has_aux:
        return ArgumentTypeError(
            f"with has_aux=True the first of the pair (output, aux) is a {kind}{count}: a "
            "gradient is that of one array or number",
            returned(),
            f"return (output, aux) with all the rest in aux; {others}",
        )
    return ArgumentTypeError(
        f"the function returns a {kind}{count}: a gradient is that of one array or number",
        returned(),
        "return one value, or (output, aux) with has_aux=True for values that are not "
        f"differentiated; {others}",
    )


def _kind(value: Any) -> str:
    return shown(value) if isinstance(value, Tracer) else f"a {type(value).__name__}"


def named_gradient(
    function: Callable[..., Any],
    bound: BoundArguments,
    names: Sequence[str],
    *,
    seed: Any,
    policy: Policy,
    batched: bool,
    mixed: bool = False,
) -> tuple[Any, tuple[Any, ...]]:
    """``(value, gradients)`` for ``f.grad``: by parameter, unused ones treated as in torch.

    ``mixed`` says that integers within trees are passed over.
    """
    own = list(dict.fromkeys(names))
    primals, result = _run(function, bound, own, mixed=mixed)
    outputs, shape = _output_leaves(result)
    wrapped = [wrap(node) for node in outputs]
    inputs = dict(zip(primals.labels, map(wrap, primals.inputs), strict=True))
    found = gradients_of(
        wrapped if shape.kind != "leaf" else wrapped[0],
        inputs,
        seeds_by_output(shape, seed),
        create_graph=True,
        policy=policy,
        batched=batched,
    )
    value = tree.unflatten(shape, wrapped)
    gradients = dict(zip(own, primals.restore(list(found.values())), strict=True))
    return value, tuple(gradients[name] for name in names)


class Pullback:
    """The pullback of a function at traced arguments: its value, and gradients for cotangents."""

    __gradsmith__ = True

    def __init__(self, function: Callable[..., Any], args: Sequence[Any]) -> None:
        names = [f"argument {i}" for i in range(len(args))]
        self._primals = Primals(dict(zip(names, args, strict=True)), discrete=True)
        result = call_isolated(function, *self._primals.values.values())
        self._outputs, self._shape = _output_leaves(result, others=True)
        self.value = tree.unflatten(self._shape, [wrap(node) for node in self._outputs])

    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        several = self._shape.kind != "leaf"
        given = seeds_by_output(self._shape, cotangent) if several else [cotangent]
        if given is None:
            given = [None] * len(self._outputs)
        if len(given) != len(self._outputs):
            raise SeedError(
                f"got {len(given)} cotangents for {len(self._outputs)} outputs",
                current_span(),
                "pass a cotangent of the structure of the function's result",
            )
        moving = [i for i, out in enumerate(self._outputs) if out.array_type.inexact]
        outputs = [self._outputs[i] for i in moving]
        seeds = seeds_for(outputs, [given[i] for i in moving], several=True, batched=False)
        _, found = differentiate(outputs, seeds, self._primals.inputs)
        return tuple(self._primals.restore(self._primals.materialise(found)))


def pushforward(
    function: Callable[..., Any], args: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any]:
    """``(value, tangent)`` of a function at traced arguments along traced tangents."""
    names = [f"argument {i}" for i in range(len(args))]
    primals = Primals(dict(zip(names, args, strict=True)), discrete=True)
    result = call_isolated(function, *primals.values.values())
    outputs, shape = _output_leaves(result, others=True)
    directions = primals.tangents(tangents)
    builder = current_builder()
    stable = stable_form(builder, outputs, primals.inputs)
    with builder.phase(ADJOINT):
        found = jvp(stable, primals.inputs, directions)
        moved = [zero_like(out) if t is None else t for out, t in zip(outputs, found, strict=True)]
    values = map(in_form, stable, outputs)
    value = tree.unflatten(shape, [wrap(node) for node in values])
    return value, tree.unflatten(_numbers_only(shape), [wrap(node) for node in moved])


def _numbers_only(shape: tree.Tree) -> tree.Tree:
    """The shape with None for what has no tangent."""
    if shape.kind == "static":
        return replace(shape, value=None)
    return replace(shape, children=tuple(map(_numbers_only, shape.children)))
