"""Third-party engines: tables that are already open, and engines of installed packages."""

import re
from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, cast

from paranym.engines.base import Table, Target
from paranym.errors import BadInput
from paranym.extensions import installed_names, load_installed

_VERBS = ("profile", "spread", "listed", "texts", "unique", "groups", "count", "parts", "fewest", "apply", "write")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://", re.ASCII)


class Engine(Protocol):
    """Opens tables at addresses such as `sqlite:///people.db`: the entry point is named by the scheme, before `://`.

    `paranym.testing.check_engine` tests the tables that it opens.
    """

    def open(
        self,
        address: str,
        *,
        table: str | None,
        missing: Sequence[str],
        memory: str | None,
        target: Target | None,
    ) -> Table:
        """Open a table. Texts of `missing` mean a missing value."""


def is_table(data: object) -> bool:
    """Return whether an object is an open table of an engine.

    >>> is_table("people.csv")
    False
    """
    return not isinstance(data, type) and all(callable(getattr(data, verb, None)) for verb in _VERBS)


def lent(table: object) -> Table:
    """Return an open table that readers do not close, since it belongs to the caller."""
    return cast("Table", _Lent(cast("Table", table)))


class _Lent:
    def __init__(self, table: Table) -> None:
        self._table = table

    def __enter__(self) -> Table:
        return self._table

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the table open."""


def engine_of(data: object) -> Engine | None:
    """Return the installed engine that reads an address; None if it is not an address that one reads.

    >>> engine_of("people.csv") is None
    True
    """
    found = _SCHEME.match(data) if isinstance(data, str) else None
    if found is None:
        return None
    loaded = load_installed("paranym.engines", found[1].lower())
    if loaded is None:
        return None
    engine = loaded() if isinstance(loaded, type) else loaded
    if not callable(getattr(engine, "open", None)):
        known = ", ".join(installed_names("paranym.engines"))
        raise BadInput(f"The engine {found[1]!r} has no method open (installed engines: {known}).")
    return cast("Engine", engine)
