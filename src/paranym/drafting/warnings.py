"""What deserves a second look before a draft is relied on, in plain words and without cell values."""

from collections.abc import Sequence

from paranym.drafting.portrait import Portrait
from paranym.drafting.words import series, shown
from paranym.model.audit import Concern

_MOST_APART = 3
"""So many columns are warned of one by one; more would be a wall of words."""
_MOST_NAMED = 5
_TOGETHER = {
    "constant": "are the same in every row: they tell nothing about anybody, and nothing can hide them.",
    "identifier": "tell every row apart. They are left out.",
    "repeated-identifier": "repeat. If they name people, k counts rows, not people: keep one row per person, or ask "
    "for a larger k. They are left out.",
    "free-text": "hold long texts, which may name anybody. They are left out.",
    "nearly-unique": "have different values in most rows: whoever knows one finds the person. They are left out; to "
    "publish one, make it a quasi-identifier.",
    "nearly-unique-known": "have different values in most rows: they must become much coarser before anybody is like "
    "others. Leave out what your readers do not need.",
    "nearly-unique-sensitive": "are sensitive and have different values in most rows: whoever knows one finds the "
    "person. They are kept as they are unless you change their roles.",
    "numbers-as-text": "hold numbers with a comma, a currency sign or a percent sign, which are read as text. Written "
    "plainly, such as 1.75 or 52000, they could be put into intervals.",
    "mostly-missing": "have no value in most rows: those that have one stand out.",
    "left-out": "have too many different values, or are of a type that cannot be generalized: they are left out.",
}


def on_columns(kind: str, portraits: Sequence[Portrait]) -> Sequence[Concern]:
    """What is to be said of all columns with one kind of warning: one sentence for all if they are many."""
    named = kind.removesuffix("-known").removesuffix("-sensitive")
    if len(portraits) <= _MOST_APART:
        return [Concern(named, (portrait.name,), _on_column(kind, portrait)) for portrait in portraits]
    names = tuple(portrait.name for portrait in portraits)
    return [Concern(named, names, f"{some_of(names)} {_TOGETHER[kind]}")]


def _on_column(kind: str, portrait: Portrait) -> str:
    name, different, rows, missing = shown(portrait.name), portrait.different, portrait.rows, portrait.missing
    often = f"{name} has {different:,} different values in {rows:,} rows"
    return {
        "constant": f"{name} is the same in every row: it tells nothing about anybody, and nothing can hide it.",
        "identifier": f"{name} tells every row apart. It is left out.",
        "repeated-identifier": (
            f"{name} repeats: {rows:,} rows have {different:,} different values. If it names people, k counts rows, "
            "not people: keep one row per person, or ask for a larger k. It is left out."
        ),
        "free-text": f"{name} holds long texts, which may name anybody. It is left out.",
        "nearly-unique": (
            f"{often}: whoever knows it finds the person. It is left out; to publish it, make it a quasi-identifier."
        ),
        "nearly-unique-known": (
            f"{often}: it must become much coarser before anybody is like others. Leave it out if your readers do not "
            "need it."
        ),
        "nearly-unique-sensitive": (
            f"{name} is sensitive and has {different:,} different values in {rows:,} rows: whoever knows one finds the "
            "person. It is kept as it is unless you change its role."
        ),
        "numbers-as-text": (
            f"{name} holds numbers with a comma, a currency sign or a percent sign, which are read as text. Written "
            "plainly, such as 1.75 or 52000, they could be put into intervals."
        ),
        "mostly-missing": (
            f"{name} is missing in {missing:,} of {rows:,} rows ({missing / rows:.0%}): those that have a value stand "
            "out."
            if different
            else f"{name} has no value in any row."
        ),
        "left-out": (
            f"{name} {'is of a type' if portrait.is_of_other_type else 'has too many different values,'} that cannot "
            "be generalized: it is left out."
        ),
    }[kind]


def the_same(kept: str, left_out: str) -> Concern:
    """Two columns that say the same in other words."""
    return Concern(
        "determined",
        (kept, left_out),
        f"{shown(kept)} and {shown(left_out)} say the same in other words. Published beside each other, each would "
        f"undo what is done to the other: {shown(left_out)} is left out.",
    )


def determined(finer: str, coarser: str, *, sensitive: bool) -> Concern:
    """A column that follows from another."""
    one, other = shown(finer), shown(coarser)
    if sensitive:
        says = f"whoever knows {one} knows {other}, which is sensitive."
    else:
        says = f"{other} follows from {one}, and may serve as a level of its hierarchy instead."
    return Concern("determined", (finer, coarser), f"Each value of {one} comes with one value of {other}: {says}")


def too_many(names: Sequence[str]) -> Concern:
    """Columns for which there was no room."""
    verb = "is" if len(names) == 1 else "are"
    return Concern(
        "left-out",
        tuple(names),
        f"{some_of(names)} {verb} left out, since others may know them and every further quasi-identifier makes all "
        "others coarser: choose which ones your readers need.",
    )


def some_of(names: Sequence[str]) -> str:
    """The first few names, and how many more there are.

    >>> some_of(["a", "b"]), some_of(list("abcdefg"))
    ('a and b', 'a, b, c, d, e and 2 more')
    """
    rest = len(names) - _MOST_NAMED
    return series([*map(shown, names[:_MOST_NAMED]), *([f"{rest:,} more"] if rest > 0 else [])])
