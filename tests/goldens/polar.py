import numpy as np


def polar_grad(r, phi, grad_outputs):
    """Gradient of polar with respect to r and phi.

    r: float64[n]
    phi: float64[n]
    grad_outputs[0]: float64[n]
    grad_outputs[1]: float64[n]

    Made by gradsmith 0.1.0.
    """
    grad_outputs_0 = grad_outputs[0]
    grad_outputs_1 = grad_outputs[1]
    # line 44: x = r * np.cos(phi)
    t = np.cos(phi)
    # line 45: y = r * np.sin(phi)
    t_2 = np.sin(phi)
    # adjoint of line 44: x = r * np.cos(phi)
    g_r = grad_outputs_1 * t_2 + grad_outputs_0 * t
    g_phi = grad_outputs_1 * r * t - grad_outputs_0 * r * t_2
    return g_r, g_phi
