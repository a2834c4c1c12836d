"""`find_source`: the tree of the very function, at the user's lines and columns, or None."""

from __future__ import annotations

import ast
import doctest
import functools
import importlib.util
import linecache
import sys
import textwrap
from types import FunctionType

import numpy as np
import pytest

from gradsmith.frontend.source import find_source

pytestmark = pytest.mark.smoke


def text_of(function):
    """The source that was found, cut out of the file by the positions of the tree."""
    source = find_source(function)
    assert source is not None
    lines = "".join(linecache.getlines(source.file))
    return ast.get_source_segment(lines, source.node)


def defined(text, name="f", file="<ipython-input-7-0123456789ab>"):
    """What a notebook does: run a cell, and show its text to linecache under an invented name."""
    text = textwrap.dedent(text)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = {"np": np, "__name__": "__main__"}
    exec(compile(text, file, "exec"), namespace)
    return namespace[name]


def keep(function):
    return function


def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args) + 1

    return wrapper


def plain(x):
    """A docstring, and a constant that an assertion of pytest's would not change."""
    assert x > 0, "positive"
    return x * 2.5


@keep
@keep
def decorated(x):
    return x - 1


@logged
def wrapped(x):
    return x * 10


class Model:
    """Indented, with private names, defaults and zero-argument super."""

    scale = staticmethod(lambda x: 3 * x)

    def __init__(self, w):
        self.__w = w

    def predict(self, x):
        return self.__w * x

    @property
    def weight(self):
        return super().__getattribute__("_Model__w")

    @classmethod
    def one(cls):
        return cls(1)

    class Inner:
        def __private(self):
            return self.__dict__

        def method(self):
            def nested(x):
                return self.__private, x

            return nested


def outer(w):
    def inner(x):
        return w * x

    def recursive(n):
        return n and recursive(n - 1)

    return inner, recursive, (lambda x: x + w)


double, triple = (lambda x: 2 * x), (lambda x: 3 * x)
same_a, same_b = (lambda x: x + 1), (lambda x: x + 1)
as_int, as_float, as_true = (lambda: 1), (lambda: 1.0), (lambda: True)
nested_lambda = lambda a: lambda b: a + b  # noqa: E731
many = [lambda x, k=k: x**k for k in range(3)]
spread = keep(
    lambda x, y: (
        x
        + y
        - 1
    ),
)  # fmt: skip


def test_functions_as_users_define_them():
    assert text_of(plain).startswith("def plain(x):")
    assert text_of(Model.predict).endswith("return self.__w * x")
    assert text_of(Model.one.__func__).startswith("def one(cls):")
    assert text_of(Model.weight.fget).startswith("def weight(self):")
    assert text_of(Model.Inner().method()).startswith("def nested(x):")
    assert [text_of(f).split("(")[0] for f in outer(2)] == [
        "def inner",
        "def recursive",
        "lambda x: x + w",
    ]


def test_the_function_under_its_decorators():
    source = find_source(decorated)
    assert source.line == decorated.__code__.co_firstlineno == source.node.lineno - 2
    assert text_of(decorated) == "def decorated(x):\n    return x - 1"


def test_a_wrapper_is_not_looked_through():
    assert wrapped.__wrapped__ is not None
    assert text_of(wrapped).startswith("def wrapper(*args):")
    assert text_of(wrapped.__wrapped__).startswith("def wrapped(x):")


def test_lambdas_that_share_a_line():
    assert text_of(double) == "lambda x: 2 * x"
    assert text_of(triple) == "lambda x: 3 * x"
    assert [text_of(f) for f in (as_int, as_float, as_true)] == [
        "lambda: 1",
        "lambda: 1.0",
        "lambda: True",
    ]
    assert text_of(nested_lambda) == "lambda a: lambda b: a + b"
    assert text_of(nested_lambda(1)) == "lambda b: a + b"
    assert text_of(many[2]) == "lambda x, k=k: x**k"
    assert text_of(Model.scale) == "lambda x: 3 * x"


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 keeps no columns")
def test_equal_lambdas_are_told_apart_by_their_columns():
    first, second = find_source(same_a), find_source(same_b)
    assert first.node.col_offset < second.node.col_offset


