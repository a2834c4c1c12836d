"""The type that a number has in the present call, where its class depends on the path taken.

What the trace itself makes of the class is for calls like this one: the emitted code checks it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, pairwise, product
from typing import Any

import numpy as np

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.dispatch import apply, run, traced, unwrap
from gradsmith.frontend.nested_values import leaves, mapped, mapped_arguments
from gradsmith.frontend.number_class import (
    MOST,
    Classes,
    Types,
    check_no_array,
    is_number,
    is_truth_class,
    lists_of,
    may_be_fraction,
    operands,
    possible_types,
)
from gradsmith.frontend.number_kinds import keep_classes
from gradsmith.frontend.numpy_errors import numpys_error
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType, class_of_values, python_number, result_dtype
from gradsmith.ops import index
from gradsmith.ops.complex import scalar_absolute
from gradsmith.ops.declare import as_node
from gradsmith.ops.powers import power
from gradsmith.ops.scalars import as_complex, has_class, widened
from gradsmith.ops.shape import cast


def exact_type(value: Tracer, decide: Callable[[Any], bool] | None = None) -> ArrayType:
    """The type that the value has in the present call; the code is specialised on it where other
    calls may have another. ``decide`` finds the truth of a condition.

    Raises
    ------
    ControlFlowError
        It is within a loop of the graph, or on a path that is not taken.
    """
    trace, node = current_trace(), value.node
    if trace is None or not is_number(node):
        return value.type
    ask = Tracer.decide if decide is None else decide
    if may_be_complex(node) and ask(_is_complex(node)):
        return python_number(complex)
    check_no_array(node)
    types = possible_types(node)
    if len(types) > 1:
        types = _by_sizes(trace, node) or types
    if len(types) > 1 and (lists := lists_of(node, trace)):
        keep_classes(lists)
    *others, found = types
    for type_ in others:
        if ask(_of_node(has_class(node, cls=class_of_values(type_)))):
            found = type_
            break
    if trace.builder is trace.root:
        trace.possible[node] = (found,)
    return found


def of_class(value: Tracer, test: Callable[[type], bool]) -> bool:
    """Whether the class of the value passes the test; the code is specialised on the class only
    where the test tells the possible ones apart.
    """
    answers = {test(class_of_values(type_)) for type_ in possible_types(value.node)}
    if len(answers) > 1:
        return test(class_of_values(exact_type(value)))
    return answers.pop()


def of_one_meaning(value: Any, meaning: Callable[[type], object]) -> Any:
    """The same value; a number of which the path taken decides what it means, by its class, as a
    node of the type that it has in the present call.
    """
    if not isinstance(value, Tracer) or not is_number(value.node):
        return value
    types = (value.type, *possible_types(value.node))
    several = len({meaning(class_of_values(type_)) for type_ in types}) > 1
    return of_exact_type(value) if several else value


def pythons_integer(value: Any) -> Any:
    """For C code that takes Python's own integers only: the present number of a traced one, which
    the emitted code checks; anything else as it is.
    """
    if isinstance(value, TracedInt):
        return int(value)
    if not isinstance(value, Tracer) or value.ndim:
        return value
    exact = of_one_meaning(value, lambda cls: issubclass(cls, int))
    return operator.index(exact) if exact.type.weak and exact.is_index() else exact


def _by_sizes(trace: Trace, node: Node) -> Types:
    """The types that are left where guards on sizes tell which loops make an iteration."""
    open_ = [n for n in operands(node) if n in trace.classes]
    decidable = [n for n in open_ if trace.classes[n].is_decidable()]
    for joined in decidable:
        trace.classes[joined] = Classes(trace.classes[joined].decided())
    if decidable:
        trace.possible.clear()
    return possible_types(node)


def of_exact_type(value: Any) -> Any:
    """The same value, as a node of the type that it has in the present call."""
    if not isinstance(value, Tracer) or not is_number(value.node):
        return value
    type_ = exact_type(value)
    if type_ == value.type:
        return value
    if may_be_complex(value.node):
        return _as_complex_power(value)
    return _retyped(value.node, type_)


def _retyped(node: Node, type_: ArrayType) -> Tracer:
    """A number as one of the type that it is of."""
    trace = current_trace()
    assert trace is not None
    known = trace.retyped.get(node)
    if known is not None and known.type == type_ and trace.builder.knows(known):
        return _of_node(known)
    made = widened(node, dtype=type_.dtype, scalar=not type_.weak)
    trace.retyped[node], trace.possible[made] = made, (type_,)
    return _of_node(made)


def _of_node(node: Node) -> Tracer:
    return Tracer(View(Storage(node)))


# -- complex powers ------------------------------------------------------------------------------


def may_be_complex(node: Node) -> bool:
    """Whether it is a power of real numbers of Python's, which is complex for some of them."""
    if node.op is not power or not node.array_type.weak or node.dtype.kind != "f":
        return False
    return may_be_fraction(node.inputs[1])


