"""The samples of all elementwise ops."""

from __future__ import annotations

from ops import (
    samples_arithmetic,
    samples_complex,
    samples_elementwise,
    samples_logic,
    samples_select,
    samples_stable,
)
from ops.sample import Sample

SAMPLES: dict[str, list[Sample]] = {
    name: samples
    for family in (
        samples_arithmetic,
        samples_complex,
        samples_elementwise,
        samples_logic,
        samples_select,
        samples_stable,
    )
    for name, samples in family.SAMPLES.items()
}
