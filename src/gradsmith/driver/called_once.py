"""No call of the user's is made twice: a copy in a derivative has to have become one with it."""

from __future__ import annotations

from collections.abc import Iterator

from gradsmith.codegen.forms import all_nodes
from gradsmith.frontend.trace import Trace
from gradsmith.frontend.unsettled import UndecidedError
from gradsmith.ir.builder import Builder
from gradsmith.ir.graph import Graph, Node


def check_called_once(graph: Graph, trace: Trace) -> None:
    """Refuse code that would make a call twice.

    Raises
    ------
    UndecidedError
        It names the outermost branch or loop around the call: where its path is that of the
        present call, or its iterations are written out, what the call returns is at hand.
    """
    for node in all_nodes(graph.nodes):
        if node.attrs.get("silent", False):
            raise _error(node, trace)


def _error(node: Node, trace: Trace) -> UndecidedError:
    error = UndecidedError(
        f"what {node.attrs['callee'].shown} returns is needed where its loop or branch is "
        "differentiated, and cannot be kept",
        node.span,
        "make the calls before the loop, and keep what they return in an array",
    )
    for builder in _regions_of(node, trace):
        site = trace.sites[builder]
        if builder in trace.bodies:
            error.loop = error.site = site
        elif site not in trace.decided:
            error.site = site
        if error.site is not None:
            break
    return error


def _regions_of(node: Node, trace: Trace) -> Iterator[Builder]:
    """The regions in which the user's function makes the call, from the outermost."""
    for builder in trace.sites:
        if any(n.op is node.op and n.span == node.span for n in builder.nodes):
            yield from reversed([b for b in _enclosing(builder) if b in trace.sites])


def _enclosing(builder: Builder | None) -> Iterator[Builder]:
    while builder is not None:
        yield builder
        builder = builder.parent
