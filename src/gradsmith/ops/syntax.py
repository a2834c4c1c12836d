"""Building `ast` expressions: what emission rules are written with."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeGuard

import numpy as np

from gradsmith.errors import InternalError

BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "//": ast.FloorDiv,
    "%": ast.Mod,
    "**": ast.Pow,
    "@": ast.MatMult,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "^": ast.BitXor,
    "<<": ast.LShift,
    ">>": ast.RShift,
}
UNARY: dict[str, type[ast.unaryop]] = {"-": ast.USub, "+": ast.UAdd, "~": ast.Invert}
COMPARE: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
}


class _Fill(ast.NodeTransformer):
    def __init__(self, parts: dict[str, ast.expr]) -> None:
        self.parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.parts.get(node.id, node)


def template(text: str, **parts: ast.expr) -> ast.expr:
    """The expression ``text`` with expressions in the place of some of its names."""
    filled: ast.expr = _Fill(parts).visit(ast.parse(text, mode="eval").body)
    return filled


def name(dotted: str) -> ast.expr:
    """``np.linalg.norm`` as an expression."""
    head, *rest = dotted.split(".")
    expression: ast.expr = ast.Name(head, ast.Load())
    for part in rest:
        expression = ast.Attribute(expression, part, ast.Load())
    return expression


def call(function: str | ast.expr, *args: Any, **keywords: Any) -> ast.Call:
    """``function(*args, **keywords)``; keywords that are None are left out."""
    target = name(function) if isinstance(function, str) else function
    given = [
        ast.keyword(key, expression(value)) for key, value in keywords.items() if value is not None
    ]
    return ast.Call(target, [expression(a) for a in args], given)


def method(owner: ast.expr, attribute: str, *args: Any, **keywords: Any) -> ast.Call:
    """``owner.attribute(*args, **keywords)``."""
    return call(ast.Attribute(owner, attribute, ast.Load()), *args, **keywords)


def attribute(owner: ast.expr, attribute_name: str) -> ast.expr:
    """``owner.attribute_name``."""
    return ast.Attribute(owner, attribute_name, ast.Load())


def binary(operator: str, left: ast.expr, right: ast.expr) -> ast.expr:
    """``left <operator> right``."""
    return ast.BinOp(left, BINARY[operator](), right)


def unary(operator: str, operand: ast.expr) -> ast.expr:
    """``<operator>operand``."""
    return ast.UnaryOp(UNARY[operator](), operand)


def compare(operator: str, left: ast.expr, right: ast.expr) -> ast.expr:
    """``left <operator> right``, a comparison."""
    return ast.Compare(left, [COMPARE[operator]()], [right])


def subscript(owner: ast.expr, key: ast.expr) -> ast.expr:
    """``owner[key]``."""
    return ast.Subscript(owner, key, ast.Load())


def tuple_(items: list[ast.expr]) -> ast.expr:
    """``(items, ...)``."""
    return ast.Tuple(items, ast.Load())


def assign(target: ast.expr, value: ast.expr) -> ast.stmt:
    """``target = value``; the target may have been built as a load."""
    return ast.Assign([stored(target)], value, lineno=0)


def augment(target: ast.expr, operator: str | ast.operator, value: ast.expr) -> ast.stmt:
    """``target <operator>= value``."""
    made = BINARY[operator]() if isinstance(operator, str) else operator
    return ast.AugAssign(stored(target), made, value)  # type: ignore[arg-type]


def stored(target: ast.expr) -> ast.expr:
    """The same name, attribute or subscript as the target of an assignment."""
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Store())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Store())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Store())
    if isinstance(target, ast.Tuple):
        return ast.Tuple([stored(item) for item in target.elts], ast.Store())
    raise InternalError(f"nothing can be assigned to a {type(target).__name__}")


def same(left: ast.expr, right: ast.expr) -> bool:
    """Whether two expressions are written alike."""
    return ast.dump(left) == ast.dump(right)


def is_product(value: ast.expr) -> TypeGuard[ast.BinOp]:
    """Whether it is written as a product or a quotient."""
    return isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Mult, ast.Div))


def negated(value: ast.expr) -> ast.expr:
    """``-value``, the sign on the first factor of a product."""
    opposite = without_sign(value)
    if opposite is not None:
        return opposite
    if is_product(value):
        return ast.BinOp(negated(value.left), value.op, value.right)
    return unary("-", value)


def without_sign(value: ast.expr) -> ast.expr | None:
    """``-value``, where that is ``value`` less a leading minus: ``2 * x`` for ``-2 * x``."""
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        return value.operand
    if is_product(value):
        left = without_sign(value.left)
        return None if left is None else ast.BinOp(left, value.op, value.right)
    return None


def expression(value: Any) -> ast.expr:
    """``value`` as an expression: numbers, strings, None, tuples, lists, dtypes, arrays."""
    if isinstance(value, ast.expr):
        return value
    if isinstance(value, tuple):
        return ast.Tuple([expression(v) for v in value], ast.Load())
    if isinstance(value, list):
        return ast.List([expression(v) for v in value], ast.Load())
    if isinstance(value, np.dtype):
        return dtype(value)
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, np.generic):
        return _scalar(value)
    return _python(value)


def dtype(value: np.dtype[Any]) -> ast.expr:
    """``np.float32``; Python's ``bool`` for booleans, ``object`` for objects."""
    if value.kind in "bO":
        return ast.Name("bool" if value.kind == "b" else "object", ast.Load())
    return name(f"np.{_EXTENDED.get(value.char, value.name)}")


