"""A private registry of released tables, which recognizes a second release of a table wherever it is written.

The registry is in the state folder of the user. It contains no values, names or paths, only a set of marks for every
released table: one keyed digest per column, made with a secret of the user. A mark depends only on the number of rows
with each value. A table is therefore recognized in another file format, in another order of rows or columns, under
other column names, and after some columns were added, dropped or corrected.
"""

import hashlib
import hmac
import json
import os
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

from paranym.engines.base import Coding, Column, Table
from paranym.engines.codes import number
from paranym.errors import ParanymError
from paranym.files.reading import parse_json
from paranym.model.values import to_number, to_text

if sys.platform != "win32":
    import fcntl

VARIABLE = "PARANYM_REGISTRY"
"""The environment variable that turns the registry off."""
_OFF = ("off", "no", "false", "0")
_KEY = "key"
_RELEASED = "released.jsonl"
_VALUES = 100_000
"""Columns with more values are skipped: listing them would cost more than the release."""
_AT_ONCE = 50
_JOINT = 2**20
"""Columns are counted together as long as their values have no more combinations than this."""
_SHARE = 2, 3
"""Two tables count as the same if they share this fraction of the columns of the narrower one."""

Portrait = frozenset[bytes]
"""Digests of the columns of a table that have more than one value."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A recorded release."""

    identity: str
    when: str
    """The day."""
    marks: frozenset[str]


@dataclass(frozen=True, slots=True)
class Registry:
    """The registry in a folder. Errors of the file system are ignored: a release never fails because of them.

    >>> import tempfile
    >>> table = frozenset({b"age", b"sex", b"zip"})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     registry = Registry(Path(folder))
    ...     registry.record(table, "first")
    ...     [entry.identity for entry in registry.earlier(table)], list(registry.earlier(frozenset({b"pay"})))
    (['first'], [])
    """

    folder: Path

    @classmethod
    def of_user(cls) -> "Registry | None":
        """Return the registry of the current user; None if it is turned off, or the user has no home folder."""
        if os.environ.get(VARIABLE, "").lower() in _OFF:
            return None
        given = Path(os.environ.get("XDG_STATE_HOME", ""))
        if given.is_absolute():
            return cls(given / "paranym")
        try:
            home = Path.home()
        except RuntimeError:
            return None
        return cls(home / ".local" / "state" / "paranym") if home.is_dir() else None

    def earlier(self, portrait: Portrait) -> list[Entry]:
        """Return the recorded releases of the same table, the oldest first."""
        key = self._key(make=False)
        if key is None or not portrait:
            return []
        marks = _marks(portrait, key)
        return [entry for entry in self._entries() if _are_same(entry.marks, marks)]

    def record(self, portrait: Portrait, identity: str, *, replaced: str | None = None) -> None:
        """Record a release, and forget the one that it replaced."""
        key = self._key(make=True)
        if key is None or not portrait:
            return
        day = datetime.now(UTC).date().isoformat()
        lines: list[dict[str, object]] = [{"id": identity, "when": day, "marks": sorted(_marks(portrait, key))}]
        if replaced is not None:
            lines.append({"forget": replaced})
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        with suppress(OSError):
            descriptor = os.open(self.folder / _RELEASED, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "a", encoding="utf-8") as file:
                if sys.platform != "win32":
                    fcntl.flock(file, fcntl.LOCK_EX)
                file.write(text)

    def _key(self, *, make: bool) -> bytes | None:
        """Return the secret of the user; with `make`, create it if it does not exist."""
        path = self.folder / _KEY
        try:
            if make and not path.exists():
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                _place(path, secrets.token_bytes(32))
            key = path.read_bytes()
        except OSError:
            return None
        return key or None

    def _entries(self) -> list[Entry]:
        try:
            lines = (self.folder / _RELEASED).read_bytes().splitlines()
        except OSError:
            return []
        found: dict[str, Entry] = {}
        for line in lines:
            with suppress(ValueError, TypeError, KeyError):  # damaged lines are skipped
                entry = parse_json(line.decode())
                if "forget" in entry:
                    found.pop(entry["forget"], None)
                else:
                    day = date.fromisoformat(entry["when"]).isoformat()
                    found[str(entry["id"])] = Entry(str(entry["id"]), day, frozenset(entry["marks"]))
        return list(found.values())


