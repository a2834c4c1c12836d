"""``a += b`` of objects that have no such method: Python's error names the operator as written."""

from control.one_object import check_calls, function_of
from helpers import each

BODY = """
class Plain:
    def __init__(self, v):
        self.v = v

class Declining(Plain):
    def __add__(self, other):
        return NotImplemented

    def __iadd__(self, other):
        return NotImplemented

found = []
for cls in (Plain, Declining):
    for swapped in (False, True):
        a, b = cls(x), OTHER
        if swapped:
            a, b = b, a
        try:
            a OPERATOR b
        except TypeError as error:
            found.append(str(error))
return found
"""


@each("other", ["2", "x", "'s'", "Plain(x)"])
def test_errors(other):
    for operator in ("+=", "-=", "*=", "/=", "//=", "%=", "**=", "<<=", "&=", "@="):
        body = BODY.replace("OTHER", other).replace("OPERATOR", operator)
        check_calls(function_of(body), (1.0,), (2.0,))


def test_names_that_are_made_of_arguments():
    body = "def g():\n    return 1\ng.__name__ = f'q{n}'\nreturn g.__name__"
    check_calls(function_of(body, "x, n"), (1.0, 1), (1.0, 2))
