"""A loss that holds a gradient: the critic of a Wasserstein GAN with a gradient penalty.

The critic scores points; its slope between real and false points should have length 1. The
slope is a gradient taken inside the loss (with ``create_graph=True``), and training
differentiates through it.
"""

import numpy as np

import gradsmith as gs


def critic(params, points):
    hidden = np.tanh(points @ params["inner"] + params["shift"])
    return hidden @ params["outer"]


def penalty(params, points):
    scores = critic(params, points)
    (slopes,) = gs.autograd.grad(
        scores, points, grad_outputs=np.ones_like(scores), create_graph=True
    )
    lengths = np.linalg.norm(slopes, axis=1)
    return np.mean((lengths - 1) ** 2)


def loss(params, real, false, mix):
    between = mix * real + (1 - mix) * false
    gap = np.mean(critic(params, real)) - np.mean(critic(params, false))
    return 10 * penalty(params, between) - gap


def difference_quotients(function, params, name, step=1e-6):
    """Return the central differences of `function` in every entry of one parameter."""
    quotients = np.empty_like(params[name])
    for index in np.ndindex(quotients.shape):
        nudge = np.zeros_like(quotients)
        nudge[index] = step
        above = function({**params, name: params[name] + nudge})
        below = function({**params, name: params[name] - nudge})
        quotients[index] = (above - below) / (2 * step)
    return quotients


def main():
    rng = np.random.default_rng(0)
    params = {
        "inner": rng.normal(size=(2, 8)),
        "shift": rng.normal(size=8),
        "outer": 3 * rng.normal(size=8),
    }
    real = rng.normal(loc=[2.0, 0.0], size=(32, 2))
    false = rng.normal(loc=[-2.0, 0.0], size=(32, 2))
    mix = rng.uniform(size=(32, 1))
    between = mix * real + (1 - mix) * false

    value_of, penalty_of = gs.compile(loss), gs.compile(penalty)
    value_and_grad = gs.value_and_grad(loss)
    _, gradient = value_and_grad(params, real, false, mix)
    for name in params:
        quotients = difference_quotients(
            lambda shifted: value_of(shifted, real, false, mix), params, name
        )
        np.testing.assert_allclose(gradient[name], quotients, rtol=1e-6, atol=1e-7)

    before = penalty_of(params, between)
    for _ in range(200):
        value, gradient = value_and_grad(params, real, false, mix)
        params = {name: params[name] - 0.02 * gradient[name] for name in params}
    after = penalty_of(params, between)
    print(f"loss {value:.4f}, penalty {before:.4f} -> {after:.4f}")
    assert after < 0.1 * before


if __name__ == "__main__":
    main()
