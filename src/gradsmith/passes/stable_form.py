"""Numerically stable forms before differentiation, inside of branches and loops as well."""

from __future__ import annotations

from collections.abc import Sequence

from gradsmith.ir.builder import Builder
from gradsmith.ir.graph import Node, Region
from gradsmith.ir.intrinsics import number
from gradsmith.ir.op import Op
from gradsmith.ops import mathematics
from gradsmith.ops.control import at_least_zero
from gradsmith.ops.elementwise import cbrt, sqrt
from gradsmith.ops.powers import power
from gradsmith.ops.signs import Sign, Signs
from gradsmith.passes.numerics import NUMERIC_RULES
from gradsmith.passes.pattern import Apply
from gradsmith.passes.pipeline import NUMERICS
from gradsmith.passes.regions import as_graph
from gradsmith.passes.rewrite import prepare, rebuild


def stable_form(builder: Builder, outputs: Sequence[Node], inputs: Sequence[Node]) -> list[Node]:
    """The same outputs, what lies between them and ``inputs`` in stable form."""
    return prepare(
        builder, outputs, inputs, StableForm(Signs(dict.fromkeys(inputs, Sign.UNKNOWN)))
    )


class StableForm:
    """Rewrites nodes by the table `NUMERICS`, and the regions of branches and loops with them.

    ``signs`` knows the operands: a root of what cannot be negative is marked as such.
    """

    def __init__(self, signs: Signs) -> None:
        self._signs = signs
        self._made: set[Region] = set()

    def __call__(self, node: Node) -> Node | None:
        if node.regions:
            return self._with_regions(node)
        better = NUMERICS(node)
        return better if better is not None else self._marked(node)

    def _with_regions(self, node: Node) -> Node | None:
        attrs = {
            key: self._region(node, value) if isinstance(value, Region) else value
            for key, value in node.attrs.items()
        }
        if all(attrs[key] is value for key, value in node.attrs.items()):
            return None
        made: Node = node.op(*node.inputs, **attrs)
        return made

    def _region(self, node: Node, region: Region) -> Region:
        if region in self._made or not _has_candidates(region):
            return region
        signs = self._signs.of_params(node, region)
        given = dict(zip(region.params, signs, strict=True))
        graph = rebuild(as_graph(region), StableForm(Signs(given)))
        made = Region(graph.params, graph.nodes, graph.results, graph.names)
        self._made.add(made)
        return made

    def _marked(self, node: Node) -> Node | None:
        """The root of a value that cannot be negative, as a distance is computed."""
        if not _is_root(node):
            return None
        x, *exponent = node.inputs
        sign = self._signs(x)
        if x.op is at_least_zero or not sign:
            return None
        made: Node = node.op(at_least_zero(x, positive=sign is Sign.POSITIVE), *exponent)
        return made


ROOTS: frozenset[Op] = frozenset({sqrt, cbrt, power, mathematics.sqrt})


def _is_root(node: Node) -> bool:
    """Whether it is a power between 0 and 1 of a real number."""
    if node.op not in ROOTS or node.array_type.complex:
        return False
    if node.op is not power:
        return True
    exponent = number(node.inputs[1])
    return exponent is not None and 0 < exponent < 1


def _ops_of(pattern: object) -> set[Op]:
    if not isinstance(pattern, Apply):
        return set()
    return {pattern.op}.union(*map(_ops_of, pattern.operands))


def _rare_ops() -> frozenset[Op]:
    """Ops of which every rule has one: where there is none of them no rule applies."""
    found: set[Op] = {*ROOTS}
    for rule in NUMERIC_RULES:
        ops = _ops_of(rule.pattern)
        found |= {op for op in ops if op.name not in _COMMON}
    return frozenset(found)


_COMMON = ("add", "subtract", "multiply", "divide", "negative", "reduce_sum", "getitem", "gather")
_CANDIDATES = _rare_ops()


def _has_candidates(region: Region) -> bool:
    return any(
        node.op in _CANDIDATES or any(map(_has_candidates, node.regions)) for node in region.nodes
    )
