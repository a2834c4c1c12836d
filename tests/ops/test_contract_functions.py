"""Products of arrays on nodes against NumPy: values, the ops they become, gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradsmith as gs
from gradsmith.errors import ShapeError, UnsupportedError
from gradsmith.ops.declare import FUNCTIONS
from gradsmith.ops.index import read
from helpers import each, peer
from ops.differences import check, gnp, gradient_graph, gradients
from ops.harness import run, traced

_random = np.random.default_rng(11)
Shape = tuple[int, ...]


def real(*shape: int) -> Any:
    """Multiples of 1/8: their products and sums are exact, in whatever order they are taken."""
    return np.round(8 * _random.normal(size=shape)) / 8


def complex_(*shape: int) -> Any:
    return real(*shape) + 1j * real(*shape)


def pair(left: Shape, right: Shape, kind: str) -> tuple[Any, Any]:
    """Operands of these shapes."""
    make = complex_ if kind == "complex128" else real
    x, y = make(*left), make(*right)
    if kind == "mixed":
        return x, complex_(*right)
    if kind in ("float64", "complex128"):
        return x, y
    return (4 * x).astype(kind), (4 * y).astype(kind)


def matches(function: Any, *arrays: Any, **options: Any) -> None:
    expected = np.asarray(function(*arrays, **options))
    (actual,) = run(lambda *nodes: FUNCTIONS[function](*nodes, **options), *arrays)
    assert np.asarray(actual).dtype == expected.dtype
    np.testing.assert_array_equal(np.asarray(actual), expected, strict=True)


KINDS = ["float64", "float32", "complex128", "mixed", "int64", "int8", "bool", "float16"]
SMOOTH_KINDS = ["float64", "complex128", "mixed"]

MATMUL: list[tuple[Shape, Shape]] = [
    ((4,), (4,)),
    ((3, 4), (4,)),
    ((4,), (4, 2)),
    ((3, 4), (4, 2)),
    ((5, 3, 4), (4,)),
    ((4,), (5, 4, 2)),
    ((4,), (2, 5, 4, 3)),
    ((5, 3, 4), (4, 2)),
    ((3, 4), (5, 4, 2)),
    ((5, 3, 4), (5, 4, 2)),
    ((5, 1, 3, 4), (2, 4, 2)),
    ((1, 3, 4), (5, 4, 2)),
    ((2, 5, 3, 4), (4, 2)),
    ((1, 4), (4, 1)),
    ((3, 1), (1, 2)),
    ((5, 3, 1), (5, 1, 2)),
    ((1,), (1,)),
    ((0, 3), (3, 2)),
    ((3, 0), (0, 2)),
    ((0,), (0,)),
]


@each("shapes", MATMUL, ids=str)
@each("kind", KINDS)
def test_matmul(shapes: tuple[Shape, Shape], kind: str) -> None:
    x, y = pair(*shapes, kind)
    matches(np.matmul, x, y)
    expected = x @ y
    (actual,) = run(lambda a, b: a @ b, x, y)
    np.testing.assert_array_equal(actual, expected, strict=True)


@each("shapes", MATMUL, ids=str)
@each("kind", SMOOTH_KINDS)
def test_gradients_of_matmul(shapes: tuple[Shape, Shape], kind: str) -> None:
    check(gnp.matmul, *pair(*shapes, kind))


@each("shapes", [((3,), (4,)), ((2, 3), (2, 3)), ((), (3,)), ((2, 3, 4), (5, 4, 2))])
def test_matmul_refuses(shapes: tuple[Shape, Shape]) -> None:
    x, y = np.ones(shapes[0]), np.ones(shapes[1])
    with pytest.raises(ValueError):  # noqa: PT011  NumPy's own words
        np.matmul(x, y)
    with pytest.raises(ShapeError, match=r"matmul|broadcast"):
        traced(gnp.matmul, [x, y])


DOT: list[tuple[Shape, Shape]] = [
    ((4,), (4,)),
    ((3, 4), (4,)),
    ((4,), (4, 2)),
    ((3, 4), (4, 2)),
    ((2, 3, 4), (4,)),
    ((4,), (2, 4, 3)),
    ((2, 3, 4), (4, 5)),
    ((3, 4), (2, 4, 5)),
    ((2, 3, 4), (5, 4, 2)),
    ((), (2, 3)),
    ((2, 3), ()),
    ((), ()),
    ((0, 3), (3, 2)),
]


@each("shapes", DOT, ids=str)
@each("kind", KINDS)
def test_dot(shapes: tuple[Shape, Shape], kind: str) -> None:
    matches(np.dot, *pair(*shapes, kind))


@each("shapes", DOT, ids=str)
@each("kind", SMOOTH_KINDS)
def test_gradients_of_dot(shapes: tuple[Shape, Shape], kind: str) -> None:
    check(gnp.dot, *pair(*shapes, kind))


STEPPED: dict[str, Callable[[Any], Any]] = {
    "reversed": lambda x: x[::-1],
    "flipped": np.flip,
    "every second": lambda x: x[..., ::2],
    "part of reversed": lambda x: x[::-1][1:-1],
}


@pytest.mark.parametrize("view", STEPPED)
@pytest.mark.parametrize("function", [np.dot, np.inner, np.vdot, np.matmul])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_products_of_views_with_steps(view: str, function: Any, dtype: Any) -> None:
    """To the bit: BLAS takes some of them, ``@`` sums others itself, in another order."""
    step = STEPPED[view]
    x, matrix = (_random.normal(size=shape).astype(dtype) for shape in ((31,), (31, 31)))

    def products(a: Any, b: Any) -> Any:
        left = step(b) if function is np.inner else step(b).T
        return function(step(a), step(a).copy()), function(left, step(b))

    for found, expected in zip(gs.compile(products)(x, matrix), products(x, matrix), strict=True):
        np.testing.assert_array_equal(found, expected)


INNER: list[tuple[Shape, Shape]] = [
    ((4,), (4,)),
    ((3, 4), (4,)),
    ((3, 4), (2, 4)),
    ((4,), (2, 3, 4)),
    ((2, 3, 4), (5, 4)),
    ((2, 3, 4), (5, 2, 4)),
    ((), (3,)),
]


@each("shapes", INNER, ids=str)
@each("kind", KINDS)
def test_inner(shapes: tuple[Shape, Shape], kind: str) -> None:
    matches(np.inner, *pair(*shapes, kind))


@each("shapes", [((3,), (4,)), ((2, 3), (4,)), ((), (3,)), ((0,), (3,))])
@each("kind", KINDS)
def test_outer_and_kron(shapes: tuple[Shape, Shape], kind: str) -> None:
    x, y = pair(*shapes, kind)
    matches(np.outer, x, y)
    matches(np.kron, x, y)


@each("shapes", [((2, 3), (3, 2)), ((2,), (3, 2)), ((2, 3, 2), (2, 2)), ((), ())])
def test_kron(shapes: tuple[Shape, Shape]) -> None:
    x, y = pair(*shapes, "complex128")
    matches(np.kron, x, y)
    check(gnp.kron, x, y)


VECDOT: list[tuple[Shape, Shape, dict[str, Any]]] = [
    ((4,), (4,), {}),
    ((3, 4), (4,), {}),
    ((2, 3, 4), (3, 4), {}),
    ((2, 1, 4), (3, 4), {}),
    ((4, 3), (4, 2, 3), {"axis": 0}),
    ((0, 4), (4,), {}),
]


@each(("left", "right", "options"), VECDOT)
@each("kind", KINDS)
def test_vecdot(left: Shape, right: Shape, options: dict[str, Any], kind: str) -> None:
    x, y = pair(left, right, kind)
    if options:
        x = x[:, None]
    matches(np.vecdot, x, y, **options)
    if kind in SMOOTH_KINDS:
        check(lambda a, b: gnp.vecdot(a, b, **options), x, y)


@each("shapes", [((4,), (4,)), ((2, 3), (6,)), ((2, 3), (3, 2)), ((), ())])
@each("kind", KINDS)
def test_vdot(shapes: tuple[Shape, Shape], kind: str) -> None:
    x, y = pair(*shapes, kind)
    matches(np.vdot, x, y)
    if kind in SMOOTH_KINDS:
        check(gnp.vdot, x, y)


TENSORDOT: list[tuple[Shape, Shape, Any]] = [
    ((3, 4), (4, 2), 1),
    ((3, 4), (3, 4), 2),
    ((3, 4), (4, 3), ((0, 1), (1, 0))),
    ((3, 4), (3, 2), (0, 0)),
    ((3, 4), (2, 4), ((1,), (1,))),
    ((4, 3), (2, 4), ([0], [1])),
    ((2, 3, 4), (3, 4, 5), 2),
    ((2, 3, 4), (4, 3, 5), ((2, 1), (0, 1))),
    ((2, 3, 4), (5, 2), ((0,), (-1,))),
    ((2, 3, 4), (2, 3, 4), 3),
    ((2, 3), (4,), 0),
    ((4,), (4,), 1),
    ((2, 3, 4), (3,), (1, 0)),
    ((0, 3), (3, 2), 1),
]


@each(("left", "right", "axes"), TENSORDOT)
@each("kind", KINDS)
def test_tensordot(left: Shape, right: Shape, axes: Any, kind: str) -> None:
    x, y = pair(left, right, kind)
    matches(np.tensordot, x, y, axes=axes)
    if kind in SMOOTH_KINDS:
        check(lambda a, b: gnp.tensordot(a, b, axes), x, y)


@each("axes", [1, 3, ((0,), (0, 1)), ((0, 1), (0, 1))])
def test_tensordot_refuses(axes: Any) -> None:
    x, y = np.ones((2, 3)), np.ones((2, 4))
    with pytest.raises((ValueError, IndexError)):
        np.tensordot(x, y, axes)
    with pytest.raises(ShapeError):
        traced(lambda a, b: gnp.tensordot(a, b, axes), [x, y])


@each(
    ("left", "right", "options"),
    [
        ((3,), (3,), {}),
        ((4, 3), (3,), {}),
        ((4, 1, 3), (2, 3), {}),
        ((3, 4), (3, 4), {"axis": 0}),
        ((3, 4), (4, 3), {"axisa": 0, "axisb": 1, "axisc": 0}),
    ],
)
def test_cross(left: Shape, right: Shape, options: dict[str, Any]) -> None:
    x, y = pair(left, right, "complex128")
    matches(np.cross, x, y, **options)
    check(lambda a, b: gnp.cross(a, b, **options), x, y)


@pytest.mark.filterwarnings("ignore:Arrays of 2-dim:DeprecationWarning")
def test_cross_in_the_plane() -> None:
    x, y = real(4, 2), real(2)
    matches(np.cross, x, y)
    check(gnp.cross, x, y)
    with pytest.raises(UnsupportedError, match="append a third"):
        traced(gnp.cross, [x, real(3)])
    with pytest.raises(ShapeError, match="4 and 4 components"):
        traced(gnp.cross, [real(4), real(4)])


@each(
    ("shape", "options"),
    [
        ((3, 3), {}),
        ((3, 4), {"offset": 1}),
        ((4, 3), {"offset": -2}),
        ((3, 4), {"offset": 9}),
        ((2, 3, 4), {}),
        ((2, 3, 4), {"axis1": -1, "axis2": 0, "offset": 1}),
        ((3, 3), {"dtype": np.complex128}),
    ],
)
def test_trace(shape: Shape, options: dict[str, Any]) -> None:
    for array in (real(*shape), (9 * real(*shape)).astype(np.int8), real(*shape) > 0):
        matches(np.trace, array, **options)
    check(lambda x: gnp.trace(x, **options), complex_(*shape))


@pytest.mark.parametrize("shapes", [((3, 4), (4, 5), (5, 2)), ((4,), (4, 5), (5, 2), (2,))])
def test_multi_dot(shapes: tuple[Shape, ...]) -> None:
    arrays = [real(*shape) for shape in shapes]
    (actual,) = run(lambda *nodes: gnp.linalg.multi_dot(nodes), *arrays)
    np.testing.assert_allclose(actual, np.linalg.multi_dot(arrays), rtol=1e-12)
    check(lambda *nodes: gnp.linalg.multi_dot(nodes), *arrays)


@pytest.mark.skipif(not hasattr(np, "matvec"), reason="NumPy 2.2")
@pytest.mark.parametrize("kind", ["float64", "complex128"])
def test_matvec_and_vecmat(kind: str) -> None:
    for left, right in (((3, 4), (4,)), ((2, 3, 4), (4,)), ((3, 4), (2, 4)), ((2, 3, 4), (2, 4))):
        x, y = pair(left, right, kind)
        matches(np.matvec, x, y)
        check(gnp.matvec, x, y)
    for left, right in (((3,), (3, 4)), ((3,), (2, 3, 4)), ((2, 3), (3, 4)), ((2, 3), (2, 3, 4))):
        x, y = pair(left, right, kind)
        matches(np.vecmat, x, y)
        check(gnp.vecmat, x, y)


def test_the_array_api() -> None:
    x, y, z = real(2, 3, 3), real(2, 3, 3), real(3)
    matches(np.linalg.matmul, x, y)
    matches(np.linalg.vecdot, x, y, axis=1)
    matches(np.linalg.cross, x, y, axis=1)
    matches(np.linalg.outer, z, z)
    matches(np.linalg.trace, x, offset=1)
    matches(np.linalg.diagonal, x, offset=-1)
    matches(np.linalg.tensordot, x, y, axes=((1, 2), (2, 1)))
    with pytest.raises(ShapeError, match="one-dimensional"):
        traced(gnp.linalg.outer, [x, z])


# -- einsum --------------------------------------------------------------------------------------

SIZES = dict(zip("abcdefghijklq", (2, 3, 2, 3, 2, 3, 2, 2, 3, 4, 2, 3, 3), strict=True))
TABLE = """
    ij,jk->ik  ij,kj->ik  ij,kj->ki  ji,jk  ij,jk->ki  ij,jk  ij,ij->  ij,ji->  ij,ij->i  ij,ij->j
    ij,ij->ij  i,j->ij  i,j->ji  i,i->  ij,j->i  ij,i->j  ij,j->ij  ij,i->ij  ij,j->  ij,kl->jl
    ij,kl->ijkl  ij,kl->  i,jk->jik  i,ij  bij,bjk->bik  bij,bkj->bik  bij,bj->bi  bij,bi->bj
    bij,bj->ib  bij,bij->b  bij,bij->j  bij,bij->bj  bij,bij->  bij,jk->bik  bij,jk->kbi
    bij,kj->bik  bij,ki->bkj  bij,ik->bkj  bij,bk->ijk  bij,b->ij  bij,i->bj  bij,j->bi  bi,bij->bj
    abcd,cdef->abef  abcd,bdef->acef  abcd,abef->abcf  abcd,cdab->  abcd,abcd->dc
    bhqd,bhkd->bhqk  bqhd,bkhd->bhqk  bhqk,bkhd->bqhd
    ii->i  ii  ii->  ij->ji  ji  ij->  ij->j  ijk->kj  iij->j  iji->ij  iii->i  iij,jk->ik  bii->bi
    ij,jk,kl->il  i,ij,j->  ij,jk,ki->  i,i,i->i  i,i,i->  ij,kj,lj->ikl  a,ab,bc,cd->d
    ij,ik,il->jkl  abc,cba->abc  abc,abc->cb  ab,ab,c->c  ab,bc,cd,de,ea->
    ...ij,...jk->...ik  ...i->...  ...i->i...  ...  ...ij,j->...i  ij...,jk...->ik...  ...,...->...
    i...,i...->...  ...ii->...i  ,i->i  ,->  i,->i  ...,->...
