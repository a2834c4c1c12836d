"""The thresholds of Python's garbage collector are the user's before and after compilations."""

from __future__ import annotations

import gc
import threading
from contextlib import nullcontext

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.driver import specialise
from gradsmith.driver.garbage import YOUNG, rarely_collected


@pytest.fixture(autouse=True)
def _restored():
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize("error", [None, ZeroDivisionError])
def test_one_compilation(error, monkeypatch):
    seen, real = [], specialise._specialise

    def noted(*args):
        seen.append(gc.get_threshold())
        if error is not None:
            raise error
        return real(*args)

    monkeypatch.setattr(specialise, "_specialise", noted)
    with nullcontext() if error is None else pytest.raises(error):
        gs.compile(lambda x: np.sin(x) + 1.0).source(1.0)
    assert seen == [(YOUNG, 10, 10)]
    assert gc.get_threshold() == (700, 10, 10)


def test_compilations_that_overlap():
    first, second = threading.Event(), threading.Event()

    def other():
        with rarely_collected():
            first.set()
            second.wait(10)

    with rarely_collected():
        thread = threading.Thread(target=other)
        thread.start()
        first.wait(10)
    assert gc.get_threshold() == (YOUNG, 10, 10)
    second.set()
    thread.join()
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("own", [(0, 10, 10), (10 * YOUNG, 10, 10)])
def test_who_collects_more_rarely_still_does(own):
    gc.set_threshold(*own)
    with rarely_collected():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own
