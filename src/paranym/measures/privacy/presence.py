"""Models against a population table, of which the people of the table are a part: delta-presence (Nergiz, Atzori and
Clifton, SIGMOD 2007) and k-map (Sweeney, 2001).

The population is recoded like the table; a class is compared with the people who would belong to it.
"""

from typing import ClassVar

import numpy as np

from paranym.errors import BadInput
from paranym.measures.privacy.base import Classes, Floats, Ints, ModelFacts, WorstClass


class GreatestPresence(WorstClass):
    """The upper delta: the largest probability that a person of the population is in the table."""

    name: ClassVar[str] = "presence-most"
    title: ClassVar[str] = "upper delta-presence"
    meaning: ClassVar[str] = "how certain it can be that a person of the population is in the table, at most"
    facts: ClassVar[ModelFacts] = ModelFacts(
        larger_is_better=False, monotone=True, survives_growth=False, needs_sensitive=False, needs_population=True
    )

    def of(self, classes: Classes) -> Floats:
        return classes.sizes / _population(classes)


class LeastPresence(WorstClass):
    """The lower delta: 0 as soon as some class of the population has no row here, since its people are not in it."""

    name: ClassVar[str] = "presence-least"
    title: ClassVar[str] = "lower delta-presence"
    meaning: ClassVar[str] = "how certain it is that a person of the population is in the table, at least"
    facts: ClassVar[ModelFacts] = ModelFacts(
        larger_is_better=True, monotone=True, survives_growth=False, needs_sensitive=False, needs_population=True
    )

    def of(self, classes: Classes) -> Floats:
        return classes.sizes / _population(classes)

    def achieved(self, classes: Classes) -> float:
        return 0.0 if classes.absent else super().achieved(classes)


class PopulationMap(WorstClass):
    """k-map: the least number of people of the population that a row could belong to."""

    name: ClassVar[str] = "k-map"
    title: ClassVar[str] = "k-map"
    meaning: ClassVar[str] = "every row matches at least k people of the population"
    facts: ClassVar[ModelFacts] = ModelFacts(
        larger_is_better=True, monotone=True, survives_growth=True, needs_sensitive=False, needs_population=True
    )

    def of(self, classes: Classes) -> Floats:
        return _population(classes).astype(float)


def _population(classes: Classes) -> Ints:
    """People per class; at least its own rows, which are part of the population."""
    if classes.population is None:
        raise BadInput("delta-presence and k-map compare the table with a population: give one.")
    return np.maximum(classes.population, classes.sizes)
