"""What deserves a second look before a draft is relied on, in plain words and without cell values."""

from collections.abc import Sequence

from paranym.drafting.portrait import Portrait
from paranym.drafting.words import shown
from paranym.model.audit import Concern


def on_column(kind: str, portrait: Portrait) -> Concern:
    """What is to be said where a guess came with a warning."""
    name, different, rows = shown(portrait.name), portrait.different, portrait.rows
    says = {
        "constant": f"{name} is the same in every row: it tells nothing about anybody, and nothing can hide it.",
        "identifier": f"{name} tells every row apart. It is left out.",
        "repeated-identifier": (
            f"{name} repeats: {rows:,} rows have {different:,} different values. If it names people, k counts rows, "
            "not people: keep one row per person, or ask for a larger k. It is left out."
        ),
        "free-text": f"{name} holds long texts, which may name anybody. It is left out.",
        "nearly-unique": (
            f"{name} has {different:,} different values in {rows:,} rows: whoever knows it finds the person. "
            "It is left out; to publish it, make it a quasi-identifier."
        ),
        "left-out": f"{name} has too many different values, or holds lists: it cannot be generalized and is left out.",
    }
    return Concern(kind, (portrait.name,), says[kind])


def mostly_missing(portrait: Portrait) -> Concern:
    """A column that most rows have no value in."""
    share = portrait.missing / portrait.rows
    return Concern(
        "mostly-missing",
        (portrait.name,),
        f"{shown(portrait.name)} is missing in {portrait.missing:,} of {portrait.rows:,} rows ({share:.0%}): "
        "those that have a value stand out.",
    )


def nearly_unique_sensitive(portrait: Portrait) -> Concern:
    """A sensitive column that is as good as a name."""
    return Concern(
        "nearly-unique",
        (portrait.name,),
        f"{shown(portrait.name)} is sensitive and has {portrait.different:,} different values in {portrait.rows:,} "
        "rows: whoever knows one finds the person. It is kept as it is unless you change its role.",
    )


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
    some = ", ".join(map(shown, names[:5])) + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")
    verb = "is" if len(names) == 1 else "are"
    return Concern(
        "left-out",
        tuple(names),
        f"{some} {verb} left out, since others may know them and every further quasi-identifier makes all others "
        "coarser: choose which ones your readers need.",
    )
