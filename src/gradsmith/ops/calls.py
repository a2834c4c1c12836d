"""Calls of functions that have no derivative here: they are called as the user called them.

What they return is learned by calling them while the function is traced (`frontend.opaque`). The
emitted code calls them by their public names, and checks that the result is of the same kind.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import operator
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NoReturn, TypeAlias

import numpy as np

from gradsmith.errors import GradientError, Span, SpecialisationError
from gradsmith.ir import dims
from gradsmith.ir.dims import Size, Symbol
from gradsmith.ir.effect_log import Signature, signature
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item
from gradsmith.ir.op import NON_DIFF, Custom, Each, Emitter, Held
from gradsmith.ir.types import PYTHON_TYPES, ArrayType, ObjectType, Type, python_number
from gradsmith.ops import syntax
from gradsmith.ops.declare import primitive
from gradsmith.ops.raising import asking, error_of, later, said
from gradsmith.ops.texts import Whole

Place: TypeAlias = "int | str"
"""The position of an argument, or its keyword."""

How: TypeAlias = Literal["function", "method", "attribute", "item", "operator"]


@dataclass(frozen=True, slots=True)
class Callee:
    """What is called. ``name`` is the path of a function (``scipy.stats.norm.ppf``), the name of
    a method or attribute of operand 0, or the sign of an operator.
    """

    how: How
    name: str
    shown: str
    """What messages call it."""

    def apply(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The result on these arguments; that of a method gets its owner first."""
        function, rest = self.bound(args)
        return function(*rest, **kwargs)

    def bound(self, args: Sequence[Any]) -> tuple[Callable[..., Any], Sequence[Any]]:
        """The function, or the method of its owner, and the arguments that it takes."""
        if self.how == "function":
            return self.function(), args
        if self.how == "method":
            return getattr(args[0], self.name), args[1:]
        if self.how == "attribute":
            return getattr, [args[0], self.name]
        return OPERATORS["[]" if self.how == "item" else self.name], args

    @property
    def only_reads(self) -> bool:
        """Whether it leaves its operands as they are, which others may change later on."""
        if self.how == "function" and self.name.startswith("builtins:"):
            return self.name.removeprefix("builtins:") not in TAKING
        return self.how not in ("function", "method")

    def function(self) -> Callable[..., Any]:
        """The function itself."""
        module, name = self.name.split(":")
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
        return found  # type: ignore[no-any-return]


TAKING = (
    *("bytearray", "dict", "input", "list", "next", "open", "print", "set", "sorted", "tuple"),
)
"""Those of Python's own functions that may take elements of an iterator, have other effects, or
make what methods change."""

OPERATORS: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "@": operator.matmul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
    "[]": operator.getitem,
}


Kind: TypeAlias = Literal[
    "tuple", "list", "dict", "slice", "range", "module", "method", "function", "object"
]


@dataclass(frozen=True, slots=True)
class Nested:
    """A container among the arguments of a call, a slice or a range; a module by its name, a
    method of an object, a function with its defaults and the values of its variables; an object
    that cannot change, by its class and what that is called with.
    """

    kind: Kind
    keys: tuple[Any, ...]
    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """An object that has a public name, such as ``np.float64`` or a function: its path."""

    path: str

    @property
    def value(self) -> Any:
        """The object."""
        return Callee("function", self.path, "").function()


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call: operands by their place, containers of such, and literals."""

    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...] = ()

    def values(self, operands: Sequence[Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments for these operands."""
        args = [_value(a, operands) for a in self.args]
        return args, {key: _value(a, operands) for key, a in self.kwargs}


def _value(given: Any, operands: Sequence[Any]) -> Any:
    if isinstance(given, Whole):
        return operands[given.place]
    if isinstance(given, Named):
        return given.value
    if not isinstance(given, Nested):
        return given
    parts = [_value(part, operands) for part in given.parts]
    if given.kind == "dict":
        return dict(zip(given.keys, parts, strict=True))
    if given.kind in _MAKERS:
        return _MAKERS[given.kind](given, parts)
    return tuple(parts) if given.kind == "tuple" else parts


