"""How an op is declared: the helpers that turn one block into an `Op` and register it.

``OPS`` holds every op by name. ``FUNCTIONS`` maps a NumPy, SciPy or ``math`` callable to what it
means: a function of nodes (and static Python values) with the callable's own signature.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from operator import ge, gt, le, lt
from typing import Any, TypeVar

import numpy as np

from gradsmith.errors import (
    ArgumentTypeError,
    InternalError,
    NumberRangeError,
    UnsupportedError,
)
from gradsmith.ir.context import current_builder
from gradsmith.ir.dims import Dim
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import constant, item, parameter, size
from gradsmith.ir.op import (
    ArgumentRule,
    Custom,
    Derivative,
    EmitRule,
    Op,
    Partials,
)
from gradsmith.ir.types import (
    ArrayType,
    DType,
    Form,
    all_weak,
    broadcast,
    promotion_operand,
    python_number,
)
from gradsmith.ops.arguments import as_dtype
from gradsmith.ops.emission import emit_call, emit_operator, write_over

Implementation = Callable[..., Any]
F = TypeVar("F", bound=Implementation)

OPS: dict[str, Op] = {op.name: op for op in (parameter, constant, size, item)}
FUNCTIONS: dict[Callable[..., Any], Implementation] = {}


def register(op: Op) -> Op:
    """Make ``op`` known by its name.

    Raises
    ------
    InternalError
        The name is taken.
    """
    if op.name in OPS:
        raise InternalError(f"two ops are called {op.name!r}")
    OPS[op.name] = op
    return op


def implements(*callables: Callable[..., Any]) -> Callable[[F], F]:
    """Declare what NumPy callables mean: the function takes nodes where they take arrays."""

    def declare(function: F) -> F:
        for callable_ in callables:
            FUNCTIONS[callable_] = function
        return function

    return declare


def implements_python(*callables: Callable[..., Any]) -> Callable[[F], F]:
    """Declare what functions of Python's own mean on nodes; plain values they take themselves."""

    def declare(function: F) -> F:
        for callable_ in callables:
            FUNCTIONS[callable_] = _on_nodes(function, callable_)
        return function

    return declare


def _on_nodes(meaning: Implementation, plain: Callable[..., Any]) -> Implementation:
    def choose(*args: Any, **kwargs: Any) -> Any:
        traced = any(isinstance(a, (Node, Dim)) for a in (*args, *kwargs.values()))
        return (meaning if traced else plain)(*args, **kwargs)

    choose.__module__, choose.__qualname__ = plain.__module__, plain.__name__
    return choose


def as_node(value: Any) -> Node:
    """An array operand as a node; (nested) lists become what ``np.array`` makes of them."""
    if isinstance(value, Node):
        return value
    if isinstance(value, (list, tuple)):
        made: Node = FUNCTIONS[np.array](value)
        return made
    return current_builder().lift(value)


def as_stored(value: Any, dtype: DType) -> Node:
    """The same as what is stored into an array: NumPy converts lists to its dtype."""
    if isinstance(value, (list, tuple)) and dtype.kind in "iu":
        made: Node = FUNCTIONS[np.array](value, dtype=dtype)
        return made
    return as_node(value)


# -- elementwise ops ------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def _resolve(ufunc: np.ufunc, operands: tuple[Any, ...]) -> tuple[DType, ...]:
    free = (None,) * ufunc.nout
    return ufunc.resolve_dtypes((*operands, *free))[ufunc.nin :]


def ufunc_dtype(ufunc: np.ufunc, *types: ArrayType) -> DType:
    """The dtype that ``ufunc`` gives for operands of these types, as NumPy resolves it.

    Raises
    ------
    ArgumentTypeError
        NumPy has no loop for them.
    """
    try:
        return _resolve(ufunc, tuple(promotion_operand(t) for t in types))[0]
    except TypeError:
        names = ", ".join(str(t.dtype) for t in types)
        raise ArgumentTypeError(
            f"np.{ufunc.__name__} is not defined for operands of dtype {names}",
            hint="convert the operands to a dtype that it takes, as in x.astype(int)",
        ) from None


