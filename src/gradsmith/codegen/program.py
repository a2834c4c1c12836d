"""What the code generator is given: a graph and how its inputs and outputs look from outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradsmith.ir.graph import Graph
    from gradsmith.tree import Path, Tree


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of the emitted function; keyword-only ones carry captured values.

    ``own`` is what the user calls it, where ``name`` may differ from it.
    """

    name: str
    own: str = ""
    keyword_only: bool = False
    default: complex | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """An emitted function to be.

    Parameters
    ----------
    name : str
        The function's name.
    graph : Graph
        What it computes.
    arguments : tuple of Argument
        Its parameters.
    reads : tuple of (str, Path)
        For each parameter of the graph: which argument it is read from, and the way within it.
    result : Tree
        The shape of what it returns; the leaves are the graph's results in order.
    title : str
        First line of the docstring.
    notes : tuple of str
        Further lines of the docstring.
    file : str
        The user's file: comments leave it out where a line comes from there.
    """

    name: str
    graph: Graph
    arguments: tuple[Argument, ...]
    reads: tuple[tuple[str, Path], ...]
    result: Tree
    title: str
    notes: tuple[str, ...] = ()
    file: str = ""
