"""``match``: whether a subject has the form of a pattern, asked as Python asks it.

Python's own statement would take the classes and attributes of what stands for values while
tracing. A pattern is a tuple: its kind, and what its kind has. Expressions in it are functions, as
Python evaluates them only where it comes to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from gradsmith.frontend.calling import call
from gradsmith.frontend.choices import compared, identical, truth
from gradsmith.frontend.classes import MISSING
from gradsmith.frontend.failures import is_refusal
from gradsmith.frontend.grown import element_of, is_grown, refuse
from gradsmith.frontend.stage import Scratch
from gradsmith.frontend.trace import handling
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Refusing
from gradsmith.frontend.value_guards import decide

Pattern: TypeAlias = "tuple[Any, ...]"
Names: TypeAlias = "dict[str, Any]"

_TEXTS = (str, bytes, bytearray)
_MATCH_SELF = 1 << 22
"""The flag (Py_TPFLAGS_MATCH_SELF) of classes whose one positional pattern is for the object."""


class Attribute(Protocol):
    """Reads ``owner.name`` as the traced function means it."""

    def __call__(self, owner: Any, name: str, /) -> Any:
        """The attribute."""


def matched(subject: Any, pattern: Pattern, attribute: Attribute) -> Names | None:
    """The variables that ``pattern`` sets where ``subject`` has its form; None where it has not.

    Every question is decided: the code is specialised on its answer where that is traced.
    """
    names: Names = {}
    return names if _Matching(names, attribute).fits(subject, pattern) else None


class _Matching:
    def __init__(self, names: Names, attribute: Attribute) -> None:
        self.names = names
        self.attribute = attribute

    def fits(self, subject: Any, pattern: Pattern) -> bool:
        """Whether the subject has this form; the variables are set on the way."""
        kind, *given = pattern
        method: Callable[..., bool] = getattr(self, kind)
        return method(subject, *given)

    def capture(self, subject: Any, inner: Pattern | None, name: str | None) -> bool:
        """``_``, ``name``, ``inner as name``."""
        if inner is not None and not self.fits(subject, inner):
            return False
        if name is not None:
            self.names[name] = subject
        return True

    def value(self, subject: Any, make: Callable[[], Any]) -> bool:
        """``3.0``, ``Kind.LINEAR``."""
        return decide(truth(compared(subject, "Eq", make())))

    def singleton(self, subject: Any, value: Any) -> bool:
        """``None``, ``True``, ``False``."""
        if isinstance(subject, Tracer) and type(value) is bool:
            of_python = call(isinstance, subject, bool)
            return bool(of_python) and decide(subject) is value
        return identical(subject, value) is True

    def either(self, subject: Any, *patterns: Pattern) -> bool:
        """``a | b``; what a pattern sets that does not fit is not set."""
        before = dict(self.names)
        for pattern in patterns:
            if self.fits(subject, pattern):
                return True
            self.names.clear()
            self.names.update(before)
        return False

    def sequence(
        self, subject: Any, patterns: Sequence[Pattern], star: int | None, rest: str | None
    ) -> bool:
        """``[a, *rest, b]``: ``star`` is the place of the starred name among the patterns."""
        if not _is(subject, Sequence) or _is(subject, _TEXTS):
            return False
        word, behind = ("Eq", 0) if star is None else ("GtE", len(patterns) - star)
        if not decide(truth(compared(call(len, subject), word, len(patterns)))):
            return False
        around = () if star is None else (star, behind)
        parts = _parts(subject, len(patterns), around)
        if star is not None:
            end = len(parts) - behind
            middle, parts = parts[star:end], [*parts[:star], *parts[end:]]
            if not self.capture(middle, None, rest):
                return False
        return self._all(parts, patterns)

    def mapping(
        self,
        subject: Any,
        keys: Sequence[Callable[[], Any]],
        patterns: Sequence[Pattern],
        rest: str | None,
    ) -> bool:
        """``{"key": a, **rest}``."""
        if not _is(subject, Mapping):
            return False
        made = [key() for key in keys]
        get = self.attribute(subject, "get") if made else None
        parts = []
        for key in made:
            parts.append(call(get, key, MISSING))
            if parts[-1] is MISSING:
                return False
        if not self._all(parts, patterns):
            return False
        return rest is None or self._rest(subject, made, rest)

    def _rest(self, subject: Any, keys: Sequence[Any], name: str) -> bool:
        rest = call(dict, subject)
        for key in keys:
            del rest[key]
        return self.capture(rest, None, name)

    def of_class(
        self,
        subject: Any,
        find: Callable[[], Any],
        patterns: Sequence[Pattern],
        names: Sequence[str],
        named: Sequence[Pattern],
    ) -> bool:
        """``Point(a, y=b)``."""
        cls = find()
        if not isinstance(cls, type) and not hasattr(cls, "__origin__"):
            raise TypeError("called match pattern must be a class")
        if not _is(subject, cls):
            return False
        if len(patterns) == 1 and _matches_itself(cls):
            return self.fits(subject, patterns[0]) and self._attributes(subject, names, named)
        positional = _positional(cls, len(patterns))
        return self._attributes(subject, [*positional, *names], [*patterns, *named])

    def _attributes(self, subject: Any, names: Sequence[str], patterns: Sequence[Pattern]) -> bool:
        """Python reads all of them before it asks any."""
        parts = []
        for name in names:
            try:
                with handling():
                    parts.append(self.attribute(subject, name))
            except AttributeError as error:
                if is_refusal(error):
                    raise
                return False
        return self._all(parts, patterns)

    def _all(self, parts: Sequence[Any], patterns: Sequence[Pattern]) -> bool:
        return all(map(self.fits, parts, patterns))


def _is(subject: Any, classes: Any) -> bool:
    """``isinstance(subject, classes)``."""
    if isinstance(subject, Refusing):
        subject.refuse()
    return decide(truth(call(isinstance, subject, classes)))


def _parts(subject: Any, count: int, around: tuple[int, ...]) -> list[Any]:
    """What Python takes a sequence apart into, for ``count`` patterns."""
    if is_grown(subject) and not around:
        return [element_of(subject, place) for place in range(count)]
    if is_grown(subject):
        refuse(subject)
    return list(Scratch().unpacked(subject, *around))


def _matches_itself(cls: type) -> bool:
    return bool(cls.__flags__ & _MATCH_SELF) and not hasattr(cls, "__match_args__")


def _positional(cls: type, count: int) -> tuple[str, ...]:
    """The names of the attributes that ``count`` positional patterns are for.

    Raises
    ------
    TypeError
        The class has fewer, as Python says it.
    """
    allowed = getattr(cls, "__match_args__", ())
    if count > len(allowed):
        most = 1 if _matches_itself(cls) else len(allowed)
        plural = "" if most == 1 else "s"
        raise TypeError(
            f"{cls.__name__}() accepts {most} positional sub-pattern{plural} ({count} given)"
        )
    return tuple(allowed[:count])
