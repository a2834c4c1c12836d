"""First-call time of gradients of straight-line functions: how it grows with their length."""

import timing

# isort: split
import argparse
from statistics import median
from time import perf_counter

import numpy as np
from generated import straight_line

X = np.linspace(-1.0, 1.0, 3)


def gradsmith_gradient(f):
    import gradsmith as gs

    return gs.grad(f)


def jax_gradient(f):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    f.__globals__["np"] = jnp
    return jax.jit(jax.grad(f))


COMPILERS = {"gradsmith": gradsmith_gradient, "jax": jax_gradient}


def first_call(gradient, f):
    """Seconds for the first call, all included, and for the second."""
    start = perf_counter()
    g = gradient(f)
    np.asarray(g(X))
    first = perf_counter()
    np.asarray(g(X))
    return first - start, perf_counter() - first


def measure(compiler, operations, repeats):
    """Medians over functions never seen before, in seconds."""
    gradient = COMPILERS[compiler]
    runs = [first_call(gradient, straight_line(operations, i)) for i in range(repeats)]
    return [median(column) for column in zip(*runs, strict=True)]


def options():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", default="30,100,1000,5000")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--compiler", choices=COMPILERS, default="gradsmith")
    return parser.parse_args()


def main():
    given = options()
    counts = [int(count) for count in given.operations.split(",")]
    gradient = COMPILERS[given.compiler]
    first_call(gradient, straight_line(5, 99))  # imports, and what is set up once
    rows, firsts = [], []
    for count in counts:
        first, second = measure(given.compiler, count, given.repeats)
        firsts.append(first)
        times = [
            f"{first * 1e3:.1f}",
            f"{second * 1e3:.3f}",
            f"{(first - second) / count * 1e6:.0f}",
        ]
        rows.append([f"{count:,}", *times])
    print(timing.table(["operations", "first call, ms", "second, ms", "µs per operation"], rows))
    exponent = np.polyfit(np.log(counts), np.log(firsts), 1)[0]
    print(f"\nfirst call ~ operations^{exponent:.2f}")


if __name__ == "__main__":
    main()
