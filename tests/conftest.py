"""Settings of the whole test run: parallel processes, and no internal error anywhere."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest

# Before anything imports matplotlib: no test opens a window, and subprocesses inherit it.
os.environ["MPLBACKEND"] = "Agg"
# Before anything imports NumPy: the tests run in parallel processes, with which threads of the
# BLAS would only compete.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from gradsmith.errors import InternalError

MOST_PROCESSES = 8
"""Each of them imports and collects all tests, which takes a few seconds."""


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Run directories in parallel processes, if pytest-xdist is there and nothing else is said.

    Single files and tests run in this process, and so does whatever the debugger is asked for;
    ``-n 0`` runs all in one process. Stealing keeps neighbouring tests, which share what is
    compiled for them, on one process.
    """
    option = config.option
    if not config.pluginmanager.hasplugin("xdist") or hasattr(config, "workerinput"):
        return
    interactive = option.usepdb or option.trace or option.collectonly
    if option.numprocesses is None and not interactive and all(map(os.path.isdir, config.args)):
        option.numprocesses = "auto"
        option.maxprocesses = option.maxprocesses or MOST_PROCESSES
    if option.numprocesses and option.dist == "no":
        option.dist = "worksteal"


def pytest_collection_finish(session):
    """The garbage collector need not scan what has been imported and collected, which stays, and
    runs less often: a tenth of the time of the tests was its youngest generation.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


_internal_errors = []


def _recorded(cls, *args, **kwargs):
    error = AssertionError.__new__(cls, *args, **kwargs)
    _internal_errors.append(error)
    return error


InternalError.__new__ = _recorded


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """A test fails in which an `InternalError` is made, even if it is caught: it is a refusal to
    nobody. Tests of the checks themselves are marked ``internal_error``.
    """
    try:
        result = yield
        if _internal_errors and item.get_closest_marker("internal_error") is None:
            raise _internal_errors[0]
        return result
    finally:
        _internal_errors.clear()


SMOKE = (
    "test_packaging.py",
    "api/test_emit.py",
    "api/test_transforms.py",
    "api/test_trees.py",
    "frontend/",
    "semantics/test_functions.py",
    "semantics/test_views.py",
    "semantics/test_writes.py",
    "semantics/test_zeros.py",
    "semantics/test_float32.py",
    "semantics/test_unset.py",
    "control/test_printing.py",
    "errors/test_messages.py",
    "codegen/",
)
"""What runs on every Python version: fast, no peer needed, all layers touched."""
PARTLY_SMOKE = ("control/test_control_programs.py",)
"""Where single tests are marked."""


def pytest_ignore_collect(collection_path, config):
    """With ``-m smoke`` the other files are not even imported."""
    if config.option.markexpr != "smoke" or not collection_path.name.startswith("test_"):
        return None
    where = collection_path.relative_to(Path(__file__).parent).as_posix()
    return None if where.startswith((*SMOKE, *PARTLY_SMOKE)) else True


def pytest_collection_modifyitems(items):
    root = Path(__file__).parent
    for item in items:
        where = item.path.relative_to(root).as_posix() if root in item.path.parents else ""
        if where.startswith(SMOKE):
            item.add_marker(pytest.mark.smoke)
