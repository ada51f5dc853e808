"""Printing the summary of a report to the terminal."""

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from paranym.choice.points import anonymity
from paranym.cli.terminal import out
from paranym.report.account import Account
from paranym.wording.numbers import percent, rows_of


def show_report(account: Account, files: Sequence[Path], *, gist: bool = True) -> None:
    """Print where a report is, and its summary unless that was printed before."""
    if gist:
        _show_gist(account)
    out.print(Text(f"The report: {', '.join(map(str, files))}. It is private: for you and your reviewers."))


def _show_gist(account: Account) -> None:
    claims = account.claims
    what = "The release" if account.is_released else "A release of this solution"
    out.print(Text(f"{what} {anonymity(claims.k)}.", style="bold"))
    for warning in account.warnings:
        out.print(Text("Warning: ", style="bold yellow") + Text(warning))
    out.print(Text(account.reason))
    suppressed = rows_of(claims.suppressed, claims.rows)
    out.print(Text(f"Information loss: {percent(claims.loss_fraction)}. Suppressed: {suppressed}."))