def test_a_lambda_over_several_lines():
    assert text_of(spread).split() == ["lambda", "x,", "y:", "(", "x", "+", "y", "-", "1", ")"]


def test_private_names_know_their_class():
    assert find_source(Model.predict).owner == "Model"
    assert find_source(Model.Inner().method()).owner == "Inner"
    assert find_source(plain).owner is None


def test_spans_count_characters():
    f = defined("def f(x):\n    é = 'ü'; y = x + é\n    return y\n")
    source = find_source(f)
    addition = source.node.body[1].value
    assert source.span(addition).expression == "x + é"
    assert source.span(addition).function == "f"


def test_notebook_cells():
    f = defined("import numpy as np\n\n\ndef f(x):\n    return np.sin(x)\n")
    assert text_of(f) == "def f(x):\n    return np.sin(x)"
    again = defined("def f(x):\n    return 2 * x\n")
    assert text_of(again) == "def f(x):\n    return 2 * x"
    assert find_source(f) is None  # its cell was overwritten


def test_doctests():
    examples = """
    >>> def f(x):
    ...     return x * 2
    >>> find_source(f).node.name, find_source(lambda x: x).node.body.id
    ('f', 'x')
    """
    test = doctest.DocTestParser().get_doctest(examples, globals().copy(), "example", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_no_source():
    namespace = {}
    exec("def f(x):\n    return x", namespace)
    assert find_source(namespace["f"]) is None
    for function in (
        len,
        np.sin,
        np.ndarray.sum,
        functools.partial(plain),
        Model,
        Model(1).predict,
        3,
    ):
        assert find_source(function) is None


def test_code_under_a_false_name():
    """Libraries that make functions by `exec` like to give them the file of another."""
    namespace = {}
    line = plain.__code__.co_firstlineno
    text = "\n" * (line - 1) + "def plain(x):\n    assert x > 0, 'positive'\n    return x * 3.5\n"
    exec(compile(text, __file__, "exec"), namespace)
    assert find_source(namespace["plain"]) is None


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Write a module, and import it."""

    def write(text):
        (tmp_path / "edited.py").write_text(text)

    def load():
        spec = importlib.util.spec_from_file_location("edited", tmp_path / "edited.py")
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        return loaded

    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    linecache.clearcache()
    return write, load


def test_a_file_that_was_edited_since(module):
    write, load = module
    write("def f(x):\n    return x * 2\n\n\ndef g(x):\n    return x\n")
    loaded = load()
    write("def f(x):\n    return x * 3\n\n\ndef g(x):\n    return x\n")
    assert find_source(loaded.f) is None
    assert text_of(loaded.g) == "def g(x):\n    return x"  # untouched, and where it was


def test_a_file_that_was_edited_and_loaded_again(module):
    write, load = module
    write("def f(x):\n    return x * 2\n")
    old = load()
    assert text_of(old.f).endswith("x * 2")
    write("import math\n\n\ndef f(x):\n    return math.sin(x)\n")
    assert text_of(load().f).endswith("math.sin(x)")


def test_a_broken_file(module):
    write, load = module
    write("def f(x):\n    return x * 2\n")
    loaded = load()
    write("def f(x:\n    return x * 2\n")
    assert find_source(loaded.f) is None


def test_functions_of_one_file_share_its_tree():
    assert find_source(plain).node is find_source(plain).node


@pytest.mark.skipif(sys.version_info < (3, 12), reason="the syntax is new in Python 3.12")
def test_generic_functions():
    f = defined("def f[T](x: T) -> T:\n    y: T = x\n    return (y, T)\n")
    assert text_of(f).startswith("def f[T](x: T)")


def test_the_standard_library():
    """Each function of some modules is found, where Python says that it is."""
    for module in (ast, doctest, functools, textwrap, linecache):
        functions = [f for f in vars(module).values() if isinstance(f, FunctionType)]
        assert functions
        for function in functions:
            assert find_source(function).line == function.__code__.co_firstlineno
