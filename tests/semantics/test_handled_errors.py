"""What Python decides between: errors that a ``try`` handles, ends of loops over iterators."""

# Programs as users write them.
# ruff: noqa: B006

from __future__ import annotations

import contextlib
import decimal
import math
import operator

import numpy as np
import pytest

import gradsmith as gs
from helpers import each

NUMBERS = [(1.5, 2.0), (1.5, 0.0), (-1.5, 0.5), (1000.0, 1.0), (0.0, -2.0), (1.5, 2.0)]
ARRAYS = [([0.5, -1.2, 2.3],), ([0.5, 1.2, 0.3],), ([-0.5, 1.2],), ([0.5, -1.2, 2.3, 0.1],)]
CASES = {}


def case(arguments):
    def register(function):
        CASES[function.__name__] = function, arguments
        return function

    return register


@case(NUMBERS)
def quotient(x, y):
    try:
        return x / y
    except ZeroDivisionError:
        return x * 7


@case(NUMBERS)
def root_and_logarithm(x, y):
    total = 0.0
    for v in (x, y, x * y):
        try:
            total = total + math.log(v) * math.sqrt(v)
        except ValueError as error:
            total = total + v * len(str(error)[:3])
        finally:
            total = total * 1.5
    return total


@case(NUMBERS)
def overflow(x, y):
    try:
        return math.exp(x) * y
    except OverflowError:
        return x + y


@case(NUMBERS)
def suppressed(x, y):
    r = x
    with contextlib.suppress(ZeroDivisionError):
        r = x * 2
        if y <= 0:
            raise ZeroDivisionError
        r = x * 3
    return r


@case(NUMBERS)
def reraised(x, y):
    try:
        try:
            return math.sqrt(x) * y
        except ValueError as error:
            raise KeyError("negative") from error
    except KeyError:
        return x * y * 2


@case(NUMBERS)
def name_that_is_missing_on_a_path_not_taken(x, y):
    if x > 1e6:
        x = x * MISSING  # noqa: F821
    return x * y + (x if y < 1e6 else MISSING)  # noqa: F821


@case(NUMBERS)
def file_that_is_missing(x, y):
    try:
        if y <= 0:
            with open("/gradsmith/not/there") as file:  # noqa: PTH123
                x = x * float(file.read())
        return x * y
    except OSError:
        return x * 3


@case(ARRAYS)
def raised_else_finally(x):
    try:
        if x.sum() > 1.55:
            raise ValueError("large")
        r = x.sum() * 2
    except ValueError:
        r = x.sum() ** 2
    else:
        r = r + 1
    finally:
        r = r * 1.5
    return r


@case(ARRAYS)
def left_list(x):
    total = 0.0
    for v in [x[0], x[1] * 2, x[-1]]:
        total += v
        if v < 0:
            break
    else:
        total *= 2
    return total


@case(ARRAYS)
def left_dict(x):
    total = 0.0
    for name, v in {"a": x[0], "bb": x[1], "ccc": x[-1]}.items():
        total += v * len(name)
        if v < 0:
            return total * 3
    return total


@case(ARRAYS)
def left_generator(x):
    log = []

    def values():
        try:
            for v in x:
                yield v * v.sum()
        finally:
            log.append(1.0)

    total = 0.0
    for v in values():
        total += v
        if v > 1:
            break
        if v > 0.2:
            continue
        total *= 2
    return total * (1 + len(log))


@case(ARRAYS)
def left_iterator_of_a_class(x):
    class Pairs:
        def __init__(self):
            self.k = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.k += 1
            if self.k >= len(x):
                raise StopIteration
            return x[self.k - 1], x[self.k]

    total = 0.0
    for a, b in Pairs():
        total += a * b
        if b > 1:
            break
    return total


@case(ARRAYS)
def default_that_grows(x):
    def remembered(v, seen=[]):
        seen.append(v)
        return sum(seen)

    total = 0.0
    for v in x:
        total += remembered(v) * v
    return total + sum(remembered(v) for v in x)


@case(NUMBERS)
def statement_of_its_own(x, y):
    try:
        r = math.sqrt(x)
    except (ValueError, KeyError) as error:
        r = y * len(str(error))
    return r * y


