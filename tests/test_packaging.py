"""The package as it is installed: what importing it costs, its files and its version."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata, resources

import pytest

import gradsmith
from gradsmith._version import __version__

pytestmark = pytest.mark.smoke

# sympy is required, but takes longer to import than NumPy; the others are optional.
LAZY = ("sympy", "scipy", "matplotlib", "torch", "jax", "autograd", "numba", "graphviz")


def modules_after(statement: str) -> set[str]:
    """Names of the modules that a fresh interpreter has loaded after ``statement``."""
    program = f"import sys; {statement}; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(run.stdout.split())


def test_import_is_light():
    loaded = modules_after("import gradsmith")
    assert "gradsmith" in loaded
    assert loaded.isdisjoint(LAZY)


def test_type_information_is_shipped():
    assert resources.files("gradsmith").joinpath("py.typed").is_file()


def test_version_is_the_same_everywhere():
    assert gradsmith.__version__ == __version__ == metadata.version("gradsmith")