def _made_function(given: Nested, parts: list[Any]) -> types.FunctionType:
    template, defaults, *values = parts
    name, cells = template.__name__, tuple(map(types.CellType, values))
    return types.FunctionType(template.__code__, template.__globals__, name, defaults, cells)


_MAKERS: dict[str, Callable[[Nested, list[Any]], Any]] = {
    "slice": lambda given, parts: slice(*parts),
    "range": lambda given, parts: range(*parts),
    "module": lambda given, parts: importlib.import_module(given.keys[0]),
    "method": lambda given, parts: getattr(parts[0], given.keys[0]),
    "function": _made_function,
    "object": lambda given, parts: Named(given.keys[0]).value(*parts),
}


@dataclass(frozen=True, slots=True)
class Extents:
    """The sizes of a result: they are known once the call has been made."""

    counts: tuple[Symbol, ...]

    def map_sizes(self, fn: Callable[[Size], Size]) -> Extents:
        """The same: they say nothing to the function that is called."""
        return self


# -- arguments that a call may write to ----------------------------------------------------------


WRITERS = frozenset(
    {"at", "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask", "shuffle"}
)
"""The functions of NumPy's that write to their first argument, `random.shuffle`, and methods."""
VIEWERS = frozenset({"as_strided", "sliding_window_view"})
"""Those that return views, by which others may write."""
RESULTS = ("out", "output")
"""The parameters for arrays that a result goes to."""
ASKING = frozenset({*RESULTS, "copy", "overwrite_input"})
"""The parameters by which functions of NumPy's are told to write to an argument."""


def may_write(callee: Callee, arguments: Arguments, operands: Sequence[Node]) -> bool:
    """Whether a call is given something that it could write to, and is not known to leave it."""
    if callee.only_reads or not any(
        _is_mutable(given, operands)
        for given in (*arguments.args, *dict(arguments.kwargs).values())
    ):
        return False
    module, _, name = callee.name.partition(":")
    if callee.how == "method" or module.split(".")[0] not in ("numpy", "builtins"):
        return True
    return name.split(".")[-1] in WRITERS | VIEWERS or not ASKING.isdisjoint(
        _parameters(callee, arguments)
    )


def written_places(callee: Callee, arguments: Arguments) -> list[Place]:
    """The arguments that a call is known to write to."""
    places: list[Place] = [
        key for key, value in arguments.kwargs if key in RESULTS and value is not None
    ]
    return [0, *places] if callee.name.replace(":", ".").split(".")[-1] in WRITERS else places


def _is_mutable(given: Any, operands: Sequence[Node]) -> bool:
    if isinstance(given, Whole):
        type_ = operands[given.place].type
        return isinstance(type_, ArrayType) and type_.form == "array"
    if not isinstance(given, Nested):
        return False
    return given.kind in ("list", "dict") or any(_is_mutable(p, operands) for p in given.parts)


def _parameters(callee: Callee, arguments: Arguments) -> Iterable[str]:
    """The parameters that are given arguments, as far as they are known."""
    keywords = dict(arguments.kwargs)
    try:
        bound = inspect.signature(callee.function()).bind(*arguments.args, **keywords)
    except (TypeError, ValueError):  # C functions have no signature
        return keywords
    return bound.arguments


def makes_new_arrays(callee: Callee, owner: Any) -> bool:
    """Whether nothing else holds the arrays that a call returns: draws, and linear algebra.

    ``owner`` is the object that a method is of.
    """
    if callee.how == "method":
        return isinstance(owner, DRAWING)
    module, _, name = callee.name.partition(":")
    if callee.how != "function":
        return False
    return module == "numpy.random" or (module in COMPUTING and name not in RETURNING)