@case(NUMBERS)
def each_error_has_its_handler(x, y):
    try:
        r = abs(x) ** (y * 200)
    except ZeroDivisionError as error:
        r = x + 2.0 * y * len(str(error))
    except OverflowError as error:
        r = x * 3.0 + len(str(error))
    return r + x


@case(NUMBERS)
def handled_around_the_other_try(x, y):
    try:
        try:
            r = math.sqrt(x) / y
        except ValueError:
            r = math.log(-x) * y
        else:
            r = r * 2
    except ZeroDivisionError:
        r = x * 4
    finally:
        y = y + 1
    return r + y * x


@case([(1.4, 2.0), (np.inf, 1.0), (np.nan, 0.5), (-2.6, 1.5), (1.4, 1e300)])
def whole_numbers(x, y):
    total = 0.0 * y
    for rounded in (int, round, math.floor, math.ceil):
        try:
            total += rounded(y * y) + rounded(x)
        except (ValueError, OverflowError) as error:
            total += y * len(str(error))
    return total


@case([(1.5, 3.0), (1.5, 200.0), (0.5, 2.0)])
def integers_that_are_too_large(x, y):
    try:
        return x * math.factorial(int(y))
    except OverflowError:
        return x * y


@case(NUMBERS)
def until_it_succeeds(x, y):
    count = 0
    while True:
        try:
            r = math.log(y) / x
            break
        except (ValueError, ZeroDivisionError):
            y, x, count = y + 0.7, x + 0.3, count + 1
    return r * count + y


@case([([1.0, 0.5, 2.0],), ([1.0, 0.0, 2.0],), ([0.25, 0.5],)])
def left_while_it_is_handled(x):
    found = []
    for v in x.tolist():
        try:
            found.append(1 / v)
        except ZeroDivisionError:
            break
        finally:
            found.append(v * v)
    return sum(found)


@case([([0.5, -1.2, 2.3], 1), ([0.5, 1.2, 0.3], 4), ([-0.5], 3), ([0.5, -1.2, 2.3], -4)])
def texts_of_numpys_errors(x, k):
    try:
        return x[k] * 2
    except IndexError as error:
        r = x[0] * len(str(error))
    try:
        return (x + np.ones(4)).sum()
    except ValueError as error:
        return r + x[0] * len(str(error))


@case([([0.5, -1.2],), ([1.0, 1.0, 0.5],), ([0.5, -1.3],), ([2.0, 2.0, 0.25],)])
def calls_without_a_rule(x):
    matrix = np.ones((3, 3)) if len(x) == 3 else np.eye(2)
    try:
        y = np.linalg.solve(matrix, np.ones(len(x)))
    except np.linalg.LinAlgError as error:
        return x.sum() * len(str(error))
    return x @ y


@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
@pytest.mark.parametrize("name", CASES)
def test_value_and_gradient(name):
    function, sets = CASES[name]
    both = gs.value_and_grad(function)
    for given in sets:
        arguments = [np.array(a) if isinstance(a, list) else a for a in given]
        expected = function(*arguments)
        with np.errstate(divide="ignore"):
            value, gradient = both(*arguments)
        assert value == expected
        first, *rest = arguments
        steps = 1e-6 * np.eye(np.size(first)).reshape(-1, *np.shape(first))
        steps = steps if np.ndim(first) else [1e-6]
        differences = [
            (function(first + h, *rest) - function(first - h, *rest)) / 2e-6 for h in steps
        ]
        if np.all(first != 0):  # where the root has a derivative
            np.testing.assert_allclose(np.ravel(gradient), differences, rtol=1e-5, atol=1e-6)


def test_errors_that_numpy_is_told_to_raise_are_handled():
    def f(x):
        with np.errstate(divide="raise"):
            try:
                return np.sum(1 / x)
            except FloatingPointError:
                return np.sum(x)

    gradient = gs.grad(f)
    for _ in range(2):
        np.testing.assert_array_equal(gradient(np.array([0.5, 1.0])), [-4.0, -1.0])
        np.testing.assert_array_equal(gradient(np.array([0.0, 1.0])), [1.0, 1.0])


class _KnowsNothing:
    pass


class _Declines:
    def __add__(self, other):
        return NotImplemented

    __lt__ = __add__


KNOWS_NOTHING, DECLINES = _KnowsNothing(), _Declines()


