"""Derivative rules of the user's own: ``custom_vjp``, ``custom_jvp`` and ``elementwise``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradsmith.api.transformed import check_callable
from gradsmith.driver.custom_rules import JvpRule, Signature, VjpRule, apply
from gradsmith.driver.signatures import signature_of
from gradsmith.errors import ArgumentTypeError, ArgumentValueError, UnsupportedError
from gradsmith.frontend.trace import current_trace
from gradsmith.ops.custom import UsersRule


class _Ruled:
    """A function whose derivative is declared by its user; called, it is the function itself."""

    __gradsmith__ = True
    _declare: str

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: int | Sequence[int] = ()) -> None:
        check_callable(fun)
        functools.update_wrapper(self, fun, updated=())
        self.fun = fun
        given = (nondiff_argnums,) if isinstance(nondiff_argnums, int) else nondiff_argnums
        self.nondiff_argnums = frozenset(given)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if current_trace() is None:
            return self.fun(*args, **kwargs)
        if not self.has_rule:
            raise UnsupportedError(
                f"{self.name} has no derivative rule yet", hint=f"declare it: {self._declare}"
            )
        given = self._by_position(args, kwargs)
        fixed = frozenset(p % len(given) for p in self.nondiff_argnums) if given else frozenset()
        return apply(self.fun, given, self._rule, fixed)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @property
    def name(self) -> str:
        """What the function is called."""
        return getattr(self.fun, "__name__", type(self.fun).__name__)

    @property
    def has_rule(self) -> bool:
        """Whether the rule has been declared."""
        raise NotImplementedError

    def _rule(self, signature: Signature) -> UsersRule:
        raise NotImplementedError

    def _by_position(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """The arguments in order, defaults included."""
        signature = signature_of(self.fun)
        if signature is None:
            if kwargs:
                raise ArgumentTypeError(
                    f"{self.name} takes keywords, and its signature is not known",
                    hint="pass all arguments by position",
                )
            return list(args)
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentTypeError(f"{self.name}: {error}") from None
        bound.apply_defaults()
        by_keyword = [
            name
            for name, p in signature.parameters.items()
            if p.kind in (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
            and bound.arguments.get(name) not in ({}, p.default)
        ]
        if by_keyword:
            raise ArgumentTypeError(
                f"{self.name} has a derivative rule of its own, which takes arguments by position "
                f"alone: {', '.join(by_keyword)} can only be passed by keyword",
                hint="make it an ordinary parameter",
            )
        return list(bound.args)


class CustomVJP(_Ruled):
    """A function with a rule for reverse mode: see `custom_vjp`."""

    _declare = "f.defvjp(fwd, bwd)"

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: int | Sequence[int] = ()) -> None:
        super().__init__(fun, nondiff_argnums)
        self.fwd: Callable[..., Any] | None = None
        self.bwd: Callable[..., Any] | None = None

    def defvjp(self, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
        """Declare the rule.

        Parameters
        ----------
        fwd : callable
            Takes the arguments of the function; returns ``(output, residuals)``.
        bwd : callable
            ``bwd(*nondiff_args, residuals, cotangent)`` returns a tuple with the gradient in each
            differentiated argument, of its structure and shape; None stands for zero.
        """
        check_callable(fwd)
        check_callable(bwd)
        self.fwd, self.bwd = fwd, bwd

    @property
    def has_rule(self) -> bool:
        """Whether `defvjp` was called."""
        return self.bwd is not None

    def _rule(self, signature: Signature) -> UsersRule:
        if self.fwd is None or self.bwd is None:
            raise UnsupportedError(f"{self.name} has no derivative rule yet")
        return VjpRule(self.name, self.fwd, self.bwd, signature)


class CustomJVP(_Ruled):
    """A function with a rule for forward mode, which serves both: see `custom_jvp`."""

    _declare = "f.defjvp(rule)"

    def __init__(self, fun: Callable[..., Any], nondiff_argnums: int | Sequence[int] = ()) -> None:
        super().__init__(fun, nondiff_argnums)
        self.jvp: Callable[..., Any] | None = None
        self.zeros = True
        """Whether the rule takes zeros for the tangents of constants, and not None."""

    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """Declare the rule; also as a decorator.

        Parameters
        ----------
        rule : callable
            ``rule(*nondiff_args, primals, tangents)`` returns ``(output, tangent of it)``; linear
            in the tangents.
        """
        check_callable(rule)
        self.jvp = rule
        return rule

    @property
    def has_rule(self) -> bool:
        """Whether `defjvp` was called."""
        return self.jvp is not None

    def _rule(self, signature: Signature) -> UsersRule:
        if self.jvp is None:
            raise UnsupportedError(f"{self.name} has no derivative rule yet")
        return JvpRule(self.name, self.jvp, signature, zeros=self.zeros)


def custom_vjp(
    fun: Callable[..., Any] | None = None, nondiff_argnums: int | Sequence[int] = ()
) -> Any:
    """Give a function a rule for reverse mode, as `jax.custom_vjp`; a decorator.

    Parameters
    ----------
    fun : callable
        A NumPy function of positional arguments: arrays, numbers and trees of them.
    nondiff_argnums : int or sequence of int
        Positions of arguments that are not differentiated by; ``bwd`` takes them first.

    Returns
    -------
    CustomVJP
        With ``defvjp(fwd, bwd)``, by which the rule is declared. Called with plain arrays it is
        ``fun`` itself. The rule is traced where a derivative needs it, so that derivatives of
        derivatives go through it; forward mode is refused.

    Examples
    --------
    >>> @gs.custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, None), lambda _, g: (np.clip(g, -1.0, 1.0),))
    """
    if fun is None:
        return functools.partial(custom_vjp, nondiff_argnums=nondiff_argnums)
    return CustomVJP(fun, nondiff_argnums)


def custom_jvp(
    fun: Callable[..., Any] | None = None, nondiff_argnums: int | Sequence[int] = ()
) -> Any:
    """Give a function a rule for forward mode, as `jax.custom_jvp`; a decorator.

    Reverse mode transposes the rule, which is linear in the tangents.

    Parameters
    ----------
    fun, nondiff_argnums
        As for `custom_vjp`.

    Returns
    -------
    CustomJVP
        With ``defjvp(rule)``, by which the rule is declared.
    """
    if fun is None:
        return functools.partial(custom_jvp, nondiff_argnums=nondiff_argnums)
    return CustomJVP(fun, nondiff_argnums)


def elementwise(fun: Callable[..., Any], *, sympy: Any) -> CustomJVP:
    """An elementwise function whose derivatives SymPy takes of an expression.

    Parameters
    ----------
    fun : callable
        A NumPy function that works element by element; it gives the values.
    sympy : sympy.Expr or str
        The same function, of symbols called as the parameters of ``fun``.

    Returns
    -------
    CustomJVP
        The function with the derivatives of the expression, in both modes and of any order.

    Raises
    ------
    ArgumentValueError
        The expression has symbols that are no parameters, or NumPy cannot compute a derivative.
    """
    names = _parameters(fun, sympy)
    partials = _partials(getattr(fun, "__name__", "fun"), names, sympy)
    ruled = CustomJVP(fun)

    def rule(primals: Any, tangents: Any) -> Any:
        out = fun(*primals)
        total = 0.0
        for partial, tangent in zip(partials, tangents, strict=True):
            if tangent is not None:  # the partial derivative by a constant may be infinite
                total = total + partial(*primals) * tangent
        return out, total + np.zeros(np.shape(out))

    ruled.defjvp(rule)
    ruled.zeros = False
    return ruled


def _parameters(fun: Callable[..., Any], expression: Any) -> list[str]:
    """What the parameters are called; for a ufunc of one operand, what the symbol is."""
    signature = signature_of(fun)
    if signature is not None:
        return list(signature.parameters)
    import sympy  # noqa: PLC0415  slow to import, and seldom needed

    symbols = sympy.sympify(expression).free_symbols
    if isinstance(fun, np.ufunc) and fun.nin == len(symbols) == 1:
        return [symbol.name for symbol in symbols]
    raise ArgumentTypeError(
        "gs.elementwise needs a function that tells its parameters",
        hint="wrap it: lambda x, y: f(x, y)",
    )


def _partials(name: str, names: Sequence[str], expression: Any) -> list[Callable[..., Any]]:
    """The partial derivatives as functions of NumPy."""
    import sympy  # noqa: PLC0415  slow to import, and seldom needed

    symbols = [sympy.Symbol(n) for n in names]
    known = dict(zip(names, symbols, strict=True))
    expr = sympy.sympify(expression, locals=known)
    by_name = {s: known[s.name] for s in expr.free_symbols if s.name in known}
    expr = expr.subs(by_name)  # symbols with assumptions are the same parameters
    others = sorted(s.name for s in expr.free_symbols - set(symbols))
    if others:
        raise ArgumentValueError(
            f"the expression of {name} has the symbols {', '.join(others)}, which are none of its "
            f"parameters {', '.join(names)}",
            hint="call symbols as the parameters of the function",
        )
    found = []
    for symbol in symbols:
        partial = sympy.diff(expr, symbol)
        if partial.has(sympy.Derivative, sympy.Subs):
            raise ArgumentValueError(
                f"SymPy does not know the derivative of {name} with respect to {symbol}",
                hint="write the expression with functions that SymPy can differentiate",
            )
        found.append(sympy.lambdify(symbols, partial, modules=["numpy"]))
    return found