DRAWING = (np.random.Generator, np.random.RandomState)
COMPUTING = ("numpy.fft", "numpy.linalg")
"""Modules of functions whose results are no views of what they are given."""
RETURNING = ("matrix_power", "matrix_transpose")
"""Those there that may return their argument, or a view of it."""


# -- the op --------------------------------------------------------------------------------------


Writes: TypeAlias = "tuple[Place, ...] | None"
"""The arguments that a call writes to; None where it is known to write to none."""


def _infer(*_: Type, result: Type, **__: Any) -> Type:
    return result


def _evaluate(*operands: Any, **attrs: Any) -> Any:
    return result_of(made(operands, **attrs), **attrs)


def made(
    operands: Sequence[Any],
    *,
    callee: Callee,
    arguments: Arguments,
    writes: Writes = None,
    **_: Any,
) -> Any:
    """The call itself, which is done once; `result_of` takes apart what it gives."""
    args, kwargs = arguments.values(operands)
    if writes is None:
        return callee.apply(args, kwargs)
    function, rest = callee.bound(args)
    return on_copies(function, *rest, **kwargs)


def signature_of(
    operands: Sequence[Any],
    *,
    callee: Callee,
    arguments: Arguments,
    writes: Writes = None,
    **_: Any,
) -> Signature:
    """That of the call in the log of effects, which emitted code gives it as well."""
    args, kwargs = arguments.values(operands)
    function, rest = callee.bound(args)
    if writes is None:
        return signature(function, rest, kwargs)
    return signature(on_copies, [function, *rest], kwargs)


def result_of(
    given: Any, *, result: Type, writes: Writes = None, count: Extents | None = None, **_: Any
) -> Any:
    """The value of a node for what `made` gave."""
    return checked(given if writes is None else _left(given, *writes), result, count)


def checked(value: Any, type_: Type, count: Extents | None) -> Any:
    """``value``, if it is of the type. Sizes that are not of ``count`` are not checked.

    Raises
    ------
    SpecialisationError
        It is of another one.
    """
    if isinstance(type_, ObjectType) and type_.cls is str:
        return _expect(value, str)
    if not isinstance(type_, ArrayType):
        return value
    shape = _own_sizes(type_, count)
    if shape is not None and np.ndim(value) == len(shape):
        sizes = zip(np.shape(value), shape, strict=True)
        shape = tuple(n if isinstance(k, dims.Dim) else k for n, k in sizes)
    return _expect(value, _class_of(type_), shape)


def _class_of(type_: ArrayType) -> type:
    """The class of its numbers."""
    python = type_.form != "array" and (type_.weak or type_.dtype.kind == "b")
    return PYTHON_TYPES[type_.dtype.kind] if python else type_.dtype.type


def _own_sizes(type_: ArrayType, count: Extents | None) -> tuple[Size | None, ...] | None:
    """The sizes of an array; None for those that are known once the call has been made."""
    if type_.form != "array":
        return None
    counts = () if count is None else count.counts
    return tuple(None if dims.as_symbol(size) in counts else size for size in type_.shape)