@each(
    ("function", "sets"),
    [
        (lambda x, y: x + y, [(0.5, 2.0), (0.5, None), (0.5, "a"), (0.5, [1.0]), (3, "a")]),
        (lambda x, y: x < y, [(0.5, 2.0), (1j, 2.0), (2.0, 1j), (1, 1j), (0.5, "a")]),
        (lambda x, y: decimal.Decimal(1) * x + y, [(0.5, 2.0)]),
        (lambda x, y: KNOWS_NOTHING + x, [(0.5, 2.0), (3, 2.0)]),
        (lambda x, y: x * KNOWS_NOTHING, [(0.5, 2.0), (3, 2.0)]),
        (lambda x, y: x < KNOWS_NOTHING, [(0.5, 2.0), (3, 2.0)]),
        (lambda x, y: DECLINES + x, [(0.5, 2.0), (3, 2.0)]),
        (lambda x, y: x > DECLINES, [(0.5, 2.0), (3, 2.0)]),
    ],
)
def test_texts_about_operands(function, sets):
    def f(x, y):
        try:
            return function(x, y)
        except TypeError as error:
            return str(error)

    compiled = gs.compile(f)
    for arguments in sets:
        assert compiled(*arguments) == f(*arguments)


def test_a_handler_is_not_taken_for_what_gradsmith_refuses():
    def f(n):
        try:
            return float(decimal.Decimal(2) * n)
        except TypeError:
            return 0.0

    try:
        assert gs.compile(f)(3) == 6.0
    except gs.GradsmithError as error:
        assert "Decimal" in str(error)  # noqa: PT017


def _of_a_list(x):
    table = [1.0, 2.0]
    try:
        return table[int(x)] * x
    except IndexError:
        return x * 10


def _of_an_array(x):
    table = np.array([1.0, 2.0, 3.0])
    try:
        return table[int(x)] * x
    except LookupError:
        return x * 10


def _of_a_matrix(x):
    table = np.arange(6.0).reshape(2, 3)
    try:
        return table[1, int(x)] * x + table[int(x), -1]
    except Exception:
        return x * 10


def _written(x):
    table = np.zeros(3)
    with contextlib.suppress(IndexError):
        table[int(x)] = x
    return np.sum(table) * x


def _after_a_loop(x):
    table, total = np.array([1.0, 2.0, 3.0]), 0.0
    try:
        for i in range(3):
            total += table[i] * table[i - 1]
        return table[int(x)] * total
    except (ValueError, IndexError):
        return total * x


def _found(x):
    table = np.array([1.0, 2.0, 3.0]) * x
    try:
        return table[np.argmax(table) + int(x)]
    except IndexError:
        return table[0]


@pytest.mark.filterwarnings("ignore::gradsmith.UnusedInputWarning")
@each("function", [_of_a_list, _of_an_array, _of_a_matrix, _written, _after_a_loop, _found])
def test_an_index_out_of_range_is_handled_in_later_calls(function):
    compiled, gradient = gs.compile(function), gs.grad(function)
    for x in (0.7, 1.2, 2.6, 3.6, -5.5, -1.3, 0.3):
        assert compiled(x) == function(x)
        slope = (function(x + 1e-6) - function(x - 1e-6)) / 2e-6
        assert gradient(x) == pytest.approx(slope, abs=1e-6)


def test_loops_in_a_try_that_handles_no_index_stay_loops():
    def f(x, places):
        total = 0.0
        try:
            for place in places:
                total += x[place]
        except ValueError:
            total = -1.0
        return total

    x, places = np.array([1.0, 2.0, 0.0, 1.0]), np.array([1, 2, 0, 3])
    compiled = gs.compile(f)
    assert len({compiled.source(x, places[:n]).count("\n") for n in (3, 4)}) == 1
    assert compiled(x, places) == f(x, places)


def _raised_under_finally(x):
    try:
        if x < 0:
            raise ValueError("negative")
        result = x * x
    finally:
        print("done", x)
    return result


def _raised_in_a_handler(x):
    try:
        result = math.sqrt(x)
    except ValueError:
        print("handled")
        raise KeyError("no root") from None
    else:
        print("fine")
    finally:
        print("done")
    return result * 2


