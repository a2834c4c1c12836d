"""``in`` of a range, which Python does without going through it."""

from control.one_object import check_calls, function_of
from helpers import each

NUMBERS = [(10,), (3,), (1,), (4,), (0,), (10**12,)]


@each(
    "body",
    [
        "n in range(n + 1), n in range(n), -1 in range(n)",
        "n in range(0, n + 1, 2), n - 1 in range(n, 0, -3), n in range(n, -n, -1)",
        "True in range(n), n // 2 in range(1, n, 2)",
        "[k for k in (1, 5, 100) if k in range(n)]",
    ],
)
def test_integers(body):
    check_calls(function_of(body, "n"), *NUMBERS)


@each(
    "body",
    [
        "range(n).index(3) if 3 in range(n) else -1",
        "2.0 in range(n), 2.5 in range(n)",
        "'a' in range(n), None in range(n)",
    ],
)
def test_others(body):
    check_calls(function_of(body, "n"), *NUMBERS[:-1])


def test_numbers_of_the_data():
    function = function_of("[int(v) in range(1, 6, 2) for v in x], int(x[0]) in range(n)", "x, n")
    check_calls(function, ([1.5, 2.0, 5.0, 6.0], 3), ([0.5, 3.0], 1), ([9.0, 3.0], 0))
