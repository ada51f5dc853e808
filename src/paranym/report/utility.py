"""The sections on published columns, on utility, and on suppressed rows."""

from collections.abc import Iterator

from paranym.choice.points import what_is_lost
from paranym.measures.catalogue import describe_loss
from paranym.measures.loss.glm import GeneralLoss
from paranym.report.account import Account, GeneralizedColumn, Group, LeftOut
from paranym.report.elements import Child, Element, data, e, listed
from paranym.report.pieces import bar, section, table
from paranym.wording.numbers import percent, rows_of

_FAR = 1.5
"""Groups suppressed more than this many times as often as the average are named."""


def publishing_section(account: Account) -> Element:
    """Return the section on what is published, column by column."""
    rows = [_column(each) for each in account.published]
    weighted = any(each.weight != 1 for each in account.published)
    return section(
        "What is published?",
        e(
            "p",
            "These are the quasi-identifiers: columns that an attacker could know. Each is generalized along its "
            "hierarchy: level 0 is the original value, and the top level replaces every value by *. All other columns "
            "are published unchanged, except identifiers and dropped columns, which are not published.",
        ),
        table(["column", "level", "distinct values", "published values", "information loss"], rows, numbers=(1, 2)),
        e(
            "p",
            f"Measured by {describe_loss(GeneralLoss.name)}. Suppressed rows count in every column.",
            " In the total, columns count by their weights." if weighted else None,
            class_="small",
        ),
    )


def _column(each: GeneralizedColumn) -> list[Child | list[Child]]:
    level = "a cut" if each.level is None else f"{each.level}\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}{each.height}"
    return [
        data(each.attribute, 40),
        level,
        f"{each.values_before:,} \N{RIGHTWARDS ARROW} {each.values_after:,}",
        _examples(each),
        [bar(each.lost), e("span", percent(each.lost), class_="beside")],
    ]


def _examples(each: GeneralizedColumn) -> list[Child]:
    if each.values_after == 1 and each.values_before > 1:
        return [e("em", "one value: "), data(each.examples[0], 30)] if each.examples else [e("em", "one value")]
    parts: list[Child] = [e("em", "unchanged: ")] if each.is_kept else []
    parts += [part for example in each.examples for part in (data(example, 30), ", ")][:-1]
    return [*parts, ", …"] if each.values_after > len(each.examples) else parts


def utility_section(account: Account) -> Element:
    """Return the section on utility."""
    queries, claims = account.queries, account.claims
    sentences = [f"The release loses {percent(claims.loss_fraction)} of {what_is_lost(account.front.metric)}."]
    if queries.median is not None:
        sentences.append(
            f"As a test, {queries.asked:,} random counting queries of the form \N{LEFT DOUBLE QUOTATION MARK}how many "
            "rows have these values in three columns?\N{RIGHT DOUBLE QUOTATION MARK} were answered from the published "
            f"table. Half of the answers have a relative error of at most {percent(queries.median)}"
            + (f"; {queries.zero:,} queries whose true answer is 0 are not counted." if queries.zero else ".")
        )
    if queries.broad_median is not None:
        sentences.append(
            f"Of the {queries.broad:,} queries about at least 1% of the rows, half have a relative error of at most "
            f"{percent(queries.broad_median)}. Counts of small groups are less reliable, because rare combinations are "
            "generalized or suppressed."
        )
    return section("How useful is the published table?", [e("p", each) for each in sentences])


def suppression_section(account: Account) -> Element:
    """Return the section on suppressed rows."""
    claims = account.claims
    if not claims.suppressed:
        return section("Whose rows are suppressed?", e("p", "Nobody's: all rows are published."))
    overall = claims.suppressed / claims.rows
    shown = [each for each in account.left_out if each.is_sensitive or _is_far(each, overall)]
    others = [each for each in account.left_out if each not in shown]
    besides = " or do not meet the other privacy requirements" if account.demands else ""
    return section(
        "Whose rows are suppressed?",
        e(
            "p",
            f"{rows_of(claims.suppressed, claims.rows)} {'is' if claims.suppressed == 1 else 'are'} suppressed, "
            f"because their equivalence classes are still too small after generalization{besides}. Rows with rare "
            "values are suppressed more often than others, so some groups may be underrepresented in the published "
            "table. The tables show the share of suppressed rows in each group.",
        ),
        e("p", *_hardest(account.left_out, overall), class_="note"),
        e("div", [_groups(each, overall) for each in shown], class_="groups"),
        e("p", *_others(others)) if others else None,
        e(
            "p",
            f"Values with fewer than {claims.k:,} rows are pooled. A column with many values is shown at its finest "
            f"level that has few. Orange: suppressed more than {_FAR:g} times as often as the average.",
            class_="small",
        ),
    )


def _others(others: list[LeftOut]) -> Iterator[Child]:
    yield "By "
    yield from listed([each.attribute for each in others])
    yield ", no group is suppressed much more often than the average."


def _is_far(each: LeftOut, overall: float) -> bool:
    return any(group.share > _FAR * overall and group.left_out > 1 for group in each.groups)


def _hardest(left_out: tuple[LeftOut, ...], overall: float) -> Iterator[Child]:
    """Yield the parts of a sentence that names the groups suppressed most often."""
    far = [
        (group, each.attribute)
        for each in left_out
        for group in each.groups
        if group.share > _FAR * overall and group.left_out > 1
    ]
    far.sort(key=lambda pair: -pair[0].share)
    if not far:
        yield "No group is suppressed much more often than the others."
        return
    yield "Suppressed most often: "
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
            ["group", "rows", "suppressed", "share suppressed"],
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