@dataclass(frozen=True, slots=True)
class History:
    """The known earlier releases of one table."""

    registry: Registry | None
    portrait: Portrait = frozenset()

    @classmethod
    def of(cls, table: Table, *, wanted: bool = True) -> "History":
        """Return the history of an open table; without a registry nothing is looked up or recorded."""
        registry = Registry.of_user() if wanted else None
        if registry is None:
            return cls(None)
        try:
            return cls(registry, portrait_of(table))
        except ParanymError:  # columns whose values cannot be listed
            return cls(None)

    def warning(self, beside: Mapping[str, str] | None = None, replaced: str | None = None) -> str | None:
        """Return a warning if the table was released before; `beside` are the releases found as files, by name.

        The warning becomes part of the public manifest, so it does not name the places of other releases.
        """
        found = dict(beside or {})
        known = [] if self.registry is None else self.registry.earlier(self.portrait)
        others = [each for each in known if each.identity not in {*found.values(), replaced}]
        places = ", ".join(found)
        if others:
            times = "once" if len(others) == 1 else f"{len(others):,} times"
            places += f"{' and ' if places else ''}{times} elsewhere, last on {max(each.when for each in others)}"
        return f"This table was released before: {places}. {_JOINED}" if places else None

    def record(self, identity: str, *, replaced: str | None = None) -> None:
        """Record a release of the table."""
        if self.registry is not None:
            self.registry.record(self.portrait, identity, replaced=replaced)


_JOINED = "Several releases of one table can be joined: k holds for each of them alone, not for all together."


def portrait_of(table: Table) -> Portrait:
    """Return digests of the columns of an open table, each of the number of rows with each value."""
    spread = table.spread(table.columns)
    names = [each.name for each in spread if each.different <= _VALUES]
    digests = set()
    for begin in range(0, len(names), _AT_ONCE):
        profile = table.profile(names[begin : begin + _AT_ONCE])
        varied = [each for each in profile.columns if len(each.values) + (each.missing > 0) > 1]
        for batch in _batches(varied):
            counted = table.count(batch, [])
            for place, coding in enumerate(batch):
                rows = counted.marginal(place, coding.size).tolist()
                digests.add(_digest(profile.rows, coding.column, rows))
    return frozenset(digests)


def _batches(columns: Sequence[Column]) -> Iterator[list[Coding]]:
    """Yield groups of columns that one scan of the table counts together."""
    batch: list[Coding] = []
    joint = 1
    for coding in sorted(map(number, columns), key=lambda coding: coding.size):
        if batch and joint * coding.size > _JOINT:
            yield batch
            batch, joint = [], 1
        batch, joint = [*batch, coding], joint * coding.size
    if batch:
        yield batch


def _digest(rows: int, column: Column, amounts: Sequence[int]) -> bytes:
    """Return the digest of a column, which depends neither on its name nor on its type."""
    values: dict[str, int] = {}
    for value, amount in zip(column.values, amounts, strict=False):  # a missing value comes last: it is all the rest
        text = _canonical(value)
        values[text] = values.get(text, 0) + amount
    return hashlib.sha256(json.dumps([rows, sorted(values.items())]).encode()).digest()


def _canonical(value: object) -> str:
    """Return a value as text that does not depend on its type: 39.0, "39" and 39 agree, and so do True and "true"."""
    plain = to_number(value)
    text = str(to_text(plain if plain is not None else value))
    return text.lower() if text.lower() in ("true", "false") else text


def _marks(portrait: Portrait, key: bytes) -> frozenset[str]:
    """Return keyed digests, which reveal nothing without the key."""
    return frozenset(hmac.new(key, digest, "sha256").hexdigest()[:32] for digest in portrait)


def _are_same(some: frozenset[str], others: frozenset[str]) -> bool:
    part, whole = _SHARE
    narrower = min(len(some), len(others))
    return narrower > 0 and len(some & others) * whole >= narrower * part


def _place(path: Path, content: bytes) -> None:
    """Write a private file completely or not at all; a file that another run wrote first is kept."""
    aside = path.with_name(f".{path.name}-{secrets.token_hex(8)}")
    with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    try:
        path.hardlink_to(aside)
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
