"""Passes over finished graphs, which know what reads each value: the frame that they share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from gradsmith.ir.builder import Builder
from gradsmith.ir.context import building
from gradsmith.ir.graph import Graph, Node, users
from gradsmith.ir.op import Op
from gradsmith.ir.types import ArrayType
from gradsmith.passes.rewrite import same_type


class Replay(ABC):
    """A graph made anew node by node; ``made`` is what its nodes have become.

    A pass gives `better`; what that gives is taken where it has the node's type.
    """

    ops: ClassVar[frozenset[Op]]
    """What the pass has something better for."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.readers = users(graph.nodes)
        self.results = set(graph.results)
        self.made: dict[Node, Node] = {param: param for param in graph.params}

    @abstractmethod
    def better(self, node: Node) -> Node | None:
        """What to make instead of ``node``, one of `ops`, from what its operands have become."""

    def run(self) -> Graph:
        """The new graph; the graph itself where nothing is better."""
        if not any(node.op in self.ops for node in self.graph.nodes):
            return self.graph
        graph, builder = self.graph, Builder()
        builder.params = list(graph.params)
        with building(builder), builder.phase(None):
            for node in graph.nodes:
                self.made[node] = self._made(node, builder)
        if all(new is old for old, new in self.made.items()):
            return graph
        for node, name in graph.names.items():
            builder.name(self.made[node], name)
        builder.size_names = dict(graph.size_names)
        return builder.graph([self.made[r] for r in graph.results], graph.guards)

    def _made(self, node: Node, builder: Builder) -> Node:
        if node.op in self.ops:
            with builder.at(node.span):
                better = self.better(node)
            if better is not None and same_type(better.type, node.type):
                return better
        operands = [self.made[i] for i in node.inputs]
        if any(new is not old for new, old in zip(operands, node.inputs, strict=True)):
            return builder.again(node, operands)
        found = builder.find(node.op, *operands, **node.attrs)
        if found is not None:
            return found
        builder.nodes.append(node)
        return node

    def is_free(self, node: Node) -> bool:
        """Whether its last bit may change: an adjoint."""
        adjoint = node.span is not None and node.span.adjoint
        return adjoint and isinstance(node.type, ArrayType) and node.type.inexact

    def is_part(self, node: Node) -> bool:
        """Whether it is a free value without a name that one other value is made from."""
        alone = len(self.readers.get(node, ())) == 1 and node not in self.results
        return alone and node not in self.graph.names and self.is_free(node)

    def is_step(self, node: Node) -> bool:
        """The same, also with a name, but for the names of results."""
        alone = len(self.readers.get(node, ())) == 1 and node not in self.results
        return alone and self.is_free(node)

    def is_variable(self, node: Node) -> bool:
        """Whether it has a name, or is read more than once, so that it gets one."""
        several = len(self.readers.get(node, ())) > 1 or node in self.results
        return several or node in self.graph.names or node in self.graph.params
