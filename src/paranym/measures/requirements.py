"""Privacy requirements of every solution: a least k, and requirements on the published classes."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from paranym.errors import BadInput
from paranym.measures.privacy.base import Classes, Reference, Requirement, Truths
from paranym.model.values import is_whole

See = Callable[[str | None, Reference], Classes]
"""Returns the classes with the histogram of one sensitive attribute, or without, for a reference distribution."""


@dataclass(frozen=True, slots=True)
class PrivacyRequirements:
    """All privacy requirements together. A class that breaks a requirement is suppressed completely.

    >>> PrivacyRequirements(least_k=5)
    PrivacyRequirements(least_k=5, requirements=())
    """

    least_k: int = 1
    requirements: tuple[Requirement, ...] = ()

    def __post_init__(self) -> None:
        if not (is_whole(self.least_k) and self.least_k >= 1):
            raise BadInput(f"The required k is a whole number from 1 on; got {self.least_k!r}.")

    def __str__(self) -> str:
        others = [str(requirement) for requirement in self.requirements]
        return " and ".join([f"k of at least {self.least_k}", *others] if self.least_k > 1 or not others else others)

    @property
    def are_made(self) -> bool:
        """Whether there is any requirement."""
        return self.least_k > 1 or bool(self.requirements)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The sensitive attributes whose histograms are needed."""
        named = (requirement.attribute for requirement in self.requirements)
        return tuple(dict.fromkeys(name for name in named if name is not None))

    def are_local(self, limit: int) -> bool:
        """Whether each class can be judged by itself; always true if no rows may be suppressed."""
        return limit == 0 or all(requirement.is_local for requirement in self.requirements)

    def bind(self, limit: int) -> bool:
        """Whether the verdict on a node bounds the nodes below it: if it fails or suppresses rows, so do they.

        Without suppression this follows from monotonicity; with suppression, no class may get worse when it grows.
        """
        facts = [requirement.model.facts for requirement in self.requirements]
        return all(fact.monotone for fact in facts) and (limit == 0 or all(fact.survives_growth for fact in facts))

    def met_by(self, see: See) -> Truths:
        """Return which classes meet all requirements, if each can be judged by itself."""
        meets = np.ones(len(see(None, Reference.ORIGINAL).sizes), bool)
        for requirement in self.requirements:
            meets &= requirement.met_by(see(requirement.attribute, Reference.ORIGINAL))
        return meets

    def settle(self, see: See, kept: Truths) -> Truths:
        """Suppress classes that break a requirement, until no class does; return the rest of the `kept` ones.

        If the released rows are the reference, every suppressed class changes what the others are compared with.
        """
        while kept.any():
            meets = np.ones(int(np.count_nonzero(kept)), bool)
            for requirement in self.requirements:
                classes = see(requirement.attribute, requirement.reference)
                meets &= requirement.met_by(classes.kept(kept))
            if meets.all():
                break
            kept = kept.copy()
            kept[np.flatnonzero(kept)[~meets]] = False
        return kept
