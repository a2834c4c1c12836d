"""Every op on each of its samples: value, type, both modes, second order, emission, other sizes.

And the registry as a whole: nothing without samples, no argument without a status, no ufunc
forgotten.
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from gradsmith.ir import dims
from gradsmith.ir.dims import Dim
from gradsmith.ir.graph import Graph
from gradsmith.ir.intrinsics import type_of
from gradsmith.ir.op import (
    Custom,
    Each,
    Linear,
    NonDiff,
    NotImplementedRule,
    Op,
    Partials,
)
from gradsmith.ir.text import text
from gradsmith.ir.types import ArrayType
from gradsmith.ir.verify import verify
from gradsmith.ops.declare import FUNCTIONS, OPS
from gradsmith.ops.stable import LOWERINGS
from gradsmith.passes.pipeline import lower, optimise
from helpers import each, groups, run_cases, run_checks, spread
from ops.cases import (
    CASES,
    DOUBLE,
    SAMPLES,
    SINGLE,
    Case,
    difference,
    in_precision,
    is_inexact,
    noise,
    pairing,
)
from ops.graphs import (
    Traced,
    adjoint,
    bindings,
    emitted,
    finished_adjoint,
    fits,
    run,
    tangent,
    traced,
)
from ops.references import NOT_IN_NUMPY, reference
from ops.sizes import Sized

EXACT, ROUNDED = 0.0, 1e-13
UNDEFINED = frozenset({"empty"})
"""Ops whose values are nobody's business."""


def precision(*arrays: Any) -> float:
    """How much coarser than double precision the coarsest of them is."""
    kinds = {np.asarray(a).dtype for a in arrays}
    return 2.0**29 if kinds & set(DOUBLE) else 1.0


def agree(actual: Any, expected: Any, rtol: float = EXACT) -> None:
    """Of one form, dtype and shape, and the same to the last bit or to ``rtol`` of the largest."""
    assert type(actual) is type(expected)
    a, e = np.asarray(actual), np.asarray(expected)
    assert (a.dtype, a.shape) == (e.dtype, e.shape)
    if rtol == EXACT:
        np.testing.assert_array_equal(a, e)
        if e.dtype.kind == "f":
            numbers = ~np.isnan(e)
            np.testing.assert_array_equal(np.signbit(a[numbers]), np.signbit(e[numbers]))
        return
    largest = np.abs(e[np.isfinite(e)]).max(initial=0)
    np.testing.assert_allclose(a, e, rtol=rtol, atol=rtol * largest)


def all_agree(actual: Sequence[Any], expected: Sequence[Any], rtol: float = EXACT) -> None:
    for a, e in zip(actual, expected, strict=True):
        agree(a, e, rtol)


class Subject:
    """A sample of an op, traced and differentiated once for all checks."""

    def __init__(self, case: Case) -> None:
        self.case, self.args = case, case.args
        self.sized = Sized(case)

    @functools.cached_property
    def traced(self) -> Traced:
        """The op for arguments like the sample's."""
        return traced(self.case, self.args)

    @functools.cached_property
    def adjoint(self) -> Traced:
        """The adjoint of that."""
        return adjoint(self.traced)

    @functools.cached_property
    def in_double(self) -> Derivatives:
        """The derivatives in double precision."""
        values = [in_precision(a, DOUBLE) for a in self.args]
        if all(wide is given for wide, given in zip(values, self.args, strict=True)):
            return Derivatives(self.traced, self.adjoint, values, self.case.random)
        primal = traced(self.case, values)
        return Derivatives(primal, adjoint(primal), values, self.case.random)


# -- values and types ----------------------------------------------------------------------------


def check_value_and_type(subject: Subject) -> None:
    case, graph = subject.case, subject.traced.graph
    values = run(graph, case.args)
    exact = case.op.name not in NOT_IN_NUMPY
    rtol = EXACT if exact else rounding(case.args)
    for value, result, expected in zip(values, graph.results, by_numpy(case, graph), strict=True):
        check_type(result.array_type, value, bindings(graph, case.args))
        agree(value, expected, rtol)


