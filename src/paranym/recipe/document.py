"""The recipe: what the user asked for, as a TOML file and as a value."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator, model_validator

from paranym.errors import ParanymError, RecipeFault, did_you_mean, raise_all
from paranym.model.schema import Attribute, Role, Schema
from paranym.recipe.inline import InlineHierarchy, keys_of, place_without_tags, written

Metric = Literal["glm", "dcn", "ce", "ncp", "average-class-size", "c-avg", "precision", "height", "entropy"]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class DataSection(_Section):
    """Where the table is, and how to read it."""

    source: str | None = None
    """A CSV, Parquet or DuckDB file, relative to the recipe; a folder or a pattern of Parquet files; the address of a
    Postgres database. Spark also reads what other file systems hold, and needs none to read a table that it knows."""
    table: str | None = None
    """Which table of a DuckDB file, of a database, or of Spark."""
    engine: Literal["duckdb", "postgres", "spark"] | None = None
    """Who reads it: the embedded engine, unless the source is a database, or this says that Spark does."""
    master: str | None = None
    """Where Spark runs: local[*], spark://host:7077, or sc://host:15002 for Spark Connect."""
    memory: str | None = None
    """How much the counts may take, such as 4GB; by default half of what is free."""
    separator: str | None = Field(default=None, min_length=1, max_length=1)
    quote: str | None = Field(default=None, min_length=1, max_length=1)
    encoding: str | None = None
    """Separator, quote and encoding of a CSV file are recognized unless given."""
    missing: list[str] = []
    """Tokens that mean a missing value, such as `?`."""

    @property
    def is_database(self) -> bool:
        """Whether the source is the address of a database."""
        return self.source is not None and self.source.startswith(("postgresql://", "postgres://"))

    @property
    def is_elsewhere(self) -> bool:
        """Whether another engine than the embedded one reads it."""
        return self.is_database or self.engine == "spark"

    @model_validator(mode="after")
    def _check(self) -> Self:
        is_database = self.is_database
        if self.engine not in (None, "postgres") and is_database:
            raise ValueError(f"the source is a Postgres database, which the engine {self.engine!r} does not read")
        if self.engine == "postgres" and not is_database:
            raise ValueError("the source of the engine 'postgres' is an address, such as postgresql://host/database")
        if self.master is not None and self.engine != "spark":
            raise ValueError("only Spark has a master; set engine = 'spark'")
        if self.source is None and (self.engine != "spark" or self.table is None):
            raise ValueError("source is required and missing")
        if self.source is not None and self.table is not None and self.engine == "spark":
            raise ValueError("Spark reads either a source or a table that it knows; give one of them")
        return self


