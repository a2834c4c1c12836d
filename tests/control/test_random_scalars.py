"""Random programs on numbers: value to the bit, class and error are those of the function itself.

Each is compiled once for arguments of a kind, and called with all of them. The class of what a
branch makes of an array without axes and a number is the number's (docs/semantics.md).
"""

from __future__ import annotations

import importlib.util
import math

import numpy as np
import pytest

import gradsmith as gs
from control.random_scalars import Programs

A = np.array([0.5, -1.5, 2.0])
ARGUMENTS = {
    "float": [
        (0.7, 1.3, 2, A),
        (-1.2, 0.4, -3, A[::-1].copy()),
        (0.0, -0.0, 0, 0.0 * A),
        (math.nan, 1.0, 1, A + math.nan),
        (math.inf, -2.5, 5, A * math.inf),
        (1e200, -1e200, 6, A * 1e300),
    ],
    "float64": [(np.float64(0.7), 1.3, 2, A), (np.float64(-1.2), 0.4, -3, A + 1.0)],
    "float32": [
        (np.float32(0.7), 2, 2, A.astype(np.float32)),
        (np.float32(-1.25), -3, -3, (A + 1.0).astype(np.float32)),
    ],
    "int": [(3, 1.3, 2, A), (-2, 0.4, -3, A + 1.0), (10**18, 2.0, 1, A)],
}
SEEDS = [*range(41, 60), *range(3000, 3012)]


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    path = tmp_path_factory.mktemp("scalars") / "programs.py"
    sources = [Programs(seed).function(f"program_{seed}") for seed in SEEDS]
    path.write_text("\n\n".join(["import math\nimport numpy as np", *sources]))
    spec = importlib.util.spec_from_file_location("programs", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(function, arguments):
    try:
        value = function(*(a.copy() if isinstance(a, np.ndarray) else a for a in arguments))
    except Exception as error:
        return error
    parts = value if isinstance(value, tuple) else (value,)
    return [(type(part), repr(part)) for part in parts]


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::gradsmith.GradsmithWarning")
@pytest.mark.parametrize("seed", SEEDS)
def test_value_class_and_error(functions, seed):
    function = getattr(functions, f"program_{seed}")
    for many in ARGUMENTS.values():
        compiled = gs.compile(function)
        for arguments in many:
            expected, found = outcome(function, arguments), outcome(compiled, arguments)
            if isinstance(expected, Exception):
                assert isinstance(found, ArithmeticError | ValueError | TypeError), arguments
                assert isinstance(found, type(expected)), arguments
            else:
                assert found == expected, arguments
