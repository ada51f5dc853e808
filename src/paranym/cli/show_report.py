"""How a report is announced in a terminal."""

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from paranym.choice.wording import hidden, percent, rows_of
from paranym.cli.show import out
from paranym.report.account import Account


def show_report(account: Account, files: Sequence[Path], *, gist: bool = True) -> None:
    """Print where a report is, and its gist unless that was told before."""
    if gist:
        _show_gist(account)
    out.print(Text(f"The report: {', '.join(map(str, files))}. Keep it to yourself and those who have to agree."))


def _show_gist(account: Account) -> None:
    promise = account.promise
    verb = "is" if account.is_released else "would be"
    told = hidden("everyone in the published table", verb, promise.k)
    out.print(Text(f"{told[0].upper()}{told[1:]}.", style="bold"))
    out.print(Text(account.reason))
    left = rows_of(promise.suppressed, promise.rows)
    out.print(Text(f"It loses {percent(promise.loss_fraction)} of the detail; left out: {left}."))
