"""What a registry-driven test runs an op on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Sample:
    """Arguments and attributes of one call; ``smooth``: finite differences make sense there."""

    args: tuple[Any, ...]
    attrs: dict[str, Any] = field(default_factory=dict)
    smooth: bool = True
