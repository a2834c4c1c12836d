"""Errors of the user's own classes, raised where a traced value says so."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

import gradsmith as gs


class ModelError(Exception):
    """Something is wrong with a model."""


class ConvergenceError(ModelError, ArithmeticError):
    pass


class TimeoutError(ModelError):
    pass


class ResidualError(ModelError):
    def __init__(self, residual):
        super().__init__(f"residual {residual}")
        self.residual = residual


def root(a, trips):
    x = a
    for _ in range(trips):
        step = (x * x - a) / (2 * x)
        x = x - step
        if abs(step) < 1e-12:
            return x
    raise ConvergenceError(f"still {abs(step):.1e} to go", trips)


def pivots(A):
    for i in range(len(A)):
        if A[i, i] == 0:
            raise np.linalg.LinAlgError("Singular matrix")
        if A[i, i] < 0:
            raise ConvergenceError
        if A[i, i] > 100:
            raise TimeoutError(A[i, i])
    return np.sum(np.log(np.diag(A)))


CASES = [
    (root, (2.0, 3)),
    (root, (2.0, 60)),
    (pivots, (np.diag([1.0, 2.0]),)),
    (pivots, (np.diag([1.0, 0.0]),)),
    (pivots, (np.diag([-1.0, 2.0]),)),
    (pivots, (np.diag([1.0, 200.0]),)),
]


def outcome(call, *args):
    try:
        call(*args)
    except Exception as error:
        return type(error), error.args
    return None


@pytest.mark.parametrize("way", [gs.compile, gs.grad, gs.value_and_grad])
def test_it_is_the_users_class(way):
    compiled = {root: way(root), pivots: way(pivots)}
    for function, args in CASES * 2:
        assert outcome(compiled[function], *args) == outcome(function, *args)


def test_the_error_names_the_line_of_the_emitted_code():
    with pytest.raises(ConvergenceError) as raised:
        gs.grad(root)(2.0, 3)
    assert "raise ConvergenceError(" in "".join(traceback.format_tb(raised.tb))


def test_the_emitted_module_has_classes_of_the_same_names_and_bases():
    namespace = {}
    source = gs.differentiable(pivots).grad.source(
        np.diag([1.0, 2.0]),
    )
    exec(source, namespace)
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        namespace["pivots_grad"](np.diag([1.0, 0.0]))
    with pytest.raises(ArithmeticError) as raised:
        namespace["pivots_grad"](np.diag([-1.0, 2.0]))
    names = [kind.__name__ for kind in raised.type.__mro__]
    assert names[:2] == ["ConvergenceError", "ModelError"]
    with pytest.raises(namespace["ModelError"], match="200"):
        namespace["pivots_grad"](np.diag([200.0, 2.0]))


class ChannelError(ValueError):
    def __init__(self, value, *, channel=1):
        Exception.__init__(self, f"channel {channel}: {value:.2f}")
        self.info = {"value": value, "all": [channel, value]}


def with_a_method(x):
    print("residual", x)
    if x > 1:
        raise ResidualError(x)
    return x * x


def with_attributes(x):
    if x > 1:
        error = ModelError("too large")
        error.code = x * 3
        raise error
    return x * x


def in_a_loop(x):
    total = 0.0
    for k in range(4):
        if x > k:
            total += x
        elif x < -2:
            raise ChannelError(x * k, channel=k)
    return total


def handled(x):
    try:
        if x > 1:
            raise ChannelError(x)
        return x
    except ChannelError as error:
        return error.info["value"] * error.info["all"][1]


def from_another(x):
    try:
        if x > 1:
            raise ResidualError(x)
    except ModelError as error:
        raise ChannelError(x / 2) from error
    return x


def without_arguments(x):
    if x > 1:
        raise ResidualError
    return x


def of_recursion(x):
    if x > 1:
        raise RecursionError("too many")
    return x


OWN = [
    of_recursion,
    with_a_method,
    with_attributes,
    in_a_loop,
    handled,
    from_another,
    without_arguments,
]


def told(call, x):
    """The value of a call, or the error with all that it holds."""
    try:
        value = call(x)
        return value[0] if isinstance(value, tuple) else value
    except Exception as error:
        cause = error.__cause__
        chain = [error] if cause is None else [error, cause]
        return [(type(e), [repr(a) for a in e.args], repr(vars(e))) for e in chain]


@pytest.mark.parametrize("function", OWN)
@pytest.mark.parametrize("way", [gs.compile, gs.value_and_grad])
def test_errors_of_classes_that_add_something(function, way, capsys):
    made = way(function)
    for x in (0.5, 2.0, -3.0, 0.7, 1.5, 2.0):
        expected = told(function, x), capsys.readouterr()
        assert (told(made, x), capsys.readouterr()) == expected
