import numpy as np


def polar_grad(r, phi, grad_outputs):
    """Gradient of polar with respect to r and phi.

    r: float64[n]
    phi: float64[n]
    grad_outputs[0]: float64[n]
    grad_outputs[1]: float64[n]

    Made by gradsmith 0.1.0.
    """
    g_x = grad_outputs[0]
    g_y = grad_outputs[1]
    # line 44: x = r * np.cos(phi)
    cos_phi = np.cos(phi)
    # line 45: y = r * np.sin(phi)
    sin_phi = np.sin(phi)
    # adjoint of line 44: x = r * np.cos(phi)
    g_r = g_y * sin_phi + g_x * cos_phi
    g_phi = g_y * cos_phi - g_x * sin_phi
    g_phi *= r
    return g_r, g_phi
