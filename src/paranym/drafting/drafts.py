"""Drafts of recipes, to be reviewed, changed, run and saved."""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from paranym.drafting import warnings
from paranym.drafting.kinds import Sort, are_written_numbers
from paranym.drafting.portrait import Portrait, find_tokens, look
from paranym.drafting.proposals import Proposal, height, propose
from paranym.drafting.relations import Combinations
from paranym.drafting.roles import Guess, guess
from paranym.drafting.writing import write_toml
from paranym.engines.base import Table
from paranym.engines.files.csv import CsvDialect
from paranym.engines.postgres.session import is_address
from paranym.engines.source import open_table
from paranym.errors import BadInput, Unattainable, UnknownAttribute, raise_all
from paranym.files.writing import write_new
from paranym.hierarchies.build import HierarchySpec
from paranym.model.schema import FORMER_KEEP, Role
from paranym.model.values import to_number
from paranym.problem import Problem
from paranym.recognition.words import known_to_others, shown
from paranym.results.audit import Concern

_MOST_QUASI_IDENTIFIERS = 12
_MOST_NODES = 300_000
"""The largest lattice of a draft; it is searched in seconds rather than hours."""
_ENOUGH = 4
"""Levels that columns surely known to others keep, as long as other columns can spare some."""
_MOST_COUNTED = 24
"""The most columns that are counted together to find dependencies between them."""


@dataclass(slots=True)
class ColumnDraft:
    """The proposed role and hierarchy of one column; change them as you like.

    >>> ColumnDraft("age", Role.QUASI_IDENTIFIER, {"intervals": [5, 10]}, "likely known to others").role.value
    'quasi-identifier'
    """

    name: str
    role: Role
    hierarchy: HierarchySpec
    """The hierarchy of a quasi-identifier, as in a recipe; None for the values, then `*`."""
    why: str
    """The reason for both."""


@dataclass(slots=True, eq=False)
class Draft:
    """The result of `draft`, to be reviewed, changed, run and saved.

    >>> import pyarrow as pa
    >>> import paranym as pn
    >>> people = pn.draft(pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]}))
    >>> people["age"].role.value, people["sex"].hierarchy
    ('quasi-identifier', None)
    >>> people["age"].hierarchy = {"intervals": [10, 20]}
    >>> people.problem().lattice.size
    8
    """

    data: object
    name: str
    """The name of the table in messages."""
    rows: int
    columns: dict[str, ColumnDraft]
    concerns: tuple[Concern, ...]
    """Warnings."""
    unique: int
    """The number of rows that are unique on all drafted quasi-identifiers."""
    unique_without: dict[str, int] = field(default_factory=dict)
    """The number of unique rows without the quasi-identifier of each name."""
    missing: tuple[str, ...] = ()
    """Texts that mean a missing value."""
    peculiarity: str = ""
    """How the file was read, unless it is a CSV file with commas in UTF-8; such as "separated by tabs"."""
    table: str | None = None
    views: bool = False
    """True if the table may be a view of a DuckDB file."""
    dialect: CsvDialect = field(default_factory=CsvDialect)
    suppression: float = 0.01
    metric: str = "glm"

    def __getitem__(self, name: str) -> ColumnDraft:
        if name not in self.columns:
            raise UnknownAttribute(name, tuple(self.columns))
        return self.columns[name]

    def having(self, role: Role | str) -> tuple[str, ...]:
        """Return the columns with a role."""
        return tuple(column.name for column in self.columns.values() if column.role == Role(role))

    def problem(self) -> Problem:
        """Return the problem that the draft describes now, for `pn.frontier`."""
        return Problem(
            self.data,
            quasi_identifiers={name: self[name].hierarchy for name in self.having(Role.QUASI_IDENTIFIER)},
            sensitive=self.having(Role.SENSITIVE),
            label=next(iter(self.having(Role.LABEL)), None),
            identifiers=self.having(Role.IDENTIFIER),
            keep=self.having(Role.KEEP),
            drop=self.having(Role.DROP),
            metric=self.metric,
            suppression=self.suppression,
            missing=self.missing,
            table=self.table,
            dialect=self.dialect,
            views=self.views,
        )

    def toml(self, source: str | None = None) -> str:
        """Return the recipe, with the reasons as comments; `source` is the path of the table in it."""
        if source is None and not isinstance(self.data, str | Path):
            raise BadInput(
                "A recipe names the file of its table, but this table is in memory. Name it: source='people.csv'."
            )
        if source is None:
            source = str(self.data) if is_address(self.data) else Path(str(self.data)).as_posix()
        return write_toml(self, source)

    def save(self, path: Path | str, *, source: str | None = None) -> None:
        """Write the recipe to a new file."""
        path = Path(path)
        if source is None and isinstance(self.data, str | Path) and not is_address(self.data):
            source = relative_source(Path(self.data), path)
        text = self.toml(source)
        try:
            write_new(text, path)
        except FileExistsError as error:
            raise BadInput(
                f"{str(path)!r} exists already, and a draft overwrites nothing. Name another file."
            ) from error

    def as_dict(self) -> dict[str, Any]:
        """Return the draft for JSON."""
        return {
            "table": self.name,
            "rows": self.rows,
            "unique": self.unique,
            "unique_without": self.unique_without,
            "missing": list(self.missing),
            "columns": [
                {"name": column.name, "role": column.role.value, "hierarchy": column.hierarchy, "why": column.why}
                for column in self.columns.values()
            ],
            "suppression": self.suppression,
            "metric": self.metric,
            "warnings": [concern.as_dict() for concern in self.concerns],
        }

    def __repr__(self) -> str:
        width = max((len(shown(name)) for name in self.columns), default=0)
        lines = [f"Draft of {self.name}: {self.rows:,} rows, {self.unique:,} of them unique on the quasi-identifiers"]
        for column in self.columns.values():
            lines.append(f"  {shown(column.name):<{width}}  {column.role.value:<16}  {column.why}")
        return "\n".join([*lines, *(f"Note: {concern.says}" for concern in self.concerns)])


