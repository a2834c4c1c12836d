"""Programs as users write them: the value, the gradient, and what a call must leave alone.

The library is in the modules named in `FAMILIES`. The gradient's referees are differences of the
user's own function, in every number of every argument, and JAX and HIPS autograd where they can
run the program. Each check says in its name what holds for all of them.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import gradsmith as gs
from gradsmith import tree
from helpers import each, peer, run_cases, run_checks, spread
from programs.arguments import ALL_ONE, FIRST, NONE, ONE, SECOND
from programs.harness import (
    PROGRAMS,
    close,
    copied,
    differences,
    inexact,
    leaves,
    mapped,
    same_bits,
    seeds_for,
)

FAMILIES = (
    "contractions", "elementwise", "indexing", "kernels", "python", "reductions", "shapes",
)  # fmt: skip
for _family in FAMILIES:
    importlib.import_module(f"programs.{_family}")

TESTS = Path(__file__).parents[1]
DEGENERATE = {"one": ONE, "all one": ALL_ONE, "none": NONE}
RTOL = 1e-6


@pytest.fixture(autouse=True)
def _quiet():
    """What NumPy warns of in a program, it warns of in its gradient."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Mean of empty slice|Degrees of freedom", RuntimeWarning)
        yield


@functools.cache
def differentiated(name):
    """One for all tests: specialisations for other arguments must not get into each other's way."""
    return gs.differentiable(PROGRAMS[name].function)


@functools.cache
def compiled(name):
    """The same for values."""
    return gs.compile(PROGRAMS[name].function)


def seeded(name, arguments):
    """The value, a seed for it, and the gradients, None where there is none left out."""
    value = PROGRAMS[name].function(*copied(arguments))
    seed = seeds_for(value, np.random.default_rng(7))
    return value, seed, differentiated(name).grad(*arguments, grad_outputs=seed)


def numbers(gradients):
    return [leaf for leaf in leaves(gradients) if inexact(leaf)]


def is_single(value):
    return np.asarray(value).dtype in (np.float32, np.complex64)


def check_value(name, arguments):
    case = PROGRAMS[name]
    left, written = copied(arguments), copied(arguments)
    expected = case.function(*left)
    actual = compiled(name)(*written)
    if case.rewritten:
        single = any(map(is_single, leaves((expected, left))))
        close((actual, written), (expected, left), rtol=1e-5 if single else 1e-12)
    else:
        same_bits((actual, written), (expected, left))


def check_gradient(name, arguments):
    """Against differences; of the shapes and dtypes of the arguments, which stay as they were."""
    before = copied(arguments)
    _, seed, gradients = seeded(name, arguments)
    same_bits(arguments, before)
    given = numbers(arguments)
    single = any(map(is_single, given))
    expected = differences(PROGRAMS[name].function, arguments, seed)
    for actual, wanted, argument in zip(numbers(gradients), expected, given, strict=True):
        assert np.shape(actual) == np.shape(argument)
        assert np.asarray(actual).dtype == np.asarray(argument).dtype
        if single:  # differences of a function that rounds to single precision: three digits
            close(actual, wanted.astype(np.asarray(argument).dtype), rtol=2e-2)
            continue
        scale = np.max(np.abs(wanted), initial=1.0)
        np.testing.assert_allclose(actual, wanted, rtol=RTOL, atol=0.1 * RTOL * scale)


def check_value_is_the_functions_own(name):
    for sizes in (FIRST, SECOND):
        check_value(name, PROGRAMS[name].arguments(sizes))


def check_gradient_equals_differences(name):
    for sizes in (FIRST, SECOND):
        check_gradient(name, PROGRAMS[name].arguments(sizes))


def check_pullback_is_the_gradient(name):
    if (name,) not in spread(4, PROGRAMS):
        return
    for sizes in (FIRST, SECOND):
        arguments = PROGRAMS[name].arguments(sizes)
        _, seed, gradients = seeded(name, arguments)
        before = copied(arguments)
        found = gs.vjp(PROGRAMS[name].function, *arguments)[1](seed)
        same_bits(arguments, before)
        for actual, expected in zip(numbers(found), numbers(gradients), strict=True):
            close(actual, expected, rtol=1e-5 if is_single(expected) else 1e-12)


