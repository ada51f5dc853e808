"""One list of arguments for all ways to run one search: to its end, or step by step."""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Search = TypeVar("Search")
Result = TypeVar("Result")


def with_arguments_of(
    begin: Callable[Arguments, Search],
) -> Callable[[Callable[[Search], Result]], Callable[Arguments, Result]]:
    """Turn a function of a search into one that takes the arguments by which the search is made.

    The signature, with names, types and defaults, is that of `begin`; it is written there and nowhere else.

    >>> def split(text: str, *, by: str = " ") -> list[str]:
    ...     return text.split(by)
    >>> @with_arguments_of(split)
    ... def count_parts(parts: list[str]) -> int:
    ...     return len(parts)
    >>> count_parts("a-b-c", by="-"), str(inspect.signature(count_parts))
    (3, "(text: str, *, by: str = ' ') -> int")
    """

    def decorate(run: Callable[[Search], Result]) -> Callable[Arguments, Result]:
        @wraps(run)
        def taking(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            return run(begin(*args, **kwargs))

        returned = inspect.signature(run).return_annotation
        taking.__signature__ = inspect.signature(begin).replace(return_annotation=returned)  # type: ignore[attr-defined]
        return taking

    return decorate
