"""np.einsum: its notation, and the way from many operands to contractions of two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from types import EllipsisType
from typing import Any

import numpy as np

from gradsmith.errors import ShapeError
from gradsmith.ir import dims
from gradsmith.ir.dims import Size
from gradsmith.ir.graph import Node
from gradsmith.ir.types import broadcast, describe_shape, result_dtype
from gradsmith.ops.arguments import as_dtype, require_default
from gradsmith.ops.contract import ALPHABET, Labels, arranged, contract
from gradsmith.ops.declare import FUNCTIONS, as_node, implements
from gradsmith.ops.reduce import reduce_sum
from gradsmith.ops.shape import broadcast_to, cast, may_be_broadcast, squeeze

Operand = tuple[Node, Labels]

# The axes that an ellipsis stands for have labels that are no letters, counted from the last.


@implements(np.einsum)
def einsum(
    *operands: Any,
    optimize: Any = False,
    dtype: Any = None,
    order: str = "K",
    casting: str = "safe",
) -> Node:
    """`numpy.einsum`; the order of contraction is chosen here, whatever ``optimize`` says."""
    require_default("np.einsum", casting=(casting, ["safe", "no", "equiv", "same_kind", "unsafe"]))
    require_default("np.einsum", order=(order, ["K", "A", "C"]))
    inputs, out, arrays = _parsed(operands)
    nodes = [as_node(a) for a in arrays]
    kind = result_dtype(*[n.array_type.strong() for n in nodes])
    kind = kind if dtype is None else as_dtype(dtype)
    nodes = [cast(n, kind) for n in nodes]
    if len(inputs) != len(nodes):
        raise ShapeError(f"einsum: {len(inputs)} subscripts for {len(nodes)} operands")
    labelled = [
        (n, _labels(term, n, i)) for i, (term, n) in enumerate(zip(inputs, nodes, strict=True))
    ]
    return _evaluated(labelled, _output(inputs, out, labelled))


# -- notation ------------------------------------------------------------------------------------

Term = tuple[str, ...]  # letters, and "..." for an ellipsis


def _parsed(operands: Sequence[Any]) -> tuple[list[Term], Term | None, Sequence[Any]]:
    if not operands:
        raise ShapeError("einsum: must provide the subscripts and at least one operand")
    if isinstance(operands[0], str):
        inputs, arrow, out = operands[0].replace(" ", "").partition("->")
        terms = [_term(text) for text in inputs.split(",")]
        return terms, _term(out) if arrow else None, operands[1:]
    out_list = operands[-1] if len(operands) % 2 else None
    pairs = operands[: len(operands) // 2 * 2]
    terms = [_from_list(part) for part in pairs[1::2]]
    return terms, None if out_list is None else _from_list(out_list), pairs[::2]


def _term(text: str) -> Term:
    head, dots, tail = text.partition("...")
    letters = (*head, *(["..."] if dots else []), *tail)
    if any(s != "..." and not (s.isascii() and s.isalpha()) for s in letters):
        raise ShapeError(f"einsum: the subscripts {text!r} are not all letters")
    return letters


# Letters in the order of their code, so that the output without an arrow is in NumPy's order.
_BY_NUMBER = sorted(ALPHABET)


def _from_list(sublist: Iterable[Any]) -> Term:
    return tuple("..." if isinstance(s, EllipsisType) else _BY_NUMBER[int(s)] for s in sublist)


def _labels(term: Term, x: Node, position: int) -> Labels:
    """One label for each axis of an operand."""
    named = [s for s in term if s != "..."]
    hidden = x.ndim - len(named)
    if hidden < 0 or (hidden and "..." not in term):
        raise ShapeError(
            f"einsum: operand {position} of shape {describe_shape(x.shape)} does not fit the "
            f"subscripts {''.join(term)!r}"
        )
    dots = _dots(hidden)
    return tuple(label for s in term for label in (dots if s == "..." else (s,)))


def _dots(count: int) -> Labels:
    return tuple(f"...{i}" for i in range(count, 0, -1))


def _output(inputs: Sequence[Term], out: Term | None, operands: Sequence[Operand]) -> Labels:
    """The labels of the result, checked."""
    every = [label for _, labels in operands for label in labels]
    dots = _dots(max(sum(s.startswith("...") for s in labels) for _, labels in operands))
    if out is None:
        letters = sorted(s for s in set(every) if len(s) == 1)
        return (*dots, *(s for s in letters if every.count(s) == 1))
    if dots and "..." not in out:
        raise ShapeError("einsum: the operands have axes under '...' and the output has none")
    wanted = tuple(label for s in out for label in (dots if s == "..." else (s,)))
    for label in wanted:
        if label not in every:
            raise ShapeError(f"einsum: the output subscript {label!r} is in no operand")
    if len(set(wanted)) < len(wanted):
        raise ShapeError(f"einsum: the output {''.join(out)!r} repeats a subscript")
    return wanted


# -- evaluation ----------------------------------------------------------------------------------


def _evaluated(operands: list[Operand], out: Labels) -> Node:
    operands = _without_ones([_collapsed(x, labels) for x, labels in operands], out)
    for pair in _order(operands, out):
        first, second = (operands[i] for i in sorted(pair))
        rest = [o for i, o in enumerate(operands) if i not in pair]
        operands = [*rest, _joined(first, second, _needed(rest, out), None if rest else out)]
    x, labels = _summed(operands[0], set(out))
    return arranged(x, labels, out)


def _needed(operands: Sequence[Operand], out: Labels) -> set[str]:
    return {*out, *(label for _, labels in operands for label in labels)}


def _joined(first: Operand, second: Operand, needed: set[str], out: Labels | None) -> Operand:
    (x, left), (y, right) = (
        _summed(first, needed | set(second[1])),
        _summed(second, needed | set(first[1])),
    )
    if out is None:
        free = [label for label in dict.fromkeys((*left, *right)) if label in needed]
        shared = [label for label in free if label in left and label in right]
        out = (*shared, *(label for label in free if label not in shared))
    return contract(x, left, y, right, out), out


def _summed(operand: Operand, needed: set[str]) -> Operand:
    """The operand, summed over the labels that nothing else has."""
    x, labels = operand
    axes = tuple(i for i, label in enumerate(labels) if label not in needed)
    if not axes:
        return operand
    # np.sum would widen small integers and count booleans, einsum does not
    kind = {} if x.array_type.inexact else {"dtype": x.dtype}
    total = reduce_sum(x, axis=axes, keepdims=False, **kind)
    return total, tuple(label for label in labels if label in needed)


def _collapsed(x: Node, labels: Labels) -> Operand:
    """The operand with the diagonal taken of each repeated label."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            i = labels.index(label)
            j = labels.index(label, i + 1)
            if not dims.same(x.shape[i], x.shape[j]):
                raise ShapeError(
                    f"einsum: the axes {i} and {j} for the subscript {label!r} differ in an "
                    f"operand of shape {describe_shape(x.shape)}"
                )
            x = FUNCTIONS[np.diagonal](x, 0, i, j)
            labels = (*(s for n, s in enumerate(labels) if n not in (i, j)), label)
    return x, labels


