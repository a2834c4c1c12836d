"""Emitted source: a module that needs only numpy, the same bytes everywhere, honest tracebacks."""

# ruff: noqa: F841, PLW0108

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import linecache
import os
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

SOURCE_ROOT = Path(gs.__file__).parents[1]
NUMPY_ROOT = Path(np.__file__).parents[1]
X = np.array([0.5, -1.25, 2.0])
W = np.array([3.0, 4.0, 5.0])


def affine(x, w):
    hidden = np.tanh(x * w + 0.5)
    return np.sum(hidden**2) / len(x)


def written(x, w):
    y = np.zeros_like(x)
    y[1:] = x[:-1] * w[1:]
    y[x > 0] *= 2.0
    return np.dot(y, w)


def by_dict(params, x):
    return np.sum(np.maximum(params["w"] @ x + params["b"], 0.0) ** 2)


def stable(x, w):
    e = np.exp(x)
    return np.log(np.sum(e)) + np.prod(w) * np.sinc(x[0]) + np.std(x)


def gathered(x, w):
    return np.sum(x[np.array([0, 2, 2])] * w) + np.max(x) * np.linalg.norm(w)


FUNCTIONS = {"affine": affine, "written": written, "stable": stable, "gathered": gathered}


def public_function(module):
    """The one function of an emitted module whose name is public."""
    (found,) = [
        value
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and not name.startswith("_")
    ]
    return found


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return public_function(module)


def imported_names(text):
    """Top-level packages that the text imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module.partition(".")[0])
    return names


@pytest.mark.parametrize("name", FUNCTIONS)
def test_emitted_module_imports_only_numpy(name, tmp_path):
    path = tmp_path / "emitted.py"
    gs.grad(FUNCTIONS[name]).emit(path, X, W)
    assert imported_names(path.read_text(encoding="utf-8")) == {"numpy"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_emitted_module_computes_the_gradient(name, tmp_path):
    path = tmp_path / "emitted.py"
    g = gs.grad(FUNCTIONS[name], argnums=(0, 1))
    g.emit(path, X, W)
    for ours, theirs in zip(loaded(path)(X, W), g(X, W), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    longer = np.arange(1.0, 6.0)
    if name != "gathered":
        for ours, theirs in zip(loaded(path)(longer, longer), g(longer, longer), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_emitted_module_of_a_tree_takes_the_tree(tmp_path):
    params, x = {"w": np.outer(W, X), "b": W}, X
    path = tmp_path / "emitted.py"
    g = gs.grad(by_dict)
    g.emit(path, params, x)
    expected, actual = g(params, x), loaded(path)(params, x)
    assert list(actual) == ["w", "b"]
    np.testing.assert_array_equal(actual["w"], expected["w"])
    np.testing.assert_array_equal(actual["b"], expected["b"])


@pytest.mark.parametrize(
    "transform",
    [lambda f: gs.value_and_grad(f), lambda f: gs.compile(f), lambda f: gs.differentiable(f).grad],
    ids=["value_and_grad", "compile", "f.grad"],
)
def test_every_emitted_module_returns_what_the_call_returns(transform, tmp_path):
    path = tmp_path / "emitted.py"
    call = transform(affine)
    call.emit(path, X, W)
    expected, actual = call(X, W), loaded(path)(X, W)
    assert type(actual) is type(expected)
    for ours, theirs in zip(flat(actual), flat(expected), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def flat(result):
    return result if isinstance(result, tuple) else (result,)


def test_emitted_module_does_not_write_to_its_arguments(tmp_path):
    path = tmp_path / "emitted.py"

    def f(x, w):
        x *= w
        w[0] = x[1]
        return np.sum(x * w)

    gs.grad(f).emit(path, X, W)
    x, w = X.copy(), W.copy()
    loaded(path)(x, w)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(w, W)


ISOLATED = """\
import sys
sys.path[:] = [p for p in sys.path if p] + {paths!r}
import importlib.util
assert importlib.util.find_spec("gradsmith") is None, "gradsmith must not be importable here"
import inspect, json
import numpy as np
import emitted
(function,) = [
    value
    for name, value in vars(emitted).items()
    if inspect.isfunction(value) and value.__module__ == "emitted" and not name.startswith("_")
]
values = function(np.array([0.5, -1.25, 2.0]), np.array([3.0, 4.0, 5.0]))
foreign = [name for name in sys.modules if name.startswith(("gradsmith", "sympy", "astor"))]
print(json.dumps([[v.tolist() for v in values], foreign]))
"""


@pytest.fixture
def only_numpy(tmp_path):
    """A folder on which an isolated interpreter finds numpy and nothing else installed."""
    folder = tmp_path / "only-numpy"
    folder.mkdir()
    for name in ("numpy", "numpy.libs"):
        if (NUMPY_ROOT / name).exists():
            (folder / name).symlink_to(NUMPY_ROOT / name, target_is_directory=True)
    return folder


@pytest.mark.parametrize("name", FUNCTIONS)
def test_emitted_module_runs_where_gradsmith_is_not_importable(name, only_numpy):
    g = gs.grad(FUNCTIONS[name], argnums=(0, 1))
    g.emit(only_numpy / "emitted.py", X, W)
    run = subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-W",
            "error",
            "-c",
            ISOLATED.format(paths=[str(only_numpy)]),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=only_numpy,
    )
    assert run.returncode == 0, run.stderr
    values, foreign = json.loads(run.stdout)
    assert foreign == []
    for ours, theirs in zip(values, g(X, W), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-15)


# --- determinism

EMITTING = """\
import sys
import numpy as np
import gradsmith as gs

