"""Emitted gradients kept as files: the same bytes as ever, and right when run without gradsmith.

A golden is reviewed like prose. To write what is emitted now into ``tests/goldens``:

    python tests/test_goldens.py --update
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import golden_functions as functions
import gradsmith as gs
from helpers import each

FOLDER = Path(__file__).parent / "goldens"
SOURCE_ROOT = Path(gs.__file__).parents[1]
NUMPY_ROOT = Path(np.__file__).parents[1]
SIZES = (3, 7)
LONGEST_LINE = 99

Random = np.random.Generator


@dataclass(frozen=True)
class Golden:
    """A gradient to be kept.

    ``arguments(random, n)`` makes arguments of a size, ``seeds`` the seeds likewise; ``moving``
    are the positions of the arguments that the results are the gradients of.
    """

    call: Any
    function: Callable[..., Any]
    arguments: Callable[[Random, int], tuple[Any, ...]]
    moving: tuple[int, ...] = (0,)
    seeds: Callable[[Random, int], Any] | None = None
    captured: tuple[str, ...] = ()
    with_value: bool = False
    keywords: dict[str, Any] = field(default_factory=dict)

    def example(self, n: int) -> tuple[tuple[Any, ...], Any]:
        """Arguments of that size, and the seed or None."""
        random = np.random.default_rng(n)
        arguments = self.arguments(random, n)
        return arguments, self.seeds(random, n) if self.seeds else None

    @property
    def source(self) -> str:
        """What is emitted now."""
        arguments, seed = self.example(SIZES[0])
        return self.call.source(*arguments, **options(seed))

    def live(self, n: int) -> Any:
        """What the gradient itself gives."""
        arguments, seed = self.example(n)
        return self.call(*arguments, **options(seed))

    def inputs(self, n: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments of the emitted function."""
        arguments, seed = self.example(n)
        captured = {name: getattr(functions, name) for name in self.captured}
        return (*arguments, *(() if seed is None else (seed,))), captured


def options(seed: Any) -> dict[str, Any]:
    return {} if seed is None else {"grad_outputs": seed}


def normal(*shape: Any) -> Callable[[Random, int], Any]:
    """Normal numbers; ``"n"`` in the shape is the size that changes."""
    return lambda random, n: random.normal(size=[n if s == "n" else s for s in shape])


def made(*makers: Any) -> Callable[[Random, int], tuple[Any, ...]]:
    return lambda random, n: tuple(m(random, n) if callable(m) else m for m in makers)


def positive(*shape: Any) -> Callable[[Random, int], Any]:
    return lambda random, n: 0.5 + np.abs(normal(*shape)(random, n))


def compound(*shape: Any) -> Callable[[Random, int], Any]:
    part = normal(*shape)
    return lambda random, n: part(random, n) + 1j * part(random, n)


def classes(random: Random, n: int) -> Any:
    return random.integers(0, 3, size=n)


def one_hot(random: Random, n: int) -> Any:
    return np.eye(3)[classes(random, n)]


def labels(random: Random, n: int) -> Any:
    return (random.normal(size=n) > 0) * 1.0


def steps(random: Random, n: int) -> int:
    return n + 2


def grid(random: Random, n: int) -> Any:
    return random.normal(size=(n + 2, n + 2))


def rod(random: Random, n: int) -> Any:
    return random.normal(size=n + 2)


def definite(random: Random, n: int) -> Any:
    root = random.normal(size=(n, n))
    return root @ root.T + n * np.eye(n)


def layers(random: Random, n: int) -> Any:
    shapes = {"w1": (4, n), "b1": (n,), "w2": (n, 3), "b2": (3,)}
    return {name: random.normal(size=shape) for name, shape in shapes.items()}