def result_form(shape: tuple[Any, ...]) -> Form:
    """Ufuncs and reductions give NumPy scalars where no axis is left."""
    return "array" if shape else "scalar"


def elementwise_infer(
    dtype: Callable[..., DType], *, python: Callable[..., Any] | None = None
) -> Callable[..., ArrayType]:
    """Type rule: broadcast shape, dtype by ``dtype(*types)``.

    ``python`` is Python's own operator, if there is one: by that Python numbers stay weak.
    """
    has_complex = python is not None and python not in _ORDER

    def infer(*types: ArrayType, **_: Any) -> ArrayType:
        shape = broadcast(*[t.shape for t in types])
        numbers = all_weak(*types) and python is not None
        if numbers or (has_complex and _is_by_pythons_complex(*types)):
            return ArrayType(dtype(*map(_as_integer, types)), shape, "python")
        return ArrayType(dtype(*types), shape, result_form(shape))

    return infer


_ORDER = (lt, le, gt, ge)
"""Operators that complex numbers of Python's leave to the right operand."""


def _is_by_pythons_complex(*types: ArrayType) -> bool:
    """Whether a complex number of Python's is the left operand of an `np.float64`: a float for
    Python, whose own operator is not asked.
    """
    if len(types) != 2:
        return False
    left, right = types
    return left.weak and left.complex and right.form == "scalar" and right.dtype == np.float64


def _as_integer(type_: ArrayType) -> ArrayType:
    """``True`` counts as 1 in Python's arithmetic."""
    return python_number(int) if type_.dtype.kind == "b" else type_


def elementwise(
    name: str,
    *,
    numpy: np.ufunc,
    partials: tuple[ArgumentRule, ...] | None = None,
    derivative: Derivative | None = None,
    operator: str | None = None,
    sympy: str | Callable[..., Any] | None = None,
    commutative: bool = False,
    also: Iterable[np.ufunc] = (),
    python: Callable[..., Any] | None = None,
    emit: EmitRule | None = None,
) -> Op:
    """Declare an op that broadcasts its operands and works element by element: a ufunc.

    Parameters
    ----------
    name : str
        The op's name.
    numpy : numpy.ufunc
        Its value, its type rule, and (by name) its emission.
    partials : tuple of rule or status
        ``rule(out, *inputs)`` is d out / d input: a node or a Python number. Complex functions
        are holomorphic here; others give a ``derivative`` of their own.
    derivative : Derivative, optional
        Instead of ``partials``.
    operator : str, optional
        Python's operator, for emission.
    sympy : str or callable, optional
        The SymPy function's name, or a callable of SymPy expressions.
    commutative : bool
        Whether operands may be swapped.
    also : iterable of numpy.ufunc
        Others of the same meaning (``np.radians``).
    python : callable, optional
        Python's own function of the same meaning (``operator.add``): of Python numbers it makes
        Python numbers.
    emit : callable, optional
        Another emission rule.
    """
    if (partials is None) == (derivative is None):
        raise InternalError(f"{name}: give either partials or a derivative")
    traits = {"elementwise"} | ({"commutative"} if commutative else set())
    traits |= {"operator"} if operator else set()
    dotted = f"np.{numpy.__name__}"
    op = Op(
        name,
        infer=elementwise_infer(lambda *types: ufunc_dtype(numpy, *types), python=python),
        evaluate=numpy if python is None else _evaluator(numpy, python),
        derivative=derivative if derivative is not None else Partials(partials or ()),
        emit=emit or (emit_operator(operator) if operator else emit_call(dotted)),
        sympy=sympy,
        traits=frozenset(traits),
        inplace=write_over(dotted, operator),
    )
    for ufunc in (numpy, *also):
        implements(ufunc)(_meaning(op, ufunc))
    if python is not None:
        implements_python(python)(_meaning(op, numpy))
    return register(op)


