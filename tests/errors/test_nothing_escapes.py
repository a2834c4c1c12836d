"""Whatever is called on a traced value works as in Python and NumPy, or is refused by us.

The functions, methods and operators are enumerated, not chosen: what gradsmith does not know is
among them.
"""

# ruff: noqa: SIM905

from __future__ import annotations

import builtins
import itertools
import math
import operator
import types

import numpy as np
import pytest

from errors.escapes import complaint
from helpers import groups, spread

# Results that differ by nature, and functions about files and settings.
SKIPPED = set(
    "empty empty_like ndarray info test show_config show_runtime save savez savez_compressed "
    "savetxt load loadtxt genfromtxt fromfile fromregex memmap set_printoptions setbufsize seterr "
    "seterrcall printoptions errstate get_include DataSource busdaycalendar".split()
)
# NumPy looks at values for these, or is stricter about types for no reason that matters.
LOOSE = {"geomspace", "diag_indices_from", "tril_indices_from", "triu_indices_from", "unstack"}
LOOSE |= {"result_type", "block", "broadcast_to"}

CALLS = ["{}(v)", "{}(v, v)", "{}(v, 1)", "{}(1, v)", "{}([v, v])", "{}(v, v, 1)"]


def functions(module, name):
    for attribute in sorted(dir(module)):
        value = getattr(module, attribute)
        hidden = attribute.startswith("_") or attribute in SKIPPED
        error = isinstance(value, type) and issubclass(value, BaseException)
        if (
            callable(value)
            and not hidden
            and not error
            and not isinstance(value, types.ModuleType)
        ):
            yield f"{name}.{attribute}"


NUMPYS = [
    *functions(np, "np"),
    *functions(np.linalg, "np.linalg"),
    *functions(np.fft, "np.fft"),
]


WAYS = [*itertools.product(CALLS, "xA"), *(("{}(v)", kind) for kind in "nzsi")]
OF_NUMPY = spread(2, NUMPYS, WAYS)


@pytest.mark.parametrize("functions", groups(NUMPYS, 6), ids=" ".join)
def test_functions_of_numpy(functions):
    found = []
    for function, (call, kind) in OF_NUMPY:
        if function in functions:
            loose = function.rpartition(".")[2] in LOOSE or function == "np.linalg.tensordot"
            found.append(complaint("return " + call.format(function), kind, loose=loose))
    assert not list(filter(None, found))


METHODS = sorted(
    n for n in dir(np.ndarray) if not n.startswith("_") and n not in ("dump", "tofile")
)
METHOD_CALLS = [
    "()",
    "(0)",
    "(1)",
    "(v)",
    "(0, 1)",
    "((1,))",
    "([0, 1])",
    "('float32')",
    "(axis=0)",
]


@pytest.mark.parametrize("methods", groups(METHODS, 6), ids=" ".join)
def test_attributes_and_methods_of_arrays(methods):
    found = [complaint(f"return v.{method}", kind) for method in methods for kind in "xAnzsfi"]
    found += [
        complaint(f"return v.{method}{call}", kind)
        for method in methods
        for call in METHOD_CALLS
        for kind in "xs"
    ]
    assert not [text for text in found if text and "built-in method" not in text]


# These look at the caller, make classes, or work on text.
NOT_NUMBERS = set(
    "print input open exit quit help exec eval compile breakpoint license copyright credits "
    "globals locals vars memoryview delattr setattr classmethod staticmethod property super id "
    "object dir type iter aiter anext str repr ascii format".split()
)
PYTHONS = [
    *(f for f in functions(builtins, "builtins") if f.rpartition(".")[2] not in NOT_NUMBERS),
    *functions(math, "math"),
    *functions(operator, "operator"),
]
PYTHON_CALLS = ["({})", "({}, 2)", "({0}, {0})", "(2, {})", "([{0}, {0}])", "(abs, [{0}, {0}])"]
# Python's own numbers are told apart from arrays by their values, or by what is in them.
MAY_DIFFER = {
    "builtins.round",
    "builtins.max",
    "builtins.min",
    "builtins.divmod",
    "builtins.float",
}
MAY_DIFFER |= {f"operator.{name}" for name in ("eq", "ne", "mul", "concat", "iconcat", "countOf")}
MAY_DIFFER |= {f"math.{name}" for name in ("acos", "asin", "acosh", "atanh", "log", "log1p")}


