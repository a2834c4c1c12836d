"""Whether Python raises where it computes with numbers: asked where a ``try`` handles it.

NumPy raises, too, where ``np.errstate`` says so.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.ir import dims, intrinsics
from gradsmith.ir.dims import Guard, Shape, Size
from gradsmith.ir.evaluations import divisions
from gradsmith.ir.graph import Node, Region, RegionFacts, facts_of
from gradsmith.ir.op import NON_DIFF, Emitter
from gradsmith.ir.types import ArrayType, DType, python_number, result_dtype
from gradsmith.ops import syntax
from gradsmith.ops.declare import OPS, primitive
from gradsmith.ops.index_key import ELLIPSIS, NEWAXIS, Array, Index, Slice, indexed_shape, is_mask
from gradsmith.ops.regions import UNBOUNDED, branch, is_conversion

SUMS_AND_PRODUCTS = ("add", "subtract", "multiply")
"""Operations that raise where an integer is too large for a floating-point number."""
ARITHMETIC = (
    *("divide", "floor_divide", "remainder", "power", "integer_power"),
    *("left_shift", "right_shift"),
)
"""Operations that raise on Python's numbers, and on no others."""
OF_SOME = (
    *("reduce_max", "reduce_min", "argmax", "argmin"),
    *("python_max_element", "python_min_element"),
)
"""Reductions of arrays that raise where there is no element."""


def may_raise(node: Node) -> bool:
    """Whether it is a computation that raises for some numbers: mostly for Python's only, but no
    integer is infinite either, and nothing is the largest of no elements.
    """
    types = [i.type for i in node.inputs]
    numbers = bool(types) and all(isinstance(t, ArrayType) and t.weak for t in types)
    large = node.op.name in SUMS_AND_PRODUCTS and any(map(_is_too_large, node.inputs))
    arithmetic = numbers and (large or node.op.name in ARITHMETIC)
    arithmetic = arithmetic or _is_power_of_integers(node)
    empty = node.op.name in OF_SOME and _may_be_empty(node)
    whole = node.op.name == "whole" and not _is_integer(node.inputs[0])
    named = whole or node.op.name.startswith("math_") or _is_clip_of_integers(node)
    divided = node.op is intrinsics.size and bool(divisions(node.attrs["value"]))
    return arithmetic or empty or named or divided


def may_raise_unread(node: Node) -> bool:
    """Whether it may raise an error that only running tells, which is raised if nothing reads the
    node, too.
    """
    facts = node.facts or facts_of(node)
    if facts.raising is None:
        facts.raising = _may_raise_unread(node)
    answer, needed = facts.raising
    if needed:
        dims.record(needed)
    return answer


def _may_raise_unread(node: Node) -> tuple[bool, tuple[Guard, ...]]:
    """The same, and the guards that the answer needs."""
    if "index" not in node.attrs and node.op.name not in OF_SOME:  # no sizes are compared
        return may_raise(node) or _may_not_fit(node), ()
    with dims.recording_guards() as guards:
        answer = may_raise(node) or may_be_out_of_range(node) or _may_not_fit(node)
    return answer, tuple(guards)


def _may_not_fit(node: Node) -> bool:
    """Whether it computes with arrays of which running tells whether they have fitting shapes."""
    if node.op.name == "reshape":
        return not _fits(node)
    shapes = _computed_together(node)
    if len(shapes) < 2 or len(set(shapes)) == 1 or node.regions:
        return False
    if not any(dims.is_unbacked(size) for shape in shapes for size in shape):
        return False
    ends = zip(*(reversed(shape) for shape in shapes), strict=False)
    return any(len({size for size in sizes if size != 1}) > 1 for sizes in ends)


def _computed_together(node: Node) -> list[Shape]:
    """The shapes of arrays that have to fit: of a write those of the part and of its update."""
    types = [i.type for i in node.inputs if isinstance(i.type, ArrayType)]
    index = node.attrs.get("index")
    if isinstance(index, Index) and node.op.name in ("index_set", "index_add"):
        written, update, *arrays = types
        return [indexed_shape(written.shape, index, arrays), update.shape] if update.ndim else []
    return [t.shape for t in types if t.ndim]


def may_raise_inside(node: Node) -> bool:
    """The same of anything in the regions of a branch or loop."""
    return any(map(_may_raise, node.regions))


# Regions do not change: each loop around them would otherwise go through all that is in them.
_known: RegionFacts[tuple[bool, tuple[Guard, ...]]] = RegionFacts()


def _may_raise(region: Region) -> bool:
    if region not in _known:
        with dims.recording_guards() as guards:
            answer = any(may_raise_unread(n) or may_raise_inside(n) for n in region.nodes)
        _known[region] = answer, tuple(guards)
    answer, needed = _known[region]
    dims.record(needed)
    return answer


