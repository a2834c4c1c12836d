"""What a whole `f.grad(...)` call costs over calling the emitted function bare, in µs."""

import timing

# isort: split
import argparse
from functools import partial
from statistics import median

import numpy as np
from columns import emitted
from generated import sum_of_squares

import gradsmith as gs

COUNTS = (1, 2, 4, 8, 16)


def measure(count, rounds):
    """Medians in µs of the bare call, of the whole call, and of their difference."""
    arrays = list(np.random.default_rng(count).standard_normal((count, 3)))
    f = gs.differentiable(sum_of_squares(count))
    bare = emitted(f.grad.source(*arrays))
    for x, from_call in zip(arrays, f.grad(*arrays), strict=True):
        np.testing.assert_allclose(from_call, 2 * x)
    calls = {"bare": partial(bare, *arrays), "whole": partial(f.grad, *arrays)}
    times = timing.interleaved(calls, rounds)
    pairs = list(zip(times["bare"], times["whole"], strict=True))
    columns = (*zip(*pairs, strict=True), (whole - bare for bare, whole in pairs))
    return [median(column) * 1e6 for column in columns]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    rounds = parser.parse_args().rounds
    results = {count: measure(count, rounds) for count in COUNTS}
    rows = [[str(count), *(f"{t:.2f}" for t in result)] for count, result in results.items()]
    print(timing.table(["arguments", "bare, µs", "whole, µs", "overhead, µs"], rows))
    slope, start = np.polyfit(COUNTS, [overhead for *_, overhead in results.values()], 1)
    print(f"\noverhead: {start:.2f} µs + {slope:.3f} µs per argument (target: 1 + 0.15)")


if __name__ == "__main__":
    main()
