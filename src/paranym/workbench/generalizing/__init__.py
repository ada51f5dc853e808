"""From a problem and a k to generalizations: resolves names to searches, runs them, and ranks what they find."""

from paranym.search.full_domain.base import Stage
from paranym.workbench.generalizing.search import FixedSearch, generalize

__all__ = ["FixedSearch", "Stage", "generalize"]
