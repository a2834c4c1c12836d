"""Time of `import gradsmith` over `import numpy`, in fresh processes; target: under 60 ms."""

import argparse
import os
import subprocess
import sys
from statistics import median, quantiles

TIMED = """
import sys, time
start = time.perf_counter()
import {module}
print(time.perf_counter() - start, *sys.modules)
"""


def fresh_import(module):
    """Milliseconds of the import, and the top-level packages loaded after it."""
    command = [sys.executable, "-c", TIMED.format(module=module)]
    cached = os.environ | {"PYTHONDONTWRITEBYTECODE": ""}  # as for an installed package
    seconds, *modules = subprocess.check_output(command, text=True, env=cached).split()
    return float(seconds) * 1e3, {name.partition(".")[0] for name in modules}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=40)
    pairs = parser.parse_args().pairs
    _, base = fresh_import("numpy")
    _, loaded = fresh_import("gradsmith")  # writes the byte code, if nobody has
    differences = [fresh_import("gradsmith")[0] - fresh_import("numpy")[0] for _ in range(pairs)]
    low, _, high = quantiles(differences, n=4)
    print(f"import gradsmith - import numpy: {median(differences):.1f} ms", end=" ")
    print(f"(quartiles {low:.1f}, {high:.1f}; {pairs} pairs)")
    others = sorted(loaded - base - set(sys.stdlib_module_names))
    print(f"loaded besides the standard library and NumPy: {', '.join(others)}")


if __name__ == "__main__":
    main()
