"""The findings and the warnings of an audit, as sentences for readers who do not know the literature."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from paranym.results.audit import Achieved, Audit, Concern
from paranym.wording.numbers import counted, figure, limit, percent

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def sentences(audit: Audit) -> tuple[str, ...]:
    """Return the findings of an audit."""
    return (
        *_on_classes(audit),
        *_on_risk(audit),
        *(sentence for name in audit.sensitive for sentence in _on_sensitive(audit, name)),
        *_on_population(audit),
        _on_missing(audit),
    )


def share(some: int, rows: int) -> str:
    """Return a share of the rows as a ratio.

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


def _on_classes(audit: Audit) -> Iterator[str]:
    sizes, columns = audit.sizes, audit.quasi_identifiers
    these = "this column" if len(columns) == 1 else f"these {_count(len(columns))} columns"
    formed = counted(sizes.count, "equivalence class", "equivalence classes")
    verb = "forms" if audit.rows == 1 else "form"
    yield f"{counted(audit.rows, 'row')} {verb} {formed} by {_listed(columns)}."
    if audit.unique:
        verb = "are" if share(audit.unique, audit.rows)[0] in "a23456789" else "is"
        yield (
            f"{_capital(share(audit.unique, audit.rows))} ({audit.unique:,}, {percent(audit.unique / audit.rows)}) "
            f"{verb} unique on {these}: k = 1."
        )
    else:
        others = counted(audit.k - 1, "other row")
        yield f"Every row has the same values in {these} as at least {others}: k = {audit.k:,}."
    below = sizes.rows_below(5)
    if below > audit.unique:
        yield f"{counted(below, 'row')} ({percent(below / audit.rows)}) are in classes of fewer than five rows."


def _on_risk(audit: Audit) -> Iterator[str]:
    prosecutor, threshold = audit.risk.prosecutor, audit.risk.threshold
    yield (
        "An attacker who knows that a person is in the table, and knows these values of the person, finds the row with "
        f"a probability of {percent(prosecutor.average)} on average and {percent(prosecutor.highest)} at worst. For "
        f"{counted(prosecutor.rows_at_risk, 'row')} ({percent(prosecutor.share_at_risk)}), the probability is above "
        f"{limit(threshold)}."
    )


def _on_sensitive(audit: Audit, name: str) -> Iterator[str]:
    models = audit.models[name]
    distinct, frequency, closeness = models["distinct-l"], models["frequency-l"], models["equal-t"]
    if distinct.value == 1:
        yield (
            f"{name}: {counted(distinct.rows, 'row')} ({percent(distinct.rows / audit.rows)}) "
            f"{'is' if distinct.rows == 1 else 'are'} in classes with a single value, so an attacker who finds the "
            "class of a person learns it (l = 1)."
        )
    else:
        yield f"{name}: every class has at least {_number(distinct)} distinct values (distinct l-diversity)."
        yield (
            f"{name}: an attacker can be at most {percent(1 / (frequency.value or 1))} certain of a person's value "
            f"(frequency l = {_number(frequency)}, entropy l = {_number(models['entropy-l'])})."
        )
    yield (
        f"{name}: the distribution of values in a class differs from that in the whole table by up to "
        f"t = {_number(closeness)} (t-closeness; 0: identical, 1: nothing in common)."
    )


def _on_population(audit: Audit) -> Iterator[str]:
    journalist, people = audit.risk.journalist, audit.risk.population
    if people is not None:
        yield (
            f"In a population of {people:,} people, a row is linked to the right person with a probability of "
            f"{percent(journalist.average)} on average and {percent(journalist.highest)} at worst "
            f"(k-map {_number(audit.against_population['k-map'])})."
        )


def _on_missing(audit: Audit) -> str:
    some = {name: rows for name, rows in audit.missing.items() if rows}
    if not some:
        return "No values are missing in these columns."
    listed = ", ".join(f"{name} {rows:,}" for name, rows in some.items())
    return f"Missing values ({listed}) count as a value of their own: they match each other, and nothing else."


def concerns(
    audit: Audit,
    *,
    values: Mapping[str, int],
    nearly_unique: Mapping[str, int],
    people: Mapping[str, tuple[int, int]],
    tokens: Sequence[str],
    outside: int,
) -> tuple[Concern, ...]:
    """Return the warnings of an audit.

    `values`: the number of distinct values of each sensitive attribute; `nearly_unique`: that of each column that is
    unique for most rows; `people`: for each identifier that repeats, the number of people, and the fewest in a class;
    `tokens`: columns with a text that usually means missing; `outside`: the number of rows that are not in the
    population.
    """
    return (
        *(_nearly_unique(audit, name, different) for name, different in nearly_unique.items()),
        *(_identifier(audit, name, people.get(name)) for name in audit.identifiers),
        *(_constant(name) for name, different in values.items() if different < 2),
        *(_mostly_missing(audit, name, rows) for name, rows in audit.missing.items() if 2 * rows > audit.rows),
        *_tokens(tokens),
        *_outside(outside),
    )


def _nearly_unique(audit: Audit, name: str, different: int) -> Concern:
    sensitive = " It is sensitive as well: an attacker who knows it finds the row." if name in audit.sensitive else ""
    return Concern(
        "nearly-unique",
        (name,),
        f"{name} has {different:,} distinct values in {counted(audit.rows, 'row')} and is not a quasi-identifier. If "
        f"an attacker can know it, it identifies people by itself: make it a quasi-identifier, or drop it.{sensitive}",
    )


def _identifier(audit: Audit, name: str, people: tuple[int, int] | None) -> Concern:
    if people is None:
        return Concern("identifier", (name,), f"{name} identifies people directly. Do not publish it.")
    different, fewest = people
    return Concern(
        "repeated-identifier",
        (name,),
        f"{name} repeats: {counted(audit.rows, 'row')} describe {different:,} people, so k counts rows, not people. "
        f"Counted in people, k = {fewest:,}{'' if fewest == audit.k else f', not {audit.k:,}'}. "
        "Do not publish this column.",
    )


def _constant(name: str) -> Concern:
    return Concern(
        "constant",
        (name,),
        f"{name} is the same in every row: to be in the table reveals it, and generalization cannot protect it.",
    )


def _mostly_missing(audit: Audit, name: str, rows: int) -> Concern:
    return Concern(
        "mostly-missing",
        (name,),
        f"{name} is missing in {counted(rows, 'row')} ({percent(rows / audit.rows)}). These rows count as equal in "
        "this column, but an attacker who knows the missing values can distinguish them.",
    )


def _tokens(names: Sequence[str]) -> Iterator[Concern]:
    if names:
        verb = "has" if len(names) == 1 else "have"
        yield Concern(
            "token",
            tuple(names),
            f"{_listed(names)} {verb} a text such as ? or NA that usually means missing. It counts as an ordinary "
            "value unless you declare it as missing.",
        )


def _outside(rows: int) -> Iterator[Concern]:
    if rows:
        yield Concern(
            "outside-population",
            (),
            f"{counted(rows, 'row')} {'is' if rows == 1 else 'are'} not in the population: it is incomplete, or writes "
            "the quasi-identifiers differently. Such a class is assumed to have no people besides its own rows.",
        )


def _number(achieved: Achieved) -> str:
    if achieved.value is None or not math.isfinite(achieved.value):
        return "infinite" if achieved.value is not None else "unknown"
    return figure(achieved.value)


def _count(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _listed(names: Sequence[str]) -> str:
    """Return names as a list within a sentence."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
