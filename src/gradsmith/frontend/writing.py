"""Formatting, where traced values may be in it: f-strings, ``%``, `str.format`, `str`, `repr`."""

from __future__ import annotations

import dataclasses
import operator
import re
import string
import types
from _string import formatter_field_name_split  # type: ignore[import-not-found]
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gradsmith import tree
from gradsmith.errors import UnsupportedError
from gradsmith.frontend import protocols
from gradsmith.frontend.arguments import argument_behind
from gradsmith.frontend.classes import class_attribute, is_instance, is_own_number, special
from gradsmith.frontend.dispatch import is_traced
from gradsmith.frontend.exact_type import AS_FLOATS, check_text, exact_type, of_class
from gradsmith.frontend.foreign import is_library
from gradsmith.frontend.grown import is_grown, refuse
from gradsmith.frontend.messages import TRACED, class_name, no_text, shown
from gradsmith.frontend.opaque import as_text
from gradsmith.frontend.refusals_in_c import with_refusals
from gradsmith.frontend.spans import current_span, in_users_name
from gradsmith.frontend.text import Text, Value, joined, settled
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Refusing, Unsettled
from gradsmith.ir import dims
from gradsmith.ir.types import class_of_values
from gradsmith.ops.raising import error_of, is_unbounded, may_exceed_floats

Call: TypeAlias = Callable[..., Any]
_CONVERSIONS: dict[str, Call] = {"s": str, "r": repr, "a": ascii}


def formatted(call: Call, value: Any, conversion: str, spec: Any) -> str | Text:
    """``f"{value!conversion:spec}"``; ``call`` calls functions of the user's as traced ones."""
    spec = settled(spec)
    if isinstance(value, Unsettled):
        value.refuse()
    if is_grown(value):  # its elements are written one by one
        refuse(value)
    if isinstance(value, (Tracer, TracedInt)):
        return _of_traced(value, conversion=conversion, spec=spec)
    if isinstance(value, Text):
        plain = not spec and conversion in ("", "s")
        return value if plain else _of_text(value, conversion=conversion, spec=spec)
    made = _of_object(call, value, conversion, spec)
    if made is not None:
        return made
    written = _CONVERSIONS[conversion](value) if conversion else value
    text = format(written, spec)
    if TRACED in text:  # C code has written a traced value that the object holds
        raise no_text(value)
    return text


def _of_text(value: Text, spec: str, conversion: str = "", percent: bool = False) -> str | Text:
    if percent and spec.endswith("c"):  # of one character
        return spec % (value.settled(),)
    _write("0", spec, percent)
    first = next(value.values())
    return Text([Value(value, first.shown, first.home, conversion, spec, percent)])


def _of_traced(value: Any, **how: Any) -> Text:
    trace = current_trace()
    if trace is None:
        raise UnsupportedError(
            "a traced value is written outside the run of its function",
            current_span(),
            "write it in the function itself: not in another thread, and not later",
        )
    behind = argument_behind(trace, value)
    if is_own_number(behind):
        raise UnsupportedError(
            f"the text of a {type(behind).__name__}, a number of a class of the user's",
            current_span(),
            "write the plain number: int(n), float(x)",
        )
    if isinstance(value, Tracer):
        conversion, spec = how.get("conversion"), how["spec"]
        by_class = conversion in ("r", "a") or spec[-1:] in ("r", "a")
        check_text(value, by_class=by_class, spec="" if conversion else spec)
    elif not how["spec"]:
        how["conversion"] = ""  # an integer is written alike
    if how["spec"]:
        _check_format(value, **how)
    kept = value.node if isinstance(value, Tracer) else value
    text = Text([Value(kept, shown(value), trace.builder, **how)])
    if trace.trying and _may_fail(value, **how):
        return as_text(Text.string(text))  # the emitted code writes it here
    return text


def _may_fail(value: Any, spec: str, conversion: str = "", percent: bool = False) -> bool:
    """Whether there are numbers of its class that have no such format: floats that are not finite
    as integers, integers that are no characters, or larger than all floats.
    """
    kind = "" if conversion else spec[-1:]
    inexact = isinstance(value, Tracer) and value.type.inexact
    large = kind in AS_FLOATS and _may_exceed_floats(value)
    if percent and inexact:
        return large or kind in _INTEGERS
    return large or (not inexact and kind == "c")


