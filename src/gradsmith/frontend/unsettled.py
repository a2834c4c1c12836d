"""What a variable holds that has no one value after a branch or a loop: an error if it is used."""

from __future__ import annotations

from typing import Any, NoReturn

from gradsmith.errors import ControlFlowError
from gradsmith.frontend.spans import current_span


MISSING = "it has a value on some of the ways to this place only"


class Unsettled:
    """Stands for the value of a variable; any use of it says why there is none."""

    __slots__ = ("name", "why")

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self.why = why

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise the error."""
        raise ControlFlowError(
            f"the variable {self.name!r} is used, but {self.why}",
            current_span(),
            "give it a value of one type on every way that leads here",
        )

    def __repr__(self) -> str:
        return f"<{self.name}: {self.why}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__array__":
            raise AttributeError(name)
        self.refuse()


def is_undefined(value: Any) -> bool:
    """Whether a variable has no value yet."""
    return isinstance(value, Unsettled) and value.why == MISSING


for _name in (
    "add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow matmul "
    "rmatmul iadd isub imul itruediv neg pos abs lt le gt ge eq ne bool len iter getitem setitem "
    "call float int index contains hash array_ufunc"
).split():
    setattr(Unsettled, f"__{_name}__", Unsettled.refuse)
