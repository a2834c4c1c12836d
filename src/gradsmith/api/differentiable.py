"""``@differentiable``: a function with its derivatives, formula and graph."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gradsmith import tree
from gradsmith.api.identity import ByIdentity
from gradsmith.api.transformed import Build, Transformed, as_seed, check_callable
from gradsmith.driver import inspect as inspection
from gradsmith.driver.batches import batched_call
from gradsmith.driver.gradients import Policy
from gradsmith.driver.leaving import outside
from gradsmith.driver.signatures import names_at
from gradsmith.driver.transforms import is_leaf, named_gradient
from gradsmith.errors import ArgumentTypeError, ArgumentValueError
from gradsmith.frontend.runtime import call
from gradsmith.frontend.showing import in_silence
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.views.graph import GraphView

_STRICT = Policy(allow_unused=False, materialize=False)


class Gradient:
    """``f.grad``: the gradients of ``f``, one per input, as ``torch.autograd.grad`` does it."""

    __gradsmith__ = True

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._variants: dict[Any, Transformed] = {}
        self._default = self._variant(None, _STRICT, batched=False)
        self._unseeded, self._seeded = self._default.compiled

    def __call__(
        self,
        /,
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
        if inputs is None and not (allow_unused or is_grads_batched or materialize_grads):
            # straight to the compiled code: this is the call that loops make
            result: tuple[Any, ...]
            try:
                if grad_outputs is None:
                    result = self._unseeded(*args, **kwargs)
                elif type(grad_outputs) is np.ndarray:
                    result = self._seeded(*args, grad_outputs, **kwargs)
                else:
                    result = self._seeded(*args, as_seed(grad_outputs), **kwargs)
            except Exception as error:
                __tracebackhide__ = True  # for pytest and IPython
                raise outside(error)  # noqa: B904  it is the same error
            return result
        policy = Policy.of(allow_unused, materialize_grads)
        within = current_trace() is not None
        chosen = self._variant(inputs, policy, batched=is_grads_batched and within)
        if is_grads_batched and not within:

            def gradient(row: Any, first: bool) -> Any:
                again = not first and chosen.says
                variant = self._variant(inputs, policy, batched=False, again=True)
                return (variant if again else chosen)(*args, grad_outputs=row, **kwargs)

            rows: tuple[Any, ...] = batched_call(gradient, as_seed(grad_outputs))
            return rows
        result = chosen(*args, grad_outputs=grad_outputs, **kwargs)
        return result

    def _variant(
        self, inputs: Any, policy: Policy, *, batched: bool, again: bool = False
    ) -> Transformed:
        """One for these options; ``again`` where it follows on a call that has printed."""
        wanted = tuple(inputs) if isinstance(inputs, (list, tuple)) else inputs
        for name in wanted if isinstance(wanted, tuple) else (wanted,):
            if not isinstance(name, (str, int, type(None))):
                raise ArgumentTypeError(
                    f"inputs is {inputs!r:.60}: it takes names and positions of parameters",
                    hint="pass a name or a position, or a list of these",
                )
        key = (wanted, policy, batched, again)
        if key not in self._variants:
            build = self._build(wanted, policy, batched=batched)
            build = in_silence(build) if again else build
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

    def source(self, /, *args: Any, grad_outputs: Any = None, **kwargs: Any) -> str:
        """The NumPy source for arguments of these types.

        Without a seed it is the source for a scalar output's implicit seed, or, where the output
        has more elements, for a seed of its shape, the parameter ``grad_outputs``.
        """
        return self._default.source(*args, grad_outputs=grad_outputs, **kwargs)

    def emit(
        self, path: str | Path, /, *args: Any, grad_outputs: Any = None, **kwargs: Any
    ) -> Path:
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
        return names_at(bound, wanted, "inputs")[0]
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

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if current_trace() is None:
            return self.function(*args, **kwargs)
        return call(self.function, *args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Differentiable:
        if instance is None:
            return self
        return _of_method(ByIdentity(self.function.__get__(instance, owner)))

    def formula(self, /, *args: Any, wrt: str | int | Sequence[str | int], **kwargs: Any) -> Any:
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

    def graph(self, /, *args: Any, **kwargs: Any) -> GraphView:
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


@functools.lru_cache(maxsize=256)
def _of_method(method: ByIdentity) -> Differentiable:
    """One for each instance, which keeps what was compiled for it."""
    return Differentiable(method.function)


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