def may_be_out_of_range(node: Node) -> bool:
    """Whether it reads or writes at an index that may be out of range, which the data decide.

    For other indices guards have been recorded.
    """
    index = node.attrs.get("index")
    if not isinstance(index, Index):
        return False
    arrays = node.inputs[len(node.inputs) - len(index.arrays) :]
    shape, axis = node.inputs[0].shape, 0
    for item in index.items:
        if isinstance(item, Array):
            array = arrays[item.position]
            if not is_mask(array.array_type):
                if array.op is not intrinsics.constant or dims.is_unbacked(shape[axis]):
                    return True
                axis += 1
            else:
                axis += array.ndim
        elif item is not NEWAXIS and item is not ELLIPSIS:
            if not isinstance(item, Slice) and not _is_in_range(item, shape[axis]):
                return True
            axis += 1
    return False


def _is_in_range(position: Size, size: Size) -> bool:
    if not any(dims.is_unbacked(s) or dims.changes(s) for s in (position, size)):
        return True
    with dims.recording_guards():  # it is a question, upon which nothing depends
        inside = dims.settled("<", position, size) and dims.settled(">=", position, -size)
    return bool(inside)


def _is_integer(node: Node) -> bool:
    return isinstance(node.type, ArrayType) and not node.type.inexact


def _is_clip_of_integers(node: Node) -> bool:
    """Whether it has bounds that may be beyond the dtype: for some of these NumPy raises."""
    if node.op.name != "clip" or node.array_type.inexact:
        return False
    return any(_may_be_too_large(bound, node.dtype) for bound in node.inputs[1:])


def _is_power_of_integers(node: Node) -> bool:
    """Whether it is a power of NumPy's integers, which may not be negative powers."""
    if node.op.name != "power" or not isinstance(node.type, ArrayType):
        return False
    exponent = intrinsics.number(node.inputs[1])
    return node.type.dtype.kind == "i" and not (type(exponent) is int and exponent >= 0)


def _fits(node: Node) -> bool:
    """Whether an array has as many elements as before: the data may decide one of the sizes."""
    before, after = node.inputs[0].array_type.size, node.array_type.size
    return before == after or not (dims.is_unbacked(before) or dims.is_unbacked(after))


def _may_be_empty(node: Node) -> bool:
    """Whether an array may have no element along the axes that are reduced."""
    x, axes = node.inputs[0].array_type, node.attrs["axis"]
    reduced = range(x.ndim) if axes is None else axes if isinstance(axes, tuple) else (axes,)
    return any(not dims.settled(">=", x.shape[axis], 1) for axis in reduced)


def _is_too_large(node: Node) -> bool:
    """Whether it is an integer that no floating-point number is as large as."""
    value = intrinsics.number(node)
    return type(value) is int and abs(value) > sys.float_info.max


def converted_numbers(node: Node) -> list[tuple[Node, DType]]:
    """The numbers among its operands that it converts, as numbers of Python's, to a dtype which
    may not hold them, each with this dtype.
    """
    type_ = node.type
    if not isinstance(type_, ArrayType):
        return []
    if type_.dtype.kind in "iu" and not type_.weak:
        places = _CONVERTING.get(node.op.name, slice(0))
        any_size = node.op.name not in _OF_FITTING_DTYPE
        return [
            (i, type_.dtype)
            for i in node.inputs[places]
            if _may_be_too_large(i, type_.dtype)
            or (any_size and may_be_unbounded(i))
            or (_is_float(i) and node.op.name in _OF_WHOLE_NUMBERS)
            or _is_stored_scalar(node, i)
        ]
    dtype = _floating(node, type_)
    if dtype is None or is_long_quotient(node):
        return []
    return [(i, dtype) for i in node.inputs if may_exceed_floats(i)]


def is_long_quotient(node: Node) -> bool:
    """Whether it is a quotient of integers of Python's that may be larger than all floating-point
    numbers: Python divides them as they are, and only the quotient has to be one.
    """
    types = [i.type for i in node.inputs]
    whole = all(isinstance(t, ArrayType) and t.weak and t.dtype.kind == "i" for t in types)
    return node.op.name == "divide" and whole and any(map(may_exceed_floats, node.inputs))


_OF_FITTING_DTYPE = frozenset({"array", "full"})
"""What takes another dtype for integers of more than 64 bits."""
_OF_WHOLE_NUMBERS = frozenset({"astype", "array", "index_set"})
"""What makes integers of Python's floats only where these are no NaN and not too large."""


def _floating(node: Node, type_: ArrayType) -> DType | None:
    """The floating-point (or complex) dtype that an operation converts integers to, if any."""
    if not (node.op.elementwise or node.op.name in _TO_FLOATS or node.op.name in _CONVERTING):
        return None
    if type_.inexact:
        return None if of_long_integers(node) else type_.dtype
    types = [i.type for i in node.inputs if isinstance(i.type, ArrayType)]
    compared = type_.dtype.kind == "b" and not type_.weak and any(t.inexact for t in types)
    return result_dtype(*types) if compared else None