def step(params, x):
    h = x
    for name in ("first", "second"):
        h = np.tanh(params[name]["w"] @ h + params[name]["b"])
    scale = {{"alpha", "beta", "gamma"}}
    total = sum(np.sum(h ** len(s)) for s in sorted(scale))
    return total + sum(np.sum(p["w"] ** 2) for p in params.values())

n = {size}
layer = lambda: {{"w": np.ones((n, n)), "b": np.ones(n)}}
params = {{"first": layer(), "second": layer()}}
f = gs.differentiable(step)
for call in (gs.grad(step), gs.value_and_grad(step), gs.compile(step), f.grad):
    sys.stdout.write(call.source(params, np.ones(n)))
    call.emit(sys.argv[1], params, np.ones(n))
    sys.stdout.write(open(sys.argv[1]).read())
"""


def emitted_by_a_process(tmp_path, hash_seed, size=3):
    script = tmp_path / "emitting.py"
    script.write_text(EMITTING.format(size=size), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "out.py")],
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(SOURCE_ROOT)},
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout


def test_emitted_bytes_do_not_depend_on_the_process(tmp_path):
    outputs = {emitted_by_a_process(tmp_path, seed) for seed in ("0", "1", "12345")}
    assert len(outputs) == 1
    assert len(outputs.pop()) > 500


def test_emitted_bytes_do_not_depend_on_the_sizes(tmp_path):
    assert emitted_by_a_process(tmp_path, "0", 3) == emitted_by_a_process(tmp_path, "0", 5)


@each("name", FUNCTIONS)
def test_source_is_the_same_each_time(name):
    first, second = gs.grad(FUNCTIONS[name]), gs.grad(FUNCTIONS[name])
    assert first.source(X, W) == second.source(X, W)
    first(X, W)
    assert first.source(X, W) == second.source(X, W)


def test_what_came_before_does_not_change_the_source():
    expected = gs.grad(affine).source(X, W)
    for fun in FUNCTIONS.values():
        gs.grad(fun)(X, W)
    assert gs.grad(affine).source(X, W) == expected


def test_emitted_file_is_newline_terminated_utf8(tmp_path):
    path = tmp_path / "emitted.py"
    gs.grad(affine).emit(path, X, W)
    data = path.read_bytes()
    assert data.endswith(b"\n")
    assert b"\r" not in data
    assert not any(line != line.rstrip() for line in data.decode("utf-8").splitlines())


# --- what is written


def code_of(source):
    """The source without comments and docstrings, which quote the user's lines."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and isinstance(node, ast.Module | ast.FunctionDef):
            node.body = [n for n in body if not is_text(n)] or [ast.Pass()]
    return ast.unparse(tree)


def is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def test_source_keeps_the_users_names():
    code = code_of(gs.grad(affine).source(X, W))
    assert "hidden = " in code
    assert code.count("np.tanh(") == 1
    assert "g_x" in code


def test_source_names_the_users_lines():
    source = gs.grad(affine).source(X, W)
    comments = [line for line in source.splitlines() if line.strip().startswith("#")]
    assert any("hidden = np.tanh(x * w + 0.5)" in comment for comment in comments)


def test_source_has_the_signature_of_the_function():
    source = gs.grad(affine).source(X, W)
    (function,) = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    assert [argument.arg for argument in function.args.args] == ["x", "w"]


def test_source_has_no_dead_code():
    def f(x, w):
        unused = np.arctan(x) * w
        return np.sum(x * w)

    code = code_of(gs.grad(f).source(X, W))
    assert "arctan" not in code
    assert "unused" not in code