class AttributeSection(_Section):
    """What one column is."""

    role: Role = Field(default=Role.OTHER, strict=False)
    hierarchy: InlineHierarchy | None = None
    """A file, or an inline table, or a list of them; without one, a value is published or replaced by `*`."""
    weight: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    numeric: bool = True
    """False: values are categories even where they are plain numbers, such as postal codes."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        only = {"weight": "has a weight", "hierarchy": "has a hierarchy", "numeric": "says whether it is numeric"}
        for key, what in only.items():
            if key == "hierarchy" and self.role is Role.SENSITIVE:
                continue  # for the hierarchical distance
            if self.role is not Role.QUASI_IDENTIFIER and key in self.model_fields_set:
                raise ValueError(f"only a quasi-identifier {what}; the role is {self.role.value!r}")
        return self


class Demand(_Section):
    """How much of a privacy model is demanded, of one sensitive attribute or of all."""

    value: float = Field(gt=0, allow_inf_nan=False)
    attribute: str | None = None
    """Without it, every sensitive attribute."""


class Diversity(Demand):
    """l-diversity; `c` goes with the recursive kind."""

    kind: Literal["frequency", "distinct", "entropy", "recursive"] = "frequency"
    c: float = Field(default=1.0, gt=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.kind != "recursive" and "c" in self.model_fields_set:
            raise ValueError(f"only recursive diversity has a c; the kind is {self.kind!r}")
        if self.kind == "recursive" and self.value != int(self.value):
            raise ValueError(f"the l of recursive diversity is a whole number; got {self.value!r}")
        return self


class Compared(Demand):
    """A model that compares classes with a distribution: of the released rows, or of the original table."""

    reference: Literal["released", "original"] = "released"


class Closeness(Compared):
    """t-closeness."""

    distance: Literal["equal", "ordered", "hierarchical"] = "equal"


class Deassociation(Demand):
    """The alpha of (alpha,k)-anonymity, for every value or `only` for one."""

    only: str | int | float | bool | None = None


class Likeness(Compared):
    """beta-likeness."""

    kind: Literal["basic", "enhanced"] = "basic"


class Disclosure(Compared):
    """delta-disclosure privacy."""


class PrivacySection(_Section):
    """Requirements that every solution must meet."""

    k: int | None = Field(default=None, ge=1)
    """Everyone is one of at least so many alike."""
    l: list[Diversity] = []  # noqa: E741 - the papers' name
    """l-diversity: a number, a table, or several."""
    p: list[Demand] = []
    """The p of p-sensitive k-anonymity: distinct values in every class."""
    t: list[Closeness] = []
    alpha: list[Deassociation] = []
    beta: list[Likeness] = []
    delta: list[Disclosure] = []
    suppression: float | None = Field(default=None, ge=0, le=1)
    """At most this share of the rows may be left out."""
    suppression_rows: int | None = Field(default=None, ge=0)
    """At most this many rows may be left out; instead of `suppression`."""
    suppression_use: Literal["needed", "all"] = "needed"
    """Suppress what each k needs, or, as POkA does, all that may be suppressed."""

    @field_validator("l", "p", "t", "alpha", "beta", "delta", mode="before")
    @classmethod
    def _list(cls, written: object) -> object:
        """A number stands for a table with that value, a table for a list with that table."""
        each = written if isinstance(written, list) else [written]
        return [one if isinstance(one, dict) else {"value": one} for one in each]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.suppression is not None and self.suppression_rows is not None:
            raise ValueError("give either suppression (a share) or suppression_rows (a count), not both")
        return self

    @classmethod
    def demanding(cls, demands: Mapping[str, object]) -> "PrivacySection":
        """A section that demands just that; suppression is not among it."""
        try:
            section = cls.model_validate(dict(demands))
        except ValidationError as error:
            raise_all([_fault("privacy", detail | {"loc": ("privacy", *detail["loc"])}) for detail in error.errors()])
            raise
        others = sorted(section.model_fields_set & {"suppression", "suppression_rows", "suppression_use"})
        if others:
            raise RecipeFault("privacy", f"{', '.join(others)}: suppression has arguments of its own")
        return section

    @property
    def demands(self) -> dict[str, object]:
        """What is demanded, without suppression."""
        return self.model_dump(exclude={"suppression", "suppression_rows", "suppression_use"}, exclude_unset=True)


class LossSection(_Section):
    """How loss is measured."""

    metric: Metric = "glm"


class EvolutionSection(_Section):
    """What evolution of cuts may do."""

    max_loss: float = Field(default=1.0, ge=0, le=1)
    """No recoding that loses a larger share is listed."""
    unconstrained: list[str] | None = None
    """Attributes that are cut into any intervals; None: those whose leaves are numbers."""
    granularity: dict[str, int] = {}
    """Levels whose values are the finest that are published."""


class ChoiceSection(_Section):
    """Which choice of the trade-off `paranym run` takes."""

    k: int | None = Field(default=None, ge=1)
    """Of what makes at least so many alike, the least loss."""
    max_loss: float | None = Field(default=None, ge=0, le=1)
    """Of what loses at most this fraction, the best k; with `k` what gives most for its loss between both."""
    levels: dict[str, Annotated[int, Field(ge=0)]] | None = None
    """Levels of quasi-identifiers; others stay as they are. With `k` what that k needs is left out."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.levels is not None and self.max_loss is not None:
            raise ValueError("levels are a choice of their own; leave out max_loss")
        return self


