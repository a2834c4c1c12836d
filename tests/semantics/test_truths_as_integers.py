"""Truth values where NumPy and Python ask for integers: some functions take those of Python, some
those of NumPy, some take False alone, and the others raise their own errors.
"""

import numpy as np

from control.one_object import check_calls, function_of
from helpers import each

CALLS = [(np.array(x),) for x in ([1.0, 2.0, 3.0], [-1.0, 2.0, 5.0], [2.0, 7.0, 1.0])]
TRUTHS = {
    "of NumPy": "x[0] > 0",
    "of Python": "bool(x[0] > 0)",
    "array": "np.array(x[0] > 0)",
    "constant": "np.bool_(True)",
}
USES = {
    "shapes": [
        "np.zeros(b)",
        "np.eye(b)",
        "np.tri(b)",
        "np.full(b, 1.0)",
        "np.reshape(x, (-1, b))",
    ],
    "lengths": ["np.linspace(0, 1, b)", "np.arange(b)", "np.broadcast_to(x[:1], (b,))"],
    "axes": ["np.sum(x, axis=b)", "np.cumsum(np.ones((2, 2)), axis=b)", "x.sum(b)"],
    "moved axes": ["np.expand_dims(x, b)", "np.moveaxis(np.ones((2, 2)), b, 0)", "np.sort(m, b)"],
    "joined": ["np.concatenate([x, x], axis=b)", "np.stack([x, x], b)", "np.tile(x, b)"],
    "slices": ["x[b:]", "x[:b]", "np.ones((2, 2))[b:, 0]", "[1, 2][b:]", "list(x)[b:]"],
    "counts": ["np.repeat(x, b)", "np.roll(x, b)", "np.diff(x, b)", "range(b)[0]"],
    "places": ["np.delete(x, b)", "np.insert(x, b, 1.0)", "np.take(x, b)", "np.around(x, b)"],
    "diagonals": ["np.diag(x, b)", "np.triu(m, b)", "np.trace(m, b)", "np.rot90(m, b)"],
    "options": [
        "np.sum(x, keepdims=b)",
        "np.var(x, ddof=b)",
        "np.pad(x, b)",
        "np.max(x, initial=b)",
    ],
    "operands": ["np.where(b, x, 1)", "np.clip(x, b, 2)", "np.dot(x, b)", "np.append(x, b)"],
}


def tried(expression):
    return f"try:\n    r.append({expression})\nexcept Exception as e:\n    r.append(str(e))\n"


@each("truth", TRUTHS)
@each("use", USES)
def test_with_a_handler(truth, use):
    uses = "".join(map(tried, USES[use]))
    start = f"r = []\nm = np.ones((2, 2))\nb = {TRUTHS[truth]}\n"
    check_calls(function_of(f"{start}{uses}return r", "x"), *CALLS)


@each("truth", ["of NumPy", "of Python"])
@each("use", ["np.zeros(b)", "x[b:]", "np.diff(x, b)", "np.delete(x, b)", "np.sum(x, axis=b)"])
def test_without_a_handler(truth, use):
    check_calls(function_of(f"b = {TRUTHS[truth]}\nreturn {use}", "x"), *CALLS, messages=False)


@each(
    "body",
    [
        "return +np.abs(bool(x[1] > 0)) if x[0] < 0 else x[0]",
        "for v in x:\n    if v < 0:\n        v = v + (+np.bool_(True))\nreturn x[0]",
        "return (x[1] in 5) if x[0] < 0 else x[0]",
        "return x[0] if x[0] > 0 else -np.array([True])",
    ],
)
def test_errors_of_paths(body):
    check_calls(function_of(body, "x"), *CALLS, messages=False)


@each(
    "expression",
    [
        "-(x > 1)",
        "+(x > 1)",
        "x & 1",
        "~x",
        "np.floor_divide(x, 1j)",
        "np.gcd(x, 2)",
        "5 in len(x)",
    ],
)
def test_errors_have_the_names_of_their_classes(expression):
    handler = "except Exception as error:\n    return type(error).__name__, str(error)"
    check_calls(function_of(f"try:\n    return {expression}\n{handler}", "x"), *CALLS)
