"""From calls on traced values to nodes: looks up what a callable means and runs it on nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gradsmith.errors import GradsmithError, InternalError, UnsupportedError
from gradsmith.frontend.spans import current_span as here
from gradsmith.frontend.storage import Storage, View, is_contiguous, view_steps
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.dims import Dim
from gradsmith.ir.graph import Node
from gradsmith.ops import library
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.select import where as where_op
from gradsmith.ops.shape import astype, broadcast_to, expand_dims, reshape, squeeze

assert library.FAMILIES, "no op is declared"
CONTIGUOUS = frozenset({reshape, expand_dims, squeeze})


def apply(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)`` where some arguments are traced.

    Raises
    ------
    UnsupportedError
        gradsmith does not know the function.
    """
    implementation = FUNCTIONS.get(function)
    if implementation is None:
        raise UnsupportedError(
            f"{name_of(function)} is not supported on traced values",
            here(),
            "write it with supported NumPy functions, or compute it outside the function",
        )
    out = kwargs.pop("out", None)
    where = kwargs.pop("where", True) if isinstance(function, np.ufunc) else True
    if out is None and where is True:
        return run(implementation, *args, **kwargs)
    return _apply_into(function, implementation, out, where, args, kwargs)


def _apply_into(
    function: Callable[..., Any],
    implementation: Callable[..., Any],
    out: Any,
    where: Any,
    args: Any,
    kwargs: Any,
) -> Any:
    """``out=`` writes the result into a traced array, ``where=`` only in part."""
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if not isinstance(target, Tracer):
        why = "needs an `out=` array that was made in the traced function"
        raise UnsupportedError(f"{name_of(function)} {why}", here())
    result = run(implementation, *args, **kwargs)
    if where is not True:
        result = run(where_op, where, result, target)
    target.assign(run(_into, result, target))
    return target


def _into(result: Node, target: Node) -> Node:
    if result.shape != target.shape:
        result = broadcast_to(result, shape=target.shape)
    return result if result.dtype == target.dtype else astype(result, dtype=target.dtype)


def run(implementation: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Run a function of nodes on traced values; what comes back is traced again."""
    trace = current_trace()
    if trace is None:
        raise InternalError("traced values outlived the run of their function", here())
    owners: dict[Node, Tracer] = {}
    nodes = [unwrap(a, owners) for a in args]
    named = {key: unwrap(a, owners) for key, a in kwargs.items()}
    trace.builder.span = here() or trace.builder.span
    try:
        result = implementation(*nodes, **named)
    except GradsmithError as error:
        error.span = error.span or trace.builder.span
        raise
    except TypeError as error:
        what = name_of(implementation)
        raise UnsupportedError(f"{what}: {error}", trace.builder.span) from error
    return wrap(result, owners)


def unwrap(value: Any, owners: dict[Node, Tracer]) -> Any:
    """Traced values as nodes and sizes, also within lists, tuples and slices."""
    if isinstance(value, Tracer):
        node = value.node
        owners.setdefault(node, value)
        return node
    if isinstance(value, TracedInt):
        return value.dim
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return slice(*[unwrap(p, owners) for p in parts])
    if type(value) in (list, tuple):
        return type(value)(unwrap(v, owners) for v in value)
    return value


def wrap(result: Any, owners: dict[Node, Tracer]) -> Any:
    """Nodes as tracers; the result of a view op shares the storage of its operand."""
    if isinstance(result, Node):
        return _wrap_node(result, owners)
    if isinstance(result, Dim):
        return wrap_size(result)
    if type(result) in (list, tuple):
        return type(result)(wrap(r, owners) for r in result)
    return result


def _wrap_node(result: Node, owners: dict[Node, Tracer]) -> Tracer:
    owner = _owner(result, owners)
    if owner is None:
        return Tracer(View(Storage(result)))
    if result is owner.node:
        return owner
    steps = view_steps(result, owner.node)
    if steps is None:
        return Tracer(View(Storage(result)))
    path = owner.view.path + steps
    reshaped = [i for i, step in enumerate(path) if step.op is reshape]
    known = not reshaped or _is_in_order(owner.view.storage)
    if known and all(is_contiguous(path[:i], CONTIGUOUS) for i in reshaped):
        return Tracer(View(owner.view.storage, path))
    return Tracer(View(Storage(result, writable=False)))


def _is_in_order(storage: Storage) -> bool:
    """Whether the elements lie in C order, so that a reshape is a view; of an argument this is
    relied on if it is ever written to.
    """
    trace = current_trace()
    argument = None if trace is None or storage.name is None else trace.leaves.get(storage.name)
    if trace is None or storage.name is None or not isinstance(argument, np.ndarray):
        return True
    trace.layouts[storage.name] = storage
    return bool(argument.flags.c_contiguous)


def _owner(result: Node, owners: dict[Node, Tracer]) -> Tracer | None:
    if result.array_type.form == "scalar" and result not in owners:
        return None  # x[0] is a NumPy scalar: a copy
    node = result
    while node not in owners:
        if node.op.view is None:
            return None
        node = node.inputs[0]
    return owners[node]


def traced(value: Any) -> Tracer:
    """Any number, array or traced value as a tracer."""
    if isinstance(value, Tracer):
        return value
    trace = current_trace()
    if trace is None:
        raise InternalError("nothing is traced at the moment")
    raw = value.dim if isinstance(value, TracedInt) else value
    return Tracer(View(Storage(trace.builder.lift(raw))))


def is_traced(value: Any) -> bool:
    """Whether ``value`` is traced, or holds something that is."""
    if isinstance(value, (Tracer, TracedInt)):
        return True
    if isinstance(value, dict):
        return any_traced(value.values())
    return isinstance(value, (list, tuple)) and any_traced(value)


def any_traced(values: Iterable[Any]) -> bool:
    """Whether any of the values is traced."""
    return any(is_traced(v) for v in values)


def name_of(function: Any) -> str:
    """``np.linalg.norm`` and the like, for messages."""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    module = getattr(function, "__module__", None) or ""
    if isinstance(function, np.ufunc):
        return f"np.{function.__name__}"
    if name is None:
        return repr(function)
    if module.split(".")[0] == "numpy":
        return f"np.{module[6:]}.{name}" if module.startswith("numpy.") else f"np.{name}"
    return name if module in ("builtins", "__main__", "") else f"{module}.{name}"


Tracer.apply = staticmethod(apply)
Tracer.run = staticmethod(run)


def _number_arithmetic(symbol: str, left: Any, right: Any) -> Any:
    function = {
        "+": np.add,
        "-": np.subtract,
        "*": np.multiply,
        "/": np.divide,
        "//": np.floor_divide,
        "%": np.remainder,
        "**": np.power,
    }[symbol]
    return run(FUNCTIONS[function], left, right)


TracedInt.fallback = staticmethod(_number_arithmetic)