class OutputSection(_Section):
    """What `paranym run` writes; relative to the recipe."""

    release: str | None = None
    """The released table: .csv, .csv.gz, .parquet or .duckdb."""
    table: str | None = None
    """The table to make in a DuckDB file."""
    report: str | None = None
    """The report: .html or .pdf."""
    pdf: str | None = None
    """The report as PDF, besides."""
    keep_suppressed: bool = False
    """Keep rows that must be suppressed, as `*`."""
    neutralize_formulas: bool = False
    """In CSV: a quote before cells that a spreadsheet would run."""


class Recipe(_Section):
    """Everything that a result can be reproduced from, besides the data.

    >>> recipe = Recipe.parse({"data": {"source": "a.csv"}, "attributes": {"age": {"role": "quasi-identifier"}}})
    >>> recipe.loss.metric, recipe.privacy.suppression_use
    ('glm', 'needed')
    """

    data: DataSection
    attributes: dict[str, AttributeSection]
    privacy: PrivacySection = PrivacySection()
    loss: LossSection = LossSection()
    evolution: EvolutionSection = EvolutionSection()
    choice: ChoiceSection = ChoiceSection()
    output: OutputSection = OutputSection()

    _folder: Path = PrivateAttr(default=Path())

    @classmethod
    def read(cls, path: Path | str) -> "Recipe":
        """Read a TOML file; all its faults are reported at once, each with its place."""
        path = Path(path)
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except OSError as error:
            raise RecipeFault(str(path), f"cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise RecipeFault(path.name, "is not written in UTF-8, as TOML must be.") from error
        except tomllib.TOMLDecodeError as error:
            raise RecipeFault(path.name, f"is no valid TOML: {error}.") from error
        return cls.parse(document, name=path.name, folder=path.parent)

    @classmethod
    def parse(cls, document: dict[str, Any], *, name: str = "recipe", folder: Path = Path()) -> "Recipe":
        """The recipe that a parsed TOML document describes; paths in it are relative to `folder`."""
        conflicts = _conflicts(name, document)
        try:
            recipe = cls.model_validate(document)
        except ValidationError as error:
            raise_all([*(_fault(name, detail) for detail in error.errors()), *conflicts])
            raise
        raise_all(conflicts)
        recipe._folder = folder  # noqa: SLF001 - pydantic sets private attributes only after construction
        return recipe

    @property
    def roles(self) -> Schema:
        """The roles and weights of the columns."""
        return Schema(tuple(Attribute(name, section.role, section.weight) for name, section in self.attributes.items()))

    def hierarchy(self, attribute: str) -> Path | dict[str, Any] | list[Path | dict[str, Any]] | None:
        """The hierarchy of a column: a file, an inline table, a list of these, or none."""
        given = self.attributes[attribute].hierarchy
        found = [self.path(step) if isinstance(step, str) else written(step) for step in _steps(given)]
        return found if isinstance(given, list) else found[0] if found else None

    @property
    def release_file(self) -> Path:
        """Where the release goes: as `[output]` says, or else beside the recipe, named after the table."""
        if self.output.release is not None:
            return self.path(self.output.release)
        parquet = self.data.is_elsewhere or Path(str(self.data.source)).suffix.lower() in _TYPED
        return self._folder / f"{self._stem}-released{'.parquet' if parquet else '.csv'}"

    @property
    def report_files(self) -> list[Path]:
        """Where the report goes, likewise; the PDF, if one is asked for, last."""
        page = self.output.report
        first = self._folder / f"{self._stem}-report.html" if page is None else self.path(page)
        return [first, *([] if self.output.pdf is None else [self.path(self.output.pdf)])]

    @property
    def _stem(self) -> str:
        if self.data.table is not None and self.data.is_elsewhere:
            return re.sub(r'[/\\"]', "_", self.data.table.rpartition(".")[2])
        name = Path(str(self.data.source)).name
        return "table" if name == "-" else name.partition(".")[0] or name

    def path(self, written: str) -> Path:
        """A path of the recipe, seen from here; `-` is standard input wherever it stands."""
        return Path(written) if written == "-" else self._folder / written


_TYPED = {".parquet", ".pq", ".duckdb", ".ddb", ".db"}
"""Sources whose columns have types, which a CSV file would lose."""
_DEMANDS: dict[str, type[_Section]] = {
    "l": Diversity,
    "p": Demand,
    "t": Closeness,
    "alpha": Deassociation,
    "beta": Likeness,
    "delta": Disclosure,
}


def _steps(hierarchy: Any) -> list[Any]:
    if hierarchy is None:
        return []
    return hierarchy if isinstance(hierarchy, list) else [hierarchy]


def _fault(name: str, detail: Any) -> ParanymError:
    """A validation error as place and remedy."""
    place = ".".join(_key(str(part)) for part in place_without_tags(detail["loc"]))
    what = re.sub("^(Value error,|Input|String|List|Dictionary) ", "", detail["msg"]).replace(" after validation", "")
    match detail["type"]:
        case "extra_forbidden":
            known = _keys_at(detail["loc"])
            what = f"unknown key; known here are {', '.join(known)}.{did_you_mean(str(detail['loc'][-1]), known)}"
        case "missing":
            what = "is required and missing"
        case "model_type" | "dict_type":
            what = f"should be a table, as in [{place}]; got {detail['input']!r}"
        case "literal_error" | "enum":
            choices = tuple(re.findall("'(.*?)'", detail["ctx"]["expected"]))
            what = f"{what}; got {detail['input']!r}.{did_you_mean(str(detail['input']), choices)}"
        case "value_error":
            pass
        case _:
            what = f"{what}; got {detail['input']!r}"
    return RecipeFault(f"{name}: {place}" if place else name, what)


def _key(part: str) -> str:
    """A key as TOML writes it: bare where it can be."""
    return part if re.fullmatch("[A-Za-z0-9_-]+", part) else f'"{part}"'


def _keys_at(place: tuple[int | str, ...]) -> tuple[str, ...]:
    """The keys that a recipe knows at the level of `place`."""
    inline = keys_of(place)
    if inline is not None:
        return inline
    sections: dict[str, type[_Section]] = {
        "data": DataSection,
        "attributes": AttributeSection,
        "privacy": PrivacySection,
        "loss": LossSection,
        "evolution": EvolutionSection,
        "choice": ChoiceSection,
        "output": OutputSection,
    }
    section = sections[str(place[0])] if len(place) > 1 else Recipe
    if section is PrivacySection and len(place) > 2:
        section = _DEMANDS[str(place[1])]
    return tuple(section.model_fields)


def _conflicts(name: str, document: dict[str, Any]) -> list[ParanymError]:
    """Faults between sections, as far as the roles are sound: a misspelt one may be the one that is missed."""
    attributes, loss = document.get("attributes"), document.get("loss")
    if not isinstance(attributes, dict) or not all(isinstance(section, dict) for section in attributes.values()):
        return []
    roles = {attribute: section.get("role", Role.OTHER) for attribute, section in attributes.items()}
    if not all(isinstance(role, str) and role in list(Role) for role in roles.values()):
        return []
    faults: list[ParanymError] = []
    if Role.QUASI_IDENTIFIER not in roles.values():
        faults.append(RecipeFault(f"{name}: attributes", "no column has the role 'quasi-identifier'"))
    labels = [attribute for attribute, role in roles.items() if role == Role.LABEL]
    if len(labels) > 1:
        faults.append(RecipeFault(f"{name}: attributes", f"only one column can be the label; got {', '.join(labels)}"))
    if isinstance(loss, dict) and loss.get("metric") == "ce" and not labels:
        faults.append(RecipeFault(f"{name}: loss.metric", "'ce' needs a column with the role 'label'"))
    return faults
