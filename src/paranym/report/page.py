"""The report as one page: what was done to a table and why, for a board that has read no paper.

The page holds no script, and forbids the browser to run any or to fetch anything. All text of the table is escaped.
"""

from collections.abc import Iterable
from importlib.resources import files

from paranym.report.account import Account
from paranym.report.choosing import choice_section
from paranym.report.elements import Child, Element, Sheet, data, e, listed, page, short
from paranym.report.hiding import hiding_section
from paranym.report.losing import leaving_out_section, publishing_section, usefulness_section
from paranym.report.pieces import about, facts_table, percent, section, table
from paranym.report.wording import ROLES, WORDS

POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"


def report_page(account: Account) -> str:
    """The whole page."""
    sheet = Sheet(files("paranym.report").joinpath("page.css").read_text(encoding="utf-8"))
    sections = [
        choice_section(account),
        publishing_section(account),
        hiding_section(account),
        usefulness_section(account),
        leaving_out_section(account),
        _asked(account),
        _verified(account),
        _words(),
        _again(account),
    ]
    title = f"Release report: {short(account.table)}"
    return page(title, sheet, POLICY, _header(account), e("main", *sections), _footer(account))


def _header(account: Account) -> Element:
    promise, k = account.promise, account.promise.k
    released = "was released" if account.is_released else "would be released"
    return e(
        "header",
        e("p", "Private: for the publisher and its board. Not for publication.", class_="seal"),
        e("h1", "How ", data(account.table), f" {released}, and why"),
        e("p", *_lead(account), class_="lead"),
        e("p", *_second(account), class_="second"),
        e(
            "ul",
            _tile(
                f"{k:,}",
                "people who look the same, at least" if k > 1 else "person may stand alone",
                "k, the smallest class",
            ),
            _tile(
                percent(1 - promise.loss_fraction), "of the detail is kept", f"loss {percent(promise.loss_fraction)}"
            ),
            _tile(
                f"{promise.suppressed:,}",
                "row is left out" if promise.suppressed == 1 else "rows are left out",
                f"{percent(promise.suppressed / promise.rows)} of all",
            ),
            _tile(
                f"{account.before.unique:,} \N{RIGHTWARDS ARROW} {account.after.unique:,}",
                "people who are one of a kind",
                "before and after",
            ),
            class_="tiles",
        ),
        None if account.is_released else _not_yet(),
        _warned(account),
    )


def _lead(account: Account) -> Iterable[Child]:
    k = account.promise.k
    if k == 1:
        yield "Nobody is protected: somebody in the published table is one of a kind."
        return
    verb = "is" if account.is_released else "would be"
    yield f"Every person in the published table {verb} hidden in a group of at least {k:,} people who look the same"
    yield " to anyone who knows their "
    yield from listed(account.before.quasi_identifiers, 9)
    yield "."


def _second(account: Account) -> Iterable[Child]:
    promise, before = account.promise, account.before
    if account.rows_below_k == before.rows:
        yield "In the original table nobody was. "
    elif account.rows_below_k:
        share = percent(account.rows_below_k / before.rows)
        yield f"In the original table {account.rows_below_k:,} of {before.rows:,} people ({share}) were not. "
    else:
        yield "In the original table everybody was, too. "
    values = "To hide them, values" if account.rows_below_k else "Values"
    yield f"{values} are made coarser, which costs {percent(promise.loss_fraction)} of the detail"
    yield f", and {about(promise.suppressed, 'row')} {'is' if promise.suppressed < 2 else 'are'} left out. "
    if account.is_released:
        it = "The release" if account.manifest is None else "The file"
        holds = "was read back, counted afresh, and found to be what was promised."
        yield f"{it} {holds if account.verification.holds else 'is NOT what was promised: see the verification below.'}"


def _tile(figure: str, what: str, note: str) -> Element:
    return e("li", e("strong", figure), e("span", what), e("small", note))


