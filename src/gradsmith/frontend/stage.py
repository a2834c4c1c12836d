"""Staging: a user's function rewritten so that what happens in it goes through a runtime.

The rules are in ``stage_rules``. Here the rewritten tree becomes a function that shares the
globals, the variables of enclosing functions and the defaults with the user's own, which stays
as it was.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import CellType, CodeType, FunctionType, GeneratorType, MappingProxyType
from typing import Any, NoReturn, Protocol, TypeAlias

import numpy as np

from gradsmith.errors import InternalError, Span, UnsupportedError
from gradsmith.frontend import protocols, stacked_arrays
from gradsmith.frontend.attributes import is_own_attribute
from gradsmith.frontend.calling import call, calling
from gradsmith.frontend.choices import compared, truth
from gradsmith.frontend.class_statements import Making
from gradsmith.frontend.classes import is_instance, is_users_class
from gradsmith.frontend.codes import CodeTable
from gradsmith.frontend.container_calls import note_extended
from gradsmith.frontend.context_managers import Passing
from gradsmith.frontend.defined import note_class
from gradsmith.frontend.dispatch import own_error
from gradsmith.frontend.enclose import compile_function, replaced
from gradsmith.frontend.enclosing_variables import note_shared
from gradsmith.frontend.evaluated_sources import arguments_of_eval, arguments_of_exec
from gradsmith.frontend.failures import is_refusal
from gradsmith.frontend.foreign import is_library
from gradsmith.frontend.grown import is_grown
from gradsmith.frontend.journal import check_iterators, note_rebinding
from gradsmith.frontend.made_functions import note_inner_functions, with_qualified_names
from gradsmith.frontend.object_identity import check_members
from gradsmith.frontend.outside_iterators import check_outside_iterators
from gradsmith.frontend.path_errors import users_context
from gradsmith.frontend.source import Source, find_source
from gradsmith.frontend.spans import in_users_name, is_staged_code, register
from gradsmith.frontend.stage_rules.mangling import mangled
from gradsmith.frontend.stage_rules.refused import asynchronous
from gradsmith.frontend.stage_rules.rewriter import RUNTIME, SCRATCH, Rewriter
from gradsmith.frontend.stand_ins import ObjectStandIn
from gradsmith.frontend.text import Text, settled
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.trips import each
from gradsmith.frontend.unsettled import MISSING, Refusing, UndecidedError, Unsettled

Later: TypeAlias = Callable[[], Any]
"""A part of an expression, to be called where Python would evaluate it."""


class Branching(Protocol):
    """An ``if``: staged code runs its body with what ``for`` finds here, once or twice."""

    resets: bool
    """Whether the variables are to be set to `state` before the arm that is next."""
    traced: bool
    """The same after the ``if``."""
    failure: type[BaseException]
    """Errors of an arm after which `abandoned` is called."""

    def abandoned(self) -> None:
        """An arm ended in an error, which is raised again if nothing is to follow."""

    def __iter__(self) -> Iterator[bool]:
        """Which arms to run."""

    def state(self) -> Sequence[Any]:
        """The variables that the arms set, in the order in which their names were given."""


class BranchChain(Protocol):
    """An ``if`` with ``elif``: staged code takes the steps that ``for`` finds here."""

    resets: bool
    """Whether the variables are to be set to `state` before the step that is next."""
    traced: bool
    """The same after all."""
    failure: type[BaseException]
    """Errors of a step after which `abandoned` is called."""

    def abandoned(self) -> None:
        """A step ended in an error, which is raised again if nothing is to follow."""

    def ask(self, condition: Any, /) -> None:
        """The condition of the next ``if``: a step of an odd number ends with it."""

    def __iter__(self) -> Iterator[int]:
        """``2 * k`` for the body of the k-th, ``2 * k + 1`` for what its ``else`` begins with."""

    def state(self) -> Sequence[Any]:
        """The variables that the steps set, in the order in which their names were given."""


class Looping(Protocol):
    """A loop: staged code makes the trips that ``for`` finds here, those of every attempt."""

    failure: type[BaseException]
    """Errors of a trip after which `failed` is asked."""
    resets: bool
    """Whether the variables are to be set to `reset` before the trip."""
    rolled: bool
    """Whether they are to be set to `state` after the loop: ``stored``, then ``targets``."""
    ahead: bool
    """Whether a ``while`` asks its condition before it begins and at the end of each trip."""

    @property
    def asks_at_last(self) -> bool:
        """Whether the condition is to be asked once more after the loop, for what it sets."""

    def failed(self) -> None:
        """The trip ended in an error, which is raised again if there is no other way to go on."""

    def __iter__(self) -> Iterator[Any]:
        """What the target is in each trip."""

    def reset(self) -> Sequence[Any]:
        """What the variables are at the beginning of the trip."""

    def test(self, value: Any, /) -> bool | None:
        """Whether the condition of a ``while`` holds; None for beginning the trip anew."""

    def leave(self, flag: Any, /) -> bool:
        """Whether the loop ends with this trip, at whose end ``flag`` says that it was left."""

    def state(self) -> Sequence[Any]:
        """The variables after the loop."""


class BoundRuntime(Protocol):
    """What the code of one staged function (and of functions defined in it) calls."""

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """``function(*args, **kwargs)``; a method comes bound."""

    def call_raw(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """The same whose result a variable gets that may be None at times."""

    def read(self, name: str, value: Any, /) -> Any:
        """The value of a global, a builtin or a variable of a function outside."""

    def attribute(self, owner: Any, name: str, /) -> Any:
        """``owner.name``."""

    def item(self, owner: Any, key: Any, /) -> Any:
        """``owner[key]``."""

    def target(self, owner: Any, name: str | None, /) -> Any:
        """What is written to, or deleted from, where the user does that to ``owner``.

        ``name`` is the attribute, None for items. The writing is Python's: ``target(x, None)[i] =
        e``, and with ``+=`` the reading, too.
        """

    def extended(self, value: Any, /) -> None:
        """``value += ...`` is next, which may change it in place."""

    def bind(self, name: str, value: Any, /) -> Any:
        """What is stored in the variable ``name`` of the function, which gets ``value``."""

    def value_or_none(self, name: str, value: Any, /) -> Any:
        """The value of a variable that may be None at times."""

    def raw(self, name: str, value: Any, /) -> Any:
        """The same where another such variable gets it, or the function returns it."""

    def is_none(self, name: str, value: Any, /) -> Any:
        """``value is None`` of such a variable."""

    def truth_or_none(self, name: str, value: Any, /) -> Any:
        """The value of such a variable where only its truth counts."""

    def attribute_is_none(self, owner: Any, name: str, /) -> Any:
        """``owner.name is None``."""

    def attribute_truth(self, owner: Any, name: str, /) -> Any:
        """``owner.name`` where only its truth counts."""

    def result(self, value: Any, /) -> Any:
        """What this function, or one defined in it, returns."""

    def returned(self, name: str, value: Any, /) -> Any:
        """The same where the variable ``name``, which staging has added, holds it."""

    def truth(self, value: Any, kind: str, /) -> Any:
        """``value``, whose truth Python asks next and must know when tracing.

        ``kind`` says who asks: "comprehension"; "case" for a guard; "if" and "while" where a
        jump leaves a ``try``; "ifexp", "and" and "or" where ``:=`` or ``super()`` is in a part
        that may not be evaluated.
        """

    def branching(self, condition: Any, names: tuple[str, ...], /) -> Branching:
        """An ``if`` that sets the variables ``names``."""

    def branch_chain(self, condition: Any, names: tuple[str, ...], count: int, /) -> BranchChain:
        """So many ``if``, each the last statement in the ``else`` of the one before."""

    def loop(
        self,
        iterable: Any,
        targets: tuple[str, ...],
        stored: tuple[str, ...],
        read: tuple[str, ...],
        kept: tuple[str, ...],
        leaves: bool,
        endless: bool,
        broken: str | None,
        steps: Mapping[str, int],
        asked: tuple[str, ...],
        /,
    ) -> Looping:
        """A ``for`` over ``iterable``; with ``endless`` a ``while``, whose iterable is None.

        The ``for`` itself sets ``targets``, its body ``stored``, of which a trip may use what
        the trip before left in ``read``; ``kept`` are read outside the loop. ``leaves`` says
        whether a jump may end the loop, and ``broken`` is the variable that tells if one did,
        where that can only be a ``break``. ``steps`` has the variables of a ``while`` that each
        of its trips changes by the same number; ``asked`` are set in its condition.
        """

    def choose(self, condition: Any, then: Later, orelse: Later, /) -> Any:
        """``then() if condition else orelse()``."""

    def choose_for(self, name: str, condition: Any, then: Later, orelse: Later, /) -> Any:
        """The same for a variable that may be None at times."""

    def either(self, word: str, first: Any, rest: Later, /) -> Any:
        """``first and rest()``, or with ``or``: as ``word`` says."""

    def chain(self, left: Any, word: str, right: Later, /, *rest: Any) -> Any:
        """``left < right() < ...``: ``rest`` goes on with a word and an operand, and so forth.

        The words are the names of `ast`'s operators: "Lt", "NotIn", ...
        """

    def asked_chain(self, left: Any, word: str, right: Later, /, *rest: Any) -> Any:
        """The same where only the truth of the result counts."""

    def negate(self, value: Any, /) -> Any:
        """``not value``."""

    def bound(self, name: str, value: Any, outside: bool, /) -> Any:
        """``value`` of the variable ``name``, which may have none.

        With ``outside`` it is one of a function around this one.
        """

    def raising(self, error: Later, cause: Later = ..., /) -> bool:
        """Whether ``raise error() from cause()`` is to be done now, not by the emitted code."""

    def raising_in_handler(self, error: Later, cause: Later = ..., /) -> bool:
        """The same in a handler, whose error the new one is to have for its context."""

    def listed(self, element: Callable[..., Any], /, *clauses: Any) -> Any:
        """``[element for ...]``.

        A clause has what its ``for`` goes over, its target (a name, or a tuple of targets), and
        its conditions, which get a function to ask with before the variables. What the first goes
        over is there; for the others there are functions of the variables so far.
        """

    def elements(self, element: Callable[..., Any], /, *clauses: Any) -> Any:
        """The same as an argument of `call`."""

    def generated(self, element: Callable[..., Any], /, *clauses: Any) -> Any:
        """``(element for ...)`` as an argument of `call`."""

    def modulo(self, left: Any, right: Any, /) -> Any:
        """``left % right``, of numbers or of a text and values."""

    def formatted(self, value: Any, conversion: str, spec: Any, /) -> Any:
        """``f"{value!conversion:spec}"``."""

    def joined(self, /, *parts: Any) -> Any:
        """An f-string of these parts."""

    def asserted(self, value: Any, message: Later, /) -> Any:
        """``value``, whose truth ``assert value, message()`` asks next."""

    def trying(self, step: int, errors: tuple[str, ...], /) -> None:
        """The body of a ``try`` with handlers begins (1), or has ended (-1); they may be for
        these errors among those that the data decide.
        """

    def names(self, held: dict[str, Any], /) -> Any:
        """``globals()``, which is ``held``."""

    def matched(self, subject: Any, pattern: tuple[Any, ...], /) -> dict[str, Any] | None:
        """What the variables of a pattern are where ``subject`` has its form, else None.

        Patterns are as `gradsmith.frontend.patterns` takes them.
        """

    def iterate(self, iterable: Any, /) -> Iterable[Any]:
        """What ``for`` goes through."""

    def effect(self, kind: str, name: str, /) -> None:
        """The variable ``name``, of kind "global" or "nonlocal", is about to be changed."""

    def deleted(self, name: str, value: Any, /) -> bool:
        """Whether Python is to delete such a variable, which has this value."""

    def stored(self, name: str, value: Any, /) -> Any:
        """``value``, which such a variable has now."""


class Runtime(Protocol):
    """What makes a runtime for each function."""

    def for_function(self, function: FunctionType, /) -> BoundRuntime:
        """The runtime for one function, the user's own object."""