def check_sizes_of_one_and_none(name):
    run_cases(functools.partial(check_degenerate, name), DEGENERATE)


def check_degenerate(name, sizes):
    """Where NumPy runs the program: broadcasting and empty arrays are another compilation."""
    arguments = PROGRAMS[name].arguments(DEGENERATE[sizes])
    first = PROGRAMS[name].arguments(FIRST)
    alike = [
        np.shape(a) == np.shape(b) for a, b in zip(*map(leaves, (arguments, first)), strict=True)
    ]
    try:
        value = PROGRAMS[name].function(*copied(arguments))
    except (ValueError, IndexError, ZeroDivisionError):
        return
    if all(alike) or not all(np.all(np.isfinite(v)) for v in numbers(value)):
        return
    check_value(name, arguments)
    check_gradient(name, arguments)


def check_results_have_memory_of_their_own(name):
    """Nothing is shared with arguments, seeds and other results, and a second call is the same."""
    arguments = PROGRAMS[name].arguments()
    _, seed, gradients = seeded(name, arguments)
    kept, written = copied(gradients), copied(arguments)
    values = compiled(name)(*written)
    for results in (gradients, values):
        arrays = [leaf for leaf in leaves(results) if isinstance(leaf, np.ndarray)]
        given = leaves((arguments, written, seed))
        others = [v for v in given if isinstance(v, np.ndarray)]
        for i, array in enumerate(arrays):
            assert array.flags.writeable
            assert not any(np.shares_memory(array, other) for other in [*others, *arrays[:i]])
            array[...] = 7
    same_bits(differentiated(name).grad(*arguments, grad_outputs=seed), kept)


def _strided(array):
    """The same numbers with steps between them, backwards."""
    whole = np.zeros([2 * size for size in array.shape], array.dtype)
    view = whole[tuple(slice(None, None, -2) for _ in array.shape)]
    view[...] = array
    return view


def _read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS = {
    "Fortran": lambda array: np.array(array, order="F"),
    "strided": _strided,
    "read-only": _read_only,
}


def check_layouts_in_memory(name):
    run_cases(functools.partial(check_layout, name), LAYOUTS)


def check_layout(name, layout):
    case = PROGRAMS[name]
    arguments = case.arguments()
    _, seed, gradients = seeded(name, arguments)
    laid_out = mapped(LAYOUTS[layout], arguments)
    before = copied(laid_out)
    found = differentiated(name).grad(*laid_out, grad_outputs=mapped(LAYOUTS[layout], seed))
    same_bits(laid_out, before)
    rtol = 1e-4 if any(map(is_single, numbers(arguments))) else 1e-10
    for actual, expected in zip(numbers(found), numbers(gradients), strict=True):
        close(actual, expected, rtol=rtol)


def _halved(value):
    dtypes = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}
    if not isinstance(value, (np.ndarray, np.generic)):
        return value
    return value.astype(dtypes.get(value.dtype, value.dtype))


def check_single_precision_stays(name):
    """Gradients of float32 are float32, and near those of float64."""
    if not PROGRAMS[name].single:
        return
    arguments = PROGRAMS[name].arguments()
    _, seed, expected = seeded(name, arguments)
    halved = tree_map(_halved, arguments)
    own = PROGRAMS[name].function(*copied(halved))
    for actual, wanted in zip(*map(leaves, (compiled(name)(*copied(halved)), own)), strict=True):
        assert np.asarray(actual).dtype == np.asarray(wanted).dtype
    of_own = tree.flatten(own, lambda v: not tree.is_container(v))[1]
    seeds = [
        np.asarray(s).astype(np.asarray(v).dtype)[()]
        for s, v in zip(leaves(seed), leaves(own), strict=True)
    ]
    found = differentiated(name).grad(*halved, grad_outputs=tree.unflatten(of_own, seeds))
    for actual, wide, argument in zip(*map(numbers, (found, expected, halved)), strict=True):
        assert np.asarray(actual).dtype == np.asarray(argument).dtype
        close(actual, wide, rtol=5e-3)


