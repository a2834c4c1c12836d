"""The derivative of a derivative: ``x**2`` at 3 has the slope 6 and the curvature 2.

Inside a function ``create_graph=True`` says that a gradient will be differentiated again;
without it the gradient counts as a constant, and differentiating it is refused, not zero.
Outside, ``gs.grad`` simply nests.
"""

import gradsmith as gs


def square(x):
    return x**2


@gs.compile
def slope_and_curvature(x):
    y = square(x)
    (slope,) = gs.autograd.grad(y, x, create_graph=True)
    (curvature,) = gs.autograd.grad(slope, x)
    return slope, curvature


@gs.compile
def forgetful(x):
    y = square(x)
    (slope,) = gs.autograd.grad(y, x)
    return gs.autograd.grad(slope, x)


def refusal(x):
    """Return the error with which the second derivative is refused (None if it is not)."""
    try:
        forgetful(x)
    except gs.GradsmithError as error:
        return error
    return None


def main():
    slope, curvature = slope_and_curvature(3.0)
    print("slope:", slope, " curvature:", curvature)
    assert slope == 6.0
    assert curvature == 2.0

    assert gs.grad(square)(3.0) == 6.0
    assert gs.grad(gs.grad(square))(3.0) == 2.0

    error = refusal(3.0)
    print("without create_graph:", error, sep="\n")
    assert isinstance(error, RuntimeError)
    assert "create_graph=True" in str(error)


if __name__ == "__main__":
    main()
