"""Settings of the whole test run."""

from __future__ import annotations

import os

# Before anything imports matplotlib: no test opens a window, and subprocesses inherit it.
os.environ["MPLBACKEND"] = "Agg"
