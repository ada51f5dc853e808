"""The request for one table as one value: from a recipe, or from the keyword arguments of `Problem`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from paranym.engines.files.csv import CsvDialect
from paranym.engines.hosts import check_hosts
from paranym.engines.installed import engine_of
from paranym.engines.postgres.session import is_address
from paranym.engines.source import Source
from paranym.engines.spark.session import SparkSource
from paranym.errors import BadInput, UnsuitableLoss, notify
from paranym.hierarchies.build import HierarchySpec
from paranym.measures.base import Loss
from paranym.measures.catalogue import check_form, loss_of
from paranym.measures.privacy.anonymity import Suppression, SuppressionUse, Unit
from paranym.model.schema import Attribute, Role, Schema
from paranym.model.values import to_text
from paranym.problem.requirements import check_objectives, sensitive_attributes
from paranym.recipe import GateSection, PrivacySection, Recipe

ROLES = (Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.LABEL, Role.IDENTIFIER, Role.KEEP, Role.DROP)
"""The order in which a schema lists its attributes."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Request:
    """A table, the roles of its columns, its measures and its privacy requirements.

    Checked as far as this is possible without the table. Every stage receives the whole request.
    """

    source: Source
    schema: Schema
    specs: Mapping[str, HierarchySpec]
    """Specifications that the hierarchies of the quasi-identifiers are built from."""
    trees: Mapping[str, HierarchySpec]
    """Hierarchies of sensitive attributes."""
    categorical: tuple[str, ...] = ()
    """Quasi-identifiers whose values have no range even if they are numbers."""
    loss: Loss
    suppression: Suppression
    required: PrivacySection
    """The privacy requirements."""
    objectives: tuple[str, ...]
    gate: GateSection
    memory: str | int | None = None
    """How much memory the counts may take, such as "4GB"; None for half of what is free."""
    person: str | None = None
    """The column that identifies people."""
    unit: Unit = Unit.ROW
    """The unit that equivalence classes count."""

    def __post_init__(self) -> None:
        if self.unit is Unit.PERSON:
            self._check_people()
        check_quasi_identifiers(self.specs, "be declared categorical", self.categorical)
        if self.loss.facts.needs_label and self.schema.label is None:
            raise UnsuitableLoss(self.loss.name, "needs a column with the role 'label'.")
        check_objectives(self.objectives)

    def _check_people(self) -> None:
        """Raise if people cannot be counted, or would be counted in part only."""
        if self.person is None:
            raise BadInput('unit = "person" counts different people: name the column that identifies them (person).')
        further = [name for name in self.objectives if name not in ("k", "suppression", "loss")]
        if self.required.requirements or further:
            raise BadInput(
                "Requirements and objectives about sensitive attributes count rows, and with a person key people are "
                'counted. Ask for k alone, or count rows with unit = "row".'
            )

    @classmethod
    def from_recipe(
        cls, recipe: Recipe, *, objectives: Sequence[str], memory: str | int | None, allow_hosts: Sequence[str]
    ) -> "Request":
        """Return the request of a recipe; `memory` replaces that of the recipe."""
        roles, privacy = recipe.roles, recipe.privacy
        return cls(
            source=source_of(recipe, allow_hosts=allow_hosts),
            schema=with_person(
                Schema(tuple(attribute for role in ROLES for attribute in roles.having(role))), recipe.data.person
            ),
            specs={attribute.name: recipe.hierarchy(attribute.name) for attribute in roles.quasi_identifiers},
            trees={attribute.name: recipe.hierarchy(attribute.name) for attribute in roles.having(Role.SENSITIVE)},
            categorical=tuple(name for name, section in recipe.attributes.items() if not section.numeric),
            loss=checked_loss(recipe.loss.metric),
            suppression=Suppression(
                privacy.suppression, privacy.suppression_rows, SuppressionUse(privacy.suppression_use)
            ),
            required=PrivacySection.of_requirements(privacy.as_written),
            objectives=names_of("objectives", objectives),
            gate=recipe.gate,
            memory=recipe.data.memory if memory is None else memory,
            person=recipe.data.person,
            unit=unit_of(privacy.unit, recipe.data.person),
        )

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(attribute.name for attribute in self.schema.quasi_identifiers)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """All columns with the role 'sensitive'."""
        return tuple(attribute.name for attribute in self.schema.having(Role.SENSITIVE))

    @property
    def measured_attributes(self) -> tuple[str, ...]:
        """The sensitive attributes whose values must be counted, for a requirement or for an objective."""
        return sensitive_attributes(self.required, self.sensitive, self.objectives)

    @property
    def measured_label(self) -> str | None:
        """The label, if the loss needs its values counted."""
        label = self.schema.label
        return label.name if label is not None and self.loss.facts.needs_label else None


