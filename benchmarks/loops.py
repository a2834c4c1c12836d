"""Gradients of functions with loops: their time over the function's own, memory, compiling.

Before anything is timed, each gradient is compared with differences along a direction, and with
the hand-written one and JAX's where there are such.
"""

import timing

# isort: split
import argparse
import inspect
import tracemalloc
from functools import partial
from statistics import median
from time import perf_counter

import numpy as np
from columns import emitted
from generated import load
from loop_workloads import SIZES, WORKLOADS, network, rnn

import gradsmith as gs

UNIT, INPUTS = 32, 8  # of the network whose number of steps is varied


def tuple_of(results):
    return results if isinstance(results, tuple) else (results,)


def is_floating(argument):
    return isinstance(argument, float) or np.asarray(argument).dtype.kind == "f"


def copied(arguments):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]


def writes(function, arguments):
    """The positions of the arguments that the function writes to."""
    given = copied(arguments)
    function(*given)
    pairs = zip(given, arguments, strict=True)
    return [i for i, (new, old) in enumerate(pairs) if not np.array_equal(new, old)]


def on_copies(function, arguments):
    """The function called with copies of what it writes to."""
    written = writes(function, arguments)

    def call():
        given = list(arguments)
        for i in written:
            given[i] = arguments[i].copy()
        return function(*given)

    return call


def seeds_for(function, arguments):
    rng = np.random.default_rng(7)
    return [rng.standard_normal(np.shape(r)) for r in tuple_of(function(*copied(arguments)))]


def gradient_of(function, arguments, seeds):
    """The emitted gradient with respect to all floating arguments, called bare."""
    seed = tuple(seeds) if len(seeds) > 1 else seeds[0]
    source = gs.differentiable(function).grad.source(*arguments, grad_outputs=seed)
    return partial(emitted(source), *arguments, seed)


def jax_gradient(workload, arguments, seeds):
    """Compiled, with everything on the device; the number of steps is part of the code."""
    import jax

    jax.config.update("jax_enable_x64", True)
    steps, *arrays = arguments
    seeds, *arrays = jax.device_put([seeds, *arrays])

    def weighted(*arrays):
        results = tuple_of(workload.jax(steps, *arrays))
        return sum((s * r).sum() for s, r in zip(seeds, results, strict=True))

    gradient = jax.jit(jax.grad(weighted, tuple(range(len(arrays)))))
    return lambda: jax.block_until_ready(gradient(*arrays))


def calls_for(workload, arguments, seeds):
    """What is timed, by column, and why a column is missing that could be there."""
    calls = {
        "primal": on_copies(workload.primal, arguments),
        "gradient": gradient_of(workload.primal, arguments, seeds),
    }
    missing = {}
    if workload.hand:
        calls["hand"] = partial(workload.hand, *arguments, seeds)
    if workload.jax:
        try:
            calls["JAX jit"] = jax_gradient(workload, arguments, seeds)
        except ModuleNotFoundError as error:
            missing["JAX jit"] = str(error)
    return calls, missing


# --- agreement ----------------------------------------------------------------------------


def assert_slope(function, arguments, seeds, gradients, h=1e-5):
    """Along a random direction the gradients say what differences of fourth order say."""
    rng = np.random.default_rng(11)
    moving = [i for i, a in enumerate(arguments) if is_floating(a)]
    directions = {i: rng.standard_normal(np.shape(arguments[i])) for i in moving}

    def at(t):
        moved = [
            np.asarray(a) + t * directions[i] if i in directions else a
            for i, a in enumerate(arguments)
        ]
        results = tuple_of(function(*moved))
        return sum(np.sum(s * r) for s, r in zip(seeds, results, strict=True))

    numeric = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    terms = [np.sum(g * directions[i]) for g, i in zip(gradients, moving, strict=True)]
    scale = max(np.linalg.norm(g) for g in gradients)
    np.testing.assert_allclose(sum(terms), numeric, rtol=1e-6, atol=1e-8 * scale)


