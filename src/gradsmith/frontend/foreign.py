"""Functions that are run as they are: which may get traced values, and which are refused."""

from __future__ import annotations

import collections
import inspect
import io
import sys
import sysconfig
import types
from typing import Any

import numpy as np

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.classes import is_instance
from gradsmith.frontend.dispatch import any_traced
from gradsmith.frontend.failures import name_of
from gradsmith.frontend.libraries import is_called_module, sets_process_state
from gradsmith.frontend.source import MIXINS
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.stand_ins import is_opaque
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.unfollowed import NUMPYS_STATE
from gradsmith.frontend.warned import warn_effect
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.library_ufuncs import home_of

STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"]
RANDOM = ("numpy.random", "random", "secrets")
EFFECTS = ("logging", "warnings", "sys", "_io", "io", "time")
HARMLESS = {
    *("abc", "builtins", "collections", "contextlib", "copy", "dataclasses", "enum", "functools"),
    *("itertools", "operator", "types", "typing", "_operator", "_functools", "_collections"),
}
"""Modules whose functions only pass values on: whatever computes asks the tracer itself."""

PASSING = frozenset({np.ndindex, np.finfo, np.iinfo, np.iterable})
"""NumPy's that look at types and sizes alone."""


CALLED_OF_NUMPY = frozenset(
    {"fromfile", "genfromtxt", "load", "loadtxt", "memmap", "save", "savetxt", "savez", "tofile"}
)


ASKED = frozenset(
    {
        *(abs, all, any, bool, complex, dict, dir, float, format, hasattr, int, isinstance),
        *(len, list, max, min, print, repr, round, set, sorted, str, sum, tuple, type),
    }
)
"""Python's own functions, which ask an object itself."""


def is_asked_of_object(function: Any, args: Any, kwargs: Any) -> bool:
    """Whether a function of Python or NumPy is given an object that only calls know."""
    if not any(map(is_opaque, args)) and not any(map(is_opaque, kwargs.values())):
        return False
    if is_instance(function):
        return False
    try:
        return function in ASKED or function in FUNCTIONS
    except TypeError:  # not hashable
        return False


def module_of(function: Any) -> str:
    """The module that a function is of, a method that of its owner's class."""
    owner = getattr(function, "__self__", None)
    if isinstance(function, np.ufunc):
        return "numpy" if getattr(np, function.__name__, None) is function else "scipy.special"
    if isinstance(owner, np.ufunc):
        return module_of(owner)
    if owner is not None and not isinstance(owner, types.ModuleType):
        cls = owner if isinstance(owner, type) else type(owner)
        return cls.__module__ or ""
    own = isinstance(function, (type, types.FunctionType, types.BuiltinFunctionType))
    module = getattr(function, "__module__", None)
    return module or ("" if own else type(function).__module__)


def is_called_out(function: Any, args: Any, kwargs: Any) -> bool:
    """Whether the emitted code is to call the function as the user does."""
    owner = getattr(function, "__self__", None)
    if current_trace() is None or _is_followed(function, owner) or owner is NUMPYS_STATE:
        return False
    opaque = any(map(is_opaque, [*args, *kwargs.values()]))
    module = module_of(function)
    root = module.split(".")[0]
    name = getattr(function, "__name__", "")
    if is_called_module(module) or function is open or function is input:
        return True
    sets_state = sets_process_state(module, name) and not _filters_for_a_while(function)
    if sets_state or (root == "numpy" and name in CALLED_OF_NUMPY):
        return True
    if isinstance(function, types.FunctionType) and not is_library(function):
        return False
    if isinstance(function, types.MethodType) or root in HARMLESS or root == "gradsmith":
        return opaque and root in HARMLESS
    if isinstance(owner, (tuple, str)) or any(function is f for f in PASSING):
        return False
    if isinstance(function, type) and not takes_numbers(function):
        return False
    known = isinstance(function, (type, types.FunctionType, types.BuiltinFunctionType, np.ufunc))
    known = known or type(function).__name__ in (
        "builtin_function_or_method",
        "_ArrayFunctionDispatcher",
    )
    return known and (opaque or _takes_traced(args, kwargs))


def is_library(function: types.FunctionType) -> bool:
    """Whether it belongs to Python, NumPy or gradsmith: run as it is, never staged."""
    file = function.__code__.co_filename
    module = (function.__module__ or "").split(".")[0]
    in_stdlib = file.startswith(STANDARD_LIBRARY) and "site-packages" not in file
    in_stdlib = in_stdlib or file.startswith("<frozen ")  # os.path and others
    if function.__module__ == MIXINS:
        return False
    return in_stdlib or module in ("numpy", "gradsmith")


def is_run_as_it_is(function: types.FunctionType) -> bool:
    """Whether it is never staged: what it does with its arguments is not seen."""
    return is_library(function) or inspect.isgeneratorfunction(function)


