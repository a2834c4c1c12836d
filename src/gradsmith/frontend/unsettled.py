"""What a variable holds that has no one value after a branch or a loop, or perhaps none at all."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from types import CodeType
from typing import Any, NoReturn

from gradsmith.errors import ControlFlowError, Span
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stand_ins import stands_for
from gradsmith.ir.builder import Builder
from gradsmith.ir.graph import Node
from gradsmith.ir.types import ArrayType

MISSING = "it has a value on some of the ways to this place only"
NONE_OR_VALUE = "it is None on some of the ways to this place only"
_WORDS = "cannot access {} variable {!r} where it is not associated with a value"
if sys.version_info < (3, 11):
    _WORDS = "{} variable {!r} referenced before assignment"


def no_value(name: str, *, outside: bool) -> NameError:
    """Python's error, in the words of this version, about a variable that has no value."""
    if outside:
        return NameError(_WORDS.format("free", name) + " in enclosing scope", name=name)
    return UnboundLocalError(_WORDS.format("local", name))


OWN = "__gs_"
"""What the names of variables begin with that staging adds: they are set where they are read."""
RESULT = f"{OWN}result"
"""What a function returns, until it does."""


class AbandonedError(ControlFlowError):
    """The way that is being run always ends here, in an error that the emitted code raises.

    ``error`` is that error, if it is the same whatever else decides.
    """

    error: Exception | None = None
    way: Builder | None = None
    """The region that ends so, and not one around it."""

    @classmethod
    def by(cls, error: NameError, name: str, way: Builder | None) -> AbandonedError:
        """The end of a way by this error about a variable."""
        made = cls(
            f"the variable {name!r} is used in this loop, but has no value when its first trip "
            "begins",
            current_span(),
            "give it a value before the loop",
        )
        made.error, made.way = error, way
        return made

    @classmethod
    def at(cls, error: Exception, way: Builder) -> AbandonedError:
        """The end of a path by an error that has been left to the emitted code."""
        made = cls(f"this always raises {type(error).__name__}", current_span())
        made.error, made.way = error, way
        return made

    def ends(self, way: Builder) -> bool:
        """Whether it is this region that it ends; else the error stands."""
        return self.way is way


class UndecidedError(ControlFlowError):
    """A branch or loop cannot be one of the graph: it is to be decided by the present values.

    ``site`` is where it stands; the function is traced anew, and goes there the way that the
    present values go, which the emitted code checks.
    """

    site: Span | None = None

    @classmethod
    def at(cls, site: Span | None, message: str, hint: str) -> UndecidedError:
        """The error about the branch at ``site``, shown where Python is now."""
        made = cls(message, current_span(), hint)
        made.site = site
        return made

    @classmethod
    def because(cls, error: ControlFlowError, site: Span | None) -> UndecidedError:
        """The same where ``error`` says why."""
        made = cls(error.message, error.span, error.hint)
        made.site = site
        return made

    def refusal(self) -> ControlFlowError:
        """The error to show where deciding it is of no avail."""
        return ControlFlowError(self.message, self.span, self.hint)


@dataclass(frozen=True, slots=True)
class Cause:
    """The branch or loop on whose path it depends which of several objects a value is."""

    site: Span | None
    loop: Span | None = None
    """The same, if it is a loop: it may have to be written out."""

    def error(self, message: str, hint: str) -> UndecidedError:
        """Asks for another trace, in which the present values decide."""
        made = UndecidedError.at(self.site, message, hint)
        made.loop = self.loop
        return made


UNKNOWN = Cause(None)
"""The layout of an array in memory, or what only NumPy knows: no path decides."""


