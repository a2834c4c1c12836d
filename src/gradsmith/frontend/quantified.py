"""``any`` and ``all`` of what Python goes over: elements are asked one by one until one ends it.

Conditions that are not known when tracing are asked by the emitted code. All elements are there
by then, which nobody can tell if taking one of them only computes. Where it does more (it writes,
prints, raises, or takes an element of an iterator that is used later), the present values decide
how many are taken.
"""

from __future__ import annotations

import functools
import gc
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NoReturn

from gradsmith.frontend.choices import choose, negate, truth
from gradsmith.frontend.classes import is_instance
from gradsmith.frontend.dispatch import apply
from gradsmith.frontend.elements import Elements, ElementsIterator
from gradsmith.frontend.joint import as_condition
from gradsmith.frontend.journal import journaling, reachable
from gradsmith.frontend.spans import current_span, staged_frame
from gradsmith.frontend.trace import Trace, current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import is_decided
from gradsmith.frontend.unsettled import UndecidedError
from gradsmith.frontend.value_guards import decide
from gradsmith.ir.mentions import has_effect


def of_all(plain: Any, reduction: Any, *, ends_at: bool) -> Callable[[Any], Any]:
    """``any`` and ``all``, which this truth ends."""

    def quantifier(values: Any) -> Any:
        if isinstance(values, Tracer) and values.ndim == 1:
            return truth(apply(reduction, values))
        if is_decided():
            return _as_python(_iterator(values, plain), ends_at=ends_at)
        unknown: list[Any] = []
        for value in _until_decided(values, unknown, plain, ends_at=ends_at):
            if isinstance(value, Tracer):
                unknown.append(value)
            elif bool(value) is ends_at:
                if not unknown:
                    return ends_at
                break
        else:
            if not unknown:
                return not ends_at
            return _joined(unknown, ends_at=ends_at, last=not ends_at)
        return _joined(unknown, ends_at=ends_at, last=ends_at)

    return quantifier


def _iterator(values: Any, plain: Callable[..., Any]) -> Iterator[Any]:
    iterable = isinstance(values, (Iterable, Elements))
    return iter(values if iterable else plain(values))


def _as_python(elements: Iterator[Any], *, ends_at: bool) -> bool:
    """Each condition is decided as soon as its element is taken."""
    for value in elements:
        if decide(as_condition(value)) is ends_at:
            return ends_at
    return not ends_at


def _until_decided(
    values: Any, unknown: list[Any], plain: Callable[..., Any], *, ends_at: bool
) -> Iterator[Any]:
    """The elements as conditions; an error counts if no ``unknown`` one decides before."""
    trace = current_trace()
    asks = isinstance(values, (list, tuple)) and any(map(is_instance, values))
    lazy = asks or isinstance(values, (Iterator, Elements))
    watch = _Watch(trace, values) if trace is not None and lazy else None
    elements = map(as_condition, _iterator(values, plain))
    while True:
        try:
            value = next(elements) if watch is None else watch.next(elements, bool(unknown))
        except StopIteration:
            return
        except UndecidedError:
            raise
        except Exception as error:
            if not unknown:
                raise
            _raise_unless(unknown, error, truth=ends_at)
            return
        yield value


class _Watch:
    """Takes elements, and finds what else that does."""

    def __init__(self, trace: Trace, values: Any) -> None:
        frame = staged_frame()
        self._trace = trace
        self._site = current_span()
        self._known = {} if frame is None else reachable(frame, trace)
        self._values = values
        self._acts = any(id(iterator) in self._known for iterator in _within(values))

    def next(self, elements: Iterator[Any], perhaps: bool) -> Any:
        """The next element, which ``perhaps`` nobody takes.

        Raises
        ------
        UndecidedError
            That would make a difference.
        """
        begun, written = len(self._trace.builder.nodes), len(self._trace.overlays)
        with journaling(found=self._known) as journal:
            try:
                return next(elements)
            finally:
                nodes = self._trace.builder.nodes[begun:]
                changed = [container for container, _ in journal.containers.values()]
                self._acts = (
                    self._acts
                    or journal.is_final
                    or journal.rebinds
                    or len(self._trace.overlays) > written
                    or any(before not in nodes for before in journal.storages.values())
                    or any(map(self._is_from_outside, changed))
                )
                if perhaps and (self._acts or any(map(has_effect, nodes))):
                    self._decide()

    def _is_from_outside(self, container: Any) -> bool:
        """Whether anybody finds it who does not take elements."""
        if id(container) in self._known or id(container) in self._trace.originals:
            return True
        return any(held is container for _, held in self._trace.overlays.values())

    def _decide(self) -> NoReturn:
        error = UndecidedError.at(
            self._site,
            "a traced value decides how many elements are taken, and taking one does more than "
            "to compute it",
            "make a list of the elements first",
        )
        for iterator in _within(self._values):
            if isinstance(iterator, types.GeneratorType):
                with suppress(Exception):  # what it would still do is no part of this run
                    iterator.throw(error)
        raise error


def _within(values: Any) -> Iterator[Any]:
    """An iterator and those from which it takes its elements."""
    stack, seen = [values], set[int]()
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, Elements):
            stack.append(value.clauses[0][0])
        elif type(value) is tuple:  # what `map` and `zip` go over
            stack += value
        elif isinstance(value, Iterator):
            yield value
            stack += _sources(value)


def _sources(iterator: Iterator[Any]) -> list[Any]:
    if isinstance(iterator, ElementsIterator):
        return iterator.sources()
    if isinstance(iterator, types.GeneratorType):
        frame = iterator.gi_frame
        return [] if frame is None else list(frame.f_locals.values())
    if type(iterator).__module__ in ("builtins", "itertools"):
        return gc.get_referents(iterator)
    return []


def _raise_unless(flags: list[Any], error: Exception, *, truth: bool) -> None:
    """Raise the error unless one of the traced values has this truth."""

    def raised() -> Any:
        raise error

    for flag in flags:
        raised = functools.partial(choose, flag if truth else negate(flag), lambda: None, raised)
    raised()


def _joined(values: list[Any], *, ends_at: bool, last: bool) -> Any:
    """Whether one of the traced values is ``ends_at``, else ``last``."""
    total: Any = last
    for value in reversed(values):
        rest = functools.partial(lambda total: total, total)
        ends = functools.partial(lambda flag: flag, ends_at)
        total = choose(value, ends, rest) if ends_at else choose(value, rest, ends)
    return total
