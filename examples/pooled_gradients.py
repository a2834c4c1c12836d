"""Take the gradient at a pooling layer, sample it, and carry the sample on to the parameters.

Backward in two halves: from the loss to the pooled values, then, with the thinned gradient as
the seed there, from the pooled values to the kernel. Each pooled value is kept with a chance
in proportion to its gradient and divided by that chance, so the result is right on average.
"""

from itertools import product

import numpy as np

import gradsmith as gs


def pool(kernel, shift, patches):
    features = np.tanh(patches @ kernel + shift)
    return features.reshape(-1, 2).max(axis=1)


def loss(kernel, shift, head, patches, target):
    return (pool(kernel, shift, patches) @ head - target) ** 2


@gs.compile
def sampled_gradients(kernel, shift, head, patches, target, draws):
    pooled = pool(kernel, shift, patches)
    error = (pooled @ head - target) ** 2
    (at_pool,) = gs.autograd.grad(error, pooled)

    chances = np.abs(at_pool) / np.max(np.abs(at_pool))
    sample = np.where(draws < chances, at_pool / chances, 0)

    for_params = gs.autograd.grad(pooled, [kernel, shift], grad_outputs=sample)
    return for_params, sample, chances


def main():
    rng = np.random.default_rng(0)
    kernel, shift, head = rng.normal(size=3), 0.5, rng.normal(size=4)
    patches, target = rng.normal(size=(8, 3)), 1.0
    args = kernel, shift, head, patches, target

    (for_kernel, for_shift), sample, chances = sampled_gradients(*args, rng.uniform(size=4))
    print("sample at the pool:", sample)
    print("carried on to the kernel:", for_kernel, "and the shift:", for_shift)
    assert 0 < np.count_nonzero(sample) < 4

    features = np.tanh(patches @ kernel + shift).reshape(4, 2)
    winners = np.arange(4), features.argmax(axis=1)
    through = sample * (1 - features[winners] ** 2)
    by_hand = through @ patches.reshape(4, 2, 3)[winners]
    np.testing.assert_allclose(for_kernel, by_hand, rtol=1e-12)
    np.testing.assert_allclose(for_shift, through.sum(), rtol=1e-12)

    average = np.zeros(4)
    for kept in product([True, False], repeat=4):
        draws = np.where(kept, 0.0, 1.0)
        probability = np.prod(np.where(kept, chances, 1 - chances))
        (for_kernel, for_shift), _, _ = sampled_gradients(*args, draws)
        average += probability * np.append(for_kernel, for_shift)
    print("their mean over all samples:", average)
    exact = gs.grad(loss, argnums=(0, 1))(*args)
    np.testing.assert_allclose(average, np.append(*exact), rtol=1e-12)


if __name__ == "__main__":
    main()
