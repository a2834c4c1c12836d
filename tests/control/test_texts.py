"""Texts of traced numbers, and what their methods return, are used as strings are."""

# Programs as users write them.
# ruff: noqa: PERF401

from __future__ import annotations

import heapq
import itertools
from email.message import Message

import numpy as np
import pytest

import gradsmith as gs
from control.one_object import check_calls, function_of
from programs.harness import same_bits

SETS = [(np.array(v),) for v in ([1.0, 2.5, -3.25], [0.5, 12.5, 3.0], [1.5, 0.25, 33.25])]

EXPRESSIONS = [
    "','.join([f'{x[0]:.2f}'.rjust(8), 'b'])",
    "'\\n'.join(str(v).rjust(5) for v in x)",
    "'\\n'.join('\\t'.join(f'{v:.1f}'.rjust(5) for v in r) for r in np.outer(x, x))",
    "'|'.join(f'{v:6.2f}'.strip() for v in x if v > 1)",
    "'a,b'.split(',') + f'{x[0]:.1f}'.split('.')",
    "'a'.rjust(3, f'{x[0]:.0f}'[0]) + str(x).replace('\\n', '')",
    "str(x.tolist())[1:-1].split(', '), f'{x[0]:.1f}'.partition('.'), f'{x[0]:.1f}'.encode()",
    "list(f'{x[0]:.1f}'.rjust(5)), ''.join(reversed(f'{x[0]:.1f}')), sorted(f'{x[0]:.1f}')",
    "''.join(map(lambda v: str(v).rjust(7), x)), tuple(f'{v:.1f}'.split('.')[0] for v in x)",
    "f'{h(x[0])!r:>12}{h(x[0])}', '{:>9}'.format(h(x[0])), '%9s' % h(x[0]), repr([h(x[0])])",
    "isinstance(h(x[0]), str), type(h(x[0])) is str, type(h(x[0]).split()) is list",
    "h(x[0]) == h(x[1]), h(x[0]) < h(x[1]), h(x[0]) in '   1.0  1.5', '1' in h(x[0])",
    "str.rjust(f'{x[0]:.1f}', 6), str.upper(h(x[0])), list(map(str.strip, [h(v) for v in x]))",
    "sorted([h(v) for v in x], key=str.strip), max(h(v) for v in x), min(map(h, x), key=len)",
    "[s for s in [h(v) for v in x] if s.startswith('  ')], {h(v): v for v in x}",
    "str(x[0]).isdigit(), ord(h(x[0])[-1]), np.float64(h(x[0])), len(h(x[0])), h(x[0])[::-1]",
    "'{:>{w}}|{n:^9}'.format(f'{x[0]:.1f}', w=7, n=str(x[2]).rjust(2))",
    "str.__len__(str(x[0])), h(x[0]).__add__('b'), [h(x[0])].__repr__()",
    "dict(zip('ab', str(x[0]))), list(enumerate(str(x[0])))",
    "[w for v in x for w in h(v).split('.')], [s + '|' for s in h(x[0]).split('.')]",
    "[h(v) for v in x] + ['a'], [h(v) for v in x].count('   3.0'), {str(v) for v in x} == {'1'}",
    "list(heapq.merge(sorted(x), [1.0, 4.0]))",
    "np.array([f'{v:.1f}'.rjust(6) for v in x])",
    "x[0] * 2 if h(x[0]).strip() == '1.0' else x[0] * 3",
]


def in_width(v):
    return f"{v:.1f}".rjust(6)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_expressions(expression):
    check_calls(function_of(expression, h=in_width, heapq=heapq), *SETS)


def appended(x):
    out = []
    for v in x:
        s = f"{v:.2f}".rjust(8)
        out.append(s)
    return "\n".join(out), out


def appended_lists(x):
    out = []
    for v in x:
        out.append([f"{v:.1f}".split("."), v])
    return out


def appended_on_paths(x):
    out = []
    for v in x:
        if v > 1:
            out.append(f"{v:.1f}".rjust(5))
        else:
            out.append("small")
    return out


def kept_in_a_dict(x):
    out = {}
    for v in x:
        out[len(out)] = str(v).rjust(8)
        out[str(v).strip()] = v
    return out


def kept_in_a_set(x):
    out = set()
    for v in x:
        out.add(str(v).rjust(8))
    return sorted(out)


def pairs_of_characters(x):
    pairs = []
    s = f"{x[0]:.2f}"
    for a, b in itertools.pairwise(s):
        pairs.append(a + b)
    return pairs


def characters_until_the_point(x):
    s, out, i = f"{x[0]:.2f}", [], 0
    while s[i] != ".":
        out.append(s[i])
        i += 1
    return out


def characters_counted(x):
    counts = {}
    for c in f"{x[0]:.2f}":
        counts[c] = counts.get(c, 0) + 1
    return counts


def error_with_a_text(x):
    raise ValueError("bad " + in_width(x[0]))