EXPECT = '''
def expect(value, kind, shape=None):
    """The result of a call, if it is of the kind that this code was made for."""
    if shape is None:
        same = type(value) is kind or kind is bool and isinstance(value, np.bool_)
    else:
        same = isinstance(value, np.ndarray) and value.dtype.type is kind
        same = same and value.ndim == len(shape)
        same = same and all(n != 1 if k is None else n == k for n, k in zip(value.shape, shape))
    if not same:
        raise SpecialisationError(f"this code was made for another kind of value: {value!r:.60}")
    return value
'''
"""Sizes that may differ in the next call are None in ``shape``; they are not 1."""
ON_COPIES = '''
def on_copies(function, *args, **kwargs):
    """What a function returns, the arguments as it leaves them, and which of these it changes.

    It is given copies, so that nothing else sees what it writes.
    """

    def copied(value):
        if isinstance(value, np.ndarray):
            return value.copy(order="K")
        if type(value) in (list, tuple):
            return type(value)(map(copied, value))
        return {k: copied(v) for k, v in value.items()} if type(value) is dict else value

    def same(one, other):
        if isinstance(one, np.ndarray):
            return one.shape == other.shape and one.tobytes() == other.tobytes()
        if type(one) in (list, tuple):
            return len(one) == len(other) and all(map(same, one, other))
        if type(one) is dict:
            return list(one) == list(other) and all(map(same, one.values(), other.values()))
        number = isinstance(one, (int, float, complex, np.generic)) and type(one) is type(other)
        return one is other or number and repr(one) == repr(other)

    places = [*enumerate(args), *kwargs.items()]
    given = {place: copied(value) for place, value in places}
    result = function(*(given[k] for k in range(len(args))), **{k: given[k] for k in kwargs})
    return result, given, [place for place, value in places if not same(value, given[place])]
'''
LEFT = '''
def left(called, *written):
    """The result of a call that was made on copies, and the arguments that it writes to."""
    result, given, changed = called
    if not set(changed) <= set(written):
        raise SpecialisationError("a call writes to an argument that it did not write to")
    return (result, *(given[place] for place in written)) if written else result
'''
_namespace: dict[str, Any] = {"np": np, "SpecialisationError": SpecialisationError}
for _definition in (EXPECT, ON_COPIES, LEFT):
    exec(_definition, _namespace)
_expect: Callable[..., Any] = _namespace["expect"]
on_copies: Callable[..., Any] = _namespace["on_copies"]
_left: Callable[..., Any] = _namespace["left"]


def _emit(emitter: Emitter, node: Node, *operands: ast.expr) -> ast.expr:
    callee: Callee = node.attrs["callee"]
    arguments: Arguments = node.attrs["arguments"]
    args = [_expression(emitter, a, operands) for a in arguments.args]
    kwargs = {key: _expression(emitter, a, operands) for key, a in arguments.kwargs}
    made = _made_call(emitter, node, callee, args, kwargs)
    if node.op is raised_call:
        return asking(emitter, made, node.attrs["error"])
    if node.attrs.get("handled", False):
        emitter.error(SpecialisationError)
        made = syntax.call(emitter.helper(UNRAISED), later(made))
    return _with_check(emitter, made, node)


def _made_call(
    emitter: Emitter,
    node: Node,
    callee: Callee,
    args: list[ast.expr],
    kwargs: Mapping[str, ast.expr],
) -> ast.expr:
    """The call, with what it leaves in the arguments that it writes to."""
    writes: Writes = node.attrs.get("writes")
    if writes is None:
        made = _call(emitter, callee, args, kwargs)
        return emitter.logged(made, _kind(node)) if node.attrs["logged"] else made
    emitter.error(SpecialisationError)
    function, args = _function(emitter, callee, args)
    copies = syntax.call(emitter.helper(ON_COPIES), function, *args, **kwargs)
    places = [syntax.expression(place) for place in writes]
    logged = emitter.logged(copies, "new" if node.attrs.get("fresh", False) else "copies")
    return syntax.call(emitter.helper(LEFT), logged, *places)


def _kind(node: Node) -> Held:
    if node.attrs.get("fresh", False):
        return "new"
    return "read" if node.attrs["callee"].only_reads else "held"


UNRAISED = '''
def unraised(compute):
    """The result of a call that raised no error when this code was made."""
    try:
        return compute()
    except SpecialisationError:
        raise
    except Exception as error:
        text = f"this code was made for a call in which no error is raised: {error!r:.60}"
        raise SpecialisationError(text) from error
'''


