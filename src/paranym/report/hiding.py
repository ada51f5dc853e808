"""How well people are hidden: class sizes, risks and privacy models, before and after."""

import math
from collections.abc import Iterator

from paranym.model.audit import Audit, Reached
from paranym.model.wording import figure as number
from paranym.report.account import Account
from paranym.report.elements import Child, Element, data, e
from paranym.report.figures import size_bars, sizes_figure
from paranym.report.pieces import figure, percent, section, table
from paranym.report.wording import MODELS


def hiding_section(account: Account) -> Element:
    """Whether the promise is worth something."""
    before, after = account.before, account.after
    return section(
        "How well are people hidden?",
        e("p", _in_words(before, after)),
        figure(
            sizes_figure(before, after),
            _bars_in_words(before, after),
            "How many people look the same as how many others, before (grey) and after (green). The further to the "
            "right, the better people are hidden.",
            _numbers(before, after),
        ),
        table(["risk", "before", "after"], _risks(before, after), numbers=(1, 2)),
        *_models(before, after),
    )


def _in_words(before: Audit, after: Audit) -> str:
    worst, now = before.risk.prosecutor, after.risk.prosecutor
    return (
        "Somebody who knows that a person is in the table, and knows all quasi-identifiers of that person, would have "
        f"found the right row of the original table with a chance of {percent(worst.average)} on average. In the "
        f"published table it is {percent(now.average)} on average, and {percent(now.highest)} for the person who is "
        "worst off."
    )


def _bars_in_words(before: Audit, after: Audit) -> str:
    told = [
        f"{bar['size']}: {percent(bar['before'])} before, {percent(bar['after'])} after"
        for bar in size_bars(before.sizes, after.sizes)
        if bar["before"] or bar["after"]
    ]
    return "Share of rows by the size of their class. " + "; ".join(told) + "."


def _numbers(before: Audit, after: Audit) -> Element:
    rows = [
        [bar["size"], percent(bar["before"]), percent(bar["after"])] for bar in size_bars(before.sizes, after.sizes)
    ]
    heads = ["rows in classes of", "before", "after"]
    return e("details", e("summary", "The same in numbers"), table(heads, rows, numbers=(1, 2)))


def _risks(before: Audit, after: Audit) -> Iterator[list[Child]]:
    def row(what: str, then: str, now: str) -> list[Child]:
        return [what, then, now]

    yield row("rows", f"{before.rows:,}", f"{after.rows:,}")
    yield row("classes: groups of rows that look the same", f"{before.sizes.count:,}", f"{after.sizes.count:,}")
    yield row("smallest class (k)", f"{before.k:,}", f"{after.k:,}")
    yield row("class size of the person in the middle", f"{before.sizes.median:,}", f"{after.sizes.median:,}")
    yield row("people who are one of a kind", _some(before, 2), _some(after, 2))
    yield row("people in classes of fewer than five", _some(before, 5), _some(after, 5))
    then, now = before.risk.prosecutor, after.risk.prosecutor
    yield row("chance to be found, for the person worst off", percent(then.highest), percent(now.highest))
    yield row("chance to be found, on average", percent(then.average), percent(now.average))
    yield row(
        f"people found with a chance above {percent(before.risk.threshold)}",
        percent(then.share_at_risk),
        percent(now.share_at_risk),
    )


def _some(audit: Audit, size: int) -> str:
    rows = audit.sizes.rows_below(size)
    return f"{rows:,} ({percent(rows / audit.rows)})"


def _models(before: Audit, after: Audit) -> Iterator[Element]:
    """What can be learnt about the sensitive attributes of somebody who was not even found."""
    if not after.sensitive:
        yield e(
            "p",
            "No column was said to be sensitive, so that nothing is measured here about what could be learnt of a "
            "person without finding the right row.",
            class_="small",
        )
    for name, then in zip(after.sensitive, before.sensitive, strict=True):
        rows: list[list[Child | list[Child]]] = []
        for key, told in MODELS.items():
            reached = after.models[name].get(key)
            if reached is not None and reached.value is not None:
                values = [_value(before.models[then].get(key)), _value(reached)]
                rows.append([[told.title, e("small", told.meaning)], *values])
        yield e("h3", "What could be learnt about ", data(name))
        yield e("p", " ".join(_sentences(after, name)))
        yield table(["in the class where it is worst", "before", "after"], rows, numbers=(1, 2))


def _sentences(audit: Audit, name: str) -> Iterator[str]:
    """What the audit says about an attribute in plain words, without its name."""
    for sentence in audit.sentences:
        told = sentence.removeprefix(f"{name}: ")
        if told != sentence:
            yield told[0].upper() + told[1:]


def _value(reached: Reached | None) -> str:
    if reached is None or reached.value is None:
        return "\N{EN DASH}"
    return number(reached.value) if math.isfinite(reached.value) else "without limit"
