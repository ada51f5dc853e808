"""The recipe: the request of the user, as a TOML file and as a value."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, Self

from pydantic import Field, PrivateAttr, ValidationError, field_validator, model_validator
from pydantic_core import PydanticKnownError

from paranym.errors import ParanymError, RecipeFault, UnreadableDocument, did_you_mean, notify, raise_all, shortened
from paranym.files.reading import read_toml
from paranym.measures.catalogue import check_model_form, find_loss, form_of, loss_names, requirement_keys
from paranym.measures.privacy.base import Model
from paranym.model.schema import FORMER_KEEP, Attribute, Role, Schema
from paranym.recipe.inline import InlineHierarchy, keys_of, place_without_tags, written
from paranym.recipe.requirements import RequirementSection, as_list, requirements_by, section_by, section_of
from paranym.recipe.section import Section
from paranym.wording.sizes import read_size

_GATHERED: Final = "\0requirements"
"""Placeholder for the keys of privacy models while a section is read; no file can contain it."""


class _Gathered(NamedTuple):
    """The requirements of a section, by the keys of privacy models, and the sections to read them by."""

    written: Mapping[str, object]
    sections: Mapping[str, type[RequirementSection]]


class DataSection(Section):
    """The table, and how to read it."""

    source: str | None = None
    """A CSV, Parquet or DuckDB file, relative to the recipe; a folder or a pattern of Parquet files; the address of a
    Postgres database. Spark also reads other file systems, and needs no source to read a table of its catalogue."""
    table: str | None = None
    """The table of a DuckDB file, of a database, or of Spark."""
    views: bool = False
    """True if `table` may name a view of a DuckDB file: a query by its author. It can read no other files."""
    engine: Literal["duckdb", "postgres", "spark"] | None = None
    """The engine that reads the table; by default the embedded one, or the database of the source."""
    master: str | None = None
    """Where Spark runs: local[*], spark://host:7077, or sc://host:15002 for Spark Connect."""
    memory: str | None = None
    """Memory for the counts, such as 4GB (10^9 bytes each) or 4GiB (2^30); by default half of the free memory."""
    separator: str | None = Field(default=None, min_length=1, max_length=1)
    quote: str | None = Field(default=None, min_length=1, max_length=1)
    encoding: str | None = None
    """Separator, quote and encoding of a CSV file are recognized unless given."""
    missing: list[str] = Field(default=[])
    """Tokens that mean a missing value, such as `?`."""
    person: str | None = None
    """The column that identifies people, each of whom may have several rows; it is never published."""

    @property
    def is_database(self) -> bool:
        """True if the source is the address of a database."""
        return self.source is not None and self.source.startswith(("postgresql://", "postgres://"))

    @property
    def is_elsewhere(self) -> bool:
        """True if another engine than the embedded one reads the table."""
        return self.is_database or self.engine == "spark"

    @field_validator("memory")
    @classmethod
    def _size(cls, written: str | None) -> str | None:
        if written is not None:
            read_size(written)
        return written

    @model_validator(mode="after")
    def _check(self) -> Self:
        is_database = self.is_database
        if self.engine not in (None, "postgres") and is_database:
            raise ValueError(f"the source is a Postgres database, which the engine {self.engine!r} does not read")
        if self.engine == "postgres" and not is_database:
            raise ValueError("the source of the engine 'postgres' is an address, such as postgresql://host/database")
        if self.master is not None and self.engine != "spark":
            raise ValueError("only Spark has a master; set engine = 'spark'")
        if self.views and (self.is_elsewhere or self.table is None):
            raise ValueError("views allows a view of a DuckDB file to be read; name it (table)")
        if self.source is None and (self.engine != "spark" or self.table is None):
            raise ValueError("source is required and missing")
        if self.source is not None and self.table is not None and self.engine == "spark":
            raise ValueError("Spark reads either a source or a table that it knows; give one of them")
        return self


