"""The report as one page, for reviewers of a release who need not know the literature.

The page holds no script, and forbids the browser to run any or to fetch anything. All text of the table is escaped.
"""

from collections.abc import Iterable
from importlib.resources import files

from paranym.choice.points import what_is_lost
from paranym.report.account import Account
from paranym.report.choice import choice_section
from paranym.report.elements import Child, Element, Sheet, data, e, listed, page, short
from paranym.report.pieces import about, facts_table, section, table
from paranym.report.protection import protection_section
from paranym.report.utility import publishing_section, suppression_section, utility_section
from paranym.wording.glossary import NO_ROLE, ROLES, WORDS
from paranym.wording.numbers import magnitude, percent, rows_of

POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"


def report_page(account: Account) -> str:
    """Return the whole page."""
    sheet = Sheet(files("paranym.report").joinpath("page.css").read_text(encoding="utf-8"))
    sections = [
        choice_section(account),
        publishing_section(account),
        protection_section(account),
        utility_section(account),
        suppression_section(account),
        _request(account),
        _verification(account),
        _terms(),
        _reproduction(account),
    ]
    title = f"Release report: {short(account.table)}"
    return page(title, sheet, POLICY, _header(account), e("main", *sections), _footer(account))


def _header(account: Account) -> Element:
    claims, k = account.claims, account.claims.k
    released = "was released" if account.is_released else "would be released"
    return e(
        "header",
        e("p", "Private: for the publisher and the reviewers of the release. Not for publication.", class_="seal"),
        e("h1", "How ", data(account.table), f" {released}, and why"),
        e("p", *_lead(account), class_="lead"),
        e("p", *_second(account), class_="second"),
        e(
            "ul",
            _tile(
                f"{k:,}",
                f"{'row' if k == 1 else 'rows'} in the smallest equivalence class",
                "k" if k > 1 else "k = 1: no protection",
            ),
            _tile(
                percent(claims.loss_fraction), f"of {what_is_lost(account.front.metric)} is lost", "information loss"
            ),
            _tile(
                f"{claims.suppressed:,}",
                "row is suppressed" if claims.suppressed == 1 else "rows are suppressed",
                f"{percent(claims.suppressed / claims.rows)} of all",
            ),
            _tile(
                f"{account.before.unique:,} \N{RIGHTWARDS ARROW} {account.after.unique:,}",
                "unique records",
                "before and after",
            ),
            class_="tiles",
        ),
        None if account.is_released else _not_yet(),
        _warned(account),
    )


def _lead(account: Account) -> Iterable[Child]:
    k = account.claims.k
    if k == 1:
        yield "The published table protects nobody (k = 1): it contains at least one unique record."
        return
    verb, finds = ("is", "finds") if account.is_released else ("would be", "would find")
    yield f"The published table {verb} k-anonymous with k = {k:,}. An attacker who knows the "
    yield from listed(account.before.quasi_identifiers, 9)
    yield f" of a person {finds} at least {k:,} matching rows, without knowing which one is the person's."


def _second(account: Account) -> Iterable[Child]:
    claims, before = account.claims, account.before
    if account.rows_below_k == before.rows:
        yield "In the original table, every row was in a smaller equivalence class. "
    elif account.rows_below_k:
        few = rows_of(account.rows_below_k, before.rows)
        yield f"In the original table, {few} {'was' if account.rows_below_k == 1 else 'were'} in smaller classes. "
    elif claims.k > 1:
        yield "The original table was already k-anonymous with this k. "
    values = "published unchanged" if all(each.is_kept for each in account.published) else "generalized"
    yield f"Values are {values} and {about(claims.suppressed, 'row')} {'is' if claims.suppressed == 1 else 'are'} "
    yield f"suppressed; {percent(claims.loss_fraction)} of {what_is_lost(account.front.metric)} is lost. "
    if account.is_released:
        it = "The release" if account.manifest is None else "The file"
        holds = "was read back and counted again, and meets every claim."
        yield f"{it} {holds if account.verification.holds else 'does NOT meet its claims: see the verification below.'}"


def _tile(figure: str, what: str, note: str) -> Element:
    return e("li", e("strong", figure), e("span", what), e("small", note))


def _not_yet() -> Element:
    return e(
        "p",
        "Nothing has been released yet. All figures were measured on a trial release that was written, read back and "
        "deleted.",
        class_="note",
    )


