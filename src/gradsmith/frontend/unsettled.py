"""What a variable holds that has no one value after a branch or a loop: an error if it is used."""

from __future__ import annotations

from typing import Any, NoReturn

from gradsmith.errors import ControlFlowError
from gradsmith.frontend.spans import current_span

MISSING = "it has a value on some of the ways to this place only"


class Refusing:
    """A stand-in that refuses every use that Python or NumPy can make of it."""

    __slots__ = ()

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise the error."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__array__":
            raise AttributeError(name)
        self.refuse()


_OPERATORS = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "neg", "pos", "abs"),
    *("radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow", "rmatmul"),
    *("iadd", "isub", "imul", "itruediv", "lt", "le", "gt", "ge", "eq", "ne"),
    *("bool", "len", "iter", "getitem", "setitem", "call", "contains"),
    *("float", "int", "index", "hash", "array_ufunc"),
)
for _name in _OPERATORS:
    setattr(Refusing, f"__{_name}__", lambda self, *_, **__: self.refuse())


class Unsettled(Refusing):
    """Stands for the value of a variable; any use of it says why there is none."""

    __slots__ = ("name", "why")

    def __init__(self, name: str, why: str) -> None:
        self.name = name
        self.why = why

    @property
    def shown(self) -> str:
        """What messages call it."""
        return f"the variable {self.name!r}" if self.name.isidentifier() else self.name

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise the error."""
        raise ControlFlowError(
            f"{self.shown} is used, but {self.why}",
            current_span(),
            "give it a value of one type on every way that leads here",
        )

    def __repr__(self) -> str:
        return f"<{self.name}: {self.why}>"


def is_undefined(value: Any) -> bool:
    """Whether a variable has no value yet."""
    return isinstance(value, Unsettled) and value.why == MISSING
