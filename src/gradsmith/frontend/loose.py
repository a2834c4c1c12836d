"""Numbers whose class in Python depends on the way taken: texts of them may not tell which.

After ``y = 0 if c else x``, and before the first ``s = s + x`` of a loop that ``s = 0`` begins, a
value here has the type that holds either. It counts alike, and prints otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from gradsmith.errors import ControlFlowError, GradsmithError
from gradsmith.frontend.dispatch import apply, run
from gradsmith.frontend.messages import shown
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import number
from gradsmith.ir.types import ArrayType, python_number
from gradsmith.ops.complex import scalar_absolute
from gradsmith.ops.declare import as_node
from gradsmith.ops.powers import power
from gradsmith.ops.scalars import as_complex
from gradsmith.ops.shape import cast

AS_FLOATS = frozenset("eEfFgG%")
"""Formats in which integers are written as the floats that they equal."""


def note(node: Node, types: Iterable[ArrayType], unless: Size | None = None) -> None:
    """``node`` may be of another of these types in Python; never with ``unless`` above zero."""
    trace = current_trace()
    own = node.array_type  # numbers stay what they are, arrays without axes become numbers
    others = [t for t in types if t.form == "array" and not t.ndim and not _is_alike(t, own)]
    if trace is not None and others:
        trace.loose.setdefault(node, (others[0], unless))


def note_joined(
    node: Node, condition: Node, types: Sequence[ArrayType], values: Sequence[Node]
) -> None:
    """``node`` is the first of two ``values`` of these types where the condition holds."""
    trace = current_trace()
    if trace is None:
        return
    if any(value in trace.joined or value is node for value in values):
        trace.joined[node] = None
    elif types[0].dtype != types[1].dtype:
        trace.joined[node] = (condition, types[0], types[1])


def dtype_is_known(value: Tracer) -> bool:
    """Whether each path gives the number this dtype."""
    trace = current_trace()
    return trace is None or not any(node in trace.joined for node in _operands(value.node))


def _operands(node: Node) -> dict[Node, None]:
    """The node and all that it is computed from."""
    found: dict[Node, None] = {}
    stack = [node]
    while stack:
        top = stack.pop()
        if top not in found:
            found[top] = None
            stack += top.inputs
    return found


def type_of(value: Tracer, decide: Callable[[Any], bool]) -> ArrayType | None:
    """The type of a number of Python's in the present call; ``decide`` is asked which path of a
    branch it takes where that matters. None where it is not known which paths there are.
    """
    trace, node = current_trace(), value.node
    if trace is not None and may_be_complex(node) and decide(_is_complex(node)):
        return python_number(complex)
    if trace is None or not trace.joined or dtype_is_known(value):
        return value.type
    types: dict[Node, Any] = {}
    operands = _operands(node)
    for known in (n for n in trace.builder.nodes if n in operands):
        if known in trace.joined:
            joined = trace.joined[known]
            if joined is None:
                return None
            condition, then, orelse = joined
            types[known] = then if decide(Tracer(View(Storage(condition)))) else orelse
        elif any(i in types for i in known.inputs):
            given = [types.get(i, i.type) for i in known.inputs]
            types[known] = known.op.infer(*given, **known.attrs)
    return types.get(node)


def may_be_complex(node: Node) -> bool:
    """Whether it is a power of real numbers of Python's, which is complex for some of them."""
    if node.op is not power or not node.array_type.weak or node.dtype.kind != "f":
        return False
    exponent = number(node.inputs[1])
    return exponent is None or not float(exponent).is_integer()


def _is_complex(node: Node) -> Tracer:
    """Whether such a power is: its base is negative, its exponent no integer, and both finite."""
    base, exponent = (Tracer(View(Storage(i))) for i in node.inputs)
    fraction = exponent != apply(np.floor, exponent)
    finite = apply(np.logical_and, apply(np.isfinite, base), apply(np.isfinite, exponent))
    negative = apply(np.logical_and, apply(np.less, base, 0), fraction)
    made: Tracer = apply(np.logical_and, negative, finite)
    return made


