"""Pin the threads, warm the heap, time calls against each other.

Importing this sets the environment, so it has to come before NumPy.
"""

import os
import timeit
from collections.abc import Callable

LIBRARIES = ("OPENBLAS", "OMP", "MKL", "BLIS", "VECLIB_MAXIMUM", "NUMEXPR", "NUMBA")
os.environ.update({f"{library}_NUM_THREADS": "1" for library in LIBRARIES})
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
os.environ["JAX_PLATFORMS"] = "cpu"


def warm_heap():
    """Let glibc keep what is freed: its thresholds grow when a block of up to 32 MiB is freed.

    Otherwise page faults, which depend on what ran before, are most of what is measured.
    """
    bytes(31 << 20)


def interleaved(
    calls: dict[str, Callable[[], object]], rounds: int, seconds: float = 2e-3
) -> dict[str, list[float]]:
    """Seconds per call, one for each round, in rounds A B C … A B C …: noise hits all alike.

    A timing repeats the call for about `seconds`; the call before it brings back the caches.
    """
    timers = {name: timeit.Timer(call) for name, call in calls.items()}
    repeats = {}
    for name, timer in timers.items():
        timer.timeit(2)  # the first calls compile
        repeats[name] = max(1, round(seconds / min(timer.repeat(3, 1))))
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, timer in timers.items():
            timer.timeit(1)
            times[name].append(timer.timeit(repeats[name]) / repeats[name])
    return times


def table(header: list[str], rows: list[list[str]]) -> str:
    """Rows as a Markdown table, columns padded so that it reads as plain text too."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [
        [row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])] for row in (header, *rows)
    ]
    lines.insert(1, rule)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
