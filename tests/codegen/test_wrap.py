"""Long lines: broken where a person breaks them, and the same code."""

from __future__ import annotations

import ast

import pytest

from gradsmith.codegen.wrap import HOPELESS, LONGEST, wrapped
from helpers import each

LONG = "a_name_of_quite_some_length"


def test_short_lines_stay():
    line = "    g_x = " + "x" * (LONGEST - 10)
    assert len(line) == LONGEST
    assert wrapped(line) == [line]


def test_what_cannot_be_broken_stays():
    line = "    g_x = " + "x" * LONGEST
    assert wrapped(line) == [line]


def test_tables_of_numbers_stay():
    line = "x = [" + ", ".join(["0.5"] * HOPELESS) + "]"
    assert wrapped(line) == [line]


CASES = {
    "a dict, an item a line": (
        f"    return {{'w': g_{LONG}, 'b': g_{LONG}_2, 'c': {{'d': {LONG}, 'e': 1}}}}",
        f"""\
    return {{
        'w': g_{LONG},
        'b': g_{LONG}_2,
        'c': {{'d': {LONG}, 'e': 1}},
    }}""",
    ),
    "a tuple": (
        f"    return {LONG}, g_{LONG}_2, {LONG}[1:, 0], f({LONG}, 2)",
        f"""\
    return (
        {LONG},
        g_{LONG}_2,
        {LONG}[1:, 0],
        f({LONG}, 2),
    )""",
    ),
    "a sum, before its signs": (
        f"    g_x = {LONG} * x - 1e-05 * ({LONG} + y) + -{LONG} ** 2 / z",
        f"""\
    g_x = (
        {LONG} * x
        - 1e-05 * ({LONG} + y)
        + -{LONG} ** 2 / z
    )""",
    ),
    "a product": (
        f"    g_x *= {LONG} * {LONG} / ({LONG} + 1) @ {LONG}",
        f"""\
    g_x *= (
        {LONG}
        * {LONG}
        / ({LONG} + 1)
        @ {LONG}
    )""",
    ),
    "comparisons": (
        f"    mask = ({LONG} < 1) & (x <= 0) | ({LONG} == y)",
        f"""\
    mask = (
        ({LONG} < 1) & (x <= 0)
        | ({LONG} == y)
    )""",
    ),
    "arguments": (
        f"    np.maximum({LONG} + {LONG}, {LONG}, out={LONG})",
        f"""\
    np.maximum(
        {LONG} + {LONG},
        {LONG},
        out={LONG},
    )""",
    ),
    "a method of a sum": (
        f"    g_x = ({LONG} + {LONG} * {LONG}).sum(axis=0, keepdims=True)",
        f"""\
    g_x = (
        {LONG}
        + {LONG} * {LONG}
    ).sum(axis=0, keepdims=True)""",
    ),
    "a target with brackets": (
        f"    {LONG}[1:-1, np.arange(3), i] += {LONG} * {LONG} + 1",
        f"""\
    {LONG}[1:-1, np.arange(3), i] += (
        {LONG} * {LONG} + 1
    )""",
    ),
    "a definition": (
        f"def {LONG}(a, {LONG}_2, {LONG}_3, *, key=0.5, other):",
        f"""\
def {LONG}(
    a,
    {LONG}_2,
    {LONG}_3,
    *,
    key=0.5,
    other,
):""",
    ),
    "lists in lists": (
        f"    x = np.array([[{LONG}, 1.0], [{LONG}, 2.0], [{LONG}, 3.0]])",
        f"""\
    x = np.array(
        [
            [{LONG}, 1.0],
            [{LONG}, 2.0],
            [{LONG}, 3.0],
        ]
    )""",
    ),
    "f-strings, whatever brackets are in their texts": (
        f"    print(f'({{{LONG}:>{{width}}}}', f'{{x}}]) {{{{', ']', {LONG})",
        f"""\
    print(
        f'({{{LONG}:>{{width}}}}',
        f'{{x}}]) {{{{',
        ']',
        {LONG},
    )""",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_where_lines_are_broken(case, monkeypatch):
    monkeypatch.setattr("gradsmith.codegen.wrap.LONGEST", 70)
    line, expected = CASES[case]
    assert "\n".join(wrapped(line)) == expected
    assert code(expected) == code(line)


def code(text: str) -> str:
    rest = "\n    pass" if text.startswith("def ") else ""
    return ast.dump(ast.parse(f"def f():\n {text.lstrip()}{rest}"))


def test_numbers_are_packed():
    numbers = [i / 7 for i in range(40)]
    lines = wrapped(f"_CONSTANT = np.array({numbers!r}, dtype=np.float32)")
    assert max(map(len, lines)) <= LONGEST
    assert len(lines) < 16
    assert eval("".join(lines[1:-2]).rstrip(","))[:40] == numbers


@each("depth", range(1, 30, 4))
def test_brackets_in_brackets(depth):
    inner = LONG
    for i in range(depth):
        inner = f"np.f{i}({inner} + {LONG}, [{i}, -{LONG}])"
    line = f"    g_x = {inner}"
    lines = wrapped(line)
    assert code("\n".join(lines)) == code(line)
    if len(line) < HOPELESS and depth < 8:
        assert max(map(len, lines)) <= LONGEST