@stands_for("value")
class Refusing:
    """A stand-in that refuses every use that Python or NumPy can make of it."""

    __slots__ = ()

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise the error."""
        raise NotImplementedError

    def stacked(self, values: Sequence[Any]) -> Any:
        """The array that a list or tuple of ``values`` is to NumPy, this being one of them."""
        self.refuse(values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__array__":
            raise AttributeError(name)
        self.refuse()


_OPERATORS = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "neg", "pos", "abs"),
    *("and", "or", "xor", "lshift", "rshift", "divmod", "pos", "invert"),
    *("rand", "ror", "rxor", "rlshift", "rrshift", "rdivmod"),
    *("radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow", "rmatmul"),
    *("iadd", "isub", "imul", "itruediv", "lt", "le", "gt", "ge", "eq", "ne"),
    *("bool", "len", "iter", "getitem", "setitem", "call", "contains"),
    *("float", "int", "index", "hash", "array_ufunc"),
)
for _name in _OPERATORS:
    setattr(Refusing, f"__{_name}__", lambda self, *_, **__: self.refuse())


class Need(Enum):
    """What is done with a stacked list that its arrays have to be made for."""

    REPLACED = "this replaces an element of a list that a loop makes"
    """Arrays take the place of others, ``hs[i] = h``: see `frontend.stored_rows`."""
    MIXED = "this stores a number of another class in a list that a loop makes"
    """Its numbers are of several types, also those that are read before the store."""
    BOXED = "the class is observed of a number in a list that a loop makes"
    """Its numbers keep the class that Python gives them: see `frontend.number_kinds`."""


@dataclass(frozen=True, slots=True)
class Learned:
    """What the errors of earlier traces of a function have shown, for the next trace."""

    decided: frozenset[Span] = frozenset()
    """Branches, loops and conversions to integers that the present values decide."""
    asked_ahead: frozenset[Span] = frozenset()
    """The ``while`` loops that ask their condition at the end of an iteration, for the next."""
    first_apart: frozenset[Span] = frozenset()
    """The loops of which the first iteration is made by itself, if there is any."""
    cached_in_dicts: frozenset[CodeType] = frozenset()
    """The code of the cached functions whose results are entries of a dict."""
    needs: Mapping[Need, frozenset[Span]] = field(default_factory=dict)
    """The loops that make stacked lists with such needs."""
    stored: Mapping[Span, tuple[ArrayType, ...]] = field(default_factory=dict)
    """Of which types numbers are that are stored in the lists that such a loop makes."""
    optional: frozenset[str] = frozenset()
    """The names of variables that are None on some paths only, and of attributes, with a dot
    (`frontend.optional`)."""

    def with_decided(self, sites: frozenset[Span]) -> Learned:
        """The same, the present values deciding at these places, too."""
        return replace(self, decided=self.decided | sites)


class TracedAnewError(ControlFlowError):
    """The function is traced anew with what this error has shown; no loop handles it."""

    def added_to(self, learned: Learned) -> Learned:
        """What is known for the next trace, by this error and those before it."""
        raise NotImplementedError


class AskedAheadError(TracedAnewError):
    """Asking the condition of the ``while`` at ``site`` changes something.

    A loop of the graph asks in a region of its own, and what changes when it asks for the last
    time would be lost. The function is traced anew, and this loop asks before it begins and at the
    end of each iteration, as ``go = test; while go: ...; go = test`` does.
    """

    def __init__(self, site: Span) -> None:
        super().__init__("asking the condition of this loop changes something", site)
        self.site = site

    def added_to(self, learned: Learned) -> Learned:
        """The loop asks ahead."""
        return replace(learned, asked_ahead=learned.asked_ahead | {self.site})


class CachedStateError(TracedAnewError):
    """What the cached function with this code returns or does depends on which of its calls is the
    first, and a branch or loop may make that.

    The function is traced anew, and the results are entries of a dict that branches and loops know
    like one of the user's.
    """

    def __init__(self, name: str, code: CodeType, span: Span | None) -> None:
        super().__init__(
            f"{name} keeps its results, and a branch or loop decides which call is the first",
            span,
        )
        self.code = code

    def added_to(self, learned: Learned) -> Learned:
        """The results of the function are entries of a dict."""
        return replace(learned, cached_in_dicts=learned.cached_in_dicts | {self.code})


class OptionalError(TracedAnewError):
    """The variables of this name, or with a dot the attributes, are None on some of the paths to
    a place only.

    The function is traced anew, with flags that tell which have a value (`frontend.optional`).
    """

    def __init__(self, name: str, span: Span | None) -> None:
        super().__init__(f"{name.lstrip('.')!r} is used, but {NONE_OR_VALUE}", span)
        self.name = name

    def added_to(self, learned: Learned) -> Learned:
        """Those of this name may be None."""
        return replace(learned, optional=learned.optional | {self.name})


class FirstTripError(TracedAnewError):
    """Only whether the loop at ``site`` makes a trip tells whether a variable holds what it held
    before.

    The function is traced anew, and the first iteration is made by itself, or not, as the present
    values decide.
    """

    def __init__(self, name: str, site: Span) -> None:
        super().__init__(f"{name} is set in this loop alone, or something else before it", site)
        self.site = site

    def added_to(self, learned: Learned) -> Learned:
        """The first iteration of the loop is made by itself."""
        return replace(learned, first_apart=learned.first_apart | {self.site})


class StackedListError(TracedAnewError):
    """The stacked lists that the loops at ``sites`` make have this need, in the next trace."""

    def __init__(
        self,
        need: Need,
        sites: frozenset[Span],
        span: Span | None,
        types: tuple[ArrayType, ...] = (),
    ) -> None:
        super().__init__(need.value, span)
        self.need, self.sites, self.types = need, sites, types

    def added_to(self, learned: Learned) -> Learned:
        """The lists of the loops have the need, and numbers of these types are stored."""
        known = learned.stored
        types = {s: tuple(dict.fromkeys((*known.get(s, ()), *self.types))) for s in self.sites}
        sites = learned.needs.get(self.need, frozenset()) | self.sites
        needs = {**learned.needs, self.need: sites}
        return replace(learned, needs=needs, stored={**known, **types})


@stands_for("value")
class Unsettled(Refusing):
    """Stands for the value of a variable; any use of it says why there is none."""

    __slots__ = ("loop", "name", "site", "why")

    def __init__(
        self, name: str, why: str, loop: Span | None = None, site: Span | None = None
    ) -> None:
        self.name = name
        self.why = why
        self.loop = loop
        """The loop that leaves it without a value, if it is one."""
        self.site = site or loop
        """The branch or loop that does."""

    @property
    def shown(self) -> str:
        """What messages call it."""
        return f"the variable {self.name!r}" if self.name.isidentifier() else self.name

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise the error."""
        error = UndecidedError.at(
            self.site,
            f"{self.shown} is used, but {self.why}",
            "give it a value of one type on every way that leads here",
        )
        error.loop = self.loop
        raise error

    def __repr__(self) -> str:
        return f"<{self.name}: {self.why}>"


