"""What is published and what that costs: column by column, in answers to questions, and in rows left out."""

from collections.abc import Iterator

from paranym.report.account import Account, Group, LeftOut, Published
from paranym.report.elements import Child, Element, data, e, listed
from paranym.report.pieces import about, bar, percent, section, table
from paranym.report.wording import METRICS

_FAR = 1.5
"""A group that is left out so many times as often as all are is named."""


def publishing_section(account: Account) -> Element:
    """Column by column."""
    rows = [_column(each) for each in account.published]
    weighted = any(each.weight != 1 for each in account.published)
    return section(
        "What is published?",
        e(
            "p",
            "These are the columns that others could know. Each is published at one level of detail: level 0 is the "
            "value as it was, the top level is a mere *. All other columns are published as they are, except "
            "identifiers, which are dropped.",
        ),
        table(
            ["column", "level", "different values", "published as, for example", "detail lost"], rows, numbers=(1, 2)
        ),
        e(
            "p",
            f"Measured by {METRICS['glm']}. Rows left out count in every column.",
            " Columns count by their weights in the total." if weighted else None,
            class_="small",
        ),
    )


def _column(each: Published) -> list[Child | list[Child]]:
    level = (
        "a cut of its own" if each.level is None else f"{each.level}\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}{each.height}"
    )
    return [
        data(each.attribute, 40),
        level,
        f"{each.values_before:,} \N{RIGHTWARDS ARROW} {each.values_after:,}",
        _examples(each),
        [bar(each.lost), e("span", percent(each.lost), class_="beside")],
    ]


def _examples(each: Published) -> list[Child]:
    if each.values_after == 1 and each.values_before > 1:
        return [e("em", "not told: "), data(each.examples[0], 30)] if each.examples else [e("em", "not told")]
    parts: list[Child] = [e("em", "as it is: ")] if each.is_kept else []
    parts += [part for example in each.examples for part in (data(example, 30), ", ")][:-1]
    return [*parts, ", …"] if each.values_after > len(each.examples) else parts


def usefulness_section(account: Account) -> Element:
    """What can still be done with it."""
    queries, promise = account.queries, account.promise
    told = [f"The published table lacks {percent(promise.loss_fraction)} of the detail."]
    if queries.median is not None:
        told.append(
            f"As a trial, {queries.asked:,} random questions of the kind \N{LEFT DOUBLE QUOTATION MARK}how many people "
            "are there with these values in three columns?\N{RIGHT DOUBLE QUOTATION MARK} were answered from the "
            f"published table. Half of the answers are off by at most {percent(queries.median)}"
            + (
                f"; {queries.zero:,} questions to which the true answer is nobody are left aside."
                if queries.zero
                else "."
            )
        )
    if queries.broad_median is not None:
        told.append(
            f"Broad questions fare better: of the {queries.broad:,} that are about at least one in a hundred people, "
            f"half are off by at most {percent(queries.broad_median)}. What is rare was made to disappear in the "
            "crowd, and cannot be counted any more."
        )
    return section("What is it still good for?", [e("p", each) for each in told])


def leaving_out_section(account: Account) -> Element:
    """Who pays for it."""
    promise = account.promise
    if not promise.suppressed:
        return section("Who was left out?", e("p", "Nobody: all rows are published."))
    overall = promise.suppressed / promise.rows
    shown = [each for each in account.left_out if each.is_sensitive or _is_far(each, overall)]
    others = [each for each in account.left_out if each not in shown]
    return section(
        "Who was left out?",
        e(
            "p",
            f"{about(promise.suppressed, 'row').capitalize()} of {promise.rows:,} ({percent(overall)}) could not be "
            f"hidden among {promise.k:,} and {'is' if promise.suppressed == 1 else 'are'} left out. People with rare "
            "values are left out more often than others, so that groups may be missing from the published table more "
            "than they should. These are the shares, group by group.",
        ),
        e("p", *_hardest(account.left_out, overall), class_="note"),
        e("div", [_groups(each, overall) for each in shown], class_="groups"),
        e("p", *_others(others)) if others else None,
        e(
            "p",
            f"Groups of fewer than {promise.k:,} rows are told together. Of a column with many values the finest "
            f"level that has few is shown. Orange: left out more than {_FAR:g} times as often as all.",
            class_="small",
        ),
    )


def _others(others: list[LeftOut]) -> Iterator[Child]:
    yield "By "
    yield from listed([each.attribute for each in others])
    yield " no group is left out much more often than the average."


def _is_far(each: LeftOut, overall: float) -> bool:
    return any(group.share > _FAR * overall and group.left_out > 1 for group in each.groups)


def _hardest(left_out: tuple[LeftOut, ...], overall: float) -> Iterator[Child]:
    """The groups that are hit far more than others, in a sentence."""
    far = [
        (group, each.attribute)
        for each in left_out
        for group in each.groups
        if group.share > _FAR * overall and group.left_out > 1
    ]
    far.sort(key=lambda pair: -pair[0].share)
    if not far:
        yield "No group is left out much more often than the others."
        return
    yield "Left out most often: "
    for n, (group, attribute) in enumerate(far[:3]):
        yield from ("; " if n else "", data(attribute, 30), " = ", data(group.name, 40))
        yield f", {percent(group.share)} of {group.rows:,} rows ({group.share / overall:.1f} times the average)"
    yield "."


def _groups(each: LeftOut, overall: float) -> Element:
    most = max((group.share for group in each.groups), default=0.0)
    return e(
        "div",
        e("h3", data(each.attribute), e("small", " sensitive") if each.is_sensitive else None),
        table(
            ["group", "rows", "left out", "share left out"],
            [_group(group, overall, most) for group in each.groups],
            numbers=(1, 2),
        ),
    )


def _group(group: Group, overall: float, most: float) -> list[Child | list[Child]]:
    kind = "amber" if group.share > _FAR * overall else "teal"
    beside = e("span", percent(group.share), class_="beside")
    return [
        data(group.name, 60),
        f"{group.rows:,}",
        f"{group.left_out:,}",
        [bar(group.share, most=most, kind=kind), beside],
    ]