def _settled(value: Tracer) -> Any:
    """The value, or the complex number that it is in this call, where the code may be made for
    such calls: its parts have derivatives of their own.
    """
    trace, node = current_trace(), value.node
    if trace is None or trace.builder is not trace.root or not may_be_complex(node):
        return value
    if not Tracer.decide(_is_complex(node)):
        return value
    operands = (Tracer(View(Storage(i))) for i in node.inputs)
    return run(lambda base, exponent: power(as_complex(base), exponent), *operands)


Tracer.settled = staticmethod(_settled)


def _is_alike(left: ArrayType, right: ArrayType) -> bool:
    return left.dtype == right.dtype and left.form == right.form


def by_numpy(function: Any, *args: Any, **kwargs: Any) -> Any:
    """A function of NumPy's, which gives a scalar of NumPy's also for numbers of Python's."""
    if function is abs and len(args) == 1 and isinstance(args[0], Tracer):
        value = _settled(args[0])
        if isinstance(value, Tracer) and value.type.form == "scalar" and value.type.complex:
            return run(scalar_absolute, value)
        args = (value,)
    result = apply(function, *args, **kwargs)
    by_python = isinstance(result, Tracer) and result.type.weak
    if not (by_python and isinstance(function, np.ufunc)):
        return result
    return apply(function, run(_as_numpys, args[0]), *args[1:], **kwargs)


def _as_numpys(value: Any) -> Node:
    node = as_node(value)
    return cast(node, node.dtype)


def check(value: Tracer, *, by_class: bool, spec: str = "") -> None:
    """Refuse to write a number that Python may write otherwise; ``by_class`` as `repr` does it,
    or by a format.

    Raises
    ------
    ControlFlowError
        It may be of another class there.
    """
    trace = current_trace()
    if trace is None or not trace.loose:
        return
    node = value.node
    other = _alternatives(trace).get(node)
    if other is None or (spec[-1:] in AS_FLOATS and _are_real(node.array_type, other)):
        return
    if by_class or other.dtype != node.dtype:
        _refuse(value, other)


def _are_real(*types: ArrayType) -> bool:
    return all(type_.dtype.kind in "iuf" for type_ in types)


def _refuse(value: Tracer, other: ArrayType) -> NoReturn:
    kinds = sorted({_called(value.type), _called(other)})
    raise ControlFlowError(
        f"{shown(value)} is written as Python's {' or '.join(kinds)}: the way taken decides which",
        current_span(),
        "make it a float from the start (0.0 for 0), or write np.float64(x)",
    )


def _called(type_: ArrayType) -> str:
    if type_.form == "python":
        return type(type_.dtype.type(0).item()).__name__
    return f"np.{type_.dtype.name}" if type_.form == "scalar" else "array"


def _alternatives(trace: Trace) -> dict[Node, ArrayType]:
    """The other types that values known here may have."""
    found: dict[Node, ArrayType] = {}
    for node, (type_, unless) in list(trace.loose.items()):
        known = unless is not None and not dims.is_unbacked(unless)
        if not (known and unless is not None and dims.decide(">", unless, 0)):
            found[node] = type_
    for builder in _chain(trace.builder):
        found |= {own: found[outer] for outer, own in builder.captured.items() if outer in found}
        for node in builder.nodes:
            other = None if node in found else _inferred(node, found)
            if other is not None:
                found[node] = other
    return found


def _chain(builder: Builder | None) -> list[Builder]:
    return [] if builder is None else [*_chain(builder.parent), builder]


def _inferred(node: Node, found: dict[Node, ArrayType]) -> ArrayType | None:
    """The type of ``node`` with the other types of its operands, if that is another one."""
    if not isinstance(node.type, ArrayType) or not any(i in found for i in node.inputs):
        return None
    try:
        other = node.op.infer(*[found.get(i, i.type) for i in node.inputs], **node.attrs)
    except GradsmithError:
        return None
    if not isinstance(other, ArrayType) or other.ndim or _is_alike(other, node.type):
        return None
    return other
