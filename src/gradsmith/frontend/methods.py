"""Methods of traced arrays."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gradsmith.errors import GradsmithError, UnsupportedError
from gradsmith.frontend.spans import current_span as here


class Method:
    """A bound array method: the NumPy function with the array for its first argument."""

    __slots__ = ("function", "owner")

    def __init__(self, owner: Any, function: Callable[..., Any]) -> None:
        self.owner = owner
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return self.function(self.owner, *args, **kwargs)
        except GradsmithError:
            raise
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is not None:
                raise  # not about the arguments that the method has
            name = self.function.__name__.strip("_")
            text = re.sub(r"^\w+\(\)", f"the method {name} of arrays", str(error))
            raise UnsupportedError(f"{text}, the array included", here()) from error