"""
EINSUM = TABLE.split()


def einsum_operands(subscripts: str, make: Any) -> list[Any]:
    terms = subscripts.partition("->")[0].split(",")
    dots = (2, 3)
    shapes = []
    for term in terms:
        head, found, tail = term.partition("...")
        middle = dots if found else ()
        shapes.append((*(SIZES[s] for s in head), *middle, *(SIZES[s] for s in tail)))
    return [np.asarray(make(*shape)) for shape in shapes]


@each("kind", ["float64", "complex128", "int8", "bool", "float32"])
@pytest.mark.parametrize("subscripts", EINSUM)
def test_einsum(subscripts: str, kind: str) -> None:
    make = complex_ if kind == "complex128" else real
    operands = [(2 * o).astype(kind) for o in einsum_operands(subscripts, make)]
    expected = np.einsum(subscripts, *operands)
    (actual,) = run(lambda *nodes: gnp.einsum(subscripts, *nodes), *operands)
    assert np.asarray(actual).dtype == np.asarray(expected).dtype
    np.testing.assert_array_equal(actual, expected)


@each("kind", ["real", "complex"])
@pytest.mark.parametrize("subscripts", EINSUM)
def test_gradients_of_einsum(subscripts: str, kind: str) -> None:
    operands = einsum_operands(subscripts, complex_ if kind == "complex" else real)
    check(lambda *nodes: gnp.einsum(subscripts, *nodes), *operands)


class Sliced:
    """A node that takes slices as an array does."""

    def __init__(self, node: Any) -> None:
        self.node = node

    def __getitem__(self, key: Any) -> Any:
        return read(self.node, key)


def _einsum_on_nodes(*operands: Any, **options: Any) -> Any:
    nodes = [o.node if isinstance(o, Sliced) else o for o in operands]
    return gnp.einsum(*nodes, **options)


@each(
    "call",
    [
        lambda f, x, y: f(x, [0, 1], y, [1, 2], [0, 2]),
        lambda f, x, y: f(x, [3, 1], y, [1, 0]),
        lambda f, x, y: f(x, [..., 1], y[:, :1], [1, ...]),
        lambda f, x, y: f(x, [0, 1], y, [1, 30], [30, 0]),
        lambda f, x, y: f(" i j , j k -> k i ", x, y),
        lambda f, x, y: f("ij,jk", x, y, optimize="optimal"),
        lambda f, x, y: f("ij,jk->ik", x, y, optimize=True, dtype=complex),
        lambda f, x, y: f("ij,jk->ik", x, y[:1]),
        lambda f, x, y: f("ij,ij->ij", x, x[:1]),
        lambda f, x, y: f("ij,ij->j", x[:1], x),
        lambda f, x, y: f("Ba,ab->Bb", x, y),
        lambda f, x, y: f("Ba,ab", x, y),
    ],
)
def test_einsum_notations(call: Any) -> None:
    x, y = real(3, 4), real(4, 2)
    with np.errstate(all="ignore"):
        expected = call(np.einsum, x, y)

    (actual,) = run(lambda a, b: call(_einsum_on_nodes, Sliced(a), Sliced(b)), x, y)
    np.testing.assert_allclose(actual, expected, rtol=1e-12)
    assert np.asarray(actual).dtype == np.asarray(expected).dtype


@each(
    ("subscripts", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (4, 2)]),
        ("ij,jk->ik", [(2, 3)]),
        ("ij->i", [(2, 3, 4)]),
        ("ij->k", [(2, 3)]),
        ("ij->ii", [(2, 3)]),
        ("...j->j", [(2, 3)]),
        ("ii->i", [(2, 3)]),
        ("i1->i", [(2, 3)]),
    ],
)
def test_einsum_refuses(subscripts: str, shapes: list[Shape]) -> None:
    arrays = [np.ones(shape) for shape in shapes]
    with pytest.raises(ValueError):  # noqa: PT011  NumPy's own words
        np.einsum(subscripts, *arrays)
    with pytest.raises(ShapeError, match="einsum"):
        traced(lambda *nodes: gnp.einsum(subscripts, *nodes), arrays)


# -- which ops they become -----------------------------------------------------------------------

MATMULS = {"ij,jk->ik": 1, "ij,kj->ik": 1, "bij,bjk->bik": 1, "ij,j->i": 1, "bhqd,bhkd->bhqk": 1}


LIE_BADLY = [
    *("ij,ij->j", "bij,bij->j", "bij,bij->bj"),
    *("abcd,abcd->dc", "abc,abc->cb", "i...,i...->..."),
]


@each("subscripts", EINSUM)
def test_einsum_hardly_stays(subscripts: str) -> None:
    """Forward and backward, only sums over an axis that lies badly are left to np.einsum."""
    operands = einsum_operands(subscripts, real)
    seed = np.asarray(np.einsum(subscripts, *operands))
    graph = gradient_graph(lambda *nodes: gnp.einsum(subscripts, *nodes), operands, [seed])
    names = [node.op.name for node in graph.nodes]
    assert "einsum" not in names or subscripts in LIE_BADLY
    if subscripts in MATMULS:
        forward, _ = traced(lambda *nodes: gnp.einsum(subscripts, *nodes), operands)
        assert [n.op.name for n in forward.nodes if n.op.name != "transpose"] == ["matmul"]


# -- the peers -----------------------------------------------------------------------------------


@each(
    ("ours", "theirs", "shapes"),
    [
        (gnp.matmul, "matmul", [(5, 3, 4), (4, 2)]),
        (gnp.matmul, "matmul", [(4,), (5, 4, 2)]),
        (gnp.vecdot, "linalg.vecdot", [(3, 4), (3, 4)]),
        (gnp.vdot, "vdot", [(4,), (4,)]),
        (gnp.inner, "inner", [(2, 4), (3, 4)]),
        (gnp.outer, "outer", [(4,), (3,)]),
        (gnp.kron, "kron", [(2, 3), (3, 2)]),
        (gnp.trace, "trace", [(3, 3)]),
        (gnp.cross, "linalg.cross", [(4, 3), (4, 3)]),
        (lambda x, y: gnp.tensordot(x, y, 2), "tensordot", [(2, 3, 4), (3, 4, 5)]),
    ],
)
def test_against_torch(ours: Any, theirs: str, shapes: list[Shape]) -> None:
    torch = peer("torch")
    arrays = [complex_(*shape) for shape in shapes]
    leaves = [torch.tensor(array, requires_grad=True) for array in arrays]
    function = torch
    for part in theirs.split("."):
        function = getattr(function, part)
    output = function(*leaves)
    seed = np.asarray(complex_(*output.shape))[()]
    expected = torch.autograd.grad(output, leaves, torch.tensor(seed))
    for actual, wanted in zip(gradients(ours, arrays, [seed]), expected, strict=True):
        np.testing.assert_allclose(actual, wanted.resolve_conj().numpy(), rtol=1e-12, atol=1e-13)


@each("subscripts", [s for s in EINSUM if "..." not in s])
def test_einsum_against_torch(subscripts: str) -> None:
    torch = peer("torch")
    arrays = einsum_operands(subscripts, complex_)
    leaves = [torch.tensor(array, requires_grad=True) for array in arrays]
    output = torch.einsum(subscripts, *leaves)
    seed = np.asarray(complex_(*output.shape))[()]
    expected = torch.autograd.grad(output, leaves, torch.tensor(seed))
    found = gradients(lambda *nodes: gnp.einsum(subscripts, *nodes), arrays, [seed])
    for actual, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(actual, wanted.resolve_conj().numpy(), rtol=1e-12, atol=1e-12)


PRODUCTS = {
    "dot": lambda x, y: x.dot(y),
    "inner": lambda x, y: np.inner(x, y.T),
    "vdot": lambda x, y: np.vdot(x, y) if x.shape == y.shape else x.dot(y),
    "tensordot": lambda x, y: np.tensordot(x, y, 1),
    "multi_dot": lambda x, y: np.linalg.multi_dot([x, y]),
    "@": lambda x, y: x @ y,
}
SHAPES = [((1,), (1,)), ((3,), (3,)), ((1, 1), (1, 1)), ((2, 1), (1,)), ((1,), (1, 2))]
SHAPES += [((3,), (3, 2)), ((2, 3), (3,)), ((2, 1), (1, 2)), ((0,), (0,))]


@pytest.mark.parametrize("product", PRODUCTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.int64])
def test_products_of_vectors_and_matrices_are_numpys_to_the_bit(product, dtype):
    function, rng = PRODUCTS[product], np.random.default_rng(0)
    compiled = gs.compile(function)
    for x, y in SHAPES:
        for draw in (rng.standard_normal, lambda shape: rng.choice([-0.0, 0.0, -1.0], shape)):
            for steps in (slice(None), slice(None, None, -1)):
                a, b = np.asarray(draw(x)).astype(dtype), np.asarray(draw(y)).astype(dtype)[steps]
                actual, expected = compiled(a, b), function(a, b)
                assert type(actual) is type(expected)
                assert actual.tobytes() == expected.tobytes(), (a, b)
