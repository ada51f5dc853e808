"""Options that several commands share: how to read a table, to search, and to write a release."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter, Token

from paranym.cli.options.levels import read_names
from paranym.errors import BadInput

if TYPE_CHECKING:
    from paranym.engines.files.csv import CsvDialect
    from paranym.hierarchies.build import HierarchySpec
    from paranym.problem.problem import Problem
    from paranym.releases.releasing import Release
    from paranym.results.front import Front, Point
    from paranym.results.local_result import LocalResult


def read_whole(_: object, tokens: Sequence[Token]) -> int:
    """Return a whole number; the default parser would silently round 2.5 to 2."""
    try:
        return int(tokens[0].value)
    except ValueError:
        raise ValueError(f"a whole number is needed, not {tokens[0].value!r}.") from None


def read_wholes(option: str, written: str) -> list[int]:
    """Return the whole numbers of a list such as 5,10,20."""
    try:
        return [int(each) for each in written.split(",") if each.strip()]
    except ValueError:
        raise BadInput(f"{option} takes whole numbers such as 5,10,20; got {written!r}.") from None


def _depth(_: object, tokens: Sequence[Token]) -> int | str:
    named = tokens[0].value
    return named if named in ("average", "best", "worst") else read_whole(_, tokens)


def _place(_: object, tokens: Sequence[Token]) -> "Path | str":
    """Return a file, or the address of a database as text, because a path would change its slashes."""
    written = tokens[0].value
    return written if "://" in written else Path(written)


def _table(_: object, tokens: Sequence[Token]) -> "Path | str":
    """Return a table; a dash alone is standard input, and a longer word with a leading dash is a mistake."""
    written = tokens[0].value
    if written.startswith("-") and written != "-":
        raise ValueError(f"there is no option {written!r} here; a file of that name is given as './{written}'.")
    return _place(_, tokens)


Whole = Annotated[int, Parameter(converter=read_whole)]
TableArgument = Annotated[Path | str, Parameter(allow_leading_hyphen=True, converter=_table)]
"""A table: a file, - for standard input, or the address of a database."""
PlaceArgument = Annotated[Path | str, Parameter(converter=_place)]
"""The destination of a release: a file, or the address of a database."""


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How to read a table.

    Parameters
    ----------
    missing
        Texts that mean a missing value, such as ?,NA. Empty cells are always missing.
    name
        The table of a DuckDB file or a database, or the sheet of a workbook, if there are several.
    views
        Allow --name to be a view of a DuckDB file, which runs a query written by the author of the file.
    separator
        The separator of a CSV file, if it is not recognized.
    quote
        The quote character of a CSV file, if it is not recognized.
    encoding
        The encoding of a CSV file, if it is not recognized.
    """

    missing: str = ""
    name: str | None = None
    views: Annotated[bool, Parameter(negative=())] = False
    separator: str | None = None
    quote: str | None = None
    encoding: str | None = None

    @property
    def tokens(self) -> tuple[str, ...]:
        """The texts that mean a missing value."""
        return read_names(self.missing)

    @property
    def dialect(self) -> "CsvDialect":
        """The dialect of a CSV file."""
        from paranym.engines.files.csv import CsvDialect

        return CsvDialect(self.separator, self.quote, self.encoding)

    def problem(self, table: Path | str, quasi_identifiers: "Mapping[str, HierarchySpec]") -> "Problem":
        """Read and count some columns of a table."""
        from paranym.problem.problem import Problem

        return Problem(
            table,
            quasi_identifiers=quasi_identifiers,
            missing=self.tokens,
            table=self.name,
            dialect=self.dialect,
            views=self.views,
        )


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How to search.

    Parameters
    ----------
    method
        exact: prove the whole front. exhaustive: evaluate every node. poka: the published heuristic, which proves
        nothing. greedy: split from the top, for cuts of the hierarchies, with bounds on better ones. nsga2, nsga3,
        moead, sms-emoa: evolutionary search over cuts (`paranym frontier` only).
    recoding
        levels: one level for each attribute; the default of exact, exhaustive and poka. cuts: any cut of each
        hierarchy; for exact, greedy and the evolutionary methods (`paranym frontier` and `ask` only).
    depth
        The depth at which POkA looks for ground nodes; average, best and worst as in section 4.3 of the paper.
    seconds
        Stop after this many seconds; return the solutions found so far and a bound on what may be missing.
    evaluations
        Stop after this many evaluated nodes; return the solutions found so far and a bound on what may be missing.
    seed
        Seed for random choices; it changes which nodes are evaluated, never a complete front.
    """

    method: Literal["exact", "poka", "exhaustive", "greedy", "nsga2", "nsga3", "moead", "sms-emoa"] = "exact"
    recoding: Literal["levels", "cuts"] | None = None
    depth: Annotated[int | Literal["average", "best", "worst"] | None, Parameter(converter=_depth)] = None
    seconds: float | None = None
    evaluations: Annotated[int | None, Parameter(converter=read_whole)] = None
    seed: Whole = 0

    @property
    def evolves(self) -> bool:
        """True if the method is an evolutionary one."""
        return self.method not in ("exact", "poka", "exhaustive", "greedy")

    @property
    def finds_cuts(self) -> bool:
        """True if cuts are searched, not nodes."""
        return self.recoding == "cuts" or self.evolves or self.method == "greedy"

    def approach(self, problem: "Problem") -> "Iterator[Front]":
        """Yield better and better fronts of a problem."""
        from paranym.search.base import Budget
        from paranym.solve.fronts import approach

        if self.finds_cuts:
            raise BadInput("Cuts are found by `paranym frontier --recoding cuts`; this takes nodes of the lattice.")
        budget = Budget(seconds=self.seconds, evaluations=self.evaluations)
        return approach(problem, method=self.method, depth=self.depth, budget=budget, seed=self.seed)


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class PublishingOptions:
    """Conditions and keys of a publication, whatever its destination.

    Parameters
    ----------
    overwrite
        Replace an existing release, and the report where one is written.
    earlier
        Warn of other releases of this table in this folder. May be given several times.
    undeclared
        What to do with columns that have no role in the recipe: drop them, or keep and publish them. Without this
        option they stop the release.
    accept
        Accept a finding of the gate, by kind and column, such as free-text:notes. May be given several times.
    sign
        Sign the manifest with this OpenSSH key: a private key, or a public key whose private key is in an agent.
    memory
        Memory for the counts and the embedded engine, such as 4GB; beyond that the engine spills to disk.
    no_registry
        Do not look up earlier releases of this table in your private registry, and do not record this one.
    """

    overwrite: Annotated[bool, Parameter(negative=())] = False
    earlier: Annotated[list[Path] | None, Parameter(negative=())] = None
    undeclared: Literal["drop", "keep"] | None = None
    accept: Annotated[list[str] | None, Parameter(negative=())] = None
    sign: Path | None = None
    memory: str | None = None
    no_registry: Annotated[bool, Parameter(negative=())] = False

    def check_roles(self, problem: "Problem") -> None:
        """Raise before a long search if columns have no role."""
        from paranym.publishing.columns import decide

        decide(problem, self.undeclared)

    def write(
        self,
        problem: "Problem",
        choice: "Point | LocalResult",
        out: "Path | str",
        *,
        table: str | None,
        neutralize_formulas: bool,
        keep_suppressed: bool,
        chosen: "Mapping[str, Any]",
        quiet: bool,
    ) -> "Release":
        """Write the release of a solution, and show the progress."""
        from paranym.cli.show.front import showing_progress
        from paranym.releases.releasing import release

        with showing_progress("releasing", quiet=quiet) as tell:
            return release(
                problem,
                choice,
                out,
                table=table,
                overwrite=self.overwrite,
                keep_suppressed=keep_suppressed,
                neutralize_formulas=neutralize_formulas,
                earlier=self.earlier or [],
                chosen=chosen,
                undeclared=self.undeclared,
                accept=self.accept or [],
                sign=self.sign,
                memory=self.memory,
                registry=not self.no_registry,
                tell=tell,
            )


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class TargetOptions(PublishingOptions):
    """How to write a release.

    Parameters
    ----------
    table
        The name of the new table in a DuckDB file or a database.
    neutralize_formulas
        Put a quote before cells of a CSV file that a spreadsheet would run as formulas.
    """

    table: str | None = None
    neutralize_formulas: Annotated[bool, Parameter(negative=())] = False

    def check(self, out: "Path | str | None") -> None:
        """Raise if a release cannot be written there, or if options are given without a destination."""
        from paranym.releases.databases import check_place
        from paranym.releases.signing import check_key

        if out is not None:
            check_place(out, self.table, overwrite=self.overwrite)
            if self.sign is not None:
                check_key(self.sign)
            return
        given = [field.name for field in fields(self) if getattr(self, field.name) != field.default]
        if given:
            raise BadInput(f"--{given[0].replace('_', '-')} is for releases; give the file to write (--out FILE).")

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
        """Write the release of a solution to the destination that these options name, and show the progress."""
        return self.write(
            problem,
            choice,
            out,
            table=self.table,
            neutralize_formulas=self.neutralize_formulas,
            keep_suppressed=keep_suppressed,
            chosen=chosen,
            quiet=quiet,
        )


def read_ks(written: str) -> tuple[int, ...]:
    """Parse `10`, `2,5,10` or `2-100` as values of k."""
    found: list[int] = []
    for part in written.split(","):
        match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part, re.ASCII)
        if match is None or (match[2] is not None and int(match[2]) < int(match[1])):
            raise BadInput(
                f"--k takes a whole number, several such as 2,5,10, or a range such as 2-100; got {written!r}."
            )
        found += range(int(match[1]), int(match[2] or match[1]) + 1)
    return tuple(dict.fromkeys(found))


def read_ends(written: str) -> bool | dict[str, tuple[float | None, float | None]]:
    """Parse `auto`, or bounds such as `age=20:90,hours=:60`; an empty bound leaves its end closed."""
    if written == "auto":
        return True
    found: dict[str, tuple[float | None, float | None]] = {}
    for part in written.split(","):
        name, _, bounds = part.rpartition("=")
        low, colon, high = bounds.partition(":")
        try:
            found[name.strip()] = (float(low) if low.strip() else None, float(high) if high.strip() else None)
        except ValueError:
            colon = ""
        if not (name and colon):
            raise BadInput(f"--open-ends takes auto, or bounds such as age=20:90,hours=:60; got {written!r}.")
    return found


def read_share(option: str, written: str | None) -> float | None:
    """Parse `25%` or `0.25` as a fraction; a bare number of 1 or more is ambiguous and refused."""
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
