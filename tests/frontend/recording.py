"""A runtime that does what Python does, and writes down what it was asked."""

from __future__ import annotations

import linecache
import operator
import textwrap
import traceback
from dataclasses import dataclass, field
from itertools import count, groupby
from types import FunctionType, MethodType
from typing import Any

from gradsmith.frontend.patterns import matched
from gradsmith.frontend.stage import is_staged, stage
from gradsmith.frontend.unsettled import is_undefined, no_value


@dataclass
class Recorder:
    """Stages what is called, too, where that is among ``functions`` or in the same file."""

    events: list[tuple[Any, ...]] = field(default_factory=list)

    def for_function(self, function, /):
        return BoundRecorder(self, function)

    def of(self, *kinds):
        """The events of these kinds, without the kind."""
        return [event[1:] for event in self.events if event[0] in kinds]


@dataclass
class BoundRecorder:
    recorder: Recorder
    function: FunctionType

    def note(self, *event):
        self.recorder.events.append(event)

    def call(self, function, /, *args, **kwargs):
        self.note("call", getattr(function, "__name__", "?"))
        if isinstance(function, MethodType):
            return self.call(function.__func__, function.__self__, *args, **kwargs)
        if isinstance(function, FunctionType) and not is_staged(function):
            file = function.__code__.co_filename
            if file == self.function.__code__.co_filename:
                function = stage(function, self.recorder)
        return function(*args, **kwargs)

    def call_raw(self, function, /, *args, **kwargs):
        return self.call(function, *args, **kwargs)

    def value_or_none(self, name, value, /):
        return value

    def raw(self, name, value, /):
        return value

    def is_none(self, name, value, /):
        return self.identical(value, None)

    def truth_or_none(self, name, value, /):
        return value

    def attribute_is_none(self, owner, name, /):
        return self.identical(self.attribute(owner, name), None)

    def attribute_truth(self, owner, name, /):
        return self.attribute(owner, name)

    def read(self, name, value, /):
        self.note("read", name, self.function.__name__)
        return value

    def attribute(self, owner, name, /):
        self.note("attribute", name)
        return getattr(owner, name)

    def extended(self, value, /):
        pass

    def importing(self, module, level, name, /):
        pass

    def imported(self, module, level, name, value, /):
        return value

    def extended_attribute(self, owner, name, /):
        pass

    def extended_item(self, owner, key, /):
        pass

    def item(self, owner, key, /):
        self.note("item", key)
        return owner[key]

    def target(self, owner, name, /):
        self.note("target", name)
        return owner

    def bind(self, name, value, /):
        self.note("bind", name, value)
        return value

    def result(self, value, /):
        self.note("result", value)
        return value

    def returned(self, name, value, /):
        return value

    def truth(self, value, kind, /):
        self.note("truth", kind, value)
        return value

    def matched(self, subject, pattern, /):
        self.note("matched", subject)
        return matched(subject, pattern, getattr)

    def iterate(self, iterable, /):
        self.note("iterate", iterable)
        return iterable

    def effect(self, kind, name, /):
        self.note("effect", kind, name)

    def deleted(self, name, value, /):
        return True

    def stored(self, name, value, /):
        return value

    def branching(self, condition, names, /):
        self.note("branching", names, condition)
        return RecordedBranching(condition)

    def branch_chain(self, condition, names, count, /):
        self.note("branch_chain", names, condition)
        return RecordedChain(self, condition, count)

    def loop(
        self, iterable, targets, stored, read, kept, leaves, endless, broken, steps, asked, /
    ):
        names = {"targets": targets, "stored": stored, "read": read}
        self.note("while" if endless else "loop", iterable, names, leaves)
        return RecordedLooping(self, count() if endless else iterable)

    def choose(self, condition, then, orelse, /):
        self.note("choose", condition)
        return then() if condition else orelse()

    def choose_for(self, name, condition, then, orelse, /):
        return self.choose(condition, then, orelse)

    def either(self, word, first, rest, /):
        self.note("either", word, first)
        if word == "and":
            return first and rest()
        return first or rest()

    def identical(self, left, right, /):
        self.note("identical", left, right)
        return left is right

    def chain(self, left, word, right, /, *rest):
        self.note("chain", left, word)
        operand = right()
        compared = COMPARISONS[word](left, operand)
        return compared and self.chain(operand, *rest) if rest else compared

    asked_chain = chain

    def negate(self, value, /):
        self.note("negate", value)
        return not value

    def bound(self, name, value, outside, /):
        self.note("bound", name, outside)
        if is_undefined(value):
            raise no_value(name, outside=outside)
        return value

    def raising_in_handler(self, error, cause=None, /):
        return self.raising(error, cause)

    def raising(self, error, cause=None, /):
        self.note("raising")
        return True

    def listed(self, element, /, *clauses):
        return list(self.generated(element, *clauses))

    def elements(self, element, /, *clauses):
        return self.listed(element, *clauses)

    def generated(self, element, /, *clauses):
        (items, _, _) = clauses[0]
        return self.from_clauses(element, clauses, {}, iter(items))

    def from_clauses(self, element, clauses, variables, items):
        (_, target, conditions), *others = clauses
        for item in items:
            inner = {**variables, **bound(target, item)}
            if not all(c(self.asked, *inner.values()) for c in conditions):
                continue
            if others:
                deeper = others[0][0](*inner.values())
                yield from self.from_clauses(element, others, inner, deeper)
            else:
                yield element(*inner.values())

    def asked(self, value):
        return self.truth(value, "comprehension")

    def modulo(self, left, right, /):
        return left % right

    def formatted(self, value, conversion, spec, /):
        conversions = {"": lambda x: x, "s": str, "r": repr, "a": ascii}
        return format(conversions[conversion](value), spec)

    def joined(self, /, *parts):
        return "".join(parts)

    def asserted(self, value, message, /):
        self.note("asserted", value)
        return value

    def trying(self, step, errors, /):
        self.note("trying", step)

    def names(self, held, /):
        return held

    def users_variables(self, found, /):
        return {n: value for n, value in found.items() if not n.startswith("__gs_")}

    def users_names(self, found, /):
        return sorted(self.users_variables(found))

    locals = staticmethod(locals)