def draft(
    data: object,
    *,
    roles: Mapping[str, Role | str] | None = None,
    table: str | None = None,
    dialect: CsvDialect | None = None,
    missing: Sequence[str] | None = None,
    views: bool = False,
) -> Draft:
    """Propose a role and a hierarchy for each column of a table.

    `data` is a path, a pandas, polars, pyarrow or Spark table, or the address of a Postgres database. Give the roles
    that you know already as `roles`. Texts such as `?` that mean a missing value are found unless `missing` names them.
    A column that is not known to be harmless is generalized or dropped, never published unchanged. `views` allows
    `table` to name a view of a DuckDB file.

    >>> import pyarrow as pa
    >>> draft(pa.table({"zip": ["53715", "53703", "90210"], "illness": ["flu", "flu", "cold"]}))
    Draft of the table: 3 rows, 3 of them unique on the quasi-identifiers
      zip      quasi-identifier  likely known to others; codes: the first 3 characters
      illness  sensitive         judging by its name
    """
    dialect, decided = dialect or CsvDialect(), _decided(roles or {})
    source = _Source(data, table, dialect, views)
    with source.opened(missing or ()) as opened:
        portraits = look(opened)
        tokens = find_tokens(portraits) if missing is None else ()
        if not tokens:
            return source.drafted(_Drafting(opened, portraits, decided), opened, tuple(missing or ()))
    with source.opened(tokens) as opened:
        return source.drafted(_Drafting(opened, look(opened), decided), opened, tokens)


class _Source(NamedTuple):
    """The source of a table."""

    data: object
    table: str | None
    dialect: CsvDialect
    views: bool

    def opened(self, missing: Sequence[str]) -> Table:
        return open_table(self.data, table=self.table, dialect=self.dialect, missing=missing, views=self.views)

    def drafted(self, drafting: "_Drafting", opened: Table, tokens: tuple[str, ...]) -> Draft:
        return Draft(
            data=self.data,
            name=opened.name,
            rows=drafting.rows,
            columns=drafting.columns(),
            concerns=tuple(drafting.concerns),
            unique=drafting.unique(),
            unique_without=drafting.unique_without(),
            missing=tokens,
            peculiarity=opened.peculiarity,
            table=self.table,
            views=self.views,
            dialect=self.dialect,
        )