def class_name(cls: type) -> str | None:
    """How emitted code calls a class of numbers, texts, containers or arrays; None for others."""
    if cls in (bool, int, float, complex, str, list, tuple, dict):
        return cls.__name__
    if cls is np.ndarray:
        return "np.ndarray"
    name_ = np.dtype(cls).name if issubclass(cls, np.generic) else ""
    return f"np.{name_}" if getattr(np, name_, None) is cls else None


_EXTENDED = {"g": "longdouble", "G": "clongdouble"}
"""Names that do not depend on the machine."""


_PLAIN: dict[type, Callable[[Any], Any]] = {
    complex: complex.__pos__,
    float: float.__pos__,
    int: int.__pos__,
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
}
"""Makes of an object of a class derived from one of these what it is apart from that."""


def _python(value: Any) -> ast.expr:
    for cls, plain in _PLAIN.items():
        if isinstance(value, cls) and not isinstance(value, bool):
            value = plain(value)  # a class of the user's may have a `repr` of its own
    if isinstance(value, complex):
        return _complex(value)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, int) and not isinstance(value, bool) and value < 0:
        return unary("-", ast.Constant(-value))
    if value is None or isinstance(value, (bool, int, str, bytes)):
        return ast.Constant(value)
    raise InternalError(f"a {type(value).__name__} cannot be written as an expression")


def _float(value: float) -> ast.expr:
    if np.isnan(value):
        return name("np.nan")
    if np.signbit(value):
        return unary("-", _float(-value))
    return name("np.inf") if np.isinf(value) else ast.Constant(value)


def _complex(value: complex) -> ast.expr:
    """``2j`` and ``-2j``; the sign also makes the real part a -0.0."""
    signs = np.signbit(value.real), np.signbit(value.imag)
    if np.isfinite(value) and value.real == 0 and signs[0] == signs[1]:
        imag = ast.Constant(complex(0, abs(value.imag)))
        return unary("-", imag) if signs[0] else imag
    return call("complex", value.real, value.imag)


def _scalar(value: np.generic) -> ast.expr:
    if value.dtype.char == "g":  # .item() would be the same once more
        return call("np.longdouble", str(value))
    if value.dtype.char == "G":
        real, imag = _scalar(value.real), _scalar(value.imag)
        return binary("+", real, binary("*", ast.Constant(1j), imag))
    if value.dtype.kind == "b":
        return name("np.True_" if value else "np.False_")
    return call(f"np.{value.dtype.name}", shortest(value))


def shortest(value: np.generic) -> Any:
    """The Python number of fewest digits that is ``value`` in the precision of ``value``."""
    if value.dtype.kind == "f" and np.isfinite(value):
        short = float(str(value))
        if value.dtype.type(short) == value:
            return short
    return value.item()


def _array(value: np.ndarray[Any, Any]) -> ast.expr:
    if value.size == 0:
        return call("np.zeros", value.shape, dtype=dtype(value.dtype))
    python = {"b": "bool", "i": "int64", "f": "float64", "c": "complex128"}
    plain = python.get(value.dtype.kind) == value.dtype.name
    return call("np.array", value.tolist(), dtype=None if plain else dtype(value.dtype))


def is_written(key: Any) -> bool:
    """Whether the key of a dict is one that emitted code can write."""
    if type(key) is tuple:
        return all(map(is_written, key))
    number = isinstance(key, np.generic) and key.dtype.kind in "biufc"
    return key is None or type(key) in _KEYS or number


_KEYS = (bool, int, float, complex, str)
