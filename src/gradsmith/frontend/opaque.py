"""Calls without a rule: they are made as the user wrote them, at every call of the compiled code.

While tracing, the call is made once on the present values, to learn what it returns: an array or
number is traced from then on, any other object is an `OpaqueObject`, of which attributes, items
and methods are such calls again. What has been done is in the log of effects, so that the first
run of the compiled code does not do it again.
"""

from __future__ import annotations

import builtins
import datetime
import random
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np

from gradsmith.errors import (
    ControlFlowError,
    GradsmithError,
    InternalError,
    UnsupportedError,
)
from gradsmith.frontend.borrowed_arrays import check_call, note_borrowed, note_unheld
from gradsmith.frontend.journal import CONTAINERS
from gradsmith.frontend.made_functions import MadeFunction, made_function
from gradsmith.frontend.present import present_values
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stand_ins import ArrayLike, ObjectStandIn, stands_for
from gradsmith.frontend.storage import Storage, View
from gradsmith.frontend.text import Text, Value, used
from gradsmith.frontend.trace import Capture, Original, Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt, wrap_size
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import Trips
from gradsmith.frontend.unsettled import Refusing, UndecidedError
from gradsmith.frontend.value_guards import decide, not_taken, plain_key
from gradsmith.ir import dims
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item
from gradsmith.ir.types import ArrayType, ObjectType, TupleType
from gradsmith.ops.calls import (
    Arguments,
    Callee,
    Extents,
    Named,
    Nested,
    Place,
    call,
    made,
    makes_new_arrays,
    may_write,
    of_kind,
    raised_call,
    signature_of,
    type_of,
    written_places,
)
from gradsmith.ops.raising import said
from gradsmith.ops.texts import Whole

LITERALS = (str, bytes, bool, int, float, complex, type(None), type(...))
FLAGS = type(np.empty(0).flags)


