"""Every script of examples/ runs, and asserts the figures it shows."""

import ast
import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted(Path(__file__).parents[1].joinpath("examples").glob("*.py"))
OPTIONAL = {"matplotlib", "scipy", "sklearn"}


def imported_packages(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def is_assertion(node):
    """Tell whether a node is an assert statement or a call of one of NumPy's assertions."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr.startswith("assert_")
    return isinstance(node, ast.Assert)


def test_there_are_examples():
    assert EXAMPLES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, capsys):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree), f"{path.name} does not say what it shows"
    assert any(map(is_assertion, ast.walk(tree))), f"{path.name} asserts nothing"
    for package in sorted(OPTIONAL & set(imported_packages(tree))):
        pytest.importorskip(package)

    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out, f"{path.name} shows nothing"
