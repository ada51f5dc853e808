"""The entry point: which commands there are, and how errors become messages and exit codes."""

import itertools
import os
import sys
from collections.abc import Iterator, Sequence

from cyclopts import App, CycloptsError

from paranym import __version__
from paranym.errors import ParanymError

app = App(
    name="paranym",
    help="Compute every generalization of a table about people that no other one beats.",
    version=__version__,
    help_format="plaintext",
    suppress_keyboard_interrupt=False,  # Ctrl-C is answered below
)
app.command("paranym.cli.init:init", help="Draft a recipe for a table: roles, hierarchies, and the reasons.")
app.command("paranym.cli.hierarchy:app", name="hierarchy", help="Build, check and show hierarchies; how to edit them.")
app.command("paranym.cli.frontier:frontier", help="List every choice of k and loss that no other one beats.")
app.command("paranym.cli.search:search", help="List the generalizations that give a k: all, minimal, or best.")
app.command("paranym.cli.local:local", help="Gather rows into groups that are published by values of their own.")
app.command("paranym.cli.compare:compare", help="Set recoding models side by side: what each loses for every k.")
app.command("paranym.cli.ask:ask", help="Say which choice suits best, or what the whole trade-off looks like.")
app.command("paranym.cli.release:release", help="Write the table as one choice publishes it, and verify the file.")
app.command("paranym.cli.run:run", help="Do it all: front, the choice of the recipe, release, verification, report.")
app.command("paranym.cli.report:report", help="Write a page on what is published and why, for a board to agree to.")
app.command("paranym.cli.verify:verify", help="Hold a release against its manifest once more.")
app.command("paranym.cli.apply:apply", help="Recode another table as a release was, and say whether its k holds.")
app.command("paranym.cli.audit:audit", help="Measure what a file, as it is, tells about the people in it.")
app.command(
    "paranym.cli.demo:demo", help="Show it all on the Adult census table: trade-off, release, verification, report."
)
app.register_install_completion_command(
    help="Let your shell (bash, zsh, fish, PowerShell) complete commands and options with the Tab key."
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command. Exit code 0: done; 1: the request cannot be met; 2: wrong usage or bad input."""
    tokens = list(_join_dashes(sys.argv[1:] if arguments is None else arguments))
    try:
        app(tokens, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except CycloptsError as error:
        _fail(f"{error}\nRun 'paranym --help' for usage.", 2)
    except ParanymError as error:
        _fail(str(error), error.exit_code)
    except BrokenPipeError:
        # whoever read the output has had enough; without this, closing it at exit would complain once more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        if error.filename is None:
            raise
        _fail(f"Cannot use {str(error.filename)!r}: {error.strerror}.", 2)
    except KeyboardInterrupt:
        _fail("Stopped before there was anything to show.", 1)


def _join_dashes(tokens: Sequence[str]) -> Iterator[str]:
    """`--json -` as `--json=-`: the parser takes a dash that stands alone for an option."""
    pairs = itertools.pairwise([*tokens, ""])
    for token, following in pairs:
        if token.startswith("--") and following == "-":
            yield f"{token}=-"
            next(pairs)
        else:
            yield token


def _fail(message: str, code: int) -> None:
    print(f"paranym: {message}", file=sys.stderr)  # noqa: T201 - the one place that speaks of failure
    sys.exit(code)
