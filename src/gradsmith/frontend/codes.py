"""What is known about code objects, for as long as these live."""

from __future__ import annotations

import weakref
from types import CodeType
from typing import Generic, TypeVar

Value = TypeVar("Value")


class CodeTable(Generic[Value]):
    """Values by the identity of code objects: hashing one walks all of its instructions."""

    def __init__(self) -> None:
        self.entries: dict[int, tuple[Value, weakref.ref[CodeType]]] = {}

    def __contains__(self, code: CodeType) -> bool:
        return id(code) in self.entries

    def __getitem__(self, code: CodeType) -> Value:
        return self.entries[id(code)][0]

    def __setitem__(self, code: CodeType, value: Value) -> None:
        key, pop = id(code), self.entries.pop
        self.entries[key] = (value, weakref.ref(code, lambda _: pop(key, None)))
