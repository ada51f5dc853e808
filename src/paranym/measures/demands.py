"""What every solution must meet: a least k, and requirements on the classes that are published."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from paranym.errors import BadInput
from paranym.measures.privacy.base import Classes, Reference, Requirement, Truths
from paranym.model.values import is_whole

See = Callable[[str | None, Reference], Classes]
"""The classes with the histogram of one sensitive attribute, or with none, and what they are compared with."""


@dataclass(frozen=True, slots=True)
class Demands:
    """All that is demanded together. A class that breaks a requirement is suppressed whole.

    >>> Demands(least_k=5)
    Demands(least_k=5, requirements=())
    """

    least_k: int = 1
    requirements: tuple[Requirement, ...] = ()

    def __post_init__(self) -> None:
        if not (is_whole(self.least_k) and self.least_k >= 1):
            raise BadInput(f"The k that is demanded is a whole number from 1 on; got {self.least_k!r}.")

    def __str__(self) -> str:
        told = [str(requirement) for requirement in self.requirements]
        return " and ".join([f"k of at least {self.least_k}", *told] if self.least_k > 1 or not told else told)

    @property
    def are_made(self) -> bool:
        """Whether anything is demanded."""
        return self.least_k > 1 or bool(self.requirements)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The sensitive attributes whose histograms are asked for."""
        asked = (requirement.attribute for requirement in self.requirements)
        return tuple(dict.fromkeys(name for name in asked if name is not None))

    def are_local(self, limit: int) -> bool:
        """Whether each class can be judged by itself: always, if nothing is suppressed elsewhere."""
        return limit == 0 or all(requirement.is_local for requirement in self.requirements)

    def bind(self, limit: int) -> bool:
        """Whether a node that fails, or must suppress rows, says the same of all nodes below it.

        Without suppression by monotony; with it only if no class gets worse when it grows.
        """
        facts = [requirement.model.facts for requirement in self.requirements]
        return all(fact.monotone for fact in facts) and (limit == 0 or all(fact.survives_growth for fact in facts))

    def met_by(self, see: See) -> Truths:
        """Which classes meet all requirements, where each can be judged by itself."""
        meets = np.ones(len(see(None, Reference.ORIGINAL).sizes), bool)
        for requirement in self.requirements:
            meets &= requirement.met_by(see(requirement.attribute, Reference.ORIGINAL))
        return meets

    def settle(self, see: See, kept: Truths) -> Truths:
        """What is left of the `kept` classes when those that break a requirement go until none does.

        Each that goes changes the distribution that the others are compared with, where that is of the released rows.
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
