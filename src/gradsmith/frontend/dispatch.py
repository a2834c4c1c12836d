"""From calls on traced values to nodes: looks up what a callable means and runs it on nodes."""

from __future__ import annotations

import functools
import inspect
import operator
from collections import UserList, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import numpy as np

from gradsmith.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    AttributeMissingError,
    ControlFlowError,
    GradsmithError,
    InternalError,
    UndecidedSizeError,
    UnsupportedError,
)
from gradsmith.frontend.calling import call
from gradsmith.frontend.classes import is_instance, is_own_number, plain_number, special
from gradsmith.frontend.failures import explained, in_pythons_words, name_of
from gradsmith.frontend.layout import (
    CONVERSIONS,
    COPYING,
    LIKE,
    WRITABLE,
    is_converted,
    is_view,
    order_of_result,
    order_of_view,
)
from gradsmith.frontend.nested_values import leaves, mapped_arguments
from gradsmith.frontend.numpy_errors import numpys_error, refused_by_kind, sizes_of
from gradsmith.frontend.present import present_values
from gradsmith.frontend.shape_errors import (
    Asked,
    asking,
    assumptions,
    of_known_shapes,
    with_shapes_known,
)
from gradsmith.frontend.spans import current_span as here
from gradsmith.frontend.stand_ins import ArrayLike, ObjectStandIn
from gradsmith.frontend.storage import Storage, View, view_steps
from gradsmith.frontend.text import STAND_INS
from gradsmith.frontend.trace import Trace, current_trace, may_fail_before
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.frontend.tracer import Flat, Tracer
from gradsmith.frontend.unread import note_errors
from gradsmith.frontend.unsettled import Refusing, UndecidedError
from gradsmith.ir import dims
from gradsmith.ir.dims import Dim
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType
from gradsmith.ops import index, library
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.index import reading
from gradsmith.ops.library_ufuncs import called, home_of
from gradsmith.ops.manipulate import may_be_negative
from gradsmith.ops.raising import (
    as_numpy_words,
    beginning,
    converted_numbers,
    error_of,
    is_long_quotient,
    may_be_out_of_range,
    may_raise,
    may_signal,
    of_long_integers,
    raises_of,
    said,
)
from gradsmith.ops.regions import as_whole
from gradsmith.ops.scalars import as_python
from gradsmith.ops.select import where as where_op
from gradsmith.ops.shape import astype, broadcast_to, reshape

assert library.FAMILIES, "no op is declared"