def _is_complex(node: Node) -> Tracer:
    """Whether such a power is: its base is negative, its exponent no integer, and both finite."""
    base, exponent = map(_of_node, node.inputs)
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
    return _as_complex_power(value) if Tracer.decide(_is_complex(node)) else value


def _as_complex_power(value: Tracer) -> Any:
    given = map(_of_node, value.node.inputs)
    return run(lambda base, exponent: power(as_complex(base), exponent), *given)


# -- functions that tell classes apart -----------------------------------------------------------


def by_numpy(function: Any, *args: Any, **kwargs: Any) -> Any:
    """A function of NumPy's, which gives a scalar of NumPy's also for numbers of Python's."""
    if function is abs and len(args) == 1 and isinstance(args[0], Tracer):
        value = _settled(args[0])
        if isinstance(value, Tracer) and value.type.form == "scalar" and value.type.complex:
            return run(scalar_absolute, value)
        args = (value,)
    if function in _RAISING_ON_PYTHONS and all(map(_is_pythons, args)):
        return apply(
            function, run(_as_numpys, as_pythons(of_one_dtype(args[0]))), *args[1:], **kwargs
        )
    if not isinstance(function, np.ufunc):
        operands, named = mapped_arguments(_as_operand, args, kwargs)
        if _tells_truths_apart(function, args, kwargs, operands, named):
            operands, named = mapped_arguments(_of_exact_type_if_open, args, kwargs)
        return apply(function, *operands, **named)
    result = apply(function, *args, **kwargs)
    made = result if isinstance(result, tuple) else (result,)
    if not any(map(_may_be_pythons, made)):
        return result
    first = as_pythons(of_one_dtype(args[0]))
    _check_length(first)
    return apply(function, run(_as_numpys, first), *args[1:], **kwargs)


def _as_operand(value: Any) -> Any:
    """A number as one of Python's, which NumPy converts, where it may be one; as a truth value or
    not, by the present call.
    """
    return as_pythons(of_one_meaning(value, is_truth_class))


def _tells_truths_apart(
    function: Any, args: Sequence[Any], kwargs: dict[str, Any], pythons: Any, named: Any
) -> bool:
    """Whether it takes truth values of Python's, and none of NumPy's, where some may be either;
    ``pythons`` and ``named`` are the arguments as Python's.
    """
    truths = [v for v in leaves([*args, *kwargs.values()]) if _is_open(v) and v.dtype.kind == "b"]
    if not truths:
        return False
    misfit, given = TypeError(), mapped_arguments(_unwrapped, args, kwargs)
    of_numpys = numpys_error(misfit, function, *given)
    of_pythons = numpys_error(misfit, function, *mapped_arguments(_unwrapped, pythons, named))
    return (of_numpys is None) != (of_pythons is None)


def _unwrapped(value: Any) -> Any:
    return unwrap(value, {})


def _check_length(value: Any) -> None:
    """Refuse to make a scalar of NumPy's of an integer of more than 64 bits where a ``try`` would
    handle the error: NumPy makes an object of it.
    """
    trace = current_trace()
    if trace is None or not trace.trying or not isinstance(value, TracedInt):
        return
    if Tracer.decide(value < -(1 << 63)) or Tracer.decide(value >= 1 << 63):
        raise UnsupportedError(
            "a NumPy function of an integer of more than 64 bits, which gives an object",
            current_span(),
            "convert it to a float, or use Python's operators",
        )