def is_undefined(value: Any) -> bool:
    """Whether a variable has no value yet."""
    return isinstance(value, Unsettled) and value.why == MISSING


def is_none_or_value(value: Any) -> bool:
    """Whether a variable is None on one path to this place and holds a value on another."""
    return isinstance(value, Unsettled) and value.why == NONE_OR_VALUE


@stands_for("value")
class SetByTrips(Unsettled):
    """Stands for what a variable holds after a loop: of another kind if there was no trip."""

    __slots__ = ()

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Ask for another trace."""
        if self.loop is None:
            super().refuse()
        raise FirstTripError(self.shown, self.loop)


@stands_for("value")
class Perhaps(Refusing):
    """Stands for the value of a variable that is not set on every way to this place.

    Staged code asks where it reads the variable. ``present`` tells whether it is set: a traced
    truth value, or what will be one if it is asked (`AnyTrip`, `NotFirst`).
    """

    def __init__(self, name: str, value: Any, present: Any) -> None:
        self.name = name
        self.value = value
        self.present = present
        self.because: list[tuple[Node, bool]] = []
        """Conditions that say, with this truth, that it is set."""

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise the error."""
        raise ControlFlowError(
            f"the variable {self.name!r} is used where gradsmith does not see it, but {MISSING}",
            current_span(),
            "give it a value on every way that leads here",
        )

    def __repr__(self) -> str:
        return f"<{self.name}: {MISSING}>"


@stands_for("value")
class MaybeUnset(Perhaps):
    """Stands in an object for an attribute that is not set on every path to this place.

    Reading the attribute asks (`frontend.maybe_unset`). Any use of this object itself asks for a
    trace in which the branch or loop that is the ``cause`` is decided.
    """

    def __init__(self, name: str, value: Any, present: Any, cause: Cause) -> None:
        super().__init__(name, value, present)
        self.cause = cause

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise the error."""
        raise self.cause.error(
            f"the attribute {self.name!r} is used, but {MISSING}",
            "set it on every path that leads here",
        )

    def unknown(self) -> MaybeUnset:
        """Stands for it where it is not even known what tells whether it is set."""
        held = Unsettled(self.name, "it may not be set", self.cause.loop, self.cause.site)
        return MaybeUnset(self.name, held, held, self.cause)


@stands_for("value")
class MaybeNone(MaybeUnset):
    """Stands in an object for an attribute that is None on some of the paths to this place."""

    def refuse(self, *_: Any, **__: Any) -> NoReturn:
        """Raise the error."""
        raise self.cause.error(
            f"the attribute {self.name!r} is used, but {NONE_OR_VALUE}",
            "set it on every path that leads here",
        )

    def unknown(self) -> MaybeUnset:
        """Stands for it where it is not even known what tells whether it is None."""
        held = Unsettled(self.name, NONE_OR_VALUE, self.cause.loop, self.cause.site)
        return MaybeNone(self.name, held, held, self.cause)
