"""The callable that users hold: finds the specialisation for a call, or makes it."""

from __future__ import annotations

import inspect
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from gradsmith import tree
from gradsmith.codegen.forms import all_nodes
from gradsmith.driver.annotations import example_arguments
from gradsmith.driver.outside_state import OutsideState
from gradsmith.driver.signatures import Defaults, bind
from gradsmith.driver.specialise import (
    SEED,
    Recipe,
    Specialisation,
    checks_values,
    last_check,
    specialise,
)
from gradsmith.errors import (
    ArgumentTypeError,
    ArgumentValueError,
    SpecialisationError,
    SpecialisationWarning,
    UnsupportedError,
)
from gradsmith.frontend.arguments import exact_key, is_argument_leaf, pattern_key
from gradsmith.frontend.isolated_calls import with_own_memory
from gradsmith.frontend.libraries import is_library_object
from gradsmith.frontend.outside_lookups import apart, is_quick
from gradsmith.frontend.shared_memory import MemoryConditions
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.ir.effect_log import EffectLog
from gradsmith.ops.effects import show, warn

MOST_ENTRIES = 4096
"""Exact shapes remembered per function; beyond, the memory of them starts anew."""

MANY_SPECIALISATIONS = 16
"""As many of one pattern, which differ in values, are worth a warning."""

_STATIC = (str, bool, type(None))


Kinds: TypeAlias = tuple[list[object], list[object]]
"""Of captured values, the exact keys; of those that are not passed on, the patterns."""


Plan: TypeAlias = list[tuple[str, int | None, Any]]
"""For each value its name, the position of its argument, and a default where it has none."""

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


class DefaultsTaken:
    """The defaults that a call has taken, as they were before it."""

    __slots__ = ("_defaults", "_given", "_held", "_keys")

    def __init__(self, defaults: Defaults, values: Sequence[Any]) -> None:
        self._defaults = defaults
        self._given, self._held = defaults.given, defaults.held()
        self._keys = [(value, _call_key(value)) for value in values]

    def hold(self) -> bool:
        """Whether the function has the same ones, and these are of the same kind."""
        same = self._given == self._defaults.given
        return same and all(_call_key(value) == key for value, key in self._keys)


class Entry:
    """The way for one exact combination of dtypes and shapes."""

    __slots__ = (
        "captured", "checked", "code", "conditions", "defaults", "direct", "followed", "function",
        "memory", "order", "plan", "simple", "specialisation",
    )  # fmt: skip

    def __init__(
        self,
        specialisation: Specialisation,
        order: Sequence[str],
        kinds: Kinds,
        *,
        simple: bool,
        defaults: DefaultsTaken | None = None,
    ) -> None:
        self.specialisation = specialisation
        self.defaults = defaults
        self.function = specialisation.function
        self.simple = simple
        self.order = tuple(order)
        self.memory = ArgumentMemory.of(specialisation, order)
        self.followed, self.code, self.conditions = apart(specialisation.reliances)
        self.checked = bool(self.conditions) or self.memory is not None
        self.direct = not (specialisation.layouts or specialisation.logged)
        self.captured = kinds
        self.plan: Plan | None = None

    def checks_hold(self, args: Sequence[Any]) -> bool:
        """Whether a simple call with these arguments may use the code."""
        for condition in self.conditions:
            if not condition.holds():
                return False
        return self.memory is None or self.memory.holds(args)

    def holds(self) -> bool:
        """Whether defaults, captured values and what was relied on are still of the same kind."""
        if self.defaults is not None and not self.defaults.hold():
            return False
        try:
            now = _kinds_now(self.specialisation)
        except Exception:  # the way to the values leads through objects of the user's
            return False
        return now == self.captured and all(r.holds() for r in self.specialisation.reliances)


def _kinds_now(specialisation: Specialisation) -> Kinds:
    """The kinds that captured values are of."""
    exact = [exact_key(c.read()) for c in specialisation.captures]
    return exact, [pattern_key(c.read()) for c in specialisation.checked]


