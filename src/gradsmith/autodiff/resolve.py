"""What the derivative of a region needs of its forward values: computed again, or brought there.

Both kinds of regions use it: a loop brings values on tapes, a branch as further results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gradsmith.ir import dims
from gradsmith.ir.dims import Symbol
from gradsmith.ir.graph import Node, Region, ancestors
from gradsmith.ir.intrinsics import constant, item, parameter, size
from gradsmith.ir.mentions import makes_call, mentioned, shown, sizes_found
from gradsmith.ir.op import Op
from gradsmith.ir.parts import BranchView
from gradsmith.ir.types import ArrayType
from gradsmith.ops.arithmetic import add, divide, multiply, negative, sign, subtract
from gradsmith.ops.compare import (
    equal,
    greater,
    greater_equal,
    invert,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    negation,
    not_equal,
)
from gradsmith.ops.complex import absolute, conj, imag, real
from gradsmith.ops.conditional import conditional_op
from gradsmith.ops.control import at_least_zero, distinct, finished_gradient, stop_gradient
from gradsmith.ops.create import empty, eye, full, ones, zeros
from gradsmith.ops.index import gather, getitem
from gradsmith.ops.powers import integer_power
from gradsmith.ops.ranges import arange
from gradsmith.ops.regions import branch, whole
from gradsmith.ops.select import maximum, minimum, where
from gradsmith.ops.shape import (
    astype,
    broadcast_to,
    copy,
    expand_dims,
    flip,
    reshape,
    squeeze,
    transpose,
)
from gradsmith.ops.sorting import argwhere, flatnonzero, nonzero

_CHEAP: frozenset[Op] = frozenset(
    (
        *(getitem, gather, reshape, transpose, expand_dims, squeeze, flip, broadcast_to),
        *(astype, copy, distinct, stop_gradient, finished_gradient, at_least_zero),
        *(zeros, ones, full, empty, eye, arange),
        *(add, subtract, multiply, divide, negative, integer_power, conj, real, imag),
        *(where, conditional_op, minimum, maximum, absolute, sign, whole),
        *(equal, not_equal, less, less_equal, greater, greater_equal),
        *(logical_and, logical_or, logical_not, negation, invert),
        *(nonzero, flatnonzero, argwhere),
    )
)
"""Computing these again costs no more than reading a record of them."""

_LEAVES = (constant, size)


def dependents(nodes: Iterable[Node], sources: Iterable[Node]) -> set[Node]:
    """``sources`` and all that is computed from them."""
    found = set(sources)
    for node in nodes:
        if any(operand in found for operand in node.inputs):
            found.add(node)
    return found


@dataclass
class Question:
    """A region's forward nodes with the nodes of its derivative behind them.

    Parameters
    ----------
    forward : Region
        The region itself.
    nodes : sequence of nodes
        Its nodes, and those of the derivative.
    results : sequence of nodes
        What the derivative gives.
    given : set of nodes
        The parameters that only the derivative has: adjoints.
    at_hand : set of nodes
        The parameters of the forward region that the derivative may read.
    may_bring : callable
        Whether a value can be brought at all; what cannot is computed again at any price.
    distant : frozenset of nodes
        Parameters at hand that a loop around would have to record whole.
    index : Symbol, optional
        That of a loop's index, which its derivative knows by itself.
    lasting : mapping
        Values that can be read from arrays outside: see `sweep.Around`.
    """

    forward: Region
    nodes: Sequence[Node]
    results: Sequence[Node]
    given: set[Node]
    at_hand: set[Node]
    may_bring: Callable[[Node], bool]
    distant: frozenset[Node] = frozenset()
    index: Symbol | None = None
    lasting: Mapping[Node, tuple[Node, Node]] = field(default_factory=dict)


@dataclass
class Answer:
    """``again`` are the nodes to make in the derivative's region, in order (``lasting`` among
    them are read from arrays outside); ``brought`` the forward values to bring there;
    ``symbols`` the sizes that some of these are known by.
    """

    again: list[Node]
    brought: list[Node]
    lasting: dict[Node, tuple[Node, Node]]
    symbols: dict[Node, Symbol]


def resolve(question: Question) -> Answer:
    """The answer, found again until the sizes that it mentions are known, too."""
    own = dependents(question.nodes, question.given)
    alive = ancestors(question.results)
    derivative = [n for n in question.nodes if n in own and n in alive]
    reads = {i for n in derivative for i in n.inputs if i not in own}
    reads.update(r for r in question.results if r not in own)
    found = _found(question, own)
    binders = _binders(question, found)
    symbols: dict[Node, Symbol] = {}
    while True:
        again, brought, read = _settle(question, reads, symbols.keys())
        kept = [n for n in question.nodes if n in again or (n in own and n in alive)]
        places = [place for _, place in read.values()]
        known = set(symbols.values())
        sizes = mentioned([*kept, *brought, *places])
        seen = {*shown(brought), *(s for node in kept for s in sizes_found(node))}
        known.update(seen & found.keys())
        missing = [s for s in sizes if s in binders and s not in known]
        unseen = {found[s] for s in sizes if s in found and s not in binders and s not in known}
        if not (missing or unseen):
            return Answer(kept, brought, read, symbols)
        symbols.update((binders[s], s) for s in missing)
        reads |= unseen


def _settle(
    question: Question, reads: set[Node], binders: Collection[Node]
) -> tuple[set[Node], list[Node], dict[Node, tuple[Node, Node]]]:
    """``binders`` are the numbers that define sizes of the forward region: a size is a leaf, yet
    cannot be recomputed where nothing else defines it.

    What is computed from the result of a call (``called``) is never cheap, as no call is made
    twice: it is brought as soon as that is possible.
    """
    needed = _expanded(question, reads.union(binders))
    params = question.forward.params
    brought = [p for p in params if p in needed and p not in question.at_hand]
    free = {*question.at_hand, *brought}
    costly = {p for p in question.distant if p not in needed}
    read: dict[Node, tuple[Node, Node]] = {}
    called: set[Node] = set()
    for node in question.nodes:
        able = _is_able(question, node, free, costly)
        if able and (makes_call(node) or not called.isdisjoint(node.inputs)):
            able = not question.may_bring(node)
            if able:
                called.add(node)
        if node.op is size and node in binders:
            able = False
        if able and node.op.view is not None and node.inputs[0] in costly:
            costly.add(node)
        if not able and node in question.lasting:
            read[node], able = question.lasting[node], True
        if not able and node in needed and question.may_bring(node):
            brought.append(node)
            able = True
        if able:
            free.add(node)
    again = _down_to(needed, {*brought, *read})
    used = {node: place for node, place in read.items() if node in again}
    return again - set(brought), brought, used


def _is_able(question: Question, node: Node, free: set[Node], costly: set[Node]) -> bool:
    """Whether ``node`` is to be computed again, from what is ``free``."""
    if not all(operand in free for operand in node.inputs):
        return False
    if not question.may_bring(node):
        return True
    part = node.op in (getitem, gather) and node.inputs[0] in costly
    made = node.inputs[0].op if node.op is item else node.op
    return not part and (made in _LEAVES or made in _CHEAP or _chooses_view(node, costly))


def _chooses_view(node: Node, costly: Collection[Node] = ()) -> bool:
    """Whether a branch gives a view of one of its operands: as a residual it would be a copy."""
    made = node.inputs[0] if node.op is item else node
    if made.op is not branch or not (isinstance(node.type, ArrayType) and node.type.ndim):
        return False
    if any(operand in costly for operand in made.inputs):
        return False
    return all(_is_view(arm.results[node.attrs["index"]]) for arm in BranchView(made).arms)


def _is_view(node: Node) -> bool:
    while node.op.view is not None and all(i.op is parameter for i in node.inputs[1:]):
        node = node.inputs[0]
    return node.op is parameter or _chooses_view(node)


def _expanded(question: Question, reads: set[Node]) -> set[Node]:
    """With the operands of what cannot be brought."""
    needed = set(reads)
    for node in reversed(question.nodes):
        if node in needed and not question.may_bring(node):
            needed.update(node.inputs)
    return needed


def _down_to(roots: Iterable[Node], stops: set[Node]) -> set[Node]:
    """All that the roots are computed from, down to ``stops`` and these included."""
    seen: set[Node] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            if node not in stops:
                stack.extend(node.inputs)
    return seen


# -- sizes that are known in the region only -----------------------------------------------------


def _found(question: Question, own: set[Node]) -> dict[Symbol, Node]:
    """For the sizes that are found in the forward region: what shows them there."""
    outside = mentioned(question.forward.params)
    found: dict[Symbol, Node] = {}
    for node in question.nodes:
        for symbol in sizes_found(node):
            if symbol not in outside and node not in own:
                found.setdefault(symbol, node)
    return found


def _binders(question: Question, lengths: Iterable[Symbol]) -> dict[Symbol, Node]:
    """The nodes that say the sizes which the forward region finds out, by their numbers."""
    found: dict[Symbol, Node] = {}
    for param in question.forward.params:
        if param.attrs["symbol"] not in (None, question.index):
            found[param.attrs["symbol"]] = param
    for node in question.nodes:
        if node.attrs.get("symbol") is not None:
            found.setdefault(node.attrs["symbol"], node)
        if node.op is item:
            symbols = node.inputs[0].attrs.get("symbols", ())
            for symbol in symbols[node.attrs["index"] :][:1]:
                found.setdefault(symbol, node)
    sizes = {node.attrs["value"]: node for node in reversed(question.nodes) if node.op is size}
    for symbol in lengths:
        number = sizes.get(dims.of_atom(symbol))
        if number is not None and question.may_bring(number):
            found.setdefault(symbol, number)
    return found
