"""Parts of texts of traced numbers in containers: their methods are Python's own."""

import collections
import re

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls


def _a_character(x):
    found = []
    found.append(f"{x:.1f}"[0])
    return found


def _characters(x):
    found = []
    for c in f"{x:.1f}":
        found.append(c)  # noqa: PERF402  what is tested
    return found


def _parts(x):
    found = []
    for c in str(x).split("."):
        found.append(c)  # noqa: PERF402
    return found, len(found)


def _grouped(x):
    found = {}
    for c in f"{x:.1f}":
        found.setdefault(c, []).append(1)
    return found


def _sets_and_deques(x):
    found, queue = set(), collections.deque()
    for c in f"{x:.1f}":
        found.add(c)
        queue.appendleft(c)
    return sorted(found), list(queue)


def _inserted(x):
    found = []
    for pair in zip(f"{x:.1f}", range(9), strict=False):
        found.insert(0, pair)
    found.extend(str(x))
    found.remove(".")
    return found, found.count("1"), found.index("5") if "5" in found else -1


class _Words:
    def __init__(self):
        self.words = []
        self.last = None

    def add(self, word):
        self.words.append(word)
        self.last = word


def _in_objects(x):
    held = _Words()
    for c in f"{x:.1f}":
        held.add(c)
    return held.words, held.last


def _numbers_and_words(x):
    found = []
    for word in f"{x:.2f} {x * 2:.1f}".split():
        found.append(float(word))
        found.append(word)
    return found


def _in_a_dict(x):
    found = {"a": []}
    for c in f"{x:.1f}":
        found["a"].append(c)
        found[c] = x
    return found


@pytest.mark.parametrize(
    "function",
    [
        *(_a_character, _characters, _parts, _grouped, _sets_and_deques, _inserted),
        *(_in_objects, _numbers_and_words, _in_a_dict),
    ],
)
def test_containers(function):
    compiled = gs.compile(function)
    for x in (1.5, 12.25, 3.0):
        assert compiled(x) == function(x)


def _repeated(x):
    count = 0
    for v in [x, -x, x * 2]:
        count += np.float64(v) > 0
    bars = ["#" * n for n in np.histogram(np.array([x, 1.0, 2.0]), bins=2)[0]]
    return "ab" * count, np.int32(2) * "c", f"{x:.1f}" * count, bars


def test_numpys_integers_repeat_texts():
    compiled = gs.compile(_repeated)
    for x in (1.5, -2.0, 3.0):
        assert compiled(x) == _repeated(x)


PAIR = re.compile(r"(?P<key>[a-z])=(?P<value>\d+)")


def test_texts_that_functions_substitute():
    def by_pattern(x, s):
        return PAIR.sub(lambda m: f"{m['key']}:{float(m['value']) * x:.1f}", s)

    def by_function(x, s):
        seen = []

        def made(match):
            seen.append(match.start())
            return f"{x}" if match.group() == "1" else match.group()

        first = re.sub(r"\d+", lambda m: str(int(m.group()) * x), s, count=1)
        return first, re.sub("1|2", made, s), seen, re.sub("x*", lambda m: "-", s)

    def no_text(x, s):
        try:
            return re.sub("a", lambda m: x, s)
        except TypeError as error:
            return str(error)

    def nothing(x, s):
        return re.sub("a|b", lambda m: f"{x}" if m.group() == "b" else None, s)

    for function in (by_pattern, by_function, no_text, nothing):
        check_calls(function, (1.5, "a=1 b=22"), (2, "b=2,a=11"), (0.5, ""))
