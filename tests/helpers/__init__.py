"""What several test modules share."""

from __future__ import annotations

import functools
import importlib
import os
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import pytest

# Set where every peer is installed, so that a referee which does not import fails loudly.
REQUIRE_PEERS = "GRADSMITH_REQUIRE_PEERS"


def peer(name: str) -> ModuleType:
    """Import the package ``name`` as a referee, or skip the tests that ask for it."""
    if os.environ.get(REQUIRE_PEERS):
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"the peer {name} is not installed")


def run_checks(checks: Iterable[Callable[..., None]], *subject: Any) -> None:
    """Run every check on the subject; those that fail are reported together, by their names.

    So the subject is compiled once for all checks, and one that fails hides no other.
    """
    _run_all((check.__name__, functools.partial(check, *subject)) for check in checks)


def run_cases(check: Callable[..., None], cases: Iterable[Any]) -> None:
    """Run a check on every case, which is its argument, or a tuple of these; those that fail are
    reported together. For cases of less than some milliseconds: a test by itself takes three.
    """
    _run_all((repr(case), functools.partial(check, *_arguments(case))) for case in cases)


def _arguments(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)


def _run_all(named: Iterable[tuple[str, Callable[[], None]]]) -> None:
    failed: list[tuple[str, Exception]] = []
    for name, run in named:
        try:
            run()
        except Exception as error:
            failed.append((name, error))
    if failed:
        lines = [f"{name}: {type(error).__name__}: {error}" for name, error in failed]
        raise AssertionError("\n".join(lines)) from failed[0][1]
