"""paranym: every generalization of a table about people that no other one beats.

For a first look at a table: `draft`, which gives a `Draft` of `ColumnDraft`s; `hierarchy` builds one of a column.
For stating what is asked: `Problem`, `Recipe`, `Hierarchy`, `CsvDialect`.
For computing the trade-off: `frontier`, `approach`, which give a `Front` of `Point`s with `Solution`s, in a `Budget`.
For searching cuts of the hierarchies instead of levels: `evolve`, `Evolving` step by step, `rerun` under other seeds,
which gives `Runs`.
For choosing from it: `ask`, which gives an `Answer` with `Offer`s, and `describe`, an `Overview` with `Region`s;
`prefer`, by an order of preference; `fit`, which gives a `Curve`; `class_sizes` of a solution.
For a k that is given: `generalize`, which gives `Generalizations`, the best `Generalization` first.
For groups that are published by values of their own: `recode_locally`, which gives a `LocalResult`.
For all recoding models: `query_error` says how well a choice still answers queries; `compare` sets them side by side,
in a `Comparison`.
For checking it: `verify_front`, which gives a `Verdict`.
For publishing it: `release`, which gives a `Release` by a `Recoding`, of a point of the front or of `point_at`,
or of a `LocalResult`;
`verify_release`, which gives a `Verification`; `apply`, which gives an `Applied` with a `Judgement`; `Anonymizer`.
For a board that has to agree: `write_report`, a page that says what is published and why.
For measuring a table as it is: `audit`, which gives an `Audit`.
For telling failures apart: `ParanymError` and the tree below it in `paranym.errors`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paranym.anonymizer import Anonymizer
    from paranym.audits.auditing import audit
    from paranym.choice import Answer, Curve, Offer, Overview, Region, ask, describe, fit, prefer
    from paranym.drafting import ColumnDraft, Draft, draft
    from paranym.engines.csv_dialect import CsvDialect
    from paranym.errors import ParanymError
    from paranym.hierarchies.build import hierarchy
    from paranym.model.audit import Audit
    from paranym.model.front import Front, Point, Solution
    from paranym.model.generalizations import Generalization, Generalizations
    from paranym.model.hierarchy import Hierarchy
    from paranym.model.local_result import LocalResult
    from paranym.model.recoding import Recoding
    from paranym.model.release import Verification
    from paranym.problem import Problem
    from paranym.recipe import Recipe
    from paranym.releases.applying import Applied, Judgement, apply
    from paranym.releases.planning import class_sizes, point_at
    from paranym.releases.releasing import Release, release
    from paranym.releases.verifying import verify_release
    from paranym.reporting import write_report
    from paranym.search.base import Budget
    from paranym.verification import Verdict, verify_front
    from paranym.workbench import approach, frontier
    from paranym.workbench.comparing import Comparison, compare
    from paranym.workbench.evolving import Evolving, evolve
    from paranym.workbench.generalizing import generalize
    from paranym.workbench.localizing import recode_locally
    from paranym.workbench.querying import query_error
    from paranym.workbench.rerunning import Runs, rerun

__version__ = "0.1.0"

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
    "LocalResult",
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
    "point_at",
    "prefer",
    "query_error",
    "recode_locally",
    "release",
    "rerun",
    "verify_front",
    "verify_release",
    "write_report",
]

_HOMES = {
    "Anonymizer": "paranym.anonymizer",
    "Answer": "paranym.choice",
    "Applied": "paranym.releases.applying",
    "Audit": "paranym.model.audit",
    "Budget": "paranym.search.base",
    "ColumnDraft": "paranym.drafting",
    "Comparison": "paranym.workbench.comparing",
    "CsvDialect": "paranym.engines.csv_dialect",
    "Curve": "paranym.choice",
    "Draft": "paranym.drafting",
    "Evolving": "paranym.workbench.evolving",
    "Front": "paranym.model.front",
    "Generalization": "paranym.model.generalizations",
    "Generalizations": "paranym.model.generalizations",
    "Hierarchy": "paranym.model.hierarchy",
    "Judgement": "paranym.releases.applying",
    "LocalResult": "paranym.model.local_result",
    "Offer": "paranym.choice",
    "Overview": "paranym.choice",
    "ParanymError": "paranym.errors",
    "Point": "paranym.model.front",
    "Problem": "paranym.problem",
    "Recipe": "paranym.recipe",
    "Recoding": "paranym.model.recoding",
    "Region": "paranym.choice",
    "Release": "paranym.releases.releasing",
    "Runs": "paranym.workbench.rerunning",
    "Solution": "paranym.model.front",
    "Verdict": "paranym.verification",
    "Verification": "paranym.model.release",
    "apply": "paranym.releases.applying",
    "approach": "paranym.workbench",
    "ask": "paranym.choice",
    "audit": "paranym.audits.auditing",
    "class_sizes": "paranym.releases.planning",
    "compare": "paranym.workbench.comparing",
    "describe": "paranym.choice",
    "draft": "paranym.drafting",
    "evolve": "paranym.workbench.evolving",
    "fit": "paranym.choice",
    "frontier": "paranym.workbench",
    "generalize": "paranym.workbench.generalizing",
    "hierarchy": "paranym.hierarchies.build",
    "point_at": "paranym.releases.planning",
    "prefer": "paranym.choice",
    "query_error": "paranym.workbench.querying",
    "recode_locally": "paranym.workbench.localizing",
    "release": "paranym.releases.releasing",
    "rerun": "paranym.workbench.rerunning",
    "verify_front": "paranym.verification",
    "verify_release": "paranym.releases.verifying",
    "write_report": "paranym.reporting",
}


def __getattr__(name: str) -> Any:
    """Import a promised name when it is first asked for, so that `import paranym` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'paranym' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
