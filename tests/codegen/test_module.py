"""The emitted module: header, docstring, constants, parameters."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import numpy as np

from gradsmith.codegen.load import load
from gradsmith.codegen.module import module
from gradsmith.codegen.program import Argument, Program
from gradsmith.ops.index import read
from gradsmith.tree import LEAF, Tree
from helpers import each
from ops.graphs import program, traced

X = np.array([0.5, -1.25, 2.0])


def doubled(**changes: Any) -> Program:
    """A program that returns ``2 * p0``."""
    graph = traced(lambda x: [2 * x], [X]).graph
    return replace(program(graph), **changes)


def test_the_module_is_an_import_and_a_function():
    text = module(doubled(title="Twice.", notes=("p0: float64[n]",))).text
    assert text == (
        "import numpy as np\n\n\ndef function(p0):\n"
        '    """Twice.\n\n    p0: float64[n]\n    """\n    return (2 * p0,)\n'
    )


def test_a_docstring_without_notes_is_one_line():
    assert '    """Twice."""\n' in module(doubled(title="Twice.")).text


@each(
    "note",
    [
        'mode = \'a"""b\'',
        r"path = 'C:\\new\\table'",
        r"ends with a backslash \ ".strip(),
        'ends with a quote "',
        "mode = 'größe λ → 😀'",
        "x" * 300,
        "return 2 * x,",
        "_gradsmith_comment_0",
        "# no comment",
    ],
)
def test_whatever_a_note_says_is_what_the_docstring_says(note):
    text = module(doubled(title="Twice.", notes=(note, "", "Made here."))).text
    function = load(text, "function")
    assert function.__doc__.splitlines()[2].strip() == note
    np.testing.assert_array_equal(function(X)[0], 2 * X)


def test_constants_stand_above_the_function():
    table = np.array([1.5, 2.5])
    graph = traced(lambda x: [read(x, 0) * table], [X]).graph
    text = module(program(graph)).text
    assert "_CONSTANT = np.array([1.5, 2.5])\n\n\ndef function(p0):\n" in text
    np.testing.assert_array_equal(load(text, "function")(X)[0], X[0] * table)


def test_captured_values_are_keywords_with_defaults_for_numbers():
    graph = traced(lambda x, y, z: [x * y * z], [X, X, 0.5]).graph
    arguments = (
        Argument("p0"),
        Argument("p1", keyword_only=True),
        Argument("p2", keyword_only=True, default=-0.5),
    )
    text = module(replace(program(graph), arguments=arguments)).text
    assert "def function(p0, *, p1, p2=-0.5):\n" in text
    np.testing.assert_array_equal(load(text, "function")(X, p1=X)[0], X * X * -0.5)


def test_leaves_are_read_where_they_are_used():
    graph = traced(lambda x, y: [y + 1], [X, X]).graph
    reads = (("params", (("item", "w"),)), ("params", (("item", "b"),)))
    text = module(replace(program(graph), arguments=(Argument("params"),), reads=reads)).text
    assert "p1 = params['b']" in text
    assert "params['w']" not in text


def test_results_come_in_the_shape_of_the_tree():
    graph = traced(lambda x: [2 * x, x + 1, x - 1], [X]).graph
    tree = Tree(
        "dict",
        ("a", "b"),
        (LEAF, Tree("list", (0, 1, 2), (LEAF, LEAF, Tree("static", value=None)))),
    )
    function = load(module(replace(program(graph), result=tree)).text, "function")
    result = function(X)
    assert list(result) == ["a", "b"]
    np.testing.assert_array_equal(result["a"], 2 * X)
    assert isinstance(result["b"], list)
    assert result["b"][2] is None


def test_the_text_is_python_and_ends_with_a_newline():
    text = module(doubled()).text
    ast.parse(text)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert all(line == line.rstrip() for line in text.splitlines())
