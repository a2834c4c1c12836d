"""Lists of arrays and tuples of which elements are replaced, and who sees that."""

from __future__ import annotations

import warnings

import pytest

import gradsmith as gs
from helpers import spread
from semantics.list_elements import pieces, program
from semantics.stored_elements import TEXT
from semantics.test_list_elements import PLACES, check, loaded

PIECES = pieces(TEXT)


@pytest.mark.parametrize(("name", "place"), spread(3, PIECES, PLACES))
def test_elements_are_replaced(name, place):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gs.GradsmithWarning)
        check(loaded(program(PIECES[name], place), f"stored_{name}_{place}"))
