"""What variables are called: as the user calls them, or by what they are."""

from __future__ import annotations

from collections.abc import Mapping

from gradsmith.codegen.forms import LoopForm, form_of, is_given
from gradsmith.codegen.plan import Plan
from gradsmith.codegen.reading import reads
from gradsmith.ir.graph import Node
from gradsmith.ir.intrinsics import item

MNEMONICS = {
    "exp": "e",
    "sqrt": "root",
    "ones": "ones",
    "reduce_sum": "total",
    "reduce_mean": "mean",
    "reduce_max": "top",
    "getitem": "part",
    "gather": "part",
    "argsort": "order",
    "sort": "ordered",
    **dict.fromkeys(("flatnonzero", "argwhere"), "places"),
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal", "equal"), "mask"),
}
"""What a value without a name is called by its op; anything else is a ``t``."""

ITEMS = {"values": "values", "index": "first", "inverse": "inverse", "counts": "counts"}
"""The same of what np.unique finds."""

FUNCTIONS = frozenset({"sin", "cos", "tan", "sinh", "cosh", "tanh", "log", "log1p"})
"""These are called after their operand, too: ``cos_phi``."""


def called(node: Node, names: Mapping[Node, str]) -> str:
    """What a value is called: its name, or by its op."""
    return names.get(node) or by_op(node, names) or "t"


def by_op(node: Node, names: Mapping[Node, str]) -> str | None:
    """What a value without a name is called."""
    form = form_of(node.inputs[0]) if is_given(node) else None
    if isinstance(form, LoopForm) and node.attrs["index"] == form.carried:
        return "trips"
    if node.op is item and "parts" in node.inputs[0].attrs:
        return ITEMS[node.inputs[0].attrs["parts"][node.attrs["index"]]]
    if node.op.name in FUNCTIONS:
        operand = names.get(node.inputs[0])
        return node.op.name if operand is None else f"{node.op.name}_{operand}"
    return MNEMONICS.get(node.op.name)


class WantedNames:
    """For each statement the first of those that share its buffer (`heads`), and what the
    variable of these is to be called (`wanted`).

    Where no value of such a chain has a name, it is called by what it is in the end.
    """

    def __init__(self, plan: Plan, names: Mapping[Node, str]) -> None:
        self.plan = plan
        self.names = names
        self.heads: dict[Node, Node] = {}
        self._sharing: dict[Node, list[Node]] = {}
        self.wanted: dict[Node, str] = {}
        named: set[Node] = set()
        for node in plan.statements:
            operand = plan.overwrites.get(node)
            head = self.heads[node] = node if operand is None else self.heads.get(operand, operand)
            self._sharing.setdefault(head, []).append(node)
            if node in names and head not in named:
                self.wanted[head] = names[node]
                named.add(head)
            elif head not in named:
                self.wanted[head] = self._by_op(node) or self.wanted.get(head, "t")
                if self._is_gradient(node):
                    self.wanted[head] = f"g_{self.wanted[head].removeprefix('g_')}"

    def sharing(self, head: Node) -> list[Node]:
        """The values that share the buffer of ``head``, this one among them; none where it is not
        the first.
        """
        if self.heads.get(head, head) is not head:
            return []
        found = self._sharing.get(head, [])
        return found if head in self.heads else [head, *found]

    def _by_op(self, node: Node) -> str | None:
        return by_op(node, self.names)

    def _is_gradient(self, node: Node) -> bool:
        """Whether it is a step between gradients: an adjoint computed from one."""
        if node.span is None or not node.span.adjoint:
            return False
        found = reads(node, self.plan.inlined)
        return any(self._called(operand).startswith("g_") for operand in found)

    def _called(self, node: Node) -> str:
        return self.names.get(node) or self.wanted.get(self.heads.get(node, node), "")
