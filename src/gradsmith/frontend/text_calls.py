"""Calls that make texts of traced values, or take them."""

from __future__ import annotations

import collections
import functools
import itertools
import operator
import re
import types
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from gradsmith.frontend import protocols
from gradsmith.frontend.container_calls import UNBOUND
from gradsmith.frontend.foreign import is_library, is_of_error
from gradsmith.frontend.showing import printed, warned
from gradsmith.frontend.text import STAND_INS, Text, settled, used
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.unsettled import Refusing
from gradsmith.frontend.writing import by_format, by_format_map, by_join, formatted

Call: TypeAlias = Callable[..., Any]

_HOLDING = (list, dict, tuple, set, collections.deque)


def _string(call: Call, *args: Any, **named: Any) -> Any:
    values = [*args, *named.values()]
    if len(values) == 1 and (args or "object" in named):
        return formatted(call, values[0], "s", "")
    return str(*map(settled, args), **{key: settled(value) for key, value in named.items()})


WRITING: dict[Any, Callable[..., Any]] = {
    str: _string,
    repr: lambda call, value: formatted(call, value, "r", ""),
    ascii: lambda call, value: formatted(call, value, "a", ""),
    format: lambda call, value, spec="": formatted(call, value, "", spec),
    print: lambda call, *args, **options: printed(call, args, options),
    warnings.warn: warned,
    str.format: lambda call, template, *args, **named: by_format(call, template, args, named),
    str.format_map: by_format_map,
    str.join: lambda call, separator, texts: by_join(separator, protocols.unpacked(texts)),
}
"""What these mean: ``meaning(call, *args, **kwargs)``."""

_KNOWN_HERE = (isinstance, callable, type, dir, print, str, repr, ascii, format)


def text_meaning(
    call: Call, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Call | None:
    """What a call means that has to do with texts; None for all others."""
    owner = getattr(function, "__self__", None)
    bound: tuple[Any, ...] = ()
    if isinstance(function, types.BuiltinMethodType) and isinstance(owner, str):
        function, bound = getattr(str, function.__name__, function), (owner,)
    try:
        meaning = WRITING.get(function)
    except TypeError:  # not hashable
        meaning = None
    if meaning is None and _substitutes(function, owner, args):
        return functools.partial(_substituted, call, owner)
    if meaning is not None and _applies(function, args, kwargs):
        for argument in args:
            if isinstance(argument, Refusing):  # print(*values) of the rows of an array
                argument.refuse()
        return functools.partial(meaning, call, *bound)
    if _writes_itself(function, owner):
        return functools.partial(_by_method, call, owner, function)
    if isinstance(function, types.MethodType) and isinstance(owner, Text):
        return function
    texts = [a for a in (*args, *kwargs.values()) if isinstance(a, Text)]
    if not texts and _of_texts(function, args):
        return lambda *lists, **named: call(function, *map(_strings, lists), **named)
    if texts and isinstance(owner, BaseException) and function.__name__ == "add_note":
        return lambda note: function(note.settled())  # C code takes strings alone
    if not texts or function in _KNOWN_HERE or _only_holds(function, owner):
        return None
    return functools.partial(_with_strings, call, function, *bound)


def _substitutes(function: Any, owner: Any, args: Sequence[Any]) -> bool:
    """Whether it is ``re.sub``, or the method of a pattern, with a function that makes texts."""
    method = isinstance(owner, re.Pattern) and function.__name__ == "sub"
    if current_trace() is None or not (method or function is re.sub):
        return False
    if any(isinstance(argument, bytes) for argument in args):
        return False
    place = 0 if method else 1
    return len(args) > place and isinstance(args[place], (types.FunctionType, types.MethodType))


def _substituted(call: Call, owner: Any, *args: Any, **kwargs: Any) -> Any:
    """``re.sub(pattern, make, string)``: ``make`` may give texts of traced values."""
    if owner is None:
        pattern, *given, flags = _of_sub(*args, **kwargs)
        return _substituted(call, re.compile(used(pattern), flags), *given)
    make, string, count = _of_pattern(*args, **kwargs)
    string, found, end = used(string), [], 0
    for match in itertools.islice(owner.finditer(string), count or None):
        before, made = string[end : match.start()], call(make, match)
        found += [before] if before else []
        found += [] if made is None else [made]
        end = match.end()
    return by_join("", [*found, string[end:]])


def _of_sub(
    pattern: Any, repl: Any, string: Any, count: int = 0, flags: int = 0
) -> tuple[Any, Any, Any, int, int]:
    return pattern, repl, string, count, flags


def _of_pattern(repl: Any, string: Any, count: int = 0) -> tuple[Any, Any, int]:
    return repl, string, count


_LATE = (list, tuple, dict, *STAND_INS)
_WRITTEN = {"__str__": "s", "__repr__": "r", "__format__": ""}


def _writes_itself(function: Any, owner: Any) -> bool:
    """Whether it is a method that makes a text of an object which has it from Python."""
    kinds: Any = (types.MethodWrapperType, types.BuiltinMethodType)
    if isinstance(owner, STAND_INS):
        kinds = (*kinds, types.MethodType)
    return isinstance(function, kinds) and function.__name__ in _WRITTEN


def _by_method(call: Call, owner: Any, method: Any, *args: Any) -> Any:
    """``value.__repr__()``, where Python cannot write the value."""
    name = method.__name__
    fits = len(args) == (name == "__format__")
    if current_trace() is None or not fits or not isinstance(owner, _LATE):
        return method(*args)
    return formatted(call, owner, _WRITTEN[name], *(args or ("",)))


def _of_texts(function: Any, args: Sequence[Any]) -> bool:
    """Whether a function of NumPy's makes an array of a list of texts."""
    lists = [a for a in args if type(a) in (list, tuple)]
    if not lists or not str(getattr(function, "__module__", "")).startswith("numpy"):
        return False
    return any(_of_texts(function, a) or any(isinstance(b, Text) for b in a) for a in lists)


def _strings(value: Any) -> Any:
    """A text, or a list of such, as strings."""
    return type(value)(map(_strings, value)) if type(value) in (list, tuple) else used(value)


def _with_strings(call: Call, function: Any, *args: Any, **kwargs: Any) -> Any:
    """The call with strings for texts; ``str.strip(text)`` is that of the text."""
    named = {key: used(a) for key, a in kwargs.items()}
    given = [used(a) for a in args]
    if isinstance(function, UNBOUND) and function.__objclass__ is str and given:
        function = getattr(given.pop(0), function.__name__)
    return call(function, *given, **named)


def _applies(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    if current_trace() is None:
        return False
    effect = function in (print, warnings.warn)
    return effect or not all(map(_is_plain, (*args, *kwargs.values())))


def _is_plain(value: Any) -> bool:
    """Whether Python can write it when tracing, for good."""
    return type(value) in (str, int, float, complex, bool, type(None))


_CALLING = (functools.partial, operator.attrgetter, operator.methodcaller)


def _only_holds(function: Any, owner: Any) -> bool:
    """Whether it passes its arguments on, or keeps them."""
    if isinstance(function, types.MethodType):
        function = function.__func__
    if isinstance(function, types.FunctionType):
        return not is_library(function)
    held = isinstance(function, _CALLING) or isinstance(owner, _HOLDING)
    if held or is_of_error(function):
        return True
    if isinstance(function, type):
        return issubclass(function, (BaseException, *_HOLDING)) or not _is_libraries(function)
    return False


def _is_libraries(cls: type) -> bool:
    return cls.__module__.split(".")[0] in ("builtins", "numpy", "pathlib", "decimal", "fractions")