def _may_exceed_floats(value: Any) -> bool:
    if isinstance(value, Tracer):
        return may_exceed_floats(value.node)
    return isinstance(value, TracedInt) and any(map(is_unbounded, dims.symbols(value.dim)))


_INTEGERS = frozenset("diu")


def _check_format(value: Any, spec: str, conversion: str = "", percent: bool = False) -> None:
    """Raise Python's error where the class of a value has no such format, as it does before the
    text is used.
    """
    if conversion or isinstance(value, TracedInt):
        _write("" if conversion else 0, spec, percent)
    elif value.type.form == "array":
        _write(np.zeros((1,) * value.ndim, value.dtype), spec, percent)
    elif not of_class(
        value, lambda kind: error_of(lambda: _write(kind(0), spec, percent)) is None
    ):
        _write(class_of_values(exact_type(value))(0), spec, percent)


def _is_written(kind: type, spec: str, percent: bool) -> bool:
    return error_of(lambda: _write(kind(0), spec, percent)) is None


@in_users_name
def _write(example: Any, spec: str, percent: bool) -> None:
    spec % (example,) if percent else format(example, spec)


def _of_object(call: Call, value: Any, conversion: str, spec: str) -> str | Text | None:
    """What holds traced values, or writes itself by a function of the user's; else None."""
    names = {"r": ["__repr__"], "a": ["__repr__"], "s": ["__str__", "__repr__"]}
    for name in names.get(conversion, ["__format__", "__str__", "__repr__"]):
        method = _looked_up(value, name)
        if isinstance(method, types.FunctionType) and _is_the_users(method):
            made = call(method, value, *([spec] if name == "__format__" else []))
            _check_text(
                "__str__" if name == "__repr__" and conversion not in ("r", "a") else name, made
            )
            again = name == "__format__" or (not spec and conversion != "a")
            return made if again else formatted(call, made, "s", spec)
        if method is not getattr(object, name):
            break
    if isinstance(value, BaseException) and any(map(_is_late, value.args)):
        return formatted(call, _of_error(call, value, conversion), "s", spec)
    if not (tree.is_container(value) and _holds_late(value)):
        return None
    if spec and not conversion:
        object.__format__(value, spec)  # which Python refuses as well
    return formatted(call, _of_container(call, value), "", spec)


@in_users_name
def _check_text(name: str, made: Any) -> None:
    """Raise Python's error where such a method gives no text."""
    if isinstance(made, (str, Text, Refusing)):
        return
    kind = class_name(made) if isinstance(made, (Tracer, TracedInt)) else type(made).__name__
    if name == "__format__":
        raise TypeError(f"__format__ must return a str, not {kind}")
    raise TypeError(f"{name} returned non-string (type {kind})")


def _looked_up(value: Any, name: str) -> Any:
    """What its class has under this name: the next call must find the same."""
    if is_instance(value):
        class_attribute(type(value), name)
    return getattr(type(value), name, None)


def _of_error(call: Call, error: BaseException, conversion: str) -> str | Text:
    """The `str` of an error, or its `repr`."""
    if conversion in ("r", "a"):
        args = [formatted(call, part, "r", "") for part in error.args]
        return _listed(f"{type(error).__name__}(", args, ")")
    if type(error).__str__ not in (BaseException.__str__, KeyError.__str__):
        raise UnsupportedError(
            f"the text of a {type(error).__name__} with traced values in it is not supported",
            current_span(),
            "write what it is to say with an f-string",
        )
    if len(error.args) > 1:
        return formatted(call, error.args, "s", "")
    return formatted(call, error.args[0], "r" if isinstance(error, KeyError) else "s", "")


def _is_late(value: Any) -> bool:
    """Whether Python cannot write it when tracing."""
    if is_grown(value):
        return True
    if tree.is_container(value):
        return _holds_late(value)
    if isinstance(value, BaseException) and any(map(_is_late, value.args)):
        return True
    methods = [_looked_up(value, name) for name in ("__repr__", "__str__", "__format__")]
    own = any(isinstance(m, types.FunctionType) and _is_the_users(m) for m in methods)
    return own or isinstance(value, Unsettled) or is_traced(value)