class HiddenError(BaseException):
    """What gradsmith refuses, on its way past the handlers of the user's."""

    def __init__(self, error: BaseException | None) -> None:
        super().__init__()
        self.error = error or InternalError("no error is on its way")


class Scratch:
    """What staged code needs besides the runtime."""

    __slots__ = ()

    @property
    def refusal(self) -> Any:
        """What ``except`` names for the error on its way: its class where gradsmith refuses
        something, which no handler of the user's is for, and else no class at all.
        """
        error = sys.exc_info()[1]
        return type(error) if is_refusal(error) else ()

    def caught(self, classes: Any) -> Any:
        """What ``except`` names, which Python must know."""
        for named in classes if isinstance(classes, tuple) else (classes,):
            if isinstance(named, Refusing):
                named.refuse()
        return classes

    def hide(self) -> NoReturn:
        """Raise the error on its way as one that ``except*`` does not catch."""
        raise HiddenError(sys.exc_info()[1])

    hidden = HiddenError

    def show(self) -> NoReturn:
        """Raise such an error as what it is."""
        hidden = sys.exc_info()[1]
        assert isinstance(hidden, HiddenError)
        raise hidden.error from None

    @property
    def translated(self) -> Any:
        """What ``except`` names for an error of gradsmith's that Python or NumPy raises, too."""
        error = sys.exc_info()[1]
        return type(error) if own_error(error) is not None else ()

    @in_users_name
    def translate(self) -> NoReturn:
        """Raise Python's or NumPy's own error."""
        caught = sys.exc_info()[1]
        error = own_error(caught) or InternalError("no error to translate")
        try:
            raise error
        finally:
            error.__context__ = None if caught is None else users_context(caught)
            error.__suppress_context__ = error.__cause__ is not None

    def keyed(self, value: Any) -> Any:
        """A set or dict that has been made of objects, which Python has compared."""
        check_members(list(value))
        return value

    def given(self, value: Any) -> Later:
        """``lambda: value``, with the value that it has now."""
        return lambda: value

    def unset(self, name: str) -> Any:
        """What stands for the value of a variable that has none."""
        return Unsettled(name, MISSING)

    def home(self, set_by_methods: FunctionType | None = None) -> Any:
        """The region in which a function runs whose variables functions inside may set.

        ``set_by_methods`` closes over those among them that methods of classes set: staging finds
        these by their cells.
        """
        trace = current_trace()
        if trace is None:
            return None
        cells = () if set_by_methods is None else set_by_methods.__closure__ or ()
        trace.homes.update((id(cell), (cell, trace.builder)) for cell in cells)
        return trace.builder

    def shared(self, name: str, home: Any, read: FunctionType) -> None:
        """A function is about to set ``name``, a variable of a function around it.

        That function runs in ``home``; None where it does not set the variable in branches and
        loops itself, so that they know it by its cell, which that of ``read`` is.
        """
        note_shared(name, home, *(read.__closure__ or ()))

    def walrus(self, value: Any) -> Any:
        """``value``, which a comprehension gives a variable of the function around it."""
        note_rebinding()
        return value

    def refusing(self) -> bool:
        """Whether an error is on its way that ends this run of the trace, perhaps for another.

        A variable that has no value is the user's error.
        """
        error = sys.exc_info()[1]
        unset = isinstance(error, UndecidedError) and error.site is None
        return is_refusal(error) and not unset

    def once(self, value: Any) -> Any:
        """What stands for the truth of ``value``, which is asked now if it is not traced."""
        return truth(value)

    binary = staticmethod(protocols.binary)
    inplace = staticmethod(protocols.inplace)
    unary = staticmethod(protocols.unary)
    compared = staticmethod(compared)
    by_keys = staticmethod(protocols.by_keys)
    calling = staticmethod(calling)

    def evaluated(self, source: Any, *namespaces: Any) -> tuple[Any, ...]:
        """The arguments of `eval`."""
        return arguments_of_eval(source, namespaces, sys._getframe(1).f_locals)

    def executed(self, source: Any, *namespaces: Any) -> tuple[Any, ...]:
        """The arguments of `exec`."""
        return arguments_of_exec(source, namespaces, sys._getframe(1).f_locals)

    def named(self, value: Any) -> Any:
        """``value`` where its items become arguments of a call with the names that its keys are,
        which Python must know.
        """
        made = protocols.by_keys(value)
        if isinstance(made, ObjectStandIn) and hasattr(made, "keys"):
            made = protocols.as_dict(made)
        if not isinstance(made, (Mapping, MappingProxyType)):
            return made
        items = dict.items(made) if isinstance(made, dict) else made.items()
        if not any(isinstance(key, Text) for key, _ in items):
            return made
        return {settled(key): item for key, item in items}

    def unpacked(self, value: Any, *starred: int) -> Any:
        """``value`` where Python is to take it apart; with how many targets before and behind a
        starred one, where there is one.
        """
        if starred and stacked_arrays.has_open_length(value):
            check_iterators([value])
            check_outside_iterators([value])
            return stacked_arrays.taken_apart(value, *starred)
        value = list(each(value)) if is_grown(value) else value
        if isinstance(value, Tracer):
            value.check_iterable(_unpack)
        check_iterators([value])
        check_outside_iterators([value])
        return protocols.taken_apart(value, starred[0]) if starred else protocols.stepwise(value)

    def spread(self, value: Any) -> Any:
        """``value`` where its elements become arguments of a call, or of a list or tuple."""
        if isinstance(value, Tracer):
            value.check_iterable(lambda plain: [*plain])
        check_iterators([value])
        check_outside_iterators([value])
        return protocols.listed(value)

    def members(self, value: Any) -> Any:
        """The same of a set, which does not ask for the length."""
        check_iterators([value])
        check_outside_iterators([value])
        return protocols.unpacked(value)

    def unpacked_within(self, value: Any, shape: tuple[tuple[int, ...], Any]) -> Any:
        """The same for targets that take apart what they get: for each of these the ``shape`` has
        its place and its own shape.
        """
        starred, nested = shape
        found = self.unpacked(value, *starred)
        found = list(found) if isinstance(found, GeneratorType) else found
        if type(found) not in (list, tuple):
            return found
        parts = list(found)
        for place, inner in nested:
            if -len(parts) <= place < len(parts):  # otherwise Python says how many there are
                parts[place] = self.unpacked_within(parts[place], inner)
        return parts

    def each_unpacked(self, values: Iterable[Any], shape: Any) -> Iterator[Any]:
        """The elements of what a comprehension goes through, whose targets take them apart."""
        return (self.unpacked_within(value, shape) for value in values)

    def delegated(self, value: Any) -> Any:
        """What ``yield from`` goes through."""
        check_iterators([value])
        check_outside_iterators([value])
        if is_grown(value):
            return each(value)
        return protocols.iterator(value) if protocols.is_iterable(value) else value

    def updating(self, target: Any) -> Any:
        """``target``, of which an item or attribute is replaced by an operator (``+=``)."""
        return target if isinstance(target, (Tracer, np.ndarray)) else Updating(target)

    def defined(self, cls: Any) -> Any:
        """A class that the function has defined; its methods close over the function's own
        variables, which are none from outside.
        """
        note_class(cls)
        return cls

    def making(self, metaclass: Any) -> Any:
        """What makes the class that a class statement defines."""
        return Making(metaclass)

    def decorator(self, function: Any) -> Any:
        """``function``, which is given a function or class: the runtime calls the user's functions
        and classes.
        """
        plain = getattr(function, "__func__", function)
        library = isinstance(plain, FunctionType) and is_library(plain)
        users = isinstance(plain, FunctionType) or is_instance(plain)
        users = users or (isinstance(plain, type) and is_users_class(plain))
        return partial(call, function) if users and not library else function

    def raised(self, error: Any) -> Any:
        """An error that ``raise`` is given, or its cause: one that a branch chooses is decided."""
        if isinstance(error, Refusing):
            error.refuse()
        return error

    def passing(self, manager: Any) -> Any:
        """``manager``, but where it would swallow what gradsmith refuses."""
        kind = type(manager)
        sound = hasattr(kind, "__enter__") and hasattr(kind, "__exit__")
        return Passing(manager) if sound else manager

    def __getitem__(self, key: Any) -> Any:
        """``key``: slices can be written in brackets only."""
        return key