def _warned(account: Account) -> Element | None:
    """Return the warnings, which reviewers should read first."""
    warned = [*account.warnings, *(concern.says for concern in account.after.concerns)]
    if not warned:
        return None
    return e(
        "div",
        e("strong", "Consider these warnings before you approve the release:"),
        e("ul", [e("li", data(warning, 600)) for warning in warned]),
        class_="note warned",
    )


def _request(account: Account) -> Element:
    front, before = account.front, account.before
    facts: list[tuple[str, list[Child]]] = [
        ("Table", [data(account.table), f": {before.rows:,} rows, {len(account.roles):,} columns"]),
        (
            "Suppression limit",
            [f"{front.suppression_limit:,} of {front.rows:,} rows ({percent(front.suppression_limit / front.rows)})"],
        ),
        ("Privacy requirements besides k", [account.demands] if account.demands else ["none"]),
        ("Choice", [account.reason]),
    ]
    roles: list[list[Child]] = [
        [data(name), role, ROLES.get(role, NO_ROLE)]
        for name, role in sorted(account.roles.items(), key=lambda each: [*ROLES, each[1]].index(each[1]))[:60]
    ]
    more = len(account.roles) - 60
    return section(
        "What was requested?",
        facts_table(facts),
        table(["column", "role", "treatment"], roles),
        e("p", f"And {more:,} more columns.") if more > 0 else None,
    )


def _verification(account: Account) -> Element:
    found = account.verification
    rows: list[list[Child]] = []
    for check in found.checks:
        verdict = {True: "holds", False: "FAILED", None: f"not checked: {check.note}"}[check.holds]
        rows.append([check.what, _value(check.promised), _value(check.found), verdict])
    explanation = (
        "The release was written to a temporary place, read back, and counted again by code that shares nothing with "
        "the code that made it. Only then was it moved to its place."
        if account.is_released
        else "The trial release was read back and counted again by code that shares nothing with the code that made it."
    )
    return section(
        "How was it verified?",
        e("p", explanation),
        table(["check", "claimed", "found", "result"], rows, numbers=(1, 2)),
    )


def _value(value: float | str | None) -> Child:
    if value is None:
        return "\N{EN DASH}"
    if isinstance(value, str):
        return data(value, 60)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def _terms() -> Element:
    pairs = [child for word, meaning in WORDS.items() for child in (e("dt", word), e("dd", meaning))]
    return section("What do the terms mean?", e("dl", pairs, class_="words"))


def _reproduction(account: Account) -> Element:
    manifest = account.manifest or {}
    made, source = manifest.get("release", {}), manifest.get("data", {})
    facts: list[tuple[str, list[Child]]] = []
    if made:
        facts.append(("Release", [data(made["file"] or made["table"]), f", {made['rows']:,} rows"]))
        if made.get("sha256"):
            facts.append(("SHA-256 of the release", [e("code", made["sha256"])]))
        facts.append(("Fingerprint of the data", [e("code", source["fingerprint"])]))
    facts.append(("Search", [_search(account)]))
    facts.append(("Software", [", ".join(f"{name} {version}" for name, version in account.software.items())]))
    command = [
        e("p", "With the same table and the same recipe, this command produces the same release:"),
        e("pre", account.command),
    ]
    return section(
        "How can it be reproduced?",
        *(command if account.command else []),
        facts_table(facts),
        e(
            "p",
            "Rows are published in a random order that is stored nowhere: a second run gives the same rows in another "
            "order. The manifest beside the release holds all figures in machine-readable form and may be published. "
            "The recoding file beside it holds values of the original table and must not be published.",
        )
        if made
        else None,
    )


def _search(account: Account) -> str:
    front = account.front
    every = f"complete: no Pareto-optimal solution with {front.recodings} is missing"
    proved = every if front.complete else "not proved complete"
    evaluated = f"{front.evaluated_nodes:,} of {magnitude(front.lattice_nodes)} generalizations were evaluated"
    return f"{front.method}; {evaluated}; {proved}"


def _footer(account: Account) -> Element:
    return e(
        "footer",
        e(
            "p",
            f"Written by paranym on {account.written}. This page is private because it contains facts about the "
            "original table that the release does not: how many records were unique, and whose rows are suppressed. "
            f"Values of the table are named only where at least {account.claims.k:,} rows share them. Publish the "
            "release and its manifest, not this page.",
        ),
    )
