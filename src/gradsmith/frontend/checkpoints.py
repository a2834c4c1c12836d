"""`checkpoint`: a call that is traced into a region, which the backward pass runs once more."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradsmith import tree
from gradsmith.frontend.doubts import note_written
from gradsmith.frontend.frozen import freeze, frozen_sites
from gradsmith.frontend.joint import Arm, arm_of
from gradsmith.frontend.journal import contents_of, journaling, reachable, refill
from gradsmith.frontend.maybe_unset import check_all_set
from gradsmith.frontend.merging import as_result, as_value
from gradsmith.frontend.runtime import call
from gradsmith.frontend.slots import fresh_name
from gradsmith.frontend.storage import Storage
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir import dims
from gradsmith.ir.context import building
from gradsmith.ir.dims import Symbol
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item
from gradsmith.ir.mentions import has_effect, said_by
from gradsmith.ops.regions import rerun

Made = Callable[[], Any]
"""What a value of the region has become, once the region is closed."""


def run_again(fun: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """``fun(*args, **kwargs)``, of which nothing but arguments and results is kept."""
    trace = current_trace()
    if trace is None:
        return fun(*args, **kwargs)
    held = _held(fun)
    known = reachable(sys._getframe(), trace)
    del held
    with trace.region(), journaling(known) as journal:
        arm = arm_of(trace, [call(fun, *args, **kwargs)], journal)
    return _Results(trace, arm).give()


def _held(fun: Any) -> list[Any]:
    """What a function has from outside, among which are containers that it may change."""
    if isinstance(fun, functools.partial):
        return [fun.args, fun.keywords, *_held(fun.func)]
    if isinstance(fun, types.MethodType):
        return [fun.__self__, *_held(fun.__func__)]
    cells = getattr(fun, "__closure__", None) or ()
    return [cell.cell_contents for cell in cells if _is_filled(cell)]


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is cell.cell_contents
    except ValueError:
        return False


def _check_attributes(before: Any, after: Any) -> None:
    """Refuse attributes that the region sets on some of its paths: it gives no flags for them."""
    if isinstance(before, dict):
        new = {name: v for name, v in after.items() if name not in before or before[name] is not v}
        check_all_set(new)


class _Results:
    """What a region gives to the code around it: values, and what its writes leave."""

    def __init__(self, trace: Trace, arm: Arm) -> None:
        self.trace = trace
        self.arm = arm
        self.said = said_by(arm.builder.nodes)
        self.nodes: list[Node] = []
        self.symbols: list[Symbol | None] = []
        self.made: list[Node] = []
        self.buffers: dict[Storage, Storage] = {}
        """For a buffer of the region the first that has come out of it."""

    def give(self) -> Any:
        """Close the region; what the call gives."""
        (value,), changes = self.arm.values, self.arm.changes
        containers = list(changes.containers.values())
        for container, contents in containers:
            _check_attributes(contents_of(container), contents)
        held = [value, *(contents for _, contents in containers)]
        outer = {id(x): self._take(x) for x in self._parts(held)[0]}
        written = {
            storage: self._result(node)
            for storage, node in changes.storages.items()
            if not self.arm.builder.owns(storage.node)
        }
        self._close()
        values = {key: make() for key, make in outer.items()}
        for storage, place in written.items():
            storage.replace(self.made[place])
            if storage.label is not None:
                self.trace.builder.name(storage.node, storage.label)
        for container, contents in containers:
            note_written(container)
            refill(container, self._replaced(contents, values))
        return self._replaced(value, values)

    def _parts(self, value: Any) -> tuple[list[Any], tree.Tree]:
        """Down to what is no container, and to those that are changed, each by itself."""
        changed = {id(container) for container, _ in self.arm.changes.containers.values()}
        return tree.flatten(value, lambda v: id(v) in changed or not tree.is_container(v))

    def _replaced(self, value: Any, values: Mapping[int, Any]) -> Any:
        """``value`` with what its parts have become; itself where these are the same."""
        leaves, shape = self._parts(value)
        made = [values.get(id(leaf), leaf) for leaf in leaves]
        same = all(new is old for new, old in zip(made, leaves, strict=True))
        return value if same else freeze(tree.unflatten(shape, made), frozen_sites(value))

    def _take(self, leaf: Any) -> Made:
        """What a value becomes: itself, or a result of the region if nothing else knows it."""
        if isinstance(leaf, Tracer) and not self.arm.is_from_outside(leaf):
            place = self._result(self.arm.nodes[id(leaf)])
            return lambda: self._array(leaf, place)
        if isinstance(leaf, TracedInt) and any(s in self.said for s in dims.symbols(leaf.dim)):
            hint = dims.hint(leaf.dim)
            size = dims.changing(fresh_name(self.trace, None), hint, None, None)
            with building(self.arm.builder):
                self._result(as_result(leaf), dims.as_symbol(size))
            return lambda: TracedInt(size)
        return lambda: leaf

    def _array(self, leaf: Tracer, place: int) -> Tracer:
        """The result for an array; where it shares memory with another one, writes tell."""
        found: Tracer = as_value(self.made[place], None, None)
        storage, source = found.view.storage, leaf.view.storage
        if leaf.ndim:
            first = self.buffers.setdefault(source, storage)
            if first is not storage:
                storage.doubt(first)
            if not self.arm.builder.owns(source.node):
                storage.doubt(source)
        return found

    def _result(self, node: Node, symbol: Symbol | None = None) -> int:
        with building(self.arm.builder):
            self.nodes.append(self.arm.builder.inner(node))
        self.symbols.append(symbol)
        return len(self.nodes) - 1

    def _close(self) -> None:
        builder = self.arm.builder
        if not (self.nodes or any(map(has_effect, builder.nodes))):
            return
        captured = builder.needed(self.nodes)
        attrs = {"block": builder.region(self.nodes, captured), "symbols": tuple(self.symbols)}
        whole = self.trace.builder.apply(rerun, captured, attrs)
        self.made = [item(whole, index=place) for place in range(len(self.nodes))]
