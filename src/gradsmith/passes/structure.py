"""Rules that keep every bit: identities, views of views, broadcasts that do nothing, folding."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradsmith.ir.context import current_builder
from gradsmith.ir.graph import Node, is_users
from gradsmith.ir.intrinsics import is_number, item, number
from gradsmith.ir.mentions import said_by
from gradsmith.ir.types import TupleType, known_same_shape
from gradsmith.ops import syntax
from gradsmith.ops.arithmetic import add, divide, multiply, negative, subtract
from gradsmith.ops.compare import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_or,
    not_equal,
)
from gradsmith.ops.complex import conj, imag, real, with_imag, with_real
from gradsmith.ops.conditional import conditional_op
from gradsmith.ops.control import at_least_zero, distinct, finished_gradient, stop_gradient
from gradsmith.ops.create import full, ones, zeros
from gradsmith.ops.custom import custom_derivative
from gradsmith.ops.index import gather, getitem, index_add, index_set
from gradsmith.ops.index_key import NEWAXIS, Slice
from gradsmith.ops.powers import integer_power
from gradsmith.ops.quotients import masked_divide
from gradsmith.ops.reduce import reduce_sum
from gradsmith.ops.repeats import may_repeat
from gradsmith.ops.scalars import is_of_known_class, widened
from gradsmith.ops.select import where
from gradsmith.ops.shape import (
    astype,
    broadcast_to,
    cast,
    expand_dims,
    flip,
    reshape,
    squeeze,
    transpose,
)
from gradsmith.passes.pattern import Apply, Wild
from gradsmith.passes.rewrite import Rule

X, Y, U = Wild("x"), Wild("y"), Wild("u")
R = "root"


def _keep(x: Node, **_: Any) -> Node:
    return x


def _kept(root: Node, x: Node) -> Node | None:
    """``x`` for ``x / 1``."""
    return x if _is_exact(x, root) else None


def _is_exact(x: Node, root: Node) -> bool:
    """Whether ``x`` may stand for the result: ``1.0 * 2`` is 2.0, and products and quotients of
    complex numbers have sums of zeros in them, or of infinities times 0.
    """
    if not is_users(root):
        return True
    return not x.array_type.complex and (bool(root.ndim) or is_of_known_class(x))


def _strong(root: Node, x: Node) -> Node | None:
    """``np.float64(x)`` for ``np.float64(1.0) * x``, of a Python number."""
    if x.type == root.type and not _is_exact(x, root):
        return None
    return cast(x, root.dtype) if x.array_type.weak and not root.array_type.weak else x


def _opposite(root: Node, x: Node) -> Node | None:
    return -x if x.array_type.inexact and _is_exact(x, root) else None


def _compose_transposes(root: Node, x: Node) -> Node:
    inner, outer = root.inputs[0].attrs["axes"], root.attrs["axes"]
    axes = tuple(inner[a] for a in outer)
    return x if axes == tuple(range(len(axes))) else transpose(x, axes=axes)


def _identity_transpose(root: Node, x: Node) -> Node | None:
    axes = root.attrs["axes"]
    return x if axes == tuple(range(len(axes))) else None


def _merge_reshapes(root: Node, x: Node) -> Node:
    shape = root.attrs["shape"]
    return x if x.shape == shape else reshape(x, shape=shape)


def _merge_broadcasts(root: Node, x: Node) -> Node:
    return broadcast_to(x, shape=root.attrs["shape"])


def _broadcast_full(root: Node, x: Node) -> Node:
    inner = root.inputs[0]
    return full(x, **{**inner.attrs, "shape": root.attrs["shape"]})


def _same_axes(root: Node, x: Node) -> Node | None:
    return x if root.attrs["axis"] == root.inputs[0].attrs["axis"] else None


def _first_write(root: Node, x: Node, y: Node) -> Node | None:
    """Adding a slice to zeros is setting it; index arrays may repeat, and stay."""
    if may_repeat(root.attrs["index"], root.inputs[2:]):
        return None
    return index_set(x, y, *root.inputs[2:], **root.attrs)


def _one_number(root: Node, x: Node) -> Node | None:
    """Whatever way one looks at a number repeated, it is that number repeated."""
    if x.ndim or said_by([root]):  # sizes may be known by it alone
        return None
    value = number(x)
    if root.array_type.form == "scalar" and value is not None:
        return current_builder().lift(root.dtype.type(value))
    return x if x.type == root.type else broadcast_to(x, shape=root.shape)


def _number_of_adjoint(root: Node, x: Node) -> Node | None:
    """A constant, where branches join adjoints: of which class it is, nobody can tell there."""
    value = number(x)
    if value is None or is_users(root):
        return None
    typed = root.dtype.type(value)
    return current_builder().lift(typed.item() if root.array_type.weak else typed)


def _first_power(root: Node, x: Node) -> Node | None:
    return x if root.attrs["n"] == 1 and _is_exact(x, root) else None


def _reduced_away(root: Node, x: Node) -> Node | None:
    """A sum that keeps its axes for nothing."""
    total = root.inputs[0]
    if not total.attrs["keepdims"] or total.attrs["axis"] != root.attrs["axis"]:
        return None
    return total.op(x, **{**total.attrs, "keepdims": False})


def _new_axes(root: Node, x: Node) -> Node | None:
    """``x[:, None]`` as what it is."""
    items = root.attrs["index"].items
    if any(item is not NEWAXIS and item != Slice(None, None) for item in items):
        return None
    axis = tuple(i for i, item in enumerate(items) if item is NEWAXIS)
    return expand_dims(x, axis=axis) if axis else None


def _minus(root: Node, x: Node, c: Node, y: Node) -> Node | None:
    """``x + -2 * y`` is ``x - 2 * y``, to the last bit."""
    factor = number(c) if y.array_type.inexact else None  # -128 has no opposite in 8 bits
    return x - (-factor) * y if isinstance(factor, (int, float)) and factor < 0 else None


def _compared(root: Node, x: Node) -> Node | None:
    """``x <= 0`` for ``-x >= 0``."""
    return MIRRORED[root.op](x, 0) if x.array_type.inexact else None


MIRRORED = {
    less: greater,
    less_equal: greater_equal,
    greater: less,
    greater_equal: less_equal,
    equal: equal,
    not_equal: not_equal,
}


def _ones_or_zeros(root: Node, x: Node) -> Node | None:
    """``np.ones`` and ``np.zeros`` say what ``np.full`` spells out."""
    for value, make in ((1, ones), (0, zeros)):
        if is_number(x, value):
            return make(shape=root.shape, dtype=root.dtype)
    return None


def _written_alone(root: Node, x: Node, y: Node) -> Node:
    """What is written broadcasts by itself."""
    return root.op(x, y, *root.inputs[2:], **root.attrs)


def _real_conjugate(x: Node, **_: Any) -> Node | None:
    return None if x.array_type.complex else x


def _number_first(root: Node, x: Node, y: Node) -> Node | None:
    first, second = root.inputs
    if number(first) is not None or number(second) is None:
        return None
    left = second.array_type  # Python's own complex numbers make Python's of an np.float64
    by_python = left.weak and left.complex and first.array_type.form != "array"
    return None if by_python else second * first


def _is_number(node: Node) -> bool:
    return number(node) is not None


def _known_choice(root: Node, x: Node, y: Node, u: Node) -> Node | None:
    """What a condition that is a number chooses."""
    known = number(x)
    return None if known is None else y if known else u


def _known_quotient(root: Node, x: Node, y: Node, u: Node) -> Node | None:
    """A quotient under a mask that holds."""
    return divide(y, u) if number(x) else None


def _known_or(root: Node, x: Node, y: Node) -> Node | None:
    """``True | y`` is True, ``False | y`` is ``y``; ``x`` as well."""
    for one, other in ((x, y), (y, x)):
        known = number(one)
        if known is not None and not root.ndim:
            return one if known else other
    return None


def _filled(root: Node, x: Node, y: Node) -> Node | None:
    """Writing into a number repeated: into a new array of it."""
    if x.ndim:
        return None
    fresh = full(x, shape=root.shape, dtype=root.dtype)
    return root.op(fresh, y, *root.inputs[2:], **root.attrs)


def _all_written(root: Node, x: Node, y: Node) -> Node | None:
    """What is written to all of an array: one number, or all that there is in what was zeros."""
    if not x.ndim or not root.attrs["index"].whole:
        return None
    if y.ndim == 0:
        return full(cast(y, root.dtype), shape=root.shape, dtype=root.dtype)
    fits = x.op is zeros and y.dtype == root.dtype and y.shape == root.shape
    return getitem(y, **root.attrs) if fits else None


def _without_axes(root: Node, x: Node, y: Node) -> Node | None:
    """What is written to an array without axes is all of it, or is added to all of it: a new array
    of that, and no buffer that is written to.
    """
    if x.ndim or root.inputs[2:]:
        return None
    value = reshape(y, shape=()) if y.ndim else y
    return reshape(cast(x + value if root.op is index_add else value, root.dtype), shape=())


def _taken_twice(root: Node, x: Node) -> Node | None:
    """``x[::-1][::-1]``."""
    same = root.attrs == root.inputs[0].attrs and not root.inputs[1:]
    return x if same and root.attrs["index"].whole else None


def _put_back(root: Node, x: Node, y: Node) -> Node | None:
    """``x[i] = x[i]`` does nothing."""
    same = y.inputs == (x, *root.inputs[2:]) and y.attrs["index"] == root.attrs["index"]
    return x if same else None


def _is_read(node: Node) -> bool:
    return node.op in (getitem, gather)


PARTS = (with_real, with_imag)

VIEWS = (expand_dims, squeeze, reshape, transpose, getitem, gather)

STRUCTURE = [
    *(Rule(Apply(op, (X, Y), R, rest=True), _without_axes) for op in (index_set, index_add)),
    Rule(Apply(multiply, (X, 1), R), _strong),
    Rule(Apply(multiply, (X, Y), R), _number_first),
    Rule(Apply(divide, (X, 1), R), _kept),
    Rule(Apply(subtract, (X, 0), R), _kept),
    Rule(Apply(negative, (Apply(negative, (X,)),)), _keep),
    Rule(Apply(multiply, (X, -1), R), _opposite),
    *(Rule(Apply(op, (Apply(negative, (X,)), 0), R), _compared) for op in MIRRORED),
    Rule(Apply(conj, (X,)), _real_conjugate),
    Rule(Apply(broadcast_to, (X,)), _keep),
    Rule(Apply(reshape, (X,)), _keep),
    Rule(Apply(astype, (X,)), _keep),
    Rule(Apply(reshape, (Apply(reshape, (X,)),), R), _merge_reshapes),
    Rule(Apply(transpose, (X,), R), _identity_transpose),
    Rule(Apply(transpose, (Apply(transpose, (X,)),), R), _compose_transposes),
    Rule(Apply(flip, (Apply(flip, (X,)),), R), _same_axes),
    Rule(Apply(broadcast_to, (Apply(broadcast_to, (X,)),), R), _merge_broadcasts),
    Rule(Apply(broadcast_to, (Apply(full, (X,)),), R), _broadcast_full),
    Rule(Apply(squeeze, (Apply(expand_dims, (X,)),), R), _same_axes),
    Rule(Apply(expand_dims, (Apply(squeeze, (X,)),), R), _same_axes),
    Rule(Apply(index_add, (Wild("x", lambda n: n.op is zeros), Y), R, rest=True), _first_write),
    Rule(Apply(integer_power, (X,), R), _first_power),
    Rule(Apply(widened, (X,), R), _number_of_adjoint),
    Rule(Apply(full, (X,), R), _ones_or_zeros),
    Rule(Apply(getitem, (X,), R), _new_axes),
    Rule(Apply(getitem, (Apply(getitem, (X,)),), R), _taken_twice),
    Rule(Apply(squeeze, (Apply(reduce_sum, (X,)),), R), _reduced_away),
    Rule(Apply(add, (X, Apply(multiply, (Wild("c", _is_number), Y))), R), _minus),
    *(Rule(Apply(op, (Apply(broadcast_to, (X,)),), R, rest=True), _one_number) for op in VIEWS),
    Rule(Apply(index_add, (Apply(broadcast_to, (X,)), Y), R, rest=True), _filled),
    Rule(Apply(index_set, (Apply(broadcast_to, (X,)), Y), R, rest=True), _filled),
    *(Rule(Apply(op, (X, Y, U), R), _known_choice) for op in (where, conditional_op)),
    Rule(Apply(masked_divide, (X, Y, U), R), _known_quotient),
    Rule(Apply(logical_or, (X, Y), R), _known_or),
    Rule(Apply(with_real, (X, Apply(real, (X,)))), _keep),
    Rule(Apply(with_imag, (X, Apply(imag, (X,)))), _keep),
    *(Rule(Apply(op, (Apply(op, (X, U)), Y)), lambda x, u, y, op=op: op(x, y)) for op in PARTS),
    Rule(Apply(index_set, (X, Y), R, rest=True), _all_written),
    Rule(Apply(index_set, (X, Wild("y", _is_read)), R, rest=True), _put_back),
    Rule(Apply(index_add, (X, Apply(broadcast_to, (Y,))), R, rest=True), _written_alone),
    Rule(Apply(index_set, (X, Apply(broadcast_to, (Y,))), R, rest=True), _written_alone),
]
"""`Table` takes no result of another type: ``x * 1`` stays where the 1 is an array of ones that
broadcasts, ``reshape(x)`` where the shape changes."""


def _own_value(root: Node, whole: Node) -> Node:
    """A result of a function with a derivative rule of its own is what the function gives."""
    value: Node = whole.inputs[root.attrs["index"]]
    return value


UNWRAP = [
    Rule(Apply(distinct, (X,)), _keep),
    Rule(Apply(at_least_zero, (X,)), _keep),
    Rule(Apply(stop_gradient, (X,)), _keep),
    Rule(Apply(finished_gradient, (X,)), _keep),
    Rule(Apply(item, (Wild("whole", lambda n: n.op is custom_derivative),), R), _own_value),
]
"""Identities that only differentiation looks at; gone once it is done."""


def fold_constants(node: Node) -> Node | None:
    """An elementwise op of numbers is a number."""
    if not node.op.elementwise or isinstance(node.type, TupleType) or node.shape:
        return None
    values = [_typed_number(operand) for operand in node.inputs]
    if not values or any(v is None for v in values):
        return None
    with np.errstate(all="ignore"):
        try:
            result = node.op.evaluate(*values, **node.attrs)
        except ArithmeticError:  # Python raises, where NumPy gives inf or nan
            if node.span is None or not node.span.adjoint:
                return None
            result = node.op.evaluate(*map(np.float64, values), **node.attrs)
    if isinstance(result, int) and not _fits(result, node.dtype):
        return None
    if not np.all(np.isfinite(result)) and not node.array_type.weak:
        return None  # what NumPy warns of at run time is left to NumPy; Python raises, and may not
    if node.dtype.kind in "bi" and isinstance(result, (float, np.floating)):
        return None  # an integer to a negative power
    typed = node.dtype.type(result)
    return current_builder().lift(typed.item() if node.array_type.weak else typed)


def _fits(number_: int, dtype: np.dtype[Any]) -> bool:
    """Whether an integer is one of the dtype."""
    if dtype.kind not in "iu":
        return True
    bounds = np.iinfo(dtype)
    return bounds.min <= number_ <= bounds.max


def _typed_number(node: Node) -> Any:
    """The number that a node is, integers of NumPy's as such: they wrap around."""
    found = number(node)
    wraps = found is not None and node.dtype.kind in "iu" and not node.array_type.weak
    return node.dtype.type(found) if wraps else found


