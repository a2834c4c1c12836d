"""Time of gradients relative to the hand-written one: a Markdown table, medians of ratios."""

import timing

# isort: split
import argparse
from statistics import geometric_mean, median

import numpy as np
from columns import COLUMNS, leaves
from workloads import SIZES, WORKLOADS


def gradient_calls(workload, arguments):
    """The calls by column, and the reason for each column that cannot be had."""
    calls, missing = {}, {}
    for name, prepare in COLUMNS.items():
        try:
            calls[name] = prepare(workload, arguments)
        except ModuleNotFoundError as error:
            if "." in error.name:  # there, but broken
                raise
            missing[name] = str(error)
    return calls, missing


def assert_agreement(calls):
    expected = leaves(calls["hand"]())
    largest = max(np.abs(leaf).max() for leaf in expected)
    for name in calls.keys() - {"primal"}:
        for want, got in zip(expected, leaves(calls[name]()), strict=True):
            np.testing.assert_allclose(got, want, 1e-8, 1e-11 * largest, err_msg=name)


def measure(workload, size, rounds):
    """Hand's time in seconds, each column's median ratio to it, and the missing columns."""
    calls, missing = gradient_calls(workload, workload.arguments(size))
    assert_agreement(calls)
    times = timing.interleaved(calls, rounds)
    hand = times.pop("hand")
    ratios = {
        name: median(t / h for t, h in zip(column, hand, strict=True))
        for name, column in times.items()
    }
    return median(hand), ratios, missing


def report(results):
    """A row for each workload and size, then for each size the geometric mean over workloads."""
    rows, by_size = [], {}
    for (workload, size), (seconds, ratios) in results.items():
        shown = list(ratios)
        rows.append(
            [f"{workload} {size}", f"{seconds * 1e6:,.1f}", *map(two_digits, ratios.values())]
        )
        by_size.setdefault(size, []).append(ratios.values())
    for size, ratios in by_size.items():
        means = map(geometric_mean, zip(*ratios, strict=True))
        rows.append([f"geometric mean {size}", "", *map(two_digits, means)])
    return timing.table(["time / hand", "hand, µs", *shown], rows)


def two_digits(ratio):
    return f"{ratio:.2f}"


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(SIZES))
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--rounds", type=int, default=30)
    return parser.parse_args()


def main():
    given = options()
    results, left_out = {}, {}
    timing.warm_heap()
    for workload in given.workloads.split(","):
        for size in given.sizes.split(","):
            *result, missing = measure(WORKLOADS[workload], size, given.rounds)
            results[workload, size] = result
            left_out |= missing
    print(report(results))
    for name, reason in left_out.items():
        print(f"\nleft out: {name} ({reason})")


if __name__ == "__main__":
    main()
