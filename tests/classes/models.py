"""Small models as people write them with classes, each as a function of numbers and arrays.

Everything is made within the function: what is found outside is in `outside_state`.
"""

# Small classes on purpose, as users write them.
# ruff: noqa: SIM108, RUF015, UP008

from __future__ import annotations

import abc
import enum
import functools
import math
from collections import namedtuple
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

Run = Callable[..., Any]
CASES: dict[str, tuple[Run, str]] = {}


def case(kinds: str) -> Callable[[Run], Run]:
    """Register a function; ``kinds`` has an ``s`` (number), ``v`` or ``m`` for each argument."""

    def register(function: Run) -> Run:
        assert function.__name__ not in CASES, function.__name__
        CASES[function.__name__] = function, kinds
        return function

    return register


# -- jumps in methods -----------------------------------------------------------------------------


class Clipper:
    def __init__(self, low: float, high: float) -> None:
        self.low = low
        self.high = high

    def early(self, x: Any) -> Any:
        if x < self.low:
            return self.low * x
        if x > self.high:
            return self.high * x * x
        return x

    def first_above(self, x: Any) -> Any:
        total = 0.0
        for v in x:
            if v > self.high:
                break
            total += v * v
        return total

    def skipping(self, x: Any) -> Any:
        total = 0.0
        for v in x:
            if v < self.low:
                continue
            total += np.sin(v)
        return total

    def __private(self, x: Any) -> Any:
        __k = 2.0
        if x > 0:
            __k = 3.0
        for _ in range(6):
            __k = __k * 1.1
        return __k * x

    def private(self, x: Any) -> Any:
        return self.__private(x)

    def halving(self, x: Any) -> Any:
        n = 0
        while True:
            if x < 0.1:
                return x * n
            x = x / 2
            n += 1

    def nested(self, x: Any) -> Any:
        def inner(v: Any) -> Any:
            if v > self.low:
                return v * v
            return -v

        return inner(x) + inner(-x)


@case("s")
def early_return(x):
    return Clipper(-0.5, 0.5).early(x)


@case("v")
def break_in_method(x):
    return Clipper(-0.5, 0.9).first_above(x)


@case("v")
def continue_in_method(x):
    return Clipper(-0.2, 0.9).skipping(x)


@case("s")
def private_method(x):
    return Clipper(0.0, 1.0).private(x)


@case("s")
def return_in_endless_loop(x):
    return Clipper(0.0, 1.0).halving(x * x + 3.0)


@case("s")
def function_in_method(x):
    return Clipper(0.0, 1.0).nested(x)


# -- making objects -------------------------------------------------------------------------------


class Positive:
    def __init__(self, x: Any) -> None:
        if x < 0:
            self.value = -x * 2
        else:
            self.value = x * 3


@case("s")
def branch_in_init(x):
    return Positive(x).value


class Series:
    def __init__(self, x: Any) -> None:
        self.total = 0.0
        self.count = 0
        for v in x:
            self.total += v * v
            self.count += 1

    def mean(self) -> Any:
        return self.total / self.count


@case("v")
def loop_in_init(x):
    return Series(x).mean()


@dataclass
class Body:
    mass: Any
    position: Any
    momentum: Any = field(init=False)
    history: list = field(default_factory=list)

    def __post_init__(self) -> None:
        if np.sum(self.position) > 0:
            self.momentum = self.mass * self.position
        else:
            self.momentum = -self.mass * self.position

    @property
    def energy(self) -> Any:
        return np.sum(self.momentum**2) / (2 * self.mass)


@case("sv")
def dataclass_post_init(m, x):
    return Body(1.0 + m * m, x).energy


@dataclass(frozen=True)
class Normalised:
    w: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "w", self.w / np.sum(np.abs(self.w)))

    def dot(self, x: Any) -> Any:
        return self.w @ x


@case("vv")
def frozen_post_init(w, x):
    return Normalised(w).dot(x)


@dataclass
class Buffers:
    n: int
    work: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def push(self, v: Any) -> Any:
        self.work[1:] = self.work[:-1]
        self.work[0] = v
        return np.sum(self.work * np.array([1.0, 2.0, 3.0]))


@case("v")
def dataclass_array_factory(x):
    b = Buffers(3)
    total = 0.0
    for v in x:
        total += b.push(v) ** 2
    return total


class Interned:
    def __new__(cls, x: Any) -> Any:
        self = super().__new__(cls)
        self.scale = 2.0 if x > 0 else 3.0
        return self

    def __init__(self, x: Any) -> None:
        self.x = x


@case("s")
def new_and_init(x):
    o = Interned(x)
    return o.scale * o.x


class Meta(type):
    def __call__(cls, *args: Any) -> Any:
        made = super().__call__(*args)
        made.bias = args[0] * 0.5
        return made


