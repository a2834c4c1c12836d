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


def test_what_a_class_adds_is_not_guessed():
    def f(x):
        if x > 1:
            raise ResidualError(x)
        return x

    with pytest.raises(gs.GradsmithError, match=r"residual \{residual\}"):
        gs.grad(f)(2.0)


def test_attributes_of_an_error_are_not_dropped():
    """Python itself raises it: the code is for calls that do not meet it."""

    def f(x):
        if x > 1:
            error = ModelError("too large")
            error.code = 3
            raise error
        return x * x

    gradient = gs.grad(f)
    for _ in range(2):
        assert gradient(0.5) == 1.0
        with pytest.raises(ModelError, match="too large") as raised:
            gradient(2.0)
        assert raised.value.code == 3


def test_attributes_with_traced_values_are_refused():
    def f(x):
        if x > 1:
            error = ModelError("too large")
            error.size = x
            raise error
        return x * x

    gradient = gs.grad(f)
    assert gradient(0.5) == 1.0
    with pytest.raises(gs.GradsmithError, match="ModelError is raised"):
        gradient(2.0)
