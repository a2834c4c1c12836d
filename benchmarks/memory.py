"""What gradients take in memory: every state kept, `gs.checkpoint`, `gs.loop` with few slots.

    python benchmarks/memory.py [--steps 10000] [--slots 20] [--width 256]

A recurrent network is the example. Peaks are those of tracemalloc, over what arguments and
results take; evaluations of the step are counted as calls of ``np.tanh`` in the emitted source.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from math import comb

import numpy as np
import timing

import gradsmith as gs

FLOAT = np.dtype(float).itemsize


def plain(h, w, x):
    for i in range(len(x)):
        h = np.tanh(w * h + x[i])
    return np.sum(h * h)


def with_slots(slots):
    def binomial(h, w, x):
        for i in gs.loop(range(len(x)), checkpoint="binomial", slots=slots):
            h = np.tanh(w * h + x[i])
        return np.sum(h * h)

    return binomial


def in_blocks(length):
    @gs.checkpoint
    def block(h, w, x):
        for i in range(length):
            h = np.tanh(w * h + x[i])
        return h

    def checkpointed(h, w, x):
        for part in x.reshape(-1, length, x.shape[1]):
            h = block(h, w, part)
        return np.sum(h * h)

    return checkpointed


def theory(steps, slots):
    """The least number of steps made again to get at the state before each step."""
    again = 0
    while comb(slots + again, slots) < steps:
        again += 1
    return again * steps - comb(slots + again, slots + 1)


class Counting:
    """NumPy, with the calls of ``np.tanh`` counted."""

    def __init__(self):
        self.calls = 0

    def tanh(self, *args, **kwargs):
        self.calls += 1
        return np.tanh(*args, **kwargs)

    def __getattr__(self, name):
        return getattr(np, name)


def evaluations(gradient, arguments):
    """How often the emitted gradient evaluates the step."""
    source = gradient.source(*arguments)
    counting = Counting()
    space = {"np": counting}
    exec(compile(source.replace("import numpy as np", ""), "emitted", "exec"), space)
    (name,) = [line[4 : line.index("(")] for line in source.splitlines() if "_grad(" in line]
    space[name](*arguments)
    return counting.calls


def peak(gradient, arguments):
    """The most bytes at once, but for arguments and results; and the seconds of a call."""
    gradient(*arguments)
    start = time.perf_counter()
    gradient(*arguments)
    seconds = time.perf_counter() - start
    tracemalloc.start()
    results = gradient(*arguments)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most - sum(np.asarray(r).nbytes for r in results), seconds


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--slots", type=int, default=20)
    parser.add_argument("--width", type=int, default=256)
    return parser.parse_args()


def row(name, function, arguments, reference):
    """A line of the table, the peak and the evaluations."""
    gradient = gs.grad(function, (0, 1, 2))
    most, seconds = peak(gradient, arguments)
    found = gradient(*arguments)
    same = all(np.array_equal(a, b) for a, b in zip(found, reference, strict=True))
    calls = evaluations(gradient, arguments)
    states = most / arguments[0].nbytes
    cells = [f"{most / 1024:.0f}", f"{states:.1f}", f"{calls}", f"{seconds:.3f}"]
    return [name, *cells, "yes" if same else "no"], most, calls


def main():
    given = options()
    steps, slots, width = given.steps, given.slots, given.width
    random = np.random.default_rng(0)
    arguments = tuple(random.normal(size=s) for s in (width, width, (steps, width)))
    length = round(steps**0.5)
    functions = {
        "every state": plain,
        f"checkpoint, blocks of {length}": in_blocks(length),
        f"binomial, {slots} slots": with_slots(slots),
    }
    reference = gs.grad(plain, (0, 1, 2))(*arguments)
    rows = [row(name, f, arguments, reference) for name, f in functions.items()]
    header = ["kept", "peak KiB", "states", "evaluations", "seconds", "same bits"]
    print(f"{steps} steps of {width} numbers, of {FLOAT} bytes each\n")
    print(timing.table(header, [cells for cells, _, _ in rows]))
    _, most, calls = rows[-1]
    made, least = calls - 2 * steps, theory(steps, slots)
    print(f"\nbinomial: {steps} forward, {steps} in the adjoints, {made} to get at states")
    print(f"theory:   {least} to get at states")
    limit = 3 * slots * width * FLOAT
    print(f"limit:    3 x {slots} states = {limit / 1024:.0f} KiB; taken: {most / 1024:.0f} KiB")
    return 0 if most <= limit and made == least else 1


if __name__ == "__main__":
    raise SystemExit(main())