def apply(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)`` where some arguments are traced.

    Raises
    ------
    UnsupportedError
        gradsmith does not know the function.
    """
    stand_in = next((a for a in args if isinstance(a, ObjectStandIn)), None)
    if stand_in is not None:  # an object that only calls know
        return stand_in.__array_function__(function, (), args, kwargs)  # type: ignore[attr-defined]
    implementation = FUNCTIONS.get(function)
    if implementation is None and isinstance(function, np.ufunc) and home_of(function):
        implementation = partial(called, function)
    if implementation is None:
        raise UnsupportedError(
            f"{name_of(function)} is not supported on traced values",
            here(),
            "write it with supported NumPy functions, or compute it outside the function",
        )
    args = _with_out_by_name(function, args, kwargs)
    if type(kwargs.get("where")) in (list, tuple):
        kwargs["where"] = apply(np.asarray, kwargs["where"], dtype=bool)
    out, where = kwargs.pop("out", None), True
    if isinstance(function, np.ufunc):
        where = kwargs.pop("where", True)
        if len(args) > function.nin:  # np.add(a, b, total)
            args, out = args[: function.nin], args[function.nin :]
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if target is None and where is True:
        return _run_by_class(function, implementation, args, kwargs)
    _check_output(function, target)
    given = {"out": target} if where is True else {"out": target, "where": where}
    with asking(function, args, {**kwargs, **given}):
        result = _run(function, implementation, args, kwargs)
        if where is not True:
            result = run(where_op, where, result, target)
        casting = kwargs.get("casting", "same_kind")
        target.assign(_run(function, partial(_into, casting=casting), (result, target), {}))
    return target


def _run_by_class(
    function: Callable[..., Any], implementation: Callable[..., Any], args: Any, kwargs: Any
) -> Any:
    """The same, of numbers whose class depends on the path taken: on exact types if it matters."""
    args = Tracer.raises_by_class(function, args)
    result = _run(function, implementation, args, kwargs)
    check_kinds(function, args, kwargs)
    exact = Tracer.of_exact_dtype(result, args, kwargs)
    return result if exact is None else _run(function, implementation, *exact)


def check_kinds(function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> None:
    """Raise the error of Python's or NumPy's about the kinds of arguments, where a ``try`` may
    handle it: the implementations here may take more than the function does.
    """
    trace = current_trace()
    if trace is None or not trace.trying:
        return
    try:
        given = [unwrap(value, {}) for value in args]
        own = refused_by_kind(function, given, {k: unwrap(v, {}) for k, v in kwargs.items()})
    except GradsmithError:  # an object of the user's, which may know the function
        return
    if own is not None:
        error = ArgumentTypeError(str(own), here())
        error.own = own
        raise_own(error)


def _with_out_by_name(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """The arguments before ``out``: ``np.sum(a, 0, None, total)`` gives it by position."""
    names = () if isinstance(function, np.ufunc) else _positional_names(function)
    if "out" not in names or len(args) <= names.index("out"):
        return args
    if len(args) > len(names):
        raise ArgumentTypeError(
            f"{name_of(function)} takes {len(names)} positional arguments, not {len(args)}",
            here(),
            "call it as NumPy's documentation says",
        )
    place = names.index("out")
    kwargs.update(zip(names[place:], args[place:], strict=False))
    return args[:place]


@functools.cache
def _positional_names(function: Callable[..., Any]) -> tuple[str, ...]:
    if function in _WITHOUT_SIGNATURE:
        return _WITHOUT_SIGNATURE[function]
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    return tuple(p.name for p in parameters if p.kind is not p.KEYWORD_ONLY)


_WITHOUT_SIGNATURE: dict[Callable[..., Any], tuple[str, ...]] = {
    np.dot: ("a", "b", "out"),
    np.concatenate: ("arrays", "axis", "out"),
}
"""Functions written in C have none before NumPy 2.4."""


def _check_output(function: Callable[..., Any], target: Any) -> None:
    if isinstance(target, Tracer):
        return
    what = "None" if target is None else f"a {type(target).__name__}"
    raise UnsupportedError(
        f"{name_of(function)} with out= or where= needs one output array that the traced "
        f"function has made, not {what}",
        here(),
        "make the array with np.empty or np.zeros in the function",
    )


def _into(result: Node, target: Node, casting: Any) -> Node:
    if not np.can_cast(result.dtype, target.dtype, casting):
        misfit = ArgumentTypeError(
            f"cannot cast the result from {result.dtype} to {target.dtype}, the dtype of out",
            hint="make the output array of the dtype of the result",
        )
        trace = current_trace()
        if trace is not None and trace.asked is not None and trace.trying:
            misfit.own = trace.asked.error(trace)  # not that of the result and the output
        raise misfit
    if result.shape != target.shape:
        result = broadcast_to(result, shape=target.shape)
    return result if result.dtype == target.dtype else astype(result, dtype=target.dtype)


def run(implementation: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Run a function of nodes on traced values; what comes back is traced again."""
    return _run(implementation, implementation, args, kwargs)


def run_as(
    function: Callable[..., Any], implementation: Callable[..., Any], *args: Any, **kwargs: Any
) -> Any:
    """The same, where errors are those of a NumPy function."""
    return _run(function, implementation, args, kwargs)


