"""Loaded code: tracebacks, `inspect` and pdb know its lines."""

from __future__ import annotations

import inspect
import io
import linecache
import pdb
import traceback

import numpy as np
import pytest

from gradsmith.codegen.load import load

TEXT = '''\
import numpy as np

_TABLE = np.array([1.0, 2.0])


def picked(x, i):
    """Under test."""
    # line 3: y = x[i]
    y = x[i]
    return y * _TABLE
'''


def test_the_function_of_the_module_is_loaded():
    function = load(TEXT, "picked")
    np.testing.assert_array_equal(function(np.array([3.0, 4.0]), [1, 0]), [4.0, 6.0])
    assert function.__doc__ == "Under test."


def test_tracebacks_show_the_emitted_line():
    function = load(TEXT, "picked")
    with pytest.raises(IndexError) as caught:
        function(np.ones(2), 5)
    frame = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (frame.name, frame.lineno, frame.line) == ("picked", 9, "y = x[i]")
    assert "y = x[i]" in "".join(traceback.format_exception(caught.value))


def test_lines_outlive_a_check_of_the_cache():
    function = load(TEXT, "picked")
    linecache.checkcache()
    assert "".join(linecache.getlines(function.__code__.co_filename)) == TEXT


def test_inspect_finds_the_source():
    function = load(TEXT, "picked")
    assert inspect.getsource(function) == TEXT[TEXT.index("def ") :]


def test_functions_of_one_name_have_files_of_their_own():
    first, second = load(TEXT, "picked"), load(TEXT.replace("y * ", "y + "), "picked")
    assert first.__code__.co_filename != second.__code__.co_filename
    assert "y * _TABLE" in inspect.getsource(first)
    assert "y + _TABLE" in inspect.getsource(second)


def test_loaded_modules_share_nothing():
    first, second = load(TEXT, "picked"), load(TEXT, "picked")
    assert first.__globals__ is not second.__globals__
    assert first.__module__ == "gradsmith.emitted.picked"


def test_pdb_steps_through_the_emitted_lines(monkeypatch):
    function = load(TEXT, "picked")
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    commands = io.StringIO("list\nnext\nnext\np y\ncontinue\n")
    shown = io.StringIO()
    debugger = pdb.Pdb(stdin=commands, stdout=shown, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    result = debugger.runcall(function, np.array([3.0, 4.0]), [1, 0])
    np.testing.assert_array_equal(result, [4.0, 6.0])
    seen = shown.getvalue()
    assert "-> y = x[i]" in seen
    assert "-> return y * _TABLE" in seen
    assert "array([4., 3.])" in seen
    assert "# line 3: y = x[i]" in seen
