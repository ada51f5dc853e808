"""The entry point: which commands there are, and how errors become messages and exit codes."""

import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError

from paranym import __version__
from paranym.errors import ParanymError

app = App(
    name="paranym",
    help="Compute every generalization of a table about people that no other one beats.",
    version=__version__,
    help_format="plaintext",
)
app.command("paranym.cli.frontier:frontier", help="List every choice of k and loss that no other one beats.")
app.command("paranym.cli.demo:demo", help="Compute the whole trade-off of the Adult census table.")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command. Exit code 0: done; 1: the request cannot be met; 2: wrong usage or bad input."""
    try:
        app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        _fail(f"{error}\nRun 'paranym --help' for usage.", 2)
    except ParanymError as error:
        _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        _fail("Stopped before there was anything to show.", 1)


def _fail(message: str, code: int) -> None:
    print(f"paranym: {message}", file=sys.stderr)  # noqa: T201 - the one place that speaks of failure
    sys.exit(code)
