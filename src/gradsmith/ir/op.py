"""What an operation is: one declaration with its type rule, value, derivative and emission."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from gradsmith.ir.context import current_builder

if TYPE_CHECKING:
    from gradsmith.ir.dims import Shape, Size
    from gradsmith.ir.graph import Node
    from gradsmith.ir.types import Type

Rule: TypeAlias = Callable[..., Any]


# -- derivatives: every argument has a rule or a status; a missing entry never means zero --------


@dataclass(frozen=True, slots=True)
class NonDiff:
    """The argument is discrete or the function locally constant in it: no derivative, rightly."""


@dataclass(frozen=True, slots=True)
class NotImplementedRule:
    """A derivative exists and is not available; ``why`` goes into the error."""

    why: str


NON_DIFF = NonDiff()
NOT_IMPLEMENTED = NotImplementedRule

ArgumentRule: TypeAlias = Rule | NonDiff | NotImplementedRule


@dataclass(frozen=True, slots=True)
class Each:
    """One rule for any number of arguments; it takes the argument's position first."""

    rule: Rule


ArgumentRules: TypeAlias = tuple[ArgumentRule, ...] | Each


@dataclass(frozen=True, slots=True, eq=False)
class Masked:
    """A partial that is ``partial`` where ``mask`` holds and exactly 0 elsewhere.

    What reaches the elsewhere never touches ``partial``, so an inf or nan there does no harm.
    """

    mask: Node
    partial: Any


@dataclass(frozen=True, slots=True, eq=False)
class Pole:
    """A partial that is infinite where ``divisor`` is 0: ``numerator / divisor**order``.

    What is exactly 0 there, such as the adjoint of an element that nothing reads, stays 0; where
    this cannot be, the partial is ``plain``.

    Parameters
    ----------
    plain : Node
        The partial as it is written where the divisor is not 0.
    divisor, numerator : Node or number
        Of the partial.
    order : int
        How often it is divided by the divisor; 0 where it is no such quotient, and has to be
        written as ``plain``.
    vanishes : bool
        Whether the derivative is 0 there, as that of a norm is.
    bounded : bool
        Whether the op itself is finite there, so that any factor may make the adjoint 0.
    mask : Node, optional
        Where the partial is not 0, if this is known.
    finite : Node, optional
        Where the partial is a number, if it has no divisor: a tangent of 0 stays 0 elsewhere.
    """

    plain: Any
    divisor: Node
    numerator: Any = 1
    order: int = 1
    vanishes: bool = False
    bounded: bool = False
    mask: Node | None = None
    finite: Node | None = None


@dataclass(frozen=True, slots=True)
class Partials:
    """Elementwise: ``rule(out, *inputs, **attrs)`` is d out / d input, both modes from one.

    A partial is a node, a Python number, `Masked` or `Pole`.
    """

    rules: tuple[ArgumentRule, ...]


@dataclass(frozen=True, slots=True)
class Linear:
    """Linear in each argument that has a rule: ``rule(g, *inputs, **attrs)`` is its transpose.

    ``joint`` says that the op is linear in all of them together (concatenate), so that the
    tangent is the op of the tangents; otherwise it is linear in each by itself (matmul).
    """

    rules: ArgumentRules
    joint: bool = False


@dataclass(frozen=True, slots=True)
class Custom:
    """Neither: ``rules`` give ``rule(g, out, *inputs, **attrs)`` per argument in reverse mode,
    ``jvp(out, inputs, tangents, **attrs)`` the tangent (tangents: None where zero).
    """

    rules: ArgumentRules
    jvp: Rule | NotImplementedRule


Derivative: TypeAlias = Partials | Linear | Custom | NonDiff | NotImplementedRule


def argument_rule(derivative: Derivative, position: int) -> ArgumentRule:
    """The rule or status of the argument at ``position``."""
    if isinstance(derivative, (NonDiff, NotImplementedRule)):
        return derivative
    if isinstance(derivative.rules, Each):
        each = derivative.rules.rule
        return lambda *args, **attrs: each(position, *args, **attrs)
    return derivative.rules[position]


