"""Programs that lean on Python: trees, closures, methods, defaults, variadic arguments."""

from __future__ import annotations

import functools

import numpy
import numpy as np
from numpy import exp, tanh
from numpy import linalg as la

from programs.harness import program
from programs.structure import Affine, Model

OFFSETS = np.array([0.5, -1.0, 2.0])
RATE = 0.3
SETTINGS = {"power": 3, "shift": np.array([1.0, 2.0, 3.0]), "kind": "soft"}


def _affine(sizes, random):
    return Affine(random.normal(size=(sizes["k"], sizes["m"])), random.normal(size=sizes["k"]))


def _model(sizes, random):
    return Model(1.5, [_affine(sizes, random), Affine(random.normal(size=(2, sizes["k"])), 0.25)])


def _params(sizes, random):
    m = sizes["m"]
    return {
        "deep": {"w": random.normal(size=(m, m)), "scale": 0.7},
        "pair": (random.normal(size=m), [random.normal(size=m)]),
        "count": 3,
        "flag": True,
        "none": None,
        "name": "tanh",
    }


@program(_affine, ": n m")
def named_tuple_argument(layer, x):
    return np.tanh(x @ layer.weight.T + layer.bias)


@program(_model, ": m")
def dataclass_argument(model, x):
    for layer in model.layers:
        x = np.tanh(layer.weight @ x + layer.bias) * model.scale
    return x


@program(_params, ": n m")
def nested_trees(params, x):
    w, (u, (v,)) = params["deep"]["w"], params["pair"]
    y = x @ w * params["deep"]["scale"] + u * v
    if params["flag"] and params["none"] is None:
        y = y * params["count"]
    return np.tanh(y) if params["name"] == "tanh" else y


@program(": n m", ": m")
def tree_of_results(x, u):
    hidden = np.tanh(x * u)
    return {"hidden": hidden, "sums": (hidden.sum(axis=0), [hidden.sum()]), "again": hidden}


@program(": n m", ": m")
def named_tuple_result(x, u):
    return Affine(x * u, u.sum() * x[0])


@program(": n 3", captured={"OFFSETS": OFFSETS, "shift": SETTINGS["shift"]}, rewritten=True)
def globals_and_attributes(x):
    y = x * OFFSETS + RATE
    return y ** SETTINGS["power"] + SETTINGS["shift"] * np.float64(numpy.pi)


@program(": n m")
def names_imported_otherwise(x):
    return exp(-x * x) * tanh(x) + la.norm(x) + numpy.sum(x, axis=0)


def _closure():
    weights = np.array([1.0, -2.0, 0.5])
    power = 2

    def inner(x):
        return x * weights

    def closure(x):
        def shifted(y, by=0.5):
            return y + by * weights**power

        return shifted(inner(x)) * inner(shifted(x, by=2.0))

    return closure


program(": n 3", captured={"weights": np.array([1.0, -2.0, 0.5])})(_closure())


class Oscillator:
    def __init__(self):
        self.stiffness = 2.5
        self.modes = np.array([0.1, 0.2, 0.3])

    @property
    def doubled(self):
        return self.stiffness * 2

    @staticmethod
    def square(x):
        return x * x

    def energy(self, x):
        return self.stiffness * self.square(x) + self.doubled * x @ self.modes

    def __call__(self, x):
        return self.energy(x) + x


program(": 3", captured={"modes": Oscillator().modes})(Oscillator().energy)


OSCILLATOR = Oscillator()


@program(": 3", captured={"modes": Oscillator().modes})
def callable_instance(x):
    return OSCILLATOR(x) * OSCILLATOR(x + 1)


def _logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * 2.0

    return wrapper


@program(": n m", ": m")
@_logged
def decorated(x, u):
    return x * u


@_logged
def _helper(x, *, power=2, scale=1.0):
    return scale * x**power


@program(": n", rewritten=True)
def helpers_with_keywords(x):
    partial = functools.partial(_helper, scale=3.0)
    return partial(x, power=3) + _helper(x) + _helper(power=1, x=x)


@program(": n", ": n", ": n")
def variadic(first, *rest):
    total = first
    for i, other in enumerate(rest):
        total = total * other + i
    return total + len(rest)


@program(": n", ": n")
def comprehensions(x, y):
    terms = [x**i * y for i in range(1, 4)]
    named = {f"t{i}": t.sum() for i, t in enumerate(terms)}
    return sum(terms) + sum(named.values()) + np.sum([t * 2 for t in terms], axis=0)


@program(": n", ": n")
def lambdas_and_map(x, y):
    square, product = (lambda a: a * a), (lambda a, b=2.0: a * b)
    mapped = list(map(square, [x, y]))
    reduced = functools.reduce(lambda a, b: a * b, [x, y, x])
    return product(mapped[0]) + product(mapped[1], x) + reduced


@program(": n")
def recursion(x):
    def power(base, n):
        return np.ones_like(base) if n == 0 else base * power(base, n - 1)

    return power(x, 4) + power(np.sin(x), 2)


@program(": n m")
def conditions_on_sizes(x):
    y = x
    if x.ndim == 2 and x.shape[1] >= 1:
        y = y * 2
    if x.shape[0] > 2:
        y = y + x.shape[0]
    elif x.shape[0] == 1:
        y = y - 3
    return y * x if len(x) else y


@program(": n")
def strings_and_flags(x):
    results = {}
    for name, function in (("sin", np.sin), ("exp", np.exp)):
        results[name] = function(x)
    order = sorted(results)
    assert order == ["exp", "sin"], f"unexpected {order}"
    return results["sin"] * results["exp"]


@program(": n m", "scalar: ")
def everything_twice(x, s):
    def step(state):
        position, velocity = state
        velocity = velocity - s * 0.1 * np.sin(position)
        return position + 0.1 * velocity, velocity

    state = (x, np.zeros_like(x))
    for _ in range(4):
        state = step(state)
    return state


@program(": 4", ": 4")
def runge_kutta(y, rates):
    def slope(t, y):
        return rates * y * (1 - y) + np.sin(t)

    t, h = 0.0, 0.1
    while t < 0.25:
        k1 = slope(t, y)
        k2 = slope(t + h / 2, y + h / 2 * k1)
        k3 = slope(t + h / 2, y + h / 2 * k2)
        k4 = slope(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        t += h
    return y


@program(": n", ": n")
def early_returns(x, y):
    def pick(kind):
        if kind == "sum":
            return x + y
        if kind == "product":
            return x * y
        return x

    return pick("sum") * pick("product") - pick("")


@program(": n 3")
def unpacked_columns(x):
    a, b, c = x.T
    (d, e), *_ = (a * b, b * c), c
    a = a * 2
    return d * e + a + x[:, 2]
