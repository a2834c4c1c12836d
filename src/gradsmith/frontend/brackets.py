"""Objects of NumPy's that make arrays of what stands in brackets, where that is traced."""

from __future__ import annotations

from typing import Any

from gradsmith.frontend.dispatch import any_traced, is_traced, run
from gradsmith.ops.index_tricks import BRACKETS


def made_by_brackets(owner: Any, key: Any) -> Any:
    """``np.mgrid[:n]``, ``np.r_[x, 0]`` and the like; None where NumPy can do it."""
    meaning = BRACKETS.get(id(owner))
    if meaning is None:
        return None
    pieces = key if isinstance(key, tuple) else (key,)
    return run(meaning, key) if any(map(_holds_traced, pieces)) else None


def _holds_traced(piece: Any) -> bool:
    if isinstance(piece, slice):
        return any_traced([piece.start, piece.stop, piece.step])
    return is_traced(piece)
