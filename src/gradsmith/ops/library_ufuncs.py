"""Ufuncs of other libraries (``scipy.special.erf``): called as they are, by their public names.

Their values are those of the library, computed by the emitted code, which imports it. They have no
derivatives here; a function that uses them may be given one (``gs.custom_vjp``).
"""

from __future__ import annotations

import ast
import sys
from functools import lru_cache
from typing import Any, NoReturn

import numpy as np

from gradsmith.errors import UnsupportedError
from gradsmith.ir.graph import Node
from gradsmith.ir.op import Custom, Each, Emitter, Op
from gradsmith.ir.types import PYTHON_TYPES, ArrayType, broadcast
from gradsmith.ops import syntax
from gradsmith.ops.calls import refuse_derivative
from gradsmith.ops.declare import as_node

HOMES = ("scipy.special",)
"""Modules that are looked through for a ufunc, which does not know where it is from."""


@lru_cache(maxsize=1024)
def home_of(function: np.ufunc) -> str | None:
    """The module that a ufunc can be imported from, if it is one of several arrays to one."""
    if function.nout != 1 or function.signature is not None:
        return None
    names = (m for m in HOMES if getattr(sys.modules.get(m), function.__name__, None) is function)
    return next(names, None)


def _infer(*types: ArrayType, function: np.ufunc) -> ArrayType:
    kinds = [PYTHON_TYPES[t.dtype.kind] if t.weak else t.dtype for t in types]
    dtype = function.resolve_dtypes((*kinds, None))[-1]
    shape = broadcast(*(t.shape for t in types))
    return ArrayType(dtype, shape, "array" if shape else "scalar")


def _evaluate(*values: Any, function: np.ufunc) -> Any:
    return function(*values)


def _emit(emitter: Emitter, node: Node, *operands: ast.expr) -> ast.expr:
    function = node.attrs["function"]
    home = home_of(function)
    assert home is not None
    return syntax.call(syntax.attribute(emitter.module(home), function.__name__), *operands)


def _no_derivative(node: Node) -> NoReturn:
    function = node.attrs["function"]
    refuse_derivative(f"{home_of(function)}.{function.__name__}", node.span)


def _pull(position: int, g: Node, out: Node, *operands: Node, function: np.ufunc) -> Node:
    _no_derivative(out)


def _push(out: Node, operands: Any, tangents: Any, *, function: np.ufunc) -> Node:
    _no_derivative(out)


library_ufunc = Op(
    "library_ufunc",
    infer=_infer,
    evaluate=_evaluate,
    derivative=Custom(Each(_pull), jvp=_push),
    emit=_emit,
    traits=frozenset({"elementwise"}),
)


def called(function: np.ufunc, *operands: Any, **options: Any) -> Node:
    """``function(*operands)``.

    Raises
    ------
    UnsupportedError
        There are options besides.
    """
    if options:
        raise UnsupportedError(
            f"{home_of(function)}.{function.__name__} does not support the argument "
            f"{', '.join(options)} on traced values",
            hint="leave it out, and convert the result with .astype(...)",
        )
    return library_ufunc(*map(as_node, operands), function=function)
