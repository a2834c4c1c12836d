"""Parts of carried arrays that stay as they are: the array that the loop leaves tells what they
were, and nothing of them has to be recorded.

In ``L[i, j] = (A[i, j] - L[i, :j] @ L[j, :j]) / L[j, j]`` no element is written again once it has
been read. Shown by intervals of indices: those of every write that comes after, in this trip and
in later ones, are apart from those read, in some axis (the test of dependence of Banerjee,
*Dependence Analysis for Supercomputing*, 1988, for the simplest case).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gradsmith.autodiff.intervals import Interval, Names, apart, intervals
from gradsmith.ir import dims
from gradsmith.ir.dims import Size, Symbol
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import item
from gradsmith.ir.parts import BranchView, LoopView
from gradsmith.ops.control import distinct
from gradsmith.ops.index import gather, getitem, index_add, index_set
from gradsmith.ops.index_key import indexed_shape

Lasting = dict[Node, tuple[int, Node]]
"""For a value in a loop's body: the carried array that has it in the end, and the node whose key
says where. """

Places = Sequence[Interval]

_numbers = itertools.count()


@dataclass
class Step:
    """From one version of the array to the next: a write, a loop or a branch."""

    node: Node
    inside: list[Chain] = field(default_factory=list)


@dataclass
class Read:
    """A part that is read, in these loops within the region."""

    node: Node
    loops: tuple[LoopView, ...]


@dataclass
class Chain:
    """What happens to an array in a region: ``reads[k]`` come before ``steps[k]``."""

    reads: list[list[Read]]
    steps: list[Step]


def lasting(view: LoopView) -> Lasting:
    """The values of a loop's body that carried arrays have in the end."""
    found: Lasting = {}
    for k, (param, result) in enumerate(zip(view.carried, view.results, strict=True)):
        chain = _chain(view.body, param, result) if _is_array(param) else None
        if chain is not None and chain.steps:
            checked: dict[Node, bool] = {}
            places: dict[Node, Node] = {}
            _check_loop(view, chain, {}, [], checked, places)
            found |= {n: (k, places[n]) for n, stays in checked.items() if stays}
    return found


def _is_array(param: Node) -> bool:
    type_ = param.type
    return getattr(type_, "ndim", 0) > 0


# -- what happens to the array -------------------------------------------------------------------


def _chain(region: Region, start: Node, end: Node) -> Chain | None:
    """From ``start`` to ``end``; None where ``end`` is not what has become of ``start``."""
    first, chain = _history(region, end)
    return chain if first is start else None


def _history(region: Region, end: Node) -> tuple[Node, Chain]:
    """What ``end`` has come from, and how."""
    versions, steps = [end], []
    while True:
        step, before = _step(versions[-1])
        if before is None:
            break
        versions.append(before)
        steps.append(step)
    versions.reverse()
    reads = [list(_reads(region, version, ())) for version in versions]
    merged: list[list[Read]] = [[]]
    for read, made in itertools.zip_longest(reads, reversed(steps)):
        merged[-1] += read
        if made is not None:
            merged.append([])
    return versions[0], Chain(merged, [s for s in reversed(steps) if s is not None])


def _step(node: Node) -> tuple[Step | None, Node | None]:
    """What made this version, and the version before."""
    if node.op in (index_set, index_add):
        return Step(node), node.inputs[0]
    if node.op is distinct:
        return None, node.inputs[0]
    whole = node.inputs[0] if node.op is item else node
    if "body" in whole.attrs and node.attrs["index"] < LoopView(whole).count:
        view, k = LoopView(whole), node.attrs["index"]
        inner = _chain(view.body, view.carried[k], view.results[k])
        return (None, None) if inner is None else (Step(whole, [inner]), whole.inputs[k])
    if "then" in whole.attrs:
        return _through_branch(BranchView(whole), node.attrs["index"])
    return None, None


def _through_branch(view: BranchView, k: int) -> tuple[Step | None, Node | None]:
    starts, chains = zip(*(_history(arm, arm.results[k]) for arm in view.arms), strict=True)
    places = [
        arm.params.index(start) if start in arm.params else -1
        for arm, start in zip(view.arms, starts, strict=True)
    ]
    if places[0] != places[1] or places[0] < 0:
        return None, None
    return Step(view.node, list(chains)), view.node.inputs[1 + places[0]]


