"""What several commands take, said and read in one place."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter, Token

from paranym.errors import BadInput

if TYPE_CHECKING:
    from paranym.engines.csv_dialect import CsvDialect
    from paranym.model.front import Front, Point
    from paranym.model.local_result import LocalResult
    from paranym.releases.releasing import Release
    from paranym.workbench import Problem


def read_whole(_: object, tokens: Sequence[Token]) -> int:
    """Without this the parser would round 2.5 to 2, which is not what was asked for."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"a whole number is needed, not {tokens[0].value!r}.") from None


def _depth(_: object, tokens: Sequence[Token]) -> int | str:
    named = tokens[0].value
    return named if named in ("average", "best", "worst") else read_whole(_, tokens)


def _place(_: object, tokens: Sequence[Token]) -> "Path | str":
    """A file, or the address of a database, whose slashes must stay as they are."""
    written = tokens[0].value
    return written if "://" in written else Path(written)


def _table(_: object, tokens: Sequence[Token]) -> "Path | str":
    """A dash alone is standard input; anything else that begins with one is a slip."""
    written = tokens[0].value
    if written.startswith("-") and written != "-":
        raise ValueError(f"there is no option {written!r} here; a file of that name is given as './{written}'.")
    return _place(_, tokens)


Whole = Annotated[int, Parameter(converter=read_whole)]
TableArgument = Annotated[Path | str, Parameter(allow_leading_hyphen=True, converter=_table)]
"""A table: a file, - for standard input, or the address of a database."""
PlaceArgument = Annotated[Path | str, Parameter(converter=_place)]
"""Where a release goes: a file, or a database."""


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How to read a table.

    Parameters
    ----------
    missing
        Texts that mean: no value, such as ?,NA. Empty cells are missing anyway.
    name
        Of the table in a DuckDB file, or of the sheet in a workbook, that has several.
    separator
        Of a CSV file, if it is not recognized.
    quote
        Likewise.
    encoding
        Likewise.
    """

    missing: str = ""
    name: str | None = None
    separator: str | None = None
    quote: str | None = None
    encoding: str | None = None

    @property
    def tokens(self) -> tuple[str, ...]:
        """The texts that mean a missing value."""
        split = csv.reader([self.missing], skipinitialspace=True)
        return tuple(token.strip() for line in split for token in line if token.strip())

    @property
    def dialect(self) -> "CsvDialect":
        """How a CSV file is written."""
        from paranym.engines.csv_dialect import CsvDialect

        return CsvDialect(self.separator, self.quote, self.encoding)


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How to search.

    Parameters
    ----------
    method
        exact: every node is evaluated or proved to be beaten. exhaustive: every node is evaluated. poka: the published
        heuristic, which proves nothing. nsga2, nsga3, moead, sms-emoa: evolution over cuts of the hierarchies, of
        `paranym frontier` only.
    depth
        How far down POkA looks for ground nodes; average, best and worst as in section 4.3 of the paper.
    seconds
        Stop after so many seconds with what was found, and how much better it could be at most.
    evaluations
        Stop before more nodes than this are evaluated, likewise.
    seed
        For what is drawn at random; it changes which nodes are evaluated, never a complete front.
    """

    method: Literal["exact", "poka", "exhaustive", "nsga2", "nsga3", "moead", "sms-emoa"] = "exact"
    depth: Annotated[int | Literal["average", "best", "worst"] | None, Parameter(converter=_depth)] = None
    seconds: float | None = None
    evaluations: Annotated[int | None, Parameter(converter=read_whole)] = None
    seed: Whole = 0

    @property
    def evolves(self) -> bool:
        """Whether cuts are asked for, not nodes."""
        return self.method not in ("exact", "poka", "exhaustive")

    def approach(self, problem: "Problem") -> "Iterator[Front]":
        """Search that problem, front by front."""
        from paranym.workbench import Budget, approach

        if self.evolves:
            raise BadInput("Cuts are found by `paranym frontier --method nsga2`; this takes nodes of the lattice.")
        budget = Budget(seconds=self.seconds, evaluations=self.evaluations)
        return approach(problem, method=self.method, depth=self.depth, budget=budget, seed=self.seed)


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class TargetOptions:
    """How to write a release.

    Parameters
    ----------
    table
        The table to make in a DuckDB file or a database.
    overwrite
        Replace a release that is there already.
    neutralize_formulas
        Put a quote before cells of a CSV file that a spreadsheet would run.
    earlier
        A folder with other releases of this table, which are warned of. May be given several times.
    memory
        How much the counts and the embedded engine may take, such as 4GB; the engine goes on on disk beyond that.
    """

    table: str | None = None
    overwrite: Annotated[bool, Parameter(negative=())] = False
    neutralize_formulas: Annotated[bool, Parameter(negative=())] = False
    earlier: Annotated[list[Path] | None, Parameter(negative=())] = None
    memory: str | None = None

    def check(self, out: "Path | str | None") -> None:
        """Raise unless a release can be put there; without a place for one, none of this may be asked for."""
        from paranym.releases.databases import check_place

        if out is not None:
            check_place(out, self.table, overwrite=self.overwrite)
            return
        given = [field.name for field in fields(self) if getattr(self, field.name) != field.default]
        if given:
            raise BadInput(f"--{given[0].replace('_', '-')} is for releases; say where one shall go (--out FILE).")

    def release(
        self,
        problem: "Problem",
        choice: "Point | LocalResult",
        out: "Path | str",
        *,
        chosen: "Mapping[str, Any]",
        quiet: bool,
        keep_suppressed: bool = False,
    ) -> "Release":
        """Write that choice, and say how it goes."""
        from paranym.cli.show import telling
        from paranym.releases.releasing import release

        with telling("releasing", quiet=quiet) as tell:
            return release(
                problem,
                choice,
                out,
                table=self.table,
                overwrite=self.overwrite,
                keep_suppressed=keep_suppressed,
                neutralize_formulas=self.neutralize_formulas,
                earlier=self.earlier or [],
                chosen=chosen,
                memory=self.memory,
                tell=tell,
            )


def read_share(option: str, written: str | None) -> float | None:
    """`25%` or `0.25` as a fraction; a bare number of 1 or more might mean either and is refused."""
    if written is None:
        return None
    match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*(%?)\s*", written, re.ASCII)
    if match is None:
        raise BadInput(f"{option} takes a share such as 25% or 0.25; got {written!r}.")
    number, is_percent = Decimal(match[1]), match[2] == "%"
    if is_percent and number > 100:
        raise BadInput(f"{option} takes at most 100%; got {written!r}.")
    if not is_percent and number >= 1:
        raise BadInput(f"{option} takes a share such as 25% or 0.25; got {written!r}. Did you mean {match[1]}%?")
    return float(number / 100 if is_percent else number)
