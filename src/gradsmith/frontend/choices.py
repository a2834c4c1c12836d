"""Conditional expressions, ``and``, ``or``, ``not`` and chained comparisons on traced values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradsmith.errors import ControlFlowError, InternalError
from gradsmith.frontend import protocols
from gradsmith.frontend.branches import fail_on, joined, needs_rows
from gradsmith.frontend.classes import is_instance, special
from gradsmith.frontend.dispatch import run
from gradsmith.frontend.exact_type import of_class
from gradsmith.frontend.grown import check_one_by_one
from gradsmith.frontend.joint import arm_of, as_condition, condition_of
from gradsmith.frontend.journal import journaling, reachable
from gradsmith.frontend.number_class import is_number, possible_types
from gradsmith.frontend.object_identity import CACHED, check_keys, is_same_object
from gradsmith.frontend.opaque import OpaqueObject, class_of_object, record
from gradsmith.frontend.path_errors import ended
from gradsmith.frontend.shared_memory import are_one, are_one_integer
from gradsmith.frontend.spans import current_span, in_users_name, staged_frame
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.text import Text
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import Trips
from gradsmith.frontend.unsettled import Refusing, Unsettled
from gradsmith.frontend.value_guards import decide
from gradsmith.ops.calls import Callee
from gradsmith.ops.compare import negation
from gradsmith.ops.scalars import python_bool

_UNNAMED = "this conditional expression"


def choose(
    condition: Any,
    then: Callable[[], Any],
    orelse: Callable[[], Any],
    made: list[Any] | None = None,
    name: str = _UNNAMED,
) -> Any:
    """``then() if condition else orelse()``; either may append to the list ``made``. ``name`` is
    the variable that gets the value, where that may be None.
    """
    condition = as_condition(condition)
    if not isinstance(condition, Tracer):
        return then() if condition else orelse()
    trace = current_trace()
    if trace is None:
        raise InternalError("a traced condition outside a trace")
    site = current_span()
    if site in trace.decided:
        return then() if decide(condition) else orelse()
    node = condition_of(condition)
    arms = []
    frame = staged_frame()
    known = None if frame is None else reachable(frame, trace)
    if known is not None and made is not None:
        known[id(made)] = made
    for truth, way in ((True, then), (False, orelse)):
        with trace.region((node, truth), site), journaling(known) as journal:
            value, abandoned = None, None
            try:
                value = way()
            except Exception as error:
                abandoned = ended(error, trace)
                if abandoned is None:
                    raise
            arms.append(arm_of(trace, [value], journal, (name,)))
        if abandoned is not None:
            fail_on(trace, node, arms[-1].builder, truth=truth)
            return orelse() if truth else then()
    try:
        (value,) = joined(trace, node, (name,), arms)
    except ControlFlowError as error:  # no value stands for what the two give
        if needs_rows(trace, error):
            raise
        return then() if decide(condition) else orelse()
    return value


def choose_for(
    name: str, condition: Any, then: Callable[[], Any], orelse: Callable[[], Any]
) -> Any:
    """`choose` for a variable that may be None."""
    return choose(condition, then, orelse, None, name)


def either(word: str, first: Any, rest: Callable[[], Any]) -> Any:
    """``first and rest()``, ``first or rest()``."""
    asked = as_condition(first)
    if not isinstance(asked, Tracer):
        return (rest() if asked else first) if word == "and" else (first if asked else rest())
    if word == "and":
        return choose(asked, rest, lambda: _falsy(first))
    return choose(asked, lambda: _truthy(first), rest)


def _is_truth(value: Any) -> bool:
    """Whether it is a bool of Python's, which `False` and `True` stand for on a path."""
    return isinstance(value, Tracer) and value.dtype == bool and value.type.weak


def _falsy(value: Any) -> Any:
    return False if _is_truth(value) else value


def _truthy(value: Any) -> Any:
    return True if _is_truth(value) else value


def negate(value: Any) -> Any:
    """``not value``."""
    value = as_condition(value)
    if not isinstance(value, Tracer):
        return not value
    node = condition_of(value)
    if node.op is negation and node.inputs[0].array_type.weak:
        return Tracer(View(Storage(node.inputs[0])))
    return Tracer(View(Storage(negation(node))))


