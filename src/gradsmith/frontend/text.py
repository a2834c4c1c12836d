"""Texts of traced values: known while the emitted code runs, and only there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from gradsmith.frontend.hashed import Hashed
from gradsmith.frontend.stand_ins import stands_for
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
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


@stands_for("str")
class Text(Hashed):
    """A string with traced values in it.

    Errors, `print` and `warnings.warn` of the emitted code write it. Where Python itself needs to
    know it, the code is specialised: on the numbers of sizes and integers where there are no other
    values in it, else on the string.
    """

    __slots__ = ("parts",)

    string: ClassVar[Callable[[Text], Any]]
    """The text as an object of the emitted code: see `gradsmith.frontend.text_values`."""
    characters: ClassVar[Callable[[Text], str]]
    """The present string, on which the code is specialised."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self.parts = tuple(parts)

    def settled(self) -> str:
        """The string itself."""
        if any(part.unknown() is not None for part in self.values()):
            return Text.characters(self)
        return "".join(p if isinstance(p, str) else p.settled() for p in self.parts)

    def used(self) -> Any:
        """The string for an operation: the emitted code does it where values are not known."""
        known = all(part.unknown() is None for part in self.values())
        return self.settled() if known else Text.string(self)

    def values(self) -> Iterator[Value]:
        """The values in it."""
        return (part for part in self.parts if isinstance(part, Value))

    def __add__(self, other: Any) -> Any:
        return joined([self, other]) if isinstance(other, (str, Text)) else self.used() + other

    def __radd__(self, other: Any) -> Any:
        return joined([other, self]) if isinstance(other, str) else other + self.used()

    def __hash__(self) -> int:
        self.hashed = self.settled()
        return hash(self.hashed)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in Hashed.__slots__:
            raise AttributeError(name)
        return getattr(self.used(), name)


def _by_string(name: str) -> Callable[..., Any]:
    def method(self: Text, *args: Any) -> Any:
        given = [a.used() if isinstance(a, Text) else a for a in args]
        string = self.used()
        return getattr(type(string), name)(string, *given)

    method.__name__ = name
    return method


def _repeated(self: Text, count: Any) -> Any:
    return self.used() * count


def _repeated_by(self: Text, count: Any) -> Any:
    return count * self.used()


for _name in ("str", "repr", "format", "len", "iter", "getitem", "contains", "mod"):
    setattr(Text, f"__{_name}__", _by_string(f"__{_name}__"))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Text, f"__{_name}__", _by_string(f"__{_name}__"))
for _name, _method in {"mul": _repeated, "rmul": _repeated_by}.items():
    setattr(Text, f"__{_name}__", _method)


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


def settled(value: Any) -> Any:
    """A text as a string, anything else as it is."""
    return value.settled() if isinstance(value, Text) else value


def used(value: Any) -> Any:
    """A text as a string that may be one of the emitted code, anything else as it is."""
    return value.used() if isinstance(value, Text) else value


STAND_INS = (Tracer, TracedInt, Text)
"""What stands for a number, an array or a text."""
