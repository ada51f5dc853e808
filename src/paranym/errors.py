"""Everything that can go wrong, as one tree.

    ParanymError
    ├── BadInput                 exit code 2: the request or the data must change
    │   ├── SeveralFaults        more than one of the below, reported together
    │   ├── RecipeFault          a place in the recipe that cannot be right
    │   ├── UnreadableSource     a table that cannot be opened or parsed
    │   ├── UnknownAttribute     a name that the table does not have
    │   ├── AmbiguousColumns     two columns of one name
    │   ├── EmptyTable           no rows, nothing to protect
    │   ├── BadHierarchy         not total, not nested, or without a single top value
    │   ├── OutsideHierarchy     values of the table that have no place in their hierarchy
    │   └── UnsuitableLoss       a loss that needs what the request does not give
    ├── Unattainable             exit code 1: understood, but it cannot be met
    │   └── GuaranteeLost        what a recoding was chosen for does not hold of another table
    ├── BrokenPromise            exit code 1: a release is not what was promised
    ├── MissingExtra             exit code 2: an optional library is not installed
    └── NoBrowser                exit code 2: nothing on this machine can print a page

Arguments go to `super().__init__` and text is built in `__str__`, so every error survives a process pool.
"""

from difflib import get_close_matches
from typing import Any

_SHOWN = 5


class ParanymError(Exception):
    """Base of all errors that paranym raises on purpose. Anything else is a bug."""

    exit_code = 2


class BadInput(ParanymError, ValueError):
    """The request or the data must change before anything can be computed."""


class SeveralFaults(BadInput):
    """More than one fault, found in one pass and reported together."""

    def __init__(self, faults: tuple[ParanymError, ...]) -> None:
        super().__init__(faults)

    @property
    def faults(self) -> tuple[ParanymError, ...]:
        faults: tuple[ParanymError, ...] = self.args[0]
        return faults

    def __str__(self) -> str:
        return "\n".join(str(fault) for fault in self.faults)


class RecipeFault(BadInput):
    """A place in the recipe that cannot be right."""

    def __init__(self, place: str, what: str) -> None:
        super().__init__(place, what)

    def __str__(self) -> str:
        place, what = self.args
        return f"{place}: {what}"


class UnreadableSource(BadInput):
    """A table that cannot be opened or parsed."""

    def __init__(self, source: str, why: str) -> None:
        super().__init__(source, why)

    def __str__(self) -> str:
        source, why = self.args
        return f"Cannot read {source}: {why}"


class UnknownAttribute(BadInput, LookupError):
    """A request names a column that the table does not have."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name, known)

    def __str__(self) -> str:
        name, known = self.args
        return f"No column {name!r}; the table has {shorten(known, 20)}.{did_you_mean(name, known)}"


class AmbiguousColumns(BadInput):
    """Two columns of the table have the same name, so neither can be asked for."""

    def __init__(self, source: str, names: tuple[str, ...]) -> None:
        super().__init__(source, names)

    def __str__(self) -> str:
        source, names = self.args
        return (
            f"{source} has more than one column named {shorten(names)}. Rename the columns so that each name is unique."
        )


class EmptyTable(BadInput):
    """The table has no rows."""

    def __init__(self, source: str) -> None:
        super().__init__(source)

    def __str__(self) -> str:
        return f"{self.args[0]} has no rows: there is nothing to anonymize."


class BadHierarchy(BadInput):
    """A hierarchy that is not total, not nested, or does not end in one value."""

    def __init__(self, attribute: str, level: int | None, what: str) -> None:
        super().__init__(attribute, level, what)

    def __str__(self) -> str:
        attribute, level, what = self.args
        place = "" if level is None else f", level {level}"
        return f"Hierarchy of {attribute!r}{place}: {what}"


class OutsideHierarchy(BadInput):
    """Values of the table that have no place in the hierarchy of their attribute."""

    def __init__(
        self, attribute: str, values: tuple[str, ...], leaves: tuple[str, ...], count: int | None = None
    ) -> None:
        # the first few say enough: an error travels further than the cells of a table should
        super().__init__(attribute, values[:_SHOWN], leaves, len(values) if count is None else count)

    def __str__(self) -> str:
        attribute, values, leaves, count = self.args
        many = f"{count} values" if count > 1 else "a value"
        more = f" and {count - len(values)} more" if count > len(values) else ""
        return (
            f"Column {attribute!r} has {many} that its hierarchy does not place: {shorten(values)}{more}. "
            f"Add a line for each to the hierarchy, or name tokens that mean missing under [data] missing."
            f"{did_you_mean(values[0], leaves)}"
        )


class UnsuitableLoss(BadInput):
    """A loss measure that needs what the request does not give."""

    def __init__(self, metric: str, why: str) -> None:
        super().__init__(metric, why)

    def __str__(self) -> str:
        metric, why = self.args
        return f"Loss {metric!r} {why}"


class Unattainable(ParanymError, ValueError):
    """The request is understood but cannot be met."""

    exit_code = 1


class GuaranteeLost(Unattainable):
    """What a recoding was chosen for does not hold of another table, whatever rows are left out of it."""

    def __init__(self, judgement: object) -> None:
        super().__init__(judgement)

    @property
    def judgement(self) -> Any:
        """What was found: a `Judgement`."""
        return self.args[0]

    def __str__(self) -> str:
        return f"The guarantee does not hold of this table, and nothing was written. {self.judgement.sentences()[1]}"


class BrokenPromise(ParanymError):
    """A release was read back, and is not what was promised."""

    exit_code = 1

    def __init__(self, release: str, faults: tuple[str, ...]) -> None:
        super().__init__(release, faults)

    def __str__(self) -> str:
        release, faults = self.args
        return f"{release} is not what was promised: {'; '.join(faults)}."


class MissingExtra(ParanymError, ImportError):
    """An optional library is not installed."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(library, extra)

    def __str__(self) -> str:
        library, extra = self.args
        return f"This needs {library}. Install it with: pip install 'paranym[{extra}]'"


class NoBrowser(ParanymError, RuntimeError):
    """Nothing on this machine can print a page as PDF: no browser was found, or the one that was found failed."""

    def __init__(self, sought: tuple[str, ...], found: str = "", why: str = "") -> None:
        super().__init__(sought, found, why)

    def __str__(self) -> str:
        sought, found, why = self.args
        remedy = "Write the report as .html instead, open it in any browser, and print it to PDF there"
        if found:
            return f"The browser {found!r} did not print the report as PDF ({why}). {remedy}."
        return (
            f"A PDF is printed by a browser, and none was found ({', '.join(sought)} and others were sought). "
            f"{remedy}, or install Chromium (Debian: apt install chromium)."
        )


def raise_all(faults: list[ParanymError]) -> None:
    """Raise the faults gathered in one pass, if there are any."""
    if len(faults) == 1:
        raise faults[0]
    if faults:
        raise SeveralFaults(tuple(faults))


def shorten(values: tuple[str, ...], most: int = _SHOWN) -> str:
    """Values as text for a message, cut after `most` of them."""
    shown = ", ".join(repr(value) for value in values[:most])
    return shown if len(values) <= most else f"{shown} and {len(values) - most} more"


def did_you_mean(name: str, known: tuple[str, ...]) -> str:
    """A closing question where a known name is near, else nothing."""
    name = str(name)  # a data frame may number its columns
    near = get_close_matches(name, known, n=1) or get_close_matches(name.strip(), known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