_TO_FLOATS = frozenset({"python_float", "where", "clip"})


def of_long_integers(node: Node) -> bool:
    """Whether it is a function of NumPy's of integers of Python's, of which it makes objects where
    they have more than 64 bits.
    """
    if not node.op.elementwise or not isinstance(node.type, ArrayType) or node.type.weak:
        return False
    return any(map(may_be_unbounded, node.inputs)) and all(
        isinstance(i.type, ArrayType) and i.type.weak and not i.type.inexact for i in node.inputs
    )


def may_be_unbounded(operand: Node) -> bool:
    """Whether it is an integer of Python's that may have more than 64 bits: an argument, or made
    of a floating-point number. Lengths and counters of iterations have less.
    """
    if operand.op.name == "widened":  # a number of several classes
        return may_be_unbounded(operand.inputs[0])
    type_ = operand.type
    if not isinstance(type_, ArrayType) or not type_.weak or type_.dtype.kind != "i":
        return False
    if operand.op is intrinsics.size:
        return any(map(is_unbounded, dims.symbols(operand.attrs["value"])))
    value = intrinsics.number(operand)
    if value is not None:
        return bool(abs(value) >= 1 << 63)
    return operand.op.elementwise and any(map(may_be_unbounded, operand.inputs))


def may_exceed_floats(operand: Node) -> bool:
    """Whether it is an integer of Python's that may be larger than all floating-point numbers: not
    one that is made of such a number.
    """
    if operand.op.name == "widened":  # a number of several classes
        return may_exceed_floats(operand.inputs[0])
    if operand.op.name in SUMS_AND_PRODUCTS and all(map(_may_be_whole, operand.inputs)):
        return any(map(may_exceed_floats, operand.inputs))
    if operand.op is intrinsics.item and operand.inputs[0].op is branch:
        place = operand.attrs["index"]
        return any(may_exceed_floats(r.results[place]) for r in operand.inputs[0].regions)
    if operand.op is intrinsics.size:
        symbol = dims.as_symbol(operand.attrs["value"])
        if symbol is not None and is_conversion(symbol):
            return False
    value = intrinsics.number(operand)
    return _is_too_large(operand) if value is not None else may_be_unbounded(operand)


def _may_be_whole(operand: Node) -> bool:
    """Whether it may be an integer of Python's where the code runs, whatever its type says."""
    if (
        operand.op.name in ("widened", *SUMS_AND_PRODUCTS)
        and operand.inputs[0].type != operand.type
    ):
        return all(map(_may_be_whole, operand.inputs))
    type_ = operand.type
    return isinstance(type_, ArrayType) and type_.weak and type_.dtype.kind == "i"


def is_unbounded(symbol: dims.Symbol) -> bool:
    """Whether it is an argument, an integer made of a number, or one that a loop lets grow."""
    known = symbol.unbacked or symbol.axis
    return not known or is_conversion(symbol) or symbol.name.startswith(UNBOUNDED)


_CONVERTING = {
    **dict.fromkeys(("add", "subtract", "multiply", "floor_divide", "remainder"), slice(2)),
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin", "fmod", "gcd", "lcm"), slice(2)),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "bitwise_xor"), slice(2)),
    **dict.fromkeys(("left_shift", "right_shift", "power"), slice(2)),
    "astype": slice(1),
    "full": slice(1),
    "array": slice(None),
    "index_set": slice(1, 2),
}
"""By operations that convert numbers of Python's: which of the operands."""


def _is_stored_scalar(node: Node, operand: Node) -> bool:
    """Whether it is a scalar of NumPy's that signed integers may not hold: stored in places that
    no index array says, it is converted as a number of Python's.
    """
    index, type_ = node.attrs.get("index"), operand.type
    if not isinstance(index, Index) or index.arrays or not isinstance(type_, ArrayType):
        return False
    held, given = node.array_type.dtype, type_.dtype
    apart = held.kind == "i" and given.kind in "iuf" and not np.can_cast(given, held)
    return apart and type_.form == "scalar"


def _is_float(operand: Node) -> bool:
    """Whether it is a floating-point number of Python's, which may be NaN or infinite."""
    type_ = operand.type
    return isinstance(type_, ArrayType) and type_.weak and type_.inexact


def _may_be_too_large(operand: Node, dtype: np.dtype[Any]) -> bool:
    type_ = operand.type
    if not isinstance(type_, ArrayType) or not type_.weak or type_.dtype.kind != "i":
        return False
    value, held = intrinsics.number(operand), np.iinfo(dtype)
    if value is None:
        return held.bits < 64 or held.min == 0
    return not held.min <= value <= held.max


