"""What several test modules share."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest

# Set where every peer is installed, so that a referee which does not import fails loudly.
REQUIRE_PEERS = "GRADSMITH_REQUIRE_PEERS"


def peer(name: str) -> ModuleType:
    """Import the package ``name`` as a referee, or skip the tests that ask for it."""
    if os.environ.get(REQUIRE_PEERS):
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"the peer {name} is not installed")
