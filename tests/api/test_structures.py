"""Seeds, tangents and results in the structure that the function has: lists, dicts, None."""

from __future__ import annotations

import dataclasses
import enum
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

X = np.array([0.5, -1.25, 2.0])
G = np.array([1.0, 2.0, 3.0])
Pair = namedtuple("Pair", "first second")


def vector_and_number(x):
    return [x * 2, x[0] * 3]


def two_vectors(x):
    return [x * 2, x * x]


def dict_with_a_list(x):
    return {"a": x * 2, "b": [x[0], x[1] * x[2]]}


def nested(x):
    return (x * 2, {"b": x * x, "a": (x[0],)})


ONE = np.array([5.0, 4.0, 6.0])
TWO = 2 * G + 2 * X * G
DICT = np.array([2.0 + 4.0, 4.0 + 5.0 * X[2], 6.0 + 5.0 * X[1]])
NESTED = 2 * G + 2 * X * G + np.array([7.0, 0.0, 0.0])
SEEDS = [
    (vector_and_number, [G, 1.0], ONE),
    (vector_and_number, (G, np.array(1.0)), ONE),
    (vector_and_number, [G, None], ONE),
    (vector_and_number, [[1.0, 2.0, 3.0], 1.0], ONE),
    (vector_and_number, ([1, 2, 3], 1), ONE),
    (vector_and_number, [list(G), 1.0], ONE),
    (two_vectors, [G, G], TWO),
    (two_vectors, [[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], TWO),
    (two_vectors, ([1.0, 2.0, 3.0], G), TWO),
    (two_vectors, np.array([G, G]), TWO),
    (dict_with_a_list, {"a": G, "b": [4.0, 5.0]}, DICT),
    (dict_with_a_list, {"b": [4.0, 5.0], "a": G}, DICT),
    (dict_with_a_list, {"a": [1.0, 2.0, 3.0], "b": (4.0, 5.0)}, DICT),
    (dict_with_a_list, {"a": G, "b": np.array([4.0, 5.0])}, DICT),
    (nested, (G, {"a": (7.0,), "b": G}), NESTED),
    (nested, [G, {"b": [1.0, 2.0, 3.0], "a": [7.0]}], NESTED),
]


@each(("fun", "seed", "expected"), SEEDS)
def test_seeds_in_the_structure_of_the_outputs(fun, seed, expected):
    (g,) = gs.differentiable(fun).grad(X, grad_outputs=seed)
    np.testing.assert_allclose(g, expected, rtol=1e-14)
    (g,) = gs.vjp(fun, X)[1](seed)
    np.testing.assert_allclose(g, expected, rtol=1e-14)


@pytest.mark.parametrize("seed", [[G, G], [[1.0, 2.0, 3.0]] * 2, np.array([G, G])])
def test_seeds_of_autograd_grad(seed):
    def slopes(x, seed):
        return gs.autograd.grad(two_vectors(x), x, grad_outputs=seed)[0]

    np.testing.assert_allclose(gs.compile(slopes)(X, seed), TWO, rtol=1e-14)


BAD_SEEDS = [
    (two_vectors, np.ones((3, 3))),
    (two_vectors, [G]),
    (two_vectors, {"a": G}),
    (dict_with_a_list, {"a": G}),
    (dict_with_a_list, {"a": G, "c": [1.0, 1.0]}),
    (dict_with_a_list, {"a": G, "b": [1.0, 1.0, 1.0]}),
    (dict_with_a_list, {"a": G, "b": 1.0}),
    (nested, (G, [G, 7.0])),
]


@each(("fun", "seed"), BAD_SEEDS)
def test_seeds_of_another_structure(fun, seed):
    with pytest.raises(gs.GradsmithError) as caught:
        gs.differentiable(fun).grad(X, grad_outputs=seed)
    assert isinstance(caught.value, RuntimeError)


def test_the_number_of_rows_of_a_seed_is_checked_in_each_call():
    slopes = gs.differentiable(lambda x: [x[0], x[1]]).grad
    np.testing.assert_array_equal(slopes(X, grad_outputs=np.ones(2))[0], [1.0, 1.0, 0.0])
    with pytest.raises(RuntimeError, match="2 outputs"):
        slopes(X, grad_outputs=np.ones(3))


# --- tangents


def energy(w, a, y):
    return np.sum((a @ w - y) ** 2)


def in_a_dict(p):
    return p["a"] * p["b"]


def chosen(x, mode):
    return x * 2 if mode == "double" else x


A = np.arange(6.0).reshape(2, 3)
Y = np.array([1.0, -2.0])
TANGENTS = [
    (energy, (X, A, Y), (G, None, None), (G, np.zeros((2, 3)), np.zeros(2))),
    (energy, (X, A, Y), (None, A, None), (np.zeros(3), A, np.zeros(2))),
    (energy, (X, A, Y), (None, None, None), (np.zeros(3), np.zeros((2, 3)), np.zeros(2))),
    (in_a_dict, ({"a": X, "b": G},), ({"a": G, "b": None},), ({"a": G, "b": 0 * G},)),
    (in_a_dict, ({"a": X, "b": G},), (None,), ({"a": 0 * G, "b": 0 * G},)),
    (in_a_dict, ({"a": X, "b": 2.0},), ({"b": 1.0, "a": G},), ({"a": G, "b": 1.0},)),
    (lambda x, n: x**n, (X, 2), (G, None), (G, 0)),
    (lambda xs: xs[0] * xs[1], ([X, G],), ([G, None],), ([G, 0 * G],)),
    (lambda xs: xs[0] * xs[1], ([X, G],), ((G, X),), ([G, X],)),
    (chosen, (X, "double"), (G, None), (G, "double")),
    (lambda p: p.first * p.second, (Pair(X, 3.0),), (Pair(None, 1.0),), (Pair(0 * X, 1.0),)),
]


@each(("fun", "primals", "tangents", "spelled_out"), TANGENTS)
def test_none_is_a_tangent_of_zeros(fun, primals, tangents, spelled_out):
    value, moved = gs.jvp(fun, primals, tangents)
    expected, along = gs.jvp(fun, primals, spelled_out)
    np.testing.assert_array_equal(value, fun(*primals))
    np.testing.assert_array_equal(value, expected)
    np.testing.assert_allclose(moved, along, rtol=1e-14)
    assert type(moved) is type(along)


@each(
    ("primals", "tangents"),
    [
        ((X, A, Y), (G,)),
        ((X, A, Y), (G, None)),
        ((X, A, Y), (G, None, None, None)),
        ((X, A, Y), (G[:2], None, None)),
        ((X, A, Y), ("a", None, None)),
        ((X, A, Y), ({"a": G}, None, None)),
    ],
)
def test_tangents_that_do_not_fit(primals, tangents):
    with pytest.raises(gs.GradsmithError):
        gs.jvp(energy, primals, tangents)


# --- kinds of zeros

NUMBERS = [2.0, np.float64(2.0), np.float32(2.0), np.array(2.0), np.array([2.0]), np.ones((2, 3))]


@each("value", NUMBERS, ids=lambda v: f"{type(v).__name__}{np.shape(v)}")
@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
def test_the_zero_of_an_unused_argument_is_of_its_kind(value):
    (g,) = gs.grad(lambda x, y: x * 3, argnums=(1,))(1.0, value)
    assert type(g) is (np.ndarray if np.ndim(value) else np.asarray(value).dtype.type)
    assert np.asarray(g).dtype == np.asarray(value).dtype
    assert np.shape(g) == np.shape(value)
    assert not np.any(g)
    (kept,) = gs.differentiable(lambda x: x * 3).grad(1.0, inputs=["x"], materialize_grads=True)
    assert kept == 3.0


# --- gs.grad of several outputs

SEVERAL = {
    "tuple": lambda x: (np.sum(x), np.sum(x * x)),
    "list": lambda x: [np.sum(x), np.sum(x * x)],
    "list of one": lambda x: [np.sum(x)],
    "dict": lambda x: {"loss": np.sum(x)},
    "named tuple": lambda x: Pair(np.sum(x), 1.0),
    "value and text": lambda x: (np.sum(x), {"n": 3}),
}


@each("transform", [gs.grad, gs.value_and_grad])
@each("kind", SEVERAL)
def test_several_outputs_are_refused(transform, kind):
    with pytest.raises(TypeError, match="has_aux") as caught:
        transform(SEVERAL[kind])(X)
    assert isinstance(caught.value, gs.GradsmithError)
    assert all(name in str(caught.value) for name in ("f.grad", "gs.vjp", "gs.autograd.grad"))


@pytest.mark.parametrize("transform", [gs.grad, gs.value_and_grad])
def test_with_aux_the_output_is_one_value(transform):
    with pytest.raises(TypeError, match="first of the pair"):
        transform(lambda x: ((x[0], x[1]), x), has_aux=True)(X)


def test_one_element_in_an_array_is_one_value():
    np.testing.assert_array_equal(gs.grad(lambda x: x[:1] * 2)(X), [2.0, 0.0, 0.0])
    np.testing.assert_array_equal(gs.grad(lambda x: x[None, :1] ** 2)(X), [2 * X[0], 0.0, 0.0])


def test_several_outputs_within_a_trace_are_refused():
    with pytest.raises(TypeError, match="has_aux"):
        gs.grad(lambda x: np.sum(gs.grad(SEVERAL["tuple"])(x)))(X)


# -- keys of dicts --------------------------------------------------------------------------------


class Colour(enum.Enum):
    RED = 1


KEYS = [
    *(Colour.RED, frozenset([1]), b"k", int, range(2), 1.5, None, (1, Colour.RED), 2j, -1),
    *(np.bool_(True), np.float32(1.5), (np.int64(2), "a")),
]


@each("key", KEYS, ids=repr)
def test_any_key_of_a_dict(key):
    def function(d):
        return {key: d[key] * 2, "sum": d[key] + d["a"][key]}

    arguments = {"a": {0: 1.0, key: 3.0}, key: 0.5}
    result = gs.compile(function)(arguments)
    assert repr(result) == repr(function(arguments))
    gradient = gs.grad(lambda d: function(d)["sum"] + d["a"][0])(arguments)
    assert gradient == {"a": {0: 1.0, key: 1.0}, key: 1.0}
    assert repr(list(gradient)) == repr(list(arguments))


# -- containers of the standard library -----------------------------------------------------------


def _all_containers(x, kept):
    kept["last"].append(x)
    kept["count"]["calls"] += 1
    kept["lists"]["a"].append(x * 2)
    kept["order"].move_to_end("a")
    kept["seen"].add(len(kept["seen"]))
    total = sum(kept["last"]) * kept["count"]["calls"] + kept["order"]["a"] * len(kept["seen"])
    found = deque(kept["last"], maxlen=3)
    found.append(total)
    counted = Counter(a=x)
    counted["b"] += total
    return found, counted, OrderedDict(b=total, a=[x]), defaultdict(list, kept["lists"])


def _kept():
    return {
        "last": deque([1.0], maxlen=2),
        "count": Counter(calls=1),
        "lists": defaultdict(list),
        "order": OrderedDict(a=1.5, b=2.0),
        "seen": {100},
    }


def test_containers_of_the_standard_library():
    compiled, mine, plain = gs.compile(_all_containers), _kept(), _kept()
    for x in (0.5, 0.7, -0.3):
        assert repr(compiled(x, mine)) == repr(_all_containers(x, plain))
        assert repr(mine) == repr(plain)
        mine["seen"].add(x)
        plain["seen"].add(x)
        mine["last"].append(x)
        plain["last"].append(x)


def test_derivatives_leave_containers_as_they_are():
    def loss(x, kept):
        found, *_ = _all_containers(x, kept)
        return found[-1] + found[0]

    kept = _kept()
    assert gs.grad(loss)(0.5, kept) == gs.grad(loss)(0.7, kept) == 2.0
    assert repr(kept) == repr(_kept())


def test_gradients_in_containers_of_the_standard_library():
    order = OrderedDict(w=2.0, b=3.0)
    assert gs.grad(lambda p: p["w"] * p["b"])(order) == OrderedDict(w=3.0, b=2.0)
    held = gs.grad(lambda q: q[0] * q[-1] + q[1])(deque([2.0, 1.0, 5.0], maxlen=3))
    assert held == deque([5.0, 1.0, 2.0])
    assert held.maxlen == 3


def test_an_argument_that_the_caller_changes_between_calls():
    compiled = gs.compile(lambda x, held: x * sum(held) + len(held))
    for held in ({1, 2}, deque([1.0]), bytearray([1])):
        add = held.add if isinstance(held, set) else held.append
        for more in (3, 5):
            assert compiled(0.5, held) == 0.5 * sum(held) + len(held)
            add(more)


def test_a_set_that_is_passed_twice_and_changed_is_refused():
    def changed(x, one, other):
        one.add(5)
        return x * len(other)

    both = {1}
    assert gs.compile(changed)(0.5, {1}, {1}) == 0.5
    with pytest.raises(gs.GradsmithError, match="one and other are one object"):
        gs.compile(changed)(0.5, both, both)


class Settings(dict):
    def __init__(self, **named):
        super().__init__(named)
        object.__setattr__(self, "scale", 2.0)

    def __getattr__(self, name):
        return self[name]  # a KeyError, not an AttributeError


class Twice(list):
    def append(self, value):
        super().append(value)
        super().append(-value)

    def clear(self):
        raise RuntimeError

    extend = clear


class Names(set):
    pass


def _derived(x, settings, values, held):
    settings["n"] = x * settings.scale
    object.__setattr__(settings, "scale", settings.scale + settings.a)
    for i in range(3):
        if x * i > 1:
            values.append(x * i)
        else:
            values[0] = values[0] + x
    held["names"].add(len(held["names"]))
    return settings.n * len(settings) + sum(values) * len(held["names"])


def test_arguments_of_classes_derived_from_containers():
    mine, plain = ((Settings(a=1.0), Twice([1.0]), {"names": Names([7])}) for _ in range(2))
    compiled = gs.compile(_derived)
    for x in (2.0, 0.3, -1.0, 3.0):
        assert compiled(x, *mine) == _derived(x, *plain)
        assert repr(mine) == repr(plain)
        assert vars(mine[0]) == vars(plain[0])
        for settings, *_ in (mine, plain):
            settings["a"] = settings["a"] * 1.5


@pytest.mark.filterwarnings("ignore::gradsmith.TraceTimeEffectWarning")
def test_derivatives_leave_objects_of_derived_classes_as_they_are():
    given = Settings(a=1.0), Twice([1.0]), {"names": Names([7])}
    before = repr(given)
    for x in (2.0, 0.3):
        ahead, behind = (
            _derived(x + step, Settings(a=1.0), Twice([1.0]), {"names": Names([7])})
            for step in (1e-6, -1e-6)
        )
        assert gs.grad(_derived)(x, *given) == pytest.approx((ahead - behind) / 2e-6)
        assert repr(given) == before
        assert vars(given[0]) == {"scale": 2.0}


def test_attributes_of_a_dict_that_a_loop_changes():
    def function(x):
        made = Settings(a=x)
        if x > 0:
            object.__setattr__(made, "scale", x)
        for _ in range(6):
            made["a"] = made["a"] * 0.5 + x
            object.__setattr__(made, "scale", made.scale + made["a"])
        return made.scale * made["a"]

    compiled = gs.compile(function)
    for x in (0.5, -0.5):
        assert compiled(x) == function(x)


def test_containers_that_a_branch_makes():
    def function(x):
        window = deque([x, 2 * x], maxlen=3)
        if x > 0:
            window.append(3.0)
            held = OrderedDict(a=x, b=1.0)
        else:
            held = OrderedDict(a=2.0, b=x)
            window.append(x)
        window.append(x * x)
        return window, held

    compiled = gs.compile(function)
    for x in (0.5, -0.5):
        assert repr(compiled(x)) == repr(function(x))


def test_traced_numbers_as_keys_of_a_result():
    def function(x):
        found = {}
        for i, v in enumerate(x.tolist()):
            found[v > 0] = found.get(v > 0, 0) + v
            found[v, i] = 1.0
            found[x[i]] = found[int(v)] = v
            found[x[i] > 1] = v
        return found

    compiled = gs.compile(function)
    for x in (X, -X, X * 3):
        assert repr(compiled(x)) == repr(function(x))


def labelled(x):
    return {"name": "squares", "value": x * x, "more": (None, True, [x[0], "first"])}


def test_outputs_that_are_no_numbers():
    value, pullback = gs.vjp(labelled, X)
    assert value["name"] == "squares"
    assert value["more"] == (None, True, [0.5, "first"])
    expected = 2 * X * G + np.array([3.0, 0.0, 0.0])
    for name in ("squares", None, "another"):
        cotangent = {"name": name, "value": G, "more": (None, name, [3.0, name])}
        assert np.array_equal(pullback(cotangent)[0], expected)
    found, tangent = gs.jvp(labelled, (X,), (G,))
    assert found["more"] == value["more"]
    assert np.array_equal(tangent["value"], 2 * X * G)
    assert tangent["name"] is None
    assert tangent["more"] == (None, None, [1.0, None])


@pytest.mark.parametrize("fun", [lambda x: "text", lambda x: (None, "text")])
def test_outputs_without_any_number(fun):
    with pytest.raises(TypeError, match="nothing to differentiate"):
        gs.jvp(fun, (X,), (G,))


@dataclasses.dataclass
class Cell:
    x: float
    area: float = dataclasses.field(init=False)
    tag: str = "a"

    def __post_init__(self):
        self.area = self.x**2


@dataclasses.dataclass
class Swapped:
    x: float
    y: float

    def __init__(self, x):
        self.y = x
        self.x = 2 * x


class Bare:
    pass


def set_after_others(x):
    return Cell(x)


def set_by_init(x):
    return {"held": [Swapped(x)]}["held"][0]


def set_anew(x):
    made = Swapped(x)
    del made.y
    made.y = x
    made.z = 3.0
    return made


def set_in_a_plain_object(x):
    made = Bare()
    made.b = x
    made.a = [x]
    return made


HELD = []


def written_outside(x):
    HELD.append(set_in_a_plain_object(x))
    return HELD[-1]


@each(
    "function",
    [set_after_others, set_by_init, set_anew, set_in_a_plain_object, written_outside],
)
def test_attributes_of_results_are_in_the_order_of_their_setting(function):
    made, wanted = gs.compile(function)(2.0), function(2.0)
    assert list(vars(made).items()) == list(vars(wanted).items())
    if HELD:
        assert [list(vars(held)) for held in HELD] == [["b", "a"]] * len(HELD)
    HELD.clear()
