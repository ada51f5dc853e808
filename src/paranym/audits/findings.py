"""An audit in plain words, for somebody who has read no paper: what was found, and what deserves a warning."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from paranym.model.audit import Audit, Concern, Reached
from paranym.model.wording import figure, percent

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def sentences(audit: Audit) -> tuple[str, ...]:
    """What the audit found."""
    return (
        *_on_classes(audit),
        *_on_risk(audit),
        *(sentence for name in audit.sensitive for sentence in _on_sensitive(audit, name)),
        *_on_population(audit),
        _on_missing(audit),
    )


def share(some: int, rows: int) -> str:
    """Some rows of all, as people say it.

    >>> share(8, 32), share(2, 3), share(1, 30162), share(5, 5), share(0, 5)
    ('1 in 4 rows', '2 in 3 rows', '1 in 30,162 rows', 'every row', 'no row')
    """
    if some in (0, rows):
        return "every row" if some else "no row"
    if 2 * some > rows:
        near = Fraction(some, rows).limit_denominator(10)
        if near == 1:
            return f"all but {rows - some:,} rows"
        return f"{near.numerator} in {near.denominator} rows"
    return f"1 in {round(rows / some):,} rows"


def some_rows(number: int) -> str:
    """A number of rows.

    >>> some_rows(1), some_rows(1200)
    ('1 row', '1,200 rows')
    """
    return f"{number:,} row{'' if number == 1 else 's'}"


def _on_classes(audit: Audit) -> Iterator[str]:
    sizes, columns = audit.sizes, audit.quasi_identifiers
    these = "this column" if len(columns) == 1 else f"these {_count(len(columns))} columns"
    formed = "1 class" if sizes.count == 1 else f"{sizes.count:,} classes"
    verb = "forms" if audit.rows == 1 else "form"
    yield f"{some_rows(audit.rows)} {verb} {formed}, each alike on {_listed(columns)}."
    if audit.unique:
        verb = "are" if share(audit.unique, audit.rows)[0] in "a23456789" else "is"
        yield (
            f"{_capital(share(audit.unique, audit.rows))} ({audit.unique:,}, {percent(audit.unique / audit.rows)}) "
            f"{verb} unique on {these}: k = 1."
        )
    else:
        yield f"Every row has the same values on {these} as at least {audit.k - 1:,} others: k = {audit.k:,}."
    below = sizes.rows_below(5)
    if below > audit.unique:
        yield f"{some_rows(below)} ({percent(below / audit.rows)}) are in classes of fewer than five."


def _on_risk(audit: Audit) -> Iterator[str]:
    prosecutor, threshold = audit.risk.prosecutor, audit.risk.threshold
    yield (
        "Whoever knows that a person is in the table, and knows these values of the person, finds the row with "
        f"probability {percent(prosecutor.highest)} at worst and {percent(prosecutor.average)} on average; for "
        f"{some_rows(prosecutor.rows_at_risk)} ({percent(prosecutor.share_at_risk)}) it is above {percent(threshold)}."
    )


def _on_sensitive(audit: Audit, name: str) -> Iterator[str]:
    models = audit.models[name]
    distinct, frequency, closeness = models["distinct-l"], models["frequency-l"], models["equal-t"]
    if distinct.value == 1:
        yield (
            f"{name}: {some_rows(distinct.rows)} ({percent(distinct.rows / audit.rows)}) "
            f"{'is' if distinct.rows == 1 else 'are'} in classes that have one value only; whoever finds a person "
            "there knows it (l = 1)."
        )
    else:
        yield f"{name}: every class has at least {_number(distinct)} different values (distinct l-diversity)."
        yield (
            f"{name}: nobody can be more than {percent(1 / (frequency.value or 1))} sure of a person's value "
            f"(frequency l = {_number(frequency)}, entropy l = {_number(models['entropy-l'])})."
        )
    yield (
        f"{name}: the values of a class differ from those of the whole table by up to t = {_number(closeness)} "
        "(0: not at all, 1: nothing in common)."
    )


def _on_population(audit: Audit) -> Iterator[str]:
    journalist, people = audit.risk.journalist, audit.risk.population
    if people is not None:
        yield (
            f"Against a population of {people:,}, a row is traced to its person with probability "
            f"{percent(journalist.highest)} at worst (k-map {_number(audit.against_population['k-map'])}) and "
            f"{percent(journalist.average)} on average."
        )


def _on_missing(audit: Audit) -> str:
    some = {name: rows for name, rows in audit.missing.items() if rows}
    if not some:
        return "No value is missing in these columns."
    listed = ", ".join(f"{name} {rows:,}" for name, rows in some.items())
    return f"Missing values ({listed}) count as a value of their own: rows that lack the same are alike in that."


def concerns(
    audit: Audit,
    *,
    values: Mapping[str, int],
    nearly_unique: Mapping[str, int],
    people: Mapping[str, tuple[int, int]],
    tokens: Sequence[str],
    strangers: int,
) -> tuple[Concern, ...]:
    """What deserves a warning.

    `values`: how many each sensitive attribute has; `nearly_unique`: how many the columns have that tell most rows
    apart; `people`: of identifiers that repeat, how many they name, and how many in the class that has fewest;
    `tokens`: columns with a text that usually means missing; `strangers`: rows that the population does not have.
    """
    return (
        *(_nearly_unique(audit, name, different) for name, different in nearly_unique.items()),
        *(_identifier(audit, name, people.get(name)) for name in audit.identifiers),
        *(_constant(name) for name, different in values.items() if different < 2),
        *(_mostly_missing(audit, name, rows) for name, rows in audit.missing.items() if 2 * rows > audit.rows),
        *_tokens(tokens),
        *_strangers(strangers),
    )


def _nearly_unique(audit: Audit, name: str, different: int) -> Concern:
    sensitive = " It is sensitive as well: whoever knows it finds the row." if name in audit.sensitive else ""
    return Concern(
        "nearly-unique",
        (name,),
        f"{name} has {different:,} different values in {some_rows(audit.rows)} and is no quasi-identifier: if others "
        f"can know it, it identifies people by itself. Make it a quasi-identifier, or leave it out.{sensitive}",
    )


def _identifier(audit: Audit, name: str, people: tuple[int, int] | None) -> Concern:
    if people is None:
        return Concern("identifier", (name,), f"{name} names people. Leave it out of what is published.")
    different, fewest = people
    return Concern(
        "repeated-identifier",
        (name,),
        f"{name} repeats: {some_rows(audit.rows)} are about {different:,} people, so k counts rows and not people. "
        f"Counted in people, k = {fewest:,}{'' if fewest == audit.k else f', not {audit.k:,}'}. "
        "Leave the column out of what is published.",
    )


def _constant(name: str) -> Concern:
    return Concern(
        "constant",
        (name,),
        f"{name} is the same in every row: being in the table tells it, and no generalization can hide it.",
    )


def _mostly_missing(audit: Audit, name: str, rows: int) -> Concern:
    return Concern(
        "mostly-missing",
        (name,),
        f"{name} is missing in {some_rows(rows)} ({percent(rows / audit.rows)}). These rows count as alike in it; if "
        "others know what is missing here, they are not.",
    )


def _tokens(names: Sequence[str]) -> Iterator[Concern]:
    if names:
        verb = "has" if len(names) == 1 else "have"
        yield Concern(
            "token",
            tuple(names),
            f"{_listed(names)} {verb} a text such as ? or NA that usually means missing. It is counted like any other "
            "value; name it as missing to have it counted so.",
        )


def _strangers(rows: int) -> Iterator[Concern]:
    if rows:
        yield Concern(
            "outside-population",
            (),
            f"{some_rows(rows)} are not in the population: it lacks people, or writes the quasi-identifiers in another "
            "way. Each such class is taken to have no people but its own.",
        )


def _number(reached: Reached) -> str:
    if reached.value is None or not math.isfinite(reached.value):
        return "infinite" if reached.value is not None else "unknown"
    return figure(reached.value)


def _count(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _listed(names: Sequence[str]) -> str:
    """Names in a row, the last after `and`."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