_RAISING_ON_PYTHONS = frozenset(
    {np.divide, np.floor_divide, np.remainder, np.divmod, np.power, np.square}
    | {np.left_shift, np.right_shift}
)
"""What raises an error on Python's numbers and does not on NumPy's."""


def _is_pythons(value: Any) -> bool:
    """Whether it is, or may be, a number of Python's."""
    plain = isinstance(value, (int, float, complex, TracedInt)) and not isinstance(
        value, np.generic
    )
    return plain or _may_be_pythons(value)


def _may_be_pythons(value: Any) -> bool:
    """Whether it may be a number of Python's."""
    return isinstance(value, Tracer) and any(t.weak for t in possible_types(value.node))


def of_one_dtype(value: Any) -> Any:
    """The same value; a number that may be of several dtypes as one of its exact type."""
    if not isinstance(value, Tracer):
        return value
    known = all(type_.dtype == value.dtype for type_ in possible_types(value.node))
    return value if known else of_exact_type(value)


def _as_numpys(value: Any) -> Node:
    node = as_node(value)
    return cast(node, node.dtype)


def as_pythons(value: Any) -> Any:
    """A number that may be one of Python's as a node of that class: what is made of it is right
    for others, too, if it is converted.
    """
    if not isinstance(value, Tracer) or value.type.weak or not _may_be_pythons(value):
        return value
    return _of_node(widened(value.node, dtype=value.dtype, scalar=False))


def check_text(value: Tracer, *, by_class: bool, spec: str = "") -> None:
    """Refuse to write an element of a stacked list that is of another class in Python, where the
    text tells; ``by_class`` as `repr` does it, or by a format.

    Raises
    ------
    ControlFlowError
        The loop is to be written out.
    """
    trace = current_trace()
    types = possible_types(value.node)
    if trace is None or len(types) == 1 or not (lists := lists_of(value.node, trace)):
        return
    as_floats = spec[-1:] in AS_FLOATS and all(type_.dtype.kind in "iuf" for type_ in types)
    if by_class or (not as_floats and len({type_.dtype for type_ in types}) > 1):
        keep_classes(lists)


def check_class_is_kept(node: Node) -> None:
    """Refuse an element of a stacked list that is to leave the list as it is, where it may be of
    another dtype: as a result, or as one of the separate elements of another list.

    Raises
    ------
    ControlFlowError
        The loop that made the list is to be written out.
    """
    trace = current_trace()
    if trace is None or not is_number(node):
        return
    if lists := lists_of(node, trace):
        keep_classes(lists)


def check_classes(values: Iterable[Any]) -> None:
    """The same of all these."""
    for value in values:
        if isinstance(value, Tracer):
            check_class_is_kept(value.node)


AS_FLOATS = frozenset("eEfFgG%")
"""Formats in which integers are written as the floats that they equal."""


def _raises_by_class(function: Any, args: Sequence[Any]) -> Sequence[Any]:
    """The operands of a division or power under a ``try``: Python raises an error for its own
    numbers, and for no others.
    """
    for left, right in pairwise(args):
        if may_be_pythons_complex(left) and isinstance(right, Tracer):
            check_no_array(right.node)  # whose operator Python asks, other than a number's
    trace = current_trace()
    if trace is not None and trace.trying and function in _RAISING_ON_TRUTHS:
        return [of_one_meaning(value, is_truth_class) for value in args]
    if trace is None or function not in _RAISING:
        return args
    _keep_classes_of(args, trace)
    if not trace.trying:
        by_path = function is not np.power and _may_raise_by_path(args)
        return list(map(as_pythons, args)) if by_path else args
    return list(map(_of_exact_type_if_open, args))


def _may_raise_by_path(args: Sequence[Any]) -> bool:
    """Whether the path decides if all operands are numbers of Python's, so that a division by
    zero is an error. Powers of such numbers may be complex, too.
    """
    kept = all(not isinstance(a, Tracer) or a.dtype in _PYTHONS for a in args)
    return kept and all(map(_is_pythons, args)) and any(map(_is_open, args))


