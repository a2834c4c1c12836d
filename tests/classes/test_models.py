"""Programs of classes as users write them: values, gradients and tangents."""

from __future__ import annotations

import pytest

from classes.harness import check
from classes.models import CASES


@pytest.mark.parametrize("name", CASES)
def test_model(name):
    check(*CASES[name])