class ArgumentMemory:
    """The conditions on the memory of arguments, which each call checks."""

    __slots__ = ("_conditions", "_order", "_readers")

    def __init__(
        self,
        conditions: MemoryConditions,
        readers: Mapping[str, Callable[[Sequence[Any]], Any]],
        order: Sequence[str],
    ) -> None:
        self._conditions = conditions
        self._readers = readers
        self._order = order

    @classmethod
    def of(cls, specialisation: Specialisation, order: Sequence[str]) -> ArgumentMemory | None:
        """Those of a specialisation whose function has the arguments in this order."""
        conditions = specialisation.memory
        if conditions is None:
            return None
        captured = {c.name: c.read for c in specialisation.captures}
        readers: dict[str, Callable[[Sequence[Any]], Any]] = {}
        for name in conditions.names:
            if name in captured:
                readers[name] = partial(_captured, captured[name])
            else:
                root, path = specialisation.where[name]
                readers[name] = partial(_leaf, order.index(root), path)
        return cls(conditions, readers, order)

    def holds(self, args: Sequence[Any]) -> bool:
        """Whether these arguments, in order, share memory as those did that were traced."""
        leaves = {name: read(args) for name, read in self._readers.items()}
        return self._conditions.hold(leaves, dict(zip(self._order, args, strict=True)))


def _captured(read: Callable[[], Any], args: Sequence[Any]) -> Any:
    return read()


