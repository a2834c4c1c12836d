"""One compiled specialisation: from traced arguments to an emitted, loaded function."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from gradsmith import tree
from gradsmith.codegen.forms import all_nodes
from gradsmith.codegen.load import load
from gradsmith.codegen.marks import has_effects
from gradsmith.codegen.module import module
from gradsmith.codegen.names import parameter_names
from gradsmith.codegen.program import Argument, Program
from gradsmith.codegen.shapes import written
from gradsmith.driver.called_once import check_called_once
from gradsmith.driver.containers import is_plain, rebuild
from gradsmith.driver.garbage import rarely_collected
from gradsmith.driver.notes import notes
from gradsmith.driver.seeds import PendingSeed
from gradsmith.errors import (
    GradsmithError,
    SeedNeededError,
    Span,
    SpecialisationError,
    UnrolledLoopWarning,
    UnsupportedError,
)
from gradsmith.frontend.arguments import (
    bindings,
    check_leaf,
    is_argument_leaf,
    is_input,
    leaf_value,
    pattern_key,
)
from gradsmith.frontend.captures import (
    capture,
    drop_unread,
    note_external,
    note_members,
    note_method,
)
from gradsmith.frontend.exact_type import check_class_is_kept
from gradsmith.frontend.external_writes import Collector, Copied, ExternalWrites, outside
from gradsmith.frontend.failing import always_ends, raised_later
from gradsmith.frontend.failures import in_user_terms
from gradsmith.frontend.frozen import nothing_frozen_changes
from gradsmith.frontend.journal import CONTAINERS, contents_of, written_part
from gradsmith.frontend.leaving_errors import with_present_values
from gradsmith.frontend.listed_results import with_lists
from gradsmith.frontend.number_class import check_no_array
from gradsmith.frontend.opaque import OpaqueObject, is_returnable, object_argument
from gradsmith.frontend.outside_lookups import Condition
from gradsmith.frontend.present import present_values
from gradsmith.frontend.results import (
    check_results,
    is_number_or_array,
    returned,
    with_plain_keys,
)
from gradsmith.frontend.shared_memory import (
    MemoryConditions,
    conditions,
    enter_argument,
    shared_containers,
)
from gradsmith.frontend.suspended import closed_on_failure
from gradsmith.frontend.text import Text
from gradsmith.frontend.trace import Capture, Trace, read_now
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unrolling import Plan, Unrolling
from gradsmith.frontend.unsettled import Learned, TracedAnewError, UndecidedError
from gradsmith.frontend.warned import warn_at
from gradsmith.ir import dims
from gradsmith.ir.dims import Guard, recording_guards
from gradsmith.ir.effect_log import EffectLog
from gradsmith.ir.evaluate import evaluate
from gradsmith.ir.graph import Graph, Node
from gradsmith.ir.nesting import NestingError, nesting_limited
from gradsmith.ops.calls import call
from gradsmith.ops.effects import fail
from gradsmith.passes.pipeline import lower, optimise
from gradsmith.passes.unread_errors import keep_errors

SEED = "grad_outputs"
NO_WRITES = ExternalWrites()


@dataclass(frozen=True, slots=True)
class Recipe:
    """What to compile: how to compute the results from traced arguments, and how to call it.

    Parameters
    ----------
    build : callable
        ``build(bound)`` on bound traced arguments returns a tree of traced values. A seed comes
        as the keyword ``grad_outputs``.
    signature : inspect.Signature
        Of the function that it is made from.
    name : str
        Of the emitted function.
    title : str
        First line of its docstring.
    file : str
        The user's file.
    writes : bool
        Whether it writes to arguments and to objects outside as the function does.
    function : callable, optional
        The function that it is made from, if it has its signature.
    """

    build: Callable[..., Any]
    signature: inspect.Signature | None
    name: str
    title: str
    file: str
    writes: bool = False
    function: Callable[..., Any] | None = None

    @property
    def seed(self) -> str:
        """What the parameter for the seed is called."""
        name = SEED
        while self.signature is not None and name in self.signature.parameters:
            name += "_"
        return name


@dataclass(frozen=True, slots=True)
class Specialisation:
    """Compiled code and all that it takes for granted."""

    function: Callable[..., Any]
    source: str
    program: Program
    graph: Graph
    guards: tuple[Guard, ...]
    captures: tuple[Capture, ...]
    keywords: tuple[str, ...]
    """The parameters that captured values are passed by."""
    checked: tuple[Capture, ...]
    """What was captured and is not passed on, but must stay of its kind."""
    captured_patterns: tuple[object, ...]
    reliances: tuple[Condition, ...]
    arguments: tuple[str, ...]
    result: tree.Tree
    plain: bool
    layouts: tuple[tuple[str, bool], ...] = ()
    memory: MemoryConditions | None = None
    where: Mapping[str, tuple[str, tree.Path]] = field(default_factory=dict)
    """The argument that a leaf is part of, and the way to it."""
    writes: ExternalWrites = field(default_factory=ExternalWrites)
    logged: bool = False
    """Whether it has effects, and a check of a value may end a run after some."""

    def fits(self, leaves: dict[str, Any], arguments: Mapping[str, Any]) -> bool:
        """Whether a call with these arguments, whose leaves are these, may use the code."""
        if not all(r.holds() for r in self.reliances):
            return False
        captured = read_now((*self.captures, *self.checked))
        if captured is None:
            return False
        patterns = tuple(map(pattern_key, captured.values()))
        if patterns != self.captured_patterns:
            return False
        everything = {**leaves, **captured}
        if any(everything[name].flags.c_contiguous != order for name, order in self.layouts):
            return False
        if self.memory is not None and not self.memory.hold(everything, arguments):
            return False
        bound = bindings(everything)
        return all(guard.holds(bound) for guard in self.guards)

    def checks_hold(self, leaves: Mapping[str, Any]) -> bool:
        """Whether the values that the code was specialised on are those of a call.

        It is not made: the reference interpreter looks at them, and does nothing else.
        """
        nodes = list(all_nodes(self.graph.nodes))
        if not any(map(_is_check, nodes)) or any(node.op is call for node in nodes):
            return True
        everything = {**leaves, **{c.name: c.read() for c in self.captures}}
        given = [everything[param.attrs["name"]] for param in self.graph.params]
        try:
            evaluate(self.graph, given, _check_only)
        except SpecialisationError:
            return False
        return True

    def run_logged(self, bound: Mapping[str, Any], log: EffectLog) -> Any:
        """Call the code with arguments by name; effects that the log has are not done again."""
        if not self.logged and not log:
            return self.run(bound)
        with log.run():
            return self.run(bound)

    def run(self, bound: Mapping[str, Any]) -> Any:
        """Call the code with arguments by name."""
        pairs = zip(self.keywords, self.captures, strict=True)
        captured = {name: capture.read() for name, capture in pairs}
        raw = self.function(*[bound[name] for name in self.arguments], **captured)
        if self.writes.writes:
            raw, written = raw
            self.writes.apply(bound, written)
        return raw if self.plain else rebuild(self.result, raw)


def checks_values(graph: Graph) -> bool:
    """Whether the code is specialised on values, which it checks."""
    return any(_is_check(node) or node.op is call for node in all_nodes(graph.nodes))


def _is_check(node: Node) -> bool:
    return node.op is fail and node.attrs["error"] is SpecialisationError


def last_check(graph: Graph) -> str:
    """What the last of its checks says."""
    checks = [n.attrs["arguments"][0] for n in all_nodes(graph.nodes) if _is_check(n)]
    return str(checks[-1]) if checks else "the kinds of what calls return"


def _check_only(node: Node, operands: Sequence[Any], attrs: Mapping[str, Any]) -> Any:
    return node.op.evaluate(*operands, **attrs) if _is_check(node) else ()


class Arguments:
    """The arguments of a call, traced: which leaf is read from where."""

    def __init__(self, trace: Trace, bound: Mapping[str, Any], seed: str = SEED) -> None:
        self.trace = trace
        self.seed = seed
        self.where: dict[str, tuple[str, tree.Path]] = {}
        self.shapes: dict[str, tree.Tree] = {}
        self.dynamic: list[str] = []
        self.static: dict[str, Any] = {}
        trace.shared_containers = shared_containers(bound)
        self.copied: list[Copied] = []
        self.values = {name: self._trace(name, value) for name, value in bound.items()}

    def _trace(self, name: str, value: Any) -> Any:
        leaves, shape = tree.flatten(value, is_argument_leaf)
        self.shapes[name] = shape
        seen_shape = self._with_copies(name, shape)
        _check_statics(shape, name)
        for leaf, path in zip(leaves, tree.paths(shape), strict=True):
            self.where[tree.path_name(name, path)] = (name, path)
            check_leaf(leaf, tree.path_name(name, path))
        if leaves:
            self.dynamic.append(name)
        elif shape.kind == "static":
            self.static[name] = value
        if name == self.seed:
            return self._pending(leaves, shape)
        made = [
            self._stand_in(tree.path_name(name, path), leaf, tree.leaf_name(name, path))
            for leaf, path in zip(leaves, tree.paths(shape), strict=True)
        ]
        seen = tree.unflatten(seen_shape, made)
        if tree.is_container(seen) or isinstance(seen, set):
            enter_argument(self.trace, name, seen, value)
        self._note_copies(name, (), seen)
        return seen

    def _stand_in(self, name: str, leaf: Any, label: str) -> Any:
        if is_input(leaf):
            return leaf_value(self.trace, name, leaf, label=label)
        return object_argument(self.trace, name, leaf, label)

    def _with_copies(self, name: str, shape: tree.Tree) -> tree.Tree:
        """The shape with copies in the place of sets, and of objects of classes that are derived
        from containers: code for one of these is for no other, as if it was from outside.
        """
        value = shape.value
        note_members(self.trace, shape.keys if shape.kind == "dict" else ())
        if shape.kind != "static":
            children = [self._with_copies(name, child) for child in shape.children]
            return replace(shape, children=tuple(children))
        if type(value) is set:
            note_members(self.trace, value)
            return replace(shape, value=set(value))
        if not isinstance(value, CONTAINERS):
            note_method(self.trace, name, value, lambda: value)
            note_members(self.trace, [value])
            return shape
        seen = capture(self.trace, ("argument", id(value)), name, value, lambda: value)
        note_external(self.trace, seen)
        return replace(shape, value=seen)

    def _note_copies(self, name: str, path: tree.Path, seen: Any) -> None:
        """Containers among the arguments stand for those of each call."""
        if not (tree.is_container(seen) or type(seen) is set):
            return
        held = written_part(seen)
        if held is not None:
            label = tree.path_name(name, path)
            copied = Copied(label, seen, held, contents_of(held), partial(_found, name, path))
            self.copied.append(copied)
        if isinstance(seen, set):
            return
        kind, keys, parts = tree.parts(seen)
        step = "item" if kind in ("dict", "list", "tuple") else "attribute"
        for key, part in zip(keys, parts, strict=True):
            self._note_copies(name, (*path, (step, key)), part)  # type: ignore[arg-type]

    def _pending(self, leaves: list[Any], shape: tree.Tree) -> Any:
        names = [tree.path_name(self.seed, path) for path in tree.paths(shape)]
        return tree.unflatten(
            shape,
            [PendingSeed(self.trace, n, leaf) for n, leaf in zip(names, leaves, strict=True)],
        )


def _found(name: str, path: tree.Path, bound: Mapping[str, Any]) -> Any:
    """What is there in the arguments of a call."""
    value = bound[name]
    for step, key in path:
        value = getattr(value, key) if step == "attribute" else value[key]
    return value


def _check_statics(shape: tree.Tree, name: str) -> None:
    if shape.kind == "static":
        check_leaf(shape.value, name)
    for key, child in zip(shape.keys, shape.children, strict=True):
        _check_statics(child, f"{name}[{key!r}]")


def specialise(
    recipe: Recipe, bound: inspect.BoundArguments, seed: Mapping[str, Any], log: EffectLog
) -> Specialisation:
    """Trace, differentiate, optimise, emit and load for arguments like these.

    ``seed`` is ``{recipe.seed: value}``, or empty. Where a branch turns out to have no one
    result, it is decided by the present values; where a loop in the graph is in the way of what
    follows it, the function is traced again with that loop written out.
    """
    with rarely_collected():
        return _specialise(recipe, bound, seed, log)


def _specialise(
    recipe: Recipe, bound: inspect.BoundArguments, seed: Mapping[str, Any], log: EffectLog
) -> Specialisation:
    log.place = 0
    attempt = first = _Attempt(Trace(log=log, writes=recipe.writes), recipe, bound, seed)
    failure: UnsupportedError | None = None
    plans = _Plans()
    while True:
        try:
            made = attempt.made()
        except UnsupportedError as error:
            if failure is None or plans.known:  # what another run is known to avoid is no reason
                failure = error
            plans.learn(error, attempt.trace)
        except SeedNeededError:
            raise  # whoever asks for the source tries once more, with a seed
        except Exception as error:
            attempt.reach(error)
            raise
        else:
            attempt.warn()
            return made
        if not plans.left:
            first.reach(failure)
            raise _shown(failure) from None
        attempt = _Attempt(plans.following(recipe, log), recipe, bound, seed)


class _Plans:
    """What further runs may do in another way, by the errors of the runs so far."""

    def __init__(self) -> None:
        self.left: list[Plan] = []
        self._learned = Learned()
        self._guessed = False
        self.known = False
        """Whether the error of the last run showed what to do in another way."""

    def learn(self, error: UnsupportedError, trace: Trace) -> None:
        """A run has ended in an error."""
        self.known = False
        if isinstance(error, NestingError):
            return
        unrolling = trace.unrolling
        sites = _undecided(error, trace)
        self._learned = self._learned.with_decided(sites)
        if isinstance(error, TracedAnewError):
            self._learned = error.added_to(self._learned)
        if isinstance(error, TracedAnewError) or sites:
            self.left.insert(0, unrolling.chosen)
            self.known = True
            return
        culprit = unrolling.culprit(error)
        self.known = culprit is not None and culprit not in unrolling.chosen
        if culprit is not None or not self._guessed:
            self.left = [*unrolling.plans(error), *self.left]
        self._guessed = self._guessed or culprit is None

    def following(self, recipe: Recipe, log: EffectLog) -> Trace:
        """The state in which the next run begins."""
        log.place = 0
        unrolling = Unrolling(chosen=self.left.pop(0))
        return Trace(log=log, unrolling=unrolling, learned=self._learned, writes=recipe.writes)


def _undecided(error: UnsupportedError, trace: Trace) -> frozenset[Span]:
    """What is to be decided by the present values: a branch or loop, or integers that the function
    makes of values; loops only where they have been written out, or cannot be.
    """
    site = error.site if isinstance(error, UndecidedError) else None
    written_out = error.loop is None or error.loop in trace.unrolling.chosen
    if site is not None and site not in trace.decided and written_out:
        return frozenset([site])
    names = [] if error.size is None else [symbol.name for symbol in dims.symbols(error.size)]
    return frozenset(trace.integers[name] for name in names if name in trace.integers)


def _shown(error: UnsupportedError) -> UnsupportedError:
    return error.refusal() if isinstance(error, UndecidedError) else error


class _Attempt:
    """One run of the function on traced arguments, and the code that comes of it."""

    def __init__(
        self,
        trace: Trace,
        recipe: Recipe,
        bound: inspect.BoundArguments,
        seed: Mapping[str, Any],
    ) -> None:
        self.trace = trace
        self.recipe = recipe
        self.bound = bound
        self.seed = seed
        self.arguments: Arguments | None = None

    def made(self) -> Specialisation:
        """The code."""
        trace, recipe = self.trace, self.recipe
        with trace.active():
            arguments = Arguments(trace, {**self.bound.arguments, **self.seed}, recipe.seed)
            self.arguments = arguments
            values = dict(arguments.values)
            extra = {SEED: values.pop(recipe.seed)} if self.seed else {}
            bound = inspect.BoundArguments(self.bound.signature, values)
            with in_user_terms(), nothing_frozen_changes(trace), closed_on_failure(trace):
                result = _built(recipe, bound, extra)
            leaves, shape = tree.flatten(result, _is_result)
            check_results(shape, writable=True)
            shape = with_plain_keys(shape)
            writes = self._writes(arguments)
            nodes = [_result_node(trace, leaf) for leaf in (*leaves, *writes.values)]
            for node in nodes:
                check_no_array(node)
                check_class_is_kept(node)
            drop_unread(trace)
            with nesting_limited(lambda: trace.builder.nodes):
                graph = optimise(keep_errors(trace.builder.graph(nodes)))
                lowered = lower(graph, [trace.builder.names.get(node) for node in nodes])
                check_called_once(lowered, trace)
        with nesting_limited(lambda: trace.builder.nodes):
            return self._emitted(arguments, graph, lowered, shape, writes)

    def _writes(self, arguments: Arguments) -> ExternalWrites:
        """What each call writes outside."""
        if not self.recipe.writes:
            return ExternalWrites()
        trace = self.trace
        collector = Collector(trace, arguments.copied)
        readers = {c.name: c.read for c in trace.inputs}
        for name, (storage, node) in trace.buffers.items():
            where = arguments.where.get(name)
            find = outside(readers[name]) if where is None else partial(_found, *where)
            collector.inputs[storage] = node, find
        return collector.collect()

    def warn(self) -> None:
        """Warn of long loops that are written out."""
        for loop, written_out in self.trace.unrolling.long.items():
            warn_at(loop, written_out.message(loop), UnrolledLoopWarning)

    def reach(self, error: Exception | None) -> None:
        """Do what the function does before the place of this error: it prints, and may raise
        another error, which depends on numbers.

        Not where it nests too deeply: that may take for ever.
        """
        if self.arguments is None or isinstance(error, NestingError):
            return
        with recording_guards(), suppress(GradsmithError, SpecialisationError):
            present_values(self.trace).compute_until(getattr(error, "span", None))

    def _emitted(
        self,
        arguments: Arguments,
        graph: Graph,
        lowered: Graph,
        shape: tree.Tree,
        writes: ExternalWrites = NO_WRITES,
    ) -> Specialisation:
        trace = self.trace
        guards = dims.needed(trace.guards)
        graph, lowered = (replace(g, guards=guards) for g in (graph, lowered))
        program = _program(self.recipe, arguments, trace, lowered, shape, writes)
        emitted = module(program)
        captures, checked = tuple(trace.inputs), tuple(trace.checked)
        loggable = checks_values(graph) or bool(trace.log)
        logged = loggable and has_effects(emitted.definition)
        marks = emitted.definition if logged else None
        return Specialisation(
            function=load(emitted.text, program.name, emitted.errors, marks),
            logged=logged,
            source=emitted.text,
            program=program,
            graph=graph,
            guards=graph.guards,
            captures=captures,
            keywords=emitted.parameters[len(arguments.dynamic) :],
            checked=checked,
            captured_patterns=tuple(
                pattern_key(trace.leaves[c.name]) for c in (*captures, *checked)
            ),
            reliances=(*trace.lookups.conditions(), *trace.reliances.values()),
            arguments=tuple(arguments.dynamic),
            result=shape,
            plain=is_plain(shape),
            layouts=_layouts(trace),
            memory=conditions(trace),
            where=arguments.where,
            writes=writes,
        )


def _built(recipe: Recipe, bound: inspect.BoundArguments, extra: Mapping[str, Any]) -> Any:
    """The results; none where the function raises an error that the emitted code is to raise."""
    try:
        result = recipe.build(bound, **extra)
    except BaseException as error:
        if not (isinstance(error, Exception) and (raised_later(error) or always_ends(error))):
            with_present_values(error)
            raise
        return ()
    texts, shape = tree.flatten(result, lambda value: isinstance(value, Text))
    return with_lists(tree.unflatten(shape, [_settled(t) for t in texts]) if texts else result)


def _settled(text: Text) -> Any:
    try:
        return text.used()
    except GradsmithError as error:
        error.span = returned()
        raise


def _layouts(trace: Trace) -> tuple[tuple[str, bool], ...]:
    """Memory orders of arguments that the meaning of a write through a reshape depends on."""
    names = dict.fromkeys(name for name, storage in trace.layouts if storage.version)
    return tuple((name, bool(trace.leaves[name].flags.c_contiguous)) for name in names)


def _is_result(value: Any) -> bool:
    return is_number_or_array(value) or is_returnable(value)


def _result_node(trace: Trace, leaf: Any) -> Node:
    if isinstance(leaf, Node):
        return leaf
    if isinstance(leaf, (Tracer, OpaqueObject)):
        return leaf.node
    return trace.builder.lift(leaf.dim if isinstance(leaf, TracedInt) else leaf)


def _program(
    recipe: Recipe,
    arguments: Arguments,
    trace: Trace,
    graph: Graph,
    shape: tree.Tree,
    writes: ExternalWrites,
) -> Program:
    captured = [capture.name for capture in trace.inputs]
    count = len(arguments.dynamic)
    names = parameter_names([*arguments.dynamic, *captured])
    given = dict(zip(arguments.dynamic, names[:count], strict=True))
    found = dict(zip(captured, names[count:], strict=True))
    reads = tuple(
        (found[name], ()) if name in found else _read_from(name, arguments, given)
        for name in (param.attrs["name"] for param in graph.params)
    )
    parameters = [Argument(given[name], name) for name in arguments.dynamic]
    parameters += [
        Argument(found[name], name, keyword_only=True, default=_default(trace.leaves[name]))
        for name in captured
    ]
    return Program(
        name=recipe.name,
        graph=graph,
        arguments=tuple(parameters),
        reads=reads,
        result=_with_writes(shape, writes),
        title=_title(recipe, trace.subject),
        notes=(*_said(writes), *notes(graph, arguments.static, [a.name for a in parameters])),
        file=recipe.file,
    )


def _read_from(leaf: str, arguments: Arguments, names: Mapping[str, str]) -> tuple[str, tree.Path]:
    """The parameter that a leaf of an argument is read from, and the way within it."""
    root, path = arguments.where.get(leaf, (leaf, ()))
    return names.get(root, root), written(path, arguments.shapes[root]) if path else path


def _with_writes(shape: tree.Tree, writes: ExternalWrites) -> tree.Tree:
    """What the emitted function returns: the result, and what is to be written."""
    if not writes.writes:
        return shape
    count = len(writes.values)
    return tree.Tree(
        "tuple", (0, 1), (shape, tree.Tree("tuple", tuple(range(count)), (tree.LEAF,) * count))
    )


def _said(writes: ExternalWrites) -> tuple[str, ...]:
    """The lines of the docstring about it."""
    if not writes.writes:
        return ()
    labels = ", ".join(dict.fromkeys(write.label for write in writes.writes))
    text = f"Returns the result, and values that the function writes outside of it: {labels}."
    return (*textwrap.wrap(text, 90), "")


def _title(recipe: Recipe, subject: list[str] | None) -> str:
    """Such as "Gradient of f with respect to a and b."."""
    if not subject:
        return recipe.title
    *most, last = subject
    names = f"{', '.join(most)} and {last}" if most else last
    return f"{recipe.title[:-1]} with respect to {names}."


def _default(value: Any) -> Any:
    return value if isinstance(value, (int, float, complex)) else None
