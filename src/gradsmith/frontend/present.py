"""Present values: what traced values are in the call that is being traced.

Tracing needs none, as a rule. Where Python needs a number, a truth or a length, and the graph
cannot keep it symbolic, the trace goes on with the present value (`value_guards`). Inside the body
of a loop the present values are those of its first iteration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from gradsmith.errors import ControlFlowError, InternalError, Span, SpecialisationError
from gradsmith.frontend.arguments import bindings as bindings_of
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.unsettled import UndecidedError
from gradsmith.ir import dims
from gradsmith.ir.builder import Builder
from gradsmith.ir.dims import Dim, Size, Symbol
from gradsmith.ir.effect_log import PRINT, WARN
from gradsmith.ir.evaluate import bind, evaluate_node
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import parameter
from gradsmith.ir.mentions import has_effect, mentioned, said_by
from gradsmith.ir.types import PYTHON_TYPES, ArrayType, Type
from gradsmith.ops.calls import call, made, raised_call, raises, result_of, signature_of
from gradsmith.ops.effects import show, warn


def present_values(trace: Trace) -> PresentValues:
    """Those of a trace."""
    if trace.present is None:
        trace.present = PresentValues(trace)
    return trace.present


class PresentValues:
    """Evaluates nodes on the arguments of the present call, each at most once."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._values: dict[Node, Any] = {}
        self._bindings: dict[Symbol, int] = {}
        self._performing = self._rehearsing = False
        self._after: dict[Node, int] = {}
        """The place in the log behind each node with an effect that has been performed."""

    def of(self, node: Node) -> Any:
        """The value of a node that is known at this place of the trace."""
        outer = self._outer()
        stack = [node]
        with np.errstate(all="ignore"):  # the emitted code warns, when it computes the same
            while stack:
                top = stack[-1]
                waiting = [n for n in self._needed(top, outer) if n not in self._values]
                if top in self._values or not waiting:
                    stack.pop()
                    if top not in self._values:
                        self._evaluate(top, outer)
                else:
                    stack += waiting
        return self._values[node]

    def compute(self, node: Node) -> Any:
        """The value of a node that has no effect, with the errors that Python raises here."""
        for needed in self._needed(node, self._outer()):
            self.of(needed)
        return evaluate_node(node, [self.of(i) for i in node.inputs], dict(self._bindings))

    def compute_until(self, end: Span | None) -> None:
        """Everything that the function has computed so far, in its order, for the errors that
        Python raises there: not what is computed at ``end``, nor derivatives, nor errors that the
        function has handled.
        """
        for node in list(self._trace.root.nodes):
            if node in self._trace.raised:
                continue
            of_user = node.span is None or not (node.span.adjoint or node.span == end)
            if of_user or has_effect(node):
                self.of(node)

    def _evaluate(self, node: Node, outer: dict[Node, Node]) -> None:
        if has_effect(node):
            if self._rehearsing:
                raise ControlFlowError("an effect on a path that is not taken")
            self.perform_effects(until=node)
        if node not in self._values:
            self._values[node] = self._evaluated(node, outer)

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """Nothing inside has an effect: values are those of a path that is not taken."""
        before, self._rehearsing = self._rehearsing, True
        try:
            yield
        finally:
            self._rehearsing = before

    def put(self, node: Node, value: Any) -> None:
        """Remember the value of a node that has just been computed."""
        self._values[node] = value
        bind(node.type, value, self._bindings)
        if node.attrs.get("symbol") is not None:
            self._bindings[node.attrs["symbol"]] = int(value)

    def perform_effects(self, until: Node | None = None) -> None:
        """Do what the function does to the world up to this place, or this node, in its order.

        The log then stands at this place, whatever has been traced and undone since.
        """
        if self._performing:
            return
        self._performing = True
        log = self._trace.log
        log.place = 0
        try:
            for builder in reversed(list(self._trace.builders())):
                for node in list(builder.nodes):
                    if has_effect(node):
                        log.place = self._performed(node)
                    if node is until:
                        return
        finally:
            self._performing = False

    def _performed(self, node: Node) -> int:
        """The place in the log behind an effect, which is done unless it has been."""
        if node not in self._after:
            begin = self._trace.log.place
            if node in self._values:  # a call, made when its node was
                self._after[node] = begin + node.attrs["logged"]
            else:
                self.of(node)
                self._after[node] = self._trace.log.place
        return self._after[node]

    def of_size(self, size: Size) -> int:
        """The number that a size is."""
        if not isinstance(size, Dim):
            return size
        for symbol in dims.symbols(size):
            for node in self._defining(symbol):
                self.of(node)
        return dims.evaluate(size, self._bindings)

    def unwrapped(self, node: Node) -> Node:
        """The value that a node stands for in the regions at work, or the node itself."""
        outer = self._outer()
        while node in outer:
            node = outer[node]
        return node

    def owner(self, node: Node) -> Builder | None:
        """The builder, at work or around it, that has made a node; None where it is another's."""
        return next((b for b in self._trace.builders() if b.owns(node)), None)

    def owner_of_size(self, size: Size) -> Builder | None:
        """The innermost builder that defines what a size mentions, if all of it is known."""
        found = {self._owner_of_symbol(symbol) for symbol in dims.symbols(size)}
        owners = [b for b in self._trace.builders() if b in found]
        return None if None in found or not owners else owners[0]

    def _owner_of_symbol(self, symbol: Symbol) -> Builder | None:
        for builder in self._trace.builders():
            params = [param.attrs["symbol"] for param in builder.params]
            if symbol in params or symbol in said_by(builder.nodes):
                return builder
        return self._trace.root if symbol in bindings_of(self._trace.leaves) else None

    def _outer(self) -> dict[Node, Node]:
        """For each parameter that stands for a captured value: that value."""
        return {
            inner: node
            for builder in self._trace.builders()
            for node, inner in builder.captured.items()
            if inner.op is parameter
        }

    def _needed(self, node: Node, outer: dict[Node, Node]) -> list[Node]:
        """What has to be evaluated before ``node``."""
        if node in outer:
            return [outer[node]]
        if node.op is parameter:
            initial = self._trace.initial.get(node)
            return [initial] if isinstance(initial, Node) else []
        sizes = [n for symbol in mentioned([node]) for n in self._defining(symbol)]
        return [*node.inputs, *(n for n in sizes if n is not node)]

    def _defining(self, symbol: Symbol) -> list[Node]:
        """The node that defines a symbol which no value so far has bound."""
        if symbol in self._bindings:
            return []
        known = bindings_of(self._trace.leaves)
        if symbol in known:
            self._bindings.update(known)
            return []
        # from the outermost: a region may take a slice again whose length is known around it
        for builder in reversed(list(self._trace.builders())):
            for param in builder.params:
                if param.attrs["symbol"] == symbol:
                    return [param]
            found = said_by(builder.nodes)
            if symbol in found:
                return [found[symbol]]
        raise InternalError(f"nothing defines the size {symbol.name}")

    def _evaluated(self, node: Node, outer: dict[Node, Node]) -> Any:
        if node in outer:
            return self._values[outer[node]]
        if node.op is parameter:
            return self._argument(node)
        operands = [self._values[i] for i in node.inputs]
        try:
            return evaluate_node(node, operands, self._bindings, self._perform)
        except SpecialisationError as error:
            if not node.regions:
                raise
            raise UndecidedError.at(
                node.span,
                "a function that is called in a loop returns another kind of value in a later "
                f"iteration: {error}",
                "call it before the loop, or convert what it returns",
            ) from error

    def _perform(self, node: Node, operands: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
        """An effect, unless an earlier run of the same call has had it."""
        log, silent = self._trace.log, attrs.get("silent", False)
        if node.op in (show, warn):
            said = PRINT if node.op is show else WARN
            evaluate = partial(node.op.evaluate, **attrs)
            return () if silent else log.once(said, evaluate, *operands)
        if node.op not in (call, raised_call) or not attrs["logged"]:
            return node.op.evaluate(*operands, **attrs)
        if silent:
            shown = attrs["callee"].shown
            raise ControlFlowError(f"what {shown} returns is needed in a derivative while tracing")
        logged = partial(log.once, signature_of(operands, **attrs), made, operands, **attrs)
        if node.op is raised_call:
            return raises(logged, attrs["error"])
        return result_of(logged(), **attrs)

    def _argument(self, param: Node) -> Any:
        """An argument of the call, or what the first iteration of a loop starts with."""
        name = param.attrs["name"]
        if param in self._trace.initial:
            value = _in_type(self._initial(self._trace.initial[param]), param.type)
        elif param in self._trace.root.params:
            value = self._trace.leaves[name]
        else:
            raise ControlFlowError(f"the value of {name} is known only while the function runs")
        if param.attrs["symbol"] is not None:
            self._bindings[param.attrs["symbol"]] = int(value)
        return value

    def _initial(self, value: Any) -> Any:
        if isinstance(value, Node):
            return self._values[value]
        return self.of_size(value.dim) if isinstance(value, TracedInt) else value


def _in_type(value: Any, type_: Type) -> Any:
    """A loop-carried value may start with a number of a lesser type."""
    if not isinstance(type_, ArrayType):
        return value
    if type_.weak:
        return PYTHON_TYPES[type_.dtype.kind](value)
    return np.asarray(value, type_.dtype)[()] if not type_.ndim else value
