"""What stands for objects: for those that only calls know what to do with (`frontend.opaque`),
and for objects of Python's and NumPy's that NumPy takes for arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from gradsmith.ir.graph import Node

AnyClass = TypeVar("AnyClass", bound=type)


def stands_for(name: str) -> Callable[[AnyClass], AnyClass]:
    """Declare what Python calls objects of the class in the texts of errors, by which it is known
    that these are about what stands for a value.
    """

    def declare(cls: AnyClass) -> AnyClass:
        cls.__name__ = cls.__qualname__ = f"<traced {name}>"
        return cls

    return declare


class ObjectStandIn:
    """It has the node of a call that gave the object."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node


class ArrayLike:
    """An object that is no array, of which NumPy's functions and operators make one: a range.

    It is no `abc.ABC`, of which `isinstance` asks the classes of objects for their hash.
    """

    __slots__ = ()

    def as_array(self) -> Any:
        """The array that NumPy makes of it, traced."""
        raise NotImplementedError

    def as_index(self) -> Any:
        """The array that it is as an index."""
        return self.as_array()


def is_opaque(value: Any) -> bool:
    """Whether it is such a stand-in, or a container of some."""
    if type(value) is dict:
        return any(map(is_opaque, value.values()))
    if type(value) in (list, tuple):
        return any(map(is_opaque, value))
    return isinstance(value, ObjectStandIn)
