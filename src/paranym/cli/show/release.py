"""Printing releases and verifications to the terminal."""

from rich.table import Table
from rich.text import Text

from paranym.choice.points import anonymity, what_is_lost
from paranym.cli.terminal import out
from paranym.measures.privacy.anonymity import Unit
from paranym.model.local_labels import AttributeLabels
from paranym.model.recoding import AttributeRecoding
from paranym.releases.manifest import beside
from paranym.releases.releasing import Release
from paranym.results.release import Check, Verification
from paranym.wording.numbers import percent, rows_of

_SHOWN = 40


def show_release(release: Release) -> None:
    """Print a release with its warnings and checks."""
    claims, table = release.promise, release.verification
    out.print(Text(f"{release.where} is written and verified: {_protection(release)}.", style="bold"))
    for warning in release.warnings:
        out.print(Text("Warning: ", style="bold yellow") + Text(warning))
    out.print(Text(f"Information loss: {percent(claims.loss_fraction)} of {what_is_lost(claims.metric)}."))
    verb = "is" if claims.suppressed == 1 else "are"
    out.print(Text(f"{rows_of(claims.suppressed, claims.rows).capitalize()} {verb} suppressed."))
    out.print()
    out.print(_levels(release))
    out.print()
    show_checks(table)
    for concern in table.audit.concerns if table.audit else ():
        out.print(Text("Warning: ", style="bold yellow") + Text(concern.says))
    name = "" if release.target is None else beside(release.target, "release").name.removesuffix(".release.json")
    out.print()
    out.print(Text(f"Public: the release and {name}.manifest.json."))
    out.print(Text(f"Private: {name}.recoding.json, which holds values of the original table."))


def _protection(release: Release) -> str:
    """Return the k of a release, its columns, and the limits of this protection."""
    gate, k = release.gate, release.promise.k
    protection = f"it {anonymity(k)}"
    if k == 1:
        return protection
    protection += ", counted in people," if release.promise.unit == Unit.PERSON else ""
    protection = f"{protection} on {_quasi_identifiers(len(release.recoding.attributes))}"
    return protection if gate is None or not gate.is_mostly_unique else f"{protection}; but {gate.uniqueness}"


def _quasi_identifiers(number: int) -> str:
    return "the quasi-identifier" if number == 1 else f"the {number:,} quasi-identifiers"


def show_verification(found: Verification, called: str) -> None:
    """Print whether a release agrees with its manifest, and the fields that it cannot confirm."""
    out.print(Text(found_in_words(found, called), style="bold"))
    out.print()
    show_checks(found)
    if found.stated:
        out.print()
        out.print(Text(f"Stated by the manifest, not derived from the release: {', '.join(found.stated)}."))
    if found.signature is not None:
        style = {True: "green", False: "bold red", None: "yellow"}[found.signature.holds]
        out.print(Text("Signature: ") + Text(f"{found.signature.says}.", style=style))


def found_in_words(found: Verification, called: str) -> str:
    """Return the result as a sentence that names the quasi-identifiers."""
    *most, last = found.quasi_identifiers
    columns = f"{', '.join(most)} and {last}" if most else last
    if found.audit is None:
        return f"{called} is NOT what its manifest says; k on {columns} was not counted."
    if found.holds and found.k is None:
        return (
            f"{called} is what its manifest says, as far as it shows: k counts people, whom the release does not tell "
            "apart. Verify it with the original table (--original)."
        )
    people = ", counted in people," if found.counts_people else ""
    if found.holds:
        return f"{called} is what its manifest says: it {anonymity(found.k or 1)}{people} on {columns}."
    counted = "" if found.k is None else f" Counted again, k = {found.k:,}{people} on {columns}."
    return f"{called} is NOT what its manifest says.{counted}"


def show_checks(found: Verification) -> None:
    """Print the claims beside the values found."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name, side in (("read back", "left"), ("claimed", "right"), ("found", "right"), ("", "left")):
        table.add_column(name, justify=side)  # type: ignore[arg-type]
    for check in (*found.checks, *found.asked, *found.fields):
        limit = {"=": "", ">=": " (at least)", "<=": " (at most)"}[check.relation]
        table.add_row(Text(f"{check.what}{limit}"), _value(check.promised), _value(check.found), _verdict(check))
    if found.compared:
        broken = len(found.fields)
        verdict = f"{broken:,} differ" if broken else "hold"
        table.add_row(
            Text("manifest fields derived again"),
            Text(f"{found.compared:,}"),
            Text(f"{found.compared - broken:,}"),
            Text(verdict, style="bold red" if broken else "green"),
        )
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
    return Text(_cut(f"{value:,}") if isinstance(value, int) else f"{value:,.6g}")


def _verdict(check: Check) -> Text:
    if check.holds is None:
        return Text(f"not checked: {check.note}", style="yellow")
    return Text("holds", style="green") if check.holds else Text("BROKEN", style="bold red")


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