def identical(left: Any, right: Any) -> Any:
    """``left is right``; of traced truth values a traced one."""
    if _may_be_truth(left) and _may_be_truth(right):
        return _is_same_truth(left, right)
    if OpaqueObject in (type(left), type(right)):
        if (left is None and class_of_object(right)) or (right is None and class_of_object(left)):
            return False
        return decide(record(Callee("operator", "is", "`is`"), [left, right], {}))
    for value in (left, right):
        if isinstance(value, Unsettled):
            value.refuse()
        if isinstance(value, Tracer):
            value.view.storage.read = True  # what it is has been asked
    if TracedInt in (type(left), type(right)) and {type(left), type(right)} <= {TracedInt, int}:
        return left is right or _is_same_integer(left, right)
    return are_one(left, right) or is_same_object(left, right)


def _is_same_integer(left: Any, right: Any) -> bool:
    """Of small integers Python has one object each."""
    if not decide(compared(left, "Eq", right)):
        return False
    cached = decide(compared(left, "GtE", CACHED[0])) and decide(compared(left, "LtE", CACHED[1]))
    return cached or are_one_integer(left, right)


def _may_be_truth(value: Any) -> bool:
    """Whether it may be one of the truth values of Python or NumPy, of which there is one object
    each.
    """
    if not isinstance(value, Tracer):
        return isinstance(value, _TRUTHS)
    return is_number(value.node) and any(t.dtype.kind == "b" for t in possible_types(value.node))


def _is_same_truth(left: Any, right: Any) -> Any:
    if left is right or not (isinstance(left, Tracer) or isinstance(right, Tracer)):
        return left is right
    classes = [_class_of_truth(value) for value in (left, right)]
    if classes[0] is None or classes[0] is not classes[1]:
        return False
    if not isinstance(left, Tracer):
        left, right = right, left
    if not isinstance(right, Tracer):
        return truth(left) if right else negate(left)
    return truth(compared(left, "Eq", right))


def _class_of_truth(value: Any) -> type | None:
    if not isinstance(value, Tracer):
        return type(value)
    return next((cls for cls in _TRUTHS if of_class(value, partial(operator.is_, cls))), None)


_TRUTHS = (bool, np.bool_)


def compared(left: Any, word: str, right: Any) -> Any:
    """``left < right``; ``word`` is the name of `ast`'s operator."""
    if word in ("Is", "IsNot"):
        same = identical(left, right)
        return same if word == "Is" else negate(same)
    if not (isinstance(left, Tracer) or isinstance(right, Tracer)):
        check_one_by_one(left)
        check_one_by_one(right)
    if word in ("In", "NotIn"):
        if isinstance(left, Refusing) and isinstance(right, str):  # C code asks for its class
            left.refuse()
        found = _contained(left, right)
        return found if word == "In" else negate(found)
    if type(left) in (list, tuple) and type(left) is type(right):
        arrays = any(map(is_array, left)) and any(map(is_array, right))
        if arrays or _ask(word, left, right):
            return _sequences_compared(left, word, right)
    made = protocols.compare(word, left, right)
    return negate(made.value) if isinstance(made, protocols.Negated) else made


def _ask(word: str, *values: Any) -> bool:
    """Whether comparing these asks objects of the user's."""
    names = ("__eq__",) if word in ("Eq", "NotEq") else _ORDERING
    return any(
        _ask(word, *value)
        if type(value) in (list, tuple)
        else any(special(value, name) for name in names)
        for value in values
    )


_ORDERING = ("__eq__", "__lt__", "__le__", "__gt__", "__ge__")


_OF_LENGTHS: dict[str, Callable[[int, int], bool]] = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
}


def _sequences_compared(left: Sequence[Any], word: str, right: Sequence[Any]) -> Any:
    """Two lists or two tuples, whose elements Python asks one by one."""
    if type(left) is list and word in ("Eq", "NotEq") and len(left) != len(right):
        return word == "NotEq"
    return _compared_from(0, left, word, right)


def _compared_from(place: int, left: Sequence[Any], word: str, right: Sequence[Any]) -> Any:
    if place >= min(len(left), len(right)):
        return _OF_LENGTHS[word](len(left), len(right))
    one, other = left[place], right[place]
    rest = partial(_compared_from, place + 1, left, word, right)
    same = is_it(one, other) or truth(compared(one, "Eq", other))
    return choose(same, rest, partial(_first_difference, one, word, other))