def _raised_in_a_function_called(x):
    def checked(v):
        if v > 2:
            raise OverflowError(f"{v} is too much")
        return v * 3

    total = 0.0
    for k in range(3):
        try:
            total = total + checked(x + k)
        finally:
            print("step", k)
    return total


def _an_index_out_of_range(x):
    table = np.array([1.0, 2.0])
    try:
        result = table[int(x)] * x
    finally:
        print("done")
    return result


@pytest.mark.parametrize(
    "function",
    [
        *(_raised_under_finally, _raised_in_a_handler, _raised_in_a_function_called),
        _an_index_out_of_range,
    ],
)
def test_finally_is_done_where_a_branch_raises(function, capsys):
    def seen(called, x):
        try:
            found = called(x)
        except (ValueError, LookupError, OverflowError) as error:
            found = type(error), str(error)
        return found, capsys.readouterr().out

    for called in (gs.compile(function), lambda x: gs.value_and_grad(function)(x)[0]):
        for x in (0.7, -1.3, 2.6, -0.4, 0.7, 1.5):
            assert seen(called, x) == seen(function, x)


REFUSED = {
    "texts": lambda x: np.asarray(x).astype("S3").size,
    "objects": lambda x: x.astype(object).size,
    "a list with None": lambda x: np.array([x[0], None]).size,
    "memory": lambda x: len(memoryview(x)),
    "an array of times": lambda x: np.asarray(x, dtype="M8[s]").size,
}
"""What arrays do and gradsmith refuses."""


@each("name", REFUSED)
@each("suppresses", [False, True])
def test_refusals_pass_all_handlers(name, suppresses):
    use = REFUSED[name]

    def f(x):
        if suppresses:
            with contextlib.suppress(Exception):
                return use(x) + np.sum(x)
            return 100.0
        try:
            return use(x) + np.sum(x)
        except:  # noqa: E722
            return 100.0

    x = np.array([1.0, 2.0])
    try:
        assert gs.compile(f)(x) == f(x)
    except gs.GradsmithError as error:
        assert error.own is None  # noqa: PT017


RAISED = {
    "missing attribute": lambda x: x.nosuch,
    "missing attribute of a number": lambda x: x[0].nosuch,
    "length of a number": lambda x: len(x[0]),
    "iteration": lambda x: sum(x[0]),
    "hash": hash,
    "call": lambda x: x(),
    "index": lambda x: range(x[0]),
    "base": lambda x: int(x[0], 10),
    "assignment": lambda x: setattr(x, "nosuch", 1),
    "rounding": round,
    "operand": lambda x: x + None,
    "cast": lambda x: operator.iadd(np.arange(3), x),
}
"""What raises Python's errors."""


@pytest.mark.parametrize("name", RAISED)
def test_handlers_see_the_errors_of_python_and_numpy(name, capsys):
    use = RAISED[name]

    def f(x):
        try:
            use(x)
        except Exception as error:
            print(isinstance(error, gs.GradsmithError), error)
            return np.sum(x)
        return 0.0

    x = np.array([1.0, 2.0, 3.0])
    assert f(x) == 6.0
    expected = capsys.readouterr().out
    assert gs.compile(f)(x) == 6.0
    assert capsys.readouterr().out == expected


MISUSED = [
    (lambda x: x[0], (3, 2.5)),
    (len, (3, 2.5)),
    (list, (3, 2.5)),
    (lambda x: x(), (3, 2.5)),
    (lambda x: x.missing, (3, 2.5)),
    (lambda x: 1 in x, (3, 2.5)),
    (lambda x: [1, 2, 3][x], (2.5, np.float64(1.0))),
    (lambda x: (1, x)[x], (2.5, np.float64(1.0))),
    (lambda x: int(x * 1j), (3, 2.5)),
    (lambda x: x @ 2.0, (3, 2.5, np.float64(1.0))),
    (math.sin, (np.ones(2),)),
]


@each("place", range(len(MISUSED)))
def test_numbers_that_are_misused_raise_what_python_raises(place):
    use, arguments = MISUSED[place]

    def function(x):
        try:
            return use(x)
        except (TypeError, AttributeError) as error:
            return type(error).__name__, str(error)

    for x in arguments:
        assert gs.compile(function)(x) == function(x)