def _guess(portrait: Portrait, decided: Role | None) -> Guess:
    found = guess(portrait)
    return found if decided in (None, found.role) else Guess(decided or found.role, "as given")


def _decided(roles: Mapping[str, Role | str]) -> dict[str, Role]:
    known = [role.value for role in Role]
    for name, role in roles.items():
        if role not in (*known, FORMER_KEEP):
            raise BadInput(f"The role of {str(name)!r} must be one of {', '.join(known)}; got {role!r}.")
    return {str(name): Role(role) for name, role in roles.items()}


def relative_source(table: Path, recipe: Path) -> str:
    """Return the path of a table relative to its recipe, so that both can be moved together."""
    try:
        return Path(os.path.relpath(table.resolve(), recipe.resolve().parent)).as_posix()
    except ValueError:  # another drive
        return table.resolve().as_posix()


class _Drafting:
    """The steps from a table to a draft; they collect warnings."""

    def __init__(self, table: Table, portraits: Sequence[Portrait], decided: Mapping[str, Role]) -> None:
        raise_all([UnknownAttribute(name, table.columns) for name in decided if name not in table.columns])
        self._portraits = {portrait.name: portrait for portrait in portraits}
        self.rows = next(iter(self._portraits.values())).rows
        self.concerns: list[Concern] = []
        self._decided = decided
        self._guesses = {name: _guess(portrait, decided.get(name)) for name, portrait in self._portraits.items()}
        self._check_decided()
        self._ensure_quasi_identifiers()
        self._note_guesses()
        self._drop_surplus()
        self._counted = Combinations.of(table, self._worth_counting())
        self._drop_equivalent()

    def columns(self) -> dict[str, ColumnDraft]:
        proposals = self._proposals()
        return {
            name: ColumnDraft(name, found.role, None, found.why)
            if name not in proposals
            else ColumnDraft(name, found.role, proposals[name].spec, f"{found.why}; {proposals[name].why}")
            for name, found in self._guesses.items()
        }

    def unique(self) -> int:
        return self._counted.unique_on(self._having(Role.QUASI_IDENTIFIER))

    def unique_without(self) -> dict[str, int]:
        names = self._having(Role.QUASI_IDENTIFIER)
        return {out: self._counted.unique_on([name for name in names if name != out]) for out in names}

    def _having(self, role: Role) -> list[str]:
        return [name for name, found in self._guesses.items() if found.role is role]

    def _check_decided(self) -> None:
        for name in self._having(Role.QUASI_IDENTIFIER):
            if self._portraits[name].column is None:
                raise BadInput(f"Column {name!r} cannot be a quasi-identifier: it has too many values, or holds lists.")

    def _ensure_quasi_identifiers(self) -> None:
        """If no column seems to be known to others, take nearly unique, constant or sensitive ones."""
        if self._having(Role.QUASI_IDENTIFIER):
            return
        by_kind: dict[str | None, list[str]] = {kind: [] for kind in ("nearly-unique", "constant", "sensitive")}
        for name, found in self._guesses.items():
            kind = "sensitive" if found.role is Role.SENSITIVE else found.warning
            if kind in by_kind and self._portraits[name].column is not None and name not in self._decided:
                by_kind[kind].append(name)
        for names in by_kind.values():
            for name in names:
                self._guesses[name] = Guess(
                    Role.QUASI_IDENTIFIER, "no other column can be a quasi-identifier, and a recipe needs one"
                )
            if names:
                return
        raise Unattainable(
            "No column can be a quasi-identifier: each is empty, identifies people, or is of a type that cannot be "
            "generalized. Such a table can only be anonymized by dropping columns."
        )

    def _note_guesses(self) -> None:
        by_kind: dict[str, list[Portrait]] = {}
        for name, found in self._guesses.items():
            portrait = self._portraits[name]
            for kind in _kinds_of_warning(found, portrait):
                by_kind.setdefault(kind, []).append(portrait)
        self.concerns += [one for kind, some in by_kind.items() for one in warnings.on_columns(kind, some)]

    def _drop_surplus(self) -> None:
        """Keep as many quasi-identifiers as a search can handle: first those that are surely known to others."""
        names = self._having(Role.QUASI_IDENTIFIER)
        by_need = sorted(names, key=lambda name: (name not in self._decided, not known_to_others(name)))
        kept = by_need[: max(_MOST_QUASI_IDENTIFIERS, len([name for name in names if name in self._decided]))]
        out = [name for name in names if name not in kept]
        for name in out:
            self._guesses[name] = Guess(
                Role.DROP, "possibly known to others, but too many quasi-identifiers: not published"
            )
        if out:
            self.concerns.append(warnings.too_many(out))

    def _worth_counting(self) -> list[Portrait]:
        names = [*self._having(Role.QUASI_IDENTIFIER), *self._having(Role.SENSITIVE)]
        return [self._portraits[name] for name in names][:_MOST_COUNTED]

    def _drop_equivalent(self) -> None:
        pairs = self._counted.determining()
        for first, second in pairs:
            roles = self._guesses[first].role, self._guesses[second].role
            if not all(role.is_published for role in roles) or roles[0] is not Role.QUASI_IDENTIFIER:
                continue
            if roles[1] is Role.SENSITIVE:
                self.concerns.append(warnings.determined(first, second, sensitive=True))
            elif (second, first) in pairs and not {first, second} <= set(self._decided):
                keep_first = second not in self._decided and (first in self._decided or self._says_more(first, second))
                kept, out = (first, second) if keep_first else (second, first)
                self._guesses[out] = Guess(Role.DROP, f"equivalent to {shown(kept)}: not published")
                self.concerns.append(warnings.the_same(kept, out))
            else:
                self.concerns.append(warnings.determined(first, second, sensitive=False))

    def _says_more(self, one: str, other: str) -> bool:
        """Return True if the first column is text and the other one numbers, or if both are and it comes first."""
        numbers = [all(to_number(text) is not None for text in self._portraits[name].texts) for name in (one, other)]
        order = list(self._portraits)
        return not numbers[0] if numbers[0] != numbers[1] else order.index(one) < order.index(other)

    def _proposals(self) -> dict[str, Proposal]:
        """Return hierarchies for all quasi-identifiers; levels are removed until the lattice is small enough."""
        names = self._having(Role.QUASI_IDENTIFIER)
        rows = {name: self._counted.rows_of(name) for name in names}
        found = {name: propose(self._portraits[name], rows[name]) for name in names}
        while True:
            heights = {name: height(self._portraits[name], found[name].spec, rows[name]) for name in names}
            if prod(one + 1 for one in heights.values()) <= _MOST_NODES:
                return found
            shorter = _shortened(found, heights)
            if shorter is None:
                return found
            found |= shorter


def _kinds_of_warning(found: Guess, portrait: Portrait) -> Iterator[str]:
    if found.warning is not None:
        yield found.warning
    elif portrait.is_mostly_missing:
        yield "mostly-missing"
    if found.role is Role.SENSITIVE and portrait.is_nearly_unique and portrait.different > 20:
        yield "nearly-unique-sensitive"
    if found.role is Role.QUASI_IDENTIFIER and portrait.is_nearly_identifying:
        yield "nearly-unique-known"
    is_published = found.role in (Role.SENSITIVE, Role.QUASI_IDENTIFIER)
    if is_published and portrait.kind.sort is Sort.TEXT and are_written_numbers(portrait.texts):
        yield "numbers-as-text"


def _shortened(found: dict[str, Proposal], heights: dict[str, int]) -> dict[str, Proposal] | None:
    """Return the hierarchy that can best spare a level, without it: by frequency first, then the less known ones."""

    def need(name: str) -> tuple[bool, bool, int]:
        return not found[name].is_by_frequency, known_to_others(name) and heights[name] <= _ENOUGH, -heights[name]

    for name in sorted(found, key=need):
        shorter = found[name].thinned()
        if shorter is not None:
            return {name: shorter}
    return None
