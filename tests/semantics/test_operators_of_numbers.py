"""Operators of Python's numbers and NumPy's scalars, in both orders: whose method gives the result
shows in its class.
"""

from __future__ import annotations

import warnings

import numpy as np

import gradsmith as gs
from control.one_object import function_of
from helpers import each

NUMBERS = [True, 2, 2.5, 1j]
KINDS = ["?", "i1", "i8", "u2", "f2", "f4", "f8", "F", "D"]
COMPARED = ["==", "!=", "<", "<=", ">", ">="]
COMPUTED = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"]
FORMS = {
    "constant": ("{number}", "x[0]"),
    "argument": ("p", "x[0]"),
    "traced": ("q", "x[0]"),
    "in containers": ("(p, q)", "(x[0], x[0])"),
}
PAIRS = [(form, number, kind) for form in FORMS for number in NUMBERS for kind in KINDS]


@each("form, number, kind", PAIRS)
def test_classes_of_results(form, number, kind):
    operators = COMPARED if form == "in containers" else COMPARED + COMPUTED
    one, other = (operand.format(number=number) for operand in FORMS[form])
    orders = (one, other), (other, one)
    texts = [f"{left} {name} {right}" for name in operators for left, right in orders]
    x = np.array([2, 1, 0]).astype(kind)
    calls = (x, number, np.array([number])), (x[::-1].copy(), number, np.array([number]))
    texts = [text for text in texts if all(_is_fine(text, *call) for call in calls)]
    values = ", ".join(f"{text}, type({text})" for text in texts)
    truths = [f"({t}) is True" for t in texts if any(f" {o} " in t for o in COMPARED)]
    function = function_of(f"q = y[0].item()\nreturn [{values}, {', '.join(truths)}]", "x, p, y")
    compiled = gs.compile(function)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for call in calls:
            assert repr(compiled(*call)) == repr(function(*call))


def _is_fine(text, x, p, y):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            eval(text, {"x": x, "p": p, "q": y[0].item()})
        except Exception:
            return False
    return True


ORDERED = [
    "(1j < x[0]) is True, type(x[0] >= 1j)",
    "(z < x[0]) is True, isinstance(z > x[0], bool), [1j < v for v in x]",
    "1j if z < x[0] else x[1]",
]


@each("expression", ORDERED)
def test_complex_numbers_leave_their_order_to_numpy(expression):
    function = function_of(f"z = complex(c, 1.0)\nreturn {expression}", "x, c")
    compiled = gs.compile(function)
    for values, c in (([2.0, 1.0], 1.5), ([1.0, 3.0], -1.5), ([0.0, 2.0], 0.0)):
        x = np.array(values)
        assert repr(compiled(x, c)) == repr(function(x, c))
