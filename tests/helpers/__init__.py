"""What several test modules share."""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
import math
import os
from collections.abc import Callable, Iterable, Sequence
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
    # coprime to `every`: another weight would leave out values of the other factors altogether
    weights = [k for k in range(1, every * len(factors) + 1) if math.gcd(k, every) == 1]
    return [
        tuple(value for _, value in combination)
        for combination in numbered
        if sum(w * i for w, (i, _) in zip(weights, combination, strict=False)) % every == 0
    ]


def run_checks(checks: Iterable[Callable[..., None]], *subject: Any) -> None:
    """Run every check on the subject; those that fail are reported together, by their names.

    So the subject is compiled once for all checks, and one that fails hides no other.
    """
    _run_all((check.__name__, functools.partial(check, *subject)) for check in checks)


def run_cases(
    check: Callable[[Any], None], cases: Iterable[Any], name: Callable[[Any], str] = repr
) -> None:
    """Run a check on every case; those that fail are reported together, by these names."""
    _run_all((name(case), functools.partial(check, case)) for case in cases)


def each(
    names: str | Sequence[str], values: Iterable[Any], ids: Any = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like ``pytest.mark.parametrize``, but within one test; the cases that fail are reported
    together. For cases of a few milliseconds: as a test of its own each takes three more.
    """
    keys = [n.strip() for n in names.split(",")] if isinstance(names, str) else list(names)
    rows = list(values)
    titles = map(ids or _shown, rows) if ids is None or callable(ids) else ids
    cases = [(title, _given(keys, row)) for title, row in zip(titles, rows, strict=True)]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(**given: Any) -> None:
            _run_all(
                (f"{','.join(keys)}={title}", functools.partial(test, **given, **case))
                for title, case in cases
            )

        signature = inspect.signature(test)
        others = [p for p in signature.parameters.values() if p.name not in keys]
        vars(run)["__signature__"] = signature.replace(parameters=others)
        return run

    return decorate


def _shown(row: Any) -> str:
    if not _is_param(row):
        return repr(row)
    return row.id if isinstance(row.id, str) else repr(row.values)


def _is_param(row: Any) -> bool:
    return isinstance(row, type(pytest.param()))


def _given(keys: Sequence[str], row: Any) -> dict[str, Any]:
    """The arguments of one case by name: a row has a value for each name, if there are several."""
    if _is_param(row):
        assert not row.marks, "a case within a test has no marks"
        row = row.values
    elif len(keys) == 1:
        row = (row,)
    return dict(zip(keys, row, strict=True))


def groups(values: Iterable[Any], size: int) -> list[tuple[Any, ...]]:
    """The values in tuples of this size, the last one shorter: each a test, run by `run_cases`."""
    found = list(values)
    return [tuple(found[i : i + size]) for i in range(0, len(found), size)]


def _run_all(named: Iterable[tuple[str, Callable[[], None]]]) -> None:
    failed: list[tuple[str, BaseException]] = []
    for name, run in named:
        try:
            run()
        except (Exception, pytest.fail.Exception) as error:
            failed.append((name, error))
    if failed:
        lines = [f"{name}: {type(error).__name__}: {error}" for name, error in failed]
        raise AssertionError("\n".join(lines)) from failed[0][1]
