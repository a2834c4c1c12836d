"""Formulas with cases, written as a person would: few pieces, each condition said once.

A gradient is full of values that are 0 where a condition does not hold. Sums and products of
them say so again around the whole; knowing where each is 0 makes that superfluous.
"""

from __future__ import annotations

from typing import Any

MOST_PIECES = 4
"""Case distinctions that are multiplied out into one."""

SUMS = frozenset({"add", "subtract"})
PRODUCTS = frozenset({"multiply", "negative"})


class Cases:
    """Builds case distinctions, and knows of terms where they are 0."""

    def __init__(self, sympy: Any) -> None:
        self._sympy = sympy
        self._supports: dict[Any, Any] = {}

    def where(self, condition: Any, then: Any, otherwise: Any) -> Any:
        """``then`` where the condition holds, else ``otherwise``."""
        sp = self._sympy
        if then == 0 and otherwise != 0:
            return self.where(sp.Not(condition), otherwise, then)
        support = self._supports.get(then, sp.true)
        if otherwise == 0 and self._implies(support, condition):
            return then
        made = sp.Piecewise((then, condition), (otherwise, True))
        if otherwise == 0:
            self._supports[made] = sp.And(condition, support)
        return made

    def note(self, op: str, made: Any, operands: list[Any]) -> None:
        """Remember where ``made``, the result of ``op``, is 0 because operands are."""
        if op in SUMS | PRODUCTS:
            join = self._sympy.Or if op in SUMS else self._sympy.And
            support = join(*[self._supports.get(o, self._sympy.true) for o in operands])
            if support != self._sympy.true:
                self._supports[made] = support

    def _implies(self, premise: Any, conclusion: Any) -> bool:
        """Whether it follows from the form alone."""
        sp = self._sympy
        wider = set(sp.Or.make_args(conclusion))
        return all(
            case in wider or not wider.isdisjoint(sp.And.make_args(case))
            for case in sp.Or.make_args(premise)
        )

    def as_functions(self, term: Any) -> Any:
        """Case distinctions as ``where(condition, x, y)``.

        SymPy takes a `Piecewise` out of a function's argument, which is wrong where the function
        is of the whole array.
        """
        where = self._sympy.Function("where")

        def nested(*pairs: Any) -> Any:
            *_, (result, _) = pairs
            for value, condition in reversed(pairs[:-1]):
                result = where(condition, value, result)
            return result

        return term.replace(self._sympy.Piecewise, nested)

    def tidied(self, term: Any) -> Any:
        """Few case distinctions as one, where that is not longer."""
        sp = self._sympy
        if not 0 < len(term.atoms(sp.Piecewise)) <= MOST_PIECES:
            return term
        folded = sp.piecewise_fold(term)
        if isinstance(folded, sp.Piecewise):
            folded = sp.Piecewise(*self._simpler(folded.args))
        return folded if folded.count_ops() <= term.count_ops() else term

    def _simpler(self, pairs: Any) -> list[tuple[Any, Any]]:
        """The pieces, each condition without what those before it say."""
        sp = self._sympy
        before = sp.false
        pieces = []
        for value, condition in pairs:
            shorter = sp.simplify_logic(condition, dontcare=before)
            pieces.append((value, shorter.replace(sp.And, self._decided)))
            before = sp.Or(before, condition)
        return pieces

    def _decided(self, *conditions: Any) -> Any:
        """All of them, where an equality decides what else is said of its two sides."""
        sp = self._sympy
        relations = [c for c in conditions if isinstance(c, sp.core.relational.Relational)]
        equal = [{c.lhs, c.rhs} for c in relations if isinstance(c, sp.Eq)]
        decided = {
            c: sp.true if isinstance(c, (sp.Ge, sp.Le)) else sp.false
            for c in relations
            if not isinstance(c, sp.Eq) and {c.lhs, c.rhs} in equal
        }
        return sp.And(*[decided.get(c, c) for c in conditions])
