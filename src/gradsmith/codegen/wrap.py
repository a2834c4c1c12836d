"""Lines that are too long, broken between brackets and before operators."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise

LONGEST = 99
INDENT = 4

HOPELESS = 10_000
"""What is longer is a table of numbers, and no prose."""

OPENING, CLOSING = "([{", ")]}"
UNBROKEN = (*OPENING, "**", "~", ",", ":", "=", "not")
COMPARISONS = {"<", "<=", ">", ">=", "==", "!="}
LOOSEST_FIRST = (
    {"or"},
    {"and"},
    COMPARISONS,
    {"|"},
    {"^"},
    {"&"},
    {"<<", ">>"},
    {"+", "-"},
    {"*", "/", "//", "%", "@"},
)
"""Where an expression is broken: before the operators that bind least."""


def wrapped(line: str) -> list[str]:
    """The lines that ``line``, one statement, is written in; itself where nothing helps."""
    if not LONGEST < len(line) <= HOPELESS:
        return [line]
    code = line.lstrip()
    indent = len(line) - len(code)
    lines = _definition(code, indent) if code.startswith("def ") else _statement(code, indent)
    return lines if _means(lines, code) else [line]


def _means(lines: list[str], code: str) -> bool:
    """Whether the lines are the same code: the breaking goes by the text alone."""
    rest = "\n    pass" if code.startswith("def ") else ""
    before, after = (f"def f():\n {text}{rest}" for text in (code, "\n".join(lines).lstrip()))
    try:
        return ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))
    except SyntaxError:
        return False


def _definition(code: str, indent: int) -> list[str]:
    start, end = code.index("("), code.rindex(")")
    return _between(code[: start + 1], code[start + 1 : end], code[end:], indent)


def _statement(code: str, indent: int) -> list[str]:
    value = _start_of_value(code)
    return _value(code[:value], code[value:], "", indent)


def _start_of_value(code: str) -> int:
    """Where the value stands in ``return value``, ``x = value`` and ``x += value``."""
    if code.startswith("return "):
        return len("return ")
    depth = 0
    for token in _tokens(code):
        depth += (token.string in OPENING) - (token.string in CLOSING)
        if depth == 0 and token.string.endswith("=") and token.string not in COMPARISONS:
            return token.end[1] + 1
    return 0


def _value(prefix: str, text: str, suffix: str, indent: int) -> list[str]:
    """``prefix text suffix``, broken within ``text``."""
    whole = f"{' ' * indent}{prefix}{text}{suffix}"
    if len(whole) <= LONGEST:
        return [whole]
    if _cuts(text, {","}) or _loosest(text):
        return _between(f"{prefix}(", text, f"){suffix}", indent)
    start, end = max(_outline(text)[1], key=lambda b: b[1] - b[0], default=(0, 0))
    if start == end:
        return [whole]
    return _between(prefix + text[: start + 1], text[start + 1 : end], text[end:] + suffix, indent)


def _between(head: str, inner: str, tail: str, indent: int) -> list[str]:
    """A bracket, what stands in it, and its end, on lines of their own."""
    margin = " " * indent
    return [margin + head, *_inner(inner, indent + INDENT, head[-1]), margin + tail]


def _inner(text: str, indent: int, bracket: str) -> list[str]:
    commas = _cuts(text, {","})
    if commas:
        parts = [part.strip().rstrip(",") for part in _pieces(text, [c + 1 for c in commas])]
        if bracket == "[" and all(map(_is_atom, parts)):
            return _packed(parts, indent)
        return [line for part in parts for line in _item(part, indent, bracket)]
    if indent + len(text) <= LONGEST:
        return [" " * indent + text]
    operators = _loosest(text)
    if not operators:
        return _value("", text, "", indent)
    return [line for term in _pieces(text, operators) for line in _term(term.strip(), indent)]


def _term(text: str, indent: int) -> list[str]:
    """One of several, after the operator before it."""
    found = re.match(r"(?:[^\w\s([{'\"~.-]+|-|and|or) ", text)
    sign = found.group() if found else ""
    return _value(sign, text[len(sign) :], "", indent)


def _is_atom(text: str) -> bool:
    """Whether it is a number or a name."""
    return not re.search(r"[^\w.+-]", text)


def _packed(parts: list[str], indent: int) -> list[str]:
    """Items, as many to a line as fit."""
    lines = [" " * indent]
    for part in parts:
        if len(lines[-1]) + len(part) + 1 > LONGEST:
            lines[-1] = lines[-1].rstrip()
            lines.append(" " * indent)
        lines[-1] += f"{part}, "
    return [*lines[:-1], lines[-1].rstrip()]


def _item(part: str, indent: int, bracket: str) -> list[str]:
    """One of several between brackets; of a dict, a key and its value."""
    colons = _cuts(part, {":"}) if bracket == "{" else []
    key = part[: colons[0] + 2] if colons else ""
    return _value(key, part[len(key) :], ",", indent)


def _pieces(text: str, cuts: Iterable[int]) -> list[str]:
    places = [0, *cuts, len(text)]
    return [text[a:b] for a, b in pairwise(places) if text[a:b].strip()]


def _cuts(text: str, symbols: set[str]) -> list[int]:
    """Where these symbols stand in ``text`` outside of brackets, between operands."""
    return [place for symbol, place in _outline(text)[0] if symbol in symbols]


@lru_cache(maxsize=64)
def _outline(text: str) -> tuple[list[tuple[str, int]], list[tuple[int, int]]]:
    """What stands outside of brackets: the symbols between operands, and the brackets."""
    symbols: list[tuple[str, int]] = []
    brackets: list[tuple[int, int]] = []
    opened: list[int] = []
    previous = "("
    for token in _tokens(text):
        symbol, place = token.string, token.start[1]
        if symbol in OPENING:
            opened.append(place)
        elif symbol in CLOSING:
            start = opened.pop()
            brackets += [] if opened else [(start, place)]
        elif not opened and (symbol == "," or not _is_operator(previous)):
            symbols.append((symbol, place))
        previous = symbol
    return symbols, brackets


def _is_operator(symbol: str) -> bool:
    return symbol in UNBROKEN or any(symbol in symbols for symbols in LOOSEST_FIRST)


def _loosest(text: str) -> list[int]:
    """Where the operators stand that bind least."""
    return next((cuts for symbols in LOOSEST_FIRST if (cuts := _cuts(text, symbols))), [])


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    found = tokenize.generate_tokens(io.StringIO(text).readline)
    ends = (tokenize.NEWLINE, tokenize.NL, tokenize.ENDMARKER)
    return [t for t in _whole_strings(found, text) if t.type not in ends and t.string]


def _whole_strings(
    tokens: Iterable[tokenize.TokenInfo], text: str
) -> Iterator[tokenize.TokenInfo]:
    """Every f-string as one token; Python from 3.12 on gives its parts."""
    open_strings: list[tokenize.TokenInfo] = []
    for token in tokens:
        kind = tokenize.tok_name[token.type]
        if kind == "FSTRING_START":
            open_strings.append(token)
        elif not open_strings:
            yield token
        elif kind == "FSTRING_END":
            first = open_strings.pop()
            if not open_strings:
                string = text[first.start[1] : token.end[1]]
                yield tokenize.TokenInfo(
                    tokenize.STRING, string, first.start, token.end, token.line
                )
