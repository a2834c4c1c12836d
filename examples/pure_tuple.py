"""A gradient is a value: a tuple comes back, and nothing else has changed.

No ``.grad`` field is filled, so nothing accumulates from call to call and nothing has to be set
to zero; calls from several threads do not disturb each other.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import gradsmith as gs


@gs.differentiable
def f(x1, x2):
    return x1**2 + 5 * x2


def gradients(x1, x2):
    return f.grad(x1, x2, grad_outputs=np.ones_like(x1))


def main():
    x1 = np.array([1.0, 2.0, 3.0])
    x2 = np.array([4.0, 5.0, 6.0])

    first = gradients(x1, x2)
    print("first call: ", first)
    assert isinstance(first, tuple)
    np.testing.assert_array_equal(first[0], [2.0, 4.0, 6.0])
    np.testing.assert_array_equal(first[1], [5.0, 5.0, 5.0])

    second = gradients(x1, x2)
    print("second call:", second)
    np.testing.assert_array_equal(second, first)
    np.testing.assert_array_equal(x1, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(x2, [4.0, 5.0, 6.0])

    inputs = [(k * x1, x2) for k in range(1, 201)]
    with ThreadPoolExecutor(max_workers=8) as pool:
        concurrent = list(pool.map(lambda pair: gradients(*pair), inputs))
    alone = [gradients(*pair) for pair in inputs]
    print(len(concurrent), "calls from 8 threads give what they give one by one")
    np.testing.assert_array_equal(concurrent, alone)


if __name__ == "__main__":
    main()