def tree_map(function, value):
    found, shape = tree.flatten(value, lambda v: not tree.is_container(v))
    return tree.unflatten(shape, [function(v) for v in found])


def check_second_derivative_equals_differences_of_the_first(name):
    if not PROGRAMS[name].smooth:
        return
    arguments = PROGRAMS[name].arguments()
    _, seed, gradients = seeded(name, arguments)
    if any(map(is_single, numbers(gradients))):
        return
    along = seeds_for(numbers(gradients), np.random.default_rng(4))

    def slope(*arguments):
        found = differentiated(name).grad(*arguments, grad_outputs=seed)
        moving = [g for g in leaves(found) if g is not None and not isinstance(g, (bool, str))]
        return sum(np.sum(np.real(np.conj(v) * g)) for v, g in zip(along, moving, strict=True))

    expected = differences(slope, arguments, 1.0)
    found = gs.differentiable(slope).grad(*arguments, materialize_grads=True)
    for actual, wanted in zip(numbers(found), expected, strict=True):
        scale = np.max(np.abs(wanted), initial=1.0)
        np.testing.assert_allclose(actual, wanted, rtol=10 * RTOL, atol=RTOL * scale)


CHECKS = [
    check_value_is_the_functions_own,
    check_gradient_equals_differences,
    check_pullback_is_the_gradient,
    check_results_have_memory_of_their_own,
    check_layouts_in_memory,
]
MORE = [
    check_second_derivative_equals_differences_of_the_first,
    check_single_precision_stays,
    check_sizes_of_one_and_none,
]
CROSSED = spread(2, PROGRAMS, MORE)
"""These compile as much again: each for every second program."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    """All that must hold of it."""
    run_checks([*CHECKS, *(check for other, check in CROSSED if other == name)], name)


# -- emitted modules ------------------------------------------------------------------------------

ISOLATED = """\
import importlib.util, json, pickle, sys
parameters = json.loads(sys.argv[1])
sys.path[:] = [p for p in sys.path if p] + parameters["paths"]
sys.modules["gradsmith"] = None  # what imports it fails
with open(parameters["calls"], "rb") as file:
    calls = pickle.load(file)
results = {}
for name, (path, argument_lists, captured) in calls.items():
    spec = importlib.util.spec_from_file_location(name + "_emitted", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name + "_grad")
    for i, arguments in enumerate(argument_lists):
        kept = pickle.dumps(arguments)
        results[name, i] = function(*arguments, **captured)
        assert pickle.dumps(arguments) == kept, name + " changes its arguments"
with open(parameters["results"], "wb") as file:
    pickle.dump(results, file)