@stands_for("object")
class OpaqueObject(ObjectStandIn):
    """An object that only calls know what to do with: a fitted model, a file, a data frame."""

    __slots__ = ()
    __gradsmith__ = True

    def __getattr__(self, name: str) -> Any:
        if name == "__dict__":  # the compiler asks all objects for it
            raise AttributeError(name)
        return attribute_of_object(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "node":
            object.__setattr__(self, name, value)
        else:
            OpaqueMethod(self, "__setattr__")(name, value)

    def __delattr__(self, name: str) -> None:
        OpaqueMethod(self, "__delattr__")(name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return record(Callee("method", "__call__", "the call"), [self, *args], kwargs)

    def __getitem__(self, key: Any) -> Any:
        return record(Callee("item", "", "an item"), [self, key], {})

    def __setitem__(self, key: Any, value: Any) -> None:
        OpaqueMethod(self, "__setitem__")(key, value)

    def __delitem__(self, key: Any) -> None:
        OpaqueMethod(self, "__delitem__")(key)

    def __len__(self) -> int:
        return int(apply(len, [self], {}))

    def __iter__(self) -> Any:
        trace = current_trace()
        if trace is not None and trace.read_ahead.get(self.node) == current_span():
            trace.read_ahead.pop(self.node, None)  # the same loop, which is run in another way
        items = apply(list, [self], {})
        elements = [items[k] for k in range(len(items))]
        if trace is None or not isinstance(_present(self.node), Iterator):
            return iter(elements)
        return _one_by_one(trace, self.node, elements)

    def __bool__(self) -> bool:
        return decide(apply(bool, [self], {}))

    def __contains__(self, value: Any) -> bool:
        return decide(record(Callee("operator", "in", "in"), [value, self], {}))

    def __hash__(self) -> int:
        return hash(known_object(self))

    def __str__(self) -> str:
        return str(known_object(apply(str, [self], {})))

    def __format__(self, spec: str) -> str:
        return str(known_object(apply(format, [self, spec], {})))

    def __float__(self) -> Any:
        return apply(float, [self], {})

    def __enter__(self) -> Any:
        return OpaqueMethod(self, "__enter__")()

    def __exit__(self, *error: Any) -> Any:
        return OpaqueMethod(self, "__exit__")(*(None for _ in error))

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Any:
        return apply(ufunc, args, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return apply(function, args, kwargs)


def attribute_of_object(owner: OpaqueObject, name: str) -> Any:
    """``owner.name``, as the user asks for it."""
    if callable(getattr(_present(owner.node), name)):
        return OpaqueMethod(owner, name)
    return record(Callee("attribute", name, f".{name}"), [owner], {})


@stands_for("method")
class OpaqueMethod:
    """A method of such an object, or of one from outside."""

    __slots__ = ("_name", "_owner")
    __gradsmith__ = True

    def __init__(self, owner: Any, name: str) -> None:
        self._owner, self._name = owner, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        callee = Callee("method", self._name, f"the method .{self._name}()")
        return record(callee, [self._owner, *args], kwargs)

    def present_owner(self) -> tuple[Any, str]:
        """The object that it is of in the present call, and its name."""
        owner = self._owner
        return (_present(owner.node) if type(owner) is OpaqueObject else owner), self._name

    def __getitem__(self, key: Any) -> Any:
        return self._attribute()[key]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what the compiler asks functions for
            raise AttributeError(name)
        return getattr(self._attribute(), name)

    def _attribute(self) -> Any:
        """What is no method after all, such as ``.loc`` of a data frame."""
        callee = Callee("attribute", self._name, f".{self._name}")
        return record(callee, [self._owner], {})


def _operator(sign: str, *, reverse: bool = False) -> Callable[[Any, Any], Any]:
    callee = Callee("operator", sign, f"`{sign}`")

    def operate(self: OpaqueObject, other: Any) -> Any:
        return record(callee, [other, self] if reverse else [self, other], {})

    return operate


_SIGNS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "matmul": "@",
    "and": "&",
    "or": "|",
    "xor": "^",
}
for _name, _sign in _SIGNS.items():
    setattr(OpaqueObject, f"__{_name}__", _operator(_sign))
    setattr(OpaqueObject, f"__r{_name}__", _operator(_sign, reverse=True))
for _name, _sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
    setattr(OpaqueObject, f"__{_name}__", _operator(_sign))


def object_argument(trace: Trace, name: str, value: Any, label: str) -> OpaqueObject:
    """The stand-in of an argument that only calls know what to do with."""
    trace.leaves[name] = value
    node = trace.root.parameter(name, ObjectType(type(value)))
    trace.root.names[node] = label
    return OpaqueObject(node)


def known_object(value: Any) -> Any:
    """The present object, where it is text or None, which the emitted code checks."""
    if isinstance(value, Text):
        return value.settled()
    if type(value) is not OpaqueObject:
        return value
    present = _present(value.node)
    if not isinstance(present, (*LITERALS, tuple)):
        raise UnsupportedError(
            f"Python needs a {type(present).__name__} that is known only while the code runs",
            current_span(),
            "pass it as an argument",
        )
    sign = "is" if present is None else "=="
    same = record(Callee("operator", sign, sign), [value, present], {})
    if not decide(same):
        raise ControlFlowError("an object does not equal itself", current_span())
    return present


def _present(node: Node) -> Any:
    trace = current_trace()
    if trace is None:
        raise UnsupportedError("an object of a traced function is used outside of it")
    return present_values(trace).of(node)


def present_object(value: OpaqueObject) -> Any:
    """The object of the present call that it stands for."""
    return _present(value.node)


def is_string(value: Any) -> bool:
    """Whether it stands for a string of the emitted code."""
    return type(value) is OpaqueObject and value.node.type == ObjectType(str)


def is_returnable(value: Any) -> bool:
    """Whether it stands for an object of Python's own that a function may return: a string, or a
    container that a call has made, which holds what the call has put into it.
    """
    if type(value) is not OpaqueObject:
        return False
    found = _present(value.node)
    if isinstance(found, (np.ndarray, np.generic)):  # of strings
        return found.dtype.kind in "SU"
    return type(found) in _RETURNABLE


_RETURNABLE = (str, bytes, list, tuple, dict, set, frozenset)


def class_of_object(value: Any) -> type | None:
    """The class of an object that only calls know, where it is that of all calls of the code."""
    type_ = value.node.type if type(value) is OpaqueObject else None
    return type_.cls if isinstance(type_, ObjectType) else None


def apply(function: Callable[..., Any], args: Iterable[Any], kwargs: Mapping[str, Any]) -> Any:
    """``function(*args, **kwargs)``, called by the emitted code."""
    if function in (isinstance, type):
        first, *others = args
        cls = class_of_object(first)
        if cls is not None:
            return issubclass(cls, *others) if others else cls
        args = (first, *others)
        trace = current_trace()
        if others and trace is not None and trace.builder is trace.root:
            return decide(
                record(Callee("function", "builtins:isinstance", "isinstance"), [*args], {})
            )
    path = _public_path(function)
    if path is not None:
        return record(Callee("function", path, _shown(path)), list(args), kwargs)
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if owner is None or getattr(owner, name, None) != function:
        return record(Callee("method", "__call__", name or "the call"), [function, *args], kwargs)
    return OpaqueMethod(owner, name)(*args, **kwargs)


def _shown(path: str) -> str:
    module, name = path.split(":")
    return name if module == "builtins" else f"{module}.{name}"


# -- names ---------------------------------------------------------------------------------------


def _public_path(function: Any) -> str | None:
    """``scipy.stats:norm.ppf``: the module and the name by which everybody finds a function."""
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if getattr(builtins, name, None) is function:
        return f"builtins:{name}"
    if owner is not None and not isinstance(owner, (type, type(sys))):
        path = _method_in_package(function, owner, name)
    else:
        path = _path_in_package(function, _module_of(function))
    try:
        good = path is not None and Callee("function", path, "").function() == function
    except (ImportError, AttributeError):
        return None
    return path if good else None


def _module_of(value: Any) -> str:
    if isinstance(value, np.ufunc):
        known = getattr(np, value.__name__, None) is value
        return "numpy" if known else "scipy.special"
    return getattr(value, "__module__", None) or ""


def _method_in_package(function: Any, owner: Any, name: str) -> str | None:
    """``random:random``, which is a method of an object of the module; else by its owner."""
    module = _module_of(owner) if isinstance(owner, np.ufunc) else type(owner).__module__
    for public in _public_modules(module.split(".")[0]):
        if name and vars(sys.modules[public]).get(name) == function:
            return f"{public}:{name}"
    found = _path_in_package(owner, module)
    return None if found is None else f"{found}.{name}"


def _public_modules(package: str) -> list[str]:
    """The names of its modules that are imported, the shortest first."""
    inside = f"{package}."
    names = [
        name
        for name, module in sys.modules.items()
        if (name == package or name.startswith(inside))  # first: there may be thousands
        and module is not None
        and "._" not in f".{name}"
    ]
    return sorted(names, key=lambda name: (name.count("."), len(name), name))


def _path_in_package(value: Any, module: str) -> str | None:
    """The shortest name of an object in the public modules of its package."""
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    root = module.split(".", maxsplit=1)[0]
    if root == "__main__" or not root:
        return None
    for found in _public_modules(root):
        held = vars(sys.modules[found])
        if name is not None and held.get(name.split(".")[0]) is not None and "." not in name:
            if held[name] is value:
                return f"{found}:{name}"
        elif name is None:
            known = next((key for key, other in held.items() if other is value), None)
            if known is not None:
                return f"{found}:{known}"
    return None if name is None else f"{module}:{name}"


# -- recording a call ----------------------------------------------------------------------------


def record(callee: Callee, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    """A call in the graph; what it returns in the present call, traced. A string is a text."""
    returned = recorded(callee, args, kwargs)
    return as_text(returned) if is_string(returned) else returned


def _one_by_one(trace: Trace, reader: Node, elements: list[Any]) -> Iterator[Any]:
    """The elements of a file or another iterator, which the emitted code has taken all at once."""
    trace.read_ahead[reader] = current_span()
    yield from elements
    trace.read_ahead.pop(reader, None)


def _check_not_read(trace: Trace, callee: Callee, nodes: Sequence[Node]) -> None:
    """Refuse what is left of a file or iterator while a loop goes through it, and after one that
    may have left some.
    """
    reads = callee.how != "attribute" and callee.name not in ("close", "__exit__")
    for reader in nodes if reads else ():
        if reader in trace.read_ahead:
            raise UnsupportedError(
                f"what a loop leaves of an object of class {type(_present(reader)).__name__} is "
                "not known when tracing",
                current_span(),
                "make a list of it first: list(...)",
            )


def as_text(string: OpaqueObject) -> Text:
    """A string of the emitted code as a text with nothing else in it."""
    trace = current_trace()
    assert trace is not None
    return Text([Value(string.node, "a string that a call returns", trace.builder)])


def recorded(callee: Callee, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    """The same; a string is such an object as any other."""
    trace = current_trace()
    if trace is None:
        return callee.apply(args, kwargs)
    elsewhere = not_taken(trace, f"what {callee.shown} returns")
    taken = _Operands(trace, callee)
    arguments = taken.arguments(args, kwargs)
    copies = may_write(callee, arguments, taken.nodes)
    if elsewhere is not None and copies:
        raise elsewhere
    logged = not callee.only_reads or any(map(_may_change, taken.nodes))
    attrs: dict[str, Any] = {"callee": callee, "arguments": arguments, "logged": logged}
    attrs["writes"] = () if copies else None
    if elsewhere is None:
        done = _unless_raised(trace, taken.nodes, attrs)
    else:
        done = _rehearsed(trace, attrs, taken.nodes, elsewhere)
    taken.add_dependences(done.result)
    attrs["fresh"] = makes_new_arrays(
        callee, _owner_of_method(trace, callee, arguments, taken.nodes)
    )
    name = f"{trace.root.token()}"
    attrs["token"] = int(name)
    trace.builder.span = current_span() or trace.builder.span
    places = _by_place(callee, args, kwargs)
    attrs["handled"] = bool(trace.trying)
    written = [*(written_places(callee, arguments) if copies else ()), *done.changed]
    if written:
        attrs["writes"] = tuple(dict.fromkeys(written))
        returned = _with_writes(trace, done, taken.nodes, attrs, places)
    else:
        returned = _traced(trace, done.result, taken.nodes, attrs, f"returned.{name}")
    _doubt_views(returned, done, places)
    return returned


def _may_change(node: Node) -> bool:
    """Whether it is an object that calls may change: its items and attributes are of a time."""
    return isinstance(node.type, ObjectType) and not _is_immutable(_present(node))


def _is_immutable(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(map(_is_immutable, value))
    return isinstance(value, (*LITERALS, np.generic, *_MADE_OF, range, FLAGS))


def _unless_raised(trace: Trace, nodes: list[Node], attrs: dict[str, Any]) -> _Made:
    """The present call. Where it raises an error that a ``try`` may handle, the code is made for
    calls that raise it.
    """
    try:
        return _made(trace, nodes, attrs)
    except GradsmithError:
        raise
    except Exception as error:
        if trace.trying:
            trace.builder.span = current_span() or trace.builder.span
            node = raised_call(*nodes, error=said(error), token=trace.root.token(), **attrs)
            present_values(trace).put(node, True)
            decide(_value(node, None))
        raise


def _owner_of_method(
    trace: Trace, callee: Callee, arguments: Arguments, nodes: Sequence[Node]
) -> Any:
    """The object that a method is called of, if it is an operand."""
    owner = arguments.args[0] if callee.how == "method" else None
    return present_values(trace).of(nodes[owner.place]) if isinstance(owner, Whole) else None


def _by_place(callee: Callee, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[Place, Any]:
    """The arguments by position or keyword."""
    found: dict[Place, Any] = dict(enumerate(args[1:] if callee.how == "method" else args))
    found.update(kwargs)
    return found


def _with_writes(
    trace: Trace, done: _Made, nodes: list[Node], attrs: dict[str, Any], given: dict[Place, Any]
) -> Any:
    """What a call returns that writes to arguments: these get what it leaves in copies of them."""
    _check_targets(attrs["callee"], attrs["writes"], given)
    count = 1 + len(attrs["writes"])
    whole = call(*nodes, result=TupleType((ObjectType(),) * count), **attrs)
    left = [done.given[place] for place in attrs["writes"]]
    present_values(trace).put(whole, (done.result, *left))
    returned = _part(trace, whole, 0, done.result, f"returned.{attrs['token']}")
    for k, (place, value) in enumerate(zip(attrs["writes"], left, strict=True), start=1):
        target = given[place]
        kind = {"count": Extents(()), "symbol": None, "token": trace.root.token()}
        node = of_kind(item(whole, index=k), result=target.type, **kind)
        present_values(trace).put(node, value)
        target.assign(Tracer(View(Storage(node))))
    return returned


def _check_targets(callee: Callee, written: Iterable[Place], given: Mapping[Place, Any]) -> None:
    """Refuse writes to other things than arrays, and to what shares memory with an argument."""
    for place in written:
        others = [given[p] for p in given if p != place]
        if not isinstance(given[place], Tracer) or any(
            _may_share(given[place], o) for o in others
        ):
            raise UnsupportedError(
                f"{callee.shown} writes into an array or a list that it is given",
                current_span(),
                "write what it does with NumPy functions, or give it a rule with gs.custom_vjp",
            )


def _doubt_views(returned: Any, done: _Made, given: Mapping[Place, Any]) -> None:
    """Arrays that are views of an argument: what they hold after a write cannot be told."""
    pairs = zip(returned, done.result, strict=True) if type(returned) is tuple else ()
    for part, value in [*pairs, (returned, done.result)]:
        if not isinstance(part, Tracer) or type(value) is not np.ndarray:
            continue
        for place, argument in done.given.items():
            target = given[place]
            shared = isinstance(target, Tracer) and type(argument) is np.ndarray
            if shared and np.may_share_memory(value, argument):
                part.view.storage.doubt(target.view.storage)


def _may_share(target: Tracer, other: Any) -> bool:
    """Whether an argument may show some of the memory of the array."""
    if isinstance(other, Tracer):
        one, two = target.view.storage, other.view.storage
        return one is two or one.may_be(two)
    parts = other.values() if isinstance(other, dict) else other
    return type(other) in (list, tuple, dict) and any(_may_share(target, part) for part in parts)


def _is_independent(value: Any) -> bool:
    """Whether it keeps nothing of the numbers that it is given: generators of random numbers."""
    known = type(value) in (FLAGS, random.Random, random.SystemRandom)
    drawing = type(value).__module__.startswith("numpy.random")
    return known or drawing or isinstance(value, LITERALS)


@dataclass(frozen=True, slots=True)
class _Made:
    """A call as it was made: its result, its arguments as it left them, and those it changed."""

    result: Any
    given: Mapping[Place, Any]
    changed: Sequence[Place] = ()


def _made(trace: Trace, nodes: list[Node], attrs: dict[str, Any]) -> _Made:
    """The present call, by the log of effects."""
    present = present_values(trace)
    present.perform_effects()
    callee, arguments = attrs["callee"], attrs["arguments"]
    itself = callee.how == "attribute"  # nothing that could write to it
    operands = [present.of(node) if itself else _own(present.of(node)) for node in nodes]
    noted = partial(_noted, trace, attrs)
    if attrs["logged"]:
        found = trace.log.once(signature_of(operands, **attrs), noted, operands)
    else:
        found = noted(operands)
    return (
        _Made(found, _by_place(callee, *arguments.values(operands)))
        if attrs["writes"] is None
        else _Made(*found)
    )


def _noted(trace: Trace, attrs: dict[str, Any], operands: Sequence[Any]) -> Any:
    """The call itself; which arrays it has made is noted."""
    found = made(operands, **attrs)
    note_unheld(trace, found, copied=attrs["writes"] is not None)
    return found


def _rehearsed(
    trace: Trace, attrs: dict[str, Any], nodes: list[Node], error: UndecidedError
) -> _Made:
    """What a call on a path that is not taken might return, if nothing remains of that.

    So it is with functions of numbers alone, and with draws: the generator is put back.

    Raises
    ------
    UndecidedError
        It is another call: the branch or loop is to be decided.
    """
    present, callee = present_values(trace), attrs["callee"]
    try:
        with present.rehearsal():
            operands = [_own(present.of(node)) for node in nodes]
        args, kwargs = attrs["arguments"].values(operands)
        generator = _generator_of(callee, args)
        if generator is None and not _is_of_numbers(callee):
            raise error
        with nullcontext() if generator is None else _put_back(generator):
            return _Made(callee.apply(args, kwargs), _by_place(callee, args, kwargs))
    except Exception:
        raise error from None


_OF_NUMBERS = ("numpy", "numpy.fft", "numpy.linalg", "scipy.linalg", "scipy.special", "statistics")
_OF_FILES_AND_SETTINGS = (
    "from",
    "gen",
    "get",
    "info",
    "load",
    "mem",
    "print",
    "save",
    "set",
    "show",
)


def _is_of_numbers(callee: Callee) -> bool:
    """Whether a function computes something and does nothing else."""
    if callee.how != "function":
        return False
    module, name = callee.name.split(":")
    return module in _OF_NUMBERS and not name.startswith(_OF_FILES_AND_SETTINGS)


def _generator_of(callee: Callee, args: Sequence[Any]) -> Any:
    """The generator of random numbers that a call draws from."""
    if callee.how == "function":
        owner = getattr(callee.function(), "__self__", None)
    else:
        owner = args[0] if callee.how == "method" else None
    known = isinstance(owner, (np.random.Generator, np.random.RandomState, random.Random))
    return owner if known else None


@contextmanager
def _put_back(generator: Any) -> Iterator[None]:
    """The state of a generator is at the end what it is at the beginning."""
    if isinstance(generator, np.random.Generator):
        before = generator.bit_generator.state
        try:
            yield
        finally:
            generator.bit_generator.state = before
        return
    is_numpys = isinstance(generator, np.random.RandomState)
    before = generator.get_state() if is_numpys else generator.getstate()
    try:
        yield
    finally:
        (generator.set_state if is_numpys else generator.setstate)(before)


def _own(value: Any) -> Any:
    return value.copy() if type(value) is np.ndarray else value


def _traced(trace: Trace, result: Any, nodes: list[Node], attrs: dict[str, Any], name: str) -> Any:
    present = present_values(trace)
    if _is_plain_tuple(result) and any(map(_is_data, result)):
        whole = call(*nodes, result=TupleType((ObjectType(),) * len(result)), **attrs)
        present.put(whole, result)
        parts = [_part(trace, whole, k, part, f"{name}.{k}") for k, part in enumerate(result)]
        return tuple(parts) if type(result) is tuple else type(result)._make(parts)
    if not _is_data(result):
        node = call(*nodes, result=_object_type(result), **attrs)
        present.put(node, result)
        return OpaqueObject(node)
    fixed = not nodes and not attrs["callee"].only_reads  # of literals alone
    type_, count, symbol = type_of(result, name, fixed=fixed)
    node = call(*nodes, result=type_, count=count, symbol=symbol, **attrs)
    present.put(node, result)
    return _array_or_number(trace, node, symbol, result)


def _object_type(value: Any) -> ObjectType:
    """The type of what a call returns that is no number: strings are checked to be some."""
    return ObjectType(str if type(value) is str else None)


def _is_plain_tuple(value: Any) -> bool:
    """Whether it is a tuple, or a named tuple that has nothing besides its items."""
    if type(value) is tuple:
        return True
    made = isinstance(value, tuple) and hasattr(value, "_make")
    return made and len(value._fields) == len(value) and not getattr(value, "__dict__", None)


def _part(trace: Trace, whole: Node, place: int, value: Any, name: str) -> Any:
    part = item(whole, index=place)
    if type(value) is str:
        node = of_kind(
            part, result=ObjectType(str), count=None, symbol=None, token=trace.root.token()
        )
        present_values(trace).put(node, value)
        return as_text(OpaqueObject(node))
    if not _is_data(value):
        return OpaqueObject(part)
    type_, count, symbol = type_of(value, name)
    node = of_kind(part, result=type_, count=count, symbol=symbol, token=trace.root.token())
    present_values(trace).put(node, value)
    if any(isinstance(size, int) for size in type_.shape):
        trace.builder.note_error(node)  # it is checked, too, where only its sizes are read
    return _array_or_number(trace, node, symbol, value)


def _value(node: Node, symbol: Any) -> Any:
    if symbol is not None:
        return wrap_size(dims.of_atom(symbol))
    return Tracer(View(Storage(node)))


def _array_or_number(trace: Trace, node: Node, symbol: Any, value: Any) -> Any:
    """What a call has returned, traced: others may hold an array."""
    made = _value(node, symbol)
    made_by = node.inputs[0] if node.op is item else node  # of several results
    if type(value) is np.ndarray and not (made_by.op is call and made_by.attrs["fresh"]):
        note_borrowed(trace, made, value, held=id(value) not in trace.unheld)
    return made


def _is_data(value: Any) -> bool:
    """Whether it is an array or number that can be traced."""
    if type(value) is np.ndarray or isinstance(value, np.generic):
        return bool(value.dtype.kind in "biufc" and value.dtype.isnative)
    return type(value) in (bool, int, float, complex)


_PICKLING = ("pickle:", "_pickle:", "marshal:", "joblib:", "cloudpickle:", "dill:")


_MADE_OF: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    Fraction: lambda value: (value.numerator, value.denominator),
    Decimal: lambda value: (str(value),),
    datetime.date: lambda value: (value.year, value.month, value.day),
    datetime.timedelta: lambda value: (value.days, value.seconds, value.microseconds),
}
"""Classes of objects that cannot change, and what makes an equal one."""


class _Operands:
    """The operands of a call, and its arguments in terms of these."""

    def __init__(self, trace: Trace, callee: Callee) -> None:
        self.trace = trace
        self.callee = callee
        self.nodes: list[Node] = []
        self.containers: dict[int, Any] = {}
        """Those that have been given, by identity."""

    def arguments(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Arguments:
        """All arguments."""
        given = tuple(map(self.given, args))
        named = tuple((key, self.given(value)) for key, value in kwargs.items())
        _check_not_read(self.trace, self.callee, self.nodes)
        return Arguments(given, named)

    def given(self, value: Any) -> Any:
        """An argument."""
        value = used(value)
        if isinstance(value, Refusing):
            value.refuse()
        if isinstance(value, Tracer):
            return self._operand(value.node)
        if isinstance(value, TracedInt):
            return self._operand(self.trace.builder.lift(value.dim))
        if type(value) is OpaqueObject:
            return self._operand(self.trace.builder.inner(value.node))
        if type(value) in LITERALS or isinstance(value, (np.float64, np.complex128)):
            return value
        if isinstance(value, Trips) and value.counts:
            bounds = wrap_size(value.start), wrap_size(value.stop), value.step
            return Nested("range", (), tuple(map(self.given, bounds)))
        if isinstance(value, ArrayLike):
            return self.given(value.as_array())
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
            return self._operand(self.trace.builder.lift(value))
        return self._nested(value) or self._object(value)

    def _nested(self, value: Any) -> Nested | None:
        """A container of arguments, or a slice."""
        if isinstance(value, CONTAINERS):
            self._check_alone(value)
        if isinstance(value, (slice, range)):
            parts = (value.start, value.stop, value.step)
            kind: Literal["slice", "range"] = "slice" if isinstance(value, slice) else "range"
            return Nested(kind, (), tuple(map(self.given, parts)))
        if type(value) in (list, tuple):
            sequence: Literal["list", "tuple"] = "list" if type(value) is list else "tuple"
            return Nested(sequence, (), tuple(map(self.given, value)))
        if type(value) in _MADE_OF:
            cls = type(value)
            path = f"{cls.__module__}:{cls.__name__}"
            return Nested("object", (path,), _MADE_OF[cls](value))
        if type(value) is dict:
            keys = tuple(map(plain_key, value))
            return Nested("dict", keys, tuple(map(self.given, value.values())))
        return None

    def _check_alone(self, container: Any) -> None:
        """Refuse to give a function one container in two places that tells it from two.

        Raises
        ------
        UnsupportedError
            It is given before, and the call pickles its arguments.
        """
        if id(container) in self.containers and self.callee.name.startswith(_PICKLING):
            raise UnsupportedError(
                f"{self.callee.shown} is given one {type(container).__name__} in two places",
                current_span(),
                "copy it with copy.deepcopy, which keeps what is one object",
            )
        self.containers[id(container)] = container

    def _operand(self, node: Node) -> Whole:
        if node not in self.nodes:
            self.nodes.append(node)
        return Whole(self.nodes.index(node))

    def add_dependences(self, result: Any) -> None:
        """Further operands: what objects of this call have been given by earlier calls.

        A fitted model depends on its data. Objects that have met in a call may hold each other.
        """
        present = present_values(self.trace)
        values = [n for n in self.nodes if isinstance(n.type, ArrayType) and n.type.inexact]
        held = [present.of(n) for n in self.nodes if isinstance(n.type, ObjectType)]
        held = [value for value in held if not _is_independent(value)]
        if not held:
            return
        check_call(self.trace, self.callee.shown)
        groups = self.trace.object_groups
        known = [groups[id(value)] for value in held if id(value) in groups]
        group = list(dict.fromkeys(node for nodes in known for node in nodes))
        for node in group:
            if not self.trace.builder.knows(node):
                raise ControlFlowError(
                    "a loop or branch gives numbers to an object that is used elsewhere as well",
                    current_span(),
                    "what the object holds then is not known to depend on them",
                )
            self._operand(self.trace.builder.inner(node))
        group += values
        for value in [*held, *([] if _is_data(result) else [result])]:
            groups[id(value)] = group
        for nodes in known:
            nodes[:] = group

    def _object(self, value: Any) -> Any:
        """An object that has a public name, or that the function finds outside."""
        _check_not_written(self.trace, getattr(value, "__self__", value))
        path = _public_path(value)
        if path is not None:
            return Named(path)
        if isinstance(value, types.ModuleType):
            return Nested("module", (value.__name__,), ())
        if isinstance(value, types.MethodType):
            return Nested("method", (value.__name__,), (self.given(value.__self__),))
        function = made_function(value)
        if function is not None:
            return self._function(function)
        captured = _captured(self.trace, value)
        if captured is None:
            raise self._not_found_again(value)
        return self._operand(self.trace.builder.inner(captured))

    def _not_found_again(self, value: Any) -> UnsupportedError:
        kind = type(value).__name__
        text = f"{self.callee.shown}, which gradsmith does not trace, is given"
        if value is sys.stdout or value is sys.stderr:
            hint = "write with print(..., end=''), and file=sys.stderr"
            return UnsupportedError(f"{text} what `sys` writes to", current_span(), hint)
        hint = "make it outside the function, or give the call a rule with gs.custom_vjp"
        return UnsupportedError(
            f"{text} a {kind} that is made in the function", current_span(), hint
        )

    def _function(self, function: MadeFunction) -> Nested | Whole:
        """A function that the traced one has defined."""
        template = self._operand(self.trace.builder.inner(_template_of(self.trace, function)))
        if not (function.defaults or function.values):
            return template
        defaults = Nested("tuple", (), tuple(map(self.given, function.defaults)))
        return Nested("function", (), (template, defaults, *map(self.given, function.values)))


def _check_not_written(trace: Trace, value: Any) -> None:
    """Refuse an object from outside whose attributes the function has written, which happens at
    the end of the emitted code.
    """
    if trace.overlays.get(id(value), (None, {}))[1]:
        raise UnsupportedError(
            f"a {type(value).__name__} from outside is given to a call that gradsmith does not "
            "trace, after the function has written to its attributes",
            current_span(),
            "make the call before the write, or pass what it needs as numbers and arrays",
        )


def _template_of(trace: Trace, function: MadeFunction) -> Node:
    """The user's function without its variables as an input of the compiled function."""
    template = function.template
    trace.originals.setdefault(id(template), Original(template, lambda: template))
    found = _captured(trace, template)
    if found is None:
        raise InternalError("a function without variables is no input")
    return found


def _captured(trace: Trace, value: Any) -> Node | None:
    """An object from outside as an input of the compiled function."""
    original = trace.originals.get(id(value))
    if original is None or original.read is None or original.real is not value:
        return None
    key = ("object", id(value))
    if key not in trace.captures:
        name = _name_outside(trace, value)
        while name in trace.leaves:
            name += "_"
        node = trace.root.parameter(name, ObjectType(type(value)))
        trace.leaves[name] = value
        made = Capture(name, original.read, node, value)
        trace.inputs.append(made)
        trace.captures[key] = (value, made)
    found = trace.captures[key][1]
    return None if found is None else found.node


def _name_outside(trace: Trace, value: Any) -> str:
    """What the user calls an object from outside."""
    if isinstance(value, types.FunctionType):
        return value.__name__ if value.__name__.isidentifier() else "function"
    keys = (key for key, (held, _) in trace.captures.items() if held is value)
    names = (key[-1] for key in keys if isinstance(key, tuple))
    return next((n for n in names if isinstance(n, str) and n.isidentifier()), "given")


__all__ = ["Extents", "OpaqueObject", "apply", "known_object", "record"]
