"""From `ast` to text: precedence, constants to the last bit, comments."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gradsmith.codegen import printer
from gradsmith.ops import syntax
from gradsmith.ops.syntax import binary, call, compare, expression, name, subscript, unary
from helpers import each

A, B, C, X = map(name, "abcx")


def shown(built: ast.expr) -> str:
    return printer.print_expression(built)


def parsed(text: str) -> str:
    return ast.dump(ast.parse(text, mode="eval").body)


# --- precedence

CASES = [
    (binary("**", unary("-", X), expression(2)), "(-x) ** 2"),
    (unary("-", binary("**", X, expression(2))), "-x ** 2"),
    (binary("**", X, unary("-", expression(2))), "x ** -2"),
    (binary("**", binary("**", A, B), C), "(a ** b) ** c"),
    (binary("**", A, binary("**", B, C)), "a ** b ** c"),
    (binary("*", A, binary("*", B, C)), "a * (b * c)"),
    (binary("*", binary("*", A, B), C), "a * b * c"),
    (binary("/", A, binary("*", B, C)), "a / (b * c)"),
    (binary("/", A, binary("/", B, C)), "a / (b / c)"),
    (binary("*", binary("/", A, B), C), "a / b * c"),
    (binary("-", A, binary("-", B, C)), "a - (b - c)"),
    (binary("-", binary("-", A, B), C), "a - b - c"),
    (binary("+", A, binary("+", B, C)), "a + (b + c)"),
    (binary("@", A, binary("*", B, C)), "a @ (b * c)"),
    (binary("@", binary("@", A, B), C), "a @ b @ c"),
    (unary("-", binary("*", A, B)), "-(a * b)"),
    (binary("*", unary("-", A), B), "-a * b"),
    (unary("-", binary("+", A, B)), "-(a + b)"),
    (binary("-", A, unary("-", B)), "a - -b"),
    (unary("-", unary("-", A)), "--a"),
    (unary("~", binary("&", A, B)), "~(a & b)"),
    (binary("&", compare("<", A, B), compare(">=", B, C)), "(a < b) & (b >= c)"),
    (compare("<", compare("<", A, B), C), "(a < b) < c"),
    (compare("==", A, compare("==", B, C)), "a == (b == c)"),
    (compare("<", binary("+", A, B), C), "a + b < c"),
    (binary("+", compare("<", A, B), C), "(a < b) + c"),
    (unary("-", compare("<", A, B)), "-(a < b)"),
    (syntax.method(binary("+", A, B), "sum", axis=0), "(a + b).sum(axis=0)"),
    (syntax.method(unary("-", A), "sum"), "(-a).sum()"),
    (unary("-", syntax.method(A, "sum")), "-a.sum()"),
    (syntax.attribute(binary("@", A, B), "T"), "(a @ b).T"),
    (subscript(binary("*", A, B), expression(0)), "(a * b)[0]"),
    (syntax.method(expression(2), "item"), "(2).item()"),
    (syntax.attribute(expression(2.5), "real"), "(2.5).real"),
    (binary("**", expression(2), X), "2 ** x"),
    (binary("**", expression(-2), X), "(-2) ** x"),
    (binary("**", expression(-0.5), X), "(-0.5) ** x"),
    (binary("**", expression(2j), X), "2.0j ** x"),
    (binary("**", expression(-2j), X), "(-2.0j) ** x"),
    (binary("*", expression(-2), X), "-2 * x"),
    (binary("-", X, expression(-2)), "x - -2"),
    (binary("%", A, binary("//", B, C)), "a % (b // c)"),
    (binary("<<", A, binary("+", B, C)), "a << b + c"),
    (binary("<<", binary("<<", A, B), C), "a << b << c"),
    (binary("|", A, binary("^", B, C)), "a | b ^ c"),
    (binary("^", binary("|", A, B), C), "(a | b) ^ c"),
]


@each(("built", "text"), CASES, ids=[text for _, text in CASES])
def test_precedence(built, text):
    assert parsed(shown(built)) == ast.dump(built)
    assert parsed(text) == ast.dump(built)


@each(
    "text",
    [
        "x[1:]",
        "x[:-1]",
        "x[::2]",
        "x[n - 1:0:-1]",
        "x[..., None]",
        "x[:, None]",
        "x[None]",
        "x[...]",
        "x[()]",
        "x[1:, :-1, i]",
        "x[a < b]",
        "x[a[1:]]",
        "x[(a, b)]",
        "x[-1]",
        "x[1:][0]",
        "x[2 * n:]",
        "f(x)[0].T",
        "f(*a, **b)",
        "np.add.at(x, (slice(None), i), v)",
        "a if b else c",
        "(a if b else c) + 1",
        "a + (b if a else c) * 2",
        "(a if b else c).sum()",
        "sum(a if b else c for a in x)",
        "a and b or c",
        "a and (b or c)",
        "not a",
        "(not a) + b",
        "a < b < c",
        "(a, b)",
        "(a,)",
        "()",
        "[a, (b, c)]",
        "{'a': a, 'b': {'c': (c,)}}",
        "lambda x: x + 1",
        "f(key=(a, b))",
        "'it\\'s'",
    ],
)
def test_constructs_survive(text):
    built = ast.parse(text, mode="eval").body
    assert parsed(shown(built)) == ast.dump(built)


OPERATORS = st.sampled_from(sorted(syntax.BINARY))
LEAVES = st.one_of(
    st.sampled_from(["a", "b", "x"]).map(name),
    st.integers(-9, 9).map(expression),
    st.floats(-4, 4, width=16).map(expression),
    st.sampled_from([1j, -1j]).map(expression),
)


def _extended(inner: st.SearchStrategy[ast.expr]) -> st.SearchStrategy[ast.expr]:
    return st.one_of(
        st.builds(binary, OPERATORS, inner, inner),
        st.builds(unary, st.sampled_from("-+~"), inner),
        st.builds(compare, st.sampled_from(sorted(syntax.COMPARE)), inner, inner),
        st.builds(lambda x: syntax.method(x, "sum", axis=0), inner),
        st.builds(lambda x: syntax.attribute(x, "T"), inner),
        st.builds(subscript, inner, inner),
        st.builds(lambda x, y: subscript(x, ast.Slice(y, None, None)), inner, inner),
        st.builds(lambda x, y: call("np.maximum", x, y), inner, inner),
        st.builds(ast.IfExp, inner, inner, inner),
    )


@given(st.recursive(LEAVES, _extended, max_leaves=12))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_any_expression_is_read_back_as_it_was(built):
    assert parsed(shown(built)) == ast.dump(built)


# --- constants

CONSTANTS: list[Any] = [
    *(0, 1, -1, 10**30, -(10**30), 2**63, True, False),
    *(0.0, -0.0, 0.1, -2.5, 1e-05, 1e22, 1e16, 5e-324, 1.7976931348623157e308, 123456789.125),
    *(math.inf, -math.inf, math.nan),
    *(1j, -1j, 0 - 1j, complex(-0.0, 1), complex(0, -0.0), complex(-0.0, -0.0), 0j, 1 + 2j),
    *(complex(math.nan, 1), complex(math.inf, -0.0), complex(1, -math.inf), -3 - 0.5j),
    *(np.float64(0.1), np.float64(-0.0), np.float64("nan"), np.float64("-inf")),
    *(np.float32(0.1), np.float32(1e-45), np.float32(16777217), np.float16(0.1), np.float16(6e4)),
    *(np.int8(-128), np.uint8(255), np.int64(-(2**63)), np.uint64(2**64 - 1)),
    *(np.complex128(1 - 1j), np.complex64(0.1j), np.complex64(complex(-0.0, -1))),
]


def bits(value: Any) -> Any:
    """All that tells two numbers apart; Python's integers by their value."""
    if isinstance(value, int):
        return type(value), value
    array = np.asarray(value)
    return type(value), array.dtype, array.shape, array.tobytes()


