"""A transformer in the style of scikit-learn (not required): `fit` chooses a recoding, `transform` applies it."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from paranym.choice import ask
from paranym.errors import BadInput
from paranym.hierarchies.build import HierarchySpec
from paranym.problem import Problem
from paranym.publishing.columns import Undeclared, decide
from paranym.publishing.plan import plan_release, point_at
from paranym.releases.applying import Judgement, judge, recode
from paranym.releases.manifest import Guarantee, SavedRecoding
from paranym.releases.placing import Unknown
from paranym.solve.fronts import frontier

Suppress = Literal["star", "drop", "none"]


class Anonymizer:
    """Generalize the quasi-identifiers of a table: with the least loss for a k, or the largest k for a loss.

    `k` selects the least information loss with at least that k, `max_loss` the largest k within that loss (a fraction),
    and `levels` a node of the lattice. `quasi_identifiers` are those of `Problem`; by default, all columns without
    another role. Every column needs a role: `keep` names columns to publish unchanged, `drop` and `identifiers` columns
    not to publish, and `undeclared` ("drop" or "keep") decides about the rest. The output of `transform` passes the
    same gate as a release; `accept` lists findings to publish anyway, such as "free-text:notes". Rows in classes that
    are too small are published as `*` with empty cells in their other columns (`suppress="star"`), removed ("drop"), or
    kept ("none": for tables too small to be k-anonymous by themselves, such as one row passed to a model). Values that
    `fit` has not seen are generalized by breakpoints; a value outside the hierarchy is published as the top, or is an
    error (`unknown`). A pandas index other than row numbers, such as the one that a split leaves, needs a decision:
    `index` is "keep" or "drop".

    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [31, 34, 38, 52, 55, 58], "sex": ["F", "M", "F", "M", "F", "M"]})
    >>> anonymizer = Anonymizer({"age": {"intervals": [10, 20]}}, k=3, keep=["sex"])
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
        keep: Sequence[str] = (),
        drop: Sequence[str] = (),
        undeclared: Undeclared | None = None,
        accept: Sequence[str] = (),
        sensitive: Mapping[str, HierarchySpec] | Sequence[str] = (),
        privacy: Mapping[str, object] | None = None,
        weights: Mapping[str, float] | None = None,
        categorical: Sequence[str] = (),
        missing: Sequence[str] = (),
        metric: str = "glm",
        suppression: float = 0.0,
        suppress: Suppress = "star",
        index: Literal["keep", "drop"] | None = None,
        unknown: Unknown = "top",
    ) -> None:
        self.quasi_identifiers = quasi_identifiers
        self.k = k
        self.max_loss = max_loss
        self.levels = levels
        self.identifiers = identifiers
        self.keep = keep
        self.drop = drop
        self.undeclared = undeclared
        self.accept = accept
        self.sensitive = sensitive
        self.privacy = privacy
        self.weights = weights
        self.categorical = categorical
        self.missing = missing
        self.metric = metric
        self.suppression = suppression
        self.suppress = suppress
        self.index = index
        self.unknown = unknown

    def fit(self, X: Any, y: object = None) -> "Anonymizer":  # noqa: N803 - names of scikit-learn's API
        """Choose the recoding for a table."""
        self._check()
        frame, kind = _frame(X)
        names = [str(name) for name in _names(frame)]
        others = {str(name) for name in (*self.identifiers, *self.keep, *self.drop, *self.sensitive)}
        undecided = Problem(
            frame,
            quasi_identifiers=self.quasi_identifiers or [name for name in names if name not in others],
            sensitive=self.sensitive,
            identifiers=self.identifiers,
            keep=self.keep,
            drop=self.drop,
            privacy=self.privacy,
            weights=self.weights,
            categorical=self.categorical,
            missing=self.missing,
            metric=self.metric,
            suppression=self.suppression,
        )
        problem, _ = decide(undecided, self.undeclared)
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

    def transform(self, X: Any) -> Any:  # noqa: N803 - a name of scikit-learn's API
        """Return the table with the recoding applied; the order of rows is kept, and the index if `index` is "keep"."""
        frame, kind = self._table(X)
        made = recode(
            self.saved_, frame, unknown=self.unknown, suppress=self.suppress, accept=self.accept, index=self.index
        )
        return _array(made) if kind == "array" else made

    def judge(self, X: Any) -> Judgement:  # noqa: N803 - as above
        """Check whether the guarantee of `fit` holds for another table, and how many rows must be suppressed for it."""
        frame, _ = self._table(X)
        return judge(self.saved_, frame, unknown=self.unknown)

    def fit_transform(self, X: Any, y: object = None) -> Any:  # noqa: N803 - a name of scikit-learn's API
        """Fit to a table and return it with the recoding applied."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """Return the names of the published columns."""
        self._check_fitted()
        known = getattr(
            self, "feature_names_in_", np.array([f"x{n}" for n in range(self.n_features_in_)], dtype=object)
        )
        if input_features is not None and list(input_features) != list(known):
            raise ValueError("input_features is not equal to feature_names_in_")
        return np.array([name for name in known if name not in self.recoding_.unpublished], dtype=object)

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - as scikit-learn has it
        """Return the parameters of the constructor."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **parameters: Any) -> "Anonymizer":
        """Set parameters of the constructor."""
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
        """Return the estimator tags; only scikit-learn calls this."""
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
        limits = [self.k is not None, self.max_loss is not None, self.levels is not None]
        if self.levels is not None and self.max_loss is not None:
            raise BadInput("Give either levels or max_loss, not both.")
        if not any(limits):
            raise BadInput("Give a k, a max_loss or levels.")
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
    """`transform` was called before `fit`."""


def _frame(X: Any) -> tuple[Any, str]:  # noqa: N803
    """Return a table that engines can read, and its kind; the columns of an array are called x0, x1, ..."""
    if hasattr(X, "toarray"):
        raise BadInput("Sparse data are not supported. Pass a dense array, or a pandas, polars or pyarrow table.")
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
    """Return a numeric array if all columns are numeric, otherwise an array of objects."""
    if all(pa.types.is_floating(each.type) or pa.types.is_integer(each.type) for each in table.schema):
        return np.column_stack([column.to_numpy() for column in table.columns])
    return np.column_stack([np.array(column.to_pylist(), dtype=object) for column in table.columns])


__all__ = ["Anonymizer", "Judgement"]
