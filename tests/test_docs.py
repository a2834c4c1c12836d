"""Every Python block of README.md and docs/ runs, and prints what its page says it prints.

The blocks of one page share a namespace, in order. What a block prints must equal the block
directly below it if that is tagged ``text`` or ``output``. A block tagged ``python no-run`` is
only compiled. To write what the blocks really print into the pages:

    python tests/test_docs.py --update
"""

from __future__ import annotations

import contextlib
import io
import linecache
import os
import re
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np
import pytest

from gradsmith.ops import library
from gradsmith.ops.declare import FUNCTIONS, OPS
from gradsmith.ops.stable import LOWERINGS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]

FENCED_BLOCK = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,})(?P<info>[^`\n]*)\n(?P<body>.*?)^ *(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Example:
    """A Python block, and the output block below it where there is one."""

    code: str
    filename: str
    is_run: bool
    output: re.Match[str] | None

    @property
    def expected(self) -> str | None:
        """What the page says that the block prints."""
        return self.output and trimmed(textwrap.dedent(self.output["body"]))

    def compile(self) -> CodeType:
        """Compile the code so that ``inspect.getsource`` finds it: gradsmith reads source."""
        lines = self.code.splitlines(keepends=True)
        # No modification time: linecache.checkcache then leaves the entry alone.
        linecache.cache[self.filename] = (len(self.code), None, lines, self.filename)
        return compile(self.code, self.filename, "exec", dont_inherit=True)

    def run(self, namespace: dict[str, Any]) -> str:
        """Execute the code and return what it prints."""
        stdout = io.StringIO()
        with contextlib.redirect_stdout(stdout):
            exec(self.compile(), namespace)
        return trimmed(stdout.getvalue())


def trimmed(text: str) -> str:
    """Remove white space at the end of each line, and empty lines around the whole."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def examples_of(text: str, name: str) -> list[Example]:
    """Find the Python blocks of a page; ``name`` makes their file names: ``docs/index_2.py``."""
    blocks = list(FENCED_BLOCK.finditer(text))
    examples: list[Example] = []
    for block, follower in zip(blocks, [*blocks[1:], None], strict=True):
        language, *flags = block["info"].split() or [""]
        if language == "python":
            filename = f"{name}_{len(examples) + 1}.py"
            code = textwrap.dedent(block["body"])
            output = follower if is_output_of(block, follower) else None
            examples.append(Example(code, filename, "no-run" not in flags, output))
    return examples


def is_output_of(block: re.Match[str], follower: re.Match[str] | None) -> bool:
    """Tell whether ``follower`` is an output block with only white space between the two."""
    if follower is None or follower["info"].strip() not in {"text", "output"}:
        return False
    return not block.string[block.end() : follower.start()].strip()


@contextlib.contextmanager
def own_ops() -> Iterator[None]:
    """Forget the ops that a page declares: the tests of all ops must not find them."""
    assert library.FAMILIES  # every op is declared by now, not first in a page
    tables: list[dict[Any, Any]] = [OPS, FUNCTIONS, LOWERINGS]
    before = [dict(table) for table in tables]
    try:
        yield
    finally:
        for table, entries in zip(tables, before, strict=True):
            table.clear()
            table.update(entries)


@contextlib.contextmanager
def page_namespace(name: str) -> Iterator[dict[str, Any]]:
    """Give a page a module (dataclasses look theirs up) and an empty working directory."""
    module = ModuleType(re.sub(r"\W", "_", name))
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as scratch, np.printoptions(), own_ops():
        os.chdir(scratch)
        sys.modules[module.__name__] = module
        try:
            yield vars(module)
        finally:
            del sys.modules[module.__name__]
            os.chdir(before)


def run_page(page: Path, root: Path = ROOT) -> Iterator[tuple[Example, str]]:
    """Run the examples of a page, and yield each with what it printed."""
    name = page.relative_to(root).with_suffix("").as_posix()
    with page_namespace(name) as namespace:
        for example in examples_of(page.read_text(encoding="utf-8"), name):
            if example.is_run:
                yield example, example.run(namespace)
            else:
                example.compile()


def update_page(page: Path, root: Path = ROOT) -> None:
    """Replace the output blocks of a page by what its examples print."""
    text = page.read_text(encoding="utf-8")
    # From the last to the first, so that the positions of the earlier blocks stay right.
    for example, printed in reversed(list(run_page(page, root))):
        if (output := example.output) is not None:
            body = textwrap.indent(f"{printed}\n" if printed else "", output["indent"])
            text = text[: output.start("body")] + body + text[output.end("body") :]
    page.write_text(text, encoding="utf-8")


def check_page(page: Path, root: Path = ROOT) -> None:
    """Compare what the examples of a page print with what the page says."""
    for example, printed in run_page(page, root):
        if example.expected is not None:
            assert printed == example.expected, f"{example.filename} prints something else"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_print_what_the_page_says(page: Path):
    check_page(page)


def test_readme_has_the_two_commands_that_ci_runs():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = [block for block in FENCED_BLOCK.finditer(readme) if block["info"] == "sh"]
    assert len(commands) == 2


SAMPLE = '''\
```python
import inspect
def double(x):
    """Twice ``x``."""
    return 2 * x
```

1. A block in a list shares the namespace:

   ```python
   print(double(4), inspect.getsource(double).splitlines()[-1])
   ```

   ```text
   8     return 2 * x
   ```

```python no-run
raise SystemExit
```
'''


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    page = tmp_path / "sample.md"
    page.write_text(SAMPLE, encoding="utf-8")
    return page


def test_blocks_share_a_namespace_and_have_source(sample: Path):
    check_page(sample, sample.parent)
    assert len(list(run_page(sample, sample.parent))) == 2


def test_wrong_output_is_found_and_updated(sample: Path):
    sample.write_text(SAMPLE.replace("8  ", "9\n\n   "), encoding="utf-8")
    with pytest.raises(AssertionError, match=r"sample_2\.py prints something else"):
        check_page(sample, sample.parent)
    update_page(sample, sample.parent)
    assert sample.read_text(encoding="utf-8") == SAMPLE


def test_code_that_does_not_compile_is_found(sample: Path):
    sample.write_text("```python no-run\nx = = 1\n```\n", encoding="utf-8")
    with pytest.raises(SyntaxError):
        check_page(sample, sample.parent)


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit(__doc__)
    for path in PAGES:
        update_page(path)