def _with_check(emitter: Emitter, made: ast.expr, node: Node) -> ast.expr:
    if isinstance(node.type, ObjectType) and node.type.cls is str and not _gives_strings(node):
        emitter.error(SpecialisationError)
        return syntax.call(emitter.helper(EXPECT), made, syntax.name("str"))
    if not isinstance(node.type, ArrayType):
        return made
    emitter.error(SpecialisationError)
    kind, shape = _class_of(node.type), _own_sizes(node.type, node.attrs.get("count"))
    name = kind.__name__ if kind in PYTHON_TYPES.values() else f"np.{kind.__name__}"
    given = [made, syntax.name(name)]
    if shape is not None:
        sizes = [syntax.expression(None) if k is None else emitter.size(k) for k in shape]
        given.append(syntax.tuple_(sizes))
    return syntax.call(emitter.helper(EXPECT), *given)


_WRITERS = {f"builtins:{name}" for name in ("str", "repr", "ascii", "format")}


def _gives_strings(node: Node) -> bool:
    """Whether a call that has returned a string does so whatever its operands are."""
    if node.op is not call:
        return False
    callee: Callee = node.attrs["callee"]
    if callee.how == "function":
        return callee.name in _WRITERS
    owner, *_ = node.attrs["arguments"].args
    if isinstance(owner, Whole):
        return node.inputs[owner.place].type == ObjectType(str)
    return isinstance(owner, str)


def _call(
    emitter: Emitter, callee: Callee, args: list[ast.expr], kwargs: Mapping[str, ast.expr]
) -> ast.expr:
    if callee.how == "operator":
        return _by_operator(callee.name, *args)
    if callee.how == "item":
        return syntax.subscript(*args)
    if callee.how == "attribute":
        return syntax.attribute(args[0], callee.name)
    function, args = _function(emitter, callee, args)
    return syntax.call(function, *args, **kwargs)


def _function(
    emitter: Emitter, callee: Callee, args: list[ast.expr]
) -> tuple[ast.expr, list[ast.expr]]:
    """What is called, and its arguments without the owner of a method."""
    if callee.how == "function":
        return _named(emitter, callee.name), args
    return syntax.attribute(args[0], callee.name), args[1:]


def _by_operator(sign: str, left: ast.expr, right: ast.expr) -> ast.expr:
    others: dict[str, ast.cmpop] = {"is": ast.Is(), "is not": ast.IsNot(), "in": ast.In()}
    if sign in others:
        return ast.Compare(left, [others[sign]], [right])
    return (syntax.compare if sign in syntax.COMPARE else syntax.binary)(sign, left, right)


def _named(emitter: Emitter, path: str) -> ast.expr:
    module, name = path.split(":")
    if module == "builtins":
        return syntax.name(name)
    head, *rest = module.split(".")
    if head == "numpy":
        found = syntax.name("np")
    else:
        found, rest = emitter.module(module), []
    for part in [*rest, *name.split(".")]:
        found = syntax.attribute(found, part)
    return found


def _expression(emitter: Emitter, given: Any, operands: Sequence[ast.expr]) -> ast.expr:
    if isinstance(given, Whole):
        return operands[given.place]
    if isinstance(given, Named):
        return _named(emitter, given.path)
    if not isinstance(given, Nested):
        return syntax.expression(given)
    parts = [_expression(emitter, part, operands) for part in given.parts]
    if given.kind == "dict":
        return ast.Dict([syntax.expression(key) for key in given.keys], parts)
    if given.kind in ("module", "method", "function", "object"):
        return _made_expression(emitter, given, parts)
    if given.kind in ("slice", "range"):
        return syntax.call(given.kind, *parts)
    return syntax.tuple_(parts) if given.kind == "tuple" else ast.List(parts, ast.Load())


def _made_expression(emitter: Emitter, given: Nested, parts: list[ast.expr]) -> ast.expr:
    if given.kind == "function":
        return _function_expression(emitter, parts)
    name = given.keys[0]
    if given.kind == "object":
        return syntax.call(_named(emitter, name), *parts)
    return emitter.module(name) if given.kind == "module" else syntax.attribute(parts[0], name)