def assert_agreement(workload, arguments, seeds, calls):
    gradients = tuple_of(calls["gradient"]())
    assert_slope(workload.primal, arguments, seeds, gradients)
    for name in calls.keys() - {"primal", "gradient"}:
        for want, got in zip(gradients, calls[name](), strict=True):
            np.testing.assert_allclose(got, want, 1e-9, 1e-9 * np.abs(want).max(), err_msg=name)


# --- tables -------------------------------------------------------------------------------

COLUMNS = ("gradient", "hand", "JAX jit")


def measure(workload, size, rounds):
    """The primal's seconds, each column's median ratio to it, and the missing columns."""
    arguments = workload.arguments(size)
    seeds = seeds_for(workload.primal, arguments)
    calls, missing = calls_for(workload, arguments, seeds)
    assert_agreement(workload, arguments, seeds, calls)
    times = timing.interleaved(calls, rounds)
    own = times.pop("primal")
    ratios = {
        name: median(t / p for t, p in zip(column, own, strict=True))
        for name, column in times.items()
    }
    return median(own), ratios, missing


def loops_table(workloads, sizes, rounds):
    rows, left_out = [], {}
    for name in workloads:
        for size in sizes:
            seconds, ratios, missing = measure(WORKLOADS[name], size, rounds)
            cells = [f"{ratios[c]:.2f}" if c in ratios else "" for c in COLUMNS]
            shape = " × ".join(map(str, WORKLOADS[name].sizes[size]))
            rows.append([name, shape, f"{seconds * 1e3:,.3f}", *cells])
            left_out |= missing
    print(timing.table(["time / primal", "size", "primal, ms", *COLUMNS], rows))
    for name, reason in left_out.items():
        print(f"\nleft out: {name} ({reason})")


def peak(call):
    """The most bytes that were allocated during a call, over what there was before."""
    tracemalloc.start()
    call()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def compiling(steps, variant):
    """Seconds until there is code for the gradient of a function never seen before."""
    arguments = network(np.random.default_rng(1), steps, UNIT, INPUTS)
    name = f"rnn_{variant}_{steps}"
    function = load(name, inspect.getsource(rnn).replace("def rnn(", f"def {name}("))
    start = perf_counter()
    gs.grad(function, argnums=(0, 1, 2)).source(*arguments)
    return perf_counter() - start


def steps_row(steps, rounds):
    arguments = network(np.random.default_rng(1), steps, UNIT, INPUTS)
    gradient = emitted(gs.grad(rnn, argnums=(0, 1, 2)).source(*arguments))
    calls = {"primal": partial(rnn, *arguments), "gradient": partial(gradient, *arguments)}
    *weights, xs = arguments
    assert_slope(lambda *given: rnn(*given, xs), weights, [1.0], gradient(*arguments))
    times = timing.interleaved(calls, rounds)
    ratio = median(g / p for g, p in zip(times["gradient"], times["primal"], strict=True))
    most = peak(calls["gradient"])
    first = median(compiling(steps, variant) for variant in range(9))
    return [
        f"{steps:,}",
        f"{median(times['primal']) / steps * 1e6:.2f}",
        f"{median(times['gradient']) / steps * 1e6:.2f}",
        f"{ratio:.2f}",
        f"{most / 1e3:,.0f}",
        f"{most / steps / (8 * UNIT):.2f}",
        f"{first * 1e3:.1f}",
    ]


HEADER = [
    "steps", "primal, µs per step", "gradient, µs per step", "gradient / primal", "peak, kB",
    "peak, states per step", "compiling, ms",
]  # fmt: skip


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default=",".join(SIZES))
    parser.add_argument("--workloads", default=",".join(WORKLOADS))
    parser.add_argument("--steps", default="100,1000,10000", help="of the network")
    parser.add_argument("--rounds", type=int, default=20)
    return parser.parse_args()


def main():
    given = options()
    timing.warm_heap()
    loops_table(given.workloads.split(","), given.sizes.split(","), given.rounds)
    compiling(3, "warm")  # imports, and what is set up once
    rows = [steps_row(int(steps), given.rounds) for steps in given.steps.split(",")]
    print(f"\nrnn, {UNIT} units\n\n{timing.table(HEADER, rows)}")


if __name__ == "__main__":
    main()
