"""Random programs on Python's and NumPy's numbers: operators, builtins, `math`, conversions."""

from __future__ import annotations

import random

CONSTANTS = ("2", "3", "-1", "0", "1", "0.5", "2.5", "-1.5", "True", "1e3", "7", "0.0")
MATH = ("sin", "cos", "exp", "tanh", "atan", "sqrt", "log", "fabs", "asin", "cosh", "expm1")
ROUND = ("int", "round", "math.floor", "math.ceil", "math.trunc", "bool")
NUMPY = ("np.sin", "np.float64", "np.sqrt", "np.exp", "np.abs", "np.float32", "np.floor")
COMPARE = ("<", "<=", ">", ">=", "==", "!=")


class Programs:
    """Source of functions of ``x, y`` (floats), ``n`` (an int) and ``a`` (an array)."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = ["x", "y", "n"]

    def number(self, depth: int) -> str:
        """An expression with a number for its value."""
        if depth <= 0:
            return self._leaf()
        kinds = (self._operator, self._operator, self._function, self._choice, self._rounded)
        return self.random.choice(kinds)(depth - 1)

    def _leaf(self) -> str:
        kind = self.random.random()
        if kind < 0.5:
            return self.random.choice(self.names)
        if kind < 0.7:
            return self.random.choice(
                ("a[0]", "float(a[1])", "a[1].item()", "a.item(2)", "np.sum(a).item()")
            )
        return self.random.choice(CONSTANTS)

    def _operator(self, depth: int) -> str:
        left, right = self.number(depth), self.number(depth)
        word = self.random.choice(("+", "-", "*", "/", "//", "%", "**", "+", "-", "*"))
        if word == "**":
            right = self.random.choice(("2", "3", "0.5", "2.5", "-1", "y", "n", "1.0", "0"))
        return f"({left} {word} {right})"

    def _function(self, depth: int) -> str:
        first = self.number(depth)
        kind = self.random.randrange(8)
        if kind < 3:
            return f"math.{self.random.choice(MATH)}({first})"
        if kind == 3:
            return f"{self.random.choice(NUMPY)}({first})"
        if kind == 4:
            return f"{self.random.choice(('-', '+', 'abs', 'float'))}({first})"
        second = self.number(depth)
        if kind == 5:
            name = self.random.choice(("math.atan2", "math.hypot", "math.copysign", "math.fmod"))
            return f"{name}({first}, {second})"
        if kind == 6:
            return f"divmod({first}, {second})[{self.random.randrange(2)}]"
        others = ", ".join([second] * (self.random.random() < 0.8) or [self.number(0), second])
        return f"{self.random.choice(('max', 'min'))}({first}, {others})"

    def _rounded(self, depth: int) -> str:
        inner = self.number(depth)
        if self.random.random() < 0.2:
            return f"round({inner}, {self.random.choice((1, 2, -1))})"
        return f"{self.random.choice(ROUND)}({inner})"

    def condition(self, depth: int) -> str:
        """An expression that is asked for its truth."""
        kind = self.random.random()
        if kind < 0.2:
            return f"not {self.condition(depth - 1)}"
        if kind < 0.3:
            return self.number(depth)
        left, right = self.number(depth), self.number(depth)
        return f"({left} {self.random.choice(COMPARE)} {right})"

    def _choice(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.3:
            return f"({self.condition(depth)})"
        if kind < 0.5:
            return (
                f"({self.number(depth)} {self.random.choice(('and', 'or'))} {self.number(depth)})"
            )
        return f"({self.number(depth)} if {self.condition(depth)} else {self.number(depth)})"

    def function(self, name: str) -> str:
        """A whole function."""
        self.names = ["x", "y", "n"]
        lines = [f"def {name}(x, y, n, a):"]
        for place in range(self.random.randrange(3)):
            lines += self._statement(f"t{place}")
            self.names.append(f"t{place}")
        results = [self.number(self.random.randrange(1, 4))]
        results += self.names[3:]  # Python raises the errors of what nobody reads, too
        return "\n".join([*lines, f"    return {', '.join(results)}"])

    def _statement(self, target: str) -> list[str]:
        kind = self.random.random()
        if kind < 0.5:
            return [f"    {target} = {self.number(2)}"]
        if kind < 0.75:
            return [
                f"    if {self.condition(1)}:",
                f"        {target} = {self.number(1)}",
                "    else:",
                f"        {target} = {self.number(1)}",
            ]
        count = self.random.choice(("3", "abs(n)", "int(abs(y)) % 4", "len(a)"))
        step = self.random.choice((f"{target} * 0.5 + {self.number(1)}", f"{target} + i"))
        return [
            f"    {target} = {self.number(1)}",
            f"    for i in range({count}):",
            f"        {target} = {step}",
        ]