def _leaf(position: int, path: tree.Path, args: Sequence[Any]) -> Any:
    value = args[position]
    for step, key in path:
        value = getattr(value, key) if step == "attribute" else value[key]
    return value


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of a call, by parameter and by leaf."""

    bound: inspect.BoundArguments
    seed: dict[str, Any]
    values: dict[str, Any]
    leaves: dict[str, Any]
    pattern: Any
    defaults: DefaultsTaken | None


class Compiled:
    """A function that is traced and compiled once for each kind of arguments.

    Parameters
    ----------
    recipe : Recipe
        What to compile.
    seeded : bool
        Whether the last positional argument of a call is the seed.
    """

    def __init__(self, recipe: Recipe, *, seeded: bool = False) -> None:
        self.recipe = recipe
        self.seeded = seeded
        self._defaults = Defaults(recipe.signature, recipe.function)
        self._entries: dict[Any, Entry] = {}
        self._specialisations: dict[Any, list[Specialisation]] = {}
        self._lock = threading.RLock()
        self._latest: Specialisation | None = None

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        key: Any = []
        try:
            for a in args:  # written out: this loop is what a call costs
                kind = type(a)
                if kind is np.ndarray:
                    key.append(a.dtype)
                    key.append(a.shape)
                elif kind is float:
                    key.append(kind)
                else:
                    key.append(_call_key(a))
            if kwargs:
                key.append(tuple((k, _call_key(v)) for k, v in kwargs.items()))
        except RecursionError:
            raise ArgumentTypeError(
                f"an argument of {self.recipe.name} holds itself, directly or through others",
                hint="pass its parts, or hold such a part in an object of a class that is no "
                "dataclass",
            ) from None
        key = tuple(key)
        entry = self._entries.get(key)
        if entry is None:
            return self._miss(key, args, kwargs)
        try:
            if entry.simple:
                same = entry.followed.__code__ is entry.code
                if same and (not entry.checked or entry.checks_hold(args)):
                    return entry.function(*args)
                return self._miss(key, args, kwargs)
            if not entry.direct or not entry.holds():
                return self._miss(key, args, kwargs)
            values = self._values(entry, args, kwargs)
            if entry.memory is not None and not entry.memory.holds(tuple(values.values())):
                return self._miss(key, args, kwargs)
            return entry.specialisation.run(values)
        except SpecialisationError:
            pass  # its handler would be the context of errors of the next run
        return self._miss(key, args, kwargs, entry.specialisation)

    def _values(
        self, entry: Entry, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> dict[str, Any]:
        """The arguments and the seed by name."""
        if not kwargs and len(args) == len(entry.order):  # every argument has its place
            return dict(zip(entry.order, args, strict=True))
        if entry.plan is not None:
            return {
                name: args[at] if at is not None else kwargs.get(name, default)
                for name, at, default in entry.plan
            }
        bound, seed = self._bind(args, kwargs)
        return {**bound.arguments, **seed}

    def _bind(
        self, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> tuple[inspect.BoundArguments, dict[str, Any]]:
        """The arguments by name, and the seed if there is one."""
        recipe, signature = self.recipe, self._defaults.signature
        if not self.seeded:
            return bind(signature, recipe.name, args, kwargs), {}
        return bind(signature, recipe.name, args[:-1], kwargs), {recipe.seed: args[-1]}

    def _miss(
        self,
        key: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        failed: Specialisation | None = None,
    ) -> Any:
        """The result by the first specialisation whose checks hold, of those but ``failed``."""
        if current_trace() is not None:
            return self.inline(args, kwargs)
        call = self._call(args, kwargs)
        found, kinds, result = self._run(call, EffectLog(), failed)
        self._remember(key, found, call, args, kwargs, kinds)
        return result

    def run_logged(self, log: EffectLog, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call whose effects go through ``log``."""
        if current_trace() is not None:
            return self.inline(args, kwargs)
        return self._run(self._call(args, kwargs), log)[2]

    def run_noted(self, log: EffectLog, args: tuple[Any, ...]) -> tuple[Any, OutsideState]:
        """The same, with what the call has read from outside."""
        found, _, result = self._run(self._call(args, {}), log)
        return result, OutsideState(found)

    def _run(
        self, call: Call, log: EffectLog, failed: Specialisation | None = None
    ) -> tuple[Specialisation, Kinds, Any]:
        """The specialisation that fits, the kinds of what it captures, and the result."""
        for found in self._fitting(call):
            if found is failed:
                continue
            try:
                kinds = _kinds_now(found)  # before the run, which may write to them
                result = found.run_logged(call.values, log)
                break
            except SpecialisationError:
                failed = found
        else:
            found = self._specialised(call, log)
            kinds = _kinds_now(found)
            try:
                result = found.run_logged(call.values, log)
            except SpecialisationError as error:  # made for this very call
                raise UnsupportedError(
                    f"{self.recipe.name} calls a function in a loop, and what it does is of "
                    f"another kind in a later iteration than in the first: {error}",
                    hint="copy what it writes to, or convert what it returns",
                ) from None
        return found, kinds, result

    def _remember(
        self,
        key: Any,
        specialisation: Specialisation,
        call: Call,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        kinds: Kinds,
    ) -> None:
        """Calls with this exact key begin with this specialisation."""
        self._latest = specialisation
        values = call.values
        simple = (
            not (specialisation.captures or kwargs)
            and all(map(is_quick, specialisation.reliances))
            and not (specialisation.layouts or specialisation.logged)
            and not specialisation.writes.writes
            and specialisation.plain
            and specialisation.arguments == tuple(values)
            and len(args) == len(values)
        )
        if len(self._entries) >= MOST_ENTRIES:
            self._entries.clear()
        entry = Entry(specialisation, tuple(values), kinds, simple=simple, defaults=call.defaults)
        entry.plan = self._plan(tuple(values), len(args))
        self._entries[key] = entry

    def _plan(self, names: Sequence[str], count: int) -> Plan | None:
        """How the values of these names are found in calls with so many positional arguments."""
        signature = self._defaults.signature
        parameters = list(signature.parameters.values()) if signature is not None else []
        plain = all(p.kind in _NAMED for p in parameters)
        found = [p.name for p in parameters]
        if not plain or found != list(names[: len(names) - self.seeded]):
            return None
        given = count - self.seeded
        plan: Plan = [
            (p.name, k if k < given else None, p.default) for k, p in enumerate(parameters)
        ]
        return [*plan, (names[-1], count - 1, None)] if self.seeded else plan

    def inline(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Within another traced function: the same computation as part of that graph."""
        bound, seed = self._bind(args, kwargs)
        result = self.recipe.build(bound, **({SEED: args[-1]} if seed else {}))
        return with_own_memory(result)

    def _call(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Call:
        bound, seed = self._bind(args, kwargs)
        values = {**bound.arguments, **seed}
        taken = self._defaults.left_out(len(args) - self.seeded, kwargs)
        defaults = None if taken is None else DefaultsTaken(self._defaults, taken)
        return Call(bound, seed, values, *_pattern(values), defaults)

    def _fitting(self, call: Call) -> list[Specialisation]:
        """The specialisations that a call may use, if their checks of values hold."""
        with self._lock:
            known = self._specialisations.setdefault(call.pattern, [])
            return [s for s in known if s.fits(call.leaves, call.values)]

    def _specialised(self, call: Call, log: EffectLog) -> Specialisation:
        """A new specialisation; the latest are tried first."""
        with self._lock:
            made = specialise(self.recipe, call.bound, call.seed, log)
            known = self._specialisations.setdefault(call.pattern, [])
            known.insert(0, made)
        if len(known) == MANY_SPECIALISATIONS and checks_values(made.graph):
            warnings.warn(
                f"{self.recipe.name} has been compiled {len(known)} times, each time anew for the "
                f"values of something that Python needs to know: {last_check(made.graph)}",
                SpecialisationWarning,
                stacklevel=4,
            )
        return made

    def _find(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Specialisation:
        """The specialisation for a call that is not made."""
        call = self._call(args, kwargs)
        fitting = (s for s in self._fitting(call) if s.checks_hold(call.leaves))
        self._latest = next(fitting, None) or self._specialised(call, EffectLog())
        return self._latest

    def specialisation(self, /, *args: Any, **kwargs: Any) -> Specialisation:
        """The compiled code for these arguments; without any, the latest.

        Raises
        ------
        ArgumentValueError
            There is none yet, and no annotation tells the types.
        """
        signature = self.recipe.signature
        if args or kwargs or not (signature and signature.parameters):
            return self._find(args, kwargs)
        if self._latest is not None:
            return self._latest
        examples = example_arguments(signature)
        if examples is None:
            raise ArgumentValueError(
                f"{self.recipe.name} has not been compiled yet, and not every parameter carries a "
                "shape annotation",
                hint="pass example arguments, call it once, or annotate the parameters "
                '(Float[np.ndarray, "n d"])',
            )
        bound = signature.bind_partial()
        bound.arguments.update(examples)
        return self._find(bound.args, bound.kwargs)

    @property
    def says(self) -> bool:
        """Whether the latest code prints or warns."""
        nodes = () if self._latest is None else all_nodes(self._latest.graph.nodes)
        return any(node.op in (show, warn) for node in nodes)

    def source(self, /, *args: Any, **kwargs: Any) -> str:
        """The NumPy source that is generated for arguments of these types."""
        return self.specialisation(*args, **kwargs).source

    def emit(self, path: str | Path, /, *args: Any, **kwargs: Any) -> Path:
        """Write the source as a module of its own, which needs only NumPy; returns its path."""
        target = Path(path)
        target.write_text(self.source(*args, **kwargs), encoding="utf-8")
        return target


def _call_key(value: Any) -> Any:
    """A hashable that says all of an argument that the code may depend on."""
    if isinstance(value, np.ndarray):
        return (type(value), value.dtype, value.shape)
    if isinstance(value, _STATIC):
        return (type(value), value)
    if isinstance(value, int):
        return (type(value), value)
    if isinstance(value, (np.generic, float, complex)):
        return type(value)
    if isinstance(value, (Tracer, TracedInt)):
        return (Tracer, object())  # never found: the call belongs to the graph being traced
    if tree.is_container(value):
        kind, keys, parts = tree.parts(value)
        # written out: large objects have many numbers
        found = [float if type(part) is float else _call_key(part) for part in parts]
        keys = tree.told_apart(kind, keys)
        return (kind, type(value), keys, tuple(found), tree.option_of(value))
    if type(value) in (set, frozenset, bytearray):
        return tree.typed(value)
    return type(value) if is_library_object(value) else tree.Identity(value)


def _pattern(bound: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
    """The leaves by name, and the key that specialisations share."""
    named: dict[str, Any] = {}
    keys: list[Any] = []
    for name, value in bound.items():
        leaves, shape = tree.flatten(value, is_argument_leaf)
        for leaf, path in zip(leaves, tree.paths(shape), strict=True):
            named[tree.path_name(name, path)] = leaf
        keys.append((name, _shape_key(shape), tuple(map(pattern_key, leaves))))
    return named, tuple(keys)


def _shape_key(shape: tree.Tree) -> Any:
    if shape.kind == "static":
        return _call_key(shape.value)
    children = tuple(map(_shape_key, shape.children))
    keys = tree.told_apart(shape.kind, shape.keys)
    return (shape.kind, shape.cls, keys, children, shape.value)
