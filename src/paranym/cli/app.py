"""The entry point. Slow imports come after Ctrl-C is handled, so that it always ends with a sentence."""

import itertools
import sys
from collections.abc import Iterator, Sequence

_INFORMS = {"--help", "-h", "--version", "--install-completion"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command. Exit code 0: done; 1: the request cannot be met; 2: wrong usage or bad input; 130: Ctrl-C."""
    tokens = list(_join_dashes(sys.argv[1:] if arguments is None else arguments))
    try:
        from paranym.cli.endings import run
        from paranym.cli.signals import ending_by_signal

        with ending_by_signal():
            run(lambda: _run(tokens), computes=bool(tokens) and not _INFORMS & set(tokens))
    except KeyboardInterrupt:  # before or after the block that handles it
        from paranym.cli.endings import STOPPED, say_stopped

        say_stopped()
        sys.exit(STOPPED)


def _run(tokens: Sequence[str]) -> None:
    from paranym.cli.registry import app

    app(tokens, exit_on_error=False, print_error=False, result_action="return_value")


def _join_dashes(tokens: Sequence[str]) -> Iterator[str]:
    """Write `--json -` as `--json=-`: the parser takes a single dash for an option."""
    pairs = itertools.pairwise([*tokens, ""])
    for token, following in pairs:
        is_result = token == "--json" and following == "/dev/stdout"  # noqa: S105 - no table is printed beside a result
        if is_result or (token.startswith("--") and following == "-"):
            yield f"{token}=-"
            next(pairs)
        else:
            yield token
