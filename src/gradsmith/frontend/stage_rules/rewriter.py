"""The registry of stage rules, and what they are written with."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

from gradsmith.errors import UnsupportedError
from gradsmith.frontend.enclose import FunctionNode, replaced
from gradsmith.frontend.source import Source
from gradsmith.frontend.stage_rules.assigned import initially_unset, unsure_reads
from gradsmith.frontend.stage_rules.jumps import Lowering
from gradsmith.frontend.stage_rules.liveness import Liveness
from gradsmith.frontend.stage_rules.optional import optional_names
from gradsmith.frontend.stage_rules.places import Place, place
from gradsmith.frontend.stage_rules.scopes import Scope, function_scope
from gradsmith.frontend.unsettled import OWN

RUNTIME = "__gs__"
SCRATCH = "__gs_scratch__"
AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])

# What a rule returns takes the place of the node; statements may become several.
Rule: TypeAlias = Callable[["Rewriter", Any], Any]
__all__ = [
    "OWN",
    "RUNTIME",
    "SCRATCH",
    "Place",
    "Rewriter",
    "argument",
    "place",
    "place_of_attribute",
    "rule",
]

RULES: dict[type[ast.AST], Rule] = {}
ARGUMENTS: dict[type[ast.AST], Rule] = {}


def rule(*kinds: type[ast.AST]) -> Callable[[AnyFunction], AnyFunction]:
    """Register how staging rewrites syntax of these kinds."""

    def register(function: AnyFunction) -> AnyFunction:
        RULES.update(dict.fromkeys(kinds, function))
        return function

    return register


def argument(*kinds: type[ast.AST]) -> Callable[[AnyFunction], AnyFunction]:
    """Register the same for syntax that is an argument of a call."""

    def register(function: AnyFunction) -> AnyFunction:
        ARGUMENTS.update(dict.fromkeys(kinds, function))
        return function

    return register


def place_of_attribute(node: ast.expr, attribute: ast.expr) -> Place:
    """The position of ``node``, from the name after the dot on.

    In a chain of methods over several lines Python reports the line of the method, too.
    """
    where = place(node)
    spread = isinstance(attribute, ast.Attribute) and attribute.lineno != attribute.end_lineno
    if spread and isinstance(attribute, ast.Attribute):
        where["lineno"] = attribute.end_lineno or attribute.lineno
        where["col_offset"] = (attribute.end_col_offset or 0) - len(attribute.attr.encode())
    return where


class Rewriter:
    """One staging: visits a function's tree and builds the rewritten one.

    The user's tree is shared and stays as it is: rules return new nodes, or the old ones where
    nothing changes. Every new node has the position of what it stands for.

    Parameters
    ----------
    source : Source
        The function.
    shadowing : container of str
        Names that do not mean the builtin of that name.
    nested : bool
        Whether there may be a ``try`` in each ``if``: Python takes 20 such blocks in each other.
    """

    def __init__(self, source: Source, shadowing: Container[str], *, nested: bool = True) -> None:
        self.source = source
        self.shadowing = shadowing
        self.nested = nested
        self.scope = function_scope(source.node, None)
        self.lowering = Lowering()
        self.liveness = Liveness([])
        self._unsure: dict[int, ast.Name] = {}
        self.optional = frozenset[str]()
        """The variables of the function at work that may be None at times."""
        self.handlers = 0
        """How many handlers of errors the statement at work is in."""
        self._methods: dict[tuple[str, str, int], ast.expr] = {}
        self._count = 0

    def variable(self, what: str) -> str:
        """A name for a variable that staging adds."""
        self._count += 1
        return f"{OWN}{what}_{self._count}"

    def visit(self, node: Any) -> Any:
        """``node``, not a statement, as the rule of its kind rewrites it."""
        found = RULES.get(type(node))
        if found is None:
            raise self.refusal(node)
        return found(self, node)

    def argument(self, node: ast.expr) -> Any:
        """``node``, an argument of a call."""
        found = ARGUMENTS.get(type(node))
        return self.visit(node) if found is None else found(self, node)

    def body(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """The statements that take the place of ``statements``."""
        rewritten: list[ast.stmt] = []
        for statement in statements:
            made = self.visit(statement)
            if isinstance(made, list):
                rewritten += made
            else:
                rewritten.append(made)
        return rewritten

    def call(self, method: str, at: Place, *arguments: ast.expr) -> ast.Call:
        """``__gs__.method(*arguments)``."""
        return ast.Call(self.method(RUNTIME, method, at), list(arguments), [], **at)

    def scratch(self, method: str, at: Place, *arguments: ast.expr) -> ast.Call:
        """The same on the function's `Scratch`."""
        return ast.Call(self.method(SCRATCH, method, at), list(arguments), [], **at)

    def method(self, owner: str, name: str, at: Place) -> ast.expr:
        """``owner.name``, of no width: Python derives the line of a call from where it ends."""
        line = at["lineno"]
        found = self._methods.get((owner, name, line))
        if found is None:
            spot = Place(lineno=line, col_offset=0, end_lineno=line, end_col_offset=0)
            found = ast.Attribute(ast.Name(owner, ast.Load(), **spot), name, ast.Load(), **spot)
            self._methods[owner, name, line] = found
        return found

    def text(self, value: str, at: Place) -> ast.expr:
        """A string."""
        return ast.Constant(value, **at)

    def is_builtin(self, node: ast.expr) -> bool:
        """Whether ``node`` is a name that nobody has given another meaning."""
        return (
            isinstance(node, ast.Name)
            and node.id not in self.shadowing
            and self.scope.outside(node.id)
        )

    def is_known(self, name: str) -> bool:
        """Whether a variable around the function, or a builtin, has this name."""
        return name in self.shadowing or hasattr(builtins, name)

    @contextmanager
    def inside(self, scope: Scope) -> Iterator[None]:
        """Visit what is in an inner scope."""
        outer, self.scope = self.scope, scope
        try:
            yield
        finally:
            self.scope = outer

    def function_body(self, node: FunctionNode) -> Any:
        """The rewritten body of a function or lambda, whose scope is the one at work."""
        if isinstance(node, ast.Lambda):
            return self.call("result", place(node.body), self.visit(node.body))
        whole = self.lowering.function(node.body)
        outer, self.liveness = self.liveness, Liveness(whole, self.scope.nonlocals)
        reads = unsure_reads(whole, self.scope.bound, self.scope.given)
        self._unsure.update((id(read), read) for read in reads)
        unsure = frozenset(read.id for read in reads)
        around, self.optional = self.optional, optional_names(whole, self.scope, unsure)
        body = self.body(whole)
        self.liveness = outer
        at = place(node.body[0])
        first = [self._cells(at)] if self.scope.shared else []
        first += [] if self.scope.home is None else [self._home(self.scope.home, at)]
        unset = initially_unset(reads, self.scope.given)
        first += [self._set(name, "unset", at, self.text(name, at)) for name in unset]
        self.optional = around
        begin = 0 if ast.get_docstring(node, clean=False) is None else 1
        return [*body[:begin], *first, *body[begin:]]

    def _cells(self, at: Place) -> ast.stmt:
        """``__gs_cells_1 = lambda __gs_: (m,)``, by which loops and branches find the variables
        that functions set which they make themselves.
        """
        read: list[ast.expr] = [ast.Name(name, ast.Load(), **at) for name in self.scope.shared]
        own = ast.arguments([], [ast.arg(OWN, **at)], None, [], [], None, [])
        held = ast.Lambda(own, ast.Tuple(read, ast.Load(), **at), **at)
        return ast.Assign([ast.Name(self.variable("cells"), ast.Store(), **at)], held, **at)

    def _home(self, name: str, at: Place) -> ast.stmt:
        """``__gs_home_0 = __gs_scratch__.home()``, or ``...home(lambda: (m,))``."""
        if not self.scope.set_by_methods:
            return self._set(name, "home", at)
        read: list[ast.expr] = [
            ast.Name(variable, ast.Load(), **at) for variable in self.scope.set_by_methods
        ]
        none = ast.arguments([], [], None, [], [], None, [])
        return self._set(
            name, "home", at, ast.Lambda(none, ast.Tuple(read, ast.Load(), **at), **at)
        )

    def _set(self, name: str, method: str, at: Place, *arguments: ast.expr) -> ast.stmt:
        """``name = __gs_scratch__.method(*arguments)``."""
        value = self.scratch(method, at, *arguments)
        return ast.Assign([ast.Name(name, ast.Store(), **at)], value, **at)

    def is_unsure(self, node: ast.expr) -> bool:
        """Whether the variable, read here, may have no value."""
        return id(node) in self._unsure

    def unset(self, node: ast.Name) -> ast.stmt:
        """The variable has no value from here on."""
        at = place(node)
        return self._set(node.id, "unset", at, self.text(node.id, at))

    def bound(self, node: ast.Name) -> ast.expr:
        """The value of a variable that may have none."""
        at, scope = place(node), self.scope
        while scope.comprehension and not scope.generator and scope.parent is not None:
            scope = scope.parent
        outside = ast.Constant(node.id not in scope.bound, **at)
        read = replaced(node, ctx=ast.Load())
        return self.call("bound", at, self.text(node.id, at), read, outside)

    def refusal(self, node: ast.AST, what: str = "", hint: str = "") -> UnsupportedError:
        """The error that gradsmith cannot stage ``node``."""
        located = isinstance(node, (ast.expr, ast.stmt))
        span = self.source.span(node if located else self.source.node)  # type: ignore[arg-type]
        what = what or f"Python's `{type(node).__name__}` syntax"
        message = f"{what} is not supported in a function that gradsmith traces"
        return UnsupportedError(message, span, hint or None)
