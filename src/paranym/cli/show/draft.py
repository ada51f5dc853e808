"""Printing drafts to the terminal."""

from pathlib import Path

from rich.table import Table
from rich.text import Text

from paranym.cli.terminal import out
from paranym.drafting import Draft
from paranym.model.schema import Role
from paranym.recognition.words import series, shown
from paranym.wording.numbers import rows_of

_STYLES = {Role.IDENTIFIER: "red", Role.DROP: "red", Role.QUASI_IDENTIFIER: "cyan", Role.SENSITIVE: "magenta"}
_MOST_COLUMNS = 40
_MOST_CONCERNS = 12


def show_draft(draft: Draft, recipe: Path, *, columns: bool) -> None:
    """Print the columns if requested, the warnings, and the next command."""
    if columns:
        show_columns(draft)
        out.print()
    for concern in draft.concerns[:_MOST_CONCERNS]:
        out.print(Text("Warning: ", style="bold yellow") + Text(concern.says))
    if len(draft.concerns) > _MOST_CONCERNS:
        out.print(Text(f"… and {len(draft.concerns) - _MOST_CONCERNS:,} more warnings: see the recipe."))
    if draft.peculiarity:
        out.print(Text(f"Read as a CSV file {draft.peculiarity}."))
    if draft.missing:
        out.print(Text(f"Read as missing: {', '.join(draft.missing)}"))
    out.print(Text(uniqueness(draft)))
    out.print()
    out.print(Text(f"Wrote {recipe}. It runs as it is:  paranym frontier {recipe}"))


def show_columns(draft: Draft) -> None:
    """Print the columns with their roles and reasons."""
    out.print(_columns_table(draft))
    hidden = len(draft.columns) - _MOST_COLUMNS
    if hidden > 0:
        out.print(Text(f"… and {hidden:,} more columns: the recipe lists them all.", style="dim"))


def _columns_table(draft: Draft) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in ("column", "role", "why"):
        table.add_column(Text(name), overflow="fold")
    for column in list(draft.columns.values())[:_MOST_COLUMNS]:
        table.add_row(
            Text(shown(column.name)), Text(column.role.value, style=_STYLES.get(column.role, "")), Text(column.why)
        )
    return table


def uniqueness(draft: Draft) -> str:
    """Return a sentence on the rows that are unique on the quasi-identifiers."""
    names = series([shown(name) for name in draft.having(Role.QUASI_IDENTIFIER)])
    unique = f"{rows_of(draft.unique, draft.rows)} {'is' if draft.unique == 1 else 'are'} unique on {names}"
    attacker = "an attacker who knows these values of a person finds the row"
    return f"{unique}: {attacker}." if draft.unique else f"{unique[0].upper()}{unique[1:]}."