_PYTHONS = frozenset(map(np.dtype, (bool, int, float, complex)))
"""The dtypes that numbers of Python's have."""


def _keep_classes_of(args: Sequence[Any], trace: Trace) -> None:
    """Elements of stacked lists among the operands are to keep their classes, where Python's
    numbers may raise the error.
    """
    by_another = type(args[-1]) in (int, float) and args[-1] != 0 and len(args) == 2
    if by_another or not all(map(_is_pythons, args)):
        return
    for value in args:
        if isinstance(value, Tracer) and (lists := lists_of(value.node, trace)):
            keep_classes(lists)


def may_be_pythons_complex(value: Any) -> bool:
    """Whether it is a complex number of Python's on some path: no power of real numbers."""
    if not isinstance(value, Tracer):
        return type(value) is complex
    return value.type.complex and any(
        type_.weak and type_.complex for type_ in possible_types(value.node)
    )


_RAISING_ON_TRUTHS = frozenset({np.subtract, np.negative, np.positive})
"""What NumPy refuses to do with truth values alone."""
_RAISING = frozenset({np.divide, np.floor_divide, np.remainder, np.power, np.divmod})


def _of_exact_dtype(
    result: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Sequence[Any], dict[str, Any]] | None:
    """Arguments that give the result its dtype: numbers among them as ones of their exact types,
    where these decide the dtype of an array, which a list may be made; None where they do not.
    """
    given = [*args, *kwargs.values()]
    made = isinstance(result, Tracer) and result.type.form == "array" and result.dtype.kind != "b"
    arrays = [given] if made else []
    arrays += [value for value in given if type(value) in (list, tuple)]
    if not any(map(_decide_the_dtype, arrays)):
        return None
    return mapped_arguments(_of_exact_type_if_open, args, kwargs)


def _decide_the_dtype(values: Sequence[Any]) -> bool:
    """Whether the path taken decides the dtype of what is made of these values."""
    given = [v for v in leaves([*values]) if isinstance(v, _NUMBERS)]
    if not any(map(_is_open, given)):
        return False
    types = [possible_types(v.node) if isinstance(v, Tracer) else (traced(v).type,) for v in given]
    dtypes = {result_dtype(*some) for some in islice(product(*types), MOST)}
    return len(dtypes | {result_dtype(*[traced(v).type for v in given])}) > 1


def _of_exact_classes(
    function: Any, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Sequence[Any], dict[str, Any]] | None:
    """The arguments with numbers of their exact types; None where no number among them is open."""
    if not any(map(_is_open, leaves([*args, *kwargs.values()]))):
        return None
    trace = current_trace()
    if function in (index.read, index.write) and trace is not None and not trace.trying:
        array, key, *rest = args
        keys = [_as_key(part) for part in (key if isinstance(key, tuple) else [key])]
        return [array, tuple(keys) if isinstance(key, tuple) else keys[0], *rest], kwargs
    return mapped_arguments(_of_exact_type_if_open, args, kwargs)


def _as_key(value: Any) -> Any:
    """A number that may be an integer as one: NumPy itself raises the error where it is none. The
    bounds of slices are sizes, of which integers are made.
    """
    if isinstance(value, slice):
        return mapped(of_exact_type, value)
    if not _is_open(value) or all(t.dtype.kind not in "iu" for t in possible_types(value.node)):
        return value
    return _of_node(widened(value.node, dtype=np.dtype(np.int64), scalar=False))


def _of_exact_type_if_open(value: Any) -> Any:
    return of_exact_type(value) if _is_open(value) else value


def _is_open(value: Any) -> bool:
    """Whether it may be of another type than its node."""
    return isinstance(value, Tracer) and possible_types(value.node) != (value.type,)


_NUMBERS = (Tracer, TracedInt, bool, int, float, complex, np.generic, np.ndarray)

Tracer.settled = staticmethod(_settled)
Tracer.of_exact_type = staticmethod(of_exact_type)
Tracer.raises_by_class = staticmethod(_raises_by_class)
Tracer.of_exact_classes = staticmethod(_of_exact_classes)
Tracer.of_exact_dtype = staticmethod(_of_exact_dtype)
Tracer.of_one_meaning = staticmethod(of_one_meaning)