def _first_difference(one: Any, word: str, other: Any) -> Any:
    return word == "NotEq" if word in ("Eq", "NotEq") else compared(one, word, other)


@in_users_name
def _contained(item: Any, container: Any) -> Any:
    """``item in container``; the truth of what ``__contains__`` gives."""
    if special(container, "__contains__"):
        return truth(protocols.contains(container, item))
    check_keys([item])
    if isinstance(item, Text) and isinstance(container, str):
        return truth(record(_IN, [item, container], {}))
    if isinstance(container, (list, tuple, _VALUES)):
        values = isinstance(container, _VALUES)
        elements = list(container) if values else list(_own_iterator(container))
        asks = any(map(is_instance, (item, *elements)))
        if asks or (is_array(item) and any(map(is_array, elements))):
            return _any_equal(elements, item)
        return item in container
    if isinstance(container, Trips) and container.counts and isinstance(item, (int, TracedInt)):
        return _is_in_range(item, container)
    if hasattr(type(container), "__contains__") or not protocols.is_iterable(container):
        return item in container
    return _found_among(protocols.iterator(container), item)


_IN = Callee("operator", "in", "`in`")
_VALUES: Any = type({}.values())


def _is_in_range(item: Any, numbers: Trips) -> Any:
    """What Python knows without going through them."""
    first, stop, step = wrap_size(numbers.start), wrap_size(numbers.stop), numbers.step
    begun = item >= first if step > 0 else item <= first
    return either(
        "and",
        begun,
        lambda: either(
            "and",
            item < stop if step > 0 else item > stop,
            lambda: (item - first) % step == 0,
        ),
    )


def _own_iterator(container: list[Any] | tuple[Any, ...]) -> Iterator[Any]:
    """Python's own, whatever ``__iter__`` a class of the user's has: ``in`` does not call it."""
    base = list if isinstance(container, list) else tuple
    return base.__iter__(container)  # type: ignore[arg-type]


def is_array(value: Any) -> bool:
    """Whether it is a traced array, not a number."""
    return isinstance(value, Tracer) and value.type.form == "array"


def is_it(element: Any, item: Any) -> bool:
    """Whether Python finds the item by its identity: two arguments may be one array."""
    if element is item:
        return True
    return is_array(element) and is_array(item) and bool(identical(element, item))


def _any_equal(elements: Sequence[Any], item: Any) -> Any:
    if not elements:
        return False
    same = is_it(elements[0], item) or truth(compared(elements[0], "Eq", item))
    return either("or", same, lambda: _any_equal(elements[1:], item))


def _found_among(elements: Iterator[Any], item: Any) -> bool:
    """No element is taken after an equal one."""
    return any(
        is_it(element, item) or decide(truth(compared(element, "Eq", item)))
        for element in elements
    )


def truth(value: Any) -> Any:
    """``bool(value)``: True, False, or a traced bool of Python's."""
    value = as_condition(value)
    if not isinstance(value, Tracer):
        return bool(value)
    return (
        value
        if _is_truth(value)
        else run(python_bool, condition_of(value) if value.ndim else value)
    )


def all_equal(left: Sequence[Any], right: Sequence[Any], *, as_tuples: bool) -> Any:
    """Whether two sequences of one length are equal, element by element; of tuples those are equal
    that are one object.
    """
    if not left:
        return True
    one, other = left[0], right[0]
    same = (as_tuples and (one is other or are_one(one, other))) or truth(
        compared(one, "Eq", other)
    )
    return either("and", same, lambda: all_equal(left[1:], right[1:], as_tuples=as_tuples))


def chain(left: Any, word: str, right: Callable[[], Any], *rest: Any) -> Any:
    """``left < right() < ...``, with each operand evaluated once and only if it counts."""
    return _chain(left, word, right, *rest, link=lambda made: made)


def asked_chain(left: Any, word: str, right: Callable[[], Any], *rest: Any) -> Any:
    """The same where only the truth of the result counts."""
    return _chain(left, word, right, *rest, link=truth)


def _chain(
    left: Any, word: str, right: Callable[[], Any], *rest: Any, link: Callable[[Any], Any]
) -> Any:
    operand = right()
    made = compared(left, word, operand)
    if not rest:
        return made
    return either("and", link(made), lambda: _chain(operand, *rest, link=link))
