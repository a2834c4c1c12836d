"""What must hold of a mixed program: values to the bit, derivatives, and the world outside."""

from __future__ import annotations

import ast
import contextlib
import copy
import io
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import gradsmith as gs
from gradsmith.errors import InternalError
from programs.harness import copied
from programs.mixed_programs import SETS, arguments, drawn, is_single, loaded

Run = Callable[..., Any]
PLACES = (0, 1, 2, 3, 4)
"""Of the arguments that are differentiated."""
CALLS = (0, 1, 2, 0)
STEP = 1e-4
NEAR = 2e-5
DECIDING = {"int", "round", "bool", "len"}
DECIDING_METHODS = {"floor", "argmax", "argsort", "index", "is_integer", "integers", "flatnonzero"}


class RefusedError(Exception):
    """The program is refused, for a reason that its cause gives."""


class WrongError(AssertionError):
    """The program does something else than Python."""


class ClassError(WrongError):
    """A number is right, and of NumPy's class where it is Python's, or the other way round."""


# --- what decides


class Watched(ast.NodeTransformer):
    """Hands what a program decides by to ``decided``."""

    def logged(self, node: ast.expr) -> ast.expr:
        call = ast.Call(ast.Name("decided", ast.Load()), [node], [])
        return ast.copy_location(call, node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        return self.logged(node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        function = node.func
        decides = (isinstance(function, ast.Name) and function.id in DECIDING) or (
            isinstance(function, ast.Attribute) and function.attr in DECIDING_METHODS
        )
        return self.logged(node) if decides else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.FloorDiv):
            return self.logged(node)
        return node


class Watch:
    """The same program in double precision, and the log of its decisions."""

    def __init__(self, source: str) -> None:
        tree = ast.fix_missing_locations(Watched().visit(ast.parse(source)))
        self.log: list[Any] = []
        self.names: dict[str, Any] = {"__name__": "watched", "decided": self.decided}
        exec(compile(tree, "<watched>", "exec", dont_inherit=True), self.names)

    def decided(self, value: Any) -> Any:
        self.log.append(np.asarray(value).tolist() if isinstance(value, np.ndarray) else value)
        return value

    def __call__(self, args: tuple[Any, ...]) -> tuple[float, list[Any]]:
        self.log.clear()
        self.names["reset"]()
        with quiet():
            value = float(self.names["loss"](*args))
        return value, copy.deepcopy(self.log)


@contextlib.contextmanager
def quiet() -> Any:
    """Neither output nor warnings; yields the output."""
    out = io.StringIO()
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(out):
        warnings.simplefilter("ignore")
        yield out


# --- values


def difference(found: Any, expected: Any, path: str = "") -> str | None:
    """Where two results differ in type, structure, dtype or bits."""
    if type(found) is not type(expected):
        return (
            f"{path}: {type(found).__name__} {found!r} for {type(expected).__name__} {expected!r}"
        )
    if isinstance(expected, dict):
        if list(found) != list(expected):
            return f"{path}: keys {list(found)} for {list(expected)}"
        pairs = [(f"{path}[{key!r}]", found[key], expected[key]) for key in expected]
    elif isinstance(expected, (list, tuple)):
        if len(found) != len(expected):
            return f"{path}: {found!r} for {expected!r}"
        pairs = [
            (f"{path}[{j}]", *both) for j, both in enumerate(zip(found, expected, strict=True))
        ]
    elif isinstance(expected, np.ndarray):
        same = found.dtype == expected.dtype and found.shape == expected.shape
        equal = same and np.array_equal(found, expected, equal_nan=found.dtype.kind == "f")
        return None if equal else f"{path}: {found!r} for {expected!r}"
    else:
        return None if repr(found) == repr(expected) else f"{path}: {found!r} for {expected!r}"
    return next((text for p, f, e in pairs if (text := difference(f, e, p))), None)


def demand(condition: Any, text: str) -> None:
    if not condition:
        raise WrongError(text)


def same(found: Any, expected: Any, what: str) -> None:
    text = difference(found, expected)
    if text is not None and difference(by_python(found), by_python(expected)) is None:
        raise ClassError(f"{what}{text}")
    demand(text is None, f"{what}{text}")


def by_python(value: Any) -> Any:
    """The same with Python's numbers in place of NumPy's."""
    if isinstance(value, dict):
        return {key: by_python(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(by_python, value))
    return value.item() if isinstance(value, (np.float64, np.bool_)) else value


# --- one program


class Subject:
    """One program, compiled once."""

    def __init__(self, number: int, source: str) -> None:
        self.number = number
        self.names = loaded(source, f"<mixed program {number}>")
        self.watch = Watch(source)
        self.value = gs.compile(self.names["program"])
        self.gradient = gs.value_and_grad(self.names["loss"], argnums=PLACES)

    def run(self, function: Run, args: tuple[Any, ...]) -> tuple[Any, Any, str]:
        """The result, the world outside afterwards, and what was printed."""
        self.names["reset"]()
        with quiet() as out:
            found = function(*args)
        return found, copy.deepcopy(self.names["outside"]()), out.getvalue()

    def refusable(self, function: Run, args: tuple[Any, ...]) -> tuple[Any, Any, str]:
        try:
            return self.run(function, args)
        except InternalError:
            raise
        except gs.GradsmithError as error:
            raise RefusedError(str(error)) from error

    def check(self, which: int) -> None:
        args = arguments(self.number, which)
        written, expected_args = copied(args), copied(args)
        expected = self.run(self.names["program"], expected_args)
        found = self.refusable(self.value, written)
        for one, other, what in zip(found, expected, ("value", "outside", "output"), strict=True):
            same(one, other, f"{what} at {which}")
        same(written, expected_args, f"arguments at {which}")
        self.check_derivatives(which, args)

    def check_derivatives(self, which: int, args: tuple[Any, ...]) -> None:
        self.names["reset"]()
        before = copy.deepcopy(self.names["outside"]()[:-1])
        expected, _, printed = self.run(self.names["loss"], copied(args))
        given = copied(args)
        (value, gradient), outside, output = self.refusable(self.gradient, given)
        same(given, args, f"arguments of the gradient at {which}")
        same(outside[:-1], before, f"outside after the gradient at {which}")
        same(output, printed, f"output of the gradient at {which}")
        same(value, expected, f"value of the gradient at {which}")
        for place, found in zip(PLACES, gradient, strict=True):
            demand(np.asarray(found).dtype == np.asarray(args[place]).dtype, f"dtype {place}")
        self.check_along(which, args, gradient)

    def check_along(self, which: int, args: tuple[Any, ...], gradient: Any) -> None:
        """Against differences, and the forward mode."""
        random = np.random.default_rng([self.number, 5, which])
        along = [directions(args[place], random) for place in PLACES]
        products = [float(np.sum(g * d)) for g, d in zip(gradient, along, strict=True)]
        given = copied(args)
        tangents = (*along, None)
        (_, tangent), *_ = self.refusable(
            lambda *a: gs.jvp(self.names["loss"], a, tangents), given
        )
        same(given, args, f"arguments of the tangent at {which}")
        single = is_single(self.number)
        scale = 1 + sum(map(abs, products))
        close = abs(float(tangent) - sum(products)) < (1e-3 if single else 1e-8) * scale
        demand(close, f"tangent at {which}: {float(tangent)} for {sum(products)}")
        for place in PLACES:
            slope = self.slope(args, place, along[place], single)
            if slope is not None:
                limit = (2e-3 if single else NEAR) * (1 + abs(slope) + 0.1 * scale)
                text = f"gradient at {which} of {place}: {products[place]} for {slope}"
                demand(abs(products[place] - slope) < limit, text)

    def slope(self, args: tuple[Any, ...], place: int, along: Any, single: bool) -> float | None:
        """By differences; None where decisions differ, or a kink is near."""
        points = []
        for factor in (0, 1, 2, -1, -2):
            moved = [widened(copied(a)) if single else copied(a) for a in args]
            moved[place] = moved[place] + factor * STEP * (widened(along) if single else along)
            try:
                points.append(self.watch(tuple(moved)))
            except Exception:
                return None
        values = [value for value, _ in points]
        if any(repr(log) != repr(points[0][1]) for _, log in points):
            return None
        if single and not self.decides_alike(args, points[0][1]):
            return None
        f0, f1, f2, b1, b2 = values
        ahead, behind = -3 * f0 + 4 * f1 - f2, 3 * f0 - 4 * b1 + b2
        slope = (8 * (f1 - b1) - (f2 - b2)) / (12 * STEP)
        if abs(ahead - behind) / (2 * STEP) > 1e-4 * (1 + abs(slope)):
            return None
        return slope

    def decides_alike(self, args: tuple[Any, ...], log: list[Any]) -> bool:
        return repr(self.watch(copied(args))[1]) == repr(log)


def widened(value: Any) -> Any:
    return value.astype(np.float64) if isinstance(value, np.ndarray) else value


def directions(value: Any, random: np.random.Generator) -> Any:
    noise = random.uniform(0.3, 1.0, np.shape(value)) * random.choice([-1, 1], np.shape(value))
    return noise.astype(value.dtype) if isinstance(value, np.ndarray) else float(noise)


def check(number: int, source: str | None = None) -> None:
    """Everything for one program, at three sets of arguments and the first again."""
    subject = Subject(number, drawn(number)[0] if source is None else source)
    assert max(CALLS) < len(SETS)
    for which in CALLS:
        subject.check(which)
