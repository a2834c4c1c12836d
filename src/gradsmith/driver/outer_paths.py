"""Derivatives in a region (a branch, the body of a loop) of values computed outside it.

The adjoint is appended to the region at work, where a value from outside is a parameter: the path
from it to an input that is outside as well is not seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradsmith.autodiff.activity import is_differentiable, passes_derivative
from gradsmith.frontend.dispatch import check_at_root
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.ir.graph import Node


def check_paths(outputs: Sequence[Node], inputs: Sequence[Node]) -> None:
    """Refuse to differentiate where part of a path from ``inputs`` to ``outputs`` is outside.

    Raises
    ------
    ControlFlowError
        There is one: the branch is to be decided, or the loop written out.
    """
    trace = current_trace()
    if trace is None or trace.builder is trace.root:
        return
    search = _Search(trace, outputs, inputs)
    if any(search.sources[1:]) and search.finds():
        check_at_root(
            trace,
            "in a branch or loop this differentiates a value that was computed before it",
            "compute the value, or take gs.vjp, in the branch or loop",
        )


class _Search:
    """Looks for the inputs among what values are computed from, in each builder from the one at
    work to the root.
    """

    def __init__(self, trace: Trace, outputs: Sequence[Node], inputs: Sequence[Node]) -> None:
        self.trace = trace
        self.builders = list(trace.builders())
        self.sources = [set(map(trace.builder.inner, inputs))]
        self.outputs = list(map(trace.builder.inner, outputs))
        self.outer = [{own: n for n, own in b.captured.items()} for b in self.builders]
        for level in range(len(self.builders) - 1):
            self.sources.append({n for own in self.sources[-1] for n in self._beyond(level, own)})

    def _beyond(self, level: int, own: Node) -> Iterator[Node]:
        """What a parameter of a region stands for outside: of a loop-carried value the first."""
        if own in self.outer[level]:
            yield self.outer[level][own]
        first = self.trace.initial.get(own)
        if isinstance(first, Node):
            yield self.builders[level + 1].inner(first)

    def finds(self) -> bool:
        """Whether a path leads from an output to an input outside the region at work."""
        stack = [(0, node) for node in self.outputs]
        seen = set(stack)
        while stack:
            level, node = stack.pop()
            if node in self.sources[level]:
                if level:
                    return True
                continue
            if self._is_carried(node) and any(self.sources[level + 1 :]):
                return True
            for place in self._before(level, node):
                if place not in seen:
                    seen.add(place)
                    stack.append(place)
        return False

    def _before(self, level: int, node: Node) -> Iterator[tuple[int, Node]]:
        """What it is computed from, and where."""
        if level + 1 < len(self.builders) and is_differentiable(node):
            for outer in self._beyond(level, node):
                yield level + 1, outer
        for position, operand in enumerate(node.inputs):
            if passes_derivative(node, position):
                yield level, operand

    def _is_carried(self, node: Node) -> bool:
        """Whether it is a loop-carried value, which earlier iterations may compute from inputs."""
        return node in self.trace.initial and is_differentiable(node)
