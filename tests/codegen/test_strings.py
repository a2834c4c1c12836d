"""Strings of the user's in emitted modules: quotes, backslashes, braces, lines, any character.

Each string stands in a docstring, a comment, prints, an f-string, messages of errors, keys of
dicts and an option of one function, whose module is loaded from a file as well.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import random
import re

import numpy as np
import pytest

import gradsmith as gs

PROGRAM = """
import numpy as np

def f(p, label={text!r}):
    {doc!r}
    {text!r}; x = p[{text!r}]  # {comment}
    print({text!r}, x[0], {text!r}, sep={text!r}, end={text!r})
    s = {text!r}; print(f"{{s}} {{x[0]:.3f}} {{{{}}}} {{s!r:>5}}"); y = x * 2  # {comment}
    for i in range(x.shape[0]):
        if x[i] > 1.0:
            print({text!r}, i, "{{}}".format(x[i]))
        y[i] = y[i] * x[i]
    if x[0] > 5.0:
        raise ValueError({text!r})
    assert x[1] < 4.0, {text!r}
    assert x[2] < 4.0, f"{{x[2]}}" + {text!r}
    kept = {{{text!r}: np.sum(y), label: y * 1.0}}
    return np.sum(kept[{text!r}])
"""

STRINGS = [
    '"""',
    "'''",
    '"""' + "'''",
    '"""\n\n',
    'one """two""" \'three\' "four"',
    '"' * 7,
    "\\",
    '\\"""',
    '\\\'"""\\',
    "{ } {} {x} {0}%s%% # \\n \t\r",
    "a\nb\n",
    "\0\x1b[0m",
    "\x0c\x1c\x85\u2028",
    "é∑ñ💥",
    "\ud800",
    "word " * 60,
    " " * 120 + "end",
    '"""' + "y" * 200 + "\n" * 3,
    "_gradsmith_comment_0",
    "",
]


def random_strings():
    draw = random.Random(9)
    pieces = ['"', "'", '"""', "'''", "\\", "\n", "{", "}", "#", "%", "é", "\u2028", "a b", "\t"]
    return ["".join(draw.choices(pieces, k=draw.randrange(1, 12))) for _ in range(5)]


def loaded(text, path):
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(text)
    spec = importlib.util.spec_from_file_location("emitted", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def run(function, *args):
    """What a call gives and prints; for an error, its class and message."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = repr(function(*args))
        except (ValueError, AssertionError) as error:
            result = type(error), str(error)
    return result, printed.getvalue()


ARGUMENTS = [
    [0.5, 2.0, 3.0],
    [1.5, 0.5, -1.0, 2.0],
    [6.0, 1.0, 1.0],
    [0.5, 5.0, 1.0],
    [1.0, 1.0, 9.0],
]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("text", STRINGS + random_strings())
def test_every_string_is_written_as_it_is(text, tmp_path):
    shown = text.replace("\n", " ").replace("\r", " ").replace("\0", " ")
    comment = shown.encode("utf-8", "replace").decode()
    doc = text.encode("utf-8", "replace").decode()  # Python 3.13 takes no lone surrogate there
    f = loaded(PROGRAM.format(text=text, doc=doc, comment=comment), tmp_path / "user.py").f
    compiled, slope = gs.compile(f), gs.value_and_grad(f)
    for numbers in ARGUMENTS:
        p = {text: np.array(numbers)}
        expected = run(f, p)
        assert run(compiled, p) == expected
        result, printed = run(slope, p)
        assert printed == expected[1]
        if isinstance(expected[0], tuple):
            assert result == expected[0]
    first = {text: np.array(ARGUMENTS[0])}
    emitted = loaded(compiled.source(first), tmp_path / "emitted.py").f
    assert run(emitted, first) == run(f, first)
    lines = slope.source(first).split("\n")
    assert not any(re.fullmatch(r"_gradsmith_comment_\w+", line.strip()) for line in lines)
