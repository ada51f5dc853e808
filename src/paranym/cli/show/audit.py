"""Printing audits to the terminal."""

import math

from rich.table import Table
from rich.text import Text

from paranym.cli.terminal import out
from paranym.measures.catalogue import audited_models, population_models
from paranym.results.audit import Achieved, Audit
from paranym.wording.numbers import figure, limit, tabulated


def show_audit(audit: Audit) -> None:
    """Print an audit: first the findings, then the numbers."""
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
    table, sizes, seen = _table("rows in equivalence classes of", "rows", "share"), audit.sizes, 0
    for name, size in (("1 (unique)", 2), ("2 to 4", 5), ("5 to 9", 10), ("10 to 99", 100)):
        below = sizes.rows_below(size)
        table.add_row(name, f"{below - seen:,}", tabulated((below - seen) / audit.rows))
        seen = below
    table.add_row("100 or more", f"{audit.rows - seen:,}", tabulated((audit.rows - seen) / audit.rows))
    return table


def _risks(audit: Audit) -> Table:
    risk = audit.risk
    table = _table("re-identification risk", "highest", "average", f"rows above {limit(risk.threshold)}", "share")
    against = "the table itself" if risk.population is None else f"a population of {risk.population:,}"
    for name, attack in (("prosecutor", risk.prosecutor), (f"journalist, against {against}", risk.journalist)):
        shares = map(tabulated, (attack.highest, attack.average))
        table.add_row(name, *shares, f"{attack.rows_at_risk:,}", tabulated(attack.share_at_risk))
    table.add_row("marketer", "", tabulated(risk.marketer), "", "")
    return table


def _columns(audit: Audit) -> Table:
    table = _table("quasi-identifier", "values", "missing", "distinction", "separation")
    for name, column in (*audit.columns.items(), ("all together", audit.together)):
        pairs = "" if column.separation is None else tabulated(column.separation)
        missing = "" if column is audit.together else f"{audit.missing[name]:,}"
        table.add_row(Text(name), f"{column.different:,}", missing, tabulated(column.distinction), pairs)
    return table


def _models(audit: Audit) -> Table:
    table = _table("achieved", *audit.sensitive, *(["population"] if audit.against_population else []))
    for model in (*audited_models(), *population_models()):
        values = [models.get(model.name) for models in audit.models.values()]
        if audit.against_population:
            values.append(audit.against_population.get(model.name))
        if any(value is not None and value.value is not None for value in values):
            table.add_row(Text(model.title), *(_value(value) for value in values))
    return table


def _value(achieved: Achieved | None) -> str:
    if achieved is None or achieved.value is None:
        return "\N{EN DASH}"
    if not math.isfinite(achieved.value):
        return "infinite"
    return figure(achieved.value)
