"""A problem: a counted table, the roles of its columns, its measures and its privacy requirements."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.engines.files.csv import CsvDialect
from paranym.engines.source import Source
from paranym.errors import BadInput, UnknownAttribute, UnsuitableLoss, raise_all
from paranym.evaluation.floor import FlooredEvaluator
from paranym.evaluation.nodes import Evaluator, NodeEvaluator
from paranym.frequency import FrequencySet
from paranym.hierarchies.build import HierarchySpec
from paranym.measures.base import Loss
from paranym.measures.class_assessment import MeasuredModel
from paranym.measures.privacy.anonymity import Suppression, Unit
from paranym.measures.privacy.base import Model
from paranym.measures.requirements import PrivacyRequirements
from paranym.model.hierarchy import Hierarchy
from paranym.model.lattice import Lattice
from paranym.model.recoding import Recoding
from paranym.model.schema import Role, Schema
from paranym.model.values import is_whole
from paranym.problem.counts import Counts, read_and_count
from paranym.problem.reading import Reading
from paranym.problem.request import (
    Request,
    checked_loss,
    kept,
    names_of,
    schema_of,
    source_of,
    specs_of,
    tokens_of,
    unit_of,
    use_of,
    with_person,
)
from paranym.problem.requirements import measured_models, objectives_of, privacy_requirements
from paranym.recipe import GateSection, PrivacySection, Recipe
from paranym.results.objectives import Objectives

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False, init=False)
class Problem:
    """A table that is to be published, ready for searches: read, checked against its hierarchies, and counted.

    A problem does not change. `replace`, `with_metric`, `with_suppression` and `with_privacy` return another problem
    over the same counts. It can be pickled: another process searches it without reading the table again.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    Problem(4 rows, 4 combinations of age, sex; 6 nodes; loss glm; at most 0 rows suppressed)
    """

    request: Request
    """The request that the problem was made from."""
    counts: Counts
    """The table as it was read and counted."""
    demands: PrivacyRequirements
    """The privacy requirements that every solution must meet."""
    objectives: Objectives
    """Measures that are traded off."""
    measured_models: tuple[MeasuredModel, ...]
    """The models of sensitive attributes that are objectives."""

    def __init__(
        self,
        data: object,
        *,
        quasi_identifiers: Mapping[str, HierarchySpec] | Sequence[str],
        sensitive: Mapping[str, HierarchySpec] | Sequence[str] = (),
        label: str | None = None,
        identifiers: Sequence[str] = (),
        keep: Sequence[str] = (),
        drop: Sequence[str] = (),
        others: Sequence[str] = (),
        categorical: Sequence[str] = (),
        weights: Mapping[str, float] | None = None,
        metric: str | Loss = "glm",
        suppression: float | None = None,
        suppression_rows: int | None = None,
        suppression_use: str = "needed",
        privacy: Mapping[str, object] | Mapping[str | Model, object] | None = None,
        person: str | None = None,
        unit: str | None = None,
        objectives: Sequence[str] = ("k", "loss"),
        gate: Mapping[str, object] | None = None,
        missing: Sequence[str] = (),
        table: str | None = None,
        dialect: CsvDialect | None = None,
        memory: str | int | None = None,
        views: bool = False,
    ) -> None:
        """Read and count `data`, which is not changed: a path; a pandas, polars, pyarrow or Spark table; or the address
        of a Postgres database, with the name of a `table`.

        `quasi_identifiers` maps columns to hierarchies: a `Hierarchy`, a file, rows from leaf to top, a mapping of
        level to values, `{"intervals": widths}`, or None for no level between the values and `*`. Those that
        `categorical` names have no range even if their values are numbers, such as postal codes. Columns that `keep`
        names are published unchanged; those of `drop` and `identifiers`, which name people, are not published. A search
        needs no further roles, but a column without a role cannot be published. `others` is the former name of `keep`.

        `metric` is the name of an information loss, or a loss of your own: an object of the form of
        `paranym.measures.base.Loss`, whose facts `paranym.testing.check_loss` tests.

        `privacy` states requirements as the section of a recipe does: `{"k": 5, "l": {"value": 3, "kind": "entropy"},
        "t": 0.2}`. Sensitive attributes may be mapped to hierarchies, for the hierarchical distance. `objectives` are
        traded off: k, loss, suppression, and models of a sensitive attribute such as l, t or `entropy-l:illness`.
        `gate` limits what may be published, as the section of a recipe does: `{"unique": "5%", "certain": 0.01}`.

        `person` names the column that identifies people, each of whom may have several rows; it is never published.
        k then counts different people, unless `unit` is "row"; what is lost and suppressed is counted in rows.

        Counts may take `memory`, such as "4GB", or half of what is free. If all combinations would take more, they are
        counted at a floor, a node with fewer; for nodes below it the engine counts again when a search reaches them.

        `views` allows `table` to name a view of a DuckDB file, which is a query of the file's author.
        """
        request = Request(
            source=Source(data, table, dialect, tokens_of(missing), views),
            schema=with_person(
                schema_of(
                    {
                        Role.QUASI_IDENTIFIER: names_of("quasi_identifiers", quasi_identifiers),
                        Role.SENSITIVE: names_of("sensitive", sensitive),
                        Role.LABEL: () if label is None else (str(label),),
                        Role.IDENTIFIER: names_of("identifiers", identifiers),
                        Role.KEEP: kept(keep, others),
                        Role.DROP: names_of("drop", drop),
                    },
                    weights,
                ),
                person,
            ),
            specs=specs_of("quasi_identifiers", quasi_identifiers),
            trees=specs_of("sensitive", sensitive) if isinstance(sensitive, Mapping) else {},
            categorical=names_of("categorical", categorical),
            loss=checked_loss(metric),
            suppression=Suppression(suppression, suppression_rows, use_of(suppression_use)),
            required=PrivacySection.of_requirements(privacy or {}),
            objectives=names_of("objectives", objectives),
            gate=GateSection.asking(gate or {}),
            memory=memory,
            person=None if person is None else str(person),
            unit=unit_of(unit, person),
        )
        _assign(self, request, read_and_count(request))

    @classmethod
    def from_recipe(
        cls,
        recipe: Recipe | Path | str,
        *,
        objectives: Sequence[str] = ("k", "loss"),
        memory: str | int | None = None,
        allow_hosts: Sequence[str] = (),
    ) -> "Problem":
        """Read and count the table of a recipe; counts may take `memory` instead of what the recipe allows.

        A recipe may name another machine, where Postgres or Spark runs, only if the user allowed it: in
        `~/.config/paranym/hosts`, in the environment variable PARANYM_HOSTS, or by `allow_hosts`.
        """
        recipe = recipe if isinstance(recipe, Recipe) else Recipe.read(recipe)
        request = Request.from_recipe(recipe, objectives=objectives, memory=memory, allow_hosts=allow_hosts)
        problem = cls._of(request, read_and_count(request))
        raise_all(
            [UnknownAttribute(name, problem.columns) for name in recipe.attributes if name not in problem.columns]
        )
        return problem

    @staticmethod
    def source_of(recipe: Recipe, *, allow_hosts: Sequence[str] = ()) -> Source:
        """Return where the table of a recipe is; on another machine only if that is allowed."""
        return source_of(recipe, allow_hosts=allow_hosts)

    @classmethod
    def _of(cls, request: Request, counts: Counts) -> "Problem":
        problem = cls.__new__(cls)
        _assign(problem, request, counts)
        return problem

    def replace(
        self,
        *,
        metric: str | Loss | None = None,
        suppression: float | None = None,
        suppression_rows: int | None = None,
        suppression_use: str | None = None,
        k: int | None = None,
        privacy: Mapping[str, object] | Mapping[str | Model, object] | None = None,
        objectives: Sequence[str] | None = None,
        gate: Mapping[str, object] | None = None,
    ) -> "Problem":
        """Return another problem over the same counts; the table is not read again. None changes nothing.

        `privacy` replaces all privacy requirements, `k` the required k alone.

        Raises if a metric, a requirement or an objective needs the values of a column that were not counted: the label
        is counted only for a metric that needs it, a sensitive attribute only for a requirement or an objective.

        >>> import pyarrow as pa
        >>> problem = Problem(pa.table({"age": [31, 34, 38, 52]}), quasi_identifiers=["age"])
        >>> problem.replace(metric="dcn", suppression_rows=1)
        Problem(4 rows, 4 combinations of age; 2 nodes; loss dcn; at most 1 rows suppressed)
        """
        request, limit = self.request, self.suppression
        if suppression is not None or suppression_rows is not None:
            limit = Suppression(suppression, suppression_rows, limit.use)
        if suppression_use is not None:
            limit = replace(limit, use=use_of(suppression_use))
        changed = replace(
            request,
            loss=request.loss if metric is None else checked_loss(metric),
            suppression=limit,
            required=_with_k(request.required if privacy is None else PrivacySection.of_requirements(privacy), k),
            objectives=request.objectives if objectives is None else names_of("objectives", objectives),
            gate=request.gate if gate is None else GateSection.asking(gate),
        )
        return self._of(changed, self.counts)

    def with_metric(self, metric: str | Loss) -> "Problem":
        """Return the problem with another information loss; the table is not read again.

        >>> import pyarrow as pa
        >>> Problem(pa.table({"age": [31, 34, 38, 52]}), quasi_identifiers=["age"]).with_metric("dcn").loss.name
        'dcn'
        """
        return self.replace(metric=metric)

    def with_suppression(
        self, share: float | None = None, *, rows: int | None = None, use: str | None = None
    ) -> "Problem":
        """Return the problem with another suppression limit, by default 0; the table is not read again.

        >>> import pyarrow as pa
        >>> Problem(pa.table({"age": [31, 34, 38, 52]}), quasi_identifiers=["age"]).with_suppression(rows=1)
        Problem(4 rows, 4 combinations of age; 2 nodes; loss glm; at most 1 rows suppressed)
        """
        share = 0.0 if share is None and rows is None else share
        return self.replace(suppression=share, suppression_rows=rows, suppression_use=use)

    def with_privacy(self, privacy: Mapping[str, object] | Mapping[str | Model, object]) -> "Problem":
        """Return the problem with other privacy requirements, instead of its own; the table is not read again.

        >>> import pyarrow as pa
        >>> problem = Problem(pa.table({"age": [31, 34, 38, 52]}), quasi_identifiers=["age"])
        >>> problem.with_privacy({"k": 2}).demands
        PrivacyRequirements(least_k=2, requirements=())
        """
        return self.replace(privacy=privacy)

    def of_k_and_loss(self) -> "Problem":
        """Return the problem with the objectives k and loss alone; the table is not read again.

        >>> import pyarrow as pa
        >>> people = pa.table({"age": [31, 34, 38, 52], "ill": ["flu", "cold", "flu", "cold"]})
        >>> three = Problem(people, quasi_identifiers=["age"], sensitive=["ill"], objectives=["k", "l", "loss"])
        >>> three.of_k_and_loss().objectives.names
        ('k', 'loss')
        """
        return self.replace(objectives=("k", "loss"))

    def giving(self, role: Role, names: Sequence[str]) -> "Problem":
        """Return the problem with one more role for some columns; the table is not read again."""
        return self._of(replace(self.request, schema=self.schema.giving(role, names)), self.counts)

    @property
    def source(self) -> Source:
        """Where the table is."""
        return self.request.source

    @property
    def schema(self) -> Schema:
        """The roles of the columns."""
        return self.request.schema

    @property
    def specs(self) -> Mapping[str, HierarchySpec]:
        """Specifications that the hierarchies of the quasi-identifiers were built from."""
        return self.request.specs

    @property
    def trees(self) -> Mapping[str, HierarchySpec]:
        """Hierarchies of sensitive attributes."""
        return self.request.trees

    @property
    def loss(self) -> Loss:
        """How information loss is measured."""
        return self.request.loss

    @property
    def suppression(self) -> Suppression:
        """How many rows may be suppressed."""
        return self.request.suppression

    @property
    def privacy(self) -> Mapping[str, object]:
        """The privacy requirements as a recipe writes them, each kind as a list of tables."""
        return self.request.required.as_written

    @property
    def own_models(self) -> Mapping[str, Model]:
        """Privacy models that were given as objects, by their names."""
        return self.request.required.models

    @property
    def gate(self) -> GateSection:
        """Limits on what may be published."""
        return self.request.gate

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the lattice."""
        return self.request.attributes

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns of the table, with a role or without."""
        return self.counts.reading.columns

    @property
    def without_role(self) -> tuple[str, ...]:
        """The columns without a role. The table cannot be published while there are any."""
        return self.schema.without_role(self.columns)

    @property
    def hierarchies(self) -> tuple[Hierarchy, ...]:
        """The hierarchies of the quasi-identifiers."""
        return self.counts.reading.hierarchies

    @property
    def lattice(self) -> Lattice:
        """All nodes."""
        return self.counts.reading.lattice

    @property
    def rows(self) -> int:
        """N."""
        return self.counts.reading.rows

    @property
    def unit(self) -> Unit:
        """The unit that equivalence classes count: rows, or different people."""
        return self.request.unit

    @property
    def people(self) -> int:
        """All different people of the table; its rows if people are not counted.

        >>> import pyarrow as pa
        >>> visits = pa.table({"patient": [1, 1, 2], "ward": ["A", "B", "A"]})
        >>> Problem(visits, quasi_identifiers=["ward"], person="patient").people
        2
        """
        return self.counted.people

    def must_count_rows(self, what: str) -> None:
        """Raise if people are counted, for what counts rows alone."""
        if self.unit is not Unit.ROW:
            raise BadInput(
                f"{what} counts rows, and k counts people here: {self.request.person!r} is the person key. "
                'Count rows instead with unit = "row".'
            )

    @property
    def counted(self) -> FrequencySet:
        """The combinations at the floor, which is the bottom of the lattice unless they do not fit in memory."""
        return self.counts.counted

    @property
    def frequency(self) -> FrequencySet:
        """All combinations, at the bottom of the lattice, for what counts their rows."""
        self.must_count_rows("This")
        return self.combinations

    @property
    def combinations(self) -> FrequencySet:
        """All combinations, at the bottom of the lattice, with their people if these are counted."""
        if self.floor is not None:
            raise BadInput(
                f"The combinations of {', '.join(self.attributes)} do not fit into the memory that is allowed, and "
                "this takes all of them. Allow more memory, or search by the methods exact or exhaustive."
            )
        return self.counted

    @property
    def floor(self) -> Mapping[str, int] | None:
        """The node that was counted, if it is not the bottom."""
        levels = self.counts.floor
        return None if levels is None else dict(zip(self.attributes, levels, strict=True))

    @property
    def rows_per_leaf(self) -> tuple[Ints, ...]:
        """Rows per leaf of each quasi-identifier."""
        return self.counts.rows_per_leaf

    def cores(self, asked: int | None = None) -> int:
        """Return the number of cores to use: as many as requested, and at most as many as there is memory for."""
        most = self.counts.plan.cores
        return most if asked is None else min(asked, most)

    def classes(self, recoding: Recoding) -> FrequencySet:
        """Return the equivalence classes of a recoding; their codes are the numbers of its labels."""
        return self.counts.classes(recoding)

    @contextmanager
    def counting_in_engine(self) -> Iterator[Callable[[tuple[int, ...]], FrequencySet]]:
        """Return a function that has the engine group the rows at a node, and rolls nothing up from other counts.

        >>> import pyarrow as pa
        >>> problem = Problem(pa.table({"sex": ["F", "M", "F"]}), quasi_identifiers=["sex"])
        >>> with problem.counting_in_engine() as count:
        ...     count((1,)).counts.tolist()
        [3]
        """
        with self.counts.counting() as count:
            yield count

    @contextmanager
    def counting_people_in_engine(self) -> Iterator[Callable[[tuple[int, ...]], Ints]]:
        """Return a function that has the engine count different people at a node, class by class.

        >>> import pyarrow as pa
        >>> visits = pa.table({"patient": [1, 1, 2], "ward": ["A", "B", "A"]})
        >>> with Problem(visits, quasi_identifiers=["ward"], person="patient").counting_people_in_engine() as count:
        ...     count((0,)).tolist(), count((1,)).tolist()
        ([2, 1], [2])
        """
        with self.counts.counting_people() as count:
            yield count

    def evaluator(self, *, cores: int | None = None) -> NodeEvaluator:
        """Return the evaluator of nodes for searches."""
        label = self.schema.label
        counted = Evaluator(
            self.counted,
            self.hierarchies,
            self.loss,
            self.suppression,
            weights=[attribute.weight for attribute in self.schema.quasi_identifiers],
            label=None if label is None else label.name,
            requirements=self.demands,
            measured_models=self.measured_models,
            rows_per_leaf=self.rows_per_leaf,
            cores=self.cores(cores),
        )
        return counted if self.floor is None else FlooredEvaluator(counted, self.counts.engine)

    def __repr__(self) -> str:
        return (
            f"Problem({self.rows:,} rows{self._of_people}, "
            f"{len(self.counted):,} combinations of {', '.join(self.attributes)}"
            f"{'' if self.floor is None else f' at {self.counted.levels}'}; "
            f"{self.lattice.size:,} nodes; loss {self.loss.name}; "
            f"at most {self.suppression.limit(self.rows):,} rows suppressed)"
        )

    @property
    def _of_people(self) -> str:
        return "" if self.unit is Unit.ROW else f" of {self.people:,} people"


def _with_k(required: PrivacySection, k: int | None) -> PrivacySection:
    if k is None:
        return required
    if not (is_whole(k) and k >= 1):
        raise BadInput(f"k is a whole number from 1 on; got {k!r}.")
    return required.model_copy(update={"k": int(k)})


def _assign(problem: Problem, request: Request, counts: Counts) -> None:
    """Set the attributes of a new problem, which is frozen."""
    values = {"request": request, "counts": counts, **_terms(request, counts.reading)._asdict()}
    for name, value in values.items():
        object.__setattr__(problem, name, value)


class _Terms(NamedTuple):
    """Requirements and objectives of a request, in the codes of the counts."""

    demands: PrivacyRequirements
    objectives: Objectives
    measured_models: tuple[MeasuredModel, ...]


def _terms(request: Request, reading: Reading) -> _Terms:
    """Resolve requirements and objectives, and raise if one needs values that were not counted."""
    label = request.measured_label
    if label is not None and label not in [coding.column.name for coding in reading.labels]:
        raise UnsuitableLoss(
            request.loss.name,
            f"needs the values of {label!r}, which were not counted. Make the problem with this loss.",
        )
    names = request.measured_attributes
    uncounted = [name for name in names if name not in reading.values]
    if uncounted:
        raise BadInput(
            f"The values of {', '.join(map(repr, uncounted))} were not counted: nothing that the problem was made with "
            "needs them. Make the problem with this requirement or objective."
        )
    values, missing = {name: reading.values[name] for name in names}, request.source.missing
    models = measured_models(request.objectives, values, reading.trees, missing)
    required = privacy_requirements(request.required, values, reading.trees, missing)
    return _Terms(required, objectives_of(request.objectives, models), models)