def test_source_has_no_repeated_subexpression():
    def f(x):
        return np.sum(np.exp(x) * np.exp(x)) + np.sum(np.exp(x))

    assert code_of(gs.grad(f).source(X)).count("np.exp(") == 1


def test_source_has_no_power_with_a_small_integer_exponent():
    def f(x):
        return np.sum(x**3 + x**2 + np.power(x, 4))

    code = code_of(gs.value_and_grad(f).source(X))
    assert "np.power" not in code
    assert "**" not in code


def test_source_of_a_cut_off_primal_computes_only_the_gradient():
    code = code_of(gs.grad(lambda x: np.sum(np.sin(x))).source(X))
    assert "sum" not in code
    assert "sin" not in code


@pytest.mark.parametrize(
    "names",
    [
        ("lambda_", "class_"),
        ("np_", "g_x"),
        ("g", "g_g"),
        ("sum", "len"),
        ("numpy", "array"),
        ("np", "x"),
        ("float64", "self"),
    ],
    ids=str,
)
def test_awkward_parameter_names_do_not_collide(names, tmp_path):
    first, second = names
    path = tmp_path / f"named_{first}.py"
    text = (
        f"from numpy import sum as total, sin\n\n\ndef f({first}, {second}):\n"
        f"    return total(sin({first}) * {second} ** 2)\n"
    )
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    by_first, by_second = gs.grad(module.f, argnums=(0, 1))(X, W)
    np.testing.assert_allclose(by_first, np.cos(X) * W**2, rtol=1e-12)
    np.testing.assert_allclose(by_second, 2 * np.sin(X) * W, rtol=1e-12)


def test_locals_with_awkward_names_do_not_collide():
    def f(x):
        g_x = x * 2
        np_ = g_x * x
        g_np_ = np_ + g_x
        n = g_np_ * 3
        return np.sum(n * n) + np.mean(g_x) + len(x)

    h = 1e-6
    expected = [(f(X + h * e) - f(X - h * e)) / (2 * h) for e in np.eye(3)]
    np.testing.assert_allclose(gs.grad(f)(X), expected, rtol=1e-6)


def test_local_names_that_are_rebound():
    def f(x):
        y = np.sin(x)
        y = y * x
        y = y + y**2
        return np.sum(y)

    y = np.sin(X) * X
    expected = (1 + 2 * y) * (np.cos(X) * X + np.sin(X))
    np.testing.assert_allclose(gs.grad(f)(X), expected, rtol=1e-12)


# --- tracebacks


def takes(x, i):
    picked = x[i]
    return np.sum(picked * picked)


def emitted_frames(error):
    """Frames of the traceback that are in emitted code."""
    known = (str(SOURCE_ROOT), str(Path(__file__).parent), str(NUMPY_ROOT))
    frames = traceback.extract_tb(error.__traceback__)
    return [frame for frame in frames if not frame.filename.startswith(known)]


@pytest.mark.parametrize("transform", [gs.compile, gs.grad])
def test_traceback_shows_the_emitted_line(transform):
    call = transform(takes)
    call(X, np.array([0, 1]))
    with pytest.raises(IndexError) as caught:
        call(X, np.array([0, 7]))
    frames = emitted_frames(caught.value)
    assert frames, "the error is raised by emitted code"
    lines = call.source(X, np.array([0, 1])).splitlines()
    assert frames[-1].line
    assert any(frames[-1].line in line for line in lines)
    assert frames[-1].line in "".join(traceback.format_exception(caught.value))


def test_linecache_holds_the_emitted_source():
    call = gs.grad(takes)
    call(X, np.array([0, 1]))
    with pytest.raises(IndexError) as caught:
        call(X, np.array([0, 7]))
    frame = emitted_frames(caught.value)[-1]
    linecache.checkcache()
    held = "".join(linecache.getlines(frame.filename))
    assert call.source(X, np.array([0, 1])).strip() in held


def layer(x, w):
    n_in = w.shape[0]
    n_out = w.shape[1]
    out = np.zeros((x.shape[0], n_out))
    for i in range(n_out):
        out[:, i] = np.sum(x[:, :n_in] * w[:, i], axis=1)
    return out


def two_layers(x, w1, w2):
    return np.sum(layer(layer(x, w1), w2))


def test_sizes_of_a_helper_that_is_called_twice_have_a_name_each():
    shapes = (2, 3), (3, 4), (4, 5)
    text = gs.grad(two_layers).source(*map(np.ones, shapes))
    head = text.split('"""')[1]
    assert "w1: float64[n_in, n_out]\n" in head  # x has further columns, which nothing reads
    assert "w2: float64[n_in_2, n_out_2]\n" in head
    assert "x: float64[n, m]\n" in head