def _evaluator(ufunc: np.ufunc, python: Callable[..., Any]) -> Callable[..., Any]:
    """``ufunc``, and on Python numbers alone Python's own function.

    NumPy's scalars have a power of their own, whose last bit may differ from that of np.power:
    there it is the operator, which is what is emitted.
    """

    def evaluate(*values: Any) -> Any:
        alone = all(type(v) in _NUMBERS for v in values)
        emitted = ufunc is np.power and type(values[0]) is not complex
        return (python if alone or emitted else ufunc)(*values)

    return evaluate


_NUMBERS = {bool, int, float, complex}


def _meaning(op: Op, ufunc: np.ufunc) -> Implementation:
    """What ``ufunc`` means on nodes; ``dtype=`` is the dtype that it computes in."""

    def function(
        *operands: Any,
        dtype: Any = None,
        casting: str = "same_kind",
        order: str = "K",
        subok: bool = True,
    ) -> Node:
        if len(operands) != ufunc.nin:
            raise ArgumentTypeError(
                f"np.{ufunc.__name__} takes {ufunc.nin} operands, not {len(operands)}",
                hint="call it as NumPy's documentation says",
            )
        nodes = [as_node(operand) for operand in operands]
        if casting not in ("same_kind", "safe", "unsafe"):
            raise UnsupportedError(f"np.{ufunc.__name__} does not support casting={casting!r}")
        if dtype is None:
            return _within_range(op(*nodes), nodes)
        wanted = as_dtype(dtype)
        result = op(*[OPS["astype"](node, dtype=wanted) for node in nodes])
        if result.dtype != wanted:
            raise UnsupportedError(
                f"np.{ufunc.__name__} does not support dtype={wanted}",
                hint="leave it out, and convert the result",
            )
        for node in nodes:
            _check_cast(ufunc, node, wanted, casting)
        return result

    function.__module__, function.__qualname__ = "numpy", ufunc.__name__
    return function


def _check_cast(ufunc: np.ufunc, node: Node, wanted: DType, casting: Any) -> None:
    whole = node.array_type.weak and node.dtype.kind == "i"
    if not whole and not np.can_cast(node.dtype, wanted, casting):
        raise ArgumentTypeError(
            f"np.{ufunc.__name__} cannot cast an operand from {node.dtype} to dtype={wanted} with "
            f"casting={casting!r}",
            hint="leave dtype= out, or convert the operand with .astype",
        )


def _within_range(result: Node, operands: Iterable[Node]) -> Node:
    """The result, where its dtype can hold the Python integers among the operands."""
    if result.array_type.weak or result.dtype.kind not in "iu":
        return result
    for operand in operands:
        value = operand.attrs["value"].value if operand.op is constant else None
        if operand.array_type.weak and isinstance(value, int):
            check_range(value, result.dtype)
    return result


def check_range(value: int, dtype: DType) -> None:
    """Refuse a Python integer that an array's dtype cannot hold.

    Raises
    ------
    NumberRangeError
        NumPy raises OverflowError there.
    """
    range_: Any = np.iinfo(dtype)
    if not range_.min <= value <= range_.max:
        raise NumberRangeError(
            f"the Python integer {value} is out of bounds for {dtype}",
            hint="convert the array first, as in x.astype(np.int64)",
        )


def formula(text: str) -> Callable[..., Any]:
    """A SymPy form written in SymPy's names, with x, y, z for the operands and the attributes."""

    def build(*operands: Any, **attrs: Any) -> Any:
        sympy = importlib.import_module("sympy")  # only those who ask for formulas pay for it
        return sympy.sympify(text, locals=dict(zip("xyz", operands, strict=False)) | attrs)

    return build


def primitive(
    name: str,
    *,
    infer: Callable[..., Any],
    evaluate: Callable[..., Any],
    derivative: Derivative,
    emit: EmitRule,
    traits: Iterable[str] = (),
    **options: Any,
) -> Op:
    """Declare any other op; ``options`` are the remaining fields of `Op`."""
    return register(
        Op(name, infer, evaluate, derivative, emit, traits=frozenset(traits), **options)
    )


__all__ = ["Custom", "elementwise", "implements", "primitive", "register"]