def _holds_late(container: Any) -> bool:
    keys = container if isinstance(container, dict) else ()
    return any(map(_is_late, (*keys, *tree.parts(container)[2])))


def _is_the_users(method: types.FunctionType) -> bool:
    generated = method.__code__.co_filename.startswith("<") or hasattr(method, "__wrapped__")
    return not (generated or is_library(method))


def _of_container(call: Call, value: Any) -> str | Text:
    """The `repr` of a list, tuple, dict, deque, named tuple or dataclass."""
    kind, keys, parts = type(value), *tree.parts(value)[1:]
    if dataclasses.is_dataclass(value) and getattr(kind, "__dataclass_params__").repr:  # noqa: B009
        shown = [field.name for field in dataclasses.fields(value) if field.repr]
        named = [(name, getattr(value, name)) for name in shown]
        return _with_names(call, kind.__qualname__, named)
    if tree.is_namedtuple(value):
        return _with_names(call, kind.__name__, list(zip(value._fields, value, strict=True)))
    if kind not in (dict, list, tuple, deque):
        raise UnsupportedError(
            f"the text of a {kind.__name__} with traced values in it is not supported",
            current_span(),
            "write its values one by one",
        )
    values = [formatted(call, part, "r", "") for part in parts]
    if kind is dict:
        pairs = zip([formatted(call, key, "r", "") for key in keys], values, strict=True)
        return _listed("{", [joined([key, ": ", text]) for key, text in pairs], "}")
    if kind is list:
        return _listed("[", values, "]")
    if isinstance(value, deque):
        most = "" if value.maxlen is None else f", maxlen={value.maxlen}"
        return _listed("deque([", values, f"]{most})")
    return _listed("(", values, ",)" if len(values) == 1 else ")")


def _with_names(call: Call, kind: str, parts: Sequence[tuple[str, Any]]) -> str | Text:
    texts = [joined([f"{name}=", formatted(call, part, "r", "")]) for name, part in parts]
    return _listed(f"{kind}(", texts, ")")


def _listed(before: str, values: Sequence[str | Text], after: str) -> str | Text:
    commas = [part for value in values for part in (", ", value)][1:]
    return joined([before, *commas, after])


# -- str.format and str.join ---------------------------------------------------------------------


