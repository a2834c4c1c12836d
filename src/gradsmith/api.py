"""The public function transforms: signatures as in JAX, semantics as documented."""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.driver import inspect as inspection
from gradsmith.driver.batches import batched_call
from gradsmith.driver.compiled import Compiled
from gradsmith.driver.gradients import Policy
from gradsmith.driver.signatures import bind, names_at, signature_of
from gradsmith.driver.specialise import Recipe
from gradsmith.driver.transforms import (
    Pullback,
    gradient_of_arguments,
    is_leaf,
    named_gradient,
    pushforward,
)
from gradsmith.errors import ArgumentTypeError, ArgumentValueError, SeedNeededError
from gradsmith.frontend.arguments import check_tree
from gradsmith.frontend.dispatch import run
from gradsmith.frontend.runtime import call
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.ops.control import stop_gradient as stop_gradient_op
from gradsmith.views.graph import GraphView

Build = Callable[..., Any]


def _recipe(function: Callable[..., Any], build: Build, suffix: str, title: str) -> Recipe:
    name = getattr(function, "__name__", type(function).__name__)
    name = name if name.isidentifier() else "function"
    code = getattr(inspect.unwrap(function), "__code__", None)
    return Recipe(
        build=build,
        signature=signature_of(function),
        name=f"{name}{suffix}",
        title=title.format(name=name),
        file=code.co_filename if code is not None else "",
    )


def as_seed(seed: Any) -> Any:
    """A seed as it is passed on: NumPy scalars for numbers, arrays for lists of numbers."""
    if isinstance(seed, (bool, int, float, complex)):
        return np.asarray(seed, complex if isinstance(seed, complex) else float)[()]
    if not isinstance(seed, list):
        return seed
    if len(seed) == 1:
        return (as_seed(seed[0]),)  # one seed for one output, or a list of one number
    leaves, _ = tree.flatten(seed, lambda v: not isinstance(v, list))
    plain = all(isinstance(leaf, (bool, int, float, complex)) for leaf in leaves)
    return np.asarray(seed) if plain else seed


def check_callable(function: Any) -> None:
    """Refuse what is no function.

    Raises
    ------
    ArgumentTypeError
        It cannot be called.
    """
    if not callable(function):
        raise ArgumentTypeError(
            f"expected a function, got {function!r}",
            hint="pass the function itself, not the result of a call",
        )


class Transformed:
    """A function made from another by a transform: traced and compiled at its first call.

    It takes the arguments of the function that it is made from; ``source`` and ``emit`` show and
    write the NumPy source that runs.
    """

    __gradsmith__ = True

    def __init__(
        self,
        function: Callable[..., Any],
        build: Build,
        suffix: str,
        title: str,
        signature: inspect.Signature | None = None,
    ) -> None:
        check_callable(function)
        functools.update_wrapper(self, function, updated=())
        recipe = _recipe(function, build, suffix, title)
        if signature is not None:
            recipe = replace(recipe, signature=signature)
        self._plain = Compiled(recipe)
        self._seeded = Compiled(recipe, seeded=True)
        self.__signature__ = recipe.signature

    def __call__(self, *args: Any, grad_outputs: Any = None, **kwargs: Any) -> Any:
        if grad_outputs is None:
            return self._plain(*args, **kwargs)
        return self._seeded(*args, as_seed(grad_outputs), **kwargs)

    def source(self, *args: Any, grad_outputs: Any = None, **kwargs: Any) -> str:
        """The NumPy source for arguments of these types (without any: the latest).

        Where the output needs a seed and none is given, the source is that for a seed of the
        output's shape.
        """
        if grad_outputs is not None:
            return self._seeded.source(*args, as_seed(grad_outputs), **kwargs)
        try:
            return self._plain.source(*args, **kwargs)
        except SeedNeededError as error:
            return self._seeded.source(*args, error.example, **kwargs)

    def emit(self, path: str | Path, *args: Any, grad_outputs: Any = None, **kwargs: Any) -> Path:
        """Write the source as a module of its own, which needs only NumPy."""
        target = Path(path)
        text = self.source(*args, grad_outputs=grad_outputs, **kwargs)
        target.write_text(text, encoding="utf-8")
        return target

    def __repr__(self) -> str:
        return f"<gradsmith {self._plain.recipe.name}>"