@each("value", CONSTANTS, ids=lambda v: f"{type(v).__name__} {v!r}")
def test_numbers_keep_type_and_bits(value):
    text = shown(expression(value))
    assert bits(eval(text, {"np": np})) == bits(value)


@given(st.one_of(st.floats(), st.complex_numbers(), st.integers()))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_any_number_keeps_its_bits(value):
    text = shown(expression(value))
    found = eval(text, {"np": np})
    if not isinstance(value, int) and np.isnan(value):  # the bits of a nan are its own
        assert np.isnan(found)
    else:
        assert bits(found) == bits(value)


@given(st.floats(width=32, allow_nan=False))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_single_precision_keeps_its_bits_in_few_digits(value):
    text = shown(expression(np.float32(value)))
    assert bits(eval(text, {"np": np})) == bits(np.float32(value))
    assert len(text) <= len("np.float32()") + 20


@each(
    "value",
    [
        np.array([1.5, np.nan, -0.0, np.inf]),
        np.array([[1, 2], [3, 4]]),
        np.array([1, 2], np.uint8),
        np.array([0.1], np.float32),
        np.array([1j, -1j, 0 - 1j]),
        np.array([1 + 2j], np.complex64),
        np.array([[True, False]]),
        np.array(2.5),
        np.array([]),
        np.zeros((0, 3), np.float32),
        np.zeros((3, 0)),
        np.zeros((2, 0, 3), int),
        np.array([2**63], np.uint64),
    ],
    ids=lambda v: f"{v.dtype}{v.shape}",
)
def test_arrays_keep_dtype_shape_and_bits(value):
    assert bits(eval(shown(expression(value)), {"np": np})) == bits(value)


def test_numbers_are_written_in_few_digits():
    assert shown(expression(np.float32(0.1))) == "np.float32(0.1)"
    assert shown(expression(1e-5)) == "1e-05"
    assert shown(expression(-2.0)) == "-2.0"
    assert shown(expression(3)) == "3"
    assert shown(expression(math.nan)) == "np.nan"
    assert shown(expression(-math.inf)) == "-np.inf"


# --- statements and comments


def test_comments_take_their_places():
    body = [
        printer.comment(0),
        syntax.assign(A, B),
        printer.comment(1),
        ast.Return(A),
    ]
    text = printer.print_module(body, ["line 1: a = b", "line 2: return a  # {}"])
    assert text == "# line 1: a = b\na = b\n# line 2: return a  # {}\nreturn a\n"


def test_long_comments_are_cut():
    body = [printer.comment(0), ast.Return(A)]
    first, _ = printer.print_module(body, ["line 1: " + "x" * 200]).splitlines()
    assert len(first) <= 99
    assert first.startswith("# line 1: xxx")
    assert first.endswith("…")


def test_a_tuple_of_one_is_in_parentheses():
    assert printer.print_module([ast.Return(syntax.tuple_([A]))], []) == "return (a,)\n"


def test_statements_of_functions_are_indented():
    function = ast.parse("def f(a, *, b=2):\n  return a").body
    assert printer.print_module(function, []) == "def f(a, *, b=2):\n    return a\n"


def test_docstrings_stay_as_they_are():
    long = "word " * 40
    text = f'def f():\n    """Title.\n\n    {long}\n    return (1,\n    """\n    return 1\n'
    printed = printer.print_module(ast.parse(text).body, [])
    assert ast.dump(ast.parse(printed)) == ast.dump(ast.parse(text))
    assert long.rstrip() in printed
