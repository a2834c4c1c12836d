"""Libraries whose functions are called as they are, and whose objects only these know."""

from __future__ import annotations

from typing import Any

CALLED_PACKAGES = frozenset(
    {
        *("scipy", "sklearn", "pandas", "statsmodels", "matplotlib", "xarray", "networkx", "h5py"),
        *("PIL", "cv2", "skimage", "numba", "joblib", "requests", "yaml", "seaborn", "astropy"),
    }
)
"""Libraries whose functions are called as they are, and not traced into."""
CALLED_MODULES = frozenset(
    [
        "_contextvars",
        "_csv",
        "_datetime",
        "_io",
        "_json",
        "_pickle",
        "_random",
        "_uuid",
        "configparser",
        "csv",
        "datetime",
        "getpass",
        "glob",
        "io",
        "json",
        "logging",
        "os",
        "pathlib",
        "pickle",
        "platform",
        "posix",
        "posixpath",
        "random",
        "secrets",
        "shutil",
        "socket",
        "sqlite3",
        "subprocess",
        "tempfile",
        "time",
        "urllib",
        "uuid",
        "zoneinfo",
    ]
)
"""Modules of Python's that look at the world: files, clock, environment, random numbers."""


def is_called_module(module: str) -> bool:
    """Whether its functions are called as they are, and not traced into."""
    root = module.partition(".")[0]
    called = root in CALLED_PACKAGES or root in CALLED_MODULES
    return called or module.startswith("numpy.random")


def is_library_object(value: Any) -> bool:
    """Whether an argument is passed on as it is: a generator of random numbers, a data frame.

    SciPy's distributions and interpolators are functions, which may have derivatives.
    """
    module = type(value).__module__
    if module.startswith("scipy."):
        return module.startswith(("scipy.sparse", "scipy.spatial", "scipy.optimize"))
    return is_called_module(module)