GOLDENS = {
    "weighted": Golden(
        gs.differentiable(functions.weighted).grad,
        functions.weighted,
        made(normal("n"), normal("n"), positive("n")),
        moving=(0, 1, 2),
        seeds=normal("n"),
    ),
    "logistic_loss": Golden(
        gs.grad(functions.logistic_loss),
        functions.logistic_loss,
        made(normal(2), normal("n", 2), lambda random, n: 2 * labels(random, n) - 1),
    ),
    "mlp_loss": Golden(
        gs.grad(functions.mlp_loss), functions.mlp_loss, made(layers, normal("n", 4), classes)
    ),
    "rosenbrock": Golden(gs.grad(functions.rosenbrock), functions.rosenbrock, made(normal("n"))),
    "cross_entropy": Golden(
        gs.grad(functions.cross_entropy),
        functions.cross_entropy,
        made(normal(4, 3), normal("n", 4), one_hot),
    ),
    "polar": Golden(
        gs.differentiable(functions.polar).grad,
        functions.polar,
        made(normal("n"), normal("n")),
        moving=(0, 1),
        seeds=made(normal("n"), normal("n")),
    ),
    "ridge": Golden(
        gs.grad(functions.ridge),
        functions.ridge,
        made(normal(2)),
        captured=("X_TRAIN", "Y_TRAIN", "STRENGTH"),
    ),
    "log_density": Golden(
        gs.grad(functions.log_density, argnums=(0, 1, 2)),
        functions.log_density,
        made(normal("n", 2), normal(4, 2), 0.7),
        moving=(0, 1, 2),
    ),
    "affine": Golden(
        gs.grad(functions.affine, argnums=(0, 1, 2)),
        functions.affine,
        made(compound("n", 2), compound(2), compound("n")),
        moving=(0, 1, 2),
    ),
    "heat_energy": Golden(
        gs.grad(functions.heat_energy, argnums=(0, 1)),
        functions.heat_energy,
        made(normal("n"), 0.3),
        moving=(0, 1),
    ),
    "softplus_loss": Golden(
        gs.value_and_grad(functions.softplus_loss),
        functions.softplus_loss,
        made(normal(2), normal("n", 2), labels),
        with_value=True,
    ),
    "damped": Golden(
        gs.grad(gs.grad(functions.damped)),
        gs.grad(functions.damped),
        made(lambda random, n: 0.1 * n),
    ),
    "normalized": Golden(
        gs.grad(functions.normalized, argnums=(0, 1, 2)),
        functions.normalized,
        made(normal("n", 2), normal(2), normal(2), normal("n", 2)),
        moving=(0, 1, 2),
    ),
    "attention": Golden(
        gs.grad(functions.attention, argnums=(0, 1, 2)),
        functions.attention,
        made(normal("n", 4), normal(5, 4), normal(5, 2)),
        moving=(0, 1, 2),
    ),
    "jacobi_2d": Golden(
        gs.grad(functions.jacobi_2d, argnums=(1, 2)),
        functions.jacobi_2d,
        made(steps, grid, grid),
        moving=(1, 2),
    ),
    "heat": Golden(
        gs.grad(functions.heat, argnums=(0, 1)),
        functions.heat,
        made(rod, 0.3, steps),
        moving=(0, 1),
    ),
    "rnn": Golden(
        gs.grad(functions.rnn, argnums=(0, 1, 2)),
        functions.rnn,
        made(normal(3, 3), normal(3, 2), normal(3), normal("n", 2), normal("n", 3)),
        moving=(0, 1, 2),
    ),
    "stacked_rnn": Golden(
        gs.grad(functions.stacked_rnn, argnums=(0, 1)),
        functions.stacked_rnn,
        made(normal("n", 2, 2), normal("n", 2)),
        moving=(0, 1),
    ),
    "trajectory": Golden(
        gs.grad(functions.trajectory, argnums=(0, 1)),
        functions.trajectory,
        made(normal("n"), 0.3),
        moving=(0, 1),
    ),
    "cholesky": Golden(
        gs.differentiable(functions.cholesky).grad,
        functions.cholesky,
        made(definite),
        seeds=normal("n", "n"),
    ),
    "newton": Golden(
        gs.grad(functions.newton), functions.newton, made(lambda random, n: 0.5 * n, 1.0)
    ),
    "huber": Golden(
        gs.grad(functions.huber),
        functions.huber,
        made(normal(2), normal("n", 2), normal("n"), 0.7),
    ),
}


# --- the bytes


@pytest.mark.parametrize("name", GOLDENS)
def test_source_is_the_golden(name):
    path = FOLDER / f"{name}.py"
    assert GOLDENS[name].source == path.read_text(encoding="utf-8"), (
        f"{path.name} is not what is emitted now: look at the difference, then run "
        "python tests/test_goldens.py --update"
    )


def test_every_golden_has_its_function():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(GOLDENS)


