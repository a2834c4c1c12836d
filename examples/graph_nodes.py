"""A small graph looked at from all sides: its gradient, its formula, its leaves and operations.

``x3 = w1 x1``, ``x4 = w1 x2``, ``x5 = w2 x3 + w3 x4``, ``loss = 1 - x5``: w1 acts on two paths,
and its gradient is the sum over both, ``-(w2 x1 + w3 x2)``.
"""

import sympy

import gradsmith as gs


@gs.differentiable
def network(x1, x2, w1, w2, w3):
    x3 = w1 * x1
    x4 = w1 * x2
    x5 = w2 * x3 + w3 * x4
    loss = 1 - x5
    return loss  # noqa: RET504 (the graph shows the name)


def main():
    values = (1.0, 2.0, 1.0, 2.0, 3.0)
    (for_w1,) = network.grad(*values, inputs="w1")
    formula = network.formula(wrt="w1")
    print("dloss/dw1 =", formula, "=", for_w1)
    assert for_w1 == -8.0

    symbols = {symbol.name: symbol for symbol in formula.free_symbols}
    assert set(symbols) == {"x1", "x2", "w2", "w3"}, "the seed of a scalar output folds away"
    by_hand = -(symbols["w2"] * symbols["x1"] + symbols["w3"] * symbols["x2"])
    assert sympy.simplify(formula - by_hand) == 0

    nodes = network.graph(*values).nodes
    for node in nodes:
        print(f"{node.name or '(unnamed)':10}", "leaf" if node.is_leaf else node.op)
    leaves = {node.name for node in nodes if node.is_leaf and node.name}
    operations = {node.name: node.op for node in nodes if node.name and not node.is_leaf}
    assert leaves == {"x1", "x2", "w1", "w2", "w3"}
    assert operations == {
        "x3": "multiply",
        "x4": "multiply",
        "x5": "add",
        "loss": "subtract",
    }


if __name__ == "__main__":
    main()