RAISES = '''
def raises(compute, error=None):
    """Whether Python raises an error where it computes this: the one of this text, or any."""
    try:
        compute()
    except Exception as raised:
        return error is None or f"{type(raised).__name__}: {raised}" == error
    return False
'''


def said(error: BaseException) -> str:
    """The text by which the emitted code knows an error."""
    return f"{type(error).__name__}: {error}"


def error_of(compute: Callable[[], Any]) -> Exception | None:
    """What Python raises where it computes this."""
    try:
        compute()
    except Exception as error:
        return error
    return None


SIGNALS = '''
def signals(compute, error=None, **kinds):
    """Whether NumPy finds an error of these kinds where it computes this: one that begins so."""
    try:
        with np.errstate(**kinds):
            compute()
    except FloatingPointError as raised:
        return str(raised).startswith(error or "")
    return False
'''


def may_signal(node: Node) -> bool:
    """Whether it is a computation of NumPy's that may find a floating-point error: also of
    integers, which are divided by 0, or converted.
    """
    if node.op.view is not None or node.op.traits & _NOT_COMPUTING or node.op.name in _MOVING:
        return False
    if not isinstance(node.type, ArrayType) or node.type.weak:  # Python computes it
        return False
    if not (node.type.inexact or node.op.name in _WITH_INTEGERS):
        return False
    return any(isinstance(i.type, ArrayType) for i in node.inputs)


_WITH_INTEGERS = frozenset({"floor_divide", "remainder", "astype"})
"""Operations that find errors where their results are integers."""


_NOT_COMPUTING = frozenset({"effect", "alias"})
_MOVING = frozenset({"concatenate", "stack", "where", "raises", "call", "index_set", "distinct"})


def _evaluate(
    *operands: Any,
    computing: str,
    attrs: tuple[tuple[str, Any], ...],
    error: str | None,
    kinds: tuple[str, ...] = (),
) -> bool:
    settings: Any = dict.fromkeys(kinds, "raise")
    with np.errstate(**settings):
        raised = error_of(lambda: OPS[computing].evaluate(*operands, **dict(attrs)))
    if kinds:
        found = isinstance(raised, FloatingPointError)
        return found and str(raised).startswith(error or "")
    return raised is not None and error in (None, said(raised))


def as_numpy_words(error: Exception, node: Node) -> Exception:
    """A floating-point error as NumPy words it for scalars and operators of Python."""
    scalar = isinstance(node.type, ArrayType) and node.type.form == "scalar"
    if not scalar or node.op.name not in _OF_SCALARS:
        return error
    return type(error)(str(error).replace(" encountered in ", " encountered in scalar "))


def beginning(error: Exception) -> str:
    """What the texts of such errors begin with: their kind."""
    return str(error).partition(" encountered")[0]


_OF_SCALARS = (*SUMS_AND_PRODUCTS, "divide", "floor_divide", "remainder", "power")


def _emit(emitter: Emitter, node: Node, *operands: ast.expr) -> ast.expr:
    op = OPS[node.attrs["computing"]]
    asked = Node(op, node.inputs, dict(node.attrs["attrs"]), node.type, node.span)
    computed, kinds = op.emit(emitter, asked, *operands), node.attrs.get("kinds", ())
    if not kinds:
        return asking(emitter, computed, node.attrs["error"])
    error, settings = node.attrs["error"], {kind: ast.Constant("raise") for kind in kinds}
    text = None if error is None else syntax.expression(error)
    return syntax.call(emitter.helper(SIGNALS), later(computed), error=text, **settings)


def asking(emitter: Emitter, computed: ast.expr, error: str | None) -> ast.expr:
    """``raises(lambda: computed, error)``."""
    given = [later(computed), *([] if error is None else [syntax.expression(error)])]
    return syntax.call(emitter.helper(RAISES), *given)


def later(computed: ast.expr) -> ast.expr:
    """``lambda: computed``."""
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), computed)


raises = primitive(
    "raises",
    infer=lambda *_, **__: python_number(bool),
    evaluate=_evaluate,
    derivative=NON_DIFF,
    emit=_emit,
    traits=("barrier",),
)
"""``raises(*operands; computing, attrs, error, kinds)``: whether the op raises on these."""


def raises_of(node: Node, error: str | None, kinds: tuple[str, ...] = ()) -> Node:
    """Whether ``node`` raises this error, as `said` has it; with None, any.

    Of ``kinds`` of floating-point errors, one with this `beginning`.
    """
    attrs = tuple(node.attrs.items())
    named: dict[str, Any] = {"kinds": kinds} if kinds else {}
    return raises(*node.inputs, computing=node.op.name, attrs=attrs, error=error, **named)