class AttributeSection(Section):
    """Role, hierarchy and weight of one column."""

    role: Role | None = Field(default=None, strict=False)
    """The role; without one, the column cannot be published."""
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
                role = "missing" if self.role is None else repr(self.role.value)
                raise ValueError(f"only a quasi-identifier {what}; the role is {role}")
        return self


class PrivacySection(Section):
    """Requirements that every solution must meet."""

    k: int | None = Field(default=None, ge=1)
    """Every row is in an equivalence class of at least this many rows, or people if there is a person key."""
    unit: Literal["person", "row"] | None = None
    """The unit that equivalence classes count: by default people if there is a person key, otherwise rows."""
    requirements: dict[str, list[RequirementSection]] = Field(default={}, alias=_GATHERED)
    """Requirements on sensitive attributes, by the keys that privacy models state in the catalogue."""
    suppression: float | None = Field(default=None, ge=0, le=1)
    """At most this share of the rows may be suppressed."""
    suppression_rows: int | None = Field(default=None, ge=0)
    """At most this many rows may be suppressed; instead of `suppression`."""
    suppression_use: Literal["needed", "all"] = "needed"
    """Suppress what each k needs, or, as POkA does, all that may be suppressed."""

    _models: dict[str, Model] = PrivateAttr(default_factory=dict)

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Return the keys of the section, with those of all privacy models.

        >>> PrivacySection.keys()[:4]
        ('k', 'l', 'p', 't')
        """
        others = [key for key in cls.model_fields if key != "requirements"]
        return (others[0], *requirement_keys(), *others[1:])

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, written: object) -> object:
        """Gather the keys of privacy models; all other keys must be those of the section."""
        if not isinstance(written, dict):
            return written
        own = {key for key in cls.model_fields if key != "requirements"}
        sections = {key: section for key in written if key not in own and (section := section_of(str(key))) is not None}
        rest = {key: value for key, value in written.items() if key not in sections}
        return rest | {_GATHERED: _Gathered({key: written[key] for key in sections}, sections)} if sections else rest

    @field_validator("requirements", mode="before")
    @classmethod
    def _read(cls, gathered: object) -> object:
        if not isinstance(gathered, _Gathered):
            raise ValueError("is not a key of a recipe")  # noqa: TRY004 - pydantic's
        keys = [key for key in requirement_keys() if key in gathered.sections]
        keys += [key for key in gathered.sections if key not in keys]
        lists = {key: as_list(gathered.written[key]) for key in keys}
        read = requirements_by(gathered.sections).model_validate(lists)
        by_key = {info.alias: getattr(read, name) for name, info in type(read).model_fields.items()}
        return {key: by_key[key] for key in keys}

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.suppression is not None and self.suppression_rows is not None:
            raise ValueError("give either suppression (a share) or suppression_rows (a count), not both")
        return self

    @classmethod
    def of_requirements(cls, given: Mapping[str, object] | Mapping[str | Model, object]) -> "PrivacySection":
        """Return a section with just these requirements; suppression is not among them.

        A key may be a privacy model of your own instead of the key of one.
        """
        models = {key.name: key for key in given if not isinstance(key, str)}
        written: dict[str, object] = {key if isinstance(key, str) else key.name: value for key, value in given.items()}
        sections = {name: section_by(form_of(check_model_form(type(model)))) for name, model in models.items()}
        own = _Gathered({name: written.pop(name) for name in models}, sections)
        try:
            section = cls.model_validate(written)
            others = {} if not models else cls.model_validate({_GATHERED: own}).requirements
        except ValidationError as error:
            raise_all([_fault("privacy", detail | {"loc": ("privacy", *detail["loc"])}) for detail in error.errors()])
            raise
        unfit = sorted(section.model_fields_set & {"suppression", "suppression_rows", "suppression_use"})
        if unfit:
            raise RecipeFault("privacy", f"{', '.join(unfit)}: suppression has arguments of its own")
        if section.unit is not None:
            raise RecipeFault("privacy", "unit: what is counted has an argument of its own")
        if models:
            section = section.model_copy(update={"requirements": {**section.requirements, **others}})
            section._models = models  # noqa: SLF001 - of the copy
        return section

    @property
    def models(self) -> Mapping[str, Model]:
        """Privacy models that were given as objects, by their names."""
        return self._models

    @property
    def as_written(self) -> dict[str, object]:
        """The requirements as a recipe writes them, without suppression."""
        others = {"requirements", "unit", "suppression", "suppression_rows", "suppression_use"}
        lists = {key: [one.model_dump(exclude_unset=True) for one in each] for key, each in self.requirements.items()}
        return self.model_dump(exclude=others, exclude_unset=True) | lists


class LossSection(Section):
    """How information loss is measured."""

    metric: str = "glm"

    @field_validator("metric")
    @classmethod
    def _known(cls, name: str) -> str:
        if find_loss(name) is None:
            known = [repr(each) for each in loss_names()]
            raise PydanticKnownError("literal_error", {"expected": f"{', '.join(known[:-1])} or {known[-1]}"})
        return name


class GateSection(Section):
    """Limits for unique rows and certain sensitive values, and accepted findings."""

    unique: float | None = Field(default=None, ge=0, le=1)
    """At most this share of the rows may be unique on all published columns together, such as "5%" or 0.05."""
    certain: float | None = Field(default=None, ge=0, le=1)
    """At most this share of the rows may be in equivalence classes with a single sensitive value."""
    accept: list[str] = Field(default=[])
    """Findings that may be published, by kind and column, such as "free-text:notes"."""

    @field_validator("unique", "certain", mode="before")
    @classmethod
    def _share(cls, written: object) -> object:
        """Parse a share: a number, or text with a percent sign."""
        if not isinstance(written, str):
            return written
        found = re.fullmatch(r"\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*%\s*", written, re.ASCII)
        if found is None:
            raise ValueError(f'is a share such as "5%" or 0.05; got {written!r}')
        return float(found[1]) / 100

    @classmethod
    def asking(cls, requested: Mapping[str, object]) -> "GateSection":
        """Return a section with these values."""
        try:
            return cls.model_validate(dict(requested))
        except ValidationError as error:
            raise_all([_fault("gate", detail | {"loc": ("gate", *detail["loc"])}) for detail in error.errors()])
            raise


class EvolutionSection(Section):
    """Limits of the evolutionary search over cuts."""

    max_loss: float = Field(default=1.0, ge=0, le=1)
    """The largest information loss to list, as a fraction."""
    unconstrained: list[str] | None = None
    """Attributes that are cut into any intervals; None: those whose leaves are numbers."""
    granularity: dict[str, int] = Field(default={})
    """The finest levels that are published."""


class LocalSection(Section):
    """Options of local recoding."""

    suppress: bool = True
    """True if outliers are suppressed, within the limit of `[privacy]`, where that costs less than keeping them."""
    open_ends: bool | dict[str, Annotated[list[float | int | Literal[""]], Field(min_length=2, max_length=2)]] = False
    """True to open ranges beyond numbers that fewer than k rows exceed; or the bounds beyond which ranges are open, by
    attribute, such as [20, 90]; "" leaves an end closed."""

    @property
    def ends(self) -> "bool | dict[str, tuple[float | None, float | None]]":
        """The open ends, with None for an end that is closed."""
        if isinstance(self.open_ends, bool):
            return self.open_ends
        return {
            name: (None if low == "" else low, None if high == "" else high)
            for name, (low, high) in self.open_ends.items()
        }


class ChoiceSection(Section):
    """The solution that `paranym run` chooses."""

    k: int | None = Field(default=None, ge=1)
    """Choose the least information loss among the solutions with at least this k."""
    max_loss: float | None = Field(default=None, ge=0, le=1)
    """Choose the largest k within this information loss; with `k`, the best trade-off between both limits."""
    levels: dict[str, Annotated[int, Field(ge=0)]] | None = None
    """Choose these levels; others are not generalized. With `k`, rows in classes smaller than k are suppressed."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.levels is not None and self.max_loss is not None:
            raise ValueError("levels are a choice of their own; leave out max_loss")
        return self


