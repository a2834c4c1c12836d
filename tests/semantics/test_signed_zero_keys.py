"""0.0 and -0.0 are equal, and a dict or set keeps the one that came first."""

from control.one_object import check_calls, function_of
from helpers import each


@each(
    "body",
    [
        "{k: 'v'}",
        "{k: 'v', 1: 'one'}",
        "{(k, 1): 2}",
        "list({k, 2.0})",
        "d = {}\nd[k] = 1\nd[-k] = 2\nreturn d",
        "d = {0: 'a'}\nreturn d[k] if k in d else k",
        "max({k: 1}), [*{k: 3}.items()]",
        "{complex(k, 0.0): 1}, {complex(0.0, k): 2}",
    ],
)
def test_signs_of_zeros(body):
    check_calls(function_of(body, "k"), (0.0,), (-0.0,), (0.0,), (1.5,), (-0.0,))
