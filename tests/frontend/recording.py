"""A runtime that does what Python does, and writes down what it was asked."""

from __future__ import annotations

import linecache
import textwrap
import traceback
from dataclasses import dataclass, field
from itertools import count
from types import FunctionType, MethodType
from typing import Any

from gradsmith.frontend.stage import is_staged, stage


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

    def read(self, name, value, /):
        self.note("read", name, self.function.__name__)
        return value

    def attribute(self, owner, name, /):
        self.note("attribute", name)
        return getattr(owner, name)

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

    def truth(self, value, kind, /):
        self.note("truth", kind, value)
        return bool(value)

    def matched(self, subject, /):
        self.note("matched", subject)
        return subject

    def iterate(self, iterable, /):
        self.note("iterate", iterable)
        return iterable

    def effect(self, kind, name, /):
        self.note("effect", kind, name)


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
    """What calling gives: the value; or the error, with the lines of the user's frames."""
    file = function.__code__.co_filename
    try:
        return ("value", function(*args, **kwargs))
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [(frame.lineno, frame.line) for frame in frames if frame.filename == file]
        return ("error", type(error), str(error), lines)
