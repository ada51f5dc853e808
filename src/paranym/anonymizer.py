"""A transformer like those of scikit-learn, which is not needed: `fit` chooses a recoding, `transform` applies it."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from paranym.choice import ask
from paranym.errors import BadInput
from paranym.hierarchies.build import HierarchySpec
from paranym.problem import Problem
from paranym.releases.applying import Judgement, recode
from paranym.releases.manifest import Guarantee, SavedRecoding
from paranym.releases.placing import Unknown
from paranym.releases.planning import plan_release, point_at
from paranym.workbench import frontier

Suppress = Literal["star", "drop", "none"]


class Anonymizer:
    """Generalizes the quasi-identifiers of a table as little as a k, or as private as a loss, allows.

    `k` asks for the least loss of at least that k, `max_loss` for the best k within that loss (a fraction), `levels`
    names the node itself. `quasi_identifiers` are those of `Problem`; without any, all other columns are. Rows in
    classes too small are published as `*` with nothing in their other columns (`suppress="star"`), left out ("drop"),
    or stay ("none": for tables too small to be anonymous by themselves, such as one row that a model is asked about).
    Values that were not seen by `fit` are placed by breakpoints; what belongs nowhere is published as the top, or is an
    error.

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [31, 34, 38, 52, 55, 58], "sex": ["F", "M", "F", "M", "F", "M"]})
    >>> anonymizer = Anonymizer({"age": {"intervals": [10, 20]}}, k=3)
    >>> list(anonymizer.fit_transform(people)["age"])
    ['30-39', '30-39', '30-39', '50-59', '50-59', '50-59']
    >>> list(anonymizer.transform(pd.DataFrame({"age": [41, 42, 47], "sex": ["F", "F", "M"]}))["age"])
    ['40-49', '40-49', '40-49']
    """

    def __init__(
        self,
        quasi_identifiers: Mapping[str, HierarchySpec] | Sequence[str] | None = None,
        *,
        k: int | None = None,
        max_loss: float | None = None,
        levels: Mapping[str, int] | None = None,
        identifiers: Sequence[str] = (),
        sensitive: Mapping[str, HierarchySpec] | Sequence[str] = (),
        privacy: Mapping[str, object] | None = None,
        weights: Mapping[str, float] | None = None,
        categorical: Sequence[str] = (),
        missing: Sequence[str] = (),
        metric: str = "glm",
        suppression: float = 0.0,
        suppress: Suppress = "star",
        unknown: Unknown = "top",
    ) -> None:
        self.quasi_identifiers = quasi_identifiers
        self.k = k
        self.max_loss = max_loss
        self.levels = levels
        self.identifiers = identifiers
        self.sensitive = sensitive
        self.privacy = privacy
        self.weights = weights
        self.categorical = categorical
        self.missing = missing
        self.metric = metric
        self.suppression = suppression
        self.suppress = suppress
        self.unknown = unknown

    def fit(self, X: Any, y: object = None) -> "Anonymizer":  # noqa: N803 - names that scikit-learn gives
        """Choose how the table is generalized."""
        self._check()
        frame, kind = _frame(X)
        names = [str(name) for name in _names(frame)]
        others = {str(name) for name in (*self.identifiers, *self.sensitive)}
        problem = Problem(
            frame,
            quasi_identifiers=self.quasi_identifiers or [name for name in names if name not in others],
            sensitive=self.sensitive,
            identifiers=self.identifiers,
            privacy=self.privacy,
            weights=self.weights,
            categorical=self.categorical,
            missing=self.missing,
            metric=self.metric,
            suppression=self.suppression,
        )
        point = (
            point_at(problem, self.levels, self.k)
            if self.levels is not None
            else ask(frontier(problem), min_k=self.k, max_loss=self.max_loss).point
        )
        plan = plan_release(problem, point)
        share = problem.suppression.limit(problem.rows) / problem.rows
        self.point_ = point
        self.recoding_ = plan.recoding
        self.saved_ = SavedRecoding(plan.recoding, Guarantee(point.k, share, problem.privacy, problem.trees), "", b"")
        self.n_features_in_ = len(names)
        self.__dict__.pop("feature_names_in_", None)
        if kind != "array":
            self.feature_names_in_ = np.array(names, dtype=object)
        return self

    def transform(self, X: Any) -> Any:  # noqa: N803 - a name that scikit-learn gives
        """The table, generalized in that way; index and order stay."""
        frame, kind = self._table(X)
        made, _ = recode(self.saved_, frame, unknown=self.unknown, suppress=self.suppress)
        return _array(made) if kind == "array" else made

    def judge(self, X: Any) -> Judgement:  # noqa: N803 - as above
        """Whether what `fit` reached holds of another table as well, and how many rows would have to go."""
        frame, _ = self._table(X)
        _, judged = recode(self.saved_, frame, unknown=self.unknown, suppress="none")
        return judged

    def fit_transform(self, X: Any, y: object = None) -> Any:  # noqa: N803 - a name that scikit-learn gives
        """Both at once."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """The columns that are published."""
        self._check_fitted()
        known = getattr(
            self, "feature_names_in_", np.array([f"x{n}" for n in range(self.n_features_in_)], dtype=object)
        )
        if input_features is not None and list(input_features) != list(known):
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.array([name for name in known if name not in self.recoding_.identifiers], dtype=object)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - as scikit-learn has it
        """What it was made with."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **parameters: Any) -> "Anonymizer":
        """Change what it was made with."""
        for name, value in parameters.items():
            if name not in self._parameters():
                raise ValueError(f"There is no parameter {name!r}; there are {', '.join(self._parameters())}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        fresh = Anonymizer()
        changed = {name: value for name, value in self.get_params().items() if value != getattr(fresh, name)}
        return f"Anonymizer({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "recoding_")

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks its estimators; nobody else calls this."""
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags  # noqa: PLC0415

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            input_tags=InputTags(allow_nan=True, string=True, categorical=True),
            non_deterministic=False,
            requires_fit=True,
        )

    @classmethod
    def _parameters(cls) -> list[str]:
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def _check(self) -> None:
        asked = [self.k is not None, self.max_loss is not None, self.levels is not None]
        if self.levels is not None and self.max_loss is not None:
            raise BadInput("Levels say all that a largest loss could choose: give one of them.")
        if not any(asked):
            raise BadInput("Say what is wanted: a k, a max_loss, or levels.")
        if self.suppress not in ("star", "drop", "none"):
            raise BadInput(f"suppress is 'star', 'drop' or 'none'; got {self.suppress!r}.")
        if self.unknown not in ("error", "top"):
            raise BadInput(f"unknown is 'error' or 'top'; got {self.unknown!r}.")

    def _check_fitted(self) -> None:
        if not hasattr(self, "recoding_"):
            raise NotFitted(f"This {type(self).__name__} is not fitted yet: call fit first.")

    def _table(self, X: Any) -> tuple[Any, str]:  # noqa: N803 - as above
        self._check_fitted()
        frame, kind = _frame(X)
        self._check_columns([str(name) for name in _names(frame)], kind)
        return frame, kind

    def _check_columns(self, names: Sequence[str], kind: str) -> None:
        if len(names) != self.n_features_in_:
            raise BadInput(
                f"X has {len(names)} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input"
            )
        if kind != "array" and hasattr(self, "feature_names_in_") and names != list(self.feature_names_in_):
            raise BadInput("The feature names should match those that were passed during fit.")


class NotFitted(BadInput, AttributeError):
    """`transform` before `fit`."""


def _frame(X: Any) -> tuple[Any, str]:  # noqa: N803
    """A table as engines take it, and what kind it is; the columns of an array are called x0, x1, ..."""
    if hasattr(X, "toarray"):
        raise BadInput("Sparse data are no table of people. Pass a dense array, or a pandas, polars or pyarrow table.")
    if hasattr(X, "columns") or isinstance(X, pa.Table | pa.RecordBatch):
        return X, "frame"
    array = np.asarray(X)
    if np.iscomplexobj(array):
        raise BadInput("Complex data not supported: people have no complex attributes.")
    if array.ndim != 2:
        raise BadInput(f"Expected 2D array, got {array.ndim}D array instead. Reshape your data: one row per person.")
    if array.shape[1] == 0:
        raise BadInput(f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    return pa.table({f"x{n}": pa.array(array[:, n].tolist()) for n in range(array.shape[1])}), "array"


def _names(frame: Any) -> list[Any]:
    return list(frame.schema.names if isinstance(frame, pa.Table | pa.RecordBatch) else frame.columns)


def _array(table: pa.Table) -> Any:
    """Numbers if nothing else is there, objects otherwise."""
    if all(pa.types.is_floating(each.type) or pa.types.is_integer(each.type) for each in table.schema):
        return np.column_stack([column.to_numpy() for column in table.columns])
    return np.column_stack([np.array(column.to_pylist(), dtype=object) for column in table.columns])


__all__ = ["Anonymizer", "Judgement"]