def drop_broadcasts(node: Node) -> Node | None:
    """Elementwise ops broadcast by themselves: ``broadcast_to(x) * y`` is ``x * y``."""
    if not node.op.elementwise or not any(_is_spread(x, node) for x in node.inputs):
        return None
    operands = [x.inputs[0] if _is_spread(x, node) else x for x in node.inputs]
    made = node.op(*operands, **node.attrs)
    if known_same_shape(made.shape, node.shape) and made.dtype == node.dtype:
        return made
    return _drop_one_broadcast(node)


def _drop_one_broadcast(node: Node) -> Node | None:
    """One operand has to keep the shape; the others need not."""
    for position, operand in enumerate(node.inputs):
        if _is_spread(operand, node):
            operands = list(node.inputs)
            operands[position] = operand.inputs[0]
            made = node.op(*operands, **node.attrs)
            if known_same_shape(made.shape, node.shape) and made.dtype == node.dtype:
                return made
    return None


def _is_spread(node: Node, user: Node) -> bool:
    """Whether ``user`` may take the one value that ``node`` repeats: ``np.full`` also converts
    it, which is left out only where ``user`` converts a Python number of that kind alike.
    """
    if node.op is expand_dims:  # leading axes come by broadcasting
        return bool(node.attrs["axis"] == tuple(range(len(node.attrs["axis"]))))
    if node.op is not full:
        return node.op is broadcast_to
    value = node.inputs[0]
    if value.dtype == node.dtype:
        return True
    safe = np.can_cast(value.dtype, node.dtype, "same_kind")
    return value.array_type.weak and safe and user.dtype == node.dtype