def refuse_derivative(shown: str, span: Span | None) -> NoReturn:
    """The error of a call that has no derivative where one is needed."""
    raise GradientError(
        f"the gradient goes through {shown}, which has no derivative here",
        span,
        "write it with NumPy functions, give it a rule with gs.custom_vjp, or stop_gradient its "
        "arguments if no derivative is wanted",
    )


def _function_expression(emitter: Emitter, parts: list[ast.expr]) -> ast.expr:
    """``types.FunctionType(f.__code__, f.__globals__, f.__name__, defaults, cells)``."""
    template, defaults, *values = parts
    of = emitter.module("types")
    own = [syntax.attribute(template, f"__{part}__") for part in ("code", "globals", "name")]
    cell = syntax.attribute(of, "CellType")
    cells: list[ast.expr] = [syntax.call(cell, value) for value in values]
    made = syntax.attribute(of, "FunctionType")
    return syntax.call(made, *own, defaults, syntax.tuple_(cells))


def _is_part(node: Node) -> bool:
    """Whether it is an attribute or an item of what another call has returned."""
    part = node.attrs["callee"].how in ("attribute", "item")
    return part and bool(node.inputs) and node.inputs[0].op in (call, of_kind, item)


def _no_derivative(node: Node) -> NoReturn:
    source = node
    while source.op is not call or _is_part(source):
        source = source.inputs[0]
    refuse_derivative(source.attrs["callee"].shown, source.span)


_REFUSED = Custom(
    Each(lambda position, g, node, *inputs, **attrs: _no_derivative(node)),
    jvp=lambda node, inputs, tangents, **attrs: _no_derivative(node),
)

call = primitive(
    "call",
    infer=_infer,
    evaluate=_evaluate,
    derivative=_REFUSED,
    emit=_emit,
    traits=("effect", "barrier", "borrows"),
)
"""``call(*operands; callee, arguments, result, ...)``: a call whose result has this type.

``fresh`` says that it makes new arrays: see `makes_new_arrays`.
"""

raised_call = primitive(
    "raised_call",
    infer=lambda *_, **__: python_number(bool),
    evaluate=lambda *operands, error, **attrs: raises(partial(made, operands, **attrs), error),
    derivative=NON_DIFF,
    emit=_emit,
    traits=("effect", "barrier"),
)
"""``raised_call(*operands; callee, arguments, error, ...)``: whether a call raises this error."""


def raises(compute: Callable[[], Any], text: str) -> bool:
    """Whether the error of this text is raised."""
    error = error_of(compute)
    return error is not None and said(error) == text


of_kind = primitive(
    "of_kind",
    infer=lambda *_, result, **__: result,
    evaluate=lambda value, *, result, count, **_: checked(value, result, count),
    derivative=_REFUSED,
    emit=lambda emitter, node, value: _with_check(emitter, value, node),
    traits=("barrier", "alias"),
)
"""An object that a call has returned as the array or number that it is."""


def type_of(
    value: Any, name: str, *, fixed: bool = False
) -> tuple[ArrayType, Extents, Symbol | None]:
    """The type of a result: its sizes, but for those of 1, are known only while running, unless
    they are taken to be ``fixed``.
    """
    if isinstance(value, np.ndarray):
        shape = tuple(
            s if fixed or s == 1 else dims.symbol(f"{name}.{axis}", s, unbacked=True)
            for axis, s in enumerate(value.shape)
        )
        found = (dims.as_symbol(size) for size in shape)
        counts = tuple(symbol for symbol in found if symbol is not None)
        return ArrayType(value.dtype, shape, "array"), Extents(counts), None
    if isinstance(value, np.generic):
        return ArrayType(np.asarray(value).dtype, (), "scalar"), Extents(()), None
    type_ = ArrayType(np.dtype(type(value)), (), "python")
    size = dims.changing(name, value, None, None) if type(value) is int else None
    return type_, Extents(()), None if size is None else dims.as_symbol(size)
