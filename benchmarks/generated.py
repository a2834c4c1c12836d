"""Functions from generated source, in modules of their own as a user's would be."""

import importlib.util
import tempfile
from pathlib import Path

FOLDER = tempfile.TemporaryDirectory(prefix="gradsmith-benchmark-")


def load(name, source):
    """The function `name` of a new module that holds `source` after NumPy's import."""
    path = Path(FOLDER.name, f"{name}.py")
    path.write_text(f"import numpy as np\n\n\n{source}")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def sum_of_squares(arguments):
    """A function of that many arrays, cheap enough for the cost of a call to show."""
    name = f"squares_{arguments}"
    names = [f"x{i}" for i in range(arguments)]
    terms = " + ".join(f"{x} * {x}" for x in names)
    return load(name, f"def {name}({', '.join(names)}):\n    return np.sum({terms})\n")


STEPS = ("np.tanh({a})", "{a} * {b}", "np.cos({a})", "{a} + {b}", "np.arctan({a})", "{a} - {b}")


def straight_line(operations, variant=0):
    """A function of that many elementwise operations, a line for each, all of which matter.

    Functions of different `variant` differ in their source, so that no cache serves both.
    """
    name = f"line_{operations}_{variant}"
    lines = [f"v0 = x * {1.0 + variant / 100}"]
    for i in range(1, operations):
        step = STEPS[i % len(STEPS)].format(a=f"v{i - 1}", b=f"v{max(i - 3, 0)}")
        lines.append(f"v{i} = {step}")
    lines.append(f"return np.sum(v{operations - 1})")
    return load(name, f"def {name}(x):\n    " + "\n    ".join(lines) + "\n")
