"""Values that are made of values, without anything but NumPy, for processes without gradsmith."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple


class Affine(NamedTuple):
    weight: Any
    bias: Any


@dataclass
class Model:
    scale: Any
    layers: Any
    name: str = "model"
