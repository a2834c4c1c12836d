"""Variable names: each once, never one that means something else."""

from __future__ import annotations

import builtins
import keyword
import time

from gradsmith.codegen.names import Names
from helpers import each


def test_a_free_name_is_given_as_wanted():
    assert Names().fresh("hidden") == "hidden"


def test_taken_names_are_numbered_from_two():
    names = Names()
    assert [names.fresh("t") for _ in range(4)] == ["t", "t_2", "t_3", "t_4"]


def test_numbers_that_are_taken_are_left_out():
    names = Names()
    names.reserve("t_2")
    assert [names.fresh("t") for _ in range(3)] == ["t", "t_3", "t_4"]
    assert names.fresh("t_2") == "t_2_2"


def test_reserved_names_are_given_to_nobody_else():
    names = Names()
    assert names.reserve("lambda_") == "lambda_"
    assert names.fresh("lambda") == "lambda_2"


@each("name", ["lambda", "class", "None", "sum", "len", "print", "np"])
def test_names_that_mean_something_get_an_underscore(name):
    names = Names()
    assert [names.fresh(name) for _ in range(3)] == [f"{name}_", f"{name}_2", f"{name}_3"]


@each(
    ("wanted", "given"),
    [
        ("params['w']", "params__w__"),
        ("x.real", "x_real"),
        ("2nd", "_2nd"),
        ("", "t"),
        ("λ", "λ"),
        ("größe", "größe"),
        ("a b-c", "a_b_c"),
    ],
)
def test_what_is_no_identifier_is_made_one(wanted, given):
    assert Names().fresh(wanted) == given


def test_every_name_is_an_identifier_and_new():
    names = Names()
    wanted = ["x", "x", "np", "np", "for", "1", "1", "g[0]", "x_2", "t", "_", "_", "x y", "x_y"]
    given = [names.fresh(w) for w in wanted * 3]
    assert len(set(given)) == len(given)
    for name in given:
        assert name.isidentifier()
        assert not keyword.iskeyword(name)
        assert not hasattr(builtins, name) or name == "_"
        assert name != "np"


def test_the_same_wishes_give_the_same_names():
    first, second = Names(), Names()
    wishes = ["t", "x", "t", "g_x", "x", "t"]
    assert [first.fresh(w) for w in wishes] == [second.fresh(w) for w in wishes]


def test_many_names_take_linear_time():
    names = Names()
    start = time.perf_counter()
    for _ in range(50_000):
        names.fresh("t")
    assert time.perf_counter() - start < 5