def _reads(region: Region, version: Node, loops: tuple[LoopView, ...]) -> Iterator[Read]:
    """The reads of one version; those in regions that it is captured by, too."""
    for node in region.nodes:
        if version not in node.inputs:
            continue
        if node.op in (getitem, gather) and node.inputs == (version,):
            yield Read(node, loops)
        elif "body" in node.attrs:
            view = LoopView(node)
            for p in view.captured:
                if node.inputs[p] is version:
                    yield from _reads(view.body, view.params[p], (*loops, view))
        elif "then" in node.attrs:
            for arm in BranchView(node).arms:
                for param, operand in zip(arm.params, node.inputs[1:], strict=True):
                    if operand is version:
                        yield from _reads(arm, param, loops)


# -- what comes after ----------------------------------------------------------------------------


def _check_loop(
    view: LoopView,
    chain: Chain,
    names: Names,
    later: list[Places],
    checked: dict[Node, bool],
    places: dict[Node, Node],
) -> None:
    """Check the values in a loop against what is written after them."""
    own = names | _index(view, names)
    after = names | _index(view, names, after=own)
    again = [w for step in chain.steps for w in _writes(step, after)]
    _check(chain, own, [*later, *again], checked, places)


def _check(
    chain: Chain,
    names: Names,
    later: list[Places],
    checked: dict[Node, bool],
    places: dict[Node, Node],
) -> None:
    for k in range(len(chain.reads)):
        rest = [*later, *(w for step in chain.steps[k:] for w in _writes(step, names))]
        for read in chain.reads[k]:
            inner = _inner_names(read.loops, names)
            where = intervals(read.node, inner)
            stays = all(apart(where, written) for written in rest)
            checked[read.node] = stays and checked.get(read.node, True)
            places[read.node] = read.node
        if k == len(chain.steps):
            break
        step = chain.steps[k]
        rest = [*later, *(w for s in chain.steps[k + 1 :] for w in _writes(s, names))]
        if "body" in step.node.attrs:
            _check_loop(LoopView(step.node), step.inside[0], names, rest, checked, places)
        elif step.inside:
            for arm in step.inside:
                _check(arm, names, rest, checked, places)
        elif _is_plain(step.node):
            where = intervals(step.node, names)
            value = step.node.inputs[1]
            stays = all(apart(where, written) for written in rest)
            checked[value] = stays and checked.get(value, True)
            places[value] = step.node


def _is_plain(write: Node) -> bool:
    """Whether what is written is what is read there, neither cast nor broadcast."""
    value = write.inputs[1]
    if write.op is not index_set or len(write.inputs) > 2 or value.dtype != write.dtype:
        return False
    index = write.attrs["index"]
    shape = indexed_shape(write.inputs[0].shape, index, ())
    return value.shape == shape and not value.array_type.weak


def _writes(step: Step, names: Names) -> Iterator[Places]:
    """The places that a step writes to."""
    if not step.inside:
        yield intervals(step.node, names)
        return
    inner = names
    if "body" in step.node.attrs:
        inner = names | _index(LoopView(step.node), names)
    for chain in step.inside:
        for within in chain.steps:
            yield from _writes(within, inner)


def _inner_names(loops: Iterable[LoopView], names: Names) -> Names:
    for view in loops:
        names = names | _index(view, names)
    return names


def _index(view: LoopView, names: Names, after: Names | None = None) -> Names:
    """The index of a loop by another name, with bounds: any; or any in the trips ``after``."""
    symbol = view.index.attrs["symbol"]
    if symbol is None:
        return {}
    start, stop, step = view.range
    if not isinstance(step, int):
        return {symbol: _fresh(symbol, None, None)}
    first = _named(start, names)
    last = None if stop is None else _named(stop, names) - (1 if step > 0 else -1)
    low, high = (first, last) if step > 0 else (last, first)
    if after is not None:
        now = dims.of_atom(after[symbol])
        rising = (step > 0) != view.node.attrs["reverse"]
        low, high = (now + abs(step), high) if rising else (low, now - abs(step))
    return {symbol: _fresh(symbol, low, high)}


def _fresh(symbol: Symbol, low: Size | None, high: Size | None) -> Symbol:
    name = f"{symbol.name} {next(_numbers)}"
    return Symbol(name, symbol.hint, unbacked=True, bounds=(low, high))


def _named(size: Size, names: Names) -> Size:
    return dims.renamed(size, lambda s: names.get(s, s))