def _run(
    function: Callable[..., Any], implementation: Callable[..., Any], args: Any, kwargs: Any
) -> Any:
    """The same for the ``implementation`` of a NumPy function, by whose name errors go.

    A number whose class depends on the path taken has the type that holds all of them: what that
    type does not allow is tried once more with the type of the present call. So are arrays whose
    sizes the data decide, where one has to be known.
    """
    trace = current_trace()
    begin = 0 if trace is None else len(trace.builder.nodes)
    try:
        return _run_once(function, implementation, args, kwargs)
    except UndecidedSizeError:
        known = of_known_shapes(args, kwargs, begin)
        if known is None:
            raise
        return _run_once(function, implementation, *known)
    except (ControlFlowError, InternalError):
        raise
    except Exception:
        exact = Tracer.of_exact_classes(function, args, kwargs)
        if exact is None:
            raise
    return _run_once(function, implementation, *exact)


def _run_once(
    function: Callable[..., Any],
    implementation: Callable[..., Any],
    args: Any,
    kwargs: Any,
    *,
    known: bool = False,
) -> Any:
    """The same; ``known`` are shapes that the data decide."""
    trace = current_trace()
    if trace is None:
        raise UnsupportedError(
            "a traced value is used outside the run of its function",
            here(),
            "use it in the function itself: not in another thread, and not later",
        )
    args, kwargs = _as_options(function, args, kwargs)
    owners: dict[Node, Tracer] = {}
    nodes = [unwrap(a, owners) for a in args]
    named = {key: unwrap(a, owners) for key, a in kwargs.items()}
    trace.builder.span = here() or trace.builder.span
    begin = len(trace.builder.nodes)
    with _in_own_words(trace, function, implementation, nodes, named):
        _check_truths(function, implementation, nodes, named)
        _decide_truths(function, implementation, nodes, named)
        with assumptions(trace) as assumed:
            result = _with_options_known(function, implementation, nodes, named)
    if not assumed.hold():
        if known:
            raise _misfit(function)
        given = with_shapes_known(assumed, Asked(function, args, kwargs))
        return _run_once(function, implementation, *given, known=True)
    _have_raised(trace, begin, Asked(function, args, kwargs))
    return _laid_out(
        function,
        _as_new_view(function, wrap(result, {} if function in COPYING else owners), owners),
        args,
    )


@contextmanager
def _in_own_words(
    trace: Trace,
    function: Callable[..., Any],
    implementation: Callable[..., Any],
    nodes: Sequence[Any],
    named: Mapping[str, Any],
) -> Iterator[None]:
    """Errors of an implementation as errors of the function; under a ``try`` as NumPy's own."""
    try:
        yield
    except GradsmithError as error:
        error.span = error.span or trace.builder.span
        _note_sizes(error, [*nodes, *named.values()])
        _tell_apart(error, function, nodes, named)
        raise_own(error)
        raise
    except (TypeError, ValueError, LookupError, ArithmeticError, AttributeError) as error:
        ours = explained(error, function, implementation, nodes, named)
        ours.span = trace.builder.span
        _note_sizes(ours, [*nodes, *named.values()])
        _tell_apart(ours, function, nodes, named)
        raise_own(ours)
        raise ours from error


def _misfit(function: Callable[..., Any]) -> UnsupportedError:
    return UnsupportedError(
        f"the data decide the shapes of what {name_of(function)} is given, and one that has to be "
        "of another shape",
        here(),
        "make arrays of one shape first",
    )


def _as_new_view(function: Callable[..., Any], value: Any, owners: dict[Node, Tracer]) -> Any:
    """``value``; another object that shows the same, where NumPy makes one."""
    if function not in _NEW_VIEWS or not any(value is owner for owner in owners.values()):
        return value
    if value.type.form != "array":
        return value
    made = Tracer(value.view)
    made.returned = True
    return made