def repeat_results(node: Node) -> Node | None:
    """An op of repeated numbers is its result repeated: ``-broadcast_to(x, n)``."""
    if node.op not in REPEATED or node.ndim == 0:
        return None
    if any(x.ndim and not _is_spread(x, node) for x in node.inputs):
        return None
    values = [x.inputs[0] if x.ndim else x for x in node.inputs]
    unbounded = node.dtype.kind in "iu" and all(x.array_type.weak for x in values)
    if unbounded or any(x.ndim for x in values):
        return None  # integers of Python's do not wrap around
    return broadcast_to(node.op(*values), shape=node.shape)


REPEATED = (negative, add, subtract, multiply)
"""Python's own operators among them (of numbers that are Python's) raise nothing."""


def plain_numbers(node: Node) -> Node | None:
    """``2.5 * x`` for ``np.float64(2.5) * x``, where Python's number gives the same dtype."""
    if not node.op.elementwise or not any(map(_is_numpy_number, node.inputs)):
        return None
    others = [x for x in node.inputs if not _is_numpy_number(x)]
    if not others or any(x.array_type.weak for x in others):
        return None
    if not any(map(_is_numpys, others)):
        return None  # on some path they are Python's
    operands = [_plain(x, node) if _is_numpy_number(x) else x for x in node.inputs]
    return node.op(*operands, **node.attrs)


def _is_numpys(node: Node) -> bool:
    """Whether it is an array or a scalar of NumPy's for certain."""
    if node.ndim or (node.span is not None and node.span.adjoint):
        return True
    if node.op is divide:
        return any(map(_is_numpys, node.inputs))
    return not node.array_type.weak and is_of_known_class(node)


def _plain(constant: Node, user: Node) -> Any:
    """The Python number; in the precision of ``user`` the one of fewest digits."""
    value = number(constant)
    return syntax.shortest(value) if value.dtype == user.dtype else value.item()


def _is_numpy_number(node: Node) -> bool:
    value = number(node)
    return isinstance(value, np.generic) and type(value.item()) in (int, float)


GENERIC = (fold_constants, drop_broadcasts, repeat_results, plain_numbers)
"""Rules for every op, tried after the table's."""
