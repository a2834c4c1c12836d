"""Builtins that are called with too few or too many arguments: Python's texts."""

import functools
import itertools
import math
import operator

from control.one_object import check_calls, function_of
from helpers import each

MODULES = {"functools": functools, "itertools": itertools, "math": math, "operator": operator}
CALLS = [
    *(
        "filter(None)",
        "filter()",
        "map()",
        "map(None)",
        "sorted()",
        "sorted(1, 2)",
        "max()",
    ),
    *(
        "min()",
        "zip(strict=1, a=2)",
        "enumerate()",
        "sum()",
        "sum(1, 2, 3)",
        "len()",
        "abs()",
    ),
    *(
        "round()",
        "divmod(1)",
        "pow(1)",
        "isinstance(1)",
        "getattr(1)",
        "hasattr(1)",
    ),
    *(
        "float(1, 2)",
        "int(1, 2, 3)",
        "reversed()",
        "any()",
        "all(1, 2)",
        "functools.reduce()",
    ),
    *(
        "itertools.starmap()",
        "itertools.accumulate()",
        "math.sqrt()",
        "math.sqrt(1, 2)",
    ),
    *(
        "next()",
        "iter()",
        "print(x, foo=1)",
        "sorted([1], foo=2)",
        "max(1, 2, foo=3)",
    ),
    *(
        "enumerate([1], 2, 3)",
        "[].sort(1)",
        "{}.get()",
        "[].append()",
        "'a'.join()",
    ),
    *(
        "operator.add(1)",
        "complex(1, 2, 3)",
        "bool(1, 2)",
        "tuple(1, 2)",
        "list(1, 2)",
    ),
    *(
        "range()",
        "chr()",
        "ord()",
        "type()",
        "callable()",
        "id()",
        "vars(1, 2)",
        "set(1, 2)",
    ),
    *(
        "np.sum()",
        "np.zeros()",
        "np.dot(1)",
    ),
]


@each("call", CALLS)
def test_texts(call):
    body = f"try:\n    return {call}\nexcept TypeError as error:\n    return str(error)"
    check_calls(function_of(body, **MODULES), (1.5,))
