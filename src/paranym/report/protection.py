"""The section on protection: class sizes, re-identification risks and privacy models, before and after."""

import math
from collections.abc import Iterator

from paranym.measures.catalogue import audited_models
from paranym.plots.figures import size_bars, sizes_figure
from paranym.report.account import Account
from paranym.report.elements import Child, Drawing, Element, data, e
from paranym.report.pieces import figure, section, table
from paranym.results.audit import Achieved, Audit
from paranym.wording.numbers import figure as number
from paranym.wording.numbers import limit, percent


def protection_section(account: Account) -> Element:
    """Return the section on protection."""
    before, after = account.before, account.after
    return section(
        "How well are people protected?",
        e("p", _in_words(before, after)),
        figure(
            Drawing("sizes", sizes_figure(before, after)),
            _bars_in_words(before, after),
            "Rows by the size of their equivalence class, before (grey) and after (green). The larger the class, the "
            "better its rows are protected.",
            _numbers(before, after),
        ),
        table(["risk", "before", "after"], _risks(before, after), numbers=(1, 2)),
        *_models(before, after),
    )


def _in_words(before: Audit, after: Audit) -> str:
    worst, now = before.risk.prosecutor, after.risk.prosecutor
    return (
        "An attacker who knows that a person is in the table, and knows all quasi-identifiers of the person, finds the "
        f"right row of the original table with a probability of {percent(worst.average)} on average. In the published "
        f"table, the probability is {percent(now.average)} on average, and at most {percent(now.highest)} for any row."
    )


def _bars_in_words(before: Audit, after: Audit) -> str:
    shares = [
        f"{bar['size']}: {percent(bar['before'])} before, {percent(bar['after'])} after"
        for bar in size_bars(before.sizes, after.sizes)
        if bar["before"] or bar["after"]
    ]
    return "Share of rows by the size of their equivalence class. " + "; ".join(shares) + "."


def _numbers(before: Audit, after: Audit) -> Element:
    rows = [
        [bar["size"], percent(bar["before"]), percent(bar["after"])] for bar in size_bars(before.sizes, after.sizes)
    ]
    heads = ["rows in equivalence classes of", "before", "after"]
    return e("details", e("summary", "Show the numbers"), table(heads, rows, numbers=(1, 2)))


def _risks(before: Audit, after: Audit) -> Iterator[list[Child]]:
    def row(what: str, then: str, now: str) -> list[Child]:
        return [what, then, now]

    yield row("rows", f"{before.rows:,}", f"{after.rows:,}")
    yield row(
        "equivalence classes (groups of indistinguishable rows)", f"{before.sizes.count:,}", f"{after.sizes.count:,}"
    )
    yield row("rows in the smallest equivalence class (k)", f"{before.k:,}", f"{after.k:,}")
    yield row("class size of the median row", f"{before.sizes.median:,}", f"{after.sizes.median:,}")
    yield row("unique records", _some(before, 2), _some(after, 2))
    yield row("rows in classes of fewer than five", _some(before, 5), _some(after, 5))
    then, now = before.risk.prosecutor, after.risk.prosecutor
    yield row("re-identification risk, highest", percent(then.highest), percent(now.highest))
    yield row("re-identification risk, average", percent(then.average), percent(now.average))
    yield row(
        f"rows with a risk above {limit(before.risk.threshold)}",
        percent(then.share_at_risk),
        percent(now.share_at_risk),
    )


def _some(audit: Audit, size: int) -> str:
    rows = audit.sizes.rows_below(size)
    return f"{rows:,} ({percent(rows / audit.rows)})"


def _models(before: Audit, after: Audit) -> Iterator[Element]:
    """Yield what could be learned about sensitive attributes without finding the right row."""
    if not after.sensitive:
        yield e(
            "p",
            "No column has the role sensitive. This report therefore does not measure what could be learned about a "
            "person without finding the right row (attribute disclosure).",
            class_="small",
        )
    for name, then in zip(after.sensitive, before.sensitive, strict=True):
        rows: list[list[Child | list[Child]]] = []
        for model in audited_models():
            achieved = after.models[name].get(model.name)
            if achieved is not None and achieved.value is not None:
                values = [_value(before.models[then].get(model.name)), _value(achieved)]
                rows.append([[model.title, e("small", model.meaning)], *values])
        yield e("h3", "What could be learned about ", data(name))
        yield e("p", " ".join(_sentences(after, name)))
        yield table(["achieved in the worst equivalence class", "before", "after"], rows, numbers=(1, 2))


def _sentences(audit: Audit, name: str) -> Iterator[str]:
    """Yield the sentences of the audit about an attribute, without its name."""
    for sentence in audit.sentences:
        rest = sentence.removeprefix(f"{name}: ")
        if rest != sentence:
            yield rest[0].upper() + rest[1:]


def _value(achieved: Achieved | None) -> str:
    if achieved is None or achieved.value is None:
        return "\N{EN DASH}"
    return number(achieved.value) if math.isfinite(achieved.value) else "unbounded"
