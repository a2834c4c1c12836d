"""f.graph: the values of a function by the user's names, as a table and as DOT."""

from __future__ import annotations

from collections import Counter

import numpy as np

import gradsmith as gs
from helpers import each


@gs.differentiable
def network(x1, x2, w1, w2, w3):
    x3 = w1 * x1
    x4 = w1 * x2
    x5 = w2 * x3 + w3 * x4
    loss = 1 - x5
    return loss  # noqa: RET504 (the graph shows the name)


def by_name(graph):
    return {node.name: node for node in graph.nodes if node.name}


def test_nodes():
    graph = network.graph(1.0, 2.0, 1.0, 2.0, 3.0)
    named = by_name(graph)
    assert [node.name for node in graph.nodes[:5]] == ["x1", "x2", "w1", "w2", "w3"]
    assert {node.op for node in graph.nodes[:5]} == {"parameter"}
    assert all(node.is_leaf for node in graph.nodes[:5])
    operations = {n: node.op for n, node in named.items() if not node.is_leaf}
    assert operations == {"x3": "multiply", "x4": "multiply", "x5": "add", "loss": "subtract"}
    assert named["x3"].inputs == [named["w1"], named["x1"]]
    assert [node.op for node in named["loss"].inputs] == ["constant", "add"]
    assert graph.results == [named["loss"]]


def test_every_node_comes_after_its_inputs():
    nodes = network.graph().nodes
    for position, node in enumerate(nodes):
        assert all(operand in nodes[:position] for operand in node.inputs)


def test_without_arguments_parameters_are_scalars():
    assert {node.type for node in network.graph().nodes} == {"float64", "int"}


def test_lines():
    first = network.function.__code__.co_firstlineno
    named = by_name(network.graph())
    assert [named[name].line - first for name in ("x3", "x4", "x5", "loss")] == [2, 3, 4, 5]
    assert named["x1"].line is None


@gs.differentiable
def layer(params, x, n=2):
    h = np.tanh(x @ params["W"] + params["b"])
    twice = 2 * h
    again = 2 * h
    return np.sum(twice + again, axis=0) / n


def test_arrays():
    graph = layer.graph({"W": np.ones((3, 2)), "b": np.ones(2)}, np.ones((4, 3)), 5)
    named = by_name(graph)
    assert {name: node.type for name, node in named.items()} == {
        "W": "float64[3, 2]",
        "b": "float64[2]",
        "x": "float64[4, 3]",
        "n": "int",
        "h": "float64[4, 2]",
        "twice": "float64[4, 2]",
        "again": "float64[4, 2]",
    }
    counts = Counter(node.op for node in graph.nodes)
    assert counts["multiply"] == 2, "the graph is the user's, before anything is optimised"
    (total,) = [node for node in graph.nodes if node.op == "sum"]
    assert total.detail == "axis=(0,)"
    (quotient,) = graph.results
    assert quotient.inputs == [total, named["n"]]


@each(
    ("function", "ops"),
    [
        (lambda x: np.abs(x) ** 2, ["absolute", "power"]),
        (lambda x: np.conj(x) / np.square(x), ["conjugate", "power", "divide"]),
        (lambda x: np.where(x > 0, x, np.max(x)), ["greater", "max", "where"]),
        (lambda x: x[[0, 1]] + x[:2], ["getitem", "getitem", "add"]),
        (lambda x: gs.stop_gradient(x) * np.sqrt(x), ["stop_gradient", "sqrt", "multiply"]),
    ],
)
def test_operations_are_called_as_in_numpy(function, ops):
    graph = gs.differentiable(function).graph(np.ones(3))
    assert [node.op for node in graph.nodes if not node.is_leaf] == ops


def test_no_artefacts():
    def inner(u):
        return np.sin(u) ** 2

    def outer(x):
        slope = gs.grad(inner)(x)
        return slope * x

    graph = gs.differentiable(outer).graph()
    assert {"distinct", "finished_gradient"}.isdisjoint(node.op for node in graph.nodes)
    assert graph.nodes[0] in graph.results[0].inputs


def test_several_results():
    graph = gs.differentiable(lambda x, y: (x, {"product": x * y, "three": 3.0})).graph()
    assert [node.op for node in graph.results] == ["parameter", "multiply", "constant"]


TABLE = """\
     name  op         inputs   type     line
%0   x1    parameter           float64
%1   x2    parameter           float64
%2   w1    parameter           float64
%3   w2    parameter           float64
%4   w3    parameter           float64
%5   x3    multiply   %2, %0   float64  {0}
%6   x4    multiply   %2, %1   float64  {1}
%7         multiply   %3, %5   float64  {2}
%8         multiply   %4, %6   float64  {2}
%9   x5    add        %7, %8   float64  {2}
%10        constant   1        int      {3}
%11  loss  subtract   %10, %9  float64  {3}
return %11"""


def test_table():
    first = network.function.__code__.co_firstlineno
    assert str(network.graph()) == TABLE.format(*range(first + 2, first + 6))


def test_dot():
    def scaled(x):
        y = 2.0 * x
        return np.sum(y, axis=0)

    assert gs.differentiable(scaled).graph(np.ones(3)).dot() == (
        "digraph {\n"
        "  node [fontname=monospace]\n"
        '  n0 [label="x\\nparameter\\nfloat64[3]", shape=box]\n'
        '  n1 [label="constant 2.0\\nfloat", shape=box]\n'
        '  n2 [label="y\\nmultiply\\nfloat64[3]", shape=ellipse]\n'
        '  n3 [label="sum axis=(0,)\\nfloat64", shape=ellipse, peripheries=2]\n'
        "  n1 -> n2\n"
        "  n0 -> n2\n"
        "  n2 -> n3\n"
        "}\n"
    )


def test_dot_escapes():
    graph = gs.differentiable(lambda x: x['a"b\\'] * 2).graph({'a"b\\': 1.0})
    assert '\\"' in graph.dot()
