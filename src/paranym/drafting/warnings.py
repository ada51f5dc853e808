"""Warnings of a draft, without cell values."""

from collections.abc import Sequence

from paranym.drafting.portrait import Portrait
from paranym.recognition.words import series, shown
from paranym.results.audit import Concern
from paranym.wording.numbers import rows_of

_MOST_APART = 3
"""Up to this many columns get a warning each; more share one."""
_MOST_NAMED = 5
_TOO_MANY = "has too many distinct values to be generalized"
_TOGETHER = {
    "constant": "are the same in every row: they distinguish nobody, and generalization cannot protect them.",
    "identifier": "are different in every row. They are not published.",
    "repeated-identifier": "repeat. If they identify people, k counts rows, not people: keep one row per person, or "
    "require a larger k. They are not published.",
    "free-text": "contain long texts, which may name people. They are not published.",
    "nearly-unique": "have distinct values in most rows: an attacker who knows one finds the person. They are not "
    "published; to publish one, make it a quasi-identifier.",
    "nearly-unique-known": "have distinct values in most rows: they must be generalized strongly before rows become "
    "indistinguishable. Drop those that your readers do not need.",
    "nearly-unique-sensitive": "are sensitive and have distinct values in most rows: an attacker who knows one finds "
    "the person. They are published unchanged unless you change their roles.",
    "numbers-as-text": "contain numbers with a comma, a currency sign or a percent sign, which are read as text. "
    "Written as plain numbers, such as 1.75 or 52000, they could be generalized to intervals.",
    "mostly-missing": "have no value in most rows: the rows that have one stand out.",
    "left-out": "have too many distinct values, or are of a type that cannot be generalized. They are not published.",
}


def on_columns(kind: str, portraits: Sequence[Portrait]) -> Sequence[Concern]:
    """Return the warnings of one kind: one for each column, or one for all if they are many."""
    named = kind.removesuffix("-known").removesuffix("-sensitive")
    if len(portraits) <= _MOST_APART:
        return [Concern(named, (portrait.name,), _on_column(kind, portrait)) for portrait in portraits]
    names = tuple(portrait.name for portrait in portraits)
    return [Concern(named, names, f"{some_of(names)} {_TOGETHER[kind]}")]


def _on_column(kind: str, portrait: Portrait) -> str:
    name, different, rows, missing = shown(portrait.name), portrait.different, portrait.rows, portrait.missing
    often = f"{name} has {different:,} distinct values in {rows:,} rows"
    return {
        "constant": (
            f"{name} is the same in every row: it distinguishes nobody, and generalization cannot protect it."
        ),
        "identifier": f"{name} is different in every row. It is not published.",
        "repeated-identifier": (
            f"{name} repeats: {rows:,} rows have {different:,} distinct values. If it identifies people, k counts "
            "rows, not people: keep one row per person, or require a larger k. It is not published."
        ),
        "free-text": f"{name} contains long texts, which may name people. It is not published.",
        "nearly-unique": (
            f"{often}: an attacker who knows it finds the person. It is not published; to publish it, make it a "
            "quasi-identifier."
        ),
        "nearly-unique-known": (
            f"{often}: it must be generalized strongly before rows become indistinguishable. Drop it if your readers "
            "do not need it."
        ),
        "nearly-unique-sensitive": (
            f"{name} is sensitive and has {different:,} distinct values in {rows:,} rows: an attacker who knows it "
            "finds the person. It is published unchanged unless you change its role."
        ),
        "numbers-as-text": (
            f"{name} contains numbers with a comma, a currency sign or a percent sign, which are read as text. Written "
            "as plain numbers, such as 1.75 or 52000, they could be generalized to intervals."
        ),
        "mostly-missing": (
            f"{name} is missing in {rows_of(missing, rows)}: the rows that have a value stand out."
            if different
            else f"{name} has no value in any row."
        ),
        "left-out": (
            f"{name} {'is of a type that cannot be generalized' if portrait.is_of_other_type else _TOO_MANY}. It is "
            "not published."
        ),
    }[kind]


def the_same(kept: str, left_out: str) -> Concern:
    """Return the warning about two columns that determine each other."""
    return Concern(
        "determined",
        (kept, left_out),
        f"{shown(kept)} and {shown(left_out)} determine each other. If both were published, each would reveal what is "
        f"generalized in the other: {shown(left_out)} is not published.",
    )


def determined(finer: str, coarser: str, *, sensitive: bool) -> Concern:
    """Return the warning about a column that another one determines."""
    one, other = shown(finer), shown(coarser)
    if sensitive:
        says = f"{one} determines {other}, which is sensitive: an attacker who knows the one learns the other."
    else:
        says = f"{one} determines {other}, which could be a level of the hierarchy of {one} instead."
    return Concern("determined", (finer, coarser), says)


def too_many(names: Sequence[str]) -> Concern:
    """Return the warning about columns that would be too many quasi-identifiers."""
    verb = "is" if len(names) == 1 else "are"
    return Concern(
        "left-out",
        tuple(names),
        f"{some_of(names)} {verb} not published: others may know them, but every further quasi-identifier costs "
        "information in all the others. Choose the columns that your readers need.",
    )


def some_of(names: Sequence[str]) -> str:
    """Return the first few names, and the number of further ones.

    >>> some_of(["a", "b"]), some_of(list("abcdefg"))
    ('a and b', 'a, b, c, d, e and 2 more')
    """
    rest = len(names) - _MOST_NAMED
    return series([*map(shown, names[:_MOST_NAMED]), *([f"{rest:,} more"] if rest > 0 else [])])