def bound(target, value):
    """The variables that assigning to a target sets."""
    if isinstance(target, str):
        return {target: value}
    pairs = [bound(*pair) for pair in zip(target, value, strict=True)]
    return {name: held for pair in pairs for name, held in pair.items()}


COMPARISONS = {
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Is": operator.is_,
    "IsNot": operator.is_not,
    "In": lambda left, right: left in right,
    "NotIn": lambda left, right: left not in right,
}


@dataclass
class RecordedBranching:
    """One arm, as of a plain condition."""

    condition: Any
    resets = False
    traced = False
    failure = ()

    def __iter__(self):
        yield bool(self.condition)


@dataclass
class RecordedChain:
    """The steps of plain conditions."""

    recorder: BoundRecorder
    condition: Any
    count: int
    resets = False
    traced = False
    failure = ()

    def ask(self, condition, /):
        self.recorder.note("ask", condition)
        self.condition = condition

    def __iter__(self):
        for place in range(self.count):
            if self.condition:
                yield 2 * place
                return
            yield 2 * place + 1


@dataclass
class RecordedLooping:
    """Trips as Python makes them."""

    recorder: BoundRecorder
    iterable: Any
    resets = False
    rolled = False
    ahead = False
    asks_at_last = False
    failure = ()

    def __iter__(self):
        return iter(self.iterable)

    def test(self, value, /):
        self.recorder.note("test", value)
        return bool(value)

    def leave(self, flag, /):
        self.recorder.note("leave", flag)
        return bool(flag)


def recorded(function, *args, **kwargs):
    """The result of the staged function, and the recorder."""
    recorder = Recorder()
    staged = stage(function, recorder)
    assert is_staged(staged)
    return staged(*args, **kwargs), recorder


_cells = count(1)


def written(text, name="f", **variables):
    """The function ``name`` of a text that linecache knows, as in a notebook's cell."""
    text = textwrap.dedent(text)
    file = f"<cell-{next(_cells)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = {"__name__": "__main__", **variables}
    exec(compile(text, file, "exec", dont_inherit=True), namespace)
    return namespace[name]


def outcome(function, *args, **kwargs):
    """What calling gives: the value; or the error, with the lines of the user's frames.

    Lines in a row that are the same count once: parts of an expression become functions.
    """
    file = function.__code__.co_filename
    try:
        return ("value", function(*args, **kwargs))
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [(frame.lineno, frame.line) for frame in frames if frame.filename == file]
        return ("error", type(error), str(error), [line for line, _ in groupby(lines)])