def chain(error):
    found = []
    while error is not None:
        found.append((type(error).__name__, error.__suppress_context__, error.args))
        error = error.__context__
    return found


def contexts_of_pythons_errors(x):
    try:
        try:
            x / (0 if x > 1 else 1)
        except ZeroDivisionError as error:
            found = chain(error)
            [1.0][5 if x > 1 else 0]
    except IndexError as error:
        return found, chain(error), error.__traceback__ is not None
    return x


def contexts_of_raised_errors(x):
    found = []
    for i in range(3):
        try:
            try:
                if x > i:
                    raise ValueError(i)
            except ValueError as error:
                found.append(chain(error))
                if i:
                    raise KeyError("k") from error
                raise
        except (ValueError, KeyError) as error:
            found.append((chain(error), error.__cause__ is None))
    return found


def contexts_in_finally(x):
    try:
        try:
            return x * [1.0, 2.0][2 if x > 1 else 1]
        finally:
            {}[x > 1]
    except KeyError as error:
        return chain(error)


@pytest.mark.parametrize(
    "fun", [contexts_of_pythons_errors, contexts_of_raised_errors, contexts_in_finally]
)
def test_contexts_are_pythons(fun):
    compiled = gs.compile(fun)
    for x in (0.5, 2.0, 3.0, 0.5):  # the second call fails a check before it is traced anew
        assert repr(compiled(x)) == repr(fun(x))


def test_a_reshape_to_a_size_that_the_data_decide():
    def fun(x):
        try:
            return np.ones(3).reshape(2 if x > 1 else 3) * x
        except ValueError as error:
            return str(error)

    compiled = gs.compile(fun)
    for x in (0.5, 2.0, 0.5):
        assert repr(compiled(x)) == repr(fun(x))


@case(NUMBERS)
def class_of_one_path(x, y):
    handled = (ValueError,) if y > 1 else (KeyError, LookupError)
    try:
        raise ValueError(x) if y > 1 else LookupError(x)
    except handled as error:
        return x * len(type(error).__name__) * error.args[0]


@case(NUMBERS)
def class_of_one_path_among_others(x, y):
    handled = KeyError if y > 1 else ValueError
    try:
        if x > 0:
            raise ValueError("positive")
    except (handled, IndexError):
        return -x
    except Exception as error:
        return x * len(str(error))
    return x * y


def test_errors_of_ufuncs_have_numpys_class():
    def function(x):
        y = np.arange(2)
        try:
            if x[0] > 1:
                y += x
        except TypeError as error:
            return type(error).__name__, str(error), str(error.args)
        return x

    compiled = gs.compile(function)
    for x in (np.array([0.5, 1.0]), np.array([1.5, 1.0])):
        assert repr(compiled(x)) == repr(function(x))


# -- what gradsmith refuses in a handler, or after it


def root_then_refused(x):
    try:
        return math.sqrt(x)
    except ValueError:
        return math.frexp(x)[0]


def root_then_bytes(x):
    try:
        return math.sqrt(x)
    except ValueError:
        return b"no root"


def the_error_itself(x):
    try:
        return math.sqrt(x)
    except ValueError as error:
        return error


def root_in_a_loop(x):
    found = 0.0
    for k in range(3):
        try:
            found = math.sqrt(x - k)
        except ValueError:
            return b"no root"
    return found


def quotient_or_bytes(x):
    try:
        return 1 / (x + 1)
    except ZeroDivisionError:
        return b"no quotient"


def signalled(x):
    with np.errstate(all="raise"):
        try:
            return np.log(np.float64(x))
        except FloatingPointError:
            return b"no logarithm"


def refused_later(x):
    try:
        return math.sqrt(x)
    except ValueError:
        pass
    return math.frexp(x)[0]


@each(
    "function",
    [
        *(
            root_then_refused,
            root_then_bytes,
            the_error_itself,
            root_in_a_loop,
            quotient_or_bytes,
            signalled,
        ),
        refused_later,
    ],
)
@each("first", [4.0, None])
def test_a_refusal_is_not_hidden_by_the_handled_error(function, first):
    compiled = gs.compile(function)
    if first is not None:
        assert compiled(first) == function(first)
    with pytest.raises(gs.GradsmithError):
        compiled(-1.0)