_NEW_VIEWS = frozenset(
    {index.read, np.reshape, np.transpose, np.ravel, np.swapaxes, np.moveaxis, np.rollaxis}
    | {np.expand_dims, np.broadcast_to, np.flip}
)
"""Functions that return another object also where it shows the whole array as it is."""


_OF_AXES = ("axis", "axes", "shape", "newshape", "source", "destination")
"""Options that are integers, as many as there are axes."""


def _as_options(
    function: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]
) -> tuple[Any, Mapping[str, Any]]:
    """The arguments, with shapes and axes as NumPy's functions take them."""
    place = _PLACES_OF_SHAPES.get(function)
    if place is not None:
        args = [_one_by_one(a) if i == place else a for i, a in enumerate(args)]
    if function is np.reshape:
        args = [_with_signs_known(a) for a in args]
    if function is np.transpose and len(args) > 1:
        args = [args[0], *map(_one_by_one, args[1:])]
    if function is np.linalg.norm and len(args) > 1:
        args = [args[0], _with_number_known(args[1]), *args[2:]]
    if function in _OF_NORMS and "ord" in kwargs:
        kwargs = {**kwargs, "ord": _with_number_known(kwargs["ord"])}
    return args, {key: _one_by_one(a) if key in _OF_AXES else a for key, a in kwargs.items()}


_PLACES_OF_SHAPES: dict[Any, int] = {
    **dict.fromkeys((np.zeros, np.ones, np.empty, np.full, np.indices), 0),
    **dict.fromkeys((np.reshape, np.broadcast_to, np.tile, np.resize, np.unravel_index), 1),
}
"""Where functions take a shape among their positional arguments."""


def _one_by_one(option: Any) -> Any:
    """An option with the elements of a list or tuple that a loop has made, or of an array of
    integers, as separate ones.
    """
    if isinstance(option, Tracer) and option.ndim == 1 and option.dtype.kind in "iu":
        return tuple(map(operator.index, option))
    if type(option) not in (list, tuple) or not any(isinstance(v, Refusing) for v in option):
        return option
    return type(option)(map(operator.index, Tracer.each(option)))


def _with_signs_known(shape: Any) -> Any:
    """A shape in which -1 has a meaning: sizes that may be it are specialised on."""
    if isinstance(shape, (list, tuple)):
        return [_with_signs_known(size) for size in shape]
    unknown = isinstance(shape, TracedInt) and may_be_negative(shape.dim)
    return TracedInt.known(shape) if unknown else shape


_OF_NORMS = (np.linalg.norm, np.linalg.vector_norm, np.linalg.matrix_norm)


def _with_number_known(option: Any) -> Any:
    """An option of which each number means something else."""
    number = isinstance(option, TracedInt) or (isinstance(option, Tracer) and not option.ndim)
    return Tracer.known(option) if number else option


def _have_raised(trace: Trace, begin: int, call: Asked) -> None:
    """Have the errors of the nodes that a call has made raised: now, where Python has to know
    them.
    """
    kinds = trace.floating.raised(handled=trace.trying > 0)
    if trace.trying or kinds:
        _raise_now(trace, begin, kinds, call)
    else:
        note_errors(trace.builder, trace.builder.nodes[begin:])


def _raise_now(trace: Trace, begin: int, kinds: tuple[str, ...], call: Asked) -> None:
    """Where Python has to know which error the nodes made last raise, if any (under a ``try``, or
    where NumPy raises these ``kinds`` of errors) the code is specialised on it.
    """
    nodes = trace.builder.nodes
    for node in nodes[begin:]:
        asked = len(nodes)
        signals = kinds if kinds and may_signal(node) else ()
        if signals or (trace.trying and may_raise(node)):
            _raise_of(trace, node, signals)
        if trace.handled["IndexError"] and _is_out_of_range_by_data(node, call):
            _raise_of(trace, reading(node), (), trace.asked or call)
        for operand, dtype in converted_numbers(node) if trace.trying else ():
            number = trace.builder.lift(as_python(operand))
            _raise_of(trace, astype(number, dtype=dtype), ())
        if trace.trying and (of_long_integers(node) or is_long_quotient(node)):
            _raise_of(trace, node, ())
        if len(nodes) > asked:
            place = nodes.index(node, begin)  # the code asks before it computes
            nodes[place:] = [*nodes[asked:], *nodes[place:asked]]