def _unpack(value: Any) -> None:
    (_,) = value


class Updating:
    """An object whose items and attributes are replaced by what an operator gives."""

    __slots__ = ("_gs_target",)

    def __init__(self, target: Any) -> None:
        object.__setattr__(self, "_gs_target", target)

    def __getitem__(self, key: Any) -> Any:
        return Operand(self._gs_target[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        self._gs_target[key] = value

    def __getattribute__(self, name: str) -> Any:
        if is_own_attribute(name):
            return object.__getattribute__(self, name)
        return Operand(getattr(self._gs_target, name))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._gs_target, name, value)


for _method in (Updating.__getitem__, Updating.__setitem__, Updating.__getattribute__):
    in_users_name(_method)
in_users_name(Updating.__setattr__)


class Operand:
    """The left operand of ``+=``: what becomes of it decides its class, or that of the other."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def _operator(word: str) -> Callable[[Operand, Any], Any]:
    def operator(self: Operand, other: Any) -> Any:
        note_extended(self.value)
        return protocols.inplace(word, self.value, other)

    return operator


for _word, _name in protocols.INPLACE.items():
    setattr(Operand, f"__i{_name}__", _operator(_word))


def stage(function: FunctionType, runtime: Runtime) -> FunctionType:
    """``function`` such that what happens in it goes through ``runtime``.

    Where its source cannot be had, or where it is staged already, it is returned as it is.

    Raises
    ------
    UnsupportedError
        It uses syntax that has no rule.
    """
    original = function.__code__
    code = None if is_staged_code(original) else _rewritten(function)
    if code is None:
        return function
    cells = dict(zip(original.co_freevars, function.__closure__ or (), strict=True))
    cells[RUNTIME] = CellType(runtime.for_function(function))
    cells[SCRATCH] = CellType(Scratch())
    closure = tuple(cells[name] for name in code.co_freevars)
    name, defaults = function.__name__, function.__defaults__
    staged = FunctionType(code, function.__globals__, name, defaults, closure)
    staged.__kwdefaults__ = function.__kwdefaults__
    staged.__qualname__ = function.__qualname__
    staged.__module__ = function.__module__
    return staged


def is_staged(function: object) -> bool:
    """Whether staging made ``function``: `stage` itself, or a ``def`` in a staged function."""
    return isinstance(function, FunctionType) and is_staged_code(function.__code__)


_cache: CodeTable[CodeType | None] = CodeTable()


def _rewritten(function: FunctionType) -> CodeType | None:
    """The rewritten code of ``function``; None without source."""
    original = function.__code__
    if original not in _cache:
        source = find_source(function)
        _cache[original] = None if source is None else _compiled(source, function)
    return _cache[original]


def _compiled(source: Source, function: FunctionType) -> CodeType:
    try:
        return _compiled_with(source, function, nested=True)
    except (SyntaxError, RecursionError):  # too many statically nested blocks
        pass
    try:
        return _compiled_with(source, function, nested=False)
    except (SyntaxError, RecursionError) as error:
        line = getattr(error, "lineno", None) or source.node.lineno
        raise UnsupportedError(
            "the loops and branches here are nested too deeply for Python",
            Span(source.file, line, function=source.function),
            "move the inner ones to a function of their own",
        ) from error


def _compiled_with(source: Source, function: FunctionType, *, nested: bool) -> CodeType:
    original = function.__code__
    shadowing = {*function.__globals__, *original.co_freevars}
    source = replace(source, node=mangled(source.node, source.owner))
    rewriter = Rewriter(source, shadowing, nested=nested)
    if isinstance(source.node, ast.AsyncFunctionDef):
        raise asynchronous(rewriter, source.node)
    node = replaced(source.node, body=rewriter.function_body(source.node))
    # The methods of classes in it are found in the source when they are called.
    code = compile_function(
        node, original, None, free=(RUNTIME, SCRATCH), imported=source.imported
    )
    code = with_qualified_names(original, code)
    register(code, original.co_name, source.node)
    note_inner_functions(original, code)
    return code
