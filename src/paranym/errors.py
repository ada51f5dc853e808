"""The tree of all errors.

    ParanymError
    ├── BadInput                 exit code 2: the request or the data must change
    │   ├── SeveralFaults        more than one of the below, reported together
    │   ├── RecipeFault          an invalid entry of the recipe
    │   ├── UnreadableSource     a table that cannot be opened or parsed
    │   ├── UnreadableDocument   a text, JSON or TOML file that cannot be opened or parsed
    │   ├── UnknownAttribute     a name that the table does not have
    │   ├── NoRole               columns without a decision whether to publish them
    │   ├── AmbiguousColumns     two columns with the same name
    │   ├── EmptyTable           no rows, nothing to protect
    │   ├── BadHierarchy         not total, not nested, or without a single top value
    │   ├── OutsideHierarchy     values of the table that their hierarchy does not contain
    │   ├── UnsuitableLoss       a loss measure that needs more than the request gives
    │   └── BudgetTooSmall       a budget too small to find anything
    ├── Unattainable             exit code 1: the request is valid, but cannot be met
    │   ├── GuaranteeLost        the guarantee of a recoding does not hold for another table
    │   └── GateClosed           a release contains something that must be accepted by name
    ├── BrokenPromise            exit code 1: a release does not match its claims
    ├── MissingExtra             exit code 2: an optional library is not installed
    ├── NoBrowser                exit code 2: no browser on this machine can print a page
    ├── NoKeygen                 exit code 2: no program on this machine can sign or check signatures
    ├── NotEnoughMemory          exit code 2: the memory of this machine or process does not suffice
    └── OutputLost               exit code 2: standard output cannot be written

Arguments go to `super().__init__` and the text is built in `__str__`, so every error can be pickled.
"""

import logging
import re
import sys
from difflib import get_close_matches
from typing import Any

_SHOWN = 5


class ParanymError(Exception):
    """Base class of all errors that paranym raises on purpose. Any other exception is a bug."""

    exit_code = 2

    @property
    def lines(self) -> tuple[str, ...]:
        r"""The text in lines. A line end within one of them belongs to a name or a value, and is shown as \n."""
        return (str(self),)


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
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple(line for fault in self.faults for line in fault.lines)


class RecipeFault(BadInput):
    """An invalid entry of the recipe."""

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


class UnreadableDocument(BadInput):
    """A text, JSON or TOML file that cannot be opened or parsed."""

    def __init__(self, path: str, why: str, *, cannot_open: bool = False) -> None:
        super().__init__(path, why, cannot_open)

    @property
    def path(self) -> str:
        return str(self.args[0])

    @property
    def why(self) -> str:
        return str(self.args[1])

    @property
    def cannot_open(self) -> bool:
        """True if the file cannot be opened, rather than being of another kind than expected."""
        return bool(self.args[2])

    def __reduce__(self) -> tuple[object, ...]:
        return _unreadable_document, self.args

    def __str__(self) -> str:
        return f"Cannot read {self.path!r}: {self.why}"


def _unreadable_document(path: str, why: str, cannot_open: bool) -> UnreadableDocument:  # noqa: FBT001 - unpickled
    return UnreadableDocument(path, why, cannot_open=cannot_open)


class UnknownAttribute(BadInput, LookupError):
    """The request names a column that the table does not have."""

    def __init__(self, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name, known)

    def __str__(self) -> str:
        name, known = self.args
        # a file that is not a table looks like a table with one column, named by its first line
        have = shorten(known, 20) if len(known) > 1 else "only one column, of another name"
        return f"No column {name!r}; the table has {have}.{did_you_mean(name, known)}"


class NoRole(BadInput):
    """Columns without a decision whether to publish them."""

    def __init__(self, source: str, names: tuple[str, ...], remedy: str) -> None:
        super().__init__(source, names, remedy)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        names: tuple[str, ...] = self.args[1]
        return names

    def __str__(self) -> str:
        source, names, remedy = self.args
        one = len(names) == 1
        listed = ", ".join(map(repr, names))
        return (
            f"{source} has {'a column' if one else f'{len(names):,} columns'} without a role: {listed}. Nobody decided "
            f"whether {'it' if one else 'they'} may be published, so nothing is. {remedy}"
        )

    @property
    def lines(self) -> tuple[str, ...]:
        remedy: str = self.args[2]
        first, *others = remedy.split("\n")
        return (str(self).removesuffix(remedy) + first, *others)


class AmbiguousColumns(BadInput):
    """Two columns of the table have the same name, so neither can be selected."""

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
    """A hierarchy that is not total, not nested, or has more than one top value."""

    def __init__(self, attribute: str, level: int | None, what: str) -> None:
        super().__init__(attribute, level, what)

    def __str__(self) -> str:
        attribute, level, what = self.args
        place = "" if level is None else f", level {level}"
        return f"Hierarchy of {attribute!r}{place}: {what}"


class OutsideHierarchy(BadInput):
    """Values of the table that the hierarchy of their attribute does not contain."""

    def __init__(
        self, attribute: str, values: tuple[str, ...], leaves: tuple[str, ...], count: int | None = None
    ) -> None:
        # only the first few: an error travels further than the cells of a table should
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
    """A loss measure that needs more than the request gives."""

    def __init__(self, metric: str, why: str) -> None:
        super().__init__(metric, why)

    def __str__(self) -> str:
        metric, why = self.args
        return f"Loss {metric!r} {why}"


class BudgetTooSmall(BadInput):
    """The budget of a search is too small to find anything."""

    def __init__(self, first: str) -> None:
        super().__init__(first)

    def __str__(self) -> str:
        return f"The budget does not suffice for {self.args[0]}; allow more evaluations."


