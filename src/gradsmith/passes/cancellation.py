"""Rules for adjoints: what a derivative rule divides by and another multiplies by.

Chains of derivative rules build ``g / |z| * |z|`` and ``1 / (x / n) / n``. As real numbers these
are simple; the last bit may change.
"""

from __future__ import annotations

from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import number
from gradsmith.ops.arithmetic import add, divide, multiply, reciprocal, sign, subtract
from gradsmith.ops.compare import equal
from gradsmith.ops.complex import absolute
from gradsmith.ops.matmul import matmul
from gradsmith.ops.select import where
from gradsmith.ops.shape import transpose
from gradsmith.passes.algebra import guarded
from gradsmith.passes.pattern import Apply, Wild
from gradsmith.passes.rewrite import Rule


def _scalar(node: Node) -> bool:
    return node.ndim == 0


def _strong(node: Node) -> bool:
    return not node.array_type.weak and node.array_type.inexact


def _array(node: Node) -> bool:
    return node.ndim > 0 and node.array_type.inexact


X, Y, Z = Wild("x"), Wild("y"), Wild("z", lambda node: node.array_type.inexact)
S, T, A = Wild("s", _scalar), Wild("t", _scalar), Wild("a", _array)
K, B = Wild("k", lambda node: node.ndim == 0 and number(node) is None), Wild("b", _array)
ABS = Apply(absolute, (Z,))

QUOTIENTS = [
    # Python raises where a number of its own is divided by 0, NumPy warns
    Rule(Apply(multiply, (Wild("x", _strong), Apply(reciprocal, (Y,)))), lambda x, y: x / y),
    Rule(
        Apply(divide, (Apply(divide, (X, Apply(divide, (Y, S)))), S)),
        lambda x, y, s: x / y if y.ndim else None,
    ),
    Rule(
        Apply(multiply, (S, Apply(divide, (X, Apply(multiply, (S, Y)))))),
        lambda s, x, y: x / y if y.ndim else None,
    ),
]

# 0 at 0 either way: sign and the direction of a complex number are 0 there
MAGNITUDES = [
    Rule(Apply(multiply, (Apply(sign, (Z,)), ABS)), lambda z: z),
    Rule(
        Apply(
            multiply,
            (Apply(divide, (Z, Apply(where, (Apply(equal, (ABS, 0)), 1, ABS)))), ABS),
        ),
        lambda z: z,
    ),
]

MULTIPLES = [  # one pass over the array instead of two
    Rule(Apply(add, (A, Apply(multiply, (S, A)))), lambda a, s: (1 + s) * a),
    Rule(Apply(subtract, (A, Apply(multiply, (S, A)))), lambda a, s: (1 - s) * a),
    Rule(
        Apply(add, (Apply(multiply, (S, A)), Apply(multiply, (T, A)))),
        lambda s, t, a: (s + t) * a,
    ),
    Rule(
        Apply(subtract, (Apply(multiply, (S, A)), Apply(multiply, (T, A)))),
        lambda s, t, a: (s - t) * a,
    ),
    *(
        Rule(
            Apply(op, (Apply(multiply, (K, A)), Apply(multiply, (K, B))), "root"),
            lambda root, k, a, b: k * root.op(a, b),
        )
        for op in (add, subtract)
    ),
]


def _of_product(x: Node, y: Node) -> Node | None:
    """``y.T @ x`` for ``(x.T @ y).T``."""
    if not x.ndim == y.ndim == 2 or transpose not in (x.op, y.op):
        return None
    return matmul(transpose(y, axes=(1, 0)), transpose(x, axes=(1, 0)))


TRANSPOSES = [
    Rule(Apply(transpose, (Apply(matmul, (Wild("x"), Wild("y"))),)), _of_product),
    Rule(
        Apply(transpose, (Apply(multiply, (S, A)),), "root"),
        lambda root, s, a: s * transpose(a, **root.attrs),
    ),
    Rule(
        Apply(transpose, (Apply(divide, (A, S)),), "root"),
        lambda root, a, s: transpose(a, **root.attrs) / s,
    ),
]

CANCELLATIONS = [*MAGNITUDES, *map(guarded, [*QUOTIENTS, *MULTIPLES, *TRANSPOSES])]