def _is_out_of_range_by_data(node: Node, call: Asked) -> bool:
    """Whether it reads or writes at indices in arrays that may be out of range; `lookups` asks for
    single ones in brackets.
    """
    if call.function in (index.read, index.write):
        key = node.attrs.get("index")
        first = len(node.inputs) - len(getattr(key, "arrays", ()))
        if all(array.ndim == 0 for array in node.inputs[first:]):
            return False
    return may_be_out_of_range(node)


def _raise_of(
    trace: Trace, node: Node, signals: tuple[str, ...], call: Asked | None = None
) -> None:
    """Specialise the code on the error that the node raises, which is raised: as this call of the
    user's has it.
    """
    error = error_of(partial(present_values(trace).compute, node))
    text = None if error is None else said(error)
    if signals and isinstance(error, (FloatingPointError, RuntimeWarning)):
        error = as_numpy_words(error, node)
        text = beginning(error)
    elif error is not None:
        signals = ()
    Tracer.decide(Tracer(View(Storage(raises_of(node, text, signals)))))
    if error is not None:
        check_at_root(trace)
        trace.raised.add(node)
        own = None if call is None else call.error(trace)
        raise own or error


def check_at_root(
    trace: Trace,
    message: str = "a traced value decides whether this computation raises an error",
    hint: str = "ask for the condition itself before the computation",
) -> None:
    """Refuse in a region what has to happen exactly once (an error that Python is to raise now
    leaves it half done): the branches around are to be decided, the loops to be written out.

    Raises
    ------
    ControlFlowError
        This happens in a region.
    """
    if trace.builder is trace.root:
        return
    loop = any(builder in trace.bodies for builder in trace.builders())
    error = UndecidedError.at(None if loop else trace.site, message, hint)
    raise error.refusal() if loop else error


def check_once(message: str, hint: str) -> None:
    """The same for what is done now, if something is traced."""
    trace = current_trace()
    if trace is not None:
        check_at_root(trace, message, hint)


def _tell_apart(error: GradsmithError, function: Any, nodes: Any, named: Any) -> None:
    """Whether an error on a path that may not be taken is NumPy's own, which it would raise."""
    trace = current_trace()
    if trace is None or error.own is not None:
        return
    if trace.trying or may_fail_before(trace):
        asked = trace.asked
        if asked is not None and asked.function is function:  # with the array it is to write to
            nodes, named = mapped_arguments(_node_of, asked.args, asked.kwargs)
        error.own = numpys_error(error, function, nodes, named)


def _node_of(value: Any) -> Any:
    return value.node if isinstance(value, Tracer) else value


def raise_own(error: GradsmithError) -> None:
    """Under a ``try`` it is NumPy's own error that is handled, with its text."""
    trace = current_trace()
    own = own_error(error)
    if trace is not None and trace.trying and own is not None:
        try:
            raise own from own.__cause__
        finally:
            own.__suppress_context__ = False


def own_error(error: BaseException | None) -> Exception | None:
    """The error that Python or NumPy raises for this one of gradsmith's, where handlers of the
    user's may see it: in a region the emitted code raises it.
    """
    trace = current_trace()
    if trace is None or trace.builder is not trace.root:
        return None
    return error.own if isinstance(error, GradsmithError) else in_pythons_words(error)