"""


def _call(name, sizes):
    arguments = PROGRAMS[name].arguments(sizes, seed=2)
    value = PROGRAMS[name].function(*copied(arguments))
    return (*arguments, seeds_for(value, np.random.default_rng(3)))


def test_emitted_modules_run_without_gradsmith(tmp_path):
    """With the same bits, and each at a second size of the same pattern, too."""
    calls, expected = {}, {}
    for name, case in PROGRAMS.items():
        lists = [_call(name, sizes) for sizes in (FIRST, SECOND)[: 1 if case.sized else 2]]
        for i, (*arguments, seed) in enumerate(lists):
            expected[name, i] = differentiated(name).grad(*arguments, grad_outputs=seed)
        *arguments, seed = lists[0]
        path = tmp_path / f"{name}.py"
        differentiated(name).grad.emit(path, *arguments, grad_outputs=seed)
        calls[name] = (str(path), lists, case.captured)
    for name, text in ((name, (tmp_path / f"{name}.py").read_text()) for name in PROGRAMS):
        assert "import gradsmith" not in text, name
    (tmp_path / "calls").write_bytes(pickle.dumps(calls))
    parameters = {
        "paths": [str(Path(np.__file__).parents[1]), str(TESTS)],
        "calls": str(tmp_path / "calls"),
        "results": str(tmp_path / "results"),
    }
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ISOLATED, json.dumps(parameters)],
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.returncode == 0, run.stderr
    results = pickle.loads((tmp_path / "results").read_bytes())
    assert results.keys() == expected.keys()
    for key, wanted in expected.items():
        same_bits(results[key], wanted)


# -- other libraries ------------------------------------------------------------------------------


def run_by(module_name, family):
    """The programs of a family with another module in the place of NumPy."""
    path = Path(__file__).with_name(f"{family}.py")
    text = path.read_text(encoding="utf-8")
    text = text.replace("\nimport numpy as np\n", f"\nimport {module_name} as np\n")
    mine = dict(PROGRAMS)
    PROGRAMS.clear()
    try:
        exec(compile(text, str(path), "exec"), {"__name__": f"{family} of {module_name}"})
        return {name: case.function for name, case in PROGRAMS.items()}
    finally:
        PROGRAMS.clear()
        PROGRAMS.update(mine)


def compare(name, pullback):
    """With the pullback of another library, which takes moving arguments, by position."""
    arguments = PROGRAMS[name].arguments()
    moving = [i for i, a in enumerate(arguments) if inexact(a)]
    _, seed, gradients = seeded(name, arguments)
    if len(moving) != len(numbers(arguments)) or isinstance(seed, (tuple, dict)):
        return False

    def at(*values):
        full = list(arguments)
        for i, value in zip(moving, values, strict=True):
            full[i] = value
        return full

    found = pullback(at, [arguments[i] for i in moving], np.conj(seed))
    for actual, other in zip(numbers(gradients), found, strict=True):
        close(actual, np.conj(np.asarray(other)), rtol=1e-3 if is_single(actual) else 1e-8)
    return True


# JAX compiles each program, which takes most of the time: a few of every family are enough.
JAX = [
    "trigonometry", "roots_and_powers", "two_operands", "sizes_one", "complex_functions",
    "complex_quotients_and_powers", "real_arguments_of_complex_values", "spreads", "norms",
    "softmax_divided_along_the_other_axis", "shift_of_another_axis", "looks_like_softmax",
    "einsums_of_diagonals", "tensordots", "stacked_products", "complex_products", "attention",
    "reshaped_in_fortran_order", "flipped_and_rolled", "permuted", "mixed_indices",
]  # fmt: skip


@pytest.mark.parametrize("name", JAX)
def test_gradient_equals_jax(name):
    jax = peer("jax")
    # One compilation for all operations of a program, and no time spent on its speed.
    jax.config.update("jax_disable_most_optimizations", True)
    with warnings.catch_warnings(), jax.enable_x64(True):
        warnings.simplefilter("ignore")
        functions = {n: f for family in FAMILIES for n, f in _of("jax.numpy", family).items()}

        def pullback(at, values, seed):
            def run(values, seed):
                out, pull = jax.vjp(lambda *v: functions[name](*at(*v)), *values)
                return pull(seed.astype(out.dtype))

            return jax.jit(run)(values, jax.numpy.asarray(seed))

        assert compare(name, pullback)


@functools.cache
def _of(module_name, family):
    return run_by(module_name, family)


# autograd gives nan where a branch not taken is infinite, ignores where=, and drops the gradient
# of numbers in np.array and full_like and of lists in np.sum (wrong by differences, too).
WRONG_IN_AUTOGRAD = {
    "where_hides_infinities", "sums_where", "stacked", "creators", "comprehensions",
    "float32_beside_float64", "float32_beside_python_scalars",
}  # fmt: skip


@each("family", FAMILIES)
def test_gradients_equal_autograd(family):
    autograd = peer("autograd")
    compared = 0
    for name, function in _of("autograd.numpy", family).items():
        if name in WRONG_IN_AUTOGRAD or not PROGRAMS[name].pure:
            continue

        def pullback(at, values, seed, function=function):
            pull, _ = autograd.make_vjp(lambda v: function(*at(*v)))(tuple(values))
            return pull(seed)

        try:
            compared += compare(name, pullback)
        except AssertionError:
            raise
        except Exception:  # much of NumPy is missing there
            continue
    assert compared or family in ("indexing", "kernels")
