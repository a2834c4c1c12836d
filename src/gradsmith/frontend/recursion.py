"""Recursion of the user's functions: where traced values end it, the present ones decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType

from gradsmith.errors import GradsmithError, Span, UnsupportedError
from gradsmith.frontend.spans import current_span, span_of
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.unsettled import Cause
from gradsmith.ir.builder import Builder
from gradsmith.ir.graph import Node
from gradsmith.ir.nesting import NestingError, nested_too_deeply

DEEPEST = 12
"""Branches within branches through which a function calls itself: beyond, one is decided."""
MOST_CALLS = 100
"""Recursive calls on paths that are not decided, all together."""
MOST_AFTER = 24
"""The same once they have come too deep: loops in between are tried in another way, which mostly
comes to the same end.
"""
MOST_GUARDS = 300
"""Present values that decide about recursion in one specialisation, of one function."""
_HINT = "end it by plain numbers, or find outside of the function what they decide, as an array"


_PYTHONS = "maximum recursion depth exceeded"
"""How the text of the error begins that Python itself raises."""


@contextmanager
def recursing(function: FunctionType) -> Iterator[None]:
    """A call of a user's function is traced inside.

    Raises
    ------
    UndecidedError
        The function calls itself on both paths of branches again and again: a branch is to be
        decided.
    NestingError
        The recursion is deeper than tracing can follow.
    """
    trace = current_trace()
    if trace is None:
        yield
        return
    code = function.__code__
    regions = [builder for caller, builder in trace.calls if caller is code]
    trace.calls.append((code, trace.builder))
    try:
        if regions and regions[-1] is not trace.builder:
            _check_ends(trace, function, regions)
        yield
    except RecursionError as error:  # at the limit it comes again here: the caller has more room
        if not str(error).startswith(_PYTHONS):
            raise  # the user's own
        raise _too_deep(trace, function, span_of(error.__traceback__)) from None
    finally:
        trace.calls.pop()


def _too_deep(trace: Trace, function: FunctionType, span: Span | None) -> GradsmithError:
    """The error about a recursion of the user's functions, or else of what they hold."""
    depth = max(Counter(caller for caller, _ in trace.calls).values())
    if depth <= _FEW_CALLS and trace.deepest is not None and trace.deepest.depth > _FEW_REGIONS:
        return nested_too_deeply(trace.deepest.depth, _outermost(trace, trace.deepest))
    if depth <= _FEW_CALLS:
        return UnsupportedError(
            "a list or dict that refers to itself, directly or through others, is taken apart",
            span,
            "refer to it by an index or a key, or make objects of a class of them",
        )
    return NestingError(
        f"the recursion of {function.__name__}() is too deep to be traced",
        span or current_span(),
        "raise sys.setrecursionlimit before the call, or write it as a loop",
    )


def _outermost(trace: Trace, builder: Builder) -> Span | None:
    """The outermost branch or loop around what is in ``builder``."""
    while builder.parent is not None and builder.parent is not trace.root:
        builder = builder.parent
    return trace.sites.get(builder) or builder.span


_FEW_CALLS = 3
"""So many calls of one function within each other do not reach Python's limit."""
_FEW_REGIONS = 20
"""Nor do so many branches and loops in each other."""


def _check_ends(trace: Trace, function: FunctionType, regions: list[Builder]) -> None:
    """The function has been called in these regions, and calls itself in another one inside."""
    trace.recursive_calls += 1
    most = MOST_CALLS if trace.most_recursive_calls is None else trace.most_recursive_calls
    if len(set(regions)) <= DEEPEST and trace.recursive_calls <= most:
        return
    trace.most_recursive_calls = min(most, trace.recursive_calls + MOST_AFTER)
    cause = _undecided(trace, regions[-1])
    if cause is None:  # counted loops in between: plain values end it, or the limit on nests
        return
    name = function.__name__
    raise cause.error(f"{name}() calls itself, and a traced value decides when that ends", _HINT)


def _undecided(trace: Trace, outer: Builder) -> Cause | None:
    """The branch, or ``while`` loop, within ``outer`` that is to be decided."""
    for builder in trace.builders():
        if builder is outer:
            return None
        site = trace.sites.get(builder)
        is_loop = builder in trace.bodies
        counted = is_loop and not isinstance(trace.entered.get(builder), Node)
        if site is not None and not counted:
            return Cause(site, site if is_loop else None)
    return None


def note_guard(trace: Trace) -> None:
    """A present value decides how the function goes on.

    Raises
    ------
    NestingError
        Too many have decided about the recursion of one function.
    """
    code = _recursive(trace)
    if code is None:
        return
    found = trace.recursion_guards[code] = trace.recursion_guards.get(code, 0) + 1
    if found > MOST_GUARDS:
        raise NestingError(
            f"traced values decide how the recursion of {code.co_name}() goes on, more than "
            f"{MOST_GUARDS} times",
            current_span(),
            _HINT,
        )


def _recursive(trace: Trace) -> CodeType | None:
    """The innermost function at work that has called itself."""
    seen: set[CodeType] = set()
    for code, _ in trace.calls:
        if code in seen:
            return code
        seen.add(code)
    return None
