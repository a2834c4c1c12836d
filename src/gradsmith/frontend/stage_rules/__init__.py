"""How staging rewrites Python, one file per construct; importing this registers them all."""

from gradsmith.frontend.stage_rules import (
    assignments,
    attributes,
    calls,
    comprehensions,
    conditions,
    exceptions,
    functions,
    generators,
    loops,
    matching,
    names,
    plain,
    refused,
    returns,
    subscripts,
    withs,
)

__all__ = [
    "assignments",
    "attributes",
    "calls",
    "comprehensions",
    "conditions",
    "exceptions",
    "functions",
    "generators",
    "loops",
    "matching",
    "names",
    "plain",
    "refused",
    "returns",
    "subscripts",
    "withs",
]
