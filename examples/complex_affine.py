"""A complex affine layer ``y = W x + b``: the gradient for x is ``W.conj().T @ seed``.

The gradient of a real loss for a complex x is ``dL/d(Re x) + i dL/d(Im x)``, so that
``x - rate * gradient`` descends; carried through a layer it meets the conjugate transpose, as
the code that is written for this layer shows.
"""

import numpy as np

import gradsmith as gs


@gs.differentiable
def layer(W, x, b):
    return W @ x + b


@gs.differentiable
def energy(W, x, b):
    y = layer(W, x, b)
    return np.sum(np.abs(y) ** 2)


def complex_normal(rng, *shape):
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def main():
    rng = np.random.default_rng(0)
    W, x, b = complex_normal(rng, 3, 2), complex_normal(rng, 2), complex_normal(rng, 3)
    seed = complex_normal(rng, 3)

    source = layer.grad.source(W, x, b)
    print(source)
    assert "W.conj().T @ grad_outputs" in source

    for_W, for_x, for_b = layer.grad(W, x, b, grad_outputs=seed)
    np.testing.assert_allclose(for_W, np.outer(seed, x.conj()), rtol=1e-13)
    np.testing.assert_allclose(for_x, W.conj().T @ seed, rtol=1e-13)
    np.testing.assert_allclose(for_b, seed, rtol=1e-13)

    (downhill,) = energy.grad(W, x, b, inputs="x")
    np.testing.assert_allclose(downhill, 2 * W.conj().T @ (W @ x + b), rtol=1e-12)
    here, there = energy(W, x, b), energy(W, x - 0.01 * downhill, b)
    print(f"one step downhill: {here:.4f} -> {there:.4f}")
    assert there < here


if __name__ == "__main__":
    main()
