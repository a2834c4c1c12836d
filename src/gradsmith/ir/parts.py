"""Loops and branches by the names of their parts (the ops are in ``ops.regions``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradsmith.ir.dims import Size, Symbol
from gradsmith.ir.graph import Node, Region


@dataclass(frozen=True, slots=True, eq=False)
class BranchView:
    """A ``branch`` node."""

    node: Node

    @property
    def arms(self) -> tuple[Region, Region]:
        """What is run if the condition holds, and if not."""
        return self.node.attrs["then"], self.node.attrs["orelse"]

    @property
    def symbols(self) -> tuple[Symbol | None, ...]:
        """By which sizes know the integers among the results."""
        symbols: tuple[Symbol | None, ...] = self.node.attrs["symbols"]
        return symbols


@dataclass(frozen=True, slots=True, eq=False)
class LoopView:
    """A ``loop`` node."""

    node: Node

    @property
    def body(self) -> Region:
        """What one trip does."""
        body: Region = self.node.attrs["body"]
        return body

    @property
    def test(self) -> Region | None:
        """What is asked before a trip."""
        test: Region | None = self.node.attrs["test"]
        return test

    @property
    def count(self) -> int:
        """How many values are carried."""
        count: int = self.node.attrs["carried"]
        return count

    @property
    def leaves(self) -> bool:
        """Whether the body may say that a trip was the last."""
        leaves: bool = self.node.attrs["leaves"]
        return leaves

    @property
    def index(self) -> Node:
        """The parameter for the index."""
        return self.body.params[0]

    @property
    def params(self) -> Sequence[Node]:
        """The parameter of the body for each operand of the node."""
        return self.body.params[1:]

    @property
    def carried(self) -> Sequence[Node]:
        """The parameters for the carried values."""
        return self.params[: self.count]

    @property
    def tapes(self) -> range:
        """The positions of the operands that are tapes."""
        return range(self.count, self.count + int(self.node.attrs["tapes"]))

    @property
    def captured(self) -> range:
        """The positions of the operands that are the same in every trip."""
        return range(self.tapes.stop, len(self.node.inputs))

    @property
    def results(self) -> Sequence[Node]:
        """The carried values after a trip."""
        return self.body.results[: self.count]

    @property
    def recorded(self) -> Sequence[Node]:
        """What a trip records."""
        return self.body.results[self.count + self.leaves :]

    def place(self, recorded: int) -> int:
        """Where the tape of a recorded value stands among the results of the node."""
        return self.count + 1 + recorded

    @property
    def symbols(self) -> tuple[Symbol | None, ...]:
        """By which sizes know the integers among the results."""
        symbols: tuple[Symbol | None, ...] = self.node.attrs["symbols"]
        return symbols

    @property
    def range(self) -> tuple[Size, Size | None, Size]:
        """The start, stop and step of the index."""
        attrs = self.node.attrs
        return attrs["start"], attrs["stop"], attrs["step"]
