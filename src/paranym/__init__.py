"""paranym: anonymization of tables, with the complete Pareto front between k-anonymity and information loss.

For a first look at a table: `draft`, which gives a `Draft` of `ColumnDraft`s; `hierarchy` builds one of a column.
For stating a request: `Problem`, `Recipe`, `Hierarchy`, `CsvDialect`.
For computing the trade-off: `frontier`, `approach`, which give a `Front` of `Point`s with `Solution`s, in a `Budget`.
For searching cuts of the hierarchies instead of levels: `evolve`, `Evolving` step by step, `rerun` under other seeds,
which gives `Runs`.
For choosing from the front: `ask`, which gives an `Answer` with `Offer`s, and `describe`, an `Overview` with `Region`s;
`prefer`, by an order of preference; `fit`, which gives a `Curve`; `class_sizes` of a solution.
For a fixed k: `generalize`, which gives `Generalizations`, the best `Generalization` first.
For local recoding: `recode_locally`, which gives a `LocalResult`, and `local_front` for several k, a `LocalFront`.
For a bound that no recoding can beat: `lower_bound`, which gives a `LowerBound`; `verify_bound` checks it.
For all recoding models: `query_error` measures the error of queries on a release; `compare` returns a `Comparison`.
For checking a front: `verify_front`, which gives a `Verdict`.
For publishing: `release`, which gives a `Release` by a `Recoding`, of a point of the front or of `point_at`,
or of a `LocalResult`;
`verify_release`, which gives a `Verification`; `apply`, which gives an `Applied` with a `Judgement`; `Anonymizer`.
For reviewers: `write_report`, a page that explains what is published and why.
For measuring a table as it is: `audit`, which gives an `Audit`.
For handling errors: `ParanymError` and the tree below it in `paranym.errors`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paranym.anonymizer import Anonymizer
    from paranym.audits.audit import audit
    from paranym.choice import Answer, Offer, Overview, Region, ask, describe, prefer
    from paranym.comparison.models import Comparison, compare
    from paranym.comparison.queries import query_error
    from paranym.drafting import ColumnDraft, Draft, draft
    from paranym.engines.files.csv import CsvDialect
    from paranym.errors import ParanymError
    from paranym.hierarchies.build import hierarchy
    from paranym.model.hierarchy import Hierarchy
    from paranym.model.recoding import Recoding
    from paranym.problem import Problem
    from paranym.proof import Verdict, verify_bound, verify_front
    from paranym.publishing.plan import class_sizes, point_at
    from paranym.recipe import Recipe
    from paranym.releases.applying import Applied, Judgement, apply
    from paranym.releases.releasing import Release, release
    from paranym.releases.verifying import verify_release
    from paranym.report.writing import write_report
    from paranym.results.audit import Audit
    from paranym.results.bound import LowerBound
    from paranym.results.curve import Curve, fit
    from paranym.results.front import Front, Point, Solution
    from paranym.results.generalizations import Generalization, Generalizations
    from paranym.results.local_front import LocalFront
    from paranym.results.local_result import LocalResult
    from paranym.results.release import Verification
    from paranym.search.base import Budget
    from paranym.solve.bounds import lower_bound
    from paranym.solve.cuts import Evolving, evolve
    from paranym.solve.fixed_k.search import generalize
    from paranym.solve.fronts import approach, frontier
    from paranym.solve.local import local_front, recode_locally
    from paranym.solve.runs import Runs, rerun

__version__ = "0.2.0"

__all__ = [
    "Anonymizer",
    "Answer",
    "Applied",
    "Audit",
    "Budget",
    "ColumnDraft",
    "Comparison",
    "CsvDialect",
    "Curve",
    "Draft",
    "Evolving",
    "Front",
    "Generalization",
    "Generalizations",
    "Hierarchy",
    "Judgement",
    "LocalFront",
    "LocalResult",
    "LowerBound",
    "Offer",
    "Overview",
    "ParanymError",
    "Point",
    "Problem",
    "Recipe",
    "Recoding",
    "Region",
    "Release",
    "Runs",
    "Solution",
    "Verdict",
    "Verification",
    "apply",
    "approach",
    "ask",
    "audit",
    "class_sizes",
    "compare",
    "describe",
    "draft",
    "evolve",
    "fit",
    "frontier",
    "generalize",
    "hierarchy",
    "local_front",
    "lower_bound",
    "point_at",
    "prefer",
    "query_error",
    "recode_locally",
    "release",
    "rerun",
    "verify_bound",
    "verify_front",
    "verify_release",
    "write_report",
]

_HOMES = {
    "Anonymizer": "paranym.anonymizer",
    "Answer": "paranym.choice",
    "Applied": "paranym.releases.applying",
    "Audit": "paranym.results.audit",
    "Budget": "paranym.search.base",
    "ColumnDraft": "paranym.drafting",
    "Comparison": "paranym.comparison.models",
    "CsvDialect": "paranym.engines.files.csv",
    "Curve": "paranym.results.curve",
    "Draft": "paranym.drafting",
    "Evolving": "paranym.solve.cuts",
    "Front": "paranym.results.front",
    "Generalization": "paranym.results.generalizations",
    "Generalizations": "paranym.results.generalizations",
    "Hierarchy": "paranym.model.hierarchy",
    "Judgement": "paranym.releases.applying",
    "LocalFront": "paranym.results.local_front",
    "LocalResult": "paranym.results.local_result",
    "LowerBound": "paranym.results.bound",
    "Offer": "paranym.choice",
    "Overview": "paranym.choice",
    "ParanymError": "paranym.errors",
    "Point": "paranym.results.front",
    "Problem": "paranym.problem",
    "Recipe": "paranym.recipe",
    "Recoding": "paranym.model.recoding",
    "Region": "paranym.choice",
    "Release": "paranym.releases.releasing",
    "Runs": "paranym.solve.runs",
    "Solution": "paranym.results.front",
    "Verdict": "paranym.proof",
    "Verification": "paranym.results.release",
    "apply": "paranym.releases.applying",
    "approach": "paranym.solve.fronts",
    "ask": "paranym.choice",
    "audit": "paranym.audits.audit",
    "class_sizes": "paranym.publishing.plan",
    "compare": "paranym.comparison.models",
    "describe": "paranym.choice",
    "draft": "paranym.drafting",
    "evolve": "paranym.solve.cuts",
    "fit": "paranym.results.curve",
    "frontier": "paranym.solve.fronts",
    "generalize": "paranym.solve.fixed_k.search",
    "hierarchy": "paranym.hierarchies.build",
    "local_front": "paranym.solve.local",
    "lower_bound": "paranym.solve.bounds",
    "point_at": "paranym.publishing.plan",
    "prefer": "paranym.choice",
    "query_error": "paranym.comparison.queries",
    "recode_locally": "paranym.solve.local",
    "release": "paranym.releases.releasing",
    "rerun": "paranym.solve.runs",
    "verify_bound": "paranym.proof",
    "verify_front": "paranym.proof",
    "verify_release": "paranym.releases.verifying",
    "write_report": "paranym.report.writing",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that `import paranym` is fast."""
    if name not in _HOMES:
        raise AttributeError(f"module 'paranym' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