class OutputSection(Section):
    """Files that `paranym run` writes; relative to the recipe."""

    release: str | None = None
    """The released table: .csv, .csv.gz, .parquet or .duckdb."""
    table: str | None = None
    """The table to make in a DuckDB file."""
    report: str | None = None
    """The report: .html or .pdf."""
    pdf: str | None = None
    """An additional PDF file of the report."""
    keep_suppressed: bool = False
    """Keep suppressed rows as `*`."""
    neutralize_formulas: bool = False
    """Put a quote before cells of a CSV file that a spreadsheet would run."""


class Recipe(Section):
    """A complete request: together with the data, it reproduces a result.

    >>> recipe = Recipe.parse({"data": {"source": "a.csv"}, "attributes": {"age": {"role": "quasi-identifier"}}})
    >>> recipe.loss.metric, recipe.privacy.suppression_use
    ('glm', 'needed')
    """

    data: DataSection
    attributes: dict[str, AttributeSection]
    privacy: PrivacySection = PrivacySection()
    loss: LossSection = LossSection()
    evolution: EvolutionSection = EvolutionSection()
    local: LocalSection = LocalSection()
    choice: ChoiceSection = ChoiceSection()
    output: OutputSection = OutputSection()
    gate: GateSection = GateSection()

    _folder: Path = PrivateAttr(default=Path())

    @classmethod
    def read(cls, path: Path | str) -> "Recipe":
        """Read a TOML file; all its faults are reported at once, each with its place."""
        path = Path(path)
        try:
            document = read_toml(path, known=tuple(cls.model_fields))
        except UnreadableDocument as error:
            if error.cannot_open:
                raise RecipeFault(str(path), f"cannot be read: {error.why}") from error
            raise RecipeFault(path.name, error.why.removeprefix("it ")) from error
        return cls.parse(document, name=path.name, folder=path.parent)

    @classmethod
    def parse(cls, document: dict[str, Any], *, name: str = "recipe", folder: Path = Path()) -> "Recipe":
        """Return the recipe of a parsed TOML document; its paths are relative to `folder`."""
        conflicts = _conflicts(name, document)
        try:
            recipe = cls.model_validate(document)
        except ValidationError as error:
            raise_all([*(_fault(name, detail) for detail in error.errors()), *conflicts])
            raise
        raise_all(conflicts)
        _note_former_roles(name, recipe, document)
        recipe._folder = folder  # noqa: SLF001 - pydantic sets private attributes only after construction
        return recipe

    @property
    def roles(self) -> Schema:
        """The roles and weights of the columns that have a role."""
        return Schema(
            tuple(
                Attribute(name, section.role, section.weight)
                for name, section in self.attributes.items()
                if section.role is not None
            )
        )

    def hierarchy(self, attribute: str) -> Path | dict[str, Any] | list[Path | dict[str, Any]] | None:
        """Return the hierarchy of a column: a file, an inline table, a list of these, or None."""
        given = self.attributes[attribute].hierarchy
        found = [self.path(step) if isinstance(step, str) else written(step) for step in _steps(given)]
        return found if isinstance(given, list) else found[0] if found else None

    @property
    def release_file(self) -> Path:
        """The file of the release: that of `[output]`, or else a file beside the recipe, named after the table."""
        if self.output.release is not None:
            return self.path(self.output.release)
        parquet = self.data.is_elsewhere or Path(str(self.data.source)).suffix.lower() in _TYPED
        return self._folder / f"{self._stem}-released{'.parquet' if parquet else '.csv'}"

    @property
    def report_files(self) -> list[Path]:
        """The files of the report: those of `[output]`, or else a file beside the recipe; a PDF file comes last."""
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
        """Return a path of the recipe relative to the current folder; `-` is always standard input."""
        return Path(written) if written == "-" else self._folder / written