def by_numpy(case: Case, graph: Graph) -> list[Any]:
    """What NumPy itself makes of it.

    Ufuncs make NumPy's scalars of Python numbers, Python's own operators make Python numbers.
    """
    with np.errstate(all="ignore"):
        value = reference(case.op.name)(*case.args, **case.sample.attrs)
    values = value if isinstance(value, tuple) else (value,)
    weak = [result.array_type.weak for result in graph.results]
    return [np.asarray(v).item() if w else v for v, w in zip(values, weak, strict=True)]


def check_type(type_: ArrayType, value: Any, sizes: Any) -> None:
    found = type_of(value)
    shape = tuple(
        real if dims.is_unbacked(size) else dims.evaluate(size, sizes)
        for size, real in zip(type_.shape, found.shape, strict=True)
    )
    assert found == ArrayType(type_.dtype, shape, type_.form)


# -- derivatives ---------------------------------------------------------------------------------


class Derivatives:
    """A function at a point, its graph and that of its adjoint, a seed and directions."""

    def __init__(
        self, primal: Traced, adjoint: Traced, values: Sequence[Any], random: Any
    ) -> None:
        self.random = random
        self.primal, self.adjoint = primal, adjoint
        self.graph = primal.graph
        self.values = list(values)
        self.seeds = [noise(random, r) for r in self.results(self.values)]
        self.directions = [noise(random, v) if is_inexact(v) else None for v in values]

    def results(self, values: Sequence[Any]) -> list[Any]:
        """The floating ones."""
        return [r for r in run(self.graph, values) if is_inexact(r)]

    @property
    def moving(self) -> list[Any]:
        return [d for d in self.directions if d is not None]

    @functools.cached_property
    def gradients(self) -> Sequence[Any]:
        return run(self.adjoint.graph, [*self.values, *self.seeds])

    @property
    def tangents(self) -> Sequence[Any]:
        return run(tangent(self.primal).graph, [*self.values, *self.moving])

    def check_by_differences(self, rtol: float) -> None:
        """Reverse mode against the difference along the directions."""
        results = self.results(self.values)
        single = precision(*results, *self.values) > 1  # an attribute asks for it
        step, rtol = (0.05, 1e-4) if single else (1e-3, rtol)
        slopes = difference(self.results, self.values, self.directions, step)
        expected, size = pairing(self.seeds, slopes)
        actual, own_size = pairing(self.gradients, self.moving)
        _, level = pairing(self.seeds, results)
        reach = sum(float(np.abs(seed).sum()) for seed in self.seeds)
        # rounding errors of the slopes and of the values, truncation errors of the stencil
        tolerance = rtol * (size + own_size + 1e-3 * level) + 100 * step**4 * reach
        np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def check_reverse_mode_by_differences(subject: Subject) -> None:
    subject.in_double.check_by_differences(1e-7)


def check_forward_mode_is_adjoint_to_reverse_mode(subject: Subject) -> None:
    point = subject.in_double
    with np.errstate(all="ignore"):
        left, size = pairing(point.seeds, point.tangents)
        right, other = pairing(point.gradients, point.moving)
    if np.isfinite(left) or np.isfinite(right):
        rtol = 1e-12 * precision(*point.seeds)
        np.testing.assert_allclose(left, right, rtol=0, atol=rtol * (size + other))


def check_second_order_by_differences(subject: Subject) -> None:
    first = subject.in_double
    values = [*first.values, *first.seeds]
    second = adjoint(first.adjoint)
    Derivatives(first.adjoint, second, values, first.random).check_by_differences(1e-7)


def seeds_for(case: Case, results: Sequence[Any]) -> list[Any]:
    """One for each floating result."""
    return [noise(case.random, r) for r in results if is_inexact(r)]


