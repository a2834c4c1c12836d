"""What must hold of any program at all: it does what Python does, or it is refused by us."""

from __future__ import annotations

import functools
import itertools
import linecache
import math
import operator
import warnings

import numpy as np

import gradsmith as gs

ARGUMENTS = {
    "x": np.array([0.5, 1.25, 2.0]),
    "A": np.array([[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 4.0]]),
    "n": np.array([1, 0, 2]),
    "z": np.array([0.5 + 2j, 1.25, -1j]),
    "s": 0.7,
    "f": np.float32(0.7),
    "i": 3,
}
NAMESPACE = {"np": np, "math": math, "operator": operator, "itertools": itertools}
_numbers = itertools.count()


@functools.lru_cache(maxsize=64)
def program(text, variable="v"):
    """A function with a source, of one variable: the same for each kind of argument, so that its
    source is rewritten once.
    """
    name = f"<escapes {next(_numbers)}>"
    lines = [f"def f({variable}):\n", *(f"    {line}\n" for line in text.splitlines())]
    linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
    namespace = NAMESPACE | {"__name__": "escapes"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # `2 is v`
        exec(compile("".join(lines), name, "exec"), namespace)
    return namespace["f"]


def same(left, right):
    """Whether two results agree: structure, shapes, dtypes and values."""
    if isinstance(left, (tuple, list)):
        pairs = zip(left, right, strict=False)
        return len(left) == len(right) and all(same(a, b) for a, b in pairs)
    if isinstance(left, dict):
        return left.keys() == right.keys() and same([*left.values()], [*right.values()])
    if left is None or isinstance(left, (str, type, set, np.dtype)):
        return left == right
    left, right = np.asarray(left), np.asarray(right)
    if left.dtype == object:
        return repr(left) == repr(right)
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.dtype.kind in "SU":
        return bool((left == right).all())
    return bool(np.allclose(left, right, rtol=1e-9, equal_nan=True))


def copied(value):
    return value.copy() if isinstance(value, np.ndarray) else value


def outcome(call, argument):
    """The result, or the error."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return call(copied(argument))
        except Exception as error:
            return error


def equal(left, right):
    """Whether two numbers are, whatever their types."""
    try:
        return bool(np.shape(left) == np.shape(right) and np.allclose(left, right, equal_nan=True))
    except TypeError:
        return False


def complaint(text, kind, *, loose=False, either=False):
    """What is wrong with how a program is compiled, or None.

    ``loose`` says that a result is fine where Python has none; ``either`` that it is one of two
    values, of a type for both.
    """
    plain = program(text)
    expected = outcome(plain, ARGUMENTS[kind])
    actual = outcome(gs.compile(plain), ARGUMENTS[kind])
    if isinstance(actual, gs.GradsmithError):
        internal = type(actual).__name__ == "InternalError"
        return f"{text!r} on {kind}: {actual!r}" if internal else None
    if isinstance(actual, Exception):
        fine = type(actual) is type(expected) and "Tracer" not in str(actual)
        return None if fine else f"{text!r} on {kind}: {actual!r} for {expected!r}"
    if isinstance(expected, Exception):
        return None if loose else f"{text!r} on {kind}: {actual!r} for {expected!r}"
    if either and equal(expected, actual):
        return None
    return None if same(expected, actual) else f"{text!r} on {kind}: {actual!r} for {expected!r}"