def error_with_a_list(x):
    raise ValueError(f"{x[0]:.1f}".split("."))


def handled(x):
    try:
        raise ValueError("bad " + in_width(x[0]))
    except ValueError as error:
        return str(error)


def changed_list(x):
    parts = f"{x[0]:.1f}".split(".")
    same = parts
    same.append("z")
    parts.reverse()
    return parts, same, len(parts), parts[1:], " ".join(parts)


def list_of_a_path(x):
    parts = f"{x[0]:.1f}".split(".")
    if x[0] > 1:
        parts = ["none"]
    return parts


def numbers_of_parts(x):
    total = 0
    for v in x:
        a, b = f"{v:.1f}".split(".")
        total += int(a)
    return total, int(b)


def table(x):
    cells = [[str(v) for v in r] for r in np.outer(x, x)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [" ".join(c.rjust(w) for c, w in zip(r, widths, strict=True)) for r in cells]
    lines.insert(0, "-" * max(map(len, lines)))
    return "\n".join(lines)


def replaced(x):
    s = str(x[0])
    if s.startswith("1"):
        s = s.replace("1", "one")
    elif s.endswith("5"):
        s = s.upper() + "five"
    return s


def by_pattern(x):
    match f"{x[0]:.1f}".strip():
        case "1.0":
            return 1
        case _:
            return 2


def weighted_by_a_text(x):
    total = 0.0
    for v in x:
        if f"{v:.1f}".rjust(6).strip().endswith("5"):
            total += v * v
        else:
            total -= v
    return total


@pytest.mark.parametrize(
    "function",
    [
        *(appended, appended_lists, appended_on_paths, kept_in_a_dict, kept_in_a_set),
        *(pairs_of_characters, characters_until_the_point, characters_counted),
        *(error_with_a_text, error_with_a_list, handled, changed_list, list_of_a_path),
        *(numbers_of_parts, table, replaced, by_pattern, weighted_by_a_text),
    ],
)
def test_programs(function):
    check_calls(function, *SETS)


ERRORS = [
    "s + 1",
    "1 + s",
    "s - 1",
    "-s",
    "s(1)",
    "s < 1",
    "1 in s",
    "s % 3",
    "s * 2.0",
    "s[10]",
    "s.foo",
    "s.rjust('a')",
    "s.split('.')[5]",
    "s.split('.') + (1,)",
    "[1, 2] + s",
    "','.join([s, 1])",
    "','.join([s.rjust(5), x[0]])",
    "int(s.split('.')[0] + 'k')",
    "{'a': 1}[s]",
]


@pytest.mark.parametrize("expression", ERRORS)
def test_handlers_see_the_errors_of_strings(expression):
    body = f"""
s = f"{{x[0]:.1f}}"
try:
    return {expression}
except Exception as error:
    return type(error).__name__, str(error)
"""
    check_calls(function_of(body), *SETS)


def titled(x, message):
    title = message["title"]
    return f"{x[0]:.1f} {title}", "none" if title is None else title.upper()


def test_a_result_that_is_no_string_in_another_call():
    compiled, x = gs.compile(titled), np.array([1.5])
    message = Message()
    message["title"] = "a"
    for given in (message, Message(), message):
        same_bits(compiled(x, given), titled(x, given))


class Reading:
    """An object with a property, and items that a method computes."""

    def __init__(self, value):
        self.value = value

    @property
    def twice(self):
        return self.value * 2

    def __getitem__(self, key):
        return self.value + (key if isinstance(key, int) else len(key))


class Lengths(dict):
    def __missing__(self, key):
        return len(key)


FIELDS = [
    "'{b.real} {b.imag:>{w}} {b.denominator}'.format(b=int(x[0]), w=int(x[1]))",
    "'{0.real.real:.2f}|{0.imag}|{1.shape} {1.T[0]} {1.dtype}'.format(float(x[0]), x)",
    "'{p.twice:.2f} {p[1]} {p[key]} {0.twice}'.format(Reading(int(x[1])), p=Reading(x[0]))",
    "'{a[k]} {a[j][1]:.2f}'.format(a={'k': x[0], 'j': [1, x[1]]})",
    "'{v:.1f} {w.real}'.format_map({'v': x[0], 'w': int(x[1])})",
    "'{word}{v:.1f}'.format_map(Lengths(v=x[0]))",
    "''.join('{0.real:.2f} {1.real};'.format(v, int(v)) for v in x)",
    "'{0} {}'.format(x[0], 1)",
    "'{2}'.format(x[0], 1)",
    "'{a}'.format(x[0])",
    "'{a}'.format_map({'b': x[0]})",
    "'{0[}'.format(x)",
    "'{}'.format_map({'b': x[0]})",
]


@pytest.mark.parametrize("expression", FIELDS)
def test_fields_of_templates_have_attributes_and_items(expression):
    function = function_of(expression, Reading=Reading, Lengths=Lengths)
    check_calls(function, *SETS)
