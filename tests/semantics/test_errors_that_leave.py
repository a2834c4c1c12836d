"""Errors that leave a call: their arguments, attributes, causes and contexts are Python's."""

from __future__ import annotations

import collections
import sys
import types

import pytest

import gradsmith as gs
from control.one_object import function_of

Pair = collections.namedtuple("Pair", "a b")
SETTINGS = {"a": [1]}


class Box:
    def __init__(self, v):
        self.v = v


class SlottedBox:
    __slots__ = ("v",)

    def __init__(self, v):
        self.v = v


class ModelError(Exception):
    def __init__(self, v):
        super().__init__(f"v={v}")
        self.v = v
        self.held = [Box(v), {v: 1}]


BODIES = [
    *("raise SystemExit(x)", "raise KeyboardInterrupt(x)", "raise StopIteration([x])"),
    *("raise ValueError(Box(x))", "raise ValueError(SlottedBox([x]))"),
    "raise ValueError([Box(x)] * 2, Box)",
    "raise ValueError(OrderedDict(a=x))",
    "raise ValueError({x: [x]}, Pair(x, [x]))",
    "raise ValueError({x}, frozenset([x]), range(int(x)), (1, [Box(x)]), deque([x]))",
    "raise ValueError(SimpleNamespace(a=x))",
    "raise TypeError(slice(x), slice(0, 3))",
    "raise KeyError(ValueError(x))",
    "raise ModelError(x)",
    "raise ValueError(SETTINGS, x)",
    "raise FileNotFoundError(2, 'no', f'f{x}')",
    "raise UnicodeDecodeError('utf8', b'a', 0, 1, f'{x}')",
    "return open(f'/nowhere/{x}')",
    *("return int(f'a{x}')", "return {}[(x, 1)]", "return Box(x).missing"),
    "raise ValueError(x) from KeyError((x,))",
    "raise ValueError(x) from KeyError({'q': x})",
    "error = ValueError('a'); error.box = Box(x); error.members = {x}\nraise error",
    "class Own(Exception):\n    limit = x\nraise Own(x)",
    "try:\n    raise ValueError(x)\nfinally:\n    raise KeyError(x + 1)",
    "try:\n    raise ValueError(x)\nexcept ValueError:\n    raise KeyError(x + 1)",
    "try:\n    raise ValueError(x)\nexcept ValueError as e:\n    raise KeyError(x + 1) from e",
    "try:\n    raise ValueError(x)\nexcept ValueError:\n    raise KeyError(x + 1) from None",
    "try:\n    [][5]\nexcept IndexError:\n    raise KeyError(x + 1)",
    "try:\n    raise ValueError(x)\nexcept ValueError as e:\n    e.args = (x, Box(x))\n    raise",
    "try:\n    raise ModelError(x)\nexcept ModelError as e:\n    e.held[0].v = 9\n    raise",
    "if x > 1:\n    raise ValueError(Box(x))\nreturn x",
    "if x > 1:\n    raise ValueError(x) from KeyError({'a', x})\nreturn x",
    """
try:
    if x > 1:
        raise ValueError(x)
    return x
except ValueError as e:
    if x > 2:
        raise KeyError(x) from e
    raise TypeError(f'{x}')
""",
    "for k in range(3):\n    if x > k:\n        e = ValueError(k); e.k = k; e.x = x * k\nraise e",
    "box = Box(x); box.itself = [box]\nraise ValueError(box.itself, x)",
]
if sys.version_info >= (3, 11):
    BODIES.append("raise ExceptionGroup('g', [ValueError(x), KeyError([x])])")
    BODIES.append("error = ValueError(x)\nerror.add_note(f'{x:.1f}')\nraise error")
VARIABLES = {
    "Box": Box,
    "SlottedBox": SlottedBox,
    "ModelError": ModelError,
    "Pair": Pair,
    "OrderedDict": collections.OrderedDict,
    "deque": collections.deque,
    "SimpleNamespace": types.SimpleNamespace,
    "SETTINGS": SETTINGS,
}
_OF_CLASSES = ("code", "value", "filename", "name", "reason")


def _shown(value, depth=0):
    """A value, or an error with all that led to it, by classes and texts."""
    if depth > 6:
        return "..."
    inner = depth + 1
    if isinstance(value, BaseException):
        held = [getattr(value, name, None) for name in _OF_CLASSES]
        held += [value.__cause__, value.__context__, *getattr(value, "exceptions", ())]
        parts = [value.args, vars(value), held]
        text = None if "object at" in str(value) else str(value)
        shown = [_shown(part, inner) for part in parts]
        return type(value).__name__, text, value.__suppress_context__, shown
    if isinstance(value, (list, tuple, collections.deque)):
        return type(value).__name__, [_shown(part, inner) for part in value]
    if isinstance(value, dict):
        pairs = [(_shown(k, inner), _shown(v, inner)) for k, v in value.items()]
        return type(value).__name__, pairs
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, sorted(map(repr, value))
    if isinstance(value, (Box, SlottedBox, types.SimpleNamespace)):
        held = value.v if isinstance(value, SlottedBox) else vars(value)
        return type(value).__name__, _shown(held, inner)
    return type(value).__name__, repr(value)


def _outcome(function, x):
    try:
        return _shown(function(x))
    except gs.GradsmithError as refusal:
        return "refused", str(refusal)
    except BaseException as error:
        return _shown(error)


@pytest.mark.parametrize("body", BODIES)
def test_all_that_an_error_holds(body):
    function = function_of(f"{body}\n", "x", **VARIABLES)
    compiled = gs.compile(function)
    for x in (2, 2.5, 1, 0.5, 3):
        assert _outcome(compiled, x) == _outcome(function, x)


def test_containers_from_outside_are_those():
    compiled = gs.compile(function_of("raise ValueError(SETTINGS, x)\n", "x", SETTINGS=SETTINGS))
    with pytest.raises(ValueError, match="a") as caught:
        compiled(1.5)
    assert caught.value.args[0] is SETTINGS