class WithMeta(metaclass=Meta):
    def __init__(self, x: Any) -> None:
        if x > 0:
            self.x = x
        else:
            self.x = x * x


@case("s")
def metaclass_call(x):
    o = WithMeta(x)
    return o.x + o.bias


class Tracked:
    def __init_subclass__(cls, gain: float = 1.0, **named: Any) -> None:
        super().__init_subclass__(**named)
        cls.gain = gain


class Fast(Tracked, gain=2.5):
    def run(self, x: Any) -> Any:
        return self.gain * x


@case("s")
def init_subclass(x):
    return Fast().run(x) ** 2


# -- properties and descriptors -------------------------------------------------------------------


class Celsius:
    def __init__(self, t: Any) -> None:
        self._t = t

    @property
    def kelvin(self) -> Any:
        if self._t < -1.0:
            return 0.0 * self._t
        return self._t + 273.15

    @kelvin.setter
    def kelvin(self, value: Any) -> None:
        if value < 270.0:
            self._t = value - 272.0
        else:
            self._t = value - 273.15

    @kelvin.deleter
    def kelvin(self) -> None:
        self._t = 0.25


@case("s")
def property_getter(x):
    return Celsius(x).kelvin ** 2


@case("s")
def property_setter(x):
    c = Celsius(1.0)
    c.kelvin = 271.0 + 4 * x
    return c._t**2


@case("s")
def property_augmented(x):
    c = Celsius(x)
    c.kelvin += x * x
    c.kelvin *= 1.01
    return c._t


@case("s")
def property_deleted(x):
    c = Celsius(x)
    del c.kelvin
    return c.kelvin * x


class Clamped:
    def __set_name__(self, owner: type, name: str) -> None:
        self.name = "_" + name

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        if owner is None:
            return self
        return getattr(owner, self.name) * 2

    def __set__(self, owner: Any, value: Any) -> None:
        if value > 1.0:
            setattr(owner, self.name, 1.0 + (value - 1.0) * 0.1)
        else:
            setattr(owner, self.name, value)


class Actuator:
    level = Clamped()

    def __init__(self, level: Any) -> None:
        self.level = level


@case("s")
def descriptor(x):
    a = Actuator(x * 2)
    a.level = a.level + x
    return a.level**2


class Expensive:
    def __init__(self, x: Any) -> None:
        self.x = x
        self.calls = 0

    @functools.cached_property
    def norm(self) -> Any:
        self.calls += 1
        total = 0.0
        for v in self.x:
            total += v * v
        return math.sqrt(total) if False else np.sqrt(total)


@case("v")
def cached_property(x):
    e = Expensive(x)
    return e.norm + e.norm * e.calls


class Lazy:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __getattr__(self, name: str) -> Any:
        if name.startswith("power"):
            k = int(name[5:])
            return self.x**k if k > 1 else self.x
        raise AttributeError(name)


@case("s")
def dynamic_attribute(x):
    o = Lazy(x)
    return o.power3 + 2 * o.power1 + (1.0 if hasattr(o, "missing") else 0.5 * x)


class Recording:
    def __init__(self) -> None:
        object.__setattr__(self, "store", {})

    def __setattr__(self, name: str, value: Any) -> None:
        self.store[name] = value * 2 if value > 0 else value * 3

    def __getattr__(self, name: str) -> Any:
        return self.store[name]


@case("s")
def set_attribute_hook(x):
    r = Recording()
    r.a = x
    r.b = r.a + x
    return r.a * r.b


class Slotted:
    __slots__ = ("velocity", "x")

    def __init__(self, x: Any, velocity: Any) -> None:
        self.x = x
        self.velocity = velocity

    def step(self, dt: float) -> None:
        if self.x > 0.5:
            self.velocity = -0.5 * self.velocity
        self.x = self.x + dt * self.velocity


@case("sv")
def slots_in_loop(x, f):
    b = Slotted(x, 1.0)
    for v in f:
        b.velocity = b.velocity + v
        b.step(0.1)
    return b.x**2 + b.velocity


@dataclass(slots=True) if hasattr(Slotted, "__match_args__") else dataclass
class SlottedData:
    x: Any
    y: Any = 2.0

    def swap(self) -> None:
        if self.x > self.y:
            self.x, self.y = self.y, self.x


@case("s")
def slotted_dataclass(x):
    d = SlottedData(4 * x)
    d.swap()
    return d.x * d.x + 3 * d.y


# -- operators ------------------------------------------------------------------------------------