def source_of(recipe: Recipe, *, allow_hosts: Sequence[str] = ()) -> Source:
    """Return where the table of a recipe is; on another machine only if that is allowed."""
    data, dialect = recipe.data, CsvDialect(recipe.data.separator, recipe.data.quote, recipe.data.encoding)
    written, missing = data.source, tuple(data.missing)
    source: object = written
    if data.engine == "spark":
        path = None if written is None else written if "://" in written else str(recipe.path(written))
        source = SparkSource(path=path, table=data.table, master=data.master)
    elif not is_address(written) and engine_of(written) is None:
        source = recipe.path(str(written))
    check_hosts(source, allow_hosts, "The recipe")
    return Source(source, None if data.engine == "spark" else data.table, dialect, missing, data.views)


def listed(argument: str, values: Iterable[object]) -> tuple[object, ...]:
    """Return the values that an argument lists, and raise for a text, which would be split into letters."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise BadInput(f"{argument} takes a list, such as [{str(values)!r}]; got {values!r}.")
    return tuple(values)


def names_of(argument: str, columns: Iterable[object]) -> tuple[str, ...]:
    """Return the columns that an argument lists as text; a data frame may number them."""
    return tuple(map(str, listed(argument, columns)))


def specs_of(argument: str, columns: Mapping[str, HierarchySpec] | Sequence[str]) -> dict[str, HierarchySpec]:
    """Return the hierarchy of each column; columns that are only listed have none."""
    names = names_of(argument, columns)
    given = columns.values() if isinstance(columns, Mapping) else [None] * len(names)
    return dict(zip(names, given, strict=True))


def tokens_of(missing: Iterable[object]) -> tuple[str, ...]:
    """Return the tokens for missing values as text."""
    return tuple(text for text in map(to_text, listed("missing", missing)) if text is not None)


def kept(keep: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that are published unchanged, under the present name of the argument and the former one."""
    former = names_of("others", others)
    if former:
        notify("`others` is called `keep` now: these columns are published as they are.")
    return (*names_of("keep", keep), *former)


def schema_of(columns: Mapping[Role, Iterable[str]], weights: Mapping[str, float] | None) -> Schema:
    """Return the schema of columns listed by role, in that order."""
    given = {str(name): weight for name, weight in (weights or {}).items()}
    check_quasi_identifiers(columns[Role.QUASI_IDENTIFIER], "have weights", given)
    return Schema(
        tuple(Attribute(name, role, given.get(name, 1.0)) for role, names in columns.items() for name in names)
    )


def check_quasi_identifiers(known: Iterable[str], what: str, names: Iterable[str]) -> None:
    """Raise if a property of quasi-identifiers is stated of other columns."""
    others = sorted(set(names) - set(known))
    if others:
        are_not = "is not a quasi-identifier" if len(others) == 1 else "are not quasi-identifiers"
        raise BadInput(f"{', '.join(map(repr, others))} {are_not}; only quasi-identifiers can {what}.")


def checked_loss(metric: str | Loss) -> Loss:
    """Return the information loss of a name; a loss of the user's own is checked for its form."""
    return loss_of(metric) if isinstance(metric, str) else check_form(metric)


def with_person(schema: Schema, person: str | None) -> Schema:
    """Return the schema in which the person key is an identifier."""
    if person is None:
        return schema
    role = next((attribute.role for attribute in schema.attributes if attribute.name == person), None)
    if role is None:
        return schema.giving(Role.IDENTIFIER, [person])
    if role.is_published:
        raise BadInput(
            f"The person key {person!r} has the role '{role}', but a column that identifies people is never published. "
            "Give it the role 'identifier', or none."
        )
    return schema


def unit_of(name: str | None, person: str | None) -> Unit:
    """Return what equivalence classes count, by its name: people if there is a person key, unless it says rows."""
    if name is None:
        return Unit.ROW if person is None else Unit.PERSON
    if name not in [unit.value for unit in Unit]:
        raise BadInput(f"unit is 'person' or 'row'; got {name!r}.")
    return Unit(name)


def use_of(name: str) -> SuppressionUse:
    """Return how much of the suppression limit solutions use, by its name."""
    if name not in [use.value for use in SuppressionUse]:
        raise BadInput(f"suppression_use is 'needed' or 'all'; got {name!r}.")
    return SuppressionUse(name)
