"""How drafts look in a terminal."""

from pathlib import Path
from textwrap import fill

from rich.table import Table
from rich.text import Text

from paranym.cli.show import out
from paranym.drafting import Draft
from paranym.drafting.words import shown
from paranym.model.schema import Role
from paranym.model.wording import percent

_STYLES = {Role.IDENTIFIER: "red", Role.QUASI_IDENTIFIER: "cyan", Role.SENSITIVE: "magenta"}
_MOST_COLUMNS = 40
_MOST_CONCERNS = 12


def show_draft(draft: Draft, recipe: Path, *, columns: bool) -> None:
    """Print what was drafted, unless it was just seen, what deserves a second look, and how to go on."""
    if columns:
        show_columns(draft)
        out.print()
    for concern in draft.concerns[:_MOST_CONCERNS]:
        out.print(Text("Warning: ", style="bold yellow") + Text(concern.says))
    if len(draft.concerns) > _MOST_CONCERNS:
        out.print(Text(f"… and {len(draft.concerns) - _MOST_CONCERNS:,} warnings more: see the recipe."))
    if draft.peculiarity:
        out.print(Text(f"Read as a CSV file {draft.peculiarity}."))
    if draft.missing:
        out.print(Text(f"Read as missing: {', '.join(draft.missing)}"))
    out.print(Text(uniqueness(draft)))
    out.print(Text(f"\nWrote {recipe}. It runs as it is:  paranym frontier {recipe}"))


def show_columns(draft: Draft) -> None:
    """Print the columns with their roles and reasons."""
    out.print(_columns_table(draft))
    hidden = len(draft.columns) - _MOST_COLUMNS
    if hidden > 0:
        out.print(Text(f"… and {hidden:,} columns more: the recipe lists them all.", style="dim"))


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
    """How many people the quasi-identifiers tell apart."""
    names = draft.having(Role.QUASI_IDENTIFIER)
    these = "this column" if len(names) == 1 else f"these {len(names)} columns"
    return fill(
        f"Whoever knows {', '.join(map(shown, names))} of a person: {draft.unique:,} of {draft.rows:,} rows "
        f"({percent(draft.unique / draft.rows)}) are unique on {these}, as the table is now.",
        out.width,
        break_on_hyphens=False,
    )