def by_format(call: Call, template: Any, args: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """``template.format(*args, **named)``."""
    template, any_one = settled(template), _Anything()
    template.format(*[any_one for _ in args], **dict.fromkeys(named, any_one))
    return _filled(call, template, args, named, iter(range(len(args) + 1)))


def by_format_map(call: Call, template: Any, named: Any) -> Any:
    """``template.format_map(named)``."""
    template = settled(template)
    template.format_map(_Anything())
    return _filled(call, template, (), named, iter(()))


class _Anything:
    """A value for any field: Python finds what is wrong with a template itself."""

    def __getattr__(self, name: str) -> _Anything:
        return self

    def __getitem__(self, key: int | str) -> _Anything:
        return self

    def __format__(self, spec: str) -> str:
        return ""


def _filled(
    call: Call,
    template: str,
    args: Sequence[Any],
    named: Any,
    numbers: Iterator[int],
) -> str | Text:
    found: list[str | Text] = []
    for fixed, field, spec, conversion in string.Formatter().parse(template):
        found.append(fixed)
        if field is None:
            continue
        name = f"{next(numbers)}{field}" if re.match(r"[.\[]|$", field) else field
        value = _field(call, name, args, named)
        inner = _filled(call, spec or "", args, named, numbers)
        found.append(formatted(call, value, conversion or "", inner))
    return joined(found)


def _field(call: Call, name: str, args: Sequence[Any], named: Any) -> Any:
    """What a field of a template names: an argument, attributes and items of it."""
    first, steps = formatter_field_name_split(name)
    value = args[first] if isinstance(first, int) else call(operator.getitem, named, first)
    for of_attribute, key in steps:
        value = call(getattr if of_attribute else operator.getitem, value, key)
    return value


def by_join(separator: Any, texts: Sequence[Any]) -> Any:
    """``separator.join(texts)``."""
    texts = list(texts)
    for text in texts:
        if isinstance(text, Refusing):  # the paths to here give different texts
            text.refuse()
    late = any(isinstance(text, (Text, Tracer, TracedInt)) for text in (separator, *texts))
    if not (late and isinstance(separator, (str, Text))):
        return separator.join(texts)  # which raises Python's error of what is no text
    for place, text in enumerate(texts):
        if not isinstance(text, (str, Text)):
            traced = isinstance(text, (Tracer, TracedInt))
            kind = class_name(text) if traced else type(text).__name__
            raise TypeError(f"sequence item {place}: expected str instance, {kind} found")
    return joined([part for text in texts for part in (separator, text)][1:])


# -- template % values ---------------------------------------------------------------------------

_FIELD = re.compile(
    r"%(?:\((?P<key>[^)]*)\))?(?P<flags>[#0\- +]*)(?P<width>\*|\d*)"
    r"(?P<precision>\.(?:\*|\d*))?[hlL]?(?P<kind>.)",
    re.DOTALL,
)


def modulo(call: Call, left: Any, right: Any) -> Any:
    """``left % right``: of numbers, or of a text and what is to be written into it."""
    left = settled(left) if isinstance(left, Text) else left
    own = special(left, "__mod__") or (isinstance(right, str) and special(right, "__rmod__"))
    if own or not isinstance(left, str):
        return protocols.binary("Mod", left, right)
    if not _is_late(right):
        return with_refusals(operator.mod, [left, right], {})
    return _Percent(call, left, right).text()


def _has_items(value: Any) -> bool:
    """Whether Python takes it for a mapping, of which a text may leave values out."""
    if isinstance(value, (Tracer, TracedInt)):
        return isinstance(value, Tracer) and not value.type.weak
    return hasattr(type(value), "__getitem__") and not isinstance(value, (tuple, str, Text))


class _Percent:
    """A text of the old kind while its values are filled in."""

    def __init__(self, call: Call, template: str, right: Any) -> None:
        self.call = call
        self.template = template
        self.right = right
        if isinstance(right, tuple) and is_grown(right):
            refuse(right)  # each field takes an element
        self.rest = list(right) if isinstance(right, tuple) else [right]

    def text(self) -> str | Text:
        """The text."""
        found: list[str | Text] = []
        end = 0
        for field in _FIELD.finditer(self.template):
            found.append(self.template[end : field.start()])
            found.append(self._field(field))
            end = field.end()
        rest = self.template[end:]
        if "%" in rest:
            raise ValueError("incomplete format")
        if self.rest and not _has_items(self.right):
            raise TypeError("not all arguments converted during string formatting")
        return joined([*found, rest])

    def _next(self) -> Any:
        if not self.rest:
            raise TypeError("not enough arguments for format string")
        return self.rest.pop(0)

    def _field(self, field: re.Match[str]) -> str | Text:
        if field["kind"] == "%":
            return "%"
        width = str(int(self._next())) if field["width"] == "*" else field["width"]
        precision = field["precision"] or ""
        if precision == ".*":
            precision = f".{max(int(self._next()), 0)}"
        spec = f"%{field['flags']}{width}{precision}{field['kind']}"
        value = self._next() if field["key"] is None else self.right[field["key"]]
        if isinstance(value, (Tracer, TracedInt)):
            return _of_traced(value, spec=spec, percent=True)
        if isinstance(value, Text) or (field["kind"] in "rsa" and _is_late(value)):
            conversion = "" if isinstance(value, Text) else field["kind"]
            value = formatted(self.call, value, conversion, "")
            if spec in ("%s", "%r", "%a") and conversion:
                return value
            spec = spec if not conversion else f"{spec[:-1]}s"
        if isinstance(value, Text):
            return value if spec == "%s" else _of_text(value, spec=spec, percent=True)
        written: str = with_refusals(operator.mod, [spec, (value,)], {})
        return written
