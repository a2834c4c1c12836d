"""Lists and dicts that two variables share on some of the ways to a place."""

# ruff: noqa: SIM108

from __future__ import annotations

import numpy as np

import gradsmith as gs
from helpers import each

X = np.array([1.5, 2.0, -3.0, 4.0, 5.0, 6.0])


def rebound_or_written(x):
    s = {"m": x[1]}
    if x[0] > 0:
        s = {"m": x[0]}
    else:
        s["m"] = s["m"] * x[2]
    return s["m"]


def another_name_for_it(x):
    s = [x[1]]
    t = s
    if x[0] > 0:
        s = [x[0]]
    else:
        s[0] = s[0] * x[2]
    return s[0] + 100 * t[0]


def one_on_both_ways(x):
    if x[0] > 0:
        s = t = {"m": x[0]}
    else:
        s = t = {"m": x[1]}
    s["m"] = s["m"] * x[2]
    return t["m"]


def one_after_a_loop(x):
    for i in range(len(x)):
        s = {"m": x[i]}
        u = s
    u["m"] = x[0] * 7
    return s["m"]


def rebound_in_some_trips(x):
    s = {"m": x[1]}
    for i in range(len(x)):
        if i == 2:
            s = {"m": s["m"] + x[i]}
        else:
            s["m"] = s["m"] * x[i]
    return s["m"]


def only_read(x):
    params = {"a": x[0], "b": x[1]}
    p = dict(params) if x[2] > 0 else params
    return p["a"] * params["b"]


@each(
    "function",
    [
        *(rebound_or_written, another_name_for_it, one_on_both_ways, one_after_a_loop),
        *(rebound_in_some_trips, only_read),
    ],
)
def test_values(function):
    compiled = gs.compile(function)
    for x in (X, -X):
        assert compiled(x) == function(x)


def written_through_another(x):
    s, t = {"m": x[1]}, {"m": x[2]}
    if x[0] > 0:
        u = s
    else:
        u = t
    u["m"] = x[0] * 3
    return s["m"] * 10 + t["m"]


def the_first_is_written_to(x):
    out = [x[1]]
    if x[0] > 0:
        t = out
    else:
        t = [x[0]]
    out[0] = x[0] * x[0]
    return t[0]


def appended(x):
    out = []
    if x[0] > 0:
        t = out
    else:
        t = []
    t.append(x[0])
    return x[0] * len(out)


def kept_from_before_a_loop(x):
    s = [x[0]]
    kept = s
    for i in gs.loop(range(len(x))):
        s[0] = s[0] * x[i]
        s = [s[0] + 1.0]
    return kept[0] + s[0]


@each(
    "function",
    [written_through_another, the_first_is_written_to, appended, kept_from_before_a_loop],
)
def test_which_container_it_is_is_decided(function):
    compiled, gradient = gs.compile(function), gs.grad(function)
    for x in (X, -X, X):
        assert compiled(x) == function(x)
        slopes = [(function(x + e) - function(x - e)) / 2e-6 for e in 1e-6 * np.eye(len(x))]
        np.testing.assert_allclose(gradient(x), slopes, rtol=1e-5, atol=1e-6)