def grad(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Transformed:
    """The gradient of ``fun`` with respect to the arguments at ``argnums``.

    Parameters
    ----------
    fun : callable
        A plain NumPy function. Its output has one element, unless a seed is passed.
    argnums : int or sequence of int
        Positions of floating or complex arguments (or trees of them).
    has_aux : bool
        Whether ``fun`` returns a pair ``(output, aux)``; the result is then ``(gradient, aux)``.

    Returns
    -------
    callable
        Takes the arguments of ``fun`` and the keyword ``grad_outputs`` (the seed, of the shape of
        the output); returns one gradient for an int ``argnums``, a tuple for a sequence, each of
        the shape and dtype of its argument.

    Raises
    ------
    RuntimeError
        When called: the output has more than one element and there is no seed, or the seed does
        not fit (`SeedError`).
    TypeError
        When called: an argument at ``argnums`` is an integer.
    """

    def build(bound: inspect.BoundArguments, grad_outputs: Any = None) -> Any:
        names = names_at(bound, argnums, "the function")
        _, gradients, aux = gradient_of_arguments(
            fun, bound, names, seed=grad_outputs, has_aux=has_aux
        )
        result = gradients[0] if isinstance(argnums, int) else tuple(gradients)
        return (result, aux) if has_aux else result

    return Transformed(fun, build, "_grad", "Gradient of {name}.")


def value_and_grad(
    fun: Callable[..., Any], argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Transformed:
    """The value of ``fun`` together with its gradient; fits ``minimize(..., jac=True)``.

    Parameters
    ----------
    fun, argnums, has_aux
        As for `grad`.

    Returns
    -------
    callable
        Returns ``(value, gradient)``; with ``has_aux`` ``((value, aux), gradient)``.
    """

    def build(bound: inspect.BoundArguments, grad_outputs: Any = None) -> Any:
        names = names_at(bound, argnums, "the function")
        value, gradients, aux = gradient_of_arguments(
            fun, bound, names, seed=grad_outputs, has_aux=has_aux
        )
        result = gradients[0] if isinstance(argnums, int) else tuple(gradients)
        return ((value, aux) if has_aux else value), result

    return Transformed(fun, build, "_value_and_grad", "Value and gradient of {name}.")


def vjp(fun: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of ``fun`` at ``primals`` and its pullback.

    Parameters
    ----------
    fun : callable
        A plain NumPy function of any output; integer and boolean outputs are allowed.
    *primals
        Its arguments.

    Returns
    -------
    out
        ``fun(*primals)``.
    pullback : callable
        ``pullback(cotangent)``, of the structure of ``out``, returns a tuple with the gradient in
        each argument; it has ``source`` and ``emit``.
    """
    check_callable(fun)
    if current_trace() is not None:
        pullback = Pullback(fun, primals)
        return pullback.value, pullback
    for name, primal in bind(signature_of(fun), "the function", primals, {}).arguments.items():
        check_tree(primal, name)
    saved = tree_map(_copied, primals)
    return fun(*tree_map(_copied, primals)), BoundPullback(_kept(fun, _pullback), saved)


def jvp(fun: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """The value of ``fun`` at ``primals`` and its derivative along ``tangents``.

    Parameters
    ----------
    fun : callable
        A plain NumPy function.
    primals, tangents : sequence
        Arguments, and a direction of their structure, shapes and dtypes.

    Returns
    -------
    tuple
        ``(out, tangent_out)``; the tangents of integer and boolean outputs are zero.
    """
    result: tuple[Any, Any] = _kept(fun, _pushforward)(tuple(primals), tuple(tangents))
    return result


@functools.lru_cache(maxsize=256)
def _kept(
    fun: Callable[..., Any], make: Callable[[Callable[..., Any]], Transformed]
) -> Transformed:
    """The transform of ``fun``, made once: `vjp` and `jvp` are called with the function."""
    return make(fun)


def _copied(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value


def tree_map(function: Callable[[Any], Any], value: Any) -> Any:
    """``function`` applied to every leaf of a tree."""
    leaves, shape = tree.flatten(value, lambda v: not tree.is_container(v))
    return tree.unflatten(shape, [function(leaf) for leaf in leaves])


def _pullback(fun: Callable[..., Any]) -> Transformed:
    def build(bound: inspect.BoundArguments, grad_outputs: Any = None) -> Any:
        return Pullback(fun, bound.args)(grad_outputs)

    return Transformed(fun, build, "_vjp", "Pullback of {name}.")


def _pushforward(fun: Callable[..., Any]) -> Transformed:
    def build(bound: inspect.BoundArguments) -> Any:
        return pushforward(fun, *bound.args)

    signature = inspect.signature(lambda primals, tangents: None)
    return Transformed(fun, build, "_jvp", "Value and tangent of {name}.", signature)


class BoundPullback:
    """The pullback of a function at given arguments."""

    __gradsmith__ = True

    def __init__(self, whole: Transformed, primals: tuple[Any, ...]) -> None:
        self._whole = whole
        self._primals = primals

    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        result: tuple[Any, ...] = self._whole(*self._primals, grad_outputs=cotangent)
        return result

    def source(self, cotangent: Any) -> str:
        """The NumPy source of the pullback."""
        return self._whole.source(*self._primals, grad_outputs=cotangent)

    def emit(self, path: str | Path, cotangent: Any) -> Path:
        """Write the source as a module of its own."""
        return self._whole.emit(path, *self._primals, grad_outputs=cotangent)


def compile(fun: Callable[..., Any]) -> Transformed:
    """``fun`` itself as optimised NumPy source.

    The function may call `gradsmith.autograd.grad` inside. The Python function is not run again
    for arguments of the same specialisation (dtypes, ranks, which sizes are 1, static values).
    """

    def build(bound: inspect.BoundArguments, grad_outputs: Any = None) -> Any:
        return call(fun, *bound.args, **bound.kwargs)

    return Transformed(fun, build, "", "{name}, compiled.")


def stop_gradient(x: Any) -> Any:
    """``x`` as a constant for differentiation (torch: ``detach``); trees are taken apart."""
    if current_trace() is None:
        return x
    leaves, shape = tree.flatten(x, is_leaf)
    stopped = [run(stop_gradient_op, v) if isinstance(v, Tracer) else v for v in leaves]
    return tree.unflatten(shape, stopped)


# -- differentiable ------------------------------------------------------------------------------


_STRICT = Policy(allow_unused=False, materialize=False)


class Gradient:
    """``f.grad``: the gradients of ``f``, one per input, as ``torch.autograd.grad`` does it."""

    __gradsmith__ = True

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._variants: dict[Any, Transformed] = {}
        self._default = self._variant(None, _STRICT, batched=False)

    def __call__(
        self,
        *args: Any,
        inputs: str | int | Sequence[str | int] | None = None,
        grad_outputs: Any = None,
        allow_unused: bool | None = None,
        is_grads_batched: bool = False,
        materialize_grads: bool = False,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """The gradients at these arguments.

        Parameters
        ----------
        *args, **kwargs
            The arguments of the function.
        inputs : str, int or sequence of these, optional
            Parameters to differentiate by; all floating and complex ones by default.
        grad_outputs : array_like or tree of array_like, optional
            The seed, of the shape of the output.
        allow_unused : bool
            None instead of an error for an input that the output does not depend on.
        is_grads_batched : bool
            The leading axis of the seed is a batch.
        materialize_grads : bool
            Zeros instead of None.
        """
        if inputs is None and not allow_unused and not is_grads_batched and not materialize_grads:
            chosen = self._default
        else:
            policy = Policy.of(allow_unused, materialize_grads)
            within = current_trace() is not None
            chosen = self._variant(inputs, policy, batched=is_grads_batched and within)
            if is_grads_batched and not within:
                rows: tuple[Any, ...] = batched_call(
                    lambda row: chosen(*args, grad_outputs=row, **kwargs), as_seed(grad_outputs)
                )
                return rows
        result: tuple[Any, ...] = chosen(*args, grad_outputs=grad_outputs, **kwargs)
        return result

    def _variant(self, inputs: Any, policy: Policy, *, batched: bool) -> Transformed:
        wanted = tuple(inputs) if isinstance(inputs, (list, tuple)) else inputs
        key = (wanted, policy, batched)
        if key not in self._variants:
            build = self._build(wanted, policy, batched=batched)
            title = "Gradient of {name}."
            self._variants[key] = Transformed(self._function, build, "_grad", title)
        return self._variants[key]

    def _build(self, inputs: Any, policy: Policy, *, batched: bool) -> Build:
        def build(bound: inspect.BoundArguments, grad_outputs: Any = None) -> Any:
            names = _input_names(bound, inputs)
            return named_gradient(
                self._function,
                bound,
                names,
                seed=grad_outputs,
                policy=policy,
                batched=batched,
                mixed=inputs is None,
            )[1]

        return build

    def source(self, *args: Any, grad_outputs: Any = None, **kwargs: Any) -> str:
        """The NumPy source for arguments of these types.

        Without a seed it is the source for a scalar output's implicit seed, or, where the output
        has more elements, for a seed of its shape, the parameter ``grad_outputs``.
        """
        return self._default.source(*args, grad_outputs=grad_outputs, **kwargs)

    def emit(self, path: str | Path, *args: Any, grad_outputs: Any = None, **kwargs: Any) -> Path:
        """Write that source as a module of its own, which needs only NumPy."""
        return self._default.emit(path, *args, grad_outputs=grad_outputs, **kwargs)


def _input_names(bound: inspect.BoundArguments, inputs: Any) -> list[str]:
    """The parameters that ``inputs`` names, or all floating and complex ones.

    Raises
    ------
    ArgumentValueError
        ``inputs`` is empty, or names no parameter.
    """
    if inputs is None:
        names = [n for n, v in bound.arguments.items() if _is_differentiable(v)]
        if names:
            return names
        raise ArgumentTypeError(
            "no argument is floating or complex: there is nothing to differentiate by",
            hint="pass floats (1.0 for 1)",
        )
    wanted = inputs if isinstance(inputs, tuple) else (inputs,)
    if not wanted:
        raise ArgumentValueError("inputs is empty", hint="name at least one parameter")
    return [_name(bound, w) for w in wanted]


def _name(bound: inspect.BoundArguments, wanted: str | int) -> str:
    if isinstance(wanted, int):
        return names_at(bound, wanted, "the function")[0]
    if wanted not in bound.arguments:
        known = ", ".join(bound.arguments)
        raise ArgumentValueError(
            f"the function has no parameter {wanted!r}", hint=f"its parameters are {known}"
        )
    return wanted


def _is_differentiable(value: Any) -> bool:
    leaves, _ = tree.flatten(value, is_leaf)
    return any(isinstance(leaf, Tracer) and leaf.type.inexact for leaf in leaves)


def _value_and_gradient(function: Callable[..., Any]) -> Transformed:
    """``f.value_and_grad``: the value, and the gradients as ``f.grad`` returns them."""

    def build(bound: inspect.BoundArguments, grad_outputs: Any = None) -> Any:
        names = _input_names(bound, None)
        return named_gradient(
            function, bound, names, seed=grad_outputs, policy=_STRICT, batched=False, mixed=True
        )

    return Transformed(function, build, "_value_and_grad", "Value and gradient of {name}.")


class Differentiable:
    """A function with its derivatives; called, it is the function itself."""

    __gradsmith__ = True

    def __init__(self, function: Callable[..., Any]) -> None:
        check_callable(function)
        functools.update_wrapper(self, function, updated=())
        self.function = function
        self.grad = Gradient(function)
        self.value_and_grad = _value_and_gradient(function)
        self._bound: weakref.WeakKeyDictionary[Any, Differentiable] = weakref.WeakKeyDictionary()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if current_trace() is None:
            return self.function(*args, **kwargs)
        return call(self.function, *args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Differentiable:
        if instance is None:
            return self
        bound = self.function.__get__(instance, owner)
        try:  # compiled code is kept as long as the instance
            return self._bound.setdefault(instance, Differentiable(bound))
        except TypeError:  # an instance without hash or weak references
            return Differentiable(bound)

    def formula(self, *args: Any, wrt: str | int | Sequence[str | int], **kwargs: Any) -> Any:
        """The gradient with respect to ``wrt`` as a SymPy expression.

        Parameters
        ----------
        *args, **kwargs
            Example arguments. Without any, parameters are what their annotations say, else
            scalars; defaults that are no numbers are kept.
        wrt : str, int or sequence of these
            Parameters, by name or position.

        Returns
        -------
        sympy.Expr, or a tuple of them for a sequence
            In symbols called as the parameters, for arrays as the formula of one element; ``g``
            is the seed where the output needs one. Operations that move or join elements are
            undefined functions called as in NumPy.
        """
        gradient = self.grad._variant(wrt, _STRICT, batched=False)
        formulas = inspection.formula(gradient._plain, gradient._seeded, args, kwargs)
        return formulas[0] if isinstance(wrt, (str, int)) else formulas

    def graph(self, *args: Any, **kwargs: Any) -> GraphView:
        """The values that the function computes: its parameters and operations, by name.

        Parameters
        ----------
        *args, **kwargs
            Example arguments; as for `formula`.

        Returns
        -------
        GraphView
            With ``nodes``; ``str()`` of it is a table, ``dot()`` Graphviz text.
        """
        return inspection.graph(self.function, args, kwargs)

    def __repr__(self) -> str:
        return f"<differentiable {getattr(self, '__name__', self.function)!r}>"


def differentiable(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Give a function its derivatives: ``f.grad``, ``f.value_and_grad``, ``f.formula``.

    Parameters
    ----------
    function : callable
        A plain NumPy function. It is called untouched.

    Raises
    ------
    ArgumentTypeError
        An option is unknown.
    """
    unknown = set(options) - {"backend"}
    if unknown or options.get("backend", "numpy") != "numpy":
        raise ArgumentTypeError(
            f"differentiable() got {options!r}", hint="the only backend yet is 'numpy'"
        )
    return Differentiable if function is None else Differentiable(function)