@pytest.mark.parametrize("functions", groups(PYTHONS, 6), ids=" ".join)
def test_functions_of_python(functions):
    body = "r = {}\nreturn list(r) if hasattr(r, '__next__') else r"
    found = {
        (function, call, kind): complaint(
            body.format(function.removeprefix("builtins.") + call.format("v")),
            kind,
            loose=function in MAY_DIFFER,
        )
        for function in functions
        for call in PYTHON_CALLS
        for kind in "xsi"
    }
    assert not [text for way, text in found.items() if text and way[0] not in MAY_DIFFER]


BINARY = ["+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"]
COMPARE = ["<", "<=", ">", ">=", "==", "!=", "in", "not in", "is", "and", "or"]
OPERANDS = ["2", "0", "2.5", "1j", "True", "None", "'a'", "[1.0, 2.0, 3.0]", "(1.0, 2.0, 3.0)"]
OPERANDS += ["{}", "{1.0}", "range(3)", "np.ones(3)", "np.ones(2)", "np.float32(2)", "object()"]
OPERANDS += ["np.array(['a', 'b', 'c'])", "np.longdouble(2)", "...", "slice(1)", "v"]


@pytest.mark.parametrize("sign", BINARY + COMPARE)
def test_operators(sign):
    found = []
    for other in OPERANDS:
        for kind in "xnsi":
            if sign == "%" and other == "'a'":
                continue  # formats
            either = sign in ("and", "or")
            found.append(complaint(f"return v {sign} {other}", kind, either=either))
            found.append(complaint(f"return {other} {sign} v", kind, either=either))
    assert not list(filter(None, found))


@pytest.mark.parametrize("sign", BINARY)
def test_augmented_operators(sign):
    found = []
    for other in OPERANDS:
        for kind in "xnsi":
            if sign == "%" and other == "'a'":
                continue
            found.append(complaint(f"v {sign}= {other}\nreturn v", kind))
            found.append(complaint(f"w = {other}\nw {sign}= v\nreturn w", kind))
    assert not list(filter(None, found))


KEYS = [
    "0",
    "-1",
    "5",
    "1.0",
    "'a'",
    "None",
    "...",
    "v * 1",
    ":",
    "1:",
    "::-1",
    "::0",
    "0, 0",
    "(0,)",
]
KEYS += ["[0]", "[0, 5]", "[]", "True", "{}", "0.5:2", "v > 1", ":, None", "..., ...", "[0.5]"]
KEYS += ["np.array([True, False])", "np.array([True, False, True])", "np.int8(1)", "v:", "2**70"]
VALUES = ["1.0", "v", "np.ones(2)", "None", "'a'", "1j"]


@pytest.mark.parametrize("key", KEYS)
def test_subscripts(key):
    found = []
    for kind in "xAns":
        found.append(complaint(f"return v[{key}]", kind))
        found.append(complaint(f"v[{key}] += 1\nreturn v", kind))
        found.append(complaint(f"del v[{key}]\nreturn v", kind))
        found += [complaint(f"v[{key}] = {value}\nreturn v", kind) for value in VALUES]
    assert not list(filter(None, found))


