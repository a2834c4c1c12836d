"""Texts of traced values: known while the emitted code runs, and only there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from gradsmith.errors import ConcretizationError
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.ir.builder import Builder
from gradsmith.ir.graph import Node
from gradsmith.ops.texts import Piece, Whole, Written


@dataclass(frozen=True, slots=True)
class Value:
    """A traced value within a text, as it was when the text was made in the region ``home``."""

    value: Node | TracedInt | Text
    shown: str
    home: Builder
    conversion: str = ""
    spec: str = ""
    percent: bool = False

    def unknown(self) -> str | None:
        """What it shows, if Python cannot have that number even at the price of a guard."""
        if isinstance(self.value, Text):
            return next(filter(None, (part.unknown() for part in self.value.values())), None)
        return None if isinstance(self.value, TracedInt) else self.shown

    def settled(self) -> str:
        """The text of its number."""
        value: Any = self.value
        return self.piece(()).text(value.settled() if isinstance(value, Text) else int(value))

    def piece(self, what: Whole | Written) -> Piece:
        """As a part of an effect of which ``what`` is the value."""
        return Piece(what, self.conversion, self.spec, self.percent)


Part: TypeAlias = "str | Value"


class Text:
    """A string with traced values in it.

    Errors, `print` and `warnings.warn` of the emitted code write it. Where Python itself needs to
    know it, sizes and integers give their numbers, as elsewhere; any other value is refused.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: Iterable[Part]) -> None:
        self.parts = tuple(parts)

    def settled(self, what: str = "this") -> str:
        """The string itself.

        Raises
        ------
        ConcretizationError
            There are values in it that are known only while the code runs.
        """
        for part in self.values():
            shown = part.unknown()
            if shown is not None:
                self._refuse(shown, what)
        return "".join(p if isinstance(p, str) else p.settled() for p in self.parts)

    def values(self) -> Iterator[Value]:
        """The values in it."""
        return (part for part in self.parts if isinstance(part, Value))

    def _refuse(self, shown: str, what: str) -> NoReturn:
        raise ConcretizationError(
            f"{what} needs the characters of a text that says the number of {shown}: they are "
            "known only while the code runs",
            current_span(),
            "such texts can be joined, printed, warned with, and raised in errors; keys and names "
            "must be known when tracing",
        )

    def __add__(self, other: Any) -> Any:
        return joined([self, other]) if isinstance(other, (str, Text)) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return joined([other, self]) if isinstance(other, str) else NotImplemented

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.settled(f"the method .{name}()"), name)


def _by_string(name: str) -> Callable[..., Any]:
    def method(self: Text, *args: Any) -> Any:
        given = [a.settled() if isinstance(a, Text) else a for a in args]
        return getattr(self.settled(), name)(*given)

    return method


for _name in ("str", "repr", "format", "hash", "len", "iter", "getitem", "contains", "mod"):
    setattr(Text, f"__{_name}__", _by_string(f"__{_name}__"))
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "mul", "rmul"):
    setattr(Text, f"__{_name}__", _by_string(f"__{_name}__"))


def joined(texts: Iterable[str | Text]) -> str | Text:
    """One after the other."""
    parts: list[Part] = []
    for text in texts:
        for part in text.parts if isinstance(text, Text) else (text,):
            if isinstance(part, str) and parts and isinstance(parts[-1], str):
                parts[-1] += part
            elif part != "":
                parts.append(part)
    if all(isinstance(part, str) for part in parts):
        return "".join(map(str, parts))
    return Text(parts)


def f_string(*texts: str | Text) -> str | Text:
    """An f-string of these parts."""
    return joined(texts)


def settled(value: Any, what: str = "this") -> Any:
    """A text as a string, anything else as it is."""
    return value.settled(what) if isinstance(value, Text) else value
