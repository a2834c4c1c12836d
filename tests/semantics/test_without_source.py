"""Functions without source, or with an odd one.

Rows of the table "Mutation and Python around it" in docs/semantics.md.
"""

# Functions are written here as users write them, not as a linter would have them.

from __future__ import annotations

import importlib.util
import linecache
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gradsmith as gs
from helpers import each
from semantics.numbers import check, differences, same

X = np.array([0.5, -1.25, 2.0])
A = np.array([[0.3, -1.2, 0.7], [1.1, 0.4, -0.6], [0.9, -0.2, 1.7]])


# --- row: functions without source, or with an odd one


def defined_by(text, name="f", **variables):
    space = {"np": np, "math": math, **variables}
    exec(text, space)
    return space[name]


STRAIGHT = {
    "operators": "def f(x):\n    return np.sum(2 * x * x - 1 / (3 + x) + x**3)\n",
    "functions": "def f(x):\n    y = np.sin(x) * np.exp(-x)\n    return y.sum() + np.mean(y)\n",
    "arrays": "def f(x):\n    y = np.concatenate([x, x * x])\n    return np.sum(y[1:] * y[:-1])\n",
    "stores": "def f(x):\n    y = x.copy()\n    y[0] = 2 * x[1]\n    y *= x\n    return y\n",
    "static loop": "def f(x):\n    for k in range(3):\n        x = np.sin(x) + k\n    return x\n",
    "constant": "def f(x):\n    w = np.arange(3.0)\n    return np.dot(w, x) + np.sum(w * x * x)\n",
    "where": "def f(x):\n    return np.where(x > 0, x * x, -x)\n",
    "shape": "def f(x):\n    return np.sum(x * x) / x.shape[0] / len(x)\n",
    "matmul": "def f(x):\n    return np.outer(x, x) @ x\n",
    "helper": "def g(x):\n    return x * x\n\ndef f(x):\n    return np.sum(g(x))\n",
    "constants": "def f(x):\n    return np.ones(3) * x + np.float64(2.0) * x - np.ones(3) @ x\n",
}


@each("name", STRAIGHT)
def test_exec_defined_straight_line_code(name):
    check(defined_by(STRAIGHT[name]), X)


def test_eval_defined_lambda():
    f = eval("lambda x, w: np.sum(np.tanh(x) * w)", {"np": np})
    by_x, by_w = gs.differentiable(f).grad(X, X + 1)
    same(by_x, (X + 1) / np.cosh(X) ** 2)
    same(by_w, np.tanh(X))


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    if x[0] > 0:\n        return np.sum(x)\n    return np.sum(x * x)\n",
        "def f(x):\n    return np.sum(x) if np.sum(x) > 0 else np.sum(x * x)\n",
        "def f(x):\n    while x[0] > 0.1:\n        x = x / 2\n    return np.sum(x)\n",
    ],
    ids=["if", "conditional expression", "while"],
)
def test_exec_defined_control_flow_is_specialised_on_its_conditions(text):
    f = defined_by(text)
    g = gs.grad(f)
    for x in (X, -X, 3 * np.abs(X), X):
        np.testing.assert_allclose(g(x), differences(f, x), atol=1e-6)


def test_exec_defined_store_into_a_new_buffer_is_right_or_refused():
    f = defined_by(
        "def f(x):\n    y = np.zeros(3)\n    y[0] = x[0] * x[1]\n    return np.sum(y * x)\n"
    )
    try:
        g = gs.grad(f)(X)
    except gs.GradsmithError:
        g = differences(f, X)
    same(g, differences(f, X), rtol=1e-6)


def test_source_in_linecache_is_used_as_in_a_notebook():
    name = "<ipython-input-7-0123456789ab>"
    text = (
        "import math\n\ndef f(x):\n    y = np.zeros(3)\n    y[0] = x[0] * x[1]\n"
        "    return np.sum(y * x)\n"
    )
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space = {"np": np}
    exec(compile(text, name, "exec"), space)
    check(space["f"], X)


def module_from(path, text):
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_file_that_changed_after_the_import_is_not_believed(tmp_path):
    path = tmp_path / "model.py"
    module = module_from(path, "import numpy as np\n\n\ndef f(x):\n    return np.sum(x**2)\n")
    path.write_text("import numpy as np\n\n\ndef f(x):\n    return np.sum(x**3)\n", "utf-8")
    os.utime(path, (1, 1))
    linecache.checkcache(str(path))
    same(gs.grad(module.f)(X), 2 * X)


def test_lines_added_above_after_the_import_are_not_believed(tmp_path):
    path = tmp_path / "shifted.py"
    text = (
        "import numpy as np\n\n\ndef g(x):\n    return np.sum(x**3)\n\n\n"
        "def f(x):\n    return np.sum(x**2)\n"
    )
    module = module_from(path, text)
    path.write_text("import numpy as np\n\n\n\n\n\n\ndef h(x):\n    return np.sum(x)\n", "utf-8")
    os.utime(path, (1, 1))
    linecache.checkcache(str(path))
    same(gs.grad(module.f)(X), 2 * X)


AT_THE_PROMPT = """\
import numpy as np
import gradsmith as gs

def f(x):
    y = np.exp(x) * x
    return np.sum(y)

print(gs.grad(f)(np.array([0.0, 1.0])).tolist())
print(gs.grad(lambda x: x**3)(2.0))
"""


@pytest.mark.parametrize("flags", [["-"], ["-c", AT_THE_PROMPT], ["-i", "-q"]], ids=str)
def test_functions_defined_at_the_prompt(flags):
    source = str(Path(gs.__file__).parents[1])
    run = subprocess.run(
        [sys.executable, *flags],
        input="" if "-c" in flags else AT_THE_PROMPT,
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    first, second = run.stdout.split("\n")[:2]
    same([float(v) for v in first.strip("[]").split(",")], [1.0, 2 * math.e])
    assert float(second) == pytest.approx(12.0)