def check_gradients_in_single_precision(subject: Subject) -> None:
    """They have the dtype of their inputs, and are those in double precision but for rounding."""
    case = subject.case
    values = [in_precision(a, SINGLE) for a in case.args]
    function = traced(case, values)
    seeds = seeds_for(case, run(function.graph, values))
    found = run(adjoint(function).graph, [*values, *seeds])
    inputs = [v for v in values if is_inexact(v)]
    for gradient, value in zip(found, inputs, strict=True):
        exact = type_of(value)
        assert (np.asarray(gradient).dtype, np.shape(gradient)) == (exact.dtype, exact.shape)
    if case.sample.smooth:
        wide = [in_precision(v, DOUBLE) for v in (*values, *seeds)]
        expected = run(adjoint(traced(case, wide[: len(values)])).graph, wide)
        for gradient, model in zip(found, expected, strict=True):
            largest = np.abs(model).max(initial=0)
            np.testing.assert_allclose(gradient, model, rtol=1e-4, atol=1e-4 * largest)


# -- passes and emission -------------------------------------------------------------------------


def check_emitted_code(subject: Subject) -> None:
    check_emission(subject.traced.graph, subject.args, defined(subject.case))


def check_emitted_adjoint(subject: Subject) -> None:
    case, primal, gradient = subject.case, subject.traced, subject.adjoint.graph
    results = run(primal.graph, case.args)
    values = [*case.args, *seeds_for(case, results)]
    check_emission(gradient, values)
    finished = verify(finished_adjoint(primal).graph)
    found, expected = run(lower(optimise(finished)), values), run(gradient, values)
    # the driver makes scalars of gradients without axes
    all_agree([*map(np.asarray, found)], [*map(np.asarray, expected)], rounding(values))


def defined(case: Case) -> bool:
    return case.op.name not in UNDEFINED


def check_emission(graph: Graph, values: Sequence[Any], defined: bool = True) -> None:
    """Emitted code against the interpreter, as traced and after the passes."""
    expected = run(graph, values)
    better = verify(optimise(graph))
    assert text(verify(optimise(better))) == text(better)
    lowered = verify(lower(better))
    rounded = rounding(values)
    stages = {text(lowered): (lowered, rounded), text(better): (better, rounded)}
    stages[text(graph)] = graph, EXACT  # a stage that changes nothing has the same code
    for stage, rtol in reversed(stages.values()):
        function, given = emitted(stage), [owned(v) for v in values]
        found = function(*given)
        if defined:
            evaluated = expected if stage is graph else run(stage, values)
            all_agree(evaluated, expected, rtol)
            all_agree(found, evaluated, rounding_of_emission(stage, values))
        all_agree(given, values)
    check_ownership(function, given, found, defined)


def rounding_of_emission(graph: Graph, values: Sequence[Any]) -> float:
    """None, unless it holds composite ops, which `lower` still has to write out.

    By themselves they are emitted in a shorter form than they are evaluated by, exp(x - y), whose
    relative error is the absolute one of x and y.
    """
    if not any(node.op in LOWERINGS for node in graph.nodes):
        return EXACT
    finite = [np.abs(v)[np.isfinite(v)].max(initial=1) for v in map(np.asarray, values)]
    return ROUNDED * precision(*values) * max(finite)


def rounding(values: Sequence[Any]) -> float:
    return ROUNDED * precision(*values)