def check_library(function: types.FunctionType, args: Any, kwargs: Any) -> None:
    """Python's own library is not traced: what computes in it is refused, effects warned of.

    Raises
    ------
    UnsupportedError
        It may compute with traced values.
    """
    module = (function.__module__ or "").split(".")[0]
    if module in EFFECTS and current_trace() is not None:
        _refuse_effect(function, args, kwargs)
        if function.__name__ != "getLogger" and not _filters_for_a_while(function):
            warn_effect(name_of(function))
        return
    passes_on = module in HARMLESS or module == "gradsmith" or function in PASSING
    if not passes_on and _takes_traced(args, kwargs):
        raise unsupported(function)


def _filters_for_a_while(function: types.FunctionType) -> bool:
    """Whether it sets filters of warnings that ``warnings.catch_warnings`` takes back."""
    trace = current_trace()
    return (
        function.__module__ == "warnings" and trace is not None and trace.floating.catches_warnings
    )


def takes_numbers(cls: type) -> bool:
    """Whether a class of Python or NumPy computes with what its objects are made of."""
    module = cls.__module__.split(".")[0]
    known = module == "numpy" or module in sys.stdlib_module_names
    return module == "itertools" or (known and module not in HARMLESS and module != "__main__")


def check_type(cls: type, args: Any, kwargs: Any) -> None:
    """The same for classes.

    Raises
    ------
    UnsupportedError
        It computes with what it is made of (`decimal.Decimal`, `numpy.poly1d`).
    """
    holds = cls in PASSING or cls.__module__ == "itertools"
    if takes_numbers(cls) and not holds and _takes_traced(args, kwargs):
        raise unsupported(cls)


_HOLDERS = (list, dict, tuple, set, str, collections.deque, types.GeneratorType)
"""Objects whose methods hold on to values, or pass them on."""


def _is_followed(function: Any, owner: Any) -> bool:
    """Whether the call is done while tracing, whatever it is given."""
    if getattr(type(function), "__gradsmith__", False):
        return True
    if isinstance(function, np.ufunc) and home_of(function):
        return True  # ufuncs of libraries are elementwise ops, which may have a user's rule
    return isinstance(owner, _KEEPERS) or is_of_error(function)


_KEEPERS = (list, dict, set, collections.deque)
"""Containers of the function's, which hold stand-ins as they hold other values."""


def is_of_error(function: Any) -> bool:
    """Whether it is a class of errors, or a method of one, such as ``__init__``."""
    if isinstance(function, type):
        return issubclass(function, BaseException)
    if isinstance(function, types.WrapperDescriptorType):
        return issubclass(function.__objclass__, BaseException)
    return isinstance(getattr(function, "__self__", None), BaseException)


def check_foreign(function: Any, args: Any, kwargs: Any) -> None:
    """C functions that only hold on to values are fine; those that compute are not.

    Raises
    ------
    UnsupportedError
        It draws random numbers, or may compute with traced values.
    """
    owner = getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or ""
    if module.startswith(RANDOM) or type(owner).__module__.startswith(RANDOM):
        raise UnsupportedError(
            f"{name_of(function)} would be drawn once, when tracing, and never again",
            current_span(),
            "draw the numbers outside and pass them as an argument",
        )
    if module.split(".")[0] in EFFECTS or isinstance(owner, io.IOBase):
        _refuse_effect(function, args, kwargs)
        warn_effect(name_of(function))
        return
    if isinstance(function, np.ufunc) and home_of(function):
        return
    holds = (
        isinstance(owner, _HOLDERS) or is_of_error(function) or module.split(".")[0] in HARMLESS
    )
    if isinstance(owner, type) and function.__name__ == "fromkeys":  # of a dict
        holds = issubclass(owner, dict)
    if (not holds or isinstance(function, np.ufunc)) and _takes_traced(args, kwargs):
        raise unsupported(function)


def _refuse_effect(function: Any, args: Any, kwargs: Any) -> None:
    """Refuse traced values to what happens when tracing, and not at each call.

    Raises
    ------
    UnsupportedError
        There are some among the arguments.
    """
    if _takes_traced(args, kwargs):
        raise UnsupportedError(
            f"{name_of(function)} is called when the function is traced, and the numbers of "
            "traced values are not known then",
            current_span(),
            "use print or warnings.warn, which the compiled function does at each call, or return "
            "the values",
        )


def _takes_traced(args: Any, kwargs: Any) -> bool:
    return any_traced(args) or any_traced(kwargs.values())


def unsupported(function: Any) -> UnsupportedError:
    """The error that a function cannot take traced values."""
    return UnsupportedError(
        f"{name_of(function)} is not supported on traced values",
        current_span(),
        "write it with NumPy functions, or compute it outside the function",
    )
