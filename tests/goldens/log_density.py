import numpy as np


def log_density_grad(x, centers, width):
    """Gradient of log_density with respect to x, centers and width.

    x: float64[m, d]
    centers: float64[n, d]
    width: float

    Made by gradsmith 0.1.0.
    """
    n = len(centers)
    d = centers.shape[1]
    # line 61: offsets = (x[:, None, :] - centers[None, :, :]) / width
    offsets = (x[:, None] - centers[None]) / width
    # line 62: squared = np.sum(offsets**2, axis=2)
    squared = (offsets * offsets).sum(axis=2)
    # line 63: kernel = np.exp(-0.5 * squared) / (np.sqrt(2 * np.pi) * width) ** d
    t = -0.5 * squared
    np.exp(t, out=t)
    t_2 = np.float64(2.5066282746310002) * width
    t_3 = t_2 ** d
    kernel = t / t_3
    # adjoint of line 64: return np.sum(np.log(np.sum(kernel, axis=1) / n))
    t_4 = (1.0 / (kernel.sum(axis=1) / n) / n)[:, None]
    # adjoint of line 63: kernel = np.exp(-0.5 * squared) / (np.sqrt(2 * np.pi) * width) ** d
    t_5 = (-(kernel * t_4 / t_3)).sum() * (d * t_2 ** (d - 1))
    g_squared = -0.5 / t_3 * (t_4 * t)
    # adjoint of line 62: squared = np.sum(offsets**2, axis=2)
    g_offsets = 2 * (g_squared[..., None] * offsets)
    # adjoint of line 61: offsets = (x[:, None, :] - centers[None, :, :]) / width
    t_6 = g_offsets * np.reciprocal(width)
    g_width = np.where(d != 0, np.float64(2.5066282746310002) * t_5, 0) + (-(offsets * g_offsets / width)).sum()
    g_centers = (-t_6).sum(axis=0)
    g_x = t_6.sum(axis=1)
    return g_x, g_centers, g_width