def _not_yet() -> Element:
    return e(
        "p",
        "Nothing has been released yet. All figures are those of a trial release that was made, read back and thrown "
        "away.",
        class_="note",
    )


def _warned(account: Account) -> Element | None:
    """What to mind before anything else is read."""
    warned = [*account.warnings, *(concern.says for concern in account.after.concerns)]
    if not warned:
        return None
    return e(
        "div",
        e("strong", "Before you agree, mind this:"),
        e("ul", [e("li", data(warning, 600)) for warning in warned]),
        class_="note warned",
    )


def _asked(account: Account) -> Element:
    front, before = account.front, account.before
    facts: list[tuple[str, list[Child]]] = [
        ("The table", [data(account.table), f": {before.rows:,} rows, {len(account.roles):,} columns"]),
        (
            "Rows that may be left out",
            [f"at most {front.suppression_limit:,} ({percent(front.suppression_limit / front.rows)})"],
        ),
        ("Demanded besides", [account.demands] if account.demands else ["nothing"]),
        ("What decided", [account.reason]),
    ]
    roles: list[list[Child]] = [
        [data(name), role, ROLES.get(role, "")]
        for name, role in sorted(account.roles.items(), key=lambda each: list(ROLES).index(each[1]))[:60]
    ]
    more = len(account.roles) - 60
    return section(
        "What was asked",
        facts_table(facts),
        table(["column", "role", "what becomes of it"], roles),
        e("p", f"And {more:,} more columns, all published as they are.") if more > 0 else None,
    )


def _verified(account: Account) -> Element:
    found = account.verification
    rows: list[list[Child]] = []
    for check in found.checks:
        verdict = {True: "holds", False: "BROKEN", None: f"not checked: {check.note}"}[check.holds]
        rows.append([check.what, _value(check.promised), _value(check.found), verdict])
    told = (
        "The release was written aside, read back, and counted again by code that knows nothing of how it was made. "
        "Only then did it take its name."
        if account.is_released
        else "The trial release was read back and counted again by code that knows nothing of how it was made."
    )
    return section(
        "Was it checked?",
        e("p", told),
        table(["what", "promised", "found", ""], rows, numbers=(1, 2)),
    )


def _value(value: float | str | None) -> Child:
    if value is None:
        return "\N{EN DASH}"
    if isinstance(value, str):
        return data(value, 60)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def _words() -> Element:
    pairs = [child for word, meaning in WORDS.items() for child in (e("dt", word), e("dd", meaning))]
    return section("What the words mean", e("dl", pairs, class_="words"))


def _again(account: Account) -> Element:
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
    command = [e("p", "With the same table and the same recipe, this makes the same again:"), e("pre", account.command)]
    return section(
        "How to do it again",
        *(command if account.command else []),
        facts_table(facts),
        e(
            "p",
            "Rows are published in an order drawn by chance, which is kept nowhere: a second run gives the same rows "
            "in another order. The manifest beside the release holds all figures for machines, and may be published. "
            "The recoding file beside it holds values of the original table, and may not.",
        )
        if made
        else None,
    )


def _search(account: Account) -> str:
    front = account.front
    proved = "complete: every other way is known to be beaten" if front.complete else "not proved complete"
    evaluated = f"{front.evaluated_nodes:,} of {_many(front.lattice_nodes)} ways to publish were evaluated"
    return f"{front.method}; {evaluated}; {proved}"


def _many(number: int) -> str:
    return f"{number:,}" if number < 10**15 else f"{number:.2g}"


def _footer(account: Account) -> Element:
    return e(
        "footer",
        e(
            "p",
            f"Written by paranym on {account.written}. This page is private because it tells about the original table "
            "what the release does not: how many people were one of a kind, and who was left out. Values of the "
            f"table are named only where at least {account.promise.k:,} rows share them. The release and its manifest "
            "are what may be published.",
        ),
    )
