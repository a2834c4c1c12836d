"""What the pages link to is there: files, and the tests that a row of a table is pinned by."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from pathlib import Path

from helpers import each

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
SOURCES = ROOT / "src" / "gradsmith"

LINK = re.compile(r"\[(?P<text>[^]]+)\]\((?P<target>[^)\s#]*)(?:#[^)\s]*)?\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
SOURCE_FILE = re.compile(r"`((?:\w+/)+(?:\w+\.py)?|\w+\.py)`")


def links(page: Path) -> list[tuple[str, str]]:
    """Text and target of every link to a file of the project."""
    prose = FENCED.sub("", page.read_text(encoding="utf-8"))
    found = [(link["text"], link["target"]) for link in LINK.finditer(prose)]
    return [(text, target) for text, target in found if target and "://" not in target]


@lru_cache
def functions_in(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return frozenset(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))


@each("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_linked_files_exist(page: Path):
    missing = [target for _, target in links(page) if not (page.parent / target).exists()]
    assert not missing


@each("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_linked_tests_exist(page: Path):
    prefixes = ("test_", "check_")  # a check is one of several that a test makes of a subject
    tests = [(text, target) for text, target in links(page) if text.startswith(prefixes)]
    missing = [
        f"{target}::{text}"
        for text, target in tests
        if text not in functions_in((page.parent / target).resolve())
    ]
    assert not missing


def test_every_row_of_the_semantics_names_its_tests():
    text = (ROOT / "docs" / "semantics.md").read_text(encoding="utf-8")
    pinned = text.partition("## Not yet")[0]
    rows = [line for line in pinned.splitlines() if line.startswith("| ")]
    bodies = [row for row in rows if not row.startswith(("| case ", "| --- "))]
    assert len(bodies) > 50
    assert [row for row in bodies if "](../tests/" not in row] == []


def test_files_that_the_design_names_exist():
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    named = set(SOURCE_FILE.findall(FENCED.sub("", text)))
    known = {file.name for file in SOURCES.rglob("*.py")}
    found = {n for n in named if n in known or any((at / n).exists() for at in (SOURCES, ROOT))}
    assert len(named) > 30
    assert named == found