_TYPED = {".parquet", ".pq", ".duckdb", ".ddb", ".db"}
"""Sources whose columns have types, which a CSV file would lose."""


def _steps(hierarchy: Any) -> list[Any]:
    if hierarchy is None:
        return []
    return hierarchy if isinstance(hierarchy, list) else [hierarchy]


def _fault(name: str, detail: Any) -> ParanymError:
    """Return a validation error with its place and the remedy."""
    place = ".".join(_key(str(part)) for part in place_without_tags(detail["loc"]) if part != _GATHERED)
    what = re.sub("^(Value error,|Input|String|List|Dictionary) ", "", detail["msg"]).replace(" after validation", "")
    match detail["type"]:
        case "extra_forbidden":
            known = _keys_at(detail["loc"])
            what = f"unknown key; known here are {', '.join(known)}.{did_you_mean(str(detail['loc'][-1]), known)}"
        case "missing":
            what = "is required and missing"
        case "model_type" | "dict_type":
            what = f"should be a table, as in [{place}]; got {shortened(detail['input'])}"
        case "literal_error" | "enum":
            choices = tuple(re.findall("'(.*?)'", detail["ctx"]["expected"]))
            what = f"{what}; got {shortened(detail['input'])}.{did_you_mean(str(detail['input']), choices)}"
        case "value_error":
            pass
        case _:
            what = f"{what}; got {shortened(detail['input'])}"
    return RecipeFault(f"{name}: {place}" if place else name, what)


