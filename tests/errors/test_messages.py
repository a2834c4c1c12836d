"""Messages of errors, whole: what is wrong and with which values, where, and what to do.

The mistakes are in cases.py, their messages in snapshots.txt. After a change of either

    python tests/errors/test_messages.py --update

writes the messages anew; the difference is for a person to read.
"""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path

import pytest

import gradsmith as gs

HERE = Path(__file__).parent
if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))

from errors.cases import CASES  # noqa: E402  found by the line above when run as a script

SNAPSHOTS = HERE / "snapshots.txt"
WITHOUT_SOURCE = "condition_where_the_source_is_unknown"

# Python 3.10 keeps no columns, so that carets stand under whole lines, and 3.13 gives conditions
# the columns of the statement.
CARETS_AS_WRITTEN = (3, 11) <= sys.version_info < (3, 13)


def raised(name):
    """The error of a case."""
    function, _ = CASES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.TraceTimeEffectWarning)
        try:
            function()
        except gs.GradsmithError as error:
            return error
    raise AssertionError(f"{name} raises nothing")


def text_of(name):
    """Class and message, with the bare names of files, and without line numbers: the text of the
    line says which it is.
    """
    error = raised(name)
    message = re.sub(r'File "[^"]*[/\\]([^"]*)", line \d+', r'File "\1"', str(error))
    return f"{type(error).__name__}: {message}"


def written():
    """The messages in the file, by case."""
    parts = re.split(r"^## (\w+)\n", SNAPSHOTS.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def compared(text):
    """The part of a message that is the same in every version of Python."""
    return text if CARETS_AS_WRITTEN else re.sub(r"^ +\^+\n", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize("name", CASES)
def test_message(name):
    assert compared(text_of(name)) == compared(written()[name])


def test_every_message_has_a_case():
    assert list(written()) == list(CASES)


@pytest.mark.parametrize("name", CASES)
def test_class_and_parts(name):
    error = raised(name)
    assert isinstance(error, CASES[name][1])
    message, *rest = str(error).splitlines()
    assert message[0] not in ".:,"
    assert not re.search(r"gradsmith/|gradsmith\.|<traced|Tracer|Node", message)
    assert rest[-1].startswith("  To fix it: ")
    assert len(rest[-1]) > len("  To fix it: ")
    if name != WITHOUT_SOURCE:
        place, line, carets = rest[:3]
        assert re.fullmatch(r'  File ".*cases\.py", line \d+, in [\w<>]+', place)
        assert re.fullmatch(r" +\^+", carets)
        assert len(carets.rstrip()) <= len(line)


def test_there_are_enough():
    assert len(CASES) >= 35


def update():
    """Write the messages of all cases."""
    texts = [f"## {name}\n{text_of(name)}\n" for name in CASES]
    SNAPSHOTS.write_text("\n".join(texts), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python tests/errors/test_messages.py --update")
    update()