def _check_truths(
    function: Any, implementation: Any, nodes: list[Any], named: dict[str, Any]
) -> None:
    """Raise NumPy's error of truth values where it asks for integers: some functions take them,
    some take False alone.

    Raises
    ------
    ArgumentTypeError, ArgumentValueError, AttributeMissingError
        This one does not.
    """
    options = _truths(getattr(implementation, "__wrapped__", implementation))
    given = [node for place, node in enumerate(nodes) if place not in options]
    given += [value for name, value in named.items() if name not in options.values()]
    truths = list(filter(_is_truth, leaves(given)))
    if isinstance(function, np.ufunc) or not truths:
        return
    for kind in _OF_MASKS if function in (np.delete, np.insert) else (ArgumentTypeError,):
        misfit = kind(f"{name_of(function)}: a truth value is no integer here", hint=_AS_INTEGER)
        misfit.own = numpys_error(misfit, function, nodes, named)
        if misfit.own is None:
            of_true = numpys_error(misfit, function, nodes, named, number=2)
            misfit.own = of_true if of_true and any(map(_holds, truths)) else None
        if misfit.own is not None:
            raise misfit


_OF_MASKS = (ArgumentTypeError, ArgumentValueError, AttributeMissingError)
"""What functions raise that take masks as well."""
_AS_INTEGER = "convert it with int()"


def _is_truth(value: Any) -> bool:
    """Whether it is one truth value."""
    if isinstance(value, Node):
        return isinstance(value.type, ArrayType) and not value.ndim and value.dtype.kind == "b"
    return isinstance(value, (bool, np.bool_))


def _holds(truth: Any) -> bool:
    """Whether it is true in the present call, which the emitted code checks."""
    return bool(Tracer.known(Tracer(View(Storage(truth)))) if isinstance(truth, Node) else truth)


def _decide_truths(
    function: Any, implementation: Any, nodes: list[Any], named: dict[str, Any]
) -> None:
    """Let options that are true or false be so: an integer is decided by a guard.

    NumPy takes integers for some, booleans of its own for some, and anything for others.
    """
    for place, name in _truths(getattr(implementation, "__wrapped__", implementation)).items():
        held: Any = named if name in named else nodes
        key: Any = name if name in named else place
        if not (name in named or place < len(nodes)) or type(held[key]) is bool:
            continue
        value = held[key]
        error = ArgumentTypeError(
            f"{name_of(function)}: the option {name} is neither True nor False",
            hint="convert it with bool()",
        )
        error.own = numpys_error(error, function, nodes, named)
        if error.own is not None:
            raise error
        if isinstance(value, Node):
            value = value if value.ndim else Tracer.known(Tracer(View(Storage(value))))
        elif isinstance(value, Dim):
            value = TracedInt(value)
        if value is not None and not isinstance(value, Node):
            held[key] = bool(value)


@functools.cache
def _truths(implementation: Any) -> dict[int, str]:
    """The parameters with the default True or False (or None), by place; that of those by name
    alone is out of reach.
    """
    try:
        parameters = inspect.signature(implementation).parameters.values()
    except (TypeError, ValueError):
        return {}
    named = ("copy", "stable")
    found = [
        (i, p) for i, p in enumerate(parameters) if type(p.default) is bool or p.name in named
    ]
    return {i + 1000 * (p.kind is p.KEYWORD_ONLY): p.name for i, p in found}


_SIZED: frozenset[Callable[..., Any]] = frozenset(
    {np.arange, np.empty, np.eye, np.full, np.identity, np.ones, np.tri, np.zeros}
)
"""Functions whose first argument is a size or a shape, and no operand."""


