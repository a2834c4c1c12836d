"""Complex numbers: parts, conjugates, absolute values, angles.

Gradients follow torch: the gradient of a real function is its conjugate Wirtinger derivative,
so that of |z|² at z is 2z.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from gradsmith.ir.graph import Node
from gradsmith.ir.op import Custom, Emitter, Linear, Op, UpdateRule
from gradsmith.ir.types import ArrayType
from gradsmith.ops import arithmetic, syntax
from gradsmith.ops.declare import as_node, elementwise, formula, implements, primitive
from gradsmith.ops.elementwise import arctan2, rad2deg
from gradsmith.ops.select import denominator
from gradsmith.ops.shape import lacks_methods, private, read_only


def _part_infer(x: ArrayType) -> ArrayType:
    part = np.empty(0, x.dtype).real.dtype
    return ArrayType(part, x.shape, x.form)


def _emit_part(emitter: Emitter, node: Node, x: ast.expr) -> ast.expr:
    return syntax.attribute(x, node.op.name)


real = primitive(
    "real",
    infer=_part_infer,
    evaluate=lambda x: x.real,
    derivative=Linear((lambda g, z: g + 0j if z.array_type.complex else g,)),
    emit=_emit_part,
    sympy="re",
    traits=("elementwise",),
    view=lambda base, update: with_real(base, update) if base.array_type.complex else update,
)
imag: Op = primitive(
    "imag",
    infer=_part_infer,
    evaluate=lambda x: x.imag,
    derivative=Linear((lambda g, z: 1j * g if z.array_type.complex else None,)),
    emit=_emit_part,
    sympy="im",
    traits=("elementwise",),
    view=lambda base, update: with_imag(base, update) if base.array_type.complex else read_only(),
)


# -- arrays with other parts: writes through z.real and z.imag -----------------------------------


def _with_part(part: str) -> Callable[..., Any]:
    def evaluate(z: Any, x: Any) -> Any:
        result = np.array(z)
        setattr(result, part, x)
        return result

    return evaluate


def _store_part(part: str) -> UpdateRule:
    def update(emitter: Emitter, node: Node, target: ast.expr, value: ast.expr) -> list[ast.stmt]:
        return [syntax.assign(syntax.attribute(target, part), value)]

    return update


def _emit_copy(emitter: Emitter, node: Node, z: ast.expr, x: ast.expr) -> ast.expr:
    return private(node.inputs[0], z)


with_real: Op = primitive(
    "with_real",
    infer=lambda z, x: ArrayType(z.dtype, z.shape),
    evaluate=_with_part("real"),
    derivative=Linear((lambda g, z, x: with_real(g, 0), lambda g, z, x: real(g)), joint=True),
    emit=_emit_copy,
    update=_store_part("real"),
)
with_imag: Op = primitive(
    "with_imag",
    infer=lambda z, x: ArrayType(z.dtype, z.shape),
    evaluate=_with_part("imag"),
    derivative=Linear((lambda g, z, x: with_imag(g, 0), lambda g, z, x: imag(g)), joint=True),
    emit=_emit_copy,
    update=_store_part("imag"),
)


@implements(np.real)
def _real(val: Any) -> Node:
    return real(as_node(val))


@implements(np.imag)
def _imag(val: Any) -> Node:
    return imag(as_node(val))


def _emit_conj(emitter: Emitter, node: Node, z: ast.expr) -> ast.expr:
    # Only of these is the method the same: of real numbers it is the array itself.
    plain = node.array_type.complex and node.ndim
    return syntax.method(z, "conj") if plain else syntax.call("np.conjugate", z)


conj: Op = elementwise(
    "conj",
    numpy=np.conjugate,
    derivative=Linear((lambda g, z: conj(g) if z.array_type.complex else g,)),
    sympy="conjugate",
    emit=_emit_conj,
)


def conjugated(z: Node) -> Node:
    """The conjugate of ``z``, itself where it is real."""
    return conj(z) if z.array_type.complex else z


# -- absolute values and directions --------------------------------------------------------------


def direction(z: Node, length: Node) -> Node:
    """``z / |z|``, and 0 at 0."""
    return z / denominator(length) if z.array_type.complex else arithmetic.sign(z)


def _absolute_jvp(out: Node, inputs: tuple[Node, ...], tangents: list[Node]) -> Node:
    (z,), (tangent,) = inputs, tangents
    if z.array_type.complex:
        return real(conj(direction(z, out)) * tangent)
    return arithmetic.sign(z) * tangent


def _emit_absolute(emitter: Emitter, node: Node, z: ast.expr) -> ast.expr:
    real_number = not node.inputs[0].array_type.complex  # np.abs has other bits of complex ones
    by_python = real_number and lacks_methods(node.inputs[0])
    return syntax.call("abs" if by_python or node.array_type.weak else "np.abs", z)


_OF_ABSOLUTE = Custom((lambda g, out, z: g * direction(z, out),), _absolute_jvp)

absolute = elementwise(
    "absolute",
    numpy=np.absolute,
    derivative=_OF_ABSOLUTE,
    sympy="Abs",
    python=abs,
    emit=_emit_absolute,
)

scalar_absolute = primitive(
    "scalar_absolute",
    infer=absolute.infer,
    evaluate=abs,
    derivative=_OF_ABSOLUTE,
    emit=lambda emitter, node, z: syntax.call("abs", z),
    sympy="Abs",
)
"""``abs(z)`` of a complex scalar of NumPy's, which rounds in another way than np.abs."""


def _across(out: Node, z: Node, change: Node) -> Node:
    """How ``z / |z|`` changes: by what is at right angles to it."""
    along = out * real(conj(out) * change)
    return (change - along) / denominator(absolute(z))


complex_sign = elementwise(
    "complex_sign",
    numpy=np.sign,
    derivative=Custom(
        (lambda g, out, z: _across(out, z, g),),
        lambda out, inputs, tangents: _across(out, inputs[0], tangents[0]),
    ),
    sympy=formula("x/Abs(x)"),
)
"""``z / |z|``, and 0 at 0, as NumPy rounds it."""


@implements(np.sign)
def _sign(x: Any, /) -> Node:
    z = as_node(x)
    return complex_sign(z) if z.array_type.complex else arithmetic.sign(z)


@implements(np.angle)
def _angle(z: Any, deg: bool = False) -> Node:
    node = as_node(z)
    complex_ = node.array_type.complex
    angle = arctan2(imag(node), real(node)) if complex_ else arctan2(0, node)
    return rad2deg(angle) if deg else angle
