"""paranym: every generalization of a table about people that no other one beats.

For stating what is asked: `Problem`, `Recipe`, `Hierarchy`, `CsvDialect`.
For computing the trade-off: `frontier`, `approach`, which give a `Front` of `Point`s with `Solution`s, in a `Budget`.
For choosing from it: `ask`, which gives an `Answer` with `Offer`s, and `describe`, an `Overview` with `Region`s.
For checking it: `verify`, which gives a `Verdict`.
For measuring a table as it is: `audit`, which gives an `Audit`.
For telling failures apart: `ParanymError` and the tree below it in `paranym.errors`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paranym.auditing import audit
    from paranym.choice import Answer, Offer, Overview, Region, ask, describe
    from paranym.engines.csv_dialect import CsvDialect
    from paranym.errors import ParanymError
    from paranym.model.audit import Audit
    from paranym.model.front import Front, Point, Solution
    from paranym.model.hierarchy import Hierarchy
    from paranym.problem import Problem
    from paranym.recipe import Recipe
    from paranym.search.base import Budget
    from paranym.verification import Verdict, verify
    from paranym.workbench import approach, frontier

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Audit",
    "Budget",
    "CsvDialect",
    "Front",
    "Hierarchy",
    "Offer",
    "Overview",
    "ParanymError",
    "Point",
    "Problem",
    "Recipe",
    "Region",
    "Solution",
    "Verdict",
    "approach",
    "ask",
    "audit",
    "describe",
    "frontier",
    "verify",
]

_HOMES = {
    "Answer": "paranym.choice",
    "Audit": "paranym.model.audit",
    "Budget": "paranym.search.base",
    "CsvDialect": "paranym.engines.csv_dialect",
    "Front": "paranym.model.front",
    "Hierarchy": "paranym.model.hierarchy",
    "Offer": "paranym.choice",
    "Overview": "paranym.choice",
    "ParanymError": "paranym.errors",
    "Point": "paranym.model.front",
    "Problem": "paranym.problem",
    "Recipe": "paranym.recipe",
    "Region": "paranym.choice",
    "Solution": "paranym.model.front",
    "Verdict": "paranym.verification",
    "approach": "paranym.workbench",
    "ask": "paranym.choice",
    "audit": "paranym.auditing",
    "describe": "paranym.choice",
    "frontier": "paranym.workbench",
    "verify": "paranym.verification",
}


def __getattr__(name: str) -> Any:
    """Import a promised name when it is first asked for, so that `import paranym` costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'paranym' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
