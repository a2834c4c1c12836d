"""Branches and loops that are nested too deeply: each level takes some calls of Python's."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from gradsmith.errors import Span, UnsupportedError
from gradsmith.ir.graph import Node

_TOO_MANY = (
    "too many levels of indentation",
    "too many nested parentheses",
    "too many statically nested blocks",
)
"""What Python's compiler says of emitted code."""


RECURSION_HINT = "raise sys.setrecursionlimit before the call, or nest them less deeply: in a loop"


class NestingError(UnsupportedError):
    """Branches and loops are nested too deeply: writing loops out makes it no better."""


@contextmanager
def nesting_limited(nodes: Callable[[], Iterable[Node]]) -> Iterator[None]:
    """Refuse what is nested too deeply for Python; ``nodes`` gives those at work.

    Raises
    ------
    NestingError
        Python's recursion or indentation has ended, which is no error of the user's.
    """
    try:
        yield
    except RecursionError:
        raise _refusal(nodes(), RECURSION_HINT) from None
    except SyntaxError as error:
        if not any(text in str(error) for text in _TOO_MANY):
            raise
        raise _refusal(nodes(), "nest them less deeply: in a loop over the cases") from None


def _refusal(nodes: Iterable[Node], hint: str) -> NestingError:
    depth, node = _deepest(nodes)
    return nested_too_deeply(depth, None if node is None else node.span, hint)


def nested_too_deeply(depth: int, span: Span | None, hint: str = RECURSION_HINT) -> NestingError:
    """The error about so many branches and loops in each other, the outermost at ``span``."""
    return NestingError(f"branches and loops are nested too deeply here ({depth})", span, hint)


def _deepest(nodes: Iterable[Node]) -> tuple[int, Node | None]:
    """How deeply regions are nested, and the outermost node of those that are nested deepest."""
    level = [(node, node) for node in nodes if node.regions]
    depth, found = 0, None
    while level:
        depth, found = depth + 1, level[0][0]
        inner: dict[Node, Node] = {}
        for outermost, node in level:
            for region in node.regions:
                for n in region.nodes:
                    if n.regions:
                        inner.setdefault(n, outermost)
        level = [(outermost, node) for node, outermost in inner.items()]
    return depth, found
