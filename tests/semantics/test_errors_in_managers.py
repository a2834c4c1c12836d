"""Context managers that raise when they are left, around bodies in which numbers decide errors."""

import contextlib

import numpy as np

from control.one_object import check_calls
from helpers import each

CALLS = [(np.array(x),) for x in ([1.5, -2.0, 3.5, -0.5], [3.0, 2.0], [2.5, 1.0, 7.0])]


class Raising:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.log.append((kind and kind.__name__, error and str(error)))
        raise OSError("left")


def always(x):
    log = []
    try:
        with Raising(log):
            if x[0] != 3:
                raise ValueError("v")
    except OSError as error:
        log.append(str(error))
    return log


def translated(x):
    log, t = [], 0.0

    class Translating:
        def __enter__(self):
            return self

        def __exit__(self, kind, error, traceback):
            if kind:
                log.append(kind.__name__)
                raise LookupError(str(error)) from None

    for v in x:
        try:
            with Translating():
                if v < 0:
                    raise ValueError(f"{v:.1f}")
                t += v
        except LookupError as error:
            log.append(error.args[0])
    return t, log


def closed(x):
    log = []

    class Closing:
        def close(self):
            log.append("close")
            raise OSError("c")

    try:
        with contextlib.closing(Closing()):
            if x[0] > 2:
                raise ValueError("v")
            log.append("ok")
    except OSError as error:
        log.append(error.__context__ and str(error.__context__))
    return log


def stacked(x):
    log = []

    def callback():
        log.append("callback")
        raise OSError("c")

    try:
        with contextlib.ExitStack() as stack:
            stack.callback(callback)
            if x[0] > 2:
                raise ValueError("v")
            log.append("ok")
    except OSError as error:
        log.append(str(error))
    return log


@each("function", [always, translated, closed, stacked])
def test_logs(function):
    check_calls(function, *CALLS)
