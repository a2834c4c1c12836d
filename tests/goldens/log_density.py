import numpy as np


def log_density_grad(x, centers, width):
    """Gradient of log_density with respect to x, centers and width.

    x: float64[m, d]
    centers: float64[n, d]
    width: float

    Made by gradsmith 0.1.0.
    """
    d = x.shape[1]
    # line 61: offsets = (x[:, None, :] - centers[None, :, :]) / width
    offsets = (x[:, None] - centers) / width
    # line 62: squared = np.sum(offsets**2, axis=2)
    squared = (offsets * offsets).sum(axis=2)
    # line 63: kernel = np.exp(-0.5 * squared) / (np.sqrt(2 * np.pi) * width) ** d
    e = -0.5 * squared
    np.exp(e, out=e)
    t = np.float64(2.5066282746310002) * width
    t_2 = t ** d
    kernel = e / t_2
    # adjoint of line 64: return np.sum(np.log(np.sum(kernel, axis=1) / n))
    t_3 = (1.0 / kernel.sum(axis=1))[:, None]
    # adjoint of line 63: kernel = np.exp(-0.5 * squared) / (np.sqrt(2 * np.pi) * width) ** d
    t_4 = d * t ** (d - 1) * (kernel * t_3).sum() / t_2
    g_squared = -0.5 / t_2 * t_3 * e
    # adjoint of line 62: squared = np.sum(offsets**2, axis=2)
    g_offsets = 2.0 * g_squared[..., None] * offsets
    # adjoint of line 61: offsets = (x[:, None, :] - centers[None, :, :]) / width
    g_width = -np.vdot(offsets, g_offsets) / width - 2.5066282746310002 * t_4
    g_centers = -g_offsets.sum(axis=0) / width
    g_x = g_offsets.sum(axis=1) / width
    return g_x, g_centers, g_width