def _with_options_known(
    function: Callable[..., Any],
    implementation: Callable[..., Any],
    nodes: list[Any],
    named: dict[str, Any],
) -> Any:
    """The function of these nodes.

    Where it does not take integers that the data decide (for a shape, an axis), they become sizes
    that are known while the code runs, or else the code is specialised on them.
    """
    try:
        return implementation(*nodes, **named)
    except (UnsupportedError, TypeError):
        operands = 0 if function in _SIZED else 1
        if isinstance(function, np.ufunc):
            raise
        given = leaves([*nodes[operands:], *named.values()])
        if not any(_is_integer(value) or _is_unknown_size(value) for value in given):
            raise
    for convert in (as_whole, _as_known):
        exact = partial(_converted, convert)
        converted, options = mapped_arguments(exact, nodes[operands:], named)
        if function is np.full and nodes[1:]:
            converted[1] = nodes[1]  # what it is filled with has its type
        options.update({key: value for key, value in named.items() if key == "fill_value"})
        with suppress(UnsupportedError, TypeError):
            return implementation(*nodes[:operands], *converted, **options)
    return implementation(*nodes, **named)


def _note_sizes(error: GradsmithError, operands: Sequence[Any]) -> None:
    """Note which sizes of the operands the error may depend on: those known at run time only."""
    if error.size is None and isinstance(error, UnsupportedError):
        sizes = [size for leaf in leaves([*operands], (list, tuple)) for size in sizes_of(leaf)]
        error.size = sum(filter(dims.is_unbacked, sizes), start=0) or None


def _is_integer(value: Any) -> bool:
    return isinstance(value, Node) and value.dtype.kind in "biu" and not value.ndim


def _is_unknown_size(value: Any) -> bool:
    return isinstance(value, Dim) and dims.is_unbacked(value)


def _converted(convert: Callable[[Node], Any], value: Any) -> Any:
    if _is_unknown_size(value) and convert is _as_known:
        return TracedInt.known(TracedInt(value))
    if not _is_integer(value) or (value.dtype.kind == "b" and convert is as_whole):
        return value
    return convert(value)


def _as_known(value: Node) -> Any:
    known = Tracer.known(Tracer(View(Storage(value))))
    return bool(known) if value.dtype.kind == "b" else int(known)


def _laid_out(function: Callable[..., Any], result: Any, args: Any) -> Any:
    """The result, where memory is laid out not as for others."""
    if function in WRITABLE:
        _note_writable(result)
    model = args[0] if args and isinstance(args[0], Tracer) else None
    if model is None or model.type.form != "array":
        return result
    if function in CONVERSIONS and not is_converted(function, model.view, model.type.shape):
        order = order_of_view(result.view)
        return Tracer(View(Storage(result.node, order=order, base=model.view.storage)))
    if function in LIKE:
        result.view.storage.order = order_of_view(model.view)
    return result


def _note_writable(result: Any) -> None:
    """NumPy lets these views be written to."""
    trace = current_trace()
    for view in result if type(result) in (list, tuple) else [result]:
        if trace is not None and isinstance(view, Tracer):
            trace.writable.update(view.view.path)


def unwrap(value: Any, owners: dict[Node, Tracer]) -> Any:
    """Traced values as nodes and sizes, also within lists, tuples and slices."""
    if isinstance(value, Tracer):
        node = value.node
        owners.setdefault(node, value)
        return node
    if isinstance(value, TracedInt):
        return value.dim
    if isinstance(value, Refusing):
        value.refuse()
    if isinstance(value, ArrayLike):
        return unwrap(value.as_array(), owners)
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return slice(*[_bound(p, owners) for p in parts])
    value = _as_plain(value)
    if type(value) in (list, tuple):
        for item in value:
            if isinstance(item, Refusing):  # the rows of arrays: NumPy would copy them
                return item.stacked(value).node
        return type(value)(unwrap(v, owners) for v in value)
    return value


def _as_plain(value: Any) -> Any:
    """What NumPy takes a range, a sequence, or a number of a class of its own for."""
    if type(value) is range:
        return np.array(value)
    if is_own_number(value):
        return np.asarray(plain_number(value))[()]
    if not _is_sequence(value):
        _check_no_number(value)
        return value
    elements = call(list, value)
    return tuple(elements) if isinstance(value, tuple) else elements