def _key(part: str) -> str:
    """Return a key in TOML syntax: bare if possible."""
    return part if re.fullmatch("[A-Za-z0-9_-]+", part) else f'"{part}"'


def _keys_at(place: tuple[int | str, ...]) -> tuple[str, ...]:
    """Return the known keys of a recipe at the level of `place`."""
    inline = keys_of(place)
    if inline is not None:
        return inline
    sections: dict[str, type[Section]] = {
        "data": DataSection,
        "attributes": AttributeSection,
        "privacy": PrivacySection,
        "loss": LossSection,
        "evolution": EvolutionSection,
        "local": LocalSection,
        "choice": ChoiceSection,
        "output": OutputSection,
        "gate": GateSection,
    }
    section = sections[str(place[0])] if len(place) > 1 else Recipe
    if section is PrivacySection:
        requirement = section_of(str(place[2])) if len(place) > 3 else None
        return PrivacySection.keys() if requirement is None else tuple(requirement.model_fields)
    return tuple(section.model_fields)


def _note_former_roles(name: str, recipe: Recipe, document: dict[str, Any]) -> None:
    """Notify about columns with the role `other`, which is the former name of `keep`."""
    former = [each for each in recipe.attributes if document["attributes"][each].get("role") == FORMER_KEEP]
    if former:
        notify(
            f'{name}: the role "{FORMER_KEEP}" is called "keep" now and read as that: published unchanged are '
            f'{", ".join(former)}. Write role = "keep", or role = "drop" for what nobody needs.'
        )


def _conflicts(name: str, document: dict[str, Any]) -> list[ParanymError]:
    """Return contradictions between sections, if all roles are valid: a misspelt role may be the missing one."""
    attributes, loss = document.get("attributes"), document.get("loss")
    if not isinstance(attributes, dict) or not all(isinstance(section, dict) for section in attributes.values()):
        return []
    roles = {attribute: section["role"] for attribute, section in attributes.items() if "role" in section}
    if not all(isinstance(role, str) and role in [*Role, FORMER_KEEP] for role in roles.values()):
        return []
    faults: list[ParanymError] = []
    if Role.QUASI_IDENTIFIER not in roles.values():
        faults.append(RecipeFault(f"{name}: attributes", "no column has the role 'quasi-identifier'"))
    labels = [attribute for attribute, role in roles.items() if role == Role.LABEL]
    if len(labels) > 1:
        faults.append(RecipeFault(f"{name}: attributes", f"only one column can be the label; got {', '.join(labels)}"))
    metric = loss.get("metric") if isinstance(loss, dict) else None
    measure = find_loss(metric) if isinstance(metric, str) else None
    if measure is not None and measure.facts.needs_label and not labels:
        faults.append(RecipeFault(f"{name}: loss.metric", f"{metric!r} needs a column with the role 'label'"))
    return faults
