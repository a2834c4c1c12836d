"""np.max and np.min with ``initial`` of arrays without elements: NumPy's classes of results."""

import numpy as np

import gradsmith as gs
from helpers import each

EMPTY = np.array([])
CASES = {
    "of_a_method": (lambda n: np.zeros(n).min(initial=3.0), [0, 2]),
    "of_an_integer": (lambda a: np.max(a, initial=0), [EMPTY, np.ones(1)]),
    "along_an_axis": (lambda a: a.min(axis=0, initial=3.0), [EMPTY, np.zeros((0, 2))]),
    "with_kept_axes": (lambda a: np.max(a, initial=0, keepdims=True), [EMPTY]),
    "of_an_array": (lambda a: np.max(a, initial=np.array(2.0)), [EMPTY, np.ones(1)]),
    "of_float32": (lambda a: np.min(a.astype(np.float32), initial=1.5), [EMPTY, np.ones(1)]),
}


@each("case", CASES)
def test_the_class_of_the_result_is_that_of_numpy(case):
    f, values = CASES[case]
    compiled = gs.compile(f)
    for value in values:
        made, wanted = compiled(value), f(value)
        assert type(made) is type(wanted)
        assert made.dtype == wanted.dtype
        np.testing.assert_array_equal(made, wanted)


def test_the_initial_value_has_its_derivative():
    assert gs.grad(lambda x: 2 * np.max(np.zeros(0), initial=x))(3.0) == 2.0
    assert gs.grad(lambda x: 2 * np.max(np.zeros(0), initial=np.array(x)))(3.0) == 2.0