class Unattainable(ParanymError, ValueError):
    """The request is valid but cannot be met."""

    exit_code = 1


class GuaranteeLost(Unattainable):
    """The guarantee of a recoding does not hold for another table, whichever rows are suppressed."""

    def __init__(self, judgement: object) -> None:
        super().__init__(judgement)

    @property
    def judgement(self) -> Any:
        """The details: a `Judgement`."""
        return self.args[0]

    def __str__(self) -> str:
        return f"The guarantee does not hold for this table, and nothing was written. {self.judgement.sentences()[1]}"


class GateClosed(Unattainable):
    """A release contains direct identifiers, free text, or a column that undoes a generalization."""

    def __init__(self, release: str, faults: tuple[str, ...], remedy: str) -> None:
        super().__init__(release, faults, remedy)

    @property
    def faults(self) -> tuple[str, ...]:
        """The findings, in plain words."""
        faults: tuple[str, ...] = self.args[1]
        return faults

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        release, faults, remedy = self.args
        return (f"{release} is not published:", *(f"- {fault}" for fault in faults), remedy)


class BrokenPromise(ParanymError):
    """A release that was read back does not match its claims."""

    exit_code = 1

    def __init__(self, release: str, faults: tuple[str, ...]) -> None:
        super().__init__(release, faults)

    def __str__(self) -> str:
        release, faults = self.args
        return f"{release} does not match its claims: {'; '.join(faults)}."


class MissingExtra(ParanymError, ImportError):
    """An optional library is not installed."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(library, extra)

    def __str__(self) -> str:
        library, extra = self.args
        return f"This needs {library}. Install it with: pip install 'paranym[{extra}]'"


class NoBrowser(ParanymError, RuntimeError):
    """No browser on this machine can print a page as PDF: none was found, or the one that was found failed."""

    def __init__(self, tried: tuple[str, ...], found: str = "", why: str = "") -> None:
        super().__init__(tried, found, why)

    def __str__(self) -> str:
        tried, found, why = self.args
        remedy = "Write the report as .html instead, open it in any browser, and print it to PDF there"
        if found:
            return f"The browser {found!r} did not print the report as PDF ({why}). {remedy}."
        return (
            f"A PDF is printed by a browser, and none was found ({', '.join(tried)} and others were tried). "
            f"{remedy}, or install Chromium (Debian: apt install chromium)."
        )


class NoKeygen(ParanymError, RuntimeError):
    """No program on this machine can sign a manifest or check its signature."""

    def __str__(self) -> str:
        return (
            "Manifests are signed and their signatures checked by ssh-keygen, which was not found. Install OpenSSH "
            "(Debian: apt install openssh-client)."
        )


class NotEnoughMemory(ParanymError, MemoryError):
    """The memory of this machine, or the limit of this process, does not suffice."""

    def __init__(self, why: str = "") -> None:
        super().__init__(why)

    def __str__(self) -> str:
        [why] = self.args
        remedy = "Allow more, close other programs, or ask for less: fewer quasi-identifiers, coarser values"
        return f"There is not enough memory{f': {why}' if why else ''}. {remedy}."

    @classmethod
    def check_space(cls, needed: int, who: str) -> None:
        """Raise if this process may take less address space, while a message is still possible; `who` reserves it."""
        if sys.platform == "win32":
            return
        import resource  # noqa: PLC0415 - not on every system

        allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
        if allowed != resource.RLIM_INFINITY and allowed < needed:
            raise cls(
                f"this process may take {allowed / 1e9:.1f} GB of address space (ulimit -v), and {who} "
                f"{needed / 1e9:.1f} GB, most of which is never used"
            )


class OutputLost(ParanymError, OSError):
    """Standard output cannot be written: it is closed, or its device is full."""

    def __init__(self, why: str) -> None:
        super().__init__(why)

    def __str__(self) -> str:
        return f"Cannot write to standard output: {self.args[0]}."


def notify(message: str) -> None:
    """Log that an input is interpreted in another way than it is written; Python shows the message by default."""
    logging.getLogger("paranym").warning(message)


def raise_all(faults: list[ParanymError]) -> None:
    """Raise the collected faults, if there are any."""
    if len(faults) == 1:
        raise faults[0]
    if faults:
        raise SeveralFaults(tuple(faults))


def shorten(values: tuple[str, ...], most: int = _SHOWN) -> str:
    """Return values as text for a message, at most `most` of them."""
    shown = ", ".join(repr(value) for value in values[:most])
    return shown if len(values) <= most else f"{shown} and {len(values) - most} more"


def toml_reason(error: ValueError, known: tuple[str, ...] = ()) -> str:
    """Return why a file is not valid TOML, and where; keys are omitted unless they begin with a `known` one.

    >>> toml_reason(ValueError("Cannot declare ('password',) twice (at line 3, column 12)"))
    'Cannot declare a key twice (at line 3, column 12)'
    """
    what, at, place = str(error).rpartition(" (at ")
    keys = re.search(r"(?:declare|namespace|key) ((?:\(['\"].*\)|'.*'|\".*\"))", what, re.DOTALL)
    if keys is None or any(keys[1].startswith(f"('{key}'") for key in known):
        return str(error)
    return f"{what.replace(keys[1], 'a key', 1)}{at}{place}"


def shortened(value: object, most: int = 60) -> str:
    """Return a value as text for a message, shortened if it is long."""
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}..."


def did_you_mean(name: str, known: tuple[str, ...]) -> str:
    """Return a closing question if a known name is similar, else an empty text."""
    name = str(name)  # a data frame may number its columns
    near = get_close_matches(name, known, n=1) or get_close_matches(name.strip(), known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""
