"""How releases and their verification look in a terminal."""

from rich.table import Table
from rich.text import Text

from paranym.choice.wording import hidden, percent, rows_of, what_is_lost
from paranym.cli.show import out
from paranym.model.local_labels import AttributeLabels
from paranym.model.recoding import AttributeRecoding
from paranym.model.release import Check, Verification
from paranym.releases.manifest import beside
from paranym.releases.releasing import Release

_SHOWN = 40


def show_release(release: Release) -> None:
    """Print what was released, how it was checked, and what to mind."""
    promise, table = release.promise, release.verification
    told = hidden("everyone in it", "is", promise.k)
    out.print(Text(f"{release.where} is written and verified: {told}.", style="bold"))
    out.print(Text(f"It loses {percent(promise.loss_fraction)} of {what_is_lost(promise.metric)}."))
    verb = "is" if promise.suppressed <= 1 else "are"
    out.print(Text(f"{rows_of(promise.suppressed, promise.rows).capitalize()} {verb} left out."))
    out.print()
    out.print(_levels(release))
    out.print()
    show_checks(table)
    for warning in (*release.warnings, *(concern.says for concern in (table.audit.concerns if table.audit else ()))):
        out.print(Text("Warning: ", style="bold yellow") + Text(warning))
    name = "" if release.target is None else beside(release.target, "release").name.removesuffix(".release.json")
    out.print(Text(f"\nFor everybody: the release and {name}.manifest.json."))
    out.print(Text(f"Keep to yourself: {name}.recoding.json, which holds values of the original table."))


def show_checks(found: Verification) -> None:
    """Print what was promised beside what was found."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name, side in (("read back", "left"), ("promised", "right"), ("found", "right"), ("", "left")):
        table.add_column(name, justify=side)  # type: ignore[arg-type]
    for check in found.checks:
        table.add_row(Text(check.what), _value(check.promised), _value(check.found), _verdict(check))
    out.print(table)


def _levels(release: Release) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in ("quasi-identifier", "level", "values", "published as"):
        table.add_column(name, justify="right" if name in ("level", "values") else "left")
    for each in release.recoding.attributes:
        example = "as it is" if each.keeps_values else ", ".join(str(label) for label in each.labels[:3])
        more = "" if each.keeps_values or len(each.labels) <= 3 else ", ..."
        table.add_row(Text(each.attribute), _level(each), f"{len(each.labels):,}", Text(_cut(example + more)))
    return table


def _level(attribute: AttributeRecoding | AttributeLabels) -> str:
    if isinstance(attribute, AttributeLabels):
        return "local"
    return "a cut" if attribute.level is None else f"{attribute.level} of {attribute.height}"


def _value(value: float | str | None) -> Text:
    if value is None:
        return Text("\N{EN DASH}")
    if isinstance(value, str):
        return Text(_cut(value))
    return Text(f"{value:,}" if isinstance(value, int) else f"{value:,.6g}")


def _verdict(check: Check) -> Text:
    if check.holds is None:
        return Text(f"not checked: {check.note}", style="yellow")
    return Text("holds", style="green") if check.holds else Text("BROKEN", style="bold red")


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
