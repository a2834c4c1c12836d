"""Random nests of loops and branches: the emitted code gives what the interpreter gives."""

from __future__ import annotations

import numpy as np
import pytest

from codegen.region_building import check
from codegen.region_programs import Maker

random = np.random.default_rng(0)
X, Y = random.normal(size=5), random.normal(size=4)

FOUND = (3, 51, 54, 63, 115, 174, 186, 202, 234, 235, 259, 268, 274, 876, 1753, 5236)
"""Some of these once had a buffer overwritten that was still read."""


@pytest.mark.parametrize("seed", [*FOUND, *range(10_000, 10_060)])
def test_random_programs(seed):
    check(Maker(seed), (X, 2), (Y, 3), (-X, 0), names="x n")
