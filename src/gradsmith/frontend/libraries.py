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
        "atexit",
        "configparser",
        "csv",
        "datetime",
        "gc",
        "getpass",
        "glob",
        "io",
        "json",
        "locale",
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
        "signal",
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


_SETTERS = {
    "numpy": {"set_printoptions", "setbufsize", "seterrcall"},
    "sys": {"getrecursionlimit", "setrecursionlimit", "getswitchinterval", "setswitchinterval"},
    "warnings": {"filterwarnings", "resetwarnings", "simplefilter"},
    "decimal": {"setcontext"},
}
"""Functions of other modules that set what the process has once, or tell what was set."""


def sets_process_state(module: str, name: str) -> bool:
    """Whether the function has an effect on the process, to be had at each call."""
    return name in _SETTERS.get(module.partition(".")[0].lstrip("_"), ())


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