class Vec:
    def __init__(self, x: Any, y: Any) -> None:
        self.x = x
        self.y = y

    def __add__(self, other: Any) -> Any:
        if not isinstance(other, Vec):
            return NotImplemented
        return Vec(self.x + other.x, self.y + other.y)

    def __radd__(self, other: Any) -> Any:
        return Vec(self.x + other, self.y + other)

    def __sub__(self, other: Any) -> Any:
        return Vec(self.x - other.x, self.y - other.y)

    def __mul__(self, k: Any) -> Any:
        if isinstance(k, Vec):
            return self.x * k.x + self.y * k.y
        return Vec(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __truediv__(self, k: Any) -> Any:
        return Vec(self.x / k, self.y / k) if k > 0.1 else Vec(self.x * 10, self.y * 10)

    def __matmul__(self, other: Any) -> Any:
        return self.x * other.y - self.y * other.x

    def __iadd__(self, other: Any) -> Any:
        self.x = self.x + other.x
        self.y = self.y + other.y
        return self

    def __neg__(self) -> Any:
        return Vec(-self.x, -self.y)

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        return Vec(self.y, self.x)

    def __abs__(self) -> Any:
        return np.sqrt(self.x**2 + self.y**2 + 1e-3)

    def __pow__(self, k: Any) -> Any:
        return Vec(self.x**k, self.y**k)

    def __lt__(self, other: Any) -> Any:
        return abs(self) < abs(other)

    def __gt__(self, other: Any) -> Any:
        return abs(self) > abs(other)

    def __le__(self, other: Any) -> Any:
        return self.x <= other.x and self.y <= other.y

    def __eq__(self, other: object) -> Any:
        return isinstance(other, Vec) and self.x == other.x and self.y == other.y

    def __hash__(self) -> int:
        return 1

    def __bool__(self) -> bool:
        return self.x > 0

    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> Any:
        if i == 0:
            return self.x
        if i == 1:
            return self.y
        raise IndexError(i)

    def __setitem__(self, i: int, value: Any) -> None:
        if i == 0:
            self.x = value
        else:
            self.y = value

    def __contains__(self, value: Any) -> bool:
        return value < self.x or value < self.y

    def __call__(self, t: Any) -> Any:
        if t > 0:
            return self.x * t
        return self.y * t

    def __float__(self) -> float:
        return float(self.x)

    def __mod__(self, k: Any) -> Any:
        return Vec(self.x % k, self.y % k)

    def __rsub__(self, k: Any) -> Any:
        return Vec(k - self.x, k - self.y)

    def __divmod__(self, k: Any) -> Any:
        return self.x // k, self.y % k

    def __floordiv__(self, k: Any) -> Any:
        return Vec(self.x // k, self.y // k)

    def __and__(self, other: Any) -> Any:
        return self.x * other.x

    def __or__(self, other: Any) -> Any:
        return self.x + other.y

    def __xor__(self, other: Any) -> Any:
        return self.x - other.y

    def __lshift__(self, k: Any) -> Any:
        return self.x * 2**k

    def __round__(self, k: int = 0) -> Any:
        return self.x * 2

    def __reversed__(self) -> Any:
        return [self.y, self.x]


@case("ss")
def operator_add(x, y):
    v = Vec(x, y) + Vec(y, x * y)
    return v.x * v.y


@case("ss")
def operator_reflected(x, y):
    v = 2.0 + Vec(x, y)
    w = 3.0 * v
    u = 1.0 - w
    return w.x * w.y + u.x


@case("ss")
def operator_not_implemented(x, y):
    class Other:
        def __radd__(self, left: Any) -> Any:
            if left.x > 0:
                return left.x * y
            return left.y * x

    return Vec(x, y) + Other()


@case("ss")
def operator_matmul(x, y):
    return Vec(x, y) @ Vec(y * y, x)


@case("ss")
def operator_inplace(x, y):
    v = Vec(x, y)
    w = v
    v += Vec(y, y)
    v -= Vec(x * x, y)
    return v.x * v.y + w.x * 3


@case("ss")
def operator_unary(x, y):
    v = -(+Vec(x, y))
    return (~v).x * abs(v)


@case("ss")
def operator_compare(x, y):
    a, b = Vec(x, y), Vec(y, x + 0.1)
    return x * 2 if a < b else y * 3


@case("ss")
def operator_compare_chain(x, y):
    a, b, c = Vec(x, y), Vec(x + 1, y + 1), Vec(x + y, 5.0)
    if a <= b <= c:
        return x * y
    return x + y


@case("ss")
def operator_equal(x, y):
    if Vec(x, y) == Vec(x, y * 1.0):
        return x * y
    return x


@case("ss")
def operator_not_equal(x, y):
    if Vec(x, y) != Vec(x, x):
        return x * y
    return x


@case("ss")
def operator_truth(x, y):
    if Vec(x, y):
        return x * x
    return y if not Vec(y, x) else x * y


@case("ss")
def operator_and_or(x, y):
    v = Vec(x, y) and Vec(y, x)
    return v.y * 2 + (3.0 if Vec(y, x) or x > 0 else 4.0) * x


@case("ss")
def operator_len_and_items(x, y):
    v = Vec(x, y)
    total = 0.0
    for i in range(len(v)):
        total += v[i] * (i + 1)
    v[1] = x * x
    v[0] += y
    v[0] *= 2
    return total * v[1] + v[0]


@case("ss")
def operator_contains(x, y):
    if 0.3 in Vec(x, y):
        return x * y
    return x if 0.1 not in Vec(y, y) else y


@case("ss")
def operator_call(x, y):
    return Vec(x, y)(x) + Vec(x, y)(y)


@case("ss")
def operator_float(x, y):
    return float(Vec(x * y, y)) * 2


@case("ss")
def operator_truediv(x, y):
    v = Vec(x, y) / (x + y)
    return v.x - v.y * 2


@case("ss")
def operator_rest(x, y):
    v = Vec(x, y)
    q, r = divmod(v, 0.7)
    w = v % 0.9
    return (v & w) + (v | w) * (v ^ w) + (v << 2) + q + r * w.x + round(v) + list(reversed(v))[0]


@case("ss")
def operator_iterated(x, y):
    a, b = Vec(x, y)
    return a * b * b + sum(Vec(x, x * y))


@case("ss")
def operator_sum(x, y):
    v = sum([Vec(x, y), Vec(y, x), Vec(1.0, x)], Vec(0.0, 0.0))
    return v.x * v.y


@case("ss")
def operator_max(x, y):
    v = max(Vec(x, y), Vec(y, 1.5))
    w = min([Vec(x, y), Vec(y, 1.5)])
    return v.x * 2 + v.y + w.y * w.x


@case("ss")
def operator_reduce(x, y):
    return functools.reduce(lambda a, b: a + b, [Vec(x, y), Vec(y, x)]).x * x


@case("vs")
def operator_in_loop(x, y):
    v = Vec(y, 1.0)
    for k in x:
        v = v + Vec(k, k * y) * 0.5
    return v.x * v.y


@case("vs")
def operator_in_branch(x, y):
    v = Vec(y, 1.0)
    for k in x:
        if k > 0:
            v = v * 0.5 + Vec(k, k)
        else:
            v += Vec(k, y)
    return v.x * v.y


class Dual:
    def __init__(self, a: Any, b: Any = 0.0) -> None:
        self.a = a
        self.b = b

    def __mul__(self, other: Any) -> Any:
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.a * other.a, self.a * other.b + self.b * other.a)

    def __add__(self, other: Any) -> Any:
        other = other if isinstance(other, Dual) else Dual(other)
        return Dual(self.a + other.a, self.b + other.b)

    __radd__ = __add__
    __rmul__ = __mul__

    def __pow__(self, k: int) -> Any:
        out = Dual(1.0)
        for _ in range(k):
            out = out * self
        return out


@case("s")
def dual_numbers(x):
    d = Dual(x, 1.0)
    return (3.0 * d**7 + 2.0 * d + 1.0).b


class Matrix:
    """Wraps an array."""

    __array_ufunc__ = None

    def __init__(self, a: Any) -> None:
        self.a = a

    def __getitem__(self, key: Any) -> Any:
        return self.a[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.a[key] = value

    def __rmul__(self, k: Any) -> Any:
        return Matrix(k * self.a)

    def __matmul__(self, other: Any) -> Any:
        return Matrix(self.a @ (other.a if isinstance(other, Matrix) else other))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.a

    @property
    def T(self) -> Any:  # noqa: N802
        return Matrix(self.a.T)


@case("mv")
def array_wrapper(a, x):
    m = Matrix(a * 1.0)
    m[0] = m[0] * 2
    m[1, :2] += x[:2]
    return np.sum((x[0] * m @ m.T).a)


# -- containers, context managers, iteration ---------------------------------------------------


class Tape:
    def __init__(self) -> None:
        self.items: list = []
        self.depth = 0.0

    def __enter__(self) -> Any:
        self.depth += 1.0
        return self

    def __exit__(self, *error: object) -> None:
        if self.items[-1] > 0:
            self.items.append(self.items[-1] * 2)
        else:
            self.items.append(self.items[-1] * 3)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@case("s")
def context_manager(x):
    with Tape() as t:
        t.items.append(x)
        t.items.append(x * x - 0.3)
    return sum(t) + t.depth * len(t)


class Countdown:
    def __init__(self, n: int, x: Any) -> None:
        self.n = n
        self.x = x

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        self.x = self.x * 0.9 if self.x > 0 else self.x * 0.8
        return self.x


@case("s")
def own_iterator(x):
    total = 0.0
    for v in Countdown(4, x):
        total += v * v
    return total + sum(Countdown(3, x)) + next(Countdown(2, x))


class Rows:
    def __init__(self, x: Any) -> None:
        self.x = x

    def __len__(self) -> int:
        return 3

    def __getitem__(self, i: int) -> Any:
        if i >= 3:
            raise IndexError
        return self.x * (i + 1) if self.x > 0 else self.x


@case("s")
def sequence_protocol(x):
    total = 0.0
    for v in Rows(x):
        total += v
    a, b, c = Rows(x)
    return total * a + b * c + [*Rows(x)][1]


class Params(dict):
    def __getattr__(self, name: str) -> Any:
        return self[name]


@case("sv")
def dict_subclass(s, x):
    p = Params(w=s, b=x)
    return np.sum(p.w * x + p.b)


class Stack(list):
    def push(self, v: Any) -> None:
        if v > 0:
            self.append(v)
        else:
            self.append(-v * 0.5)


@case("ss")
def list_subclass(x, y):
    s = Stack()
    s.push(x)
    s.push(y)
    return s[0] * s[1] + len(s)


# -- inheritance ----------------------------------------------------------------------------------


class Layer(abc.ABC):
    def __init__(self, w: Any) -> None:
        self.w = w
        self.calls = 0

    @abc.abstractmethod
    def act(self, x: Any) -> Any: ...

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        return self.act(x @ self.w)


class Relu(Layer):
    def act(self, x: Any) -> Any:
        return np.maximum(x, 0.0)


class Leaky(Relu):
    slope: ClassVar[float] = 0.1

    def __init__(self, w: Any, scale: float = 1.0) -> None:
        super().__init__(w)
        if np.sum(w) > 0:
            self.scale = scale
        else:
            self.scale = scale * 2

    def act(self, x: Any) -> Any:
        return super().act(x) * self.scale + self.slope * x

    @classmethod
    def of(cls, w: Any) -> Any:
        return cls(w * 2, scale=cls.slope)

    @staticmethod
    def loss(y: Any) -> Any:
        total = 0.0
        for v in y:
            if v > 0.5:
                total += v
            else:
                total += v * v
        return total


@case("vm")
def inheritance(x, w):
    y = Leaky(w)(x)
    return Leaky.loss(y) + np.sum(Leaky.of(w)(x))


class A:
    def value(self, x: Any) -> Any:
        return x


class B(A):
    def value(self, x: Any) -> Any:
        return super().value(x) * 2 if x > 0 else super().value(x)


class C(A):
    def value(self, x: Any) -> Any:
        y = super().value(x)
        if y > 0.5:
            return y + 1
        return y


class D(B, C):
    @property
    def gain(self) -> float:
        return 2.0

    def value(self, x: Any) -> Any:
        return self.gain * super(D, self).value(x)


class E(D):
    @property
    def gain(self) -> float:
        return super().gain + 1.0


@case("s")
def diamond(x):
    return E().value(x) * D().value(x)


class Mode(enum.Enum):
    LINEAR = 1.0
    SQUARE = 2.0

    def apply(self, x: Any) -> Any:
        if self is Mode.SQUARE:
            return x * x * self.value
        return x * self.value if x > 0 else x


@case("s")
def enum_members(x):
    return sum(m.apply(x) for m in Mode) + Mode.SQUARE.apply(x) + Mode["LINEAR"].apply(-x)


class State(NamedTuple):
    x: Any
    v: Any = 1.0

    def step(self, dt: float) -> Any:
        if self.x > 0.5:
            return self._replace(v=-self.v * 0.9)
        return State(self.x + dt * self.v, self.v)

    @property
    def energy(self) -> Any:
        return self.x**2 + self.v**2


@case("sv")
def named_tuple_methods(x, f):
    s = State(x)
    for v in f:
        s = s.step(0.1)
        s = s._replace(v=s.v + v * 0.1)
    return s.energy


Pair = namedtuple("Pair", "a b")


class Ordered(Pair):
    def __new__(cls, a: Any, b: Any) -> Any:
        if a > b:
            a, b = b, a
        return super().__new__(cls, a, b)

    def width(self) -> Any:
        return self.b - self.a


@case("ss")
def named_tuple_new(x, y):
    return Ordered(x, y).width() * x


# -- classes in the function ----------------------------------------------------------------------


@case("ss")
def local_class(x, y):
    scale = y * 2

    class Local:
        offset = 1.5

        def __init__(self, v: Any) -> None:
            self.v = v * scale

        def get(self) -> Any:
            if self.v > 0:
                return self.v + x
            return self.v * self.offset

    return Local(x).get() * Local(y).get()


@case("sv")
def local_class_list(s, x):
    seen = []

    class Log:
        def add(self, v: Any) -> None:
            seen.append(v * s)

    log = Log()
    log.add(x[0])
    log.add(x[1])
    return seen[0] * seen[1] + len(seen)


@case("s")
def local_class_nonlocal(x):
    total = 0.0

    class Adder:
        def add(self, v: Any) -> None:
            nonlocal total
            total += v

    a = Adder()
    a.add(x)
    a.add(x * x)
    return total


@case("s")
def local_dataclass(x):
    @dataclass
    class P:
        a: Any
        b: Any = 2.0

        def f(self) -> Any:
            if self.a > 0:
                return self.a * self.b
            return self.a

    return P(x).f() + P(-x, x).f()


# -- models ---------------------------------------------------------------------------------------


class PID:
    def __init__(self, kp: Any, ki: Any, kd: Any, limit: float = 2.0) -> None:
        self.kp, self.ki, self.kd = kp, ki, kd
        self.limit = limit
        self.integral = 0.0
        self.previous = None

    def __call__(self, error: Any, dt: float) -> Any:
        self.integral += error * dt
        slope = 0.0 if self.previous is None else (error - self.previous) / dt
        self.previous = error
        u = self.kp * error + self.ki * self.integral + self.kd * slope
        if u > self.limit:
            self.integral -= error * dt
            return self.limit + 0.01 * u
        if u < -self.limit:
            return -self.limit
        return u


@case("ssv")
def pid(kp, ki, target):
    c = PID(1 + kp * kp, ki, 0.02)
    y, cost = 0.0, 0.0
    for t in target:
        u = c(t - y, 0.1)
        y = y + 0.1 * (u - y)
        cost += (t - y) ** 2
    return cost


class Kalman:
    def __init__(self, q: Any, r: Any) -> None:
        self.F = np.array([[1.0, 0.1], [0.0, 1.0]])
        self.H = np.array([1.0, 0.0])
        self.Q = q * np.eye(2)
        self.R = r
        self.x = np.zeros(2)
        self.P = np.eye(2)
        self.ll = 0.0

    def predict(self) -> None:
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z: Any) -> None:
        s = self.H @ self.P @ self.H + self.R
        k = self.P @ self.H / s
        e = z - self.H @ self.x
        self.x = self.x + k * e
        self.P = self.P - np.outer(k, self.H @ self.P)
        self.ll -= 0.5 * (np.log(s) + e * e / s)


@case("ssv")
def kalman(q, r, z):
    f = Kalman(q * q + 0.1, r * r + 0.5)
    for v in z:
        f.predict()
        f.update(v)
    return f.ll


class Integrator:
    def __init__(self, f: Run, y: Any, h: float) -> None:
        self.f, self.y, self.h, self.t = f, y, h, 0.0
        self.steps = 0

    def step(self) -> None:
        k1 = self.f(self.t, self.y)
        k2 = self.f(self.t + self.h / 2, self.y + self.h / 2 * k1)
        self.y = self.y + self.h * k2
        self.t += self.h
        self.steps += 1

    def run(self, n: int) -> Any:
        for _ in range(n):
            self.step()
        return self.y


@case("sv")
def integrator(k, y0):
    class Damped:
        def __init__(self, k: Any) -> None:
            self.k = k

        def __call__(self, t: Any, y: Any) -> Any:
            return -self.k * y + np.sin(t)

    return np.sum(Integrator(Damped(k), y0, 0.05).run(20) ** 2)


class Dense:
    def __init__(self, w: Any, b: Any) -> None:
        self.params = {"w": w, "b": b}

    def forward(self, x: Any) -> Any:
        self.x = x
        return np.tanh(x @ self.params["w"] + self.params["b"])


class Net:
    def __init__(self, layers: list) -> None:
        self.layers = layers

    def __call__(self, x: Any) -> Any:
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def penalty(self) -> Any:
        return sum(np.sum(p**2) for layer in self.layers for p in layer.params.values())


@case("vm")
def network(x, w):
    net = Net([Dense(w, x), Dense(w.T * 0.5, 0.1), Dense(w, x * 2)])
    return np.sum(net(x) ** 2) + 0.01 * net.penalty()


class Kernel:
    def __add__(self, other: Any) -> Any:
        return Sum(self, other)

    def __mul__(self, other: Any) -> Any:
        return Product(self, other)

    def __call__(self, d: Any) -> Any:
        raise NotImplementedError


class Sum(Kernel):
    def __init__(self, *parts: Kernel) -> None:
        self.parts = parts

    def __call__(self, d: Any) -> Any:
        out = 0.0
        for p in self.parts:
            out = out + p(d)
        return out


class Product(Sum):
    def __call__(self, d: Any) -> Any:
        out = 1.0
        for p in self.parts:
            out = out * p(d)
        return out


class RBF(Kernel):
    def __init__(self, scale: Any) -> None:
        self.scale = scale

    def __call__(self, d: Any) -> Any:
        return np.exp(-0.5 * d**2 / self.scale**2)


class White(Kernel):
    def __init__(self, noise: Any) -> None:
        self.noise = noise

    def __call__(self, d: Any) -> Any:
        return self.noise * (d == 0)


@case("sv")
def gaussian_process(s, x):
    k = RBF(1.0 + s * s) * RBF(2.0) + White(0.3)
    K = k(x[:, None] - x[None, :])
    return x @ K @ x + np.log(np.trace(K))


@dataclass
class Ray:
    origin: Any
    direction: Any

    def at(self, t: Any) -> Any:
        return self.origin + t * self.direction


class Sphere:
    def __init__(self, centre: Any, radius: Any) -> None:
        self.centre, self.radius = centre, radius

    def hit(self, ray: Ray) -> Any:
        oc = ray.origin - self.centre
        b = np.sum(oc * ray.direction)
        c = np.sum(oc * oc) - self.radius**2
        disc = b * b - c
        if disc < 0:
            return -1.0
        return -b - np.sqrt(disc)


class Surface:
    def __init__(self, shapes: list) -> None:
        self.shapes = shapes

    def trace(self, ray: Ray) -> Any:
        best = 1e9
        for s in self.shapes:
            t = s.hit(ray)
            if t > 0 and t < best:
                best = t
        if best > 1e8:
            return 0.0
        p = ray.at(best)
        return np.sum(p * p)


@case("ss")
def ray_tracer(r, z):
    shapes = [Sphere(np.array([0.0, 0.0, 3.0 + z]), 1 + r * r), Sphere(np.array([5.0, 0, 0]), 1.0)]
    return Surface(shapes).trace(Ray(np.zeros(3), np.array([0.0, 0.0, 1.0])))


class Household:
    beta = 0.95

    def __init__(self, wage: Any, assets: Any) -> None:
        self.wage = wage
        self.assets = assets
        self.utility = 0.0
        self.age = 0

    def live(self, r: Any) -> None:
        income = self.wage * (1 + 0.02 * self.age)
        spent = 0.6 * (income + self.assets)
        if self.assets < 0:
            spent = 0.3 * income
        self.assets = (1 + r) * (self.assets + income - spent)
        self.utility += self.beta**self.age * np.log(1.0 + spent**2)
        self.age += 1


@case("ssv")
def economy(w, a, rates):
    h = Household(1.0 + w * w, a)
    for r in rates:
        h.live(0.01 * r)
    return h.utility + 0.1 * h.assets


class Particle:
    def __init__(self, x: Any, v: Any) -> None:
        self.x = x
        self.v = v
        self.alive = True

    def move(self, dt: float) -> None:
        self.x += dt * self.v
        if self.x > 1.0:
            self.x = 2.0 - self.x
            self.v = -self.v


class World:
    def __init__(self, xs: Any, v: Any) -> None:
        self.particles = [Particle(xs[i], v * (i + 1)) for i in range(3)]

    def run(self, n: int) -> Any:
        for _ in range(n):
            for p in self.particles:
                p.move(0.1)
        return sum(p.x * p.v for p in self.particles)


@case("sv")
def particles(v, x):
    return World(x, v).run(7)


class Adam:
    def __init__(self, lr: float) -> None:
        self.lr, self.m, self.v, self.t = lr, 0.0, 0.0, 0

    def step(self, p: Any, g: Any) -> Any:
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.99 * self.v + 0.01 * g * g
        m = self.m / (1 - 0.9**self.t)
        v = self.v / (1 - 0.99**self.t)
        return p - self.lr * m / (np.sqrt(v) + 1e-3)


@case("v")
def optimiser(x):
    opt = Adam(0.05)
    p = x * 1.0
    for _ in range(8):
        p = opt.step(p, 2 * (p - 0.5))
    return np.sum(p**2)


class Grid:
    def __init__(self, n: int) -> None:
        self.u = np.zeros(n)
        self.n = n

    def step(self, k: Any) -> None:
        self.u[1:-1] += k * (self.u[2:] - 2 * self.u[1:-1] + self.u[:-2])

    def total(self) -> Any:
        return np.sum(self.u**2)


@case("sv")
def stencil_in_place(k, x):
    g = Grid(len(x) + 2)
    g.u[1:-1] = x
    for _ in range(6):
        g.step(0.1 * k)
    return g.total()


class Tree:
    def __init__(self, value: Any, left: Any = None, right: Any = None) -> None:
        self.value, self.left, self.right = value, left, right

    def total(self) -> Any:
        out = self.value * self.value
        if self.left is not None:
            out = out + self.left.total()
        if self.right is not None:
            out = out * self.right.total()
        return out


@case("ss")
def recursion(x, y):
    return Tree(x, Tree(y), Tree(x * y, None, Tree(1.0 + x))).total()


class Node:
    def __init__(self, name: str, parent: Any = None) -> None:
        self.name, self.parent, self.children = name, parent, []
        if parent is not None:
            parent.children.append(self)
        self.load = 0.0

    def add(self, v: Any) -> None:
        self.load += v
        if self.parent is not None:
            self.parent.add(v * 0.5)


@case("v")
def cycle_of_objects(x):
    root = Node("root")
    leaf = Node("leaf", Node("middle", root))
    for v in x:
        leaf.add(v)
        if v > 0:
            leaf.add(v * v)
    return root.load * 3 + leaf.load


class Chain:
    def __init__(self) -> None:
        self.total = 1.0

    def add(self, x: Any) -> Any:
        self.total = self.total + x
        return self

    def scale(self, k: Any) -> Any:
        if k > 0:
            self.total = self.total * k
        return self


@case("ss")
def fluent_interface(x, y):
    return Chain().add(x).scale(y).add(y).scale(x).total


# -- generators -----------------------------------------------------------------------------------


class Mesh:
    def __init__(self, x: Any, n: int) -> None:
        self.x, self.n = x, n

    def nodes(self) -> Iterator[Any]:
        for i in range(self.n):
            yield self.x * i

    def __iter__(self) -> Iterator[Any]:
        for v in self.nodes():
            if v > 0.4:
                v = v * v  # noqa: PLW2901
            yield v


@case("s")
def generator_methods(x):
    m = Mesh(x, 4)
    total = 0.0
    for v in m:
        total += v
    return total + sum(m.nodes()) + max(m.nodes())


def powers(x: Any, n: int) -> Iterator[Any]:
    p = 1.0
    for _ in range(n):
        yield p
        p = p * x


def clipped(values: Iterator[Any]) -> Iterator[Any]:
    for v in values:
        if v > 1.0:
            w = 1.0 + 0.1 * v
        else:
            w = v
        yield w


@case("s")
def generator_functions(x):
    g = powers(x, 5)
    first = next(g)
    rest = list(clipped(g))
    return first + sum(rest) * rest[1] + sum(v * v for v in powers(x, 3))


@case("s")
def generator_from(x):
    def both() -> Iterator[Any]:
        yield x
        yield from powers(x, 3)
        if x > 0:
            y = x * 2
        else:
            y = x * 3
        yield y

    return sum(both()) + len(list(both()))


@case("s")
def generator_with_return(x):
    def steps() -> Any:
        for k in range(3):
            yield x * k
        return x * 10

    def outer() -> Any:
        last = yield from steps()
        yield last

    a, b, c, d = outer()
    return a + b * c + d


# -- classes that the function defines ------------------------------------------------------------


@case("sv")
def local_class_that_calls_modules(a, x):
    class Wave:
        def __init__(self, phase: Any) -> None:
            self.phase = phase
            self.total = 0.0

        def at(self, v: Any) -> Any:
            return math.sin(v + self.phase) * np.cos(v)

        def add(self, values: Any) -> Any:
            for v in values:
                w = self.at(v)
                if math.fabs(w) > 0.2:
                    self.total += w * math.exp(-v)
            return self.total

    return Wave(a).add(x) + Wave(a * 2).at(a)


@case("sv")
def schedule_as_an_iterator(a, x):
    class Cosine:
        def __init__(self, base: Any, steps: int) -> None:
            self.base, self.steps, self.step = base, steps, 0

        def __iter__(self) -> Any:
            return self

        def __next__(self) -> Any:
            if self.step >= self.steps:
                raise StopIteration
            rate = 0.5 * self.base * (1 + math.cos(math.pi * self.step / self.steps))
            self.step += 1
            return rate

    p, schedule = x[0], Cosine(a, 4)
    for rate in schedule:
        p -= rate * 2 * p
    return p + schedule.step


@case("s")
def flags_chosen_on_the_way(x):
    class Part(enum.Flag):
        READ = enum.auto()
        WRITE = enum.auto()
        RUN = enum.auto()

    part = Part.READ
    if x > 0:
        part |= Part.WRITE
    if x > 0.7:
        part |= Part.RUN
    return x * part.value + (x * x if Part.RUN in part else 3.0)


@case("s")
def attributes_from_a_method_of_dict(x):
    class Settings(dict[str, Any]):
        __getattr__ = dict.get

    settings = Settings(rate=x)
    return settings.rate * 2.0 + (x if settings.missing is None else 0.0)
