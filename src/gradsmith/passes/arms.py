"""What an adjoint does to a result of a branch, and to nothing else, is done in the arms.

The adjoint of ``row = x[i]`` before a branch that writes to ``row`` adds to what the arms have
cleared. In the arms the two are one write, into the array itself::

    if c:                            if c:
        g_row = g_x[i].copy()            g_x[i] *= a
        g_x[i] = 0                   else:
        g_row *= a                       ...
    else:
        ...
    g_x[i] += g_row
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradsmith.ir.graph import Graph, Node, Region, users
from gradsmith.ir.intrinsics import constant, is_number, item, size
from gradsmith.ir.mentions import mentioned, said_by
from gradsmith.ops.create import zeros
from gradsmith.ops.index import getitem, index_add, index_set
from gradsmith.ops.regions import branch
from gradsmith.ops.repeats import may_repeat
from gradsmith.ops.shape import broadcast_to
from gradsmith.passes.regions import remade, renamed, stand_in
from gradsmith.passes.scatter import VIEWED_BACK
from gradsmith.passes.touched import is_adjoint
from gradsmith.passes.views import puts_back


def into_arms(graph: Graph) -> Graph:
    """The graph with such steps moved into branches, one after the other."""
    while any(node.op is branch for node in graph.nodes):
        step = _next(graph)
        if step is None:
            break
        graph = _moved(graph, *step)
    return graph


def _next(graph: Graph) -> tuple[Node, Node] | None:
    """A result of a branch, and what is made of it."""
    readers, place = users(graph.nodes), {node: i for i, node in enumerate(graph.nodes)}
    values = [n for n in graph.nodes if n.op is item and n.inputs[0].op is branch]
    times = Counter((value.inputs[0], value.attrs["index"]) for value in values)
    for value in values:
        if value in graph.results or times[value.inputs[0], value.attrs["index"]] > 1:
            continue
        done = readers.get(value, ())
        if len(done) == 1 and _may_move(value, done[0], graph, place):
            return value, done[0]
    return None


def _may_move(value: Node, step: Node, graph: Graph, place: Mapping[Node, int]) -> bool:
    """Whether ``step`` may be done in the arms, with nothing that comes behind the branch."""
    whole, index = value.inputs[0], value.attrs["index"]
    values = [whole.attrs[arm].results[index] for arm in ("then", "orelse")]
    written = any(v.op.update is not None or _turns(v) for v in values)
    if not written or not is_adjoint(step) or whole.attrs["symbols"][index] is not None:
        return False
    if _turns(step):
        return True
    if step.op is not index_add or step.inputs[0] is not value:
        return False
    if step.inputs[1] is value or not _is_result(step.inputs[1], whole):
        return False
    said = said_by(graph.nodes)
    needed = [x for x in step.inputs if not (_is_leaf(x) or _is_result(x, whole))]
    needed += [said[s] for s in mentioned([step]) if s in said]
    return all(place.get(x, -1) < place[whole] for x in needed)


def _turns(step: Node) -> bool:
    """Whether it looks at all of an array, in another way."""
    return step.op in VIEWED_BACK or (step.op is getitem and step.attrs["index"].whole)


def _is_leaf(value: Node) -> bool:
    return value.op in (constant, size)


def _is_result(value: Node, whole: Node) -> bool:
    return value.op is item and value.inputs[0] is whole


def _moved(graph: Graph, value: Node, step: Node) -> Graph:
    """The graph with ``step`` in the arms: ``value`` is what it gave."""
    whole = value.inputs[0]
    given = list(whole.inputs[1:])
    for operand in step.inputs:
        if operand not in given and not _is_leaf(operand) and not _is_result(operand, whole):
            given.append(operand)
    arms = {
        key: _with_step(whole.attrs[key], given, value.attrs["index"], step)
        for key in ("then", "orelse")
    }
    made: dict[Node, Node] = {param: param for param in graph.params}
    nodes: list[Node] = []
    for node in graph.nodes:
        if node is step:
            made[step] = made[value]
            continue
        inputs, attrs = tuple(made[i] for i in node.inputs), node.attrs
        if node is whole:
            inputs, attrs = (inputs[0], *(made[x] for x in given)), {**attrs, **arms}
        same = inputs == node.inputs and attrs is node.attrs
        made[node] = node if same else remade(node, inputs, attrs)
        nodes.append(made[node])
    results = tuple(made[r] for r in graph.results)
    names = {node: name for node, name in graph.names.items() if node is not value}
    body = replace(graph.body, nodes=tuple(nodes), results=results)
    return replace(graph, body=body, names=renamed(names, made))


def _with_step(arm: Region, given: Sequence[Node], index: int, step: Node) -> Region:
    """The arm, given all that, with ``step`` done to its result."""
    params = (*arm.params, *map(stand_in, given[len(arm.params) :]))
    known = dict(zip(reversed(given), reversed(params), strict=True))
    nodes = list(arm.nodes)
    inputs = []
    for operand in step.inputs:
        if operand in known:
            inputs.append(known[operand])
        elif operand.op is item:
            inputs.append(arm.results[operand.attrs["index"]])
        else:
            inputs.append(Node(operand.op, (), operand.attrs, operand.type, operand.span))
            nodes.append(inputs[-1])
    done = _done(step, tuple(inputs))
    if done not in (*nodes, *params):
        nodes.append(done)
    results = tuple(done if k == index else r for k, r in enumerate(arm.results))
    return Region(params, tuple(nodes), results, arm.names)


def _done(step: Node, inputs: tuple[Node, ...]) -> Node:
    """The step on these operands: what is added to what was just set to 0 is set, and what turns
    back what was just turned is nothing.
    """
    base, op = inputs[0], step.op
    if op is index_add:
        if _is_zero(inputs[1]):
            return base
        index = step.attrs["index"]
        cleared = base.op is index_set and is_number(base.inputs[1], 0)
        same = base.attrs == step.attrs and base.inputs[2:] == inputs[2:]
        if cleared and same and not may_repeat(index, inputs[2:]):
            op, inputs = index_set, (base.inputs[0], *inputs[1:])
    elif puts_back(step, base):
        return base.inputs[0]
    return Node(op, inputs, step.attrs, step.type, step.span)


def _is_zero(value: Node) -> bool:
    spread = value.op is broadcast_to and is_number(value.inputs[0], 0)
    return value.op is zeros or spread or is_number(value, 0)
