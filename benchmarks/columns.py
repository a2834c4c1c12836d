"""What `run.py` compares: for each column a function (workload, arguments) → gradient call.

A column whose package is missing raises `ModuleNotFoundError`. Preparation (conversion to the
peer's arrays, compilation at the first call) is outside what is timed.
"""

import ast
from functools import partial

import numpy as np


def emitted(source):
    """The single top-level function of a generated module."""
    (name,) = (node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    namespace = {}
    exec(compile(source, "<emitted>", "exec"), namespace)
    return namespace[name]


def tree_map(function, tree):
    """Arguments and gradients are arrays or dicts of arrays."""
    if isinstance(tree, dict):
        return {key: function(leaf) for key, leaf in tree.items()}
    return function(tree)


def leaves(tree):
    return [tree[key] for key in sorted(tree)] if isinstance(tree, dict) else [tree]


def primal(workload, arguments):
    return partial(workload.primal, *arguments)


def hand(workload, arguments):
    return partial(workload.hand, *arguments)


def blocked(workload, arguments):
    return partial(workload.blocked, *arguments)


def gradsmith_emitted(workload, arguments):
    import gradsmith as gs

    return partial(emitted(gs.grad(workload.primal).source(*arguments)), *arguments)


def gradsmith_call(workload, arguments):
    import gradsmith as gs

    return partial(gs.grad(workload.primal), *arguments)


def hips(workload, arguments):
    import autograd
    import autograd.numpy as anp

    return partial(autograd.grad(workload.primal_in(anp)), *arguments)


def _jax(workload):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    return jax, jax.jit(jax.grad(workload.primal_in(jnp)))


def jax_device(workload, arguments):
    jax, gradient = _jax(workload)
    resident = jax.device_put(arguments)
    return lambda: jax.block_until_ready(gradient(*resident))


def jax_numpy(workload, arguments):
    _, gradient = _jax(workload)
    return lambda: tree_map(np.asarray, gradient(*arguments))


def torch(workload, arguments):
    import torch

    torch.set_num_threads(1)
    x, *rest = (tree_map(torch.from_numpy, argument) for argument in arguments)
    inputs = [leaf.requires_grad_() for leaf in leaves(x)]

    def call():
        gradients = torch.autograd.grad(workload.torch(x, *rest), inputs)
        return (
            dict(zip(sorted(x), gradients, strict=True)) if isinstance(x, dict) else gradients[0]
        )

    return call


COLUMNS = {
    "primal": primal,
    "hand": hand,
    "hand, blocked": blocked,
    "gradsmith emitted": gradsmith_emitted,
    "gradsmith call": gradsmith_call,
    "HIPS autograd": hips,
    "JAX jit": jax_device,
    "JAX jit, NumPy in/out": jax_numpy,
    "torch": torch,
}
