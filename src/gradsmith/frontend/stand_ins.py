"""What stands for an object that only calls know what to do with (`frontend.opaque`)."""

from __future__ import annotations

from typing import Any

from gradsmith.ir.graph import Node


class ObjectStandIn:
    """It has the node of a call that gave the object."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node


def is_opaque(value: Any) -> bool:
    """Whether it is such a stand-in, or a container of some."""
    if type(value) is dict:
        return any(map(is_opaque, value.values()))
    if type(value) in (list, tuple):
        return any(map(is_opaque, value))
    return isinstance(value, ObjectStandIn)