STATEMENTS = [
    "a, b, c = v\nreturn a",
    "a, b = v\nreturn a",
    "a, *b = v\nreturn b",
    "return [*v]",
    "return max(*v)",
    "return dict(a=v, **{'b': v})",
    "return {k: w for k, w in enumerate(v)}",
    "return {w for w in v}",
    "return v()",
    "v.attribute = 1\nreturn v",
    "v.shape = (1, -1)\nreturn v",
    "with v:\n    pass\nreturn v",
    "raise v",
    "return lambda: v",
    "return v if isinstance(v, np.ndarray) else 2 * v",
    "return v if hasattr(v, 'shape') else 2 * v",
    "return v if isinstance(v, (int, float)) else 2 * v",
    "return v * getattr(v, 'ndim', 7)",
    "return v * (type(v) is float)",
    "return {str(v): 1.0}.get('3', 2.0)",
    "return [1.0] * v",
    "return 'a' * v",
    "return [1.0, 2.0, 3.0, 4.0][v]",
    "return {1: 2.0, 3: 4.0}[v]",
    "return {1: 2.0, 3: 4.0}.get(v, 5.0)",
    "return np.arange(4.0)[v]",
    "return v in {0.7, 3}",
    "d = {}\nd[v] = 1.0\nreturn len(d)",
    "return sorted([v, v])[0]",
    "return [3, 0.7].index(v)",
    "return v.__class__ is float",
    "return np.add(v, 1, np.zeros(3))",
    "out = np.zeros(3, int)\nnp.add(v, 1.5, out=out)\nreturn out",
    "return np.add(v, 1, where=[True, False, True])",
    "return np.add(v, 1, dtype=np.float32)",
    "return np.add(v, 1, dtype=int)",
    "return np.sum(v, dtype='U3')",
    "return list(itertools.permutations([1, 2], v))",
    "return list(itertools.islice([1.0, 2.0, 3.0], v))",
    "return round(v, 1)",
    "return np.vectorize(abs)(v)",
    "return [float(w) for w in v]",
    "return __import__('copy').deepcopy([v])[0]",
    "return __import__('copy').copy(v)",
    "return v.compress([True, False, True])",
    "v.sort()\nreturn v",
    "v.put([0], 1.0)\nreturn v",
    "match v:\n    case float():\n        return 2 * v\n    case _:\n        return v",
    "match v:\n    case np.ndarray():\n        return 2 * v\n    case _:\n        return v",
    "match (1, v):\n    case (1, int()):\n        return 2 * v\n    case _:\n        return v",
    "match v:\n    case 3:\n        return 2 * v\n    case _:\n        return v",
    "return __import__('fractions').Fraction(v)",
    "return __import__('decimal').Decimal(v)",
    "return __import__('random').random() * v * 0",
    "return {len(str(v)): v} if isinstance(v, int) else v",
    "return {v.shape[0]: v}",
    "return np.extract(v > 1, v)",
    "return np.mean(v, where=v > 1)",
    "return np.add.accumulate(v)",
    "return np.sin(v, casting='no')",
    "r = []\n[r.append(w) for w in (v, v)]\nreturn r",
    "try:\n    y = float(v)\nexcept TypeError:\n    y = 7.0\nreturn y * v",
    "try:\n    y = v.nosuch\nexcept AttributeError:\n    y = 7.0\nreturn y * v",
    "with __import__('contextlib').suppress(TypeError):\n    return float(v)\nreturn 5.0",
    "return eval('v + 1')",
    "return np.lib.stride_tricks.sliding_window_view(v, 2)",
    "return np.fromiter((w for w in v), float)",
    "return np.polynomial.Polynomial([1.0, 2.0])(v)",
    "class C:\n    def __radd__(self, other):\n        return 2 * other\nreturn v + C()",
    "class C:\n    def __getitem__(self, key):\n        return 2 * key\nreturn C()[v]",
    "class C:\n    def __eq__(self, other):\n        return 5.0\nreturn v == C()",
]


@pytest.mark.parametrize("texts", groups(STATEMENTS, 6))
def test_statements(texts):
    found = [complaint(text, kind) for text in texts for kind in "xnsfi"]
    assert not list(filter(None, found))
