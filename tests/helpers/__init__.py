"""What several test modules share."""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
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


def random_count(usual: int) -> int:
    """How many random programs a test draws: more of them where ``GRADSMITH_RANDOM`` says so."""
    return int(os.environ.get("GRADSMITH_RANDOM", usual))


def spread(every: int, *factors: Iterable[Any]) -> list[tuple[Any, ...]]:
    """One in ``every`` combinations of the factors' values: evenly, so that each value of each
    factor is among them; all combinations where ``GRADSMITH_ALL`` is set.
    """
    if os.environ.get("GRADSMITH_ALL"):
        every = 1
    numbered = itertools.product(*(enumerate(factor) for factor in factors))
    return [
        tuple(value for _, value in combination)
        for combination in numbered
        if sum(weight * i for weight, (i, _) in enumerate(combination, 1)) % every == 0
    ]


def run_checks(checks: Iterable[Callable[..., None]], *subject: Any) -> None:
    """Run every check on the subject; those that fail are reported together, by their names.

    So the subject is compiled once for all checks, and one that fails hides no other.
    """
    _run_all((check.__name__, functools.partial(check, *subject)) for check in checks)


def run_cases(check: Callable[[Any], None], cases: Iterable[Any]) -> None:
    """Run a check on every case; those that fail are reported together."""
    _run_all((repr(case), functools.partial(check, case)) for case in cases)


def each(name: str, values: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like ``pytest.mark.parametrize``, but within one test; the cases that fail are reported
    together. For cases of a millisecond: as a test of its own each of them takes three more.
    """
    values = list(values)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**given: Any) -> None:
            _run_all(
                (f"{name}={value!r}", functools.partial(test, **given, **{name: value}))
                for value in values
            )

        signature = inspect.signature(test)
        others = [p for p in signature.parameters.values() if p.name != name]
        vars(run)["__signature__"] = signature.replace(parameters=others)
        return run

    return decorate


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