def owned(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def check_ownership(
    function: Any, given: Sequence[Any], found: Sequence[Any], defined: bool
) -> None:
    """Whatever is written into the results changes nothing else."""
    arrays = [r for r in found if isinstance(r, np.ndarray)]
    kept = [owned(v) for v in (*given, *found)]
    for position, array in enumerate(arrays):
        assert array.flags.writeable
        others = [*given, *arrays[:position]]
        assert not any(np.shares_memory(array, o) for o in others if isinstance(o, np.ndarray))
        array[...] = 1 - array if array.dtype.kind != "b" else ~array
    again = function(*given)
    all_agree(given, kept[: len(given)])
    if defined:
        all_agree(again, kept[len(given) :])


# -- other sizes ---------------------------------------------------------------------------------


def check_at_another_size(subject: Subject) -> None:
    case, sized = subject.case, subject.sized
    graph, values = sized.traced.graph, sized.larger
    if sized.refused:
        return
    found, expected = run(graph, values), by_numpy(sized.anew.case, graph)
    all_agree(found, expected, EXACT if case.op.name not in NOT_IN_NUMPY else rounding(values))
    for value, result in zip(found, graph.results, strict=True):
        check_type(result.array_type, value, bindings(graph, values))
    if defined(case):
        all_agree(emitted(lower(optimise(graph)))(*values), found, rounding(values))


def check_adjoint_at_another_size(subject: Subject) -> None:
    """What was traced at one size and is run at another is what is traced there."""
    case, sized = subject.case, subject.sized
    graph, values = adjoint(sized.traced).graph, sized.larger
    if sized.refused:
        return
    results = run(sized.traced.graph, values)
    seeds = seeds_for(case, results)
    if not fits(graph, [*values, *seeds]):
        return
    anew = sized.anew
    expected = run(adjoint(anew.traced).graph, [*anew.values, *seeds])
    found = run(graph, [*values, *seeds])
    all_agree(found, expected)
    lowered = lower(optimise(graph))
    all_agree(emitted(lowered)(*values, *seeds), expected, rounding(values))


CHECKS_OF_VALUES = [check_value_and_type, check_emitted_code, check_at_another_size]
CHECKS_OF_GRADIENTS = [
    check_forward_mode_is_adjoint_to_reverse_mode,
    check_gradients_in_single_precision,
]
CROSSED = [check_emitted_adjoint, check_adjoint_at_another_size]
"""Half of what the samples cost: each of them for every second sample."""
CHECKS_BY_DIFFERENCES = [check_reverse_mode_by_differences, check_second_order_by_differences]


CHECKS_OF_CASE: dict[str, list[Any]] = {case.id: [] for case in CASES}
for _case, _check in spread(2, CASES, CROSSED):
    CHECKS_OF_CASE[_case.id].append(_check)


def numbered(names: Sequence[str]) -> list[Any]:
    """Of each op its cases, in tests of at most eight."""
    own = {name: [case for case in CASES if case.op.name == name] for name in names}
    parts = {name: groups(cases, 8) for name, cases in own.items()}
    return [
        pytest.param(part, id=f"{name}-{i}")
        for name in names
        for i, part in enumerate(parts[name])
    ]


@pytest.mark.parametrize("cases", numbered(list(SAMPLES)))
def test_samples(cases: Sequence[Case]) -> None:
    run_cases(check_sample, cases, operator.attrgetter("id"))


def check_sample(case: Case) -> None:
    """Everything that must hold of an op."""
    checks = list(CHECKS_OF_VALUES)
    if case.differentiable:
        checks += CHECKS_OF_GRADIENTS + CHECKS_OF_CASE[case.id]
        checks += CHECKS_BY_DIFFERENCES if case.sample.smooth else []
    run_checks(checks, Subject(case))


@each("name", SAMPLES)
def test_some_sample_grows(name: str) -> None:
    """Lest the two checks above pass by testing nothing."""
    sized = [Sized(case) for case in CASES if case.op.name == name]
    sized = [s for s in sized if s.integers or any(isinstance(d, Dim) for d in s.dims)]
    assert not sized or not all(s.refused for s in sized)


# -- the registry --------------------------------------------------------------------------------

STRUCTURAL = {
    "parameter": "an input: the interpreter and the code generator know it",
    "constant": "a literal; every test with Python numbers has some",
    "size": "a symbolic size; see the tests of sizes",
    "item": "reads one of several results",
    "at_least_zero": "an identity: tests/semantics/test_zero_distances.py",
    "itself": "an identity: tests/semantics/test_borrowed_arrays.py",
    "distinct": "an identity with a token: tests of functions called twice",
    "stop_gradient": "an identity without derivative: finite differences say otherwise",
    "finished_gradient": "the same",
    "through": "made at the end: tests/passes/test_views.py",
    "branch": "runs regions: tests/autodiff, tests/codegen and tests/control",
    "loop": "the same",
    "checkpoint": "runs a region: tests/control/test_checkpoints.py",
    "ahead": "an integer of two sizes: tests/control/test_checkpoints.py",
    "boxed": "a number in a list: tests/semantics/test_classes_in_lists.py",
    "boxed_rows": "the same",
    "has_dtype": "the same",
    "listed": "a list as a result: tests/api/test_listed_results.py",
    "fail": "raises an error: tests/control",
    "raises": "the same: tests/semantics/test_handled_errors.py",
    "print": "the same",
    "call": "calls what has no rule: tests/semantics/test_opaque_calls.py",
    "of_kind": "a result of such a call as an array: the same",
    "raised_call": "which error such a call raises: tests/semantics/test_handled_errors.py",
    "no_rows": "rows of an open length: tests/control/test_open_lists.py",
    "open_rows": "the same",
    "open_rows_with_room": "the same",
    "warn": "the same",
    "whole": "an integer of an array as a size: the sparse programs of tests/control",
}
"""Ops that have no samples, and why."""


def test_every_op_has_samples() -> None:
    assert set(OPS) - set(SAMPLES) == set(STRUCTURAL)
    assert all(SAMPLES.values())


@each("op", OPS.values(), ids=str)
def test_every_argument_has_a_rule_or_a_status(op: Op) -> None:
    derivative = op.derivative
    if isinstance(derivative, (NonDiff, NotImplementedRule)):
        return
    assert isinstance(derivative, (Partials, Linear, Custom))
    if isinstance(derivative, Custom):
        assert callable(derivative.jvp) or isinstance(derivative.jvp, NotImplementedRule)
    if isinstance(derivative.rules, Each):
        assert callable(derivative.rules.rule)
        return
    for rule in derivative.rules:
        assert callable(rule) or isinstance(rule, (NonDiff, NotImplementedRule))
    for sample in SAMPLES.get(op.name, ()):
        assert len(sample.args) <= len(derivative.rules)


@each("op", OPS.values(), ids=str)
def test_every_op_can_be_talked_about(op: Op) -> None:
    """Names stand in printed graphs, in error messages and in the documentation."""
    assert OPS[op.name] is op
    assert re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", op.name)
    assert callable(op.infer)
    assert callable(op.evaluate)
    assert callable(op.emit)


def dotted(function: Any) -> str:
    return f"{getattr(function, '__module__', '')}.{getattr(function, '__name__', function)}"


@each(("meant", "meaning"), FUNCTIONS.items(), ids=[dotted(f) for f in FUNCTIONS])
def test_every_meaning_has_the_parameters_of_what_is_meant(meant: Any, meaning: Any) -> None:
    """By the same names, in the same order and with the same defaults; the frontend takes care of
    ``out``, and of Python's functions, which plain values go to.
    """
    assert callable(meant)
    assert callable(meaning)
    if isinstance(meant, (np.ufunc, type)) or not dotted(meant).startswith("numpy."):
        return
    theirs, ours = keywords(meant), keywords(meaning)
    assert [name for name in ours if name in theirs] == list(theirs)
    for name, default in theirs.items():
        assert default is np._NoValue or repr(ours[name]) == repr(default)


def keywords(function: Any) -> dict[str, Any]:
    """What may be given by keyword, with defaults; nothing for the C functions that do not say."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return {}
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {p.name: p.default for p in parameters if p.kind in named and p.name != "out"}


REFUSED_UFUNCS = {
    "bitwise_count": "counts the bits of integers: no derivative, and nobody has asked for it",
    "frexp": "two results, one of them integer",
    "modf": "two results; x - np.trunc(x) is its first",
    "isnat": "of dates",
}
"""The ufuncs of NumPy that have no meaning here, and why."""


def test_no_ufunc_is_forgotten() -> None:
    ufuncs = {f for f in vars(np).values() if isinstance(f, np.ufunc)}
    missing = {f.__name__ for f in ufuncs if f not in FUNCTIONS}
    assert missing == set(REFUSED_UFUNCS) & {f.__name__ for f in ufuncs}