@each("name", GOLDENS)
def test_lines_of_code_are_not_too_long(name):
    lines = (FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines()
    code = [line for line in lines if not line.lstrip().startswith("#")]
    assert max(map(len, code)) <= LONGEST_LINE


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_bytes_do_not_depend_on_the_process(hash_seed, tmp_path):
    run = subprocess.run(
        [sys.executable, __file__, "--update", str(tmp_path)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(SOURCE_ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    for name in GOLDENS:
        assert (tmp_path / f"{name}.py").read_bytes() == (FOLDER / f"{name}.py").read_bytes()


# --- the numbers

ISOLATED = """\
import sys
paths, folder, inputs, outputs = {parameters!r}
sys.path[:] = [p for p in sys.path if p] + paths
import importlib, importlib.util, pickle
assert importlib.util.find_spec("gradsmith") is None, "gradsmith must not be importable here"
with open(inputs, "rb") as file:
    calls = pickle.load(file)
sys.path.append(folder)
results = {{}}
for (name, n), (args, captured) in calls.items():
    module = importlib.import_module(name)
    (function,) = [
        value
        for value in vars(module).values()
        if getattr(value, "__module__", None) == name
    ]
    kept = pickle.dumps(args)
    results[name, n] = function(*args, **captured)
    assert pickle.dumps(args) == kept, name + " changes its arguments"
with open(outputs, "wb") as file:
    pickle.dump(results, file)
"""


@pytest.fixture(scope="module")
def isolated(tmp_path_factory):
    """The results of all goldens on all sizes, by an interpreter that finds nothing but NumPy."""
    folder = tmp_path_factory.mktemp("only-numpy")
    for name in ("numpy", "numpy.libs"):
        if (NUMPY_ROOT / name).exists():
            (folder / name).symlink_to(NUMPY_ROOT / name, target_is_directory=True)
    calls = {(name, n): golden.inputs(n) for name, golden in GOLDENS.items() for n in SIZES}
    inputs, outputs = folder / "inputs.pickle", folder / "outputs.pickle"
    inputs.write_bytes(pickle.dumps(calls))
    parameters = ([str(folder)], str(FOLDER), str(inputs), str(outputs))
    run = subprocess.run(
        [sys.executable, "-B", "-I", "-S", "-c", ISOLATED.format(parameters=parameters)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=folder,
    )
    assert run.returncode == 0, run.stderr
    return pickle.loads(outputs.read_bytes())


def leaves(tree: Any) -> list[Any]:
    if isinstance(tree, dict):
        tree = list(tree.values())
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in leaves(part)]
    return [tree]


def structure(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: structure(value) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree), [structure(part) for part in tree]
    return type(tree), np.asarray(tree).dtype, np.shape(tree)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", GOLDENS)
def test_golden_computes_the_live_gradient(name, n, isolated):
    expected = GOLDENS[name].live(n)
    assert structure(isolated[name, n]) == structure(expected)
    for ours, theirs in zip(leaves(isolated[name, n]), leaves(expected), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def scalar(golden: Golden, arguments: Sequence[Any], seed: Any) -> float:
    """The function's outputs weighted by the seeds."""
    outputs = leaves(golden.function(*arguments))
    seeds = [1.0] * len(outputs) if seed is None else leaves(seed)
    return sum(np.sum(s * out) for s, out in zip(seeds, outputs, strict=True))


def moved(tree: Any, directions: list[Any], h: float) -> Any:
    """The tree, a step ``h`` away; takes the directions of its leaves from the list."""
    if isinstance(tree, dict):
        return {key: moved(value, directions, h) for key, value in tree.items()}
    return tree + h * directions.pop(0)


def direction(random: Random, leaf: Any) -> Any:
    step = random.normal(size=np.shape(leaf))
    return step + 1j * random.normal(size=np.shape(leaf)) if np.iscomplexobj(leaf) else step


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", GOLDENS)
def test_golden_agrees_with_finite_differences(name, n, isolated):
    golden = GOLDENS[name]
    arguments, seed = golden.example(n)
    result = isolated[name, n]
    if golden.with_value:
        value, result = result
        np.testing.assert_allclose(value, scalar(golden, arguments, seed), rtol=1e-12)
    random = np.random.default_rng(n)
    directions = [direction(random, leaf) for i in golden.moving for leaf in leaves(arguments[i])]

    def at(h):
        steps = list(directions)
        there = [moved(a, steps, h) if i in golden.moving else a for i, a in enumerate(arguments)]
        return scalar(golden, there, seed)

    h = 1e-4
    numeric = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    exact = sum(
        np.sum(np.conj(g) * d).real for g, d in zip(leaves(result), directions, strict=True)
    )
    np.testing.assert_allclose(exact, numeric, rtol=1e-8, atol=1e-8)


# --- writing them


def update(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.py"):
        path.unlink()
    for name, golden in GOLDENS.items():
        (folder / f"{name}.py").write_text(golden.source, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] != ["--update"]:
        sys.exit(__doc__)
    update(Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER)
