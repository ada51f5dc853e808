"""How audits look in a terminal."""

import math

from rich.table import Table
from rich.text import Text

from paranym.cli.show import out
from paranym.model.audit import Audit, Reached
from paranym.model.wording import figure

_TITLES = {
    "frequency-l": "l-diversity, frequency",
    "distinct-l": "l-diversity, distinct values",
    "entropy-l": "l-diversity, entropy",
    "recursive-c": "recursive (c,l)-diversity: c for l = 2",
    "equal-t": "t-closeness, equal distance",
    "ordered-t": "t-closeness, ordered distance",
    "hierarchical-t": "t-closeness, hierarchical distance",
    "alpha": "(alpha,k)-anonymity: alpha",
    "basic-beta": "beta-likeness, basic",
    "enhanced-beta": "beta-likeness, enhanced",
    "delta-disclosure": "delta-disclosure",
    "k-map": "k-map",
    "presence-least": "delta-presence, lower",
    "presence-most": "delta-presence, upper",
}


def show_audit(audit: Audit) -> None:
    """Print an audit: what it means first, the numbers after."""
    for sentence in audit.sentences:
        out.print(Text(sentence))
    for concern in audit.concerns:
        out.print(Text("Warning: ", style="bold yellow") + Text(concern.says))
    out.print()
    out.print(_classes(audit))
    out.print()
    out.print(_risks(audit))
    out.print()
    out.print(_columns(audit))
    if audit.models or audit.against_population:
        out.print()
        out.print(_models(audit))


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for number, column in enumerate(columns):
        table.add_column(Text(column), justify="right" if number else "left")
    return table


def _classes(audit: Audit) -> Table:
    table, sizes, seen = _table("rows in classes of", "rows", "share"), audit.sizes, 0
    for name, size in (("1 (unique)", 2), ("2 to 4", 5), ("5 to 9", 10), ("10 to 99", 100)):
        below = sizes.rows_below(size)
        table.add_row(name, f"{below - seen:,}", f"{(below - seen) / audit.rows:.1%}")
        seen = below
    table.add_row("100 or more", f"{audit.rows - seen:,}", f"{(audit.rows - seen) / audit.rows:.1%}")
    return table


def _risks(audit: Audit) -> Table:
    risk = audit.risk
    table = _table("re-identification", "highest", "average", f"rows above {risk.threshold:.10g}", "share")
    against = "the table itself" if risk.population is None else f"a population of {risk.population:,}"
    for name, attack in (("prosecutor", risk.prosecutor), (f"journalist, against {against}", risk.journalist)):
        share = f"{attack.share_at_risk:.1%}"
        table.add_row(name, f"{attack.highest:.1%}", f"{attack.average:.1%}", f"{attack.rows_at_risk:,}", share)
    table.add_row("marketer", "", f"{risk.marketer:.1%}", "", "")
    return table


def _columns(audit: Audit) -> Table:
    table = _table("quasi-identifier", "values", "missing", "distinction", "separation")
    for name, column in (*audit.columns.items(), ("all together", audit.together)):
        pairs = "" if column.separation is None else f"{column.separation:.2%}"
        missing = "" if column is audit.together else f"{audit.missing[name]:,}"
        table.add_row(Text(name), f"{column.different:,}", missing, f"{column.distinction:.2%}", pairs)
    return table


def _models(audit: Audit) -> Table:
    table = _table("reached", *audit.sensitive, *(["population"] if audit.against_population else []))
    for name, title in _TITLES.items():
        values = [models.get(name) for models in audit.models.values()]
        if audit.against_population:
            values.append(audit.against_population.get(name))
        if any(value is not None and value.value is not None for value in values):
            table.add_row(Text(title), *(_value(value) for value in values))
    return table


def _value(reached: Reached | None) -> str:
    if reached is None or reached.value is None:
        return "\N{EN DASH}"
    if not math.isfinite(reached.value):
        return "infinite"
    return figure(reached.value)