def _without_ones(operands: list[Operand], out: Labels) -> list[Operand]:
    """Operands without the axes of size one that broadcast against others of the same label."""
    long = {
        label
        for x, labels in operands
        for label, size in zip(labels, x.shape, strict=True)
        if not dims.is_one(size)
    }
    sizes: dict[str, Any] = {}
    found: list[Operand] = []
    for x, labels in _broadcast(operands):
        ones = tuple(i for i, s in enumerate(labels) if s in long and dims.is_one(x.shape[i]))
        kept = tuple(s for i, s in enumerate(labels) if i not in ones)
        array = squeeze(x, axis=ones) if ones else x
        for label, size in zip(kept, array.shape, strict=True):
            if not dims.same(sizes.setdefault(label, size), size):
                raise ShapeError(
                    f"einsum: the subscript {label!r} stands for axes of sizes "
                    f"{dims.hint(sizes[label])} and {dims.hint(size)}"
                )
        found.append((array, kept))
    return found


def _broadcast(operands: list[Operand]) -> list[Operand]:
    """The same, broadcast along the axes of which only running tells whether they are of one."""
    wanted: dict[str, Size] = {}
    for x, labels in operands:
        for label, size in zip(labels, x.shape, strict=True):
            with suppress(ShapeError):  # the message names the subscript
                (wanted[label],) = broadcast((wanted.get(label, 1),), (size,))
    found = []
    for x, labels in operands:
        pairs = [(size, wanted[label]) for label, size in zip(labels, x.shape, strict=True)]
        if any(may_be_broadcast(size, whole) for size, whole in pairs):
            shape = tuple(size if dims.is_one(size) else whole for size, whole in pairs)
            found.append((broadcast_to(x, shape=shape), labels))
        else:
            found.append((x, labels))
    return found


def _order(operands: Sequence[Operand], out: Labels) -> list[tuple[int, int]]:
    """Which pairs to contract, by NumPy's search for the least work; results go to the end."""
    if len(operands) < 2:
        return []
    if len(operands) == 2:
        return [(0, 1)]
    names = {s: _BY_NUMBER[i] for i, s in enumerate(sorted(_needed(operands, out)))}
    texts = ["".join(names[s] for s in labels) for _, labels in operands]
    subscripts = f"{','.join(texts)}->{''.join(names[s] for s in out)}"
    stand_ins = [
        np.broadcast_to(0.0, tuple(dims.hint(size) for size in x.shape)) for x, _ in operands
    ]
    method = "optimal" if len(operands) <= 4 else "greedy"
    path = np.einsum_path(subscripts, *stand_ins, optimize=method)[0][1:]
    return list(_in_pairs(path, len(operands)))


def _in_pairs(path: Sequence[tuple[int, ...]], count: int) -> Iterable[tuple[int, int]]:
    """The path with each contraction of several operands as contractions of two."""
    for step in path:
        positions = sorted(step)
        while len(positions) > 1:
            i, j = positions[:2]
            yield i, j
            count -= 1
            moved = [p - (p > i) - (p > j) for p in positions[2:]]
            positions = sorted([*moved, count - 1]) if moved else []
