"""From a problem and a k to generalizations: resolves names to searches, runs them, and ranks what they find."""

from paranym.generalizing.search import FixedSearch, generalize
from paranym.search.full_domain.base import Stage

__all__ = ["FixedSearch", "Stage", "generalize"]