# -- emission ------------------------------------------------------------------------------------


Held: TypeAlias = Literal["held", "new", "copies", "read"]


class Emitter(Protocol):
    """What an emission rule may ask of the code generator."""

    def size(self, size: Size) -> ast.expr:
        """The expression of a (symbolic) size."""

    def shape(self, shape: Shape) -> ast.expr:
        """The expression of a whole shape: ``x.shape``, ``n`` or ``(n, d)``."""

    def same(self, shape: Shape, other: Shape) -> bool:
        """Whether the shapes are known to be equal."""

    def shown(self, write: Node, views: Sequence[Node] = ()) -> tuple[ast.expr, bool] | None:
        """The variable that shows what ``write`` goes into in place; whether it is the user's.

        That is the last of these views; without any, the part that is written to.
        """

    def helper(self, definition: str) -> ast.expr:
        """A function that the emitted module is to have, by its source: its name there."""

    def module(self, name: str) -> ast.expr:
        """A module of Python's that the emitted module is to import: its name there."""

    def logged(self, computed: ast.expr, kind: Held = "held") -> ast.expr:
        """The expression, marked: it goes through the log of effects, so is computed once in a
        call of the code. Of which ``kind`` it is says who may have the arrays in its result:
        others, nobody (``new``), or nobody those among the arguments that `on_copies` returns. One
        that only reads (``read``) may be computed again where nothing else is logged.
        """

    def error(self, kind: type[BaseException]) -> ast.expr:
        """A class of errors: its name in the emitted module, which may have to define it."""


EmitRule: TypeAlias = "Callable[..., ast.expr]"  # (emitter, node, *operands) -> expression
UpdateRule: TypeAlias = "Callable[..., list[ast.stmt]]"  # (emitter, node, target, *others)


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """A primitive operation. Calling it appends a node to the builder at work.

    Parameters
    ----------
    name : str
        Unique name, shown in the printed graph.
    infer : callable
        ``infer(*types, **attrs) -> Type``; raises where NumPy would.
    evaluate : callable
        ``evaluate(*arrays, **attrs)`` on NumPy arrays, with sizes as numbers.
    derivative : Derivative
        Rule or status of every argument.
    emit : callable
        ``emit(emitter, node, *operands) -> ast.expr``.
    sympy : str or callable, optional
        The SymPy form: a function's name or a callable of the operands (and attrs).
    traits : frozenset of str
        ``elementwise`` (broadcasts its operands), ``commutative``, ``barrier`` (never rewritten),
        ``effect`` (done for what it does, and once), ``forms`` (tells NumPy scalars from arrays
        without axes), ``joined`` (a number may be of another class than its type says: that of
        an operand, or of what a branch or loop gives), ``alias`` (is operand 0, or shares its
        memory), ``retyped`` (is operand 0 by another type, and no code).
    view : callable, optional
        For ops whose result shares memory with operand 0: ``view(base, update, *rest, **attrs)``
        is the base with the viewed part replaced.
    update : callable, optional
        For ops that are operand 0 with a part replaced: ``update(emitter, node, target, *others)``
        are the statements that do so in place.
    inplace : callable, optional
        ``inplace(emitter, node, target, *operands)``: statements writing the result over
        ``target``, a dead buffer of the result's type that is also an operand.
    """

    name: str
    infer: Callable[..., Type]
    evaluate: Callable[..., Any]
    derivative: Derivative
    emit: EmitRule
    sympy: str | Callable[..., Any] | None = None
    traits: frozenset[str] = field(default_factory=frozenset)
    view: Rule | None = None
    update: UpdateRule | None = None
    inplace: UpdateRule | None = None

    def __call__(self, *inputs: Any, **attrs: Any) -> Node:
        return current_builder().apply(self, inputs, attrs)

    def __repr__(self) -> str:
        return self.name

    @property
    def elementwise(self) -> bool:
        """Whether it broadcasts its operands and works element by element."""
        return "elementwise" in self.traits

    @property
    def commutative(self) -> bool:
        """Whether its two operands may be swapped."""
        return "commutative" in self.traits