def _check_no_number(value: Any) -> None:
    """Some functions of NumPy's ask objects for integers, others make arrays of objects."""
    if any(special(value, name) for name in ("__index__", "__float__", "__int__", "__complex__")):
        raise UnsupportedError(
            f"an object of the class {type(value).__name__} is passed to NumPy as a number",
            here(),
            "convert it with operator.index or float",
        )


def _is_sequence(value: Any) -> bool:
    """Whether NumPy makes an array of the elements of the object, which is no list or tuple."""
    cls = type(value)
    if cls in (list, tuple) or isinstance(value, _NO_SEQUENCES):
        return False
    if isinstance(value, (list, tuple, deque, UserList)):
        return True
    is_one = is_instance(value) and hasattr(cls, "__len__") and hasattr(cls, "__getitem__")
    return is_one and not any(hasattr(cls, name) for name in _AS_ARRAYS)


_NO_SEQUENCES = (np.ndarray, np.generic, dict, str, bytes)
_AS_ARRAYS = ("__array__", "__array_interface__", "__array_struct__", "__array_function__")
"""By these an object says what array it is."""


def _bound(value: Any, owners: dict[Node, Tracer]) -> Any:
    """A bound of a slice: an integer that an array holds becomes a size."""
    integer = isinstance(value, Tracer) and value.dtype.kind in "iu" and not value.ndim
    return as_whole(value.node) if integer else unwrap(value, owners)


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
    if owner is not None and result is owner.node:
        owner.returned = True
        return owner
    steps = None if owner is None else view_steps(result, owner.node)
    if owner is None or steps is None:
        order = order_of_result(result, {node: t.view for node, t in owners.items()})
        return Tracer(View(Storage(result, order=order)))
    view = owner.view
    for step in steps:
        if step.op is reshape and not is_view(view, step):
            order = order_of_view(view)
            return Tracer(View(Storage(result, order=order, base=view.storage)))
        view = view.through((step,))
    return Tracer(view)


def _owner(result: Node, owners: dict[Node, Tracer]) -> Tracer | None:
    """What the result shares memory with: NumPy's scalars are copies, and none looks into them."""
    if result in owners:
        return owners[result]
    node = result
    while node not in owners:
        if node.op.view is None or node.array_type.form != "array":
            return None
        node = node.inputs[0]
    return owners[node] if node.array_type.form == "array" else None


def traced(value: Any) -> Tracer:
    """Any number, array or traced value as a tracer."""
    if isinstance(value, Tracer):
        return value
    if isinstance(value, Refusing):
        value.refuse()
    if isinstance(value, ArrayLike):
        return traced(value.as_array())
    trace = current_trace()
    if trace is None:
        raise InternalError("nothing is traced at the moment")
    raw = value.dim if isinstance(value, TracedInt) else value
    return Tracer(View(Storage(trace.builder.lift(raw))))


def is_traced(value: Any) -> bool:
    """Whether ``value`` is traced, or holds something that is."""
    if isinstance(value, STAND_INS):
        return True
    if isinstance(value, dict):
        return any_traced(value.values())
    return isinstance(value, (list, tuple, deque)) and any_traced(value)


def any_traced(values: Iterable[Any]) -> bool:
    """Whether any of the values is traced."""
    return any(is_traced(v) for v in values)


Tracer.apply = staticmethod(apply)
Flat.check_once = staticmethod(check_once)
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
        "&": np.bitwise_and,
        "|": np.bitwise_or,
        "^": np.bitwise_xor,
        "<<": np.left_shift,
        ">>": np.right_shift,
    }[symbol]
    return run(FUNCTIONS[function], left, right)


COMPARISONS = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


def _number_comparison(relation: str, left: Any, right: Any) -> Any:
    return run(FUNCTIONS[COMPARISONS[relation]], left, right)


TracedInt.fallback = staticmethod(_number_arithmetic)
TracedInt.traced = staticmethod(traced)
TracedInt.compare = staticmethod(_number_comparison)
